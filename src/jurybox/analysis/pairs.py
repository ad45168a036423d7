"""Every two systems set against each other: who comes out above, by votes or by rankings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jurybox.analysis.claims import unless_undefined
from jurybox.analysis.context import Context, best_compared, bounds, interval_column
from jurybox.analysis.finding import Column, Finding, Table
from jurybox.analysis.measure.pairs import (
    joint_pair_shares,
    pair_equivalence,
    pair_shares,
    pair_width,
)
from jurybox.analysis.sentences import (
    claimed_p,
    evidence,
    points,
    rater_noun,
    told_apart,
    undecided,
)
from jurybox.formats import format_confidence
from jurybox.results import format_interval, format_p, format_percent
from jurybox.stats.shares import Share
from jurybox.tally.responses import Responses

if TYPE_CHECKING:
    from jurybox.stats.equivalence import Equivalence

__all__ = [
    "RANKINGS",
    "VOTES",
    "Wording",
    "compared",
    "compared_together",
    "leading",
    "more_data_finding",
    "pair_findings",
    "pair_table",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How one system coming out above another is said."""

    noun: str
    above: str
    """With {share} of responses: `{system} wins {share} of votes against {other}`."""
    rate: str
    """Under "not told apart": `{system} wins {share}`."""
    heading: str
    figure: str | None = None
    """What the share is called, where that is not what its result says."""


VOTES = Wording(
    noun="vote",
    above="{system} wins {share} of votes against {other}",
    rate="{system} wins {share}",
    heading="Win rate",
)
RANKINGS = Wording(
    noun="ranking",
    above="{system} is ranked above {other} in {share} of rankings with both",
    rate="{system} is ranked above in {share}",
    heading="Ranked above",
    figure="share ranked above",
)


def _asked(context: Context, criterion: str | None) -> tuple[str, str] | None:
    """The two systems of the study's primary contrast, if it is about this criterion."""
    primary = context.asked.primary
    if primary is None or primary.kind != "win_rate":
        return None
    return primary.systems if primary.criterion in (None, criterion) else None


def _is_primary(context: Context, row: Share) -> bool:
    return {row.system, row.other} == set(_asked(context, row.criterion) or ())


def compared_together(
    context: Context, responses: Responses, rows: str
) -> dict[str, list[Share]] | None:
    """Every pair on every criterion as one family, where the study names no primary contrast.

    ``None`` where it does, or where there is one criterion: then each criterion is a family.
    """
    criteria = responses.criteria
    if context.asked.primary is not None or len(criteria) < 2:
        return None
    return joint_pair_shares(
        responses,
        rows,
        context.options,
        criteria=criteria,
        against=context.asked.baseline,
        wanted=_wanted(context),
    )


def _wanted(context: Context) -> Callable[[str, str], bool] | None:
    """Which pairs are compared: against a baseline, only those with it."""
    baseline = context.asked.baseline
    return None if baseline is None else lambda one, two: baseline in (one, two)


def compared(context: Context, part: Responses, rows: str, criterion: str) -> list[Share]:
    """Every pair: the primary one alone, first and as it was asked; the others as one family."""
    return pair_shares(
        part,
        rows,
        context.options,
        criterion=criterion,
        alone=_asked(context, criterion),
        against=context.asked.baseline,
        wanted=_wanted(context),
    )


def leading(context: Context, made: Sequence[Finding], best: Sequence[str]) -> Finding | None:
    """The primary finding, else the one between the two best systems, else the first."""
    if made and made[0].standing == "primary":
        return made[0]
    return best_compared(context, made, best) or (made[0] if made else None)


def pair_findings(
    context: Context, part: Responses, rows: str, pairs: Sequence[Share], words: Wording
) -> list[Finding]:
    """What each pair says; of the primary one also whether it is equivalent within the margin."""
    found = []
    for row in pairs:
        found.append(_pair_finding(context, row, words))
        margin = context.asked.margin
        if margin is not None and _is_primary(context, row):
            pair = (row.system or "", row.other or "")
            within = pair_equivalence(part, rows, context.options, pair, margin)
            found.append(_equivalence_finding(context, row, within, words))
    return found


def _pair_finding(context: Context, row: Share, words: Wording) -> Finding:
    primary = _is_primary(context, row)
    p, adjusted = claimed_p(row, primary=primary)
    told = told_apart(row, null=0.5, p=p, confidence=context.confidence)
    said = evidence(row, noun=words.noun, p=p, adjusted=adjusted)
    share = format_percent(row.estimate)
    if told:
        share = share if (row.estimate or 0) > 0.5 else f"only {share}"
        claim = words.above.format(system=row.system, other=row.other, share=share)
        sentence = f"{claim} {said}."
    else:
        rate = words.rate.format(system=row.system, share=share)
        begin = undecided(row, row.system or "", row.other or "")
        sentence = f"{begin}: {rate} {said}."
    made = Finding(
        id=f"win_rate/{row.criterion}/{row.system}/{row.other}",
        sentence=sentence,
        result=row,
        standing="primary" if primary else "secondary",
        told=told,
        criterion=row.criterion,
        systems=(row.system or "", row.other or ""),
        figure=words.figure,
    )
    what = f"How often {row.system} is preferred to {row.other}"
    return unless_undefined(made, what, noun=words.noun)


