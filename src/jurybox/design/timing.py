"""How long a trial takes, as far as one can tell before anybody has done it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jurybox.design.plan import Trial

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["expected_seconds", "trials_seconds"]

WORDS_PER_MINUTE = 200
SECONDS_PER_IMAGE = 4.0
SECONDS_PER_RECORDING = 20.0
SECONDS_PER_CRITERION = 4.0
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Kana and Chinese characters, of which about two make a word; they have no spaces between."""


def expected_seconds(study: Study, material: Material, trial: Trial) -> float:
    """The seconds that one trial is expected to take.

    ``session.seconds_per_trial`` decides if given. Else: words at 200 a minute, 4 s per image,
    20 s per recording and 4 s per answer.
    """
    return float(trials_seconds(study, material, [trial])[0])


def trials_seconds(
    study: Study, material: Material, trials: Sequence[Trial]
) -> npt.NDArray[np.float64]:
    """The expected seconds of each trial; what an item or output needs is worked out once."""
    if study.session.seconds_per_trial is not None:
        return np.full(len(trials), float(study.session.seconds_per_trial))
    items: dict[object, float] = {}
    outputs: dict[object, float] = {}
    seconds = np.empty(len(trials))
    for place, trial in enumerate(trials):
        if trial.item not in items:
            items[trial.item] = _look(study, material.item_fields(trial.item))
        total = items[trial.item] + SECONDS_PER_CRITERION * _answers(study, len(trial.systems))
        for system in trial.systems:
            cell = (trial.item, system)
            if cell not in outputs:
                outputs[cell] = _look(study, material.output_fields(*cell))
            total += outputs[cell]
        seconds[place] = total
    return seconds


def _answers(study: Study, n_outputs: int) -> int:
    return sum(n_outputs if c.per == "output" else 1 for c in study.criteria.values())


def _look(study: Study, fields: Mapping[str, Any]) -> float:
    """The seconds it takes to take in those of the fields that are shown."""
    total = 0.0
    for name, shown in study.show.items():
        if name not in fields:
            continue
        value = fields[name]
        if shown.medium in {"audio", "video"}:
            total += SECONDS_PER_RECORDING
        elif shown.medium == "images":
            total += SECONDS_PER_IMAGE * len(value)
        elif shown.medium == "image":
            total += SECONDS_PER_IMAGE
        else:
            total += 60 / WORDS_PER_MINUTE * sum(map(_count_words, _texts(value)))
    return total


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Sequence):
        return [str(turn["text"] if isinstance(turn, Mapping) else turn) for turn in value]
    return [str(value)]


def _count_words(text: str) -> float:
    """Words as spaces part them, and half a word for each character of an unspaced script.

    >>> _count_words("two words"), _count_words("人工評価")
    (2, 2.0)
    """
    unspaced = len(UNSPACED.findall(text))
    return len(UNSPACED.sub(" ", text).split()) + unspaced / 2 if unspaced else len(text.split())
