"""What was asked and not answered, by system, and what it could change."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.looks import looked_for, seen
from jurybox.analysis.measure.reduced import reduced
from jurybox.results import Result, format_count, format_number, format_percent
from jurybox.stats.bounds import Bounds, bound
from jurybox.stats.shares import Share, ShareDifference, share, share_difference
from jurybox.tally.derived import combine
from jurybox.tally.missing import Skips, asked_rows, filled, skip_counts
from jurybox.tally.ratings import first_scores
from jurybox.tally.responses import Responses

__all__ = ["missing_chapter"]

MOST_PAIRS = 1000
"""With more pairs of systems than this, only the primary contrast is tested."""


def missing_chapter(
    context: Context,
    responses: Responses,
    headline: Finding | None,
    scored: Responses | None = None,
) -> Chapter:
    """Skipped and unusable trials by system, tested, with bounds for the headline's contrast.

    ``scored``: the responses with criteria computed from others, where there are some.
    ``tally.missing.note_unanswered`` has said what is missing, and that it is something.
    """
    counts = skip_counts(responses)
    sums = reduced(responses, asked_rows(responses), context.options, cross=True)
    place = {name: k for k, name in enumerate(sums.names)}
    rates = {
        name: replace(share(sums, k, what="skip rate", **context.options.interval), system=name)
        for name, k in place.items()
    }
    findings = []
    wanted = headline.systems if headline is not None and len(headline.systems) == 2 else None
    pairs = list(combinations(sorted(place), 2))
    if len(pairs) > MOST_PAIRS:
        pairs = [pair for pair in pairs if wanted is not None and set(pair) == set(wanted)]
    gaps = looked_for(
        [
            share_difference(sums, place[a], place[b], systems=(a, b), **context.options.interval)
            for a, b in pairs
        ],
        "pairs of systems",
    )
    # Of outputs that are always shown together, one is skipped with the other.
    gap = _telling([gap for gap in gaps if gap.estimate or gap.p is not None], wanted)
    if gap is not None:
        findings.append(_gap_finding(gap, rates))
    bounded = None if headline is None else _bounds(context, scored or responses, headline)
    if bounded is not None and headline is not None:
        findings.append(_bounds_finding(bounded, headline))
    tested = [gap for gap in gaps if gap.p is not None]
    told = [gap for gap in tested if _p(gap) < 1 - context.confidence]
    tables = [_table(context, counts, rates, _family(told, tested))]
    if told and len(tested) > 1:
        tables.append(_pair_table(context, told))
    return Chapter(findings=tuple(findings), tables=tuple(tables))


def _p(gap: ShareDifference) -> float:
    p = gap.claimed_p
    return 1.0 if p is None else p


def _family(told: list[ShareDifference], tested: list[ShareDifference]) -> str:
    """How many pairs of systems their skips tell apart, and how many not."""
    if len(tested) < 2:
        return ""
    if not told:
        return (
            f" It is not shown of any of {format_count(len(tested), 'pair')} of systems that one "
            f"was skipped more often ({tested[0].adjusted_by})."
        )
    rest = len(tested) - len(told)
    apart = f"{len(told):,} differ" if len(told) != 1 else "1 differs"
    return (
        f" Of {format_count(len(tested), 'pair')} of systems {apart} in how often they were "
        f"skipped ({tested[0].adjusted_by}); {rest:,} {'is' if rest == 1 else 'are'} not told "
        "apart."
    )


def _pair_table(context: Context, told: list[ShareDifference]) -> Table:
    """Every pair that the family tells apart, the widest apart first."""
    rows = []
    for gap in sorted(told, key=lambda gap: -abs(gap.estimate or 0.0)):
        names, sign = ((gap.system, gap.other), 1) if _more(gap) else ((gap.other, gap.system), -1)
        ends = bounds(gap.interval)
        between = None if ends is None else tuple(sorted(sign * end for end in ends))
        rows.append((*names, abs(gap.estimate or 0.0), between, _p(gap)))
    return Table(
        id="skips/pairs",
        title="Skipped more often",
        columns=(
            Column(name="system", heading="System"),
            Column(name="other", heading="More often than"),
            Column(name="points", heading="Points apart", kind="points"),
            interval_column(context),
            Column(name="p_adjusted", heading="p", kind="p"),
        ),
        rows=tuple(rows),
        caption=f"Shares of what was asked, in percentage points; p by {told[0].adjusted_by}.",
    )


def _more(gap: ShareDifference) -> bool:
    return (gap.estimate or 0.0) >= 0


def _telling(gaps: list[ShareDifference], wanted: tuple[str, ...] | None) -> ShareDifference | None:
    """The pair that the headline is about; else the two that differ most."""
    own = [gap for gap in gaps if wanted is not None and {gap.system, gap.other} == set(wanted)]
    return max(own or gaps, key=lambda gap: abs(gap.estimate or 0.0), default=None)


def _gap_finding(gap: ShareDifference, rates: dict[str, Share]) -> Finding:
    one, two = (format_percent(rates[name].estimate) for name in (gap.system, gap.other))
    apart = format_number(100 * (gap.estimate or 0.0), 1)
    return Finding(
        id=f"skips/{gap.system}/{gap.other}",
        sentence=f"{gap.system} was skipped or unusable in {one} of cases and {gap.other} in "
        f"{two}, a difference of {apart} percentage points {seen(gap, noun='case')}.",
        result=gap,
        standing="exploratory",
    )


def _bounds(context: Context, responses: Responses, headline: Finding) -> Bounds | None:
    """What the missing answers could make of a difference of means or a win rate."""
    kind, criterion = headline.kind, headline.criterion
    systems = headline.systems
    if len(systems) != 2 or criterion is None:
        return None
    part = responses.of_criterion(criterion)
    if part.shape.name == "ratings":
        part = first_scores(part)
    one, two = systems
    within = None
    derived = context.asked.derived.get(criterion)
    parts = () if derived is None else tuple(derived.weights)
    worst: tuple[Any, Any]
    best: tuple[Any, Any]
    if kind == "win_rate" and part.shape.name == "votes":
        worst, best, what = ("b", "b"), ("a", "a"), "win rate"
    elif kind == "difference" and part.shape.name == "ratings":
        low, high, known = _ends(context, part, criterion)
        within = None if known else (low, high)
        worst, best, what = (low, high), (high, low), "difference"
    else:
        return None
    cases = []
    n = 0
    for values in (worst, best):
        made, n = filled(part, criterion, (one, two), values, parts=parts)
        cases.append(_contrast(context, made, criterion, (one, two)))
    if not n:
        return None
    found = bound(
        headline.result, *cases, systems=(one, two), criterion=criterion, n_filled=n, what=what
    )
    return replace(found, within=within)


def _ends(context: Context, part: Responses, criterion: str) -> tuple[float, float, bool]:
    """The ends of the scale, and whether it is known; else the ends of what was given."""
    asked = context.asked
    derived = asked.derived.get(criterion)
    names = (criterion,) if derived is None else tuple(derived.weights)
    scales = {name: asked.criterion(name).values or () for name in names}
    if all(scales.values()):
        low, high = ({name: end(scales[name]) for name in names} for end in (min, max))
        if derived is None:
            return low[criterion], high[criterion], True
        of = derived.rule, derived.weights
        return combine(*of, low), combine(*of, high), True
    low, high = part.query("SELECT min(score), max(score) FROM {r}")[0]
    return low, high, False


def _contrast(
    context: Context, made: Responses, criterion: str, systems: tuple[str, str]
) -> Result:
    """The difference of the two systems, or the first one's win rate, of filled-in responses."""
    one, _ = systems
    if made.shape.name == "votes":
        rates = measure.win_rates(made, context.options, criterion=criterion)
        row = next(row for row in rates.pairs if {row.system, row.other} == set(systems))
        return row if row.system == one else measure.turn_share(row)
    (gap,) = measure.differences(made, context.options, criterion=criterion)
    return gap if gap.system == one else measure.turn(gap)


