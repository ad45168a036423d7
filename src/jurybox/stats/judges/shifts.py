r"""Shifts: where a judge departs from people, or from other judges, on the same units.

Judge and people are fitted to one design, x = (…, length, …), on the units that both answered; a
unit's answers of people share its weight of one. The bias is the difference of two coefficients,
which is the coefficient of ``rater_kind`` × x in one fit of both. Its variance is
:math:`V_\text{item} + V_\text{rater} - V_{\text{item} \cap \text{rater}}`: items of judge and
people together, raters of people alone, since the claim is about this judge. The first two add the
squares of what leaving out an item, or a rater, changes (CR3, see
:mod:`jurybox.stats.judges.fits`); cells, of which there are many, those of the rows' influences.
With influences alone, verbosity's intervals of 30 and 100 items and 10 or 20 raters cover 92 to
94%; these cover 94% and more (docs/coverage.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import Claims, Generalize, OneWay, Spread, claims, t_interval
from jurybox.stats.distributions import t_quantile, t_two_sided
from jurybox.stats.judges.biases import (
    THIS_JUDGE,
    Bias,
    JudgeBias,
    LogOddsBias,
    Replies,
    ShareBias,
)
from jurybox.stats.judges.fits import Fit, Rows, independent, linear_fit, logit_fit

__all__ = ["LESS_APART", "compression", "leniency", "self_preference", "verbosity"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
FLAT = 1e-6
"""The share of a covariate's spread that systems must leave, for it to be told from them."""
ALONE = "one {kind} alone shows it, and nothing says how far others differ"
ALIKE_IN_LENGTH = (
    "beyond what tells the systems apart, lengths vary by less than the double, which says nothing "
    "of an output twice as long"
)
NO_OVERLAP = "the judge and people answered no unit in common"
LESS_APART = "it tells the families less apart, as a judge would that answers at random"
SEPARATED = "votes follow the length without exception, so that its weight has no bound"


def _people(found: Replies, kept: NDArray[np.bool_]) -> Rows:
    own = kept[found.unit]
    unit = found.unit[own]
    count = np.bincount(unit, minlength=len(kept))
    return Rows(unit, found.value[own], 1 / count[unit], found.rater[own])


def _judge(given: Array, kept: NDArray[np.bool_]) -> Rows:
    unit = np.flatnonzero(kept)
    return Rows(unit, given[unit], np.ones(len(unit)), np.full(len(unit), -1))


def _beyond(x: Array, column: Array) -> Array:
    """What is left of a covariate when the other columns have explained what they can."""
    own = independent(x)
    return np.asarray(column - own @ (own.T @ column))


