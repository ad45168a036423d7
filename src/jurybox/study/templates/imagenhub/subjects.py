"""Subject-driven editing and generation: examples and worked cases."""

from __future__ import annotations

from typing import Any, Final

from jurybox.study.templates.draw import Picture, picture
from jurybox.study.templates.imagenhub.parts import Example, Value, WorkedCase

__all__ = ["EDITING_CASES", "EDITING_EXAMPLES", "GENERATION_CASES", "GENERATION_EXAMPLES"]


def _subject(kind: str, **traits: Any) -> Picture:
    return picture("still", kind=kind, place="plain", traits=traits)


def _in(place: str, kind: str, **traits: Any) -> Picture:
    return picture("still", kind=kind, place=place, traits=traits)


def _put(instruction: str, before: Picture, kind: str, **traits: Any) -> dict[str, Value]:
    return {"instruction": instruction, "input": before, "subject": _subject(kind, **traits)}


def _show(description: str, kind: str, **traits: Any) -> dict[str, Value]:
    return {"description": description, "subject": _subject(kind, **traits)}


ROOM_MUG: Final = _in("room", "mug")
TEAPOT: Final = _put("Replace the mug by the teapot shown.", ROOM_MUG, "teapot")
ROOM_TEAPOT: Final = _in("room", "teapot")
MIDDLE: Final = (96, 130, 320, 280)

EDITING_CASES: Final = (
    WorkedCase(
        name="teapot-exact",
        words="“Replace the mug by the teapot shown.” The very same teapot stands there; the room "
        "is as it was.",
        fields=TEAPOT,
        output=ROOM_TEAPOT,
        consistency=(2,),
        realism=(2,),
        reason="Color, dots, lid and handle are those of the subject.",
    ),
    WorkedCase(
        name="teapot-stripes",
        words="The right teapot, but with stripes in place of dots.",
        fields=TEAPOT,
        output=_in("room", "teapot", pattern="stripes"),
        consistency=(1,),
        realism=(2,),
        reason="A pattern is a fine trait: shape and color are right.",
    ),
    WorkedCase(
        name="teapot-red",
        words="A teapot of the right shape, but red.",
        fields=TEAPOT,
        output=_in("room", "teapot", fill="red"),
        consistency=(0.5,),
        realism=(2,),
        reason="Color is a plain trait: everybody sees at once that it is another teapot.",
    ),
    WorkedCase(
        name="teapot-elsewhere",
        words="The right teapot, but the room became a beach.",
        fields=TEAPOT,
        output=_in("beach", "teapot"),
        consistency=(0,),
        realism=(2,),
        reason="A completely different background, whatever the subject looks like.",
    ),
    WorkedCase(
        name="teapot-broken",
        words="The right teapot, but it and the wall behind it are full of noise and twisted.",
        fields=TEAPOT,
        output=ROOM_TEAPOT.with_flaw("swirl", at=(205, 210), radius=120, turn=1.1).with_flaw(
            "noise", amount=60
        ),
        consistency=(1, 2),
        realism=(0,),
        reason="A large part of object and background is noise. The subject can still be told.",
    ),
    WorkedCase(
        name="teapot-edge",
        words="The right teapot; a faint border shows around it.",
        fields=TEAPOT,
        output=ROOM_TEAPOT.with_flaw("edge", box=MIDDLE, shift=9),
        consistency=(2,),
        realism=(1,),
        reason="The border is a small flaw beside the object.",
    ),
)

EDITING_EXAMPLES: Final = (
    Example(
        item="bear-room",
        category="toy",
        fields=_put("Replace the cat by the bear shown.", _in("room", "cat"), "bear"),
        outputs=(
            _in("room", "bear"),
            _in("room", "bear", ribbon="blue"),
            _in("room", "bear", fill="#8f9aa5"),
        ),
    ),
    Example(
        item="car-street",
        category="vehicle",
        fields=_put("Replace the robot by the car shown.", _in("street", "robot"), "car"),
        outputs=(
            _in("street", "car"),
            _in("street", "car").with_flaw("edge", box=MIDDLE, shift=20),
            _in("street", "car", fill="yellow", wheels=3),
        ),
    ),
    Example(
        item="mug-room",
        category="object",
        fields=_put(
            "Replace the teapot by the mug shown.",
            ROOM_TEAPOT,
            "mug",
            fill="green",
            mark="star",
        ),
        outputs=(
            _in("room", "mug", fill="green", mark="star"),
            _in("room", "mug", fill="green", mark="heart"),
            _in("forest", "mug", fill="green", mark="star"),
        ),
    ),
    Example(
        item="backpack-forest",
        category="object",
        fields=_put("Replace the bear by the backpack shown.", _in("forest", "bear"), "backpack"),
        outputs=(
            _in("forest", "backpack"),
            _in("forest", "backpack", straps=False),
            _in("forest", "backpack", fill="purple").with_flaw("blur", radius=3, box=MIDDLE),
        ),
    ),
    Example(
        item="robot-beach",
        category="toy",
        fields=_put("Replace the car by the robot shown.", _in("beach", "car"), "robot"),
        outputs=(
            _in("beach", "robot"),
            _in("beach", "robot", eyes="red"),
            _in("beach", "robot", material="stone", arms=3),
        ),
    ),
    Example(
        item="cat-snow",
        category="animal",
        fields=_put(
            "Replace the backpack by the cat shown.",
            _in("snow", "backpack"),
            "cat",
            fill="#8d8a86",
        ),
        outputs=(
            _in("snow", "cat", fill="#8d8a86"),
            _in("snow", "cat"),
            _in("snow", "cat", fill="#8d8a86").with_flaw("noise", amount=50),
        ),
    ),
)

