"""The variance of pairs both ways: by hand, and where a part of it is nothing or noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jurybox.stats.clusters import OneWay, satterthwaite
from jurybox.stats.two_way import resample_items, variance_of_pairs


def test_raters_add_to_items_what_their_cells_do_not() -> None:
    # 4 + (3 − 1) = 6; 6² / (4²/9 + 2²/4) = 36 / (1.78 + 1) = 12.96.
    assert variance_of_pairs(4, 3, 1, n_items=10, n_raters=5) == (6, 12)


def test_raters_never_take_away_from_items() -> None:
    # Cells larger than raters by chance: items alone, with their nine degrees of freedom.
    assert variance_of_pairs(4, 3, 5, n_items=10, n_raters=5) == (4, 9)


def test_items_that_never_vary_leave_raters() -> None:
    assert variance_of_pairs(0, 3, 1, n_items=10, n_raters=5) == (2, 4)
    # Were it 0 here, raters who vary would pass for certain.
    assert variance_of_pairs(0, 3, 3, n_items=10, n_raters=5) == (3, 4)
    assert variance_of_pairs(0, 0, 0, n_items=10, n_raters=5) is None


def test_degrees_of_freedom_of_a_sum() -> None:
    def of(*parts: tuple[float, int]) -> int:
        return satterthwaite(*(OneWay(variance=v, clusters=g) for v, g in parts))

    # Equal variances from equally many clusters: twice the degrees of freedom of one.
    assert of((2.0, 8), (2.0, 8)) == 14
    # Welch's: (1/5 + 9/10)² / ((1/5)²/4 + (9/10)²/9) = 1.21 / 0.1 = 12.1.
    assert of((1 / 5, 5), (9 / 10, 10)) == 12
    # One part alone has its own; never fewer than one.
    assert of((3.0, 7), (0.0, 2)) == 6
    assert of((1.0, 2), (1e-9, 2)) == 1


@pytest.mark.parametrize("part", [1e-150, 1.0, 1e150])
def test_degrees_of_freedom_have_no_unit(part: float) -> None:
    assert satterthwaite(OneWay(variance=part, clusters=4), OneWay(variance=part, clusters=4)) == 6


class Counting:
    """A generator that counts how often it is asked."""

    def __init__(self) -> None:
        self.drawn = np.random.default_rng(5)
        self.calls = 0

    def integers(self, *bounds: Any, **kinds: Any) -> Any:
        self.calls += 1
        return self.drawn.integers(*bounds, **kinds)


@pytest.mark.parametrize("n", [3, 7, 4000])
def test_that_few_items_are_drawn_in_few_calls_and_as_one_by_one(n: int) -> None:
    rows = np.random.default_rng(1).normal(size=(n, 2))
    drawing = Counting()

    found = np.concatenate(list(resample_items(rows, np.ones(n), 20, drawing)))  # type: ignore[arg-type]

    alone = np.random.default_rng(5)
    drawn = [alone.integers(0, n, n, dtype=np.int32) for _ in range(20)]
    assert np.allclose(found, [rows[each].sum(axis=0) for each in drawn])
    assert drawing.calls == max(1, 20 // max(1, 10_000 // n))
