"""From responses to results: the tally that a statistic needs, then the statistic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from jurybox.results import Interval
from jurybox.stats.agreement import (
    Agreement,
    Level,
    alpha_from_patterns,
    fleiss_from_patterns,
    percent_from_patterns,
)
from jurybox.stats.bradley_terry import BradleyTerry, Ties, bradley_terry
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.detection import Counts, TuringTest, group_sensitivity
from jurybox.stats.kappa import Weights, cohen_from_pairs
from jurybox.stats.means import Difference, MeanScore, difference, mean
from jurybox.stats.multiple import in_family
from jurybox.stats.plackett_luce import PlackettLuce, plackett_luce
from jurybox.stats.shares import Share, WinRates, share, share_difference
from jurybox.tally import detections, rankings, ratios, spans, votes
from jurybox.tally.patterns import answer_patterns, pair_answers
from jurybox.tally.responses import Responses

__all__ = [
    "Options",
    "agreement",
    "differences",
    "first_shown_rate",
    "mean_ranks",
    "means",
    "outcome_rates",
    "pass_rates",
    "point_differences",
    "points",
    "share_first",
    "strengths",
    "strengths_of_rankings",
    "turing",
    "turn",
    "turn_share",
    "win_rates",
]

Statistic = Literal["alpha", "percent", "fleiss", "cohen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The settings that every statistic shares."""

    confidence: float = 0.95
    cluster: Cluster = "both"
    generalize: Generalize = "raters+items"
    n_resamples: int = 2000
    seed: int = 0

    @property
    def interval(self) -> dict[str, Any]:
        """The settings of a clustered interval."""
        return {
            "confidence": self.confidence,
            "cluster": self.cluster,
            "generalize": self.generalize,
        }

    @property
    def clusters(self) -> tuple[str, ...]:
        """The kinds of clusters that such an interval adds up, or whose number it is given with."""
        if self.cluster is None:
            return ()
        both = self.cluster == "both" and self.generalize == "raters+items"
        return ("item", "rater", "cell") if both else ("item", "rater")


def _reduce(
    responses: Responses, rows: str, options: Options, *, cross: bool = False
) -> ratios.RatioSums:
    return ratios.reduce(
        responses,
        rows,
        cross=cross,
        single=options.cluster is None,
        cells="cell" in options.clusters,
    )


def means(responses: Responses, options: Options, *, criterion: str) -> list[MeanScore]:
    """The mean score of every system, highest first."""
    found = _means(responses, ratios.mean_of("score"), options, criterion)
    spread = ratios.deviations(responses)
    return [replace(row, sd=spread[row.system]) for row in found]


def _means(responses: Responses, rows: str, options: Options, criterion: str) -> list[MeanScore]:
    sums = _reduce(responses, rows, options)
    found = []
    for k, system in enumerate(sums.names):
        base = mean(sums, k, **options.interval)
        found.append(
            MeanScore(
                estimate=base.estimate,
                interval=base.interval,
                these_raters=base.these_raters,
                n_items=base.n_items,
                n_raters=base.n_raters,
                n_responses=base.n_responses,
                undefined=base.undefined,
                notes=base.notes,
                system=system,
                criterion=criterion,
            )
        )
    return sorted(found, key=lambda row: -(row.estimate or 0.0))


def differences(
    responses: Responses, options: Options, *, criterion: str, value: str = "score"
) -> list[Difference]:
    """Every two systems compared within items, the higher one first; p not yet adjusted."""
    sums = _reduce(responses, ratios.within_items(value), options)
    place = {pair: k for k, pair in enumerate(ratios.between(responses, sums.names))}
    shared = ratios.shared_raters(responses) if responses.has_rater else None
    found = []
    for pair in combinations(responses.systems, 2):
        one, two = pair
        why = None
        if pair not in place:
            why = f"no item has responses for both {one} and {two}"
        elif shared is not None and pair not in shared:
            why = (
                f"no rater judged both {one} and {two}, so systems and raters cannot be told apart"
            )
        if why is not None:
            row = Difference(
                estimate=None, undefined=why, system=one, other=two, criterion=criterion
            )
        else:
            row = difference(
                sums, place[pair], systems=pair, criterion=criterion, **options.interval
            )
        found.append(_turned(row))
    return found


def _turned(row: Difference) -> Difference:
    """The same comparison with the higher system first."""
    if row.estimate is None or row.estimate >= 0:
        return row
    return turn(row)


def turn(row: Difference) -> Difference:
    """The same comparison seen from the other system."""
    return replace(
        row,
        estimate=None if row.estimate is None else -row.estimate,
        interval=_mirror(row.interval),
        these_raters=_mirror(row.these_raters),
        t=None if row.t is None else -row.t,
        system=row.other,
        other=row.system,
    )


def _mirror(interval: Interval | None, about: float = 0.0) -> Interval | None:
    if interval is None:
        return None
    return replace(interval, low=2 * about - interval.high, high=2 * about - interval.low)


def turn_share(row: Share) -> Share:
    """The same pair seen from the other system: 1 − the share."""
    return replace(
        row,
        estimate=None if row.estimate is None else 1 - row.estimate,
        interval=_mirror(row.interval, 0.5),
        these_raters=_mirror(row.these_raters, 0.5),
        system=row.other,
        other=row.system,
    )


