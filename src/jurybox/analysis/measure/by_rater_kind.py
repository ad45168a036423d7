"""What people and what every judge say of each system, on the same units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.analysis.measure.judges import JudgedCriterion
from jurybox.results import Result
from jurybox.stats.means import mean
from jurybox.stats.scale_ends import on_scale
from jurybox.stats.shares import share
from jurybox.tally.ratios import RatioSums, added_up

__all__ = ["PEOPLE", "SystemSeenBy", "systems_by_rater_kind"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
PEOPLE = "people"
WON = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5}
"""What a vote is worth to the first system of its unit, as in win rates with ties half."""
CALLED_REAL = {"real": 1.0, "generated": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSeenBy:
    """A system's figure by people, or by one judge."""

    system: str
    by: str
    result: Result


def systems_by_rater_kind(
    judged: JudgedCriterion,
    *,
    is_share: bool = False,
    ends: tuple[float, float] | None = None,
    higher: bool = True,
) -> list[SystemSeenBy]:
    """Mean scores, or shares such as win rates; the best by people first.

    Taken on the units that people and every judge answered, so that two figures of a system differ
    by who answered and by nothing else. Empty where no unit is such, or answers are words.
    """
    beside = judged.beside
    worth = {"votes": WON, "detections": CALLED_REAL}.get(beside.shape)
    if worth is None and beside.n_values is not None:
        return []
    judges = [judge for judge in judged.judges if not np.isnan(judge.answers).all()]
    there = np.all([~np.isnan(judge.answers) for judge in judges], axis=0)
    if not judges or not there.any():
        return []
    value = np.array([worth[word] for word in beside.values]) if worth is not None else None

    def worth_of(answers: Array) -> Array:
        return answers if value is None else value[answers.astype(np.int64)]

    kept = there[beside.unit]
    units = np.flatnonzero(there)
    by = [PEOPLE, *(judge.name for judge in judges)]
    unit = np.concatenate([beside.unit[kept], *(units for _ in judges)])
    x = np.concatenate(
        [worth_of(beside.answer[kept]), *(worth_of(judge.answers[units]) for judge in judges)]
    )
    # A judge counts as one more rater.
    rater = np.concatenate(
        [
            beside.rater[kept],
            *(np.full(len(units), len(beside.raters) + k) for k in range(len(judges))),
        ]
    )
    who = np.concatenate(
        [np.zeros(kept.sum(), np.int64), *(np.full(len(units), k + 1) for k in range(len(judges)))]
    )
    sums, names = _added_up(judged, unit, x, rater, who)
    found = []
    for k, (name, place) in enumerate(names):
        if is_share:
            made: Result = share(sums, k, what="share", **judged.options.interval)
        else:
            made = on_scale(mean(sums, k, **judged.options.interval), ends)
        found.append(SystemSeenBy(system=name, by=by[place], result=made))
    sign = -1 if higher else 1
    # Every system on these units was seen by people, of whose units they are.
    standing = {e.system: sign * (e.result.estimate or 0.0) for e in found if e.by == PEOPLE}
    return sorted(found, key=lambda e: (standing[e.system], e.system, by.index(e.by)))


def _added_up(
    judged: JudgedCriterion, unit: Numbers, x: Array, rater: Numbers, who: Numbers
) -> tuple[RatioSums, list[tuple[str, int]]]:
    """One ratio for each system and who answered; of two systems one gets what the other lacks."""
    systems = judged.beside.systems
    names = sorted({name for each in systems for name in each})
    number = {name: k for k, name in enumerate(names)}
    shown = np.array([[number[name] for name in each] for each in systems])[unit]
    sides = shown.shape[1]
    system = shown.T.reshape(-1)
    value = x if sides == 1 else np.concatenate([x, 1.0 - x])
    width = int(who.max()) + 1
    key = system * width + np.tile(who, sides)
    keys, k = np.unique(key, return_inverse=True)
    about = [(names[each // width], each % width) for each in keys.tolist()]
    item = np.tile(judged.beside.item[unit], sides)
    return added_up(about, k.reshape(-1), value, item, np.tile(rater, sides)), about
