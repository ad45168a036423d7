"""Where things stand: sky, trees and the ground of a few places."""

from __future__ import annotations

from typing import Final

import numpy as np

from jurybox.study.templates.draw.canvas import Canvas

__all__ = ["SKIES", "ground", "sky", "tree"]

SKIES: Final = {
    "day": ("#a9d3ea", "#e8f3f4"),
    "sunset": ("#d9707a", "#f8d08f"),
    "night": ("#1c2747", "#4f5f8c"),
    "winter": ("#a9bccb", "#dfe8ee"),
    "gray": ("#a3a9ac", "#d6d8d6"),
    "violet": ("#8a6fb0", "#e5b7d0"),
}


def sky(c: Canvas, kind: str, down_to: float = 200) -> None:
    """The sky, with a sun, a moon or clouds."""
    c.fade((0, 0, c.width, down_to), *SKIES[kind])
    if kind == "sunset":
        c.oval(300, down_to - 40, 26, 26, "#fdeab9")
    elif kind == "night":
        c.oval(320, 50, 20, 20, "#f6efcf")
        for x, y in ((40, 40), (90, 80), (150, 30), (210, 66), (260, 28), (370, 96), (24, 110)):
            c.oval(x, y, 1.4, 1.4, "white")
    else:
        if kind == "day":
            c.oval(340, 48, 22, 22, "#f9dc86")
        for x, y, w in ((80, 52, 34), (220, 36, 26)):
            c.oval(x, y, w, 10, "white", 220)
            c.oval(x + w * 0.4, y - 8, w * 0.5, 10, "white", 220)


def tree(
    c: Canvas, x: float, y: float, s: float = 1, *, kind: str = "round", snow: bool = False
) -> None:
    """A tree whose trunk stands at ``(x, y)``."""
    c.line([(x, y), (x, y - 40 * s)], "darkwood", 8 * s)
    leaf = "#f4f8fa" if snow else "#5f945c"
    if kind == "fir":
        for i in range(3):
            top = y - (116 - 26 * i) * s
            half = (20 + 9 * i) * s
            c.shape(
                [(x, top), (x - half, top + 44 * s), (x + half, top + 44 * s)],
                leaf if snow else "#3f7354",
            )
        return
    for dx, dy, r in ((-18, -56, 22), (18, -56, 22), (0, -78, 26), (0, -52, 20)):
        c.oval(x + dx * s, y + dy * s, r * s, r * s, leaf)


def ground(c: Canvas, place: str, time: str = "day") -> None:
    """Sky and ground of a meadow, beach, street, forest, room or snowy field."""
    sky(c, "winter" if place == "snow" else time)
    if place == "beach":
        c.rect((0, 160, 400, 60), "water")
        for i in range(5):
            c.line(
                [(20 + 80 * i, 176 + 8 * (i % 3)), (64 + 80 * i, 176 + 8 * (i % 3))],
                "white",
                2,
                150,
            )
        c.blob([(-60, 330), (-40, 216), (200, 206), (440, 220), (460, 330)], "sand")
    elif place == "street":
        for x, h, fill in (
            (0, 130, "#b78d74"),
            (84, 160, "#a3a59b"),
            (176, 118, "#c2a583"),
            (270, 170, "#8f9aa5"),
            (350, 130, "#b78d74"),
        ):
            c.rect((x, 214 - h, 82, h), fill)
            for wy in range(214 - h + 14, 196, 30):
                for wx in (x + 12, x + 48):
                    c.rect((wx, wy, 18, 16), "#e8eef0")
        c.rect((0, 210, 400, 90), "#8b8c8e")
        for x in range(10, 400, 90):
            c.rect((x, 278, 48, 6), "white")
    elif place == "forest":
        c.rect((0, 150, 400, 150), "#5d7f50")
        for i in range(7):
            tree(c, 20 + 62 * i, 214 - 8 * (i % 2), 1.25, kind="fir")
        c.rect((0, 208, 400, 92), "#6d8f5a")
    elif place == "room":
        c.rect((0, 0, 400, 220), "#e6d9cd")
        c.rect((0, 214, 400, 86), "wood")
        c.rect((0, 208, 400, 8), "white")
        c.rect((48, 40, 84, 64), "white", round=2)
        c.fade((56, 48, 68, 48), *SKIES["sunset"])
    else:
        snow = place == "snow"
        c.blob(
            [(-60, 330), (-20, 190), (130, 172), (290, 188), (440, 170), (460, 330)],
            "#e2eaef" if snow else "#a7c58b",
        )
        c.blob(
            [(-60, 330), (30, 224), (220, 212), (440, 226), (460, 330)],
            "#ffffff" if snow else "grass",
        )
        if snow:
            flakes = np.random.default_rng(8)
            for _ in range(50):
                c.oval(flakes.uniform(0, 400), flakes.uniform(0, 210), 2, 2, "white")
