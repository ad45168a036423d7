"""Cells that a spreadsheet takes for what they are."""

from __future__ import annotations

from typing import Any

from jurybox.formats import text_cell

__all__ = ["BOM", "safe_cell"]

BOM = "\ufeff"
"""Before a table that is made for spreadsheets, which read letters beyond ASCII wrongly without."""


def safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet runs as a formula: a text that begins like one gets an apostrophe.

    >>> [safe_cell(cell) for cell in ("=1+1", "Ada", -3, None, "@cmd")]
    ["'=1+1", 'Ada', -3, '', "'@cmd"]
    """
    if value is None:
        return ""
    return text_cell(value) if isinstance(value, str) else value
