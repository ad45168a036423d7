"""What the chapter of votes says: pairs as one family, ranks, ties, both bad, places, circles."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.asked import Asked, Contrast
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Chapter, Table, format_cells
from jurybox.analysis.options import Options
from jurybox.analysis.votes import vote_chapter
from jurybox.report.charts.pictures import dots_of
from jurybox.tally.reading import read

NAMES = ("item", "rater", "system_a", "system_b", "winner")
Columns = dict[str, list[Any]]


def table(rows: list[tuple[Any, ...]], *more: str) -> Columns:
    return dict(zip((*NAMES, *more), map(list, zip(*rows, strict=True)), strict=True))


def simulated(
    seed: int = 0,
    *,
    items: int = 20,
    raters: int = 12,
    strength: dict[str, float] | None = None,
    first: float = 0.0,
    bad: float = 0.0,
) -> list[tuple[Any, ...]]:
    draw = random.Random(seed)
    known = strength or {"best": 1.4, "mid": 0.2, "low": 0.0}
    rows = []
    for i in range(items):
        for r in range(raters):
            a, b = draw.sample(sorted(known), 2)
            shown = draw.choice("ab")
            gap = known[a] - known[b] + (first if shown == "a" else -first)
            winner = "a" if draw.random() < 1 / (1 + math.exp(-gap)) else "b"
            winner = "tie" if draw.random() < 0.1 else winner
            winner = "both_bad" if draw.random() < bad else winner
            rows.append((f"i{i}", f"r{r}", a, b, winner, shown))
    return rows


def said(found: Analysis) -> str:
    return "\n".join([*(f.sentence for f in found.findings), *found.warnings, *found.took])


def one(found: Analysis | Chapter, id: str) -> Any:
    return next(f for f in found.findings if f.id == id)


def cell(shown: Table, row: int, column: str) -> Any:
    return shown.rows[row][[c.name for c in shown.columns].index(column)]


def chapter(rows: list[tuple[Any, ...]], *more: str, **asked: Any) -> Chapter:
    responses = read(table(rows, *more))
    try:
        return vote_chapter(Context(asked=Asked(**asked), options=Options()), responses)
    finally:
        responses.close()


def test_every_two_systems_are_one_family() -> None:
    found = analyze(table(simulated(), "first"))
    pairs = found.table("pairs/preference")
    assert pairs is not None
    assert [c.heading for c in pairs.columns] == [
        *("System", "Against", "Win rate", "95% interval", "95% simultaneous interval"),
        *("p", "p (max-t)", "Votes"),
    ]
    assert "hold for the whole family at once (max-t over 3 comparisons)" in pairs.caption
    assert pairs.caption.startswith("Ties count half. p tests against 50%.")
    rates = found.table("win_rates/preference")
    assert rates is not None
    # Nobody chose it, so no column shows it and no caption speaks of it.
    assert rates.caption.startswith("Ties count half. ")
    assert found.headline is not None
    assert "95% simultaneous interval" in found.headline.sentence
    assert "by max-t" in found.headline.sentence
    for f in found.findings:
        if len(f.systems) == 2:
            assert f.told == ("not told apart" not in f.sentence)
            assert f.told == (cell_of(pairs, f.systems, "p_adjusted") < 0.05)
    json.dumps(found.to_dict(), allow_nan=False)


def cell_of(shown: Table, pair: tuple[str, ...], column: str) -> Any:
    row = next(k for k, row in enumerate(shown.rows) if row[:2] == pair)
    return cell(shown, row, column)


def test_ranks_are_given_jointly() -> None:
    found = analyze(table(simulated(), "first"))
    sentence = one(found, "strength/preference/best").sentence
    assert sentence.endswith("; rank 1 of 3, jointly at 95%.")
    rates = found.table("win_rates/preference")
    assert rates is not None
    assert [cell(rates, k, "ranks") for k in range(3)] == ["1", "2 to 3", "2 to 3"]
    assert "jointly at 95% (max-t over 3 comparisons)" in rates.caption


def test_win_probabilities_stand_beside_the_differences() -> None:
    found = analyze(table(simulated(), "first")).table("win_probabilities/preference")
    assert found is not None
    for row in range(3):
        assert 0.5 <= cell(found, row, "win_probability") < 1
        low, high = cell(found, row, "win_interval")
        assert low < cell(found, row, "win_probability") < high
    assert "ties by Davidson's model" in found.caption
    assert found.caption.endswith(
        " Simultaneous intervals hold for all pairs at once, the others for one each."
    )


def test_intervals_for_one_pair_each_are_called_so_where_none_hold_for_all() -> None:
    few = [row for row in simulated() if row[1] in ("r0", "r1")]
    found = analyze(table(few, "first")).table("win_probabilities/preference")
    assert found is not None
    assert "simultaneous" not in [column.name for column in found.columns]
    assert found.caption.endswith(" Intervals are for one pair each, however many there are.")
    two = [row for row in few if {row[2], row[3]} == {"best", "low"}]
    (only,) = [each for each in chapter(two, "first").tables if each.id.startswith("win_prob")]
    assert "pair each" not in only.caption


def test_the_primary_pair_is_tested_alone_and_as_asked() -> None:
    primary = Contrast(kind="win_rate", systems=("low", "best"))
    found = chapter(simulated(), "first", primary=primary)
    first = found.findings[0]
    assert first.standing == "primary"
    assert first.sentence.startswith("low wins only ")
    assert "simultaneous" not in first.sentence
    pairs = next(t for t in found.tables if t.id == "pairs/preference")
    assert pairs.rows[0][:2] == ("low", "best")
    assert (cell(pairs, 0, "simultaneous"), cell(pairs, 0, "p_adjusted")) == (None, None)
    assert "max-t over 2 comparisons" in pairs.caption


def test_against_a_baseline_the_family_has_its_pairs_only() -> None:
    found = chapter(simulated(), "first", baseline="low")
    pairs = next(t for t in found.tables if t.id == "pairs/preference")
    assert sorted(sorted(row[:2]) for row in pairs.rows) == [["best", "low"], ["low", "mid"]]
    assert "max-t over 2 comparisons" in pairs.caption


def test_without_a_primary_contrast_all_criteria_are_one_family() -> None:
    rows = [(*row, name) for name, seed in (("style", 1), ("facts", 2)) for row in simulated(seed)]
    found = chapter(rows, "first", "criterion")
    for criterion in ("style", "facts"):
        pairs = next(t for t in found.tables if t.id == f"pairs/{criterion}")
        assert "max-t over 6 comparisons" in pairs.caption
        alone = chapter(simulated(1 if criterion == "style" else 2), "first")
        (other,) = (t for t in alone.tables if t.id == "pairs/preference")
        # The same shares and intervals of their own, and wider ones for the larger family.
        assert [row[:3] for row in pairs.rows] == [row[:3] for row in other.rows]
        for k in range(3):
            assert cell(pairs, k, "interval") == pytest.approx(cell(other, k, "interval"))
            low, high = cell(pairs, k, "simultaneous")
            assert low < cell(other, k, "simultaneous")[0]
            assert high > cell(other, k, "simultaneous")[1]
    asked = chapter(
        rows,
        "first",
        "criterion",
        primary=Contrast(kind="win_rate", systems=("best", "low"), criterion="style"),
    )
    captions = {t.id: t.caption for t in asked.tables if t.id.startswith("pairs/")}
    assert "max-t over 2 comparisons" in captions["pairs/style"]
    assert "max-t over 3 comparisons" in captions["pairs/facts"]


def test_one_pair_has_no_family() -> None:
    found = analyze(table(simulated(strength={"x": 0.8, "y": 0.0}), "first"))
    pairs = found.table("pairs/preference")
    assert pairs is not None
    assert [c.name for c in pairs.columns] == [
        *("system", "other", "win_rate", "interval", "p", "votes")
    ]


def test_groups_are_never_ranked_in_one_list() -> None:
    rows = simulated(1, strength={"p": 0.0, "q": 0.3})
    rows += [(f"{i}x", *rest) for i, *rest in simulated(2, strength={"x": 0.0, "y": 0.9})]
    found = analyze(table(rows, "first"))
    rates = found.table("win_rates/preference")
    assert rates is not None
    assert rates.columns[1].heading == "Group"
    assert [row[1] for row in rates.rows] == [1, 1, 2, 2]
    assert "Rates of different groups cannot be compared" in rates.caption
    assert any("never compared with each other (p, q; x, y)" in w for w in found.warnings)
    # A rank is one within its group.
    assert {cell(rates, k, "ranks") for k in range(4)} <= {"1", "2", "1 to 2"}


def test_a_system_never_beaten_has_a_bound() -> None:
    rows = [row for row in simulated(3, first=0.1) if "best" not in row[2:4]]
    rows += [(f"i{k}", f"r{k % 12}", "best", "mid", "a", "a") for k in range(24)]
    found = analyze(table(rows, "first"))
    sentence = one(found, "strength/preference/best").sentence
    assert "best was never beaten, so its strength has no upper bound: ranked first; at least " in (
        sentence
    )
    assert "(one-sided, 95%)" in sentence
    # It stands first, and no comparison says how far: its ranks are open, and that is said.
    rates = found.table("win_rates/preference")
    assert rates is not None
    assert rates.rows[0][0] == "best"
    assert cell(rates, 0, "ranks").startswith("1 to ")
    assert "No difference to best has a number, so that ranks stay open there" in rates.caption
    assert '"inf"' in json.dumps(found.to_dict(), allow_nan=False)


def test_of_a_forced_choice_nothing_is_said_of_ties() -> None:
    rows = [row for row in simulated(5) if row[4] != "tie"]
    found = analyze(table(rows, "first"))
    rates = found.table("win_rates/preference")
    assert rates is not None
    assert rates.place("ties") is None
    assert rates.caption.startswith("No vote is a tie.")
    assert not [f for f in found.findings if f.kind == "tie"]
    second = found.table("strengths_by_position/preference")
    assert second is not None
    assert "Davidson" not in second.caption


def test_both_bad_is_told_apart_and_its_weight_is_tried() -> None:
    found = analyze(table(simulated(4, bad=0.15), "first"))
    assert "of the votes on best call both bad (95% interval " in said(found)
    sentence = one(found, "without_both_bad/preference").sentence
    assert sentence.startswith("Without the votes that call both bad, the ")
    rates = found.table("win_rates/preference")
    assert rates is not None
    assert cell(rates, 0, "both_bad") > 0
    assert rates.caption.startswith("Ties count half; “both bad” is a tie and is shown apart. ")
    pairs = found.table("pairs/preference")
    assert pairs is not None
    assert pairs.caption.startswith("Ties and “both bad” count half. ")


def test_an_order_that_hangs_on_both_bad_is_a_matter_of_quality() -> None:
    # x wins 6 of 10 against y; 40 more votes call both bad, which pull two equal systems together
    # but never turn them: the order stays, and is said to.
    rows = [(f"i{k}", f"r{k % 5}", "x", "y", "a" if k < 6 else "b") for k in range(10)]
    rows += [(f"i{k}", f"r{k % 5}", "x", "y", "both_bad") for k in range(10, 50)]
    found = analyze(table(rows))
    made = one(found, "without_both_bad/preference")
    assert "the systems stand in the same order of strength" in made.sentence
    assert made.standing == "secondary"


def test_the_first_place_is_told_by_share_and_by_odds() -> None:
    found = analyze(table(simulated(5, first=0.8, items=30), "first"))
    assert one(found, "first_shown/preference").sentence.startswith("The output shown first wins ")
    position = one(found, "position/preference")
    assert position.standing == "exploratory"
    assert "being shown first goes with " in position.sentence
    assert position.result.interval.low > 0
    second = found.table("strengths_by_position/preference")
    assert second is not None
    assert second.caption.startswith("A second reading:")
    first = found.table("win_rates/preference")
    assert first is not None
    plain = {row[0]: cell(first, k, "strength") for k, row in enumerate(first.rows)}
    assert {row[0]: cell(second, k, "first_reading") for k, row in enumerate(second.rows)} == plain


def test_one_order_only_leaves_the_place_undefined() -> None:
    rows = [(*row[:5], "a") for row in simulated(6, strength={"x": 0.6, "y": 0.0})]
    rows = [row if row[2] == "x" else (row[0], row[1], "x", "y", row[4], "a") for row in rows]
    found = analyze(table(rows, "first"))
    made = one(found, "first_shown/preference")
    assert ": no pair was shown in both orders, so the pull of the first place " in made.sentence
    assert not any(finding.id == "position/preference" for finding in found.findings)
    assert found.table("strengths_by_position/preference") is None


def test_one_order_only_never_says_that_the_place_does_nothing() -> None:
    # Always first, x wins 11 of 20: the place may help y or x by any amount.
    rows = [(f"i{k}", f"r{k % 5}", "x", "y", "a" if k < 11 else "b", "a") for k in range(20)]
    made = one(analyze(table(rows, "first")), "first_shown/preference")
    assert made.sentence.startswith(
        "Whether being shown first helps cannot be said: no pair was shown in both orders, so "
    )
    assert "the output shown first wins 55.0% of votes" in made.sentence
    assert not made.told
    # Where x wins 80 of 100, four of five with every rater, that is a fact, whatever its reason.
    rows = [(f"i{k}", f"r{k % 10}", "x", "y", "b" if k < 20 else "a", "a") for k in range(100)]
    made = one(analyze(table(rows, "first")), "first_shown/preference")
    assert made.sentence.startswith("The output shown first wins 80.0% of votes, 30.0 ")
    assert "; no pair was shown in both orders, so " in made.sentence
    assert made.told


def test_graded_votes_are_a_second_reading() -> None:
    draw = random.Random(7)
    rows = [(*row, draw.choice([1, 2, 3])) for row in simulated(7)]
    found = analyze(table(rows, "first", "strength")).table("strengths_graded/preference")
    assert found is not None
    assert "weighted by strength ÷ largest strength" in found.caption
    assert analyze(table(simulated(7), "first")).table("strengths_graded/preference") is None
    # A store has the column always; votes that were not graded have no second reading.
    empty = [(*row, None) for row in simulated(7)]
    shown = analyze(table(empty, "first", "strength"))
    assert shown.table("strengths_graded/preference") is None


def test_votes_that_one_strength_cannot_describe_are_said() -> None:
    # Stone, paper, scissors: each beats the next 9 times in 10.
    draw = random.Random(8)
    rows = []
    for k in range(360):
        a, b = [("s", "p"), ("p", "r"), ("r", "s")][k % 3]
        winner = "a" if draw.random() < 0.9 else "b"
        rows.append((f"i{k % 30}", f"r{k % 17}", a, b, winner))
    found = analyze(table(rows))
    fit = one(found, "fit/preference")
    assert fit.standing == "quality"
    assert fit.sentence.startswith("One strength per system does not describe who beats whom")
    assert fit.sentence.endswith("read the pairs, not the ranking.")
    calm = one(analyze(table(simulated(9, items=30), "first")), "fit/preference")
    assert calm.standing == "secondary"
    assert calm.sentence.startswith("Nothing speaks against describing who beats whom")


def test_a_circle_is_said_where_every_edge_holds() -> None:
    draw = random.Random(8)
    rows = []
    for k in range(510):
        a, b = [("s", "p"), ("p", "r"), ("r", "s")][k % 3]
        rows.append((f"i{k % 30}", f"r{k % 17}", a, b, "a" if draw.random() < 0.9 else "b"))
    circles = [f for f in analyze(table(rows)).findings if f.id.startswith("circle/")]
    assert len(circles) == 1
    assert "beat each other in a circle, so no order holds" in circles[0].sentence
    assert circles[0].standing == "quality"
    calm = analyze(table(simulated(), "first"))
    assert not [f for f in calm.findings if f.id.startswith("circle/")]


def test_elo_is_for_continuity_only() -> None:
    found = analyze(table(simulated(), "first"))
    shown = found.table("elo/preference")
    assert shown is not None
    assert shown.rows[0][0] == "best"
    assert "." not in format_cells(shown, shown.rows[0])[1]  # thousands, without an interval
    assert shown.caption.startswith("For continuity only: ")
    assert not [f for f in found.findings if "Elo" in f.sentence]


def test_pairs_have_their_own_rate_of_both_bad() -> None:
    found = analyze(table(simulated(4, bad=0.15), "first"))
    pairs = found.table("both_bad/preference")
    assert pairs is not None
    rates = [row[2] for row in pairs.rows]
    assert rates == sorted(rates, reverse=True)
    assert len(rates) == 3
    made = [f for f in found.findings if f.id.startswith("both_bad/")]
    assert [f.standing for f in made] == ["quality"] + ["secondary"] * 5
    drawn = dots_of(pairs, found.systems)
    assert drawn is not None
    # Not "a − b" beside a line at zero, as if it were a difference.
    assert {row.label for row in drawn.rows} == {f"{row[0]} and {row[1]}" for row in pairs.rows}
    assert drawn.reference is None


def test_more_data_is_said_of_the_headline_only() -> None:
    found = analyze(table(simulated(), "first"))
    assert found.headline is not None
    more = [f for f in found.findings if f.id.startswith("more_data/")]
    assert [f.id.split("/")[2:] for f in more] == [list(found.headline.systems)]
    assert "with twice the raters about " in more[0].sentence
    assert "with twice the items about " in more[0].sentence


@pytest.mark.parametrize(
    ("gap", "margin", "start"),
    [
        (0.0, 0.2, "x and y are equivalent within 20.0 points of 50%: x wins "),
        (0.6, 0.1, "x is not inferior to y by 10.0 points or more: x wins "),
        (0.0, 0.001, "That x and y are equivalent within 0.1 points of 50% is not shown: x wins "),
    ],
)
def test_equivalence_is_judged_within_the_margin_of_the_study(
    gap: float, margin: float, start: str
) -> None:
    rows = simulated(11, items=60, strength={"x": gap, "y": 0.0})
    primary = Contrast(kind="win_rate", systems=("x", "y"))
    found = chapter(rows, "first", primary=primary, margin=margin)
    made = one(found, "equivalence/preference/x/y")
    assert made.sentence.startswith(start)
    assert "(90% interval " in made.sentence
    assert "; 95% interval " in made.sentence
    assert made.told == ("not shown" not in start)
    # Two one-sided tests: the 90% interval lies within the margin exactly where both succeed.
    low, high = made.result.interval.low, made.result.interval.high
    assert (-margin < low and high < margin) == ("equivalent within" in start and made.told)


def test_nothing_but_ties_is_a_sentence() -> None:
    found = analyze(table([(f"i{k}", f"r{k % 3}", "x", "y", "tie") for k in range(9)]))
    assert "no vote has a winner" in said(found)
    rates = found.table("win_rates/preference")
    assert rates is not None
    assert "There are no strengths: no vote has a winner" in rates.caption
    assert "Bradley–Terry" not in rates.caption
    assert found.headline is not None
    assert "not told apart" in found.headline.sentence


def test_one_vote_is_a_sentence() -> None:
    found = analyze(table([("i", "r", "x", "y", "a")]))
    assert (
        "How often x is preferred to y is undefined: a single response is no share: it can only be "
        "0% or 100% (1 vote, 1 rater, 1 item)."
    ) in said(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_first_place_is_no_cause_and_zero_is_no_half() -> None:
    # The output shown first never wins: that is 50 points fewer than half, not no difference.
    rows = [(f"i{i}", f"r{i % 6}", "x", "y", "b", "a") for i in range(24)]
    sentence = one(chapter(rows, "first"), "first_shown/preference").sentence
    assert sentence.startswith("The output shown first wins 0.0% of votes, 50.0 points fewer than")
    # One vote has no share; the reason stands in its place.
    sentence = one(chapter(rows[:1], "first"), "first_shown/preference").sentence
    assert sentence.startswith("How often the output shown first wins is undefined: a single ")


def test_zero_is_the_average_of_those_it_was_taken_over() -> None:
    rows = simulated(3)
    assert (
        "0 is the average system ("
        in one(chapter(rows, "first"), "strength/preference/mid").sentence
    )
    more = [(f"i{i}", f"r{i}", "never", "mid", "a", "a") for i in range(12)]
    found = chapter([*rows, *more], "first")
    sentence = one(found, "strength/preference/mid").sentence
    assert "0 is the average of the systems with a number (" in sentence
    apart = [(f"j{i}", f"r{i % 5}", "p", "q", "ab"[i % 2], "a") for i in range(20)]
    sentence = one(chapter([*rows, *apart], "first"), "strength/preference/p").sentence
    assert "0 is the average of its group (" in sentence


WITH_TIES = ("win_rates", "pairs", "win_probabilities")


def test_how_ties_count_is_said() -> None:
    found = chapter(simulated(2, bad=0.05), "first")
    assert "in win rates a tie counts as half a win for both, and so does “both bad”" in found.took
    assert " of its votes, ties counting half (" in one(found, "win_rate/preference/best").sentence
    decided = [row for row in simulated(2) if row[4] in "ab"]
    found = chapter(decided, "first")
    assert found.took == ()
    # Where nobody could or did call a tie, no table explains what one would count.
    said = [each.caption for each in found.tables if each.id.split("/")[0] in WITH_TIES]
    assert len(said) == len(WITH_TIES)
    assert [caption.count("No vote is a tie.") for caption in said] == [1, 1, 0]
    assert not any("Davidson" in caption or "half" in caption for caption in said)
    assert " of its votes (" in one(found, "win_rate/preference/best").sentence


def test_a_fit_that_is_not_refuted_is_not_called_right() -> None:
    rows = [(row[2], row[3], row[4]) for row in simulated(4, items=30)]
    columns = dict(
        zip(("system_a", "system_b", "winner"), map(list, zip(*rows, strict=True)), strict=True)
    )
    sentence = one(analyze(columns), "fit/preference").sentence
    assert sentence.startswith("Nothing speaks against ")
    assert "scaled for" not in sentence
    decided = [row for row in simulated(4) if row[4] in "ab"]
    assert (
        "on 1 degree of freedom, scaled for raters and items"
        in one(chapter(decided, "first"), "fit/preference").sentence
    )


@pytest.mark.parametrize(
    ("seed", "more"), [(1, "b from c"), (4, "a from b and b from c"), (6, None)]
)
def test_where_ranks_and_pairs_say_different_things_the_table_says_why(
    seed: int, more: str | None
) -> None:
    strength = {"a": 1.0, "b": 0.3, "c": -1.0}
    found = analyze(table(simulated(seed, items=10, strength=strength), "first"))
    rates, chances = (
        found.table("win_rates/preference"),
        found.table("win_probabilities/preference"),
    )
    assert rates is not None
    assert chances is not None
    told = {frozenset(f.systems) for f in found.findings if f.id.startswith("win_rate/") and f.told}
    apart = {frozenset(row[:2]) for row in chances.rows if row[-1][0] > 0 or row[-1][1] < 0}
    assert len(apart - told) == (0 if more is None else more.count(" from "))
    said = "Strengths rest on all votes together: they tell "
    if more is None:
        assert said not in rates.caption
    else:
        end = f"{said}{more}, which the votes of the two alone do not."
        assert rates.caption.endswith(end)
