"""Spans: the public functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.measure.spans import Weights
from jurybox.analysis.options import Options
from jurybox.errors import OptionError
from jurybox.stats.agreement.spans import SpanAgreement
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.spans import SpanScores
from jurybox.tally.spans import Standardize

__all__ = ["span_agreement", "span_scores"]


def span_scores(
    spans: Any,
    *,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
    standardize: Standardize = None,
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    seed: int = 0,
) -> SpanScores:
    r"""Error points per output of every system, fewest first (MQM); clean outputs count with 0.

    More points are worse; published tables that give the same figures a minus sign mean the same.
    Where raters also score each output after marking it (ESA), that score is the result
    (``mean_scores``), and spans only show where it comes from.

    Parameters
    ----------
    spans
        ``item, system, rater, category, severity``, one row per span; an output marked free of
        errors is a row without a severity. Without such rows clean outputs fall out of the mean.
    severities
        Points per severity; by default MQM's: major 5, minor 1, neutral 0.
    weights
        Points of single categories: a number, or a number per severity. By default (with the
        default severities) minor fluency/punctuation 0.1 and non-translation 25.
    standardize
        ``"rater"``: each rater's points as z-scores, which takes out that some mark more than
        others; beside the raw points, not in their place.
    criterion, confidence, cluster, generalize
        As in ``mean_scores``.
    seed
        The seed of the max-t distribution.

    Returns
    -------
    SpanScores
        One row per system; ``differences`` of every two systems as one family, ``groups`` of
        systems that the family tells apart, ``counts`` of spans and points by category and
        severity.

    Notes
    -----
    .. math:: \frac{1}{n}\sum_{\text{output, rater}} \; \sum_{\text{spans}} w

    No mean of points is below 0, and no interval goes there.

    A z-score is (points − the rater's mean) / the rater's standard deviation (n − 1) over outputs.
    Two systems are in different groups only if every system of the one is told from every system of
    the other, as WMT ranks systems.

    *Degenerate input.* A severity without points is an error that lists the values. A rater who
    gave every output the same points has no z-scores and is left out with a note.

    *Checked against* the WMT 2021 TED en–de scores: 13 of 14 as published; eTranslation, published
    as 1.96, is 1.969 and was cut, not rounded.

    References
    ----------
    Freitag et al. (2021), doi:10.1162/tacl_a_00437; Kocmi et al. (2024), arXiv:2406.11580 (ESA).

    Examples
    --------
    >>> import jurybox as jb
    >>> spans = {
    ...     "item": [1, 1, 2],
    ...     "system": ["mt", "mt", "mt"],
    ...     "rater": ["ada", "ada", "ada"],
    ...     "category": ["accuracy", "fluency/punctuation", None],
    ...     "severity": ["major", "minor", None],
    ... }
    >>> print(jb.span_scores(spans).rows[0])  # (5 + 0.1 + 0) points on two outputs
    mt: 2.5 (0.0 to 35.0)
      95% interval: clustered by item, t(1), ended where the scale ends
      holds for items like these, judged by this rater only
      2 responses, 1 rater, 2 items
      note: holds for this rater only
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize, seed=seed)
    with opened(spans, "spans", criterion) as responses:
        return measure.scores_of_spans(
            responses,
            options,
            criterion=one_criterion(responses),
            weights=Weights(severities=severities, weights=weights),
            standardize=standardize,
        )


def span_agreement(
    spans: Any,
    *,
    severities: Mapping[str, float] | None = None,
    partial: float = 0.5,
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> SpanAgreement:
    r"""How far two raters of the same output mark the same characters.

    Parameters
    ----------
    spans
        ``item, system, rater, start, end, severity`` (and ``field``, where several texts are
        marked); code points, half-open. An output marked free of errors is a row without a span.
    severities
        Points per severity, which say which mark counts where one rater's spans overlap.
    partial
        The credit of a character that both marked, with different severities.
    criterion
        Which criterion, where the table has several.
    confidence, n_resamples, seed
        The confidence of the interval. With two to four raters it is a bootstrap of items: how
        often it is resampled, and with which seed.

    Returns
    -------
    SpanAgreement
        The mean over all pairs, how many there are, and how many of two raters who both marked
        nothing; ``among_marked`` is the mean over the others.

    Notes
    -----
    .. math:: F_1 = \frac{2 \sum_c k_c}{|A| + |B|}

    for every two raters of an output, where A and B are the characters each marked and
    :math:`k_c` is 1 for a character in both with the same severity, ``partial`` with different
    ones. Two raters who mark nothing agree (1): leaving them out would make raters of good outputs
    look worse than they are, but they can be most of the pairs, so their number is given. The
    interval is a two-way jackknife from five raters on; below, a bootstrap of items that speaks for
    these raters.

    *Degenerate input.* One rater per output, or no offsets: undefined with the reason. A rater who
    marked a span without a place is left out of that output's pairs, and counted.

    *Checked against* a comparison character by character.

    References
    ----------
    Blain et al. (2023), doi:10.18653/v1/2023.wmt-1.52.

    Examples
    --------
    >>> import jurybox as jb
    >>> spans = {
    ...     "item": [1, 1, 2, 2],
    ...     "system": ["mt"] * 4,
    ...     "rater": ["ada", "ben"] * 2,
    ...     "start": [0, 2, None, None],
    ...     "end": [4, 6, None, None],
    ...     "severity": ["major", "major", None, None],
    ... }
    >>> found = jb.span_agreement(spans)
    >>> print(f"{found.short()}; {found.n_empty} of {found.n_pairs} pairs marked nothing")
    0.750 (0.500 to 1.000); 1 of 2 pairs marked nothing
    """
    if not 0 <= partial <= 1:
        raise OptionError(f"partial must lie between 0 and 1; got {partial}")
    options = Options(confidence=confidence, n_resamples=n_resamples, seed=seed)
    with opened(spans, "spans", criterion) as responses:
        return measure.agreement_of_spans(
            responses,
            options,
            criterion=one_criterion(responses),
            severities=severities,
            partial=partial,
        )
