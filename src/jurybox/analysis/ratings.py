"""What ratings say: mean scores, pass rates, and which systems are told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jurybox.analysis import measure
from jurybox.analysis.asked import AskedCriterion
from jurybox.analysis.cautions import FEW_ITEMS
from jurybox.analysis.claims import unless_undefined
from jurybox.analysis.context import Context, best_compared, kind_of_words, lead
from jurybox.analysis.differences import (
    difference_finding,
    difference_table,
    more_data_finding,
    omnibus_finding,
)
from jurybox.analysis.families import (
    compared,
    criteria_of,
    is_primary,
    not_there,
    with_criterion,
)
from jurybox.analysis.finding import Chapter, Finding, Table
from jurybox.analysis.margins import equivalence_finding, equivalence_tables
from jurybox.analysis.rating_tables import (
    YES,
    YES_NO,
    distribution_tables,
    mean_table,
    robustness_tables,
    word_table,
)
from jurybox.analysis.sentences import does, evidence
from jurybox.results import format_count, format_percent, printed_alike
from jurybox.stats.differences import Difference
from jurybox.stats.means import MeanScore
from jurybox.stats.scale_ends import on_scale
from jurybox.stats.shares import Share
from jurybox.tally.hints import values_hint
from jurybox.tally.ratings import are_numbers, are_yes_no, first_scores
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = ["rating_chapter"]


def rating_chapter(context: Context, responses: Responses) -> Chapter:
    """Mean scores (or shares of yes) of every criterion, and every two systems compared."""
    findings: list[Finding] = []
    tables: list[Table] = []
    beside: list[Table] = []
    first_only = first_scores(responses)
    took = _repeats(responses, first_only)
    responses = first_only
    parts: dict[str, Responses] = {}
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        if not are_numbers(part):
            took.append(_no_mean(context, part, criterion))
            tables.append(word_table(part, criterion))
            continue
        parts[criterion] = part
        known, context = context, _as_yes_no(context, part, criterion)
        if known.asked.criterion(criterion).values != context.asked.criterion(criterion).values:
            took.append(f"{criterion}: every answer is 0 or 1, taken as no and yes")
        made, (shown, *more) = _scores(context, part, criterion)
        findings += made
        tables.append(shown)
        beside += more
    context = with_criterion(context, parts)
    gaps = compared(context, parts)
    told = _difference_findings(context, gaps)
    for criterion in criteria_of(gaps):
        tables.append(difference_table(context, criterion, gaps))
        tables += equivalence_tables(context, criterion, gaps)
    # What is told comes before how the answers lie.
    tables += beside
    first = _leading(context, told, findings, tables)
    tested = [
        measure.many_systems(_under_test(context, part), context.options, criterion=name)
        for name, part in parts.items()
    ]
    findings += [omnibus_finding(context, each) for each in tested if each is not None]
    if first is not None and isinstance(first.result, Difference):
        larger = more_data_finding(first.result)
        findings += [] if larger is None else [larger]
    return Chapter(
        findings=lead([*told, *findings], first),
        tables=tuple(tables),
        took=tuple(took),
        warnings=(*not_there(context, parts, gaps), *_warnings(responses, gaps)),
    )


def _under_test(context: Context, part: Responses) -> Responses:
    """The responses to systems under test: that a reference differs from an anchor is known."""
    own = context.asked.under_test(part.systems)
    if len(own) == len(part.systems):
        return part
    return part.where(f"system IN ({', '.join(map(text, own))})") if own else part


def _no_mean(context: Context, part: Responses, criterion: str) -> str:
    """Why a criterion has no mean score, and what would give it one."""
    kind = kind_of_words(context, criterion)
    said = f"{criterion}: the answers are {kind}, so there is no mean score; "
    if kind == "nominal" and part.value(
        "SELECT count(*) = count(TRY_CAST(word AS DOUBLE)) FROM {r}"
    ):
        return f"{said}a level of ordinal or interval (--level) would give them an order"
    return f"{said}{_numbering(part)} would give them numbers"


def _numbering(words: Responses) -> str:
    """The option that gives each of the words a number, to be filled in."""
    found = words.query("SELECT DISTINCT word FROM {r} ORDER BY 1 LIMIT 11")
    if len(found) > 10:  # more than a scale has
        return "--values score:WORD=NUMBER,…"
    return values_hint("score", [word for (word,) in found])


def _repeats(responses: Responses, first: Responses) -> list[str]:
    """How many answers are a rater's second one to an output."""
    if first is responses:
        return []
    n = responses.count()[0] - first.count()[0]
    again = format_count(n, "repeated answer")
    return [f"{again} of a rater to an output: the first counts"] if n else []


def _as_yes_no(context: Context, part: Responses, criterion: str) -> Context:
    """The context, in which zeros and ones of an unknown scale are answers of no and yes."""
    asked = context.asked
    if asked.ends(criterion) is not None or criterion in asked.derived or not are_yes_no(part):
        return context
    both = part.value("SELECT count(DISTINCT score) FROM {r}") == len(YES_NO)
    known = replace(asked.criterion(criterion), values=YES_NO if both else None, ends=YES_NO)
    return replace(context, asked=replace(asked, criteria={**asked.criteria, criterion: known}))


