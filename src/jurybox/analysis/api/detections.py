"""Detections: the public functions."""

from __future__ import annotations

from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.options import Options
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.detection.calibration import Calibration
from jurybox.stats.detection.turing import TuringTest
from jurybox.tally.calibration import Probability

__all__ = ["calibration", "turing_test"]


def turing_test(
    detections: Any,
    *,
    margin: float | None = None,
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    seed: int = 0,
) -> TuringTest:
    r"""How often generated outputs pass for real, and whether raters can tell them from real ones.

    Use it where raters judge one output at a time. Where a real and a generated output are shown
    together and the rater picks one, the answers are votes (``win_rates``), and their
    :math:`d' = \sqrt 2\, z(p)` is ``jurybox.stats.detection.turing.two_alternative``.

    Parameters
    ----------
    detections
        ``item, system, rater, truth, answer``; truth and answer are ``real`` or ``generated``.
        With ``confidence`` (numbers, higher is surer) there is also the area under the curve.
    margin
        The difference in acceptance that does not matter, as a share (0.1 is ten points), stated
        before the data; adds the test of equivalence.
    criterion
        Which criterion, where the table has several.
    confidence, cluster, generalize
        As in ``mean_scores``.
    seed
        The seed of the max-t distribution, where there are several systems.

    Returns
    -------
    TuringTest
        Rows: the fooling rate of every generated system. Beside them ``fooling``, ``hit`` and
        ``hits``, ``false_rejection`` (each with its confusion counts), ``balanced_accuracy``,
        ``differences`` of acceptance from real outputs (one family), ``equivalences``,
        ``sensitivity`` and ``sensitivities`` (d′ and c), ``area`` and ``areas``, and ``raters``.

    Notes
    -----
    Fooling rate :math:`P(\text{"real"} \mid \text{generated})`, hit rate its complement,
    false-rejection rate :math:`P(\text{"generated"} \mid \text{real})`; balanced accuracy is the
    mean of the hit rate and the acceptance rate of real outputs. Raters cannot tell if
    :math:`P(\text{"real"} \mid \text{generated}) = P(\text{"real"} \mid \text{real})`, at whatever
    level; a difference that is not significant does not show that they cannot, equivalence within
    a margin does (two one-sided tests: the 90% interval lies within it).

    :math:`d' = z(H) - z(F)` and :math:`c = -(z(H) + z(F))/2` with generated as the signal,
    :math:`H = (\text{hits} + ½)/(\text{generated} + 1)` and F likewise of real outputs; c above 0
    means that raters tend to answer "real". The group's figure is the mean of the raters' own d′
    with t over raters, of those with ten trials of either kind; ``pooled`` throws all answers
    together. The area under the curve orders outputs by confidence, taken as negative where the
    answer is "real".

    *Degenerate input.* Only real or only generated outputs: the difference and d′ are undefined
    with the reason. A system that is always or never taken for real keeps an interval (Wilson,
    Newcombe) and has no p. A system with real and generated outputs gets a note.

    *Checked against* GenGap (Lüdemann et al. 2024), whose printed "one sample t-test" of 11.65 is a
    z test on 112 single trials; the t over its 112 participants is 44.5. The area: pairwise
    comparison of all outputs, and SciPy's Mann–Whitney U.

    References
    ----------
    Macmillan and Creelman (2005), Detection theory; Hautus (1995), doi:10.3758/BF03203619;
    Schuirmann (1987), doi:10.1007/BF01068419; Obuchowski (1997), doi:10.2307/2533958.

    Examples
    --------
    >>> import jurybox as jb
    >>> detections = {
    ...     "item": [1, 2, 3, 4] * 2,
    ...     "system": ["photo", "photo", "model", "model"] * 2,
    ...     "rater": ["ada"] * 4 + ["ben"] * 4,
    ...     "truth": ["real", "real", "generated", "generated"] * 2,
    ...     "answer": ["real", "real", "real", "generated", "real", "real"] + ["generated"] * 2,
    ... }
    >>> found = jb.turing_test(detections)
    >>> row = found["model"]
    >>> print(f"{row.called_real} of {row.n_responses} taken for real: {row.short()}")
    1 of 4 taken for real: 25.0% (0.0 to 100.0)
    >>> print("real outputs called generated:", found.false_rejection.short())
    real outputs called generated: 0.0% (0.0 to 65.8)
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize, seed=seed)
    with opened(detections, "detections", criterion) as responses:
        one_criterion(responses)
        return measure.turing(responses, options, margin=margin)


def calibration(
    detections: Any,
    *,
    probability: Probability = None,
    bins: int | None = None,
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    n_resamples: int = 2000,
    seed: int = 0,
) -> Calibration:
    r"""Whether raters are right as often as their confidence says.

    Only detections have a right answer for every response; votes with a confidence have none.

    Parameters
    ----------
    detections
        ``item, system, rater, truth, answer, confidence``. Answers without a confidence are left
        out and counted.
    probability
        The chance of being right that each value of confidence states, e.g. ``{1: 0.5, 2: 0.75,
        3: 1}``, or ``"stated"`` where the confidence itself is that chance, between 0 and 1. The
        confidence is a word or a rank until this is said: without it calibration is undefined.
    bins
        How many bins of equal width [0, 1] is cut into; the last includes 1. By default every
        stated probability has its own, and from 21 distinct ones on there are ten.
    criterion
        Which criterion, where the table has several.
    confidence, cluster, generalize
        As in ``mean_scores``; of the intervals, not the raters' confidence.
    n_resamples, seed
        How often the null distribution of the calibration error is drawn, and its seed.

    Returns
    -------
    Calibration
        Calibration in the large; ``slope``, ``brier`` (with reliability, resolution and
        uncertainty), ``error`` (beside its mean under perfect calibration), ``bins`` for a
        reliability diagram, and ``raters``.

    Notes
    -----
    With the stated probability x and y = 1 for a right answer: in the large
    :math:`\bar y - \bar x` (below 0: raters are too sure); the slope
    :math:`\sum (x - \bar x)(y - \bar y) / \sum (x - \bar x)^2`, which is 1 if calibrated, linear
    because x = 1 has no logit, its p tests 1; the Brier score :math:`\overline{(x - y)^2}` =
    reliability − resolution + uncertainty. Intervals are clustered as everywhere.

    The expected calibration error :math:`\sum_b \frac{n_b}{N} |\bar y_b - \bar x_b|` is above 0
    even for perfectly calibrated raters, so it stands beside its mean when the number right is
    binomial with the stated probability, and p is from that null. It has no interval.

    *Degenerate input.* No ``probability``, no confidence: undefined with the reason. One value of
    confidence throughout: no slope, and a note. A value that ``probability`` lacks is an error.

    *Checked against* statsmodels (clustered regression) and direct sums.

    References
    ----------
    Murphy (1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2; Bröcker and Smith (2007),
    doi:10.1175/WAF993.1; Cox (1958), doi:10.1093/biomet/45.3-4.562 (in the large and slope).

    Examples
    --------
    >>> import jurybox as jb
    >>> detections = {
    ...     "item": [1, 2, 3, 4] * 2,
    ...     "system": ["photo", "photo", "model", "model"] * 2,
    ...     "rater": ["ada"] * 4 + ["ben"] * 4,
    ...     "truth": ["real", "real", "generated", "generated"] * 2,
    ...     "answer": ["real", "real", "real", "generated", "real", "real"] + ["generated"] * 2,
    ...     "confidence": [2, 2, 1, 2, 1, 2, 2, 1],
    ... }
    >>> found = jb.calibration(detections, probability={1: 0.5, 2: 1})
    >>> print(f"right in {found.right:.1%}, sure of {found.stated:.1%}: {found.short()}")
    right in 87.5%, sure of 81.2%: 6.2 points (−100.0 to 100.0)
    >>> for each in found.bins:
    ...     print(f"sure of {each.stated:.0%}: right in {each.short()}")
    sure of 50%: right in 66.7% (0.0 to 100.0)
    sure of 100%: right in 100.0% (34.2 to 100.0)
    """
    options = Options(
        confidence=confidence,
        cluster=cluster,
        generalize=generalize,
        n_resamples=n_resamples,
        seed=seed,
    )
    with opened(detections, "detections", criterion) as responses:
        one_criterion(responses)
        return measure.calibrated(responses, options, probability=probability, bins=bins)
