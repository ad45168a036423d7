"""From what the rater saw to what is stored: answers by place become answers by system.

The browser, a sheet or a judge knows outputs only by the place they were shown at. ``turn_back``
checks such answers against the study and gives the rows that every response shape is made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jurybox.study.model import SystemId

__all__ = ["Answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One row to be: a rater's answer to one criterion, of one output where it is asked per output.

    Which of the value fields are set depends on the protocol: ``score`` (rate, per-side criteria),
    ``winner`` with ``strength`` and ``first`` (compare), ``rank`` (rank), ``answer`` (detect), and
    for mark either one span or none of ``start .. severity``, which says the output is free of errors.
    ``confidence`` and ``reason_given`` accompany any of them.
    """

    criterion: str
    system: SystemId | None = None
    score: float | None = None
    winner: Literal["a", "b", "tie", "both_bad"] | None = None
    first: Literal["a", "b"] | None = None
    strength: float | None = None
    rank: float | None = None
    answer: Literal["real", "generated"] | None = None
    confidence: float | None = None
    reason_given: str | None = None
    """The rater's own words for this criterion; stored in ``comment``."""
    field: str | None = None
    start: int | None = None
    end: int | None = None
    category: str | None = None
    severity: str | None = None
