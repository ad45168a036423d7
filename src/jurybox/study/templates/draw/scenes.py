"""Places with something in them. Every trait has a default, so that an edit is one argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from jurybox.study.templates.draw.canvas import Canvas
from jurybox.study.templates.draw.creatures import animal, cat, jumper, portrait
from jurybox.study.templates.draw.places import SKIES, ground, sky, tree
from jurybox.study.templates.draw.things import THINGS, airplane, ball, fruit, strawberry

__all__ = ["SCENES"]


def cottage(
    c: Canvas,
    *,
    door: str = "red",
    roof: str = "#b85a48",
    season: str = "summer",
    time: str = "day",
    has_tree: bool = True,
    dog: str = "",
    chimney: bool = True,
) -> None:
    """A cottage on a hill with a tree beside it."""
    winter = season == "winter"
    sky(c, "winter" if winter and time == "day" else time)
    c.blob(
        [(-60, 320), (-20, 186), (120, 168), (280, 182), (430, 164), (460, 320)],
        "snow" if winter else "#a7c58b",
    )
    c.blob(
        [(-60, 330), (40, 226), (220, 214), (430, 232), (460, 330)],
        "#ffffff" if winter else "grass",
    )
    if has_tree:
        tree(c, 70, 238, 1.15, snow=winter)
    if chimney:
        c.rect((254, 92, 18, 44), "#9c6a55")
    c.rect((150, 150, 140, 92), "#d9c3a3" if winter else "cream")
    c.shape([(134, 156), (220, 88), (306, 156)], "snow" if winter else roof)
    c.rect((204, 186, 32, 56), door, round=3)
    c.oval(230, 216, 2.5, 2.5, "yellow")
    for x in (164, 248):
        c.rect((x, 176, 28, 28), "yellow" if time == "night" else "#9cc7da", round=2)
        c.line([(x + 14, 176), (x + 14, 204)], "white", 2)
        c.line([(x, 190), (x + 28, 190)], "white", 2)
    c.shape([(206, 242), (234, 242), (256, 300), (180, 300)], "sand")
    if dog:
        animal(c, "dog", (330, 270), 0.55, flip=True, coat="" if dog == "plain" else dog)


def lake(
    c: Canvas,
    *,
    time: str = "day",
    boat: str = "",
    peaks: bool = True,
    firs: int = 4,
    swan: bool = False,
) -> None:
    """A lake before mountains."""
    sky(c, time, 190)
    if peaks:
        for points, fill in (
            ([(-20, 190), (90, 70), (200, 190)], "#8aa0b4"),
            ([(120, 190), (240, 50), (360, 190)], "#768ca2"),
            ([(280, 190), (370, 96), (460, 190)], "#93a8ba"),
        ):
            c.shape(points, fill)
            (x, y), left, right = points[1], points[0], points[2]
            c.shape(
                [
                    (x, y),
                    (x + (left[0] - x) * 0.25, y + (left[1] - y) * 0.25),
                    (x, y + 22),
                    (x + (right[0] - x) * 0.25, y + (right[1] - y) * 0.25),
                ],
                "snow",
            )
    water = {
        "day": ("#8ec3d6", "#5d9db6"),
        "sunset": ("#eeb08d", "#a86f7e"),
        "night": ("#3b4a74", "#1d2947"),
        "winter": ("#dbe6ec", "#b9cdd8"),
        "gray": ("#aab2b4", "#858e91"),
        "violet": ("#b78fb9", "#71609a"),
    }
    c.fade((0, 190, c.width, 110), *water[time])
    for i in range(9):
        x = (i * 83) % 380
        c.line([(x, 206 + 9 * i), (x + 34, 206 + 9 * i)], "white", 1.5, 90)
    for i in range(firs):
        tree(
            c,
            22 + 30 * i,
            204 + 5 * (i % 2),
            0.62 + 0.1 * (i % 3),
            kind="fir",
            snow=time == "winter",
        )
    if boat:
        c.shape([(226, 244), (318, 244), (302, 266), (240, 266)], boat)
        c.line([(270, 244), (270, 176)], "darkwood", 3)
        c.shape([(274, 180), (274, 236), (312, 236)], "white")
    if swan:
        c.blob([(196, 262), (214, 250), (246, 252), (238, 270), (206, 272)], "white")
        c.curve([(204, 258), (196, 236), (206, 228)], "white", 6)


def kitchen(
    c: Canvas,
    *,
    floor: str = "wood",
    cabinets: str = "white",
    walls: str = "#dfe7e2",
    spread: bool = False,
    window: str = "day",
    table: str = "",
) -> None:
    """A kitchen with cabinets, a window and a floor."""
    c.rect((0, 0, 400, 220), walls)
    _floor(c, floor)
    _window(c, window)
    fill = {"white": "#f6f3ec", "darkwood": "darkwood", "green": "#7fa58c", "blue": "blue"}[
        cabinets
    ]
    edge = {"white": "#d8d1c3", "darkwood": "#432a1c"}.get(cabinets, "#50705d")
    for x in (18, 78, 282, 342):
        c.rect((x, 26, 54, 74), fill, round=3)
        c.rect((x + 7, 34, 40, 58), edge, round=2, alpha=120)
        c.oval(x + 45, 90, 2.5, 2.5, "metal")
    c.rect((10, 150, 380, 74), fill)
    for x in range(18, 380, 62):
        c.rect((x, 164, 54, 54), edge, round=2, alpha=110)
        c.oval(x + 27, 172, 3, 2, "metal")
    c.rect((4, 140, 392, 12), "#6b5d52" if cabinets != "darkwood" else "sand")
    c.rect((74, 112, 42, 28), "red", round=5)
    c.line([(64, 118), (126, 118)], "wine", 4)
    if spread:  # the stone has crept over cabinets and wall, and everything looks dirty
        grains = np.random.default_rng(11)
        for _ in range(420):
            r = grains.uniform(0.8, 2.6)
            c.oval(grains.uniform(0, 400), grains.uniform(60, 224), r, r, "#5d5f63", 150)
    if table:
        c.rect((120, 236, 160, 12), table, round=3)
        for x in (132, 262):
            c.rect((x, 248, 8, 46), table)


def _floor(c: Canvas, floor: str) -> None:
    c.rect((0, 218, 400, 82), {"wood": "wood", "granite": "granite", "tiles": "#e9e4da"}[floor])
    if floor == "granite":
        grains = np.random.default_rng(5)
        for _ in range(700):
            r = grains.uniform(0.6, 2.2)
            tone = ("#5c5d61", "#95979b", "#b4b5b6", "#45464a")[int(grains.integers(4))]
            c.oval(grains.uniform(0, 400), grains.uniform(220, 300), r, r * 0.7, tone)
        return
    for i, y in enumerate((218, 236, 256, 278)):
        c.line([(0, y), (400, y)], "#9c7248" if floor == "wood" else "#cfc6b6", 1.5)
        for x in range(-40 + 37 * (i % 2), 420, 90):
            c.line([(x, y), (x, y + 20)], "#9c7248" if floor == "wood" else "#cfc6b6", 1.5)


def _window(c: Canvas, window: str) -> None:
    c.rect((150, 22, 108, 84), "white", round=3)
    c.fade((157, 29, 94, 70), *SKIES[window])
    if window != "night":
        c.blob([(157, 99), (157, 82), (190, 74), (226, 84), (251, 76), (251, 99)], "grass")
    c.line([(204, 29), (204, 99)], "white", 4)


def fruits(
    c: Canvas,
    *,
    middle: str = "pear",
    left: str = "apple",
    right: str = "orange",
    place: str = "table",
    cloth: str = "",
) -> None:
    """Three fruits in a row; the middle one may be a cat."""
    if place == "table":
        c.rect((0, 0, 400, 210), "#e9ddd0")
        c.rect((0, 0, 400, 210), "#d8c4b4", alpha=60)
        c.rect((0, 196, 400, 104), "wood")
        for y in (222, 250, 280):
            c.line([(0, y), (400, y)], "#a07648", 1.5)
    elif place == "beach":
        sky(c, "day", 150)
        c.rect((0, 140, 400, 60), "water")
        c.rect((0, 190, 400, 110), "sand")
    else:
        sky(c, "violet", 180)
        c.rect((0, 170, 400, 130), "#57527a")
    if cloth:
        c.blob([(60, 262), (110, 226), (290, 226), (340, 262), (330, 284), (70, 284)], cloth)
    for x, kind in ((100, left), (200, middle), (300, right)):
        if kind == "cat":
            cat(c, x, 256, 1.1)
        elif kind:
            fruit(c, x, 256, kind, 1.15)


def man(c: Canvas, *, behind: str = "#c9d9d3", **traits: Any) -> None:
    """A man's portrait before a wall, or before a street that replaced it."""
    if behind == "street":
        sky(c, "violet", 300)
        for x, h, fill in (
            (0, 150, "#5b557f"),
            (70, 210, "#6d6690"),
            (300, 190, "#5b557f"),
            (350, 130, "#7a73a0"),
        ):
            c.rect((x, 300 - h, 66, h), fill)
            for wy in range(300 - h + 14, 290, 26):
                for wx in (x + 10, x + 38):
                    c.rect((wx, wy, 14, 12), "yellow", alpha=170)
    else:
        c.rect((0, 0, 400, 300), behind)
        c.rect((290, 40, 76, 92), "white", round=3)
        c.fade((298, 48, 60, 76), *SKIES["sunset"])
    portrait(c, **traits)


