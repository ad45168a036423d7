"""People and animals, each standing on the point ``(x, y)``; at scale 1 an adult is 100 high."""

from __future__ import annotations

import math
from collections.abc import Callable

from jurybox.study.templates.draw.canvas import Canvas, Point

__all__ = ["animal", "bear", "cat", "hat", "jumper", "portrait"]

Place = Callable[[float, float], Point]


def placed(x: float, y: float, scale: float, *, flip: bool = False) -> Place:
    """A function from a figure's own coordinates to the canvas's."""
    side = -scale if flip else scale
    return lambda dx, dy: (x + dx * side, y + dy * scale)


def hat(
    c: Canvas, x: float, y: float, s: float = 1, *, kind: str = "felt", fill: str = "wine"
) -> None:
    """A hat whose brim's middle lies at ``(x, y)``; ``kind`` is felt, straw, crooked or wool."""
    if kind == "wool":
        c.blob(
            [
                (x - 30 * s, y + 2 * s),
                (x - 22 * s, y - 30 * s),
                (x, y - 40 * s),
                (x + 22 * s, y - 30 * s),
                (x + 30 * s, y + 2 * s),
            ],
            fill,
        )
        c.rect((x - 33 * s, y - 7 * s, 66 * s, 13 * s), "white", round=6 * s)
        c.oval(x, y - 43 * s, 8 * s, 8 * s, "white")
        return
    if kind == "crooked":  # far too big, beside the head, and torn
        c.shape(
            [
                (x - 6 * s, y + 10 * s),
                (x + 70 * s, y - 34 * s),
                (x + 76 * s, y - 20 * s),
                (x + 8 * s, y + 22 * s),
            ],
            fill,
        )
        c.shape(
            [
                (x + 12 * s, y - 4 * s),
                (x + 2 * s, y - 60 * s),
                (x + 34 * s, y - 42 * s),
                (x + 48 * s, y - 80 * s),
                (x + 58 * s, y - 26 * s),
            ],
            fill,
        )
        return
    fill = "#d9b566" if kind == "straw" else fill
    c.oval(x, y, 46 * s, 9 * s, fill)
    c.blob(
        [
            (x - 27 * s, y - 2 * s),
            (x - 23 * s, y - 28 * s),
            (x - 6 * s, y - 31 * s),
            (x + 8 * s, y - 29 * s),
            (x + 23 * s, y - 28 * s),
            (x + 27 * s, y - 2 * s),
        ],
        fill,
    )
    c.shape(
        [
            (x - 27 * s, y - 4 * s),
            (x - 26 * s, y - 11 * s),
            (x + 26 * s, y - 11 * s),
            (x + 27 * s, y - 4 * s),
        ],
        "#3a2a26" if kind == "felt" else "red",
    )


def portrait(
    c: Canvas,
    *,
    shirt: str = "teal",
    hair: str = "#4a3123",
    skin: str = "skin",
    face: str = "plain",
    hand: str = "cup",
    wears: str = "",
) -> None:
    """A man seen from the chest up, in the middle of the canvas."""
    c.blob([(95, 310), (110, 236), (160, 212), (240, 212), (290, 236), (305, 310)], shirt)
    c.shape([(178, 205), (222, 205), (214, 236), (200, 246), (186, 236)], skin)
    c.shape([(176, 214), (200, 250), (168, 232)], "white")
    c.shape([(224, 214), (200, 250), (232, 232)], "white")
    c.oval(148, 146, 11, 17, skin)
    c.oval(252, 146, 11, 17, skin)
    c.blob(
        [
            (200, 78),
            (246, 100),
            (254, 146),
            (236, 194),
            (200, 214),
            (164, 194),
            (146, 146),
            (154, 100),
        ],
        skin,
    )
    c.blob(
        [
            (148, 138),
            (146, 96),
            (174, 70),
            (214, 64),
            (246, 82),
            (254, 112),
            (252, 138),
            (242, 112),
            (206, 102),
            (168, 108),
            (154, 118),
        ],
        hair,
    )
    _face(c, skin, hair, face)
    if wears == "glasses":
        for x in (178, 222):
            ring = [math.tau * i / 16 for i in range(17)]
            c.line([(x + 17 * math.cos(a), 142 + 15 * math.sin(a)) for a in ring], "ink", 3)
        c.line([(194, 140), (206, 140)], "ink", 3)
    elif wears == "scarf":
        c.blob([(150, 214), (200, 226), (250, 214), (252, 240), (200, 254), (148, 240)], "red")
        c.shape([(216, 240), (240, 238), (246, 300), (222, 300)], "red")
    _hand(c, skin, hand)
    if wears.startswith("hat"):
        crooked = wears == "hat-crooked"
        hat(c, 200, 96, 1.32, kind="crooked" if crooked else "felt")


