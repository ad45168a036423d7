"""How far raters mark the same characters of the same outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.results import Interval, Result, format_count
from jurybox.stats.clusters import ALL_RATERS, THESE_RATERS, Spread, few_raters
from jurybox.stats.distributions import check_confidence, t_quantile
from jurybox.stats.logits import logit_ends
from jurybox.stats.two_way import variance_of_pairs

__all__ = ["SpanAgreement", "SpanPairs", "pair_score", "span_agreement"]

Array = NDArray[np.float64]
ENOUGH = 5
"""From so many raters on, the interval speaks for raters like these."""


class SpanPairs(Protocol):
    """Every two raters of the same output: whose they are, and how well they agree."""

    @property
    def items(self) -> NDArray[Any]:
        """The number of each pair's item."""

    @property
    def one(self) -> NDArray[Any]:
        """The number of each pair's first rater."""

    @property
    def two(self) -> NDArray[Any]:
        """The number of each pair's second rater."""

    @property
    def score(self) -> NDArray[Any]:
        """F1 of each pair; 1 where neither marked anything."""

    @property
    def empty(self) -> NDArray[Any]:
        """Whether neither marked anything."""

    @property
    def n_outputs(self) -> int:
        """How many outputs were marked by two raters or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanAgreement(Result):
    """The mean character F1 between every two raters of the same output."""

    label: ClassVar[str] = "span agreement"

    criterion: str | None = None
    partial: float = 0.5
    """The credit of a character that both marked with different severities."""
    n_pairs: int = 0
    """Pairs of raters, counted for every output they both marked."""
    n_empty: int = 0
    """Pairs of which neither rater marked anything: they count as agreement."""
    among_marked: float | None = None
    """The mean over the pairs of which at least one rater marked something."""
    n_outputs: int = 0
    n_resamples: int | None = None
    seed: int = 0


def pair_score(
    one: Sequence[tuple[int, int, str]], two: Sequence[tuple[int, int, str]], partial: float = 0.5
) -> float:
    r"""F1 of two raters' spans ``(start, end, severity)`` in one text, character by character.

    .. math:: F_1 = \frac{2 \sum_c k_c}{|A| + |B|}

    where A and B are the characters each rater marked and :math:`k_c` is 1 for a character that
    both marked with the same severity, ``partial`` with different ones. Two raters who mark nothing
    agree (1); one who marks what the other leaves alone does not (0). Where spans of one rater
    overlap, the later in the list lies on top, so the severest come last.

    This is the definition, which ``tally.span_pairs`` computes in the database for all outputs.

    References
    ----------
    Blain et al. (2023), doi:10.18653/v1/2023.wmt-1.52 (error spans, partial credit).

    Examples
    --------
    Five and four characters, three in common, two of them with the same severity:

    >>> a = [(0, 4, "major"), (4, 5, "minor")]
    >>> round(pair_score(a, [(2, 6, "major")]), 4)
    0.5556
    """
    marks = []
    for spans in (one, two):
        marked: dict[int, str] = {}
        for start, end, severity in spans:
            marked |= dict.fromkeys(range(start, end), severity)
        marks.append(marked)
    a, b = marks
    if not a and not b:
        return 1.0
    credit = sum(1.0 if a[at] == b[at] else partial for at in a.keys() & b.keys())
    return 2 * credit / (len(a) + len(b))


def span_agreement(
    pairs: SpanPairs,
    *,
    criterion: str | None = None,
    partial: float = 0.5,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> SpanAgreement:
    r"""The mean of all pairs' F1, by a two-way jackknife or, below five raters, item bootstrap.

    .. math:: V = V_\text{item} + V_\text{rater} - V_{\text{item} \cap \text{rater}}, \qquad
        V_\cdot = \tfrac{G - 1}{G} \sum_g (\hat\theta_{(g)} - \bar\theta_{(\cdot)})^2

    where :math:`\hat\theta_{(g)}` leaves out all pairs of the item, of the rater, or of the rater
    on the item; the interval is made on the logit scale. (Simulated with 5 raters of different
    strictness on 30 items it covers 93%, with 10 and 20 raters 95%.)
    """
    check_confidence(confidence)
    score = np.asarray(pairs.score, dtype=np.float64)
    n_raters = len(np.unique(np.concatenate([pairs.one, pairs.two])))
    n_items = len(np.unique(pairs.items))
    if not len(score):
        return SpanAgreement(
            estimate=None,
            undefined="no output was marked by two raters with known places",
            criterion=criterion,
            partial=partial,
            seed=seed,
        )
    empty = np.asarray(pairs.empty, dtype=bool)
    n_empty = int(empty.sum())
    notes: tuple[str, ...] = ()
    if n_empty:
        verb = "is" if n_empty == 1 else "are"
        notes = (
            f"{n_empty:,} of {format_count(len(score), 'pair')} {verb} of two raters who both "
            "marked nothing, which counts as agreement",
        )
    found = SpanAgreement(
        estimate=float(score.mean()),
        n_items=n_items,
        n_raters=n_raters,
        notes=notes,
        criterion=criterion,
        partial=partial,
        n_pairs=len(score),
        n_empty=n_empty,
        among_marked=None if empty.all() else float(score[~empty].mean()),
        n_outputs=pairs.n_outputs,
        seed=seed,
    )
    if n_items < 2:
        return replace(found, undefined="there is only one item")
    if n_raters >= ENOUGH:
        return _jackknife(found, pairs, confidence)
    return _bootstrap(found, pairs, confidence, n_resamples, seed)


def _left_out(score: Array, *keys: NDArray[Any]) -> float | None:
    """(G − 1)/G Σ (θ₍g₎ − mean)², leaving out every cluster once; a pair may lie in two."""
    _, cluster = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.bincount(cluster, np.tile(score, len(keys)))
    times = np.bincount(cluster)
    if (times >= len(score)).any():
        return None
    theta = (score.sum() - total) / (len(score) - times)
    g = len(theta)
    return float((g - 1) / g * ((theta - theta.mean()) ** 2).sum())


def _jackknife(found: SpanAgreement, pairs: SpanPairs, confidence: float) -> SpanAgreement:
    score = np.asarray(pairs.score, dtype=np.float64)
    items, one, two = (
        np.asarray(each, dtype=np.int64) for each in (pairs.items, pairs.one, pairs.two)
    )
    width = int(max(one.max(), two.max())) + 1
    item = _left_out(score, items)
    rater = _left_out(score, one, two)
    cell = _left_out(score, items * width + one, items * width + two)
    if item is None or rater is None or cell is None:
        return replace(found, undefined="without one rater or one item no pair is left")
    n_items, n_raters = found.n_items or 0, found.n_raters or 0
    of_pairs = variance_of_pairs(item, rater, cell, n_items=n_items, n_raters=n_raters)
    if of_pairs is None:
        return replace(found, undefined="neither raters nor items vary")
    variance, df = of_pairs
    notes = (*found.notes, few_raters(n_raters)) if n_raters < 10 else found.notes
    method = f"logit, two-way jackknife, t({df})"
    spread = Spread(variance=variance, df=df, method=method, generalizes_to=ALL_RATERS)
    low, high = logit_ends(found.estimate or 0.0, spread, t_quantile(confidence, df))
    interval = Interval(
        low=low, high=high, confidence=confidence, method=method, generalizes_to=ALL_RATERS
    )
    return replace(found, interval=interval, notes=notes)


def _bootstrap(
    found: SpanAgreement, pairs: SpanPairs, confidence: float, n_resamples: int, seed: int
) -> SpanAgreement:
    """Percentiles over resampled items: a claim about these raters only."""
    if n_resamples < 1:
        raise OptionError(f"n_resamples must be at least 1; got {n_resamples}")
    _, item = np.unique(np.asarray(pairs.items), return_inverse=True)
    total = np.bincount(item, np.asarray(pairs.score, dtype=np.float64))
    times = np.bincount(item).astype(np.float64)
    n = len(total)
    rng = np.random.default_rng(seed)
    drawn = []
    step = max(1, 4_000_000 // n)
    for start in range(0, n_resamples, step):
        draws = rng.multinomial(n, np.full(n, 1 / n), size=min(step, n_resamples - start))
        drawn.append(draws @ total / (draws @ times))
    theta = np.concatenate(drawn)
    low, high = np.quantile(theta, [0.5 - confidence / 2, 0.5 + confidence / 2])
    if high - low < 1e-12:
        return replace(found, undefined="resampling items never changes it")
    interval = Interval(
        low=float(low),
        high=float(high),
        confidence=confidence,
        method=f"bootstrap of items, {n_resamples:,} resamples",
        generalizes_to=THESE_RATERS,
    )
    return replace(found, interval=interval, n_resamples=n_resamples)
