"""What every chart is drawn with: shapes, colors, marks, and texts that are cut to their room.

Each chart is drawn for a given width, so that the page can hold a wide and a narrow drawing and no
text shrinks. Colors stand as attributes, which a style sheet may override; every system keeps its
color and its marker in all charts, and no chart speaks by color alone: rows carry their names and
their numbers.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from html import escape
from typing import Literal

from jurybox.report.sides import set_apart

__all__ = [
    "FONT",
    "NAMES",
    "NARROW",
    "as_svg",
    "element",
    "mark",
    "marker",
    "painted",
    "plain",
    "shorten",
    "text_width",
    "ticks",
]

# Okabe and Ito's palette, without the yellow that vanishes on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#5C574F")
MARKERS = ("circle", "square", "diamond", "triangle")
CHARACTER = 7.6  # the mean width of a character at 14 px, in px
NARROW = 520
NAMES = 0.45
"""The part of a wide drawing that names may take."""
MOST_TICKS = 8
FONT = "system-ui, sans-serif"


def text_width(text: str) -> float:
    """Estimate how wide a text is at 14 px; ideographs are twice as wide as letters.

    >>> [round(text_width(text)) for text in ("overall", "GAN", "写真")]
    [53, 32, 27]
    """
    ideographs = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    wide = sum(c.isupper() or c in "mw" for c in text)
    return CHARACTER * (len(text) + 0.8 * ideographs + 0.4 * wide)


PAIRED = (" against ", " − ")
"""What stands between the two names of a pair."""
_FEWEST = 7
"""Characters that are left of a word before the end of the whole text is cut."""


def shorten(text: str, room: float) -> str:
    """Cut a text that is wider than the room, with an ellipsis.

    Of a pair both names stay readable. The longest words are cut first, and in their middle, so
    that the ends are kept, by which versions of a model differ.

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
    # What cannot fit in any way is cut at once: a letter at a time would take minutes.
    most = max(_FEWEST, int(room / CHARACTER) + 1)
    whole = text.split(" ")[: most + 1]
    words = [_cut(word, most) for word in whole]
    while text_width(" ".join(words)) > room:
        longest = max(range(len(words)), key=lambda k: len(words[k]))
        if len(words[longest]) <= _FEWEST:
            break
        words[longest] = _cut(whole[longest], len(words[longest]) - 1)
    text = " ".join(words)
    if text_width(text) <= room:
        return text
    while text and text_width(text + "…") > room:
        text = text[:-1]
    return text + "…"


def _cut(word: str, length: int) -> str:
    """A word of no more than these many letters, without those of its middle.

    >>> _cut("baseline-large", 7), _cut("new", 7)
    ('bas…rge', 'new')
    """
    if len(word) <= length:
        return word
    before = (length - 1) // 2
    return f"{word[:before]}…{word[before + 1 - length :]}"


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


def element(name: str, text: str = "", **attributes: object) -> str:
    """An element of a drawing; attributes that are ``None`` are left out."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{pairs}>{escape(set_apart(text))}</{name}>" if text else f"<{name}{pairs}/>"


def plain(value: object) -> str:
    """A number as drawings hold it: to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def painted(color: int | None) -> tuple[str, str]:
    """The class and the color of a system; the ink of the page where there is none."""
    if color is None:
        return "ink", "currentColor"
    place = color % len(COLORS)
    return f"s{place}", COLORS[place]


def marker(x: float, y: float, color: int | None, *, small: bool = False) -> str:
    """A system's mark: each shape comes in all seven colors before the next one is used."""
    name, paint = painted(color)
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
    points = " ".join(f"{plain(x + size * dx)},{plain(y + size * dy)}" for dx, dy in corners)
    return element("polygon", points=points, class_=name, fill=paint, fill_opacity=clear)


def mark(parts: Sequence[str], value: str, row: int) -> str:
    """A group of shapes that tells its value to whoever points at it."""
    told = escape(set_apart(value))
    return f'<g class="mark" data-row="{row}" data-value="{told}">{"".join(parts)}</g>'


def as_svg(body: Sequence[str], *, width: int, height: int, spoken: str) -> str:
    """A whole drawing, with what it says for those who do not see it."""
    kind: Literal["wide", "narrow"] = "narrow" if width < NARROW else "wide"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot {kind}" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="{FONT}" font-size="14" fill="currentColor" '
        f'aria-label="{escape(spoken)}">{"".join(body)}</svg>'
    )
