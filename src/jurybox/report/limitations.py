"""What the study cannot carry, said from its own numbers."""

from __future__ import annotations

from collections.abc import Iterator

from jurybox.analysis.finding import Analysis, Table
from jurybox.report.blocks import Points, Section
from jurybox.report.methods import joined
from jurybox.report.words import RESPONSES
from jurybox.results import format_count, format_number, format_percent
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.multiple import Comparison
from jurybox.study.model import Study

__all__ = ["limitations_section"]

FEW_RATERS = 10
FEW_ITEMS = 30
LOW = 0.667
"""Below this, Krippendorff (2004) advises to draw no conclusion from the single answers."""
UNEVEN = 1.2
OF_CHECKS = ("attention_failed", "gold_below", "practice_failed")
"""The rules that rest on trials whose answer is known."""


def limitations_section(analysis: Analysis, study: Study | None) -> Section:
    """Every limitation that the data show; what nobody can know of them is said to be unknown."""
    items = tuple(_limits(analysis, study))
    return Section(id="limitations", title="Limitations", blocks=(Points(items=items),))


def _limits(analysis: Analysis, study: Study | None) -> Iterator[str]:
    if analysis.n_responses == 0:
        counts = " that counts" if analysis.findings else ""
        yield f"There is no response{counts}, so that everything is open."
        return
    yield from _size(analysis)
    yield from _pool(analysis, study)
    yield from _left_out(analysis)
    yield from _missing(analysis)
    yield from _agreement(analysis)
    yield from _balance(analysis)
    yield from _multiplicity(analysis)
    yield from _untested(analysis)


def _size(analysis: Analysis) -> Iterator[str]:
    raters = format_count(analysis.n_raters, analysis.rater_noun)
    if analysis.n_raters == 0:
        raters = "raters whom the data do not name"
    items = format_count(analysis.n_items, "item")
    if analysis.n_items == 0:
        items = "items that they do not name either" if analysis.n_raters == 0 else "unnamed items"
    said = f"Sizes: the results rest on {raters} and {items}."
    if analysis.n_raters == 1 and not analysis.of_judges:
        said += " How far other raters would differ is not known."
    elif 0 < analysis.n_raters < FEW_RATERS and not analysis.of_judges:
        said += (
            f" With fewer than {FEW_RATERS} raters one person weighs much, and how far others "
            "would differ is known badly."
        )
    if analysis.n_items == 1:
        said += " How far other items would differ is not known."
    elif 0 < analysis.n_items < FEW_ITEMS:
        said += f" With fewer than {FEW_ITEMS} items a few of them can decide."
    yield said


def _pool(analysis: Analysis, study: Study | None) -> Iterator[str]:
    if analysis.of_judges:
        yield "Raters: all are judges, so that nothing holds for people."
        return
    how = "Nothing is stored of how the raters were found"
    if study is not None:
        access = study.access
        ways = [
            ("Raters came from Prolific", access.prolific is not None),
            ("Raters came from Mechanical Turk", access.mturk),
            ("Raters were invited or listed by the organizer", access.invited or access.listed),
        ]
        how = next((said for said, holds in ways if holds), "Anybody with the link could rate")
    headline = analysis.headline
    whom = None
    if headline is not None and headline.result.interval is not None:
        whom = headline.result.interval.generalizes_to
    carried = f"the answer's interval holds for {whom}, and" if whom else "the answer holds"
    yield f"Raters: {how[0].lower()}{how[1:]}; {carried} for no other people, task or language."


def _left_out(analysis: Analysis) -> Iterator[str]:
    if analysis.excluded:
        people = len({each.rater for each in analysis.excluded})
        share = people / max(people + analysis.n_raters, 1)
        yield (
            f"Left out: {format_count(people, 'rater')} ({format_percent(share, 0)} of all) by "
            "rule; the table under Raters has the results with and without them."
        )


