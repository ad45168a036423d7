"""The pictures of the general templates: where each file lies, and what is drawn in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from jurybox.study.templates.draw import Drawing, Picture, Strip, picture

__all__ = ["PICTURES"]

Sheet = dict[str, Drawing]
"""Path in the study to its drawing."""

LAKE: Final = picture("lake", boat="red")
HORSE: Final = picture("meadow", kind="horse", also="tree")


def _outputs(columns: Mapping[str, Iterable[tuple[str, Picture]]]) -> Sheet:
    """One folder per system, one picture per item."""
    return {
        f"images/{system}/{item}.png": drawing
        for system, drawings in columns.items()
        for item, drawing in drawings
    }


def _numbered(drawings: Iterable[Drawing]) -> Sheet:
    return {f"practice/practice-{n}.png": drawing for n, drawing in enumerate(drawings, start=1)}


def _image_quality() -> Sheet:
    clean = {
        "lake": picture("lake"),
        "cottage": picture("cottage"),
        "kitchen": picture("kitchen"),
        "horse": HORSE,
        "fruits": picture("fruits"),
        "portrait": picture("man"),
    }
    birch = {
        "lake": clean["lake"].with_flaw("noise", amount=14),
        "cottage": picture("cottage").with_flaw("blur", radius=1.4),
        "kitchen": picture("kitchen").with_flaw("spots", count=4),
        "horse": HORSE.but(legs=5),
        "fruits": picture("fruits").with_flaw("blur", radius=2, box=(150, 120, 250, 270)),
        "portrait": picture("man", face="slight"),
    }
    cedar = {
        "lake": clean["lake"].with_flaw("blocks", quality=5),
        "cottage": picture("cottage").with_flaw("wave", height=9),
        "kitchen": picture("kitchen").with_flaw("repeat", box=(130, 60, 230, 160)),
        "horse": HORSE.but(legs=7).with_flaw("noise", amount=30),
        "fruits": picture("fruits").with_flaw("hue", shift=120).with_flaw("dull"),
        "portrait": picture("man", face="bad", hand="splayed"),
    }
    examples: Sheet = {
        "examples/quality-5.png": LAKE,
        "examples/quality-4.png": LAKE.with_flaw("noise", amount=9),
        "examples/quality-3.png": LAKE.with_flaw("blur", radius=2.2),
        "examples/quality-2.png": LAKE.with_flaw("wave", height=8).with_flaw("noise", amount=24),
        "examples/quality-1.png": LAKE.with_flaw("blocks", quality=2).with_flaw("tear"),
        "examples/six-legs.png": HORSE.but(legs=6),
        "examples/false-colors.png": picture("cottage").with_flaw("hue", shift=110),
        "examples/blurred.png": picture("fruits").with_flaw("blur", radius=6),
    }
    practice = (
        picture("cottage", dog="plain"),
        picture("lake", swan=True).with_flaw("blocks", quality=4),
        picture("meadow", kind="dog", place="beach", legs=6),
        picture("plate", on="strawberry").with_flaw("blur", radius=1.6),
        picture("fruits", left="lemon").with_flaw("hue", shift=140),
        picture("kitchen").with_flaw("noise", amount=80).with_flaw("tear"),
    )
    columns = {"aurora": clean, "birch": birch, "cedar": cedar}
    return {
        **_outputs({system: drawings.items() for system, drawings in columns.items()}),
        **examples,
        **_numbered(practice),
    }


def _mos() -> Sheet:
    motifs = {
        "lake": LAKE,
        "cottage": picture("cottage", time="sunset"),
        "cow": picture("meadow"),
        "teapot": picture("still", kind="teapot"),
        "plane": picture("air", plane="red"),
        "street": picture("still", kind="car", place="street"),
    }
    losses: dict[str, Callable[[Picture], Picture]] = {
        "aurora": lambda drawing: drawing,
        "birch": lambda drawing: drawing.with_flaw("blur", radius=1.2),
        "cedar": lambda drawing: drawing.with_flaw("noise", amount=22),
        "dune": lambda drawing: drawing.with_flaw("blocks", quality=6),
    }
    return {
        **_outputs(
            {
                system: [(item, lose(drawing)) for item, drawing in motifs.items()]
                for system, lose in losses.items()
            }
        ),
        "examples/clean.png": picture("lake"),
        "examples/squares.png": picture("lake").with_flaw("blocks", quality=4),
        "examples/soft.png": picture("lake").with_flaw("blur", radius=1.6),
        **_numbered(
            (
                picture("cottage", season="winter"),
                picture("fruits").with_flaw("noise", amount=90),
                picture("kitchen").with_flaw("blur", radius=1.2),
                picture("meadow", kind="sheep").with_flaw("blocks", quality=3),
                picture("park").with_flaw("noise", amount=30),
            )
        ),
    }


def _real_vs_generated() -> Sheet:
    slips = {
        "bricks": ("even", "merge"),
        "clock": ("hands", "numbers"),
        "flower": ("petals", "stem"),
        "pebbles": ("light", "light"),
        "leaf": ("veins", "veins"),
        "planks": ("grain", "grain"),
    }

    def made(which: int | None, seed: int) -> list[tuple[str, Picture]]:
        """One picture of each scene; ``which`` chooses its slip, or none for a real one."""
        rows: list[tuple[str, Picture]] = []
        for number, (scene, slip) in enumerate(slips.items()):
            traits: dict[str, Any] = {} if which is None else {"slip": slip[which]}
            rows.append((f"{scene}-{seed + number}", picture(scene, seed=seed + number, **traits)))
        return rows

    return {
        # As many real ones as generated ones: half of the trials show something real.
        **_outputs(
            {
                "real": [*made(None, 0), *made(None, 21)],
                "aurora": made(0, 7),
                "birch": made(1, 14),
            }
        ),
        "examples/clock-numbers.png": picture("clock", seed=31, slip="numbers"),
        "examples/pebbles.png": picture("pebbles", seed=32),
        "examples/bricks-even.png": picture("bricks", seed=33, slip="even"),
        **_numbered(
            (
                picture("clock", seed=40),
                picture("clock", seed=41, slip="hands"),
                picture("flower", seed=42, slip="petals"),
                picture("planks", seed=43),
                picture("leaf", seed=44, slip="veins"),
                picture("leaf", seed=46),
            )
        ),
    }


def _ab_forced() -> Sheet:
    dog = picture("meadow", kind="dog", place="beach", wears="hat-straw")
    boat = picture("lake", boat="red", time="sunset")
    snow = picture("cottage", season="winter")
    fruits = picture("fruits", left="lemon", right="plum")
    kitchen = picture("kitchen", cabinets="green", floor="tiles")
    man = picture("man", wears="glasses")
    items = ("dog-hat", "red-boat", "cottage-snow", "three-fruits", "green-kitchen", "man-mug")
    aurora = (dog, boat, snow, fruits, kitchen, man)
    birch = (
        dog.but(wears=""),
        boat.but(time="day"),
        snow.with_flaw("blur", radius=1.6),
        fruits.but(right="orange"),
        kitchen.but(floor="wood"),
        man.but(face="slight"),
    )
    cedar = (
        dog.but(legs=6).with_flaw("noise", amount=24),
        boat.but(boat="").with_flaw("wave"),
        snow.but(season="summer"),
        fruits.but(middle="").with_flaw("dull"),
        kitchen.but(cabinets="darkwood").with_flaw("tear"),
        man.but(wears="", hand="splayed"),
    )
    columns = {"aurora": aurora, "birch": birch, "cedar": cedar}
    pairs = (
        (
            picture("meadow", kind="sheep", place="snow"),
            picture("meadow", kind="horse", place="snow"),
        ),
        (picture("air", plane="blue", clear=False), picture("air", plane="blue")),
        (picture("meadow", kind="cat", wears="scarf"), picture("meadow", kind="cat")),
        (picture("still").with_flaw("noise", amount=60), picture("still")),
        (picture("meadow", kind="horse"), picture("meadow", kind="horse", legs=7)),
    )
    beach = picture("meadow", kind="dog", place="beach").with_flaw("noise", amount=14)
    meadow = picture("meadow", kind="dog", coat="#f2efe9")
    return {
        **_outputs({s: zip(items, drawings, strict=True) for s, drawings in columns.items()}),
        "examples/dog.png": Strip((beach, meadow), arrow=False),
        "examples/boat.png": Strip((LAKE, LAKE.with_flaw("blur", radius=4)), arrow=False),
        **{f"practice/{n}-a.png": a for n, (a, _) in enumerate(pairs, start=1)},
        **{f"practice/{n}-b.png": b for n, (_, b) in enumerate(pairs, start=1)},
    }


def _best_of_n() -> Sheet:
    shown = {
        "cow": picture("meadow"),
        "boat": picture("lake", boat="yellow", time="sunset"),
        "kitchen": picture("kitchen", cabinets="green", floor="tiles"),
        "cat": picture("meadow", kind="cat", place="snow", wears="scarf"),
        "fruits": picture("fruits"),
        "cottage": picture("cottage", time="night"),
    }
    holding = picture("pair", first="robot", second="teapot", action="holds", place="snow")
    return {
        **{f"pictures/{item}.png": drawing for item, drawing in shown.items()},
        "examples/boat.png": LAKE,
        **_numbered(
            (
                picture("meadow", kind="dog", place="beach"),
                picture("still", kind="car"),
                picture("man"),
                picture("plate", on="strawberry"),
                holding,
            )
        ),
    }


def _transformation_telling() -> Sheet:
    stages = {"plant": 5, "candle": 4, "snowman": 5, "glass": 5, "cake": 5, "fence": 4}
    plant = tuple(picture("plant", stage=stage) for stage in (0, 1, 4))
    snowman = tuple(picture("snowman", stage=stage) for stage in (0, 1, 2, 3))
    return {
        **{
            f"states/{scene}-{stage + 1}.png": picture(scene, stage=stage)
            for scene, count in stages.items()
            for stage in range(count)
        },
        "examples/candle.png": Strip(
            tuple(picture("candle", stage=stage) for stage in range(4)), arrow=False
        ),
        **{f"practice/plant-{n}.png": drawing for n, drawing in enumerate(plant, start=1)},
        **{f"practice/snowman-{n}.png": drawing for n, drawing in enumerate(snowman, start=1)},
    }


PICTURES: Final[dict[str, Callable[[], Sheet]]] = {
    "image-quality": _image_quality,
    "mos": _mos,
    "real-vs-generated": _real_vs_generated,
    "ab-forced": _ab_forced,
    "best-of-n": _best_of_n,
    "transformation-telling": _transformation_telling,
}
