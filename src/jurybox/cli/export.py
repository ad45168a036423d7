"""``jurybox export``: the responses as tables in the shapes that every verb understands."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from jurybox.cli.place import DatabaseOption, StudyArgument, open_store, study_directory
from jurybox.errors import AnalysisError, OptionError
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.store import Store
    from jurybox.study import Study

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
            "--shape",
            "-s",
            help="ratings, votes, rankings, detections, spans, checks or submissions; repeatable.",
            show_default="all",
        ),
    ] = None,
    round: Annotated[str, typer.Option("--round", help="A round, or `all`.")] = "main",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was written as JSON, for scripts.")
    ] = False,
    database: DatabaseOption = None,
) -> None:
    """Write each table shape (ratings, votes, …) as CSV, Parquet or JSON lines.

    Beside ratings stands a `mapping.yaml` with the scales and derived criteria of the study.
    Superseded and late rows are left out. A row with `repeat` 1 answers a trial that its rater saw
    again, for test–retest; analyze takes it for nothing else. Rows of raters whom the analysis
    leaves out are there: `excluded_by` names the mark or the study's rule, and analyze leaves them
    out of the table too. Text is written as it was given: a spreadsheet may take a cell that
    begins with = for a formula.
    """
    from jurybox.design.plan import Round
    from jurybox.store import Shape
    from jurybox.study import load_study
    from jurybox.tally.write import write_table

    wanted = _one_of("format", format, get_args(Format))
    shapes = [_one_of("shape", name, get_args(Shape)) for name in shape or get_args(Shape)]
    chosen = _one_of("round", round, (*get_args(Round), "all"))
    directory = study_directory(study)
    target = out or directory / "export"
    written: dict[str, int] = {}
    marked: dict[str, str] = {}
    with open_store(directory, database, create=False) as store:
        loaded = load_study(directory)
        rules = _find_excluded(store, loaded)
        target.mkdir(parents=True, exist_ok=True)
        for name in shapes:
            asked = None if chosen == "all" else chosen
            table = store.table(name, round=asked, retests=True)
            marked |= _mark(table, rules)
            path = target / f"{name}.{wanted}"
            write_table(table, path)
            written[str(path)] = len(table["trial"])
    if "ratings" in shapes:
        _write_mapping(loaded, target / "mapping.yaml")
    if as_json:
        typer.echo(json.dumps(written, indent=2))
    else:
        for file, n in written.items():
            typer.echo(f"{file}: {format_count(n, 'row')}")
        typer.echo(_say_marked(marked))


def _write_mapping(study: Study, path: Path) -> None:
    """Write what the study says of its ratings and no table can: levels, scales, derived criteria.

    A derived criterion is made of ratings, so that a study without any has none.
    """
    from jurybox.analysis.asked import asked_by
    from jurybox.tally.mapping import Derivation, TableMapping
    from jurybox.tally.mapping_file import save_mapping

    asked = asked_by(study)
    rated = {name: each for name, each in asked.criteria.items() if each.ends is not None}
    if "ratings" not in asked.shapes or not rated:
        return
    mapping = TableMapping(
        levels={name: each.level for name, each in rated.items() if each.level is not None},
        scale={name: each.values or each.ends or () for name, each in rated.items()},
        derive={
            name: Derivation(rule=each.rule, weights=each.weights)
            for name, each in asked.derived.items()
        },
    )
    save_mapping(mapping, path)


def _find_excluded(store: Store, study: Study) -> dict[str, str]:
    """The raters whom the analysis leaves out, each with the first rule that says so."""
    from jurybox.analysis.context import Context
    from jurybox.analysis.gather import gather
    from jurybox.analysis.options import Options
    from jurybox.analysis.raters import excluded_raters, read_checks
    from jurybox.tally.raters import marked_raters
    from jurybox.tally.reading import read

    try:
        gathered = gather(store, study=study)
    except AnalysisError:  # nothing is answered, so there is nobody to leave out
        return {}
    context = Context(asked=gathered.asked, options=Options())
    shape, table = gathered.tables[0]
    responses = read(table, shape=shape, keep_excluded=True)
    try:
        checks = read_checks(gathered.checks)
        found = excluded_raters(context, responses, checks, marked_raters(responses))
    finally:
        responses.close()
    return {each.rater: each.rule for each in found}


def _mark(table: dict[str, list[Any]], rules: Mapping[str, str]) -> dict[str, str]:
    """Fill ``excluded_by`` where the store has no mark; the marked raters with their rule."""
    pairs = list(zip(table["rater"], table["excluded_by"], strict=True))
    table["excluded_by"] = [mark or rules.get(rater) for rater, mark in pairs]
    said = zip(table["rater"], table["excluded_by"], strict=True)
    return {rater: rule for rater, rule in said if rule is not None}


def _say_marked(marked: Mapping[str, str]) -> str:
    from jurybox.results import format_count

    if not marked:
        return "No rater is marked as excluded."
    counts = ", ".join(f"{rule} {n}" for rule, n in Counter(marked.values()).most_common())
    return f"{format_count(len(marked), 'rater')} marked in excluded_by: {counts}."


def _one_of(option: str, value: str, allowed: tuple[Any, ...]) -> Any:
    if value not in allowed:
        raise OptionError(f"--{option} is one of {', '.join(allowed)}; got '{value}'.")
    return value
