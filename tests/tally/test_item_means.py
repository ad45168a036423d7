"""Scores by item: means, dominance and the raters that all systems of an item share."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from jurybox.tally.item_means import item_deviations, item_scores, same_rater_means
from jurybox.tally.reading import read
from jurybox.tally.responses import Responses

Rows = list[tuple[str, str, str, float]]


def responses(rows: Rows) -> Responses:
    names = ("item", "system", "rater", "score")
    return read(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), shape="ratings")


def some(seed: int, share: float = 0.7) -> Rows:
    draw = random.Random(seed)
    return [
        (f"i{i}", s, f"r{r}", float(draw.randint(1, 5)))
        for i in range(8)
        for s in "ABC"
        for r in range(4)
        if draw.random() < share
    ]


def given(rows: Rows, item: str, system: str) -> list[float]:
    return [y for i, s, _, y in rows if (i, s) == (item, system)]


@pytest.mark.parametrize("seed", range(4))
def test_means_and_dominance_agree_with_plain_loops(seed: int) -> None:
    rows = some(seed)
    found = item_scores(responses(rows))
    one, two, dominance = [], [], []
    for item in sorted({row[0] for row in rows}):
        a, b = given(rows, item, "A"), given(rows, item, "B")
        if a and b:
            one.append(np.mean(a))
            two.append(np.mean(b))
            dominance.append(np.mean([np.sign(x - y) for x in a for y in b]))
    first, second = found.shared("A", "B")
    assert first == pytest.approx(one)
    assert second == pytest.approx(two)
    assert found.dominance("A", "B") == pytest.approx(dominance)
    assert found.dominance("B", "A") == pytest.approx([-d for d in dominance])


def test_systems_without_a_shared_item_share_nothing() -> None:
    found = item_scores(responses([("1", "A", "r", 3.0), ("2", "B", "r", 4.0)]))
    assert [len(part) for part in found.shared("A", "B")] == [0, 0]
    assert len(found.dominance("A", "B")) == 0
    assert len(found.means("C")[0]) == 0


@pytest.mark.parametrize("seed", range(4))
def test_blocks_are_means_over_the_same_raters(seed: int) -> None:
    rows = some(seed, 0.85)
    table, dropped = same_rater_means(responses(rows))
    expected: list[list[Any]] = []
    for item in sorted({row[0] for row in rows}):
        systems = {s for i, s, _, _ in rows if i == item}
        raters = {r for i, _, r, _ in rows if i == item}
        whole = {
            r for r in raters if {s for i, s, who, _ in rows if (i, who) == (item, r)} == systems
        }
        if whole:
            kept = [row for row in rows if row[0] == item and row[2] in whole]
            expected.append([np.mean(given(kept, item, s) or [np.nan]) for s in "ABC"])
    assert table == pytest.approx(np.array(expected), nan_ok=True)
    assert dropped == len({row[0] for row in rows}) - len(expected)


def test_raters_who_saw_one_system_each_leave_no_block() -> None:
    rows: Rows = [(f"i{i}", s, f"{s}{i}", 1.0) for i in range(3) for s in "ABC"]
    table, dropped = same_rater_means(responses(rows))
    assert (len(table), dropped) == (0, 3)


def test_item_deviations_are_those_of_item_means() -> None:
    rows: Rows = [("1", "A", "x", 1), ("1", "A", "y", 3), ("2", "A", "x", 4), ("1", "B", "x", 2)]
    # Item means of A: 2 and 4, so √2; B has one item.
    assert item_deviations(responses(rows)) == {"A": pytest.approx(2**0.5), "B": None}


def test_scores_that_differ_by_rounding_noise_dominate_nothing() -> None:
    rows = [(i, s, "r", x) for i in "12" for s, x in (("A", 0.1 + 0.2), ("B", 0.3))]
    rows += [("3", "A", "r", 0.4), ("3", "B", "r", 0.3)]
    assert item_scores(responses(rows)).dominance("A", "B").tolist() == [0, 0, 1]
