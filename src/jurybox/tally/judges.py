"""Judges' answers beside people's, unit by unit: one answer of each judge, however it was asked.

A judge may answer a trial in two orders and repeatedly. Of repeats the first usable one counts, as
it does of people's. Two orders are one answer: of numbers their mean; of votes a tie where they
contradict; other words that contradict are no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.tally.answers import answer_rows, unit_of
from jurybox.tally.keep import ORIGINS, WINNERS
from jurybox.tally.responses import Responses
from jurybox.tally.shapes import ShapeName
from jurybox.tally.source import text

__all__ = ["BesideJudges", "asked_of", "beside_judges", "judge_names", "names_of", "order_of"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
ALLOWED = {"votes": WINNERS, "detections": ORIGINS}
ANSWERED = "coalesce(CAST(status AS VARCHAR), 'answered') = 'answered'"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BesideJudges:
    """People's answers to one criterion, and judges' to the same units."""

    shape: ShapeName
    values: tuple[Any, ...]
    """The words, in order; empty where answers are none."""
    n_values: int | None
    item: Numbers
    """The item of each unit; then unit, rater and answer of each answer."""
    unit: Numbers
    rater: Numbers
    answer: Array
    items: tuple[str, ...]
    raters: tuple[str, ...]
    systems: tuple[tuple[str, ...], ...]
    """The system of each unit, or the several."""
    judges: tuple[str, ...]
    given: Array
    """Judges × units: each judge's answer, NaN without."""
    unusable: tuple[int, ...]
    """Replies of each judge that could not be used."""
    replies: tuple[int, ...]
    """All replies of each judge."""
    contradicted: tuple[int, ...]
    """Units on which each judge's two orders contradict, so that it has no answer."""
    tie: int | None
    """The place of the tie among the words."""
    ranks: Array | None = None
    """The distinct rankings, of which answers are the numbers: their outputs' ranks, then NaN."""
    likeness: Any = None
    """How alike two answers are that have numbers without a meaning; ``stats.judges.likeness``."""


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """One row for each judge and unit: the least, the mean and the largest answer of its orders."""

    judge: NDArray[Any]
    unit: Numbers
    low: NDArray[Any]
    high: NDArray[Any]
    mean: Array


def judge_names(responses: Responses) -> tuple[str, ...]:
    """The judges beside these people, by name."""
    if not responses.n_judges or not responses.has_rater:
        return ()
    rows = responses.of_judges().query(
        "SELECT CAST(rater AS VARCHAR), min(rid) FROM {r} GROUP BY 1 ORDER BY 1 NULLS FIRST"
    )
    if rows and rows[0][0] is None:
        raise InputError(f"row {rows[0][1]}: a judge's row needs the judge's name as its 'rater'")
    return tuple(row[0] for row in rows)


