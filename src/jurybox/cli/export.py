"""``jurybox export``: the responses as tables in the shapes that every verb understands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from jurybox.cli.place import DatabaseOption, StudyArgument, open_store, study_directory
from jurybox.design.plan import Round
from jurybox.errors import InputError
from jurybox.store import Shape

__all__ = ["export"]

Format = Literal["csv", "parquet", "jsonl"]


def export(
    study: StudyArgument = Path("."),
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The directory to write to.", show_default="STUDY/export"),
    ] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="csv, parquet or jsonl.")] = "csv",
    shape: Annotated[
        list[str] | None,
        typer.Option(
            "--shape", "-s", help="A table shape; may be given again.", show_default="all"
        ),
    ] = None,
    round: Annotated[str, typer.Option("--round", help="A round, or `all`.")] = "main",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was written as JSON, for scripts.")
    ] = False,
    database: DatabaseOption = None,
) -> None:
    """Write each table shape (ratings, votes, …) as CSV, Parquet or JSON lines.

    Superseded and late rows are left out; `excluded_by` names the rule by which a rater is. Text is
    written as the rater wrote it: a spreadsheet may take a cell that begins with = for a formula.
    """
    from jurybox.tally.write import write_table

    wanted = _one_of("format", format, get_args(Format))
    shapes = [_one_of("shape", name, get_args(Shape)) for name in shape or get_args(Shape)]
    chosen = _one_of("round", round, (*get_args(Round), "all"))
    directory = study_directory(study)
    target = out or directory / "export"
    written = {}
    with open_store(directory, database, create=False) as store:
        target.mkdir(parents=True, exist_ok=True)
        for name in shapes:
            table = store.table(name, round=None if chosen == "all" else chosen)
            path = target / f"{name}.{wanted}"
            write_table(table, path)
            written[str(path)] = len(table["trial"])
    if as_json:
        typer.echo(json.dumps(written, indent=2))
    else:
        for file, n in written.items():
            typer.echo(f"{file}: {n} rows")


def _one_of(option: str, value: str, allowed: tuple[Any, ...]) -> Any:
    if value not in allowed:
        raise InputError(f"--{option} is one of {', '.join(allowed)}; got '{value}'.")
    return value
