"""Graded votes: their mean by pair, how the grades lie, and what a page says of them."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from jurybox.analysis import Analysis, analyze
from jurybox.report import markdown
from jurybox.report.charts.pictures import distribution_of, dots_of

Rows = list[dict[str, Any]]


def graded(winners: str = "ab", *, ties: bool = True) -> Rows:
    """Three systems on twelve items by six raters, a preferred to b to c."""
    draw = random.Random(5)
    rows = []
    for item in range(12):
        for rater in range(6):
            for one, two in combinations("abc", 2):
                apart = round(draw.gauss(0.9, 1.4) + 0.3 * (rater % 3) - 0.1 * (item % 4))
                apart = max(-3, min(3, apart))
                if draw.random() < 0.5:
                    one, two, apart = two, one, -apart
                winner = "tie" if apart == 0 and ties else winners[apart < 0]
                rows.append(
                    {
                        **{"item": f"i{item}", "rater": f"r{rater}", "system_a": one},
                        **{"system_b": two, "winner": winner, "strength": abs(apart) or None},
                    }
                )
    return rows


def analyzed(rows: Rows) -> Analysis:
    return analyze({name: [row[name] for row in rows] for name in rows[0]})


def signed(row: dict[str, Any], first: str) -> float:
    if row["winner"] == "tie":
        return 0.0
    won = row["system_a"] if row["winner"] == "a" else row["system_b"]
    return float(row["strength"]) * (1 if won == first else -1)


def by_hand(x: list[float], raters: list[str], items: list[str]) -> tuple[float, float, float]:
    """The mean of single votes, clustered by rater and item."""
    away = np.array(x) - np.mean(x)

    def variance(groups: list[Any]) -> float:
        names = sorted(set(groups))
        sums = [away[[g == name for g in groups]].sum() for name in names]
        return len(names) / (len(names) - 1) * float(np.square(sums).sum()) / len(x) ** 2

    both = variance(raters) + variance(items) - variance(list(zip(raters, items, strict=True)))
    assert both > max(variance(raters), variance(items)) / 4
    half = float(stats.t.ppf(0.975, len(set(raters)) - 1)) * both**0.5
    return float(np.mean(x)), float(np.mean(x)) - half, float(np.mean(x)) + half


def test_a_pair_has_its_mean_grade_with_an_interval() -> None:
    rows = graded()
    found = analyzed(rows).table("grades/preference")
    assert found is not None
    assert [column.heading for column in found.columns[:3]] == ["System", "Over", "Mean grade"]
    assert len(found.rows) == 3
    for system, other, mean, ends, n in found.rows:
        own = [row for row in rows if {row["system_a"], row["system_b"]} == {system, other}]
        x = [signed(row, system) for row in own]
        raters, items = ([row[name] for row in own] for name in ("rater", "item"))
        assert n == len(own)
        assert (mean, *ends) == pytest.approx(by_hand(x, raters, items), abs=1e-9)
    assert "comparison mean opinion score (CMOS)" in found.caption
    chart = dots_of(found, ())
    assert chart is not None
    assert chart.rows[0].label == f"{found.rows[0][0]} over {found.rows[0][1]}"
    assert chart.reference == 0


def test_grades_lie_from_the_one_end_to_the_other() -> None:
    rows = graded()
    shown = analyzed(rows).table("grade_shares/preference")
    assert shown is not None
    assert [column.heading for column in shown.columns[1:]] == [
        *("−3", "−2", "−1", "0", "1", "2", "3"),
    ]
    for pair, *shares in shown.rows:
        one, _, two = pair.partition(" over ")
        x = [signed(row, one) for row in rows if {row["system_a"], row["system_b"]} == {one, two}]
        assert shares == pytest.approx([x.count(grade) / len(x) for grade in range(-3, 4)])
    drawn = distribution_of(shown)
    assert drawn is not None
    assert drawn.rows[0][0] == shown.rows[0][0]


def test_the_methods_call_it_a_mean_grade() -> None:
    found = analyzed(graded())
    page = markdown(found, versions={"jurybox": "0.1.0"})
    assert "mean grade" in page[page.index("## Methods") :]
    sentence = next(f.sentence for f in found.findings if f.id.startswith("grade/"))
    assert "where 3 is the most and a tie is 0 (95% interval" in sentence


def test_other_strengths_have_no_name_and_votes_without_any_no_table() -> None:
    rows = [{**row, "strength": row["strength"] and 2 * row["strength"]} for row in graded()]
    other = analyzed(rows).table("grades/preference")
    assert other is not None
    assert "CMOS" not in other.caption
    plain = [{**row, "strength": None} for row in graded()]
    assert analyzed(plain).table("grades/preference") is None


def test_both_bad_is_a_grade_of_0() -> None:
    rows = graded()
    bad = [{**row, "winner": "both_bad"} if row["winner"] == "tie" else row for row in rows]
    one, two = (analyzed(each).table("grade_shares/preference") for each in (rows, bad))
    assert one is not None
    assert two is not None
    assert one.rows == two.rows
