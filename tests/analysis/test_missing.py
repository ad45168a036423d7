"""Skipped and unusable: counted by system, tested, and bounded for the headline's contrast."""

from __future__ import annotations

import random
from typing import Any

import pytest

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.asked import Asked, AskedCriterion, AskedDerived, Contrast
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Finding
from jurybox.analysis.missing import missing_chapter
from jurybox.analysis.options import Options
from jurybox.analysis.ratings import rating_chapter
from jurybox.stats.bounds import Bounds
from jurybox.stats.shares import ShareDifference
from jurybox.tally.derived import add_derived
from jurybox.tally.missing import note_unanswered
from jurybox.tally.reading import read

NAMES = ("item", "system", "rater", "score", "status", "reason")


def finding(found: Analysis, start: str) -> Finding:
    (one,) = [f for f in found.findings if f.id.startswith(start)]
    return one


def table(rows: list[tuple[Any, ...]], names: tuple[str, ...] = NAMES) -> dict[str, list[Any]]:
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def skipping(share: dict[str, float], seed: int = 1) -> dict[str, list[Any]]:
    draw = random.Random(seed)
    rows = []
    for i in range(30):
        for s in ("new", "old"):
            for r in range(8):
                score = min(5, max(1, round(draw.gauss(3.5 if s == "new" else 3, 1))))
                gone = draw.random() < share[s]
                rows.append(
                    (f"i{i}", s, f"r{r}", None, "skipped", "too dark")
                    if gone
                    else (f"i{i}", s, f"r{r}", score, "answered", None)
                )
    return table(rows)


def test_bounds_by_hand() -> None:
    # Item a: new 4, old 2; item b: new skipped by s and 4 by r, old 2 and 2. As seen 2 on both.
    # Filled with 2 (the lowest given) b is 3 − 2 = 1, with 4 it is 2: between 1.5 and 2.
    rows = [
        ("a", "new", "r", 4, "answered", None),
        ("a", "old", "r", 2, "answered", None),
        ("a", "new", "s", 4, "answered", None),
        ("a", "old", "s", 2, "answered", None),
        ("b", "new", "r", 4, "answered", None),
        ("b", "old", "r", 2, "answered", None),
        ("b", "new", "s", None, "unusable", "broken"),
        ("b", "old", "s", 2, "answered", None),
    ]
    found = analyze(table(rows))
    result = finding(found, "bounds/").result
    assert isinstance(result, Bounds)
    assert (result.worst, result.estimate, result.best) == (1.5, 2.0, 2.0)
    assert result.n_filled == 1
    skips = found.table("skips")
    assert skips is not None
    assert [(row[0], row[1], row[2], row[5]) for row in skips.rows] == [
        ("new", 4, 1, "broken (1)"),
        ("old", 4, 0, ""),
    ]


def test_a_system_that_is_skipped_more_often_is_described() -> None:
    found = analyze(skipping({"new": 0.3, "old": 0.05}))
    gap = finding(found, "skips/")
    assert gap.standing == "exploratory"
    assert isinstance(gap.result, ShareDifference)
    assert gap.result.estimate == pytest.approx(0.25, abs=0.08)
    assert gap.result.interval is not None
    assert gap.result.interval.low > 0
    assert gap.sentence.startswith("new was skipped or unusable in ")
    bounds = finding(found, "bounds/difference/")
    assert isinstance(bounds.result, Bounds)
    assert bounds.result.worst is not None
    assert bounds.result.best is not None
    assert bounds.result.estimate is not None
    assert bounds.result.worst < bounds.result.estimate < bounds.result.best
    assert bounds.sentence.startswith("Whatever the ")
    assert bounds.standing == "quality"


def test_equal_skipping_is_not_told_apart() -> None:
    result = finding(analyze(skipping({"new": 0.1, "old": 0.1})), "skips/").result
    assert result.interval is not None
    assert result.interval.low < 0 < result.interval.high


