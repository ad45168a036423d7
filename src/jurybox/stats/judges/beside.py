r"""A judge's answers beside people's, as sums over units that can lose an item or a rater.

A unit is what a judge and people both answered: an output, or an item with two systems. Four pairs
of sides are looked at on the same units, each unit counting once:

- ``judge_person``: the judge with each person, averaged over the unit's people;
- ``people``: every two people of the unit, averaged: the ceiling of the first;
- ``judge_consensus``: the judge with the consensus of all people but one, averaged over that one;
- ``person_consensus``: that one with the same consensus: the ceiling of the third.

The consensus of words is the most common answer, equally common ones sharing it; of numbers it is
the mean; of rankings and marks there is none, so that these have the first two pairs alone. What a
unit adds to a pair's sums depends on its people's answers and on the judge's alone (``features``),
so leaving a rater out changes the sums of that rater's units and no others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.grouped import sum_by
from jurybox.stats.judges.likeness import Likeness, pairs_of_units
from jurybox.stats.two_way import Deleted

__all__ = [
    "AnsweredUnits",
    "Beside",
    "Sides",
    "kappa",
    "lay_beside",
    "pearson",
    "percent",
    "weighted_kappa",
]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Truths = NDArray[np.bool_]
Sides = Literal["judge_person", "people", "judge_consensus", "person_consensus"]
SIDES: tuple[Sides, ...] = ("judge_person", "people", "judge_consensus", "person_consensus")


class AnsweredUnits(Protocol):
    """People's answers: one row for each answer of a rater to a unit."""

    @property
    def item(self) -> NDArray[np.int64]:
        """The item of each unit."""

    @property
    def unit(self) -> NDArray[np.int64]:
        """The unit of each answer."""

    @property
    def rater(self) -> NDArray[np.int64]:
        """The rater of each answer."""

    @property
    def answer(self) -> NDArray[np.float64]:
        """The answers: numbers, the places of words among the values, or codes."""

    @property
    def n_values(self) -> int | None:
        """How many words there are; ``None`` where answers are none."""

    @property
    def likeness(self) -> Likeness | None:
        """How alike two answers are, where they are codes of neither words nor numbers."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Beside:
    """What units add to the sums of each pair of sides, and what each answer adds to its unit's."""

    item: Numbers
    """The item of each unit, counted from 0."""
    unit: Numbers
    rater: Numbers
    """Unit and rater of each answer, counted from 0."""
    each: Array
    """Units × features."""
    lost: Array
    """Answers × features: what the unit's sums lose without the answer."""
    width: int
    """Features of one pair of sides."""

    @cached_property
    def n_items(self) -> int:
        """How many items there are."""
        return int(self.item.max(initial=-1)) + 1

    @cached_property
    def n_raters(self) -> int:
        """How many raters there are."""
        return int(self.rater.max(initial=-1)) + 1

    @cached_property
    def total(self) -> Array:
        """The sums over all units."""
        return np.asarray(self.each.sum(axis=0))

    def of(self, sides: Sides, sums: Array) -> Array:
        """The part of the sums that is about a pair of sides."""
        start = SIDES.index(sides) * self.width
        return sums[..., start : start + self.width]

    def without_items(self, value: Callable[[Array], Array]) -> Deleted:
        """A statistic without each item."""
        return _each(value(self._without_items))

    def without_raters(self, value: Callable[[Array], Array]) -> Deleted:
        """A statistic without each rater."""
        return _each(value(self._without_raters))

    def without_cells(self, value: Callable[[Array], Array]) -> Deleted:
        """A statistic without the answers of each rater to each item."""
        return _each(value(self._without_cells))

    # The sums are those of every statistic, so they are added up once.

    @cached_property
    def _without_items(self) -> Array:
        return self.total - sum_by(self.item, self.each, self.n_items)

    @cached_property
    def _without_raters(self) -> Array:
        return self.total - sum_by(self.rater, self.lost, self.n_raters)

    @cached_property
    def _without_cells(self) -> Array:
        keys = self.item[self.unit] * self.n_raters + self.rater
        cells, cell = np.unique(keys, return_inverse=True)
        return self.total - sum_by(cell.ravel(), self.lost, len(cells))


def _each(theta: Array) -> Deleted:
    return Deleted(theta, np.ones(len(theta)))


