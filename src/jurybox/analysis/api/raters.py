"""Raters: the public function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jurybox.analysis.api.opened import opened
from jurybox.analysis.measure.raters import Known, rater_qualities, span_points
from jurybox.analysis.options import Options
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.raters import RaterQualities, RaterQuality, looked_for
from jurybox.tally.ratings import are_numbers

__all__ = ["rater_quality"]

UNNAMED = "the table does not name its raters"


def rater_quality(
    ratings: Any,
    *,
    criterion: str | None = None,
    level: Level | None = None,
    gold: Mapping[str, tuple[int, int]] | None = None,
    expected_seconds: Mapping[str, float] | float | None = None,
    confidence: float = 0.95,
) -> RaterQualities:
    r"""How each rater differs from the others on the same outputs.

    Use it to see who to talk to. It leaves nobody out: exclusion rules are written in the study
    before the data (``quality.exclude``).

    Parameters
    ----------
    ratings
        ``item, system, rater, criterion, score``; also votes, rankings, detections and spans, for
        which the parts that make no sense are ``None``. With ``position`` (the trial's place in the
        rater's sequence) it has the drift, with ``ms`` the pace, with ``first`` how often the
        output shown first is chosen.
    criterion
        Only this criterion. Scores of different criteria are never averaged: every criterion has
        its own rows.
    level
        For the agreement with the others; by default words are nominal and numbers ordinal.
    gold
        Per rater, how many trials with a known answer were right, and how many there were.
    expected_seconds
        How many seconds a trial should take: one number, or one for each ``trial``. By default the
        median of the raters' medians.
    confidence
        The confidence of the intervals.

    Returns
    -------
    RaterQualities
        One row per rater and criterion. ``estimate`` is the leniency; ``noise``, ``agreement``,
        ``most_used_share``, ``longest_run``, ``seconds``, ``pace``, ``drift``, ``gold``,
        ``first_shown``, ``tie_rate`` and ``retest`` stand beside it, and ``flags`` says in words
        what is worth a look.

    Notes
    -----
    On the outputs u that rater r and others judged, with :math:`n_u` raters each,

    .. math::
        e_{ru} = y_{ru} - \frac{1}{n_u - 1}\sum_{s \ne r} y_{su}, \qquad
        \text{leniency}_r = \bar e_r, \qquad \text{noise}_r = \mathrm{sd}_u(e_{ru}).

    The interval of the leniency is clustered by item and speaks for these raters: another panel
    would be another yardstick. The agreement is :math:`1 - D_r/D_e`, as in Krippendorff's alpha
    with the distances of this rater only; of rankings it is Kendall's tau with the other raters
    over all pairs of outputs, a tie counting 0. The drift is the slope of :math:`e_{ru}` on the
    place in the sequence from 0 (first) to 1 (last). Gold and retest have Wilson's interval. Of
    repeated answers of a rater to an output the first counts and the second is the retest. The p
    of drifts and of first-shown shares are adjusted over the raters by Benjamini and Hochberg.
    The thresholds of ``flags`` are fixed and printed with the table.

    *Degenerate input.* No column ``rater``: undefined. One rater, or no output judged by two:
    leniency, noise and agreement are ``None``, with the reason. A rater whose items do not vary
    keeps the leniency and gets no interval.

    *Checked against* a plain-Python computation over all rows, and raters simulated with known
    leniency, noise and drift.

    References
    ----------
    Krippendorff (2019), Content analysis, ch. 12; Wilson (1927),
    doi:10.1080/01621459.1927.10502953; Benjamini and Hochberg (1995),
    doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    Cem scores one and a half points above the mean of the other two, or half a point:

    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": [1, 1, 1, 2, 2, 2, 3, 3, 3],
    ...     "rater": ["ada", "ben", "cem"] * 3,
    ...     "score": [2, 3, 4, 1, 2, 3, 3, 3, 3.5],
    ... }
    >>> found = jb.rater_quality(ratings)
    >>> [(row.rater, round(row.estimate, 2)) for row in found]
    [('ada', -1.08), ('ben', -0.08), ('cem', 1.17)]
    """
    options = Options(confidence=confidence)
    checks = {rater: {"gold": (right, n)} for rater, (right, n) in (gold or {}).items()}
    known = Known(checks=checks, expected=expected_seconds)
    rows: list[RaterQuality] = []
    with opened(ratings, None, criterion) as responses:
        if not responses.has_rater:
            known_not = "the raters are anonymous" if responses.stated.has_anonymous else UNNAMED
            why = f"{known_not}, so nothing is known of any one of them"
            return RaterQualities(rows=(), undefined=why, confidence=confidence)
        for name in responses.criteria:
            part = responses.of_criterion(name)
            marks = part if part.shape.name == "spans" else None
            part = part if marks is None else span_points(marks)
            own = level or _level(part.shape.name == "ratings" and are_numbers(part))
            rows += rater_qualities(
                part, options, criterion=name, level=own, known=known, marks=marks
            )
    return RaterQualities(
        rows=tuple(rows), notes=tuple(filter(None, (looked_for(rows),))), confidence=confidence
    )


def _level(numbers: bool) -> Level:
    return "ordinal" if numbers else "nominal"
