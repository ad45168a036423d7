"""Mask-guided editing: examples and worked cases."""

from __future__ import annotations

from typing import Final

from jurybox.study.templates.draw import Mask, Picture, picture
from jurybox.study.templates.imagenhub.parts import Example, Value, WorkedCase

__all__ = ["CASES", "EXAMPLES"]

LAKE: Final = picture("lake")
KITCHEN: Final = picture("kitchen")
FRUITS: Final = picture("fruits")
PLATE: Final = picture("plate")
JUMP: Final = picture("jump")
SKY: Final = picture("air")
PARK: Final = picture("park")
ZEBRA: Final = picture("meadow", kind="zebra")

ON_PLATE: Final = (120, 140, 262, 250)
UNDER_FEET: Final = (150, 236, 260, 290)
IN_SKY: Final = (60, 70, 340, 220)
IN_AIR: Final = (256, 86, 356, 170)
ANIMAL: Final = (84, 76, 326, 274)


def _mask(instruction: str, before: Picture, box: tuple[int, int, int, int]) -> dict[str, Value]:
    return {"instruction": instruction, "input": before, "mask": Mask(box)}


STRAWBERRY: Final = _mask("Put a strawberry on the plate.", PLATE, ON_PLATE)
TENNIS: Final = _mask("The child jumps over a tennis ball.", JUMP, UNDER_FEET)
AIRPLANE: Final = _mask("Add a blue airplane.", SKY, IN_SKY)
SOCCER: Final = _mask("Turn the frisbee into a soccer ball.", PARK, IN_AIR)
HORSE: Final = _mask("Turn the zebra into a regular horse.", ZEBRA, ANIMAL)

