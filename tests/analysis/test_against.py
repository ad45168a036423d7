"""Two rounds compared: what moved, paired by the items and raters that both have."""

from __future__ import annotations

import random
from typing import Any

import pytest
from scipy import stats

import jurybox as jb
from jurybox.analysis import Analysis
from jurybox.analysis.against import add_against
from jurybox.stats.rounds import Moved

Columns = dict[str, list[Any]]


def ratings(
    seed: int,
    *,
    level: float = 3.0,
    items: range = range(20),
    raters: range = range(10),
    systems: tuple[str, ...] = ("a", "b"),
) -> Columns:
    draw = random.Random(seed)
    rows = [
        (
            f"i{i}",
            system,
            f"r{r}",
            round(draw.gauss(level + random.Random(i).gauss(0, 1), 0.8), 1),
        )
        for i in items
        for system in systems
        for r in raters
    ]
    names = ("item", "system", "rater", "score")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def votes(seed: int, chance: float, pairs: tuple[tuple[str, str], ...] = (("a", "b"),)) -> Columns:
    draw = random.Random(seed)
    rows = [
        (f"i{i}", one, two, f"r{r}", "a" if draw.random() < chance else "b")
        for i in range(20)
        for r in range(10)
        for one, two in pairs
    ]
    names = ("item", "system_a", "system_b", "rater", "winner")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def compared(old: Columns, new: Columns) -> Analysis:
    return add_against(jb.analyze(new), old, new, name="May")


def row(found: Analysis, what: str, *systems: str) -> Moved:
    (made,) = [
        f.result
        for f in found.findings
        if isinstance(f.result, Moved) and f.result.what == what and f.systems == systems
    ]
    return made


def test_one_rater_on_the_same_items_is_a_paired_t_test() -> None:
    old = ratings(1, raters=range(1), systems=("a",))
    new = ratings(2, raters=range(1), systems=("a",), level=3.5)
    found = row(compared(old, new), "mean score", "a")
    peer = stats.ttest_rel(new["score"], old["score"])  # typos: ignore
    low, high = peer.confidence_interval(0.95)
    assert found.p == pytest.approx(peer.pvalue)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert "this rater only" in found.interval.generalizes_to


def test_what_the_rounds_share_is_counted_and_said() -> None:
    old, new = ratings(1, raters=range(8)), ratings(2, items=range(5, 30), raters=range(20, 30))
    found = compared(old, new)
    caption = (
        "15 items are in both rounds, of 20 then and 25 now (paired); "
        "no rater of 8 then and 10 now is in both rounds (independent)."
    )
    assert any(caption in sentence for sentence in found.took)
    (table,) = [t for t in found.tables if t.id == "against/numbers"]
    assert caption in table.caption


def test_shared_items_narrow_the_interval() -> None:
    same = row(compared(ratings(1), ratings(2)), "mean score", "a").interval
    other = row(compared(ratings(1), ratings(2, items=range(50, 70))), "mean score", "a").interval
    assert same is not None
    assert other is not None
    assert same.high - same.low < other.high - other.low


def test_what_moved_is_told_and_what_did_not_is_not() -> None:
    new = ratings(2)
    new["score"] = [
        score + (1 if system == "a" else 0)
        for score, system in zip(new["score"], new["system"], strict=True)
    ]
    found = compared(ratings(1), new)
    told = {f.systems: f for f in found.findings if f.id.startswith("against/mean score")}
    assert told["a",].told
    assert "Mean score of a on overall rose by" in told["a",].sentence
    assert not told["b",].told
    assert "is not shown to have moved" in told["b",].sentence
    # The answer stays that of the new round.
    assert found.headline == jb.analyze(new).headline


def test_win_rates_of_pairs_strengths_and_agreement_are_compared() -> None:
    pairs = (("a", "b"), ("b", "c"), ("a", "c"))
    found = compared(votes(1, 0.5, pairs), votes(2, 0.8, pairs))
    moved = row(found, "win rate", "a", "b")
    rates = [
        next(p for p in jb.win_rates(table).pairs if {p.system, p.other} == {"a", "b"})
        for table in (votes(1, 0.5, pairs), votes(2, 0.8, pairs))
    ]
    as_a = [p.estimate if p.system == "a" else 1 - (p.estimate or 0) for p in rates]
    assert (moved.old, moved.new) == pytest.approx(tuple(as_a))
    strong = row(found, "strength", "a")
    fits = [jb.bradley_terry(votes(1, 0.5, pairs)), jb.bradley_terry(votes(2, 0.8, pairs))]
    assert strong.estimate == pytest.approx(fits[1]["a"].estimate - fits[0]["a"].estimate)
    alpha = row(found, "agreement (alpha)")
    assert alpha.interval is not None
    assert "independent" in alpha.interval.method


