r"""How strong a system must at least be that was never beaten, and at most one that never won.

Its strength has no finite estimate, but its votes bound it. With the other strengths (and the tie
parameter and coefficients) profiled out, the bound is the θ at which

.. math:: 2\{\ell_\text{max} - \ell(\theta)\} = -2\,\delta \log(1 - \text{confidence}).

If the others' strengths were known and δ = 1, the left side would be −2 log P(all its votes won),
so that this is the exact one-sided bound: no smaller θ gives such a row of wins a probability of
1 − confidence. (The usual χ² quantile, 2.71 instead of 5.99 at 95%, is too small where every vote
is won.)

Votes of one rater or one item are not independent, and a system that wins every vote shows no
variation from which their dependence could be measured. So each cluster of the smaller dimension
counts as one vote, as for a share of 0 or 1: δ = votes ÷ clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import AnalysisError
from jurybox.results import Interval, format_count
from jurybox.stats.clusters import ALL_RATERS, INDEPENDENT, THESE_RATERS, THIS_ITEM, THIS_RATER
from jurybox.stats.strengths.coefficients import Asked
from jurybox.stats.strengths.results import Group, Strength, maximize
from jurybox.stats.strengths.vote_clusters import clusters_of
from jurybox.stats.strengths.vote_fit import CoreFit, Settings, Votes, select_votes, used
from jurybox.stats.strengths.vote_models import Design, evaluate

__all__ = ["OneSided", "bounded_rows", "one_sided", "where_deviance_is"]

Array = NDArray[np.float64]
METHOD = "one-sided profile likelihood"
FARTHEST = 60.0


def bounded_rows(
    rows: Sequence[Strength],
    votes: Votes,
    settings: Settings,
    asked: Asked,
    groups: Sequence[Group],
    made: Sequence[CoreFit | str],
) -> list[Strength]:
    """The rows with a one-sided bound for each system ranked above or below its core."""
    wanted: dict[int, tuple[CoreFit, bool]] = {}
    for group, fit in zip(groups, made, strict=True):
        if isinstance(fit, CoreFit):
            wanted.update({k: (fit, True) for k in group.above})
            wanted.update({k: (fit, False) for k in group.below})
    if not wanted:
        return list(rows)
    speaks = used(votes, settings)
    marked = {
        k: speaks
        & (
            (votes.a == k) & np.isin(votes.b, fit.core)
            | (votes.b == k) & np.isin(votes.a, fit.core)
        )
        for k, (fit, _) in wanted.items()
    }
    kinds = [kind for kind in asked.summed if kind in votes.kinds and kind != "cell"]
    counts = clusters_of(votes, marked, kinds)
    numbers = {name: k for k, name in enumerate(votes.systems)}
    found = []
    for row in rows:
        k = numbers[row.system]
        if k in wanted:
            n = int(votes.count[marked[k]].sum())
            claim = one_sided(counts[k], n)
            interval = _one_sided(votes, k, settings, wanted[k], claim, asked.confidence)
            row = replace(row, interval=interval, n_responses=n)
        found.append(row)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSided:
    """How many independent votes the votes on a system are taken for, and what they speak for."""

    effect: float
    method: str
    to: str


def one_sided(counts: Mapping[str, int], n: int, noun: str = "vote") -> OneSided | None:
    """Each cluster of the smaller dimension counts as one vote; a single rater or item does not."""
    several = {kind: count for kind, count in counts.items() if count > 1}
    if not counts:
        if n == 0:
            return None
        return OneSided(
            effect=1.0, method=f"{METHOD}, {noun}s taken as independent", to=INDEPENDENT
        )
    if not several:
        return None
    kind = min(several, key=lambda each: several[each])
    to = ALL_RATERS
    if len(several) < 2:
        alone = {
            ("item", True): THIS_RATER,
            ("rater", True): THIS_ITEM,
            ("item", False): THESE_RATERS,
        }
        to = alone.get((kind, len(counts) == 2), "raters like these, on these items")
    nouns = format_count(several[kind], kind)
    method = f"{METHOD}, each of {nouns} counting as one {noun}"
    return OneSided(effect=max(1.0, n / several[kind]), method=method, to=to)


def _one_sided(
    votes: Votes,
    system: int,
    settings: Settings,
    stands: tuple[CoreFit, bool],
    claim: OneSided | None,
    confidence: float,
) -> Interval | None:
    """The bound of one system relative to the core, whose mean is zero; ``None`` if there is none.

    ``stands`` is the core's fit and whether the system stands above it.
    """
    if claim is None:
        return None
    fit, above = stands
    design = select_votes(votes, fit.core, settings, outside=system).design
    kept = [list(settings.names).index(name) for name in fit.names]
    # The model of the core: a system that never tied adds no ties.
    design = replace(design, x=design.x[:, kept] / fit.scale, model=fit.votes.design.model)
    sign = (design.a == design.size) * 1.0 - (design.b == design.size) * 1.0
    if not sign.any():
        return None
    allowed = -2 * claim.effect * math.log(1 - confidence)
    bound = _bound(design, fit, sign, allowed, 1.0 if above else -1.0)
    if bound is None:
        return None
    return Interval(
        low=bound if above else -math.inf,
        high=math.inf if above else bound,
        confidence=confidence,
        method=claim.method,
        generalizes_to=claim.to,
    )


def _bound(design: Design, fit: CoreFit, sign: Array, allowed: float, way: float) -> float | None:
    """The θ at which the deviance is as large as allowed."""
    start = fit.at

    def deviance(theta: float) -> float:
        nonlocal start
        part = replace(design, offset=theta * sign)
        at, value, _ = maximize(
            start, lambda x: evaluate(x, part), what="the profile", n_free=design.size
        )
        start = at
        return 2 * (fit.value - value)

    return where_deviance_is(allowed, deviance, way)


def where_deviance_is(
    allowed: float, deviance: Callable[[float], float], way: float
) -> float | None:
    """The θ at which a deviance that falls along ``way`` is as large as allowed, by bisection."""
    low, high = -1.0, 1.0
    try:
        while deviance(way * low) < allowed:
            low *= 2
            if low < -FARTHEST:
                return None
        while deviance(way * high) > allowed:
            high *= 2
            if high > FARTHEST:
                return None
        for _ in range(60):
            middle = (low + high) / 2
            if deviance(way * middle) > allowed:
                low = middle
            else:
                high = middle
            if high - low < 1e-9:
                break
    except (AnalysisError, np.linalg.LinAlgError):
        return None
    return way * low
