"""Detections: who passes for real."""

from __future__ import annotations

from dataclasses import replace

from jurybox.analysis.measure.reduced import reduced
from jurybox.analysis.measure.turn import turn_share
from jurybox.analysis.options import Options
from jurybox.stats.detection import Counts, TuringTest, group_sensitivity
from jurybox.stats.multiple import in_family
from jurybox.stats.shares import Share, share, share_difference
from jurybox.tally import detections, ratios
from jurybox.tally.responses import Responses

__all__ = ["turing"]


def turing(responses: Responses, options: Options) -> TuringTest:
    """Fooling, hit and false-rejection rates, the test of equal acceptance, and d′."""
    sums = reduced(responses, detections.accepted_rows(), options, cross=True)
    place = {name: k for k, name in enumerate(sums.names)}
    systems = sorted(name.removeprefix("system ") for name in place if name.startswith("system "))
    interval = options.interval

    def accepted(k: int, what: str, system: str | None = None) -> Share:
        return replace(share(sums, k, what=what, **interval), system=system)

    fooling = [accepted(place[f"system {s}"], "fooling rate", s) for s in systems]
    hits = [_complement(row, "hit rate") for row in fooling]
    real = place.get("truth real")
    rejected = gaps = balanced = None
    if real is not None:
        rejected = _complement(accepted(real, "acceptance rate"), "false-rejection rate")
    if real is not None and systems:
        gaps = [
            share_difference(sums, place[f"system {s}"], real, systems=(s, "real"), **interval)
            for s in systems
        ]
        adjusted = in_family([gap.p for gap in gaps])
        gaps = [replace(gap, p_adjusted=p) for gap, p in zip(gaps, adjusted, strict=True)]
        balanced = _balanced(sums, real, place["truth generated"], options)
    counts = [
        Counts(hits=a, generated=b, false_alarms=c, real=d)
        for a, b, c, d in detections.rater_counts(responses)
    ]
    return TuringTest(
        rows=tuple(sorted(fooling, key=lambda row: -(row.estimate or 0.0))),
        undefined=None if systems else "no generated output was shown",
        false_rejection=rejected,
        hits=tuple(hits),
        balanced_accuracy=balanced,
        differences=tuple(gaps or ()),
        sensitivity=group_sensitivity(counts, confidence=options.confidence),
        confidence=options.confidence,
    )


def _complement(row: Share, what: str) -> Share:
    system = row.system
    return replace(turn_share(row), what=what, system=system, other=None)


def _balanced(sums: ratios.RatioSums, real: int, generated: int, options: Options) -> Share:
    """½ + half the difference between the acceptance of real and of generated outputs."""
    gap = share_difference(sums, real, generated, systems=("real", "generated"), **options.interval)
    halved = [
        None if each is None else replace(each, low=0.5 + each.low / 2, high=0.5 + each.high / 2)
        for each in (gap.interval, gap.these_raters)
    ]
    return Share(
        estimate=0.5 + (gap.estimate or 0.0) / 2,
        interval=halved[0],
        these_raters=halved[1],
        p=gap.p,
        n_items=gap.n_items,
        n_raters=gap.n_raters,
        n_responses=gap.n_responses,
        undefined=gap.undefined,
        notes=gap.notes,
        what="balanced accuracy",
        against=0.5,
    )
