"""People's answers and a judge's, as the statistics of judges take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.judges.likeness import Likeness

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Units:
    item: NDArray[np.int64]
    unit: NDArray[np.int64]
    rater: NDArray[np.int64]
    answer: Array
    n_values: int | None
    likeness: Likeness | None = None


def units(
    answers: Sequence[Mapping[str, Any]],
    *,
    words: Sequence[Any] | None = None,
    items: Sequence[int] | None = None,
) -> Units:
    """One mapping of rater to answer per unit; ``words``: the values, where answers are no numbers.

    By default every unit is an item of its own.
    """
    names = sorted({name for each in answers for name in each})
    rows = [
        (u, names.index(name), words.index(value) if words is not None else value)
        for u, each in enumerate(answers)
        for name, value in each.items()
    ]
    unit, rater, answer = zip(*rows, strict=True) if rows else ((), (), ())
    return Units(
        item=np.array(range(len(answers)) if items is None else items, dtype=np.int64),
        unit=np.array(unit, dtype=np.int64),
        rater=np.array(rater, dtype=np.int64),
        answer=np.array(answer, dtype=np.float64),
        n_values=None if words is None else len(words),
    )


def codes(answers: Sequence[Any], words: Sequence[Any] | None = None) -> Array:
    """A judge's answers; ``None`` where it has none."""
    return np.array(
        [
            np.nan if value is None else words.index(value) if words is not None else value
            for value in answers
        ],
        dtype=np.float64,
    )
