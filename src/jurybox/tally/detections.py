"""Detections reduced to how often outputs were taken for real."""

from __future__ import annotations

from jurybox.tally.responses import Responses

__all__ = ["accepted_rows", "rater_counts"]


def accepted_rows() -> str:
    """The rows of how often outputs are called real, by truth and by generated system.

    The names are ``truth real``, ``truth generated`` and ``system NAME``.
    """
    real = "CASE WHEN answer = 'real' THEN 1.0 ELSE 0.0 END"
    return (
        f"SELECT 'truth ' || truth AS k, item, rater, rid, {real} AS u, 1.0 AS w FROM {{r}} "
        f"UNION ALL SELECT 'system ' || system, item, rater, rid, {real}, 1.0 FROM {{r}} "
        "WHERE truth = 'generated'"
    )


def rater_counts(responses: Responses) -> list[tuple[int, int, int, int]]:
    """Per rater: generated called generated, generated, real called generated, real."""
    rows = responses.query(
        "SELECT count(*) FILTER (truth = 'generated' AND answer = 'generated'), "
        "count(*) FILTER (truth = 'generated'), "
        "count(*) FILTER (truth = 'real' AND answer = 'generated'), "
        "count(*) FILTER (truth = 'real') FROM {r} GROUP BY rater ORDER BY rater"
    )
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in rows]
