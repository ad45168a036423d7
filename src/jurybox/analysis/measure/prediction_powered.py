"""People and judges together: the conditions, the targets and their combined estimates."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.analysis.options import Options
from jurybox.errors import OptionError
from jurybox.results import format_count, format_number, format_percent
from jurybox.stats.judges.prediction_powered import (
    FAR,
    NOTHING_TO_ADD,
    CombinedEstimate,
    CombinedEstimates,
    CombinedShare,
    JudgeQuality,
    Target,
    combine,
    parts_of,
    quality_of,
)
from jurybox.tally.judge_replies import JudgeReplies

__all__ = ["chosen_for_disagreement", "combined_estimates", "measured_quality"]

Array = NDArray[np.float64]

NO_SHARE = (
    "it is not known with which probability a trial was given to people; where they were drawn "
    "at random, a study says so by design.people and jb.prediction_powered by probability="
)
TUNED = (
    "the judge was tuned on these answers of people, so that it is closer to them than to others; "
    "tune it on other items, or leave it out"
)


def combined_estimates(
    found: JudgeReplies,
    criterion: str,
    options: Options,
    *,
    share: float | None,
    tuned: Collection[str] = (),
    judges: Collection[str] | None = None,
    firsts: JudgeReplies | None = None,
) -> CombinedEstimates:
    """Every mean and difference, or share, judge by judge; or why there is none.

    ``firsts``: of rankings, which outputs are first; how often each system is comes last.
    """
    why = _why_none(found, share) or chosen_for_disagreement(found)
    if why is not None:
        return CombinedEstimates(rows=(), undefined=why, confidence=options.confidence)
    if found.shape == "detections":
        # Detections are 1 for what is called generated.
        found = replace(found, value=1 - found.value, reply=1 - found.reply)
    rows = [
        row
        for name in found.judges
        if judges is None or name in judges
        for part in (found, firsts)
        if part is not None and name in part.judges
        for row in _rows(
            part, name, criterion, options, share or 0.0, name in tuned, firsts=part is firsts
        )
    ]
    return CombinedEstimates(rows=tuple(rows), confidence=options.confidence)


def measured_quality(found: JudgeReplies, judge: int) -> tuple[str, JudgeQuality | str]:
    """What the first contrast is, or the mean of the only system, and how good the judge is there.

    Why it is not known stands in its place.
    """
    targets = list(_targets(found))
    target, parts = next((each for each in targets if "other" in each[0]), targets[0])
    about = f"{target['target']} of {target['system']}"
    about += f" and {target['other']}" if "other" in target else ""
    given = found.given(judge)
    made = [parts_of(found, given, kept) for kept, _ in parts]
    wrong = next((part for part in made if isinstance(part, str)), None)
    if wrong is not None:
        return about, wrong
    return about, quality_of(
        [
            part.scaled(sign)
            for part, (_, sign) in zip(made, parts, strict=True)
            if not isinstance(part, str)
        ]
    )


def _why_none(found: JudgeReplies, share: float | None) -> str | None:
    """Why people and judges may not be combined, whichever judge it is."""
    if found.shape == "ratings" and not found.is_number:
        return "the answers are words or nominal, which have no mean"
    if share is None:
        return NO_SHARE
    if not 0 < share < 1:
        raise OptionError(f"probability must lie between 0 and 1, as 0.2 for a fifth; got {share}")
    return None


def chosen_for_disagreement(found: JudgeReplies) -> str | None:
    """That people got the units on which replies differ, by more than chance explains; or nothing.

    Replies are those of all judges, in all orders and repeats.
    """
    unit, n = found.reply_unit, len(found.unit_item)
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    value = found.code.astype(np.float64) if not found.is_number else found.reply
    np.minimum.at(low, unit, value)
    np.maximum.at(high, unit, value)
    several = np.bincount(unit, minlength=n) > 1
    rated, others = several & found.answered, several & ~found.answered
    if not (rated.any() and others.any()):
        return None
    apart = np.where(several, high - low, 0.0)
    apart = apart if found.is_number else (apart > 0).astype(np.float64)
    moves, means = np.zeros(n), []
    for part, sign in ((rated, 1.0), (others, -1.0)):
        means.append(float(apart[part].mean()))
        moves[part] = sign * (apart[part] - means[-1]) / int(part.sum())
    by_item = np.bincount(found.unit_item, moves)
    if abs(means[0] - means[1]) <= FAR * math.sqrt(float(by_item @ by_item)) + 1e-9:
        return None
    if found.is_number:
        here, there = (format_number(mean) for mean in means)
        said = f"lie {here} apart on what people rated and {there} on the rest"
    else:
        here, there = (format_percent(mean) for mean in means)
        said = f"differ on {here} of what people rated and on {there} of the rest"
    return (
        f"judges' replies {said}, which chance does not explain: people's part was chosen by what "
        "judges say and is not a random one"
    )


def _why_not(found: JudgeReplies, given: Array, share: float, *, tuned: bool) -> str | None:
    """Why people and this judge may not be combined."""
    if tuned:
        return TUNED
    known = ~np.isnan(given)
    rated = known & found.answered
    n, total = int(rated.sum()), int(known.sum())
    if not n:
        return "the judge and people answered no unit in common"
    if n == total:
        return NOTHING_TO_ADD
    # Items are drawn whole, as many units as they have.
    per_item = total / len(np.unique(found.unit_item[known]))
    if abs(n - share * total) > FAR * math.sqrt(total * share * (1 - share) * per_item) + per_item:
        return (
            f"people rated {n:,} of the judge's {format_count(total, 'unit')}, and a probability "
            f"of {format_percent(share)} does not give that: people's part is not a random one"
        )
    return None


def _rows(
    found: JudgeReplies,
    judge: str,
    criterion: str,
    options: Options,
    share: float,
    tuned: bool,
    *,
    firsts: bool,
) -> Iterator[CombinedEstimate]:
    given = found.given(found.judges.index(judge))
    lost = int((found.answered & np.isnan(given)).sum())
    told: dict[str, Any] = {
        "judge": judge,
        "criterion": criterion,
        "n_dropped": lost,
    }
    is_share = firsts or found.shape in ("votes", "detections")
    kind = CombinedShare if is_share else CombinedEstimate
    why = _why_not(found, given, share, tuned=tuned)
    targets = _targets(found)
    if firsts or found.shape == "detections":
        targets = _of_systems(found, "ranked first" if firsts else "taken for real")
    for target, parts in targets:
        made = [why or parts_of(found, given, kept) for kept, _ in parts]
        wrong = next((part for part in made if isinstance(part, str)), None)
        if wrong is not None:
            yield kind(estimate=None, undefined=wrong, **target, **told)
            continue
        scaled = [
            part.scaled(sign)
            for part, (_, sign) in zip(made, parts, strict=True)
            if not isinstance(part, str)
        ]
        yield combine(scaled, is_share=is_share, confidence=options.confidence, **target, **told)


Parts = list[tuple[NDArray[np.bool_], float]]


def _of_systems(found: JudgeReplies, what: Target) -> Iterator[tuple[dict[str, Any], Parts]]:
    """A share of each system: the units of its outputs."""
    for one in np.unique(found.unit_systems[:, 0]).tolist():
        target = {"target": what, "system": found.systems[one]}
        yield target, [(found.unit_systems[:, 0] == one, 1.0)]


def _targets(found: JudgeReplies) -> Iterator[tuple[dict[str, Any], Parts]]:
    """What is estimated: the units of each part and its sign."""
    names, systems = found.systems, found.unit_systems
    if found.shape == "votes":
        for one, two in np.unique(systems, axis=0).tolist():
            kept = (systems[:, 0] == one) & (systems[:, 1] == two)
            target = {"target": "win rate", "system": names[one], "other": names[two]}
            yield target, [(kept, 1.0)]
        return
    own = np.unique(systems[:, 0]).tolist()
    for one in own:
        yield {"target": "mean", "system": names[one]}, [(systems[:, 0] == one, 1.0)]
    for one, two in combinations(own, 2):
        target = {"target": "difference", "system": names[one], "other": names[two]}
        yield target, [(systems[:, 0] == one, 1.0), (systems[:, 0] == two, -1.0)]