def beside_judges(responses: Responses, criterion: str, *, nominal: bool) -> BesideJudges:
    """People's answers to a criterion, which the responses are about, and judges' beside them."""
    asked, names = asked_of(responses, criterion), judge_names(responses)
    people = answer_rows(responses)
    words = nominal or not people.values or isinstance(people.values[0], str)
    answer = people.place() if words and people.values else "x"
    rows = _fetch(responses, f"SELECT u, r, {answer} AS x FROM {people.rows} ORDER BY u, r")
    units, unit = np.unique(rows["u"].astype(np.int64), return_inverse=True)
    coded, rater = np.unique(rows["r"].astype(np.int64), return_inverse=True)
    items, item = np.unique(units // people.per_item, return_inverse=True)
    given = _given(asked, responses, words=words)
    x = rows["x"].astype(np.float64)
    values: tuple[Any, ...] = ()
    tie = None
    if words:
        split = given.low != given.high
        own = {*people.values, *given.low[~split].tolist()}
        if responses.shape.name == "votes":
            own |= {"tie"} if split.any() else set()
            tie = sorted(own).index("tie") if "tie" in own else None
        values = tuple(sorted(own))
        turned = np.array([values.index(value) for value in people.values], dtype=np.float64)
        x = turned[x.astype(np.int64)] if len(x) else x
    laid_out, contradicted = _lay_out(given, names, units, values, tie, numbers=not words)
    unusable, replies = _counts(asked, names)
    return BesideJudges(
        shape=responses.shape.name,
        values=values,
        n_values=len(values) if words else None,
        item=item.ravel(),
        unit=unit.ravel(),
        rater=rater.ravel(),
        answer=x,
        items=names_of(responses, "item", items),
        raters=names_of(responses, "rater", coded),
        systems=_systems(responses, units % people.per_item if people.per_item else units),
        judges=names,
        given=laid_out,
        unusable=unusable,
        replies=replies,
        contradicted=contradicted,
        tie=tie,
    )


def asked_of(responses: Responses, criterion: str) -> Responses:
    """The judges' rows of a criterion; a reply that could not be used may not say which."""
    asked = responses.of_judges()
    if "criterion" in responses.columns:
        asked = asked.where(f"criterion IS NULL OR CAST(criterion AS VARCHAR) = {text(criterion)}")
    return asked.where("excluded_by IS NULL") if "excluded_by" in responses.columns else asked


def _fetch(responses: Responses, sql: str) -> dict[str, NDArray[Any]]:
    found = responses.connection.execute(sql).fetchnumpy()
    return {name: np.asarray(column) for name, column in found.items()}


def _given(asked: Responses, people: Responses, *, words: bool) -> _Given:
    """Each judge's answer to each unit; of a unit in several trials the first counts."""
    unit, value, where, _ = unit_of(people)
    columns = asked.columns
    answered = f"({where})" + (f" AND {ANSWERED}" if "status" in columns else "")
    _refuse_values(asked, value, answered)
    repeat = "0.0"
    if "repeat" in columns:
        repeat = "coalesce(TRY_CAST(CAST(repeat AS VARCHAR) AS DOUBLE), 0)"
    trial = "trial" if "trial" in columns else "NULL"
    value = f"CAST({value} AS VARCHAR)" if words and "DOUBLE" not in value else value
    mean = "NULL" if words else "avg(x)"
    asked.connection.execute(
        "CREATE OR REPLACE TEMP TABLE judged_orders AS WITH each AS ("
        f"SELECT CAST(rater AS VARCHAR) AS judge, {unit} AS u, {value} AS x, "
        f"{order_of(asked)} AS o, {repeat} AS k, {trial} AS t, rid "
        f"FROM {asked.source} WHERE {answered}), own AS ("
        "SELECT * FROM each WHERE x IS NOT NULL QUALIFY t IS NOT DISTINCT FROM "
        "first_value(t) OVER (PARTITION BY judge, u ORDER BY rid)), once AS ("
        "SELECT * FROM own QUALIFY k = min(k) OVER (PARTITION BY judge, u, o)) "
        f"SELECT judge, u, o, min(x) AS low, max(x) AS high, CAST({mean} AS DOUBLE) AS mean, "
        "count(*) AS n, max(rid) AS rid FROM once GROUP BY judge, u, o"
    )
    # The middle one of an odd number of outputs stands at the same place in both orders.
    _refuse_twice(asked, 2 if "place" in columns and people.shape.name != "votes" else 1)
    rows = _fetch(
        asked,
        "SELECT judge, CAST(u AS BIGINT) AS u, min(low) AS low, max(high) AS high, "
        "coalesce(avg(mean), 0) AS mean FROM judged_orders GROUP BY judge, u ORDER BY judge, u",
    )
    return _Given(rows["judge"], rows["u"], rows["low"], rows["high"], rows["mean"])


def order_of(asked: Responses) -> str:
    """What tells the orders apart in which a trial was shown, as a number in SQL."""
    if asked.shape.name == "votes":
        # Of two systems, whether the first by name was also shown first.
        turned = "CAST(system_a <= system_b AS INTEGER)"
        if "first" not in asked.columns:
            return f"2 + {turned}"
        first = f"WHEN first = 'a' THEN {turned} WHEN first = 'b' THEN 1 - {turned}"
        return f"CASE {first} ELSE 2 + {turned} END"
    return "coalesce(TRY_CAST(place AS INTEGER), -1)" if "place" in asked.columns else "0"


def _refuse_values(asked: Responses, value: str, answered: str) -> None:
    """Judges' answers are of the same kind as people's."""
    allowed = ALLOWED.get(asked.shape.name)
    wrong = "false"
    if allowed is not None:
        own = "winner" if asked.shape.name == "votes" else "answer"
        listed = ", ".join(text(word) for word in allowed)
        said = f"CAST({own} AS VARCHAR)"
        wrong = f"{said} NOT IN ({listed})"
        expected = f"must be one of {', '.join(allowed)}"
    elif "DOUBLE" in value:
        said, wrong = "word", "(score IS NULL OR NOT isfinite(score)) AND word IS NOT NULL"
        expected = "must be a number, as people's are"
    if wrong == "false":
        return
    found = asked.query(
        f"SELECT CAST(rater AS VARCHAR), {said}, min(rid) FROM {{r}} WHERE {answered} AND {wrong} "
        "GROUP BY ALL ORDER BY min(rid) LIMIT 1"
    )
    if found:
        judge, word, row = found[0]
        raise InputError(
            f"judge {judge}, row {row}: the answer {expected}; got {word!r}. A reply that cannot "
            "be used has the status 'unusable'"
        )


def _refuse_twice(asked: Responses, most: int) -> None:
    found = asked.query(
        f"SELECT judge, rid FROM judged_orders WHERE n > {most} ORDER BY rid LIMIT 1"
    )
    if found:
        column = "first" if asked.shape.name == "votes" else "place"
        raise InputError(
            f"judge {found[0][0]} answered one unit more than once (row {found[0][1]}); tell "
            f"orders apart by the column {column!r}, repeats by 'repeat', or keep one row of each"
        )


def _lay_out(
    given: _Given,
    names: Sequence[str],
    units: Numbers,
    values: tuple[Any, ...],
    tie: int | None,
    *,
    numbers: bool,
) -> tuple[Array, tuple[int, ...]]:
    """Judges × units, and on how many units each judge contradicts itself and has no answer."""
    laid_out = np.full((len(names), len(units)), np.nan)
    unit = np.searchsorted(units, given.unit)
    there = unit < len(units)
    there[there] = units[unit[there]] == given.unit[there]
    judge = np.searchsorted(np.array(names, dtype=object), given.judge)
    if numbers:
        laid_out[judge[there], unit[there]] = given.mean[there]
        return laid_out, (0,) * len(names)
    split = given.low != given.high
    answers = np.full(len(unit), np.nan if tie is None else float(tie))
    for place, value in enumerate(values):
        answers[~split & (given.low == value)] = place
    laid_out[judge[there], unit[there]] = answers[there]
    lost = split & there & (tie is None)
    return laid_out, tuple(np.bincount(judge[lost], minlength=len(names)).tolist())


def _counts(asked: Responses, names: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How many replies of each judge could not be used, and how many there are."""
    unusable = "count(*) FILTER (CAST(status AS VARCHAR) = 'unusable')"
    unusable = unusable if "status" in asked.columns else "0"
    reply = "'answered', 'unusable'"
    where = f" WHERE coalesce(CAST(status AS VARCHAR), 'answered') IN ({reply})"
    where = where if "status" in asked.columns else ""
    rows = asked.query(
        f"SELECT CAST(rater AS VARCHAR), {unusable}, count(*) FROM {{r}}{where} GROUP BY 1"
    )
    found = {row[0]: (int(row[1]), int(row[2])) for row in rows}
    both = [found.get(name, (0, 0)) for name in names]
    return tuple(each[0] for each in both), tuple(each[1] for each in both)


def names_of(responses: Responses, column: str, numbers: Numbers) -> tuple[str, ...]:
    """The names of items or raters by their numbers."""
    known = dict(
        responses.query(
            f"SELECT DISTINCT CAST({responses.number(column)} AS BIGINT), "
            f"CAST({column} AS VARCHAR) FROM {{r}}"
        )
    )
    return tuple(known[number] for number in numbers.tolist())


def _systems(responses: Responses, units: Numbers) -> tuple[tuple[str, ...], ...]:
    """The systems of units, whose numbers within their item are given."""
    names = responses.value("SELECT enum_range(CAST(NULL AS systems))")
    shape = responses.shape.name
    if shape == "votes":
        return tuple((names[u // len(names)], names[u % len(names)]) for u in units.tolist())
    return tuple((names[u // 2 if shape == "detections" else u],) for u in units.tolist())
