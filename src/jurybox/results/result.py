"""A statistic with its interval, and how it prints itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, TypeVar

from jurybox.drawing import draw_intervals
from jurybox.errors import InputError
from jurybox.formats import (
    digits_alone,
    digits_apart,
    digits_together,
    digits_within,
    format_confidence,
    format_count,
    format_number,
    format_percent,
    show_text,
)
from jurybox.results.interval import Interval, format_interval
from jurybox.results.plain import Plain

__all__ = ["Result", "draw", "printed_alike"]

Kind = TypeVar("Kind", bound="Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Plain):
    """A statistic with its interval, its counts and the settings that made it.

    Subclasses add what is peculiar to the statistic and set ``label`` (what the number is called)
    and ``as_percent`` (how it is printed).
    """

    label: ClassVar[str] = "estimate"
    as_percent: ClassVar[bool] = False
    neutral: ClassVar[float | None] = None
    """The value that means "no difference", drawn as a dashed line."""
    has_interval: ClassVar[bool] = True
    """Whether such a number can have one: that of a test has none, and lacks none."""

    estimate: float | None
    interval: Interval | None = None
    these_raters: Interval | None = None
    """The narrower claim, given beside ``interval`` for two to four raters."""
    p: float | None = None
    n_items: int | None = None
    n_raters: int | None = None
    n_responses: int | None = None
    n_dropped: int = 0
    undefined: str | None = None
    notes: tuple[str, ...] = ()
    """Sentences a reader of the number must know."""
    places: int | None = field(default=None, compare=False, repr=False)
    """The digits of a number that stands in a table with others; see ``printed_alike``."""

    def __post_init__(self) -> None:
        if (self.estimate is None) and self.undefined is None:
            raise InputError(f"{type(self).__name__}: a missing estimate needs its reason")
        if self.estimate is not None and math.isnan(self.estimate):
            raise InputError(
                f"{type(self).__name__}: NaN is not an estimate; say why it is undefined"
            )

    @property
    def name(self) -> str:
        """What this result is about, as a row of a table is headed."""
        return self.label

    def format(self, value: float | None) -> str:
        """One of this result's numbers as it is printed everywhere."""
        return format_percent(value) if self.as_percent else format_number(value, self.digits)

    @property
    def claimed(self) -> Interval | None:
        """The interval that sentences and tables show: in a family, the one that holds for all."""
        joint: Interval | None = getattr(self, "simultaneous", None)
        return joint or self.interval

    @property
    def claimed_p(self) -> float | None:
        """The p that a claim rests on: in a family, the one adjusted for it."""
        adjusted: float | None = getattr(self, "p_adjusted", None)
        return self.p if adjusted is None else adjusted

    @property
    def is_beyond_chance(self) -> bool:
        """Whether that p is small, for the confidence that the interval has.

        >>> wide = Interval(low=0.001, high=0.4, confidence=0.99, method="t")
        >>> Result(estimate=0.2, interval=wide, p=0.03).is_beyond_chance
        False
        """
        if self.claimed_p is None:
            return False
        level = 0.95 if self.claimed is None else self.claimed.confidence
        return self.claimed_p < 1 - level

    @property
    def digits(self) -> int:
        """How many digits its numbers are printed with, by the interval's width or their size."""
        if self.as_percent:
            return 3
        if self.places is not None:
            return self.places
        shown = self.claimed or self.these_raters
        if shown is not None:
            return digits_within(shown.low, shown.high)
        return digits_alone([] if self.estimate is None else [self.estimate])

    def ends(self, interval: Interval | None) -> str:
        """The bounds of one of its intervals, with as many digits as the estimate.

        A much narrower interval has more of them, so that its ends do not look like one number.
        """
        digits = self.digits
        if interval is not None:
            scale, less = (100, 2) if self.as_percent else (1, 0)
            low, high = scale * interval.low, scale * interval.high
            digits = less + digits_apart(low, high, digits - less)
        return format_interval(interval, percent=self.as_percent, digits=digits)

    def as_kind(self, kind: type[Kind], **more: Any) -> Kind:
        """The same numbers as a result of another kind; ``more``: what that kind has besides."""
        own = {
            each.name: getattr(self, each.name)
            for each in fields(kind)
            if each.name not in more and hasattr(self, each.name)
        }
        return kind(**own, **more)

    def short(self) -> str:
        """The estimate with its interval, or why there is none: `0.42 (0.31 to 0.53)`."""
        if self.estimate is None:
            return f"undefined: {self.undefined}"
        shown = self.interval or self.these_raters
        if shown is None:
            return f"{self.format(self.estimate)} (no interval: {self.undefined})"
        return f"{self.format(self.estimate)} ({self.ends(shown)})"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.short()}"]
        if self.interval is not None:
            percent = format_confidence(self.interval.confidence)
            lines.append(f"  {percent} interval: {self.interval.method}")
            lines.append(f"  holds for {self.interval.generalizes_to}")
        if self.these_raters is not None and self.these_raters != self.interval:
            bounds = self.ends(self.these_raters)
            lines.append(f"  for these raters: {bounds}, for {self.these_raters.generalizes_to}")
        counts = [
            format_count(count, noun)
            for noun, count in (
                ("response", self.n_responses),
                ("rater", self.n_raters),
                ("item", self.n_items),
            )
            if count is not None
        ]
        if self.n_dropped:
            counts.append(f"{self.n_dropped:,} left out")
        if counts:
            lines.append("  " + ", ".join(counts))
        lines += [f"  note: {note}" for note in self.notes]
        return show_text("\n".join(lines))

    def to_markdown(self) -> str:
        """The result as a Markdown list item."""
        first, *rest = str(self).splitlines()
        return "\n".join([f"- **{first}**", *rest])

    def _repr_html_(self) -> str:
        from html import escape

        first, *rest = str(self).splitlines()
        return f"<p><b>{escape(first)}</b><br>{'<br>'.join(escape(line) for line in rest)}</p>"

    def chart(self) -> Any:
        """The estimate with its interval as an Altair chart."""
        return draw((self,), self.label)


Row = TypeVar("Row", bound=Result)


def printed_alike(rows: Sequence[Row]) -> list[Row]:
    """The same, with the digits that a table of them has: those that most of them deserve.

    A sentence about one of them then prints the numbers that stand in the table.
    """
    known = (row.claimed for row in rows)
    digits = digits_together((shown.low, shown.high) for shown in known if shown is not None)
    if digits is None:
        digits = digits_alone([row.estimate for row in rows if row.estimate is not None])
    return [replace(row, places=digits) for row in rows]


def draw(rows: Sequence[Result], label: str) -> Any:
    """Every result as a point with its interval, as an Altair chart."""
    points = [
        {
            "name": row.name,
            "estimate": row.estimate,
            "low": None if row.interval is None else row.interval.low,
            "high": None if row.interval is None else row.interval.high,
        }
        for row in rows
        if row.estimate is not None
    ]
    return draw_intervals(
        points,
        label,
        percent=bool(rows) and rows[0].as_percent,
        neutral=rows[0].neutral if rows else None,
    )
