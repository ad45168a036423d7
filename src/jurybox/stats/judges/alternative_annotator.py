"""The alternative-annotator test: whether a judge may stand in for one of the people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.results import Interval, Result, ResultTable, format_count
from jurybox.stats.clusters import THESE_ITEMS, OneWay, claims, t_interval
from jurybox.stats.distributions import check_confidence, t_two_sided
from jurybox.stats.grouped import sum_by
from jurybox.stats.judges.beside import AnsweredUnits
from jurybox.stats.judges.likeness import Likeness, pairs_of_units
from jurybox.stats.multiple import benjamini_yekutieli
from jurybox.stats.shares import wilson

__all__ = [
    "FEWEST_ITEMS",
    "FEWEST_RATERS",
    "AlternativeAnnotatorTest",
    "AlternativeAnnotatorTests",
    "alternative_annotator",
    "check_epsilon",
]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
FEWEST_ITEMS = 30
"""Items of a rater from which on the t test of that rater holds."""
FEWEST_RATERS = 3
"""With two, each is all that the other is measured by."""
FALSE = 0.05
"""The share of false rejections among the raters' tests."""
PASS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeAnnotatorTest(Result):
    """How many of the people a judge may stand in for; ``estimate`` is the winning rate at ε."""

    label: ClassVar[str] = "winning rate"
    as_percent: ClassVar[bool] = True

    judge: str
    epsilon: float
    criterion: str | None = None
    answers: str | None = None
    """What answers are where they were made of what raters gave, as ``error points``."""
    panel_of: tuple[str, ...] = ()
    passes: bool | None = None
    """Whether the winning rate is one half or more."""
    at_zero: float | None = None
    """The winning rate at ε = 0: without a bonus for being cheap."""
    at_zero_low: float | None = None
    at_zero_high: float | None = None
    passes_at_zero: bool | None = None
    advantage: float | None = None
    """How often the judge is at least as close to the other people as the one left out."""
    advantage_low: float | None = None
    advantage_high: float | None = None
    raters: tuple[str, ...] = ()
    """The raters who were tested, each with the three figures below."""
    advantages: tuple[float, ...] = ()
    ps: tuple[float, ...] = ()
    ps_adjusted: tuple[float, ...] = ()
    n_too_few: int = 0
    """Raters with fewer than 30 items beside the judge and another person."""

    @property
    def name(self) -> str:
        """The judge."""
        return self.judge


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AlternativeAnnotatorTests(ResultTable):
    """The test of every judge."""

    label: ClassVar[str] = "alternative-annotator test, winning rate"

    rows: tuple[AlternativeAnnotatorTest, ...]
    confidence: float = 0.95


def check_epsilon(epsilon: float) -> float:
    """Refuse an ε that is no difference of shares."""
    if not 0 <= epsilon < 1:
        raise OptionError(f"epsilon must lie from 0 up to 1; got {epsilon}")
    return epsilon


def alternative_annotator(
    people: AnsweredUnits,
    judge: Array,
    names: tuple[str, ...],
    /,
    *,
    epsilon: float,
    confidence: float = 0.95,
    **told: Any,
) -> AlternativeAnnotatorTest:
    """Test a judge against each of the raters with 30 items; ``names``: of the raters, in order."""
    check_confidence(confidence)
    base: dict[str, Any] = {"epsilon": check_epsilon(epsilon), **told}
    rows = _compared(people, judge)
    met = np.unique(np.column_stack([rows.rater, rows.item]), axis=0)[:, 0]
    items = np.bincount(met, minlength=len(names))
    tested = np.flatnonzero(items >= FEWEST_ITEMS)
    base["n_too_few"] = int(((items > 0) & (items < FEWEST_ITEMS)).sum())
    if len(tested) < FEWEST_RATERS:
        why = _too_few(len(tested), int((items > 0).sum()), int(items.max(initial=0)))
        return AlternativeAnnotatorTest(estimate=None, undefined=why, **base)
    rows = rows.of(tested)
    gaps, advantages = rows.by_rater(len(tested))
    zero = _rejected([gap.p(0.0) for gap in gaps])
    ps = [gap.p(epsilon) for gap in gaps]
    won, own_zero = _rejected(ps), sum(zero) / len(tested)
    rate = sum(won) / len(tested)
    interval, at_zero = (
        wilson(share, len(tested), confidence, THESE_ITEMS) for share in (rate, own_zero)
    )
    mean = float(np.mean(advantages))
    spread = rows.interval(mean, advantages, confidence)
    return AlternativeAnnotatorTest(
        estimate=rate,
        interval=interval,
        passes=rate >= PASS,
        at_zero=own_zero,
        at_zero_low=at_zero.low,
        at_zero_high=at_zero.high,
        passes_at_zero=own_zero >= PASS,
        advantage=mean,
        advantage_low=None if spread is None else spread.low,
        advantage_high=None if spread is None else spread.high,
        raters=tuple(names[rater] for rater in tested),
        advantages=tuple(advantages.tolist()),
        ps=tuple(ps),
        ps_adjusted=tuple(p for p in benjamini_yekutieli(ps) if p is not None),
        n_items=len(np.unique(rows.item)),
        n_raters=len(tested),
        n_responses=len(rows.rater),
        **base,
    )


