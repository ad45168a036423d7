"""Two rounds compared: what moved per system and criterion, in sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis.claims import with_claims
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.counted import Counted, counted
from jurybox.analysis.finding import Analysis, Chapter, Column, Finding, Table
from jurybox.analysis.judge_words import retold
from jurybox.analysis.measure.rounds import Rounds, measured
from jurybox.analysis.one_scale import costs_apart, marks_apart, scales_apart
from jurybox.analysis.sentences import rater_noun, told_of
from jurybox.formats import format_confidence, joined
from jurybox.results import format_count, format_number, format_p, format_percent
from jurybox.stats.multiple import in_family
from jurybox.stats.rounds import INDEPENDENT, Moved, MovedShare
from jurybox.tally.round_sums import Shared, shared_clusters

__all__ = ["AGAINST", "add_against"]

AGAINST = "against"
"""The standing of the findings, and the first part of the tables' ids."""
KINDS = {"error points per output": "error points", "strength": "strengths"}
"""What a table of numbers is headed with; anything else in it is a score."""
AGREEMENT = "agreement"
"""How agreement is called, whatever measures it: it stands in a table of its own, after results."""


def add_against(
    analysis: Analysis,
    old: Any,
    new: Any,
    *,
    name: str,
    database: str | None = None,
) -> Analysis:
    """The analysis of the new round with what moved since the old one, which is called ``name``."""
    settings: dict[str, Any] = {"confidence": analysis.confidence, "seed": analysis.seed}
    with counted(old, **settings) as before, counted(new, database=database, **settings) as after:
        noun = before.rater_noun if before.rater_noun == after.rater_noun else "rater"
        with told_of(noun):
            chapter = against_chapter(before, after, name=name)
            named = [n for part in after.parts for n in (*part.systems, *part.criteria)]
            chapter = retold(chapter, [name, *named])
    return replace(
        analysis,
        findings=(*analysis.findings, *chapter.findings),
        tables=(*analysis.tables, *chapter.tables),
        took=(*analysis.took, *chapter.took),
        warnings=(*analysis.warnings, *chapter.warnings),
    )


