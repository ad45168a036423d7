r"""Scores of votes added up by cluster: the middle of the sandwich, from one pass over the votes.

A vote of cell c moves the parameters along :math:`s_c = d_c (e_a - e_b, x) + h_c e_\text{tie}`, so
a cluster's score is a sum of table look-ups. Few large clusters (raters) are added up densely,
cluster × parameter. Many small ones (items × raters) are never laid out: with the votes sorted by
cluster,

.. math:: \sum_g s_g s_g' = \sum_v s_v s_v' + \sum_g \sum_{v \ne w \in g} s_v s_w',

of which the first sum needs only counts, and the second the few pairs of votes within a cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.strengths.vote_fit import CoreFit, Votes
from jurybox.stats.strengths.vote_models import outer_sum

__all__ = ["Added", "Scores", "add_up", "clusters_of", "scores_of"]

Array = NDArray[np.float64]
MARKS = 30
"""Clusters per vote up to which each has a mark of its own."""
DENSE = 40_000_000
"""Numbers that a dense table of clusters × parameters may have."""
CHUNK = 4096
SLICE = 262_144
CLOSE = 6
"""Pairs within clusters per vote up to which they are gone through one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What a vote of each cell adds to the score of one fit."""

    inside: NDArray[np.bool_]
    count: Array
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    along: Array
    """Along e_a − e_b."""
    fixed: Array
    """Cells × (tie parameter, coefficients)."""
    size: int

    @property
    def parameters(self) -> int:
        """How many parameters there are."""
        return self.size + int(self.fixed.shape[1])

    def single(self, count: Array) -> Array:
        """Σ count · s s′ over cells."""
        meat = np.zeros((self.parameters, self.parameters))
        k = self.size
        meat[:k, :k] = outer_sum(self.a, self.b, count * self.along**2, k)
        for c in range(self.fixed.shape[1]):
            each = count * self.along * self.fixed[:, c]
            column = np.bincount(self.a, each, k) - np.bincount(self.b, each, k)
            meat[:k, k + c] = meat[k + c, :k] = column
        meat[k:, k:] = (self.fixed * count[:, None]).T @ self.fixed
        return meat


@dataclass(slots=True, kw_only=True)
class Added:
    """The sums over the clusters of one kind."""

    meat: Array
    clusters: int = 0
    squares: Array = field(default_factory=lambda: np.zeros(0))
    """Σ_g (Σ_v f_v)² for every projection f of the votes."""


def scores_of(fit: CoreFit) -> Scores:
    """The scores of a fit's cells."""
    design, row = fit.votes.design, fit.votes.row
    along = fit.gap_slope
    inside = row >= 0
    columns = [fit.tie_slope[:, None]] if design.tied else []
    fixed = np.hstack([*columns, design.x[row] * along[:, None]])
    return Scores(
        inside=inside,
        count=fit.votes.count,
        a=np.where(inside, design.a[row], 0).astype(np.int64),
        b=np.where(inside, design.b[row], 0).astype(np.int64),
        along=along,
        fixed=np.where(inside[:, None], fixed, 0.0),
        size=design.size,
    )


def add_up(
    votes: Votes,
    scores: Sequence[Scores],
    kinds: Collection[str],
    *,
    only_count: Collection[str] = (),
    projections: Sequence[Array] = (),
) -> list[dict[str, Added]]:
    """The sums of every fit by kind of cluster.

    ``projections`` has one array per fit, cells × projections. Kinds in ``only_count`` are counted
    and not added up.
    """
    asked = [kind for kind in votes.kinds if kind in kinds or kind in only_count]
    projections = projections or [np.zeros((len(each.count), 0)) for each in scores]
    found = [
        {
            kind: Added(
                meat=np.zeros((each.parameters, each.parameters)),
                squares=np.zeros(project.shape[1]),
            )
            for kind in asked
        }
        for each, project in zip(scores, projections, strict=True)
    ]
    if votes.alone and "cell" in asked:
        asked.remove("cell")
        for added, each, project in zip(found, scores, projections, strict=True):
            _add_alone(added["cell"], each, each.count, project)
    for block in votes.clustered(asked):
        for kind, (cluster, cell) in block.items():
            for added, each, project in zip(found, scores, projections, strict=True):
                here, own = cluster, cell
                if votes.count[~each.inside].any():
                    keep = each.inside[cell]
                    here, own = cluster[keep], cell[keep]
                if not len(here):
                    continue
                if kind not in kinds:
                    added[kind].clusters += _distinct(here)
                else:
                    _add_block(added[kind], each, here, own, project, kind)
    return found


