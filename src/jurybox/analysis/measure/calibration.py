"""Detections: whether raters are right as often as they say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jurybox.analysis.measure.reduced import reduced
from jurybox.analysis.options import Options
from jurybox.stats.detection.calibration import (
    Brier,
    Calibration,
    RaterCalibration,
    ReliabilityBin,
    Slope,
    bin_of,
    brier_parts,
    calibration_error,
    mean_against,
)
from jurybox.stats.means import mean
from jurybox.stats.scale_ends import SHARES_APART, on_scale
from jurybox.stats.shares import share
from jurybox.tally import calibration as tally
from jurybox.tally.responses import Responses

__all__ = ["calibrated"]

Counted = list[tuple[float, int, int]]
"""Distinct stated probabilities, with how many answers and how many right ones."""


def calibrated(
    responses: Responses,
    options: Options,
    *,
    probability: tally.Probability = None,
    bins: int | None = None,
) -> Calibration:
    """Calibration in the large, slope, Brier score, calibration error and reliability."""
    why = tally.why_unstated(responses, probability)
    if why is not None:
        return Calibration(estimate=None, undefined=why)
    part = tally.stated(responses, probability)
    counted = tally.by_stated(part)
    n = sum(times for _, times, _ in counted)
    x = sum(value * times for value, times, _ in counted) / n
    y = sum(right for _, _, right in counted) / n
    constant = len(counted) == 1
    sums = reduced(part, tally.calibration_rows(None if constant else (x, y)), options)
    place = {name: k for k, name in enumerate(sums.names)}
    large = on_scale(mean_against(sums, place["large"], 0.0, **options.interval), SHARES_APART)
    columns: Any = tuple(zip(*counted, strict=True))
    reliability, resolution, uncertainty = brier_parts(*columns)
    of_squares = on_scale(mean(sums, place["brier"], **options.interval), (0.0, 1.0))
    brier = of_squares.as_kind(
        Brier,
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
    )
    notes = large.notes
    if constant:
        notes = (
            *notes,
            f"every answer has the same confidence (stated probability {counted[0][0]:g}), which "
            "says nothing of when raters are right",
        )
        slope = Slope(estimate=None, undefined="every answer has the same confidence")
    else:
        slope = mean_against(sums, place["slope"], 1.0, **options.interval).as_kind(Slope)
    error = calibration_error(
        *columns, bins=bins, n_resamples=options.n_resamples, seed=options.seed
    )
    return large.as_kind(
        Calibration,
        notes=notes,
        n_dropped=tally.n_unstated(responses),
        stated=x,
        right=y,
        slope=slope,
        brier=brier,
        error=replace(error, n_items=large.n_items, n_raters=large.n_raters),
        bins=_bins(part, counted, options, bins),
        raters=_raters(part, options),
    )


def _bins(
    part: Responses, counted: Counted, options: Options, bins: int | None
) -> tuple[ReliabilityBin, ...]:
    """How often raters are right in each bin of stated probabilities."""
    where, width = bin_of([x for x, _, _ in counted], bins)
    edges = {x: b for (x, _, _), b in zip(counted, where, strict=True)}
    sums = reduced(part, tally.bin_rows(edges), options)
    made = []
    for k, number in enumerate(sums.names):
        inside = [row for row, b in zip(counted, where, strict=True) if b == number]
        n = sum(times for _, times, _ in inside)
        found = share(sums, k, what="share right", **options.interval)
        low, high = (inside[0][0],) * 2 if width is None else (number / width, (number + 1) / width)
        stated = sum(x * times for x, times, _ in inside) / n
        made.append(found.as_kind(ReliabilityBin, stated=stated, low=low, high=high))
    return tuple(made)


def _raters(part: Responses, options: Options) -> tuple[RaterCalibration, ...]:
    """Calibration in the large of every rater, on items like these."""
    if not part.has_rater:
        return ()
    own = replace(options, cluster="item" if part.has_item else None)
    sums = reduced(part, tally.rater_rows(), own)
    settings = own.interval
    found = {str(name): mean(sums, k, **settings) for k, name in enumerate(sums.names)}
    return tuple(
        on_scale(found[rater], SHARES_APART).as_kind(
            RaterCalibration, n_raters=1, rater=rater, stated=x, right=y, brier=score
        )
        for rater, x, y, score in tally.rater_means(part)
    )
