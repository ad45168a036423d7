"""Charts that stand alone: files of their own, with a ground to stand on and their key."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from html import escape
from typing import assert_never

from jurybox.report.blocks import Page, Shown
from jurybox.report.charts.bars import draw_distribution, ramp
from jurybox.report.charts.dots import GAP, draw_dots
from jurybox.report.charts.scatter import SQUARE, UPRIGHT, draw_scatter
from jurybox.report.charts.svg import FONT, NAMES, text_width
from jurybox.report.charts.values import Chart, Distribution, DotChart, Scatter
from jurybox.report.formats.limits import PAPER

__all__ = ["MARGIN", "as_picture", "as_vectors", "charts_of", "draw_alone"]

WIDTH = 700
"""In px, with letters of 14 px: printed as wide as a page's text, they are a footnote's size."""
WIDEST = 900
"""The same where names are long: letters are then a little smaller in print."""
MARGIN = 12
"""Of a file that is put on a slide: letters must not touch the edge of their ground."""
SWATCH = 12
KEY_LINE = 24
PICTURED = 120
"""Rows of a chart up to which a picture of it can be looked at; vectors have them all."""
FOREIGN = "\u0590-\u1dff\u2e80-\ud7ff\uf900-\ufdff\ufe70-\uffef"
BORROWED = re.compile(rf"<text(?=[^<]*[{FOREIGN}])([^>]*>)")
"""A text with letters that another font must draw, as wide as charts expect, and all of it."""
RESOURCES = re.compile(rb"(?: +/\w+ \d+ 0 R\n){2,}")
SANS = "Roboto, Helvetica, Arial, sans-serif"


def charts_of(page: Page) -> Iterator[tuple[str, Chart]]:
    """Every chart of a page, with the id of the table that it draws, its own, or else its title."""
    if page.chart is not None:
        yield page.chart.title if page.table is None else page.table.id, page.chart
    for section in page.sections:
        for block, below in zip(section.blocks, (*section.blocks[1:], None), strict=True):
            if isinstance(block, Chart):
                table = below.table if isinstance(below, Shown) and below.drawn else None
                own = block.id if isinstance(block, DotChart) else ""
                yield (own or block.title) if table is None else table.id, block


def draw_alone(
    chart: Chart,
    *,
    width: int | None = None,
    font: str = SANS,
    size: int = 14,
    margin: int = 0,
    note: str = "",
) -> str:
    """A chart as one SVG that needs nothing around it: black on white, with its key.

    Without ``width`` it is wide enough for long names of pairs to stand whole.
    """
    width = _wide_enough(chart) if width is None else width
    above: list[str] = []
    if isinstance(chart, DotChart):
        drawing = draw_dots(chart, width=width)
    elif isinstance(chart, Distribution):
        drawing = draw_distribution(chart, width=width)
        above = _key(chart, width)
    elif isinstance(chart, Scatter):
        drawing = draw_scatter(chart, width=width)
    else:
        assert_never(chart)
    top = KEY_LINE * len(above) + (6 if above else 0)
    height = int(drawing.partition(' height="')[2].partition('"')[0])
    below = KEY_LINE if note else 0
    wide, high = width + 2 * margin, top + height + below + 2 * margin
    told = f'<text x="{margin}" y="{high - margin - 6}">{escape(note)}</text>' if note else ""
    placed = drawing.replace("<svg ", f'<svg x="{margin}" y="{margin + top}" ', 1)
    inner = placed.replace(f'"{FONT}" font-size="14"', f'"{escape(font)}" font-size="{size}"', 1)
    if size != 14:
        inner = BORROWED.sub(r'<text font-size="14"\1', inner)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {wide} {high}" '
        f'width="{wide}" height="{high}" font-family="{escape(font)}" font-size="{size}" '
        f'color="#000" fill="#000" aria-label="{escape(chart.spoken)}">'
        f'<rect width="{wide}" height="{high}" fill="#fff"/>'
        f'<g transform="translate({margin} {margin})">{"".join(above)}</g>'
        f"{inner}{told}</svg>\n"
    )


def _key(chart: Distribution, width: int) -> list[str]:
    """The values of the scale beside their colors, in as many lines as they need."""
    lines: list[str] = []
    x, line = 0.0, ""
    for value, (paint, _) in zip(chart.values, ramp(len(chart.values)), strict=True):
        room = SWATCH + 6 + text_width(value) + 16
        if line and x + room > width:
            lines.append(line)
            x, line = 0.0, ""
        y = KEY_LINE * len(lines)
        line += (
            f'<rect x="{x:.1f}" y="{y + 3}" width="{SWATCH}" height="{SWATCH}" fill="{paint}" '
            f'stroke="#000" stroke-opacity="0.25"/>'
            f'<text x="{x + SWATCH + 6:.1f}" y="{y + 14}">{escape(value)}</text>'
        )
        x += room
    return [*lines, line] if line else lines


def _wide_enough(chart: Chart) -> int:
    if isinstance(chart, Scatter) and chart.square:
        # No wider than the square and what is said above it: beside it would be nothing.
        said = [UPRIGHT + chart.axis, *(panel.said for panel in chart.panels)]
        return math.ceil(max(SQUARE, *map(text_width, said)))
    rows = chart.rows if isinstance(chart, DotChart) else ()
    names = max((text_width(row.label) for row in rows), default=0.0)
    return min(max(WIDTH, math.ceil((names + GAP) / NAMES)), WIDEST)


def as_picture(chart: Chart) -> bytes:
    """A chart as PNG, fine enough to be printed."""
    import vl_convert

    shown, cut = PAPER.cut_chart(chart, PICTURED)
    return bytes(vl_convert.svg_to_png(draw_alone(shown, margin=MARGIN, note=cut), scale=3))


def as_vectors(chart: Chart) -> bytes:
    """A chart as PDF, for LaTeX to include."""
    import vl_convert

    made = bytes(vl_convert.svg_to_pdf(draw_alone(PAPER.cut_chart(chart)[0])))
    # The converter names its resources in any order; in one order the same chart is the same file.
    return RESOURCES.sub(lambda found: b"".join(sorted(found[0].splitlines(keepends=True))), made)