def against_chapter(before: Counted, after: Counted, *, name: str) -> Chapter:
    """Everything that both rounds measured, new minus old, with Holm over all of it."""
    context = after.context
    if before.rater_noun != after.rater_noun:
        who = {"rater": "people", "judge": "judges alone"}
        then, now = who[before.rater_noun], who[after.rater_noun]
        why = f"{then} answered there, and {now} here, so a difference would be theirs"
        return Chapter(findings=(_refused(None, why, name),))
    rows: list[Moved] = []
    refused: list[Finding] = []
    took: list[str] = []
    warnings: list[str] = []
    found = {part.shape.name: part for part in before.parts}
    for new in after.parts:
        old = found.get(new.shape.name)
        if old is None:
            warnings.append(f"{name} has no {new.shape.name}, so nothing of them is compared")
            continue
        shared = shared_clusters(old, new)
        took.append(_say_shared(shared, name, new.shape.noun))
        warnings += _apart(old.systems, new.systems, name, "system")
        warnings += _apart(old.criteria, new.criteria, name, "criterion")
        for criterion in (each for each in new.criteria if each in old.criteria):
            rounds = Rounds(
                context=context,
                old=old.of_criterion(criterion),
                new=new.of_criterion(criterion),
                criterion=criterion,
                shared=shared,
            )
            asked = before.context.asked, context.asked
            if new.shape.name == "ratings":
                apart = scales_apart(criterion, asked, rounds.both, name)
                if apart is not None:
                    refused.append(_refused(criterion, apart, name))
                    continue
            for apart in (marks_apart(criterion, asked, name), costs_apart(criterion, asked, name)):
                warnings += [] if apart is None else [f"{criterion}: {apart}"]
            rows += [replace(row, criterion=criterion) for row in measured(rounds, warnings)]
    rows = _as_family(rows)
    findings = [*refused, *(_finding(context, row, name) for row in rows)]
    if not findings:
        why = "; ".join(warnings) or "the two rounds measured nothing in common"
        findings = [_refused(None, why, name)]
    return Chapter(
        findings=tuple(findings),
        tables=_tables(context, rows, name, " ".join(dict.fromkeys(took))),
        took=tuple(dict.fromkeys(took)),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _apart(old: Sequence[str], new: Sequence[str], name: str, noun: str) -> list[str]:
    said = []
    for mine, others, where in ((new, old, "only here"), (old, new, f"only in {name}")):
        alone = [each for each in mine if each not in others]
        if alone:
            said.append(f"{noun} {', '.join(alone)}: {where}, so there is nothing to compare")
    return said


def _say_shared(shared: Shared, name: str, noun: str) -> str:
    """What the two rounds have in common, by name, and what follows from it."""
    parts = []
    for kind, (old, new, both) in shared.items():
        parts.append(_in_both(kind, old, new, both))
    if not parts:
        return (
            f"The {noun}s here and in {name} name neither items nor raters: taken as independent."
        )
    return f"Compared with {name}, by name: {'; '.join(parts)}."


def _in_both(kind: str, old: int, new: int, both: int) -> str:
    """How many clusters of a kind the rounds have in common.

    >>> _in_both("item", 20, 25, 15)
    '15 items are in both rounds, of 20 then and 25 now (paired)'
    >>> _in_both("rater", 8, 8, 8)
    'the same 8 raters are in both rounds (paired)'
    >>> _in_both("rater", 8, 10, 0)
    'no rater of 8 then and 10 now is in both rounds (independent)'
    """
    sizes = f"of {old:,} then and {new:,} now"
    if both == 0:
        return f"no {kind} {sizes} is in both rounds (independent)"
    who, are = format_count(both, kind), "is" if both == 1 else "are"
    if old == new == both:
        return f"the same {who} {are} in both rounds (paired)"
    return f"{who} {are} in both rounds, {sizes} (paired)"


def _as_family(rows: Sequence[Moved]) -> list[Moved]:
    """All that has a p judged as one family."""
    found = in_family([row.p for row in rows])
    n = sum(p is not None for p in found)
    by = f"Holm over {n} comparisons of the rounds"
    return [
        replace(row, p_adjusted=p, adjusted_by=None if p is None else by)
        for row, p in zip(rows, found, strict=True)
    ]


def _finding(context: Context, row: Moved, name: str) -> Finding:
    on = "" if row.criterion is None else f" on {row.criterion}"
    p = row.claimed_p
    interval = row.interval
    told = interval is not None and not interval.low <= 0 <= interval.high
    told = told and (p is None or p < 1 - context.confidence)
    subject = row.name[:1].upper() + row.name[1:] + on
    was = f"{_value(row, row.old)} in {name}, {_value(row, row.new)} now"
    if row.estimate is None:
        sentence = f"{subject} cannot be compared with {name}: {row.undefined}."
    else:
        verb = ("rose" if row.estimate > 0 else "fell") + f" by {row.format(abs(row.estimate))}"
        claim = verb if told else f"is not shown to have moved ({row.format(row.estimate)})"
        sentence = f"{subject} {claim}: {was} {_evidence(row, p)}."
    systems = tuple(each for each in (row.system, row.other) if each is not None)
    about = "/".join([row.what, row.criterion or "", *systems])
    return Finding(
        id=f"{AGAINST}/{about}",
        sentence=sentence,
        result=row,
        standing="against",
        told=told,
        criterion=row.criterion,
        systems=systems,
    )


def _refused(criterion: str | None, why: str, name: str) -> Finding:
    """That a criterion, or anything at all, is not compared, with the reason."""
    return Finding(
        id=AGAINST if criterion is None else f"{AGAINST}/{criterion}",
        sentence=f"{criterion or 'Nothing'} can{'' if criterion is None else 'not'} be compared "
        f"with {name}: {why}.",
        result=Moved(estimate=None, undefined=why, what="scores", criterion=criterion),
        standing="against",
        told=False,
        criterion=criterion,
    )


def _is_joined(row: Moved) -> bool:
    return row.interval is not None and row.interval.method == INDEPENDENT


def _value(row: Moved, value: float | None) -> str:
    if isinstance(row, MovedShare):
        return format_percent(value)
    return format_number(value, row.digits)


def _evidence(row: Moved, p: float | None) -> str:
    if row.interval is None:
        return f"(no interval of the difference: {row.undefined})"
    percent = format_confidence(row.interval.confidence)
    shown = row.ends(row.interval)
    said = f"{percent} interval of the difference {shown}"
    if row.these_raters is not None:
        said += f"; for these {rater_noun()}s alone {row.ends(row.these_raters)}"
    if p is not None:
        said += f"; {format_p(p)}" + (" by Holm" if row.p_adjusted is not None else "")
    return f"({said})"


def _tables(context: Context, rows: Sequence[Moved], name: str, shared: str) -> tuple[Table, ...]:
    """Numbers, shares and agreement apart; what the rounds have in common stands with the first."""
    parts: dict[str, list[Moved]] = {}
    for row in rows:
        parts.setdefault(_part(row), []).append(row)
    ordered = sorted(parts, key=AGREEMENT.__eq__)
    return tuple(
        _table(context, parts[part], name, "" if k else shared, part=part)
        for k, part in enumerate(ordered)
    )


def _part(row: Moved) -> str:
    """The table that a row stands in."""
    if row.what.startswith(AGREEMENT):
        return AGREEMENT
    return "shares" if isinstance(row, MovedShare) else "numbers"


def _table(context: Context, rows: Sequence[Moved], name: str, shared: str, *, part: str) -> Table:
    """The rows of one unit: shares in percent and their differences in points, or numbers."""
    shares = part == "shares"
    adjusted = any(row.p_adjusted is not None for row in rows)
    columns = (
        Column(name="criterion", heading="Criterion"),
        Column(name="what", heading="Statistic"),
        Column(name="system", heading="System"),
        Column(name="other", heading="Against"),
        Column(name="old", heading=f"In {name}", kind="percent" if shares else "number"),
        Column(name="new", heading="Now", kind="percent" if shares else "number"),
        Column(name="difference", heading="New − old", kind="points" if shares else "number"),
        interval_column(context),
        Column(name="p", heading="p (Holm)" if adjusted else "p", kind="p"),
    )
    made = [
        (
            *(row.criterion, row.what, row.system, row.other, row.old, row.new, row.estimate),
            bounds(row.interval),
            row.claimed_p,
        )
        for row in rows
    ]
    kinds = [part]
    if part == "numbers":
        kinds = list(dict.fromkeys(KINDS.get(row.what, "scores") for row in rows))
    table = Table(
        id=f"{AGAINST}/{part}",
        title=f"What moved since {name}: {joined(kinds)}",
        columns=columns,
        rows=tuple(made),
        caption=_caption(rows, shared, shares=shares),
    )
    return with_claims(table, {"interval": rows})


def _caption(rows: Sequence[Moved], shared: str, *, shares: bool) -> str:
    """What the intervals are of, and how they are made."""
    found = [row for row in rows if row.interval is not None]
    together = list(dict.fromkeys(row.what for row in found if _is_joined(row)))
    said = [shared, "Differences are in points."] if shares else [shared]
    direct = [row.interval.method for row in found if row.interval and not _is_joined(row)]
    if direct:
        how = joined(dict.fromkeys(each.partition(", t(")[0] for each in direct))
        said.append(f"The interval is of the difference, {how}, over both rounds.")
    if together:
        those = f"That of {joined(together)}"
        of = those if direct else "The interval"
        said.append(
            f"{of} is put together from the intervals of the two rounds as if these were "
            "independent: wider than need be where they share raters or items."
        )
    if any(row.p_adjusted is not None for row in rows):
        said.append(
            "Each interval stands by itself; p is adjusted for everything that is compared."
        )
    return " ".join(filter(None, said))
