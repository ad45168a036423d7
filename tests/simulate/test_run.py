"""Simulated raters go through the plan, the answers and the store like everybody else."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime
from statistics import mean, median
from typing import Any

import pytest

from jurybox.errors import StoreError
from jurybox.simulate.run import run
from jurybox.simulate.truth import Kind, expected_real_rate, expected_score, expected_win_rate
from jurybox.store import Store
from jurybox.study.model import RaterId, SystemId
from tests.simulate.conftest import CRITERIA, NOW, Prepare, Ready

NEW, OLD, TINY = map(SystemId, ("new", "old", "tiny"))
SHAPE: dict[str, Any] = {
    "rate": "ratings", "slide": "ratings", "compare": "votes", "graded": "votes",
    "rank": "rankings", "best": "rankings", "detect": "detections", "mark": "spans",
}  # fmt: skip


def simulate(ready: Ready, *, seed: int = 3, raters: list[Kind] | None = None, **truth: Any) -> Any:
    return run(
        ready.study,
        ready.material,
        ready.plan,
        ready.store,
        ready.truth(**truth),
        seed=seed,
        now=NOW,
        raters=raters,
    )


def rows(ready: Ready, shape: Any) -> list[dict[str, Any]]:
    table = ready.store.table(shape)
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


@pytest.mark.parametrize("form", CRITERIA)
def test_every_protocol_is_answered_exactly_k_times(prepare: Prepare, form: str) -> None:
    ready = prepare(form)
    simulate(ready)
    progress = ready.store.progress()
    assert progress.answered == progress.planned == len(ready.plan.slots)
    assert {trial.answered for trial in progress.trials} == {ready.plan.overlap}
    assert rows(ready, SHAPE[form])


def test_on_both_databases(prepare: Prepare, database_url: str) -> None:
    ready = prepare("rate", database=database_url)
    simulate(ready)
    assert ready.store.progress().answered == len(ready.plan.slots)


def test_the_same_seed_gives_the_same_responses(prepare: Prepare) -> None:
    tables = []
    for seed in (3, 3, 4):
        ready = prepare("compare")
        simulate(ready, seed=seed)
        tables.append(ready.store.table("votes"))
    assert tables[0] == tables[1]
    assert tables[0]["winner"] != tables[2]["winner"]


def test_mean_scores_are_near_the_planted_ones(prepare: Prepare) -> None:
    ready = prepare("rate", items=25, design={"overlap": 4, "raters": 12, "seed": 1})
    simulate(ready)
    truth, scale = ready.truth(), ready.study.criteria["fit"].scale
    assert scale is not None
    scores = defaultdict(list)
    for row in rows(ready, "ratings"):
        scores[row["system"]].append(row["score"])
    for system in (NEW, OLD, TINY):
        # 100 responses, sd about 0.5, and twelve raters' and twenty-five items' own effects.
        assert mean(scores[system]) == pytest.approx(
            expected_score(truth, scale, "fit", system), abs=0.25
        )
    assert mean(scores["new"]) > mean(scores["tiny"]) + 0.3


def test_win_rates_are_near_the_planted_ones(prepare: Prepare) -> None:
    ready = prepare("compare", items=30, design={"overlap": 3, "raters": 12, "seed": 1})
    simulate(ready, bad_below=-1)
    value = {"a": 1.0, "b": 0.0, "tie": 0.5}
    votes = [
        value[row["winner"]] if row["system_a"] == "new" else 1 - value[row["winner"]]
        for row in rows(ready, "votes")
        if {row["system_a"], row["system_b"]} == {"new", "tiny"}
    ]
    expected = expected_win_rate(ready.truth(), "preference", NEW, TINY)
    assert mean(votes) == pytest.approx(expected, abs=0.1)


def test_what_looks_real_is_taken_for_real(prepare: Prepare) -> None:
    ready = prepare("detect", items=40, design={"overlap": 4, "seed": 1})
    simulate(ready)
    real = defaultdict(list)
    for row in rows(ready, "detections"):
        real[row["system"]].append(row["answer"] == "real")
        assert row["truth"] == ("real" if row["system"] == "old" else "generated")
    expected = expected_real_rate(ready.truth(), "origin", OLD)
    assert mean(real["old"]) == pytest.approx(expected, abs=0.15)
    assert mean(real["tiny"]) < 0.5 < mean(real["old"])


def test_a_planted_position_bias_shows(prepare: Prepare) -> None:
    ready = prepare("compare", items=15)
    simulate(ready, position_bias=0.5, bad_below=-1)
    won = Counter(row["first"] == row["winner"] for row in rows(ready, "votes"))
    assert won[True] > 5 * won[False]


def test_better_outputs_have_fewer_errors_and_better_ranks(prepare: Prepare) -> None:
    ready = prepare("mark", items=15)
    simulate(ready)
    errors = Counter(row["system"] for row in rows(ready, "spans") if row["start"] is not None)
    assert errors["tiny"] > 1.5 * errors["new"]
    ready = prepare("rank", items=15)
    simulate(ready)
    ranks = defaultdict(list)
    for row in rows(ready, "rankings"):
        ranks[row["system"]].append(row["rank"])
    assert mean(ranks["new"]) < mean(ranks["tiny"])


GOLD = "item,prompt,answer,fit\n" + "".join(f"g{k},Q,A,{k % 2 * 2}\n" for k in range(8))


def test_each_kind_of_rater_behaves_like_it(prepare: Prepare) -> None:
    kinds: list[Kind] = [
        "careful", "drop_out", "speeder", "straight_liner", "coin_flipper", "careful", "careful",
    ]  # fmt: skip
    ready = prepare(
        "rate", items=28, gold=GOLD, design={"overlap": 3, "raters": len(kinds), "seed": 1}
    )
    done = simulate(ready, raters=kinds, seconds=10.0)
    who: dict[str, list[RaterId]] = defaultdict(list)
    for rater, kind in done.raters:
        who[kind].append(rater)
    of = defaultdict(list)
    for row in rows(ready, "ratings"):
        of[row["rater"]].append(row)
    times = {rater: median(row["ms"] for row in answered) for rater, answered in of.items()}
    [speeder], [liner], [flipper] = who["speeder"], who["straight_liner"], who["coin_flipper"]
    assert times[speeder] < 2500 < min(times[r] for r in of if r != speeder)
    assert len({row["score"] for row in of[liner]}) == 1
    assert len({row["score"] for row in of[flipper]}) == 4
    right = defaultdict(list)
    table = ready.store.table("checks")
    for rater, correct in zip(table["rater"], table["correct"], strict=True):
        right[rater].append(correct)
    assert min(mean(right[rater]) for rater in who["careful"]) >= 0.75
    assert max(mean(right[rater]) for rater in (speeder, liner, flipper)) <= 0.65
    [left] = who["drop_out"]
    assert len(of[left]) < len(of[who["careful"][0]])
    stopped = ready.store.rater(left)
    assert stopped is not None
    assert stopped.stopped_at is not None
    # What the drop-out left is answered by others: the overlap stays exact.
    assert {trial.answered for trial in ready.store.progress().trials} == {3}


KNOWN_ROWS = {
    "compare": "item,prompt,answer_a,answer_b,preference,correctness_a\n"
    "g1,Q,good,bad,a,5\ng2,Q,bad,good,b,1\n",
    "graded": "item,prompt,answer_a,answer_b,preference\ng1,Q,good,bad,-3|-2\ng2,Q,x,x,0\n",
    "rank": "item,prompt,answer_1,answer_2,answer_3,order\ng1,Q,x,y,z,2>1=3\n",
    "best": "item,prompt,answer_1,answer_2,answer_3,pick\ng1,Q,x,y,z,2\n",
    "mark": "item,prompt,answer,errors,overall\ng1,Q,some text,0-4 accuracy major,10\n"
    "g2,Q,fine,none,\n",
}


@pytest.mark.parametrize("form", KNOWN_ROWS)
def test_a_rater_who_knows_is_always_right(prepare: Prepare, form: str) -> None:
    ready = prepare(form, gold=KNOWN_ROWS[form])
    simulate(ready, known_right=1.0)
    table = ready.store.table("checks")
    assert table["correct"]
    assert all(table["correct"])


def test_the_clock_moves_and_nobody_waits(prepare: Prepare) -> None:
    ready = prepare("rate")
    done = simulate(ready, seconds=60.0)
    at = sorted(row["at"] for row in rows(ready, "ratings"))
    assert at[0] >= NOW
    assert at[-1] == done.ended_at
    assert (at[-1] - at[0]).total_seconds() > 600


def test_progress_counts_up_to_the_plan(prepare: Prepare) -> None:
    ready = prepare("rate")
    told: list[tuple[int, int]] = []
    run(
        ready.study,
        ready.material,
        ready.plan,
        ready.store,
        ready.truth(),
        seed=1,
        now=NOW,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[-1] == (len(ready.plan.slots), len(ready.plan.slots))
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_without_a_plan_in_the_store_it_says_so(prepare: Prepare, tmp_path: Any) -> None:
    ready = prepare("rate")
    with (
        Store.open(tmp_path / "other.db") as empty,
        pytest.raises(StoreError, match="holds no plan"),
    ):
        run(
            ready.study,
            ready.material,
            ready.plan,
            empty,
            ready.truth(),
            seed=1,
            now=datetime(2026, 1, 1, tzinfo=UTC),
        )
