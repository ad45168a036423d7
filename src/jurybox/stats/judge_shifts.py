r"""Shifts: where a judge departs from people, or from other judges, on the same units.

Judge and people are fitted to one design, x = (…, length, …), on the units that both answered; a
unit's answers of people share its weight of one. The bias is the difference of two coefficients,
which is the coefficient of ``rater_kind`` × x in one fit of both. With the rows' influences

.. math:: \psi = H^{-1} w\,x\,(y - \hat y), \qquad H = \sum w\, \hat v\, x x^\top,

(:math:`\hat v` is 1 in a linear fit and :math:`\hat y (1 - \hat y)` in a logit one) the variance
is :math:`V_\text{item} + V_\text{rater} - V_{\text{item} \cap \text{rater}}`: items of judge and
people together, raters of people alone, since the claim is about this judge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import Claims, Generalize, OneWay, Spread, claims, t_interval
from jurybox.stats.distributions import t_quantile
from jurybox.stats.judge_biases import (
    THIS_JUDGE,
    Bias,
    JudgeBias,
    LogOddsBias,
    Replies,
    ShareBias,
)

__all__ = ["compression", "leniency", "self_preference", "verbosity"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
ROUNDS = 60
FLAT = 1e-6
"""The share of a covariate's spread that systems must leave, for it to be told from them."""
NO_OVERLAP = "the judge and people answered no unit in common"
SEPARATED = "votes follow the length without exception, so that its weight has no bound"


@dataclass(frozen=True, slots=True)
class _Rows:
    """Answers to units with their weights; raters are −1 for judges."""

    unit: Numbers
    y: Array
    w: Array
    rater: Numbers


@dataclass(frozen=True, slots=True)
class _Fit:
    beta: Array
    influence: Array
    """Rows × coefficients."""


def _people(found: Replies, kept: NDArray[np.bool_]) -> _Rows:
    own = kept[found.unit]
    unit = found.unit[own]
    count = np.bincount(unit, minlength=len(kept))
    return _Rows(unit, found.value[own], 1 / count[unit], found.rater[own])


def _judge(given: Array, kept: NDArray[np.bool_]) -> _Rows:
    unit = np.flatnonzero(kept)
    return _Rows(unit, given[unit], np.ones(len(unit)), np.full(len(unit), -1))


def _linear(x: Array, rows: _Rows) -> _Fit:
    own = x[rows.unit]
    inverse = np.linalg.inv(own.T @ (own * rows.w[:, None]))
    beta = inverse @ (own.T @ (rows.w * rows.y))
    return _Fit(beta, (own * (rows.w * (rows.y - own @ beta))[:, None]) @ inverse)


def _logit(x: Array, rows: _Rows) -> _Fit | None:
    """Newton's method; ``None`` where the likelihood has no maximum."""
    own, beta = x[rows.unit], np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(own @ beta, -700, 700)))
        hessian = own.T @ (own * (rows.w * chance * (1 - chance))[:, None])
        if np.linalg.cond(hessian) > 1e12:
            return None
        step = np.linalg.solve(hessian, own.T @ (rows.w * (rows.y - chance)))
        beta = beta + step
        if np.abs(step).max() < 1e-9:
            inverse = np.linalg.inv(hessian)
            return _Fit(beta, (own * (rows.w * (rows.y - chance))[:, None]) @ inverse)
    return None


def _basis(x: Array) -> Array:
    """Independent columns that span the same as x."""
    left, size, _ = np.linalg.svd(x, full_matrices=False)
    return np.asarray(left[:, size > 1e-9 * max(1.0, float(size.max(initial=0.0)))])


def _is_told(x: Array, column: Array) -> bool:
    """Whether a covariate varies beyond what the other columns explain."""
    own = _basis(x)
    left = column - own @ (own.T @ column)
    return float((left**2).sum()) > FLAT * float(((column - column.mean()) ** 2).sum()) > 0


