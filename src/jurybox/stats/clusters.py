r"""What an interval generalizes to: variances clustered by item, by rater, and both ways.

Every mean, rate and difference of jurybox is a ratio :math:`\hat\theta = \sum u / \sum w` of sums
over responses (score and 1; wins and votes; …). A cluster :math:`g` moves it by

.. math:: \psi_g = (u_g - \hat\theta w_g) / W, \qquad W = \sum_g w_g,

so its variance needs only the sums of :math:`u_g u_g`, :math:`u_g w_g` and :math:`w_g w_g` over
the clusters, which the database adds up. Clustered both ways (Cameron, Gelbach and Miller 2011,
doi:10.1198/jbes.2010.07136, eq. 2.11),

.. math:: V = V_\text{item} + V_\text{rater} - V_{\text{item} \cap \text{rater}},

each with its factor :math:`G/(G-1)`, and t quantiles with :math:`\min G - 1` degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError, OptionError
from jurybox.results import Interval, format_count
from jurybox.stats.distributions import t_quantile

__all__ = [
    "ALL_RATERS",
    "HOLDS_FOR",
    "TWO_WAY",
    "Claims",
    "Cluster",
    "Generalize",
    "Moments",
    "OneWay",
    "Spread",
    "Sums",
    "basis",
    "claims",
    "difference_variances",
    "few_raters",
    "main_variances",
    "ratio_variances",
    "satterthwaite",
    "t_interval",
]

Cluster = Literal["both", "rater", "item"] | None
Generalize = Literal["raters+items", "items"]

ALL_RATERS = "raters and items like these"
THESE_RATERS = "items like these, judged by these raters"
THESE_ITEMS = "raters like these, on these items"
THIS_RATER = "items like these, judged by this rater only"
THIS_ITEM = "raters like these, on this item only"
INDEPENDENT = "responses like these, were each independent of the others"
HOLDS_FOR = "holds for "
"""How a note begins that says for whom alone."""
TWO_WAY = "the two-way variance"
"""How a note begins that says what took the place of a variance too small to be true."""


class Moments(Protocol):
    """Sums over the clusters of one kind, for K ratios: vectors, or K × K matrices."""

    @property
    def clusters(self) -> NDArray[Any]:
        """How many clusters have a response for the ratio (off the diagonal: for both)."""

    @property
    def uu(self) -> NDArray[Any]:
        """Sum of u_k u_l."""

    @property
    def uw(self) -> NDArray[Any]:
        """Sum of u_k w_l."""

    @property
    def ww(self) -> NDArray[Any]:
        """Sum of w_k w_l."""


class Sums(Protocol):
    """K ratios as sums; a constant may have been taken out of every u / w to keep digits."""

    @property
    def names(self) -> tuple[Any, ...]:
        """What each ratio is about."""

    @property
    def value(self) -> NDArray[Any]:
        """The ratios themselves."""

    @property
    def u(self) -> NDArray[Any]:
        """Sum of u without the constant."""

    @property
    def w(self) -> NDArray[Any]:
        """Sum of w."""

    @property
    def n(self) -> NDArray[Any]:
        """How many responses there are."""

    @property
    def by(self) -> Mapping[str, Moments]:
        """The moments by ``item``, ``rater``, ``cell`` (item × rater) and ``row``, where known."""

    @property
    def size(self) -> NDArray[Any] | None:
        """How large the numbers are of which each ratio is a difference; ``None`` if none is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneWay:
    """A variance from the clusters of one kind, with G/(G−1) in it; zero if they do not vary."""

    variance: float
    clusters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A variance with its degrees of freedom and the claim it supports."""

    variance: float
    df: int
    method: str
    generalizes_to: str

    @property
    def se(self) -> float:
        """The standard error."""
        return float(self.variance**0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What may be claimed: ``main``, the narrower ``these_raters``, or ``undefined`` with why."""

    main: Spread | None
    these_raters: Spread | None = None
    smallest: int = 1
    """Clusters in the smaller dimension: the n of Wilson's interval at the edge."""
    undefined: str | None = None
    notes: tuple[str, ...] = ()
    generalizes_to: str = ALL_RATERS


def _pick(matrix: NDArray[Any], k: int, j: int) -> float:
    return float(matrix[k] if matrix.ndim == 1 else matrix[k, j])


def _one_way(total: float, clusters: int, floor: float) -> OneWay:
    if clusters < 2 or total <= floor:
        return OneWay(variance=0.0, clusters=clusters)
    return OneWay(variance=total * clusters / (clusters - 1), clusters=clusters)


