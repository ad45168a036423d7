"""Biases of judges: the public function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.looks import looked_for
from jurybox.analysis.measure.judge_biases import LOOKED_FOR, JudgeFacts, biases_of
from jurybox.analysis.measure.spans import Weights
from jurybox.analysis.options import Options
from jurybox.stats.clusters import Generalize
from jurybox.stats.judges.biases import JudgeBiases
from jurybox.tally.judge_replies import judge_replies
from jurybox.tally.single_answers import single_answers

__all__ = ["judge_biases"]


def judge_biases(
    responses: Any,
    *,
    criterion: str | None = None,
    lengths: Mapping[tuple[str, str], float] | None = None,
    families: Mapping[str, str] | None = None,
    judge_families: Mapping[str, str] | None = None,
    wordings: Sequence[tuple[str, str]] = (),
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
) -> JudgeBiases:
    r"""What a judge's verdicts depend on besides the outputs, each bias with interval and p.

    Read each row as one question: does the verdict change with the order (``position``), and which
    way (``first_shown``); with the call (``repeats``); with the words of the prompt (``wording``);
    does the judge give more than people to long outputs (``verbosity``), to its own family
    (``self_preference``), to everything (``leniency``); does it use less of the scale
    (``compression``)? Every row is 0 for a judge without that bias. These are looks, not claims: p
    is adjusted by Benjamini and Hochberg over all rows that have one.

    Parameters
    ----------
    responses
        A table of any shape with judges' rows, as for ``judge_agreement``. A ranking is a vote on
        every two of its outputs; marks are the error points of an output.
    criterion
        Which criterion, if the table has several.
    lengths
        The length of each output, by item and system, for ``verbosity``.
    families, judge_families
        The model family of each system and of each judge, for ``self_preference``.
    wordings
        Pairs of judges that are the same model asked in different words, for ``wording``.
    severities, weights
        Of marks: what an error costs, as in ``span_scores``.
    generalize
        ``items``: intervals against people speak for these raters.
    confidence
        The confidence of the intervals.

    Returns
    -------
    JudgeBiases
        Per judge and ``bias`` one row; of ``position`` and ``wording`` also what differed in all
        (``observed``) and between repeats (``chance``). Shares are shares of verdicts; of numeric
        scores and of marks differences are in points. ``verbosity`` of votes is in log-odds per
        doubling of the length, of scores in points per doubling; ``compression`` is the part by
        which the judge's spread falls short of a person's. ``p`` is of the two-sided test against
        0 that the interval inverts, ``p_adjusted`` allows for how many biases were looked for;
        ``repeats`` are chance, not a bias, and have neither.

    Notes
    -----
    Let w be how often two repeats of one call differ and c how often two calls in different orders
    (or wordings) do, of numbers how far they are apart, both averaged over units. Then

    .. math:: \text{position} = c - \tfrac12(w_1 + w_2),

    which is 0 on average for a judge that only answers at random. ``first_shown`` is
    :math:`\tfrac12(v_1 - v_2)` with :math:`v_o` the votes for one system when it is shown first and
    second. These are means over units clustered by item: two orders of a trial are one unit, and
    repeats are never more n. The others are differences of two coefficients on the units that
    judge and people both answered, in one fit with ``rater_kind`` × each term:

    .. math::
        \operatorname{logit} P(a) = \beta_a^k - \beta_b^k + \gamma^k \log_2(\ell_a / \ell_b),
        \qquad \text{verbosity} = \gamma^\text{judge} - \gamma^\text{people}

    (of scores the linear fit of system means and :math:`\log_2 \ell`). Self-preference is the
    coefficient of "own family" in the linear fit of verdicts, with the length where it is known;
    once against people and once against the judges of other families. What a judge likes in one
    system and what it likes in a family of one system cannot be told apart. Variances are clustered
    by item and rater, the judge itself being given. Compression is 1 less the ratio of standard
    deviations within raters, on each rater's units; its interval is made on the logarithm.

    *Degenerate input.* One order only, no repeats, unknown lengths or families, one family, words
    where a direction is needed, a judge without a unit in common with people, or that gives one
    score to everything: the row is undefined and says so. A judge that never flips, or on every
    item, has Wilson's interval with the number of items, and p by Wilson's z of one half: without a
    bias at most one half of the items could flip beyond chance. No judge: an ``InputError``.

    *Checked against* hand-counted flips, statsmodels' clustered GLM and OLS, and simulation: over
    400 studies of 20 people, 60 items and judges without a bias the 95% intervals cover in 92
    (verbosity of scores, compression) to 96.5% (``tests/stats/judges/test_biases.py`` repeats a
    part of it), and planted biases are found through a served judge
    (``tests/judges/test_biases.py``).

    References
    ----------
    Zheng et al. (2023), arXiv:2306.05685; Wang et al. (2024), doi:10.18653/v1/2024.acl-long.511;
    Panickssery, Bowman and Feng (2024), arXiv:2404.13076; Székely and Rizzo (2013),
    doi:10.1016/j.jspi.2013.03.018; Benjamini and Hochberg (1995),
    doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    A judge asked twice in both orders about twelve pairs: it takes whatever is shown first on three
    of them, and never changes its mind otherwise.

    >>> import jurybox as jb
    >>> votes = {"item": [], "system_a": [], "system_b": [], "rater": [], "rater_kind": []}
    >>> votes |= {"first": [], "repeat": [], "winner": []}
    >>> def add(item, rater, kind, first, repeat, winner):
    ...     row = (item, "new", "old", rater, kind, first, repeat, winner)
    ...     for column, value in zip(votes, row):
    ...         votes[column].append(value)
    >>> for item in range(12):
    ...     for person in ("ada", "ben"):
    ...         add(item, person, "person", "a", 0, "a")
    ...     for first in "ab":
    ...         for repeat in (0, 1):
    ...             add(item, "j1", "judge", first, repeat, first if item < 3 else "a")
    >>> found = jb.judge_biases(votes)
    >>> print(found.of("j1", "position").short())
    25.0% (−3.7 to 53.7)
    >>> print(found.of("j1", "first_shown").short())
    12.5% (−1.9 to 26.9)
    >>> print(found.of("j1", "verbosity").short())
    undefined: the lengths of the outputs are not known
    """
    options = Options(confidence=confidence, generalize=generalize)
    facts = JudgeFacts(
        lengths={(str(i), str(s)): float(n) for (i, s), n in (lengths or {}).items()},
        families={str(s): str(f) for s, f in (families or {}).items()},
        judge_families={str(j): str(f) for j, f in (judge_families or {}).items()},
        wordings=tuple((str(one), str(two)) for one, two in wordings),
    )
    with opened(responses, None, criterion) as found:
        name = one_criterion(found)
        of_marks = Weights(severities=severities, weights=weights)
        single = single_answers(found, name, **of_marks.given)
        made = biases_of(judge_replies(single, name), name, facts, options)
    return replace(made, rows=tuple(looked_for(made.rows, LOOKED_FOR)))
