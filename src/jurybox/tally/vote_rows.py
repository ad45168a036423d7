"""Votes as rows of what they count for whom, in SQL: wins, ties, losses, and the first place."""

from __future__ import annotations

from jurybox.tally.ratios import PAIR
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = [
    "both_bad_pair_rows",
    "decided_alone",
    "first_shown",
    "grade_counts",
    "grade_rows",
    "lost_pair_rows",
    "outcome_rows",
    "pair_rows",
    "win_rows",
]

ORIENTED = (
    "SELECT item, rater, rid, least(system_a, system_b) AS one,"
    " greatest(system_a, system_b) AS two,"
    " CASE WHEN (winner = 'a') = (system_a < system_b) AND winner IN ('a', 'b') THEN 1 ELSE 0 END"
    " AS wins_one,"
    " CASE WHEN (winner = 'b') = (system_a < system_b) AND winner IN ('a', 'b') THEN 1 ELSE 0 END"
    " AS wins_two,"
    " CASE WHEN winner IN ('tie', 'both_bad') THEN 1 ELSE 0 END AS ties"
    " FROM {r} WHERE system_a <> system_b"
)
"""Every vote with its two systems in the order of their names."""


def _side(side: str, u: str, condition: str = "true") -> str:
    return (
        f"SELECT system_{side} AS k, item, rater, rid, {u} AS u, 1.0 AS w FROM {{r}} "
        f"WHERE system_a <> system_b AND {condition}"
    )


TIED = {
    "half": ("0.5", "true"),
    "drop": ("0.0", "winner IN ('a', 'b')"),
    "outcome": ("0.0", "true"),
}
"""For each treatment of ties what a tie counts, and which votes count at all."""


def win_rows(ties: str = "half") -> str:
    """The rows of every system's win rate; ties and ``both_bad`` count half unless said."""
    tie, condition = TIED[ties]
    sides = (
        _side(
            side,
            f"CASE WHEN winner IN ('tie', 'both_bad') THEN {tie} "
            f"WHEN winner = '{side}' THEN 1.0 ELSE 0.0 END",
            condition,
        )
        for side in "ab"
    )
    return " UNION ALL ".join(sides)


def outcome_rows(outcome: str) -> str:
    """The rows of how often a system's votes end in an outcome.

    ``tie``, ``both_bad``, ``drawn`` (either of them) or ``loss``.
    """
    sides = []
    for side, other in (("a", "b"), ("b", "a")):
        words = {"drawn": ("tie", "both_bad"), "loss": (other,)}.get(outcome, (outcome,))
        listed = ", ".join(text(word) for word in words)
        sides.append(_side(side, f"CASE WHEN winner IN ({listed}) THEN 1.0 ELSE 0.0 END"))
    return " UNION ALL ".join(sides)


def pair_rows(ties: str = "half") -> str:
    """The rows of every pair's win rate, for the system whose name comes first."""
    pair = PAIR.format(one="one", two="two")
    tie, _ = TIED[ties]
    condition = "ties = 0" if ties == "drop" else "true"
    return (
        f"SELECT {pair} AS k, item, rater, rid, wins_one + ties * {tie} AS u, "
        f"1.0 AS w FROM ({ORIENTED}) WHERE {condition}"
    )


GRADE = (
    "CASE WHEN winner IN ('tie', 'both_bad') THEN 0.0 "
    "WHEN (winner = 'a') = (system_a < system_b) THEN CAST(strength AS DOUBLE) "
    "ELSE -CAST(strength AS DOUBLE) END"
)
"""How far the system of a pair whose name comes first is preferred."""


def grade_rows() -> str:
    """The rows of every pair's mean grade, for the system whose name comes first."""
    pair = PAIR.format(one="least(system_a, system_b)", two="greatest(system_a, system_b)")
    return (
        f"SELECT {pair} AS k, item, rater, rid, {GRADE} AS u, 1.0 AS w FROM {{r}} "
        f"WHERE system_a <> system_b AND ({GRADE}) IS NOT NULL"
    )


def grade_counts(responses: Responses) -> list[tuple[int, float, int]]:
    """Of every pair's number each grade and how many votes have it."""
    rows = responses.query(
        f"SELECT k, u, count(*) FROM ({grade_rows()}) GROUP BY k, u ORDER BY ALL"
    )
    return [(int(k), float(grade), int(n)) for k, grade, n in rows]


def lost_pair_rows() -> str:
    """The rows of how often the system of a pair whose name comes second wins outright."""
    pair = PAIR.format(one="one", two="two")
    return f"SELECT {pair} AS k, item, rater, rid, wins_two AS u, 1.0 AS w FROM ({ORIENTED})"


def both_bad_pair_rows() -> str:
    """The rows of how often the votes on a pair call both bad."""
    pair = PAIR.format(one="least(system_a, system_b)", two="greatest(system_a, system_b)")
    return (
        f"SELECT {pair} AS k, item, rater, rid, CASE WHEN winner = 'both_bad' THEN 1.0 ELSE 0.0 "
        "END AS u, 1.0 AS w FROM {r} WHERE system_a <> system_b"
    )


def decided_alone(responses: Responses) -> bool:
    """Whether no rater and no item gives more than one vote with a winner."""
    if not (responses.has_item and responses.has_rater):
        return False
    n, raters, items = responses.query(
        "SELECT count(*), count(DISTINCT rater), count(DISTINCT item) FROM {r} "
        "WHERE system_a <> system_b AND winner IN ('a', 'b')"
    )[0]
    return bool(n == raters == items)


def first_shown() -> str:
    """The rows of how often the output shown first wins; ties count half."""
    return (
        "SELECT 'first' AS k, item, rater, rid, CASE WHEN winner IN ('tie', 'both_bad') THEN 0.5 "
        "WHEN winner = first THEN 1.0 ELSE 0.0 END AS u, 1.0 AS w "
        "FROM {r} WHERE first IS NOT NULL AND system_a <> system_b"
    )
