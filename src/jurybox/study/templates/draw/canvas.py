"""A small canvas in logical units, drawn twice as large and reduced, so that edges are smooth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw, ImageFilter, ImageFont

__all__ = ["HEIGHT", "PALETTE", "WIDTH", "Canvas", "Point"]

WIDTH: Final = 400
HEIGHT: Final = 300
ENLARGED: Final = 2

Point = tuple[float, float]

PALETTE: Final[dict[str, str]] = {
    "ink": "#2f2b28",
    "white": "#fbfaf7",
    "cream": "#f3ead9",
    "sand": "#e6d3ac",
    "gray": "#9a9a98",
    "stone": "#8f8b86",
    "metal": "#b8c4cc",
    "granite": "#77787c",
    "red": "#c94b4b",
    "wine": "#7a2f3a",
    "orange": "#e8944a",
    "yellow": "#f0c75e",
    "lime": "#a9c25d",
    "green": "#6aa56a",
    "forest": "#3f7354",
    "teal": "#3c8f8a",
    "sky": "#bcdcec",
    "blue": "#4a7fb5",
    "navy": "#2f4a6d",
    "purple": "#7b6aa8",
    "pink": "#e3a4a4",
    "brown": "#8a5f40",
    "wood": "#b98a5c",
    "darkwood": "#5e3d2a",
    "skin": "#e5b08a",
    "skin2": "#8f5d3f",
    "grass": "#93b873",
    "water": "#7fb7cc",
    "snow": "#eef3f6",
    "black": "#232323",
}


def color(name: str, alpha: int = 255) -> tuple[int, int, int, int]:
    """The palette's color of that name, or a ``#rrggbb`` color, with an opacity."""
    code = PALETTE.get(name, name)
    red, green, blue = (int(code[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue, alpha


class Canvas:
    """A picture being drawn; coordinates run from (0, 0), top left, to (``WIDTH``, ``HEIGHT``)."""

    def __init__(self, background: str = "white", size: tuple[int, int] = (WIDTH, HEIGHT)) -> None:
        self.width, self.height = size
        enlarged = (self.width * ENLARGED, self.height * ENLARGED)
        self.image = Image.new("RGB", enlarged, color(background)[:3])
        self._pen = ImageDraw.Draw(self.image, "RGBA")

    def finish(self) -> Image.Image:
        """The picture at its final size."""
        return self.image.reduce(ENLARGED)

    def rect(self, box: Sequence[float], fill: str, *, round: float = 0, alpha: int = 255) -> None:
        """Fill the rectangle ``(x, y, width, height)``."""
        x, y, width, height = (v * ENLARGED for v in box)
        self._pen.rounded_rectangle(
            (x, y, x + width, y + height), radius=round * ENLARGED, fill=color(fill, alpha)
        )

    def oval(self, x: float, y: float, rx: float, ry: float, fill: str, alpha: int = 255) -> None:
        """Fill an ellipse around ``(x, y)``."""
        box = (x - rx, y - ry, x + rx, y + ry)
        self._pen.ellipse(tuple(v * ENLARGED for v in box), fill=color(fill, alpha))

    def shape(self, points: Sequence[Point], fill: str, alpha: int = 255) -> None:
        """Fill a polygon."""
        self._pen.polygon(_enlarge(points), fill=color(fill, alpha))

    def blob(self, points: Sequence[Point], fill: str, alpha: int = 255) -> None:
        """Fill the smooth closed curve through the points."""
        self._pen.polygon(_enlarge(_spline(points, closed=True)), fill=color(fill, alpha))

    def line(self, points: Sequence[Point], ink: str, width: float = 2, alpha: int = 255) -> None:
        """Draw a line through the points, with round ends."""
        thick = max(1, round(width * ENLARGED))
        self._pen.line(_enlarge(points), fill=color(ink, alpha), width=thick, joint="curve")
        if alpha == 255 and width > 2:
            for x, y in (points[0], points[-1]):
                self.oval(x, y, width / 2, width / 2, ink)

    def curve(self, points: Sequence[Point], ink: str, width: float = 2, alpha: int = 255) -> None:
        """Draw a smooth line through the points."""
        self.line(_spline(points, closed=False), ink, width, alpha)

    def fade(self, box: Sequence[float], top: str, bottom: str) -> None:
        """Fill the rectangle ``(x, y, width, height)`` with colors that change downward."""
        x, y, width, height = (round(v * ENLARGED) for v in box)
        first, last = color(top), color(bottom)
        for row in range(height):
            share = row / max(1, height - 1)
            mixed = tuple(round(a + (b - a) * share) for a, b in zip(first, last, strict=True))
            self._pen.line([(x, y + row), (x + width, y + row)], fill=mixed)

    def shadow(self, x: float, y: float, rx: float, ry: float, alpha: int = 70) -> None:
        """Lay a soft shadow on the ground."""
        soft = 3 * ENLARGED
        half = (round(rx * ENLARGED) + 3 * soft, round(ry * ENLARGED) + 3 * soft)
        layer = Image.new("L", (2 * half[0], 2 * half[1]), 0)
        box = (3 * soft, 3 * soft, layer.width - 3 * soft, layer.height - 3 * soft)
        ImageDraw.Draw(layer).ellipse(box, fill=alpha)
        layer = layer.filter(ImageFilter.GaussianBlur(soft))
        corner = (round(x * ENLARGED) - half[0], round(y * ENLARGED) - half[1])
        self.image.paste(Image.new("RGB", layer.size, color("#1f2a2a")[:3]), corner, layer)

    def text(self, x: float, y: float, words: str, ink: str, size: float, alpha: int = 255) -> None:
        """Write words around ``(x, y)`` in Pillow's own font, which is the same everywhere."""
        font = ImageFont.load_default(size * ENLARGED)
        place = (x * ENLARGED, y * ENLARGED)
        self._pen.text(place, words, fill=color(ink, alpha), font=font, anchor="mm")


def _enlarge(points: Sequence[Point]) -> list[Point]:
    return [(x * ENLARGED, y * ENLARGED) for x, y in points]


def _spline(points: Sequence[Point], *, closed: bool, steps: int = 12) -> list[Point]:
    """Catmull-Rom: a smooth curve that passes through every point."""
    count = len(points)

    def at(i: int) -> Point:
        return points[i % count] if closed else points[min(max(i, 0), count - 1)]

    out: list[Point] = []
    for i in range(count if closed else count - 1):
        p0, p1, p2, p3 = at(i - 1), at(i), at(i + 1), at(i + 2)
        for step in range(steps):
            t = step / steps
            out.append((_between(t, p0, p1, p2, p3, 0), _between(t, p0, p1, p2, p3, 1)))
    return out if closed else [*out, points[-1]]


def _between(t: float, p0: Point, p1: Point, p2: Point, p3: Point, axis: int) -> float:
    a, b, c, d = p0[axis], p1[axis], p2[axis], p3[axis]
    return 0.5 * (
        2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
    )
