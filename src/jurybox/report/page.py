"""The report as a value: what stands where, before any format.

``make_page`` arranges an analysis, and the study where there is one, into sections of plain blocks.
HTML and Markdown are drawn from the same page, so they cannot tell different stories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from jurybox.analysis.finding import Analysis, Finding, Table
from jurybox.report.blocks import Block, Heading, Page, Points, Screen, Section, Shown, Words
from jurybox.report.charts.pictures import answer_dots, dots_of
from jurybox.report.documents.datasheet import datasheet_section
from jurybox.report.documents.preregistration import OF_PREREGISTRATION, preregistration_section
from jurybox.report.fieldwork.thumbnails import Thumbnails
from jurybox.report.methods.paragraph import methods
from jurybox.report.methods.references import references
from jurybox.report.said import words
from jurybox.report.said.criteria import criteria_of, criterion_of
from jurybox.report.said.leaders import best_not_compared, leaders_first
from jurybox.report.said.tidy import said_once, tidied_page
from jurybox.report.said.together import Said, said_together
from jurybox.report.said.yes_no import shares_of_yes
from jurybox.report.sections.against import OF_ROUNDS, against_section
from jurybox.report.sections.design import design_section
from jurybox.report.sections.items import OF_ITEMS, items_section
from jurybox.report.sections.judged import is_of_judges, judge_section
from jurybox.report.sections.limitations import limitations_section
from jurybox.report.sections.metrics import OF_METRICS, metric_section
from jurybox.report.sections.raters import is_of_raters, raters_section
from jurybox.report.sections.results import results_section
from jurybox.report.versions import package_versions
from jurybox.results import format_count, show_text
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study.guide import Guide

__all__ = ["make_page"]

ON_FIRST_SCREEN = 4
OF_SET = "set"
"""The kind of table, and the standing of findings, that say whether items and outputs are fair."""
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
    versions: Mapping[str, str] | None = None,
) -> Page:
    """Arrange the report: the answer first, then what it rests on.

    ``versions``: of the packages that made it, by default those installed.
    """
    versions = package_versions() if versions is None else versions
    analysis = shares_of_yes(leaders_first(analysis))
    tables = _sort(analysis)
    pictures = Thumbnails()
    design = design_section(analysis, study, guide, fieldwork, pictures)
    is_drawn = design is not None and any(isinstance(block, Screen) for block in design.blocks)
    headline = analysis.headline
    cannot = [Said(text=text) for text in words.missing(analysis)]
    cannot += said_together(words.open_findings(analysis), headline)
    first = cannot[:ON_FIRST_SCREEN]
    above = {finding.id for said in first for finding in said.findings}
    rest = len(cannot) - len(first)
    more = (f"{format_count(rest, 'more such sentence')} below.",) if rest else ()
    page = Page(
        title=analysis.title,
        counts=words.counts(analysis),
        say=words.say(analysis),
        emphasis=_emphasis(headline),
        note=" ".join(filter(None, (best_not_compared(analysis), words.note(analysis)))),
        changed=words.changed(analysis),
        chart=answer_dots(tables.lead, analysis) if tables.lead else None,
        table=tables.lead,
        cannot=(*(said.text for said in first), *more),
        sections=tuple(
            section
            for section in (
                design,
                preregistration_section(analysis),
                _set(analysis, tables.set),
                raters_section(analysis, tables.raters, study, fieldwork, above),
                judge_section(analysis),
                results_section(analysis, tables.results, above),
                items_section(analysis, study, fieldwork, pictures),
                metric_section(analysis),
                against_section(analysis),
                limitations_section(analysis, study),
                _methods(analysis, study, versions),
                _reading(analysis),
                datasheet_section(analysis, study, fieldwork, versions, is_drawn=is_drawn),
            )
            if section is not None and section.blocks
        ),
        colophon=words.colophon(analysis, versions) if study is None else (),
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


def _sort(analysis: Analysis) -> _Sorted:
    headline = analysis.headline
    of_systems = [
        t
        for t in analysis.tables
        if "system" in t.names
        and "other" not in t.names
        and not is_of_raters(t)
        and t.kind not in BESIDE
    ]
    drawn = [t for t in of_systems if dots_of(t, ()) is not None]
    criteria = criteria_of(analysis)
    fitting = [t for t in drawn if headline and criterion_of(t, criteria) == headline.criterion]
    lead = next(iter(fitting or drawn or of_systems), None)
    of_set = tuple(t for t in analysis.tables if t.id == OF_SET)
    raters = tuple(t for t in analysis.tables if is_of_raters(t))
    judged = tuple(t for t in analysis.tables if is_of_judges(t))
    beside = tuple(t for t in analysis.tables if t.kind in BESIDE)
    apart = (*of_set, *raters, *judged, *beside)
    return _Sorted(
        lead=lead,
        set=of_set,
        raters=raters,
        results=tuple(t for t in analysis.tables if t is not lead and t not in apart),
    )


def _methods(analysis: Analysis, study: Study | None, versions: Mapping[str, str]) -> Section:
    blocks: list[Block] = [Words(text=methods(analysis, study, versions))]
    cited = references(analysis)
    if cited:
        blocks += [Heading(text="References of the methods"), Points(items=cited)]
    return Section(id="methods", title="Methods", blocks=tuple(blocks))


def _nothing_found(tables: tuple[Table, ...]) -> str:
    """That no check found anything, and how many of them could be made."""
    rows = [row for table in tables for row in table.rows]
    made = sum("not checked" not in row for row in rows)
    of_all = "" if made == len(rows) else f" {made} of {len(rows)} checks could be made."
    return f"No check of the items and outputs found anything that can bias the result.{of_all}"


def _set(analysis: Analysis, tables: tuple[Table, ...]) -> Section | None:
    """Whether the items and outputs were fair, where somebody checked."""
    if not tables:
        return None
    found = tuple(f.sentence for f in analysis.findings if f.standing == OF_SET)
    said: Block = Words(text=_nothing_found(tables))
    if found:
        said = Points(items=found)
    return Section(
        id="set",
        title="The set",
        blocks=(said, *(Shown(table=table, folded=True) for table in tables)),
    )


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
