"""What ratings say: mean scores, pass rates, and which systems are told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.asked import AskedCriterion
from jurybox.analysis.context import Context, adjusted, bounds, interval_column, lead
from jurybox.analysis.finding import Chapter, Column, Finding, Standing, Table
from jurybox.analysis.sentences import claimed_p, evidence, told_apart
from jurybox.results import format_number, format_percent
from jurybox.stats.means import Difference, MeanScore
from jurybox.stats.shares import Share
from jurybox.tally.ratings import are_numbers, are_yes_no, score_counts, word_counts
from jurybox.tally.responses import Responses

__all__ = ["difference_finding", "difference_table", "rating_chapter", "rating_headline"]

MOST_VALUES = 11
"""With more distinct values than this, shares of single values say nothing."""


def rating_chapter(context: Context, responses: Responses) -> Chapter:
    """Mean scores (or shares of yes) of every criterion, and every two systems compared."""
    findings: list[Finding] = []
    tables: list[Table] = []
    took: list[str] = []
    gaps: list[Difference] = []
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        asked = context.asked.criterion(criterion)
        if not are_numbers(part):
            took.append(f"{criterion}: the answers are words, so there is no mean score")
            tables.append(_word_table(part, criterion))
            continue
        rows = measure.means(part, context.options, criterion=criterion)
        rows = rows if asked.higher else rows[::-1]
        shares = _pass_rates(context, part, criterion, asked)
        tables.append(_mean_table(context, criterion, rows, shares, asked))
        if criterion not in context.asked.derived:
            tables += _distribution(part, criterion, asked, [row.system for row in rows])
        findings += [_mean_finding(row, asked) for row in rows]
        findings += [_pass_finding(row, asked) for row in shares.values()]
        gaps += measure.differences(part, context.options, criterion=criterion)
    primary = _primary(context, gaps)
    others = [gap for gap in gaps if not _is_primary(context, gap)]
    if context.asked.baseline is not None:
        others = [g for g in others if context.asked.baseline in (g.system, g.other)]
    others = _families(context, others)
    compared = [*([primary] if primary else []), *others]
    made = [difference_finding(context, gap, primary=gap is primary) for gap in compared]
    tables += [difference_table(context, c, compared) for c in _criteria_of(compared)]
    return Chapter(
        findings=lead([*made, *findings], _leading(made, findings, tables)),
        tables=tuple(tables),
        took=tuple(took),
    )


def _criteria_of(gaps: Sequence[Difference]) -> list[str]:
    return list(dict.fromkeys(gap.criterion or "" for gap in gaps))


def _families(context: Context, gaps: list[Difference]) -> list[Difference]:
    """Holm within each criterion where a primary contrast is named, else over everything."""
    if context.asked.primary is None:
        return adjusted(gaps)
    found = []
    for criterion in _criteria_of(gaps):
        found += adjusted([gap for gap in gaps if gap.criterion == criterion])
    return found


def _is_primary(context: Context, gap: Difference) -> bool:
    primary = context.asked.primary
    if primary is None or primary.kind != "mean":
        return False
    same = {gap.system, gap.other} == set(primary.systems)
    return same and (primary.criterion is None or primary.criterion == gap.criterion)


def _primary(context: Context, gaps: Sequence[Difference]) -> Difference | None:
    found = next((gap for gap in gaps if _is_primary(context, gap)), None)
    if found is None or context.asked.primary is None:
        return None
    return found if found.system == context.asked.primary.systems[0] else measure.turn(found)


def rating_headline(context: Context, responses: Responses) -> Finding | None:
    """The primary contrast alone; the one between the two best systems where none is named."""
    criteria = responses.criteria
    primary = context.asked.primary
    if primary is not None and primary.criterion is not None:
        criteria = tuple(c for c in criteria if c == primary.criterion)
    for criterion in criteria:
        part = responses.of_criterion(criterion)
        if not are_numbers(part):
            continue
        gaps = measure.differences(part, context.options, criterion=criterion)
        found = _primary(context, gaps)
        if found is not None:
            return difference_finding(context, found, primary=True)
        rows = measure.means(part, context.options, criterion=criterion)
        best = {row.system for row in rows[:2]}
        for gap in gaps:
            if {gap.system, gap.other} == best:
                return difference_finding(context, gap, primary=False)
    return None


def _leading(
    made: Sequence[Finding], findings: Sequence[Finding], tables: Sequence[Table]
) -> Finding | None:
    """The primary contrast, else the one between the two best systems of the first criterion."""
    if made and made[0].standing == "primary":
        return made[0]
    first = next((t for t in tables if t.id.startswith("mean_scores/")), None)
    if first is not None and len(first.rows) > 1:
        best = {first.rows[0][0], first.rows[1][0]}
        criterion = first.id.removeprefix("mean_scores/")
        for finding in made:
            if set(finding.systems) == best and finding.criterion == criterion:
                return finding
    return findings[0] if findings else None


def _mean_name(asked: AskedCriterion) -> str:
    return "mean opinion score" if asked.opinion else "mean score"


def _mean_finding(row: MeanScore, asked: AskedCriterion) -> Finding:
    value = format_number(row.estimate)
    return Finding(
        id=f"mean/{row.criterion}/{row.system}",
        sentence=f"{row.system} has a {_mean_name(asked)} of {value} on {row.criterion} "
        f"{evidence(row, noun='rating')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system,),
    )


def _pass_rates(
    context: Context, part: Responses, criterion: str, asked: AskedCriterion
) -> dict[str, Share]:
    mark = asked.pass_mark
    if mark is None and are_yes_no(part):
        mark = 1.0
    if mark is None:
        return {}
    found = measure.pass_rates(
        part, context.options, criterion=criterion, mark=mark, higher=asked.higher
    )
    return {row.system or "": row for row in found}


def _pass_finding(row: Share, asked: AskedCriterion) -> Finding:
    share = format_percent(row.estimate)
    if asked.pass_mark is None:
        what = f"gets 1 (yes) on {row.criterion} in {share} of ratings"
    else:
        side = "at or above" if asked.higher else "at or below"
        what = f"passes on {row.criterion} ({side} {asked.pass_mark:g}) in {share} of ratings"
    return Finding(
        id=f"pass/{row.criterion}/{row.system}",
        sentence=f"{row.system} {what} {evidence(row, noun='rating')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system or "",),
    )


def _mean_table(
    context: Context,
    criterion: str,
    rows: Sequence[MeanScore],
    shares: dict[str, Share],
    asked: AskedCriterion,
) -> Table:
    heading = _mean_name(asked).capitalize()
    columns = [
        Column(name="system", heading="System"),
        Column(name="mean", heading=heading, kind="number"),
        interval_column(context),
        Column(name="sd", heading="SD", kind="number"),
    ]
    if shares:
        name = "Yes" if asked.pass_mark is None else "Pass rate"
        columns.append(Column(name="pass_rate", heading=name, kind="percent"))
        columns.append(interval_column(context, "pass_interval"))
    columns.append(Column(name="responses", heading="Ratings", kind="count"))
    cells = []
    for row in rows:
        cell: list[Any] = [row.system, row.estimate, bounds(row.interval), row.sd]
        if shares:
            share = shares[row.system]
            cell += [share.estimate, bounds(share.interval)]
        cells.append((*cell, row.n_responses))
    notes = dict.fromkeys(note for row in rows for note in row.notes)
    return Table(
        id=f"mean_scores/{criterion}",
        title=f"{heading}: {criterion}",
        columns=tuple(columns),
        rows=tuple(cells),
        caption=_caption(rows, notes),
    )


def _caption(rows: Sequence[MeanScore], notes: dict[str, None]) -> str:
    methods = dict.fromkeys(
        f"Intervals {row.interval.method}; they hold for {row.interval.generalizes_to}."
        for row in rows
        if row.interval is not None
    )
    said = [note[0].upper() + note[1:] + "." for note in notes]
    return " ".join([*list(methods)[:1], *said])


def difference_finding(context: Context, gap: Difference, *, primary: bool) -> Finding:
    """The sentence of one comparison: told, not told apart, or not comparable."""
    p, adjusted = claimed_p(gap, primary=primary)
    told = told_apart(gap, null=0.0, p=p, confidence=context.confidence)
    on = f" on {gap.criterion}" if gap.criterion else ""
    said = evidence(gap, noun="rating", p=p, adjusted=adjusted)
    if gap.estimate is None:
        sentence = f"{gap.system} and {gap.other} cannot be compared{on}: {gap.undefined}."
    elif told:
        way = "higher" if gap.estimate > 0 else "lower"
        size = format_number(abs(gap.estimate))
        sentence = f"{gap.system} scores {size} {way} than {gap.other}{on} {said}."
    else:
        size = format_number(gap.estimate)
        sentence = (
            f"{gap.system} and {gap.other} are not told apart{on}: the difference is {size} {said}."
        )
    standing: Standing = "primary" if primary else "secondary"
    return Finding(
        id=f"difference/{gap.criterion}/{gap.system}/{gap.other}",
        sentence=sentence,
        result=gap,
        standing=standing,
        told=told,
        criterion=gap.criterion,
        systems=(gap.system, gap.other),
    )


def difference_table(context: Context, criterion: str, gaps: Sequence[Difference]) -> Table:
    """Every two systems on one criterion."""
    rows = [
        (
            gap.system,
            gap.other,
            gap.estimate,
            bounds(gap.interval),
            gap.p,
            gap.p_adjusted,
            gap.n_items,
        )
        for gap in gaps
        if (gap.criterion or "") == criterion
    ]
    return Table(
        id=f"differences/{criterion}",
        title=f"Differences: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="other", heading="Other"),
            Column(name="difference", heading="Difference", kind="number"),
            interval_column(context),
            Column(name="p", heading="p", kind="p"),
            Column(name="p_adjusted", heading="p (Holm)", kind="p"),
            Column(name="items", heading="Shared items", kind="count"),
        ),
        rows=tuple(rows),
        caption="The mean difference within items, by a t test clustered by rater and item. "
        "Intervals are for one pair each; p (Holm) holds for all pairs of the table together.",
    )


def _distribution(
    part: Responses, criterion: str, asked: AskedCriterion, systems: Sequence[str]
) -> list[Table]:
    """The share of each value, per system; nothing where scores hardly repeat."""
    counts = score_counts(part)
    # A value of the scale that nobody gave is a finding too.
    values = sorted({value for _, value in counts} | set(asked.values or ()))
    if not 2 <= len(values) <= MOST_VALUES:
        return []
    columns = [Column(name="system", heading="System")]
    for value in values:
        name = str(int(value)) if value.is_integer() else repr(value)
        heading = name.replace("-", "\N{MINUS SIGN}")
        columns.append(Column(name=f"share_{name}", heading=heading, kind="percent"))
    rows = []
    for system in systems:
        given = [counts.get((system, value), 0) for value in values]
        rows.append((system, *(n / sum(given) for n in given)))
    return [
        Table(
            id=f"distribution/{criterion}",
            title=f"Distribution of scores: {criterion}",
            columns=tuple(columns),
            rows=tuple(rows),
            caption="The share of a system's ratings at each value.",
        )
    ]


def _word_table(part: Responses, criterion: str) -> Table:
    return Table(
        id=f"answers/{criterion}",
        title=f"Answers: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="answer", heading="Answer"),
            Column(name="responses", heading="Ratings", kind="count"),
        ),
        rows=word_counts(part),
    )