def test_a_system_that_stopped_losing_has_an_interval() -> None:
    found = row(compared(votes(1, 0.5), votes(2, 1.0)), "win rate", "a", "b")
    assert found.new == 1
    assert found.interval is not None
    assert 0 < found.interval.low < (found.estimate or 0) <= found.interval.high
    assert found.p is not None


def test_fooling_rates_are_compared() -> None:
    def detections(often: int) -> Columns:
        rows = [(i, r) for i in range(30) for r in range(10)]
        return {
            "item": [f"i{i}" for i, _ in rows],
            "system": ["camera" if i % 2 else "gan" for i, _ in rows],
            "rater": [f"r{r}" for _, r in rows],
            "truth": ["real" if i % 2 else "generated" for i, _ in rows],
            "answer": ["real" if (i * i + 3 * r) % 7 < often else "generated" for i, r in rows],
        }

    found = row(compared(detections(2), detections(5)), "fooling rate", "gan")
    rates = [jb.turing_test(detections(often))["gan"].estimate for often in (2, 5)]
    assert (found.old, found.new) == pytest.approx(tuple(rates))


def test_rounds_of_different_systems_or_shapes_say_so() -> None:
    found = compared(ratings(1, systems=("a", "old")), ratings(2, systems=("a", "new")))
    assert "system new: only here, so there is nothing to compare" in found.warnings
    assert "system old: only in May, so there is nothing to compare" in found.warnings
    nothing = compared(votes(1, 0.5), ratings(2))
    assert "May has no ratings, so nothing of them is compared" in nothing.warnings
    assert not [t for t in nothing.tables if t.id.startswith("against")]
    (said,) = [f.sentence for f in nothing.findings if f.standing == "against"]
    assert said == (
        "Nothing can be compared with May: May has no ratings, so nothing of them is compared."
    )


def test_scores_that_look_like_another_scale_are_not_subtracted() -> None:
    old, new = ratings(1), ratings(2)
    new["score"] = [20 * value for value in new["score"]]
    (said,) = [f for f in compared(old, new).findings if f.standing == "against"]
    assert said.result.estimate is None
    assert "which look like two scales (--scale says if it is one)" in said.sentence
    # One that nobody could tell apart is compared.
    new["score"] = [value / 10 for value in new["score"]]
    assert row(compared(old, new), "mean score", "a").estimate is not None


def test_answers_that_do_not_vary_have_no_interval_and_a_reason() -> None:
    flat = ratings(1)
    flat["score"] = [3.0] * len(flat["score"])
    found = row(compared(flat, flat), "mean score", "a")
    assert found.interval is None
    assert found.undefined == "neither raters nor items vary"


def test_a_table_says_why_identical_rounds_have_no_interval() -> None:
    same = ratings(1)
    found = compared(same, same)
    (table,) = [t for t in found.tables if t.id == "against/numbers"]
    means = sum(cells[1] == "mean score" for cells in table.rows)
    assert means == 2
    reason = "No interval of mean score of a, mean score of b: neither raters nor items vary."
    assert table.caption.endswith(reason)


def test_tables_without_items_and_raters_are_independent() -> None:
    old, new = votes(1, 0.5), votes(2, 0.8)
    for table in (old, new):
        del table["item"], table["rater"]
    found = compared(old, new)
    assert any("neither items nor raters: taken as independent" in said for said in found.took)
    assert row(found, "win rate", "a", "b").interval is not None


def test_judges_alone_are_called_judges_and_names_stay() -> None:
    def judged(*rounds: Columns) -> list[Columns]:
        return [{**one, "rater_kind": ["judge"] * len(one["rater"])} for one in rounds]

    old, new = judged(ratings(1), ratings(2))
    found = add_against(jb.analyze(new), old, new, name="March")
    moved = [table for table in found.tables if table.id.startswith("against")]
    told = [table.caption for table in moved] + [each.sentence for each in found.findings]
    told += [heading.heading for table in found.tables for heading in table.columns]
    assert "the same 10 judges are in both rounds" in " ".join(told)
    assert not [words for words in told if "rater" in words.lower()]
    mixed = add_against(jb.analyze(ratings(2)), old, ratings(2), name="March")
    (refused,) = [f for f in mixed.findings if f.standing == "against"]
    assert refused.sentence == (
        "Nothing can be compared with March: judges alone answered there, and people here, so a "
        "difference would be theirs."
    )
    named = judged(ratings(1, systems=("a", "rater")))[0]
    assert "rater" in " ".join(each.sentence for each in jb.analyze(named).findings)