def _face(c: Canvas, skin: str, hair: str, face: str) -> None:
    low = {"plain": 0.0, "slight": 9.0, "bad": 26.0}[face]
    for x, dy in ((178, 0.0), (222, low)):
        c.oval(x, 142 + dy, 8, 6, "white")
        c.oval(x + 1, 142 + dy, 4, 4.5, "ink")
        c.line([(x - 10, 129 + dy), (x + 10, 127 + dy)], hair, 4)
    c.curve([(200, 146), (194 - low / 2, 168), (204, 171)], "#b97a58", 3)
    if face == "plain":
        c.curve([(180, 186), (200, 193), (220, 186)], "#a14f4a", 4)
    elif face == "slight":
        c.curve([(180, 182), (198, 193), (224, 196)], "#a14f4a", 5)
    else:
        c.blob([(168, 176), (206, 190), (238, 206), (200, 214), (176, 200)], "#a14f4a")
        c.oval(236, 128, 9, 14, "white")
        c.oval(237, 130, 4, 6, "ink")


def _hand(c: Canvas, skin: str, hand: str) -> None:
    if hand == "none":
        return
    c.line([(300, 300), (306, 262)], skin, 24)
    if hand == "cup":
        c.rect((286, 220, 38, 42), "white", round=5)
        c.curve([(323, 230), (338, 234), (336, 250), (323, 252)], "white", 5)
        fingers: list[tuple[Point, Point]] = [
            ((294, 262 - 8 * i), (318, 260 - 8 * i)) for i in range(4)
        ]
    else:  # a splayed hand with too many fingers
        fingers = [
            ((306, 258), (306 + 46 * math.cos(a), 258 + 46 * math.sin(a)))
            for a in (-2.9, -2.45, -2.0, -1.55, -1.1, -0.65, -0.2)
        ]
        c.oval(306, 256, 18, 18, skin)
    for start, end in fingers:
        c.line([start, end], skin, 8)


def animal(
    c: Canvas,
    kind: str,
    at: Point,
    s: float = 1,
    *,
    wears: str = "",
    legs: int = 4,
    flip: bool = False,
    coat: str = "",
) -> None:
    """A cow, horse, zebra, sheep or dog seen from the side, with as many legs as asked for."""
    x, y = at
    p = placed(x, y, s, flip=flip)
    fill = (
        coat
        or {
            "cow": "#f4efe6",
            "horse": "#8f5f3c",
            "zebra": "#f2efe9",
            "sheep": "#f0ece1",
            "dog": "#c68f54",
        }[kind]
    )
    dark = "#3d332c" if kind in ("cow", "zebra", "sheep") else "#5b3a24"
    c.shadow(x, y, 62 * s, 7 * s)
    spots = [-38, -24, 24, 38, 2, -52, 10][:legs]
    for dx in spots:
        knee = p(dx + (9 if dx in (2, 10) else 0), -26)
        foot = p(dx + (-14 if dx in (2, 10) else 0), -4)
        c.line([p(dx, -54), knee, foot], "#2f2620" if kind == "sheep" else fill, 10 * s)
        c.line([p(dx, -5), foot] if dx not in (2, 10) else [foot, foot], dark, 10 * s)
    body = [
        p(-54, -66),
        p(-46, -90),
        p(0, -92),
        p(44, -92),
        p(54, -70),
        p(40, -48),
        p(0, -44),
        p(-44, -46),
    ]
    c.blob(body, fill)
    if kind == "sheep":
        for i in range(12):
            a = i * math.tau / 12
            c.oval(*p(52 * math.cos(a), -69 + 22 * math.sin(a)), 16 * s, 15 * s, fill)
    if kind == "cow":
        c.blob([p(-40, -88), p(-14, -90), p(-12, -70), p(-34, -66)], dark)
        c.blob([p(12, -64), p(36, -70), p(38, -52), p(18, -47)], dark)
    if kind == "zebra":
        for i in range(8):
            c.curve(
                [p(-44 + 12 * i, -90), p(-40 + 12 * i, -70), p(-44 + 12 * i, -50)], "ink", 4 * s
            )
    tail = {"horse": 9.0, "zebra": 5.0, "dog": 7.0}.get(kind, 4.0)
    end = p(-74, -108) if kind == "dog" else p(-66, -44)
    c.curve([p(-50, -80), p(-64, -82), end], dark if kind != "dog" else fill, tail * s)
    _head(c, kind, p, s, fill, dark)
    if wears.startswith("hat"):
        top = {"cow": (70, -116), "horse": (70, -138), "zebra": (70, -138), "dog": (60, -116)}
        hat(c, *p(*top.get(kind, (62, -106))), 0.5 * s, kind=wears.partition("-")[2] or "straw")


