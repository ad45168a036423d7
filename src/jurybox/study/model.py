"""The study as a value: what `study.yaml` says, short forms already written out.

Names here are the names in the file. A study is frozen and knows nothing of tables or databases;
``rules`` says which combinations make sense and ``read`` finds the line of every mistake.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, NewType

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StrictBool,
    model_validator,
)

from jurybox.study import scales
from jurybox.study.scales import Level, Scale

__all__ = [
    "Access",
    "AnalysisChoices",
    "Calibration",
    "Case",
    "Criterion",
    "Derived",
    "Design",
    "Exclude",
    "ItemId",
    "Judge",
    "OutputTable",
    "Primary",
    "Prolific",
    "Protocol",
    "Quality",
    "RaterId",
    "Session",
    "Shown",
    "Study",
    "SurveyQuestion",
    "SystemId",
    "System",
    "Text",
]

ItemId = NewType("ItemId", str)
SystemId = NewType("SystemId", str)
RaterId = NewType("RaterId", str)

Protocol = Literal["rate", "compare", "rank", "detect", "mark"]
Text = str | dict[str, str]
"""Words for a person: one text, a file name ending in ``.md``, or one text per language."""

Name = Annotated[str, Field(pattern=r"^[^\s/\\|<>][^/\\|<>]*$", max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(strict=True, ge=1)]


class Part(BaseModel):
    """A piece of the study file: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


def _long_shown(value: Any) -> Any:
    return {"as": value} if isinstance(value, str) else value


Medium = Literal["text", "markdown", "code", "image", "images", "audio", "video", "chat"]


class Shown(Part):
    """How one field is shown: `image` is short for `{as: image}`."""

    medium: Medium = Field(alias="as")
    caption: Text | None = None
    reference: StrictBool = False
    """Shown to the rater as the thing to compare with, leftmost."""
    zoom: StrictBool = True
    seconds: Annotated[float, Field(gt=0)] | None = None
    """Hidden again after so many seconds (detect) or needed before an answer."""
    play: Literal["free", "to-the-end"] = "free"
    between: str | None = None
    """For a series: the field whose sentences stand between neighboring images."""


class Criterion(Part):
    """One quality judged: the question, and how it may be answered."""

    question: Text | None = None
    look_for: Text | None = None
    scale: Annotated[Scale | None, BeforeValidator(scales.expand)] = None
    choices: tuple[Literal["a", "b", "tie", "both_bad"], ...] | None = None
    per: Literal["output", "trial"] | None = None
    level: Level | None = None
    pass_mark: float | None = Field(default=None, alias="pass")
    direction: Literal["higher", "lower"] = "higher"
    confidence: Annotated[Scale | None, BeforeValidator(scales.expand_confidence)] = None
    reason: Literal["optional", "required"] | None = None
    answer: Literal["order", "best"] | None = None
    ties: StrictBool = False
    field: str | None = None
    categories: dict[str, Text] | None = None
    severities: dict[str, float] | None = None
    weights: dict[str, float | dict[str, float]] | None = None


class Derived(Part):
    """A criterion computed per response from others: exactly one of the three rules."""

    mean: tuple[str, ...] | None = None
    geometric_mean: tuple[str, ...] | None = None
    weighted_mean: dict[str, float] | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The criteria it is computed from."""
        return tuple(self.mean or self.geometric_mean or self.weighted_mean or ())


class Case(Part):
    """A worked case for the guide: what is seen, the right scores, and why."""

    case: Text
    scores: dict[str, Any]
    """Per criterion the right answer, or a list of accepted answers."""
    reason: Text
    example: str | None = None


class OutputTable(Part):
    """Outputs in one wide table: a column per system."""

    table: str
    columns: dict[str, str]
    """System to the name of its column."""
    field: str = "output"


class System(Part):
    """What is known of a system; never shown to a rater."""

    description: Text | None = None
    family: str | None = None
    baseline: StrictBool = False


class RandomPairs(Part):
    """A connected random subset of the pairs."""

    random: Count


class BaselinePairs(Part):
    """Every system against one."""

    baseline: str


class Design(Part):
    """The rule by which trials, orders and booklets are made."""

    overlap: Count = 3
    """How many raters answer each trial: exactly so many."""
    pairs: Literal["all", "cyclic"] | RandomPairs | BaselinePairs = "all"
    outputs_per_trial: Count | Literal["all"] | None = None
    items: Count | None = None
    stratify: Annotated[
        tuple[str, ...], BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)
    ] = ()
    real_share: Share = 0.5
    repeats: Share = 0.0
    raters: Count | None = None
    """How many booklets to make; by default as many as the session length asks for."""
    seed: Annotated[int, Field(strict=True, ge=0)] = 0


class Calibration(Part):
    """A round rated by everybody before the main one."""

    items: Count = 30
    target: float = 0.6
    gate: Literal["advise", "block"] = "advise"


class Exclude(Part):
    """Exclusion rules: a closed list of thresholds, stated before the data."""

    gold_below: Share | None = None
    practice_failed: StrictBool | None = None
    attention_failed: Count | None = None
    """Excluded with at least so many failed attention checks."""
    faster_than: Annotated[float, Field(gt=0)] | None = None
    """Excluded when the median trial took fewer seconds."""
    straight_line: Share | None = None
    """Excluded when one value makes up more than this share of the rater's scores."""
    agreement_below: float | None = None


