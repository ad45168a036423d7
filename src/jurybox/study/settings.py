"""How the study is run: design, quality, session, access, survey, judges, analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool

from jurybox.study import breach
from jurybox.study.parts import (
    Count,
    OneOf,
    Part,
    Positive,
    Share,
    Text,
    by_shape,
    listed,
    sequence,
    short,
    tag,
)

__all__ = [
    "Access",
    "AnalysisChoices",
    "BaselinePairs",
    "Calibration",
    "Design",
    "Exclude",
    "Judge",
    "OutputTable",
    "Primary",
    "Prolific",
    "Quality",
    "RandomPairs",
    "Session",
    "SurveyQuestion",
    "SurveyQuestionField",
    "System",
    "SystemField",
]


class OutputTable(Part):
    """Outputs in one wide table: a column per system."""

    table: str
    """The file."""
    columns: Annotated[dict[str, str], Field(min_length=1)]
    """System to the name of its column."""
    field: str = "output"
    """The field that the columns hold."""


class System(Part):
    """What is known of a system; never shown to a rater."""

    description: Text | None = None
    """What it is, for the report."""
    family: str | None = None
    """The model family, for judges that may prefer their own."""
    baseline: StrictBool = False
    """Whether the others are compared with this one."""
    hidden_reference: StrictBool = False
    """In a listening test: whether its outputs are the reference, hidden among the others."""
    anchor: StrictBool = False
    """In a listening test: whether its outputs have a known loss, which ties the scale down."""


SystemField = Annotated[
    System, short(lambda v: {"description": v} if isinstance(v, str) else v, str | System)
]


class RandomPairs(Part):
    """A connected random subset of the trials that all pairs would make."""

    random: Count
    """How many trials, each of them one item with one pair of systems."""


class BaselinePairs(Part):
    """Every system against one."""

    baseline: str
    """The system that all others meet."""


def _pairs_form(value: Any) -> str | None:
    if isinstance(value, str):
        return "word"
    if isinstance(value, RandomPairs | BaselinePairs):
        return type(value).__name__
    if isinstance(value, dict) and len(value) == 1:
        close = breach.closest(next(iter(value)), ["random", "baseline"]) or "random"
        return {"random": "RandomPairs", "baseline": "BaselinePairs"}[close]
    return None


Pairs = Annotated[
    Annotated[Literal["all", "cyclic"], tag("word")]
    | Annotated[RandomPairs, tag("RandomPairs")]
    | Annotated[BaselinePairs, tag("BaselinePairs")],
    OneOf(_pairs_form, "must be all, cyclic, `{random: 200}` or `{baseline: system}`"),
]
PerTrial = Annotated[
    Annotated[Count, tag("count")] | Annotated[Literal["all"], tag("word")],
    by_shape({int: "count", str: "word"}, "must be a whole number or all"),
]


class Design(Part):
    """The rule by which trials, orders and booklets are made."""

    overlap: Count = 3
    """How many raters answer each trial."""
    pairs: Pairs = "all"
    """In compare: which systems meet: all, cyclic, `{random: 200}` trials, `{baseline: old}`."""
    outputs_per_trial: PerTrial | None = None
    """How many outputs stand on one screen in rate and rank."""
    items: Count | None = None
    """How many items to take; by default all."""
    stratify: Annotated[tuple[str, ...], short(listed, str | list[str])] = ()
    """The item fields whose mix the chosen items keep."""
    allocation: Literal["proportional", "equal"] = "proportional"
    """How many items each stratum gives: in proportion to its size, or as many as the others."""
    same_items: StrictBool = True
    """Whether every system must have an output for every item."""
    core: Count | None = None
    """How many items every rater gets, whatever the overlap; by default none."""
    people: Annotated[float, Field(gt=0, lt=1)] | None = None
    """The share of the items that people rate, drawn at random; judges rate all of them."""
    real_share: Share = 0.5
    """In detect: the share of trials that show something real."""
    repeats: Share = 0.0
    """The share of a rater's trials that they see twice, for test–retest."""
    raters: Count | None = None
    """How many booklets to make, one for each rater; by default as many as sessions need."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """The same seed gives the same plan."""


class Calibration(Part):
    """A round rated by everybody before the main one."""

    items: Count = 30
    """How many items everybody rates."""
    target: Annotated[float, Field(ge=-1, le=1)] = 0.6
    """The agreement to reach."""
    gate: Literal["advise", "block"] = "advise"
    """Whether the main round waits for the target."""


class Exclude(Part):
    """Exclusion rules: a closed list of thresholds, stated before the data."""

    advice: ClassVar[Mapping[str, str]] = {
        "withdrawn": "responses of raters who withdraw are always left out"
    }

    gold_below: Share | None = None
    """Excluded when fewer gold trials than this share are right."""
    practice_failed: StrictBool | None = None
    """Excluded when the practice was not passed."""
    attention_failed: Count | None = None
    """Excluded with at least so many failed attention checks."""
    faster_than: Positive | None = None
    """Excluded when the median trial took fewer seconds."""
    straight_line: Share | None = None
    """Excluded when more than this share of the rater's answers to a criterion are one value."""
    hidden_reference_missed: Share | None = None
    """Excluded when more than this share of hidden references got less than 90% of the scale."""
    agreement_below: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Excluded when agreement with the others is lower; circular, and the report says so."""


class Quality(Part):
    """Practice, checks and the rules for leaving responses out."""

    practice: str | None = None
    """The table of practice trials with their answers."""
    practice_pass: Share = 0.6
    """The share of practice trials to get right."""
    calibration: Calibration | None = None
    gold: str | None = None
    """The table of trials with known answers, hidden among the others."""
    attention: str | None = None
    """The table of attention checks."""
    exclude: Exclude = Exclude()


class Session(Part):
    """One sitting: how long, with which breaks."""

    minutes: Positive = 40
    """The longest a booklet may take."""
    break_every: Positive | None = None
    """Minutes between offered breaks."""
    seconds_per_trial: Positive | None = None
    """Expected time for a trial; by default estimated from what is shown."""
    back: StrictBool = True
    """Whether a rater may go back and change an answer."""
    headphones: StrictBool = False
    """Whether raters set their volume and take a test of headphones before the trials."""
    lease_minutes: Positive = 30
    """How long a trial is held for a rater who is silent."""


class Prolific(Part):
    """Completion codes of a Prolific study."""

    completed: str
    """Shown at the end."""
    screened_out: str | None = None
    """Shown to a rater who failed the practice."""
    no_consent: str | None = None
    """Shown to a rater who did not consent."""


Raters = Annotated[
    Annotated[str, tag("file")]
    | Annotated[tuple[str, ...], short(sequence, list[str]), tag("list")]
    | Annotated[
        dict[str, Annotated[tuple[str, ...], short(sequence, list[str])]],
        Field(min_length=1),
        tag("groups"),
    ],
    by_shape(
        {str: "file", (list, tuple): "list", dict: "groups"},
        "must be a list of ids, a file's name, or ids by group",
    ),
]


class Access(Part):
    """Who gets in. Without any of these, anybody with the link, under an id of their own."""

    listed: Raters | None = None
    """Rater ids, ids by group, or a file: one id a line, or a table of rater and group."""
    invited: StrictBool = False
    """Only people with a personal link."""
    resume: Literal["link", "id"] = "link"
    """Whether coming back needs the personal link or the id alone."""
    prolific: Prolific | None = None
    mturk: StrictBool = False
    """Works inside Mechanical Turk's frame."""
    code: str | None = None
    """The completion code shown at the end."""
    partial_code: str | None = None
    """The code shown to a rater who stops early."""
    payment: Text | None = None
    """What is paid, in the study's words."""


