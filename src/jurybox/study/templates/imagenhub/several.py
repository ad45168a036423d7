"""Multi-subject generation: examples and worked cases."""

from __future__ import annotations

from typing import Any, Final

from jurybox.study.templates.draw import Picture, picture
from jurybox.study.templates.imagenhub.parts import Example, Value, WorkedCase

__all__ = ["CASES", "EXAMPLES"]


def _both(description: str, first: str, second: str) -> dict[str, Value]:
    return {
        "description": description,
        "first_subject": picture("still", kind=first, place="plain"),
        "second_subject": picture("still", kind=second, place="plain"),
    }


def _scene(first: str, second: str, action: str, place: str = "room", **traits: Any) -> Picture:
    return picture("pair", first=first, second=second, action=action, place=place, **traits)


ROBOT_TEAPOT: Final = _both("The robot holds the teapot, in the snow.", "robot", "teapot")
HOLDING: Final = _scene("robot", "teapot", "holds", "snow")

CASES: Final = (
    WorkedCase(
        name="both-exact",
        words="“The robot holds the teapot, in the snow.” Both are right, and it does.",
        fields=ROBOT_TEAPOT,
        output=HOLDING,
        consistency=(2,),
        realism=(2,),
        reason="Every trait of both subjects and the action match.",
    ),
    WorkedCase(
        name="no-action",
        words="“The robot holds the teapot, in the snow.” Both subjects are right, but they only "
        "stand side by side; there are small oddities.",
        fields=ROBOT_TEAPOT,
        output=_scene("robot", "teapot", "beside", "snow")
        .with_flaw("edge", box=(300, 40, 352, 84), shift=-34, soft=3)
        .with_flaw("edge", box=(40, 96, 84, 128), shift=-30, soft=3),
        consistency=(0.5,),
        realism=(1,),
        reason="The action is absent. The oddities are small and beside the subjects.",
    ),
    WorkedCase(
        name="wrong-material",
        words="“The robot holds the teapot, in the snow.” The robot is of stone, not of metal.",
        fields=ROBOT_TEAPOT,
        output=_scene("robot", "teapot", "holds", "snow", first_is={"material": "stone"}),
        consistency=(1,),
        reason="The material is a fine trait: wrong on one subject.",
    ),
    WorkedCase(
        name="wrong-color",
        words="“The robot holds the teapot, in the snow.” The teapot is red.",
        fields=ROBOT_TEAPOT,
        output=_scene("robot", "teapot", "holds", "snow", second_is={"fill": "red"}),
        consistency=(0.5,),
        reason="The color is a plain trait: wrong on one subject.",
    ),
    WorkedCase(
        name="one-missing",
        words="“The robot holds the teapot, in the snow.” There is no teapot.",
        fields=ROBOT_TEAPOT,
        output=_scene("robot", "", "beside", "snow"),
        consistency=(0,),
        reason="A subject is missing.",
    ),
    WorkedCase(
        name="another-object",
        words="“The robot holds the teapot, in the snow.” It holds a mug instead.",
        fields=ROBOT_TEAPOT,
        output=_scene("robot", "mug", "holds", "snow"),
        consistency=(0,),
        reason="Another object in place of a subject: that subject is missing.",
    ),
    WorkedCase(
        name="both-noise",
        words="“The robot holds the teapot, in the snow.” Both are right, and it does, under heavy "
        "noise.",
        fields=ROBOT_TEAPOT,
        output=HOLDING.with_flaw("noise", amount=70),
        consistency=(2,),
        realism=(0,),
        reason="What is shown can be told and is right; the noise is obvious.",
    ),
)

EXAMPLES: Final = (
    Example(
        item="bear-car",
        category="on",
        fields=_both("The bear sits on the car.", "bear", "car"),
        outputs=(
            _scene("bear", "car", "on"),
            _scene("bear", "car", "beside"),
            _scene("bear", "car", "on", second_is={"fill": "blue"}),
        ),
    ),
    Example(
        item="cat-umbrella",
        category="under",
        fields=_both("The cat sits under the umbrella, in a meadow.", "cat", "umbrella"),
        outputs=(
            _scene("cat", "umbrella", "under", "meadow"),
            _scene("cat", "umbrella", "under", "meadow").with_flaw("noise", amount=26),
            _scene("cat", "", "beside", "meadow"),
        ),
    ),
    Example(
        item="robot-mug",
        category="holds",
        fields=_both("The robot holds the mug, on a beach.", "robot", "mug"),
        outputs=(
            _scene("robot", "mug", "holds", "beach"),
            _scene("robot", "mug", "holds", "beach", second_is={"mark": "star"}),
            _scene("robot", "mug", "beside", "beach").with_flaw("wave"),
        ),
    ),
    Example(
        item="cat-backpack",
        category="behind",
        fields=_both("The cat hides behind the backpack, in a forest.", "cat", "backpack"),
        outputs=(
            _scene("cat", "backpack", "behind", "forest"),
            _scene("cat", "backpack", "on", "forest"),
            _scene("cat", "backpack", "behind", "forest", first_is={"fill": "#8d8a86"}),
        ),
    ),
    Example(
        item="bear-umbrella",
        category="holds",
        fields=_both("The bear holds the umbrella.", "bear", "umbrella"),
        outputs=(
            _scene("bear", "umbrella", "holds").with_flaw("watermark"),
            _scene("bear", "umbrella", "holds", first_is={"ribbon": "blue"}),
            _scene("bear", "umbrella", "beside"),
        ),
    ),
    Example(
        item="robot-car",
        category="on",
        fields=_both("The robot stands on the car, in a street.", "robot", "car"),
        outputs=(
            _scene("robot", "car", "on", "street"),
            _scene("robot", "car", "on", "street").with_flaw("blur", radius=2),
            _scene("bear", "car", "on", "street"),
        ),
    ),
)
