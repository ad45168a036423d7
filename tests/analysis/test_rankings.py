"""What the chapter of rankings says of whole, partial and tied ones, and of best-of-N."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.asked import Asked, Contrast
from jurybox.analysis.context import Context
from jurybox.analysis.options import Options
from jurybox.analysis.rankings import ranking_chapter
from jurybox.tally.rankings import given
from jurybox.tally.reading import read

Ranking = tuple[str, str, dict[str, float]]


def table(rankings: list[Ranking], **more: Any) -> dict[str, list[Any]]:
    rows = [(i, r, s, rank) for i, r, ranks in rankings for s, rank in ranks.items()]
    names = ("item", "rater", "system", "rank")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return columns | {name: [value] * len(rows) for name, value in more.items()}


def simulated(seed: int = 0, *, items: int = 12, raters: int = 10, shown: int = 3) -> list[Ranking]:
    draw = random.Random(seed)
    strength = {"best": 2.0, "mid": 0.3, "low": 0.0}
    strength |= {f"s{k}": 0.1 * k for k in range(shown - 3)}
    found: list[Ranking] = []
    for i in range(items):
        for r in range(raters):
            score = {s: x - math.log(draw.expovariate(1)) for s, x in strength.items()}
            order = sorted(score, key=lambda s: -score[s])[:shown]
            found.append((f"i{i}", f"r{r}", {s: k + 1 for k, s in enumerate(order)}))
    return found


def said(found: Analysis) -> str:
    return "\n".join([*(f.sentence for f in found.findings), *found.warnings, *found.took])


def test_every_two_systems_are_one_family() -> None:
    found = analyze(table(simulated()))
    assert found.headline is not None
    assert found.headline.sentence.startswith("best is ranked above mid in ")
    assert "95% simultaneous interval" in found.headline.sentence
    assert "by max-t" in found.headline.sentence
    pairs = found.table("pairs/preference")
    assert pairs is not None
    assert [c.heading for c in pairs.columns] == [
        *("System", "Against", "Ranked above", "95% interval", "95% simultaneous interval"),
        *("p", "p (max-t)", "Rankings"),
    ]
    assert "max-t over 3 comparisons" in pairs.caption
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_ranking_of_three_is_one_response() -> None:
    found = analyze(table(simulated()))
    assert (found.n_responses, found.title) == (120, "120 rankings")
    raters = found.table("raters")
    assert raters is not None
    assert [c.heading for c in raters.columns[:2]] == ["Rater", "Rankings"]
    assert {row[1] for row in raters.rows} == {12}  # of each item one


def test_implied_win_rates_by_hand() -> None:
    # x above y in 2 of 4 rankings with both, tied in 1: (2 + ½)/4 = 62.5%; one with z is no share.
    rankings: list[Ranking] = [
        ("1", "a", {"x": 1, "y": 2, "z": 3}),
        ("2", "b", {"x": 1, "y": 2}),
        ("3", "a", {"x": 2, "y": 1}),
        ("4", "b", {"x": 1, "y": 1}),
    ]
    pairs = analyze(table(rankings)).table("pairs/preference")
    assert pairs is not None
    assert {(row[0], row[1]): (row[2], row[-1]) for row in pairs.rows} == {
        ("x", "y"): (0.625, 4),
        ("x", "z"): (None, 1),
        ("y", "z"): (None, 1),
    }


def test_first_places_and_mean_ranks_by_hand() -> None:
    # x is first, first and tied first with y: (1 + 1 + ½)/3; its places 1, 1 and 1½.
    rankings: list[Ranking] = [
        ("1", "a", {"x": 1, "y": 2, "z": 3}),
        ("2", "b", {"x": 1, "y": 3, "z": 2}),
        ("3", "a", {"x": 1, "y": 1, "z": 3}),
    ]
    found = analyze(table(rankings)).table("rankings/preference")
    assert found is not None
    row = dict(zip([c.name for c in found.columns], found.rows[0], strict=True))
    assert row["system"] == "x"
    assert row["first"] == pytest.approx(2.5 / 3)
    assert row["mean_rank"] == pytest.approx(3.5 / 3)


def test_best_of_n_is_a_choice_among_those_shown() -> None:
    rankings = [
        (i, r, {s: 1 if rank == 1 else 2 for s, rank in ranks.items()})
        for i, r, ranks in simulated(1)
    ]
    found = analyze(table(rankings))  # type: ignore[arg-type]
    assert "every ranking picks one of 3 outputs: taken as best-of-N choices" in found.took
    half = "of two systems the picked one is above; where neither was, half for both"
    assert half in found.took
    made = found.table("rankings/preference")
    assert made is not None
    assert made.title == "Choices: preference"
    assert "mean_rank" not in [c.name for c in made.columns]
    assert "best is picked in " in said(found)
    # The strengths of picks among all three are the logs of the shares.
    share = {row[0]: row[1] for row in made.rows}
    strength = {row[0]: row[[c.name for c in made.columns].index("strength")] for row in made.rows}
    assert strength["best"] - strength["low"] == pytest.approx(
        math.log(share["best"] / share["low"]), abs=1e-7
    )


def test_ranks_with_gaps_are_said_and_read_by_their_order() -> None:
    rankings = simulated(2)
    wide = [(i, r, {s: {1: 1, 2: 2, 3: 4}[int(k)] for s, k in ranks.items()})
            for i, r, ranks in rankings]  # fmt: skip
    one, two = analyze(table(rankings)), analyze(table(wide))  # type: ignore[arg-type]
    assert "120 rankings with a rank left out, such as 1, 2, 4: only the order of ranks counts" in (
        two.took
    )
    assert [f.sentence for f in one.findings] == [f.sentence for f in two.findings]


@pytest.mark.parametrize(
    "ranks",
    [(1, 1, 3), (1, 1, 2), (1.5, 1.5, 3), (2, 2, 3), (1, 2, 2), (1, 2.5, 2.5), (1, 3, 3)],
)
def test_ties_are_written_in_many_ways_without_a_gap(ranks: tuple[float, ...]) -> None:
    responses = read(table([("i", "r", dict(zip("xyz", ranks, strict=True)))]))
    assert given(responses).gaps == 0
    responses.close()


def test_who_ranks_one_output_only_is_said() -> None:
    rankings: list[Ranking] = [*simulated(3), ("i0", "hermit", {"best": 1})]
    found = analyze(table(rankings))
    assert "1 ranking has one output only, which says nothing about another: left out" in said(
        found
    )
    assert "1 rater was never shown two outputs at once and so ranked nothing" in found.warnings
    assert all(f.result.n_responses in (120, None) for f in found.findings if f.systems)


def test_nothing_but_single_outputs_is_a_sentence() -> None:
    found = analyze(table([(f"i{k}", "r", {s: 1}) for k, s in enumerate("xyxy")]))
    assert any("every ranking has one output only" in w for w in found.warnings)


def test_partial_rankings_say_that_first_places_depend_on_how_many_were_shown() -> None:
    rankings = [
        (i, r, dict(list(ranks.items())[: 2 + k % 2]))
        for k, (i, r, ranks) in enumerate(simulated(4))
    ]
    found = analyze(table(rankings))
    assert any(w.startswith("rankings have 2 to 3 outputs") for w in found.warnings)


def test_ties_are_said_once() -> None:
    rankings = simulated(5)
    rankings[0] = ("i0", "r0", {"best": 1, "mid": 1, "low": 2})
    found = analyze(table(rankings))
    (how,) = (sentence for sentence in found.took if "1 ranking with ties" in sentence)
    assert "share the first place and the mean of their ranks" in how


def test_groups_are_never_ranked_in_one_list() -> None:
    draw = random.Random(6)
    rankings: list[Ranking] = []
    for k in range(40):
        one, two = draw.choice([("a", "b"), ("x", "y")])
        first = 1 if draw.random() < 0.6 else 2
        rankings.append((f"i{k % 10}{one}", f"r{k % 8}", {one: first, two: 3 - first}))
    found = analyze(table(rankings))
    made = found.table("rankings/preference")
    assert made is not None
    assert made.columns[1].heading == "Group"
    assert [row[1] for row in made.rows] == [1, 1, 2, 2]
    assert any("never compared with each other" in w for w in found.warnings)


def _context(**asked: Any) -> Context:
    return Context(asked=Asked(**asked), options=Options())


def test_the_primary_pair_is_tested_alone_and_as_asked() -> None:
    context = _context(primary=Contrast(kind="win_rate", systems=("low", "best")))
    responses = read(table(simulated()))
    try:
        chapter = ranking_chapter(context, responses)
    finally:
        responses.close()
    first = chapter.findings[0]
    assert first.standing == "primary"
    assert first.sentence.startswith("low is ranked above best in only ")
    assert "simultaneous" not in first.sentence
    pairs = next(t for t in chapter.tables if t.id == "pairs/preference")
    assert pairs.rows[0][:2] == ("low", "best")
    assert "max-t over 2 comparisons" in pairs.caption
    assert "The primary comparison is tested alone." in pairs.caption


def test_against_a_baseline_only_its_pairs_are_the_family() -> None:
    responses = read(table(simulated()))
    try:
        chapter = ranking_chapter(_context(baseline="low"), responses)
    finally:
        responses.close()
    pairs = next(t for t in chapter.tables if t.id == "pairs/preference")
    assert [set(row[:2]) for row in pairs.rows] == [{"best", "low"}, {"low", "mid"}]
    assert "max-t over 2 comparisons" in pairs.caption


@pytest.mark.parametrize(
    ("rankings", "sentence"),
    [
        ([("i", "r", {"x": 1, "y": 2})], "there is only one rater and one item"),
        ([(f"i{k}", "r", {"x": 1, "y": 1}) for k in range(5)], "no ranking puts one system above"),
        ([(f"i{k}", f"r{k % 3}", {"x": 1, "y": 2}) for k in range(6)], "x was never beaten"),
    ],
)
def test_degenerate_rankings_give_a_sentence(rankings: list[Ranking], sentence: str) -> None:
    found = analyze(table(rankings))
    assert sentence in said(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_one_system_shown_twice_and_no_other_is_no_crash() -> None:
    found = analyze(table([("i", "r", {"x": 1}), ("j", "r", {"x": 1})]))
    assert found.warnings


def test_criteria_are_read_apart() -> None:
    one, two = table(simulated(7), criterion="style"), table(simulated(8), criterion="facts")
    found = analyze({name: one[name] + two[name] for name in one})
    assert found.table("rankings/style") is not None
    assert found.table("rankings/facts") is not None
    pairs = found.table("pairs/facts")
    assert pairs is not None
    assert "max-t over 6 comparisons" in pairs.caption
    assert len({f.id for f in found.findings}) == len(found.findings)
