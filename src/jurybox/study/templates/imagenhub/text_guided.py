"""Text-guided editing: examples and worked cases."""

from __future__ import annotations

from typing import Final

from jurybox.study.templates.draw import Picture, picture
from jurybox.study.templates.imagenhub.parts import Example, Value, WorkedCase

__all__ = ["CASES", "EXAMPLES"]

LAKE: Final = picture("lake")
KITCHEN: Final = picture("kitchen")
FRUITS: Final = picture("fruits")
MAN: Final = picture("man")
COW: Final = picture("meadow", pond=True)
COTTAGE: Final = picture("cottage")


def _edit(instruction: str, before: Picture) -> dict[str, Value]:
    return {"instruction": instruction, "input": before}


HAT: Final = "What if the man had a hat?"
DARK_CABINETS: Final = "Make the cabinets of dark wood."

CASES: Final = (
    WorkedCase(
        name="untouched",
        words="“Add a boat to the lake.” The output is exactly the input, a flawless picture.",
        fields=_edit("Add a boat to the lake.", LAKE),
        output=LAKE,
        consistency=(0,),
        realism=(2,),
        reason="Nothing of what was asked for is there. The picture itself is perfect, so realism "
        "is not touched by that: judge the two apart.",
    ),
    WorkedCase(
        name="nearly-untouched",
        words="“Add a boat to the lake.” The output is nearly the input, with a few unnatural "
        "spots.",
        fields=_edit("Add a boat to the lake.", LAKE),
        output=LAKE.with_flaw("spots", count=5, box=(20, 30, 380, 180)),
        consistency=(0,),
        realism=(1,),
        reason="The boat is missing. The spots are small flaws on unimportant parts.",
    ),
    WorkedCase(
        name="granite-floor",
        words="“Lay a granite floor in the kitchen.” The floor is granite, but its pattern has "
        "spread over cabinets and wall, and the kitchen looks dirty.",
        fields=_edit("Lay a granite floor in the kitchen.", KITCHEN),
        output=KITCHEN.but(floor="granite", spread=True),
        consistency=(1,),
        realism=(1, 2),
        reason="What was asked for is done; the stains elsewhere are a needless change.",
    ),
    WorkedCase(
        name="cat-elsewhere",
        words="“Replace the middle fruit by a cat.” A cat is there, but everything behind it is "
        "new, and cat and background are distorted.",
        fields=_edit("Replace the middle fruit by a cat.", FRUITS),
        output=FRUITS.but(middle="cat", place="dusk")
        .with_flaw("swirl", at=(200, 190), radius=90, turn=2.4)
        .with_flaw("wave", height=6, length=60),
        consistency=(0,),
        realism=(0, 0.5),
        reason="A completely different background makes consistency 0, whatever else was done. "
        "Body and background are distorted.",
    ),
    WorkedCase(
        name="hat-face",
        words=f"“{HAT}” The hat fits; the face is slightly distorted.",
        fields=_edit(HAT, MAN),
        output=MAN.but(wears="hat", face="slight"),
        consistency=(2,),
        realism=(1,),
        reason="The hat is what was asked for and nothing else changed on purpose; the slight "
        "distortion of the face belongs to realism.",
    ),
    WorkedCase(
        name="hat-hand",
        words=f"“{HAT}” The hat fits, but the hand was changed too, and the face is slightly "
        "distorted.",
        fields=_edit(HAT, MAN),
        output=MAN.but(wears="hat", face="slight", hand="splayed"),
        consistency=(1,),
        realism=(1,),
        reason="The hand is a needless change; the distortion is slight.",
    ),
    WorkedCase(
        name="hat-wrong",
        words=f"“{HAT}” There is a hat, but it does not suit the head, and the picture is "
        "distorted.",
        fields=_edit(HAT, MAN),
        output=MAN.but(wears="hat-crooked", face="bad"),
        consistency=(0.5,),
        realism=(0.5, 0),
        reason="Done, but in an unnatural way. How far the distortion spoils the whole may be seen "
        "either way.",
    ),
    WorkedCase(
        name="hat-wall",
        words=f"“{HAT}” The hat fits and nothing is distorted, but the wall has another color.",
        fields=_edit(HAT, MAN),
        output=MAN.but(wears="hat", behind="#dcb3a0"),
        consistency=(1,),
        realism=(2, 1),
        reason="The color of the wall is a needless change. There is no distortion.",
    ),
    WorkedCase(
        name="hat-elsewhere",
        words=f"“{HAT}” The background was replaced and everything is distorted.",
        fields=_edit(HAT, MAN),
        output=MAN.but(wears="hat", behind="street", face="bad").with_flaw(
            "wave", height=9, length=50
        ),
        consistency=(0,),
        realism=(0, 0.5),
        reason="Another background: consistency is 0 although there is a hat.",
    ),
    WorkedCase(
        name="cabinets-tiles",
        words=f"“{DARK_CABINETS}” The cabinets are dark, and the floor was changed as well.",
        fields=_edit(DARK_CABINETS, KITCHEN),
        output=KITCHEN.but(cabinets="darkwood", floor="tiles"),
        consistency=(1,),
        reason="A needless change. Compare with the next case.",
        practice=False,
    ),
    WorkedCase(
        name="cabinets-elsewhere",
        words=f"“{DARK_CABINETS}” The cabinets are dark, but this is another kitchen.",
        fields=_edit(DARK_CABINETS, KITCHEN),
        output=KITCHEN.but(
            cabinets="darkwood", floor="granite", walls="#b7a6c9", window="sunset", table="teal"
        ),
        consistency=(0,),
        reason="A completely different background is not the edit that was asked for.",
        practice=False,
    ),
    WorkedCase(
        name="cow-hat",
        words="“Have the cow wear a hat.” Done perfectly, down to the reflection in the pond.",
        fields=_edit("Have the cow wear a hat.", COW),
        output=COW.but(wears="hat-straw"),
        consistency=(2,),
        realism=(2,),
        reason="Everything asked for, nothing else, and even the reflections are believable.",
    ),
)

