"""From a source to the view ``raw``: loaded or imported, and mapped."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.errors import InputError
from jurybox.tally.mapping import Derivation, Mapped, TableMapping, merge
from jurybox.tally.shapes import SHAPES, ShapeName, known_columns
from jurybox.tally.source import load

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Stated", "open_metrics", "open_table"]

FOREIGN = (".json", ".jsonl", ".ndjson", ".tsv")
"""Endings of files that may be another tool's export."""
TELLING = {"model_a", "seg_id", "globalsegid", "global_seg_id", "docsegid", "doc_seg_id"}
"""Columns of tables in another tool's format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What is known of a table beyond its cells: what was said of it, and by its format."""

    took: tuple[str, ...] = ()
    shape: ShapeName | None = None
    level: str | None = None
    levels: Mapping[str, str] = field(default_factory=dict)
    scale: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Of criteria (``*``: of all) the values of the scale, or its ends, in order."""
    derive: Mapping[str, Derivation] = field(default_factory=dict)
    mapping: TableMapping | None = None
    """What the source was read with; ``None`` where it is a table as jurybox writes it."""
    has_anonymous: bool = False
    file: Path | None = None
    """The only file, where each of its rows is a row of the table."""


def open_table(
    connection: DuckDBPyConnection,
    source: Any,
    shape: ShapeName | None = None,
    more: Collection[str] = (),
) -> tuple[str, Stated]:
    """Make the view ``raw`` of a source; give the words that name it, and what is known of it.

    ``more``: columns that are kept beside the known ones.
    """
    mapping = TableMapping()
    if isinstance(source, Mapped):
        source, mapping = source.source, source.mapping
    wanted = shape or mapping.shape
    took: list[str] = []
    computed: Mapping[str, str] = {}
    used = mapping
    if _may_be_foreign(source, mapping):
        from jurybox.tally.importers import import_files, importer_of

        importer = importer_of(source, mapping.importer)
        if importer is not None:
            where, export, said = import_files(connection, importer, source, wanted)
            took += said
            used = merge(export.mapping, mapping)
            where, stated = _finish(connection, where, used, took, mapping, {})
            # A value map says what scores mean, and may put them on another scale.
            if export.scale and not used.values and not used.scale:
                stated = replace(stated, scale={"*": export.scale})
            return where, stated
    _refuse_folders(source)
    _check_shapes(connection, source, mapping)
    columns = source if isinstance(source, Mapping) and not mapping.is_empty else known_columns()
    where = load(connection, source, [*(str(each) for each in columns), *more])
    names = [str(row[0]) for row in connection.execute("DESCRIBE raw").fetchall()]
    if mapping.importer is not None or TELLING & {name.strip().lower() for name in names}:
        from jurybox.tally.importers import column_importer

        known = column_importer(names, mapping)
        if known is not None:
            used, computed, said = known
            took += [f"{where}: {sentence}" for sentence in said]
    stated = _finish(connection, where, used, took, mapping, computed)[1]
    return where, replace(stated, file=_only_file(source, used))


def open_metrics(connection: DuckDBPyConnection, source: Any) -> str:
    """Make the view ``raw`` of a table of metrics; give the words that name it.

    Of a mapped table the columns of raters and scores are left out, so that a table that holds
    people's scores beside metrics can be given as both.
    """
    if not isinstance(source, Mapped):
        wanted = [str(name) for name in source] if isinstance(source, Mapping) else []
        return load(connection, source, wanted)
    from jurybox.tally.apply_mapping import leave_scores_out

    table = source.source
    where = load(connection, table, [str(n) for n in table] if isinstance(table, Mapping) else [])
    leave_scores_out(connection, source.mapping, where)
    return where


def _finish(
    connection: DuckDBPyConnection,
    where: str,
    used: TableMapping,
    took: list[str],
    given: TableMapping,
    computed: Mapping[str, str],
) -> tuple[str, Stated]:
    is_plain = used.is_empty and not computed
    if not is_plain:
        from jurybox.tally.apply_mapping import apply_mapping

        took += apply_mapping(connection, used, where, computed=computed)
    return where, Stated(
        took=tuple(took),
        shape=used.shape,
        level=used.level,
        levels=used.levels,
        scale=used.scale,
        derive=used.derive,
        mapping=None if is_plain else replace(given, importer=used.importer),
        has_anonymous=used.raters_anonymous,
    )


def _may_be_foreign(source: Any, mapping: TableMapping) -> bool:
    """Whether it is worth looking into files: a table that jurybox wrote never is."""
    if mapping.importer is not None:
        return True
    return any(
        str(path).lower().endswith(FOREIGN) or Path(path).is_dir() or _has_schemas(Path(path))
        for path in _paths(source)
    )


def _has_schemas(path: Path) -> bool:
    """Whether the heading of a CSV file names labels within schemas, as Potato's does."""
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    with path.open("rb") as file:
        heading = file.readline()
    return b":::" in heading or (b"instance_id" in heading and b"user_id" in heading)


def _refuse_folders(source: Any) -> None:
    for path in _paths(source):
        if Path(path).is_dir():
            raise InputError(
                f"{path} is a folder; name its files, for example {Path(path) / '*.csv'} (there is "
                "no study.yaml here, and no export that jurybox knows)"
            )


def _check_shapes(connection: DuckDBPyConnection, source: Any, mapping: TableMapping) -> None:
    """Refuse tables of two shapes in one call: stacked, each would fill the other with gaps."""
    paths = _paths(source)
    if not paths or (len(paths) == 1 and not any(mark in str(paths[0]) for mark in "*?[")):
        return
    from jurybox.tally.headings import heading_of

    renamed = {words.strip().lower(): target for target, words in mapping.map.items()}
    shapes: dict[str, str] = {}
    for path in paths:
        for file, names in heading_of(connection, path):
            have = {renamed.get(n.strip().lower(), n.strip().lower()) for n in names}
            for shape in SHAPES.values():
                if have.issuperset(shape.telling):
                    shapes.setdefault(shape.name, file)
                    break
    if len(shapes) > 1:
        each = ", ".join(f"{file} holds {shape}" for shape, file in shapes.items())
        raise InputError(f"{each}; analyze tables of one shape at a time")


def _only_file(source: Any, mapping: TableMapping) -> Path | None:
    """The file of a table whose rows stand in it line by line."""
    paths = _paths(source)
    spread = mapping.raters or mapping.scores or mapping.systems or mapping.counts
    if len(paths) != 1 or spread or mapping.only:
        return None
    path = Path(paths[0])
    return path if path.is_file() and path.suffix.lower() not in (".parquet", ".pq") else None


def _paths(source: Any) -> list[str | Path]:
    """The paths that a source is, if it is of paths."""
    if isinstance(source, str | Path):
        return [source]
    if isinstance(source, Sequence) and all(isinstance(each, str | Path) for each in source):
        return list(source)
    return []