def _scores(context: Context, part: Responses, criterion: str) -> tuple[list[Finding], list[Table]]:
    """The means, pass rates and tables of one criterion."""
    asked = context.asked.criterion(criterion)
    rows = measure.means(part, context.options, criterion=criterion, higher=asked.higher)
    rows = printed_alike([on_scale(row, context.asked.ends(criterion)) for row in rows])
    rows = rows if asked.higher else rows[::-1]
    between = context.asked.ends(criterion)
    yes_no = between == YES_NO and asked.values in (None, YES_NO) and are_yes_no(part)
    shares = _pass_rates(context, part, criterion, asked, yes_no=yes_no)
    # What is computed from scores lies between ends that those have.
    reaching = replace(asked, ends=between)
    if not yes_no:
        rows = measure.robust(
            part,
            context.options,
            rows,
            worst=_worst(reaching),
            beyond=between is not None and asked.values is None,
            higher=asked.higher,
        )
    tables = [mean_table(context, criterion, rows, shares, asked)]
    if criterion not in context.asked.derived:
        tables += distribution_tables(criterion, asked, rows)
    if not yes_no:
        tables += robustness_tables(context, criterion, rows, reaching)
    findings = [_mean_finding(row, asked) for row in rows]
    findings += [_pass_finding(row, asked) for row in shares.values()]
    return findings, tables


def _worst(asked: AskedCriterion) -> float | None:
    """The worst value of the scale, or of a slider and what is derived where its fifth begins."""
    if asked.ends is None:
        return None
    low, high = asked.ends
    fifth = 0.0 if asked.values else (high - low) / 5
    return low + fifth if asked.higher else high - fifth


def _difference_findings(context: Context, gaps: Sequence[Difference]) -> list[Finding]:
    found = []
    for gap in gaps:
        found.append(difference_finding(context, gap, primary=is_primary(context, gap)))
        within = equivalence_finding(context, gap)
        found += [] if within is None else [within]
    return found


def _warnings(responses: Responses, gaps: Sequence[Difference]) -> tuple[str, ...]:
    """A pair that too few items tell apart; where all items are few, that is said of them all."""
    if responses.count()[2] < FEW_ITEMS:
        return ()
    few = (
        f"{gap.system} and {gap.other} differ on {(test.n_items or 0) - test.n_zero} of "
        f"{format_count(test.n_items or 0, 'item')} on {gap.criterion}: the signed-rank p, which "
        f"JSON has beside that of the t test, cannot reach 0.05 on fewer than {FEW_ITEMS}"
        for gap in gaps
        for test in gap.tests
        if test.test == "Wilcoxon signed-rank" and test.notes
    )
    return tuple(few)[:1]


def _leading(
    context: Context,
    made: Sequence[Finding],
    findings: Sequence[Finding],
    tables: Sequence[Table],
) -> Finding | None:
    """The primary contrast, else that of the two best systems of the first criterion."""
    if made and made[0].standing == "primary":
        return made[0]
    first = next((t for t in tables if t.kind == "mean_scores"), None)
    if first is not None:
        criterion = first.about
        pairs = [finding for finding in made if finding.criterion == criterion]
        best = best_compared(context, pairs, [row[0] for row in first.rows])
        if best is not None:
            return best
    return findings[0] if findings else None


def _mean_finding(row: MeanScore, asked: AskedCriterion) -> Finding:
    value = row.format(row.estimate)
    return Finding(
        id=f"mean/{row.criterion}/{row.system}",
        sentence=f"{does(row.system, 'has')} a {asked.mean_name} of {value} on {row.criterion} "
        f"{evidence(row, noun='rating')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system,),
        figure=asked.mean_name,
    )


def _pass_rates(
    context: Context, part: Responses, criterion: str, asked: AskedCriterion, *, yes_no: bool
) -> dict[str, Share]:
    of_yes = asked.pass_mark is None and yes_no
    mark = 1.0 if of_yes else asked.pass_mark
    if mark is None:
        return {}
    found = measure.pass_rates(
        part, context.options, criterion=criterion, mark=mark, higher=asked.higher
    )
    return {row.system or "": replace(row, what=YES.lower()) if of_yes else row for row in found}


def _pass_finding(row: Share, asked: AskedCriterion) -> Finding:
    share = format_percent(row.estimate)
    if asked.pass_mark is None:
        verb, what = "gets", f"1 (yes) on {row.criterion} in {share} of ratings"
    else:
        side = "at or above" if asked.higher else "at or below"
        verb = "passes"
        what = f"on {row.criterion} ({side} {asked.pass_mark:g}) in {share} of ratings"
    made = Finding(
        id=f"pass/{row.criterion}/{row.system}",
        sentence=f"{does(row.system or '', verb)} {what} {evidence(row, noun='rating')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system or "",),
    )
    rate = "The share of yes" if asked.pass_mark is None else "The pass rate"
    return unless_undefined(made, f"{rate} of {row.system} on {row.criterion}", noun="rating")