def test_several_systems_are_one_family_of_looks() -> None:
    draw = random.Random(2)
    rows = [
        (f"i{i}", s, f"r{r}", None, "skipped", None)
        if draw.random() < rate
        else (f"i{i}", s, f"r{r}", draw.randint(1, 5), "answered", None)
        for i in range(20)
        for s, rate in (("a", 0.05), ("b", 0.1), ("c", 0.4))
        for r in range(6)
    ]
    found = analyze(table(rows))
    result = finding(found, "skips/").result
    assert isinstance(result, ShareDifference)
    assert result.adjusted_by == "Benjamini–Hochberg over 3 pairs of systems"
    # c was skipped far more often than either; a and b hardly differ.
    pairs, skips = found.table("skips/pairs"), found.table("skips")
    assert pairs is not None
    assert skips is not None
    assert [row[:2] for row in pairs.rows] == [("c", "a"), ("c", "b")]
    assert all(low > 0 and p < 0.05 for *_, (low, _), p in pairs.rows)
    assert skips.caption == (
        "A skip is never counted as a number. Of 3 pairs of systems 2 differ in how often they "
        "were skipped (Benjamini–Hochberg over 3 pairs of systems); 1 is not told apart."
    )


def test_where_no_pair_is_told_apart_that_is_said_and_none_is_listed() -> None:
    rows = [
        (f"i{i}", s, f"r{r}", None, "skipped", None)
        if (i + r + k) % 7 == 0
        else (f"i{i}", s, f"r{r}", 1 + (i * r + k) % 5, "answered", None)
        for i in range(20)
        for k, s in enumerate("abc")
        for r in range(6)
    ]
    found = analyze(table(rows))
    assert found.table("skips/pairs") is None
    skips = found.table("skips")
    assert skips is not None
    assert skips.caption.endswith(
        "It is not shown of any of 3 pairs of systems that one was skipped more often "
        "(Benjamini–Hochberg over 3 pairs of systems)."
    )


def test_votes_are_bounded_by_wins_and_losses() -> None:
    rows = [
        (f"i{i}", "new", "old", f"r{r}", None if (i, r) == (0, 0) else "ab"[(i + r) % 3 == 0])
        for i in range(5)
        for r in range(2)
    ]
    data = table(rows, ("item", "system_a", "system_b", "rater", "winner"))
    data["status"] = ["answered" if w else "skipped" for w in data["winner"]]
    found = analyze(data)
    result = finding(found, "bounds/win_rate/").result
    assert isinstance(result, Bounds)
    wins = sum(w == "a" for w in data["winner"])
    assert (result.worst, result.estimate, result.best) == pytest.approx(
        (wins / 10, wins / 9, (wins + 1) / 10)
    )
    # A skip of a pair is one of both its systems, so there is no difference to test.
    assert not [f for f in found.findings if f.id.startswith("skips/")]


def test_nothing_skipped_says_nothing() -> None:
    found = analyze(skipping({"new": 0.0, "old": 0.0}))
    assert found.table("skips") is None
    assert not [f for f in found.findings if f.id.startswith(("skips/", "bounds/"))]


def test_skips_of_the_excluded_the_withdrawn_and_other_rounds_do_not_count() -> None:
    data = skipping({"new": 0.2, "old": 0.2})
    n = len(data["item"])
    data["excluded_by"] = [
        {"r0": "withdrawn", "r1": "gold_below"}.get(rater) for rater in data["rater"]
    ]
    data["round"] = ["pilot" if rater == "r2" else "main" for rater in data["rater"]]
    found = analyze(data)
    skips = found.table("skips")
    assert skips is not None
    counts = [
        status == "skipped" and rater not in ("r0", "r1", "r2")
        for status, rater in zip(data["status"], data["rater"], strict=True)
    ]
    assert sum(row[2] for row in skips.rows) == sum(counts) < n
    assert sum(row[1] for row in skips.rows) == 30 * 2 * 5