def lay_beside(people: AnsweredUnits, judge: Array, *, least: int = 2) -> Beside | None:
    """The units that the judge and at least so many people answered; ``None`` if there are none.

    ``judge``: its answer to each unit, NaN where it has none. With ``least=1`` only the judge with
    a person is defined.
    """
    counts = np.bincount(people.unit, minlength=len(people.item))
    use = ~np.isnan(judge) & (counts >= least)
    if not use.any():
        return None
    number = np.cumsum(use) - 1
    rows = use[people.unit]
    unit, answer = number[people.unit[rows]], people.answer[rows]
    rater = np.unique(people.rater[rows], return_inverse=True)[1].ravel()
    item = np.unique(people.item[use], return_inverse=True)[1].ravel()
    own = judge[use]
    if people.likeness is not None:
        each, lost, width = _of_pairs(unit, answer, own, people.likeness, least)
    elif people.n_values is None:
        each, lost, width = _of_numbers(unit, answer, own, least)
    else:
        each, lost, width = _of_words(unit, answer, own, people.n_values, least)
    return Beside(item=item, unit=unit, rater=rater, each=each, lost=lost, width=width)


def _of_pairs(
    unit: Numbers, answer: Array, judge: Array, likeness: Likeness, least: int
) -> tuple[Array, Array, int]:
    """1 and the mean likeness of the judge with a person, and of two people."""
    one, two = pairs_of_units(unit)
    between, beside = likeness(answer[one], answer[two]), likeness(judge[unit], answer)
    known = ~np.isnan(between)
    pairs = np.column_stack([known, np.where(known, between, 0.0)])
    met = ~np.isnan(beside)
    own = np.column_stack([met, np.where(met, beside, 0.0), np.ones(len(unit))])
    of_unit = np.hstack([sum_by(unit, own, len(judge)), sum_by(unit[one], pairs, len(judge))])
    of_answer = np.hstack([own, sum_by(one, pairs, len(unit)) + sum_by(two, pairs, len(unit))])
    each = _pair_features(of_unit, least)
    return each, each[unit] - _pair_features(of_unit[unit] - of_answer, least), 2


def _pair_features(sums: Array, least: int) -> Array:
    """Of units: how many pairs and how alike, with the judge and among people."""
    met, alike, n, pairs, same = sums.T
    there = (n > least - 0.5) & (met > 0.5) & ((pairs > 0.5) | (least < 2))
    one = np.ones(len(sums))
    with_judge, of_people = alike / np.maximum(met, 1), same / np.maximum(pairs, 1)
    return np.asarray(there[:, None] * np.column_stack([one, with_judge, one, of_people]))


def _of_words(
    unit: Numbers, answer: Array, judge: Array, n_values: int, least: int
) -> tuple[Array, Array, int]:
    """Features of units and what they lose; units with the same answers are looked at once."""
    place = answer.astype(np.int64)
    counts = np.bincount(unit * n_values + place, minlength=len(judge) * n_values)
    table = np.column_stack([counts.reshape(-1, n_values), judge.astype(np.int64)])
    kinds, kind = np.unique(table, axis=0, return_inverse=True)
    kind = kind.ravel()
    of_kinds = _word_features(kinds[:, :-1].astype(np.float64), kinds[:, -1], least)
    pairs, pair = np.unique(kind[unit] * n_values + place, return_inverse=True)
    before, gone = pairs // n_values, pairs % n_values
    after = kinds[before, :-1].astype(np.float64)
    after[np.arange(len(pairs)), gone] -= 1
    lost = of_kinds[before] - _word_features(after, kinds[before, -1], least)
    return of_kinds[kind], lost[pair.ravel()], 2 + 2 * n_values


def _word_features(counts: Array, judge: Numbers, least: int) -> Array:
    """1, agreement, and the two sides' shares of each value, of each pair of sides."""
    n = counts.sum(axis=1)
    size, rows = counts.shape[1], np.arange(len(counts))
    given = counts / np.maximum(n, 1)[:, None]
    said = np.zeros_like(counts)
    said[rows, judge] = 1.0
    pairs = (counts * (counts - 1)).sum(axis=1) / np.maximum(n * (n - 1), 1)
    consensus = np.zeros_like(counts)
    with_others = np.zeros(len(counts))
    for value in range(size):
        others = counts.copy()
        others[:, value] -= 1
        modes = (others == others.max(axis=1, keepdims=True)) & (others > 0)
        shared = modes / np.maximum(modes.sum(axis=1), 1)[:, None] * given[:, [value]]
        consensus += shared
        with_others += shared[:, value]
    there = (n >= least).astype(np.float64)[:, None]
    parts = (
        (given[rows, judge], said, given),
        (pairs, given, given),
        (consensus[rows, judge], said, consensus),
        (with_others, given, consensus),
    )
    ones = np.ones((len(counts), 1))
    each = [np.hstack([ones, agree[:, None], one, two]) for agree, one, two in parts]
    return np.asarray(there * np.hstack(each))


