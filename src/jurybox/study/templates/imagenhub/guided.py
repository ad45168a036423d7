"""Control-guided and style-guided generation and text to image: examples and worked cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from jurybox.study.templates.draw import Edges, Picture, picture
from jurybox.study.templates.imagenhub import text_guided
from jurybox.study.templates.imagenhub.parts import Example, Value, WorkedCase

__all__ = [
    "CONTROL_CASES",
    "CONTROL_EXAMPLES",
    "STYLE_CASES",
    "STYLE_EXAMPLES",
    "TEXT_CASES",
    "TEXT_EXAMPLES",
]


def _control(description: str, of: Picture) -> dict[str, Value]:
    return {"description": description, "control": Edges(of)}


def _style(description: str, style: str) -> dict[str, Value]:
    return {"description": description, "style": picture("lake", boat="red").painted(style)}


def _text(description: str) -> dict[str, Value]:
    return {"description": description}


COW: Final = picture("meadow", also="tree")
COW_CONTROL: Final = _control("A white cow with black patches beside a tree.", COW)

CONTROL_CASES: Final = (
    WorkedCase(
        name="cow-exact",
        words="“A white cow with black patches beside a tree.” All of it is there, along the "
        "lines.",
        fields=COW_CONTROL,
        output=COW,
        consistency=(2,),
        realism=(2,),
        reason="Description and control are both followed, and the picture is flawless.",
    ),
    WorkedCase(
        name="cow-ball",
        words="“A white cow with black patches beside a tree.” All of it is there, and a hat and a "
        "ball that nobody asked for.",
        fields=COW_CONTROL,
        output=COW.but(wears="hat-felt", also="tree soccer"),
        consistency=(1,),
        realism=(2,),
        reason="Everything described is there; the needless objects harm the scene.",
    ),
    WorkedCase(
        name="cow-partly",
        words="“A white cow with black patches beside a tree.” A brown dog stands where the cow "
        "should be.",
        fields=COW_CONTROL,
        output=COW.but(kind="dog"),
        consistency=(0.5,),
        realism=(2,),
        reason="Some of it is followed: a tree, and an animal in its place. The animal is wrong.",
    ),
    WorkedCase(
        name="cow-kitchen",
        words="“A white cow with black patches beside a tree.” The output is a kitchen.",
        fields=COW_CONTROL,
        output=picture("kitchen"),
        consistency=(0,),
        realism=(2,),
        reason="Nothing is followed. Realism is judged apart from that.",
    ),
    WorkedCase(
        name="cow-noise",
        words="“A white cow with black patches beside a tree.” All of it is there, under heavy "
        "noise.",
        fields=COW_CONTROL,
        output=COW.with_flaw("noise", amount=70),
        consistency=(2,),
        realism=(0,),
        reason="A large part of the picture is noise.",
    ),
    # Editing cases that hold here too; the control takes the place of the input.
    *(replace(case, practice=False) for case in text_guided.CASES),
)

CONTROL_EXAMPLES: Final = (
    Example(
        item="cottage",
        category="building",
        fields=_control("A cottage with a red roof and a green tree.", picture("cottage")),
        outputs=(
            picture("cottage"),
            picture("cottage", dog="plain"),
            picture("cottage", roof="#6f86a8", has_tree=False),
        ),
    ),
    Example(
        item="lake-boat",
        category="landscape",
        fields=_control("A red boat on a lake at sunset.", picture("lake", boat="red")),
        outputs=(
            picture("lake", boat="red", time="sunset"),
            picture("lake", boat="red"),
            picture("lake", time="sunset").with_flaw("tear", bands=5),
        ),
    ),
    Example(
        item="fruits",
        category="object",
        fields=_control("An apple, a pear and an orange on a wooden table.", picture("fruits")),
        outputs=(
            picture("fruits"),
            picture("fruits", right="plum"),
            picture("fruits", cloth="teal").with_flaw("blur", radius=3),
        ),
    ),
    Example(
        item="man-hat",
        category="person",
        fields=_control("A man with a dark red hat and a mug.", picture("man", wears="hat")),
        outputs=(
            picture("man", wears="hat"),
            picture("man", wears="hat", face="slight"),
            picture("man", wears="hat-crooked", hand="splayed"),
        ),
    ),
    Example(
        item="plane",
        category="vehicle",
        fields=_control("A blue airplane over green fields.", picture("air", plane="blue")),
        outputs=(
            picture("air", plane="blue"),
            picture("air", plane="red"),
            picture("air", plane="blue", clear=False, time="gray"),
        ),
    ),
    Example(
        item="teapot",
        category="object",
        fields=_control("A blue dotted teapot in a room.", picture("still", kind="teapot")),
        outputs=(
            picture("still", kind="teapot").with_flaw("spots", count=3),
            picture("still", kind="teapot"),
            picture("still", kind="teapot", place="street", traits={"fill": "teal"}),
        ),
    ),
)

COTTAGE: Final = picture("cottage")
COTTAGE_STYLE: Final = _style("A cottage with a red door, and a tree.", "points")

STYLE_CASES: Final = (
    WorkedCase(
        name="points-exact",
        words="“A cottage with a red door, and a tree”, in dots of bright color. All of it is "
        "there, "
        "in the same dots and colors.",
        fields=COTTAGE_STYLE,
        output=COTTAGE.painted("points"),
        consistency=(2,),
        realism=(2,),
        reason="Palette, stroke and paint match, and so does the description.",
    ),
    WorkedCase(
        name="points-no-tree",
        words="“A cottage with a red door, and a tree.” The style matches; the tree is missing.",
        fields=COTTAGE_STYLE,
        output=COTTAGE.but(has_tree=False).painted("points"),
        consistency=(1,),
        realism=(2,),
        reason="A minor object of the description is missing.",
    ),
    WorkedCase(
        name="points-gray",
        words="“A cottage with a red door, and a tree.” Painted in dots, but in gray.",
        fields=COTTAGE_STYLE,
        output=COTTAGE.painted("points").painted("gray"),
        consistency=(0.5,),
        realism=(2,),
        reason="The stroke matches, the palette does not: only partly similar.",
    ),
    WorkedCase(
        name="points-woodcut",
        words="“A cottage with a red door, and a tree.” A woodcut in black lines.",
        fields=COTTAGE_STYLE,
        output=COTTAGE.painted("woodcut"),
        consistency=(0,),
        realism=(2,),
        reason="A plainly different style, however well it is done.",
    ),
    WorkedCase(
        name="points-cow",
        words="“A cottage with a red door, and a tree.” The style matches, but it shows a cow.",
        fields=COTTAGE_STYLE,
        output=picture("meadow").painted("points"),
        consistency=(0,),
        realism=(2,),
        reason="The objects do not match the description.",
    ),
    WorkedCase(
        name="points-watermark",
        words="“A cottage with a red door, and a tree.” Right in every way, with a watermark.",
        fields=COTTAGE_STYLE,
        output=COTTAGE.painted("points").with_flaw("watermark"),
        consistency=(2,),
        realism=(0.5,),
        reason="A watermark is a flaw that does not spoil the whole.",
    ),
)

STYLE_EXAMPLES: Final = tuple(
    Example(item=item, category=style, fields=_style(description, style), outputs=outputs)
    for item, style, description, outputs in (
        (
            "kitchen-woodcut",
            "woodcut",
            "A kitchen with a pot and a window.",
            (
                picture("kitchen").painted("woodcut"),
                picture("kitchen").painted("woodcut").with_flaw("blur", radius=2),
                picture("kitchen").painted("gray"),
            ),
        ),
        (
            "fruits-points",
            "points",
            "An apple, a pear and an orange.",
            (
                picture("fruits").painted("points"),
                picture("fruits", middle="").painted("points"),
                picture("fruits").painted("watercolor"),
            ),
        ),
        (
            "horse-strokes",
            "strokes",
            "A brown horse in a meadow.",
            (
                picture("meadow", kind="horse").painted("strokes"),
                picture("meadow", kind="horse").painted("watercolor"),
                picture("meadow", kind="zebra").painted("strokes").with_flaw("tear"),
            ),
        ),
        (
            "boat-watercolor",
            "watercolor",
            "A lake at sunset with a yellow boat.",
            (
                picture("lake", boat="yellow", time="sunset").painted("watercolor"),
                picture("lake", time="sunset").painted("watercolor"),
                picture("lake", boat="yellow").with_flaw("hue", shift=30),
            ),
        ),
        (
            "cat-strokes",
            "strokes",
            "A cat in the snow.",
            (
                picture("meadow", kind="cat", place="snow").painted("strokes"),
                picture("meadow", kind="cat", place="snow").painted("points"),
                picture("meadow", kind="dog", place="snow").painted("strokes"),
            ),
        ),
        (
            "man-woodcut",
            "woodcut",
            "A man with a hat.",
            (
                picture("man", wears="hat").painted("woodcut"),
                picture("man").painted("woodcut"),
                picture("man", wears="hat").painted("woodcut").with_flaw("swirl", at=(200, 150)),
            ),
        ),
    )
)

HORSE: Final = picture("meadow", kind="horse", also="tree", time="sunset")
HORSE_TEXT: Final = _text("A dark brown horse beside a tree in a meadow, at sunset.")

TEXT_CASES: Final = (
    WorkedCase(
        name="horse-exact",
        words="“A dark brown horse beside a tree in a meadow, at sunset.” Exactly that.",
        fields=HORSE_TEXT,
        output=HORSE,
        consistency=(2,),
        realism=(2,),
        reason="Animal, color, tree, place and light are all as described.",
    ),
    WorkedCase(
        name="horse-shade",
        words="“A dark brown horse beside a tree in a meadow, at sunset.” The horse is light "
        "brown.",
        fields=HORSE_TEXT,
        output=HORSE.but(coat="#c79c6c"),
        consistency=(1,),
        realism=(2,),
        reason="A shade is a fine feature: it is brown, but not dark.",
    ),
    WorkedCase(
        name="horse-white-noon",
        words="“A dark brown horse beside a tree in a meadow, at sunset.” A white horse at noon.",
        fields=HORSE_TEXT,
        output=HORSE.but(coat="#f2efe9", time="day"),
        consistency=(0.5,),
        realism=(2,),
        reason="Color and time of day are plain features, and both are wrong.",
    ),
    WorkedCase(
        name="horse-dog",
        words="“A dark brown horse beside a tree in a meadow, at sunset.” A dog in a street.",
        fields=HORSE_TEXT,
        output=picture("meadow", kind="dog", place="street"),
        consistency=(0,),
        realism=(2,),
        reason="Most of what was described is missing.",
    ),
    WorkedCase(
        name="horse-watermark",
        words="“A dark brown horse beside a tree in a meadow, at sunset.” As described, with a "
        "watermark.",
        fields=HORSE_TEXT,
        output=HORSE.with_flaw("watermark"),
        consistency=(2,),
        realism=(0.5,),
        reason="A watermark is a flaw that does not spoil the whole.",
    ),
    WorkedCase(
        name="horse-broken",
        words="“A dark brown horse beside a tree in a meadow, at sunset.” As described, but noisy "
        "and torn into bands.",
        fields=HORSE_TEXT,
        output=HORSE.with_flaw("noise", amount=44).with_flaw("tear"),
        consistency=(2, 1),
        realism=(0,),
        reason="Obvious noise and distortion.",
    ),
)

TEXT_EXAMPLES: Final = tuple(
    Example(item=item, category=category, fields=_text(description), outputs=outputs)
    for item, category, description, outputs in (
        (
            "cottage-winter",
            "building",
            "A cottage with a red door, in winter.",
            (
                picture("cottage", season="winter"),
                picture("cottage", season="winter", door="blue"),
                picture("cottage", door="red").with_flaw("noise", amount=40),
            ),
        ),
        (
            "three-fruits",
            "count",
            "A lemon, a pear and a plum on a table.",
            (
                picture("fruits", left="lemon", right="plum"),
                picture("fruits", left="lemon", right="plum", place="beach"),
                picture("fruits", left="lemon", middle="", right="plum"),
            ),
        ),
        (
            "dog-beach",
            "animal",
            "A brown dog with a straw hat on a beach.",
            (
                picture("meadow", kind="dog", place="beach", wears="hat-straw"),
                picture("meadow", kind="dog", place="beach"),
                picture("meadow", kind="dog", place="beach", wears="hat-straw", legs=6),
            ),
        ),
        (
            "lake-night",
            "landscape",
            "A mountain lake at night with a swan.",
            (
                picture("lake", time="night", swan=True).with_flaw("blur", radius=1.5),
                picture("lake", time="night", swan=True),
                picture("lake", time="sunset", peaks=False),
            ),
        ),
        (
            "glasses",
            "person",
            "A man with dark hair and glasses, holding a mug.",
            (
                picture("man", wears="glasses", hair="#1f1a17"),
                picture("man", wears="glasses", hair="#b5763a", hand="none"),
                picture("man", wears="glasses", hair="#1f1a17", face="bad", hand="splayed"),
            ),
        ),
        (
            "kitchen-green",
            "room",
            "A kitchen with green cabinets and a tiled floor.",
            (
                picture("kitchen", cabinets="green", floor="tiles"),
                picture("kitchen", cabinets="green", floor="wood"),
                picture("kitchen", cabinets="darkwood", floor="tiles").with_flaw("wave"),
            ),
        ),
    )
)
