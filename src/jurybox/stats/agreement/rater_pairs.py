"""Every two raters beside each other: how far each pair agrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.results import Result, ResultTable, format_count
from jurybox.stats.agreement.kappa import (
    SHARED,
    PairTables,
    RaterPairs,
    Weights,
    distances,
    pair_tables,
)
from jurybox.stats.agreement.patterns import SAME
from jurybox.stats.clusters import THESE_RATERS
from jurybox.stats.distributions import check_confidence
from jurybox.stats.shares import wilson
from jurybox.stats.two_way import LOGIT, Deleted, Made, fisher, item_interval

__all__ = ["PairAgreement", "PairStatistic", "RaterPairTable", "agreement_of_pairs"]

Array = NDArray[np.float64]
PairStatistic = Literal["cohen", "percent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement(Result):
    """How far two raters agree."""

    label: ClassVar[str] = "agreement of two raters"

    statistic: str
    rater: str
    other: str
    criterion: str | None = None
    kappa: float | None = None
    percent: float | None = None
    """The share of shared units on which both gave the same answer."""
    n_units: int = 0
    """Units that both answered."""

    @property
    def name(self) -> str:
        """The two raters."""
        return f"{self.rater} and {self.other}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RaterPairTable(ResultTable):
    """How far each pair of raters agrees on the units they share."""

    label: ClassVar[str] = "agreement of every two raters"

    rows: tuple[PairAgreement, ...]
    statistic: str = ""
    criterion: str | None = None
    n_raters: int = 0


def agreement_of_pairs(
    pairs: RaterPairs,
    *,
    statistic: PairStatistic = "cohen",
    weights: Weights = None,
    confidence: float = 0.95,
) -> RaterPairTable:
    """Kappa and percent agreement of every two raters who share a unit.

    With fewer than ten shared units a pair has no number. Intervals leave out items one by one.
    """
    check_confidence(confidence)
    if statistic not in ("cohen", "percent"):
        raise OptionError(f"statistic must be 'cohen' or 'percent'; got {statistic!r}")
    name = "Cohen's kappa" if weights is None else f"Cohen's kappa with {weights} weights"
    name = "percent agreement" if statistic == "percent" else name
    base: dict[str, Any] = {"statistic": name, "n_raters": pairs.n_raters}
    if not len(np.asarray(pairs.rows)):
        why = "there is only one rater" if pairs.n_raters == 1 else "no unit has two responses"
        return RaterPairTable(rows=(), undefined=why, **base)
    made = pair_tables(pairs, distances(pairs.values, weights))
    same = np.asarray(made.tables.diagonal(axis1=1, axis2=2).sum(axis=1))
    shared = made.shared.astype(np.int64).tolist()
    without = _percent_without(pairs, made, same) if statistic == "percent" else made.without
    order = np.argsort(made.pair, kind="stable")
    starts = np.searchsorted(made.pair[order], np.arange(len(pairs.pairs) + 1))
    rows = []
    for number in range(len(pairs.pairs)):
        own = without[order[starts[number] : starts[number + 1]]]
        rows.append(
            _row(pairs, made, number, shared[number], float(same[number]), own, base, confidence)
        )
    return RaterPairTable(rows=tuple(rows), **base)


def _percent_without(pairs: RaterPairs, made: PairTables, same: Array) -> Array:
    """The percent agreement of each pair without each of its items."""
    rows = np.asarray(pairs.rows)
    _, group = np.unique(rows[:, 0] * len(pairs.pairs) + rows[:, 1], return_inverse=True)
    n = np.bincount(group, rows[:, 4])
    agree = np.bincount(group, rows[:, 4] * (rows[:, 2] == rows[:, 3]))
    left = made.shared[made.pair] - n
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left > 0, (same[made.pair] - agree) / left, np.nan)


def _row(
    pairs: RaterPairs,
    made: PairTables,
    number: int,
    shared: int,
    same: float,
    without: Array,
    base: dict[str, Any],
    confidence: float,
) -> PairAgreement:
    one, two = (pairs.names[int(r)] for r in np.asarray(pairs.pairs)[number])
    told: dict[str, Any] = {
        "statistic": base["statistic"],
        "rater": one,
        "other": two,
        "n_units": shared,
        "n_items": len(without),
        "n_raters": 2,
        "n_responses": 2 * shared,
    }
    if shared < SHARED:
        why = f"the two raters share {format_count(shared, 'unit')}, fewer than {SHARED}"
        return PairAgreement(estimate=None, undefined=why, **told)
    kappa = None if np.isnan(made.kappas[number]) else float(made.kappas[number])
    told |= {"kappa": kappa, "percent": same / shared}
    is_percent = base["statistic"] == "percent agreement"
    estimate = told["percent"] if is_percent else kappa
    if estimate is None:
        return PairAgreement(estimate=None, undefined=SAME, **told)
    found = item_interval(
        estimate,
        Deleted(without, np.ones(len(without))),
        scale=LOGIT if is_percent else fisher(2),
        confidence=confidence,
    )
    if found.interval is None and is_percent and len(without) > 1:
        found = Made(wilson(estimate, len(without), confidence, THESE_RATERS))
    return PairAgreement(estimate=estimate, interval=found.interval, undefined=found.why, **told)
