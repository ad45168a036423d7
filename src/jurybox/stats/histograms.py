"""What counts of scores say: median, percentiles, standard deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.stats.rank_tests import even_out

__all__ = ["Histogram", "histogram"]

Array = NDArray[np.float64]
MOST_BARS = 101
"""Distinct values up to which a histogram is worth keeping: a slider from 0 to 100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """The spread of single scores."""

    values: tuple[float, ...]
    counts: tuple[int, ...]
    sd: float | None
    """``None`` for a single score."""

    @property
    def bars(self) -> tuple[tuple[float, int], ...]:
        """How often each value was given; nothing where there are very many values."""
        if len(self.values) > MOST_BARS:
            return ()
        return tuple(zip(self.values, self.counts, strict=True))

    def quantile(self, share: float) -> float:
        """The value below which this share of the scores lies, between two scores in proportion.

        >>> histogram(np.array([1.0, 2, 5]), np.array([1, 1, 2])).quantile(0.5)
        3.5
        """
        running = np.cumsum(self.counts)
        at = share * (float(running[-1]) - 1)
        low, high = (
            self.values[int(np.searchsorted(running, place, side="right"))]
            for place in (math.floor(at), math.ceil(at))
        )
        return low + (at - math.floor(at)) * (high - low)


def histogram(values: Array, counts: Array) -> Histogram:
    """The counts in order, values that differ by rounding only taken as one.

    >>> found = histogram(np.array([0.3, 0.1 + 0.2]), np.array([1, 2]))
    >>> found.bars, found.sd
    (((0.3, 3),), 0.0)
    """
    if len(values) == 0 or len(values) != len(counts) or (np.asarray(counts) < 0).any():
        raise InputError("histogram: every value needs one count, and there must be one at least")
    scores = np.asarray(values, dtype=np.float64)
    evened = even_out(scores, float(np.abs(scores).max()))
    distinct, place = np.unique(evened, return_inverse=True)
    n = np.bincount(place, weights=np.asarray(counts, dtype=np.float64))
    total = float(n.sum())
    center = float((n * distinct).sum()) / total
    square = float((n * (distinct - center) ** 2).sum())
    return Histogram(
        values=tuple(distinct.tolist()),
        counts=tuple(round(each) for each in n.tolist()),
        sd=math.sqrt(square / (total - 1)) if total > 1 else None,
    )
