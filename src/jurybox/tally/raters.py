"""What each rater did: how many responses, how fast, and how varied."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = ["RaterTally", "busiest", "marked_raters", "rater_tallies", "scores_below"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterTally:
    """One rater's responses in numbers."""

    rater: str
    n_responses: int
    mean: float | None
    """Mean score, where scores are numbers."""
    seconds: float | None
    """Median time per trial."""
    most_used: str | None
    """The answer given most often to each criterion; of votes the place, not the system."""
    most_used_share: float | None
    """How many of the answers are the one that the rater gives most often to the same criterion."""


def _answer(responses: Responses) -> str | None:
    shape = responses.shape.name
    if shape == "ratings":
        return "word"
    if shape == "detections":
        return "answer"
    if shape == "votes":
        if "first" not in responses.columns:
            return "winner"
        return (
            "CASE WHEN winner IN ('tie', 'both_bad') OR first IS NULL THEN winner "
            "WHEN winner = first THEN 'the first shown' ELSE 'the second shown' END"
        )
    return None


def _counted(responses: Responses) -> str:
    """How many responses some rows are: a ranking, and the spans of one output, are one each."""
    columns = {
        "rankings": ("item", "trial", "criterion"),
        "spans": ("item", "system", "trial", "criterion"),
    }.get(responses.shape.name, ())
    unit = ", ".join(name for name in columns if name in responses.columns)
    return f"count(DISTINCT ({unit}))" if unit else "count(*)"


def rater_tallies(responses: Responses) -> tuple[RaterTally, ...]:
    """One entry per rater, by name."""
    if not responses.has_rater:
        return ()
    shape = responses.shape.name
    score = "avg(score)" if shape == "ratings" else "NULL"
    ms = "max(ms)" if "ms" in responses.columns else "NULL"
    output = "system_a || system_b" if shape == "votes" else "system"
    answer = _answer(responses)
    # Error points of marks, and large tables of one criterion, come without its name.
    there = {row[0] for row in responses.query("DESCRIBE SELECT * FROM {r}")}
    criterion = "criterion" if "criterion" in there else "''"
    rows = responses.query(
        f"WITH n AS (SELECT rater, {_counted(responses)} AS n, CAST({score} AS DOUBLE) AS mean "
        "FROM {r} GROUP BY rater), "
        # The time of a trial stands in each of its rows.
        f"trials AS (SELECT rater, CAST({ms} AS DOUBLE) AS ms FROM {{r}} "
        f"GROUP BY rater, item, coalesce(trial, {output})), "
        "t AS (SELECT rater, median(ms) / 1000 AS seconds FROM trials GROUP BY rater), "
        f"v AS (SELECT rater, {criterion} AS criterion, CAST({answer or 'NULL'} AS VARCHAR) "
        "AS answer, count(*) AS times FROM {r} GROUP BY ALL), "
        # A line may be straight at another height for each criterion.
        "c AS (SELECT rater, criterion, arg_max(answer, times) AS answer, max(times) AS most, "
        "sum(times) AS times FROM v GROUP BY rater, criterion), "
        "u AS (SELECT rater, CASE count(DISTINCT answer) WHEN 1 THEN min(answer) ELSE "
        "string_agg(answer || ' on ' || criterion, ' and ' ORDER BY criterion) END AS answer, "
        "sum(most) / sum(times) AS share FROM c GROUP BY rater) "
        "SELECT rater, n, mean, seconds, answer, share FROM n JOIN t USING (rater) "
        "JOIN u USING (rater) ORDER BY rater"
    )
    return tuple(
        RaterTally(
            rater=row[0],
            n_responses=int(row[1]),
            mean=row[2],
            seconds=row[3],
            most_used=row[4],
            most_used_share=None if answer is None else float(row[5]),
        )
        for row in rows
    )


def scores_below(
    responses: Responses, systems: Collection[str], least: Mapping[str, float]
) -> dict[str, tuple[int, int]]:
    """Per rater how many scores of these systems are below a criterion's least, and of how many."""
    if responses.shape.name != "ratings" or not responses.has_rater or not systems:
        return {}
    below = " ".join(f"WHEN {text(name)} THEN score < {value!r}" for name, value in least.items())
    rows = responses.query(
        f"SELECT rater, count(*) FILTER (CASE criterion {below} END), count(*) FROM {{r}} "
        f"WHERE system IN ({', '.join(text(each) for each in systems)}) "
        f"AND criterion IN ({', '.join(text(each) for each in least)}) GROUP BY rater"
    )
    return {rater: (int(missed), int(n)) for rater, missed, n in rows}


def marked_raters(responses: Responses) -> dict[str, str]:
    """The raters whose responses are all marked as excluded, with the rule."""
    if "excluded_by" not in responses.columns or not responses.has_rater:
        return {}
    rows = responses.query(
        "SELECT rater, min(excluded_by) FROM {r} GROUP BY rater "
        "HAVING bool_and(excluded_by IS NOT NULL) ORDER BY rater"
    )
    return {row[0]: row[1] for row in rows}


def busiest(responses: Responses) -> tuple[str, float]:
    """The rater with the most responses, and their share of all."""
    rater, share = responses.query(
        f"SELECT rater, {_counted(responses)} AS n, n / sum(n) OVER () AS share "
        "FROM {r} GROUP BY rater ORDER BY n DESC, rater LIMIT 1"
    )[0][::2]
    return rater, float(share)
