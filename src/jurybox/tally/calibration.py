"""Detections with the probability that their confidence states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from jurybox.errors import InputError
from jurybox.tally.detections import NOT_ASKED, STATED
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = [
    "Probability",
    "bin_rows",
    "by_stated",
    "calibration_rows",
    "n_unstated",
    "rater_means",
    "rater_rows",
    "stated",
    "why_unstated",
]

Probability = Mapping[Any, float] | Literal["stated"] | None
"""What each confidence says of the chance to be right; ``"stated"``: it is that chance."""


def why_unstated(responses: Responses, probability: Probability) -> str | None:
    """Why no answer states a probability; ``None`` if some do."""
    if "confidence" not in responses.columns:
        return NOT_ASKED[0]
    if not responses.value(f"SELECT count(*) FILTER ({STATED}) FROM {{r}}"):
        return NOT_ASKED[1]
    if probability is None:
        return "the scale of confidence does not state the probability of each value"
    return None


def stated(responses: Responses, probability: Probability) -> Responses:
    """The answers with a confidence, with ``x`` (stated probability) and ``y`` (1 if right)."""
    if isinstance(probability, Mapping):
        x = _cases(responses, probability)
    elif probability == "stated":
        _check_stated(responses)
        x = "confidence"
    else:
        raise InputError(
            "probability must give the chance of each confidence, for example {1: 0.5, 2: 1}, or "
            f'be "stated"; got {probability!r}'
        )
    found = (
        f"(SELECT *, {x} AS x, CASE WHEN truth = answer THEN 1.0 ELSE 0.0 END AS y "
        f"FROM {responses.source} WHERE {STATED})"
    )
    return replace(responses, source=found)


def n_unstated(responses: Responses) -> int:
    """How many answers have no confidence."""
    return int(
        responses.value(f"SELECT count(*) FILTER (NOT coalesce({STATED}, false)) FROM {{r}}")
    )


def _check_stated(responses: Responses) -> None:
    wrong = responses.query(
        f"SELECT confidence_word, rid FROM {{r}} WHERE {STATED} AND "
        "(confidence IS NULL OR NOT confidence BETWEEN 0 AND 1) ORDER BY rid LIMIT 1"
    )
    if wrong:
        value, row = wrong[0]
        raise InputError(
            f'probability="stated" needs confidences between 0 and 1; row {row} has {value}'
        )


def _cases(responses: Responses, probability: Mapping[Any, float]) -> str:
    """The probability of each confidence in SQL, numbers matched as numbers and words as words."""
    for value, chance in probability.items():
        if not 0 <= float(chance) <= 1:
            raise InputError(f"probability of {value!r} must lie between 0 and 1; got {chance}")
    known = {_key(value): float(chance) for value, chance in probability.items()}
    found = [
        row[0]
        for row in responses.query(
            f"SELECT DISTINCT confidence_word FROM {{r}} WHERE {STATED} ORDER BY 1"
        )
    ]
    missing = [word for word in found if _key(word) not in known]
    if missing:
        raise InputError(
            f"probability has no entry for the confidence {', '.join(map(repr, missing[:10]))}; "
            f"it has {', '.join(str(value) for value in probability)}"
        )
    cases = " ".join(f"WHEN {text(word)} THEN {known[_key(word)]!r}::DOUBLE" for word in found)
    return f"CASE confidence_word {cases} END"


def _key(value: Any) -> float | str:
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value).strip()


def by_stated(responses: Responses) -> list[tuple[float, int, int]]:
    """The distinct stated probabilities, with how many answers and how many right ones."""
    rows = responses.query("SELECT x, count(*), sum(y) FROM {r} GROUP BY x ORDER BY x")
    return [(float(x), int(n), int(right)) for x, n, right in rows]


def calibration_rows(middle: tuple[float, float] | None) -> str:
    """The rows of calibration in the large, of the Brier score and of the slope.

    ``middle``: the mean stated probability and the share right, which the slope is taken about;
    ``None`` where one stated probability leaves no slope.
    """
    rows = (
        "SELECT 'large' AS k, item, rater, rid, y - x AS u, 1.0 AS w FROM {r} "
        "UNION ALL SELECT 'brier', item, rater, rid, (y - x) ** 2, 1.0 FROM {r}"
    )
    if middle is None:
        return rows
    x, y = (f"({name} - {value!r}::DOUBLE)" for name, value in zip("xy", middle, strict=True))
    return rows + f" UNION ALL SELECT 'slope', item, rater, rid, {x} * {y}, {x} ** 2 FROM {{r}}"


def bin_rows(bins: Mapping[float, int]) -> str:
    """The rows of the share right in each bin; ``bins`` gives that of each stated probability."""
    cases = " ".join(f"WHEN {x!r}::DOUBLE THEN {number}" for x, number in bins.items())
    return f"SELECT CASE x {cases} END AS k, item, rater, rid, y AS u, 1.0 AS w FROM {{r}}"


def rater_rows() -> str:
    """The rows of every rater's calibration in the large."""
    return "SELECT CAST(rater AS VARCHAR) AS k, item, rater, rid, y - x AS u, 1.0 AS w FROM {r}"


def rater_means(responses: Responses) -> list[tuple[str, float, float, float]]:
    """Every rater's mean stated probability, share right and Brier score."""
    rows = responses.query(
        "SELECT CAST(rater AS VARCHAR), avg(x), avg(y), avg((y - x) ** 2) FROM {r} "
        "GROUP BY rater ORDER BY rater"
    )
    return [(rater, float(x), float(y), float(score)) for rater, x, y, score in rows]