def _missing(analysis: Analysis) -> Iterator[str]:
    """What was skipped, by system, and how far it could move the answer."""
    found = [f for f in analysis.findings if f.id.split("/")[0] in ("skips", "bounds")]
    for finding in found:
        yield f"Missing answers: {finding.sentence}"
    collected = analysis.collected
    if collected is not None and collected.n_planned is not None:
        lacking = collected.n_planned - collected.n_trials
        if lacking > 0:
            trials = format_count(lacking, "planned trial was", "planned trials were")
            yield f"Missing answers: {trials} never answered."
        elif not found and analysis.table("skips") is None:
            yield "Missing answers: none; every planned trial was answered and none was skipped."


def _agreement(analysis: Analysis) -> Iterator[str]:
    known = {
        str(f.criterion): f.result.estimate
        for f in analysis.findings
        if f.id.startswith("agreement/") and isinstance(f.result, Agreement)
    }
    low = [
        f"{name} (α {format_number(alpha)})"
        for name, alpha in known.items()
        if alpha is not None and alpha < LOW
    ]
    if low:
        yield (
            f"Agreement: {analysis.rater_noun}s agree little on {joined(low)}, so that a single "
            "answer says little of an output; totals over many answers can still tell systems "
            "apart."
        )


def _balance(analysis: Analysis) -> Iterator[str]:
    """How unevenly the systems were judged, by the tables that count it."""
    for table in analysis.tables:
        if table.id.split("/")[0] not in ("mean_scores", "win_rates", "systems"):
            continue
        counts = _counts(table)
        if len(counts) > 1 and max(counts) > UNEVEN * min(counts):
            noun = RESPONSES[analysis.protocol][1]
            about = table.id.partition("/")[2]
            yield (
                f"Imbalance: on {about} the systems have between {min(counts):,} and "
                f"{max(counts):,} {noun}; those with fewer have wider intervals."
            )
            return


def _counts(table: Table) -> list[int]:
    place = next((k for k, c in enumerate(table.columns) if c.kind == "count"), None)
    return [] if place is None else [row[place] for row in table.rows if row[place] is not None]


def _multiplicity(analysis: Analysis) -> Iterator[str]:
    n = max(_claimed(analysis), _tabulated(analysis))
    looks = sum(f.standing == "exploratory" for f in analysis.findings)
    parts = []
    if n > 1:
        parts.append(f"{n:,} comparisons of systems")
    if looks:
        parts.append(format_count(looks, "exploratory look"))
    if parts:
        yield (
            f"Many questions: {joined(parts)} were made; the methods say which p and intervals "
            "are adjusted for how many there are, and what was not planned needs a study of its "
            "own."
        )


def _claimed(analysis: Analysis) -> int:
    """The comparisons of systems, or of one with real outputs, that have a sentence."""
    sides = {"difference": 2, "win_rate": 2, "acceptance": 1}
    return sum(
        isinstance(f.result, Comparison)
        and len(f.systems) == sides.get(f.id.split("/")[0])
        and f.result.estimate is not None
        for f in analysis.findings
    )


def _tabulated(analysis: Analysis) -> int:
    """The comparisons in tables of pairs, some of which no sentence speaks of."""
    tables = [t for t in analysis.tables if t.id.split("/")[0] in ("differences", "pairs")]
    return sum(row[2] is not None for table in tables for row in table.rows)


def _is_checked(analysis: Analysis) -> bool:
    """Whether there were checks: trials that the store knows, or those of a rule of a table."""
    if analysis.collected is not None and analysis.collected.checked:
        return True
    return any(rule in OF_CHECKS for each in analysis.excluded for rule in each.rules)


def _untested(analysis: Analysis) -> Iterator[str]:
    kinds = {f.id.split("/")[0] for f in analysis.findings}
    lacking = [
        ("whether raters were attentive", analysis.of_judges or _is_checked(analysis)),
        (f"whether a {analysis.rater_noun} would answer the same again", "retest" in kinds),
        ("whether groups of people differ", "groups" in kinds),
        ("whether a model judges as people do", any(k.startswith("judge") for k in kinds)),
    ]
    named = [what for what, is_there in lacking if not is_there]
    yield f"Not tested: {'; '.join([*named, 'other languages, tasks and uses'])}."
