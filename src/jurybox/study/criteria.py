"""What is shown and what is asked: fields, criteria, derived criteria, worked cases."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool

from jurybox.study.parts import Part, Positive, Text, by_shape, sequence, short, tag
from jurybox.study.scales import ConfidenceField, Level, ScaleField

__all__ = ["TEXTUAL", "Case", "Choice", "Criterion", "Derived", "Medium", "Shown", "ShownField"]

Medium = Literal["text", "markdown", "code", "image", "images", "audio", "video", "chat"]
Choice = Literal["a", "b", "tie", "both_bad"]
TEXTUAL: frozenset[Medium] = frozenset({"text", "markdown", "code"})


class Shown(Part):
    """How one field is shown: `image` is short for `{as: image}`."""

    medium: Medium = Field(alias="as")
    """The medium: text, markdown, code, image, images, audio, video or chat."""
    caption: Text | None = None
    """Words above the field."""
    reference: StrictBool = False
    """Shown to the rater as the thing to compare with, leftmost."""
    zoom: StrictBool = True
    """Whether an image can be enlarged."""
    seconds: Positive | None = None
    """Hidden again after so many seconds (detect) or needed before an answer."""
    play: Literal["free", "to-the-end"] = "free"
    """Whether audio or video must be played to the end before an answer."""
    between: str | None = None
    """For a series: the field whose sentences stand between neighboring images."""


def _long_shown(value: Any) -> Any:
    return {"as": value} if isinstance(value, str) else value


ShownField = Annotated[Shown, short(_long_shown, Medium | Shown)]

Weight = Annotated[
    Annotated[float, Field(ge=0), tag("all")]
    | Annotated[dict[str, Annotated[float, Field(ge=0)]], Field(min_length=1), tag("each")],
    by_shape({(int, float): "all", dict: "each"}, "must be a number, or a map as `{minor: 0.1}`"),
]


class Criterion(Part):
    """One quality judged: the question, and how it may be answered."""

    question: Text | None = None
    """The words shown; by default the criterion's name."""
    look_for: Text | None = None
    """What to attend to, for the guide."""
    scale: ScaleField = None
    """A named scale (acr, likert, yes-no, 0-100, cmos) or a map from value to anchor."""
    choices: Annotated[tuple[Choice, ...] | None, short(sequence, list[Choice] | None)] = None
    """In compare: what may be answered, of a, b, tie, both_bad."""
    per: Literal["output", "trial"] | None = None
    """Whether each output is judged, or the trial as a whole."""
    level: Level | None = None
    """The level of measurement; by default the scale's."""
    pass_mark: float | None = Field(default=None, alias="pass")
    """The score from which an output passes."""
    direction: Literal["higher", "lower"] = "higher"
    """Which end of the scale is better."""
    confidence: ConfidenceField = None
    """How sure the rater is: a number of points, or a scale."""
    reason: Literal["optional", "required"] | None = None
    """Whether the rater is asked why."""
    answer: Literal["order", "best"] | None = None
    """In rank: all outputs in order, or only the best."""
    ties: StrictBool = False
    """In rank: whether outputs may share a place."""
    field: str | None = None
    """In mark: the field whose text is marked."""
    categories: Annotated[dict[str, Text], Field(min_length=1)] | None = None
    """In mark: the kinds of error, each with its meaning."""
    severities: Annotated[dict[str, Annotated[float, Field(ge=0)]], Field(min_length=1)] | None = (
        None
    )
    """In mark: how bad an error is, each with its weight."""
    weights: dict[str, Weight] | None = None
    """In mark: weights that override the severity's, by category or `category/kind`."""

    @property
    def graded(self) -> bool:
        """Whether a compare trial is answered on a scale whose sign names the winner."""
        return self.scale is not None and self.per == "trial"

    @property
    def all_categories(self) -> dict[str, Text]:
        """The categories offered: the written ones, then those that only ``weights`` names."""
        named = dict(self.categories or {})
        for name in self.weights or {}:
            named.setdefault(name, name.rpartition("/")[2])
        return named


Names = Annotated[tuple[str, ...], Field(min_length=1), short(sequence, list[str])]


class Derived(Part):
    """A criterion computed per response from others: exactly one of the three rules."""

    mean: Names | None = None
    """The plain mean of these criteria."""
    geometric_mean: Names | None = None
    """The root of the product of these criteria."""
    weighted_mean: Annotated[dict[str, Positive], Field(min_length=1)] | None = None
    """The mean of these criteria, each with its weight."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The criteria it is computed from."""
        return tuple(self.mean or self.geometric_mean or self.weighted_mean or ())

    @property
    def rule(self) -> str:
        """Which of the rules it is computed by."""
        return next((n for n in type(self).model_fields if getattr(self, n) is not None), "")


class Case(Part):
    """A worked case for the guide: what is seen, the right scores, and why."""

    case: Text
    """What is seen."""
    scores: dict[str, Any]
    """Per criterion the right answer, or a list of accepted answers."""
    reason: Text
    """Why these scores are right."""
    example: str | None = None
    """A media file that shows the case."""
