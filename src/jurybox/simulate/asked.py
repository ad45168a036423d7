"""The headline contrast of a study, as something to be simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jurybox.errors import DesignError
from jurybox.simulate.scenario import Compared, Protocol
from jurybox.study.criteria import Criterion
from jurybox.study.model import Study
from jurybox.study.settings import BaselinePairs

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
    span: float = 1.0
    """How long the scale is."""
    together: bool = False


def contrast_of(study: Study, systems: Sequence[str]) -> Contrast:
    """What the study's ``analysis.primary`` compares; without it, all systems as one family."""
    if study.protocol == "detect":
        generated = [system for system in systems if system not in study.real]
        return Contrast(
            protocol="detect", systems=max(1, len(generated)), compared=_family(len(generated) - 1)
        )
    primary = study.analysis.primary
    named = None if primary is None else primary.criterion
    by_mean = primary is not None and primary.mean is not None
    chosen = {named: study.criteria[named]} if named in study.criteria else study.criteria
    compared = "one" if primary is not None else _family(len(systems) - 1)
    if compared == "all" and _has_baseline(study):
        compared = "baseline"
    if study.protocol == "compare" and not by_mean:
        for name, criterion in chosen.items():
            if criterion.per != "output":
                return Contrast(
                    protocol="compare",
                    systems=max(2, len(systems)),
                    compared=compared,
                    criterion=name,
                )
    for name, criterion in chosen.items():
        if study.protocol != "rank" and _is_scored(study, criterion):
            scale = criterion.scale
            return Contrast(
                protocol="rate",
                systems=max(2, len(systems)),
                compared=compared,
                criterion=name,
                span=1.0 if scale is None else scale.high - scale.low,
                together=_together(study),
            )
    raise DesignError(
        f"A {study.protocol} study without a scale cannot be simulated in this way: power is known "
        "for scores, for votes and for real or generated."
    )


def _family(further: int) -> Compared:
    return "all" if further > 0 else "one"


def _has_baseline(study: Study) -> bool:
    return study.analysis.baseline is not None or isinstance(study.design.pairs, BaselinePairs)


def _is_scored(study: Study, criterion: Criterion) -> bool:
    if criterion.scale is None or criterion.scale.level == "nominal":
        return False
    return study.protocol != "compare" or criterion.per == "output"


def _together(study: Study) -> bool:
    per_trial = study.design.outputs_per_trial
    return study.protocol == "compare" or per_trial == "all" or (per_trial or 1) != 1
