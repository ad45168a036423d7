"""An answer as it was shown, by place, and as it is stored, by system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
)

from jurybox.errors import RaterError
from jurybox.study.model import SystemId

__all__ = ["Answer", "ShownAnswer", "ShownSpan", "parse_shown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One row to be: a rater's answer to one criterion, of one output where it is asked per output.

    Which of the value fields are set depends on the protocol: ``score`` (rate, per-side criteria),
    ``winner`` with ``strength`` and ``first`` (compare), ``rank`` (rank), ``answer`` (detect), and
    for mark either one span or none of ``start .. severity``, which says the output is free of
    errors. ``confidence`` and ``reason_given`` accompany any of them.
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


class _Sent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class ShownSpan(_Sent):
    """A marked stretch of text: code points from ``start`` up to, not including, ``end``."""

    start: StrictInt
    end: StrictInt
    category: StrictStr
    severity: StrictStr


class ShownAnswer(_Sent):
    """An answer to one criterion as browser, sheet or judge sends it; places count from 0.

    Which value is needed depends on the criterion: ``score`` (with ``place`` where it is asked per
    output; in a graded comparison negative means that the first output shown is better), ``choice``
    (first, second, tie, both_bad), ``ranks`` (of the output at each place), ``answer`` (real,
    generated) or ``spans``.
    """

    criterion: StrictStr
    place: StrictInt | None = None
    score: Number | None = None
    choice: StrictStr | None = None
    ranks: tuple[Number, ...] | None = None
    answer: StrictStr | None = None
    spans: tuple[ShownSpan, ...] | None = None
    confidence: Number | None = None
    reason: StrictStr | None = None


def parse_shown(data: Any) -> tuple[ShownAnswer, ...]:
    """Read answers from parsed JSON; all that is malformed is named in one ``RaterError``."""
    try:
        return TypeAdapter(tuple[ShownAnswer, ...]).validate_python(data)
    except ValidationError as error:
        # Only place and rule: what was sent may be long, and is the sender's own.
        found = "; ".join(
            f"answers{''.join(f'[{p}]' if isinstance(p, int) else f'.{p}' for p in e['loc'])}: "
            f"{e['msg'][0].lower()}{e['msg'][1:]}"
            for e in error.errors(include_url=False, include_context=False, include_input=False)
        )
        raise RaterError(f"The answers cannot be read: {found}.") from None
