"""Every two systems compared within items, with what a family of comparisons needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from jurybox.analysis.measure.reduced import reduced_pairs
from jurybox.analysis.measure.turn import turn
from jurybox.analysis.options import Options
from jurybox.stats.blocks import Omnibus, least_p, omnibus
from jurybox.stats.differences import MOST_TOGETHER, Difference, difference, together
from jurybox.stats.effects import (
    Effect,
    cliff_delta,
    independent_delta,
    paired_d,
    rank_biserial,
)
from jurybox.stats.rank_tests import RankTest, mann_whitney, sign_flip, signed_rank
from jurybox.stats.simultaneous import joint_variances
from jurybox.tally.item_means import ItemScores, item_scores, same_rater_means
from jurybox.tally.ratings import pairs_of
from jurybox.tally.responses import Responses
from jurybox.tally.shared import shared_raters

__all__ = ["Compared", "compare", "differences", "many_systems"]

Array = NDArray[np.float64]
MOST_CELLS = 20_000_000
"""Items × systems up to which all systems are tested together."""


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Comparisons, and how they vary together."""

    rows: tuple[Difference, ...]
    places: tuple[int | None, ...]
    """Where a row stands in ``joint``; ``None`` where it has no number."""
    joint: Mapping[str, Array] | None
    """The covariance of all comparisons for every kind of cluster."""

    def family(self, members: Iterable[int], options: Options) -> list[Difference]:
        """These rows judged as one family."""
        at = list(members)
        joint = None
        places = [self.places[i] for i in at]
        if self.joint is not None and any(place is not None for place in places):
            # A row without a number is no member: what stands in its place is not looked at.
            index = [0 if place is None else place for place in places]
            joint = {kind: part[np.ix_(index, index)] for kind, part in self.joint.items()}
        return together([self.rows[i] for i in at], joint, seed=options.seed, **options.interval)

    def together(self, options: Options) -> list[Difference]:
        """All rows judged as one family."""
        return self.family(range(len(self.rows)), options)


def compare(
    parts: Mapping[str, Responses],
    options: Options,
    *,
    baseline: str | None = None,
    margin: float | None = None,
    lower_is_better: Sequence[str] = (),
    details: bool = True,
) -> Compared:
    """Every two systems (or each with the baseline) on every criterion, from one reduction.

    Without a baseline the higher system comes first; with one, the other system. ``details``: also
    tests and effect sizes on item means.
    """
    wanted = {name: _pairs(part, baseline) for name, part in parts.items()}
    size = sum(len(pairs) for pairs in wanted.values())
    cross = 2 <= size <= MOST_TOGETHER
    sums = reduced_pairs(parts, options, cross=cross, against=baseline)
    place = {found: at for at, found in enumerate(pairs_of(parts, sums.names))}
    rows: list[Difference] = []
    places: list[int | None] = []
    for name, part in parts.items():
        shared = None
        if part.has_rater:
            met = {pair: int(sums.n[at]) for (of, pair), at in place.items() if of == name}
            shared = shared_raters(part, met)
        known = item_scores(part) if details and part.has_item and size <= MOST_TOGETHER else None
        for pair in wanted[name]:
            at = place.get((name, pair))
            why = _confounded(pair, at, shared)
            if at is None or why is not None:
                row = Difference(
                    estimate=None,
                    undefined=why,
                    system=pair[0],
                    other=pair[1],
                    criterion=name,
                )
            else:
                row = difference(
                    sums,
                    at,
                    systems=pair,
                    criterion=name,
                    margin=margin,
                    higher=name not in lower_is_better,
                    **options.interval,
                )
            if known is not None:
                apart = at is None and shared is not None and pair not in shared
                row = _with_item_tests(row, known, options, apart=apart)
            rows.append(_oriented(row, baseline))
            places.append(None if why is not None else at)
    return Compared(tuple(rows), tuple(places), joint_variances(sums) if cross else None)


def _pairs(part: Responses, baseline: str | None) -> list[tuple[str, str]]:
    pairs = list(combinations(part.systems, 2))
    return pairs if baseline is None else [pair for pair in pairs if baseline in pair]


def _confounded(
    pair: tuple[str, str], at: int | None, shared: set[tuple[str, str]] | None
) -> str | None:
    one, two = pair
    if at is None:
        return f"no item has responses for both {one} and {two}"
    if shared is not None and pair not in shared:
        return (
            f"no rater judged both {one} and {two} on items of both, so systems and raters cannot "
            "be told apart"
        )
    return None


def _with_item_tests(
    row: Difference, known: ItemScores, options: Options, *, apart: bool
) -> Difference:
    """The row with tests and effect sizes on item means, where these are valid."""
    one, two = row.system, row.other
    tests: tuple[RankTest, ...] = ()
    effects: tuple[Effect, ...] = ()
    confidence = options.confidence
    if apart:
        first, second = known.means(one)[1], known.means(two)[1]
        note = f"raters of {one} and {two} differ too, and could be the whole difference"
        tests = (replace(mann_whitney(first, second), notes=(note,)),)
        effects = (independent_delta(first, second, confidence=confidence),)
    elif row.estimate is not None:
        first, second = known.shared(one, two)
        tests = (signed_rank(first, second), sign_flip(first, second, seed=options.seed))
        effects = (
            rank_biserial(first, second, confidence=confidence),
            cliff_delta(known.dominance(one, two), confidence=confidence),
            *paired_d(first, second, confidence=confidence),
        )
    return replace(row, tests=tests, effects=effects)


def _oriented(row: Difference, baseline: str | None) -> Difference:
    """The same comparison with the higher system first, or with the baseline second."""
    if baseline is not None:
        return turn(row) if row.system == baseline else row
    return row if row.estimate is None or row.estimate >= 0 else turn(row)


def differences(responses: Responses, options: Options, *, criterion: str) -> list[Difference]:
    """Every two systems compared within items, the higher one first; p not yet adjusted."""
    return list(compare({criterion: responses}, options, details=False).rows)


def many_systems(responses: Responses, options: Options, *, criterion: str) -> Omnibus | None:
    """All systems of a criterion together, item by item; ``None`` below three of them.

    So few items that no answers to them could show a difference are not tested: "not shown" would
    say something of the systems.
    """
    systems = responses.systems
    if len(systems) < 3 or not responses.has_item:
        return None
    _, n_raters, n_items = responses.count()
    if n_items * len(systems) > MOST_CELLS:
        return None
    table, dropped = same_rater_means(responses)
    too_few = None
    if not len(table):
        too_few = "no item has all its systems judged by the same raters"
    elif least_p(table) >= 1 - options.confidence:
        have = "1 item has all its" if len(table) == 1 else f"{len(table)} items have all their"
        too_few = f"only {have} systems judged by the same raters, too few for any test"
    if too_few:
        return Omnibus(
            estimate=None,
            undefined=too_few,
            n_raters=n_raters,
            n_items=len(table),
            n_dropped=dropped,
            test="Friedman",
            n_systems=len(systems),
            n_blocks=len(table),
            criterion=criterion,
        )
    found = omnibus(table, criterion=criterion)
    return replace(found, n_raters=n_raters, n_dropped=found.n_dropped + dropped)
