"""What is planted in simulated raters is what the analysis finds, effect by effect."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.analysis import Analysis, analyze
from jurybox.cli.app import run as jurybox
from jurybox.errors import InputError, StoreError
from jurybox.simulate.judges import SimulatedJudge, run_judges
from jurybox.simulate.lengths import relative_lengths
from jurybox.simulate.truth import Kind, draw_effect
from jurybox.store import Store
from tests.simulate.conftest import NOW, SYSTEMS, Prepare, Ready
from tests.simulate.planting import plants
from tests.simulate.test_run import GOLD, rows, simulate

CAREFUL: tuple[Kind, ...] = ("careful", "careful", "careful", "careful")


def analyzed(ready: Ready) -> Analysis:
    return analyze(ready.store, study=ready.study, material=ready.material)


def result(found: Analysis, id: str) -> Any:
    (one,) = [finding.result for finding in found.findings if finding.id == id]
    return one


def long_and_short(system: str, k: int) -> str:
    """Every system has long and short answers: 2 to 16 words, whatever its quality."""
    return "word " * int(2 ** (1 + (k + SYSTEMS.index(system)) % 4))


@pytest.mark.parametrize(("bias", "told"), [(0.2, True), (0.0, False)])
def test_the_pull_of_the_first_place(prepare: Prepare, bias: float, told: bool) -> None:
    ready = prepare("compare", items=20, design={"raters": 10, "seed": 1})
    simulate(ready, position_bias=bias, bad_below=-1)
    share = result(analyzed(ready), "first_shown/preference")
    assert (share.p < 0.01) == told
    assert (share.estimate > 0.6) == told


@pytest.mark.parametrize(("bias", "told"), [(0.15, True), (0.0, False)])
@pytest.mark.parametrize(
    ("form", "criterion", "design"),
    [
        ("slide", "fit", {"outputs_per_trial": "all"}),
        pytest.param("slide", "fit", {"outputs_per_trial": 2}, marks=pytest.mark.full),
        pytest.param("compare", "correctness", {}, marks=pytest.mark.full),
        ("rank", "order", {}),
        pytest.param("best", "pick", {}, marks=pytest.mark.full),
    ],
)
def test_the_pull_of_the_first_of_several_places(
    prepare: Prepare, form: str, criterion: str, design: dict[str, Any], bias: float, told: bool
) -> None:
    ready = prepare(form, items=36, design={"raters": 12, "overlap": 4, "seed": 1, **design})
    simulate(ready, position_bias=bias)
    pull = result(analyzed(ready), f"order/place/{criterion}")
    assert pull.interval is not None
    assert (pull.p < 0.01) == told
    assert (pull.interval.low > 0) == told
    if form == "slide":
        # The slide from 0 to 100 is as long as the latent; a few answers are cut off at its ends.
        assert pull.estimate == pytest.approx(100 * bias, abs=4)


@plants("bradley_terry")
@pytest.mark.parametrize(("bias", "told"), [(0.1, True), (0.0, False)])
def test_long_outputs_are_liked_better(prepare: Prepare, bias: float, told: bool) -> None:
    ready = prepare("compare", items=32, text=long_and_short, design={"raters": 10, "seed": 1})
    simulate(ready, length_bias=bias, bad_below=-1, item_system_sd=0.0)
    lengths = relative_lengths(ready.material)
    votes = [row for row in rows(ready, "votes") if row["criterion"] == "preference"]
    for row in votes:
        for side in "ab":
            row[f"length_{side}"] = lengths[row["item"], row[f"system_{side}"]]
    table = {name: [row[name] for row in votes] for name in votes[0]}
    (length,) = jb.bradley_terry(table, covariates=("length",)).coefficients
    assert length.interval is not None
    assert (length.interval.low > 0) == told
    # The latents of two outputs scatter by √2 · √(0.05² + 0.12²) = 0.18, of a logistic scale of
    # 0.10: a tenth more for each doubling is about 1.
    assert length.interval.low < (1.0 if told else 0.0) < length.interval.high


@pytest.mark.parametrize(
    ("drift", "sign"), [(-0.5, -1), pytest.param(0.5, 1, marks=pytest.mark.full), (0.0, 0)]
)
def test_scores_drift_along_the_sitting(prepare: Prepare, drift: float, sign: int) -> None:
    ready = prepare("rate", items=30, design={"raters": 8, "seed": 1})
    simulate(ready, drift=drift)
    trend = result(analyzed(ready), "order/score/fit")
    if sign:
        assert np.sign(trend.estimate) == sign
        assert trend.p < 0.01
    else:
        assert trend.p > 0.01


def test_tired_raters_agree_less(prepare: Prepare) -> None:
    ready = prepare("slide", items=40, design={"overlap": 4, "raters": 16, "seed": 1})
    simulate(ready, tiring=8.0, noise_sd=0.05)
    trend = result(analyzed(ready), "order/distance/fit")
    # The distance to the others grows.
    assert trend.estimate > 0
    assert trend.p < 0.01


@plants("gold_below", "faster_than", "straight_line")
def test_the_rules_leave_out_the_careless(prepare: Prepare) -> None:
    kinds: list[Kind] = [*CAREFUL, *CAREFUL, "speeder", "straight_liner", "coin_flipper"]
    ready = prepare(
        "rate",
        items=28,
        gold=GOLD,
        design={"overlap": 4, "raters": len(kinds), "seed": 1},
        quality={"exclude": {"gold_below": 0.7, "faster_than": 2, "straight_line": 0.95}},
    )
    done = simulate(ready, raters=kinds, seconds=30.0)
    found = analyzed(ready)
    table = found.table("raters")
    assert table is not None
    names = [column.name for column in table.columns]
    out = {row[0]: row[names.index("flag")] for row in table.rows}
    careless = {str(rater) for rater, kind in done.raters if kind != "careful"}
    assert {rater for rater, rule in out.items() if rule} == careless
    rules = {kind: out[str(rater)] for rater, kind in done.raters}
    assert "faster_than" in rules["speeder"]
    assert "straight_line" in rules["straight_liner"]
    assert "gold_below" in rules["coin_flipper"]


KNOWN = "item,prompt,answer,fit,explanation\n" + "".join(
    f"k{k},Q,A,{k % 2 * 2},So it is.\n" for k in range(10)
)


@plants("agreement_below", "practice_failed", "attention_failed")
@pytest.mark.parametrize(
    ("rule", "limit", "kind"),
    [
        ("agreement_below", 0.3, None),
        ("practice_failed", True, "practice"),
        ("attention_failed", 5, "attention"),
    ],
)
def test_each_rule_leaves_out_those_who_answer_at_random(
    prepare: Prepare, rule: str, limit: Any, kind: str | None
) -> None:
    kinds: list[Kind] = [*CAREFUL, *CAREFUL, "coin_flipper", "coin_flipper"]
    ready = prepare(
        "rate",
        items=20,
        known={} if kind is None else {kind: KNOWN},
        design={"overlap": 4, "raters": len(kinds), "seed": 1},
        quality={"exclude": {rule: limit}},
    )
    done = simulate(ready, raters=kinds)
    found = analyzed(ready)
    random = {str(rater) for rater, kind in done.raters if kind == "coin_flipper"}
    # One of four values by chance is 2 or 3 of 10 known answers, and an agreement of about 0;
    # careful raters know 19 of 20.
    assert {each.rater for each in found.excluded} == random
    assert {each.rule for each in found.excluded} == {rule}


def test_coin_flippers_are_right_half_of_the_time(prepare: Prepare) -> None:
    kinds: list[Kind] = ["careful", "careful", "coin_flipper", "coin_flipper"]
    gold = "item,prompt,answer,fit\n" + "".join(f"g{k},Q,A,{k % 2 * 2}\n" for k in range(40))
    ready = prepare("rate", items=20, gold=gold, design={"raters": 4, "seed": 1})
    done = simulate(ready, raters=kinds)
    table = analyzed(ready).table("raters")
    assert table is not None
    place = [column.name for column in table.columns].index("gold")
    right = {row[0]: row[place] for row in table.rows}
    for rater, kind in done.raters:
        # One of four values by chance, on up to 40 gold trials.
        assert (right[str(rater)] > 0.8) == (kind == "careful")


def test_drop_outs_leave_slots_open_and_the_analysis_says_how_many(prepare: Prepare) -> None:
    kinds: list[Kind] = [*CAREFUL, "careful", "drop_out", "drop_out", "drop_out"]
    ready = prepare("rate", items=20, design={"raters": len(kinds), "seed": 1})
    simulate(ready, raters=kinds)
    progress = ready.store.progress()
    found = analyzed(ready)
    assert 0.6 < progress.answered / progress.planned < 1
    assert found.n_responses == progress.answered


def test_what_is_skipped_is_missing_by_system_and_bounded(prepare: Prepare) -> None:
    ready = prepare(
        "rate",
        items=30,
        design={"raters": 8, "seed": 1},
        analysis={"primary": {"mean": ["new", "tiny"]}},
    )
    simulate(ready, skips={"tiny": 0.45, "new": 0.05})
    found = analyzed(ready)
    gap = result(found, "skips/new/tiny")
    assert gap.estimate == pytest.approx(-0.4, abs=0.15)
    assert gap.p < 0.01
    bounds = [finding for finding in found.findings if finding.id.startswith("bounds/")]
    assert bounds


@plants("rater_quality")
def test_lenient_raters_are_found_out(prepare: Prepare) -> None:
    ready = prepare("slide", items=30, design={"overlap": 5, "raters": 10, "seed": 1})
    simulate(ready, rater_sd=0.15)
    table = ready.store.table("ratings")
    found = {row.rater: row.estimate for row in jb.rater_quality(table).rows}
    planted = {rater: 15 * draw_effect(3, "rater", "fit", rater) for rater in found}
    each = list(found)
    r = np.corrcoef([found[rater] or 0 for rater in each], [planted[rater] for rater in each])
    assert r[0, 1] > 0.9


@plants("compare_systems")
def test_tastes_widen_the_interval_of_a_difference(prepare: Prepare) -> None:
    errors = []
    for taste in (0.0, 0.3):
        ready = prepare("slide", items=30, design={"overlap": 4, "raters": 10, "seed": 1})
        simulate(ready, taste_sd=taste, rater_sd=0.0)
        gap = jb.compare_systems(ready.store.table("ratings"))["new − tiny"]
        errors.append(gap.se)
    # Ten raters with a taste of 30 points for each system: 30 √(2/10) = 13 points.
    assert errors[1] > 2 * errors[0]
    assert errors[1] > 5


def test_groups_of_raters_see_systems_differently(prepare: Prepare) -> None:
    ready = prepare(
        "slide",
        items=20,
        design={"overlap": 3, "seed": 1},
        survey={"who": {"question": "Who?", "choices": ["experts", "crowd"]}},
        raters={"by": "who", "each": True},
    )
    simulate(ready, groups={"experts": {"old": -0.3}})
    gaps: Any = defaultdict(lambda: defaultdict(list))
    for row in rows(ready, "ratings"):
        rater = ready.store.rater(row["rater"])
        assert rater is not None
        gaps[rater.group][row["system"]].append(row["score"])
    experts, crowd = (
        mean(gaps[name]["new"]) - mean(gaps[name]["old"]) for name in ("experts", "crowd")
    )
    assert experts - crowd == pytest.approx(30, abs=12)


def test_a_negative_spread_is_refused() -> None:
    from jurybox.simulate.truth import Truth

    with pytest.raises(InputError, match="tiring must not be negative"):
        Truth(quality={}, tiring=-1)


# Judges.


def judge(ready: Ready, *judges: SimulatedJudge, repeats: int = 1, **truth: Any) -> int:
    settings = {"bad_below": -1, **truth}
    return run_judges(
        ready.study, ready.material, ready.plan, ready.store, ready.truth(**settings), judges,
        seed=5, now=NOW, repeats=repeats,
    )  # fmt: skip


def judged(ready: Ready, id: str = "j") -> list[dict[str, Any]]:
    return [
        row
        for row in rows(ready, "votes")
        if row["rater"] == id and row["criterion"] == "preference"
    ]


def first_wins(votes: list[dict[str, Any]]) -> float:
    return mean(0.5 if v["winner"] == "tie" else v["winner"] == v["first"] for v in votes)


def test_a_judge_answers_every_trial_in_both_orders_and_again(prepare: Prepare) -> None:
    ready = prepare("compare", items=6)
    sent = judge(ready, SimulatedJudge(id="j"), repeats=3)
    # 6 items × 3 pairs × 2 orders × 3 repeats.
    assert sent == len(judged(ready)) == 108
    seen = {(row["trial"], row["first"], row["repeat"]) for row in judged(ready)}
    assert len(seen) == 108
    assert {row["rater_kind"] for row in judged(ready)} == {"judge"}
    assert ready.store.progress().answered == 0
    again = prepare("compare", items=6)
    judge(again, SimulatedJudge(id="j"), repeats=3)
    assert judged(again) == judged(ready)


def test_people_are_analyzed_without_the_judge(prepare: Prepare) -> None:
    ready = prepare("compare", items=8)
    simulate(ready)
    before = analyzed(ready).headline
    judge(ready, SimulatedJudge(id="j", position_bias=1.0))
    after = analyzed(ready).headline
    assert before is not None
    assert after is not None
    assert before.result == after.result


def test_the_position_bias_of_a_judge(prepare: Prepare) -> None:
    ready = prepare("compare", items=20)
    judge(
        ready,
        SimulatedJudge(id="biased", position_bias=0.3),
        SimulatedJudge(id="fair"),
        repeats=2,
    )
    assert first_wins(judged(ready, "biased")) > 0.7
    assert first_wins(judged(ready, "fair")) == pytest.approx(0.5, abs=0.02)
    # Flips between orders beyond those between repeats of one order.
    flips = {}
    for id in ("biased", "fair"):
        winners = {(v["trial"], v["first"], v["repeat"]): v["winner"] for v in judged(ready, id)}
        orders = mean(winners[t, "a", 0] != winners[t, "b", 0] for t, f, r in winners)
        again = mean(winners[t, f, 0] != winners[t, f, 1] for t, f, r in winners)
        flips[id] = orders - again
    assert flips["biased"] > 0.3
    assert abs(flips["fair"]) < 0.15


def test_the_verbosity_bias_of_a_judge(prepare: Prepare) -> None:
    ready = prepare("compare", items=24, text=long_and_short)
    judge(ready, SimulatedJudge(id="wordy", verbosity=0.3), SimulatedJudge(id="terse"))
    lengths = relative_lengths(ready.material)
    longer = {}
    for id in ("wordy", "terse"):
        won = []
        for vote in judged(ready, id):
            a, b = (lengths[vote["item"], vote[f"system_{side}"]] for side in "ab")
            if {vote["system_a"], vote["system_b"]} == {"new", "old"} and vote["winner"] != "tie":
                won.append((vote["winner"] == "a") == (a > b))
        longer[id] = mean(won)
    assert longer["wordy"] > 0.8
    assert 0.3 < longer["terse"] < 0.7


def test_a_judge_prefers_its_own_family(prepare: Prepare) -> None:
    ready = prepare("compare", items=20, systems={"new": {"family": "x"}, "old": {}, "tiny": {}})
    judge(
        ready,
        SimulatedJudge(id="kin", family="x", self_preference=0.3, taste_sd=0),
        SimulatedJudge(id="stranger", family="y", self_preference=0.3, taste_sd=0),
    )
    rates = {}
    for id in ("kin", "stranger"):
        won = []
        for vote in judged(ready, id):
            if {vote["system_a"], vote["system_b"]} == {"new", "old"}:
                sides = {"a": vote["system_a"], "b": vote["system_b"], "tie": None}
                won.append({"new": 1.0, "old": 0.0, None: 0.5}[sides[vote["winner"]]])
        rates[id] = mean(won)
    # The two are equally good.
    assert rates["kin"] > 0.85
    assert 0.25 < rates["stranger"] < 0.75


def test_a_judge_s_rows_are_those_that_an_import_would_store(
    prepare: Prepare, tmp_path: Path
) -> None:
    ready, other = prepare("graded", items=5), prepare("graded", items=5)
    judge(ready, SimulatedJudge(id="j", position_bias=0.1), repeats=2)
    made = rows(ready, "votes")
    kept = ("item", "system_a", "system_b", "rater", "criterion", "winner", "strength", "first",
            "repeat", "trial")  # fmt: skip
    with (tmp_path / "votes.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, kept, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(made)
    other.store.close()
    folder = other.study.directory
    assert folder is not None
    assert jurybox(["import", str(folder), str(tmp_path / "votes.csv"), "--judge"]) == 0
    with Store.open(folder / "study.db") as store:
        table = store.table("votes")
    found = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    shown = (*kept, "rater_kind", "status")
    assert sorted(str([row[name] for name in shown]) for row in found) == sorted(
        str([row[name] for name in shown]) for row in made
    )


def test_what_judges_cannot_do(prepare: Prepare, tmp_path: Path) -> None:
    ready = prepare("compare", items=3)
    with pytest.raises(InputError, match="at least once"):
        judge(ready, SimulatedJudge(id="j"), repeats=0)
    with pytest.raises(InputError, match="noise_sd must not be negative"):
        SimulatedJudge(id="j", noise_sd=-1)
    with pytest.raises(InputError, match="judge j: found must lie from 0 to 1; got 2"):
        SimulatedJudge(id="j", found=2)
    with Store.open(tmp_path / "empty.db") as empty, pytest.raises(StoreError, match="no study"):
        run_judges(
            ready.study, ready.material, ready.plan, empty, ready.truth(), [], seed=1, now=NOW
        )


def test_outputs_without_text_have_no_length(prepare: Prepare) -> None:
    ready = prepare("rate", items=4, text=long_and_short)
    lengths = relative_lengths(ready.material)
    assert len(lengths) == 12
    assert sum(lengths.values()) == pytest.approx(0, abs=1e-9)
    # 2, 4, 8 and 16 words are one doubling apart.
    assert stdev(lengths.values()) == pytest.approx(1.17, abs=0.02)
