"""Answers about outputs that shared a screen, with the place at which each stood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.rankings import PLACED, RANKING
from jurybox.tally.responses import Responses

__all__ = ["Screens", "by_chance", "has_screens", "place_rows", "screens"]


@dataclass(frozen=True, slots=True, eq=False)
class Screens:
    """Answers as arrays; units, systems, items, raters and screens are numbered from 0."""

    unit: NDArray[np.int64]
    system: NDArray[np.int64]
    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    screen: NDArray[np.int64]
    place: NDArray[np.float64]
    y: NDArray[np.float64]


def _seen(responses: Responses) -> str:
    """Every answer of a shared screen with its place; ``y`` is the score, or 1 if ranked first."""
    rows, y = responses.source, "score"
    if responses.shape.name == "rankings":
        rows = PLACED.replace("{r}", responses.source)
        y = "CASE WHEN standing = 1 THEN 1.0 / tied ELSE 0.0 END"
    return (
        f"(SELECT *, CAST({y} AS DOUBLE) AS y FROM {rows} "
        "WHERE place IS NOT NULL WINDOW screen AS "
        f"(PARTITION BY {RANKING}) QUALIFY max(place) OVER screen > min(place) OVER screen)"
    )


def has_screens(responses: Responses) -> bool:
    """Whether rows say at which place of a shared screen their outputs stood."""
    named = responses.has_rater and responses.has_item and "place" in responses.columns
    return named and bool(responses.value(f"SELECT count(*) > 0 FROM {_seen(responses)}"))


def screens(responses: Responses) -> Screens:
    """The answers to one criterion about outputs that shared a screen."""
    # Hashes of 64 bits: see ``sitting``.
    found: dict[str, Any] = responses.connection.execute(
        "SELECT hash(item, system) AS unit, hash(system) AS system, hash(item) AS item, "
        f"hash(rater) AS rater, hash({RANKING}) AS screen, place, y FROM {_seen(responses)}"
    ).fetchnumpy()
    numbers = {
        name: np.unique(np.asarray(found[name], dtype=np.uint64), return_inverse=True)[1]
        for name in ("unit", "system", "item", "rater", "screen")
    }
    return Screens(
        **numbers,
        place=np.asarray(found["place"], dtype=np.float64),
        y=np.asarray(found["y"], dtype=np.float64),
    )


def place_rows(responses: Responses) -> str:
    """The rows of the mean of ``y`` at every place."""
    return f"SELECT place AS k, item, rater, rid, y AS u, 1.0 AS w FROM {_seen(responses)}"


def by_chance(responses: Responses) -> dict[float, float]:
    """The share of first ranks of each place if neither places nor outputs mattered: mean 1/n."""
    rows = responses.query(
        f"SELECT place, avg(1.0 / shown) FROM {_seen(responses)} GROUP BY place ORDER BY place"
    )
    return {float(place): float(share) for place, share in rows}
