"""Anything tabular becomes a table named ``raw`` in an in-process DuckDB."""

from __future__ import annotations

import csv
import glob
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from jurybox.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["UNNAMED", "Source", "connect", "disconnect", "expand", "load", "quote", "text"]

Source = Any
"""A path or glob (or several), a data frame, a DuckDB relation, or a mapping of columns."""

DELIMITED = {".csv", ".tsv", ".tab", ".txt"}
QUOTED = re.compile(r'"(?:[^"]|"")*"')
JSON = {".jsonl", ".ndjson", ".json"}
SPREADSHEETS = {".xlsx", ".xls", ".ods"}
PARQUET = {".parquet", ".pq"}
COMPRESSED = {".gz", ".zip", ".bz2", ".xz", ".zst", ".7z"}
OTHERWISE = {
    b"\xff\xfe": "is UTF-16; save it as UTF-8",
    b"\xfe\xff": "is UTF-16; save it as UTF-8",
    b"PK\x03\x04": "is a spreadsheet or a zip archive, whatever its name; save the table as CSV",
    b"\x1f\x8b": "is compressed; unpack it first",
}
"""How files begin that are no text in UTF-8, and what to do with them."""


_engines: WeakKeyDictionary[DuckDBPyConnection, DuckDBPyConnection] = WeakKeyDictionary()
"""The engine of each database."""
_idle: list[DuckDBPyConnection] = []
"""Engines without a database, each with a single thread."""


def connect() -> DuckDBPyConnection:
    """An in-process database of its own, that writes nothing to disk and fetches nothing.

    All that is made in it is temporary, so that its engine can be handed on by ``disconnect``.
    """
    engine = _idle.pop() if _idle else _start()
    database = engine.cursor()
    _engines[database] = engine
    return database


def disconnect(database: DuckDBPyConnection) -> None:
    """Free a database, and keep its engine: one starts more slowly than many a table is read."""
    engine = _engines.pop(database)
    database.close()
    engine.execute("SET threads = 1")
    engine.execute("RESET disabled_optimizers")
    _idle.append(engine)


def _start() -> DuckDBPyConnection:
    import duckdb

    engine = duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            # Threads would add doubles up in an order of their own, and the last digits of a
            # report would change from run to run; on small tables they also cost more than they
            # save. Large tables get them back in ``reading.read``.
            "threads": 1,
        }
    )
    # Every query of a file would read the list of its parts anew, unless it has changed.
    engine.execute("SET GLOBAL parquet_metadata_cache = true")
    return engine


UNNAMED = "the table"
"""What a table is called that comes from no file."""