def test_a_skip_that_names_no_system_is_counted_apart() -> None:
    data = table(
        [
            ("a", "new", "r", 4, "answered", None),
            ("a", "old", "r", 2, "answered", None),
            ("b", None, "r", None, "skipped", None),
        ]
    )
    skips = analyze(data).table("skips")
    assert skips is not None
    assert ("not named", 1, 1, None, None, "") in skips.rows


def test_without_items_every_row_is_an_answer_of_its_own() -> None:
    winners = ["a", "b", "a", None, "a", None]
    data = {
        "system_a": ["new"] * 6,
        "system_b": ["old"] * 6,
        "rater": ["r", "s"] * 3,
        "winner": winners,
        "status": ["answered" if w else "skipped" for w in winners],
    }
    skips = analyze(data).table("skips")
    assert skips is not None
    assert [row[:3] for row in skips.rows] == [("new", 6, 2), ("old", 6, 2)]


def test_what_was_answered_after_all_is_not_filled_in() -> None:
    rows: list[tuple[Any, ...]] = [
        (i, s, r, {"new": 4, "old": 2}[s] + (r == "r"), "answered", None)
        for i in "ab"
        for s in ("new", "old")
        for r in "rs"
    ]
    # r first skipped what r then judged; s skipped an item that nobody judged on old.
    rows.append(("a", "new", "r", None, "skipped", "later"))
    rows.append(("c", "old", "s", None, "skipped", "broken"))
    result = finding(analyze(table(rows)), "bounds/").result
    assert isinstance(result, Bounds)
    assert result.n_filled == 1


def test_bounds_say_between_which_scores() -> None:
    found = finding(analyze(skipping({"new": 0.1, "old": 0.1})), "bounds/")
    assert " would have been from 1.000 to 5.000, the lowest and the highest given, " in (
        found.sentence
    )


def test_a_derived_criterion_has_bounds_too() -> None:
    # √(SC · PR) of scores from 1 to 4: new 2 and 2, old 1 and 1; a third answer on new is skipped
    # in one part. Filled with 1 new is 5/3, with 4 it is 8/3.
    rows: list[tuple[Any, ...]] = [
        (i, s, r, c, score, "answered")
        for i in "ab"
        for s, given in (("new", {"SC": 1, "PR": 4}), ("old", {"SC": 1, "PR": 1}))
        for r in ("r", "s")
        for c, score in given.items()
    ]
    for i in "ab":
        rows += [(i, s, "t", c, 1, "answered") for s, c in (("new", "SC"), ("old", "SC"))]
        rows += [(i, "old", "t", "PR", 1, "answered"), (i, "new", "t", "PR", None, "skipped")]
    data = table(rows, ("item", "system", "rater", "criterion", "score", "status"))
    scale = AskedCriterion(values=(1.0, 2.0, 3.0, 4.0))
    asked = Asked(
        criteria={"SC": scale, "PR": scale},
        derived={"O": AskedDerived(rule="geometric_mean", weights={"SC": 1, "PR": 1})},
        primary=Contrast(kind="mean", systems=("new", "old"), criterion="O"),
    )
    responses = read(data, shape="ratings", keep_excluded=True)
    try:
        context = Context(asked=asked, options=Options())
        rule = asked.derived["O"]
        add_derived(responses, "O", rule.rule, rule.weights)
        given = responses.without_criteria(("O",))
        assert note_unanswered(given) == 2
        first = rating_chapter(context, responses).findings[0]
        found = missing_chapter(context, given, first, responses).findings[-1]
    finally:
        responses.close()
    assert isinstance(found.result, Bounds)
    numbers = (found.result.worst, found.result.estimate, found.result.best)
    assert numbers == pytest.approx((5 / 3 - 1, 1.0, 8 / 3 - 1))
    assert found.result.n_filled == 2
    assert "would have been, the difference" in found.sentence
