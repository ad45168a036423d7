"""`jurybox sample`: a stable share of production records, for a study that goes on."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal

import typer

from jurybox.cli.place import study_directory
from jurybox.errors import InputError, OptionError

if TYPE_CHECKING:
    from jurybox.study.growing import NewFile
    from jurybox.study.records import Format, Record
    from jurybox.study.taking import Fields, StudyTables

__all__ = ["sample"]

MB = 1_000_000
EVERY = 1000
"""Records between two looks at the bar."""


def sample(
    file: Annotated[
        str, typer.Argument(help="Records: .jsonl, .csv or .tsv, also .gz; - is standard input.")
    ],
    rate: Annotated[str, typer.Option("--rate", help="The share to take, such as 0.01.")],
    id: Annotated[str, typer.Option("--id", help="The field that holds the record's id.")] = "id",
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", help="A field to leave out, as user or user.email. Repeatable."),
    ] = None,
    rename: Annotated[
        list[str] | None,
        typer.Option("--rename", help="A field's name in the study: response=answer. Repeatable."),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="The study to add the records to.")
    ] = None,
    system: Annotated[
        str | None,
        typer.Option("--system", help="Whose outputs these are; by default the field system."),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", help="A field that the system made. Repeatable."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="A .jsonl file to write; by default the screen.")
    ] = None,
    format: Annotated[
        Literal["jsonl", "csv", "tsv"] | None,
        typer.Option("--format", help="The format of standard input; by default jsonl."),
    ] = None,
    salt: Annotated[
        str, typer.Option("--salt", help="Another salt takes another share of the same ids.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Take a stable share of production records, and add them to a study.

    A record is taken if the hash of its id falls below the rate, so it is in or out on every
    machine, every day, and 0.02 takes all that 0.01 took. The file is read once, record by record.
    With --to the records become items and outputs of a study, where new ids extend the plan and
    known ids add nothing.
    """
    from jurybox.design.traffic import Share
    from jurybox.study.taking import Fields

    share = Share(rate, salt=salt)
    fields = Fields(id=id, drop=tuple(drop or ()), rename=_pairs(rename or ()))
    if to is not None and out is not None:
        raise OptionError("--to adds the records to a study and --out writes a file; choose one.")
    if out is not None and out.exists() and Path(file).exists() and out.samefile(file):
        raise InputError(
            f"--out {out} is the file that is read, and what is not taken would be lost; name "
            "another file."
        )
    try:
        with _records(file, format) as records, _sink(to, out, system, output or ()) as sink:
            counts = _take(records, share.takes, fields, sink, by_system=system is None)
            fields.check_seen(file)
            sink.commit()
    except OSError as error:
        raise InputError(f"{error.filename or file}: {error.strerror}.") from None
    _say(counts, sink, as_json=as_json, to_screen=to is None and out is None, study=to)


@dataclass(slots=True)
class _Counts:
    read: int = 0
    taken: int = 0
    already_there: int = 0


def _take(
    records: Iterator[Record],
    takes: Callable[[str], bool],
    fields: Fields,
    sink: _Sink,
    *,
    by_system: bool,
) -> _Counts:
    """Hand the records that are taken to the sink; ``by_system``: an id may have one of each."""
    counts = _Counts()
    lines: dict[tuple[str, str], int] = {}
    for record in records:
        counts.read += 1
        id = fields.read_id(record)
        if not takes(id):
            continue
        counts.taken += 1
        # Only ids that are taken are remembered: records with one id are all in or all out.
        key = (id, str(record.values.get("system", "")) if by_system else "")
        if key in lines:
            raise record.error(
                f"the id '{id}' stood in line {lines[key]} already; every record needs its own, "
                "or else name another field by --id."
            )
        lines[key] = record.line
        named = fields.rename.get(fields.id, fields.id)
        sink.add(id, fields.clean(record), record, named)
    counts.already_there = sink.n_there
    return counts


