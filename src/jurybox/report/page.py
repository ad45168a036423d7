"""The report as a value: what stands where, before any format.

``make_page`` arranges an analysis, and the study where there is one, into sections of plain blocks.
HTML and Markdown are drawn from the same page, so they cannot tell different stories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from jurybox.analysis.finding import Analysis, Column, Finding, Table
from jurybox.report import words
from jurybox.report.against import OF_ROUNDS, against_section
from jurybox.report.blocks import Block, Heading, Page, Points, Section, Shown, Words
from jurybox.report.breaks import say_breaks
from jurybox.report.criteria import criterion_of
from jurybox.report.datasheet import datasheet_section
from jurybox.report.design import design_section
from jurybox.report.items import OF_ITEMS, items_section
from jurybox.report.judged import is_of_judges, judge_section
from jurybox.report.leaders import best_not_compared, leaders_first
from jurybox.report.limitations import limitations_section
from jurybox.report.methods import methods
from jurybox.report.metrics import OF_METRICS, is_of_metrics, metric_section
from jurybox.report.pictures import (
    categories_of,
    distribution_of,
    dots_of,
    matrix_of,
    reliability_of,
)
from jurybox.report.preregistration import OF_PREREGISTRATION, preregistration_section
from jurybox.report.references import references
from jurybox.report.thumbnails import Thumbnails
from jurybox.report.tidy import said_once, tidied_page
from jurybox.report.together import said_together
from jurybox.report.yes_no import in_words
from jurybox.results import show_text
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study.guide import Guide

__all__ = ["make_page"]

ON_FIRST_SCREEN = 4
OF_SET = "set"
"""The kind of table, and the standing of findings, that say whether items and outputs are fair."""
OF_RATERS = (
    "agreement", "checks", "exclusions", "order", "pace", "rater_pairs", "skips", "with_and_without"
)  # fmt: skip
"""The kinds of tables that say how far the answers can be trusted."""
MORE_DATA = "more_data/"
"""How the id of a finding begins that says what a larger study would show."""
BESIDE = (OF_PREREGISTRATION, OF_ROUNDS, *OF_ITEMS, *OF_METRICS)
"""The kinds of tables that have a section of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sorted:
    """An analysis' tables by what they are about."""

    lead: Table | None
    set: tuple[Table, ...]
    raters: tuple[Table, ...]
    results: tuple[Table, ...]


def make_page(
    analysis: Analysis,
    *,
    study: Study | None = None,
    guide: Guide | None = None,
    fieldwork: Fieldwork | None = None,
    versions: Mapping[str, str],
) -> Page:
    """Arrange the report: the answer first, then what it rests on."""
    analysis = in_words(leaders_first(analysis))
    tables = _sort(analysis)
    pictures = Thumbnails()
    headline = analysis.headline
    cannot = (*words.missing(analysis), *said_together(words.open_findings(analysis), headline))
    above = cannot[:ON_FIRST_SCREEN]
    page = Page(
        title=analysis.title,
        counts=words.counts(analysis),
        say=words.say(analysis),
        emphasis=_emphasis(headline),
        note=" ".join(filter(None, (best_not_compared(analysis), words.note(analysis)))),
        changed=words.changed(analysis),
        chart=dots_of(tables.lead, analysis.systems) if tables.lead else None,
        table=tables.lead,
        cannot=above,
        cannot_more=max(0, len(cannot) - ON_FIRST_SCREEN),
        sections=tuple(
            section
            for section in (
                design_section(analysis, study, guide, fieldwork, pictures),
                preregistration_section(analysis),
                _set(analysis, tables.set),
                _raters(analysis, tables.raters, study, fieldwork, above),
                judge_section(analysis),
                _results(analysis, tables.results, above),
                items_section(analysis, study, fieldwork, pictures),
                metric_section(analysis),
                against_section(analysis),
                limitations_section(analysis, study),
                _methods(analysis, study, versions),
                _reading(analysis),
                datasheet_section(analysis, study, fieldwork, versions),
            )
            if section is not None and section.blocks
        ),
        colophon=words.colophon(analysis, versions),
    )
    shown: Page = _shown(said_once(tidied_page(page)))
    return shown


