"""Cells that a spreadsheet takes for what they are."""

from __future__ import annotations

from typing import Any

__all__ = ["safe_cell"]

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet runs as a formula: a text that begins like one gets an apostrophe.

    >>> [safe_cell(cell) for cell in ("=1+1", "Ada", -3, None, "@cmd")]
    ["'=1+1", 'Ada', -3, '', "'@cmd"]
    """
    if value is None:
        return ""
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA):
        return f"'{value}"
    return value
