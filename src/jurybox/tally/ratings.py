"""What the scores of a criterion look like."""

from __future__ import annotations

from jurybox.tally.responses import Responses

__all__ = ["are_numbers", "are_yes_no", "score_counts", "word_counts"]


def are_numbers(responses: Responses) -> bool:
    """Whether all scores are numbers."""
    return bool(responses.value("SELECT count(*) = count(score) FROM {r}"))


def are_yes_no(responses: Responses) -> bool:
    """Whether all scores are 0 or 1."""
    return bool(responses.value("SELECT coalesce(bool_and(score IN (0, 1)), false) FROM {r}"))


def score_counts(responses: Responses) -> dict[tuple[str, float], int]:
    """How often each system was given each score."""
    rows = responses.query("SELECT system, score, count(*) FROM {r} GROUP BY ALL ORDER BY ALL")
    return {(row[0], float(row[1])): int(row[2]) for row in rows}


def word_counts(responses: Responses) -> tuple[tuple[str, str, int], ...]:
    """How often each system was given each word."""
    rows = responses.query("SELECT system, word, count(*) FROM {r} GROUP BY ALL ORDER BY ALL")
    return tuple((row[0], row[1], int(row[2])) for row in rows)
