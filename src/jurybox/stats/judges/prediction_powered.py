r"""Estimates from few answers of people and many of a judge (prediction-powered inference).

Units are human-rated (n of them, people's mean answers :math:`\bar y_u`, the judge's
:math:`f_u`) or not (N of them). The judge corrects people's mean by what its own answers say about
which units people happened to get:

.. math::
    \hat\theta_\lambda = \frac1n \sum_\text{rated} \bar y_u +
        \lambda \Bigl( \frac1N \sum_\text{others} f_u - \frac1n \sum_\text{rated} f_u \Bigr).

Its mean is that of people whatever the judge is worth, if people's part was drawn at random. An
item moves it by :math:`A_i + \lambda B_i`; :math:`\lambda = -\sum A_i B_i / \sum B_i^2`, cut to
[0, 1], minimizes the variance over items. Raters' own shifts do not depend on the judge, so that
the same λ minimizes the variance clustered both ways, which the interval is made of: items of
people and judge, raters and cells of people alone. A judge never replaces raters as clusters.

With r the correlation of −A and B, people and judge together are worth
:math:`n / (1 - r^2)` human-rated items; for independent units :math:`r^2 = \rho^2 N / (N + n)` with
ρ the correlation of judge and people on a unit.

References
----------
Angelopoulos et al. (2023), doi:10.1126/science.adi6000; Angelopoulos, Duchi and Zrnic (2023),
arXiv:2311.01453.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.results import (
    Interval,
    Result,
    ResultTable,
    format_count,
    format_number,
    format_percent,
)
from jurybox.stats.clusters import OneWay, Spread, claims, t_interval
from jurybox.stats.distributions import t_quantile
from jurybox.stats.judges.biases import THIS_JUDGE, Replies
from jurybox.stats.logits import logit_ends
from jurybox.stats.shares import wilson

__all__ = [
    "FAR",
    "LEAST_ITEMS",
    "LEAST_RATERS",
    "NOTHING_TO_ADD",
    "CombinedEstimate",
    "CombinedEstimates",
    "CombinedShare",
    "JudgeQuality",
    "Part",
    "Target",
    "combine",
    "parts_of",
    "quality_of",
]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Target = Literal["mean", "difference", "win rate", "ranked first", "taken for real"]
LEAST_ITEMS = 30
LEAST_RATERS = 5
NOTHING_TO_ADD = "people rated every unit that the judge answered, so that it has nothing to add"
FAR = 5.0
"""Standard errors beyond which chance does not explain what people's part differs by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedEstimate(Result):
    """People and a judge together, and each alone."""

    label: ClassVar[str] = "combined estimate"

    judge: str
    target: Target
    system: str
    other: str | None = None
    criterion: str | None = None
    weight: float | None = None
    """λ: how much of the judge's correction is taken."""
    people: float | None = None
    people_low: float | None = None
    people_high: float | None = None
    judge_alone: float | None = None
    """Over all units, with an interval that knows nothing of the judge's own errors."""
    judge_low: float | None = None
    judge_high: float | None = None
    worth: float | None = None
    """The human-rated items that people and judge together are worth."""
    worth_low: float | None = None
    worth_high: float | None = None
    n_judged_items: int | None = None
    """All items of the judge; ``n_items`` are those that people rated."""

    @property
    def name(self) -> str:
        """The target with its systems, and the judge."""
        about = self.system if self.other is None else f"{self.system} against {self.other}"
        return f"{self.target}, {about} ({self.judge})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedShare(CombinedEstimate):
    """The same of a win rate, or of how often a system is ranked first or taken for real."""

    as_percent: ClassVar[bool] = True
    neutral: ClassVar[float | None] = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CombinedEstimates(ResultTable):
    """Every target, judge by judge."""

    label: ClassVar[str] = "combined estimates"

    rows: tuple[CombinedEstimate, ...]
    confidence: float = 0.95


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Part:
    """How items and raters move people's mean, and the judge's correction of it."""

    people: float
    """People's mean, the judge's on the rated units, on the others, and on all."""
    rated: float
    others: float
    judge: float
    item: Numbers
    """The item of each number that follows: of people's answers, then of the other units."""
    rater: Numbers
    """−1 for the other units."""
    a: Array
    b: Array
    judge_item: Numbers
    judge_moves: Array
    n_units: int

    def scaled(self, by: float) -> Part:
        """The same, times a number."""
        names = ("people", "rated", "others", "judge", "a", "b", "judge_moves")
        return replace(self, **{name: by * getattr(self, name) for name in names})


