"""Scatters as plain SVG: small panels side by side, one for each thing that is compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from jurybox.report.charts.svg import NARROW, as_svg, element, marker, shorten, text_width, ticks
from jurybox.report.charts.values import Panel, Scatter
from jurybox.results import format_number, format_percent

__all__ = ["SQUARE", "UPRIGHT", "draw_scatter"]

COLUMNS = 3
GAP = 28
LEFT = 46
"""Room for the numbers of the upright axis."""
HEAD, PLOT, FOOT = 44, 150, 34
"""Heights of a panel's words, of its plot, and of the numbers below."""
KEY_LINE = 24
SIDE = 300
"""The longest side of a square."""
SQUARE = LEFT + SIDE + 6
"""The width of a square with its numbers."""
UPRIGHT = "Vertical: "
"""How the words for the axes begin."""
SHARES = (-0.03, 1.03)
"""An axis of shares, with room for a mark at either end."""


def draw_scatter(chart: Scatter, *, width: int) -> str:
    """Every panel a plot of its own with the same upright axis; the key of systems above."""
    body, top = _key(chart, width)
    if chart.square:
        side = min(SIDE, width - (SQUARE - SIDE))
        for panel in chart.panels:
            body += _panel(
                panel, SHARES, 0, top - HEAD + 24, side + (SQUARE - SIDE), high=side, square=True
            )
        height = top + 24 + side + FOOT
        return as_svg(body, width=width, height=int(height), spoken=chart.spoken)
    columns = 1 if width < NARROW else min(COLUMNS, max(len(chart.panels), 2))
    room = (width - GAP * (columns - 1)) / columns
    heights = [y for panel in chart.panels for _, y, _ in panel.points]
    upright = _span(heights)
    step = HEAD + PLOT + FOOT
    for index, panel in enumerate(chart.panels):
        row, column = divmod(index, columns)
        x, y = column * (room + GAP), top + row * step
        body += _panel(panel, upright, x, y, room)
    rows = math.ceil(len(chart.panels) / columns)
    return as_svg(body, width=width, height=int(top + rows * step), spoken=chart.spoken)


def _key(chart: Scatter, width: int) -> tuple[list[str], float]:
    """The systems beside their marks, and the axis in words; and where the panels begin."""
    parts: list[str] = []
    x, y = 0.0, 0.0
    for color, name in enumerate(chart.systems):
        shown = shorten(name, width - 30)
        wide = 18 + text_width(shown) + 18
        if x and x + wide > width:
            x, y = 0.0, y + KEY_LINE
        parts.append(marker(x + 7, y + 11, color))
        parts.append(element("text", shown, x=x + 20, y=y + 16))
        x += wide
    y += KEY_LINE if chart.systems else 0
    axis = UPRIGHT + chart.axis
    for line in [axis] if text_width(axis) <= width else axis.split("; "):
        parts.append(element("text", shorten(line, width), x=0, y=y + 16, class_="m"))
        y += KEY_LINE
    return parts, y + 6


def _panel(
    panel: Panel,
    upright: tuple[float, float],
    x: float,
    y: float,
    room: float,
    *,
    high: float = PLOT,
    square: bool = False,
) -> Iterator[str]:
    left, right, top = x + LEFT, x + room - 6, y + HEAD
    bottom = top + high
    across = SHARES if square else _span([value for value, _, _ in panel.points])
    written: Callable[[float, int], str] = _percent if square else format_number

    def along(value: float) -> float:
        return left + (value - across[0]) / (across[1] - across[0]) * (right - left)

    def up(value: float) -> float:
        return bottom - (value - upright[0]) / (upright[1] - upright[0]) * (bottom - top)

    if panel.title:
        yield element("text", shorten(panel.title, room), x=x, y=y + 16)
    said = panel.said if square else shorten(panel.said, room)
    yield element("text", said, x=x, y=y + 34, class_="m t")
    places, digits = ticks(*upright, 3)
    for place in places:
        yield element(
            "line", x1=left, x2=right, y1=up(place), y2=up(place), stroke="currentColor",
            stroke_opacity=0.12,
        )  # fmt: skip
        shown = written(place, digits)
        yield element("text", shown, x=left - 8, y=up(place) + 5, text_anchor="end", class_="m t")
    places, digits = ticks(*across, 3)
    for place in places:
        yield element(
            "line", x1=along(place), x2=along(place), y1=top, y2=bottom, stroke="currentColor",
            stroke_opacity=0.12,
        )  # fmt: skip
        shown = written(place, digits)
        yield element(
            "text", shown, x=along(place), y=bottom + 18, text_anchor="middle", class_="m t"
        )
    if square:
        yield element(
            "line", x1=along(0), x2=along(1), y1=up(0), y2=up(1), stroke="currentColor",
            stroke_opacity=0.5, stroke_dasharray="3 4",
        )  # fmt: skip
    for (value, _, _), bar in zip(panel.points, panel.bars, strict=False):
        if bar is not None:
            yield element(
                "line", x1=along(value), x2=along(value), y1=up(bar[0]), y2=up(bar[1]),
                stroke="currentColor", stroke_width=2,
            )  # fmt: skip
    small = len(panel.points) > 30
    for value, height, color in panel.points:
        # Many marks lie upon each other: small and clear, they show where most are.
        yield marker(along(value), up(height), color, small=small)


def _percent(value: float, digits: int) -> str:
    return format_percent(value, max(digits - 2, 0))


def _span(values: list[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low == high:
        wide = abs(low) or 1.0
        low, high = low - 0.5 * wide, high + 0.5 * wide
    pad = 0.07 * (high - low)
    return low - pad, high + pad
