"""What each rater does otherwise than the others on the same outputs, reduced in the database.

A *unit* is what two raters can both judge: an output, in compare trials an item with an unordered
pair of systems, and where outputs are ranked an output among the same others, since its rank
depends on them. Of repeated answers of a rater to a unit the first counts; the second is the
retest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from jurybox.tally.responses import Responses
from jurybox.tally.shapes import SHAPES

__all__ = [
    "RANKED_TOGETHER",
    "TOGETHER",
    "Habit",
    "Retested",
    "answer_habits",
    "as_ratings",
    "deviation",
    "drift_rows",
    "first_answers",
    "first_shown_rows",
    "judged",
    "leniency_rows",
    "noise",
    "paces",
    "rank_concordance",
    "rater_ties",
    "retest_pairs",
    "retest_rows",
]

UNIT = "item, s1, s2"
"""The columns that name a unit; ``s2`` is ``s1`` again where one output is judged by itself."""
SHOWN = "OVER (PARTITION BY rater, coalesce(trial, item), item)"
TOGETHER = "sum(hash(system)::HUGEINT) {0} // count(*) {0}"
RANKED_TOGETHER = TOGETHER.format(SHOWN)
"""What stands for the outputs of a ranking: the same in any order, and if it came twice."""
TRIAL = (
    "rater, trial, item, CASE WHEN trial IS NULL THEN s1 END, CASE WHEN trial IS NULL THEN s2 END"
)
"""The columns that name a rater's trial; where trials are not named, a unit is one."""
TIED = "winner IN ('tie', 'both_bad')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """How varied a rater's answers are."""

    n: int
    most_used: str
    share: float
    """Of the answer used most."""
    others: float
    """The share of that answer among all raters."""
    longest_run: int
    """The most equal answers in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retested:
    """A rater's answers to units that came twice."""

    n: int
    same: int
    distance: float | None
    """The mean absolute difference, where answers are numbers."""


def judged(responses: Responses) -> str:
    """Every answer with its unit.

    ``rid, rater, item, s1, s2, y, a, shown, position, ms, trial, turned``

    ``y`` is the answer as a number, if it is one (a detection: 1 for "real"), ``a`` as a word that
    means the same in whatever order outputs were shown, ``shown`` as a word of the screen.
    """
    shape = responses.shape.name
    units = "system AS s1, system AS s2"
    y, a, shown = "CAST(NULL AS DOUBLE)", "CAST(NULL AS VARCHAR)", None
    if shape == "ratings":
        y, a = "score", "word"
    elif shape == "detections":
        y, a = "CASE WHEN answer = 'real' THEN 1.0::DOUBLE ELSE 0.0 END", "CAST(answer AS VARCHAR)"
    elif shape == "rankings":
        units = f"system AS s1, {RANKED_TOGETHER} AS s2"
        y, a = "rank", "CAST(rank AS VARCHAR)"
    elif shape == "votes":
        units = "least(system_a, system_b) AS s1, greatest(system_a, system_b) AS s2"
        a = (
            f"CASE WHEN system_a <= system_b OR {TIED} THEN CAST(winner AS VARCHAR) "
            "WHEN winner = 'a' THEN 'b' ELSE 'a' END"
        )
        shown = "CAST(winner AS VARCHAR)"
        if "first" in responses.columns:
            shown = (
                f"CASE WHEN {TIED} OR first IS NULL THEN CAST(winner AS VARCHAR) "
                "WHEN winner = first THEN 'the first shown' ELSE 'the second shown' END"
            )
    position, ms = (
        name if name in responses.columns else "CAST(NULL AS DOUBLE)" for name in ("position", "ms")
    )
    own = "" if shape != "votes" else " WHERE system_a <> system_b"
    kind = "CAST(NULL AS VARCHAR) AS turned"
    if "rater_kind" in responses.columns:
        kind = f"CASE WHEN rater_kind = 'judge' THEN {_turned(responses)} END AS turned"
    return (
        f"(SELECT rid, rater, item, {units}, {y} AS y, {a} AS a, {shown or a} AS shown, "
        f"{position} AS position, {ms} AS ms, trial, {kind} FROM {responses.source}{own})"
    )


def _turned(responses: Responses) -> str:
    """In which order the outputs were shown: a judge is asked in both, which is no asking again."""
    if responses.shape.name == "votes" and "first" in responses.columns:
        return "CAST((first = 'a') = (system_a <= system_b) AS VARCHAR)"
    return "CAST(place AS VARCHAR)" if "place" in responses.columns else "CAST(NULL AS VARCHAR)"


def as_ratings(scored: Responses) -> Responses:
    """Scores that were computed from other responses, as ratings of their own."""
    source = (
        "(SELECT * REPLACE (CAST(score AS DOUBLE) AS score), CAST(score AS VARCHAR) AS word, "
        f"CAST(NULL AS VARCHAR) AS trial FROM {scored.source})"
    )
    columns = scored.columns - {"position", "ms", "trial", "rater_kind"}
    return replace(scored, source=source, shape=SHAPES["ratings"], columns=columns, n_repeats=0)