def meadow(
    c: Canvas,
    *,
    kind: str = "cow",
    place: str = "meadow",
    time: str = "day",
    pond: bool = False,
    also: str = "",
    scale: float = 1.25,
    **traits: Any,
) -> None:
    """An animal in a meadow, on a beach, in the snow or in a street."""
    ground(c, place, time)
    if pond:
        c.oval(196, 270, 150, 24, "#86b9cc")
        c.oval(206, 272, 70, 10, "#6b5a49" if kind != "cow" else "#e9e2d5", 120)
        if traits.get("wears"):
            c.oval(288, 277, 20, 5, "#d9b566", 150)
    if "tree" in also:
        tree(c, 330, 220, 1.1)
    if kind == "cat":
        cat(c, 200, 262, scale, **traits)
    elif kind:
        animal(c, kind, (190, 262), scale, **traits)
    for kind_of_ball in {"tennis", "soccer"}.intersection(also.split()):
        ball(c, 318, 262, 15, kind_of_ball)


def plate(c: Canvas, *, on: str = "", mug: str = "yellow", at: float = 190) -> None:
    """A plate on a table; ``on`` is strawberry, lump, stain, blot or a fruit."""
    c.rect((0, 0, 400, 130), "#cfe0dc")
    c.rect((0, 120, 400, 180), "#c99d6d")
    for y in (150, 196, 246):
        c.line([(0, y), (400, y)], "#b78957", 1.5)
    c.shadow(at, 232, 122, 40, 60)
    c.oval(at, 224, 118, 42, "white")
    c.oval(at, 222, 84, 28, "#e9eceb")
    if mug:
        THINGS["mug"](c, 340, 190, 0.9, fill=mug)
    if on == "strawberry":
        strawberry(c, at, 232, 1.2)
    elif on == "lump":
        strawberry(c, at, 232, 1.2, clear=False)
    elif on == "stain":
        c.blob(
            [(at - 34, 222), (at - 8, 212), (at + 30, 216), (at + 24, 230), (at - 16, 232)],
            "#b8504e",
        )
    elif on == "blot":
        c.blob(
            [
                (at - 40, 214),
                (at - 20, 176),
                (at + 16, 186),
                (at + 36, 168),
                (at + 40, 226),
                (at, 240),
            ],
            "#7b6f8d",
        )
    elif on:
        fruit(c, at, 236, on, 0.95)


