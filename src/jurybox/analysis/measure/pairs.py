"""How often one of two systems comes out above the other, for every two of a family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jurybox.analysis.measure.reduced import reduced
from jurybox.analysis.measure.turn import turn_share
from jurybox.analysis.options import Options
from jurybox.stats.clusters import claims, ratio_variances
from jurybox.stats.more_data import MoreData, more_data
from jurybox.stats.share_family import share_family, share_family_by_holm
from jurybox.stats.shares import Share, share
from jurybox.tally.pairs import only_pairs, pairs_in, stacked
from jurybox.tally.ratios import RatioSums
from jurybox.tally.responses import Responses

if TYPE_CHECKING:
    from jurybox.stats.equivalence import Equivalence

__all__ = ["MOST_JOINT", "joint_pair_shares", "pair_equivalence", "pair_shares", "pair_width"]

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
    against: str | None = None,
    wanted: Callable[[str, str], bool] | None = None,
) -> list[Share]:
    """Every two systems' share, tested against one half, the one above first.

    The system that all others are held ``against`` comes second wherever it stands.

    ``rows`` selects ``(k, item, rater, rid, u, w)`` with k a pair of systems. ``wanted`` says which
    pairs are compared at all, and they are one family; the pair ``alone`` is tested by itself and
    comes first, as it was asked.
    """
    names = pairs_in(responses, rows)
    asked = [k for k, (_, pair) in names.items() if set(pair) == set(alone or ())]
    family = [
        k for k, (_, pair) in names.items() if k not in asked and (wanted is None or wanted(*pair))
    ]
    found = []
    for kept in (asked, family):
        part = rows if kept == list(names) else only_pairs(rows, kept)
        made = _family(responses, part, options, what, len(kept)) if kept else ()
        found += [
            replace(row, system=names[k][1][0], other=names[k][1][1], criterion=criterion)
            for k, row in zip(kept, made, strict=True)
        ]
    return [_oriented(row, alone, against) for row in found]


def joint_pair_shares(
    responses: Responses,
    rows: str,
    options: Options,
    *,
    criteria: Sequence[str],
    what: str = "win rate",
    against: str | None = None,
    wanted: Callable[[str, str], bool] | None = None,
) -> dict[str, list[Share]]:
    """The shares of ``pair_shares`` by criterion, with all pairs on all criteria as one family."""
    together = stacked([responses.of_criterion(name) for name in criteria], rows)
    names = pairs_in(responses, together)
    kept = [k for k, (_, pair) in names.items() if wanted is None or wanted(*pair)]
    if not kept:
        return {name: [] for name in criteria}
    made = _family(responses, only_pairs(together, kept), options, what, len(kept))
    found: dict[str, list[Share]] = {name: [] for name in criteria}
    for k, row in zip(kept, made, strict=True):
        part, (one, two) = names[k]
        name = criteria[part]
        named = replace(row, system=one, other=two, criterion=name)
        found[name].append(_oriented(named, None, against))
    return found


def _oriented(row: Share, alone: tuple[str, str] | None, against: str | None = None) -> Share:
    """The row seen from the system that was asked about, else from the one above."""
    if alone is not None and {row.system, row.other} == set(alone):
        return row if row.system == alone[0] else turn_share(row)
    if against in (row.system, row.other):
        return turn_share(row) if row.system == against else row
    return row if row.estimate is None or row.estimate >= 0.5 else turn_share(row)


def _family(
    responses: Responses, rows: str, options: Options, what: str, size: int
) -> tuple[Share, ...]:
    joint = 1 < size <= MOST_JOINT
    sums = reduced(responses, rows, options, cross=joint)
    made = [share(sums, k, what=what, against=0.5, **options.interval) for k in range(size)]
    return share_family(made, sums, **options.interval) if joint else share_family_by_holm(made)


def pair_equivalence(
    responses: Responses, rows: str, options: Options, pair: tuple[str, str], margin: float
) -> Equivalence:
    """Whether the first of two systems wins within the margin of one half."""
    from jurybox.stats.equivalence import equivalence

    sums, away = _only(responses, rows, options, pair)
    claim = claims(ratio_variances(sums, 0), cluster=options.cluster, generalize=options.generalize)
    return equivalence(
        away,
        claim.main,
        margin=margin,
        confidence=options.confidence,
        undefined=claim.undefined,
    )


def pair_width(
    responses: Responses, rows: str, options: Options, pair: tuple[str, str]
) -> MoreData:
    """How wide the interval of two systems' share is, and would be with more raters or items."""
    sums, away = _only(responses, rows, options, pair)
    return more_data(ratio_variances(sums, 0), share=0.5 + away, **options.interval)


def _only(
    responses: Responses, rows: str, options: Options, pair: tuple[str, str]
) -> tuple[RatioSums, float]:
    """The sums of one pair, and how far the share of its first system is from one half."""
    known = pairs_in(responses, rows)
    found = {k: names for k, (_, names) in known.items() if set(names) == set(pair)}
    ((number, names),) = found.items()
    sums = reduced(responses, only_pairs(rows, [number]), options)
    sign = 1 if names == pair else -1
    return sums, sign * (float(sums.value[0]) - 0.5)
