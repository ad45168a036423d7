"""``jurybox import``: responses collected elsewhere, into a study's store."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer
from rich.console import Console

from jurybox.cli.bars import progress_bars
from jurybox.cli.place import DatabaseOption, open_store, study_directory
from jurybox.errors import InputError, OptionError, Problem, SpecError
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.store import Store
    from jurybox.store.rows import ImportShape, ReadRow
    from jurybox.study.material import Material
    from jurybox.study.model import Study
    from jurybox.study.tables import Table

__all__ = ["import_"]


def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="One or more tables: CSV, TSV, JSON lines or Parquet. The study's directory or "
            "its study.yaml comes before them, unless it is here.",
        ),
    ],
    *,
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            "-s",
            help="ratings, votes, rankings, detections or spans.",
            show_default="by the columns",
        ),
    ] = None,
    judge: Annotated[
        bool, typer.Option("--judge", help="The raters are models, not people.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was stored as JSON, for scripts.")
    ] = False,
    database: DatabaseOption = None,
) -> None:
    """Store responses that were collected elsewhere, checked against the study.

    Every row must name an item, systems, a criterion and a value that the study has; all problems
    are listed and nothing is stored unless everything is right. Give all tables that speak of the
    same trials at once. Importing the same rows again stores nothing; a changed row supersedes.
    """
    from jurybox.store.importing import import_rows
    from jurybox.study import load_material, load_study

    first, *rest = paths
    is_study = first.is_dir() or first.name == "study.yaml"
    directory = study_directory(first if is_study else Path("."))
    files = rest if is_study else paths
    if not files:
        raise OptionError("Name the table to import: jurybox import [STUDY] FILE.")
    study = load_study(directory)
    material = load_material(study)
    rows = _read_rows(files, shape, study, material, judge=judge)
    now = datetime.now(UTC)
    with open_store(directory, database) as store:
        version = _version(store, study, material, now)
        with progress_bars(Console(stderr=True), only_terminal=True) as bar:
            tell = bar("Storing")
            done = import_rows(
                store, study, material, rows, version=version, now=now, progress=tell
            )
    if as_json:
        typer.echo(json.dumps(asdict(done), indent=2))
        return
    stored = format_count(done.answered, "answer")
    typer.echo(f"{format_count(done.rows, 'row')}: {stored} to trials stored.")
    for count, noun, words in (
        (done.late, "answer", "late, to trials that have all of theirs; kept as `late`."),
        (done.duplicates, "answer", "imported before."),
        (done.new_trials, "trial", "not in the plan, and added beside it."),
    ):
        if count:
            typer.echo(f"{format_count(count, noun)} {words}")


def _read_rows(
    files: list[Path], shape: str | None, study: Study, material: Material, *, judge: bool
) -> list[ReadRow]:
    from jurybox.store.rows import RowReader, shapes_of

    problems: list[Problem] = []
    found: list[ReadRow] = []
    for file in files:
        table = _read_table(file, problems)
        if table is None or not table.rows:
            continue
        taken = _shape(shape, table.columns, file)
        if taken not in (takes := shapes_of(study)):
            message = f"a {study.protocol} study has no {taken}; it takes {' and '.join(takes)}."
            problems.append(Problem(file=str(file), message=message))
            continue
        reader = RowReader(
            study=study,
            material=material,
            shape=taken,
            rater_kind="judge" if judge else "person",
            problems=problems,
        )
        found += [row for row in map(reader.read, table.rows) if row is not None]
    if problems:
        raise SpecError(problems)
    return found


def _read_table(file: Path, problems: list[Problem]) -> Table | None:
    from jurybox.study.tables import Row, Table, read_table
    from jurybox.tally.write import read_parquet

    if file.suffix.casefold() not in {".parquet", ".pq"}:
        return read_table(file, str(file), problems)
    if not file.is_file():
        raise InputError(f"{file}: there is no such file.")
    columns = read_parquet(file)
    rows = [
        Row(str(file), number, dict(zip(columns, values, strict=True)))
        for number, values in enumerate(zip(*columns.values(), strict=True), start=1)
    ]
    return Table(str(file), tuple(columns), tuple(rows))


def _shape(named: str | None, columns: tuple[str, ...], file: Path) -> ImportShape:
    from jurybox.store.rows import ImportShape
    from jurybox.tally.shapes import recognize

    if named is None:
        return recognize(columns, str(file)).name
    for shape in get_args(ImportShape):
        if shape == named:
            return cast(ImportShape, shape)
    raise OptionError(f"--shape is one of {', '.join(get_args(ImportShape))}; got '{named}'.")


def _version(store: Store, study: Study, material: Material, now: datetime) -> int:
    """The version in force; an import into an empty store records the study as it is."""
    from jurybox.study.versions import snapshot

    latest = store.latest_version()
    if latest is not None:
        return latest.number
    text = json.dumps(snapshot(study, material), sort_keys=True)
    return store.save_version(text, study.hash(), material.hash(), kind="first", now=now)