CASES: Final = (
    WorkedCase(
        name="strawberry-none",
        words="“Put a strawberry on the plate.” What was added is no strawberry and looks "
        "unnatural.",
        fields=STRAWBERRY,
        output=PLATE.but(on="blot")
        .with_flaw("edge", box=ON_PLATE, shift=34)
        .with_flaw("noise", amount=40, box=ON_PLATE),
        consistency=(0,),
        realism=(0,),
        reason="The key instruction is missed, and the added part is plainly broken.",
    ),
    WorkedCase(
        name="strawberry-like",
        words="“Put a strawberry on the plate.” Something like a strawberry, but unnatural; it "
        "does "
        "not blend in.",
        fields=STRAWBERRY,
        output=PLATE.but(on="lump")
        .with_flaw("edge", box=ON_PLATE, shift=38)
        .with_flaw("noise", amount=34, box=ON_PLATE),
        consistency=(0.5,),
        realism=(0,),
        reason="The idea is there but incomplete, and the pasted part shows all around.",
    ),
    WorkedCase(
        name="strawberry-edge",
        words="“Put a strawberry on the plate.” A clear strawberry; one edge does not blend in.",
        fields=STRAWBERRY,
        output=PLATE.but(on="strawberry").with_flaw("edge", box=(206, 160, 262, 246), shift=16),
        consistency=(2,),
        realism=(1,),
        reason="Exactly what was asked for. One visible edge is a small flaw.",
    ),
    WorkedCase(
        name="strawberry-stain",
        words="“Put a strawberry on the plate.” No strawberry was added, only a red stain.",
        fields=STRAWBERRY,
        output=PLATE.but(on="stain"),
        consistency=(0,),
        realism=(1,),
        reason="A stain is no strawberry. The picture still looks real but for that spot.",
    ),
    WorkedCase(
        name="tennis-none",
        words="“The child jumps over a tennis ball.” No ball, and the part blends in badly.",
        fields=TENNIS,
        output=JUMP.with_flaw("edge", box=UNDER_FEET, shift=46).with_flaw(
            "noise", amount=44, box=UNDER_FEET
        ),
        consistency=(0,),
        realism=(0,),
        reason="Nothing asked for is there, and the masked part is broken.",
    ),
    WorkedCase(
        name="tennis-untouched",
        words="“The child jumps over a tennis ball.” Nothing was changed; the picture is as real "
        "as "
        "the input.",
        fields=TENNIS,
        output=JUMP,
        consistency=(0,),
        realism=(2,),
        reason="The ball is missing; realism is judged apart from that.",
    ),
    WorkedCase(
        name="tennis-lump",
        words="“The child jumps over a tennis ball.” A thing like a ball, without any detail, "
        "blended in badly.",
        fields=TENNIS,
        output=JUMP.but(over="lump")
        .with_flaw("edge", box=UNDER_FEET, shift=46)
        .with_flaw("noise", amount=40, box=UNDER_FEET),
        consistency=(0.5,),
        realism=(0,),
        reason="Only partly what was asked for; the masked part does not belong to the picture.",
        practice=False,
    ),
    WorkedCase(
        name="airplane-hardly",
        words="“Add a blue airplane.” What was added is hardly an airplane.",
        fields=AIRPLANE,
        output=SKY.but(plane="blue", clear=False)
        .with_flaw("swirl", at=(200, 140), radius=110, turn=3.4)
        .with_flaw("noise", amount=44, box=IN_SKY),
        consistency=(0,),
        realism=(0,),
        reason="Nobody would call it an airplane, and it is badly distorted.",
        practice=False,
    ),
    WorkedCase(
        name="airplane-edge",
        words="“Add a blue airplane.” A clear airplane; the edge of the new part is not seamless.",
        fields=AIRPLANE,
        output=SKY.but(plane="blue").with_flaw("edge", box=IN_SKY, shift=9),
        consistency=(2,),
        realism=(1,),
        reason="Exactly what was asked for; a faint edge is a small flaw.",
        practice=False,
    ),
    WorkedCase(
        name="airplane-like",
        words="“Add a blue airplane.” Like an airplane only, and unnatural.",
        fields=AIRPLANE,
        output=SKY.but(plane="blue", clear=False)
        .with_flaw("edge", box=IN_SKY, shift=30)
        .with_flaw("noise", amount=30, box=IN_SKY),
        consistency=(0.5,),
        realism=(0,),
        reason="Wings and tail are stumps: partly done. The new part is broken.",
        practice=False,
    ),
    WorkedCase(
        name="soccer-black",
        words="“Turn the frisbee into a soccer ball.” It became a black ball; the texture is off.",
        fields=SOCCER,
        output=PARK.but(flies="black").with_flaw("blur", radius=2, box=IN_AIR),
        consistency=(0,),
        realism=(0.5,),
        reason="A black ball is no soccer ball. The texture looks unreal on the main object.",
    ),
    WorkedCase(
        name="soccer-none",
        words="“Turn the frisbee into a soccer ball.” No ball, and the edge of the masked part "
        "shows.",
        fields=SOCCER,
        output=PARK.but(flies="").with_flaw("edge", box=IN_AIR, shift=10),
        consistency=(0,),
        realism=(1,),
        reason="The key instruction is missed. The visible edge is small and in the sky.",
        practice=False,
    ),
    WorkedCase(
        name="soccer-blend",
        words="“Turn the frisbee into a soccer ball.” A clear ball that blends in badly.",
        fields=SOCCER,
        output=PARK.but(flies="soccer").with_flaw("edge", box=IN_AIR, shift=-40),
        consistency=(2,),
        realism=(0.5,),
        reason="Exactly what was asked for. The bad blend is on the main object, yet the whole "
        "picture survives it.",
        practice=False,
    ),
    WorkedCase(
        name="soccer-natural",
        words="“Turn the frisbee into a soccer ball.” A clear ball that looks natural.",
        fields=SOCCER,
        output=PARK.but(flies="soccer"),
        consistency=(2,),
        realism=(2,),
        reason="Nothing to add, nothing to forgive.",
    ),
    WorkedCase(
        name="horse-none",
        words="“Turn the zebra into a regular horse.” What came out is no horse.",
        fields=HORSE,
        output=ZEBRA.but(kind="sheep", coat="#9b7a5b", legs=6)
        .with_flaw("swirl", at=(200, 180), radius=110, turn=3)
        .with_flaw("noise", amount=36, box=ANIMAL),
        consistency=(0,),
        realism=(0,),
        reason="The key instruction is missed and the animal is badly distorted.",
        practice=False,
    ),
    WorkedCase(
        name="horse-like",
        words="“Turn the zebra into a regular horse.” Like a horse, but unnatural.",
        fields=HORSE,
        output=ZEBRA.but(coat="#a98a6a", legs=6)
        .with_flaw("wave", height=7, length=34)
        .with_flaw("noise", amount=26, box=ANIMAL),
        consistency=(0.5,),
        realism=(0,),
        reason="Stripes remain and the legs are wrong: partly done. A large part is distorted.",
        practice=False,
    ),
    WorkedCase(
        name="horse-edge",
        words="“Turn the zebra into a regular horse.” A horse; the edge around it is off.",
        fields=HORSE,
        output=ZEBRA.but(kind="horse").with_flaw("edge", box=ANIMAL, shift=8),
        consistency=(2,),
        realism=(1,),
        reason="Exactly what was asked for; a faint edge is a small flaw.",
        practice=False,
    ),
    WorkedCase(
        name="horse-legs",
        words="“Turn the zebra into a regular horse.” A horse, but of another shape and with odd "
        "legs.",
        fields=HORSE,
        output=ZEBRA.but(kind="horse", scale=1.0, legs=5),
        consistency=(1,),
        realism=(1,),
        reason="It is a horse, but its shape was changed needlessly; the legs are a flaw.",
        practice=False,
    ),
)

