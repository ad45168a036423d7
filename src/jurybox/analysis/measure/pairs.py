"""How often one of two systems comes out above the other, for every two of a family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jurybox.analysis.measure.reduced import reduced
from jurybox.analysis.measure.turn import turn_share
from jurybox.analysis.options import Options
from jurybox.stats.share_family import share_family, share_family_by_holm
from jurybox.stats.shares import Share, share
from jurybox.tally.pairs import only_pairs, pairs_in
from jurybox.tally.responses import Responses

__all__ = ["MOST_JOINT", "pair_shares"]

MOST_JOINT = 300
"""The most pairs whose joint covariance is computed; beyond, p is adjusted by Holm."""


def pair_shares(
    responses: Responses,
    rows: str,
    options: Options,
    *,
    what: str = "win rate",
    criterion: str | None = None,
    alone: tuple[str, str] | None = None,
    wanted: Callable[[str, str], bool] | None = None,
) -> list[Share]:
    """Every two systems' share, tested against one half, the one above first.

    ``rows`` selects ``(k, item, rater, rid, u, w)`` with k a pair of systems. ``wanted`` says which
    pairs are compared at all, and they are one family; the pair ``alone`` is tested by itself and
    comes first, as it was asked.
    """
    names = pairs_in(responses, rows)
    asked = [k for k in names if alone is not None and set(names[k]) == set(alone)]
    family = [k for k in names if k not in asked and (wanted is None or wanted(*names[k]))]
    found = []
    for kept in (asked, family):
        part = rows if kept == list(names) else only_pairs(rows, kept)
        made = _family(responses, part, options, what, len(kept)) if kept else ()
        found += [
            replace(row, system=names[k][0], other=names[k][1], criterion=criterion)
            for k, row in zip(kept, made, strict=True)
        ]
    return [_oriented(row, alone) for row in found]


def _oriented(row: Share, alone: tuple[str, str] | None) -> Share:
    """The row seen from the system that was asked about, else from the one above."""
    if alone is not None and {row.system, row.other} == set(alone):
        return row if row.system == alone[0] else turn_share(row)
    return turn_share(row) if (row.estimate or 0.0) < 0.5 else row


def _family(
    responses: Responses, rows: str, options: Options, what: str, size: int
) -> tuple[Share, ...]:
    joint = 1 < size <= MOST_JOINT
    sums = reduced(responses, rows, options, cross=joint)
    made = [share(sums, k, what=what, against=0.5, **options.interval) for k in range(size)]
    return share_family(made, sums, **options.interval) if joint else share_family_by_holm(made)
