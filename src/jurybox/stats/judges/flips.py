r"""Flips: how far a judge contradicts itself when only the order, the wording or the call changes.

Let two sets of replies to one unit have :math:`m_1` and :math:`m_2` replies, and let d be 1 for two
different answers (of numbers, how far they are apart). With :math:`D` the sum of d over the pairs
of a set,

.. math::
    w = \frac{D}{m(m-1)/2}, \qquad c = \frac{D_{12} - D_1 - D_2}{m_1 m_2}, \qquad
    c - \tfrac12 (w_1 + w_2)

are what differs within a set, between the two, and between the two beyond chance. The last has mean
zero where the two sets come from one distribution and is positive otherwise: half the squared
distance of the two distributions of words, the energy distance of two of numbers. So nothing but
repeats can tell a bias of position from a judge that answers at random, and a unit counts once
however often it was asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.judges.biases import Bias, JudgeBias, Kind, Replies, ShareBias, over_items

__all__ = ["first_shown", "position", "repeats", "wording"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
NO_REPEATS = "no call is there twice; set repeats: 2"
ONE_ORDER = "each trial is there in one order only; set order: both"
ONE_PLACE = "no output was shown at two places; where a trial shows several, set order: both"


@dataclass(frozen=True, slots=True)
class _Cells:
    """Sets of replies: the group each belongs to, its size, and the sum of d over its pairs."""

    group: Numbers
    m: Array
    d: Array

    @property
    def within(self) -> Array:
        """What differs between two replies of a set; NaN where there is one."""
        pairs = self.m * (self.m - 1) / 2
        return np.where(pairs > 0, self.d / np.maximum(pairs, 1), np.nan)


def _cells(group: Numbers, part: Numbers, found: Replies, rows: Numbers) -> _Cells:
    """The sets of the replies ``rows``, by group and part of it."""
    width = int(part.max(initial=0)) + 1
    key, cell = np.unique(group * width + part, return_inverse=True)
    cell = cell.ravel()
    m = np.bincount(cell, minlength=len(key)).astype(np.float64)
    return _Cells(key // width, m, _pair_sums(cell, m, found, rows))


def _pair_sums(cell: Numbers, m: Array, found: Replies, rows: Numbers) -> Array:
    if not found.is_number:
        code = found.code[rows]
        width = int(found.code.max(initial=0)) + 1
        own, count = np.unique(cell * width + code, return_counts=True)
        return np.asarray((m**2 - np.bincount(own // width, count.astype(float) ** 2, len(m))) / 2)
    x = found.reply[rows]
    at = np.lexsort((x, cell))
    start = np.cumsum(m) - m
    place = np.arange(len(at)) - start[cell[at]]
    # The k-th of m in order is larger than k others and smaller than m − 1 − k.
    made = np.bincount(cell[at], (2 * place - m[cell[at]] + 1) * x[at], len(m))
    return np.asarray(made, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Beyond:
    """Of each group with two parts: what differs between the parts, and within them."""

    group: Numbers
    between: Array
    within: Array
    """NaN where nothing was repeated."""


def _beyond(group: Numbers, part: Numbers, found: Replies, rows: Numbers) -> _Beyond:
    parts = _cells(group, part, found, rows)
    whole = _cells(group, np.zeros_like(part), found, rows)
    at = np.searchsorted(whole.group, parts.group)
    n = len(whole.group)
    within_pairs = np.bincount(at, parts.m * (parts.m - 1) / 2, n)
    pairs = whole.m * (whole.m - 1) / 2 - within_pairs
    own = np.nan_to_num(parts.within)
    known = np.bincount(at, ~np.isnan(parts.within), n)
    two = np.bincount(at, minlength=n) > 1
    within = np.where(known > 0, np.bincount(at, own, n) / np.maximum(known, 1), np.nan)
    between = (whole.d - np.bincount(at, parts.d, n)) / np.maximum(pairs, 1)
    return _Beyond(whole.group[two], between[two], within[two])


def repeats(found: Replies, judge: int, **told: Any) -> JudgeBias:
    """How often two repeats of one call differ; of numbers, how far they are apart."""
    rows = np.flatnonzero(found.judge == judge)
    say = _Say(found, "repeats", {"judge": found.judges[judge], **told})
    if not len(rows):
        return say.nothing("it has no usable reply")
    cells = _cells(found.reply_unit[rows], _orders(found)[rows], found, rows)
    known = ~np.isnan(cells.within)
    if not known.any():
        return say.nothing(NO_REPEATS)
    unit, value = _per_group(cells.group[known], cells.within[known])
    return say.mean(value, unit, kind="share")


def position(found: Replies, judge: int, **told: Any) -> JudgeBias:
    """What differs between the two orders of a trial, less what differs between repeats of one."""
    rows = np.flatnonzero(found.judge == judge)
    say = _Say(found, "position", {"judge": found.judges[judge], **told})
    if not len(rows):
        return say.nothing("it has no usable reply")
    made = _beyond(found.reply_unit[rows], _orders(found)[rows], found, rows)
    return say.beyond(made.group, made, ONE_ORDER if found.shape == "votes" else ONE_PLACE)


def wording(found: Replies, judge: int, other: int, **told: Any) -> JudgeBias:
    """What differs between two wordings on one trial and order, less what repeats differ by."""
    rows = np.flatnonzero((found.judge == judge) | (found.judge == other))
    names = {"judge": found.judges[judge], "against": found.judges[other]}
    say = _Say(found, "wording", {**names, **told})
    orders = _orders(found)[rows]
    width = int(orders.max(initial=0)) + 1
    group = found.reply_unit[rows] * width + orders
    made = _beyond(group, (found.judge[rows] == other).astype(np.int64), found, rows)
    return say.beyond(made.group // width, made, "the two have no trial and order in common")


def first_shown(found: Replies, judge: int, **told: Any) -> JudgeBias:
    """How much more often the output shown first wins; of scores, what being first adds."""
    own = found.judge == judge
    say = _Say(found, "first_shown", {"judge": found.judges[judge], **told})
    if found.shape != "votes" and not found.is_number:
        return say.nothing("words have no first and second")
    rows = np.flatnonzero(own)
    unit, order, value = found.reply_unit[rows], found.order[rows], found.reply[rows]
    if found.shape == "votes":
        shown = (order == 0) | (order == 1)
        return _first_of_votes(say, unit[shown], order[shown], value[shown])
    # Of one output the place that comes first, and the one that comes last.
    key, cell = np.unique(np.column_stack([unit, order]), axis=0, return_inverse=True)
    mean = np.bincount(cell.ravel(), value) / np.bincount(cell.ravel())
    change = np.flatnonzero(np.diff(key[:, 0])) + 1
    first, last = np.append(0, change), np.append(change - 1, len(key) - 1)
    both = first < last
    if not len(key) or not both.any():
        return say.nothing(ONE_PLACE)
    return say.mean(mean[first[both]] - mean[last[both]], key[first[both], 0], kind="number")


def _first_of_votes(say: _Say, unit: Numbers, order: Numbers, value: Array) -> JudgeBias:
    won = np.where(order == 1, value, 1 - value)
    if len(np.unique(order)) < 2:
        return say.nothing("the order shown is unknown or the same throughout; set order: both")
    cell, place = np.unique(unit * 2 + order, return_inverse=True)
    mean = np.bincount(place.ravel(), won) / np.bincount(place.ravel())
    units, at, count = np.unique(cell // 2, return_inverse=True, return_counts=True)
    both = np.bincount(at.ravel(), mean) / count
    if (count == 2).any():
        kept = count == 2
        return say.mean(both[kept] - 0.5, units[kept], kind="advantage")
    note = "each trial was shown in one order: this holds if the order was drawn at random"
    return say.mean(both - 0.5, units, kind="advantage", notes=(note,))


def _orders(found: Replies) -> Numbers:
    """Orders from 0, unknown ones too."""
    return np.asarray(found.order - min(0, int(found.order.min(initial=0))), dtype=np.int64)


def _per_group(group: Numbers, value: Array) -> tuple[Numbers, Array]:
    """The mean of each group."""
    own, at = np.unique(group, return_inverse=True)
    at = at.ravel()
    return own, np.bincount(at, value) / np.bincount(at)


@dataclass(frozen=True, slots=True)
class _Say:
    """A row about one judge, in points of the scale or as a share."""

    found: Replies
    bias: Bias
    told: dict[str, Any]

    @property
    def _settings(self) -> dict[str, Any]:
        return {"bias": self.bias, **{k: v for k, v in self.told.items() if k != "confidence"}}

    def _make(self, **given: Any) -> JudgeBias:
        kind = JudgeBias if self.found.is_number else ShareBias
        return kind(**self._settings, **given)

    def nothing(self, why: str, **given: Any) -> JudgeBias:
        """No estimate, and why."""
        return self._make(estimate=None, undefined=why, **given)

    def mean(self, value: Array, unit: Numbers, *, kind: Kind, **given: Any) -> JudgeBias:
        """The mean over units, clustered by item."""
        made = over_items(
            value,
            self.found.unit_item[unit],
            confidence=float(self.told.get("confidence", 0.95)),
            kind="number" if self.found.is_number else kind,
        )
        return self._make(
            estimate=made.mean,
            interval=made.interval,
            undefined=made.undefined,
            # Repeats are never apart by less than nothing: nothing tests for that.
            p=None if self.bias == "repeats" else made.p,
            n_items=made.n_items,
            n_responses=len(value),
            **given,
        )

    def beyond(self, unit: Numbers, made: _Beyond, none: str) -> JudgeBias:
        """What differs between two parts beyond chance, on average over units."""
        if not len(unit):
            return self.nothing(none)
        observed = float(_per_group(unit, made.between)[1].mean())
        known = ~np.isnan(made.within)
        if not known.any():
            return self.nothing(NO_REPEATS, observed=observed)
        units, between = _per_group(unit[known], made.between[known])
        within = _per_group(unit[known], made.within[known])[1]
        return self.mean(
            between - within,
            units,
            kind="excess",
            observed=float(between.mean()),
            chance=float(within.mean()),
        )