def _too_few(tested: int, raters: int, items: int) -> str:
    if raters == 0:
        return "no unit has an answer of the judge and of two people"
    if raters < FEWEST_RATERS:
        return f"the test needs {FEWEST_RATERS} raters, and there are {raters}"
    return (
        f"the test needs {FEWEST_RATERS} raters with {FEWEST_ITEMS} items each that the judge and "
        f"another person answered; {format_count(tested, 'rater')} of {raters} reached that, and "
        f"the most is {format_count(items, 'item')}"
    )


def _rejected(ps: list[float]) -> list[bool]:
    return [p is not None and p <= FALSE for p in benjamini_yekutieli(ps)]


@dataclass(frozen=True, slots=True)
class _Gap:
    """How far a rater is ahead of the judge: the mean of +1, 0 and −1, by items."""

    mean: float
    se: float
    items: int

    def p(self, epsilon: float) -> float:
        r"""One-sided: how likely so small a mean is where the true one is ε or more.

        Where all items show the same mean c below ε, t says nothing. Then at most a share
        :math:`(1 - ε)/(1 - c)` of items can show it under the hypothesis, so that all of them do
        with at most that share to the power of the items.
        """
        if self.se > 0:
            t = (self.mean - epsilon) / self.se
            tail = t_two_sided(t, self.items - 1) / 2
            return tail if t < 0 else 1 - tail
        if self.mean >= epsilon:
            return 1.0
        return float(((1 - epsilon) / (1 - self.mean)) ** self.items)


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """Per answer of a rater whom others accompany: who is closer to the others."""

    item: Numbers
    rater: Numbers
    ahead: Array
    """1 where the rater is closer to the others than the judge, −1 where the judge is, else 0."""

    def of(self, raters: Numbers) -> _Compared:
        """The answers of these raters, who then count from 0."""
        use = np.isin(self.rater, raters)
        number = np.searchsorted(raters, self.rater[use])
        return _Compared(self.item[use], number, self.ahead[use])

    def cells(self) -> tuple[Numbers, Numbers, Numbers]:
        """The cell of each answer, and item and rater of each cell."""
        pairs, cell = np.unique(
            np.column_stack([self.rater, self.item]), axis=0, return_inverse=True
        )
        return cell.ravel(), pairs[:, 1], pairs[:, 0]

    def by_rater(self, n: int) -> tuple[list[_Gap], Array]:
        """Per rater the gap by items, and how often the judge is at least as close."""
        cell, _, of_rater = self.cells()
        columns = np.column_stack([self.ahead, np.ones_like(self.ahead), self.ahead <= 0])
        total, count, wins = sum_by(self.rater, columns, n).T
        mean = total / count
        own = sum_by(cell, columns[:, :2], len(of_rater))
        off = (own[:, 0] - mean[of_rater] * own[:, 1]) ** 2
        sums = np.bincount(of_rater, off, n)
        items = np.bincount(of_rater, minlength=n)
        variance = sums / count**2 * items / (items - 1)
        # What rounding leaves of a variance that is zero.
        variance = np.where(variance > 1e-20, variance, 0.0)
        gaps = [
            _Gap(float(m), math.sqrt(float(v)), int(g))
            for m, v, g in zip(mean, variance, items, strict=True)
        ]
        return gaps, wins / count

    def interval(self, mean: float, advantages: Array, confidence: float) -> Interval | None:
        """Of the mean over raters of their advantages, clustered by rater and item."""
        n = len(advantages)
        weight = 1 / (n * np.bincount(self.rater, minlength=n)[self.rater])
        moved = (weight * ((self.ahead <= 0) - mean))[:, None]
        cell, of_item, _ = self.cells()
        item = np.unique(of_item, return_inverse=True)[1].ravel()
        of_cells = sum_by(cell, moved, len(of_item))
        groups: dict[str, Array] = {
            "item": sum_by(item, of_cells, int(item.max()) + 1)[:, 0],
            "rater": sum_by(self.rater, moved, n)[:, 0],
            "cell": of_cells[:, 0],
        }
        found = {kind: _one_way(sums) for kind, sums in groups.items()}
        made = t_interval(mean, claims(found).main, confidence)
        if made is None:
            return None
        return Interval(
            low=max(0.0, made.low),
            high=min(1.0, made.high),
            confidence=confidence,
            method=made.method,
            generalizes_to=made.generalizes_to,
        )


