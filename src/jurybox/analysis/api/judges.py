"""Judges beside people: the public functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.measure.judges import JudgedCriterion, Strata, looks_at
from jurybox.analysis.measure.spans import Weights
from jurybox.analysis.options import Options
from jurybox.errors import InputError, OptionError
from jurybox.stats.agreement.alpha import LEVELS, Level
from jurybox.stats.clusters import Generalize
from jurybox.stats.judges.agreement import JudgeAgreements
from jurybox.stats.judges.alternative_annotator import AlternativeAnnotatorTests, check_epsilon
from jurybox.stats.judges.panels import PanelRule, check_panel
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses

__all__ = ["alternative_annotator_test", "judge_agreement"]


def judge_agreement(
    responses: Any,
    *,
    criterion: str | None = None,
    level: Level | None = None,
    panel: PanelRule | None = None,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
    categories: Mapping[str, str] | None = None,
    lengths: Mapping[tuple[str, str], float] | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    seed: int = 0,
) -> JudgeAgreements:
    r"""How far a judge agrees with people, beside how far people agree with each other.

    Read the difference: a judge that agrees with a person as often as another person does is as
    good as people get on these questions. A judge's agreement with the majority of people says
    less, since a majority is steadier than any one of them; it is never set beside two people's.

    Parameters
    ----------
    responses
        A table of any shape in which judges' rows have ``judge`` in ``rater_kind``, or whose judges
        ``mapped`` names. A judge's two orders of one trial are told apart by ``first`` (votes) or
        ``place``, its repeats by ``repeat``, what it failed to answer by the ``status``
        ``unusable``.
    criterion
        Which criterion, if the table has several.
    level
        The level of the ratings; by default words are nominal and numbers ordinal.
    panel
        One more row for all judges together: ``majority`` (of numbers the median), ``mean`` (of
        words the majority), or ``weighted`` by their agreement with people on other items. Of
        rankings there is none.
    severities, weights
        Of marks: what an error costs, as in ``span_scores``.
    categories
        Each item's category: adds rows within each category.
    lengths
        The length of each output, by item and system: adds rows within thirds of the lengths, and
        ``trends``, where the longest is at least twice the shortest.
    generalize
        ``items``: the interval speaks for these raters, however many there are.
    confidence, seed
        The confidence of the intervals; the seed of the parts of the items by which a weighted
        panel is fitted.

    Returns
    -------
    JudgeAgreements
        Per judge and statistic two rows, ``against`` each person and against the consensus of the
        others, which rankings and marked characters have not: ``estimate`` is the judge's
        agreement, ``ceiling`` people's own on the same units, ``difference`` the first less the
        second, each with its interval; ``n_unusable`` replies count nowhere. The first row of a
        judge holds its ``confusion`` with people.

    Notes
    -----
    Let unit u have the judge's answer :math:`x_u` and the answers :math:`y_{ur}` of
    :math:`n_u \ge 2` people. With U such units,

    .. math::
        a_J = \frac1U \sum_u \frac1{n_u} \sum_r s(x_u, y_{ur}), \qquad
        a_P = \frac1U \sum_u \frac1{n_u (n_u - 1)} \sum_{r \ne t} s(y_{ur}, y_{ut})

    are the agreement of the judge with a person and of two people; against the consensus
    :math:`s(x_u, c_{u,-r})` and :math:`s(y_{ur}, c_{u,-r})` take their place, with
    :math:`c_{u,-r}` the most common answer (equally common ones in equal parts) or the mean of all
    but r. Of words s is 1 for the same answer, and

    .. math:: \kappa = \frac{a - e}{1 - e}, \qquad e = \sum_c \pi_c \rho_c

    with the shares :math:`\pi_c, \rho_c` of the two sides; of numbers

    .. math:: \kappa_w = 1 - \frac{E(x - y)^2}{E x^2 + E y^2 - 2\,E x\,E y}

    has quadratic weights, and Pearson's r is that of all pairs of answers. A judge's two orders
    of a trial are one answer: their mean; of votes a tie where they contradict; of other words
    none. Of repeats the first usable one counts.

    Of rankings a unit is an item with the outputs ranked together, and s is Kendall's
    :math:`\tau_b`: 0 where one of the two ties everything, unknown where both do. Two orders are
    one ranking, by mean ranks. Where all people pick the best of several, answers are words: what
    was picked, and a tie where a judge's two orders pick different ones. Of marks the answers are
    the error points of an output; the last row (``f1``) has the F1 of characters for s, as in
    ``span_agreement``, a judge's averaged over its orders.

    Intervals are jackknives over items and raters, of two to four raters over items alone (these
    raters), on the scale of the logit (shares) or Fisher's z; that of the difference leaves out the
    same item or rater on both sides. Simulated with raters who differ in taste and care (2,000
    studies each of 30 or 100 items and 5, 10 or 20 raters, all or three of them on each), those of
    tau cover 91 to 95% of the time for the judge, 90 to 95% for the ceiling and 92 to 95% for the
    difference, the least with 5 raters or three on each item; those of F1 cover 92 to 96%. The
    trend is the slope of the unit's part of the difference on the binary logarithm of the length.

    *Degenerate input.* No judge: an ``InputError``. A judge without a usable reply or without a
    unit that people answered, or answers that never vary: undefined. One rater, or no unit with
    two: the judge with that person, and no ceiling. A judge that gives one answer only has
    a kappa of 0 and a note.

    *Checked against* a plain-Python computation over all pairs of answers, statsmodels 0.15
    (Cohen's kappa of each person and the judge), SciPy's ``kendalltau`` and Fleiss' kappa of the
    PandaLM test set.

    References
    ----------
    Cohen (1968), doi:10.1037/h0026256; Fleiss (1971), doi:10.1037/h0031619; Kendall (1945),
    doi:10.1093/biomet/33.3.239; Blain et al. (2023), doi:10.18653/v1/2023.wmt-1.52; Cameron,
    Gelbach and Miller (2011), doi:10.1198/jbes.2010.07136; Zheng et al. (2023), arXiv:2306.05685,
    section 4.

    Examples
    --------
    On twelve items two people agree in ten, and the judge with Ada in ten and with Ben in eight:

    >>> import jurybox as jb
    >>> people = ["aa", "aa", "bb", "aa", "bb", "aa", "bb", "bb", "aa", "aa", "ab", "ba"]
    >>> judge = "aababaaaaaab"
    >>> votes = {
    ...     "item": [i for i in range(12) for _ in range(3)],
    ...     "system_a": ["new"] * 36,
    ...     "system_b": ["old"] * 36,
    ...     "rater": ["ada", "ben", "j1"] * 12,
    ...     "rater_kind": ["person", "person", "judge"] * 12,
    ...     "winner": [w for two, one in zip(people, judge) for w in (*two, one)],
    ... }
    >>> found = jb.judge_agreement(votes)
    >>> row = found.of("j1", "percent")
    >>> print(row.short(), round(row.ceiling, 3), round(row.difference, 3))
    75.0% (38.8 to 91.9) 0.833 -0.083
    """
    options = _options(confidence, seed, generalize, panel)
    of_marks = Weights(severities=severities, weights=weights)
    given = None
    if categories is not None or lengths is not None:
        own = {"category": {str(item): str(name) for item, name in (categories or {}).items()}}
        given = Strata(
            categories=own if categories else {},
            lengths={(str(i), str(s)): float(n) for (i, s), n in (lengths or {}).items()},
        )
    with opened(responses, None, criterion) as found:
        looks = _looks(found, options, level, panel, of_marks)
        whole = looks[0].agreements(given)
        also = [row for look in looks[1:] for row in look.agreements().rows]
        return replace(whole, rows=(*whole.rows, *also))


def alternative_annotator_test(
    responses: Any,
    *,
    epsilon: float,
    criterion: str | None = None,
    level: Level | None = None,
    panel: PanelRule | None = None,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> AlternativeAnnotatorTests:
    r"""Whether a judge may stand in for a person: is it closer to the others than that person is.

    Use it before people are replaced by a judge, on trials that people answered too. It asks more
    than agreement: the judge must beat most of the people one by one, not their average.

    Parameters
    ----------
    responses
        A table of any shape with judges' rows, as for ``judge_agreement``.
    epsilon
        What the judge's being cheap is worth, as a difference of shares: 0.2 beside experts, 0.15
        beside skilled raters and 0.1 beside a crowd are the authors' advice. It has no default; the
        result at 0 stands beside it.
    criterion, level, panel
        As for ``judge_agreement``. Of nominal answers the closer one is the same as more of the
        others; of numbers, and of the error points of marks, the one with the smaller mean squared
        distance; of rankings the one with the larger mean tau.
    severities, weights
        Of marks: what an error costs, as in ``span_scores``.
    confidence, seed
        The confidence of the intervals; the seed of the parts of the items by which a weighted
        panel is fitted.

    Returns
    -------
    AlternativeAnnotatorTests
        Per judge the winning rate (``estimate``), whether it ``passes``, both also ``at_zero``,
        and the mean ``advantage``; ``raters``, ``advantages``, ``ps`` and ``ps_adjusted`` of the
        raters who were tested.

    Notes
    -----
    For rater r and unit u let :math:`S^J` and :math:`S^r` be how close the judge's and the rater's
    answers are to those of the unit's other people,

    .. math::
        d_{ru} = [S^r_u \ge S^J_u] - [S^J_u \ge S^r_u] \in \{-1, 0, 1\}, \qquad
        t_r = \frac{\bar d_r - \varepsilon}{\mathrm{se}(\bar d_r)},

    with the standard error clustered by item, so that outputs of one item count once. The
    hypothesis that the rater is ahead by ε or more is rejected for small :math:`t_r`, one-sided
    with items − 1 degrees of freedom, over the raters by Benjamini and Yekutieli at 5%. The winning
    rate is the share of raters for whom it is rejected (Wilson's interval over raters); one half
    passes. The mean advantage is the mean over raters of :math:`P(S^J_u \ge S^r_u)`, its interval
    clustered by rater and item.

    *Degenerate input.* A rater with fewer than 30 items beside the judge and another person is not
    tested; fewer than three tested raters: undefined, with the counts. Where no item differs from
    another, t does not exist; p is then the bound
    :math:`((1 - \varepsilon)/(1 - \bar d_r))^{\text{items}}` on what the hypothesis allows.

    *Checked against* a plain-Python computation with SciPy's one-sample t test and statsmodels'
    ``fdr_by``.

    References
    ----------
    Calderon, Reichart and Dror (2025), doi:10.18653/v1/2025.acl-long.782; Benjamini and Yekutieli
    (2001), doi:10.1214/aos/1013699998.

    Examples
    --------
    Three people who each err on every fifth item, and a judge who never does:

    >>> import jurybox as jb
    >>> table = {"item": [], "rater": [], "rater_kind": [], "score": []}
    >>> for i in range(40):
    ...     for k, rater in enumerate(["ada", "ben", "cem", "j1"]):
    ...         right = "yes" if i % 2 else "no"
    ...         wrong = "no" if i % 2 else "yes"
    ...         table["item"].append(i)
    ...         table["rater"].append(rater)
    ...         table["rater_kind"].append("judge" if rater == "j1" else "person")
    ...         table["score"].append(wrong if k < 3 and i % 5 == k else right)
    >>> row = jb.alternative_annotator_test(table, epsilon=0.1)["j1"]
    >>> print(row.short(), row.passes, row.advantage)
    100.0% (43.9 to 100.0) True 1.0
    """
    check_epsilon(epsilon)
    options = _options(confidence, seed, "raters+items", panel)
    of_marks = Weights(severities=severities, weights=weights)
    with opened(responses, None, criterion) as found:
        looks = _looks(found, options, level, panel, of_marks)
        return looks[0].tests(epsilon)


def _options(
    confidence: float, seed: int, generalize: Generalize, panel: PanelRule | None
) -> Options:
    if panel is not None:
        check_panel(panel)
    return Options(confidence=confidence, seed=seed, generalize=generalize)


def _looks(
    responses: Responses,
    options: Options,
    level: Level | None,
    panel: PanelRule | None,
    of_marks: Weights,
) -> tuple[JudgedCriterion, ...]:
    name = one_criterion(responses)
    numbers = responses.shape.name == "ratings" and are_numbers(responses)
    if level is not None and level not in LEVELS:
        raise OptionError(f"level must be one of {', '.join(LEVELS)}; got {level!r}")
    if level not in (None, "nominal") and not numbers:
        raise InputError(f"level={level!r} needs ratings that are numbers")
    own: Level = level or ("ordinal" if numbers else "nominal")
    looks = looks_at(responses, name, options, level=own, panel=panel, weights=of_marks)
    if looks[0].no_scale is not None:
        raise InputError(looks[0].no_scale)
    return looks