def _head(c: Canvas, kind: str, p: Place, s: float, fill: str, dark: str) -> None:
    if kind in ("horse", "zebra"):
        c.blob([p(28, -84), p(54, -132), p(72, -134), p(66, -104), p(52, -66)], fill)
        c.blob([p(54, -130), p(74, -138), p(98, -112), p(92, -102), p(68, -112)], fill)
        c.shape([p(60, -132), p(62, -150), p(70, -136)], fill)
        c.curve([p(30, -92), p(44, -120), p(58, -138)], dark, 8 * s)
        if kind == "zebra":
            for i in range(4):
                c.line([p(40 + 5 * i, -94 - 9 * i), p(58 + 3 * i, -88 - 11 * i)], "ink", 3 * s)
        c.oval(*p(92, -107), 2 * s, 2 * s, dark)
        c.oval(*p(73, -125), 2.6 * s, 2.6 * s, "black")
        return
    if kind == "sheep":
        c.blob([p(46, -96), p(66, -100), p(78, -78), p(66, -66), p(48, -76)], "#3b332d")
        c.oval(*p(62, -87), 2.6 * s, 2.6 * s, "white")
        return
    if kind == "dog":
        c.blob([p(36, -84), p(46, -112), p(66, -116), p(76, -100), p(62, -80)], fill)
        c.blob([p(64, -104), p(86, -98), p(86, -88), p(64, -86)], fill)
        c.oval(*p(86, -97), 4 * s, 4 * s, "black")
        c.blob([p(42, -112), p(52, -116), p(52, -90), p(42, -88)], "#7d5428")
        c.oval(*p(66, -104), 2.8 * s, 2.8 * s, "black")
        return
    c.blob([p(40, -86), p(52, -108), p(72, -116), p(86, -104), p(84, -84), p(60, -76)], fill)
    c.blob([p(76, -100), p(96, -96), p(96, -80), p(78, -78)], "pink")
    c.oval(*p(90, -88), 2 * s, 2.4 * s, dark)
    c.blob([p(46, -108), p(58, -118), p(62, -106), p(52, -102)], dark)
    c.curve([p(64, -114), p(62, -126), p(70, -130)], "sand", 4 * s)
    c.oval(*p(72, -104), 3 * s, 3 * s, "black")