def _shares(
    responses: Responses,
    rows: str,
    options: Options,
    *,
    what: str,
    criterion: str | None = None,
    against: float | None = None,
) -> list[Share]:
    sums = _reduce(responses, rows, options)
    return [
        replace(
            share(sums, k, what=what, against=against, **options.interval),
            system=system,
            criterion=criterion,
        )
        for k, system in enumerate(sums.names)
    ]


def pass_rates(
    responses: Responses, options: Options, *, criterion: str, mark: float, higher: bool = True
) -> list[Share]:
    """The share of scores at or beyond the pass mark, per system."""
    rows = ratios.pass_mark(mark, higher=higher)
    return _shares(responses, rows, options, what="pass rate", criterion=criterion)


def win_rates(responses: Responses, options: Options, *, criterion: str | None = None) -> WinRates:
    """How often each system wins, and each against each."""
    itself = votes.self_comparisons(responses)
    total = responses.count()[0]
    if itself == total:
        why = "every vote compares a system with itself"
        return WinRates(rows=(), undefined=why, confidence=options.confidence)
    rows = _shares(
        responses, votes.win_rows(), options, what="win rate", criterion=criterion, against=0.5
    )
    sums = _reduce(responses, votes.pair_rows(), options)
    pairs = []
    for k, (one, two) in enumerate(ratios.between(responses, sums.names)):
        made = share(sums, k, what="win rate", against=0.5, **options.interval)
        row = replace(made, system=one, other=two, criterion=criterion)
        pairs.append(turn_share(row) if (row.estimate or 0.0) < 0.5 else row)
    adjusted = in_family([row.p for row in pairs])
    notes = () if not itself else (f"{itself:,} votes of a system against itself left out",)
    return WinRates(
        rows=tuple(sorted(rows, key=lambda row: -(row.estimate or 0.0))),
        pairs=tuple(replace(row, p_adjusted=p) for row, p in zip(pairs, adjusted, strict=True)),
        notes=notes,
        confidence=options.confidence,
        cluster=options.cluster,
    )


def outcome_rates(responses: Responses, options: Options, outcome: str) -> dict[str, Share]:
    """How often a system's votes end as ``tie`` or ``both_bad``."""
    what = {"tie": "tie rate", "both_bad": "both-bad rate"}[outcome]
    found = _shares(responses, votes.outcome_rows(outcome), options, what=what)
    return {row.system or "": row for row in found}


def first_shown_rate(responses: Responses, options: Options) -> Share | None:
    """How often the output shown first wins; ``None`` where the table does not say."""
    if "first" not in responses.columns:
        return None
    sums = _reduce(responses, votes.first_shown(), options)
    if not sums.names:
        return None
    return share(sums, 0, what="first shown wins", against=0.5, **options.interval)


def strengths(responses: Responses, options: Options, *, ties: Ties) -> BradleyTerry:
    """Bradley–Terry strengths."""
    counts = votes.pair_votes(responses, options.clusters)
    return bradley_terry(counts, ties=ties, **options.interval)


def share_first(responses: Responses, options: Options, *, criterion: str) -> list[Share]:
    """How often each system is ranked first among those shown."""
    rows = rankings.first_rows()
    found = _shares(responses, rows, options, what="share ranked first", criterion=criterion)
    return sorted(found, key=lambda row: -(row.estimate or 0.0))


def mean_ranks(responses: Responses, options: Options, *, criterion: str) -> list[MeanScore]:
    """The mean rank of each system among those shown, best first."""
    found = _means(responses, rankings.mean_rank_rows(), options, criterion)
    return found[::-1]


def strengths_of_rankings(responses: Responses, options: Options) -> PlackettLuce:
    """Plackett–Luce strengths."""
    return plackett_luce(rankings.orders(responses), **options.interval)


def points(
    responses: Responses,
    options: Options,
    *,
    criterion: str,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
) -> list[MeanScore]:
    """The mean error points per output, fewest first."""
    rows = spans.span_rows(responses, severities=severities, weights=weights)
    return _means(responses, rows, options, criterion)[::-1]


def point_differences(
    responses: Responses,
    options: Options,
    *,
    criterion: str,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
) -> list[Difference]:
    """Every two systems compared by their error points within items."""
    rows = spans.span_rows(responses, severities=severities, weights=weights)
    return differences(spans.as_scores(responses, rows), options, criterion=criterion)


def agreement(
    responses: Responses,
    options: Options,
    statistic: Statistic,
    *,
    level: Level | None = None,
    weights: Weights = None,
) -> Agreement:
    """Agreement among raters on the units of the responses."""
    drawn: dict[str, Any] = {
        "confidence": options.confidence,
        "n_resamples": options.n_resamples,
        "seed": options.seed,
    }
    if statistic == "cohen":
        return cohen_from_pairs(pair_answers(responses), weights=weights, **drawn)
    patterns = answer_patterns(responses)
    if statistic == "percent":
        return percent_from_patterns(patterns, **drawn)
    if statistic == "fleiss":
        return fleiss_from_patterns(patterns, **drawn)
    return alpha_from_patterns(patterns, level=level or "nominal", **drawn)


def turing(responses: Responses, options: Options) -> TuringTest:
    """Fooling, hit and false-rejection rates, the test of equal acceptance, and d′."""
    sums = _reduce(responses, detections.accepted_rows(), options, cross=True)
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
