"""Detections: the public functions."""

from __future__ import annotations

from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import opened
from jurybox.analysis.options import Options
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.detection import TuringTest
from jurybox.stats.distributions import check_confidence

__all__ = ["turing_test"]


def turing_test(
    detections: Any,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> TuringTest:
    r"""How often generated outputs pass for real, and whether raters can tell them from real ones.

    Parameters
    ----------
    detections
        ``item, system, rater, truth, answer``; truth and answer are ``real`` or ``generated``.
    confidence, cluster, generalize
        As in ``mean_scores``.

    Returns
    -------
    TuringTest
        The fooling rate of every generated system, the false-rejection rate of real outputs, the
        difference of the two acceptance rates with p, balanced accuracy, and d′.

    Notes
    -----
    Raters cannot tell if :math:`P(\text{"real"} \mid \text{generated})
    = P(\text{"real"} \mid \text{real})`, at whatever level. A difference that is not significant
    does not show that they cannot. :math:`d' = z(H) - z(F)` with generated as the signal, the mean
    of the raters' own.

    *Degenerate input.* Only real or only generated outputs: the difference and d′ are undefined.

    References
    ----------
    Macmillan and Creelman (2005), Detection theory; Hautus (1995), doi:10.3758/BF03203619.

    Examples
    --------
    >>> detections = {
    ...     "item": [1, 2, 3, 4] * 2,
    ...     "system": ["photo", "photo", "model", "model"] * 2,
    ...     "rater": ["ada"] * 4 + ["ben"] * 4,
    ...     "truth": ["real", "real", "generated", "generated"] * 2,
    ...     "answer": ["real", "real", "real", "generated", "real", "real"] + ["generated"] * 2,
    ... }
    >>> found = turing_test(detections)
    >>> found["model"].estimate, found.false_rejection.estimate
    (0.25, 0)
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    check_confidence(confidence)
    with opened(detections, "detections", None) as responses:
        return measure.turing(responses, options)