def _one_way(sums: Array) -> OneWay:
    g, total = len(sums), float((sums**2).sum())
    variance = total * g / (g - 1) if g > 1 and total > 1e-20 else 0.0
    return OneWay(variance=variance, clusters=g)


def _compared(people: AnsweredUnits, judge: Array) -> _Compared:
    """Whose answer is closer to those of the unit's other people, rater by rater."""
    count = np.bincount(people.unit, minlength=len(people.item))
    use = ~np.isnan(judge[people.unit]) & (count[people.unit] >= 2)
    unit, rater, y = people.unit[use], people.rater[use], people.answer[use]
    x = judge[unit]
    if people.likeness is not None:
        ahead = _closer(unit, y, x, people.likeness)
        known = ~np.isnan(ahead)
        unit, rater, ahead = unit[known], rater[known], ahead[known]
    elif people.n_values is None:
        ahead = _closer_numbers(unit, y, x, len(people.item))
    else:
        places = people.n_values
        given = np.bincount(unit * places + y.astype(np.int64), minlength=len(judge) * places)
        own = given[unit * places + y.astype(np.int64)] - 1
        of_judge = given[unit * places + x.astype(np.int64)] - (x == y)
        ahead = np.sign(own - of_judge).astype(np.float64)
    return _Compared(people.item[unit], rater, ahead)


def _closer(unit: Numbers, y: Array, x: Array, likeness: Likeness) -> Array:
    """By the mean likeness with the others; NaN where it is not known of both with the same."""
    one, two = pairs_of_units(unit)
    one, two = np.concatenate([one, two]), np.concatenate([two, one])
    of_rater, of_judge = likeness(y[one], y[two]), likeness(x[one], y[two])
    known = ~(np.isnan(of_rater) | np.isnan(of_judge))
    gap = np.bincount(one[known], (of_rater - of_judge)[known], len(unit))
    some = np.bincount(one[known], minlength=len(unit)) > 0
    return np.where(some, np.where(np.abs(gap) <= 1e-9, 0.0, np.sign(gap)), np.nan)


def _closer_numbers(unit: Numbers, y: Array, x: Array, n_units: int) -> Array:
    """By the mean squared distance from the others, which orders as its root does."""
    center = float(y.mean()) if len(y) else 0.0
    y, x = y - center, x - center
    n, s, q = sum_by(unit, np.column_stack([np.ones_like(y), y, y * y]), n_units).T
    others, total, square = n[unit] - 1, s[unit] - y, q[unit] - y * y
    # Distances from the others differ by (x − y)(x + y − 2·mean); equal ones must come out equal.
    gap = (x - y) * (x + y - 2 * total / np.maximum(others, 1))
    noise = 1e-9 * (np.abs(x - y) * np.sqrt(np.maximum(square, 0) + x * x + y * y))
    return np.where(np.abs(gap) <= noise, 0.0, np.sign(gap))
