"""Things that change step by step, for image series: every scene takes the stage it has reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from jurybox.study.templates.draw.canvas import Canvas
from jurybox.study.templates.draw.creatures import hat
from jurybox.study.templates.draw.places import tree
from jurybox.study.templates.draw.things import strawberry

__all__ = ["SERIES"]


def _sill(c: Canvas) -> None:
    c.fade((0, 0, 400, 210), "#e7efe9", "#d5e3dc")
    c.rect((0, 206, 400, 94), "wood")
    c.rect((0, 204, 400, 8), "#a77a4e")


def _kitchen_table(c: Canvas) -> None:
    c.fade((0, 0, 400, 200), "#f3e7da", "#ead8c6")
    c.rect((0, 196, 400, 104), "#c99d6d")
    for y in (224, 258):
        c.line([(0, y), (400, y)], "#b78957", 1.5)


def plant(c: Canvas, *, stage: int) -> None:
    """0 bare soil, 1 a sprout, 2 leaves, 3 a bud, 4 a flower."""
    _sill(c)
    c.shadow(200, 262, 60, 8)
    if stage:
        tall = (0, 34, 80, 112, 124)[stage]
        c.curve([(200, 196), (196, 196 - tall / 2), (202, 196 - tall)], "forest", 5)
        for i in range((0, 1, 2, 3, 3)[stage]):
            y = 190 - 28 * i if stage > 1 else 170
            c.blob([(200, y), (222, y - 20), (246, y - 18), (228, y - 2)], "green")
            c.blob([(198, y - 4), (176, y - 24), (152, y - 22), (170, y - 6)], "green")
        if stage == 3:
            c.blob([(194, 92), (202, 68), (212, 92), (203, 100)], "pink")
        if stage == 4:
            for dx, dy in ((0, -22), (21, -7), (13, 18), (-13, 18), (-21, -7)):
                c.oval(202 + dx, 72 + dy, 17, 17, "#dc7f93")
            c.oval(202, 72, 13, 13, "yellow")
    c.shape([(142, 196), (258, 196), (240, 262), (160, 262)], "#b96a4a")
    c.rect((134, 188, 132, 18), "#c87c5a", round=4)
    c.oval(200, 190, 58, 6, "darkwood")


def candle(c: Canvas, *, stage: int) -> None:
    """0 new and unlit, 1 lit, 2 half burned, 3 out, with smoke."""
    _sill(c)
    tall = (130, 130, 66, 62)[stage]
    top = 250 - tall
    if stage in (1, 2):
        c.oval(200, top - 26, 70, 70, "yellow", 46)
        c.oval(200, top - 26, 42, 42, "yellow", 60)
    c.shadow(200, 258, 70, 9)
    c.oval(200, 254, 66, 13, "metal")
    c.rect((176, top, 48, tall), "cream", round=5)
    if stage > 1:
        c.blob([(176, top + 4), (182, top + 34), (188, top + 6)], "#e6dcc6")
        c.blob([(212, top + 4), (219, top + 46), (224, top + 4)], "#e6dcc6")
    c.line([(200, top), (200, top - 12)], "ink", 3)
    if stage in (1, 2):
        c.blob([(200, top - 48), (211, top - 22), (200, top - 8), (189, top - 22)], "orange")
        c.blob([(200, top - 34), (205, top - 20), (200, top - 11), (195, top - 20)], "yellow")
    if stage == 3:
        c.curve(
            [(200, top - 14), (190, top - 44), (208, top - 74), (196, top - 110)], "gray", 4, 150
        )


def snowman(c: Canvas, *, stage: int) -> None:
    """0 a snowy yard, 1 one ball, 2 two, 3 three, 4 with face, carrot and hat."""
    c.fade((0, 0, 400, 200), "#bcd0de", "#eef3f6")
    c.blob([(-60, 330), (-20, 196), (140, 182), (280, 196), (440, 184), (460, 330)], "#ffffff")
    c.rect((0, 250, 400, 50), "#ffffff")
    for x in (40, 90, 348):
        tree(c, x, 210, 0.9, kind="fir")
    for _, (y, r) in zip(range(stage), ((236, 46), (172, 34), (122, 25)), strict=False):
        if r == 46:
            c.shadow(200, 280, 62, 8, 50)
        c.oval(200, y, r, r, "#e9f0f5")
        c.oval(194, y - r * 0.15, r * 0.8, r * 0.76, "#f8fbfd")
    if stage == 4:
        for dx in (-9, 9):
            c.oval(200 + dx, 116, 3.4, 3.4, "ink")
        c.shape([(200, 124), (232, 130), (200, 132)], "orange")
        for y in (160, 176, 192):
            c.oval(200, y, 3.6, 3.6, "ink")
        c.line([(168, 168), (124, 140)], "darkwood", 5)
        c.line([(232, 168), (276, 140)], "darkwood", 5)
        hat(c, 200, 102, 0.8, kind="felt", fill="navy")


def glass(c: Canvas, *, stage: int) -> None:
    """0 empty, 1 half full of juice, 2 full, 3 with a straw and a slice of orange, 4 drunk up."""
    _kitchen_table(c)
    c.shadow(200, 262, 52, 8)
    level = (0, 66, 124, 124, 10)[stage]
    if level:
        half = 30 + level * 14 / 140
        c.shape(
            [(170, 258), (230, 258), (200 + half, 258 - level), (200 - half, 258 - level)], "orange"
        )
    if stage >= 3:
        c.line([(206, 250), (246, 66)], "red", 7)
    c.shape([(156, 112), (244, 112), (230, 260), (170, 260)], "white", 70)
    for points in ([(156, 112), (170, 260)], [(244, 112), (230, 260)], [(170, 260), (230, 260)]):
        c.line(points, "#9fb4bb", 3)
    c.line([(166, 126), (176, 240)], "white", 4)
    if stage == 3:
        c.oval(160, 118, 24, 24, "#f3b36b")
        c.oval(160, 118, 19, 19, "orange")
        for dx, dy in ((0, 17), (15, 8), (15, -8)):
            c.line([(160 - dx, 118 - dy), (160 + dx, 118 + dy)], "#f3b36b", 2)


def cake(c: Canvas, *, stage: int) -> None:
    """0 a bowl of batter, 1 a plain cake, 2 iced, 3 with strawberries, 4 one slice gone."""
    _kitchen_table(c)
    c.shadow(200, 262, 110, 10)
    if stage == 0:
        c.blob([(104, 172), (296, 172), (262, 250), (200, 262), (138, 250)], "sky")
        c.oval(200, 172, 96, 18, "#f0dca6")
        c.line([(230, 172), (300, 90)], "wood", 8)
        return
    wide = 176 if stage < 4 else 118
    c.oval(200, 258, 124, 14, "white")
    c.rect((112, 170, wide, 82), "#c98f52", round=10)
    c.oval(112 + wide / 2, 172, wide / 2, 18, "#dba768")
    if stage >= 2:
        c.rect((112, 172, wide, 26), "#f7eee2", round=8)
        for i, x in enumerate(range(122, 112 + wide - 4, 22)):
            c.rect((x - 8, 184, 16, 26 + 10 * (i % 3)), "#f7eee2", round=8)
        c.oval(112 + wide / 2, 172, wide / 2, 18, "#fdf8f0")
    if stage == 4:  # the cut: two layers of sponge with cream between them
        c.shape([(206, 160), (240, 176), (240, 252), (206, 250)], "#e0b57c")
        c.shape([(206, 160), (240, 176), (240, 186), (206, 172)], "#fdf8f0")
        c.shape([(206, 206), (240, 212), (240, 220), (206, 214)], "#f7eee2")
        for x, y in ((262, 252), (280, 256), (271, 248)):
            c.oval(x, y, 3, 2, "#c98f52")
    if stage >= 3:
        for x in (140, 180, 220, 260)[: 4 if stage == 3 else 2]:
            strawberry(c, x, 176, 0.55)


def fence(c: Canvas, *, stage: int) -> None:
    """0 bare boards, 1 half painted, 2 all painted, 3 painted, with flowers before it."""
    c.fade((0, 0, 400, 180), "#a9d3ea", "#e8f3f4")
    c.rect((0, 176, 400, 124), "grass")
    for y in (146, 206):
        c.rect((10, y, 380, 14), "#9b7a55")
    for i in range(9):
        x = 18 + 42 * i
        painted = stage >= 2 or (stage == 1 and i < 4)
        c.shape(
            [(x, 112), (x + 14, 96), (x + 28, 112), (x + 28, 244), (x, 244)],
            "#6c9fc0" if painted else "#b59570",
        )
        if not painted:
            c.line([(x + 10, 130), (x + 12, 220)], "#9b7a55", 1.5)
    if stage < 2:
        c.rect((212, 234, 44, 40), "metal", round=4)
        c.oval(234, 236, 22, 6, "#6c9fc0")
        c.line([(262, 270), (312, 256)], "wood", 6)
    if stage == 3:
        for i in range(10):
            x, y = 30 + 38 * i, 262 + 12 * (i % 2)
            c.line([(x, y + 20), (x, y)], "forest", 3)
            c.oval(x, y, 8, 8, ("red", "yellow", "#dc7f93")[i % 3])
            c.oval(x, y, 3, 3, "white")


def black(c: Canvas, *, stage: int = 0) -> None:
    """Nothing at all: what a broken file looks like."""
    c.rect((0, 0, 400, 300), "#000000")


SERIES: Final[dict[str, Callable[..., None]]] = {
    "plant": plant,
    "candle": candle,
    "snowman": snowman,
    "glass": glass,
    "cake": cake,
    "fence": fence,
    "black": black,
}