def _distinct(cluster: NDArray[Any]) -> int:
    height = int(cluster.max()) + 1
    if height > 4 * len(cluster) + 1000:
        return len(np.unique(cluster))
    found, step = np.zeros(height, dtype=np.int64), max(SLICE, height)
    for low in range(0, len(cluster), step):
        found += np.bincount(cluster[low : low + step], minlength=height)
    return int(np.count_nonzero(found))


def _add_block(
    added: Added,
    scores: Scores,
    cluster: NDArray[Any],
    cell: NDArray[Any],
    project: Array,
    kind: str,
) -> None:
    height = int(cluster.max()) + 1
    if kind == "cell" and _are_alone(cluster, height):
        times = np.bincount(cell, minlength=len(scores.count)).astype(np.float64)
        _add_alone(added, scores, times, project)
        return
    entries = height * scores.parameters
    if kind != "cell" and entries <= DENSE and (entries <= DENSE / 10 or 8 * height <= len(cell)):
        dense = _dense(scores, cluster, cell, height)
        added.meat += dense.T @ dense
        added.clusters += _distinct(cluster)
        for c in range(project.shape[1]):
            sums = _sums(project[:, c], cluster, cell, height)
            added.squares[c] += sums @ sums
        return
    cluster, cell = _sorted(cluster, cell, len(scores.count))
    start = np.append(0, np.flatnonzero(cluster[1:] != cluster[:-1]) + 1)
    added.clusters += len(start)
    for c in range(project.shape[1]):
        sums = np.add.reduceat(np.ascontiguousarray(project[:, c])[cell], start)
        added.squares[c] += sums @ sums
    size = np.diff(start, append=len(cell))
    if float((size * (size - 1.0)).sum()) / 2 <= CLOSE * len(cell):
        added.meat += scores.single(np.bincount(cell, minlength=len(scores.count)).astype(float))
        _add_pairs(added.meat, scores, cluster, cell)
        return
    number = np.repeat(np.arange(len(start)), size)
    for low in range(0, len(start), CHUNK):
        high = min(low + CHUNK, len(start))
        part = slice(start[low], start[high] if high < len(start) else len(cell))
        dense = _dense(scores, number[part] - low, cell[part], high - low)
        added.meat += dense.T @ dense


def _add_alone(added: Added, scores: Scores, count: Array, project: Array) -> None:
    """Add clusters of one vote each, of which each cell has so many."""
    added.meat += scores.single(count)
    added.clusters += int(count.sum())
    added.squares += count @ project**2


def _are_alone(cluster: NDArray[Any], height: int) -> bool:
    """Whether every cluster has one vote, where that is quickly seen."""
    if height > MARKS * len(cluster):
        return False
    seen = np.zeros(height, dtype=np.bool_)
    seen[cluster] = True
    return int(np.count_nonzero(seen)) == len(cluster)