def _is_told(x: Array, column: Array) -> bool:
    """Whether a covariate varies beyond what the other columns explain."""
    left = _beyond(x, column)
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
    if np.ptp(_beyond(systems[kept], covariate[kept])) < 1:
        return say.nothing(ALIKE_IN_LENGTH)
    middle = 0.0 if votes else float(covariate[kept].mean())
    x = np.zeros((len(kept), independent(systems[kept]).shape[1] + 1))
    x[kept, :-1], x[kept, -1] = independent(systems[kept]), covariate[kept] - middle
    fits = [
        logit_fit(x, rows) if votes else linear_fit(x, rows)
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
        kept, linear_fit(x, _judge(given, kept)), linear_fit(x, _people(found, kept)), column=0
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
    What the judge gives to length is held fixed where lengths are known. It is 0 on average for a
    judge that is as noisy as people; one that answers at random tells the families less apart than
    people do, which counts against whichever family people prefer and is noted.
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
        rows = Rows(unit, theirs[unit, which], 1 / count, np.full(len(unit), -1))
    # Between two systems that are alike, votes have the mean one half.
    even = 0.5 if say.found.shape == "votes" else 0.0
    one = linear_fit(x, _judge(given - even, kept))
    two = linear_fit(x, replace(rows, y=rows.y - even))
    made = say.contrast(kept, one, two, column=0, rows=rows)
    sure = made.interval is not None and not made.interval.low <= 0 <= made.interval.high
    return replace(made, notes=(*made.notes, LESS_APART)) if sure and _shrinks(one, two) else made


def _shrinks(judge: Fit, people: Fit) -> bool:
    """Whether the judge's first coefficient lies between nothing and people's, chance allowed."""
    side = math.copysign(1.0, people.beta[0])
    doubt = 2 * math.sqrt(float((judge.moves(0) ** 2).sum()))
    return bool(-doubt < side * judge.beta[0] < side * people.beta[0])


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
    unit = found.unit[own]
    item, rater = _numbered(found.unit_item[unit]), _numbered(found.rater[own])
    theirs, its = (_squares(z, item, rater) for z in (found.value[own], given[unit]))
    if theirs.total <= 0:
        return say.nothing("no person gave two different scores")
    if its.total <= 1e-20 * theirs.total:
        return say.nothing("the judge gave one score to everything")
    with np.errstate(invalid="ignore"):
        moves = [its.moved(kind) - theirs.moved(kind) for kind in ("item", "rater", "cell")]
    return say.ratio(math.sqrt(its.total / theirs.total), moves, n_responses=len(unit))


@dataclass(frozen=True, slots=True)
class _Squares:
    """A sum of squares about each rater's mean, and what it loses without each cluster."""

    total: float
    lost: Mapping[str, Array]

    def moved(self, kind: str) -> Array:
        """How far half its logarithm falls without each cluster; infinite if that takes it all."""
        left = np.maximum(self.total - self.lost[kind], 0.0)
        left[left <= 1e-12 * self.total] = 0.0
        with np.errstate(divide="ignore"):
            return np.asarray((math.log(self.total) - np.log(left)) / 2)


def _squares(z: Array, item: Numbers, rater: Numbers) -> _Squares:
    """Without k of a rater's n numbers the mean of the others moves too."""
    n = np.bincount(rater)
    off = z - (np.bincount(rater, z) / n)[rater]
    cells, cell = np.unique(item * len(n) + rater, return_inverse=True)
    cell = cell.ravel()
    of_item, of_rater = cells // len(n), cells % len(n)
    others = np.maximum(n[of_rater] - np.bincount(cell), 1)
    lost = np.bincount(cell, off**2) + np.bincount(cell, off) ** 2 / others
    by_rater = np.bincount(rater, off**2)
    by_item = np.bincount(of_item, lost)
    return _Squares(
        float(by_rater.sum()),
        {
            kind: np.asarray(part, dtype=np.float64)
            for kind, part in (("item", by_item), ("rater", by_rater), ("cell", lost))
        },
    )


def _numbered(names: Numbers) -> Numbers:
    """The same with numbers from 0 on, none left out."""
    return np.asarray(np.unique(names, return_inverse=True)[1].ravel(), dtype=np.int64)


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
        one: Fit,
        two: Fit,
        *,
        column: int,
        rows: Rows | None = None,
    ) -> JudgeBias:
        """The judge's coefficient less theirs, clustered."""
        rows = rows or _people(self.found, kept)
        people = bool(rows.rater.max(initial=-1) >= 0)
        units = np.flatnonzero(kept)
        item = _numbered(self.found.unit_item[np.concatenate([units, rows.unit])])
        own, theirs, n = item[: len(units)], item[len(units) :], int(item.max()) + 1
        # Where one item shows it all, both moves are infinite.
        with np.errstate(invalid="ignore"):
            moves = [one.without(own, n, column) - two.without(theirs, n, column)]
        if people:
            rater = _numbered(rows.rater)
            raters = int(rater.max()) + 1
            cell = _numbered(theirs * raters + rater)
            moves.append(two.without(rater, raters, column))
            moves.append(np.asarray(np.bincount(cell, two.moves(column)), dtype=np.float64))
        size = float(np.abs(one.moves(column)).sum() + np.abs(two.moves(column)).sum())
        estimate = float(one.beta[column] - two.beta[column])
        made = self._clustered(moves, size)
        interval = t_interval(estimate, made.main, self._confidence)
        these = t_interval(estimate, made.these_raters, self._confidence)
        if interval is not None and not people:
            interval = replace(interval, generalizes_to=THIS_JUDGE)
        return self._make(
            estimate=estimate,
            interval=interval,
            these_raters=these,
            p=_p(estimate, made.main),
            undefined=made.undefined if made.main is None else None,
            n_items=n,
            n_raters=raters if people else None,
            n_responses=len(units),
            notes=made.notes if people else (),
            against="people" if people else "other judges",
        )

    def ratio(self, ratio: float, moves: Sequence[Array], *, n_responses: int) -> JudgeBias:
        """1 − ratio, its interval made on the logarithm."""
        made = self._clustered(moves, 1.0)

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
            p=_p(math.log(ratio), made.main),
            undefined=made.undefined if made.main is None else None,
            n_items=len(moves[0]),
            n_raters=len(moves[1]),
            n_responses=n_responses,
            notes=made.notes,
        )

    def _clustered(self, moves: Sequence[Array], size: float) -> Claims:
        """What may be claimed of moves by item and, where people vary, by rater and by cell."""
        parts = dict(zip(("item", "rater", "cell"), moves, strict=False))
        for kind in ("item",) if self.generalize == "items" else ("item", "rater"):
            part = parts.get(kind, np.zeros(1))
            if len(part) > 1 and not np.isfinite(part).all():
                return Claims(main=None, undefined=ALONE.format(kind=kind))
        found = {kind: _one_way(part, size) for kind, part in parts.items()}
        return claims(found, generalize=self.generalize)


def _p(estimate: float, spread: Spread | None) -> float | None:
    """The t against 0 that the interval inverts."""
    return None if spread is None else t_two_sided(estimate / spread.se, spread.df)


def _one_way(moves: Array, size: float) -> OneWay:
    """The sum of squares; nothing where it is what rounding leaves of rows of that size."""
    total = float((moves**2).sum())
    held = len(moves) > 1 and total > 1e-20 * size**2
    return OneWay(variance=total if held else 0.0, clusters=len(moves))