def _system_columns(found: Replies) -> Array:
    """Indicators of the systems; of votes, of the first less those of the second."""
    n, k = found.unit_systems.shape[0], len(found.systems)
    x = np.zeros((n, k))
    x[np.arange(n), found.unit_systems[:, 0]] = 1
    if found.shape == "votes":
        np.subtract.at(x, (np.arange(n), found.unit_systems[:, 1]), 1)
    return x


def _oriented(found: Replies, of_outputs: Array) -> Array:
    """A covariate of items × systems as one of units: of votes, first less second."""
    one = of_outputs[found.unit_item, found.unit_systems[:, 0]]
    if found.shape != "votes":
        return one
    return np.asarray(one - of_outputs[found.unit_item, found.unit_systems[:, 1]])


def verbosity(
    found: Replies, judge: int, lengths: Array | None, generalize: Generalize, **told: Any
) -> JudgeBias:
    """How much more than people the judge gives to an output that is twice as long.

    ``lengths``: binary logarithms, items × systems, NaN where unknown. Systems have strengths (or
    means) of their own for judge and people, so that length counts within systems only.
    """
    votes = found.shape == "votes"
    say = _Say(found, judge, "verbosity", generalize, told, LogOddsBias if votes else JudgeBias)
    if lengths is None:
        return say.nothing("the lengths of the outputs are not known")
    if found.shape != "votes" and not found.is_number:
        return say.nothing("words and detections have no direction")
    given, covariate = found.given(judge), _oriented(found, lengths)
    kept = found.answered & ~np.isnan(given) & ~np.isnan(covariate)
    if not kept.any():
        return say.nothing(NO_OVERLAP)
    systems = _system_columns(found)
    if not _is_told(systems[kept], covariate[kept]):
        return say.nothing("lengths do not vary beyond what tells the systems apart")
    middle = 0.0 if votes else float(covariate[kept].mean())
    x = np.zeros((len(kept), _basis(systems[kept]).shape[1] + 1))
    x[kept, :-1], x[kept, -1] = _basis(systems[kept]), covariate[kept] - middle
    fits = [
        _logit(x, rows) if votes else _linear(x, rows)
        for rows in (_judge(given, kept), _people(found, kept))
    ]
    if fits[0] is None or fits[1] is None:
        return say.nothing(SEPARATED)
    return say.contrast(kept, fits[0], fits[1], column=-1)


def leniency(found: Replies, judge: int, generalize: Generalize, **told: Any) -> JudgeBias:
    """How much more the judge gives than people, on the same outputs."""
    say = _Say(found, judge, "leniency", generalize, told)
    if not found.is_number:
        return say.nothing("only scores can be lenient")
    given = found.given(judge)
    kept = found.answered & ~np.isnan(given)
    if not kept.any():
        return say.nothing(NO_OVERLAP)
    x = np.ones((len(kept), 1))
    return say.contrast(
        kept, _linear(x, _judge(given, kept)), _linear(x, _people(found, kept)), column=0
    )


