"""Judges' marks beside people's: how far every two of an output mark the same characters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.judges import BesideJudges, judge_names, names_of
from jurybox.tally.responses import Responses
from jurybox.tally.single_answers import judged_marks
from jurybox.tally.span_pairs import pair_scores

__all__ = ["BesideMarks", "beside_marks"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class BesideMarks:
    """Who marked which output, as answers with numbers, and how alike two of them are."""

    beside: BesideJudges
    key: Numbers
    """Of two answers' numbers the smaller times ``n`` and the larger added, ascending."""
    score: Array
    """Their F1 by characters; a judge's is the mean over the orders it was asked in."""
    n: int


def beside_marks(
    responses: Responses, criterion: str, *, severities: Mapping[str, float], partial: float = 0.5
) -> BesideMarks:
    """People's marks, which the responses are, and judges' beside them.

    Of repeats the first counts, and of an output in several trials the first.
    """
    names = judge_names(responses)
    _gather(responses, criterion)
    fetch = responses.connection.execute
    marked = fetch("SELECT DISTINCT i, s, who FROM beside_marks WHERE who >= 0 ORDER BY ALL")
    found = {name: np.asarray(part, np.int64) for name, part in marked.fetchnumpy().items()}
    n_systems = int(responses.value("SELECT len(enum_range(CAST(NULL AS systems)))"))
    units, unit = np.unique(found["i"] * n_systems + found["s"], return_inverse=True)
    unit = unit.ravel()
    items, item = np.unique(units // n_systems, return_inverse=True)
    raters, rater = np.unique(found["who"], return_inverse=True)
    rater, n_people = rater.ravel(), len(unit)
    told = fetch("SELECT DISTINCT i, s, who, judge FROM beside_marks WHERE who < 0").fetchnumpy()
    judge = np.searchsorted(np.array(names, dtype=object), np.asarray(told["judge"]))
    n = n_people + len(names) * len(units)
    coded = _Coded(units, raters, n_systems, unit * max(len(raters), 1) + rater, n_people)
    own, there = coded.unit(np.asarray(told["i"], np.int64), np.asarray(told["s"], np.int64))
    given = np.full((len(names), len(units)), np.nan)
    given[judge[there], own[there]] = n_people + judge[there] * len(units) + own[there]
    # Judges have the numbers below 0.
    of_judge = np.zeros(-int(np.asarray(told["who"], np.int64).min(initial=-1)), dtype=np.int64)
    of_judge[-1 - np.asarray(told["who"], np.int64)] = judge
    field = "field" if "field" in responses.columns else "''"
    pairs = fetch(pair_scores("beside_marks", severities, partial, field)).fetchnumpy()
    one, two = (coded.number(pairs, side, of_judge) for side in ("one", "two"))
    known = (one >= 0) & (two >= 0) & (one != two)
    first, second = np.minimum(one, two)[known], np.maximum(one, two)[known]
    key, at = np.unique(first * n + second, return_inverse=True)
    score = np.asarray(pairs["score"], np.float64)[known]
    systems = responses.value("SELECT enum_range(CAST(NULL AS systems))")
    nothing = (0,) * len(names)
    beside = BesideJudges(
        shape="spans",
        values=(),
        n_values=None,
        item=item.ravel(),
        unit=unit,
        rater=rater,
        answer=np.arange(n_people, dtype=np.float64),
        items=names_of(responses, "item", items),
        raters=names_of(responses, "rater", raters),
        systems=tuple((systems[u % n_systems],) for u in units.tolist()),
        judges=names,
        given=given,
        unusable=nothing,
        replies=nothing,
        contradicted=nothing,
        tie=None,
    )
    mean = np.bincount(at.ravel(), score, len(key)) / np.maximum(np.bincount(at.ravel()), 1)
    return BesideMarks(beside, key, mean, n)


@dataclass(frozen=True, slots=True, eq=False)
class _Coded:
    """From items, systems and raters to the numbers of answers."""

    units: Numbers
    raters: Numbers
    n_systems: int
    cells: Numbers
    n_people: int

    def unit(self, item: Numbers, system: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        """The unit of each output, and whether a person marked it."""
        return _found(self.units, item * self.n_systems + system)

    def number(self, pairs: Mapping[str, Any], side: str, of_judge: Numbers) -> Numbers:
        """The answer of each side; −1 where no person marked the output."""
        who = np.asarray(pairs[side], np.int64)
        unit, there = self.unit(*(np.asarray(pairs[c], np.int64) for c in ("item", "system")))
        rater, _ = _found(self.raters, who)
        cell, _ = _found(self.cells, unit * max(len(self.raters), 1) + rater)
        judge = of_judge[np.maximum(-1 - who, 0)]
        of_judges = self.n_people + judge * len(self.units) + unit
        return np.where(there, np.where(who >= 0, cell, of_judges), -1)


def _found(known: Numbers, wanted: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """The place of each number among the known ones, and whether it is one."""
    if not len(known):
        return np.zeros_like(wanted), np.zeros(len(wanted), dtype=np.bool_)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return at, known[at] == wanted


def _gather(responses: Responses, criterion: str) -> None:
    """People's rows and those of judges, each of whose orders is a rater with a number below 0."""
    item, rater = (f"CAST({responses.number(name)} AS BIGINT)" for name in ("item", "rater"))
    field = "field, " if "field" in responses.columns else ""
    columns = f'{field}"start", "end", severity, trial, rid'
    asked = judged_marks(responses, criterion)
    repeat = "coalesce(TRY_CAST(CAST(repeat AS VARCHAR) AS DOUBLE), 0)"
    output = "CAST(rater AS VARCHAR), item, system"
    responses.connection.execute(
        f"CREATE OR REPLACE TEMP TABLE beside_marks AS SELECT *, item AS i, system AS s, "
        "rater AS who FROM ("
        f"SELECT {item} AS item, CAST(enum_code(system) AS BIGINT) AS system, {rater} AS rater, "
        f"NULL AS judge, {columns} FROM {responses.source} UNION ALL "
        f"SELECT {item}, CAST(enum_code(system) AS BIGINT), "
        "-1 - CAST(dense_rank() OVER (ORDER BY CAST(rater AS VARCHAR), place, number) AS BIGINT), "
        f"CAST(rater AS VARCHAR), {columns} FROM (SELECT * FROM {asked} WHERE "
        "status = 'answered' AND system IS NOT NULL QUALIFY trial IS NOT DISTINCT FROM "
        f"first_value(trial) OVER (PARTITION BY {output} ORDER BY rid) AND {repeat} = "
        f"min({repeat}) OVER (PARTITION BY {output}, place, number)))"
    )
