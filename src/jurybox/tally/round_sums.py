"""Two rounds reduced to cells, with items and raters of one name as one cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.responses import Responses

__all__ = ["Cells", "Shared", "cells_of", "number_clusters", "shared_clusters"]

Codes = NDArray[np.int64]
Cells = Mapping[Any, dict[str, NDArray[Any]]]
"""Per ratio the columns ``item, rater`` (as names), ``u``, ``w`` and ``n``, a row for each cell."""
Shared = Mapping[str, tuple[int, int, int]]
"""Per kind of cluster how many the old round has, the new round, and both."""


def cells_of(responses: Responses, rows: str) -> Cells:
    """Rows ``(k, item, rater, rid, u, w)`` summed per ratio, item and rater.

    Where the table names neither items nor raters, each response stands alone.
    """
    keys = ["item"] if responses.has_item else []
    keys += ["rater"] if responses.has_rater else []
    ids = keys or ["rid"]
    named = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in ids)
    listed = ", ".join(["k", *ids])
    found = responses.query(
        f"SELECT k, {named}, CAST(sum(u) AS DOUBLE), CAST(sum(w) AS DOUBLE), count(*) "
        f"FROM ({rows}) GROUP BY {listed} ORDER BY {listed}"
    )
    made: dict[Any, list[tuple[Any, ...]]] = {}
    for row in found:
        made.setdefault(row[0], []).append(row[1:])
    columns = [*ids, "u", "w", "n"]
    return {
        k: {
            name: np.array(column)
            for name, column in zip(columns, zip(*rows, strict=True), strict=True)
        }
        for k, rows in made.items()
    }


def number_clusters(
    old: Mapping[str, NDArray[Any]], new: Mapping[str, NDArray[Any]], *, named: frozenset[str]
) -> tuple[dict[str, Codes], dict[str, Codes]]:
    """The clusters of two rounds as numbers: the same name is the same number.

    ``named``: the kinds whose names mean the same in both rounds; others are never the same.
    """
    kinds = [kind for kind in ("item", "rater") if kind in old and kind in new]
    if not kinds:
        n = len(old["u"])
        return {"row": np.arange(n)}, {"row": np.arange(n, n + len(new["u"]))}
    found: tuple[dict[str, Codes], dict[str, Codes]] = ({}, {})
    for kind in kinds:
        names = np.concatenate([old[kind], new[kind]])
        if kind not in named:
            round_ = np.repeat(["o", "n"], [len(old[kind]), len(new[kind])])
            names = np.char.add(round_, names)
        codes = np.unique(names, return_inverse=True)[1].ravel()
        found[0][kind], found[1][kind] = codes[: len(old[kind])], codes[len(old[kind]) :]
    if len(kinds) == 2:
        n_raters = 1 + max(int(part["rater"].max(initial=0)) for part in found)
        for part in found:
            part["cell"] = part["item"] * n_raters + part["rater"]
    return found


def shared_clusters(old: Responses, new: Responses) -> dict[str, tuple[int, int, int]]:
    """How many items and raters two rounds have, and how many of one name both have."""
    found = {}
    for kind in ("item", "rater"):
        if not all(kind in each.columns for each in (old, new)):
            continue
        before, after = (
            {row[0] for row in each.query(f"SELECT DISTINCT CAST({kind} AS VARCHAR) FROM {{r}}")}
            for each in (old, new)
        )
        both = 0 if kind == "rater" and _anonymous(old, new) else len(before & after)
        found[kind] = (len(before), len(after), both)
    return found


def _anonymous(*rounds: Responses) -> bool:
    """Whether the raters of a round are positions: the first of one row is nobody in particular."""
    return any(each.stated.has_anonymous for each in rounds)
