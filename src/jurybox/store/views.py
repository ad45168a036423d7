"""The table shapes as SQL views: the contract between collecting, tallying and exporting.

A shape view holds answered rows of main trials only: superseded and late rows are resolved away, a
skip never becomes a number, and ``excluded_by`` names the first rule by which the rater is left
out, ``withdrawn`` before any other. ``checks`` holds practice, gold and attention trials;
``submissions`` everything that was sent, with what became of it. The same text runs on SQLite and
PostgreSQL.
"""

from __future__ import annotations

from jurybox.store.values import Shape

__all__ = ["COLUMNS", "VIEWS"]

_CARRIED = (
    *("trial", "rater_kind", "round", "study_version", "session", "position", "repeat"),
    *("ms", "at", "status", "reason", "comment", "excluded_by", "group"),
)

COLUMNS: dict[Shape, tuple[str, ...]] = {
    "ratings": ("item", "system", "rater", "criterion", "score", "confidence", "place", *_CARRIED),
    "votes": (
        *("item", "system_a", "system_b", "rater", "criterion", "winner"),
        *("first", "strength", "confidence", *_CARRIED),
    ),
    "rankings": (
        *("item", "rater", "system", "rank", "criterion", "confidence", "place"),
        *_CARRIED,
    ),
    "detections": (
        *("item", "system", "rater", "truth", "answer", "criterion", "confidence"),
        *("place", *_CARRIED),
    ),
    "spans": (
        *("item", "system", "rater", "criterion", "field", "start", "end"),
        *("category", "severity", "confidence", "place", *_CARRIED),
    ),
    "checks": (
        *("trial", "item", "rater", "rater_kind", "kind", "correct", "at", "position"),
        *("round", "study_version", "session", "ms", "excluded_by"),
    ),
    "submissions": (
        *("id", "trial", "item", "kind", "rater", "rater_kind", "slot", "round"),
        *("study_version", "session", "position", "repeat", "ms", "at", "received_at"),
        *("status", "reason", "comment", "correct", "excluded_by", "group"),
    ),
}
"""The columns of each shape, in the order in which they are read and exported."""

# A later submission of the same rater for the same trial counts instead. A judge answers a trial
# once per order and repeat; a late one never counted, so it replaces nothing.
_REPLACED = """EXISTS (
  SELECT 1 FROM submission_rows n
  WHERE n.rater = s.rater AND n.trial = s.trial AND n.seq > s.seq
    AND n."repeat" = s."repeat" AND n.status <> 'late'
    AND (s.rater_kind <> 'judge' OR n.shown_order = s.shown_order))"""

_SUBMISSION = """s.rater_kind, s."round", s.study_version, s.session, s."position", s."repeat",
  s.ms, s."at", s.status, s.reason, x.rule AS excluded_by, g."group" AS "group"
"""

_RESPONSE = f"""r.submission AS seq, r."number", s.trial, t.item, s.rater, r.criterion,
  r.confidence, coalesce(r."comment", s."comment") AS "comment", {_SUBMISSION}"""

_EXCLUDED = """
SELECT e.rater, e.rule FROM exclusions e
WHERE e.unmarked_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM exclusions f
  WHERE f.rater = e.rater AND f.unmarked_at IS NULL
    AND e.rule <> 'withdrawn' AND (f.rule = 'withdrawn' OR f.id < e.id))"""


def _select(columns: tuple[str, ...], source: tuple[str, ...], where: str = "") -> str:
    """Write a query over submissions with their trial, and their rater's group and exclusion."""
    lines = ["SELECT", ", ".join(columns), "FROM", *source]
    lines += ["JOIN trials t ON t.id = s.trial", "LEFT JOIN excluded_raters x ON x.rater = s.rater"]
    lines += ["LEFT JOIN raters g ON g.id = s.rater"]
    return "\n".join([*lines, f"WHERE {where}"] if where else lines)


def _shape(shape: Shape, columns: str, *joins: str) -> str:
    """Write a shape view: these columns of the answers that stand."""
    source = ("response_rows r", "JOIN submission_rows s ON s.seq = r.submission", *joins)
    where = f"r.shape = '{shape}' AND t.kind = 'main' AND s.status = 'answered' AND NOT {_REPLACED}"
    return _select((columns, _RESPONSE), source, where)


VIEWS: dict[str, str] = {
    "excluded_raters": _EXCLUDED,
    "ratings": _shape("ratings", 'r."system", r.score, r.place'),
    "votes": _shape(
        "votes",
        'a."system" AS system_a, b."system" AS system_b, r.winner, r."first", r.strength',
        "JOIN trial_outputs a ON a.trial = s.trial AND a.place = 0",
        "JOIN trial_outputs b ON b.trial = s.trial AND b.place = 1",
    ),
    "rankings": _shape("rankings", 'r."system", r."rank", r.place'),
    "detections": _shape(
        "detections",
        'r."system", o.truth, r.answer, r.place',
        'LEFT JOIN trial_outputs o ON o.trial = s.trial AND o."system" = r."system"',
    ),
    "spans": _shape(
        "spans", 'r."system", r.field, r."start", r."end", r.category, r.severity, r.place'
    ),
    "checks": _select(
        ('s.seq, 0 AS "number", s.trial, t.item, s.rater, t.kind, s.correct', _SUBMISSION),
        ("submission_rows s",),
        f"t.kind <> 'main' AND s.status = 'answered' AND NOT {_REPLACED}",
    ),
    "submissions": _select(
        (
            's.seq, 0 AS "number", s.id, s.trial, t.item, t.kind, s.rater, s.rater_kind, s.slot',
            's."round", s.study_version, s.session, s."position", s."repeat", s.ms, s."at"',
            f"CASE WHEN s.status <> 'late' AND {_REPLACED} THEN 'superseded' "
            "ELSE s.status END AS status",
            's.received_at, s.reason, s."comment", s.correct, x.rule AS excluded_by',
            'g."group" AS "group"',
        ),
        ("submission_rows s",),
    ),
}
"""Every view, in an order in which they can be made. A change here needs a new revision."""