def _bounds_finding(row: Bounds, headline: Finding) -> Finding:
    n = format_count(row.n_filled, "missing answer")
    what = f"{row.system}'s win rate against {row.other}"
    if row.what == "difference":
        what = f"the difference between {row.system} and {row.other}"
    if row.worst is None or row.best is None:
        sentence = f"What the {n} could change has no number: {row.undefined}."
    else:
        low, high = (row.format(value) for value in (row.worst, row.best))
        been = "would have been"
        if row.within is not None:
            been += f" from {format_number(row.within[0])} to {format_number(row.within[1])}"
            been += ", the lowest and the highest given"
        sentence = (
            f"Whatever the {n} on {row.criterion} {been}, {what} would lie between {low} and "
            f"{high}; without them it is {row.format(row.estimate)}."
        )
    return Finding(
        id=f"bounds/{headline.id}",
        sentence=sentence,
        result=row,
        standing="quality",
        criterion=row.criterion,
    )


def _table(
    context: Context, counts: tuple[Skips, ...], rates: dict[str, Share], family: str
) -> Table:
    rows = []
    for each in counts:
        rate = rates.get(each.system)
        rows.append(
            (
                each.system,
                each.asked,
                each.skipped,
                None if rate is None else rate.estimate,
                None if rate is None else bounds(rate.interval),
                "; ".join(f"{why} ({n:,})" for why, n in each.reasons),
            )
        )
    return Table(
        id="skips",
        title="Skipped or unusable",
        columns=(
            Column(name="system", heading="System"),
            Column(name="asked", heading="Asked", kind="count"),
            Column(name="skipped", heading="Skipped", kind="count"),
            Column(name="rate", heading="Share", kind="percent"),
            interval_column(context),
            Column(name="reasons", heading="Reasons"),
        ),
        rows=tuple(rows),
        caption=f"A skip is never counted as a number.{family}",
    )
