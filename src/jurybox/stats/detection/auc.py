"""How well confidence orders generated outputs above real ones: the area under the ROC curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from jurybox.errors import InputError
from jurybox.results import Result
from jurybox.stats.clusters import Cluster, Generalize, Sums
from jurybox.stats.shares import share

__all__ = ["Area", "area", "clustered_area"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Area(Result):
    """The chance that a generated output is rated "more generated" than a real one, ties half."""

    label: ClassVar[str] = "area under the curve"
    neutral: ClassVar[float | None] = 0.5

    system: str | None = None

    @property
    def name(self) -> str:
        """The statistic, and the system it is about."""
        return self.label if self.system is None else f"{self.label}, {self.system}"


def area(generated: Sequence[int], real: Sequence[int]) -> float | None:
    r"""The area from counts over the same ascending values; ``None`` where a kind is missing.

    .. math:: A = \frac{1}{mn} \sum_v g_v \left( \sum_{u < v} r_u + \tfrac12 r_v \right)

    with :math:`g_v` generated and :math:`r_v` real outputs at the value v, m and n of them in all.

    Examples
    --------
    Of the four pairs two tie, (1, 1) and (3, 3), and one of the others is in order:

    >>> area([1, 0, 1], [1, 0, 1])
    0.5
    >>> area([0, 0, 3], [2, 0, 0])
    1.0
    """
    g, r = np.asarray(generated, dtype=np.float64), np.asarray(real, dtype=np.float64)
    if g.shape != r.shape or (g < 0).any() or (r < 0).any():
        raise InputError("area: needs as many counts of generated as of real outputs, none below 0")
    if not g.sum() or not r.sum():
        return None
    below = np.cumsum(r) - r / 2
    return float(g @ below / (g.sum() * r.sum()))


def clustered_area(
    sums: Sums,
    k: int,
    *,
    system: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Area:
    r"""The k-th area, from placements added up per rater and per item.

    Notes
    -----
    The placement of a generated output is the share of real ones below it, that of a real output
    the share of generated ones above it (ties half); both have the mean A. A cluster g moves A by

    .. math:: \psi_g = \sum_{i \in g} (V_i - A)/m + \sum_{j \in g} (V_j - A)/n,

    so the sums hold :math:`u = V_i/m, w = 1/m` for a generated output and
    :math:`u = (V_j - A)/n, w = 0` for a real one. The interval is the t interval on the logit
    scale; at 0 and 1 it is Wilson's (see ``share``). (Simulated with rater and item effects, 60
    items and 5, 10 or 20 raters, it covers 96%.)

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), doi:10.2307/2531595; Obuchowski (1997),
    doi:10.2307/2533958 (clustered).
    """
    found = share(
        sums,
        k,
        what="area under the curve",
        against=0.5,
        confidence=confidence,
        cluster=cluster,
        generalize=generalize,
    )
    if found.n_responses == 2:
        why = "there is one generated and one real output, and a single pair is no share"
        found = replace(
            found, estimate=None, interval=None, these_raters=None, p=None, undefined=why
        )
    return found.as_kind(Area, system=system)
