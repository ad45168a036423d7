"""A layout as a file: an XLSX workbook with drop-downs and locked ids, or plain CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.errors import InputError
from jurybox.formats import is_formula, text_cell
from jurybox.store.sheets.guide import guide_lines
from jurybox.store.sheets.layout import Allowed, Asked, Cell, Layout
from jurybox.study.scales import format_value

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["Named", "describe", "need_openpyxl", "write_csv", "write_xlsx"]

Named = Mapping[Path, str]
"""Media file to its opaque name in the zip."""

THUMBNAIL = (200, 150)
LONGEST_CELL = 32_767
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
PICTURES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".avif", ".gif"})


def need_openpyxl(*, instead: str = "use --format csv") -> Any:
    """The library for workbooks, or the sentence that says how to get it, or do without."""
    try:
        import openpyxl
    except ImportError:
        raise InputError(
            "XLSX sheets need the package openpyxl; install it with "
            f"'pip install \"jurybox[sheets]\"', or {instead}."
        ) from None
    return openpyxl


def write_csv(layout: Layout, named: Named) -> bytes:
    """The sheet as CSV, in UTF-8 with the mark that spreadsheets look for."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(["id", *layout.shown, *(column.name for column in layout.asked), "notes"])
    for row in layout.rows:
        shown = [text_cell(_text(row.cells.get(name, ""), named)) for name in layout.shown]
        writer.writerow([row.id, *shown, *("" for _ in layout.asked), ""])
    return text.getvalue().encode("utf-8-sig")


def _text(cell: Cell, named: Named) -> str:
    return cell if isinstance(cell, str) else "\n".join(named[path] for path in cell)


def write_xlsx(study: Study, layout: Layout, named: Named) -> bytes:
    """The sheet as a workbook: the trials, a guide, and a hidden sheet with the allowed values."""
    workbook = need_openpyxl().Workbook()
    workbook.properties.creator = "jurybox"
    trials = workbook.active
    trials.title = "Trials"
    _write_guide(workbook.create_sheet("Guide"), study)
    values = workbook.create_sheet("Values")
    values.sheet_state = "hidden"
    _write_headings(trials, layout)
    _write_rows(trials, layout, named)
    for number, column in enumerate(layout.asked):
        _limit(trials, values, layout, number, column)
    trials.freeze_panes = "B2"
    for sheet in (trials, values):
        sheet.protection.sheet = True
    trials.protection.formatColumns = trials.protection.formatRows = False
    content = BytesIO()
    workbook.save(content)
    return content.getvalue()


def _write_guide(sheet: Any, study: Study) -> None:
    from openpyxl.styles import Alignment, Font

    for row, line in enumerate(guide_lines(study), start=1):
        for column, text in enumerate(line, start=1):
            cell = _put(sheet, row, column, text)
            cell.alignment = Alignment(wrap_text=True, vertical="top")
        if row == 1:
            sheet.cell(1, 1).font = Font(bold=True, size=14)
    sheet.column_dimensions["A"].width = 40
    sheet.column_dimensions["B"].width = 90


def _write_headings(sheet: Any, layout: Layout) -> None:
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    asked = [f"{column.name}\n{column.question}" for column in layout.asked]
    for number, text in enumerate(["id", *layout.shown, *asked, "notes"], start=1):
        cell = _put(sheet, 1, number, text)
        cell.font = Font(bold=True)
        cell.alignment = Alignment(wrap_text=True, vertical="top")
        is_shown = 1 < number <= 1 + len(layout.shown)
        wide = 40 if is_shown or number == 2 + len(layout.shown) + len(asked) else 20
        sheet.column_dimensions[get_column_letter(number)].width = 14 if number == 1 else wide


def _write_rows(sheet: Any, layout: Layout, named: Named) -> None:
    from openpyxl.styles import Alignment, Protection

    thumbnails: dict[Path, bytes] = {}
    last = 2 + len(layout.shown) + len(layout.asked)
    for number, row in enumerate(layout.rows, start=2):
        _put(sheet, number, 1, row.id)
        for column, name in enumerate(layout.shown, start=2):
            cell = row.cells.get(name, "")
            written = _put(sheet, number, column, _text(cell, named))
            written.alignment = Alignment(wrap_text=True, vertical="top")
            if isinstance(cell, tuple) and cell and cell[0].suffix.lower() in PICTURES:
                _add_thumbnail(sheet, number, column, cell[0], thumbnails)
                written.alignment = Alignment(vertical="bottom")
        for column in range(2 + len(layout.shown), last + 1):
            sheet.cell(number, column).protection = Protection(locked=False)
            sheet.cell(number, column).alignment = Alignment(wrap_text=True, vertical="top")


def _put(sheet: Any, row: int, column: int, text: str) -> Any:
    """Write a text as a text, whatever it begins with."""
    if len(text) > LONGEST_CELL:
        raise InputError(
            f"A text of {len(text):,} characters is too long for a cell, which holds "
            f"{LONGEST_CELL:,}; use --format csv or the browser for this study."
        )
    cell = sheet.cell(row, column)
    cell.value = ILLEGAL.sub("\ufffd", text)
    if is_formula(text):
        cell.data_type = "s"
        cell.quotePrefix = True
    return cell


def _add_thumbnail(sheet: Any, row: int, column: int, path: Path, made: dict[Path, bytes]) -> None:
    from openpyxl.drawing.image import Image
    from openpyxl.utils import get_column_letter

    if path not in made:
        made[path] = _thumbnail(path)
    picture = Image(BytesIO(made[path]))
    sheet.add_image(picture, f"{get_column_letter(column)}{row}")
    sheet.row_dimensions[row].height = 0.75 * THUMBNAIL[1] + 20


def _thumbnail(path: Path) -> bytes:
    """A small PNG of the picture's pixels and nothing else."""
    from PIL import Image, ImageOps

    with Image.open(path) as source:
        upright = ImageOps.exif_transpose(source).convert("RGBA")
    upright.thumbnail(THUMBNAIL)
    bare = Image.new("RGBA", upright.size)
    bare.paste(upright)
    content = BytesIO()
    bare.save(content, "PNG")
    return content.getvalue()


def _limit(sheet: Any, values: Any, layout: Layout, number: int, column: Asked) -> None:
    """Give a column its drop-down, whose values stand in the hidden sheet."""
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    if column.allowed is None or not layout.rows:
        return
    if column.allowed:
        place = get_column_letter(number + 1)
        for row, value in enumerate(column.allowed, start=1):
            values.cell(row, number + 1).value = _plain(value)
        rule = DataValidation(
            type="list", formula1=f"Values!${place}$1:${place}${len(column.allowed)}"
        )
        rule.error = f"Allowed: {describe(column.allowed)}"[:250]
    else:
        scale = column.scale
        low, high = (scale.low, scale.high) if scale is not None else (0, 0)
        rule = DataValidation(type="decimal", operator="between", formula1=low, formula2=high)
    rule.allow_blank = True
    rule.showErrorMessage = True
    place = get_column_letter(2 + len(layout.shown) + number)
    rule.add(f"{place}2:{place}{len(layout.rows) + 1}")
    sheet.add_data_validation(rule)


def _plain(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def describe(allowed: Allowed) -> str:
    """The allowed values in words.

    >>> describe((0.0, 0.5, 2.0)), describe(("A", "B", "tie"))
    ('0, 0.5, 2', 'A, B, tie')
    """
    words = [value if isinstance(value, str) else format_value(value) for value in allowed]
    if len(words) > 12 and not isinstance(allowed[0], str):
        return f"{words[0]} to {words[-1]}"
    return ", ".join(words)
