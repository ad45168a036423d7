"""Close-ups with much detail: done right they stand for photographs, with a slip for generated."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from jurybox.study.templates.draw.canvas import Canvas

__all__ = ["TEXTURES"]


def _mixed(draw: np.random.Generator, base: tuple[int, int, int], spread: int) -> str:
    light = int(draw.integers(-spread, spread + 1))
    tones = (max(0, min(255, v + light + int(draw.integers(-4, 5)))) for v in base)
    return "#" + "".join(f"{tone:02x}" for tone in tones)


def bricks(c: Canvas, *, seed: int = 1, slip: str = "") -> None:
    """A wall; ``slip="merge"`` lets bricks run together, ``"even"`` makes them equal."""
    draw = np.random.default_rng(seed)
    c.rect((0, 0, 400, 300), "#cfc3b2")
    for row in range(13):
        y = row * 24 - 4
        for i in range(-1, 8):
            x = i * 58 + (29 if row % 2 else 0)
            tone = "#b4674d" if slip == "even" else _mixed(draw, (176, 98, 74), 22)
            bend = 7 * math.sin(x / 34 + row) if slip == "merge" else 0.0
            wide = 58 + 8 if slip == "merge" and draw.random() < 0.45 else 53
            c.shape(
                [
                    (x, y + bend),
                    (x + wide, y - bend),
                    (x + wide, y + 20 - bend),
                    (x, y + 20 + bend),
                ],
                tone,
            )
            if slip != "even":
                for _ in range(7):
                    c.oval(
                        x + draw.uniform(3, 50), y + draw.uniform(3, 17), 1.1, 0.9, "#7d4533", 120
                    )


def clock(c: Canvas, *, seed: int = 1, slip: str = "") -> None:
    """A clock; ``slip="numbers"`` garbles its numbers, ``"hands"`` gives it a third long hand."""
    draw = np.random.default_rng(seed)
    wall = _mixed(draw, (206, 216, 208), 14)
    c.rect((0, 0, 400, 300), wall)
    for _ in range(260):
        c.oval(draw.uniform(0, 400), draw.uniform(0, 300), 1, 1, "#98a59d", 60)
    c.shadow(206, 160, 124, 124, 90)
    c.oval(200, 150, 122, 122, "darkwood")
    c.oval(200, 150, 108, 108, "cream")
    words = [str(n) for n in range(1, 13)]
    if slip == "numbers":
        words = ["1", "Z", "8", "4", "5", "5", "7", "E", "9", "IO", "11", "21"]
    for n in range(60):
        a = math.radians(6 * n)
        inner = 96 if n % 5 else 92
        c.line(
            [
                (200 + inner * math.sin(a), 150 - inner * math.cos(a)),
                (200 + 101 * math.sin(a), 150 - 101 * math.cos(a)),
            ],
            "ink",
            1.2 if n % 5 else 2,
        )
    for n, word in enumerate(words, 1):
        a = math.radians(30 * n)
        c.text(200 + 78 * math.sin(a), 150 - 78 * math.cos(a), word, "ink", 20)
    hands = [(48, 60 + 130 * (seed % 3), 6), (70, 200 + 47 * (seed % 4), 4)]
    if slip == "hands":
        hands += [(70, 110, 4), (64, 20, 4)]
    for reach, degrees, width in hands:
        a = math.radians(degrees)
        c.line([(200, 150), (200 + reach * math.sin(a), 150 - reach * math.cos(a))], "ink", width)
    c.oval(200, 150, 6, 6, "wine")


def flower(c: Canvas, *, seed: int = 1, slip: str = "") -> None:
    """A flower; ``slip="petals"`` makes petals of any size, ``"stem"`` misses the stem."""
    draw = np.random.default_rng(seed)
    c.fade((0, 0, 400, 300), "#4f7a57", "#86ab6d")
    for _ in range(120):
        x, y = draw.uniform(0, 400), draw.uniform(40, 320)
        c.curve(
            [(x, y), (x + draw.uniform(-8, 8), y - 24), (x + draw.uniform(-16, 16), y - 50)],
            _mixed(draw, (92, 138, 84), 22),
            2,
        )
    foot = 200 if slip != "stem" else 268
    c.curve(
        [(foot + 8, 310), (foot - 6, 230), (foot, 150 if slip != "stem" else 190)], "#41683f", 8
    )
    hues = {1: (222, 112, 132), 2: (240, 196, 84), 3: (150, 118, 190)}
    base = hues[1 + seed % 3]
    count = 13
    for i in range(count):
        a = math.tau * i / count
        reach = 84.0
        if slip == "petals":
            reach = float(draw.choice((34, 60, 96, 128)))
            a += draw.uniform(-0.3, 0.3)
        tip = (200 + reach * math.cos(a), 128 + reach * math.sin(a))
        side = (-math.sin(a) * 15, math.cos(a) * 15)
        mid = (200 + reach * 0.6 * math.cos(a), 128 + reach * 0.6 * math.sin(a))
        c.blob(
            [
                (200, 128),
                (mid[0] + side[0], mid[1] + side[1]),
                tip,
                (mid[0] - side[0], mid[1] - side[1]),
            ],
            _mixed(draw, base, 12),
        )
        c.line([(200, 128), ((mid[0] + tip[0]) / 2, (mid[1] + tip[1]) / 2)], "#8d4a5e", 1, 90)
    c.oval(200, 128, 25, 25, "#7c5a2a")
    for i in range(90):
        a, r = i * 2.39996, 2.4 * math.sqrt(i)
        c.oval(200 + r * math.cos(a), 128 + r * math.sin(a), 1.5, 1.5, "#e3b95b")


def pebbles(c: Canvas, *, seed: int = 1, slip: str = "") -> None:
    """Pebbles in low sun; with ``slip="light"`` their shadows fall to all sides."""
    draw = np.random.default_rng(seed)
    c.rect((0, 0, 400, 300), "#8b8375")
    for _ in range(500):
        c.oval(
            draw.uniform(0, 400), draw.uniform(0, 300), 1.4, 1.2, _mixed(draw, (120, 112, 100), 30)
        )
    for row in range(7):
        for i in range(8):
            x = i * 56 + draw.uniform(-8, 8) + (26 if row % 2 else 0)
            y = row * 46 + draw.uniform(-6, 6) + 10
            rx, ry = draw.uniform(19, 27), draw.uniform(14, 19)
            a = draw.uniform(0, math.tau) if slip == "light" else 0.7
            c.oval(x + 9 * math.cos(a), y + 8 * math.sin(a), rx, ry, "#3d382f", 170)
            tone = _mixed(draw, (164, 158, 148), 28)
            c.oval(x, y, rx, ry, tone)
            c.oval(
                x - 0.35 * rx * math.cos(a),
                y - 0.35 * ry * math.sin(a),
                rx * 0.45,
                ry * 0.4,
                "white",
                60,
            )
            for _ in range(5):
                c.oval(x + draw.uniform(-12, 12), y + draw.uniform(-8, 8), 1, 0.8, "#6d665b", 130)


def leaf(c: Canvas, *, seed: int = 1, slip: str = "") -> None:
    """A leaf; ``slip="veins"`` lets its veins cross and end nowhere."""
    draw = np.random.default_rng(seed)
    c.rect((0, 0, 400, 300), _mixed(draw, (222, 206, 180), 8))
    for _ in range(180):
        c.oval(draw.uniform(0, 400), draw.uniform(0, 300), 1.2, 1, "#a8926c", 80)
    c.shadow(208, 172, 130, 66, 90)
    base = ((104, 146, 82), (184, 104, 58), (150, 150, 66))[seed % 3]
    tone = "#" + "".join(f"{v:02x}" for v in base)
    dark = "#" + "".join(f"{max(0, v - 40):02x}" for v in base)
    c.blob(
        [
            (60, 152),
            (120, 96),
            (200, 78),
            (280, 98),
            (346, 150),
            (280, 204),
            (200, 224),
            (120, 206),
        ],
        tone,
    )
    for _ in range(240):
        a, r = draw.uniform(0, math.tau), math.sqrt(draw.random())
        c.oval(203 + 118 * r * math.cos(a), 151 + 58 * r * math.sin(a), 1.1, 1, dark, 70)
    c.line([(28, 152), (342, 150)], dark, 4)
    for i in range(8):
        x = 88 + 30 * i
        reach = 58 * math.sin(math.pi * (x - 50) / 310)
        for side in (-1, 1):
            if slip == "veins":
                side_end = (x + draw.uniform(-70, 90), 151 + draw.uniform(-60, 60))
                c.line(
                    [(x + draw.uniform(-20, 20), 151 + draw.uniform(-30, 30)), side_end], dark, 2.4
                )
            else:
                c.curve(
                    [(x, 151), (x + 20, 151 + side * reach * 0.5), (x + 34, 151 + side * reach)],
                    dark,
                    2,
                )


def planks(c: Canvas, *, seed: int = 1, slip: str = "") -> None:
    """Planks; with ``slip="grain"`` the grain runs on across the gaps in waves."""
    draw = np.random.default_rng(seed)
    for i in range(5):
        x = 80 * i
        c.rect((x, 0, 80, 300), _mixed(draw, (178, 130, 86), 14))
        knot = (x + draw.uniform(24, 56), draw.uniform(50, 250))
        if slip == "grain":
            continue
        for k in range(13):
            gx = x + 4 + 6 * k
            pull = [
                (gx + (gx - knot[0]) * 0.9 * math.exp(-(((y - knot[1]) / 26) ** 2)), y)
                for y in range(0, 301, 20)
            ]
            pull = [(min(max(px, x + 2), x + 77), y) for px, y in pull]
            c.curve(pull, "#8b5f38", 1.2, 170)
        c.oval(*knot, 9, 13, "#6d4526")
        c.oval(*knot, 4, 7, "#4a2d18")
    if slip == "grain":
        for k in range(34):
            y = 9 * k
            c.curve(
                [(x, y + 12 * math.sin(x / 40 + k / 3)) for x in range(0, 401, 25)],
                "#8b5f38",
                1.6,
                190,
            )
        for i in range(7):
            c.oval(30 + 57 * i, 40 + (71 * i) % 230, 9, 13, "#6d4526")
    for i in range(1, 5):
        c.line([(80 * i, 0), (80 * i, 300)], "#5b3a20", 3)


TEXTURES: Final[dict[str, Callable[..., None]]] = {
    "bricks": bricks,
    "clock": clock,
    "flower": flower,
    "pebbles": pebbles,
    "leaf": leaf,
    "planks": planks,
}
