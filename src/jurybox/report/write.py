"""Write a report to a directory, in the formats asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from jurybox.analysis.finding import Analysis
from jurybox.errors import InputError
from jurybox.report.blocks import Page
from jurybox.report.data import as_csv, as_json
from jurybox.report.html import draw_page
from jurybox.report.markdown import write_page
from jurybox.report.page import make_page
from jurybox.report.versions import package_versions
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study.guide import Guide

__all__ = ["Format", "write_report"]

Format = Literal["html", "md", "json", "csv"]


def write_report(
    analysis: Analysis,
    directory: str | Path,
    *,
    study: Study | None = None,
    guide: Guide | None = None,
    fieldwork: Fieldwork | None = None,
    formats: Sequence[str] = ("html", "md", "json"),
    versions: Mapping[str, str] | None = None,
) -> tuple[Path, ...]:
    """Write the report and give the paths of what was written.

    Parameters
    ----------
    analysis : Analysis
        What ``analyze`` gave; every format is written from it and from nothing else.
    directory : path
        Made if it is not there. Files are ``report.html``, ``report.md``, ``findings.json`` and
        ``tables/*.csv``; older ones of the same name are replaced.
    study, guide : optional
        The study and its rater's guide, to show what was asked.
    fieldwork : Fieldwork, optional
        Items, outputs, plan and comments, to show a trial and the outputs at both ends.
    formats : sequence of str
        Any of ``html``, ``md``, ``json``, ``csv``.
    versions : mapping, optional
        Package names and versions to print; by default those installed.

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
        for name, text in _files(analysis, page, formats, made_with):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
            written.append(path)
    except OSError as error:
        raise InputError(f"{folder}: cannot write the report there: {error.strerror}") from error
    return tuple(written)


def _files(
    analysis: Analysis, page: Page, formats: Sequence[str], versions: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    if "html" in formats:
        yield "report.html", draw_page(page)
    if "md" in formats:
        yield "report.md", write_page(page)
    if "json" in formats:
        yield "findings.json", as_json(analysis, versions=versions)
    if "csv" in formats:
        names: set[str] = set()
        for table in analysis.tables:
            yield f"tables/{_file_name(table.id, names)}.csv", as_csv(table)


def _file_name(table: str, taken: set[str]) -> str:
    """A table's id as a file name; two ids never share one."""
    base = re.sub(r"[^\w.-]+", "-", table).strip("-.") or "table"
    name, number = base, 2
    while name.lower() in taken:
        name, number = f"{base}-{number}", number + 1
    taken.add(name.lower())
    return name
