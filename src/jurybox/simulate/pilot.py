"""What a pilot's responses say about the scatter that a study must be planned for."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jurybox.analysis.api.opened import numbers_of, one_criterion, opened
from jurybox.analysis.asked import PROTOCOL_SHAPE
from jurybox.errors import InputError
from jurybox.stats.power.pilot import Scatter, scatter_of
from jurybox.study.criteria import Criterion
from jurybox.tally import rankings, ratios, spans, vote_rows
from jurybox.tally.responses import Responses

if TYPE_CHECKING:
    from jurybox.study.model import Protocol

__all__ = ["Pilot", "read_pilot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """The scatter in a pilot, and how many responses say so."""

    scatter: Scatter
    n_responses: int
    ties: float | None = None
    """In compare and rank: the share of ties."""
    accepted: float | None = None
    """In detect: how often real outputs were taken for real."""
    points: float | None = None
    """In mark: the mean error points of an output."""


def read_pilot(
    table: Any,
    protocol: Protocol,
    criterion: str | None = None,
    *,
    asked: Criterion | None = None,
) -> Pilot:
    """The scatter of a pilot's answers, by the method of ``stats.power.pilot``.

    ``table`` is what every function of jurybox reads: a file, a frame, columns. ``asked`` says what
    marked errors cost; by default MQM's points.
    """
    with opened(table, PROTOCOL_SHAPE[protocol], criterion) as responses:
        if protocol == "rate":
            name = one_criterion(responses, "--criterion")
            return _of(numbers_of(responses, name), ratios.mean_of("score"))
        if protocol == "compare":
            return _votes(responses)
        if protocol == "rank":
            return _orders(responses)
        if protocol == "mark":
            return _points(responses, asked)
        accepted = responses.value(
            "SELECT avg(CASE WHEN answer = 'real' THEN 1.0 ELSE 0.0 END) FILTER (truth = 'real') "
            "FROM {r}"
        )
        if accepted is None or not 0 < accepted < 1:
            raise InputError(
                "the pilot must show real outputs, some of which are taken for real and some not"
            )
        found = _of(responses, ratios.binary("answer = 'real'"))
        return Pilot(scatter=found.scatter, n_responses=found.n_responses, accepted=float(accepted))


def _votes(responses: Responses) -> Pilot:
    tied = responses.value(
        "SELECT avg(CASE WHEN winner IN ('tie', 'both_bad') THEN 1.0 ELSE 0.0 END) FROM {r} "
        "WHERE system_a <> system_b"
    )
    return _sides(responses, vote_rows.pair_rows("half"), float(tied))


def _orders(responses: Responses) -> Pilot:
    given = rankings.given(responses)
    if given.picks == given.rankings:
        # Of two outputs neither of which was picked, nothing is said.
        found = _sides(responses, rankings.decided_rows(), None)
    else:
        found = _sides(responses, rankings.above_rows(), rankings.tied_share(responses))
    return replace(found, n_responses=given.rankings)


def _sides(responses: Responses, rows: str, ties: float | None) -> Pilot:
    """Of one side of a preference: two sides have twice the variance."""
    found = _of(responses, rows, alike=False)
    parts = ("item_system", "rater_system", "noise")
    halved = {name: getattr(found.scatter, name) / math.sqrt(2) for name in parts}
    return Pilot(scatter=Scatter(**halved), n_responses=found.n_responses, ties=ties)


def _points(responses: Responses, asked: Criterion | None) -> Pilot:
    spans.check_spans(responses)
    if asked is None:
        rows = spans.span_rows(responses)
    else:
        rows = spans.span_rows(responses, severities=asked.severities, weights=asked.weights)
    sums = _sums(responses, rows)
    mean = float(np.average(sums.value, weights=sums.n))
    if not mean:
        raise InputError("nobody marked an error in the pilot, so nothing can be planned from it")
    return Pilot(scatter=scatter_of(sums), n_responses=int(sums.n.sum()), points=mean)


def _of(responses: Responses, rows: str, *, alike: bool = True) -> Pilot:
    sums = _sums(responses, rows)
    return Pilot(scatter=scatter_of(sums, alike=alike), n_responses=int(sums.n.sum()))


def _sums(responses: Responses, rows: str) -> ratios.RatioSums:
    if not (responses.has_item and responses.has_rater):
        raise InputError("a pilot must name the item and the rater of every response")
    return ratios.reduce(responses, rows, cross=True, single=True)