def ratio_variances(sums: Sums, k: int) -> dict[str, OneWay]:
    r"""V_k = G/(G−1) · Σ_g (u_g − θ w_g)² / W² for every kind of cluster that is known."""
    theta, weight = float(sums.u[k] / sums.w[k]), float(sums.w[k])
    found = {}
    largest = max((_pick(m.uu, k, k) for m in sums.by.values()), default=0.0)
    size = max(abs(float(sums.value[k])), 0.0 if sums.size is None else float(sums.size[k]))
    for kind, m in sums.by.items():
        uu, uw, ww = (_pick(part, k, k) for part in (m.uu, m.uw, m.ww))
        total = (uu - 2 * theta * uw + theta**2 * ww) / weight**2
        # What rounding leaves of a sum that is exactly zero: of its own products, of numbers that
        # cancel within every cluster, and of what was taken out of every u / w.
        floor = 1e-13 * (uu + theta**2 * ww) + 1e-28 * largest
        floor = (floor + 1e-28 * size**2 * ww) / weight**2
        found[kind] = _one_way(total, int(_pick(m.clusters, k, k)), floor)
    return found


def difference_variances(sums: Sums, k: int, j: int) -> dict[str, OneWay]:
    r"""The variance of θ_k − θ_l, whose clusters move it by ψ_k − ψ_l."""
    theta = (float(sums.u[k] / sums.w[k]), float(sums.u[j] / sums.w[j]))
    weight = (float(sums.w[k]), float(sums.w[j]))
    found = {}
    largest = max(
        (float(m.uu[x, x]) / float(sums.w[x]) ** 2 for m in sums.by.values() for x in (k, j)),
        default=0.0,
    )
    for kind, m in sums.by.items():
        total, floor = 0.0, 1e-28 * largest
        for a, x in enumerate((k, j)):
            for b, y in enumerate((k, j)):
                sign = 1 if a == b else -1
                part = (
                    m.uu[x, y]
                    - theta[b] * m.uw[x, y]
                    - theta[a] * m.uw[y, x]
                    + theta[a] * theta[b] * m.ww[x, y]
                )
                total += sign * float(part) / (weight[a] * weight[b])
                size = abs(m.uu[x, y]) + abs(theta[a] * theta[b]) * m.ww[x, y]
                # As of a single ratio: the constant that was taken out leaves its last digit.
                size = 1e-13 * float(size) + 1e-28 * float(sums.value[x] ** 2 * m.ww[x, y])
                floor += size / (weight[a] * weight[b])
        clusters = int(m.clusters[k, k] + m.clusters[j, j] - m.clusters[k, j])
        found[kind] = _one_way(total, clusters, floor)
    return found


