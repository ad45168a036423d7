"""Write a report to a directory, in the formats asked for."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from jurybox.analysis.finding import Analysis
from jurybox.errors import InputError, JuryboxWarning
from jurybox.report.blocks import Page
from jurybox.report.data import as_csv, as_json
from jurybox.report.figures import as_picture, as_vectors, charts_of, draw_alone
from jurybox.report.html import draw_page
from jurybox.report.latex import write_latex
from jurybox.report.markdown import write_page
from jurybox.report.page import make_page
from jurybox.report.printed import tables_of
from jurybox.report.typeset import typeset
from jurybox.report.versions import package_versions
from jurybox.results import show_text
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study.guide import Guide

__all__ = ["Format", "write_report"]

Format = Literal["html", "md", "json", "csv", "latex", "pdf", "svg", "png"]


def write_report(
    analysis: Analysis,
    directory: str | Path,
    *,
    study: Study | None = None,
    guide: Guide | None = None,
    fieldwork: Fieldwork | None = None,
    formats: Sequence[str] = ("html", "md", "json"),
    versions: Mapping[str, str] | None = None,
    font_paths: Sequence[str | Path] = (),
    warn: Callable[[str], object] | None = None,
) -> tuple[Path, ...]:
    """Write the report and give the paths of what was written.

    Parameters
    ----------
    analysis : Analysis
        What ``analyze`` gave; every format is written from it and from nothing else.
    directory : path
        Made if it is not there. Files are ``report.html``, ``report.md``, ``findings.json``,
        ``tables/*.csv``, ``report.pdf``, ``charts/*.svg`` and ``charts/*.png``; in ``latex/``
        ``report.tex``, ``preamble.tex``, ``methods.tex``, ``tables/*.tex`` and ``charts/*.pdf``.
        Older ones of the same name are replaced.
    study, guide : optional
        The study and its rater's guide, to show what was asked.
    fieldwork : Fieldwork, optional
        Items, outputs, plan and comments, to show a trial and the outputs at both ends.
    formats : sequence of str
        Any of ``html``, ``md``, ``json``, ``csv``, ``latex``, ``pdf``, ``svg``, ``png``.
    versions : mapping, optional
        Package names and versions to print; by default those installed.
    font_paths : sequence of path
        Folders with fonts for the PDF, beside those of the system.
    warn : callable, optional
        Told in a sentence of every script that no font shows in the PDF, or that pdfLaTeX does
        not know; by default a ``JuryboxWarning``.

    Raises
    ------
    InputError
        If a format is unknown, none is asked for, or the directory cannot be written.
    """
    known = get_args(Format)
    unknown = [name for name in formats if name not in known]
    if unknown or not formats:
        got = ", ".join(unknown) or "none"
        raise InputError(f"report format: must be among {', '.join(known)}, got {got}")
    made_with = package_versions() if versions is None else versions
    page = make_page(analysis, study=study, guide=guide, fieldwork=fieldwork, versions=made_with)
    folder = Path(directory)
    written = []
    try:
        for name, content in _files(analysis, page, formats, made_with, font_paths, warn or _warn):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            written.append(path)
    except OSError as error:
        raise InputError(f"{folder}: cannot write the report there: {error.strerror}") from error
    return tuple(written)


def _files(
    analysis: Analysis,
    page: Page,
    formats: Sequence[str],
    versions: Mapping[str, str],
    font_paths: Sequence[str | Path],
    warn: Callable[[str], object],
) -> Iterator[tuple[str, str | bytes]]:
    names = _names([
        *(show_text(table.id) for table in analysis.tables),
        *(table.id for table in tables_of(page)),
        *(name for name, _ in charts_of(page)),
    ])  # fmt: skip
    wholes = {show_text(t.id): f"tables/{names[show_text(t.id)]}.csv" for t in analysis.tables}
    if "html" in formats:
        yield "report.html", draw_page(page, wholes)
    if "md" in formats:
        yield "report.md", write_page(page, wholes)
    if "json" in formats:
        yield "findings.json", as_json(analysis, versions=versions)
    if "csv" in formats:
        for table in analysis.tables:
            yield wholes[show_text(table.id)], as_csv(table)
    if "latex" in formats:
        texts, unset = write_latex(page, names=names, wholes=wholes)
        yield from ((f"latex/{name}", text) for name, text in texts.items())
        for sentence in unset:
            warn(sentence)
    if "pdf" in formats:
        made, unshown = typeset(page, wholes=wholes, font_paths=font_paths)
        yield "report.pdf", made
        for sentence in unshown:
            warn(sentence)
    for name, chart in charts_of(page):
        if "latex" in formats:
            yield f"latex/charts/{names[name]}.pdf", as_vectors(chart)
        if "svg" in formats:
            yield f"charts/{names[name]}.svg", draw_alone(chart)
        if "png" in formats:
            yield f"charts/{names[name]}.png", as_picture(chart)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, JuryboxWarning, stacklevel=4)


def _names(ids: Iterable[str]) -> dict[str, str]:
    """Each id with a file name; two ids never share one."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for id_ in dict.fromkeys(ids):
        base = re.sub(r"[^\w.-]+", "-", id_).strip("-.") or "table"
        name, number = base, 2
        while name.lower() in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name.lower())
        names[id_] = name
    return names
