"""Systems as people and as each judge see them, on the same units."""

from __future__ import annotations

import math
from typing import Any

import pytest

import jurybox as jb
from jurybox.analysis.finding import Table

RATING = ("item", "system", "rater", "rater_kind", "score")
VOTE = ("item", "system_a", "system_b", "rater", "rater_kind", "first", "winner")
DETECTION = ("item", "system", "rater", "rater_kind", "truth", "answer")


def seen(columns: tuple[str, ...], *rows: tuple[Any, ...]) -> Table | None:
    table = {name: [row[k] for row in rows] for k, name in enumerate(columns)}
    found = [t for t in jb.analyze(table).tables if t.id.startswith("by_rater_kind/")]
    return found[0] if found else None


def figures(table: Table | None) -> dict[tuple[str, str], float]:
    assert table is not None
    return {(row[0], row[1]): row[2] for row in table.rows}


SCORES = {"new": (4, 5, 3, 4), "old": (2, 3, 3, 2)}
"""Of four items, by everyone of two people; the judge gives one point more."""


def ratings(*, judged: int = 4) -> list[tuple[Any, ...]]:
    made: list[tuple[Any, ...]] = []
    for system, scores in SCORES.items():
        for item, score in enumerate(scores):
            made += [(item, system, who, "person", score) for who in ("ada", "ben")]
            if item < judged:
                made.append((item, system, "j1", "judge", score + 1))
    return made


def test_means_of_people_and_of_a_judge() -> None:
    table = seen(RATING, *ratings())
    # new: (4 + 5 + 3 + 4) / 4 = 4, old: (2 + 3 + 3 + 2) / 4 = 2.5; the judge one point above.
    assert figures(table) == pytest.approx(
        {("new", "people"): 4, ("new", "j1"): 5, ("old", "people"): 2.5, ("old", "j1"): 3.5}
    )
    assert table is not None
    assert [row[:2] for row in table.rows] == [
        ("new", "people"),
        ("new", "j1"),
        ("old", "people"),
        ("old", "j1"),
    ]
    assert [row[4] for row in table.rows] == [8, 4, 8, 4]
    # The judge on new: 5, 6, 4, 5 have a variance of 2/3, so that the half width over four items
    # is 3.182 √(2/3 / 4) = 1.299.
    low, high = table.rows[1][3]
    assert (low, high) == pytest.approx(
        (5 - 3.1824463 * math.sqrt(1 / 6), 5 + 3.1824463 * math.sqrt(1 / 6))
    )
    assert "Intervals of a judge hold for items like these, judged by this judge only." in (
        table.caption
    )


def test_only_what_everyone_answered_counts() -> None:
    # The judge saw the first two items: people's means are (4 + 5) / 2 and (2 + 3) / 2 there.
    table = seen(RATING, *ratings(judged=2))
    assert figures(table) == pytest.approx(
        {("new", "people"): 4.5, ("new", "j1"): 5.5, ("old", "people"): 2.5, ("old", "j1"): 3.5}
    )


def test_two_judges_on_different_items_share_none() -> None:
    rows = [row for row in ratings() if row[3] == "person" or row[0] < 2]
    rows += [(3, system, "j2", "judge", 1) for system in SCORES]
    assert seen(RATING, *rows) is None


def test_words_are_not_counted() -> None:
    rows = [(*row[:4], "good" if row[4] > 3 else "bad") for row in ratings()]
    assert seen(RATING, *rows) is None


def test_votes_are_worth_half_where_nobody_wins() -> None:
    said = ("a", "a", "tie", "both_bad")
    rows: list[tuple[Any, ...]] = []
    for item, winner in enumerate(said):
        rows += [(item, "new", "old", who, "person", "a", winner) for who in ("ada", "ben")]
        # Whoever is shown first wins by the judge: its two orders contradict, which is a tie.
        rows += [(item, "new", "old", "j1", "judge", first, first) for first in "ab"]
    # People: (1 + 1 + ½ + ½) / 4 = ¾ for new.
    table = seen(VOTE, *rows)
    assert figures(table) == pytest.approx(
        {
            ("new", "people"): 0.75,
            ("new", "j1"): 0.5,
            ("old", "people"): 0.25,
            ("old", "j1"): 0.5,
        }
    )
    assert table is not None
    assert table.columns[2].heading == "Win rate"


def test_shares_called_real() -> None:
    rows: list[tuple[Any, ...]] = []
    for item in range(4):
        for system, truth in (("camera", "real"), ("new", "generated")):
            for who, kind in (("ada", "person"), ("ben", "person"), ("j1", "judge")):
                fooled = item < (3 if kind == "person" else 1)
                real = truth == "real" or fooled
                rows.append((item, system, who, kind, truth, "real" if real else "generated"))
    table = seen(DETECTION, *rows)
    assert figures(table) == pytest.approx(
        {
            ("camera", "people"): 1,
            ("camera", "j1"): 1,
            ("new", "people"): 0.75,
            ("new", "j1"): 0.25,
        }
    )


def test_people_alone_have_no_such_table() -> None:
    assert seen(RATING, *(row for row in ratings() if row[3] == "person")) is None
