"""Detections reduced to how often outputs were taken for real, and how surely."""

from __future__ import annotations

from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = [
    "NOT_ASKED",
    "STATED",
    "accepted_rows",
    "area_rows",
    "called_real",
    "rater_areas",
    "rater_counts",
    "two_faced",
    "why_no_area",
]

STATED = "confidence_word IS NOT NULL AND lower(confidence_word) NOT IN ('nan', 'none', 'null')"
"""Whether a confidence was given."""
NOT_ASKED = ("no confidence was asked", "no answer has a confidence")
"""Why there is no confidence at all."""


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


def called_real(responses: Responses) -> dict[str, tuple[int, int]]:
    """How many outputs were called real and generated, by the names of ``accepted_rows``."""
    rows = responses.query(
        "WITH n AS (SELECT truth, system, count(*) FILTER (answer = 'real') AS yes, "
        "count(*) FILTER (answer = 'generated') AS no FROM {r} GROUP BY truth, system) "
        "SELECT 'truth ' || truth, sum(yes), sum(no) FROM n GROUP BY truth "
        "UNION ALL SELECT 'system ' || system, yes, no FROM n WHERE truth = 'generated'"
    )
    return {name: (int(yes), int(no)) for name, yes, no in rows}


def rater_counts(
    responses: Responses, system: str | None = None
) -> list[tuple[str, int, int, int, int]]:
    """Per rater: generated called generated, generated, real called generated, real.

    ``system``: of the generated outputs, only those of this system count.
    """
    if system is not None:
        responses = responses.where(f"truth = 'real' OR system = {text(system)}")
    rows = responses.query(
        "SELECT coalesce(CAST(rater AS VARCHAR), ''), "
        "count(*) FILTER (truth = 'generated' AND answer = 'generated'), "
        "count(*) FILTER (truth = 'generated'), "
        "count(*) FILTER (truth = 'real' AND answer = 'generated'), "
        "count(*) FILTER (truth = 'real') FROM {r} GROUP BY rater ORDER BY rater"
    )
    return [(r, int(a), int(b), int(c), int(d)) for r, a, b, c, d in rows]


def two_faced(responses: Responses) -> list[str]:
    """The systems with both real and generated outputs."""
    rows = responses.query(
        "SELECT system FROM {r} GROUP BY system HAVING count(DISTINCT truth) > 1 ORDER BY system"
    )
    return [row[0] for row in rows]


def why_no_area(responses: Responses) -> str | None:
    """Why the answers cannot be ordered by confidence; ``None`` if they can."""
    if "confidence" not in responses.columns:
        return NOT_ASKED[0]
    given, numbers, lowest, highest = responses.query(
        f"SELECT count(*) FILTER ({STATED}), count(confidence) FILTER (isfinite(confidence)), "
        "min(confidence) FILTER (isfinite(confidence)), "
        "max(confidence) FILTER (isfinite(confidence)) FROM {r}"
    )[0]
    if not given:
        return NOT_ASKED[1]
    if numbers < given:
        return "the confidence is in words, which have no order of their own"
    if lowest < 0:
        return "a confidence lies below 0, so its sign cannot tell real from generated"
    if numbers > 1 and lowest == highest:
        return "every answer has the same confidence, which orders nothing beyond the answers"
    return None


SIGNED = (
    "SELECT rid, item, rater, CAST(system AS VARCHAR) AS system, truth, "
    "CASE WHEN answer = 'generated' THEN confidence ELSE -confidence END AS s "
    "FROM {r} WHERE isfinite(confidence)"
)
"""The signed confidence: how surely an output is called generated."""


def area_rows() -> str:
    """The rows of the area under the curve, of all generated outputs and of each system's.

    The names are ``all`` and ``system NAME``. A generated output adds its placement among the real
    ones, a real one what its placement among the generated ones is off the area (see
    ``stats.detection.auc.clustered_area``).
    """
    return (
        f"WITH s AS ({SIGNED}), "
        "named AS (SELECT DISTINCT system FROM s WHERE truth = 'generated'), "
        "l AS (SELECT 'all' AS k, * FROM s "
        "UNION ALL SELECT 'system ' || system, * FROM s WHERE truth = 'generated' "
        "UNION ALL SELECT 'system ' || named.system, s.* FROM s, named WHERE truth = 'real'), "
        "c AS (SELECT k, s, count(*) FILTER (truth = 'generated') AS g, "
        "count(*) FILTER (truth = 'real') AS r FROM l GROUP BY k, s), "
        "p AS (SELECT k, s, g, sum(g) OVER whole AS m, sum(r) OVER whole AS n, "
        "sum(r) OVER below - r / 2.0 AS beneath, "
        "sum(g) OVER whole - sum(g) OVER below + g / 2.0 AS above FROM c "
        "WINDOW whole AS (PARTITION BY k), "
        "below AS (PARTITION BY k ORDER BY s ROWS UNBOUNDED PRECEDING)), "
        "a AS (SELECT k, sum(g * beneath) / (any_value(m) * any_value(n)) AS area FROM p "
        "WHERE m > 0 AND n > 0 GROUP BY k) "
        "SELECT k, item, rater, rid, CASE WHEN truth = 'generated' THEN beneath / n / m "
        "ELSE (above / m - area) / n END AS u, "
        "CASE WHEN truth = 'generated' THEN 1.0 / m ELSE 0.0 END AS w "
        "FROM l JOIN p USING (k, s) JOIN a USING (k)"
    )


def rater_areas(responses: Responses) -> dict[str, float]:
    """The area under each rater's own curve, of the raters who saw both kinds."""
    rows = responses.query(
        f"WITH s AS ({SIGNED}), "
        "c AS (SELECT rater, s, count(*) FILTER (truth = 'generated') AS g, "
        "count(*) FILTER (truth = 'real') AS r FROM s GROUP BY rater, s), "
        "p AS (SELECT rater, g, r, sum(r) OVER (PARTITION BY rater ORDER BY s "
        "ROWS UNBOUNDED PRECEDING) - r / 2.0 AS beneath FROM c) "
        "SELECT CAST(rater AS VARCHAR), sum(g * beneath) / (sum(g) * sum(r)) FROM p "
        "GROUP BY rater HAVING sum(g) > 0 AND sum(r) > 0"
    )
    return {rater: float(area) for rater, area in rows}