Answers = Annotated[
    Annotated[dict[str, Text], Field(min_length=1), tag("map")]
    | Annotated[tuple[str, ...], Field(min_length=1), short(sequence, list[str]), tag("list")],
    by_shape({dict: "map", (list, tuple): "list"}, "must be a list of answers or a map"),
]


class SurveyQuestion(Part):
    """A question about the rater, asked once before the trials."""

    question: Text
    """The words shown."""
    choices: Answers | None = None
    """The answers to choose from; without them, free text."""
    required: StrictBool = True
    """Whether it must be answered."""


SurveyQuestionField = Annotated[
    SurveyQuestion,
    short(lambda v: {"question": v} if isinstance(v, str) else v, str | SurveyQuestion),
]
Trials = Annotated[
    Annotated[Share, tag("share")]
    | Annotated[Literal["all"], tag("word")]
    | Annotated[tuple[str, ...], short(sequence, list[str]), tag("list")],
    by_shape(
        {(int, float): "share", str: "word", (list, tuple): "list"},
        "must be all, a share as 0.2, or a list of items",
    ),
]
Price = Annotated[float, Field(ge=0)]


class Judge(Part):
    """A model that rates."""

    advice: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("key", "api_key", "token"),
        "a key never stands in the file; put it into the environment and the variable's name into"
        " `key_env`",
    )

    model: str
    """The model's name at the endpoint."""
    endpoint: str
    """The base URL of an OpenAI-compatible server."""
    key_env: str | None = None
    """The name of the environment variable that holds the key; never the key."""
    temperature: Price = 0.0
    """How freely it answers."""
    seed: int | None = None
    """Passed to the endpoint, for those that repeat themselves."""
    repeats: Count = 1
    """How often each trial is asked."""
    order: Literal["both", "random", "fixed"] = "both"
    """In which orders the outputs are shown."""
    trials: Trials = "all"
    """Which trials it rates: all, a random share, or named items."""
    price_in: Price | None = None
    """Price per million tokens read."""
    price_out: Price | None = None
    """Price per million tokens written."""
    budget: Positive | None = None
    """The most that may be spent."""
    max_tokens: Count | None = None
    """The most tokens of a reply, thinking included; by default 200 and 400 for each question."""
    family: str | None = None
    """The model family, to see whether it prefers its own."""
    template: str | None = None
    """A file with the study's own prompt."""
    tuned: StrictBool = False
    """Whether it was tuned, or its prompt written, on people's answers in this study."""


Contrast = Annotated[tuple[str, str], short(sequence, list[str])]


class Primary(Part):
    """The one contrast the study is about."""

    criterion: str | None = None
    """By default the first criterion that fits."""
    win_rate: Contrast | None = None
    """How often the first system beats the second."""
    mean: Contrast | None = None
    """How much the first system's mean score, or points of marked errors, exceed the second's."""


class AnalysisChoices(Part):
    """What the analysis needs to know before the data."""

    primary: Primary | None = None
    margin: Positive | None = None
    """The difference that does not matter, for equivalence and non-inferiority."""
    epsilon: Annotated[float, Field(ge=0, lt=1)] | None = None
    """The cost benefit of a judge in the alternative-annotator test."""
    panel: Literal["majority", "mean", "weighted"] | None = None
    """One more judge made of all: by majority, mean, or weighted by agreement with people."""
    baseline: str | None = None
    """The system that the others are compared with."""
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """The confidence of every interval."""
