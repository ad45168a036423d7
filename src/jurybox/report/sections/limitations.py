"""What the study cannot carry, said from its own numbers."""

from __future__ import annotations

from collections.abc import Iterator

from jurybox.analysis.finding import Analysis, Table
from jurybox.formats import joined
from jurybox.report.blocks import Points, Section
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
OF_SYSTEMS = ("mean_scores", "points", "rankings", "systems", "win_rates")
"""The kinds of tables with a line for each system and how many answers it has."""
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
            f" With fewer than {FEW_RATERS} raters each one weighs much, and how far others would "
            "differ is poorly known."
        )
    if analysis.n_items == 1:
        said += " How far other items would differ is not known."
    elif 0 < analysis.n_items < FEW_ITEMS:
        said += f" With fewer than {FEW_ITEMS} items, a few of them can decide."
    yield said


def _pool(analysis: Analysis, study: Study | None) -> Iterator[str]:
    if analysis.of_judges:
        yield "Raters: all are judges, so that nothing holds for people."
        return
    simulated = "no" if analysis.collected is None else analysis.collected.simulated
    if simulated == "all":
        yield "Raters: all are simulated. This is a rehearsal, and nothing in it holds for people."
        return
    if simulated == "some":
        yield "Raters: some are simulated, and their answers count beside people's."
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
    found = [f for f in analysis.findings if f.kind in ("skips", "bounds")]
    for finding in found:
        # A name keeps its letters; the sentence of bounds begins with a word of ours.
        is_ours = finding.kind == "bounds"
        said = finding.sentence
        yield f"Missing answers: {said[0].lower() + said[1:] if is_ours else said}"
    collected = analysis.collected
    if collected is not None and collected.n_planned is not None:
        lacking = collected.n_planned - collected.n_trials
        if lacking > 0:
            trials = format_count(lacking, "planned trial was", "planned trials were")
            yield f"Missing answers: {trials} never answered."
        given, asked = collected.n_answers, collected.n_asked
        if asked is not None and given < asked and not collected.n_imported:
            yield (
                f"Missing answers: {asked - given:,} of {format_count(asked, 'planned answer')} "
                f"{'is' if asked - given == 1 else 'are'} missing, before anybody was left out "
                "by rule."
            )
        elif lacking <= 0 and not found and analysis.table("skips") is None:
            yield "Missing answers: none; every planned trial was answered and none was skipped."


def _agreement(analysis: Analysis) -> Iterator[str]:
    low: list[str] = []
    unsure: list[str] = []
    for f in analysis.findings:
        alpha = f.result.estimate
        if f.kind != "agreement" or not isinstance(f.result, Agreement) or alpha is None:
            continue
        if alpha < LOW:
            high = f.result.interval is None or f.result.interval.high >= LOW
            (unsure if high else low).append(f"{f.criterion} (α {format_number(alpha)})")
    said = [f"it is too low on {joined(low)}"] if low else []
    said += [f"it may be too low on {joined(unsure)}"] if unsure else []
    if said:
        yield (
            f"Agreement: {joined(said)} to rely on a single answer about an output; totals over "
            "many answers can still tell systems apart."
        )


def _balance(analysis: Analysis) -> Iterator[str]:
    """How unevenly the systems were judged, by the tables that count it."""
    for table in analysis.tables:
        if table.kind not in OF_SYSTEMS:
            continue
        noun, counts = _counts(table)
        if len(counts) > 1 and max(counts) > UNEVEN * min(counts):
            yield (
                f"Imbalance: on {table.about} the systems have between {min(counts):,} and "
                f"{max(counts):,} {noun}; those with fewer have wider intervals."
            )
            return


def _counts(table: Table) -> tuple[str, list[int]]:
    """What is counted of the systems, and how many each has; a group's number counts nothing."""
    columns = enumerate(table.columns)
    place = next((k for k, c in columns if c.kind == "count" and c.name != "group"), None)
    if place is None:
        return "", []
    counts = [row[place] for row in table.rows if row[place] is not None]
    return table.columns[place].heading.lower(), counts


def _multiplicity(analysis: Analysis) -> Iterator[str]:
    n = max(_claimed(analysis), _tabulated(analysis))
    looks = sum(
        # What could not be computed was not looked at.
        (f.standing == "exploratory" and f.kind != "metric_pair" and f.result.estimate is not None)
        or (f.kind == "judge_bias" and f.result.p is not None)
        for f in analysis.findings
    )
    pairs = _pairs_of_metrics(analysis)
    parts = []
    if n > 1:
        parts.append(f"{n:,} comparisons of systems")
    if pairs > 1:
        parts.append(f"{pairs:,} of metrics" if parts else f"{pairs:,} comparisons of metrics")
    if looks > 1 or (looks and parts):
        parts.append(format_count(looks, "exploratory look"))
    if parts:
        yield (
            f"Many questions: {joined(parts)} were made; the methods say which p and intervals "
            "are adjusted for how many there are, and what was not planned needs a study of its "
            "own."
        )


def _pairs_of_metrics(analysis: Analysis) -> int:
    """The tests of one metric against another: those that told nothing apart are in no sentence."""
    tables = [table for table in analysis.tables if table.kind == "metric_pairs"]
    return sum(row[table.names.index("p")] is not None for table in tables for row in table.rows)


def _claimed(analysis: Analysis) -> int:
    """The comparisons of systems, or of one with real outputs, that have a sentence."""
    sides = {"difference": 2, "win_rate": 2, "acceptance": 1}
    return sum(
        isinstance(f.result, Comparison)
        and len(f.systems) == sides.get(f.kind)
        and f.result.estimate is not None
        for f in analysis.findings
    )


def _tabulated(analysis: Analysis) -> int:
    """The comparisons in tables of pairs, some of which no sentence speaks of."""
    tables = [t for t in analysis.tables if t.kind in ("differences", "pairs")]
    return sum(row[2] is not None for table in tables for row in table.rows)


def _is_checked(analysis: Analysis) -> bool:
    """Whether there were checks: trials that the store knows, or those of a rule of a table."""
    if analysis.collected is not None and analysis.collected.checked:
        return True
    return any(rule in OF_CHECKS for each in analysis.excluded for rule in each.rules)


def _is_judged(analysis: Analysis) -> bool:
    """Whether any judge could be set beside people."""
    found = (f for f in analysis.findings if f.kind.startswith("judge"))
    return any(finding.result.estimate is not None for finding in found)


def _untested(analysis: Analysis) -> Iterator[str]:
    kinds = {f.kind for f in analysis.findings}
    lacking = [
        ("whether raters were attentive", analysis.of_judges or _is_checked(analysis)),
        (f"whether a {analysis.rater_noun} would answer the same again", "retest" in kinds),
        ("whether groups of people differ", "groups" in kinds),
        ("whether a model judges as people do", _is_judged(analysis)),
    ]
    named = [what for what, is_there in lacking if not is_there]
    yield f"Not tested: {'; '.join([*named, 'other languages, tasks and uses'])}."
