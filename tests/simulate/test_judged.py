"""Drawn studies are judged by the statistics that judge the real ones."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.simulate.drawn import Drawer, Drawn
from jurybox.simulate.judged import judge
from jurybox.simulate.scenario import Scenario
from jurybox.simulate.screens import Screens
from jurybox.stats.power.crossed import Crossed
from tests.simulate.scenarios import SIZE, drawn, rated, scenario


def check(row: Any, public: Any, turned: Any = lambda value: -value) -> None:
    """The same estimate, p and intervals, whichever of the two systems comes first."""
    estimate, p = row.estimate, row.p
    same = (row.system, row.other) == (public.system, public.other)
    assert (estimate if same else turned(estimate)) == pytest.approx(public.estimate, abs=1e-9)
    assert p == pytest.approx(public.p, abs=1e-9)
    for name in ("interval", "simultaneous"):
        mine, theirs = getattr(row, name), getattr(public, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            ends = (mine.low, mine.high) if same else (turned(mine.high), turned(mine.low))
            assert ends == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    if row.p_adjusted is not None:
        assert row.p_adjusted == pytest.approx(public.p_adjusted, abs=1e-9)


@pytest.mark.parametrize(("systems", "outputs"), [(2, 1), (2, None), (4, 1), (4, 3), (4, None)])
def test_scores_are_judged_as_compare_systems_judges_them(
    systems: int, outputs: int | None
) -> None:
    asked = scenario("rate", 0.3, systems=systems, screens=rated(outputs), compared="all")
    made = drawn(asked)
    table = {
        "item": made.item, "system": made.about.astype(str), "rater": made.rater,
        "score": made.value,
    }  # fmt: skip
    public = {frozenset((r.system, r.other)): r for r in jb.compare_systems(table).rows}
    rows = judge(asked, made)
    assert len(rows) == len(public) == math.comb(systems, 2)
    for row in rows:
        check(row, public[frozenset((row.system, row.other))])  # type: ignore[attr-defined]


def marked(made: Drawn, error: float) -> dict[str, Any]:
    """The table of marked spans that a study like this would have: as many as errors."""
    times = np.round(made.value / error).astype(int)
    row = np.repeat(np.arange(len(times)), np.maximum(times, 1))
    return {
        "item": made.item[row],
        "rater": made.rater[row],
        "system": made.about[row].astype(str),
        "severity": ["error" if n else None for n in times[row]],
    }


@pytest.mark.parametrize("outputs", [1, 2])
def test_marks_are_judged_as_span_scores_judges_them(outputs: int) -> None:
    asked = scenario("mark", -1.0, systems=3, compared="all", screens=rated(outputs))
    error = Drawer(asked, SIZE).latent.error
    made = drawn(asked)
    table = marked(made, error)
    public = {
        frozenset((r.system, r.other)): r
        for r in jb.span_scores(table, severities={"error": error}).differences
    }
    rows = judge(asked, made)
    assert len(rows) == len(public) == 3
    for row in rows:
        check(row, public[frozenset((row.system, row.other))])  # type: ignore[attr-defined]


def test_scores_against_a_baseline_are_a_family_of_their_own() -> None:
    asked = scenario("rate", 0.3, systems=4, compared="baseline")
    made = drawn(asked)
    table = {
        "item": made.item, "system": made.about.astype(str), "rater": made.rater,
        "score": made.value,
    }  # fmt: skip
    public = {r.system: r for r in jb.compare_systems(table, baseline="0").rows}
    rows = judge(asked, made)
    assert [r.other for r in rows] == list(public)  # type: ignore[attr-defined]
    for row in rows:
        check(row, public[row.other])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("systems", "size", "ties"),
    [
        (2, SIZE, 0.2),
        (4, SIZE, 0.2),
        # Every item and every rater once, and no ties: the exact test.
        (2, Crossed(items=40, raters=40, overlap=1), 0.0),
    ],
)
def test_votes_are_judged_as_win_rates_judges_them(
    systems: int, size: Crossed, ties: float
) -> None:
    asked = scenario("compare", 0.1, systems=systems, compared="all", ties=ties)
    made = drawn(asked, size)
    pairs = list(combinations(range(systems), 2))
    table = {
        "item": made.item,
        "rater": made.rater,
        "system_a": [str(pairs[k][0]) for k in made.about],
        "system_b": [str(pairs[k][1]) for k in made.about],
        "winner": [{1.0: "a", 0.0: "b", 0.5: "tie"}[v] for v in made.value],
    }
    public = {frozenset((r.system, r.other)): r for r in jb.win_rates(table).pairs}
    rows = judge(asked, made)
    assert len(rows) == len(public) == len(pairs)
    for row, (one, two) in zip(rows, pairs, strict=True):
        named = replace(row, system=str(one), other=str(two))  # type: ignore[call-arg]
        check(named, public[frozenset((str(one), str(two)))], lambda value: 1 - value)
    if ties == 0.0:
        assert rows[0].interval is not None
        assert "exact" in rows[0].interval.method


@pytest.mark.parametrize(
    ("compared", "screens"),
    [
        ("all", None),
        ("baseline", None),
        ("all", Screens(kind="pairs", pairs="cyclic")),
        ("all", Screens(kind="pairs", per_item=1.5)),
    ],
)
def test_strengths_are_judged_as_bradley_terry_judges_them(
    compared: Any, screens: Screens | None
) -> None:
    asked = scenario("compare", 0.15, systems=4, compared=compared, strengths=True, screens=screens)
    made = drawn(asked)
    one, two = np.asarray(made.place).T
    table = {
        "item": made.looks.item,
        "rater": made.looks.rater,
        "system_a": made.looks.shown[:, 0].astype(str),
        "system_b": made.looks.shown[:, 1].astype(str),
        "winner": np.select([one < two, one > two], ["a", "b"], "tie"),
    }
    found = jb.bradley_terry(table).differences
    check_strengths(asked, made, found)


def check_strengths(asked: Scenario, made: Drawn, found: Any) -> None:
    public = {frozenset((row.system, row.other)): row for row in found}
    rows = judge(asked, made)
    named = [(str(one), str(two)) for one, two in asked.contrasts]
    assert [(r.system, r.other) for r in rows] == named  # type: ignore[attr-defined]
    for row in rows:
        check(row, public[frozenset((row.system, row.other))])  # type: ignore[attr-defined]


RANKED = [
    {},
    {"ties": 0.2},
    {"best": True},
    {"screens": Screens(kind="blocks", outputs=3)},
    {"screens": Screens(kind="blocks", outputs=3), "best": True},
]


def ranked(made: Drawn) -> dict[str, Any]:
    """The table of rankings that a study like this would have."""
    looks = made.looks
    look, place = np.nonzero(looks.shown >= 0)
    return {
        "trial": look,
        "item": looks.item[look],
        "rater": looks.rater[look],
        "system": looks.shown[look, place].astype(str),
        "rank": np.asarray(made.place)[look, place],
    }


@pytest.mark.parametrize("settings", RANKED)
def test_rankings_are_judged_as_analyze_judges_them(settings: dict[str, Any]) -> None:
    asked = scenario("rank", 0.15, **{"systems": 5, "compared": "all", "ties": 0.0, **settings})
    made = drawn(asked)
    found = jb.analyze(ranked(made)).findings
    public = {frozenset(f.systems): f.result for f in found if f.id.startswith("win_rate/")}
    rows = judge(asked, made)
    assert len(rows) == len(public) == 10
    for row, (one, two) in zip(rows, asked.contrasts, strict=True):
        named = replace(row, system=str(one), other=str(two))  # type: ignore[call-arg]
        check(named, public[frozenset((str(one), str(two)))], lambda value: 1 - value)


@pytest.mark.parametrize("settings", RANKED)
def test_rankings_are_judged_as_plackett_luce_judges_them(settings: dict[str, Any]) -> None:
    asked = scenario("rank", 0.15, **{"systems": 5, "compared": "all", "ties": 0.0, **settings})
    asked = replace(asked, strengths=True)
    made = drawn(asked)
    check_strengths(asked, made, jb.plackett_luce(ranked(made)).differences)


@pytest.mark.parametrize(("systems", "raters"), [(1, 8), (2, 8), (3, 8)])
def test_detections_are_judged_as_turing_test_judges_them(systems: int, raters: int) -> None:
    asked = scenario("detect", -0.1, systems=systems, compared="all")
    made = drawn(asked, replace(SIZE, raters=raters))
    names = [*(str(k) for k in range(systems)), "photograph"]
    table = {
        "item": made.item,
        "rater": made.rater,
        "system": [names[k] for k in made.about],
        "truth": ["real" if k == systems else "generated" for k in made.about],
        "answer": ["real" if v else "generated" for v in made.value],
    }
    public = {row.system: row for row in jb.turing_test(table).differences}
    rows = judge(asked, made)
    assert len(rows) == len(public) == systems
    for row in rows:
        check(row, public[row.system])  # type: ignore[attr-defined]
