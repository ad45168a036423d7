"""Distributions as bars that diverge from the middle of a scale."""

from __future__ import annotations

from collections.abc import Sequence

from jurybox.report.charts.svg import NAMES, NARROW, as_svg, element, mark, shorten, text_width
from jurybox.report.charts.values import Distribution
from jurybox.results import format_percent

__all__ = ["DARK", "LIGHT", "draw_distribution", "ramp"]

LIGHT = ((140, 81, 10), (245, 241, 234), (1, 84, 78))
"""Brown, pale and teal: told apart by every kind of color vision (Brewer's BrBG)."""
DARK = ((224, 170, 96), (110, 105, 97), (99, 193, 179))
"""The same on a dark page, where the ends must shine and the middle must not."""
AXIS = "Share of answers, parted at the scale's middle"


def ramp(
    count: int, colors: tuple[tuple[int, int, int], ...] = LIGHT
) -> tuple[tuple[str, str], ...]:
    """Colors for the values of a scale from low to high, each with the color of text on it."""
    low, middle, high = colors
    result = []
    for index in range(count):
        place = 2 * index / (count - 1) - 1 if count > 1 else 1.0
        end = high if place > 0 else low
        mixed = [round(a + (b - a) * abs(place)) for a, b in zip(middle, end, strict=True)]
        linear = [
            (c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4) for c in mixed
        ]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        # White and black contrast alike with 0.179 (WCAG 2.2, relative luminance).
        ink = "#ffffff" if luminance < 0.179 else "#000000"
        result.append(("#{:02x}{:02x}{:02x}".format(*mixed), ink))
    return tuple(result)


def _below(shares: Sequence[float | None]) -> float:
    """The share below the middle of the scale; what is at the middle counts half."""
    half = len(shares) // 2
    middle = (shares[half] or 0.0) / 2 if len(shares) % 2 else 0.0
    return sum(share or 0.0 for share in shares[:half]) + middle


def draw_distribution(chart: Distribution, *, width: int) -> str:
    """One bar per system, cut by the share of responses at each value.

    Bars diverge: they share the middle of the scale, so that what lies right of it can be compared.
    """
    narrow = width < NARROW
    names = max((text_width(label) for label, _ in chart.rows), default=0.0)
    left = 0.0 if narrow else min(names + 24, NAMES * width)
    step = 56 if narrow else 38
    below = [_below(shares) for _, shares in chart.rows]
    above = [
        sum(s or 0.0 for s in shares) - b for (_, shares), b in zip(chart.rows, below, strict=True)
    ]
    most = max(below, default=0.0)
    unit = (width - left) / ((most + max(above, default=0.0)) or 1.0)
    middle, bottom = left + most * unit, float(4 + step * len(chart.rows))
    # The middle is seen between the bars and crosses no number.
    body = [
        element(
            "line", x1=middle, x2=middle, y1=0, y2=bottom, stroke="currentColor",
            stroke_opacity=0.5, stroke_dasharray="3 4",
        )
    ]  # fmt: skip
    for index, (label, shares) in enumerate(chart.rows):
        top = 4.0 + index * step
        words, bar = (top + 16, top + 24) if narrow else (top + 19, top)
        body.append(
            element(
                "text", shorten(label, width if narrow else left - 16), x=0, y=words
            )
        )  # fmt: skip
        parts = _bar(shares, left=middle - below[index] * unit, unit=unit, top=bar)
        body += [
            mark(part, f"{label}: {chart.values[k]} {format_percent(shares[k], 0)}", index)
            for k, part in parts
        ]
    axis = shorten(AXIS, width)
    body.append(element("text", axis, x=width / 2, y=bottom + 22, text_anchor="middle", class_="m"))
    return as_svg(body, width=width, height=int(bottom + 32), spoken=chart.spoken)


def _bar(
    shares: Sequence[float | None], *, left: float, unit: float, top: float
) -> list[tuple[int, list[str]]]:
    """The parts of a bar, each with the place of its value."""
    bar: list[tuple[int, list[str]]] = []
    x = left
    paints = zip(ramp(len(shares)), ramp(len(shares), DARK), shares, strict=True)
    for k, ((paint, ink), (dark, dark_ink), share) in enumerate(paints):
        if not share:
            continue
        length = share * unit
        parts = [
            element(
                "rect", x=x, y=top, width=max(length - 1.5, 0.5), height=28.0, fill=paint,
                style=f"--dark:{dark}",
            )
        ]  # fmt: skip
        shown = format_percent(share, 0)
        if length > text_width(shown) + 8:
            parts.append(
                element(
                    "text", shown, x=x + length / 2, y=top + 19, text_anchor="middle",
                    fill=ink, class_="on", style=f"--dark:{dark_ink}",
                )
            )  # fmt: skip
        bar.append((k, parts))
        x += length
    return bar
