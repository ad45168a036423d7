r"""Whether one strength per system is enough to describe who beat whom.

Pearson's X² compares the outcomes of every pair (and order, where the first place is known) with
those that the fit expects. It follows a χ² distribution only if votes are independent; votes of one
rater or one item are not. After Rao and Scott, X² is divided by the mean of the design effects

.. math:: \hat\delta = \frac{\operatorname{tr}(W \hat C)}{df}, \qquad W = \operatorname{diag}(1/E),

where :math:`\hat C` is the clustered covariance of observed minus expected counts, the fit taken
into account, and compared with the F distribution with df and df · (G − 1) degrees of freedom
(Thomas and Rao), G being the clusters of the smaller dimension. The trace needs no covariance
matrix: for signs z, :math:`E[z' W^{1/2} C W^{1/2} z]` is the trace, and each :math:`z' W^{1/2}
(O - E)` is a sum over votes, which is added up by cluster. With up to 64 counts, unit vectors take
the place of signs and the trace is exact.

The sums of the clusters are taken about their mean, which is zero where the strengths fit. Taken
about zero, the misfit itself would count as spread: X² could never exceed df · (G − 1), and no
circle, however plain, would be found by five raters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Result, format_number, format_p, format_percent
from jurybox.stats.clusters import Cluster, Generalize, OneWay, claims
from jurybox.stats.small_matrices import product
from jurybox.stats.strengths.vote_clusters import Added, Scores
from jurybox.stats.strengths.vote_fit import CoreFit
from jurybox.stats.strengths.vote_models import outcome_chances, slopes
from jurybox.stats.tails import f_tail

__all__ = ["GoodnessOfFit", "PairResidual", "goodness_of_fit", "projections"]

Array = NDArray[np.float64]
EXACT = 64
"""Counts up to which the trace is taken exactly."""
MANY = 1_000_000
"""Votes from which on fewer random signs are drawn."""

WORST = 100
"""Pairs whose misfit is listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResidual(Result):
    """How far a pair's votes lie from what the strengths expect, in standard errors."""

    label: ClassVar[str] = "standardized residual"
    neutral: ClassVar[float | None] = 0.0

    system: str
    other: str
    observed: float
    """How often the first won, a tie counting half."""
    expected: float
    """How often the strengths say it should have."""

    @property
    def name(self) -> str:
        """The two systems."""
        return f"{self.system} over {self.other}"

    def short(self) -> str:
        """The residual with the two win rates."""
        return (
            f"{self.format(self.estimate)} (won {format_percent(self.observed)}, expected "
            f"{format_percent(self.expected)})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodnessOfFit(Result):
    """Pearson's X² of the fit against one probability per pair, with its p.

    ``estimate`` is X² ÷ dispersion; p is small where strengths alone do not describe the votes.
    """

    label: ClassVar[str] = "goodness of fit, scaled X²"
    has_interval: ClassVar[bool] = False

    pearson: float | None = None
    deviance: float | None = None
    """Twice the log likelihood that the saturated model has more; ``None`` without a likelihood."""
    df: int | None = None
    dispersion: float | None = None
    """How much more the votes of a pair vary, by the clusters, than independent ones would."""
    scaled_for: tuple[str, ...] = ()
    """The clusters whose dependence the dispersion counts in: ``rater``, ``item`` or both."""
    residuals: tuple[PairResidual, ...] = ()
    """The pairs that fit worst, at most a hundred of them, the worst first."""

    def short(self) -> str:
        """X² with its degrees of freedom and p."""
        if self.estimate is None or self.p is None:
            return f"undefined: {self.undefined}"
        return f"{format_number(self.estimate, 1)} on {self.df} df, {format_p(self.p)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Observed and expected counts of a fit, rows × outcomes."""

    observed: Array
    expected: Array
    chances: Array


def _table(fit: CoreFit) -> _Table:
    design = fit.votes.design
    chances = outcome_chances(design.gaps(fit.at), design.tie(fit.at), design.model)
    counts = design.counts
    if design.model == "plain":
        # A tie is half a win for both: two outcomes are left.
        counts = counts[:, :2] + counts[:, 2:] / 2
        chances = chances[:, :2]
    n = counts.sum(axis=1, keepdims=True)
    return _Table(observed=counts, expected=n * chances, chances=chances)


def _slope(fit: CoreFit, table: _Table) -> tuple[Array, Array]:
    """∂E/∂g and ∂E/∂tie of every count: E · (∂ log P)."""
    design = fit.votes.design
    found = slopes(design.gaps(fit.at), design.tie(fit.at), design.model)
    width = table.expected.shape[1]
    return table.expected * found.gap[:, :width], table.expected * found.tie[:, :width]


def projections(fit: CoreFit, scores: Scores, *, seed: int) -> Array:
    """For every cell what its vote adds to z′W^½(O − E) − z′W^½J B s; cells × draws."""
    table = _table(fit)
    size = table.expected.size
    if size <= EXACT:
        signs = np.eye(size)
    else:
        draws = 2 if scores.count.sum() > MANY else 64
        rng = np.random.default_rng(seed)
        signs = rng.choice([-1.0, 1.0], size=(size, draws))
    root = np.sqrt(np.maximum(table.expected, 1e-300))
    scaled = (signs.reshape(*root.shape, -1) / root[:, :, None]).astype(np.float64)
    back = _back(fit, table, scaled)
    mean = (scaled * table.chances[:, :, None]).sum(axis=1)
    own = (_own(scaled) - mean[:, None])[fit.votes.row, fit.votes.outcome]
    k = scores.size
    taken = scores.along[:, None] * (back[scores.a] - back[scores.b]) + scores.fixed @ back[k:]
    found = own * fit.votes.weight[:, None] - taken
    return np.asarray(np.where(scores.inside[:, None], found, 0.0), dtype=np.float64)


def _own(scaled: Array) -> Array:
    """What a vote of each row and outcome adds by itself; where a tie is no count, half of both."""
    if scaled.shape[1] == 3:
        return scaled
    return np.concatenate([scaled, scaled.sum(axis=1, keepdims=True) / 2], axis=1)


def _back(fit: CoreFit, table: _Table, scaled: Array) -> Array:
    """B J′W^½z: how the estimates follow each projection; parameters × draws."""
    design = fit.votes.design
    by_gap, by_tie = _slope(fit, table)
    along = (by_gap[:, :, None] * scaled).sum(axis=1)
    parts = np.zeros((design.parameters, along.shape[1]))
    for column in range(along.shape[1]):
        each = along[:, column]
        up = np.bincount(design.a, each, design.size)
        parts[: design.size, column] = up - np.bincount(design.b, each, design.size)
    if design.tied:
        parts[design.size] = (by_tie[:, :, None] * scaled).sum(axis=(0, 1))
    parts[design.size + design.tied :] = design.x.T @ along
    return product(fit.bread, parts)


def goodness_of_fit(
    fits: Sequence[CoreFit],
    scores: Sequence[Scores],
    drawn: Sequence[Array],
    added: Sequence[Mapping[str, Added]],
    names: Sequence[str],
    *,
    quasi: bool,
    cluster: Cluster,
    generalize: Generalize,
) -> GoodnessOfFit:
    """Pearson's X² over all fits, scaled by the clustered dispersion, and every pair's residual.

    A dispersion below one is taken for one where the model has a likelihood: clusters seldom make
    votes vary less than independent ones. Half ties do, so there it stands as it is.
    """
    tables = [_table(fit) for fit in fits]
    df = sum(
        table.expected.shape[0] * (table.expected.shape[1] - 1) - (fit.votes.design.parameters - 1)
        for fit, table in zip(fits, tables, strict=True)
    )
    pearson = sum(float(_pearson(table).sum()) for table in tables)
    n = int(sum(each.count.sum() for each in scores))
    if df < 1:
        why = "there are no more pairs than strengths, so every fit would be perfect"
        return GoodnessOfFit(estimate=None, undefined=why, n_responses=n)
    found = _dispersions(tables, scores, drawn, added, df)
    claim = claims(found, cluster=cluster, generalize=generalize)
    if claim.main is None:
        why = claim.undefined or "the clusters do not vary"
        return GoodnessOfFit(estimate=None, undefined=why, pearson=pearson, df=df, n_responses=n)
    dispersion = claim.main.variance if quasi else max(1.0, claim.main.variance)
    scaled = pearson / dispersion
    notes = _notes(tables)
    return GoodnessOfFit(
        estimate=scaled,
        p=f_tail(scaled / df, df, df * claim.main.df),
        n_responses=n,
        n_items=found["item"].clusters if "item" in found else None,
        n_raters=found["rater"].clusters if "rater" in found else None,
        notes=notes,
        pearson=pearson,
        deviance=None if quasi else sum(_deviance(table) for table in tables),
        df=df,
        dispersion=dispersion,
        scaled_for=tuple(
            kind for kind in ("rater", "item") if kind in found and cluster in (kind, "both")
        ),
        residuals=_residuals(fits, tables, names, dispersion),
    )


def _notes(tables: Sequence[_Table]) -> tuple[str, ...]:
    expected = np.concatenate([table.expected.ravel() for table in tables])
    small = float((expected < 5).mean())
    if small <= 0.2:
        return ()
    return (f"{small:.0%} of the expected counts are below 5: p is rough",)


def _dispersions(
    tables: Sequence[_Table],
    scores: Sequence[Scores],
    drawn: Sequence[Array],
    added: Sequence[Mapping[str, Added]],
    df: int,
) -> dict[str, OneWay]:
    """tr(W C)/df for every kind of cluster, with G/(G − 1) in it."""
    totals: dict[str, float] = {}
    clusters: dict[str, int] = {}
    for table, each, project, kinds in zip(tables, scores, drawn, added, strict=True):
        exact = table.expected.size <= EXACT
        sums = {kind: part.squares for kind, part in kinds.items()}
        sums["row"] = (each.count[:, None] * project**2).sum(axis=0)
        counts = {kind: part.clusters for kind, part in kinds.items()}
        counts["row"] = int(each.count.sum())
        whole = each.count @ project
        for kind, squares in sums.items():
            if len(squares) == 0:
                continue
            spread = squares - whole**2 / max(counts[kind], 1)
            # What rounding leaves of clusters that are all alike; independent votes add up to df.
            spread = np.where(spread > 1e-12 * np.maximum(squares, 1.0), spread, 0.0)
            trace = float(spread.sum() if exact else spread.mean())
            totals[kind] = totals.get(kind, 0.0) + trace
            clusters[kind] = max(clusters.get(kind, 0), counts[kind])
    return {
        kind: OneWay(
            variance=total / df * clusters[kind] / max(clusters[kind] - 1, 1),
            clusters=clusters[kind],
        )
        for kind, total in totals.items()
    }


def _pearson(table: _Table) -> Array:
    return np.asarray((table.observed - table.expected) ** 2 / np.maximum(table.expected, 1e-300))


def _deviance(table: _Table) -> float:
    """2 Σ O log(O/E)."""
    seen = table.observed > 0
    observed, expected = table.observed[seen], table.expected[seen]
    return float(2 * (observed * np.log(observed / expected)).sum())


def _residuals(
    fits: Sequence[CoreFit], tables: Sequence[_Table], names: Sequence[str], dispersion: float
) -> tuple[PairResidual, ...]:
    found = []
    for fit, table in zip(fits, tables, strict=True):
        design, k = fit.votes.design, fit.votes.design.size
        value = np.array([1.0, 0.0, 0.5])[: table.expected.shape[1]]
        mean = table.chances @ value
        spread = (table.chances @ value**2 - mean**2) * table.observed.sum(axis=1)
        pair = design.a * k + design.b
        parts = (table.observed @ value, table.expected @ value, spread, table.observed.sum(axis=1))
        won, due, spread, n = (np.bincount(pair, part, k * k) for part in parts)
        sizes = (won - due) / np.sqrt(dispersion * np.maximum(spread, 1e-300))
        seen = np.flatnonzero(n)
        for p in seen[np.argsort(-np.abs(sizes[seen]), kind="stable")][:WORST].tolist():
            size = float(sizes[p])
            one, two = names[fit.core[p // k]], names[fit.core[p % k]]
            share = (float(won[p] / n[p]), float(due[p] / n[p]))
            if size < 0:
                one, two, size, share = two, one, -size, (1 - share[0], 1 - share[1])
            found.append(
                PairResidual(
                    estimate=size,
                    system=one,
                    other=two,
                    observed=share[0],
                    expected=share[1],
                    n_responses=round(float(n[p])),
                )
            )
    return tuple(sorted(found, key=lambda row: -(row.estimate or 0.0))[:WORST])
