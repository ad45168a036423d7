"""Other tools' exports, recognized by their content and turned into jurybox's table shapes.

One file per format. A format of nested files has ``find`` (which of these paths are mine?) and
``load`` (their rows, by shape); a format that is a table of other columns is a mapping, chosen by
``choose``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.errors import InputError, OptionError
from jurybox.tally.mapping import TableMapping
from jurybox.tally.shapes import ShapeName
from jurybox.tally.source import load

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from jurybox.tally.importers.export import Export

__all__ = ["FORMATS", "column_importer", "import_files", "importer_of"]

FORMATS = {
    "imagenhub": "ImagenHub: a folder of one TSV per rater, cells [SC, PR]",
    "label_studio": "Label Studio: the JSON export (choices, rating, number, pairwise, ranker)",
    "argilla": "Argilla: records as JSON or JSONL, with responses per person",
    "potato": "Potato: annotated_instances (JSONL, TSV, CSV) or user_state.json, also by folder",
    "arena": "Chatbot Arena: rows with model_a, model_b, winner",
    "wmt_mqm": "WMT MQM: TSV with system, doc, seg_id, rater, category, severity",
}
FILES = ("imagenhub", "label_studio", "argilla", "potato")
COLUMNS = ("arena", "wmt_mqm")
Chosen = tuple[TableMapping, Mapping[str, str], list[str]]
"""A mapping, the columns that it needs computed, and a sentence that says so."""


def _module(name: str) -> Any:
    return import_module(f"jurybox.tally.importers.{name}")


def check_format(name: str) -> None:
    """Refuse the name of a format that nobody knows."""
    if name not in FORMATS:
        near = get_close_matches(name, FORMATS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(FORMATS)}"
        raise OptionError(f"there is no importer {name!r}; {hint}")


def importer_of(source: Any, forced: str | None) -> str | None:
    """The format of nested files that a source is in, if it is in one."""
    if forced is not None:
        check_format(forced)
        return forced if forced in FILES else None
    paths = _paths(source)
    return next((name for name in FILES if paths and _module(name).find(paths)), None)


def _paths(source: Any) -> list[Path]:
    """The files and folders that a source names."""
    from jurybox.tally.source import expand

    given = [source] if isinstance(source, str | Path) else source
    if not isinstance(given, Sequence) or not all(isinstance(each, str | Path) for each in given):
        return []
    return [p for each in given for p in ([Path(each)] if Path(each).is_dir() else expand(each))]


def import_files(
    connection: DuckDBPyConnection, name: str, source: Any, shape: ShapeName | None
) -> tuple[str, Export, list[str]]:
    """Make the view ``raw`` of another tool's files; give their name, contents and sentences."""
    paths = _paths(source)
    files = _module(name).find(paths)
    where = paths[0].name or str(paths[0]) if len(paths) == 1 else f"{len(paths)} files"
    if not files:
        raise InputError(f"{where} is not in the format {name} ({FORMATS[name]})")
    try:
        export: Export = _module(name).load(files)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        # What is nested is taken as the tool writes it; a list where it writes a name is not.
        raise InputError(
            f"{where} begins like the format {name} ({FORMATS[name]}), but is not built like it "
            f"throughout ({error}); export it again, or write it as a table"
        ) from error
    shapes = [each for each, rows in export.rows.items() if rows]
    if not shapes:
        raise InputError(f"{where}: {'; '.join(['there are no answers in it', *export.left])}")
    chosen = shape if shape in shapes else shapes[0]
    if len(shapes) > 1 and shape not in shapes:
        raise InputError(
            f"{where} holds {' and '.join(shapes)}; choose one by its shape, for example --shape "
            f"{shapes[0]}"
        )
    rows = export.rows[chosen]
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = {key: [row.get(key) for row in rows] for key in names}
    load(connection, columns, names)
    said = [f"{where}: read as {export.words}", *export.left]
    if len(shapes) > 1:
        said.append(f"its {', '.join(each for each in shapes if each != chosen)} are left out")
    return where, export, said


def column_importer(names: Sequence[str], mapping: TableMapping) -> Chosen | None:
    """The mapping of a table of a known foreign format under the given one, if it is in one.

    With it come columns that must be computed, in SQL, and a sentence.
    """
    for name in [mapping.importer] if mapping.importer in COLUMNS else COLUMNS:
        found: Chosen | None = _module(name).choose(names, mapping)
        if found is not None:
            return found
        if mapping.importer == name:
            raise InputError(f"the table is not in the format {name} ({FORMATS[name]})")
    return None