def quote(name: str) -> str:
    """A column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def is_columnar(connection: DuckDBPyConnection) -> bool:
    """Whether ``raw`` is a file of columns as it lies on disk, which is cheap to read again."""
    # The plan is asked, since the catalog lists every view there is, which takes ten times as long.
    plan = connection.execute("EXPLAIN SELECT 1 FROM raw").fetchall()
    return any("READ_PARQUET" in str(part) for row in plan for part in row)


def load(connection: DuckDBPyConnection, source: Source, wanted: Iterable[str]) -> str:
    """Make the view ``raw`` of the source and give the words that name it.

    Of a mapping only the ``wanted`` columns are taken; files and frames are read where they are.
    """
    if isinstance(source, str | Path):
        return _load_files(connection, [source])
    if isinstance(source, Mapping):
        _load_columns(connection, source, set(wanted))
        return UNNAMED
    if isinstance(source, Sequence):
        if source and all(isinstance(each, str | Path) for each in source):
            return _load_files(connection, source)
        raise InputError(
            "a list must hold paths; got "
            + (f"a list of {type(source[0]).__name__}" if source else "an empty list")
        )
    _load_frame(connection, source, set(wanted))
    return UNNAMED


def _load_frame(connection: DuckDBPyConnection, frame: Any, wanted: set[str]) -> None:
    """A pandas, Polars or PyArrow table, or a relation of any DuckDB connection."""
    import duckdb

    if isinstance(frame, duckdb.DuckDBPyRelation):
        columns = {name: column.tolist() for name, column in frame.fetchnumpy().items()}
        _load_columns(connection, columns, set(columns))
        return
    if hasattr(frame, "reset_index") and hasattr(frame, "columns"):
        _check_columns(frame, wanted)
    try:
        connection.register("frame", frame)
    except (duckdb.Error, TypeError) as error:
        raise InputError(
            "a table must be a path, a glob, a data frame (pandas, Polars, PyArrow), a DuckDB "
            f"relation or a mapping of columns; got {type(frame).__name__}"
        ) from error
    connection.execute("CREATE TEMP VIEW raw AS SELECT * FROM frame")


def _check_columns(frame: Any, wanted: set[str]) -> None:
    """Refuse a pandas frame whose columns cannot be told apart, or stand in its index."""
    names = [str(name).lower() for name in frame.columns]
    index = [name for name in frame.index.names if name in wanted - set(names)]
    if index:
        raise InputError(
            f"the table has {', '.join(index)} in its index; make columns of it by reset_index()"
        )
    if not names:
        raise InputError("the table has no columns")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"the table has the column {twice[0]!r} twice; keep one")


def _load_columns(
    connection: DuckDBPyConnection, columns: Mapping[str, Sequence[Any]], wanted: set[str]
) -> None:
    known = {name.strip().lower() for name in wanted}
    kept = {
        str(name): list(values)
        for name, values in columns.items()
        if str(name).strip().lower() in known
    }
    lengths = {name: len(values) for name, values in kept.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"all columns must have the same length; got {lengths}")
    if not kept:
        names = ", ".join(map(str, columns)) or "none"
        raise InputError(f"no known column among {names}")
    # Most cells stand there often: each word is handed over once, and the cells as its numbers.
    coded = [_coded(column) for column in kept.values()]
    connection.register("cells", {f"c{k}": numbers for k, (numbers, _) in enumerate(coded)})
    parts = [f"(?::VARCHAR[])[c{k}] AS {quote(name)}" for k, name in enumerate(kept)]
    made = f"CREATE TEMP TABLE raw AS SELECT {', '.join(parts)} FROM cells"
    connection.execute(made, [words for _, words in coded])
    connection.unregister("cells")


def _coded(column: list[Any]) -> tuple[Any, list[str | None]]:
    """The cells of a column as numbers from 1, and the word that each number stands for."""
    import numpy as np

    kinds = set(map(type, column))
    if not (len(kinds) == 1 or kinds <= {str, int, float, NoneType}) or kinds & {list, dict}:
        column = [_word(value) for value in column]  # equal values may be different words: True, 1
    numbers = {value: number for number, value in enumerate(dict.fromkeys(column), start=1)}
    cells = np.fromiter(map(numbers.__getitem__, column), dtype=np.int32, count=len(column))
    return cells, [_word(value) for value in numbers]


def _word(value: Any) -> str | None:
    """A cell as text; a missing one as ``None``; 2.0 as people write it."""
    if value is None or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _load_files(connection: DuckDBPyConnection, patterns: Sequence[str | Path]) -> str:
    import duckdb

    paths = [path for pattern in patterns for path in expand(pattern)]
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        names = ", ".join(sorted({path.suffix for path in paths}))
        raise InputError(f"read files of one kind at a time; got {names}")
    (kind,) = kinds
    if kind == "delimited":
        selection = " UNION ALL BY NAME ".join(_delimited(path) for path in paths)
    else:
        for path in paths if kind == "json" else ():
            _check_encoding(path)
        files = "[" + ", ".join(text(str(path)) for path in paths) + "]"
        reader = "read_json" if kind == "json" else "read_parquet"
        selection = f"SELECT * FROM {reader}({files}, union_by_name=true)"
    names = paths[0].name if len(paths) == 1 else f"{len(paths)} files"
    try:
        connection.execute(f"CREATE TEMP VIEW raw AS {selection}")
        # A view reads nothing: what is wrong further down must be said here, not in mid-analysis.
        if kind != "parquet":
            connection.execute("CREATE TEMP TABLE whole AS SELECT * FROM raw")
            connection.execute("CREATE OR REPLACE TEMP VIEW raw AS SELECT * FROM whole")
    except duckdb.Error as error:
        raise InputError(f"{names}: {_sentence(str(error))}") from error
    return names


def expand(pattern: str | Path) -> list[Path]:
    """The files that a path or a glob names."""
    path = Path(pattern)
    if path.is_file():
        return [path]
    if path.is_dir():
        raise InputError(f"{path} is a folder; name its files, for example {path / '*.csv'}")
    found = sorted(Path(name) for name in glob.glob(str(pattern), recursive=True))
    files = [each for each in found if each.is_file()]
    if not files:
        raise InputError(f"there is no file {pattern}")
    return files


def _kind(path: Path) -> str:
    suffix = path.suffix.lower()
    for kind, suffixes in (("delimited", DELIMITED), ("json", JSON), ("parquet", PARQUET)):
        if suffix in suffixes:
            if path.stat().st_size == 0:
                raise InputError(f"{path.name} is empty")
            return kind
    if suffix in SPREADSHEETS:
        raise InputError(f"{path.name} is a spreadsheet; save the sheet with the responses as CSV")
    if suffix in COMPRESSED:
        raise InputError(f"{path.name} is compressed; unpack it first")
    known = ", ".join(sorted(DELIMITED | JSON | PARQUET))
    raise InputError(f"{path.name}: the kind of file is not known; known endings are {known}")


def _delimited(path: Path) -> str:
    """The selection from a delimited file; every cell is text, an empty one is missing.

    The heading is read here, because DuckDB's sniffer takes a wrong first line for a preamble.
    """
    _check_encoding(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        line = file.readline()
    if re.fullmatch(r"sep=.?\s*", line):
        raise InputError(
            f"{path.name}: the first line must name the columns, and {line.strip()!r} is for a "
            "spreadsheet program; remove that line"
        )
    mark = "\t" if path.suffix.lower() in (".tsv", ".tab") else max(",;\t|", key=line.count)
    with path.open(encoding="utf-8-sig", newline="") as file:
        heading = next(csv.reader(file, delimiter=mark), [])
    names = [name.strip() or f"column {k}" for k, name in enumerate(heading, start=1)]
    if not heading:
        raise InputError(f"{path.name}: the first line must name the columns, and it is empty")
    named = sum(bool(name.strip()) for name in heading)
    if 2 * named < len(heading):
        raise InputError(
            f"{path.name}: the first line must name the columns, and it names {named} of "
            f"{len(heading)}; remove what stands above the names"
        )
    same = [name.lower() for name in names]
    twice = [name for name in names if same.count(name.lower()) > 1]
    if twice:
        raise InputError(f"{path.name}: the column {twice[0]!r} stands twice in the heading")
    columns = ", ".join(f"{text(name)}: 'VARCHAR'" for name in names)
    quote = "" if mark == "\t" and _are_text(path) else '"'
    return (
        f"SELECT * FROM read_csv({text(str(path))}, auto_detect=false, delim={text(mark)}, "
        f"quote='{quote}', escape='{quote}', header=true, nullstr='', columns={{{columns}}})"
    )


def _are_text(path: Path) -> bool:
    """Whether quotation marks between tabs are part of what is written, as in files of the WMT.

    Some cell begins with one that does not close it, and every line has all its tabs: no cell goes
    on in the next line.
    """
    found, tabs = False, None
    with path.open(encoding="utf-8-sig", newline="") as file:
        for line in (line.rstrip("\r\n") for line in file):
            tabs = line.count("\t") if tabs is None else tabs
            if line and line.count("\t") != tabs:
                return False
            if '"' in line:
                cells = (cell for cell in line.split("\t") if cell.startswith('"'))
                found = found or not all(QUOTED.fullmatch(cell) for cell in cells)
    return found


def _check_encoding(path: Path) -> None:
    """Refuse what is not UTF-8, at the line where it breaks."""
    with path.open("rb") as file:
        start = file.read(4)
        for sign, sentence in OTHERWISE.items():
            if start.startswith(sign):
                raise InputError(f"{path.name} {sentence}")
        file.seek(0)
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = f"0x{line[error.start]:02x}"
                raise InputError(
                    f"{path.name}:{number}: the file is not UTF-8 (byte {byte}); save it as UTF-8"
                ) from error


def _sentence(message: str) -> str:
    """What is wrong, from a DuckDB error."""
    broken = re.search(r"Malformed JSON .*in line (\d+): ([^.\n]*)", message)
    if broken:
        # The engine counts one line too many.
        return f"line {int(broken[1]) - 1} is not JSON: {broken[2]}"
    line = re.search(r"on Line:? (\d+)", message)
    counted = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if line and counted:
        more = "more" if int(counted[2]) > int(counted[1]) else "fewer"
        return f"line {line[1]} has {more} cells than the heading, which has {counted[1]}"
    if line and "unterminated quote" in message:
        return f"line {line[1]} cannot be read: a quotation mark is opened and not closed"
    if "state machine reached an invalid state" in message:
        return (
            "cannot be read: some of its lines end as on Windows and others as on Unix; save it "
            "with one kind of line end"
        )
    first = next((part for part in message.splitlines() if part.strip()), message)
    first = re.sub(r"^[A-Za-z ]*Error: ", "", first)
    return f"line {line[1]} cannot be read: {first}" if line else f"cannot be read: {first}"
