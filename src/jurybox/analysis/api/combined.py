"""People and judges together: the public function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.measure.prediction_powered import combined_estimates
from jurybox.analysis.measure.spans import Weights
from jurybox.analysis.options import Options
from jurybox.errors import InputError
from jurybox.stats.judges.prediction_powered import CombinedEstimates
from jurybox.tally.judge_replies import judge_replies
from jurybox.tally.single_answers import firsts_of_rankings, single_answers

__all__ = ["prediction_powered"]


def prediction_powered(
    responses: Any,
    *,
    probability: float | None,
    tuned: Sequence[str] = (),
    criterion: str | None = None,
    judge: str | None = None,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
) -> CombinedEstimates:
    r"""Means, differences and shares from few answers of people and many of a judge.

    Use it where a judge answered all trials and people a random part of them. The combined estimate
    is about what people would say of all trials: the judge only makes it more precise, by as much
    as it agrees with them. However biased the judge is, the estimate is not.

    Parameters
    ----------
    responses
        A table of any shape with judges' rows, as for ``judge_agreement``. Of rankings the targets
        are how often a system is ranked above another (``win rate``), and how often it is ``ranked
        first``; of marks the mean error points; of detections how often it is ``taken for real``.
    probability
        With which a trial of the judge was given to people, as 0.2 for a fifth drawn at random. It
        has no default: where people chose their trials, or got the hard ones, there is no combined
        estimate.
    tuned
        The judges that were tuned, or whose prompt was written, on these answers of people.
    criterion
        Which criterion, if the table has several.
    judge
        Only this one.
    severities, weights
        Of marks: what an error costs, as in ``span_scores``.
    confidence
        The confidence of the intervals.

    Returns
    -------
    CombinedEstimates
        Per judge and ``target`` one row: ``estimate`` of both together, ``people`` and
        ``judge_alone``, each with its interval; ``weight`` (λ); ``worth``, the human-rated items
        that both together are worth, with its interval. In one study the combined interval can be
        wider than that of people; both are given. The interval of the judge alone is that of its
        own verdicts and says nothing about people.

    Notes
    -----
    With n units rated by people (means :math:`\bar y_u` of their answers) and N others,

    .. math::
        \hat\theta_\lambda = \frac1n \sum_\text{rated} \bar y_u +
            \lambda \Bigl( \frac1N \sum_\text{others} f_u - \frac1n \sum_\text{rated} f_u \Bigr)

    where :math:`f_u` is the judge's answer, two orders of a trial being one. λ in [0, 1] minimizes
    the variance over items; the interval is clustered by people's raters and by item, with t
    quantiles of people's clusters. Together they are worth :math:`n / (1 - r^2)` human-rated items
    with r the correlation, over items, of what people's mean and the judge's correction are moved
    by; raters stay as few as they are.

    Simulated with raters as clusters (2,000 studies of 30 human-rated of 150 items, each by all
    raters): the combined interval covers 95.6, 95.2, 94.5 and 95.7% with 5, 10, 20 and 50 raters;
    without the raters 61, 68, 77 and 87% (``bench/coverage.py``, Monte Carlo error 0.5 points).

    *Degenerate input.* An unknown probability, trials that people got because judges disagreed on
    them, words: no rows, and why. A judge tuned on the answers, a part of the trials that the
    probability does not give, fewer than 30 human-rated items or 5 raters, no unit without people,
    a judge that gives one answer to everything: the row is undefined and says so. ``n_dropped``:
    units of people that the judge did not answer.

    *Checked against* ppi_python 0.2.3 and the closed form for independent units, and simulation.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), doi:10.1126/science.adi6000;
    Angelopoulos, Duchi and Zrnic (2023), arXiv:2311.01453.

    Examples
    --------
    A judge scored 200 outputs, one point too high throughout; six people shared 40 of them.

    >>> import jurybox as jb
    >>> table = {"item": [], "system": [], "rater": [], "rater_kind": [], "score": []}
    >>> def add(item, rater, kind, score):
    ...     for column, value in zip(table, (item, "new", rater, kind, score)):
    ...         table[column].append(value)
    >>> for item in range(200):
    ...     quality = item * 37 % 101 / 25
    ...     add(item, "j1", "judge", quality + 1 + (item % 3 - 1) / 2)
    ...     if item % 5 == 0:
    ...         for k in (0, 1):
    ...             rater = (item // 5 + k) % 6
    ...             add(item, f"p{rater}", "person", quality + (rater - 2.5) / 5)
    >>> row = jb.prediction_powered(table, probability=0.2).rows[0]
    >>> print(row.short())
    2.040 (1.735 to 2.345)
    >>> print(f"{row.people:.2f} {row.judge_alone:.2f}, worth {row.worth:.0f} items")
    2.18 3.00, worth 129 items
    """
    options = Options(confidence=confidence)
    with opened(responses, None, criterion) as found:
        name = one_criterion(found)
        of_marks = Weights(severities=severities, weights=weights)
        replies = judge_replies(single_answers(found, name, **of_marks.given), name)
        first = None
        if found.shape.name == "rankings":
            first = judge_replies(firsts_of_rankings(found, name), name)
        if judge is not None and judge not in replies.judges:
            raise InputError(f"there is no judge {judge!r}; there are {', '.join(replies.judges)}")
        return combined_estimates(
            replies,
            name,
            options,
            share=probability,
            tuned=tuned,
            judges=None if judge is None else (judge,),
            firsts=first,
        )
