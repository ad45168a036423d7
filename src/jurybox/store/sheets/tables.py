"""A filled-in sheet as rows of cells, whichever program saved it."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path, PurePosixPath
from typing import Any

from jurybox.errors import InputError
from jurybox.store.sheets.files import need_openpyxl

__all__ = ["Formula", "SheetRow", "SheetTable", "read_table"]


class Formula(str):
    """The text of a formula whose value the file does not hold."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """A row with its number as the spreadsheet shows it, and its cells by column."""

    number: int
    cells: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetTable:
    """A sheet: its columns and those of its rows in which anything stands."""

    columns: tuple[str, ...]
    rows: tuple[SheetRow, ...]


def read_table(path: Path) -> SheetTable:
    """Read an XLSX or CSV sheet, alone or in its zip."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from None
    suffix = path.suffix.lower()
    if suffix == ".zip":
        suffix, content = _unzip(path, content)
    if suffix == ".xlsx":
        lines = _read_xlsx(path, content)
    elif suffix in {".csv", ".tsv", ".txt"}:
        lines = _read_csv(path, content)
    else:
        raise InputError(f"{path}: is neither .xlsx nor .csv nor a .zip with one of them.")
    columns = tuple(str(cell or "").split("\n")[0].strip() for cell in lines[0]) if lines else ()
    if "id" not in columns:
        raise InputError(
            f"{path}: the first row has no column 'id', so this is not a sheet of jurybox, or its "
            "headings were changed."
        )
    rows = [
        SheetRow(number=number, cells=dict(zip(columns, line, strict=False)))
        for number, line in enumerate(lines[1:], start=2)
        if any(cell not in (None, "") for cell in line)
    ]
    return SheetTable(columns=columns, rows=tuple(rows))


def _unzip(path: Path, content: bytes) -> tuple[str, bytes]:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            names = [
                name
                for name in archive.namelist()
                if PurePosixPath(name).suffix.lower() in {".xlsx", ".csv"}
                and not PurePosixPath(name).name.startswith((".", "~"))
            ]
            if len(names) != 1:
                raise InputError(f"{path}: holds {len(names)} sheets instead of one.")
            return PurePosixPath(names[0]).suffix.lower(), archive.read(names[0])
    except zipfile.BadZipFile:
        raise InputError(f"{path}: is not a zip file.") from None


def _read_xlsx(path: Path, content: bytes) -> list[Sequence[Any]]:
    openpyxl = need_openpyxl(instead="save the sheet as CSV")
    try:
        computed, written = (
            _trials(openpyxl.load_workbook(BytesIO(content), data_only=values_only))
            for values_only in (True, False)
        )
    except (zipfile.BadZipFile, KeyError, OSError, ValueError):
        raise InputError(f"{path}: is not a workbook that can be read; save it as .xlsx.") from None
    return [
        [_cell(*cells) for cells in zip(*rows, strict=True)]
        for rows in zip(computed, written, strict=True)
    ]


def _trials(workbook: Any) -> list[Sequence[Any]]:
    sheet = workbook["Trials"] if "Trials" in workbook.sheetnames else workbook.worksheets[0]
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def _cell(computed: Any, written: Any) -> Any:
    """The value of a cell; a formula that no program has computed stays a formula."""
    if computed is not None or written is None:
        return computed
    return Formula(getattr(written, "text", written))


def _read_csv(path: Path, content: bytes) -> list[Sequence[Any]]:
    text = _decode(content)
    # Spreadsheets of countries that write 0,5 part the columns with semicolons.
    for delimiter in (",", ";", "\t"):
        try:
            lines = list(csv.reader(StringIO(text, newline=""), delimiter=delimiter))
        except csv.Error as error:
            raise InputError(f"{path}: is not a CSV file ({error}).") from None
        if lines and "id" in [cell.strip() for cell in lines[0]]:
            return list(lines)
    return []


def _decode(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # What older spreadsheets call CSV: the answers are plain ASCII in it, notes nearly so.
        return content.decode("cp1252", "replace")
