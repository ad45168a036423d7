"""``jurybox backup``: one file that holds a study and everything collected in it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from jurybox.cli.place import DatabaseOption, StudyArgument, open_store, study_directory
from jurybox.errors import InputError
from jurybox.formats import format_count

__all__ = ["backup"]

KEPT = {".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".md", ".txt", ".yaml", ".yml"}
"""The endings of files that go into every backup; media go in with ``--media``."""


def backup(
    study: StudyArgument = Path("."),
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The zip to write.", show_default="STUDY-TIME.zip"),
    ] = None,
    media: Annotated[
        bool, typer.Option("--media", help="Take the study's media along as well.")
    ] = False,
    restore: Annotated[
        Path | None,
        typer.Option("--restore", help="A backup to unpack into STUDY, a new directory."),
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Write a study and its responses into one zip, while raters go on; or restore one.

    The zip holds study.yaml, the tables, a consistent copy of the database, and a manifest with the
    hash of every file. `jurybox backup --restore FILE DIR` checks the hashes and unpacks it.
    """
    if restore is not None:
        _restore(restore, study, database)
    else:
        _make(study, out, media=media, database=database)


def _make(study: Path, out: Path | None, *, media: bool, database: str | None) -> None:
    from jurybox import __version__
    from jurybox.store.backup import make_backup

    directory = study_directory(study)
    now = datetime.now(UTC)
    target = out or Path(f"{directory.resolve().name}-{now:%Y%m%dT%H%M%SZ}.zip")
    if not target.parent.is_dir():
        raise InputError(f"{target}: the directory {target.parent} does not exist.")
    files = {
        path.relative_to(directory).as_posix(): path
        for path in sorted(directory.rglob("*"))
        if _belongs(path, directory, target, media=media)
    }
    with open_store(directory, database, create=False) as store:
        made = make_backup(store, files, target, jurybox=__version__, now=now)
    n = format_count(made.rows["submission_rows"], "submission")
    typer.echo(f"{made.path}: {format_count(len(made.files), 'file')}, {n}, checked.")


def _belongs(path: Path, directory: Path, target: Path, *, media: bool) -> bool:
    if not path.is_file() or path.resolve() == target.resolve():
        return False
    if any(part.startswith(".") for part in path.relative_to(directory).parts):
        return False
    if path.name.startswith("study.db"):
        return False
    return media or path.suffix.casefold() in KEPT


def _restore(file: Path, directory: Path, database: str | None) -> None:
    from jurybox.store.backup import restore_backup

    if not file.is_file():
        raise InputError(f"{file}: there is no such backup.")
    opened = None if database is None else lambda: open_store(directory, database)
    restored = restore_backup(file, directory, open_store=opened)
    n = format_count(restored.rows["submission_rows"], "submission")
    typer.echo(f"{directory}: {format_count(len(restored.files), 'file')}, {n} restored.")