@pytest.mark.parametrize("systems", [("c",), ("a", "c")])
def test_agreement_on_other_systems_is_not_compared(systems: tuple[str, ...]) -> None:
    found = compared(ratings(1, systems=("a", "b")), ratings(2, systems=systems))
    assert not any("alpha" in getattr(f.result, "what", "") for f in found.findings)
    why = "overall: the rounds have different systems, so agreement over all outputs would not "
    assert any(why in warning for warning in found.warnings)


def spans(seed: int, often: float, raters: range = range(6)) -> Columns:
    draw = random.Random(seed)
    rows: list[tuple[Any, ...]] = []
    for i in range(15):
        for system in ("a", "b"):
            for r in raters:
                marked = [draw.randrange(40) for _ in range(4) if draw.random() < often]
                said: list[tuple[Any, ...]] = [
                    (start, start + 4, "fluency", "major") for start in marked
                ]
                rows += [(f"i{i}", system, f"r{r}", *one) for one in said or [(None,) * 4]]
    names = ("item", "system", "rater", "start", "end", "category", "severity")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def test_error_points_of_two_rounds_are_compared() -> None:
    old, new = spans(1, 0.6), spans(2, 0.2)
    found = compared(old, new)
    moved = row(found, "error points per output", "a")
    means = [next(r for r in jb.span_scores(each).rows if r.system == "a") for each in (old, new)]
    assert (moved.old, moved.new) == pytest.approx((means[0].estimate, means[1].estimate))
    assert moved.interval is not None
    told = {f.systems: f.sentence for f in found.findings if f.standing == "against"}
    assert "Error points per output of a on errors fell by" in told["a",]
    same = row(found, "agreement (mean F1)")
    assert same.interval is not None
    # Results come first, whatever their unit; agreement has a table of its own.
    points, agreed = [t for t in found.tables if t.id.startswith("against/")]
    assert points.title == "What moved since May: error points"
    assert agreed.title == "What moved since May: agreement"
    assert "both rounds" in points.caption


def test_a_share_of_yes_is_compared_as_a_share() -> None:
    old, new = ratings(1), ratings(2)
    for each, at_most in ((old, 3), (new, 0)):
        each["score"] = [float(score > at_most) for score in each["score"]]
    found = compared(old, new)
    moved = row(found, "share of yes", "a")
    assert moved.name == "share of yes of a"
    assert moved.new is not None
    assert moved.interval is not None
    assert moved.interval.high <= 1 - (moved.old or 0) + 1e-12 or moved.new < 1
    (said,) = [f.sentence for f in found.findings if f.result is moved]
    assert "points" in said
    assert not any("mean score" in f.sentence for f in found.findings if f.standing == "against")


def test_few_raters_have_the_interval_of_these_raters_too_and_its_claim() -> None:
    three = [ratings(seed, raters=range(3)) for seed in (1, 2)]
    (table,) = [t for t in compared(*three).tables if t.id == "against/numbers"]
    assert "these_raters" in table.names
    one = [ratings(seed, raters=range(1)) for seed in (1, 2)]
    (table,) = [t for t in compared(*one).tables if t.id == "against/numbers"]
    assert "The interval is of the difference, clustered by item, over both rounds." in (
        table.caption
    )
    assert "Intervals hold for items like these, judged by this rater only." in table.caption


def test_what_the_rounds_share_is_said_once_and_a_table_says_how_its_own_intervals_are_made() -> (
    None
):
    pairs = (("a", "b"), ("b", "c"), ("a", "c"))
    found = compared(votes(1, 0.5, pairs), votes(2, 0.8, pairs))
    shares, numbers, agreed = (t for t in found.tables if t.id.startswith("against"))
    assert shares.title == "What moved since May: shares"
    assert numbers.title == "What moved since May: strengths"
    assert agreed.title == "What moved since May: agreement"
    assert "are in both rounds" in shares.caption
    assert "in both rounds" not in numbers.caption
    assert "clustered" not in numbers.caption
    assert "The interval is put together from the intervals of the two rounds" in numbers.caption
    assert "clustered by rater and item, over both rounds" in shares.caption


def test_a_difference_of_rankings_is_a_sentence() -> None:
    def ranked(first: str, second: str) -> Columns:
        order = (first, second)
        rows = [
            (f"i{i}", f"r{r}", order[k] if (i + 2 * r) % 5 else order[1 - k], k + 1)
            for i in range(12)
            for r in range(6)
            for k in range(2)
        ]
        names = ("item", "rater", "system", "rank")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    found = compared(ranked("a", "b"), ranked("b", "a"))
    (said,) = [f.sentence for f in found.findings if f.standing == "against"]
    assert "How often a is ranked above b on preference fell by" in said