def parts_of(found: Replies, given: Array, kept: NDArray[np.bool_]) -> Part | str:
    """The part of the units ``kept``, or why there is none."""
    known = kept & ~np.isnan(given)
    rated, others = known & found.answered, known & ~found.answered
    if not rated.any():
        return "the judge and people answered no unit in common"
    own = rated[found.unit]
    unit = found.unit[own]
    count = np.bincount(unit, minlength=len(given))
    n, more = int(rated.sum()), int(others.sum())
    w = 1 / (n * count[unit])
    people = float((w * found.value[own]).sum())
    of_rated = float(given[rated].mean())
    of_others = float(given[others].mean()) if more else of_rated
    whole = float(given[known].mean())
    return Part(
        people=people,
        rated=of_rated,
        others=of_others,
        judge=whole,
        item=np.concatenate([found.unit_item[unit], found.unit_item[others]]),
        rater=np.concatenate([found.rater[own], np.full(more, -1)]),
        a=np.concatenate([w * (found.value[own] - people), np.zeros(more)]),
        b=np.concatenate(
            [-w * (given[unit] - of_rated), (given[others] - of_others) / max(more, 1)]
        ),
        judge_item=found.unit_item[known],
        judge_moves=(given[known] - whole) / int(known.sum()),
        n_units=n,
    )


def _joined(parts: Sequence[Part]) -> Part:
    """A sum of parts."""
    names = ("item", "rater", "a", "b", "judge_item", "judge_moves")
    sums = ("people", "rated", "others", "judge", "n_units")
    made: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in names
    }
    made |= {name: sum(getattr(part, name) for part in parts) for name in sums}
    return Part(**made)


def combine(
    parts: Sequence[Part],
    *,
    confidence: float = 0.95,
    is_share: bool = False,
    cluster: Literal["both", "item"] = "both",
    **told: Any,
) -> CombinedEstimate:
    """The sum of the parts from people, from the judge, and from both.

    ``cluster="item"`` ignores that raters differ and is there to show what that does.
    """
    kind = CombinedShare if is_share else CombinedEstimate
    part = _joined(parts)
    by_people = part.rater >= 0
    items, raters = len(np.unique(part.item[by_people])), len(np.unique(part.rater[by_people]))
    counts = {
        "n_items": items,
        "n_raters": raters,
        "n_responses": int(by_people.sum()),
        "n_judged_items": len(np.unique(part.judge_item)),
    }
    told = {**told, **counts}
    if not all((each.rater < 0).any() for each in parts):
        return kind(estimate=None, undefined=NOTHING_TO_ADD, people=part.people, **told)
    if items < LEAST_ITEMS or raters < LEAST_RATERS:
        why = _too_few(items, raters)
        return kind(estimate=None, undefined=why, people=part.people, **told)
    a, b = (_sums(part.item, moves) for moves in (part.a, part.b))
    if float((b**2).sum()) <= 1e-24:
        why = "the judge gives one answer to everything, which says nothing about anything"
        return kind(estimate=None, undefined=why, people=part.people, **told)
    if abs(part.others - part.rated) > FAR * math.sqrt(float(b @ b)):
        return kind(estimate=None, undefined=_not_random(part, kind), people=part.people, **told)
    weight = float(np.clip(-(a @ b) / (b @ b), 0.0, 1.0))
    how = _How(confidence, is_share, cluster)
    estimate = how.within(part.people + weight * (part.others - part.rated))
    both, notes, no_interval = how.interval(part, estimate, weight)
    alone, _, _ = how.interval(part, part.people, 0.0)
    judge = how.of_judge(part)
    return kind(
        estimate=estimate,
        interval=both,
        undefined=no_interval,
        notes=notes,
        weight=weight,
        people=part.people,
        people_low=None if alone is None else alone.low,
        people_high=None if alone is None else alone.high,
        judge_alone=part.judge,
        judge_low=None if judge is None else judge.low,
        judge_high=None if judge is None else judge.high,
        **_worth(a, b, items, confidence),
        **told,
    )


