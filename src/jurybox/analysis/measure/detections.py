"""Detections: who passes for real."""

from __future__ import annotations

from dataclasses import replace

from jurybox.analysis.measure.reduced import reduced
from jurybox.analysis.measure.turn import mirror
from jurybox.analysis.options import Options
from jurybox.stats.detection.acceptance import acceptance_gaps, equal_acceptance, in_one_family
from jurybox.stats.detection.auc import Area, clustered_area
from jurybox.stats.detection.turing import (
    Counts,
    OriginShare,
    RaterDetection,
    Sensitivity,
    TuringTest,
    group_sensitivity,
    rater_detection,
)
from jurybox.stats.shares import Share, ShareDifference, share
from jurybox.tally import detections, ratios
from jurybox.tally.responses import Responses

__all__ = ["turing"]


def turing(responses: Responses, options: Options, *, margin: float | None = None) -> TuringTest:
    """Fooling, hit and false-rejection rates, the test of equal acceptance, d′ and the area."""
    sums = reduced(responses, detections.accepted_rows(), options, cross=True)
    place = {name: k for k, name in enumerate(sums.names)}
    systems = sorted(name.removeprefix("system ") for name in place if name.startswith("system "))
    called = detections.called_real(responses)

    def accepted(name: str, what: str, system: str | None = None) -> OriginShare:
        row = share(sums, place[name], what=what, **options.interval)
        yes, no = called[name]
        made = OriginShare.of(row, called_real=yes, called_generated=no)
        return replace(made, system=system)

    fooling = [accepted(f"system {s}", "fooling rate", s) for s in systems]
    overall = accepted("truth generated", "fooling rate") if systems else None
    real = place.get("truth real")
    rejected = None
    if real is not None:
        rejected = _complement(accepted("truth real", "acceptance rate"), "false-rejection rate")
    raters, per_rater = _raters(responses)
    whole, areas = _areas(responses, options)
    test = TuringTest(
        rows=tuple(sorted(fooling, key=lambda row: -(row.estimate or 0.0))),
        undefined=None if systems else "no generated output was shown",
        notes=_remarks(detections.two_faced(responses)),
        fooling=overall,
        false_rejection=rejected,
        hits=tuple(_complement(row, "hit rate") for row in fooling),
        hit=None if overall is None else _complement(overall, "hit rate"),
        sensitivity=_group(raters, responses, options),
        sensitivities=_per_system(responses, systems, options),
        area=whole,
        areas=areas,
        raters=per_rater,
        margin=margin,
        cluster=options.cluster,
        confidence=options.confidence,
    )
    if real is None or not systems:
        return test
    return _compared(test, sums, systems, margin, options)


def _compared(
    test: TuringTest,
    sums: ratios.RatioSums,
    systems: list[str],
    margin: float | None,
    options: Options,
) -> TuringTest:
    """The test with how generated outputs differ from real ones."""
    place = {name: k for k, name in enumerate(sums.names)}
    real = place["truth real"]
    places = [place[f"system {s}"] for s in systems]
    gaps = acceptance_gaps(sums, places, real, systems=systems, **options.interval)
    (whole,) = acceptance_gaps(
        sums, [place["truth generated"]], real, systems=["generated"], **options.interval
    )
    return replace(
        test,
        balanced_accuracy=_balanced(whole.row),
        difference=whole.row,
        differences=in_one_family(sums, gaps, real, seed=options.seed, **options.interval),
        equivalences=()
        if margin is None
        else equal_acceptance(gaps, margin=margin, confidence=options.confidence),
    )


def _complement(row: OriginShare, what: str) -> OriginShare:
    return replace(
        row,
        estimate=None if row.estimate is None else 1 - row.estimate,
        interval=mirror(row.interval, 0.5),
        these_raters=mirror(row.these_raters, 0.5),
        what=what,
    )


def _balanced(gap: ShareDifference) -> Share:
    """½ + half of how much more often real outputs are accepted than generated ones."""
    halved = [
        None if each is None else replace(each, low=0.5 - each.high / 2, high=0.5 - each.low / 2)
        for each in (gap.interval, gap.these_raters)
    ]
    return Share(
        estimate=None if gap.estimate is None else 0.5 - gap.estimate / 2,
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


def _remarks(systems: list[str]) -> tuple[str, ...]:
    return tuple(
        f"{system} has real and generated outputs: its real ones count among the real outputs that "
        "it is compared with"
        for system in systems
    )


def _counts(rows: list[tuple[str, int, int, int, int]], areas: dict[str, float]) -> list[Counts]:
    return [
        Counts(hits=a, generated=b, false_alarms=c, real=d, rater=rater, area=areas.get(rater))
        for rater, a, b, c, d in rows
    ]


def _raters(responses: Responses) -> tuple[list[Counts], tuple[RaterDetection, ...]]:
    ordered = detections.why_no_area(responses) is None and responses.has_rater
    areas = detections.rater_areas(responses) if ordered else {}
    counts = _counts(detections.rater_counts(responses), areas)
    if not responses.has_rater:
        return counts, ()
    return counts, tuple(rater_detection(each) for each in counts)


def _group(
    counts: list[Counts], responses: Responses, options: Options, system: str | None = None
) -> Sensitivity:
    return group_sensitivity(
        counts,
        system=system,
        anonymous=not responses.has_rater,
        confidence=options.confidence,
    )


def _per_system(
    responses: Responses, systems: list[str], options: Options
) -> tuple[Sensitivity, ...]:
    return tuple(
        _group(_counts(detections.rater_counts(responses, s), {}), responses, options, s)
        for s in systems
    )


def _areas(responses: Responses, options: Options) -> tuple[Area, tuple[Area, ...]]:
    """The area of all generated outputs, and of every system's."""
    why = detections.why_no_area(responses)
    if why is not None:
        return Area(estimate=None, undefined=why), ()
    sums = reduced(responses, detections.area_rows(), options)
    made = {
        name: clustered_area(
            sums,
            k,
            system=None if name == "all" else name.removeprefix("system "),
            **options.interval,
        )
        for k, name in enumerate(sums.names)
    }
    if "all" not in made:
        why = "the answers with a confidence are to outputs of one kind only"
        return Area(estimate=None, undefined=why), ()
    whole = made.pop("all")
    return whole, tuple(made.values())
