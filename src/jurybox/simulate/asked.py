"""The headline contrast of a study, as something to be simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jurybox.errors import DesignError
from jurybox.simulate.scenario import POINTS, TIES, Compared
from jurybox.simulate.screens import Screens
from jurybox.study.criteria import Criterion
from jurybox.study.model import Protocol, Study
from jurybox.study.settings import BaselinePairs, RandomPairs

__all__ = ["Contrast", "contrast_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """What is compared and how it is judged."""

    protocol: Protocol
    """How the compared answers are given: an output rated in a compare trial counts as rate."""
    systems: int
    """In detect: the generated ones."""
    compared: Compared
    criterion: str | None = None
    asked: Criterion | None = None
    """What is asked by it."""
    span: float = 1.0
    """How long the scale is; in mark, the points of the gravest error."""
    screens: Screens | None = None

    @property
    def best(self) -> bool:
        """In rank: whether only the best is named."""
        return self.asked is not None and self.asked.answer == "best"

    @property
    def ties(self) -> float:
        """The share of ties between equal systems to expect, where ties may be given at all."""
        if self.asked is None:
            return 0.0 if self.protocol == "rank" else TIES
        return TIES if _may_tie(self.protocol, self.asked) else 0.0


def contrast_of(study: Study, systems: Sequence[str], *, items: int | None = None) -> Contrast:
    """What the study's ``analysis.primary`` compares; without it, all systems as one family.

    ``items``: how many the study has, which share its random pairs.
    """
    if study.protocol == "detect":
        generated = [system for system in systems if system not in study.real]
        return Contrast(
            protocol="detect", systems=max(1, len(generated)), compared=_family(len(generated) - 1)
        )
    primary = study.analysis.primary
    compared = "one" if primary is not None else _family(len(systems) - 1)
    if compared == "all" and _has_baseline(study):
        compared = "baseline"
    protocol, name, criterion = _headline(study)
    if protocol == "compare":
        _check_meeting(study, systems)
    return Contrast(
        protocol=protocol,
        systems=max(2, len(systems)),
        compared=compared,
        criterion=name,
        asked=criterion,
        span=_span(protocol, criterion),
        screens=_screens(study, items),
    )


def _headline(study: Study) -> tuple[Protocol, str, Criterion]:
    """How the headline is judged, and its criterion: the primary one, else the first that fits.

    Where outputs are both marked and scored, the score is the result.
    """
    primary = study.analysis.primary
    named = None if primary is None else primary.criterion
    by_mean = primary is not None and primary.mean is not None
    chosen = {named: study.criteria[named]} if named in study.criteria else study.criteria
    for name, criterion in chosen.items():
        if study.protocol == "compare" and not by_mean and criterion.per != "output":
            return "compare", name, criterion
        if study.protocol == "rank" and criterion.answer is not None:
            return "rank", name, criterion
    for name, criterion in chosen.items():
        if study.protocol != "rank" and _is_scored(study, criterion):
            return "rate", name, criterion
    for name, criterion in chosen.items():
        if criterion.field is not None:
            return "mark", name, criterion
    raise DesignError(
        "The answers of this study are words without an order, of which no difference can be "
        "planned: give a criterion a scale, or look at one share with 'jurybox size proportions'."
    )


def _family(further: int) -> Compared:
    return "all" if further > 0 else "one"


def _has_baseline(study: Study) -> bool:
    return study.baseline is not None or isinstance(study.design.pairs, BaselinePairs)


def _is_scored(study: Study, criterion: Criterion) -> bool:
    if criterion.scale is None or criterion.scale.level == "nominal":
        return False
    return study.protocol != "compare" or criterion.per == "output"


def _may_tie(protocol: Protocol, criterion: Criterion) -> bool:
    if protocol == "rank":
        return criterion.ties and criterion.answer != "best"
    if criterion.graded:
        return criterion.scale is not None and criterion.scale.allows(0)
    return bool({"tie", "both_bad"} & set(criterion.choices or ()))


def _span(protocol: Protocol, criterion: Criterion) -> float:
    if protocol == "mark":
        return max((criterion.severities or {}).values(), default=POINTS) or POINTS
    if protocol != "rate" or criterion.scale is None:
        return 1.0
    return criterion.scale.high - criterion.scale.low


def _screens(study: Study, items: int | None) -> Screens:
    """The screens that the study's design asks for."""
    outputs = study.design.outputs_per_trial
    if study.protocol == "rank":
        return Screens(kind="blocks", outputs=outputs if isinstance(outputs, int) else None)
    if study.protocol != "compare":
        return Screens(kind="apart", outputs=None if outputs == "all" else outputs or 1)
    rule = study.design.pairs
    if isinstance(rule, BaselinePairs):
        return Screens(kind="pairs", pairs="baseline")
    if not isinstance(rule, RandomPairs):
        return Screens(kind="pairs", pairs=rule)
    if items is None:
        raise DesignError(
            f"design.pairs asks for {rule.random:,} random pairs, and it is not known of how many "
            "items: say it with design.items, or add the items."
        )
    return Screens(kind="pairs", per_item=rule.random / items)


def _check_meeting(study: Study, systems: Sequence[str]) -> None:
    """Refuse a headline win rate of two systems that never meet."""
    primary, rule = study.analysis.primary, study.design.pairs
    asked = None if primary is None else primary.win_rate
    if asked is None or not set(asked) <= set(systems):
        return
    one, two = sorted(map(list(systems).index, asked))
    meet = two - one in (1, len(systems) - 1) if rule == "cyclic" else True
    if isinstance(rule, BaselinePairs):
        meet = rule.baseline in asked
    if not meet:
        raise DesignError(
            f"analysis.primary compares {asked[0]} and {asked[1]}, which never meet by "
            "design.pairs; use design.pairs: all, or name two that meet."
        )