def _shown(value: Any) -> Any:
    """The same with every text in it printable, whoever wrote it."""
    if isinstance(value, str):
        return show_text(value)
    if isinstance(value, tuple):
        return tuple(_shown(part) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _shown(getattr(value, f.name)) for f in fields(value)})
    return value


def _emphasis(headline: Finding | None) -> str | None:
    """The number to stress: the estimate, if the sentence prints it."""
    if headline is None or headline.result.estimate is None:
        return None
    shown = headline.result.format(headline.result.estimate)
    return shown if shown in headline.sentence else None


def _names(table: Table) -> set[str]:
    return {column.name for column in table.columns}


def _sort(analysis: Analysis) -> _Sorted:
    headline = analysis.headline
    of_systems = [
        t
        for t in analysis.tables
        if "system" in _names(t)
        and "other" not in _names(t)
        and not _is_of_raters(t)
        and t.id.split("/")[0] not in BESIDE
    ]
    drawn = [t for t in of_systems if dots_of(t, analysis.systems) is not None]
    fitting = [t for t in drawn if headline and criterion_of(t, analysis) == headline.criterion]
    lead = next(iter(fitting or drawn or of_systems), None)
    of_set = tuple(t for t in analysis.tables if t.id == OF_SET)
    raters = tuple(t for t in analysis.tables if _is_of_raters(t))
    judged = tuple(t for t in analysis.tables if is_of_judges(t))
    beside = tuple(t for t in analysis.tables if t.id.split("/")[0] in BESIDE)
    apart = (*of_set, *raters, *judged, *beside)
    return _Sorted(
        lead=lead,
        set=of_set,
        raters=raters,
        results=tuple(t for t in analysis.tables if t is not lead and t not in apart),
    )


def _is_of_quality(finding: Finding) -> bool:
    """Whether it says how far the data can be trusted, rather than what they say of a system."""
    if finding.id.startswith(MORE_DATA):
        return False
    return finding.standing == "quality" or (
        finding.standing == "exploratory" and not finding.systems and not is_of_metrics(finding)
    )


def _is_of_raters(table: Table) -> bool:
    kind = table.id.split("/")[0]
    return "rater" in _names(table) or kind in OF_RATERS


def _methods(analysis: Analysis, study: Study | None, versions: Mapping[str, str]) -> Section:
    blocks: list[Block] = [Words(text=methods(analysis, study, versions))]
    cited = references(analysis)
    if cited:
        blocks += [Heading(text="References of the methods"), Points(items=cited)]
    return Section(id="methods", title="Methods", blocks=tuple(blocks))


def _set(analysis: Analysis, tables: tuple[Table, ...]) -> Section | None:
    """Whether the items and outputs were fair, where somebody checked."""
    if not tables:
        return None
    found = tuple(f.sentence for f in analysis.findings if f.standing == OF_SET)
    said: Block = Words(text="No check of the items and outputs found anything that can bias.")
    if found:
        said = Points(items=found)
    return Section(
        id="set", title="The set", blocks=(said, *(Shown(table=table) for table in tables))
    )


def _raters(
    analysis: Analysis,
    tables: tuple[Table, ...],
    study: Study | None,
    fieldwork: Fieldwork | None,
    above: tuple[str, ...],
) -> Section:
    counted = [words.raters(analysis)]
    if study is not None and fieldwork is not None and fieldwork.breaks is not None:
        counted.append(say_breaks(fieldwork.breaks, study))
    blocks: list[Block] = [Words(text=" ".join(counted))]
    said = _said_below((f for f in analysis.findings if _is_of_quality(f)), analysis, above)
    if said:
        blocks.append(Points(items=said))
    blocks += [Shown(table=table) for table in tables]
    rules = () if study is None else words.rules(study)
    if rules:
        fixed = ", fixed before the data" if words.is_fixed(analysis) else ""
        blocks += [Heading(text=f"Exclusion rules{fixed}"), Points(items=rules)]
    if analysis.excluded:
        blocks.append(Shown(table=_excluded(analysis)))
    elif analysis.n_responses:
        none = "" if study is None or rules else "The study states no exclusion rule. "
        blocks.append(Words(text=f"{none}Nobody was left out."))
    return Section(id="raters", title=f"{analysis.rater_noun.title()}s", blocks=tuple(blocks))