def jump(
    c: Canvas, *, over: str = "", place: str = "meadow", arms: int = 2, shirt: str = "orange"
) -> None:
    """A child who jumps, over a ball when there is one."""
    ground(c, place, "day")
    c.shadow(200, 276, 60, 7)
    jumper(c, 200, 236, 1.25, shirt=shirt, arms=arms)
    if over:
        ball(c, 204, 262, 17, over)


def air(c: Canvas, *, plane: str = "", clear: bool = True, time: str = "day") -> None:
    """The sky over fields, with an airplane when it has a color."""
    sky(c, time, 300)
    c.blob([(-40, 320), (60, 262), (220, 250), (440, 268), (440, 320)], "grass")
    if plane:
        airplane(c, 200, 140, 1.35, fill=plane, clear=clear)


def park(c: Canvas, *, flies: str = "frisbee", dog: bool = True, time: str = "day") -> None:
    """A dog in the park after something that flies."""
    ground(c, "meadow", time)
    tree(c, 50, 224, 1.3)
    if dog:
        animal(c, "dog", (170, 274), 0.95)
    if flies:
        ball(c, 306, 128, 26, flies)


def still(
    c: Canvas,
    *,
    kind: str = "teapot",
    place: str = "room",
    s: float = 1.6,
    traits: Mapping[str, Any] | None = None,
) -> None:
    """One subject, alone, somewhere."""
    if place == "plain":
        c.fade((0, 0, 400, 300), "#f4f1ea", "#e4ded2")
    else:
        ground(c, place, "day")
    THINGS[kind](c, 200, 268 if place != "plain" else 240, s, **(traits or {}))


def pair(
    c: Canvas,
    *,
    first: str,
    second: str,
    action: str = "beside",
    place: str = "room",
    first_is: Mapping[str, Any] | None = None,
    second_is: Mapping[str, Any] | None = None,
) -> None:
    """Two subjects: ``first`` is beside, on, behind or under ``second``, or holds it."""
    ground(c, place, "day")
    one, two = dict(first_is or {}), dict(second_is or {})
    if action == "on":
        THINGS[second](c, 200, 270, 1.5, **two)
        THINGS[first](
            c, 196, 270 - {"car": 84, "backpack": 140, "teapot": 104}.get(second, 100), 1.0, **one
        )
    elif action == "holds":
        THINGS[first](c, 170, 270, 1.45, **one)
        THINGS[second](c, 236, 236, 0.72 if second != "umbrella" else 1.1, **two)
    elif action == "under":
        THINGS[second](c, 218, 232, 1.35, **two)
        THINGS[first](c, 196, 272, 1.15, **one)
    elif action == "behind":
        THINGS[first](c, 220, 246, 1.35, **one)
        THINGS[second](c, 170, 276, 1.1, **two)
    else:
        for kind, x, traits in ((first, 112, one), (second, 290, two)):
            if kind:
                THINGS[kind](c, x, 270, 1.2, **traits)


SCENES: Final[dict[str, Callable[..., None]]] = {
    "cottage": cottage,
    "lake": lake,
    "kitchen": kitchen,
    "fruits": fruits,
    "man": man,
    "meadow": meadow,
    "plate": plate,
    "jump": jump,
    "air": air,
    "park": park,
    "still": still,
    "pair": pair,
}