def _equivalence_finding(
    context: Context, row: Share, within: Equivalence, words: Wording
) -> Finding:
    verdict = within.verdict(context.confidence)
    one, two, size = row.system, row.other, points(within.margin)
    claim = {
        "equivalent": f"{one} and {two} are equivalent within {size} of 50%",
        "not inferior": f"{one} is not inferior to {two} by {size} or more",
        "not shown": f"That {one} and {two} are equivalent within {size} of 50% is not shown",
    }[verdict]
    rate = words.rate.format(system=one, share=format_percent(row.estimate))
    parts = []
    for interval in (within.interval, within.wider):
        if interval is not None:
            shifted = replace(interval, low=interval.low + 0.5, high=interval.high + 0.5)
            percent = format_confidence(interval.confidence)
            parts.append(f"{percent} interval {format_interval(shifted, percent=True)}")
    p = within.p_not_lower if verdict == "not inferior" else within.p
    parts += [format_p(p)] if p is not None else [f"no test: {within.undefined}"]
    return Finding(
        id=f"equivalence/{row.criterion}/{one}/{two}",
        sentence=f"{claim}: {rate} ({'; '.join(parts)}).",
        result=within,
        told=verdict != "not shown",
        criterion=row.criterion,
        systems=(one or "", two or ""),
    )


def more_data_finding(
    context: Context, part: Responses, rows: str, lead: Finding | None
) -> list[Finding]:
    """How much narrower the leading interval would be with twice the raters or items."""
    if lead is None or len(lead.systems) != 2:
        return []
    one, two = lead.systems
    width = pair_width(part, rows, context.options, (one, two))
    more = [
        f"with twice the {kind} about {points(2 * half)}"
        for kind, half in ((f"{rater_noun()}s", width.twice_raters), ("items", width.twice_items))
        if half is not None
    ]
    if width.estimate is None or not more:
        return []
    is_alone = getattr(lead.result, "simultaneous", None) is not None
    # An interval of a share reaches farther to the side of one half.
    said = f"{points(2 * width.estimate)} wide; {', '.join(more)} would be expected."
    return [
        Finding(
            id=f"more_data/{lead.criterion}/{one}/{two}",
            sentence=f"The interval of {one} against {two}{', taken alone,' if is_alone else ''} "
            f"is {said}",
            of_answer=f"{'Taken alone, it' if is_alone else 'It'} is {said}",
            result=width,
            criterion=lead.criterion,
        )
    ]


def pair_table(
    context: Context, criterion: str, pairs: Sequence[Share], words: Wording, *, rule: str
) -> Table:
    """Every pair with its own interval and p, and with those that hold for the whole family."""
    by = next((row.adjusted_by for row in pairs if row.adjusted_by is not None), None)
    joint = any(row.simultaneous is not None for row in pairs)
    name = "max-t" if joint else "Holm"
    columns = [
        Column(name="system", heading="System"),
        Column(name="other", heading="Against"),
        Column(name="win_rate", heading=words.heading, kind="percent"),
        interval_column(context),
    ]
    columns += [interval_column(context, "simultaneous", joint=True)] if joint else []
    columns += [Column(name="p", heading="p", kind="p")]
    columns += [Column(name="p_adjusted", heading=f"p ({name})", kind="p")] if by else []
    columns += [Column(name=f"{words.noun}s", heading=f"{words.noun.capitalize()}s", kind="count")]
    rows = [
        (
            row.system,
            row.other,
            row.estimate,
            bounds(row.interval),
            *([bounds(row.simultaneous)] if joint else []),
            row.p,
            *([row.p_adjusted] if by else []),
            row.n_responses,
        )
        for row in pairs
    ]
    caption = [rule, "p tests against 50%."]
    if joint:
        caption.append(
            f"Simultaneous intervals and p (max-t) hold for the whole family at once ({by}); "
            "the other interval and p are for one pair each."
        )
    elif by:
        caption.append(f"Intervals and p are for one pair each; p (Holm) pays for all ({by}).")
    if any(_is_primary(context, row) for row in pairs):
        caption.append("The primary comparison is tested alone.")
    return Table(
        id=f"pairs/{criterion}",
        title=f"Pairs: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=" ".join(caption),
    )