def deviation(responses: Responses) -> float | None:
    """The standard deviation of all answers as numbers."""
    found = responses.value(f"SELECT stddev_samp(y) FROM {judged(responses)}")
    return None if found is None else float(found)


def first_answers(responses: Responses) -> str:
    """The same without what a rater answered once more."""
    if responses.once:
        return judged(responses)
    return (
        f"(SELECT * FROM {judged(responses)} "
        f"QUALIFY row_number() OVER (PARTITION BY rater, {UNIT} ORDER BY rid) = 1)"
    )


def _residuals(responses: Responses, *, placed: bool = False) -> str:
    """Common tables that end in ``e``: each answer's distance from the others' mean on the unit.

    ``placed``: with ``x``, the place in the rater's sequence from 0 (first) to 1 (last).
    """
    span = "OVER (PARTITION BY rater)"
    place = f"(position - min(position) {span}) / nullif(max(position) {span} - min(position) "
    place = f", {place}{span}, 0) AS x" if placed else ""
    return (
        f"j AS (SELECT *{place} FROM {first_answers(responses)}), "
        f"t AS (SELECT {UNIT}, count(y) AS n, sum(y) AS total FROM j GROUP BY {UNIT} "
        "HAVING count(y) > 1), "
        f"e AS (SELECT rater, item, rid, y - (total - y) / (n - 1) AS e{', x' if placed else ''} "
        f"FROM j JOIN t USING ({UNIT}))"
    )


def leniency_rows(responses: Responses) -> str:
    """The rows of each rater's mean distance from the others on the same units."""
    return (
        f"WITH {_residuals(responses)} SELECT rater AS k, item, rater, rid, e AS u, 1 AS w FROM e"
    )


def drift_rows(responses: Responses) -> str:
    """The rows of each rater's slope of that distance, from the first to the last trial."""
    return (
        f"WITH {_residuals(responses, placed=True)}, c AS (SELECT *, x - avg(x) OVER r AS dx, "
        "e - avg(e) OVER r AS de FROM e WHERE x IS NOT NULL WINDOW r AS (PARTITION BY rater)) "
        "SELECT rater AS k, item, rater, rid, dx * de AS u, dx * dx AS w FROM c "
        "QUALIFY sum(dx * dx) OVER (PARTITION BY rater) > 1e-12"
    )


def noise(responses: Responses) -> dict[str, float | None]:
    """The standard deviation of each rater's distances from the others; ``None`` for one unit."""
    return dict(
        responses.query(
            f"WITH {_residuals(responses)} SELECT rater, stddev_samp(e) FROM e GROUP BY rater"
        )
    )


def answer_habits(responses: Responses) -> dict[str, Habit]:
    """How varied each rater's answers are, in the order in which they were given."""
    order = "ORDER BY position, rid"
    found = responses.query(
        f"WITH o AS (SELECT rater, shown, row_number() OVER (PARTITION BY rater {order}) - "
        f"row_number() OVER (PARTITION BY rater, shown {order}) AS run FROM {judged(responses)} "
        "WHERE shown IS NOT NULL), "
        "runs AS (SELECT rater, shown, run, count(*) AS n FROM o GROUP BY ALL), "
        "used AS (SELECT rater, shown, sum(n) AS n FROM runs GROUP BY ALL), "
        "everybody AS (SELECT shown, sum(n) / sum(sum(n)) OVER () AS share FROM used GROUP BY 1), "
        "longest AS (SELECT rater, max(n) AS longest FROM runs GROUP BY rater), "
        "most AS (SELECT rater, sum(n) AS n, arg_max(shown, (n, shown)) AS shown, "
        "max(n) / sum(n) AS own FROM used GROUP BY rater) "
        "SELECT rater, n, shown, own, share, longest FROM most JOIN everybody USING (shown) "
        "JOIN longest USING (rater) ORDER BY rater"
    )
    return {
        row[0]: Habit(
            n=int(row[1]),
            most_used=row[2],
            share=float(row[3]),
            others=float(row[4]),
            longest_run=int(row[5]),
        )
        for row in found
    }


def _twice(responses: Responses) -> str:
    """The first and the second answer of every rater to every unit that came twice alike."""
    return (
        f"(SELECT rater, item, min(rid) AS rid, arg_min(y, rid) AS y1, arg_max(y, rid) AS y2, "
        "arg_min(a, rid) AS a1, arg_max(a, rid) AS a2 "
        f"FROM (SELECT * FROM {judged(responses)} QUALIFY row_number() OVER "
        f"(PARTITION BY rater, {UNIT}, turned ORDER BY rid) <= 2) "
        f"GROUP BY rater, {UNIT}, turned HAVING count(*) = 2)"
    )