def _pairs(given: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for pair in given:
        old, equals, new = pair.partition("=")
        if not (old and equals and new):
            raise OptionError(f"--rename names a field and its new name, as old=new; got '{pair}'.")
        pairs[old] = new
    return pairs


@contextmanager
def _records(file: str, format: Format | None) -> Iterator[Iterator[Record]]:
    from jurybox.study.records import find_format, read_records

    if file == "-":
        with closing(read_records(sys.stdin.buffer, "standard input", format or "jsonl")) as found:
            yield found
        return
    path = Path(file)
    asked = format or find_format(path)
    with path.open("rb") as opened, closing(read_records(opened, file, asked)) as found:
        yield _watched(found, opened, path.stat().st_size)


def _watched(records: Iterator[Record], file: IO[bytes], size: int) -> Iterator[Record]:
    """The same records, with a bar on a terminal: how much of the file is read."""
    from rich.console import Console

    from jurybox.cli.bars import progress_bars

    with progress_bars(Console(stderr=True), only_terminal=True) as bar:
        tell = bar("Reading, in MB")
        for number, record in enumerate(records):
            if number % EVERY == 0:
                tell(file.tell() // MB, max(1, size // MB))
            yield record


class _Sink(ABC):
    """Where taken records go."""

    n_there = 0

    @abstractmethod
    def add(self, id: str, values: dict[str, Any], record: Record, id_field: str) -> None:
        """Take one record."""

    @abstractmethod
    def commit(self) -> None:
        """Make what was added last."""


class _Screen(_Sink):
    """Records as JSON lines, printed once all of them are known to be right."""

    def __init__(self, waiting: IO[str]) -> None:
        self._waiting = waiting

    def add(self, id: str, values: dict[str, Any], record: Record, id_field: str) -> None:
        self._waiting.write(json.dumps(values, ensure_ascii=False) + "\n")

    def commit(self) -> None:
        self._waiting.seek(0)
        shutil.copyfileobj(self._waiting, sys.stdout)


class _IntoFile(_Sink):
    """Records as a file of JSON lines, which is there as a whole or not at all."""

    def __init__(self, file: NewFile) -> None:
        self._file = file

    def add(self, id: str, values: dict[str, Any], record: Record, id_field: str) -> None:
        self._file.text.write(json.dumps(values, ensure_ascii=False) + "\n")

    def commit(self) -> None:
        self._file.commit()


class _IntoStudy(_Sink):
    """Records as items and outputs of a study."""

    def __init__(self, tables: StudyTables) -> None:
        self.tables = tables

    def add(self, id: str, values: dict[str, Any], record: Record, id_field: str) -> None:
        self.tables.add(id, values, record, id_field=id_field)
        self.n_there = self.tables.n_there

    def commit(self) -> None:
        self.tables.commit()


@contextmanager
def _sink(
    to: Path | None, out: Path | None, system: str | None, output: Sequence[str]
) -> Iterator[_Sink]:
    if to is not None:
        from jurybox.study import load_study
        from jurybox.study.taking import StudyTables

        study = load_study(study_directory(to))
        if study.items is not None and not output:
            raise OptionError(
                "--output names the field that the system made, as --output answer; without it "
                "nothing would be judged."
            )
        with StudyTables(study, system=system, output=output) as tables:
            yield _IntoStudy(tables)
    elif out is not None:
        from jurybox.study.growing import NewFile

        if out.suffix.casefold() not in (".jsonl", ".ndjson"):
            raise OptionError(f"--out {out}: records are written as .jsonl.")
        file = NewFile(out)
        try:
            yield _IntoFile(file)
        finally:
            file.drop()
    else:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as waiting:
            yield _Screen(waiting)


def _say(
    counts: _Counts, sink: _Sink, *, as_json: bool, to_screen: bool, study: Path | None
) -> None:
    from jurybox.formats import joined
    from jurybox.study.breach import counted

    grown = dict(sink.tables.grown()) if isinstance(sink, _IntoStudy) else {}
    if as_json:
        typer.echo(json.dumps({**asdict(counts), "added": grown}, indent=2), err=to_screen)
        return
    line = f"Read {counted(counts.read, 'record')}, took {counts.taken:,}"
    if study is None:
        typer.echo(f"{line}.", err=to_screen)
        return
    typer.echo(f"{line}; {counts.already_there:,} of them were there already.")
    added = [f"{counted(n, 'row')} to {name}" for name, n in grown.items() if n]
    if added:
        typer.echo(
            f"Added {joined(added)}. Look with 'jurybox check', then "
            "'jurybox plan' gives the new items to raters."
        )
