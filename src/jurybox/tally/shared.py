"""Which systems the same raters judged on the same items: only those can be told from raters."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.ratios import code_of
from jurybox.tally.responses import Responses

__all__ = ["shared_raters"]

Pair = tuple[str, str]
Numbers = NDArray[np.int64]
FIRST = 10_000
"""Responses among whose items a rater of both systems is looked for first."""


def shared_raters(responses: Responses, compared: Mapping[Pair, int]) -> set[Pair]:
    """The pairs of systems that some rater judged both of, on items of both where there are such.

    ``compared``: of every pair of systems with such items, in the order of their names, how many
    responses are on them. Where these are all, who judged which system says everything.
    """
    found = set(
        responses.query(
            "WITH seen AS (SELECT DISTINCT system, rater FROM {r}) SELECT DISTINCT a.system, "
            "b.system FROM seen a JOIN seen b ON a.rater = b.rater AND a.system < b.system"
        )
    )
    counts = dict(responses.query("SELECT system, count(*) FROM {r} GROUP BY system"))
    partly = [
        (one, two)
        for (one, two), n in compared.items()
        if (one, two) in found and n < counts[one] + counts[two]
    ]
    if not partly:
        return found
    rows = _by_system(responses)
    return found - {(one, two) for one, two in partly if not _meet(rows[one], rows[two])}


def _by_system(responses: Responses) -> dict[str, tuple[Numbers, Numbers]]:
    """The items and raters of each system's responses, by item."""
    types = {row[0]: row[1] for row in responses.query("DESCRIBE SELECT * FROM {r}")}
    # Rows that were filled in have names where others have numbers of names.
    columns = ("system", "item", "rater")
    listed = ", ".join(f"{code_of(name, types[name])} AS {name}" for name in columns)
    found = responses.connection.execute(f"SELECT {listed} FROM {responses.source}").fetchnumpy()
    system, items, raters = (np.asarray(found[name]) for name in columns)
    order = np.lexsort((items, system))
    names = responses.value("SELECT enum_range(CAST(NULL AS systems))")
    ends = np.searchsorted(system[order], np.arange(len(names) + 1))
    parts = (order[low:high] for low, high in pairwise(ends.tolist()))
    return {name: (items[at], raters[at]) for name, at in zip(names, parts, strict=True)}


def _meet(one: tuple[Numbers, Numbers], two: tuple[Numbers, Numbers]) -> bool:
    """Whether a rater judged both on items of both; mostly the first items show one who did."""
    for size in (FIRST, len(one[0])):
        item, rater = one[0][:size], one[1][:size]
        others = two[1][np.isin(two[0], item)]
        if np.isin(rater[np.isin(item, two[0])], others).any():
            return True
    return False