def retest_rows(responses: Responses) -> str:
    """The rows of the share of units with the same answer both times."""
    return (
        "SELECT 'same answer' AS k, item, rater, rid, CASE WHEN a1 = a2 THEN 1 ELSE 0 END AS u, "
        f"1 AS w FROM {_twice(responses)}"
    )


def retest_pairs(
    responses: Responses,
) -> tuple[dict[str, Retested], tuple[tuple[str, str, int], ...]]:
    """Each rater's answers to units that came twice; and how often each two answers met."""
    if responses.once or not (responses.has_item and responses.has_rater):
        return {}, ()
    # Real and generated are 1 and 0 here, but words to the rater: no number apart.
    apart = "NULL" if responses.shape.name == "detections" else "avg(abs(y1 - y2))"
    rows = responses.query(
        f"SELECT rater, count(*), count(*) FILTER (a1 = a2), {apart} "
        f"FROM {_twice(responses)} GROUP BY rater ORDER BY rater"
    )
    if not rows:
        return {}, ()
    met = responses.query(
        f"SELECT a1, a2, count(*) FROM {_twice(responses)} GROUP BY ALL ORDER BY ALL"
    )
    each = {row[0]: Retested(n=int(row[1]), same=int(row[2]), distance=row[3]) for row in rows}
    return each, tuple((row[0], row[1], int(row[2])) for row in met)


def paces(responses: Responses, expected: Mapping[str, float] | float | None) -> dict[str, float]:
    """Each rater's median time per trial as a multiple of what is expected.

    ``expected``: seconds per trial, or of each trial. Without it, the median of the raters' medians
    is what is expected.
    """
    if "ms" not in responses.columns:
        return {}
    connection = responses.connection
    wanted = "CAST(NULL AS DOUBLE)"
    join = ""
    if isinstance(expected, Mapping):
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE expected AS SELECT unnest(?::VARCHAR[]) AS trial, "
            "unnest(?::DOUBLE[]) AS wanted",
            [list(expected), list(expected.values())],
        )
        wanted, join = "wanted", " JOIN expected USING (trial)"
    elif expected is not None:
        wanted = f"{float(expected)!r}::DOUBLE"
    rows = responses.query(
        f"WITH trials AS (SELECT rater, any_value(ms) / 1000 / coalesce(any_value({wanted}), 1) "
        f"AS pace FROM {judged(responses)}{join} WHERE ms IS NOT NULL "
        f"GROUP BY {TRIAL}), "
        "m AS (SELECT rater, median(pace) AS pace FROM trials GROUP BY rater) "
        "SELECT rater, pace, median(pace) OVER () FROM m ORDER BY rater"
    )
    relative = expected is None
    return {
        row[0]: float(row[1] / row[2]) if relative else float(row[1])
        for row in rows
        if row[2] or not relative
    }


def first_shown_rows() -> str:
    """The rows of how often each rater chooses what was shown first; ties are left out."""
    return (
        "SELECT rater AS k, item, rater, rid, CASE WHEN winner = first THEN 1 ELSE 0 END AS u, "
        f"1 AS w FROM {{r}} WHERE first IS NOT NULL AND NOT {TIED} AND system_a <> system_b"
    )


def rater_ties(responses: Responses) -> dict[str, float]:
    """The share of each rater's votes that are ties or "both bad"; a single vote has none."""
    rows = responses.query(
        f"SELECT rater, avg(CASE WHEN {TIED} THEN 1.0 ELSE 0.0 END) FROM {{r}} "
        "WHERE system_a <> system_b GROUP BY rater HAVING count(*) > 1 ORDER BY rater"
    )
    return {row[0]: float(row[1]) for row in rows}


def rank_concordance(responses: Responses) -> dict[str, float]:
    """Kendall's tau of each rater with the others, over every two outputs that both ranked.

    A pair of outputs counts 1 if both raters order it alike, −1 if not, 0 if either has a tie. Both
    saw it among the same others.
    """
    pair = "item, among, one, two"
    rows = responses.query(
        f"WITH j AS {first_answers(responses)}, "
        "p AS (SELECT a.rater, a.item, a.s2 AS among, a.s1 AS one, b.s1 AS two, "
        "sign(a.y - b.y) AS way FROM j a JOIN j b ON a.rater = b.rater AND a.item = b.item "
        "AND a.s2 = b.s2 AND a.s1 < b.s1), "
        "t AS (SELECT item, among, one, two, sum(way) AS total, count(*) AS n FROM p GROUP BY ALL "
        "HAVING count(*) > 1) "
        f"SELECT rater, sum(way * (total - way)) / sum(n - 1) FROM p JOIN t USING ({pair}) "
        "GROUP BY rater ORDER BY rater"
    )
    return {row[0]: float(row[1]) for row in rows}
