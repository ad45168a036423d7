"""Estimates as dots with their intervals as lines, as plain SVG."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from jurybox.report.charts.svg import (
    NAMES,
    NARROW,
    as_svg,
    element,
    mark,
    marker,
    painted,
    plain,
    shorten,
    text_width,
    ticks,
)
from jurybox.report.charts.values import DotChart, DotRow
from jurybox.results import format_number, format_percent

__all__ = ["GAP", "draw_dots"]

GAP = 24
"""Between names and the axis, in px."""
MANY, VERY_MANY = 8, 12
"""Rows above which they stand closer, and closer still."""
LINE = 18
"""From one line of words to the next, in px."""
APART = 10
"""Between the rows of two groups, such as categories, in px."""


def _span(chart: DotChart) -> tuple[float, float]:
    finite = [
        value
        for row in chart.rows
        for value in (row.estimate, row.low, row.high)
        if value is not None and math.isfinite(value)
    ]
    if chart.reference is not None:
        finite.append(chart.reference)
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    pad = 0.06 * (high - low)
    low, high = low - pad, high + pad
    return (max(low, -0.02), min(high, 1.02)) if chart.as_percent and low > -0.07 else (low, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """Where the plot lies within the drawing."""

    width: int
    left: float
    right: float
    row: float
    narrow: bool
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Between the ends of the axis."""
        return (self.left + self.right) / 2

    def x(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)


def _frame(chart: DotChart, width: int) -> _Frame:
    low, high = _span(chart)
    narrow = width < NARROW
    if narrow:
        fits = all(text_width(f"{row.label}{row.value}") + 24 <= width for row in chart.rows)
        return _Frame(
            width=width, left=10, right=width - 10, row=54 if fits else 54 + LINE, narrow=True,
            low=low, high=high,
        )  # fmt: skip
    names = max((text_width(row.label) for row in chart.rows), default=0)
    numbers = max((text_width(row.value) for row in chart.rows), default=0)
    return _Frame(
        width=width,
        left=min(names + GAP, NAMES * width),
        right=width - min(numbers + 20, 0.34 * width),
        row=34 if len(chart.rows) <= MANY else 27 if len(chart.rows) <= VERY_MANY else 22,
        narrow=False,
        low=low,
        high=high,
    )


def _line(frame: _Frame, row: DotRow, y: float) -> list[str]:
    """The interval, its ends, and an arrow where a bound is infinite."""
    if row.low is None or row.high is None:
        return []
    name, paint = painted(row.color)
    x1, x2 = frame.x(row.low), frame.x(row.high)
    parts = [
        element(
            "line", x1=x1, x2=x2, y1=y, y2=y, class_=name, stroke=paint,
            stroke_width=3, stroke_linecap="round",
        )
    ]  # fmt: skip
    for bound, x, way in ((row.low, x1, 1), (row.high, x2, -1)):
        if math.isinf(bound):
            points = f"M{plain(x + 7 * way)} {plain(y - 6)}L{plain(x)} {plain(y)}"
            points += f"L{plain(x + 7 * way)} {plain(y + 6)}"
            parts.append(
                element(
                    "path", d=points, class_=name, stroke=paint, stroke_width=3, fill="none"
                )
            )  # fmt: skip
    return parts


def _row(frame: _Frame, row: DotRow, top: float) -> list[str]:
    if frame.narrow:
        words, y = top + 18, top + frame.row - 18
        label, value = shorten(row.label, frame.width), shorten(row.value, frame.width)
    else:
        words, y = top + frame.row / 2 + 5, top + frame.row / 2
        label, value = shorten(row.label, frame.left - 16), row.value
    # Where names are long, numbers stand below them.
    numbers = y - 18 if frame.narrow else words
    parts = [
        element("text", label, x=0.0, y=words, text_anchor="start"),
        element("text", value, x=float(frame.width), y=numbers, text_anchor="end", class_="m"),
        *_line(frame, row, y),
    ]
    if row.estimate is not None:
        parts.append(marker(frame.x(row.estimate), y, row.color))
    return parts


def _axis(chart: DotChart, frame: _Frame, bottom: float) -> list[str]:
    shown: Callable[[float, int], str] = format_percent if chart.as_percent else format_number
    places, digits = ticks(frame.low, frame.high, 3 if frame.narrow else 5)
    digits = max(digits - 2, 0) if chart.as_percent else digits
    parts = []
    for place in places:
        x = frame.x(place)
        parts.append(
            element(
                "line", x1=x, x2=x, y1=4, y2=bottom, stroke="currentColor",
                stroke_opacity=0.12 if place != chart.reference else 0,
            )
        )  # fmt: skip
        words = shown(place, digits)
        # A number below the very edge of the drawing is moved inwards, so that all of it is seen.
        half = text_width(words) / 2 + 3
        x = min(max(x, half), frame.width - half)
        parts.append(element("text", words, x=x, y=bottom + 18, text_anchor="middle", class_="m t"))
    if chart.reference is not None:
        x = frame.x(chart.reference)
        parts.append(
            element(
                "line", x1=x, x2=x, y1=4, y2=bottom, stroke="currentColor", stroke_opacity=0.5,
                stroke_dasharray="3 4",
            )
        )  # fmt: skip
    for at, line in enumerate(_lines(chart, frame)):
        y = bottom + 40 + LINE * at
        parts.append(element("text", line, x=frame.middle, y=y, text_anchor="middle", class_="m"))
    return parts


def _lines(chart: DotChart, frame: _Frame) -> list[str]:
    """What is measured, and below it the remark in parentheses if both are too wide together."""
    room = 2 * min(frame.middle, frame.width - frame.middle)
    measured, found, remark = chart.axis.partition(" (")
    apart = found and text_width(chart.axis) > room
    return [shorten(line, room) for line in ([measured, f"({remark}"] if apart else [chart.axis])]


def draw_dots(chart: DotChart, *, width: int) -> str:
    """Estimates as dots and intervals as lines, with names and numbers in words beside them."""
    frame = _frame(chart, width)
    tops = list(accumulate((frame.row + APART * row.apart for row in chart.rows), initial=6.0))
    bottom = tops[-1] + 2
    body = _axis(chart, frame, bottom)
    for index, row in enumerate(chart.rows):
        top = tops[index + 1] - frame.row
        parts = _row(frame, row, top)
        area = element(
            "rect", x=0.0, y=top, width=float(width), height=frame.row,
            fill="none", pointer_events="all",
        )  # fmt: skip
        body.append(mark([area, *parts], f"{row.label}: {row.value}", index))
    below = 32 + LINE * len(_lines(chart, frame))
    return as_svg(body, width=width, height=int(bottom + below), spoken=chart.spoken)
