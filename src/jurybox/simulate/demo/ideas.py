"""What the demo's systems were asked to draw, and how each request can go wrong.

An idea knows four pictures: everything as asked, one detail wrong, half of it wrong, missed. The
caption always tells what the picture shows, so the rater can see from either that it went wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jurybox.study.templates.draw import Picture, picture

__all__ = ["Idea", "Shown", "known_ideas", "make_ideas"]

WHEN = {
    "day": "on a sunny day",
    "sunset": "at sunset",
    "night": "at night",
    "winter": "in winter",
    "violet": "at dusk",
}
WHERE = {
    "meadow": "in a meadow",
    "beach": "on a beach",
    "snow": "in the snow",
    "street": "in a street",
    "forest": "in a forest",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture and the sentence that describes it."""

    picture: Picture
    sentence: str


@dataclass(frozen=True, slots=True)
class Idea:
    """A request, and what is shown for it at each level of fidelity, the missed one first."""

    name: str
    category: str
    levels: tuple[Shown, Shown, Shown, Shown]

    @property
    def instruction(self) -> str:
        """The request: the sentence of the picture that has everything."""
        return self.levels[3].sentence


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def _lake(boat: str, time: str) -> Shown:
    subject = f"{_a(boat)} sailing boat on a mountain lake" if boat else "a mountain lake"
    return Shown(picture("lake", boat=boat, time=time), _sentence(f"{subject} {WHEN[time]}"))


def _animal(kind: str, place: str, hat: str) -> Shown:
    traits: dict[str, Any] = {"kind": kind, "place": place}
    if hat:
        traits["wears"] = f"hat-{hat}"
    dressed = f" with a {hat} hat" if hat else ""
    return Shown(picture("meadow", **traits), _sentence(f"{_a(kind)}{dressed} {WHERE[place]}"))


def _cottage(door: str, season: str, time: str) -> Shown:
    light = "by day" if time == "day" else WHEN[time]
    return Shown(
        picture("cottage", door=door, season=season, time=time),
        f"A cottage with {_a(door)} door in {season}, {light}",
    )


def _fruits(left: str, middle: str, right: str) -> Shown:
    sentence = f"{_a(left)}, {_a(middle)} and {_a(right)} side by side on a table"
    return Shown(
        picture("fruits", left=left, middle=middle, right=right),
        _sentence(sentence),
    )


def _lakes() -> Iterator[Idea]:
    boats = ("red", "blue", "yellow", "white", "green", "orange", "purple", "teal", "pink", "navy")
    times = ("sunset", "day", "night", "winter", "violet")
    for k, boat in enumerate(boats):
        time, late, other = times[k % 5], times[(k + 2) % 5], boats[(k + 3) % 10]
        missed, half = _lake("", late), _lake(other, late)
        yield Idea(
            f"lake-{k + 1:02}", "lake", (missed, half, _lake(other, time), _lake(boat, time))
        )


def _animals() -> Iterator[Idea]:
    kinds, places = ("cow", "horse", "zebra", "sheep", "dog"), tuple(WHERE)
    for k in range(10):
        kind, place = kinds[k % 5], places[(k + k // 5) % 5]
        other, elsewhere = kinds[(k + 2) % 5], places[(k + k // 5 + 2) % 5]
        hat = ("straw", "felt")[k % 2]
        yield Idea(
            f"animal-{k + 1:02}",
            "animal",
            (
                _animal(other, elsewhere, ""),
                _animal(kind, elsewhere, ""),
                _animal(kind, place, ""),
                _animal(kind, place, hat),
            ),
        )


def _cottages() -> Iterator[Idea]:
    doors = ("red", "blue", "yellow", "green", "purple", "orange")
    for k, door in enumerate(doors):
        season, time = ("winter", "summer")[k % 2], ("day", "night", "sunset")[k % 3]
        changed = {"winter": "summer", "summer": "winter"}[season]
        other = doors[(k + 2) % 6]
        yield Idea(
            f"cottage-{k + 1:02}",
            "cottage",
            (
                _lake("", time),
                _cottage(other, changed, time),
                _cottage(other, season, time),
                _cottage(door, season, time),
            ),
        )


def _fruit_rows() -> Iterator[Idea]:
    fruits = ("apple", "pear", "plum", "lemon", "orange")
    for k in range(4):
        left, middle, right, fourth, fifth = fruits[k:] + fruits[:k]
        yield Idea(
            f"fruits-{k + 1:02}",
            "fruits",
            (
                _animal("dog", "meadow", ""),
                _fruits(fourth, fifth, right),
                _fruits(left, fourth, right),
                _fruits(left, middle, right),
            ),
        )


def make_ideas() -> tuple[Idea, ...]:
    """The thirty requests of the demo."""
    return (*_lakes(), *_animals(), *_cottages(), *_fruit_rows())


def known_ideas() -> tuple[Idea, ...]:
    """Requests of their own for practice and gold, so that no trial's answer is given away."""
    return (
        Idea("known-1", "known", (
            _animal("cow", "street", ""), _lake("teal", "night"), _lake("teal", "day"),
            _lake("red", "day"),
        )),
        Idea("known-2", "known", (
            _cottage("green", "summer", "day"), _animal("zebra", "snow", ""),
            _animal("zebra", "beach", ""), _animal("zebra", "beach", "felt"),
        )),
        Idea("known-3", "known", (
            _fruits("lemon", "lemon", "lemon"), _cottage("red", "summer", "night"),
            _cottage("red", "winter", "night"), _cottage("yellow", "winter", "night"),
        )),
        Idea("known-4", "known", (
            _lake("", "sunset"), _fruits("plum", "plum", "apple"),
            _fruits("pear", "plum", "apple"), _fruits("pear", "lemon", "apple"),
        )),
    )  # fmt: skip
