"""Single scores of a criterion as numbers, which a model of raters and items is fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.responses import Responses

__all__ = ["ScoreCells", "score_cells"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreCells:
    """Rows of system, item, rater and score, each by its number; see ``stats.ordinal_mixed``."""

    systems: tuple[str, ...]
    values: tuple[float, ...]
    """The scores that were given, ascending."""
    system: NDArray[Any]
    item: NDArray[Any]
    rater: NDArray[Any]
    value: NDArray[Any]
    """The place of the score among the values."""


def score_cells(responses: Responses) -> ScoreCells:
    """The scores of one criterion, in the order of systems, items and raters."""
    found = responses.connection.execute(
        f"SELECT system, {responses.number('item')} AS item, {responses.number('rater')} AS rater, "
        f"CAST(score AS DOUBLE) AS score FROM {responses.source} ORDER BY ALL"
    ).fetchnumpy()
    systems, system = np.unique(np.asarray(found["system"], dtype=str), return_inverse=True)
    values, value = np.unique(np.asarray(found["score"]), return_inverse=True)
    return ScoreCells(
        systems=tuple(systems.tolist()),
        values=tuple(values.tolist()),
        system=system,
        item=np.asarray(found["item"], dtype=np.int64),
        rater=np.asarray(found["rater"], dtype=np.int64),
        value=value,
    )
