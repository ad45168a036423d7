"""Answers of several rows as single ones, people's and judges' alike.

An output's marks are the points that they cost. A ranking is a vote on every two of its outputs,
and of each of them whether it is first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jurybox.errors import InputError
from jurybox.tally.judges import asked_of
from jurybox.tally.rankings import PLACED as RANKED
from jurybox.tally.rankings import RANKING
from jurybox.tally.rater_effects import TOGETHER
from jurybox.tally.responses import Responses
from jurybox.tally.shapes import SHAPES, ShapeName
from jurybox.tally.spans import check_spans, row_points

__all__ = ["firsts_of_rankings", "judged_marks", "judged_rankings", "single_answers", "status_of"]

SCORED = ("item", "system", "rater", "criterion", "trial", "score")
VOTED = ("item", "system_a", "system_b", "rater", "criterion", "trial", "winner", "first")
OF_JUDGES = ("repeat", "status")
PLACED = ("start", "end")
"""Where a mark stands, if the table says so."""


def single_answers(
    responses: Responses,
    criterion: str,
    *,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, float | Mapping[str, float]] | None = None,
) -> Responses:
    """The responses to a criterion: of marks their points, of rankings their votes.

    ``severities``, ``weights``: the points of marks.
    """
    if responses.shape.name == "spans":
        return _points(responses, criterion, severities, weights)
    return _votes(responses, criterion) if responses.shape.name == "rankings" else responses


def _points(
    responses: Responses,
    criterion: str,
    severities: Mapping[str, float] | None,
    weights: Mapping[str, float | Mapping[str, float]] | None,
) -> Responses:
    """The error points of every output as each rater, and each judge, marked it: ratings."""
    judges = judged_marks(responses, criterion)
    known = ("category", "severity", "rid", *(c for c in PLACED if c in responses.columns))
    columns = ", ".join(f'"{name}"' for name in known)
    every = (
        f"(SELECT {columns} FROM {responses.source} UNION ALL "
        f"SELECT {columns} FROM {judges} WHERE status = 'answered')"
    )
    both = replace(responses, source=every)
    check_spans(both)
    points = row_points(both, severities, weights)

    def summed(source: str, by: str, score: str) -> str:
        by = f"item, system, rater, criterion, trial{by}"
        return (
            f"(SELECT *, CAST(score AS VARCHAR) AS word FROM (SELECT {by}, min(rid) AS rid, "
            f"{score} AS score FROM {source} GROUP BY ALL))"
        )

    return _recast(
        "ratings",
        responses,
        summed(responses.source, "", f"sum({points})"),
        # Of the replies that cannot be told apart by the place, the mean.
        summed(judges, ", place, repeat, status", f"sum({points}) / max(times)"),
        (*SCORED, *OF_JUDGES, "place"),
    )


def judged_marks(responses: Responses, criterion: str) -> str:
    """The rows of judges' marks, and those that could not be used.

    In both orders the middle one of an odd number of outputs stands at one place: ``times`` is how
    many replies its rows are of, and ``number`` says of which, as they stand together.
    """
    asked = asked_of(responses, criterion)
    place = "place" if "place" in asked.columns else "NULL"
    repeat = "repeat" if "repeat" in asked.columns else "NULL"
    reply = f"rater, item, trial, {repeat}"
    new = (
        f"lag(system) OVER (PARTITION BY {reply} ORDER BY rid) IS DISTINCT FROM system OR "
        f"lag({place}) OVER (PARTITION BY {reply} ORDER BY rid) IS DISTINCT FROM {place}"
    )
    others = " ".join(name for name in ("place", "repeat", "status") if name in asked.columns)
    kept = f"* EXCLUDE ({others.replace(' ', ', ')})" if others else "*"
    return (
        f"(SELECT *, CASE WHEN times > 1 THEN dense_rank() OVER (PARTITION BY rater, item, trial, "
        "repeat, system ORDER BY run) ELSE 1 END AS number FROM (SELECT *, CASE WHEN places = 1 "
        "AND max(places) OVER (PARTITION BY rater, item, trial, repeat) = 2 THEN 2 ELSE 1 END AS "
        "times, sum(starts) OVER (PARTITION BY rater, item, trial, repeat ORDER BY rid) AS run "
        f"FROM (SELECT {kept}, {place} AS place, {repeat} AS repeat, {status_of(asked)} AS status, "
        f"count(DISTINCT {place}) OVER (PARTITION BY {reply}, system) AS places, "
        f"CASE WHEN {new} THEN 1 ELSE 0 END AS starts FROM {asked.source})))"
    )


def _votes(responses: Responses, criterion: str) -> Responses:
    """Every two outputs of a ranking as a vote, ties as ties."""
    place = "place" if "place" in responses.columns else "NULL::DOUBLE"
    people = (
        f"(SELECT *, {place} AS spot, min(rid) OVER (PARTITION BY {RANKING}) AS one "
        f"FROM {responses.source})"
    )

    def voted(ranked: str, more: str = "") -> str:
        return (
            "SELECT a.item, a.rater, a.criterion, a.trial, a.one AS rid, a.system AS system_a, "
            "b.system AS system_b, CASE WHEN a.rank < b.rank THEN 'a' WHEN a.rank > b.rank THEN "
            "'b' ELSE 'tie' END AS winner, CASE WHEN a.spot < b.spot THEN 'a' WHEN a.spot > b.spot "
            f"THEN 'b' END AS first{more} FROM {ranked} a JOIN {ranked} b "
            "ON a.one = b.one AND a.system < b.system"
        )

    return _recast(
        "votes",
        responses,
        f"({voted(people)})",
        f"({voted(judged_rankings(responses, criterion), ', a.repeat, a.status')} UNION ALL "
        f"{_lost(responses, criterion, 'NULL, NULL, NULL, NULL')})",
        (*VOTED, *OF_JUDGES),
    )


def firsts_of_rankings(responses: Responses, criterion: str) -> Responses:
    """Of each output of a ranking whether it is first, as 1 or 0: ratings; tied ones share it."""
    placed = RANKED.replace("{r}", responses.source)
    columns = "item, system, rater, criterion, trial, rid, "
    score = "CASE WHEN standing = 1 THEN 1.0 / tied ELSE 0.0 END AS score"
    worded = "CAST(score AS VARCHAR) AS word"
    return _recast(
        "ratings",
        responses,
        f"(SELECT *, {worded} FROM (SELECT {columns}{score} FROM {placed} WHERE shown > 1))",
        f"(SELECT *, {worded} FROM (SELECT {columns}{score}, spot AS place, repeat, status "
        f"FROM {judged_rankings(responses, criterion)}))",
        (*SCORED, *OF_JUDGES, "place"),
    )


def judged_rankings(responses: Responses, criterion: str) -> str:
    """The rows of judges' rankings: ``one`` tells one from the next, ``spot`` where outputs stood.

    A judge ranks the same outputs in two orders and repeatedly, and each row says where the output
    stood. So the first row of an output belongs to the first ranking of a trial and repeat.
    """
    asked = asked_of(responses, criterion)
    repeat = "repeat" if "repeat" in asked.columns else "NULL"
    own = f"rater, item, trial, {repeat}"
    at = "TRY_CAST(place AS DOUBLE)" if "place" in asked.columns else "NULL::DOUBLE"
    rows = (
        f"(SELECT item, system, rater, criterion, trial, rank, rid, {at} AS spot, {repeat} AS "
        f"repeat, 'answered' AS status, row_number() OVER (PARTITION BY {own}, system ORDER BY "
        f"rid) AS number FROM {asked.source} WHERE {status_of(asked)} = 'answered' "
        "AND rank IS NOT NULL AND system IS NOT NULL)"
    )
    shown = "OVER (PARTITION BY rater, item, trial, repeat, number)"
    _refuse(asked, rows, shown)
    return (
        f"(SELECT * FROM (SELECT *, min(rid) {shown} AS one, count(*) {shown} AS shown, "
        f"{TOGETHER.format(shown)} AS among, sum(hash(system, spot)::HUGEINT) {shown} AS showing, "
        "rank() OVER (PARTITION BY rater, item, trial, repeat, number ORDER BY rank) AS standing, "
        "count(*) OVER (PARTITION BY rater, item, trial, repeat, number, rank) AS tied "
        f"FROM {rows}) WHERE shown > 1)"
    )


def _refuse(asked: Responses, rows: str, shown: str) -> None:
    """A rank that is none, and rankings whose rows cannot be told apart."""
    wrong = asked.query(
        f"SELECT CAST(rater AS VARCHAR), rid, rank FROM {rows} "
        "WHERE NOT isfinite(rank) OR rank < 1 ORDER BY rid LIMIT 1"
    )
    if wrong:
        judge, row, rank = wrong[0]
        raise InputError(
            f"judge {judge}, row {row}: rank must be a number, 1 for the best; got {rank:g}"
        )
    mixed = asked.query(
        f"SELECT CAST(rater AS VARCHAR), rid FROM (SELECT *, count(spot) {shown} AS known, "
        f"count(DISTINCT spot) {shown} AS places, max(number) OVER (PARTITION BY rater, item, "
        f"trial, repeat) AS most FROM {rows}) WHERE most > 1 AND (known = 0 OR places < known) "
        "ORDER BY rid LIMIT 1"
    )
    if mixed:
        judge, row = mixed[0]
        raise InputError(
            f"judge {judge} ranked the same outputs more than once (row {row}), and which rows "
            "belong together is not told: let the rows of a ranking stand together, and tell "
            "trials apart by the column 'trial', orders by 'place', repeats by 'repeat'"
        )


def _lost(responses: Responses, criterion: str, nothing: str) -> str:
    """The replies of judges that could not be used, as rows without a vote."""
    asked = asked_of(responses, criterion)
    repeat, status = _of(asked, "repeat"), status_of(asked)
    return (
        f"SELECT item, rater, criterion, trial, rid, {nothing}, {repeat}, {status} AS status "
        f"FROM {asked.source} WHERE {status} <> 'answered'"
    )


def status_of(asked: Responses) -> str:
    """What became of a judge's reply, in SQL."""
    has = "status" in asked.columns
    return "coalesce(CAST(status AS VARCHAR), 'answered')" if has else "'answered'"


def _of(asked: Responses, column: str) -> str:
    return column if column in asked.columns else f"NULL AS {column}"


def _recast(
    shape: ShapeName, responses: Responses, people: str, judges: str, columns: tuple[str, ...]
) -> Responses:
    """The responses in another shape, of the columns that both selections have."""
    # Numbers that were looked up beside the names are not among these columns.
    known = responses.encoded.numbers
    numbers = {
        name: name if known[name] == name else f"enum_code({name})" for name in ("item", "rater")
    }
    return replace(
        responses,
        shape=SHAPES[shape],
        columns=frozenset(columns),
        source=people,
        judged=judges,
        encoded=replace(responses.encoded, numbers=numbers, ranges={}),
        once=False,
        alone=False,
        looked=None,
        votes=None,
        n_repeats=0,
    )
