r"""Statistics across systems in every resample, and the intervals that they make.

Items are resampled and the systems stay, so that the interval holds for these systems. From ten
systems on these are resampled with the items, too, for a claim about systems like these. So few
units make percentiles too narrow (those of a correlation of 10 systems cover 89%): the second
interval is :math:`\hat\theta \pm t_{S-1}\sqrt{S/(S-1)}\,\mathrm{se}`, correlations on Fisher's
scale, with the standard error and the bias of the resamples. (In 150 simulated studies each it
covers 97% with 20 systems and 99% with 10.)

References
----------
Deutsch, Dror and Roth (2021), doi:10.1162/tacl_a_00417 (resampling systems and inputs).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import THESE_RATERS
from jurybox.stats.metrics import across_systems
from jurybox.stats.metrics.across_systems import DrawnSystems
from jurybox.stats.metrics.results import Statistic
from jurybox.stats.two_way import PLAIN, bootstrap_interval, fisher

__all__ = ["MANY_SYSTEMS", "Replicates"]

Array = NDArray[np.float64]
MANY_SYSTEMS = 10
"""Systems from which on others like them can be spoken of."""
SHARES = ("pairwise_accuracy", "soft_pairwise_accuracy")


class Replicates:
    """Statistics in every resample: of items with the systems fixed, and of both."""

    def __init__(self, statistics: Sequence[Statistic], n_systems: int, seed: int) -> None:
        self.n_systems = n_systems
        self._fixed: dict[str, list[Array]] = {s: [] for s in statistics}
        self._both: dict[str, list[Array]] = {s: [] for s in statistics}
        # A stream of its own, so that the resampled items are the same for any number of systems.
        self._rng = np.random.default_rng([seed, 1])

    def systems(self, n: int) -> DrawnSystems | None:
        """The systems of n resamples; ``None`` where they are too few to be drawn."""
        if self.n_systems < MANY_SYSTEMS:
            return None
        return DrawnSystems.draw(n, self.n_systems, self._rng)

    def add(self, fixed: Mapping[str, Array], both: Mapping[str, Array]) -> None:
        """Keep the statistics of some resamples."""
        for s, values in fixed.items():
            self._fixed[s].append(values)
        for s, values in both.items():
            self._both[s].append(values)

    def intervals(
        self, statistic: Statistic, estimate: float | None, confidence: float
    ) -> dict[str, Any]:
        """The interval for these systems and the one for others, or why there is none."""
        values = np.concatenate(self._fixed[statistic])
        found = _interval(values, estimate, confidence, statistic)
        if estimate is not None and self._both[statistic]:
            both = np.concatenate(self._both[statistic])
            found["other_systems"] = self._others(both, estimate, confidence, statistic)
        return found

    def _others(
        self, values: Array, estimate: float, confidence: float, statistic: Statistic
    ) -> Interval | None:
        share = statistic in SHARES
        made = bootstrap_interval(
            estimate,
            values,
            n_items=self.n_systems,
            scale=PLAIN if share else fisher(2),
            confidence=confidence,
        ).interval
        if made is None:
            return None
        return replace(
            made,
            low=max(0.0 if share else -1.0, made.low),
            high=min(1.0, made.high),
            method=made.method.replace("of items", "of items and systems", 1),
            generalizes_to=f"{THESE_RATERS}, and systems like these",
        )


def _interval(
    values: Array, estimate: float | None, confidence: float, statistic: Statistic
) -> dict[str, Any]:
    """The interval of a statistic by its replicates with the systems fixed."""
    if estimate is None and statistic == "soft_pairwise_accuracy":
        return {"undefined": across_systems.NONE_SHARED}
    if estimate is None:
        return {"undefined": "the metric or the mean score is the same for every system"}
    known = values[~np.isnan(values)]
    if len(known) < 0.95 * len(values):
        return {"undefined": "more than 5% of the resamples have no value"}
    if known.max() - known.min() < 1e-12:
        return {"undefined": "every resample of the items gives the same value"}
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    low, high = min(estimate, float(low)), max(estimate, float(high))
    if high - low < 1e-12:
        same = f"more than {confidence:.0%} of the resamples of the items give the same value"
        return {"undefined": same}
    interval = Interval(
        low=low,
        high=high,
        confidence=confidence,
        method=f"bootstrap of items with the systems fixed, {len(values):,} resamples",
        generalizes_to=f"{THESE_RATERS}, for these systems",
    )
    return {"interval": interval}