class Quality(Part):
    """Practice, checks and the rules for leaving responses out."""

    practice: str | None = None
    practice_pass: Share = 0.6
    calibration: Calibration | None = None
    gold: str | None = None
    attention: str | None = None
    exclude: Exclude = Exclude()


class Session(Part):
    """One sitting: how long, with which breaks."""

    minutes: Annotated[float, Field(gt=0)] = 40
    break_every: Annotated[float, Field(gt=0)] | None = None
    """Minutes between offered breaks."""
    seconds_per_trial: Annotated[float, Field(gt=0)] | None = None
    """Expected time for a trial; by default estimated from what is shown."""
    back: StrictBool = True
    """Whether a rater may go back and change an answer."""
    lease_minutes: Annotated[float, Field(gt=0)] = 30


class Prolific(Part):
    """Completion codes of a Prolific study."""

    completed: str
    screened_out: str | None = None
    no_consent: str | None = None


class Access(Part):
    """Who gets in. Without any of these, anybody with the link, under an id of their own."""

    listed: tuple[str, ...] | str | None = None
    """Rater ids, or a file with one id a line."""
    invited: StrictBool = False
    resume: Literal["link", "id"] = "link"
    prolific: Prolific | None = None
    mturk: StrictBool = False
    code: str | None = None
    """The completion code shown at the end."""
    partial_code: str | None = None
    payment: Text | None = None


class SurveyQuestion(Part):
    """A question about the rater, asked once before the trials."""

    question: Text
    choices: dict[str, Text] | tuple[str, ...] | None = None
    required: StrictBool = True


class Judge(Part):
    """A model that rates."""

    model: str
    endpoint: str
    key_env: str | None = None
    """The name of the environment variable that holds the key; never the key."""
    temperature: Annotated[float, Field(ge=0)] = 0.0
    seed: int | None = None
    repeats: Count = 1
    order: Literal["both", "random", "fixed"] = "both"
    trials: Share | Literal["all"] | tuple[str, ...] = "all"
    price_in: Annotated[float, Field(ge=0)] | None = None
    price_out: Annotated[float, Field(ge=0)] | None = None
    """Prices per million tokens."""
    budget: Annotated[float, Field(gt=0)] | None = None
    family: str | None = None
    template: str | None = None


class Primary(Part):
    """The one contrast the study is about."""

    criterion: str | None = None
    win_rate: tuple[str, str] | None = None
    mean: tuple[str, str] | None = None


class AnalysisChoices(Part):
    """What the analysis needs to know before the data."""

    primary: Primary | None = None
    margin: Annotated[float, Field(gt=0)] | None = None
    epsilon: Annotated[float, Field(ge=0)] | None = None
    baseline: str | None = None
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95


class Study(Part):
    """A whole study. ``jurybox.load_study`` reads one; ``save`` writes one."""

    title: Text
    protocol: Protocol
    language: str = "en"
    description: Text | None = None
    instructions: Text | None = None
    look_for: tuple[Text, ...] = ()
    cases: tuple[Case, ...] = ()
    items: str | None = None
    outputs: str | OutputTable
    systems: dict[Name, System] | None = None
    real: tuple[str, ...] = ()
    show: dict[str, Annotated[Shown, BeforeValidator(_long_shown)]]
    criteria: dict[Name, Criterion] = Field(default_factory=dict)
    derived: dict[Name, Derived] = Field(default_factory=dict)
    design: Design = Design()
    quality: Quality = Quality()
    session: Session = Session()
    access: Access = Access()
    consent: Text | None = None
    survey: dict[Name, SurveyQuestion] = Field(default_factory=dict)
    judges: dict[Name, Judge] = Field(default_factory=dict)
    analysis: AnalysisChoices = AnalysisChoices()

    _directory: Path | None = PrivateAttr(default=None)
