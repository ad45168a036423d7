r"""Whether generated outputs are accepted as real as often as real ones are.

The test of a Turing test: :math:`P(\text{"real"} \mid \text{generated}) = P(\text{"real"} \mid
\text{real})`, at whatever level, clustered by rater and item, every system against the same real
outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.results import Interval, format_number
from jurybox.stats.clusters import Cluster, Generalize, Spread, Sums, claims, difference_variances
from jurybox.stats.distributions import t_two_sided
from jurybox.stats.equivalence import Equivalence, equivalence
from jurybox.stats.multiple import in_family
from jurybox.stats.shares import ShareDifference, share_difference
from jurybox.stats.simultaneous import MaxT, joint_correlation, joint_variances, max_t

__all__ = [
    "AcceptanceEquivalence",
    "Gap",
    "acceptance_gaps",
    "equal_acceptance",
    "in_one_family",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A fooling rate minus the acceptance rate of real outputs, with its spread.

    ``spread`` is ``None`` where one of the two rates is 0 or 1, whose variance says nothing.
    """

    place: int
    row: ShareDifference
    spread: Spread | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceEquivalence(Equivalence):
    """Whether a system's outputs pass for real as often as real ones do, within the margin."""

    as_percent: ClassVar[bool] = True

    system: str

    @property
    def name(self) -> str:
        """The system, and what it is compared with."""
        return f"{self.system} − real"

    def format(self, value: float | None) -> str:
        """In percentage points."""
        return "–" if value is None else f"{format_number(100 * value, 1)} points"


def acceptance_gaps(
    sums: Sums,
    places: Sequence[int],
    real: int,
    *,
    systems: Sequence[str],
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> list[Gap]:
    """Every system's fooling rate minus the acceptance rate of real outputs, each on its own."""
    how: dict[str, Any] = {"cluster": cluster, "generalize": generalize}
    made = []
    for place, system in zip(places, systems, strict=True):
        names = (system, "real")
        row = share_difference(sums, place, real, systems=names, confidence=confidence, **how)
        spread = claims(difference_variances(sums, place, real), **how).main
        made.append(Gap(place=place, row=row, spread=None if row.p is None else spread))
    return made


def in_one_family(
    sums: Sums,
    gaps: Sequence[Gap],
    real: int,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    seed: int = 0,
) -> tuple[ShareDifference, ...]:
    r"""The differences of all systems with adjusted p and simultaneous intervals.

    Notes
    -----
    All differences share the acceptance rate of the same real outputs, so they are correlated. The
    family is judged by max-t with the correlation of :math:`L V L^\top`, where V is the clustered
    covariance of all rates and L takes the real one from each. A system that is always or never
    taken for real has no t: it counts in the family as independent of the others, and its
    simultaneous interval is Newcombe's hybrid at the family's critical value. A family of one is
    left as it is.
    """
    rows = tuple(gap.row for gap in gaps)
    tested = [i for i, gap in enumerate(gaps) if gap.spread is not None]
    if len(rows) < 2:
        return rows
    how: dict[str, Any] = {"cluster": cluster, "generalize": generalize}
    correlation = _correlation(sums, gaps, tested, real, how) if tested else np.eye(len(rows))
    if correlation is None:
        return _by_holm(rows)
    spreads = [gap.spread for gap in gaps]
    ts = [
        0.0 if spread is None else (row.estimate or 0.0) / spread.se
        for row, spread in zip(rows, spreads, strict=True)
    ]
    df = min((spread.df for spread in spreads if spread is not None), default=_fewest(rows) - 1)
    if df < 1:
        return rows
    family = max_t(ts, correlation, df=df, confidence=confidence, seed=seed)
    wider = 1 - t_two_sided(family.critical, df)
    made = []
    for gap, p in zip(gaps, family.p_adjusted, strict=True):
        if gap.spread is not None:
            made.append(_judged(gap.row, gap.spread, family, p, confidence))
            continue
        names = (gap.row.system, gap.row.other)
        edge = share_difference(sums, gap.place, real, systems=names, confidence=wider, **how)
        made.append(_at_the_edge(gap.row, edge.interval, family, confidence))
    return tuple(made)


def equal_acceptance(
    gaps: Sequence[Gap], *, margin: float, confidence: float = 0.95
) -> tuple[AcceptanceEquivalence, ...]:
    """Two one-sided tests for every system; Holm's adjustment where there are several.

    Where a rate is 0 or 1 there is no standard error, hence no test, and the reason is given.
    """
    if not 0 < margin < 1:
        raise OptionError(f"margin must lie between 0 and 1 (0.1 is ten points); got {margin}")
    made = []
    for gap in gaps:
        why = "one of the two rates is 0 or 1, so the difference has no standard error"
        found = equivalence(
            gap.row.estimate or 0.0,
            gap.spread,
            margin=margin,
            confidence=confidence,
            undefined=gap.row.undefined or why,
        )
        counts = {name: getattr(gap.row, name) for name in ("n_items", "n_raters", "n_responses")}
        made.append(found.as_kind(AcceptanceEquivalence, system=gap.row.system, **counts))
    adjusted = in_family([row.p for row in made])
    by = f"Holm over {sum(p is not None for p in adjusted):,} comparisons"
    return tuple(
        row if p is None else replace(row, p_adjusted=p, adjusted_by=by)
        for row, p in zip(made, adjusted, strict=True)
    )


def _correlation(
    sums: Sums, gaps: Sequence[Gap], tested: Sequence[int], real: int, how: dict[str, Any]
) -> NDArray[np.float64] | None:
    """Of all differences; those without a t stand as independent."""
    contrast = np.zeros((len(tested), len(sums.names)))
    for at, i in enumerate(tested):
        contrast[at, gaps[i].place], contrast[at, real] = 1.0, -1.0
    parts = {kind: contrast @ v @ contrast.T for kind, v in joint_variances(sums).items()}
    known = joint_correlation(parts, **how)
    if known is None:
        return None
    whole = np.eye(len(gaps))
    whole[np.ix_(tested, tested)] = known
    return whole


def _fewest(rows: Sequence[ShareDifference]) -> int:
    """The clusters of the smaller kind, of items and raters; one of a kind carries nothing."""
    counts = [n for row in rows for n in (row.n_items, row.n_raters) if n is not None and n > 1]
    return min(counts, default=1)


def _by_holm(rows: Sequence[ShareDifference]) -> tuple[ShareDifference, ...]:
    adjusted = in_family([row.p for row in rows])
    by = f"Holm over {sum(p is not None for p in adjusted):,} comparisons"
    return tuple(
        row if p is None else replace(row, p_adjusted=p, adjusted_by=by)
        for row, p in zip(rows, adjusted, strict=True)
    )


def _judged(
    row: ShareDifference, spread: Spread, family: MaxT, p: float, confidence: float
) -> ShareDifference:
    estimate, half = row.estimate or 0.0, family.critical * spread.se
    joint = Interval(
        low=max(-1.0, estimate - half),
        high=min(1.0, estimate + half),
        confidence=confidence,
        # What the spread's method says of Student's t is not so of the family's distribution.
        method=f"{spread.method.rpartition(', ')[0]}, {family.method}",
        generalizes_to=spread.generalizes_to,
    )
    return replace(row, p_adjusted=p, simultaneous=joint, adjusted_by=family.method)


def _at_the_edge(
    row: ShareDifference, edge: Interval | None, family: MaxT, confidence: float
) -> ShareDifference:
    if edge is None:
        return row
    joint = replace(edge, confidence=confidence, method=f"{edge.method}, {family.method}")
    return replace(row, simultaneous=joint, adjusted_by=family.method)
