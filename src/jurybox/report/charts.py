"""Charts as plain SVG: dots with intervals; ``bars`` and ``scatter`` draw the others.

Each chart is drawn for a given width, so that the page can hold a wide and a narrow drawing and no
text shrinks. Colors stand as attributes, which a style sheet may override; every system keeps its
color and its marker in all charts, and no chart speaks by color alone: rows carry their names and
their numbers.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Literal

from jurybox.report.panels import Scatter
from jurybox.results import format_number, format_percent

__all__ = [
    "Chart",
    "Distribution",
    "DotChart",
    "DotRow",
    "as_svg",
    "draw_dots",
    "element",
    "mark",
    "marker",
    "shorten",
    "text_width",
]

# Okabe and Ito's palette, without the yellow that vanishes on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#5C574F")
MARKERS = ("circle", "square", "diamond", "triangle")
CHARACTER = 7.6  # the mean width of a character at 14 px, in px
NARROW = 520
NAMES = 0.45
"""The part of a wide drawing that names may take."""
MANY, VERY_MANY = 8, 12
"""Rows above which they stand closer, and closer still."""
APART = 10
"""Between the rows of two groups, such as categories, in px."""
MOST_TICKS = 8
FONT = "system-ui, sans-serif"

Shape = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DotRow:
    """One line of a dot chart. ``color`` is the system's place in the analysis, or ``None``."""

    label: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    value: str = ""
    """The numbers as they are printed beside the line."""
    color: int | None = None
    apart: bool = False
    """Whether it begins another group, such as a category, and keeps away from the row above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DotChart:
    """Estimates with intervals on one axis."""

    title: str
    axis: str
    rows: tuple[DotRow, ...]
    as_percent: bool = False
    reference: float | None = None
    """Where a dashed line stands: no difference, or an even chance."""

    @property
    def spoken(self) -> str:
        """The chart in words, for those who do not see it."""
        return f"{self.title}. " + "; ".join(f"{row.label}: {row.value}" for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """For each system, how its responses spread over the values of a scale."""

    title: str
    values: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]

    @property
    def spoken(self) -> str:
        """The chart in words, for those who do not see it."""
        lines = (
            f"{label}: "
            + ", ".join(
                f"{value} {format_percent(share, 0)}"
                for value, share in zip(self.values, shares, strict=True)
            )
            for label, shares in self.rows
        )
        return f"{self.title}. " + "; ".join(lines)


Chart = DotChart | Distribution | Scatter


def text_width(text: str) -> float:
    """Estimate how wide a text is at 14 px; ideographs are twice as wide as letters."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return CHARACTER * (len(text) + wide * 0.8)


PAIRED = (" against ", " − ")
"""What stands between the two names of a pair."""
_FEWEST = 7
"""Characters that are left of a word before the end of the whole text is cut."""


def shorten(text: str, room: float) -> str:
    """Cut a text that is wider than the room, with an ellipsis.

    Both names of a pair stay to be seen. The longest words are cut first, and in their middle, so
    that the end stays by which versions of a model differ.

    >>> shorten("baseline-large", 60), shorten("new", 60)
    ('bas…rge', 'new')
    >>> shorten("diffusion_v2_1 − diffusion_v1_5", 150)
    'dif…v2_1 − dif…v1_5'
    >>> shorten("a name of a great many words against another", 180)
    'a name… against another'
    """
    for sign in PAIRED:
        one, found, two = text.partition(sign)
        if found and text_width(text) > room:
            rest = room - text_width(sign)
            first = max(rest / 2, rest - text_width(two))
            cut = shorten(one, first)
            return cut + sign + shorten(two, rest - text_width(cut))
    words = text.split(" ")
    while text_width(" ".join(words)) > room:
        longest = max(range(len(words)), key=lambda k: len(words[k]))
        if len(words[longest]) <= _FEWEST:
            break
        words[longest] = _narrower(words[longest])
    text = " ".join(words)
    if text_width(text) <= room:
        return text
    while text and text_width(text + "…") > room:
        text = text[:-1]
    return text + "…"


def _narrower(word: str) -> str:
    """A letter less, from before the middle or from behind it."""
    before, _, behind = word.partition("…")
    if not behind:
        half = (len(word) - 2) // 2
        return f"{word[:half]}…{word[half + 2 :]}"
    if len(before) >= len(behind):
        return f"{before[:-1]}…{behind}"
    return f"{before}…{behind[1:]}"


def ticks(low: float, high: float, wanted: int) -> tuple[list[float], int]:
    """Round positions that span an axis, and the digits that tell them apart.

    >>> ticks(0.13, 0.92, 5)
    ([0.2, 0.4, 0.6, 0.8], 1)
    """
    raw = (high - low) / max(wanted, 1)
    power = math.floor(math.log10(raw))
    factor = next(f for f in (1, 2, 2.5, 5, 10) if f * 10**power >= raw * 0.999)
    step = factor * 10**power
    digits = max(0, -power + (1 if factor == 2.5 else 0) - (1 if factor == 10 else 0))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if last <= first and wanted < MOST_TICKS:
        # One number alone gives no scale.
        return ticks(low, high, wanted + 1)
    return [round(k * step, 10) for k in range(first, last + 1)], digits


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


