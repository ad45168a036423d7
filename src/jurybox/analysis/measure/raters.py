"""Raters: each beside the others on the same outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jurybox.analysis.looks import looked_for
from jurybox.analysis.measure.reduced import reduced
from jurybox.analysis.options import Options
from jurybox.results import printed_alike
from jurybox.stats.agreement.alpha import Level, rater_agreement
from jurybox.stats.means import mean
from jurybox.stats.raters import (
    RaterQuality,
    Retest,
    Usual,
    median_of,
    own_share,
    retest_kappa,
    worth_a_look,
)
from jurybox.stats.shares import Share, share
from jurybox.stats.trends import Trend, slope
from jurybox.tally import rater_effects as tally
from jurybox.tally.patterns import answer_patterns
from jurybox.tally.raters import rater_tallies
from jurybox.tally.ratios import sized
from jurybox.tally.responses import Responses
from jurybox.tally.spans import as_scores, span_rows

__all__ = ["Checks", "Known", "agreement_with_others", "rater_qualities", "retest", "span_points"]

Checks = Mapping[str, Mapping[str, tuple[int, int]]]
"""Per rater and kind (practice, gold, attention): right answers, and all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of raters beside their responses."""

    checks: Checks = field(default_factory=dict)
    expected: Mapping[str, float] | float | None = None
    """Seconds that a trial is expected to take: of all, or of each."""


def span_points(
    responses: Responses,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
) -> Responses:
    """Spans as the error points of each output, which are scores."""
    rows = span_rows(responses, severities=severities, weights=weights)
    return tally.as_ratings(as_scores(responses, rows))


def agreement_with_others(part: Responses, level: Level) -> dict[str, float]:
    """How far each rater agrees with the others, in units of alpha; of rankings, tau."""
    if not (part.has_item and part.has_rater):
        return {}
    if part.shape.name == "rankings":
        return tally.rank_concordance(part)
    rows = part.query("SELECT DISTINCT rater FROM {r} ORDER BY rater")
    names = [row[0] for row in rows]
    if part.shape.name == "votes":
        # Who only compares systems with themselves shares no unit with anybody.
        rows = part.query(
            "SELECT DISTINCT rater FROM {r} WHERE system_a <> system_b ORDER BY rater"
        )
        names = [row[0] for row in rows]
    found = rater_agreement(answer_patterns(part), level=level)
    return {names[k]: value for k, value in found.items() if value is not None}


def retest(part: Responses, options: Options, *, criterion: str) -> Retest | None:
    """How often the same answer comes twice; ``None`` where no rater met an output twice."""
    part = part.with_repeats(criterion)
    each, met = tally.retest_pairs(part)
    if not each:
        return None
    sums = reduced(part, tally.retest_rows(part), options)
    base = share(sums, 0, what="same answer twice", **options.interval)
    distances = [(one.distance, one.n) for one in each.values() if one.distance is not None]
    n = sum(count for _, count in distances)
    return base.as_kind(
        Retest,
        kappa=retest_kappa(met),
        distance=sum(d * c for d, c in distances) / n if n else None,
        criterion=criterion,
    )


def rater_qualities(
    part: Responses,
    options: Options,
    *,
    criterion: str,
    level: Level,
    known: Known | None = None,
    yes_no: bool = False,
    marks: Responses | None = None,
) -> list[RaterQuality]:
    """Every rater of one criterion, by name; empty where the table does not name raters.

    Of scores it is to be said whether they are answers of yes or no, or error points, and of
    which marks: these know how long a trial took.
    """
    if not part.has_rater:
        return []
    known = known or Known()
    numeric = _is_numeric(part)
    leniency = _leniencies(part, options) if numeric else {}
    undefined = {"estimate": None, "undefined": _why_no_leniency(part, numeric=numeric)}
    habits = {} if part.shape.name == "rankings" else tally.answer_habits(part)
    parts: dict[str, Mapping[str, Any]] = {
        "noise": tally.noise(part) if numeric and part.has_item else {},
        "agreement": agreement_with_others(part, level),
        "pace": tally.paces(part if marks is None else marks, known.expected),
        "gold": _golds(known, options),
        "drift": _drifts(part, options) if numeric else {},
        "retest": _retests(part, options, criterion),
        "most_used": {name: habit.most_used for name, habit in habits.items()},
        "most_used_share": {name: habit.share for name, habit in habits.items() if habit.n > 1},
        "longest_run": {name: habit.longest_run for name, habit in habits.items()},
        **_of_votes(part, options),
    }
    usual = Usual(
        sd=tally.deviation(part) if numeric else None,
        noise=median_of(parts["noise"]),
        agreement=median_of(parts["agreement"]),
        answer="real" if part.shape.name == "detections" else "yes" if yes_no else None,
        marks=marks is not None,
    )
    timed = rater_tallies(part if marks is None else marks)
    seconds = {each.rater: each.seconds for each in timed}
    rows: list[RaterQuality] = []
    for each in rater_tallies(part):
        name = each.rater
        beside: dict[str, Any] = {what: found.get(name) for what, found in parts.items()}
        beside |= {**leniency.get(name, undefined), "n_responses": each.n_responses}
        made = RaterQuality(rater=name, criterion=criterion, seconds=seconds.get(name), **beside)
        rows.append(made)

    def own(rater: str) -> Usual:
        return replace(usual, share=habits[rater].others if rater in habits else None)

    return [replace(row, flags=worth_a_look(row, own(row.rater))) for row in printed_alike(rows)]


def _golds(known: Known, options: Options) -> dict[str, Share | None]:
    found = {}
    for rater, kinds in known.checks.items():
        right, n = kinds.get("gold", (0, 0))
        found[rater] = own_share(right, n, options.confidence, what="gold right")
    return found


def _retests(part: Responses, options: Options, criterion: str) -> dict[str, Retest]:
    each, _ = tally.retest_pairs(part.with_repeats(criterion))
    return {name: _own_retest(again, name, criterion, options) for name, again in each.items()}


def _of_votes(part: Responses, options: Options) -> dict[str, Mapping[str, Any]]:
    """What only votes have: ties, and the pull of the first place."""
    if part.shape.name != "votes":
        return {}
    sided = part.has_item and "first" in part.columns
    return {
        "tie_rate": tally.rater_ties(part),
        "first_shown": _first_shown(part, options) if sided else {},
    }


def _is_numeric(part: Responses) -> bool:
    if part.shape.name == "ratings":
        return bool(part.value("SELECT count(*) = count(score) FROM {r}"))
    return part.shape.name == "detections"


def _why_no_leniency(part: Responses, *, numeric: bool) -> str:
    if part.shape.name in ("votes", "rankings"):
        return "choosing between outputs is neither lenient nor severe"
    if not numeric:
        return "the answers are words"
    if not part.has_item:
        return "the table names no items, so no two raters share an output"
    return "no output was also judged by another rater"


def _leniencies(part: Responses, options: Options) -> dict[str, dict[str, Any]]:
    if not part.has_item:
        return {}
    sums = reduced(part, tally.leniency_rows(part), replace(options, generalize="items"))
    if part.shape.name == "ratings":
        sums = sized(sums, [part])
    found = {}
    for k, name in enumerate(sums.names):
        base = mean(sums, k, confidence=options.confidence, cluster="item")
        found[name] = {
            "estimate": base.estimate,
            "interval": base.interval,
            "n_items": base.n_items,
            "undefined": base.undefined,
        }
    return found


def _drifts(part: Responses, options: Options) -> dict[str, Trend]:
    if not part.has_item or "position" not in part.columns:
        return {}
    sums = reduced(part, tally.drift_rows(part), replace(options, generalize="items"))
    found = {
        name: replace(slope(sums, k, what="drift", confidence=options.confidence), rater=name)
        for k, name in enumerate(sums.names)
    }
    return dict(zip(found, looked_for(list(found.values()), "raters"), strict=True))


def _first_shown(part: Responses, options: Options) -> dict[str, Share]:
    sums = reduced(part, tally.first_shown_rows(), replace(options, generalize="items"))
    rows = [
        share(
            sums,
            k,
            what="first shown wins",
            against=0.5,
            confidence=options.confidence,
            cluster="item",
        )
        for k in range(len(sums.names))
    ]
    return dict(zip(sums.names, looked_for(rows, "raters"), strict=True))


def _own_retest(again: tally.Retested, rater: str, criterion: str, options: Options) -> Retest:
    same = own_share(again.same, again.n, options.confidence, what="same answer twice")
    return Retest(
        estimate=None if same is None else same.estimate,
        interval=None if same is None else same.interval,
        undefined=None if same is None else same.undefined,
        n_responses=again.n,
        distance=again.distance,
        criterion=criterion,
        rater=rater,
    )
