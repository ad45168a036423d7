"""What a pilot's responses say about the scatter that a study must be planned for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from jurybox.analysis.api.opened import numbers_of, one_criterion, opened
from jurybox.errors import InputError
from jurybox.simulate.scenario import Protocol
from jurybox.stats.power.pilot import Scatter, scatter_of
from jurybox.tally import ratios, vote_rows
from jurybox.tally.responses import Responses
from jurybox.tally.shapes import ShapeName

__all__ = ["Pilot", "read_pilot"]

SHAPE: dict[Protocol, ShapeName] = {"rate": "ratings", "compare": "votes", "detect": "detections"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """The scatter in a pilot, and how many responses say so."""

    scatter: Scatter
    n_responses: int
    ties: float | None = None
    """In compare: the share of ties."""
    accepted: float | None = None
    """In detect: how often real outputs were taken for real."""


def read_pilot(table: Any, protocol: Protocol, criterion: str | None = None) -> Pilot:
    """The scatter of ratings, votes or detections, by the method of ``stats.power.pilot``.

    ``table`` is what every function of jurybox reads: a file, a frame, columns.
    """
    with opened(table, SHAPE[protocol], criterion) as responses:
        if protocol == "rate":
            name = one_criterion(responses)
            return _of(numbers_of(responses, name), ratios.mean_of("score"))
        if protocol == "compare":
            return _votes(responses)
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
    found = _of(responses, vote_rows.pair_rows("half"), alike=False)
    tied = responses.value(
        "SELECT avg(CASE WHEN winner IN ('tie', 'both_bad') THEN 1.0 ELSE 0.0 END) FROM {r} "
        "WHERE system_a <> system_b"
    )
    # Of one side of a vote: two sides have twice the variance.
    parts = ("item_system", "rater_system", "noise")
    halved = {name: getattr(found.scatter, name) / math.sqrt(2) for name in parts}
    return Pilot(scatter=Scatter(**halved), n_responses=found.n_responses, ties=float(tied))


def _of(responses: Responses, rows: str, *, alike: bool = True) -> Pilot:
    if not (responses.has_item and responses.has_rater):
        raise InputError("a pilot must name the item and the rater of every response")
    sums = ratios.reduce(responses, rows, cross=True, single=True)
    return Pilot(scatter=scatter_of(sums, alike=alike), n_responses=int(sums.n.sum()))
