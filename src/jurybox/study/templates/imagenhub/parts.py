"""The pieces that the eight ImagenHub templates are composed of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jurybox.study.templates.draw import Drawing, Picture

__all__ = ["Anchors", "Example", "Family", "Input", "Rubric", "WorkedCase"]

Value = str | Drawing
"""What stands in a field: words, or a picture to draw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchors:
    """What each value of one criterion means; ``best_of_three`` joins 1 and 2 for three points."""

    question: str
    look_for: str
    two: str
    one: str
    half: str
    zero: str
    best_of_three: str

    def scale(self, *, three_point: bool) -> dict[float, str]:
        """Value to anchor, in ascending order."""
        if three_point:
            return {0: self.zero, 0.5: self.half, 1: self.best_of_three}
        return {0: self.zero, 0.5: self.half, 1: self.one, 2: self.two}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One field that the item brings: what it is, as what it is shown, and its caption."""

    name: str
    medium: str
    caption: str
    comment: str
    reference: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """What the rater is asked, and shown."""

    title: str
    summary: str
    opening: str
    """The first paragraph of the instructions."""
    look_for: tuple[str, ...]
    inputs: tuple[Input, ...]
    consistency: Anchors
    realism: Anchors
    as_photograph: bool = True
    """Whether a clean drawing is to be taken for a photograph; false for paintings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An item with three systems' outputs: aurora's, birch's and cedar's."""

    item: str
    category: str
    fields: Mapping[str, Value]
    outputs: tuple[Picture, Picture, Picture]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedCase:
    """A case of the guide; with ``practice`` also a practice trial.

    ``consistency`` and ``realism`` hold every accepted score of the four-point scale; an empty
    ``realism`` means that the case is about consistency alone.
    """

    name: str
    words: str
    consistency: tuple[float, ...]
    reason: str
    output: Picture
    fields: Mapping[str, Value] = field(default_factory=dict)
    realism: tuple[float, ...] = ()
    practice: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One template: its rubric with examples and cases."""

    rubric: Rubric
    examples: tuple[Example, ...]
    cases: tuple[WorkedCase, ...]
    anchor_examples: Mapping[tuple[str, float], str] = field(default_factory=dict)
    """(criterion, value) to the name of the case whose picture illustrates the anchor."""
