"""Records from a file of any size, one at a time: JSONL, CSV or TSV, plain or gzipped.

Unlike ``tables``, which reads a study's own files whole, nothing here is kept: a day of production
traffic passes in constant memory. What is wrong with a record is one sentence with its line.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal, cast

from jurybox.errors import InputError
from jurybox.formats import in_words
from jurybox.study.breach import counted
from jurybox.study.escapes import refuse_half_characters

__all__ = ["FORMATS", "Format", "Record", "find_format", "read_records"]

Format = Literal["jsonl", "csv", "tsv"]
FORMATS: dict[str, Format] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv"}
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Record:
    """One record and where it stands: the line, or in CSV the line on which it ends."""

    file: str
    line: int
    values: dict[str, Any]

    def error(self, what: str) -> InputError:
        """What is wrong with this record, at its place."""
        return InputError(f"{self.file}:{self.line}: {what}")


def find_format(path: Path) -> Format:
    """The format that a file's name says, whether or not it is gzipped.

    >>> find_format(Path("traffic.jsonl.gz")), find_format(Path("day.CSV"))
    ('jsonl', 'csv')
    """
    name = path.name.casefold().removesuffix(".gz")
    found = FORMATS.get(Path(name).suffix)
    if found is None:
        raise InputError(
            f"{path}: records are read from {in_words(sorted(FORMATS))}, plain or gzipped (.gz)."
        )
    return found


def read_records(file: IO[bytes], name: str, format: Format) -> Generator[Record]:
    """Every record of an open file, one at a time; ``name`` is what messages call the file."""
    with _wide_cells(), _opened(file) as text:
        try:
            yield from (_from_lines if format == "jsonl" else _from_cells)(text, name, format)
        except UnicodeDecodeError as error:
            raise InputError(f"{name}: a byte is not UTF-8 ({error.reason}).") from None
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"{name}: the gzipped file is broken ({error}).") from None


@contextmanager
def _opened(file: IO[bytes]) -> Iterator[IO[str]]:
    """The file as text; gzip is known by its first two bytes, as it may come through a pipe."""
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast(Any, file))
    content: Any = buffered
    if buffered.peek(2)[:2] == GZIP:
        content = gzip.GzipFile(fileobj=buffered)
    text = io.TextIOWrapper(content, encoding="utf-8-sig", newline="")
    try:
        yield text
    finally:
        text.detach()


@contextmanager
def _wide_cells() -> Iterator[None]:
    """Let a cell of a CSV file hold a long text."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _from_lines(text: IO[str], name: str, _format: Format) -> Iterator[Record]:
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        try:
            values = decoder.decode(line)
            refuse_half_characters(line, values)
        except (ValueError, RecursionError) as error:
            what = getattr(error, "msg", str(error))
            raise InputError(f"{name}:{number}: the line is no JSON ({what}).") from None
        if not isinstance(values, dict):
            raise InputError(f"{name}:{number}: the line is no JSON object.")
        yield Record(name, number, values)


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def _from_cells(text: IO[str], name: str, format: Format) -> Iterator[Record]:
    first = text.readline()
    delimiter = "\t" if format == "tsv" else ","
    if format == "csv" and ";" in first and "," not in first:
        delimiter = ";"
    reader = csv.reader(chain([first], text), delimiter=delimiter, strict=True)
    try:
        header = next(reader, [])
        if len(set(header)) < len(header):
            raise InputError(f"{name}:1: two columns have one name.")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise InputError(
                    f"{name}:{reader.line_num}: {counted(len(cells), 'cell')} under "
                    f"{counted(len(header), 'column')}; put text that contains the separator in "
                    "quotes."
                )
            yield Record(name, reader.line_num, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}: the quotes do not fit ({error}).") from None
