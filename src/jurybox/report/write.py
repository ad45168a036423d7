"""Write a report to a directory, in the formats asked for."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from jurybox.analysis.finding import Analysis
from jurybox.errors import InputError, JuryboxWarning
from jurybox.report.formats.figures import charts_of
from jurybox.report.formats.known import Report, writers
from jurybox.report.page import make_page
from jurybox.report.versions import package_versions
from jurybox.results import show_text
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study.guide import Guide

__all__ = ["write_report"]

LONGEST = 120
"""Bytes of a file's name before its number and ending; file systems take 255, some fewer."""


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
        Any of ``html``, ``md``, ``json``, ``csv``, ``latex``, ``pdf``, ``svg``, ``png``, and those
        that installed packages add by ``entry-points."jurybox.report_formats"``.
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
    asked = writers(formats)
    made_with = package_versions() if versions is None else versions
    page = make_page(analysis, study=study, guide=guide, fieldwork=fieldwork, versions=made_with)
    names = _names([
        *(show_text(table.id) for table in analysis.tables),
        *(table.id for table in page.tables),
        *(name for name, _ in charts_of(page)),
    ])  # fmt: skip
    report = Report(
        analysis=analysis,
        page=page,
        versions=made_with,
        names=names,
        wholes={show_text(t.id): f"tables/{names[show_text(t.id)]}.csv" for t in analysis.tables},
        font_paths=font_paths,
        warn=warn or _warn,
    )
    folder = Path(directory)
    written = []
    try:
        for name, content in chain.from_iterable(write(report) for write in asked):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            _put(path, content if isinstance(content, bytes) else content.encode())
            written.append(path)
    except OSError as error:
        raise InputError(f"{folder}: cannot write the report there: {error.strerror}") from error
    return tuple(written)


def _put(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: on a full disk the older one stays."""
    new = path.with_name(".report-in-writing")
    try:
        new.write_bytes(content)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def _warn(sentence: str) -> None:
    warnings.warn(sentence, JuryboxWarning, stacklevel=4)


def _names(ids: Iterable[str]) -> dict[str, str]:
    """Each id with a file name; two ids never share one."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for id_ in dict.fromkeys(ids):
        plain = re.sub(r"[^\w.-]+", "-", id_).encode()[:LONGEST].decode(errors="ignore")
        base = plain.strip("-.") or "table"
        name, number = base, 2
        while name.lower() in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name.lower())
        names[id_] = name
    return names
