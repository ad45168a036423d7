"""Shares that are judged together: every two systems' win rates as one family."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import (
    Claims,
    Cluster,
    Generalize,
    OneWay,
    Sums,
    claims,
    ratio_variances,
)
from jurybox.stats.logits import logit_ends, logit_t
from jurybox.stats.multiple import in_family
from jurybox.stats.shares import Share
from jurybox.stats.simultaneous import (
    MaxT,
    family_variances,
    joint_correlation,
    joint_variances,
    max_t,
)

__all__ = ["share_family", "share_family_by_holm"]


def share_family(
    rows: Sequence[Share],
    sums: Sums,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> tuple[Share, ...]:
    r"""The rows with max-t adjusted p and simultaneous intervals.

    ``rows[k]`` is the k-th ratio of ``sums``, which need their cross moments, tested against
    ``rows[k].against``.

    Notes
    -----
    A share's t is that of its logit, :math:`t = (\operatorname{logit} p - \operatorname{logit} p_0)
    p(1 - p) / \sqrt V`, and its simultaneous interval :math:`\operatorname{logit} p \pm c \sqrt V /
    p(1 - p)` turned back, with the family's critical value c. A share of 0 or 1, or without
    variance, joins with Wilson's z as if it were independent of the others, which can only make c
    larger; its interval is Wilson's with c in the place of z. The degrees of freedom are the fewest
    of any member. No variance is smaller than the larger one-way one (``family_variances``).
    """
    claimed = [
        _claim(ratio_variances(sums, k), cluster=cluster, generalize=generalize)
        for k in range(len(rows))
    ]
    members = [k for k, row in enumerate(rows) if row.p is not None]
    if len(members) < 2:
        return tuple(rows)
    smooth = [k for k in members if _is_smooth(rows[k], claimed[k])]
    ts = [_t(rows[k], claimed[k], smooth=k in smooth) for k in members]
    df = min(_df(claimed[k]) for k in members)
    correlation = _correlation(sums, members, smooth, cluster=cluster, generalize=generalize)
    if correlation is None:
        return share_family_by_holm(rows)
    found = max_t(ts, correlation, df=df, confidence=confidence)
    made = list(rows)
    for place, k in enumerate(members):
        interval = _interval(rows[k], claimed[k], found, confidence, smooth=k in smooth)
        made[k] = replace(
            rows[k],
            p_adjusted=found.p_adjusted[place],
            simultaneous=interval,
            adjusted_by=found.method,
        )
    return tuple(made)


def share_family_by_holm(rows: Sequence[Share]) -> tuple[Share, ...]:
    """The rows with Holm's adjusted p, where there is no joint covariance."""
    adjusted = in_family([row.p for row in rows])
    size = sum(p is not None for p in adjusted)
    return tuple(
        row
        if p is None
        else replace(row, p_adjusted=p, adjusted_by=f"Holm over {size:,} comparisons")
        for row, p in zip(rows, adjusted, strict=True)
    )


def _claim(found: Mapping[str, OneWay], *, cluster: Cluster, generalize: Generalize) -> Claims:
    """What may be claimed of a share as one of a family."""
    claim = claims(found, cluster=cluster, generalize=generalize)
    if claim.main is None:
        return claim
    one_way = {kind: [part.variance] for kind, part in found.items()}
    (variance,) = family_variances(
        [claim.main.variance], one_way, cluster=cluster, generalize=generalize
    )
    return replace(claim, main=replace(claim.main, variance=variance))


def _is_smooth(row: Share, claim: Claims) -> bool:
    return claim.main is not None and 0 < (row.estimate or 0.0) < 1


def _df(claim: Claims) -> int:
    return claim.smallest - 1 if claim.main is None else claim.main.df


def _t(row: Share, claim: Claims, *, smooth: bool) -> float:
    p, null = row.estimate or 0.0, row.against if row.against is not None else 0.5
    if smooth and claim.main is not None:
        return logit_t(p, null, claim.main)
    return (p - null) / math.sqrt(null * (1 - null) / claim.smallest)


def _correlation(
    sums: Sums,
    members: Sequence[int],
    smooth: Sequence[int],
    *,
    cluster: Cluster,
    generalize: Generalize,
) -> NDArray[np.float64] | None:
    whole = np.eye(len(members))
    if not smooth:
        return whole
    kept = np.ix_(smooth, smooth)
    parts = {kind: part[kept] for kind, part in joint_variances(sums).items()}
    found = joint_correlation(parts, cluster=cluster, generalize=generalize)
    if found is None:
        return None
    at = [place for place, k in enumerate(members) if k in set(smooth)]
    whole[np.ix_(at, at)] = found
    return whole


def _interval(
    row: Share, claim: Claims, family: MaxT, confidence: float, *, smooth: bool
) -> Interval:
    p, c = row.estimate or 0.0, family.critical
    if smooth and claim.main is not None:
        low, high = logit_ends(p, claim.main, c)
        how, to = f"logit, {claim.main.method}", claim.main.generalizes_to
    else:
        n = claim.smallest
        shrink = 1 + c * c / n
        half = c * math.sqrt(p * (1 - p) / n + c * c / (4 * n * n)) / shrink
        middle = (p + c * c / (2 * n)) / shrink
        low = 0.0 if p == 0 else max(0.0, middle - half)
        high = 1.0 if p == 1 else min(1.0, middle + half)
        how, to = f"Wilson with n = {n} clusters", claim.generalizes_to
    return Interval(
        low=low,
        high=high,
        confidence=confidence,
        method=f"{how}, {family.method}",
        generalizes_to=to,
    )