def _not_random(part: Part, kind: type[CombinedEstimate]) -> str:
    rated, others = (
        format_percent(value) if kind.as_percent else format_number(value)
        for value in (part.rated, part.others)
    )
    return (
        f"the judge gives {rated} on what people rated and {others} on the rest, which chance does "
        "not explain: people's part is not a random one"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuality:
    """What a plan needs to know of people and a judge."""

    sd: float
    """Of people's answer to an item, raters' own shifts apart."""
    rater_sd: float
    """Of raters' own shifts."""
    correlation: float
    """Of people and the judge, over the items that both rated."""
    n_items: int
    n_raters: int
    n_judged_items: int


def quality_of(parts: Sequence[Part]) -> JudgeQuality | str:
    r"""How people and judge scatter on what both rated, or why that is not known.

    .. math:: \sigma^2 = n V_\text{item}, \qquad \sigma_r^2 = R\,(V_\text{rater} - V_\text{cell})
    """
    part = _joined(parts)
    own = part.rater >= 0
    item, rater = part.item[own], part.rater[own]
    n, raters = len(np.unique(item)), len(np.unique(rater))
    if n < LEAST_ITEMS or raters < LEAST_RATERS:
        return _too_few(n, raters)
    a, f = _sums(item, part.a[own]), -_sums(item, part.b[own])
    if float(a @ a) <= 1e-24 or float(f @ f) <= 1e-24:
        return "people, or the judge, give one answer to everything"
    cell = item * (int(rater.max()) + 1) + rater
    between = _one_way(rater, part.a[own]).variance - _one_way(cell, part.a[own]).variance
    return JudgeQuality(
        sd=math.sqrt(n * _one_way(item, part.a[own]).variance),
        rater_sd=math.sqrt(max(0.0, raters * between)),
        correlation=float(a @ f) / math.sqrt(float(a @ a) * float(f @ f)),
        n_items=n,
        n_raters=raters,
        n_judged_items=len(np.unique(part.judge_item)),
    )


def _too_few(items: int, raters: int) -> str:
    return (
        f"people rated {format_count(items, 'item')} with {format_count(raters, 'rater')}; it "
        f"takes {LEAST_ITEMS} items and {LEAST_RATERS} raters"
    )


def _sums(cluster: Numbers, moves: Array) -> Array:
    own = np.unique(cluster, return_inverse=True)[1].ravel()
    return np.asarray(np.bincount(own, moves), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _How:
    confidence: float
    is_share: bool
    cluster: Literal["both", "item"]

    def interval(
        self, part: Part, estimate: float, weight: float
    ) -> tuple[Interval | None, tuple[str, ...], str | None]:
        """With t quantiles of people's clusters; its notes, or why there is none."""
        moves = part.a + weight * part.b
        own = part.rater >= 0
        cell = part.item[own] * (int(part.rater.max()) + 1) + part.rater[own]
        n_items = len(np.unique(part.item[own]))
        found = {
            "item": _one_way(part.item, moves, n_items),
            "rater": _one_way(part.rater[own], moves[own]),
            "cell": _one_way(cell, moves[own]),
        }
        claim = claims(found, cluster=self.cluster)
        if self.is_share and (claim.main is None or not 0 < estimate < 1):
            return wilson(estimate, claim.smallest, self.confidence), claim.notes, None
        if claim.main is None:
            return None, claim.notes, claim.undefined
        if self.is_share:
            return self._share(estimate, claim.main), claim.notes, None
        return t_interval(estimate, claim.main, self.confidence), claim.notes, None

    def within(self, estimate: float) -> float:
        """A share that the correction carries beyond its ends is at its end."""
        return min(1.0, max(0.0, estimate)) if self.is_share else estimate

    def of_judge(self, part: Part) -> Interval | None:
        """The judge's mean over all units, clustered by item."""
        one = _one_way(part.judge_item, part.judge_moves)
        if one.variance <= 0:
            return None
        spread = Spread(
            variance=one.variance,
            df=one.clusters - 1,
            method=f"clustered by item, t({one.clusters - 1})",
            generalizes_to=THIS_JUDGE,
        )
        if self.is_share:
            return self._share(part.judge, spread) if 0 < part.judge < 1 else None
        return t_interval(part.judge, spread, self.confidence)

    def _share(self, estimate: float, spread: Spread) -> Interval:
        low, high = logit_ends(estimate, spread, t_quantile(self.confidence, spread.df))
        return Interval(
            low=low,
            high=high,
            confidence=self.confidence,
            method=f"logit, {spread.method}",
            generalizes_to=spread.generalizes_to,
        )


def _one_way(cluster: Numbers, moves: Array, clusters: int | None = None) -> OneWay:
    own = _sums(cluster, moves)
    n = clusters or len(own)
    total = float((own**2).sum())
    if n < 2 or total <= 1e-20 * float(np.abs(moves).sum() ** 2):
        return OneWay(variance=0.0, clusters=n)
    return OneWay(variance=total * n / (n - 1), clusters=n)


def _worth(a: Array, b: Array, items: int, confidence: float) -> dict[str, Any]:
    r"""Items times :math:`V(0)/V(\lambda)`; the interval by leaving items out, on Fisher's z of r.

    .. math:: \frac{V(0)}{V(\lambda)} = \frac{1}{1 - 2 \lambda r / q + \lambda^2 / q^2}, \qquad
        q = \sqrt{\sum A_i^2 / \sum B_i^2}, \qquad \lambda = \min(\max(r q, 0), 1)
    """
    aa, bb, ab = float(a @ a), float(b @ b), float(a @ b)
    if aa <= 0:
        return {"worth": None, "worth_low": None, "worth_high": None}
    q = math.sqrt(aa / bb)

    def gained(r: float) -> float:
        weight = min(max(r * q, 0.0), 1.0)
        return items / (1 - 2 * weight * r / q + (weight / q) ** 2)

    r = min(-ab / math.sqrt(aa * bb), 1 - 1e-9)
    left = -(ab - a * b) / np.sqrt(np.maximum(aa - a * a, 1e-300) * (bb - b * b))
    z = np.arctanh(np.clip(left, -1 + 1e-9, 1 - 1e-9))
    n = len(z)
    variance = (n - 1) / n * float(((z - z.mean()) ** 2).sum())
    half = t_quantile(confidence, items - 1) * math.sqrt(variance)
    center = math.atanh(max(r, -1 + 1e-9))
    return {
        "worth": gained(r),
        "worth_low": gained(math.tanh(center - half)),
        "worth_high": gained(math.tanh(center + half)),
    }
