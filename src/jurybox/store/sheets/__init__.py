"""Sheets: trials out to people who rate in a spreadsheet, and their answers back.

A sheet is one rater's booklet, blinded like the rater page: outputs are A, B, C in the slot's
order, rows and media have opaque names. Reading a sheet goes the way of every response: turned back
by place, stored under an id that makes reading it twice harmless.
"""

from __future__ import annotations

from jurybox.store.sheets.back import ReadSheet, read_sheet, store_sheet
from jurybox.store.sheets.out import (
    Edition,
    SheetFormat,
    SheetOptions,
    WrittenSheet,
    write_sheets,
)

__all__ = [
    "Edition",
    "ReadSheet",
    "SheetFormat",
    "SheetOptions",
    "WrittenSheet",
    "read_sheet",
    "store_sheet",
    "write_sheets",
]
