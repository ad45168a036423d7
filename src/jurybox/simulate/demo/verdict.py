"""What the demo says when the analysis is done: whether the planted truth was found.

Everything is computed from the analysis and the responses; nothing else is known in advance than
what was planted.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jurybox.analysis.finding import Analysis
from jurybox.results import Interval, Result, format_count, format_number
from jurybox.simulate.demo.study import EQUAL, PRIMARY
from jurybox.simulate.truth import Truth, expected_score
from jurybox.study.model import Study, SystemId

__all__ = ["Row", "compare_with_truth", "say_flagged", "say_open", "say_plain"]

PLAIN = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One system: what was planted and what was found."""

    system: SystemId
    truth: float
    result: Result

    @property
    def covers(self) -> bool | None:
        """Whether the interval holds the truth; ``None`` without an interval."""
        interval = self.result.interval
        return None if interval is None else interval.low <= self.truth <= interval.high


def _results(analysis: Analysis, criterion: str) -> dict[str, Result]:
    """The mean score of each system."""
    return {
        finding.systems[0]: finding.result
        for finding in analysis.findings
        if finding.id.startswith(f"mean/{criterion}/") and len(finding.systems) == 1
    }


def compare_with_truth(analysis: Analysis, study: Study, truth: Truth) -> tuple[Row, ...]:
    """One row per system on the primary criterion, in the order of the planted quality."""
    scale = study.criteria[PRIMARY].scale
    found = _results(analysis, PRIMARY)
    if scale is None:
        return ()
    rows = [
        Row(
            system=SystemId(system),
            truth=expected_score(truth, scale, PRIMARY, SystemId(system)),
            result=found[system],
        )
        for system in truth.quality[PRIMARY]
        if system in found
    ]
    return tuple(sorted(rows, key=lambda row: -row.truth))


def say_flagged(analysis: Analysis) -> tuple[str, ...]:
    """How many were left out, then of each of them by which rule, and what was seen."""
    if not analysis.excluded:
        return ("No rater was flagged: every rule that was stated before the data is met.",)
    people = format_count(len({one.rater for one in analysis.excluded}), "rater")
    return (
        f"{people} left out by rules stated before the data:",
        *(
            f"{one.rater} by {' and '.join(one.rules)}: "
            f"{one.sentence.removeprefix(f'{one.rater}: ').rstrip('.')}."
            for one in analysis.excluded
        ),
    )


def say_plain(analysis: Analysis, ratings: Mapping[str, Sequence[Any]]) -> str:
    """What ±1.96·SE over single responses would have claimed beside the interval given."""
    scores = _scores(ratings, {one.rater for one in analysis.excluded})
    results = [
        (system, result, result.interval)
        for system, result in _results(analysis, PRIMARY).items()
        if result.interval is not None and len(scores[system]) > 1
    ]
    if not results:
        return "There is no interval to compare with the plain ±1.96·SE."
    system, result, interval = max(results, key=lambda one: _ratio(one[2], scores[one[0]]))
    plain = PLAIN * _standard_error(scores[system])
    ours = (interval.high - interval.low) / 2
    return (
        f"Plain ±1.96·SE takes every response for independent and would have claimed "
        f"{result.format(result.estimate)} ± {result.format(plain)} for {system}; clustered by "
        f"rater and item the interval is {result.format(interval.low)} to "
        f"{result.format(interval.high)} (± {result.format(ours)}), "
        f"{format_number(ours / plain, 1)} times as wide."
    )


def _scores(ratings: Mapping[str, Sequence[Any]], left_out: set[str]) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = defaultdict(list)
    columns = (ratings[name] for name in ("criterion", "rater", "system", "score"))
    for criterion, rater, system, score in zip(*columns, strict=True):
        if criterion == PRIMARY and rater not in left_out:
            scores[system].append(float(score))
    return scores


def _standard_error(scores: Sequence[float]) -> float:
    mean = math.fsum(scores) / len(scores)
    variance = math.fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
    return math.sqrt(variance / len(scores))


def _ratio(interval: Interval, scores: Sequence[float]) -> float:
    plain = PLAIN * _standard_error(scores)
    return (interval.high - interval.low) / 2 / plain if plain else 0.0


def say_open(analysis: Analysis) -> str:
    """What cannot be concluded, first of all about the two systems that are planted equal."""
    untold = [finding for finding in analysis.untold if finding.criterion == PRIMARY]
    equal = [finding for finding in untold if set(finding.systems) == set(EQUAL)]
    if equal:
        return f"{equal[0].sentence} They were planted exactly equal, so this is as it should be."
    if untold:
        return untold[0].sentence
    pair = " and ".join(EQUAL)
    return (
        f"Every pair of systems was told apart, even {pair}, which are planted equal: one study "
        "in twenty errs like this."
    )