def self_preference(
    found: Replies,
    judge: int,
    own: Sequence[bool] | None,
    others: Sequence[int],
    lengths: Array | None,
    generalize: Generalize,
    **told: Any,
) -> tuple[JudgeBias, ...]:
    """How much more its own family gets from the judge than from people, and from other judges.

    ``own``: whether each system is of the judge's family. ``others``: the judges of other families.
    What the judge gives to length is held fixed where lengths are known.
    """
    kind = ShareBias if found.shape == "votes" else JudgeBias
    say = _Say(found, judge, "self_preference", generalize, told, kind)
    if own is None:
        return (say.nothing("the family of the judge, or of the systems, is not stated"),)
    if all(own) or not any(own):
        which = "all systems are" if all(own) else "no system is"
        return (say.nothing(f"{which} of the judge's family: it takes two families"),)
    if found.shape != "votes" and not found.is_number:
        return (say.nothing("words and detections have no direction"),)
    marks = np.tile(np.asarray(own, dtype=np.float64), (len(found.items), 1))
    columns = [_oriented(found, marks)]
    columns += [] if found.shape == "votes" else [np.ones(len(found.unit_item))]
    if lengths is not None:
        length = _oriented(found, lengths)
        known = ~np.isnan(length)
        if known.any() and _is_told(np.column_stack(columns)[known], length[known]):
            columns.append(length - (0.0 if found.shape == "votes" else length[known].mean()))
    x = np.column_stack(columns)
    usable = ~np.isnan(x).any(axis=1)
    given = found.given(judge)
    rows = [_beside(say, x, given, usable & found.answered & ~np.isnan(given), None)]
    if others:
        theirs = np.column_stack([found.given(other) for other in others])
        rows.append(_beside(say, x, given, usable & ~np.isnan(given), theirs))
    return tuple(rows)


def _beside(
    say: _Say, x: Array, given: Array, kept: NDArray[np.bool_], theirs: Array | None
) -> JudgeBias:
    """The first coefficient of x for the judge, less that for people or for the other judges."""
    against = "people" if theirs is None else "other judges"
    if theirs is not None:
        there = ~np.isnan(theirs)
        kept = kept & there.any(axis=1)
    if not kept.any() or np.linalg.matrix_rank(x[kept]) < x.shape[1]:
        why = "no unit that both answered sets the judge's family against another"
        return say.nothing(why, against=against)
    if theirs is None:
        rows = _people(say.found, kept)
    else:
        unit, which = np.nonzero(there & kept[:, None])
        count = there[unit].sum(axis=1)
        rows = _Rows(unit, theirs[unit, which], 1 / count, np.full(len(unit), -1))
    # Between two systems that are alike, votes have the mean one half.
    even = 0.5 if say.found.shape == "votes" else 0.0
    one = _linear(x, _judge(given - even, kept))
    two = _linear(x, replace(rows, y=rows.y - even))
    return say.contrast(kept, one, two, column=0, rows=rows)


def compression(found: Replies, judge: int, generalize: Generalize, **told: Any) -> JudgeBias:
    r"""How much less the judge's scores spread than a person's, on the same outputs.

    .. math::
        1 - \sqrt{\frac{\sum_r \sum_{u \in r} (x_u - \bar x_r)^2}
                       {\sum_r \sum_{u \in r} (y_{ur} - \bar y_r)^2}}

    with the means over the units of each rater, so that it does not matter that raters differ in
    leniency and saw different outputs; x is one reply, since the mean of several spreads less.
    """
    say = _Say(found, judge, "compression", generalize, told, ShareBias)
    if not found.is_number:
        return say.nothing("only scores have a spread")
    given = found.once(judge)
    own = ~np.isnan(given[found.unit])
    if not own.any():
        return say.nothing(NO_OVERLAP)
    unit, rater, y = found.unit[own], found.rater[own], found.value[own]
    n = np.maximum(np.bincount(rater), 1)

    def square(z: Array) -> Array:
        return np.asarray((z - (np.bincount(rater, z) / n)[rater]) ** 2)

    theirs, its = square(y), square(given[unit])
    if theirs.sum() <= 0:
        return say.nothing("no person gave two different scores")
    if its.sum() <= 1e-20 * theirs.sum():
        return say.nothing("the judge gave one score to everything")
    ratio = math.sqrt(its.sum() / theirs.sum())
    influence = (its / its.sum() - theirs / theirs.sum()) / 2
    return say.ratio(ratio, influence, found.unit_item[unit], rater)


