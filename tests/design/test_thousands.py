"""Every promise of a plan at once, over thousands of random studies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurybox.design import make_plan
from jurybox.design.guarantees import refuse_uneven
from jurybox.design.pairs import find_groups
from jurybox.design.plan import Plan
from tests.design.studies import Case, cases
from tests.design.test_balance import check_counts, drop, in_booklets

PROTOCOLS = ("rate", "mark", "compare", "rank", "detect")


def check_promises(case: Case, plan: Plan) -> None:
    booklets: defaultdict[str, list[str]] = defaultdict(list)
    sides: Counter[object] = Counter()
    for content in in_booklets(plan):
        for slot, trial in content:
            booklets[trial.id].append(slot.booklet)
            if len(trial.systems) == 2:
                sign = 1 if slot.order == (0, 1) else -1
                for group in (trial.id, trial.systems, (slot.booklet, trial.systems)):
                    sides[group] += sign
        if case.study.protocol == "detect":
            assert len({trial.item for _, trial in content}) == len(content)
    assert len(booklets) == case.n_trials
    assert all(len(used) == len(set(used)) == case.overlap for used in booklets.values())
    assert max(map(abs, sides.values()), default=0) <= 1
    if case.study.protocol in {"compare", "rank"}:
        together = [trial.systems for trial in plan.trials if trial.kind == "main"]
        assert len(find_groups(case.material.systems, together)) == 1
    refuse_uneven(plan)
    assert plan == make_plan(case.study, case.material)


@settings(max_examples=100)
@given(cases(PROTOCOLS), st.data())
def test_a_hundred_studies(case: Case, data: st.DataObject) -> None:
    plan = make_plan(case.study, case.material)
    check_promises(case, plan)
    check_counts(drop(plan, data))


@pytest.mark.full
@settings(max_examples=3000)
@given(cases(PROTOCOLS), st.data())
def test_thousands_of_studies(case: Case, data: st.DataObject) -> None:
    plan = make_plan(case.study, case.material)
    check_promises(case, plan)
    check_counts(plan)
    check_counts(drop(plan, data))


SCRIPT = """
from jurybox.design import make_plan
from tests.design.studies import make_known, make_material, make_study

for protocol, design in (
    ("rate", {"overlap": 2, "raters": 5}),
    ("rate", {"overlap": 2, "outputs_per_trial": 2}),
    ("compare", {"pairs": {"random": 20}, "stratify": "topic"}),
    ("rank", {"outputs_per_trial": 3}),
    ("detect", {"items": 10}),
):
    known = [make_known("gold", 90 + n, ["system-0", "system-1"]) for n in range(2)]
    plan = make_plan(
        make_study(protocol, design=design),
        make_material(9, 5, known=known if protocol == "compare" else ()),
    )
    print(plan.trials, plan.slots, plan.booklets)
"""


def test_the_same_seed_gives_the_same_plan_in_every_process() -> None:
    # Sets of text come in another order in each process, unless the hash seed is fixed.
    made = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert len(made[0]) > 10_000
    assert made[0] == made[1] == made[2]
