r"""Log odds, differences, thresholds and variances of a fit, with Wald intervals.

With the thresholds θ and log odds β of a fit and their covariance V, the inverse of the observed
information of *all* parameters, an estimate :math:`c'(\theta, \beta)` has the interval

.. math:: c'(\theta, \beta) \pm t_{\min G - 1} \sqrt{c' V c},

G being the numbers of raters and of items. The variances between raters and items are estimated,
by maximum likelihood and therefore a little too small, from so many clusters: normal quantiles
would not know that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import (
    ALL_RATERS,
    THIS_ITEM,
    THIS_RATER,
    Spread,
    few_raters,
    t_interval,
)
from jurybox.stats.distributions import t_two_sided
from jurybox.stats.ordinal_mixed.fit import Fit
from jurybox.stats.ordinal_mixed.results import (
    OrdinalModel,
    SystemOdds,
    SystemOddsDifference,
    Threshold,
    VarianceComponent,
)
from jurybox.stats.ordinal_mixed.terms import PARTS
from jurybox.stats.simultaneous import max_t, rank_sets

__all__ = ["report"]

Array = NDArray[np.float64]
FEW = 10
"""Raters below which it is said how few they are."""
FLAT = "the likelihood is flat at its maximum, which leaves no interval"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Estimates:
    """Thresholds and log odds with their covariance, and whom intervals speak for."""

    at: Array
    covariance: Array | None
    df: int
    to: str
    confidence: float

    def spread(self, weights: Array) -> Spread | None:
        """The variance of a weighted sum with its claim."""
        if self.covariance is None:
            return None
        return Spread(
            variance=float(weights @ self.covariance @ weights),
            df=self.df,
            method=f"Wald, by the Laplace likelihood, t({self.df})",
            generalizes_to=self.to,
        )

    def figure(self, weights: Array) -> dict[str, Any]:
        """A weighted sum with its interval, or why it has none."""
        estimate, spread = float(weights @ self.at), self.spread(weights)
        return {
            "estimate": estimate,
            "interval": t_interval(estimate, spread, self.confidence),
            "undefined": FLAT if spread is None else None,
        }


def report(
    base: OrdinalModel, fit: Fit, names: Sequence[str], values: Sequence[float]
) -> OrdinalModel:
    """Everything that follows from a fit of these systems and scores."""
    answers, k = fit.answers, len(names)
    counts: dict[str, Any] = {
        "n_items": answers.n_items,
        "n_raters": answers.n_raters,
        "n_responses": len(answers.value),
    }
    made = _estimates(fit, base.confidence)
    n = len(fit.theta)
    # Log odds have mean zero, and thresholds are those of the average system.
    centered = np.eye(n + k)
    centered[:, n:] -= 1 / k
    order = np.argsort(-fit.beta, kind="stable")
    differences, ranks, by = _family(made, order, names, base.seed)
    rows = [
        SystemOdds(
            system=names[s],
            rank_low=None if ranks is None else ranks[place][0],
            rank_high=None if ranks is None else ranks[place][1],
            **made.figure(centered[n + s]),
            **counts,
        )
        for place, s in enumerate(order.tolist())
    ]
    thresholds = [
        Threshold(below=below, above=above, **made.figure(weights))
        for (below, above), weights in zip(pairwise(values), centered[:n], strict=True)
    ]
    formula = " + ".join(["score ~ system", *(str(t) for t in fit.terms if t.shape != "none")])
    few = answers.n_items > 1 and 1 < answers.n_raters < FEW
    notes = [f"the model: {formula}", *([few_raters(answers.n_raters)] if few else [])]
    return replace(
        base,
        rows=tuple(rows),
        differences=differences,
        ranks_by=by,
        thresholds=tuple(thresholds),
        components=_components(fit, names),
        formula=formula,
        log_likelihood=fit.log_likelihood,
        n_parameters=len(fit.x),
        notes=tuple(notes),
        **counts,
    )


def _estimates(fit: Fit, confidence: float) -> _Estimates:
    """The estimates, and whom their intervals speak for: raters and items, where both are many."""
    raters, items = fit.answers.n_raters, fit.answers.n_items
    if raters < 2:
        clusters, to = items, THIS_RATER
    elif items < 2:
        clusters, to = raters, THIS_ITEM
    else:
        clusters, to = min(raters, items), ALL_RATERS
    return _Estimates(
        at=np.concatenate([fit.theta, fit.beta]),
        covariance=fit.covariance,
        df=clusters - 1,
        to=to,
        confidence=confidence,
    )


def _family(
    made: _Estimates, order: NDArray[np.intp], names: Sequence[str], seed: int
) -> tuple[tuple[SystemOddsDifference, ...], list[tuple[int, int]] | None, str | None]:
    """Every two systems compared at once: the differences, the ranks by them, and by what."""
    first, second = np.triu_indices(len(order), 1)
    pairs = list(zip(order[first].tolist(), order[second].tolist(), strict=True))
    n = len(made.at) - len(names)
    weights = np.zeros((len(pairs), len(made.at)))
    for row, (i, j) in zip(weights, pairs, strict=True):
        row[n + i], row[n + j] = 1.0, -1.0
    rows = [
        SystemOddsDifference(system=names[i], other=names[j], **made.figure(row))
        for row, (i, j) in zip(weights, pairs, strict=True)
    ]
    if made.covariance is None:
        return tuple(rows), None, None
    joint = weights @ made.covariance @ weights.T
    se = np.sqrt(np.diag(joint))
    ts = weights @ made.at / se
    found = max_t(
        ts.tolist(),
        joint / np.outer(se, se),
        df=made.df,
        confidence=made.confidence,
        seed=seed,
    )
    rows = [
        replace(row, p=t_two_sided(t, made.df)) for row, t in zip(rows, ts.tolist(), strict=True)
    ]
    if len(rows) > 1:
        halves = (found.critical * se).tolist()
        rows = [
            replace(
                row,
                p_adjusted=p,
                adjusted_by=found.method,
                simultaneous=_wider(row, half, found.method),
            )
            for row, p, half in zip(rows, found.p_adjusted, halves, strict=True)
        ]
    better = np.zeros((len(order), len(order)), dtype=np.bool_)
    better[first, second] = np.array(found.p_adjusted) < 1 - made.confidence
    return tuple(rows), rank_sets(better), found.method


def _wider(row: SystemOddsDifference, half: float, method: str) -> Interval | None:
    """The interval that holds for all differences at once."""
    if row.estimate is None or row.interval is None:
        return None
    low, high = row.estimate - half, row.estimate + half
    return replace(row.interval, low=low, high=high, method=f"{row.interval.method}, {method}")


def _components(fit: Fit, names: Sequence[str]) -> tuple[VarianceComponent, ...]:
    """The standard deviations of the terms."""
    made = []
    for term, own in zip(fit.terms, fit.parameters, strict=True):
        for part, sd in zip(PARTS[term.shape], own.tolist(), strict=False):
            made.append(VarianceComponent(group=term.group, part=part, sd=abs(sd)))
        if term.shape == "correlated":
            covariance = term.covariance(own)
            sds = np.sqrt(np.diag(covariance))
            correlation = covariance / np.outer(sds, sds)
            made += [
                VarianceComponent(
                    group=term.group,
                    part=name,
                    sd=float(sds[k]),
                    correlations=tuple(correlation[k, :k].tolist()),
                )
                for k, name in enumerate(names)
            ]
    return tuple(made)