def _of_numbers(unit: Numbers, answer: Array, judge: Array, least: int) -> tuple[Array, Array, int]:
    # What is far from zero would lose its digits in the squares.
    center = float(answer.mean())
    y, x = answer - center, judge - center
    columns = np.column_stack([np.ones_like(y), y, y * y])
    n, s, q = sum_by(unit, columns, len(x)).T
    each = _number_features(n, s, q, x, least)
    own = x[unit]
    after = _number_features(n[unit] - 1, s[unit] - y, q[unit] - y * y, own, least)
    return each, each[unit] - after, 6


def _number_features(n: Array, s: Array, q: Array, x: Array, least: int) -> Array:
    r"""1 and the means of xy, x, y, x² and y² of each pair of sides.

    With :math:`S = \sum y` and :math:`Q = \sum y^2` two people's product is on average
    :math:`(S^2 - Q)/n(n-1)`, and the mean of all but one, squared,
    :math:`((n - 2) S^2 + Q)/n(n-1)^2`.
    """
    some, two = np.maximum(n, 1), np.maximum(n - 1, 1)
    mean, square = s / some, q / some
    product = (s * s - q) / (some * two)
    consensus = ((n - 2) * s * s + q) / (some * two * two)
    one = np.ones_like(x)
    parts = (
        (one, x * mean, x, mean, x * x, square),
        (one, product, mean, mean, square, square),
        (one, x * mean, x, mean, x * x, consensus),
        (one, product, mean, mean, square, consensus),
    )
    there = (n >= least).astype(np.float64)[:, None]
    return np.asarray(there * np.column_stack([column for part in parts for column in part]))


def percent(sums: Array) -> Array:
    """The share of units' answers that are alike, or how alike they are on average."""
    return _over(sums[..., 1], sums[..., 0], sums[..., 0] > 0.5)


def kappa(sums: Array) -> Array:
    r""":math:`(p_a - p_e)/(1 - p_e)` with :math:`p_e = \sum_c \pi_c \rho_c` of the two sides."""
    n = np.maximum(sums[..., :1], 1e-300)
    size = (sums.shape[-1] - 2) // 2
    one, two = sums[..., 2 : 2 + size] / n, sums[..., 2 + size :] / n
    expected = (one * two).sum(axis=-1)
    agree = sums[..., 1] / n[..., 0]
    fine = (sums[..., 0] > 0.5) & (expected < 1 - 1e-12)
    return _over(agree - expected, 1 - expected, fine)


def weighted_kappa(sums: Array) -> Array:
    r""":math:`1 - E(x - y)^2 / (E x^2 + E y^2 - 2\, E x\, E y)`: quadratic weights."""
    xy, x, y, xx, yy = _means(sums)
    expected = xx + yy - 2 * x * y
    return _over(2 * (xy - x * y), expected, _varies(expected, xx + yy) & (sums[..., 0] > 0.5))


def pearson(sums: Array) -> Array:
    """The correlation of the two sides' answers over all pairs of answers."""
    xy, x, y, xx, yy = _means(sums)
    one, two = xx - x * x, yy - y * y
    fine = _varies(one, xx) & _varies(two, yy) & (sums[..., 0] > 0.5)
    spread = np.sqrt(np.where(fine, one * two, 1.0))
    return np.clip(_over(xy - x * y, spread, fine), -1.0, 1.0)


def _means(sums: Array) -> tuple[Array, ...]:
    n = np.maximum(sums[..., 0], 1e-300)
    return tuple(sums[..., k] / n for k in range(1, 6))


def _varies(variance: Array, square: Array) -> Truths:
    """Whether it is more than what rounding leaves of a variance that is zero."""
    return np.asarray(variance > 1e-12 * np.maximum(square, 1e-300))


def _over(above: Array, below: Array, fine: Truths) -> Array:
    return np.where(fine, above / np.where(fine, below, 1.0), np.nan)