def cat(
    c: Canvas, x: float, y: float, s: float = 1, *, fill: str = "#d98f4e", wears: str = ""
) -> None:
    """A cat that sits and looks at us."""
    p = placed(x, y, s)
    dark = "#a8642e" if fill == "#d98f4e" else "#3b3733"
    c.shadow(x, y, 36 * s, 6 * s)
    c.curve([p(24, -8), p(46, -10), p(48, -34), p(38, -44)], fill, 9 * s)
    c.blob([p(-28, -2), p(-26, -40), p(-14, -64), p(14, -64), p(26, -40), p(28, -2)], fill)
    c.oval(*p(0, -26), 13 * s, 22 * s, "cream")
    for dx in (-14, 14):
        c.oval(*p(dx, -4), 10 * s, 5 * s, "cream")
    for side in (-1, 1):
        c.shape([p(8 * side, -98), p(25 * side, -112), p(25 * side, -84)], fill)
        c.shape([p(13 * side, -97), p(22 * side, -105), p(22 * side, -90)], "pink")
    c.oval(*p(0, -80), 27 * s, 23 * s, fill)
    for dx in (-8, 0, 8):
        c.line([p(dx, -101), p(dx, -93)], dark, 3 * s)
    for dx in (-10, 10):
        c.oval(*p(dx, -82), 4.4 * s, 5 * s, "#3f6b3a")
        c.oval(*p(dx, -82), 1.8 * s, 4.4 * s, "black")
    c.shape([p(-4, -74), p(4, -74), p(0, -70)], "pink")
    for side in (-1, 1):
        for dy in (-72, -68):
            c.line([p(8 * side, dy), p(30 * side, dy - 2)], "white", 1 * s)
    if wears == "scarf":
        c.blob([p(-22, -64), p(0, -58), p(22, -64), p(22, -54), p(0, -48), p(-22, -54)], "red")
    elif wears == "hat":
        hat(c, *p(0, -100), 0.6 * s, kind="felt")
    elif wears == "glasses":
        for dx in (-10, 10):
            c.oval(*p(dx, -82), 9 * s, 8 * s, "black")
        c.line([p(-4, -83), p(4, -83)], "black", 3 * s)


def bear(
    c: Canvas,
    x: float,
    y: float,
    s: float = 1,
    *,
    fill: str = "#b07f4f",
    ribbon: str = "red",
    ears: int = 2,
) -> None:
    """A plush bear with a ribbon around its neck."""
    p = placed(x, y, s)
    c.shadow(x, y, 38 * s, 6 * s)
    for dx in (-24, 24):
        c.oval(*p(dx, -9), 15 * s, 10 * s, fill)
        c.oval(*p(dx, -8), 7 * s, 5 * s, "sand")
        c.line([p(dx * 0.8, -46), p(dx * 1.5, -28)], fill, 14 * s)
    c.oval(*p(0, -32), 27 * s, 29 * s, fill)
    c.oval(*p(0, -28), 15 * s, 18 * s, "sand")
    for dx in (-20, 20)[:ears]:
        c.oval(*p(dx, -97), 10 * s, 10 * s, fill)
        c.oval(*p(dx, -96), 5 * s, 5 * s, "sand")
    c.oval(*p(0, -78), 27 * s, 24 * s, fill)
    c.oval(*p(0, -70), 12 * s, 9 * s, "sand")
    c.oval(*p(0, -73), 4.5 * s, 3.4 * s, "ink")
    for dx in (-10, 10):
        c.oval(*p(dx, -83), 3.2 * s, 3.2 * s, "ink")
    c.shape([p(0, -55), p(-16, -62), p(-16, -48)], ribbon)
    c.shape([p(0, -55), p(16, -62), p(16, -48)], ribbon)
    c.oval(*p(0, -55), 4 * s, 4 * s, ribbon)


def jumper(
    c: Canvas, x: float, y: float, s: float = 1, *, shirt: str = "orange", arms: int = 2
) -> None:
    """A child in mid-jump, feet at ``(x, y)``."""
    p = placed(x, y, s)
    for hip, knee, foot in (((-6, -46), (-30, -40), (-40, -16)), ((6, -46), (26, -32), (46, -22))):
        c.line([p(*hip), p(*knee), p(*foot)], "navy", 13 * s)
        c.line([p(*foot), p(foot[0] + 10, foot[1] + 2)], "red", 9 * s)
    c.blob([p(-16, -90), p(16, -90), p(15, -44), p(-15, -44)], shirt)
    for end in ((-40, -108), (40, -112), (50, -64))[:arms]:
        c.line([p(math.copysign(14, end[0]), -84), p(end[0] * 0.8, -92), p(*end)], shirt, 10 * s)
        c.oval(*p(*end), 6 * s, 6 * s, "skin")
    c.line([p(0, -96), p(0, -88)], "skin", 9 * s)
    c.oval(*p(0, -110), 16 * s, 18 * s, "skin")
    c.blob(
        [p(-17, -108), p(-15, -126), p(2, -132), p(17, -122), p(17, -110), p(8, -120)], "#5b3a22"
    )
    for dx in (-5, 7):
        c.oval(*p(dx, -111), 2 * s, 2.4 * s, "ink")
    c.curve([p(-4, -103), p(1, -100), p(7, -103)], "#a14f4a", 2 * s)
