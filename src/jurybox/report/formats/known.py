"""The formats by name: those of jurybox, and those that installed packages add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path, PurePosixPath

from jurybox.analysis.finding import Analysis
from jurybox.errors import InputError, JuryboxError, OptionError
from jurybox.report.blocks import Page
from jurybox.report.formats.data import as_csv, as_json
from jurybox.report.formats.figures import MARGIN, as_picture, as_vectors, charts_of, draw_alone
from jurybox.report.formats.html import draw_page
from jurybox.report.formats.latex import write_latex
from jurybox.report.formats.markdown import write_page
from jurybox.report.formats.typeset import find_typst, typeset
from jurybox.results import show_text

__all__ = ["FORMATS", "Files", "Report", "Writer", "writers"]

GROUP = "jurybox.report_formats"
"""The entry points by which a package adds formats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a format is written from."""

    analysis: Analysis
    page: Page
    """What stands where: sections of plain blocks, whose texts are ready to be shown."""
    versions: Mapping[str, str]
    """Of the packages that the numbers depend on."""
    names: Mapping[str, str]
    """For the id of a table or a chart, the name of its file, without an ending."""
    wholes: Mapping[str, str]
    """For the id of a table, the CSV file that holds all of it."""
    font_paths: Sequence[str | Path]
    warn: Callable[[str], object]
    """Told in a sentence of what could not be written as it is."""


Files = Iterator[tuple[str, str | bytes]]
"""The files of a format: where each lies in the report's folder, and what it holds."""
Writer = Callable[[Report], Files]


def _html(report: Report) -> Files:
    yield "report.html", draw_page(report.page, report.wholes)


def _md(report: Report) -> Files:
    yield "report.md", write_page(report.page, report.wholes)


def _json(report: Report) -> Files:
    yield "findings.json", as_json(report.analysis, versions=report.versions)


def _csv(report: Report) -> Files:
    for table in report.analysis.tables:
        yield report.wholes[show_text(table.id)], as_csv(table)


def _latex(report: Report) -> Files:
    texts, unset = write_latex(report.page, names=report.names, wholes=report.wholes)
    yield from ((f"latex/{name}", text) for name, text in texts.items())
    for sentence in unset:
        report.warn(sentence)
    for name, chart in charts_of(report.page):
        yield f"latex/charts/{report.names[name]}.pdf", as_vectors(chart)


def _pdf(report: Report) -> Files:
    made, unshown = typeset(report.page, wholes=report.wholes, font_paths=report.font_paths)
    yield "report.pdf", made
    for sentence in unshown:
        report.warn(sentence)


def _svg(report: Report) -> Files:
    for name, chart in charts_of(report.page):
        yield f"charts/{report.names[name]}.svg", draw_alone(chart, margin=MARGIN)


def _png(report: Report) -> Files:
    for name, chart in charts_of(report.page):
        yield f"charts/{report.names[name]}.png", as_picture(chart)


FORMATS: dict[str, Writer] = {
    "html": _html,
    "md": _md,
    "json": _json,
    "csv": _csv,
    "latex": _latex,
    "pdf": _pdf,
    "svg": _svg,
    "png": _png,
}


def writers(formats: Sequence[str]) -> list[Writer]:
    """The writers of these formats, before anything is analyzed, which may take minutes.

    An unknown format is refused, an empty list, and a PDF where typst is not installed.
    """
    others = [name for name in dict.fromkeys(formats) if name not in FORMATS]
    # To look at every installed package takes time: only formats that are not jurybox's need it.
    points = entry_points(group=GROUP) if others or not formats else ()
    added = {point.name: point for point in points if point.name not in FORMATS}
    unknown = [name for name in others if name not in added]
    if unknown or not formats:
        known, got = ", ".join([*FORMATS, *sorted(added)]), ", ".join(unknown) or "none"
        raise OptionError(f"report format: must be among {known}, got {got}")
    if "pdf" in formats:
        find_typst()
    own = [writer for name, writer in FORMATS.items() if name in formats]
    return [*own, *(_added(added[name]) for name in others)]


def _added(point: EntryPoint) -> Writer:
    """The format of another package, whose mistakes are told as its own."""
    whose = f"report format {point.name}, which {point.dist.name if point.dist else '?'} adds"
    try:
        writer: Writer = point.load()
    except Exception as error:
        raise InputError(f"{whose}, cannot be loaded: {_said(error)}") from error

    def written(report: Report) -> Files:
        try:
            for name, content in writer(report):
                path = PurePosixPath(name)
                if path.is_absolute() or ".." in path.parts or not path.name:
                    raise InputError(f"{whose}: {name!r} is no place in the report's folder")
                if not isinstance(content, str | bytes):
                    raise InputError(f"{whose}: {name} must hold text or bytes, got {content!r}")
                yield name, content
        except JuryboxError:
            raise
        except Exception as error:
            raise InputError(f"{whose}, cannot be written: {_said(error)}") from error

    return written


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
