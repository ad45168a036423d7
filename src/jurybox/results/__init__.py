"""Results: a statistic with its interval, how it prints itself, and how it is written.

A result is frozen and holds scalars, strings and tuples only, so that ``==``, hashing, pickling and
strict JSON work. Where there is no number, ``estimate`` is ``None`` and ``undefined`` says why.
"""

from __future__ import annotations

from jurybox.formats import (
    format_count,
    format_number,
    format_p,
    format_percent,
    format_seconds,
    show_text,
)
from jurybox.results.interval import Interval, format_interval
from jurybox.results.plain import SCHEMA_VERSION, to_plain
from jurybox.results.result import Result, printed_alike
from jurybox.results.table import ResultTable, claims_of, listed

__all__ = [
    "SCHEMA_VERSION",
    "Interval",
    "Result",
    "ResultTable",
    "claims_of",
    "format_count",
    "format_interval",
    "format_number",
    "format_p",
    "format_percent",
    "format_seconds",
    "listed",
    "printed_alike",
    "show_text",
    "to_plain",
]