def _excluded(analysis: Analysis) -> Table:
    return Table(
        id="excluded",
        title="Raters left out",
        columns=(
            Column(name="rater", heading="Rater"),
            Column(name="rule", heading="Rule"),
            Column(name="sentence", heading="What was seen"),
            Column(name="n_responses", heading="Responses", kind="count"),
        ),
        rows=tuple(
            (e.rater, ", ".join(e.rules), e.sentence.removeprefix(f"{e.rater}: "), e.n_responses)
            for e in analysis.excluded
        ),
    )


def _said_below(
    findings: Iterable[Finding], analysis: Analysis, above: tuple[str, ...]
) -> tuple[str, ...]:
    """The sentences of a section: what stands on the first screen is not said again."""
    known = (analysis.headline, words.more_data(analysis))
    left = (f for f in findings if all(f is not each for each in known))
    said = said_together(left, analysis.headline)
    return tuple(sentence for sentence in said if sentence not in above)


def _results(
    analysis: Analysis, tables: tuple[Table, ...], above: tuple[str, ...]
) -> Section | None:
    if analysis.n_responses == 0:
        return None
    apart = (OF_SET, OF_ROUNDS, "judge")
    said = [
        f
        for f in analysis.findings
        if not _is_of_quality(f) and not is_of_metrics(f) and f.standing not in apart
    ]
    criteria = list(dict.fromkeys(f.criterion for f in said))
    about = [criterion_of(table, analysis) for table in tables]
    criteria += [name for name in dict.fromkeys(about) if name not in criteria]
    blocks: list[Block] = []
    for criterion in criteria:
        if criterion is not None and len(criteria) - (None in criteria) > 1:
            blocks.append(Heading(text=criterion))
        own = [table for table, name in zip(tables, about, strict=True) if name == criterion]
        for table in own:
            blocks += _drawn(table, analysis)
        shown = [t for t in analysis.tables if criterion_of(t, analysis) == criterion]
        worth = (f for f in said if f.criterion == criterion and _worth_a_line(f, shown))
        sentences = _said_below(worth, analysis, above)
        if sentences:
            blocks.append(Points(items=sentences))
    if not blocks:
        told = "Everything there is to show stands above."
        nothing = "There is nothing to show: no statistic could be computed."
        blocks.append(Words(text=told if analysis.tables else nothing))
    return Section(id="results", title="Results", blocks=tuple(blocks))


def _worth_a_line(finding: Finding, own: Iterable[Table]) -> bool:
    """Whether it says what its criterion's tables do not: what is open, why a number is missing."""
    if not finding.told:
        return True
    why = finding.result.undefined
    if why is not None:
        return not any(why.rstrip(".") in table.caption for table in own)
    if finding.id.startswith(MORE_DATA):
        return True
    if len(finding.systems) == 2:
        return not any("other" in _names(table) for table in own)
    return len(finding.systems) != 1


def _drawn(table: Table, analysis: Analysis) -> list[Block]:
    systems = analysis.systems
    rates = analysis.table(table.id.replace("pairs/", "win_rates/", 1))
    matrix = matrix_of(table, () if rates is None else [row[0] for row in rates.rows])
    if matrix is not None:
        return [Shown(table=matrix), *_dots(table, systems)]
    categories = categories_of(table)
    if categories is not None:
        return [Shown(table=categories), Shown(table=table)]
    chart = distribution_of(table) or reliability_of(table)
    if chart is not None:
        return [chart, Shown(table=table, drawn=True)]
    return _dots(table, systems)


def _dots(table: Table, systems: tuple[str, ...]) -> list[Block]:
    dots = dots_of(table, systems)
    if dots is None:
        return [Shown(table=table)]
    return [dots, Shown(table=table, drawn=True)]


def _reading(analysis: Analysis) -> Section:
    blocks: list[Block] = []
    if analysis.took:
        blocks.append(Points(items=analysis.took))
    changed = words.changed(analysis)
    warnings = tuple(warning for warning in analysis.warnings if warning not in changed)
    if warnings:
        blocks.append(Heading(text="Warnings"))
        blocks.append(Points(items=warnings))
    return Section(id="reading", title="How the data were read", blocks=tuple(blocks))
