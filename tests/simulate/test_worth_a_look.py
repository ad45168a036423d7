"""Simulated raters of each kind, through plan and store: the careless are worth a look."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.analysis import analyze
from jurybox.simulate.truth import Kind
from tests.simulate.conftest import CRITERIA, Prepare
from tests.simulate.test_run import GOLD, simulate

KINDS: list[Kind] = [
    "careful", "careful", "speeder", "straight_liner", "coin_flipper", "careful", "careful",
    "careful",
]  # fmt: skip


def test_each_kind_shows_in_the_table_of_raters(prepare: Prepare) -> None:
    ready = prepare(
        "rate", items=28, gold=GOLD, design={"overlap": 5, "raters": len(KINDS), "seed": 1}
    )
    done = simulate(ready, raters=KINDS, seconds=40.0)
    found = analyze(ready.store, study=ready.study, material=ready.material)
    raters, own = found.table("raters"), found.table("raters/fit")
    assert raters is not None
    assert own is not None

    def column(table: Any, name: str) -> dict[str, Any]:
        place = [each.name for each in table.columns].index(name)
        return {row[0]: row[place] for row in table.rows}

    kinds = {str(rater): kind for rater, kind in done.raters}
    careful = [rater for rater, kind in kinds.items() if kind == "careful"]
    [speeder], [liner], [flipper] = (
        [rater for rater, kind in kinds.items() if kind == wanted]
        for wanted in ("speeder", "straight_liner", "coin_flipper")
    )
    looks = column(raters, "look")
    assert [c.heading for c in raters.columns if c.name == "pace"] == ["Time / expected"]
    pace = column(raters, "pace")
    assert pace[speeder] < min(pace[rater] for rater in careful) / 3
    assert column(own, "most_used_share")[liner] == 1.0
    assert "100% of answers are" in looks[liner]
    noise, agreement = column(own, "noise"), column(own, "agreement")
    assert min(noise[speeder], noise[flipper]) > max(noise[rater] for rater in careful)
    assert max(agreement[speeder], agreement[flipper]) < min(agreement[r] for r in careful)
    gold = column(raters, "gold")
    assert max(gold[flipper], gold[speeder], gold[liner]) <= 0.65
    assert min(gold[rater] for rater in careful) >= 0.75
    # Every place of the sitting is known, so there are trends.
    order = found.table("order")
    assert order is not None
    assert order.rows[0][0] == "score"


@pytest.mark.parametrize("form", CRITERIA)
def test_every_protocol_has_its_raters(prepare: Prepare, form: str) -> None:
    ready = prepare(form)
    simulate(ready)
    found = analyze(ready.store, study=ready.study, material=ready.material)
    raters = found.table("raters")
    assert raters is not None
    assert len(raters.rows) == found.n_raters
    assert any(table.id.startswith("raters/") for table in found.tables)