EXAMPLES: Final = (
    Example(
        item="blue-door",
        category="color",
        fields=_edit("Paint the front door blue.", COTTAGE),
        outputs=(
            COTTAGE.but(door="blue"),
            COTTAGE.but(door="blue", roof="#7d8a94"),
            COTTAGE.but(door="#7a5a86").with_flaw("blur", radius=2, box=(180, 160, 260, 260)),
        ),
    ),
    Example(
        item="sunset",
        category="light",
        fields=_edit("Make it sunset over the lake.", picture("lake", boat="red")),
        outputs=(
            picture("lake", boat="red", time="sunset"),
            picture("lake", boat="red", time="violet").with_flaw("noise", amount=16),
            picture("lake", time="sunset", peaks=False),
        ),
    ),
    Example(
        item="dog",
        category="add",
        fields=_edit("Add a dog beside the house.", COTTAGE),
        outputs=(
            COTTAGE.but(dog="plain"),
            COTTAGE.but(dog="plain").with_flaw("edge", box=(276, 190, 390, 286), shift=30),
            COTTAGE,
        ),
    ),
    Example(
        item="no-tree",
        category="remove",
        fields=_edit("Remove the tree.", COTTAGE),
        outputs=(
            COTTAGE.but(has_tree=False),
            COTTAGE.but(has_tree=False).with_flaw("blur", radius=5, box=(10, 110, 140, 250)),
            COTTAGE.but(has_tree=False, chimney=False, season="winter"),
        ),
    ),
    Example(
        item="scarf",
        category="add",
        fields=_edit("Give the cat a red scarf.", picture("meadow", kind="cat")),
        outputs=(
            picture("meadow", kind="cat", wears="scarf"),
            picture("meadow", kind="cat", wears="scarf", place="snow"),
            picture("meadow", kind="cat", wears="hat").with_flaw("swirl", at=(200, 190), turn=1.4),
        ),
    ),
    Example(
        item="plums",
        category="replace",
        fields=_edit("Replace the apple by a plum.", FRUITS),
        outputs=(
            FRUITS.but(left="plum"),
            FRUITS.but(left="plum", right="plum"),
            FRUITS.with_flaw("hue", shift=180, box=(60, 180, 140, 262)),
        ),
    ),
)
