"""Rankings, or scores taken as such, reduced to rows of numbers by item, rater and system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.tally.rater_effects import RANKED_TOGETHER
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses

__all__ = ["RankedRows", "ranked_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """What each rater gave each of the things ranked together in a block."""

    block: NDArray[np.int64]
    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    thing: NDArray[np.int64]
    value: NDArray[np.float64]
    is_one_block: bool
    """Whether items are what is ranked, in a single block, since there is one system."""
    n_items: int
    n_raters: int


def ranked_rows(responses: Responses) -> RankedRows:
    """Ranks of an item's systems, or their scores; with one system, the scores of the items.

    Of what a rater gave an output repeatedly the first counts. Rankings of other systems of the
    same item are blocks of their own.
    """
    shape = responses.shape.name
    if shape not in ("rankings", "ratings"):
        raise InputError(f"Kendall's W needs rankings or ratings; got {shape}")
    if not responses.has_item or not responses.has_rater:
        missing = "rater" if responses.has_item else "item"
        raise InputError(f"Kendall's W needs a column {missing!r}: it compares raters on items")
    if shape == "ratings" and not are_numbers(responses):
        raise InputError("Kendall's W needs scores that are numbers")
    value, among = ("rank", RANKED_TOGETHER) if shape == "rankings" else ("score", "0")
    item, rater = (f"CAST({responses.number(name)} AS BIGINT)" for name in ("item", "rater"))
    found = responses.connection.execute(
        f"SELECT dense_rank() OVER (ORDER BY i, among) AS b, i, r, s, x FROM (SELECT {item} AS i, "
        f"among, {rater} AS r, CAST(enum_code(system) AS BIGINT) AS s, "
        f"CAST(arg_min({value}, rid) AS DOUBLE) AS x "
        f"FROM (SELECT *, {among} AS among FROM {responses.source}) GROUP BY ALL) ORDER BY b, r, s"
    ).fetchnumpy()
    blocks, items, raters, things = (
        np.asarray(found[name], dtype=np.int64) for name in ("b", "i", "r", "s")
    )
    n_items, n_raters = len(np.unique(items)), len(np.unique(raters))
    single = shape == "ratings" and len(np.unique(things)) == 1
    return RankedRows(
        block=np.zeros_like(items) if single else blocks,
        item=items,
        rater=raters,
        thing=items if single else things,
        value=np.asarray(found["x"], dtype=np.float64),
        is_one_block=single,
        n_items=n_items,
        n_raters=n_raters,
    )