ROBOT: Final = _show("The robot on a beach.", "robot")
BEACH_ROBOT: Final = _in("beach", "robot")

GENERATION_CASES: Final = (
    WorkedCase(
        name="robot-exact",
        words="“The robot on a beach.” The very same robot, on a beach.",
        fields=ROBOT,
        output=BEACH_ROBOT,
        consistency=(2,),
        realism=(2,),
        reason="Every trait of the subject is right, and the background is the one described.",
    ),
    WorkedCase(
        name="robot-eyes",
        words="“The robot on a beach.” The right robot, but with red eyes.",
        fields=ROBOT,
        output=_in("beach", "robot", eyes="red"),
        consistency=(1,),
        realism=(2,),
        reason="The face is a fine trait; color, proportions and background are right.",
    ),
    WorkedCase(
        name="robot-gold",
        words="“The robot on a beach.” A robot of the right shape, but golden.",
        fields=ROBOT,
        output=_in("beach", "robot", material="gold"),
        consistency=(0.5,),
        realism=(2,),
        reason="Color is a plain trait.",
    ),
    WorkedCase(
        name="robot-snow",
        words="“The robot on a beach.” The right robot, but in the snow.",
        fields=ROBOT,
        output=_in("snow", "robot"),
        consistency=(0,),
        realism=(2,),
        reason="The background does not fit the description.",
    ),
    WorkedCase(
        name="robot-noise",
        words="“The robot on a beach.” The right robot, under heavy noise.",
        fields=ROBOT,
        output=BEACH_ROBOT.with_flaw("noise", amount=70),
        consistency=(2,),
        realism=(0,),
        reason="The subject and the place can be told and are right; the noise is obvious.",
    ),
    WorkedCase(
        name="robot-blur",
        words="“The robot on a beach.” The right robot, but its upper half is blurred.",
        fields=ROBOT,
        output=BEACH_ROBOT.with_flaw("blur", radius=3, box=(130, 60, 280, 190)),
        consistency=(2, 1),
        realism=(0.5,),
        reason="Blur on the important object that does not spoil the whole.",
    ),
)

GENERATION_EXAMPLES: Final = (
    Example(
        item="teapot-snow",
        category="object",
        fields=_show("The teapot in the snow.", "teapot"),
        outputs=(
            _in("snow", "teapot"),
            _in("snow", "teapot", pattern="stripes"),
            _in("meadow", "teapot", fill="teal"),
        ),
    ),
    Example(
        item="bear-forest",
        category="toy",
        fields=_show("The bear in a forest.", "bear"),
        outputs=(
            _in("forest", "bear"),
            _in("forest", "bear", ribbon="yellow"),
            _in("forest", "bear", ears=1).with_flaw("swirl", at=(200, 150), turn=1.8),
        ),
    ),
    Example(
        item="car-street",
        category="vehicle",
        fields=_show("The car in a street.", "car"),
        outputs=(
            _in("street", "car"),
            _in("street", "car", fill="orange"),
            _in("room", "car"),
        ),
    ),
    Example(
        item="backpack-beach",
        category="object",
        fields=_show("The backpack on a beach.", "backpack"),
        outputs=(
            _in("beach", "backpack").with_flaw("watermark"),
            _in("beach", "backpack"),
            _in("beach", "backpack", fill="blue", pocket="red"),
        ),
    ),
    Example(
        item="cat-room",
        category="animal",
        fields=_show("The cat in a living room.", "cat"),
        outputs=(
            _in("room", "cat"),
            _in("room", "cat").with_flaw("blur", radius=2),
            _in("room", "cat", fill="#8d8a86"),
        ),
    ),
    Example(
        item="mug-forest",
        category="object",
        fields=_show("The mug in a forest.", "mug"),
        outputs=(
            _in("forest", "mug"),
            _in("forest", "mug", mark="star"),
            _in("forest", "teapot", fill="yellow"),
        ),
    ),
)