def _sorted(
    cluster: NDArray[Any], cell: NDArray[Any], cells: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The votes in the order of cluster, then cell, by sorting one number for both."""
    bits = int(cells).bit_length()
    if int(cluster.max()).bit_length() + bits > 62:
        cluster = np.unique(cluster, return_inverse=True)[1].astype(np.int64)
    key = cluster.astype(np.int64) << bits
    key |= cell
    key.sort()
    cluster = key >> bits
    key &= (1 << bits) - 1
    return cluster, key


def _dense(scores: Scores, cluster: NDArray[Any], cell: NDArray[Any], height: int) -> Array:
    """The scores of the clusters, clusters × parameters."""
    k, width = scores.size, scores.parameters
    flat = np.zeros(height * width)
    # Slices take little memory, and few enough that adding them up costs little.
    step = max(SLICE, height * width)
    for low in range(0, len(cell), step):
        # Looked up thrice: converted once.
        own = cell[low : low + step].astype(np.intp)
        along = scores.along.take(own)
        place = np.multiply(cluster[low : low + step], width, dtype=np.int64)
        flat += np.bincount(place + scores.a.take(own), along, height * width)
        place += scores.b.take(own)
        flat -= np.bincount(place, along, height * width)
    dense = flat.reshape(height, width)
    for c in range(scores.fixed.shape[1]):
        dense[:, k + c] = _sums(scores.fixed[:, c], cluster, cell, height)
    return dense


def _sums(values: Array, cluster: NDArray[Any], cell: NDArray[Any], height: int) -> Array:
    """The values of the votes' cells, added up by cluster."""
    values, found = np.ascontiguousarray(values), np.zeros(height)
    # Slices keep what is in work in the processor's cache.
    step = max(SLICE, height)
    for low in range(0, len(cell), step):
        found += np.bincount(cluster[low : low + step], values.take(cell[low : low + step]), height)
    return found


def _add_pairs(meat: Array, scores: Scores, cluster: NDArray[Any], cell: NDArray[Any]) -> None:
    """Add Σ s_v s_w′ over every two votes of a cluster, which stand next to each other."""
    at = np.flatnonzero(cluster[1:] == cluster[:-1])
    lag = 1
    while len(at):
        for low in range(0, len(at), SLICE):
            part = at[low : low + SLICE]
            _add_products(meat, scores, cell[part], cell[part + lag])
        lag += 1
        at = at[at < len(cell) - lag]
        at = at[cluster[at] == cluster[at + lag]]


def _add_products(meat: Array, scores: Scores, one: NDArray[Any], two: NDArray[Any]) -> None:
    """Add Σ s_v s_w′ + s_w s_v′ over pairs of votes, given by their cells."""
    k = scores.size
    along, others = scores.along[one], scores.along[two]
    a, b, c, d = scores.a[one], scores.b[one], scores.a[two], scores.b[two]
    product = along * others
    flat = np.bincount(a * k + c, product, k * k) + np.bincount(b * k + d, product, k * k)
    flat -= np.bincount(a * k + d, product, k * k) + np.bincount(b * k + c, product, k * k)
    cross = flat.reshape(k, k)
    meat[:k, :k] += cross + cross.T
    if not scores.fixed.shape[1]:
        return
    left, right = scores.fixed[one], scores.fixed[two]
    for n in range(left.shape[1]):
        first, second = along * right[:, n], others * left[:, n]
        column = np.bincount(a, first, k) - np.bincount(b, first, k)
        column += np.bincount(c, second, k) - np.bincount(d, second, k)
        meat[:k, k + n] += column
        meat[k + n, :k] += column
    both = left.T @ right
    meat[k:, k:] += both + both.T


def clusters_of(
    votes: Votes, marked: Mapping[int, NDArray[np.bool_]], kinds: Collection[str]
) -> dict[int, dict[str, int]]:
    """How many clusters of each kind cast one of the marked votes, for every mark."""
    found: dict[int, dict[str, int]] = {mark: dict.fromkeys(kinds, 0) for mark in marked}
    for block in votes.clustered(kinds):
        for kind, (cluster, cell) in block.items():
            for mark, cells in marked.items():
                here = cluster[cells[cell]]
                found[mark][kind] += _distinct(here) if len(here) else 0
    return found
