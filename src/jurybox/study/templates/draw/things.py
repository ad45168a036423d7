"""Objects, each standing on the point ``(x, y)`` or, where they fly or roll, around it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from jurybox.study.templates.draw.canvas import Canvas
from jurybox.study.templates.draw.creatures import bear, cat, placed

__all__ = ["THINGS", "airplane", "ball", "fruit", "strawberry"]


def fruit(c: Canvas, x: float, y: float, kind: str, s: float = 1) -> None:
    """An apple, orange, pear, lemon or plum lying on the table."""
    p = placed(x, y, s)
    c.shadow(x, y, 30 * s, 6 * s)
    if kind == "pear":
        c.blob(
            [
                p(0, -82),
                p(12, -66),
                p(16, -46),
                p(29, -24),
                p(18, -2),
                p(-18, -2),
                p(-29, -24),
                p(-16, -46),
                p(-12, -66),
            ],
            "lime",
        )
        c.oval(*p(-10, -30), 6 * s, 12 * s, "white", 90)
        c.line([p(0, -80), p(6, -94)], "darkwood", 4 * s)
        return
    fill = {"apple": "red", "orange": "orange", "lemon": "yellow", "plum": "purple"}[kind]
    wide = 34 if kind == "lemon" else 29
    c.oval(*p(0, -28), wide * s, (24 if kind == "lemon" else 28) * s, fill)
    c.oval(*p(-11, -38), 7 * s, 9 * s, "white", 95)
    c.line([p(0, -54), p(4, -66)], "darkwood", 4 * s)
    if kind == "apple":
        c.blob([p(4, -62), p(18, -72), p(28, -64), p(16, -58)], "green")
    if kind == "orange":
        for i in range(9):
            a = i * 2.4
            c.oval(
                *p(2.1 * i * math.cos(a), -27 + 2.1 * i * math.sin(a)), 1.2 * s, 1.2 * s, "#d27f35"
            )


def strawberry(c: Canvas, x: float, y: float, s: float = 1, *, clear: bool = True) -> None:
    """A strawberry; when not clear, only something red with a green lump."""
    p = placed(x, y, s)
    if not clear:
        c.blob([p(-26, -20), p(-8, -46), p(22, -40), p(30, -12), p(4, 2), p(-20, -2)], "#b8504e")
        c.blob([p(-6, -46), p(14, -54), p(16, -36)], "#7d8c4a")
        return
    c.shadow(x, y, 24 * s, 5 * s)
    c.blob(
        [p(-25, -38), p(-14, -52), p(14, -52), p(25, -38), p(14, -12), p(0, 0), p(-14, -12)],
        "#d23c3c",
    )
    for i, row in enumerate(((-14, 0, 14), (-8, 8), (-3, 5))):
        for dx in row:
            c.oval(*p(dx, -40 + 13 * i), 1.4 * s, 2.2 * s, "yellow")
    for dx in (-16, -6, 6, 16):
        c.shape([p(0, -52), p(dx - 5, -60), p(dx * 1.5, -46), p(dx + 2, -48)], "green")
    c.line([p(0, -54), p(3, -64)], "forest", 3 * s)
    c.oval(*p(-12, -38), 3.5 * s, 6 * s, "white", 110)


def ball(c: Canvas, x: float, y: float, r: float, kind: str) -> None:
    """A tennis, soccer or black ball, a plain lump, or a frisbee, around ``(x, y)``."""
    if kind == "frisbee":
        c.oval(x, y, r * 1.5, r * 0.5, "red")
        c.oval(x, y - r * 0.08, r * 1.1, r * 0.3, "#dd7a70")
        return
    if kind == "lump":
        c.blob(
            [
                (x - r, y + r * 0.3),
                (x - r * 0.5, y - r),
                (x + r * 0.9, y - r * 0.5),
                (x + r * 0.7, y + r),
            ],
            "#c8cf7a",
        )
        return
    c.oval(x, y, r, r, {"tennis": "#d3dd4e", "soccer": "white", "black": "#2b2b2e"}[kind])
    if kind == "tennis":
        c.curve(
            [(x - r * 0.9, y - r * 0.4), (x - r * 0.2, y), (x - r * 0.7, y + r * 0.7)],
            "white",
            r / 7,
        )
        c.curve(
            [(x + r * 0.7, y - r * 0.7), (x + r * 0.2, y), (x + r * 0.9, y + r * 0.4)],
            "white",
            r / 7,
        )
    elif kind == "soccer":
        _patch(c, x, y, r * 0.36)
        for i in range(5):
            a = math.radians(-90 + 72 * i)
            dx, dy = math.cos(a), math.sin(a)
            c.line(
                [(x + dx * r * 0.36, y + dy * r * 0.36), (x + dx * r * 0.7, y + dy * r * 0.7)],
                "ink",
                r / 12,
            )
            _patch(c, x + dx * r * 0.84, y + dy * r * 0.84, r * 0.17)
    else:
        c.oval(x - r * 0.3, y - r * 0.35, r * 0.25, r * 0.2, "gray", 120)


def _patch(c: Canvas, x: float, y: float, r: float) -> None:
    corners = [math.radians(-90 + 72 * i) for i in range(5)]
    c.shape([(x + r * math.cos(a), y + r * math.sin(a)) for a in corners], "ink")


def airplane(
    c: Canvas, x: float, y: float, s: float = 1, *, fill: str = "blue", clear: bool = True
) -> None:
    """An airliner in flight; when not clear, only a body with stumps."""
    p = placed(x, y, s)
    if not clear:
        c.blob([p(-70, 2), p(-20, -20), p(60, -14), p(74, 8), p(10, 20), p(-50, 16)], fill)
        c.blob([p(-20, 10), p(-34, 40), p(4, 22)], "#6f93b8")
        c.blob([p(-60, -4), p(-78, -26), p(-44, -12)], "#6f93b8")
        return
    c.shape([p(-66, -4), p(-92, -40), p(-74, -40), p(-44, -6)], "navy")
    c.blob([p(-84, 0), p(-60, -12), p(50, -14), p(82, -2), p(88, 6), p(70, 12), p(-60, 10)], fill)
    c.shape([p(-6, 4), p(-40, 46), p(-22, 46), p(30, 6)], "navy")
    c.shape([p(2, -10), p(-14, -34), p(-4, -34), p(24, -12)], "navy")
    for i in range(7):
        c.oval(*p(-40 + 13 * i, -4), 3.2 * s, 3.6 * s, "white")
    c.blob([p(66, -9), p(78, -4), p(80, 0), p(64, -1)], "white")


def teapot(
    c: Canvas,
    x: float,
    y: float,
    s: float = 1,
    *,
    fill: str = "blue",
    pattern: str = "dots",
    plain_lid: bool = False,
) -> None:
    """A round teapot, dotted unless asked otherwise."""
    p = placed(x, y, s)
    c.shadow(x, y, 42 * s, 6 * s)
    c.curve([p(-34, -52), p(-62, -50), p(-60, -20), p(-32, -16)], fill, 8 * s)
    c.shape([p(30, -24), p(62, -60), p(70, -56), p(40, -12)], fill)
    c.blob([p(-40, -34), p(-24, -66), p(24, -66), p(40, -34), p(26, -2), p(-26, -2)], fill)
    c.oval(*p(0, -65), 24 * s, 6 * s, "navy" if not plain_lid else fill)
    c.oval(*p(0, -74), 7 * s, 7 * s, "yellow")
    if pattern == "dots":
        for dx, dy in ((-22, -40), (0, -46), (22, -40), (-12, -24), (12, -24), (0, -10)):
            c.oval(*p(dx, dy), 4.5 * s, 4.5 * s, "white")
    elif pattern == "stripes":
        for dy in (-48, -34, -20):
            c.line([p(-32, dy), p(32, dy)], "white", 4 * s)


def robot(
    c: Canvas,
    x: float,
    y: float,
    s: float = 1,
    *,
    material: str = "metal",
    eyes: str = "teal",
    arms: int = 2,
) -> None:
    """A toy robot of metal, stone or painted tin."""
    p = placed(x, y, s)
    fill = {"metal": "metal", "stone": "#8d867b", "red": "red", "gold": "yellow"}[material]
    dark = {"metal": "#76848e", "stone": "#635d54", "red": "wine", "gold": "#b78c34"}[material]
    c.shadow(x, y, 34 * s, 6 * s)
    for dx in (-14, 14):
        c.rect((*p(dx - 7, -22), 14 * s, 22 * s), dark, round=3 * s)
    for side in (-1, 1, 1.7)[:arms]:
        c.line([p(26 * side, -58), p(40 * side, -40), p(40 * side, -26)], dark, 8 * s)
        c.oval(*p(40 * side, -24), 7 * s, 7 * s, fill)
    c.rect((*p(-27, -66), 54 * s, 46 * s), fill, round=6 * s)
    c.rect((*p(-15, -56), 30 * s, 18 * s), dark, round=3 * s)
    c.rect((*p(-22, -104), 44 * s, 34 * s), fill, round=8 * s)
    c.line([p(0, -104), p(0, -116)], dark, 3 * s)
    c.oval(*p(0, -118), 4 * s, 4 * s, "red")
    for dx in (-10, 10):
        c.oval(*p(dx, -88), 6 * s, 6 * s, "white")
        c.oval(*p(dx, -88), 3.4 * s, 3.4 * s, eyes)
    c.line([p(-8, -76), p(8, -76)], dark, 2.5 * s)
    if material == "metal":
        c.line([p(-20, -62), p(-20, -26)], "white", 3 * s)
        c.line([p(-16, -100), p(-16, -78)], "white", 3 * s)
    if material == "stone":
        grains = np.random.default_rng(3)
        for _ in range(46):
            c.oval(
                *p(grains.uniform(-24, 24), grains.uniform(-102, -24)), 1.5 * s, 1.5 * s, "#55504a"
            )


def mug(
    c: Canvas, x: float, y: float, s: float = 1, *, fill: str = "yellow", mark: str = "heart"
) -> None:
    """A mug with a heart or a star on it."""
    p = placed(x, y, s)
    c.shadow(x, y, 34 * s, 6 * s)
    c.curve([p(24, -52), p(48, -50), p(48, -18), p(24, -16)], fill, 8 * s)
    c.rect((*p(-27, -68), 54 * s, 68 * s), fill, round=8 * s)
    c.oval(*p(0, -67), 27 * s, 6 * s, "#5b3a24")
    if mark == "heart":
        for dx in (-6, 6):
            c.oval(*p(dx, -38), 7 * s, 7 * s, "red")
        c.shape([p(-12.5, -35), p(12.5, -35), p(0, -20)], "red")
    elif mark == "star":
        c.shape(
            [
                p(
                    (13 if i % 2 == 0 else 5.5) * math.sin(i * math.pi / 5),
                    -33 - (13 if i % 2 == 0 else 5.5) * math.cos(i * math.pi / 5),
                )
                for i in range(10)
            ],
            "navy",
        )


def car(c: Canvas, x: float, y: float, s: float = 1, *, fill: str = "red", wheels: int = 2) -> None:
    """A toy car seen from the side."""
    p = placed(x, y, s)
    c.shadow(x, y, 60 * s, 6 * s)
    c.blob(
        [
            p(-60, -14),
            p(-56, -34),
            p(-34, -38),
            p(-20, -58),
            p(18, -58),
            p(36, -38),
            p(58, -32),
            p(62, -14),
        ],
        fill,
    )
    c.shape([p(-26, -38), p(-16, -52), p(-2, -52), p(-2, -38)], "sky")
    c.shape([p(4, -38), p(4, -52), p(15, -52), p(27, -38)], "sky")
    for dx in (-34, 34, 0)[:wheels]:
        c.oval(*p(dx, -12), 13 * s, 13 * s, "ink")
        c.oval(*p(dx, -12), 5.5 * s, 5.5 * s, "metal")
    c.oval(*p(57, -25), 4 * s, 4 * s, "yellow")


def backpack(
    c: Canvas,
    x: float,
    y: float,
    s: float = 1,
    *,
    fill: str = "green",
    pocket: str = "yellow",
    straps: bool = True,
) -> None:
    """A backpack with one big pocket."""
    p = placed(x, y, s)
    c.shadow(x, y, 38 * s, 6 * s)
    if straps:
        for side in (-1, 1):
            c.curve([p(26 * side, -70), p(44 * side, -40), p(34 * side, -6)], "forest", 7 * s)
    c.curve([p(-10, -92), p(0, -104), p(10, -92)], "forest", 5 * s)
    c.blob([p(-34, -6), p(-36, -60), p(-20, -94), p(20, -94), p(36, -60), p(34, -6), p(0, 0)], fill)
    c.rect((*p(-22, -46), 44 * s, 38 * s), pocket, round=7 * s)
    c.line([p(-18, -34), p(18, -34)], "ink", 2 * s)
    c.line([p(-24, -66), p(24, -66)], "forest", 3 * s)


def umbrella(c: Canvas, x: float, y: float, s: float = 1, *, fill: str = "red") -> None:
    """An open umbrella whose handle ends at ``(x, y)``."""
    p = placed(x, y, s)
    c.curve([p(0, -88), p(0, -8), p(6, 0), p(12, -6)], "darkwood", 4 * s)
    c.blob(
        [
            p(-60, -84),
            p(-44, -116),
            p(0, -132),
            p(44, -116),
            p(60, -84),
            p(30, -92),
            p(0, -84),
            p(-30, -92),
        ],
        fill,
    )
    c.curve([p(0, -130), p(-10, -108), p(0, -86)], "white", 2 * s, 120)
    c.line([p(0, -130), p(0, -138)], "darkwood", 3 * s)


THINGS: Final[dict[str, Callable[..., None]]] = {
    "teapot": teapot,
    "robot": robot,
    "mug": mug,
    "car": car,
    "backpack": backpack,
    "bear": bear,
    "cat": cat,
    "umbrella": umbrella,
}
