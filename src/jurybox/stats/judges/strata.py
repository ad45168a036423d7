"""Where a judge differs: its gap to people within parts of the units, and along their lengths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.clusters import Generalize
from jurybox.stats.judges.agreement import (
    NO_PAIR,
    VALUES,
    JudgeAgreement,
    JudgeStatistic,
    LengthTrend,
    Measured,
)
from jurybox.stats.judges.beside import AnsweredUnits, Beside, lay_beside
from jurybox.stats.two_way import PLAIN

__all__ = ["held_against_the_rest", "length_trend"]

Array = NDArray[np.float64]


def held_against_the_rest(
    row: JudgeAgreement,
    people: AnsweredUnits,
    judge: Array,
    part: NDArray[np.bool_],
    /,
    *,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
) -> JudgeAgreement:
    """The row of a part with its gap, judge less people, held against that of all other units.

    Where people agree less too, as on what is hard, the gap is no other.
    """
    beside = lay_beside(people, judge)
    if beside is None:
        return row
    counts = np.bincount(people.unit, minlength=len(people.item))
    own = part[~np.isnan(judge) & (counts >= 2)].astype(np.float64)[:, None]
    width, value = beside.each.shape[1], VALUES[row.statistic]
    halves = [np.hstack([kept * own[at], kept * (1 - own[at])]) for kept, at in _both(beside)]

    def gap(sums: Array) -> Array:
        judged, theirs = (value(beside.of(side, sums)) for side in ("judge_person", "people"))
        return np.asarray(judged - theirs)

    measured = Measured(
        replace(beside, each=halves[0], lost=halves[1]),
        row.statistic,
        generalize,
        confidence,
        alone=False,
    )
    contrast, made = measured.figure(
        lambda sums: gap(sums[..., :width]) - gap(sums[..., width:]), PLAIN
    )
    if contrast is None or made.interval is None:
        return replace(row, contrast=contrast)
    return replace(
        row,
        contrast=contrast,
        contrast_low=made.interval.low,
        contrast_high=made.interval.high,
        p=made.p,
    )


def _both(beside: Beside) -> tuple[tuple[Array, Any], tuple[Array, Any]]:
    """What units add and what answers add to them, each with the units of its rows."""
    return (beside.each, slice(None)), (beside.lost, beside.unit)


def length_trend(
    people: AnsweredUnits,
    judge: Array,
    length: Array,
    /,
    *,
    statistic: JudgeStatistic,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    **told: Any,
) -> LengthTrend:
    r"""The slope, over units, of the judge's agreement less people's own on the length.

    ``length``: of each unit, on a scale on which 1 more is twice as long; NaN where unknown. Of
    words the agreement of a unit is the share of people who say the same, of rankings and marks the
    mean likeness with them; of numbers it is :math:`1 - (x - y)^2 / D_e`, with :math:`D_e` the mean
    squared distance of any two people's answers, whose mean over units is the kappa with quadratic
    weights of people.
    """
    base = {"statistic": statistic, **told}
    beside = lay_beside(people, np.where(np.isnan(length), np.nan, judge))
    if beside is None:
        return LengthTrend(estimate=None, undefined=NO_PAIR, **base)
    counts = np.bincount(people.unit, minlength=len(people.item))
    own = length[~np.isnan(length) & ~np.isnan(judge) & (counts >= 2)]
    own = own - own.mean()
    base |= {
        "n_items": beside.n_items,
        "n_raters": beside.n_raters,
        "n_responses": len(beside.unit),
    }
    numbers = people.n_values is None and people.likeness is None
    turned = replace(
        beside,
        each=_trend_features(beside, beside.each, own, numbers),
        lost=_trend_features(beside, beside.lost, own[beside.unit], numbers),
        width=7,
    )
    measured = Measured(turned, statistic, generalize, confidence, False)
    slope, made = measured.figure(_slope, PLAIN)
    if slope is None:
        return LengthTrend(estimate=None, undefined="the lengths, or people, do not vary", **base)
    interval = made.interval
    return LengthTrend(
        estimate=slope,
        interval=interval,
        undefined=made.why if interval is None else None,
        p=made.p,
        notes=made.notes,
        **base,
    )


def _trend_features(beside: Beside, rows: Array, length: Array, numbers: bool) -> Array:
    """What the slope is a function of; everything is linear in what the units add."""
    judge, people = beside.of("judge_person", rows), beside.of("people", rows)
    if numbers:
        apart = [part[:, 4] + part[:, 5] - 2 * part[:, 1] for part in (judge, people)]
        gap = apart[1] - apart[0]
        square, mean = people[:, 5], people[:, 3]
    else:
        gap, square, mean = judge[:, 1] - people[:, 1], judge[:, 0] / 2, 0 * judge[:, 0]
    there = judge[:, 0]
    return np.column_stack(
        [there, there * length, there * length**2, gap, gap * length, square, mean]
    )


def _slope(sums: Array) -> Array:
    n, x, xx, y, xy, square, mean = np.moveaxis(sums, -1, 0)
    some = np.maximum(n, 1e-300)
    spread = xx / some - (x / some) ** 2
    # Of words square is n/2 and mean 0, so that it is divided by 1.
    chance = 2 * (square / some - (mean / some) ** 2)
    fine = (n > 0.5) & (spread > 1e-12) & (chance > 1e-12)
    slope = (xy / some - x / some * (y / some)) / np.where(fine, spread * chance, 1.0)
    return np.where(fine, slope, np.nan)
