"""The biases of every judge on one criterion, and what must be known to look for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jurybox.analysis.options import Options
from jurybox.errors import InputError
from jurybox.stats.judges.biases import JudgeBias, JudgeBiases, ShareBias
from jurybox.stats.judges.flips import first_shown, position, repeats, wording
from jurybox.stats.judges.shifts import compression, leniency, self_preference, verbosity
from jurybox.tally.judge_replies import JudgeReplies

__all__ = ["LOOKED_FOR", "JudgeFacts", "biases_of"]

Array = NDArray[np.float64]
LOOKED_FOR = "biases of judges"
"""What their p are adjusted over."""
ONCE = "it is there in one wording only; add a judge of the same model with another template"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFacts:
    """What is known of outputs and judges besides their answers."""

    lengths: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """The length of each output, by item and system."""
    families: Mapping[str, str] = field(default_factory=dict)
    """The model family of each system."""
    judge_families: Mapping[str, str] = field(default_factory=dict)
    """The model family of each judge."""
    wordings: tuple[tuple[str, str], ...] = ()
    """Judges of the same model that are asked in different words."""
    tuned: tuple[str, ...] = ()
    """Judges that were tuned on people's answers in this study."""
    people_share: float | None = None
    """The probability with which an item was given to people, where that is known."""


def biases_of(
    found: JudgeReplies, criterion: str, facts: JudgeFacts, options: Options
) -> JudgeBiases:
    """Every bias that the shape can show, judge by judge."""
    lengths = _lengths(found, facts.lengths)
    told = {"criterion": criterion, "confidence": options.confidence}
    rows: list[JudgeBias] = []
    for judge in range(len(found.judges)):
        rows += [position(found, judge, **told), first_shown(found, judge, **told)]
        rows.append(repeats(found, judge, **told))
        if found.shape != "detections" and (found.is_number or found.shape == "votes"):
            rows.append(verbosity(found, judge, lengths, options.generalize, **told))
            rows += self_preference(
                found,
                judge,
                _own(found, judge, facts),
                _others(found, judge, facts),
                lengths,
                options.generalize,
                **told,
            )
        if found.is_number:
            rows.append(leniency(found, judge, options.generalize, **told))
            rows.append(compression(found, judge, options.generalize, **told))
    pairs = _known_wordings(found, facts.wordings)
    rows += [
        wording(found, found.judges.index(one), found.judges.index(two), **told)
        for one, two in pairs
    ]
    kind = JudgeBias if found.is_number else ShareBias
    rows += [
        kind(judge=name, bias="wording", criterion=criterion, estimate=None, undefined=ONCE)
        for name in found.judges
        if not any(name in pair for pair in pairs)
    ]
    return JudgeBiases(rows=tuple(rows), confidence=options.confidence)


def _lengths(found: JudgeReplies, lengths: Mapping[tuple[str, str], float]) -> Array | None:
    """Binary logarithms, items × systems."""
    made = np.array(
        [
            [lengths.get((item, system), 0.0) for system in found.systems]
            for item in (found.items if lengths else ())
        ]
    )
    if not (made > 0).any():
        return None
    return np.asarray(np.log2(made, where=made > 0, out=np.full(made.shape, np.nan)))


def _own(found: JudgeReplies, judge: int, facts: JudgeFacts) -> Sequence[bool] | None:
    family = facts.judge_families.get(found.judges[judge])
    if family is None or not any(system in facts.families for system in found.systems):
        return None
    return [facts.families.get(system) == family for system in found.systems]


def _others(found: JudgeReplies, judge: int, facts: JudgeFacts) -> list[int]:
    """The judges that are known to be of another family."""
    family = facts.judge_families.get(found.judges[judge])
    return [
        other
        for other, name in enumerate(found.judges)
        if facts.judge_families.get(name, family) != family
    ]


def _known_wordings(
    found: JudgeReplies, wordings: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    for pair in wordings:
        for name in pair:
            if name not in found.judges:
                raise InputError(
                    f"wordings: there is no judge {name!r}; there are {', '.join(found.judges)}"
                )
        if pair[0] == pair[1]:
            raise InputError(f"wordings: {pair[0]!r} cannot be held against itself")
    return list(wordings)
