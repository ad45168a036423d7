"""Where there is nothing to tell apart: one answer only, one system per rater, equal outputs."""

from __future__ import annotations

from collections.abc import Sequence

from jurybox.tally.rater_effects import judged
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = ["constant_answers", "nested_raters", "place_that_wins", "votes_on"]

ENOUGH = 10
"""Fewer equal answers of a rater are no wonder."""


def nested_raters(responses: Responses) -> int:
    """How many raters judged one system only."""
    return int(
        responses.value(
            "SELECT count(*) FROM (SELECT rater FROM {r} GROUP BY rater "
            "HAVING min(system) = max(system))"
        )
    )


def place_that_wins(part: Responses) -> str | None:
    """Where the output stands that wins every vote on one criterion, whichever system made it.

    ``None`` where no place does, or no pair of systems was seen in both orders.
    """
    side = "first" if "first" in part.columns else "'a'"
    rows = part.query(
        f"SELECT count(DISTINCT winner = {side}), bool_and(winner = {side}) FROM {{r}} "
        f"WHERE {side} IS NOT NULL OR winner IN ('tie', 'both_bad') "
        "HAVING bool_and(winner IN ('a', 'b'))"
    )
    if not rows or rows[0][0] != 1:
        return None
    turned = part.value(
        "SELECT bool_or(n > 1) FROM (SELECT "
        f"count(DISTINCT ({side} = 'a') = (system_a <= system_b)) AS n FROM {{r}} "
        "GROUP BY least(system_a, system_b), greatest(system_a, system_b))"
    )
    if not turned:
        return None
    if side == "first":
        return "shown first" if rows[0][1] else "shown second"
    return "in system_a" if rows[0][1] else "in system_b"


def constant_answers(responses: Responses) -> dict[str, tuple[tuple[str, int], ...] | None]:
    """Per criterion, the raters who gave ten or more answers, all the same; ``None`` for everybody.

    Only criteria of which something of the kind is true.
    """
    if responses.shape.name in ("rankings", "spans"):
        return {}
    found: dict[str, tuple[tuple[str, int], ...] | None] = {}
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        rows = part.query(
            "SELECT rater, count(*) AS n, min(shown), max(shown) FROM "
            f"{judged(part)} GROUP BY rater ORDER BY rater"
        )
        if not rows:
            continue
        if sum(row[1] for row in rows) > 1 and min(r[2] for r in rows) == max(r[3] for r in rows):
            found[criterion] = None
            continue
        same = tuple((r[0], int(r[1])) for r in rows if r[2] == r[3] and r[1] >= ENOUGH)
        if same and responses.has_rater:
            found[criterion] = same
    return found


def votes_on(
    responses: Responses, items: Sequence[str], systems: tuple[str, str]
) -> tuple[int, int]:
    """How many votes there are between two systems on some items, and how many are ties."""
    one, two = map(text, systems)
    n, ties = responses.query(
        "SELECT count(*), count(*) FILTER (winner IN ('tie', 'both_bad')) FROM {r} WHERE "
        f"item IN ({', '.join(map(text, items))}) AND system_a IN ({one}, {two}) "
        f"AND system_b IN ({one}, {two}) AND system_a <> system_b"
    )[0]
    return int(n), int(ties)
