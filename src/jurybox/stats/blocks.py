r"""Many systems at once, item by item: Friedman, Durbin and Skillings–Mack.

Each item is a block whose systems are ranked by their mean score; under "no system differs" every
order of a block's ranks is as likely as any other. The three tests are one quadratic form, so they
agree wherever two of them apply: complete blocks give Friedman's, balanced incomplete ones
Durbin's, all others Skillings and Mack's.

The raters are taken as given, as in every test on item means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError, OptionError
from jurybox.results import Result, format_count, format_number, format_p
from jurybox.stats.clusters import THESE_RATERS
from jurybox.stats.rank_tests import even_out

__all__ = [
    "Omnibus",
    "chi_square_tail",
    "durbin",
    "friedman",
    "least_p",
    "omnibus",
    "skillings_mack",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Omnibus(Result):
    """A test of all systems together; ``estimate`` is its chi-square, which has no interval."""

    label: ClassVar[str] = "test of all systems together"
    has_interval: ClassVar[bool] = False

    test: str
    """``Friedman``, ``Durbin`` or ``Skillings–Mack``."""
    df: int | None = None
    n_systems: int
    n_blocks: int
    """Items that count; ``n_dropped`` are left out (incomplete, or with one system only)."""
    criterion: str | None = None
    generalizes_to: str = THESE_RATERS

    @property
    def name(self) -> str:
        """The test."""
        return self.test

    def short(self) -> str:
        """The chi-square with its degrees of freedom and p."""
        if self.estimate is None:
            return f"undefined: {self.undefined}"
        return f"χ²({self.df}) = {format_number(self.estimate, 1)}, {format_p(self.p)}"


def least_p(scores: Array) -> float:
    r"""The smallest p that any scores in these places could have.

    Each item adds at most its number of systems less one to the statistic: for blocks that are
    independent, :math:`(\sum A_i)' (\sum \Sigma_i)^- (\sum A_i) \le \sum A_i' \Sigma_i^- A_i`.

    >>> two_items = np.array([[3.0, 2, 1], [3, 2, 1]])
    >>> round(least_p(two_items), 3) == round(friedman(two_items).p, 3) == 0.135
    True
    """
    table = _checked(scores)
    systems = (~np.isnan(table)).sum(axis=1)
    return chi_square_tail(float(np.maximum(systems - 1, 0).sum()), max(table.shape[1] - 1, 1))


def chi_square_tail(x: float, df: int) -> float:
    r"""P(χ² ≥ x) for whole degrees of freedom, by the closed sums.

    Even: :math:`e^{-x/2} \sum_{i < \nu/2} (x/2)^i / i!`; odd: the normal tail and the like sum.

    >>> round(chi_square_tail(5.991, 2), 3), round(chi_square_tail(3.841, 1), 3)
    (0.05, 0.05)
    """
    if x <= 0:
        return 1.0
    half = x / 2
    odd = df % 2
    total = math.erfc(math.sqrt(half)) if odd else 0.0
    for i in range(df // 2):
        power = i + odd / 2
        total += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
    return min(1.0, total)


def _checked(scores: Array) -> Array:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise InputError(f"scores must be a table of items × systems; got shape {table.shape}")
    return table


def _form(table: Array) -> tuple[float | None, str | None]:
    r"""The quadratic form of all blocks with two or more systems, or why there is none.

    With weight :math:`w_i = \sqrt{12/(k_i + 1)}`, :math:`A_j = \sum_i w_i (R_{ij} - (k_i + 1)/2)`
    has, given the ties, in each block covariance :math:`w_i^2 S_i/(k_i (k_i - 1))` times
    :math:`k_i I - 11'`, with :math:`S_i` the sum of squares of the block's ranks about their mean.
    """
    k = table.shape[1]
    there = ~np.isnan(table)
    evened = np.full(table.shape, np.nan)
    evened[there] = even_out(table[there], float(np.nanmax(np.abs(table), initial=0.0)))
    n = there.sum(axis=1, keepdims=True)
    # Below plus half of equal, itself included: the middle rank, half too low.
    ranks = np.zeros(table.shape)
    for j in range(k):
        other = evened[:, [j]]
        ranks += (other < evened) + 0.5 * (other == evened)
    centered = np.where(there, ranks + 0.5 - (n + 1) / 2, 0.0)
    weight = 12 / (n + 1)
    adjusted = (np.sqrt(weight) * centered).sum(axis=0)
    spread = weight * (centered**2).sum(axis=1, keepdims=True) / (n * (n - 1))
    covariance = np.diag((there * spread * n).sum(axis=0)) - (there * spread).T @ there
    values, vectors = np.linalg.eigh(covariance)
    if values.max(initial=0.0) <= 1e-9:
        return None, "in every item that counts the systems are tied"
    kept = values > 1e-9 * values.max()
    if int(kept.sum()) < k - 1:
        return None, "some systems were never compared with the others on the same items"
    along = vectors[:, kept].T @ adjusted
    return float((along**2 / values[kept]).sum()), None


def _tested(table: Array, test: str, dropped: int, criterion: str | None) -> Omnibus:
    """The test of blocks with two or more systems; the others are dropped and counted."""
    k = table.shape[1]
    enough = (~np.isnan(table)).sum(axis=1) >= 2
    used = table[enough]
    dropped += int((~enough).sum())
    why: str | None
    if k < 2:
        statistic, why = None, "there is only one system"
    elif len(used) == 0:
        statistic, why = None, "no item has two systems to compare"
    else:
        statistic, why = _form(used)
    return Omnibus(
        estimate=statistic,
        p=None if statistic is None else chi_square_tail(statistic, k - 1),
        df=None if statistic is None else k - 1,
        n_items=len(used),
        n_dropped=dropped,
        undefined=why or "a test of all systems together has no interval",
        test=test,
        n_systems=k,
        n_blocks=len(used),
        criterion=criterion,
    )


def friedman(
    scores: Array, *, missing: Literal["raise", "drop"] = "raise", criterion: str | None = None
) -> Omnibus:
    r"""Friedman's test of complete blocks, corrected for ties.

    .. math:: \chi^2 = \frac{(k - 1) \sum_j (R_j - n(k + 1)/2)^2}{\sum_{ij} (R_{ij} - (k + 1)/2)^2}

    Parameters
    ----------
    scores
        Item means, items × systems; NaN where an item has no response for a system.
    missing
        Incomplete items: refused, or dropped and counted.
    criterion
        Named in the result.

    *Degenerate input.* One system, no complete item, all tied: undefined.

    *Checked against* SciPy 1.17 ``friedmanchisquare``.

    References
    ----------
    Friedman (1937), doi:10.1080/01621459.1937.10503522; Conover (1999), Practical nonparametric
    statistics, eq. 5.8.6 (ties).

    Examples
    --------
    >>> found = friedman(np.array([[3.0, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]]))
    >>> found.estimate, round(found.p, 3)
    (4.5, 0.105)
    """
    table = _checked(scores)
    if missing not in ("raise", "drop"):
        raise OptionError(f"missing must be 'raise' or 'drop'; got {missing!r}")
    holes = np.isnan(table).any(axis=1)
    if holes.any() and missing == "raise":
        first = int(np.flatnonzero(holes)[0])
        raise InputError(
            f"friedman: {format_count(int(holes.sum()), 'item')} of {len(table)} without a score "
            f"for every system (first in row {first}); drop them with missing='drop', or use "
            "skillings_mack"
        )
    return _tested(table[~holes], "Friedman", int(holes.sum()), criterion)


def skillings_mack(scores: Array, *, criterion: str | None = None) -> Omnibus:
    r"""The test of incomplete blocks: items that lack some of the systems.

    .. math:: \chi^2 = A' \Sigma^- A, \qquad
        A_j = \sum_i \sqrt{\tfrac{12}{k_i + 1}} \bigl(R_{ij} - \tfrac{k_i + 1}{2}\bigr)

    over the :math:`k_i` systems of item i, with :math:`\Sigma` the covariance of A under random
    ranks. Ties share their mean rank; :math:`\Sigma` is that of the tied ranks, so that in complete
    blocks the test is Friedman's corrected for ties. (The R package leaves the covariance of
    untied ranks, which is conservative.)

    Parameters
    ----------
    scores
        Item means, items × systems; NaN where an item has no response for a system. Items with one
        system only are dropped and counted.
    criterion
        Named in the result.

    *Degenerate input.* As ``friedman``; systems that no chain of items joins: undefined.

    *Checked against* the example of Skillings and Mack (1981): 15.493 with 3 degrees of freedom.

    References
    ----------
    Skillings and Mack (1981), doi:10.1080/00401706.1981.10486261.

    Examples
    --------
    >>> holes = np.array([[3.0, 2, np.nan], [3, np.nan, 1], [np.nan, 2, 1], [3, 2, 1]])
    >>> round(skillings_mack(holes).estimate, 3)
    4.643
    """
    return _tested(_checked(scores), "Skillings–Mack", 0, criterion)


def durbin(scores: Array, *, criterion: str | None = None) -> Omnibus:
    """The test of balanced incomplete blocks.

    Every item has k of the systems, and every two systems have λ items in common. The same form as
    ``skillings_mack``, which in a balanced design is Durbin's statistic (with Conover's correction
    where there are ties); a design that is not balanced is refused.

    *Checked against* the example of Conover (1999, p. 391): 12 with 6 degrees of freedom.

    References
    ----------
    Durbin (1951), doi:10.1111/j.2044-8317.1951.tb00310.x.

    Examples
    --------
    >>> pairs = np.array([[3.0, 2, np.nan], [3, np.nan, 1], [np.nan, 2, 1]])
    >>> round(durbin(pairs).estimate, 3)
    2.667
    """
    table = _checked(scores)
    if not _balanced(table):
        raise InputError(
            "durbin: items must have the same number of systems, and every two systems the same "
            "number of items in common; use skillings_mack"
        )
    return _tested(table, "Durbin", 0, criterion)


def _balanced(table: Array) -> bool:
    there = (~np.isnan(table)).astype(np.int64)
    together = there.T @ there
    off = together[~np.eye(len(together), dtype=bool)]
    sizes, uses = there.sum(axis=1), np.diag(together)
    return all(len(set(each.tolist())) == 1 for each in (sizes, uses, off))


def omnibus(scores: Array, *, criterion: str | None = None) -> Omnibus:
    """The test that fits the design: Friedman, else Durbin, else Skillings–Mack."""
    table = _checked(scores)
    if len(table) and not np.isnan(table).any():
        return friedman(table, criterion=criterion)
    if len(table) and table.shape[1] > 1 and _balanced(table):
        return durbin(table, criterion=criterion)
    return skillings_mack(table, criterion=criterion)
