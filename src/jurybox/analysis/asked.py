"""What the study asked, as the analysis needs it; of a bare table, what can be assumed.

A plain value, so that a table can be analyzed without loading the room that reads studies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from jurybox.errors import InputError
from jurybox.formats import joined
from jurybox.stats.agreement.alpha import Level
from jurybox.tally.derived import Rule, combine
from jurybox.tally.shapes import ShapeName

if TYPE_CHECKING:
    from jurybox.stats.judges.panels import PanelRule
    from jurybox.study import Criterion, Study

__all__ = [
    "PROTOCOL_SHAPE",
    "Asked",
    "AskedCriterion",
    "AskedDerived",
    "Contrast",
    "asked_by",
    "check_baseline",
]

PROTOCOL_SHAPE: dict[str, ShapeName] = {
    "rate": "ratings",
    "compare": "votes",
    "rank": "rankings",
    "detect": "detections",
    "mark": "spans",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCriterion:
    """One criterion: how its answers are to be read."""

    level: Level | None = None
    pass_mark: float | None = None
    higher: bool = True
    """Whether a higher score is better."""
    values: tuple[float, ...] | None = None
    """The values of the scale; ``None`` where it is a slider or there is no study."""
    ends: tuple[float, float] | None = None
    """The smallest and the largest value of the scale, of a slider too."""
    opinion: bool = False
    """Whether it is five-point absolute category rating, whose mean is a mean opinion score."""
    severities: Mapping[str, float] | None = None
    weights: Mapping[str, Any] | None = None
    probability: Mapping[float, float] | None = None
    """The chance of being right that each value of confidence states, where the study says it."""

    @property
    def mean_name(self) -> str:
        """What the mean is called on the criterion's scale."""
        return "mean opinion score" if self.opinion else "mean score"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedDerived:
    """A criterion computed from others."""

    rule: Rule
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The one comparison that the study is about."""

    kind: Literal["mean", "win_rate"]
    systems: tuple[str, str]
    criterion: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The study as the analysis needs it."""

    title: str = ""
    shapes: tuple[ShapeName, ...] = ()
    criteria: Mapping[str, AskedCriterion] = field(default_factory=dict)
    derived: Mapping[str, AskedDerived] = field(default_factory=dict)
    primary: Contrast | None = None
    baseline: str | None = None
    margin: float | None = None
    """The difference that does not matter, stated before the data."""
    epsilon: float | None = None
    """What a judge's being cheap is worth in the alternative-annotator test."""
    panel: PanelRule | None = None
    """How the judges are made one."""
    confidence: float = 0.95
    exclude: Mapping[str, float] = field(default_factory=dict)
    practice_pass: float = 0.6
    hidden_references: tuple[str, ...] = ()
    """The systems whose outputs are the reference itself."""
    anchors: tuple[str, ...] = ()
    """The systems whose outputs have a known loss."""
    is_blind: bool = False
    """Whether nobody may learn yet which system is which."""

    @property
    def scored_outputs(self) -> list[str]:
        """The sliders on which raters score an output whose errors they marked (ESA)."""
        if not {"spans", "ratings"} <= set(self.shapes):
            return []
        return [
            name
            for name, asked in self.criteria.items()
            if asked.severities is None and asked.level is not None and asked.values is None
        ]

    def under_test(self, systems: Iterable[str]) -> list[str]:
        """Those of the systems that are neither the reference nor an anchor."""
        return [each for each in systems if each not in (*self.hidden_references, *self.anchors)]

    def criterion(self, name: str) -> AskedCriterion:
        """How the answers to a criterion are to be read; without a study nothing is known."""
        return self.criteria.get(name, AskedCriterion())

    def ends(self, name: str) -> tuple[float, float] | None:
        """Between which a criterion's answers lie, also where it is computed from others."""
        derived = self.derived.get(name)
        if derived is None:
            return self.criterion(name).ends
        low, high = {}, {}
        for part in derived.weights:
            ends = self.criterion(part).ends
            if ends is None:
                return None
            low[part], high[part] = ends
        of = derived.rule, derived.weights
        return combine(*of, low), combine(*of, high)


def check_baseline(baseline: str, systems: Collection[str]) -> str:
    """The baseline, which is one of the systems."""
    if baseline not in systems:
        there = joined(sorted(systems))
        raise InputError(f"the baseline must be one of the systems ({there}); got {baseline!r}")
    return baseline


def asked_by(study: Study) -> Asked:
    """What this study asked."""
    shapes = [PROTOCOL_SHAPE[study.protocol]]
    scored = [c for c in study.criteria.values() if c.scale is not None]
    per_side = [c for c in scored if study.protocol != "compare" or c.per == "output"]
    if study.protocol in ("compare", "mark") and per_side:
        shapes.append("ratings")
    known = study.systems or {}
    rules = study.quality.exclude.model_dump(exclude_none=True)
    choices = study.analysis
    primary = None
    if choices.primary is not None:
        systems = choices.primary.win_rate or choices.primary.mean
        if systems is not None:
            primary = Contrast(
                kind="win_rate" if choices.primary.win_rate else "mean",
                systems=(systems[0], systems[1]),
                criterion=choices.primary.criterion,
            )
    return Asked(
        title=study.words(study.title),
        shapes=tuple(shapes),
        criteria={name: _criterion(each) for name, each in study.criteria.items()},
        derived={
            name: AskedDerived(
                rule="weighted_mean"
                if each.weighted_mean
                else "geometric_mean"
                if each.geometric_mean
                else "mean",
                weights=each.weighted_mean or dict.fromkeys(each.parts, 1.0),
            )
            for name, each in study.derived.items()
        },
        primary=primary,
        baseline=study.baseline,
        margin=choices.margin,
        epsilon=choices.epsilon,
        panel=choices.panel,
        confidence=choices.confidence,
        exclude={rule: float(value) for rule, value in rules.items() if value is not False},
        practice_pass=study.quality.practice_pass,
        hidden_references=tuple(name for name in known if known[name].hidden_reference),
        anchors=tuple(name for name in known if known[name].anchor),
    )


def _criterion(criterion: Criterion) -> AskedCriterion:
    scale = criterion.scale
    level = criterion.level or (scale.level if scale is not None else None)
    return AskedCriterion(
        level=level,
        pass_mark=criterion.pass_mark,
        higher=criterion.direction == "higher",
        values=None
        if scale is None or scale.step is not None
        else tuple(each.value for each in scale.values),
        ends=None if scale is None else (scale.low, scale.high),
        opinion=scale is not None and scale.name == "acr",
        severities=criterion.severities,
        weights=criterion.weights,
        probability=_probability(criterion),
    )


def _probability(criterion: Criterion) -> dict[float, float] | None:
    if criterion.confidence is None:
        return None
    stated = {v.value: v.probability for v in criterion.confidence.values}
    return {value: p for value, p in stated.items() if p is not None} or None
