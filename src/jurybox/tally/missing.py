"""What was asked and not answered: skipped and unusable trials, beside the answered ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = ["Skips", "asked_rows", "filled", "note_unanswered", "skip_counts"]

STORED = ("trial", "item", "rater", "system", "other", "status", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skips:
    """One system: how often an answer was asked for, how often there is none, and why."""

    system: str
    asked: int
    skipped: int
    reasons: tuple[tuple[str, int], ...]
    """The reasons given, the most common first."""


def note_unanswered(
    responses: Responses,
    stored: Mapping[str, Sequence[Any]] | None = None,
    *,
    without: Collection[str] = (),
) -> int:
    """Make the table ``unanswered`` of a table's rows by their status, and of ``stored`` ones.

    ``without``: raters who are left out.

    Of a comparison, ``s1`` and ``s2`` are the two systems in the order of their names; otherwise
    both are the system. Gives how many rows there are.
    """
    has_stored = stored is not None and len(stored["trial"]) > 0
    if not has_stored and "status" not in responses.columns:
        return 0
    query = responses.connection.execute
    query(
        "CREATE OR REPLACE TEMP TABLE unanswered (trial VARCHAR, item VARCHAR, rater VARCHAR, "
        "s1 VARCHAR, s2 VARCHAR, criterion VARCHAR, status VARCHAR, reason VARCHAR)"
    )
    if "status" in responses.columns:
        conditions = ["status IN ('skipped', 'unusable')"]
        conditions += [
            condition
            for column, condition in (
                ("round", "coalesce(round, 'main') = 'main'"),
                ("rater_kind", "coalesce(rater_kind, 'person') <> 'judge'"),
                ("excluded_by", "coalesce(excluded_by, '') <> 'withdrawn'"),
            )
            if column in responses.columns
        ]
        one, two = _systems(responses)
        criterion = "criterion" if "criterion" in responses.columns else "NULL"
        reason = "reason" if "reason" in responses.columns else "NULL"
        query(
            f"INSERT INTO unanswered SELECT trial, item, rater, {one}, {two}, {criterion}, status, "
            f"{reason} FROM everything WHERE {' AND '.join(conditions)}"
        )
    if stored is not None and has_stored:
        parts = ", ".join(f"unnest(?::VARCHAR[]) AS {name}" for name in STORED)
        query(
            "INSERT INTO unanswered SELECT trial, item, rater, least(system, other), "
            f"greatest(system, other), NULL, status, reason FROM (SELECT {parts})",
            [[None if v is None else str(v) for v in stored[name]] for name in STORED],
        )
    if without:
        query(f"DELETE FROM unanswered WHERE rater IN ({', '.join(map(text, without))})")
    return int(responses.value("SELECT count(*) FROM unanswered"))


def _systems(responses: Responses) -> tuple[str, str]:
    if responses.shape.name == "votes":
        return "least(system_a, system_b)", "greatest(system_a, system_b)"
    return "system", "system"


def _asked(responses: Responses) -> str:
    """Every answer that was asked for: ``item, rater, s1, s2, missing``.

    Where skips name their criterion, an answer is one to a criterion; otherwise one to a trial.
    """
    one, two = _systems(responses)
    by_criterion = bool(
        responses.value("SELECT coalesce(bool_or(criterion IS NOT NULL), false) FROM unanswered")
    )
    # Where neither trial nor item is known, every row is an answer of its own.
    key = "trial, item, rater, s1, s2, CASE WHEN trial IS NULL AND item IS NULL THEN n END"
    key += ", criterion" if by_criterion else ""
    return (
        "(SELECT item, rater, s1, s2, min(missing) AS missing, row_number() OVER () AS rid FROM ("
        "SELECT CAST(trial AS VARCHAR) AS trial, CAST(item AS VARCHAR) AS item, "
        f"CAST(rater AS VARCHAR) AS rater, CAST({one} AS VARCHAR) AS s1, "
        f"CAST({two} AS VARCHAR) AS s2, CAST(criterion AS VARCHAR) AS criterion, 0 AS missing, "
        f"rid AS n FROM {responses.source} UNION ALL "
        "SELECT trial, item, rater, s1, s2, criterion, 1, -rowid - 1 FROM unanswered) "
        f"WHERE s1 IS NOT NULL GROUP BY {key})"
    )


def _by_system(responses: Responses) -> str:
    """The same with a row for each system that was shown."""
    asked = _asked(responses)
    if responses.shape.name != "votes":
        return f"(SELECT s1 AS system, item, rater, rid, missing FROM {asked})"
    return (
        f"(SELECT unnest([s1, s2]) AS system, item, rater, rid, missing FROM {asked} "
        "WHERE s1 <> s2)"
    )


def asked_rows(responses: Responses) -> str:
    """The rows of the share of asked answers that are missing, per system."""
    return (
        f"SELECT system AS k, item, rater, rid, missing AS u, 1 AS w FROM {_by_system(responses)}"
    )


def skip_counts(responses: Responses) -> tuple[Skips, ...]:
    """Per system, by name; skips that name no system stand under ``not named``."""
    counts = responses.query(
        f"SELECT system, count(*), sum(missing) FROM {_by_system(responses)} GROUP BY 1 ORDER BY 1"
    )
    why = responses.query(
        "SELECT system, coalesce(reason, status) AS why, count(*) AS n FROM (SELECT "
        "unnest(CASE WHEN s1 = s2 THEN [s1] ELSE [s1, s2] END) AS system, reason, status FROM "
        "unanswered WHERE s1 IS NOT NULL) GROUP BY ALL ORDER BY n DESC, why"
    )
    found = [
        Skips(
            system=row[0],
            asked=int(row[1]),
            skipped=int(row[2]),
            reasons=tuple((each[1], int(each[2])) for each in why if each[0] == row[0]),
        )
        for row in counts
    ]
    unnamed = int(responses.value("SELECT count(*) FROM unanswered WHERE s1 IS NULL"))
    if unnamed:
        found.append(Skips(system="not named", asked=unnamed, skipped=unnamed, reasons=()))
    return tuple(found)


def filled(
    responses: Responses,
    criterion: str,
    systems: tuple[str, str],
    values: tuple[Any, Any],
    *,
    parts: Collection[str] = (),
) -> tuple[Responses, int]:
    """The responses of two systems with every missing one filled in; and how many were.

    ``values``: the score for the first and for the second of the systems; of votes, the winner of
    the two, as ``a`` for the first. ``parts``: what a derived criterion is computed from, of which
    one skip makes it missing.
    """
    one, two = systems
    unanswered = _never_answered(responses, (criterion, *parts))
    if responses.shape.name == "votes":
        missing = (
            f"SELECT item, rater, CAST({text(one)} AS systems) AS system_a, "
            f"CAST({text(two)} AS systems) AS system_b, {text(values[0])} AS winner FROM "
            f"{unanswered} WHERE (s1, s2) = ({text(min(one, two))}, {text(max(one, two))})"
        )
        kept = (
            "SELECT CAST(item AS VARCHAR) AS item, CAST(rater AS VARCHAR) AS rater, system_a, "
            f"system_b, CAST(winner AS VARCHAR) AS winner FROM {responses.source}"
        )
    else:
        missing = (
            f"SELECT item, rater, CAST(s1 AS systems) AS system, CASE WHEN s1 = {text(one)} THEN "
            f"{float(values[0])!r}::DOUBLE ELSE {float(values[1])!r}::DOUBLE END AS score FROM "
            f"{unanswered} WHERE s1 IN ({text(one)}, {text(two)})"
        )
        kept = (
            "SELECT CAST(item AS VARCHAR) AS item, CAST(rater AS VARCHAR) AS rater, system, score "
            f"FROM {responses.source} WHERE system IN ({text(one)}, {text(two)})"
        )
    n = int(responses.value(f"SELECT count(*) FROM ({missing})"))
    source = (
        f"(SELECT *, row_number() OVER () AS rid, {text(criterion)} AS criterion FROM "
        f"({kept} UNION ALL {missing}))"
    )
    return replace(responses, source=source, once=False), n


def _never_answered(responses: Responses, criteria: Collection[str]) -> str:
    """What was skipped and not answered after all, each once: ``item, rater, s1, s2``."""
    one, two = _systems(responses)
    named = ", ".join(map(text, criteria))
    # Skips of raters without a name are each one of their own.
    return (
        "(SELECT item, rater, s1, s2 FROM unanswered ANTI JOIN (SELECT DISTINCT CAST(item AS "
        "VARCHAR) AS item, CAST(rater AS VARCHAR) AS rater, CAST("
        f"{one} AS VARCHAR) AS s1, CAST({two} AS VARCHAR) AS s2 FROM {responses.source}) "
        f"USING (item, rater, s1, s2) WHERE criterion IS NULL OR criterion IN ({named}) "
        "GROUP BY trial, item, rater, s1, s2, CASE WHEN rater IS NULL THEN rowid END)"
    )
