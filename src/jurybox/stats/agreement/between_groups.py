r"""How far two groups of raters agree with each other: cross-replication reliability.

.. math:: \kappa_x = 1 - \frac{d_o}{d_e}, \qquad
    d_o = \frac1U \sum_u \overline{\delta^2(x_{ur}, y_{us})}, \qquad
    d_e = \frac1{U^2} \sum_{u, v} \overline{\delta^2(x_{ur}, y_{vs})}

with x the answers of one group, y those of the other, and a bar for the mean over raters; U units
that both groups answered. With one rater in each group and nominal answers it is Cohen's kappa,
with squared distances his quadratically weighted kappa. Divided by the square root of the two
groups' own agreement it says how far they agree beyond what each is able to.

References
----------
Wong, Paritosh and Aroyo (2021), Cross-replication reliability, ACL 2021,
doi:10.18653/v1/2021.acl-long.548.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Result
from jurybox.stats.agreement.alpha import Level, value_distances
from jurybox.stats.clusters import THESE_RATERS, Spread, t_interval
from jurybox.stats.grouped import sum_by

__all__ = ["BetweenGroups", "GroupAnswers", "agreement_between"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class BetweenGroups(Result):
    """The agreement of two groups with each other."""

    label: ClassVar[str] = "agreement between groups"

    group: str
    other: str
    criterion: str | None = None
    level: str = "nominal"
    n_units: int = 0

    @property
    def name(self) -> str:
        """The two groups."""
        return f"{self.group} with {self.other}"


@dataclass(frozen=True, slots=True, eq=False)
class GroupAnswers:
    """Units × values: how often each group gave each value, of units that both answered."""

    values: tuple[Any, ...]
    one: Array
    two: Array
    item: NDArray[np.int64]
    """The item of every unit."""
    n_raters: int


def agreement_between(
    answers: GroupAnswers,
    *,
    groups: tuple[str, str],
    level: Level,
    criterion: str | None = None,
    confidence: float = 0.95,
) -> BetweenGroups:
    """Cross-replication reliability, with an interval over items for these raters.

    The interval is the delete-one jackknife's over items, with t. Undefined where no unit was
    answered in both groups, and where all answers are alike.
    """
    n_units = len(answers.one)
    common: dict[str, Any] = {
        "group": groups[0],
        "other": groups[1],
        "criterion": criterion,
        "level": level,
        "n_units": n_units,
        "n_items": len(np.unique(answers.item)),
        "n_raters": answers.n_raters,
        "n_responses": int(answers.one.sum() + answers.two.sum()),
    }
    if not n_units:
        return BetweenGroups(estimate=None, undefined="no output was judged by both", **common)
    one, two = (part / part.sum(axis=1, keepdims=True) for part in (answers.one, answers.two))
    margins = (answers.one + answers.two).sum(axis=0)
    delta = value_distances(margins, answers.values, level)
    apart = ((one @ delta) * two).sum(axis=1)
    everything = apart.sum(), one.sum(axis=0), two.sum(axis=0), float(n_units)
    estimate = float(_kappa(*everything, delta))
    if np.isnan(estimate):
        return BetweenGroups(estimate=None, undefined="every response is the same value", **common)
    spread, why = _spread(everything, (apart, one, two), answers.item, delta)
    return BetweenGroups(
        estimate=estimate,
        interval=t_interval(estimate, spread, confidence),
        undefined=why,
        **common,
    )


def _kappa(apart: Any, one: Array, two: Array, n: Any, delta: Array) -> Any:
    """κ of sums over units; NaN where no two answers differ."""
    expected = ((one @ delta) * two).sum(axis=-1)
    some = expected > 1e-12 * np.maximum(n, 1) ** 2 * delta.max(initial=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(some, 1 - n * apart / expected, np.nan)


def _spread(
    everything: tuple[Any, ...], parts: tuple[Array, ...], item: NDArray[np.int64], delta: Array
) -> tuple[Spread | None, str | None]:
    """The jackknife's variance, items left out one at a time."""
    _, at = np.unique(item, return_inverse=True)
    g = int(at.max()) + 1
    if g < 2:
        return None, "there is only one item"
    apart, one, two = parts
    own = []
    for part in (apart[:, None], one, two, np.ones((len(at), 1))):
        own.append(sum_by(at, part, g))
    values = _kappa(
        everything[0] - own[0][:, 0],
        everything[1] - own[1],
        everything[2] - own[2],
        everything[3] - own[3][:, 0],
        delta,
    )
    values = values[~np.isnan(values)]
    if len(values) < g:
        return None, "without one of the items every response is the same value"
    variance = float((g - 1) / g * ((values - values.mean()) ** 2).sum())
    if variance <= 1e-18:
        return None, "the items do not vary"
    method = f"jackknife over items, t({g - 1})"
    return Spread(variance=variance, df=g - 1, method=method, generalizes_to=THESE_RATERS), None