@dataclass(frozen=True, slots=True)
class _Say:
    """A row about one judge."""

    found: Replies
    judge: int
    bias: Bias
    generalize: Generalize
    told: dict[str, Any]
    kind: type[JudgeBias] = JudgeBias

    def _make(self, **given: Any) -> JudgeBias:
        own = {k: v for k, v in self.told.items() if k != "confidence"}
        told = {"against": "people", **own, "judge": self.found.judges[self.judge]}
        return self.kind(**{**told, "bias": self.bias, **given})

    def nothing(self, why: str, **given: Any) -> JudgeBias:
        """No estimate, and why."""
        return self._make(estimate=None, undefined=why, **given)

    @property
    def _confidence(self) -> float:
        return float(self.told.get("confidence", 0.95))

    def contrast(
        self,
        kept: NDArray[np.bool_],
        one: _Fit,
        two: _Fit,
        *,
        column: int,
        rows: _Rows | None = None,
    ) -> JudgeBias:
        """The judge's coefficient less theirs, clustered."""
        rows = rows or _people(self.found, kept)
        item = self.found.unit_item
        influence = np.concatenate([one.influence[:, column], -two.influence[:, column]])
        items = np.concatenate([item[np.flatnonzero(kept)], item[rows.unit]])
        raters = np.concatenate([np.full(int(kept.sum()), -1), rows.rater])
        estimate = float(one.beta[column] - two.beta[column])
        people = rows.rater.max(initial=-1) >= 0
        made = self._clustered(influence, items, raters)
        main = made.main
        interval = t_interval(estimate, main, self._confidence)
        these = t_interval(estimate, made.these_raters, self._confidence)
        if interval is not None and not people:
            interval = _of_judges(interval)
        return self._make(
            estimate=estimate,
            interval=interval,
            these_raters=these,
            undefined=made.undefined if main is None else None,
            n_items=len(np.unique(items)),
            n_raters=len(np.unique(rows.rater)) if people else None,
            n_responses=int(kept.sum()),
            notes=made.notes if people else (),
            against="people" if people else "other judges",
        )

    def ratio(self, ratio: float, influence: Array, item: Numbers, rater: Numbers) -> JudgeBias:
        """1 − ratio, its interval made on the logarithm."""
        made = self._clustered(influence, item, rater)

        def interval(spread: Spread | None) -> Interval | None:
            if spread is None:
                return None
            half = t_quantile(self._confidence, spread.df) * spread.se
            return Interval(
                low=1 - ratio * math.exp(half),
                high=1 - ratio * math.exp(-half),
                confidence=self._confidence,
                method=f"logarithm, {spread.method}",
                generalizes_to=spread.generalizes_to,
            )

        return self._make(
            estimate=1 - ratio,
            interval=interval(made.main),
            these_raters=interval(made.these_raters),
            undefined=made.undefined if made.main is None else None,
            n_items=len(np.unique(item)),
            n_raters=len(np.unique(rater)),
            n_responses=len(item),
            notes=made.notes,
        )

    def _clustered(self, influence: Array, item: Numbers, rater: Numbers) -> Claims:
        people = rater >= 0
        found = {"item": _one_way(influence, item)}
        if people.any():
            cell = item[people] * (int(rater.max()) + 1) + rater[people]
            found["rater"] = _one_way(influence[people], rater[people])
            found["cell"] = _one_way(influence[people], cell)
        return claims(found, generalize=self.generalize)


def _of_judges(interval: Interval) -> Interval:
    return Interval(
        low=interval.low,
        high=interval.high,
        confidence=interval.confidence,
        method=interval.method,
        generalizes_to=THIS_JUDGE,
    )


def _one_way(influence: Array, cluster: Numbers) -> OneWay:
    own = np.unique(cluster, return_inverse=True)[1].ravel()
    moved = np.bincount(own, influence)
    n = len(moved)
    total = float((moved**2).sum())
    # What rounding leaves of clusters that do not move the estimate.
    if n < 2 or total <= 1e-20 * float(np.abs(influence).sum() ** 2):
        return OneWay(variance=0.0, clusters=n)
    return OneWay(variance=total * n / (n - 1), clusters=n)