def element(name: str, text: str = "", **attributes: object) -> str:
    """A part of a drawing; what is ``None`` is left out."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{pairs}>{escape(text)}</{name}>" if text else f"<{name}{pairs}/>"


def _plain(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def _paint(color: int | None) -> tuple[str, str]:
    """The class and the color of a system; the ink of the page where there is none."""
    if color is None:
        return "ink", "currentColor"
    place = color % len(COLORS)
    return f"s{place}", COLORS[place]


def marker(x: float, y: float, color: int | None, *, small: bool = False) -> str:
    """A system's mark: the color says which of seven, the shape which seven."""
    name, paint = _paint(color)
    size, clear = (0.55, 0.6) if small else (1.0, None)
    shape = MARKERS[(color or 0) // len(COLORS) % len(MARKERS)]
    if shape == "circle":
        return element(
            "circle", cx=x, cy=y, r=6 * size, class_=name, fill=paint, fill_opacity=clear
        )
    corners = {
        "square": ((-5.5, -5.5), (5.5, -5.5), (5.5, 5.5), (-5.5, 5.5)),
        "diamond": ((0, -7.5), (7.5, 0), (0, 7.5), (-7.5, 0)),
        "triangle": ((0, -7), (7, 5.5), (-7, 5.5)),
    }[shape]
    points = " ".join(f"{_plain(x + size * dx)},{_plain(y + size * dy)}" for dx, dy in corners)
    return element("polygon", points=points, class_=name, fill=paint, fill_opacity=clear)


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

    def x(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)


def _frame(chart: DotChart, width: int) -> _Frame:
    low, high = _span(chart)
    narrow = width < NARROW
    if narrow:
        return _Frame(
            width=width, left=10, right=width - 10, row=54, narrow=True, low=low, high=high
        )
    names = max((text_width(row.label) for row in chart.rows), default=0)
    numbers = max((text_width(row.value) for row in chart.rows), default=0)
    return _Frame(
        width=width,
        left=min(names + 24, NAMES * width),
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
    name, paint = _paint(row.color)
    x1, x2 = frame.x(row.low), frame.x(row.high)
    parts = [
        element(
            "line", x1=x1, x2=x2, y1=y, y2=y, class_=name, stroke=paint,
            stroke_width=3, stroke_linecap="round",
        )
    ]  # fmt: skip
    for bound, x, way in ((row.low, x1, 1), (row.high, x2, -1)):
        if math.isinf(bound):
            points = f"M{_plain(x + 7 * way)} {_plain(y - 6)}L{_plain(x)} {_plain(y)}"
            points += f"L{_plain(x + 7 * way)} {_plain(y + 6)}"
            parts.append(
                element(
                    "path", d=points, class_=name, stroke=paint, stroke_width=3, fill="none"
                )
            )  # fmt: skip
    return parts


def _row(frame: _Frame, row: DotRow, top: float) -> list[str]:
    if frame.narrow:
        words, y = top + 18, top + 36
        label = shorten(row.label, frame.width - text_width(row.value) - 24)
        places = ((0.0, "start"), (float(frame.width), "end"))
    else:
        words, y = top + frame.row / 2 + 5, top + frame.row / 2
        label = shorten(row.label, frame.left - 16)
        places = ((0.0, "start"), (float(frame.width), "end"))
    value = shorten(row.value, frame.width * 0.6) if frame.narrow else row.value
    parts = [
        element("text", label, x=places[0][0], y=words, text_anchor=places[0][1]),
        element("text", value, x=places[1][0], y=words, text_anchor=places[1][1], class_="m"),
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
    middle = (frame.left + frame.right) / 2
    room = 2 * min(middle, frame.width - middle)
    axis = shorten(chart.axis, room)
    parts.append(element("text", axis, x=middle, y=bottom + 40, text_anchor="middle", class_="m"))
    return parts


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
    return as_svg(body, width=width, height=int(bottom + 50), spoken=chart.spoken)


def mark(parts: Sequence[str], value: str, row: int) -> str:
    """A group of shapes that tells its value to whoever points at it."""
    return f'<g class="mark" data-row="{row}" data-value="{escape(value)}">{"".join(parts)}</g>'


def as_svg(body: Sequence[str], *, width: int, height: int, spoken: str) -> str:
    """A whole drawing, with what it says for those who do not see it."""
    kind: Literal["wide", "narrow"] = "narrow" if width < NARROW else "wide"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot {kind}" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="{FONT}" font-size="14" fill="currentColor" '
        f'aria-label="{escape(spoken)}">{"".join(body)}</svg>'
    )
