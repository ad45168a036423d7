"""Judges' rankings beside people's: one ranking of each judge, however often it was asked.

A unit is an item with the outputs that were ranked together. Of repeats the first counts, and two
orders are one ranking, by the mean of their ranks. Where people pick the best of several, the
answer is the pick, and two orders that contradict are a tie, as of votes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.judges import BesideJudges, asked_of, judge_names, names_of
from jurybox.tally.rankings import given
from jurybox.tally.rater_effects import RANKED_TOGETHER
from jurybox.tally.responses import Responses
from jurybox.tally.single_answers import judged_rankings, status_of

__all__ = ["beside_rankings"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
TIE = "tie"
"""The word for a choice of several."""


@dataclass(frozen=True, slots=True, eq=False)
class _Rankings:
    """Each ranking: whose it is, of which unit, and the ranks of its outputs, then NaN."""

    who: NDArray[Any]
    unit: NDArray[Any]
    item: Numbers
    ranks: Array
    systems: Numbers
    """The systems in the order of the ranks, then −1."""

    @property
    def firsts(self) -> Array:
        """The system that alone is first, NaN where several are."""
        best = self.ranks == np.nanmin(self.ranks, axis=1, keepdims=True)
        own = self.systems[np.arange(len(best)), best.argmax(axis=1)]
        return np.where(best.sum(axis=1) == 1, own, np.nan)


def beside_rankings(responses: Responses, criterion: str) -> BesideJudges:
    """People's rankings to a criterion, which the responses are, and judges' beside them.

    Answers are the numbers of ``ranks``; of best-of-N choices the systems, and a tie.
    """
    facts, names = given(responses), judge_names(responses)
    people, judges = _people(responses), _judges(responses, criterion)
    units, first, unit = np.unique(people.unit, return_index=True, return_inverse=True)
    raters, rater = np.unique(people.who.astype(np.int64), return_inverse=True)
    items, item = np.unique(people.item[first], return_inverse=True)
    systems = tuple(responses.value("SELECT enum_range(CAST(NULL AS systems))"))
    at = np.minimum(np.searchsorted(units, judges.unit), max(len(units) - 1, 0))
    there = units[at] == judges.unit if len(units) else np.zeros(len(at), dtype=np.bool_)
    who = np.searchsorted(np.array(names, dtype=object), judges.who)
    values: tuple[str, ...] = ()
    if facts.rankings > 0 and facts.picks == facts.rankings:
        values, ranks = (*systems, TIE), None
        answer, made = (np.nan_to_num(each.firsts, nan=len(systems)) for each in (people, judges))
    else:
        answer, made, ranks = _numbered(people, judges)
    laid_out = np.full((len(names), len(units)), np.nan)
    laid_out[who[there], at[there]] = made[there]
    unusable, replies = _replies(responses, criterion, names)
    return BesideJudges(
        shape="rankings",
        values=values,
        n_values=len(values) or None,
        item=item.ravel(),
        unit=unit.ravel(),
        rater=rater.ravel(),
        answer=answer,
        ranks=ranks,
        items=names_of(responses, "item", items),
        raters=names_of(responses, "rater", raters),
        systems=tuple(
            tuple(systems[k] for k in row if k >= 0) for row in people.systems[first].tolist()
        ),
        judges=names,
        given=laid_out,
        unusable=unusable,
        replies=replies,
        contradicted=tuple(np.bincount(who[there & np.isnan(made)], minlength=len(names)).tolist()),
        tie=None,
    )


def _people(responses: Responses) -> _Rankings:
    item, rater = (f"CAST({responses.number(name)} AS BIGINT)" for name in ("item", "rater"))
    return _read(
        responses,
        f"SELECT {item} AS i, among, {rater} AS who, CAST(enum_code(system) AS BIGINT) AS s, "
        f"CAST(arg_min(rank, rid) AS DOUBLE) AS x FROM (SELECT *, {RANKED_TOGETHER} AS among "
        f"FROM {responses.source}) GROUP BY ALL",
    )


def _judges(responses: Responses, criterion: str) -> _Rankings:
    """Of each judge and unit the mean ranks over its orders, of each the first repeat."""
    item = f"CAST({responses.number('item')} AS BIGINT)"
    repeat = "coalesce(TRY_CAST(CAST(repeat AS VARCHAR) AS DOUBLE), 0)"
    unit = "PARTITION BY rater, item, among"
    return _read(
        responses,
        "WITH own AS (SELECT * FROM "
        f"{judged_rankings(responses, criterion)} QUALIFY trial IS NOT DISTINCT FROM "
        f"first_value(trial) OVER ({unit} ORDER BY rid)), once AS (SELECT * FROM own "
        f"QUALIFY {repeat} = min({repeat}) OVER ({unit}, showing)) "
        f"SELECT {item} AS i, among, CAST(rater AS VARCHAR) AS who, "
        "CAST(enum_code(system) AS BIGINT) AS s, "
        "avg(standing + (tied - 1) / 2.0) AS x FROM once GROUP BY ALL",
    )


def _read(responses: Responses, rows: str) -> _Rankings:
    """Rankings of two outputs or more, as rows of ranks."""
    found = responses.connection.execute(
        "SELECT hash(i, among) AS unit, i, who, s, x, dense_rank() OVER (ORDER BY i, among, who) "
        f"- 1 AS ranking FROM ({rows}) QUALIFY count(*) OVER (PARTITION BY i, among, who) > 1 "
        "ORDER BY ranking, s"
    ).fetchnumpy()
    of = np.unique(np.asarray(found["ranking"], dtype=np.int64), return_inverse=True)[1].ravel()
    starts = np.flatnonzero(np.append(True, np.diff(of) != 0)) if len(of) else of
    place = np.arange(len(of)) - starts[of] if len(of) else of
    shape = (len(starts), int(place.max(initial=-1)) + 1)
    ranks, systems = np.full(shape, np.nan), np.full(shape, -1, dtype=np.int64)
    ranks[of, place] = np.asarray(found["x"], dtype=np.float64)
    systems[of, place] = np.asarray(found["s"], dtype=np.int64)
    return _Rankings(
        who=np.asarray(found["who"])[starts],
        unit=np.asarray(found["unit"])[starts],
        item=np.asarray(found["i"], dtype=np.int64)[starts],
        ranks=ranks,
        systems=systems,
    )


def _numbered(people: _Rankings, judges: _Rankings) -> tuple[Array, Array, Array]:
    """The number of each ranking among the distinct ones, and these."""
    width = max(people.ranks.shape[1], judges.ranks.shape[1])
    both = np.vstack(
        [
            np.pad(each.ranks, ((0, 0), (0, width - each.ranks.shape[1])), constant_values=np.nan)
            for each in (people, judges)
        ]
    )
    # Ranks are 1 or more, so that 0 stands for none while equal ones are found.
    distinct, number = np.unique(np.nan_to_num(both, nan=0.0), axis=0, return_inverse=True)
    answer = number.ravel().astype(np.float64)
    n = len(people.ranks)
    return answer[:n], answer[n:], np.where(distinct > 0, distinct, np.nan)


def _replies(
    responses: Responses, criterion: str, names: tuple[str, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How many replies of each judge could not be used, and how many there are."""
    asked = asked_of(responses, criterion)
    repeat = "repeat" if "repeat" in asked.columns else "NULL"
    own = f"rater, item, trial, {repeat}, {status_of(asked)}"
    rows = asked.query(
        "SELECT judge, count(*) FILTER (status = 'unusable'), count(*) FROM (SELECT DISTINCT "
        f"CAST(rater AS VARCHAR) AS judge, {status_of(asked)} AS status, item, trial, {repeat}, "
        f"row_number() OVER (PARTITION BY {own}, system ORDER BY rid) FROM {{r}}) "
        "WHERE status IN ('answered', 'unusable') GROUP BY judge"
    )
    found = {judge: (int(lost), int(n)) for judge, lost, n in rows}
    both = [found.get(name, (0, 0)) for name in names]
    return tuple(each[0] for each in both), tuple(each[1] for each in both)
