"""Metrics against people: the public function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import numbers_of, one_criterion, opened
from jurybox.analysis.options import Options
from jurybox.stats.metrics.results import MetricCorrelations
from jurybox.tally.metrics import judged_outputs, read_metrics

__all__ = ["correlate_metrics"]


def correlate_metrics(
    ratings: Any,
    metrics: Any,
    *,
    lower_is_better: Sequence[str] = (),
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> MetricCorrelations:
    r"""How well automatic metrics follow people, and whether one metric follows better.

    Read the level that matches the use: *system* if the metric is to choose between systems, *item*
    if it is to choose between outputs of one input, *output* for a single pooled correlation, which
    mixes the two and is raised by items that differ in difficulty.

    Parameters
    ----------
    ratings
        ``item, system, rater, score`` (and ``criterion``). Also spans, of which an output's MQM
        points count with the opposite sign, and detections, of which a generated output counts by
        how often it is called real.
    metrics
        ``item, system, metric, value``, or ``item, system`` and one column per metric. Values
        without an item hold for a system's whole set (FID, say) and are compared across systems
        only.
    lower_is_better
        The metrics of which less is better (FID, an error rate): their values count with the
        opposite sign, so that of every metric a positive correlation and a high accuracy mean that
        it follows people. Of all others more is taken as better.
    criterion
        Which criterion, if the ratings have several.
    confidence, n_resamples, seed
        The confidence of the intervals; how often they and the permutations are drawn, and with
        which seed.

    Returns
    -------
    MetricCorrelations
        ``rows``: per metric, at the level of outputs Pearson, Spearman and Kendall's tau-b; within
        items ``acc_eq`` (the headline) and the plain means of the three correlations; across
        systems pairwise accuracy and soft pairwise accuracy and, from five systems on, the three
        correlations. ``comparisons``: every two metrics.

    Notes
    -----
    With C pairs of systems that metric and people order alike, D oppositely, and T ties of one or
    both,

    .. math:: \mathrm{acc}_{eq} = \frac{C + T_{xy}}{C + D + T_x + T_y + T_{xy}},
        \qquad \tau_b = \frac{C - D}{\sqrt{(C + D + T_x)(C + D + T_y)}}

    where for :math:`\mathrm{acc}_{eq}` two metric scores within ε are tied, ε being chosen on other
    items. Averages that differ by rounding noise are tied. Intervals of the first two levels are
    two-way jackknives over items and raters (by items alone where raters are unnamed); across
    systems items are resampled and the systems stay, and from ten systems on both are resampled for
    ``other_systems``, the wider interval for systems like these. Two metrics are compared by a
    paired permutation of items, adjusted by Holm over the pairs of metrics; one output per item:
    Pearson's by Williams' test.

    *Degenerate input.* A metric or mean score that never varies: undefined. Items where a side is
    constant are dropped from the means within items and counted. Fewer than five systems: pairwise
    accuracies only.

    *Checked against* SciPy 1.16 and the published tables of UniEval and TIFA (whose "Spearman" is
    Pearson).

    References
    ----------
    Deutsch, Foster and Freitag (2023), doi:10.18653/v1/2023.emnlp-main.798; Thompson, Mathur,
    Deutsch and Khayrallah (2024), doi:10.18653/v1/2024.wmt-1.118; Deutsch, Dror and Roth (2021),
    doi:10.1162/tacl_a_00417; Kocmi et al. (2021), arXiv:2107.10821; Kendall (1945),
    doi:10.1093/biomet/33.3.239.

    Examples
    --------
    >>> import jurybox as jb
    >>> outputs = [(item, system) for item in range(4) for system in ("new", "old")]
    >>> ratings = {
    ...     "item": [item for item, _ in outputs],
    ...     "system": [system for _, system in outputs],
    ...     "score": [4, 2, 5, 4, 3, 3, 5, 1],
    ... }
    >>> metrics = {
    ...     "item": ratings["item"],
    ...     "system": ratings["system"],
    ...     "overlap": [0.9, 0.4, 0.8, 0.7, 0.5, 0.6, 0.9, 0.1],
    ... }
    >>> found = jb.correlate_metrics(ratings, metrics)
    >>> print(found["overlap, output, Spearman's ρ"].short())
    0.915 (−0.695 to 0.999)
    """
    options = Options(confidence=confidence, n_resamples=n_resamples, seed=seed)
    table = read_metrics(metrics, lower_is_better)
    with opened(ratings, None, criterion) as responses:
        name = one_criterion(responses)
        if responses.shape.name == "ratings":
            numbers_of(responses, name)
        judged = judged_outputs(measure.scores_of_outputs(responses))
        return measure.metric_correlations(judged, table, options, criterion=name)
