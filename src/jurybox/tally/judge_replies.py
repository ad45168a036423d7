"""Every reply of every judge, order by order and repeat by repeat, beside people's answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.tally.answers import answer_rows, unit_of
from jurybox.tally.judges import asked_of, judge_names, order_of
from jurybox.tally.responses import Responses

__all__ = ["NO_JUDGE", "JudgeReplies", "judge_replies"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
NO_JUDGE = (
    "there is no judge beside people: both must have answered, and a judge's rows have 'judge' in "
    "the column 'rater_kind', or the judges are named by --judges (in Python judges=[…])"
)
ANSWERED = "coalesce(CAST(status AS VARCHAR), 'answered') = 'answered'"
AS_NUMBER = {
    "votes": "CASE x WHEN 'a' THEN 1.0 WHEN 'b' THEN 0.0 ELSE 0.5 END",
    "detections": "CASE x WHEN 'generated' THEN 1.0 ELSE 0.0 END",
}
"""Votes count for the first system by name."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JudgeReplies:
    """Units that people or judges answered, people's answers and judges' replies.

    A unit is an output, or an item with an unordered pair of systems. Votes are 1 for the first
    system by name, 0 for the second and ½ for ties; words have numbers in the order of the words.
    """

    shape: str
    is_number: bool
    """Whether answers are numbers of a scale; otherwise they are the same or not."""
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    unit_item: Numbers
    unit_systems: Numbers
    """Units × 1, or × 2 in votes."""
    unit: Numbers
    """The unit, rater and value of each of people's answers."""
    rater: Numbers
    value: Array
    judge: Numbers
    """Of each reply: the judge, unit, order, repeat, answer as a code, and value."""
    reply_unit: Numbers
    order: Numbers
    repeat: Numbers
    code: Numbers
    reply: Array

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Whether a person answered each unit."""
        return np.bincount(self.unit, minlength=len(self.unit_item)) > 0

    def given(self, judge: int) -> Array:
        """The judge's answer to each unit, NaN without: its orders' first repeats as one.

        Of numbers their mean; of votes a tie where they differ.
        """
        unit, reply = self._first_repeats(judge)
        n = len(self.unit_item)
        count = np.maximum(np.bincount(unit, minlength=n), 1)
        mean = np.bincount(unit, reply, n) / count
        if self.shape == "votes":
            split = np.bincount(unit, np.abs(reply - mean[unit]), n) > 0
            mean = np.where(split, 0.5, mean)
        return np.where(np.bincount(unit, minlength=n) > 0, mean, np.nan)

    def once(self, judge: int) -> Array:
        """One reply of the judge to each unit, NaN without: as a person answers."""
        unit, reply = self._first_repeats(judge)
        own, at = np.unique(unit, return_index=True)
        made = np.full(len(self.unit_item), np.nan)
        made[own] = reply[at]
        return made

    def _first_repeats(self, judge: int) -> tuple[Numbers, Array]:
        """Unit and reply of the first usable repeat of each order, by unit and order."""
        own = np.flatnonzero(self.judge == judge)
        own = own[np.lexsort((self.repeat[own], self.order[own], self.reply_unit[own]))]
        unit, order = self.reply_unit[own], self.order[own]
        first = np.ones(len(own), dtype=np.bool_)
        first[1:] = (unit[1:] != unit[:-1]) | (order[1:] != order[:-1])
        return unit[first], self.reply[own[first]]


def judge_replies(responses: Responses, criterion: str) -> JudgeReplies:
    """People's answers to a criterion, which the responses are about, and judges' replies to it."""
    names = judge_names(responses)
    if not names:
        raise InputError(NO_JUDGE)
    shape = responses.shape.name
    people = answer_rows(responses)
    unit, value, where, per_item = unit_of(responses)
    words = shape != "ratings" or "DOUBLE" not in value
    asked = asked_of(responses, criterion)
    replied = _replied(asked, unit, value, where)
    number = AS_NUMBER.get(shape, "0.0" if words else "CAST(x AS DOUBLE)")
    given = _fetch(responses, f"SELECT u, r, {number} AS x FROM {people.rows} ORDER BY u, r")
    made = _fetch(
        responses,
        "SELECT judge, CAST(u AS BIGINT) AS u, CAST(o AS BIGINT) AS o, CAST(k AS BIGINT) AS k, "
        f"CAST(x AS VARCHAR) AS said, {number} AS x FROM {replied} ORDER BY judge, u, o, k",
    )
    own, theirs = given["u"].astype(np.int64), made["u"].astype(np.int64)
    units, at = np.unique(np.concatenate([own, theirs]), return_inverse=True)
    items, unit_item = np.unique(units // per_item, return_inverse=True)
    return JudgeReplies(
        shape=shape,
        is_number=not words,
        judges=names,
        systems=tuple(responses.value("SELECT enum_range(CAST(NULL AS systems))")),
        items=_names(responses, items),
        unit_item=unit_item.ravel(),
        unit_systems=_systems(responses, units % per_item),
        unit=at[: len(own)],
        rater=np.unique(given["r"].astype(np.int64), return_inverse=True)[1].ravel(),
        value=given["x"].astype(np.float64),
        judge=np.searchsorted(np.array(names, dtype=object), made["judge"]),
        reply_unit=at[len(own) :],
        order=made["o"].astype(np.int64),
        repeat=made["k"].astype(np.int64),
        code=np.unique(made["said"].astype(str), return_inverse=True)[1].ravel(),
        reply=made["x"].astype(np.float64),
    )


def _replied(asked: Responses, unit: str, value: str, where: str) -> str:
    """The usable replies, one per judge, unit, order and repeat; of several trials the first."""
    columns = asked.columns
    answered = f"({where})" + (f" AND {ANSWERED}" if "status" in columns else "")
    repeat = "coalesce(TRY_CAST(CAST(repeat AS VARCHAR) AS DOUBLE), 0)"
    repeat = repeat if "repeat" in columns else "0"
    trial = "trial" if "trial" in columns else "NULL"
    asked.connection.execute(
        "CREATE OR REPLACE TEMP TABLE judges_replied AS WITH each AS ("
        f"SELECT CAST(rater AS VARCHAR) AS judge, {unit} AS u, {value} AS x, {order_of(asked)} AS "
        f"o, {repeat} AS k, {trial} AS t, rid FROM {asked.source} WHERE {answered}), own AS ("
        "SELECT * FROM each WHERE x IS NOT NULL QUALIFY t IS NOT DISTINCT FROM "
        "first_value(t) OVER (PARTITION BY judge, u ORDER BY rid)) "
        "SELECT judge, u, o, k, arg_min(x, rid) AS x FROM own GROUP BY judge, u, o, k"
    )
    return "judges_replied"


def _fetch(responses: Responses, sql: str) -> dict[str, NDArray[Any]]:
    found = responses.connection.execute(sql).fetchnumpy()
    return {name: np.asarray(column) for name, column in found.items()}


def _names(responses: Responses, numbers: Numbers) -> tuple[str, ...]:
    """The names of items that people or judges answered, by their numbers."""
    known: dict[int, str] = {}
    for each in (responses, responses.of_judges()):
        known |= dict(
            each.query(
                f"SELECT DISTINCT CAST({each.number('item')} AS BIGINT), CAST(item AS VARCHAR) "
                "FROM {r} WHERE item IS NOT NULL"
            )
        )
    return tuple(known[number] for number in numbers.tolist())


def _systems(responses: Responses, units: Numbers) -> Numbers:
    """The system, or the two, of units whose numbers within their item are given."""
    n = int(responses.value("SELECT len(enum_range(CAST(NULL AS systems)))"))
    if responses.shape.name == "votes":
        return np.column_stack([units // n, units % n])
    return (units // 2 if responses.shape.name == "detections" else units)[:, None]
