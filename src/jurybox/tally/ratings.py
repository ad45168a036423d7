"""What the scores of a criterion look like."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jurybox.tally import ratios
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = [
    "are_numbers",
    "are_yes_no",
    "as_words",
    "first_scores",
    "pair_rows",
    "pairs_of",
    "score_counts",
    "score_summaries",
    "word_counts",
]

Array = NDArray[np.float64]
CRITERION = 48
"""The bit of a ratio's number from which on it counts criteria; below are its two systems."""
MOST_VALUES = 10_000
"""Values of all systems up to which they are counted one by one."""


def are_numbers(responses: Responses) -> bool:
    """Whether all scores are numbers."""
    if "score" in responses.encoded.ranges:
        return True
    return bool(responses.value("SELECT count(*) = count(score) FROM {r}"))


def are_yes_no(responses: Responses) -> bool:
    """Whether all scores are 0 or 1."""
    return bool(responses.value("SELECT coalesce(bool_and(score IN (0, 1)), false) FROM {r}"))


def as_words(responses: Responses, criteria: Collection[str]) -> Responses:
    """The responses in which the numbers of these criteria are words.

    Every reduction finds a word and no score, in planned repeats and judges' rows too.
    """
    if not criteria:
        return responses
    named = f"criterion IN ({', '.join(map(text, criteria))})"
    responses.connection.execute("ALTER VIEW everything RENAME TO with_numbers")
    responses.connection.execute(
        "CREATE TEMP VIEW everything AS SELECT * REPLACE ("
        f"CASE WHEN {named} THEN NULL ELSE score END AS score, "
        f"CASE WHEN {named} AND score = floor(score) AND abs(score) < 1e15 "
        "THEN CAST(CAST(score AS BIGINT) AS VARCHAR) ELSE word END AS word) FROM with_numbers"
    )
    known = {column: ends for column, ends in responses.encoded.ranges.items() if column != "score"}
    return replace(responses, encoded=replace(responses.encoded, ranges=known), looked=None)


def first_scores(responses: Responses) -> Responses:
    """The responses without what a rater answered once more on an output.

    A second answer is a retest: it says how steady the rater is, and is no further opinion.
    """
    if responses.once or not (responses.has_item and responses.has_rater):
        return responses
    source = (
        f"(SELECT * FROM {responses.source} QUALIFY row_number() OVER "
        "(PARTITION BY criterion, rater, item, system ORDER BY rid) = 1)"
    )
    return replace(responses, source=source, once=True)


def score_counts(responses: Responses) -> dict[str, tuple[Array, Array]]:
    """The values that each system was given, ascending, and how often; empty if they are too many.

    One small reduction, of which median, spread and histogram are made.
    """
    known = responses.numbered
    if known is not None:
        names = responses.value("SELECT enum_range(CAST(NULL AS systems))")
        return {names[system]: counts for system, counts in known.score_counts().items()}
    rows = responses.query(
        "SELECT system, CAST(score AS DOUBLE), count(*) FROM {r} GROUP BY system, score "
        f"ORDER BY system, score LIMIT {MOST_VALUES + 1}"
    )
    if len(rows) > MOST_VALUES:
        return {}
    found: dict[str, list[tuple[float, int]]] = {}
    for system, value, count in rows:
        found.setdefault(system, []).append((value, count))
    return {
        system: (np.array([v for v, _ in given]), np.array([float(n) for _, n in given]))
        for system, given in found.items()
    }


def score_summaries(responses: Responses, worst: float) -> dict[str, tuple[float, float, float]]:
    """The standard deviation, the median and a quantile of single scores, of very many values."""
    rows = responses.query(
        "SELECT system, stddev_samp(score), median(score), "
        f"quantile_cont(score, {worst!r}) FROM {{r}} GROUP BY system"
    )
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def word_counts(responses: Responses) -> tuple[tuple[str, str, int], ...]:
    """How often each system was given each word; words that are numbers in their order."""
    rows = responses.query(
        "SELECT system, word, count(*) FROM {r} GROUP BY system, word "
        "ORDER BY system, TRY_CAST(word AS DOUBLE), word"
    )
    return tuple((row[0], row[1], int(row[2])) for row in rows)


def pair_rows(parts: Mapping[str, Responses], *, against: str | None = None) -> str:
    """The rows of every two systems' difference within items, on several criteria at once.

    ``against``: the system that all pairs have, if one is wanted.
    """
    selected = []
    for i, part in enumerate(parts.values()):
        rows = ratios.within_items(against=against).replace("{r}", part.source)
        selected.append(
            f"SELECT k + (CAST({i} AS BIGINT) << {CRITERION}) AS k, item, rater, rid, u, w "
            f"FROM ({rows})"
        )
    return " UNION ALL ".join(selected)


def pairs_of(
    parts: Mapping[str, Responses], numbers: Sequence[int]
) -> list[tuple[str, tuple[str, str]]]:
    """The criterion and the two systems of each ratio that ``pair_rows`` gives."""
    names = list(parts)
    below = (1 << CRITERION) - 1
    pairs = ratios.between(parts[names[0]], [number & below for number in numbers])
    return [(names[n >> CRITERION], pair) for n, pair in zip(numbers, pairs, strict=True)]
