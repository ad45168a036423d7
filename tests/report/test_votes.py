"""Votes on a page: what is said once, and which interval a chart draws."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.finding import Table
from jurybox.report import markdown
from jurybox.report.charts.pictures import answer_dots, dots_of
from jurybox.study import Study

VERSIONS = {"jurybox": "0.1.0"}


def table(rows: list[tuple[Any, ...]], *names: str) -> dict[str, list[Any]]:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def all_pairs(winner: Callable[[str, str], str], systems: str = "abc") -> Analysis:
    """Every pair of systems on twelve items, by six raters."""
    rows = [
        (f"i{item}", f"r{rater}", one, two, winner(one, two))
        for item in range(12)
        for rater in range(6)
        for one, two in combinations(systems, 2)
    ]
    return analyze(table(rows, "item", "rater", "system_a", "system_b", "winner"))


def voted() -> Analysis:
    """Three systems, whose worst outputs are often both bad."""
    draw = random.Random(4)
    names = ("item", "rater", "system_a", "system_b", "winner")
    rows: list[tuple[Any, ...]] = []
    for item in range(12):
        for rater in range(8):
            one, two = draw.sample("abc", 2)
            winner = draw.choice(["a", "b", "both_bad" if "c" in (one, two) else "tie"])
            rows.append((f"i{item}", f"r{rater}", one, two, winner))
    return analyze(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def test_how_often_both_are_bad_is_said_of_the_worst_system_among_the_results() -> None:
    found = voted()
    said = markdown(found, versions=VERSIONS)
    bad = [f.sentence for f in found.findings if f.id.startswith("both_bad/")]
    assert len(bad) > 3
    assert [sentence in said for sentence in bad] == [True] + [False] * (len(bad) - 1)
    assert said.index("## Results") < said.index(bad[0])
    changed = next(f.sentence for f in found.findings if f.id.startswith("without_both_bad/"))
    assert said.index("## Results") < said.index(changed)


def test_an_axis_names_the_pair_whose_interval_is_its_own() -> None:
    pairs = voted().table("pairs/preference")
    assert pairs is not None
    axis = _axis(pairs)
    assert axis == "Win rate, 95% simultaneous interval"
    place = [column.name for column in pairs.columns].index("simultaneous")
    first, *others = pairs.rows
    alone = replace(pairs, rows=((*first[:place], None, *first[place + 1 :]), *others))
    assert _axis(alone) == "Win rate, 95% interval (simultaneous but for the primary pair)"


def _axis(table: Table) -> str:
    chart = dots_of(table, ())
    assert chart is not None
    return chart.axis


def test_the_first_chart_has_the_number_of_the_answer() -> None:
    found = voted()
    answer, lead = found.headline, found.table("win_rates/preference")
    assert answer is not None
    assert lead is not None
    chart = answer_dots(lead, found)
    assert chart is not None
    assert chart.rows[0].label == " against ".join(answer.systems)
    assert chart.rows[0].estimate == answer.result.estimate
    assert [row.label for row in chart.rows[1:]] == [row[0] for row in lead.rows]
    assert chart.rows[1].apart
    assert chart.axis == "Win rate, 95% interval (pair: simultaneous)"
    # Of two systems the rate of one is that of the pair.
    two = all_pairs(lambda one, two: "tie", "ab")
    own = two.table("win_rates/preference")
    assert own is not None
    assert "whomever it was set against" in lead.caption
    assert "whomever it was set against" not in own.caption
    drawn = answer_dots(own, two)
    assert drawn is not None
    assert [row.label for row in drawn.rows] == ["a", "b"]


def test_a_primary_pair_is_drawn_with_its_own_interval() -> None:
    found = voted()
    answer, pairs = found.headline, found.table("pairs/preference")
    assert answer is not None
    assert pairs is not None
    place = pairs.names.index("simultaneous")
    rows = [
        (*row[:place], None, *row[place + 1 :]) if set(row[:2]) == set(answer.systems) else row
        for row in pairs.rows
    ]
    tables = tuple(replace(t, rows=tuple(rows)) if t.id == pairs.id else t for t in found.tables)
    lead = found.table("win_rates/preference")
    assert lead is not None
    chart = answer_dots(lead, replace(found, tables=tables))
    assert chart is not None
    assert chart.axis == "Win rate, 95% interval"


def test_what_speaks_against_an_order_stands_beside_the_ranking() -> None:
    draw = random.Random(8)
    beats = {("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): 0.1}
    found = all_pairs(lambda one, two: "a" if draw.random() < beats[one, two] else "b")
    said = markdown(found, versions=VERSIONS)
    top = said[: said.index("\n## ")]
    assert "beat each other in a circle, so no order holds" in top
    assert "read the pairs, not the ranking" in top
    assert said.count("in a circle") == 1
    assert "each pair has its own interval" not in said


def test_systems_without_a_strength_share_a_sentence() -> None:
    said = markdown(all_pairs(lambda one, two: "both_bad"), versions=VERSIONS)
    top = said[: said.index("\n## ")]
    assert "The strengths of a, b and c have no number: no vote has a winner" in top
    assert said.count("have no number") == 1
    assert "has no number" not in said


def test_a_group_of_systems_is_no_count_of_answers() -> None:
    rows = [
        (f"i{item}", f"r{rater}", *pair, ("a", "b")[(item + rater) % 2])
        for item in range(12)
        for rater in range(6)
        for pair in (("a", "b"), ("c", "d"))
    ]
    found = analyze(table(rows, "item", "rater", "system_a", "system_b", "winner"))
    assert "The systems fall into 2 groups" in markdown(found, versions=VERSIONS)
    assert "Imbalance" not in markdown(found, versions=VERSIONS)


def test_how_a_variance_was_computed_is_for_the_methods() -> None:
    draw = random.Random(3)
    found = all_pairs(lambda one, two: draw.choice(["a", "b", "tie"]), "abcdef")
    notes = [note for f in found.findings for note in f.result.notes]
    assert any(note.startswith("the two-way variance") for note in notes)
    assert "wo-way variance" not in markdown(found, versions=VERSIONS)


def test_a_trial_says_whose_outputs_share_a_screen() -> None:
    asked = {"question": "Which?", "choices": ["a", "b"]}
    parts = {"title": "t", "outputs": "o.csv", "show": {"o": "text"}}
    compare = Study(**parts, protocol="compare", criteria={"p": asked})
    found = all_pairs(lambda one, two: "tie")
    said = markdown(found, study=compare, versions=VERSIONS)
    assert "Each trial showed o (text); the outputs of two systems stood on one screen." in said
    some = Study(**parts, protocol="rank", criteria={"p": {"question": "Best first?"}})
    said = markdown(found, study=some, versions=VERSIONS)
    assert "the outputs of all systems stood on one screen" in said


def test_every_system_is_seen_from_itself_against_the_baseline() -> None:
    draw = random.Random(3)
    rows = [
        (f"i{item}", f"r{rater}", one, "old", draw.choices("ab", weights)[0])
        for item in range(12)
        for rater in range(6)
        for one, weights in (("new", (3, 1)), ("odd", (1, 3)))
    ]
    asked = {"question": "Which?", "choices": ["a", "b"]}
    study = Study(
        title="t", outputs="o.csv", show={"o": "text"}, protocol="compare",
        criteria={"preference": asked}, analysis={"baseline": "old"},
    )  # fmt: skip
    votes = table(rows, "item", "rater", "system_a", "system_b", "winner")
    pairs = analyze(votes, study=study).table("pairs/preference")
    assert pairs is not None
    assert [row[:2] for row in pairs.rows] == [("new", "old"), ("odd", "old")]
    assert pairs.rows[0][2] > 0.5 > pairs.rows[1][2]


def test_the_methods_say_what_is_added_towards_one_half() -> None:
    said = markdown(voted(), versions=VERSIONS)
    assert "|1 − 2q|s² further out" in said[said.index("## Methods") :].replace("\\", "")
    same = markdown(all_pairs(lambda one, two: "tie"), versions=VERSIONS)
    assert "further out" not in same


def test_of_rankings_the_first_chart_says_what_it_shows_of_the_pair() -> None:
    draw = random.Random(2)
    rows = [
        (f"i{item}", f"r{rater}", system, rank)
        for item in range(10)
        for rater in range(6)
        for rank, system in enumerate(draw.sample("abc", 3), start=1)
    ]
    found = analyze(table(rows, "item", "rater", "system", "rank"))
    lead = found.table("rankings/preference")
    assert lead is not None
    chart = answer_dots(lead, found)
    assert chart is not None
    assert chart.axis == "Ranked first, 95% interval (pair: ranked above, simultaneous)"
    # One half is no even chance of being first among three.
    assert chart.reference is None


def test_shares_of_ties_and_of_both_bad_have_their_intervals_to_be_looked_up() -> None:
    found = voted()
    lead, shown = found.table("win_rates/preference"), found.table("outcomes/preference")
    assert lead is not None
    assert shown is not None
    for name in ("ties", "both_bad"):
        place, own = lead.names.index(name), shown.names.index(name)
        assert [row[place] for row in lead.rows] == [row[own] for row in shown.rows]
        assert all(row[own + 1][0] <= row[own] <= row[own + 1][1] for row in shown.rows)
    said = markdown(found, versions=VERSIONS)
    assert "<summary>Ties and both bad of each system: preference" in said
    # Without either there is nothing to look up.
    assert all_pairs(lambda one, two: "a").table("outcomes/preference") is None
