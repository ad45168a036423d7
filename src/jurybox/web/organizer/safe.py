"""Cells that a spreadsheet takes for what they are."""

from __future__ import annotations

from typing import Any

__all__ = ["BOM", "safe_cell"]

BOM = "\ufeff"
"""Before a table that is made for spreadsheets, which read letters beyond ASCII wrongly without."""

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What spreadsheets take for the beginning of a formula, in full width too."""


def safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet runs as a formula: a text that begins like one gets an apostrophe.

    >>> [safe_cell(cell) for cell in ("=1+1", "Ada", -3, None, "@cmd")]
    ["'=1+1", 'Ada', -3, '', "'@cmd"]
    """
    if value is None:
        return ""
    is_formula = isinstance(value, str) and (value[:1] in FORMULA or value.lstrip()[:1] in FORMULA)
    return f"'{value}" if is_formula else value