def claims(
    found: Mapping[str, OneWay],
    *,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Claims:
    """Decide which variance the estimate may carry, by the number of raters and items.

    One rater: items only. Two to four: both claims. Fewer than ten: a note. A two-way variance that
    is not positive: the larger one-way one, and a note.
    """
    on = basis(
        {kind: one.clusters for kind, one in found.items()}, cluster=cluster, generalize=generalize
    )
    if on == "row":
        note = "each response counts as independent of every other"
        reason = "" if cluster is None else ": the table names neither raters nor items"
        return _single(found["row"], "unclustered", INDEPENDENT, (note + reason,))
    if on == "both":
        return _both(found["item"], found["rater"], found["cell"])
    one, method = found[on], f"clustered by {on}"
    if cluster == on or generalize == "items":
        return _single(one, method, THESE_RATERS if on == "item" else THESE_ITEMS, ())
    other = found.get("rater" if on == "item" else "item")
    if other is None:
        if on == "item":
            note = "the table names no raters, so the interval speaks for these raters only"
            return _single(one, method, THESE_RATERS, (note,))
        note = "the table names no items, so the interval speaks for these items only"
        return _single(one, method, THESE_ITEMS, (note,))
    if one.clusters < 2:
        return Claims(main=None, undefined="there is only one rater and one item")
    if on == "item":
        return _single(one, method, THIS_RATER, (f"{HOLDS_FOR}this rater only",))
    return _single(one, method, THIS_ITEM, (f"{HOLDS_FOR}this item only",))


def basis(
    clusters: Mapping[str, int], *, cluster: Cluster, generalize: Generalize
) -> Literal["row", "item", "rater", "both"]:
    """The kind of cluster whose variance ``claims`` takes, of estimates with so many clusters."""
    if cluster not in ("both", "rater", "item", None):
        raise OptionError(f"cluster must be 'both', 'rater', 'item' or None; got {cluster!r}")
    if generalize not in ("raters+items", "items"):
        raise OptionError(f"generalize must be 'raters+items' or 'items'; got {generalize!r}")
    known = [kind for kind in ("item", "rater") if kind in clusters]
    if cluster is None or (cluster == "both" and not known):
        return "row"
    if cluster != "both" or generalize == "items":
        asked = "item" if cluster == "both" else cluster
        if asked not in known:
            raise InputError(
                f"cluster={asked!r} needs a column {asked!r}, which the table does not have"
            )
        return asked
    if len(known) == 1 or clusters["rater"] < 2:
        return "item" if "item" in known else "rater"
    return "both" if clusters["item"] > 1 else "rater"


def main_variances(
    parts: Mapping[str, tuple[NDArray[Any], int]], *, cluster: Cluster, generalize: Generalize
) -> tuple[NDArray[Any], int]:
    """The variances that ``claims`` gives to many estimates with the same clusters, and their df.

    ``parts``: the one-way variances and G, by kind. A variance is 0 where there is no claim.
    """
    sizes = {kind: g for kind, (_, g) in parts.items()}
    on = basis(sizes, cluster=cluster, generalize=generalize)
    if on != "both":
        variances, g = parts[on]
        return np.where(variances > 0, variances, 0.0), g - 1
    item, rater, cell = (parts[kind][0] for kind in ("item", "rater", "cell"))
    largest = np.maximum(item, rater)
    both = item + rater - cell
    return np.where(both < largest / 4, largest, both), min(sizes["item"], sizes["rater"]) - 1


def _single(one: OneWay, method: str, to: str, notes: tuple[str, ...]) -> Claims:
    noun = {"clustered by rater": "rater", "clustered by item": "item"}.get(method, "response")
    if one.clusters < 2:
        why = f"there is only one {noun}"
        return Claims(main=None, undefined=why, notes=notes, generalizes_to=to)
    if one.variance <= 0:
        return Claims(
            main=None,
            smallest=one.clusters,
            undefined=f"the {format_count(one.clusters, noun)} do not vary",
            notes=notes,
            generalizes_to=to,
        )
    df = one.clusters - 1
    spread = Spread(variance=one.variance, df=df, method=f"{method}, t({df})", generalizes_to=to)
    return Claims(main=spread, smallest=one.clusters, notes=notes, generalizes_to=to)


def _both(item: OneWay, rater: OneWay, cell: OneWay) -> Claims:
    notes = [few_raters(rater.clusters)] if rater.clusters < 10 else []
    smallest = min(item.clusters, rater.clusters)
    df, method = smallest - 1, "clustered by rater and item"
    largest = max(item.variance, rater.variance)
    variance = item.variance + rater.variance - cell.variance
    if largest <= 0:
        return Claims(
            main=None,
            smallest=smallest,
            undefined="neither raters nor items vary",
            notes=tuple(notes),
        )
    if variance < largest / 4:
        # So far below a part of itself it is sampling noise, and an interval of next to no width.
        kind = "item" if item.variance >= rater.variance else "rater"
        what = "not positive" if variance <= 1e-9 * largest else "less than a quarter of a one-way"
        variance = largest
        notes.append(f"{TWO_WAY} is {what}: the larger one-way variance (by {kind}) is used")
    spread = Spread(
        variance=variance, df=df, method=f"{method}, t({df})", generalizes_to=ALL_RATERS
    )
    these = None
    if rater.clusters < 5:
        these = _single(item, "clustered by item", THESE_RATERS, ()).main
    return Claims(main=spread, these_raters=these, smallest=smallest, notes=tuple(notes))


def few_raters(n: int) -> str:
    """What a reader of an interval from few raters must know."""
    return f"only {n} raters carry the interval: more raters would narrow it"


def satterthwaite(*parts: OneWay) -> int:
    r"""The degrees of freedom of a sum of variances, each with those of its clusters.

    .. math:: \nu = \frac{(\sum V_k)^2}{\sum V_k^2 / (G_k - 1)}

    Rounded down, and at least one. At least one of the variances is positive.

    References
    ----------
    Satterthwaite (1946), doi:10.2307/3002019; Welch (1947), doi:10.2307/2332510.
    """
    total = sum(part.variance for part in parts)
    below = sum(part.variance**2 / (part.clusters - 1) for part in parts)
    return max(1, math.floor(total**2 / below + 1e-9))


def t_interval(estimate: float, spread: Spread | None, confidence: float) -> Interval | None:
    """Estimate ± t · se; ``None`` without a spread."""
    if spread is None:
        return None
    half = t_quantile(confidence, spread.df) * spread.se
    return Interval(
        low=estimate - half,
        high=estimate + half,
        confidence=confidence,
        method=spread.method,
        generalizes_to=spread.generalizes_to,
    )