EXAMPLES: Final = (
    Example(
        item="lemon",
        category="add",
        fields=_mask("Put a lemon on the plate.", PLATE, ON_PLATE),
        outputs=(
            PLATE.but(on="lemon"),
            PLATE.but(on="lemon").with_flaw("edge", box=ON_PLATE, shift=14),
            PLATE.but(on="orange"),
        ),
    ),
    Example(
        item="boat",
        category="add",
        fields=_mask("Add a yellow sailing boat.", LAKE, (200, 160, 340, 280)),
        outputs=(
            LAKE.but(boat="yellow"),
            LAKE.but(boat="red"),
            LAKE.but(boat="yellow").with_flaw("noise", amount=46, box=(200, 160, 340, 280)),
        ),
    ),
    Example(
        item="night-window",
        category="replace",
        fields=_mask("Show the night sky in the window.", KITCHEN, (148, 20, 260, 108)),
        outputs=(
            KITCHEN.but(window="night"),
            KITCHEN.but(window="night", cabinets="green"),
            KITCHEN.with_flaw("blur", radius=6, box=(150, 22, 258, 106)),
        ),
    ),
    Example(
        item="sheep",
        category="replace",
        fields=_mask("Turn the cow into a sheep.", picture("meadow"), ANIMAL),
        outputs=(
            picture("meadow", kind="sheep"),
            picture("meadow", kind="sheep").with_flaw("edge", box=ANIMAL, shift=18),
            picture("meadow", kind="dog", coat="#f0ece1"),
        ),
    ),
    Example(
        item="no-pear",
        category="remove",
        fields=_mask("Remove the pear.", FRUITS, (150, 140, 250, 270)),
        outputs=(
            FRUITS.but(middle=""),
            FRUITS.but(middle="").with_flaw("blur", radius=7, box=(150, 140, 250, 270)),
            FRUITS.but(middle="lemon"),
        ),
    ),
    Example(
        item="cat-hat",
        category="add",
        fields=_mask(
            "Put a hat on the cat.",
            picture("meadow", kind="cat", place="room"),
            (140, 60, 260, 160),
        ),
        outputs=(
            picture("meadow", kind="cat", place="room", wears="hat"),
            picture("meadow", kind="cat", place="room", wears="hat").with_flaw(
                "edge", box=(140, 60, 260, 160), shift=22
            ),
            picture("meadow", kind="cat", place="room", wears="glasses"),
        ),
    ),
)
