"""How many are needed: the public function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from jurybox.errors import OptionError
from jurybox.stats.distributions import check_confidence
from jurybox.stats.power.crossed import Components
from jurybox.stats.power.layouts import (
    Layout,
    apart,
    crossed,
    mean_margin,
    means,
    same_items,
    share_margin,
)
from jurybox.stats.power.questions import (
    agreement as ask_agreement,
)
from jurybox.stats.power.questions import (
    fooling,
    fooling_against_real,
    mcnemar,
    proportions,
    win_rate,
)
from jurybox.stats.power.size import Ask, SampleSize, solve
from jurybox.stats.power.with_judge import BesideJudge, with_judge

__all__ = ["Question", "sample_size"]

Question = Literal[
    "win_rate",
    "proportions",
    "means",
    "mcnemar",
    "equivalence",
    "noninferiority",
    "agreement",
    "fooling",
    "with_judge",
]

MARGINS = ("equivalence", "noninferiority")
SCORES = ("sd", "correlation", "ratio", "raters", "overlap", "components")
TAKES: dict[str, tuple[str, ...]] = {
    "win_rate": ("rate", "power", "one_sided"),
    "proportions": ("first", "second", "ratio", "power", "one_sided"),
    "means": ("difference", *SCORES, "power", "one_sided"),
    "mcnemar": ("gains", "losses", "power", "one_sided"),
    "equivalence": ("margin", "difference", *SCORES, "first", "second", "power"),
    "noninferiority": ("margin", "difference", *SCORES, "first", "second", "power"),
    "agreement": ("agreement", "level", "raters", "shares", "half_width"),
    "fooling": (
        *("rate", "half_width", "real", "ratio"),
        *("per_rater", "rater_correlation", "power", "one_sided"),
    ),
    "with_judge": ("sd", "correlation", "raters", "judged", "rater_sd", "half_width"),
}
"""What each question takes, beside ``n`` and ``confidence``."""


def sample_size(
    question: Question,
    *,
    n: int | None = None,
    power: float | None = None,
    confidence: float = 0.95,
    one_sided: bool = False,
    rate: float | None = None,
    first: float | None = None,
    second: float | None = None,
    gains: float | None = None,
    losses: float | None = None,
    difference: float | None = None,
    sd: float | None = None,
    correlation: float | None = None,
    ratio: float | None = None,
    margin: float | None = None,
    raters: int | None = None,
    overlap: int | None = None,
    components: tuple[float, float, float] | None = None,
    agreement: float | None = None,
    level: Literal["nominal", "ordinal", "interval"] | None = None,
    shares: Sequence[float] | None = None,
    half_width: float | None = None,
    real: float | None = None,
    per_rater: float | None = None,
    rater_correlation: float | None = None,
    judged: int | None = None,
    rater_sd: float | None = None,
) -> SampleSize:
    r"""How many votes, answers or items a question needs, by formula.

    Leave out what you want to know. Without ``n``, the number is found; with ``n`` and the effect
    (a rate, a difference, a margin), the power; with ``n`` alone, the smallest effect that is found
    with the power asked for. A formula counts independent answers; for items × raters crossed give
    ``components`` with the question of means, or simulate with ``jurybox plan --detect``.

    Parameters
    ----------
    question
        ``"win_rate"``: ``rate`` against 50%. ``"proportions"``: ``first`` against ``second``.
        ``"mcnemar"``: ``gains`` against ``losses`` on the same items. ``"means"``: a
        ``difference`` of mean scores. ``"equivalence"``, ``"noninferiority"``: that a difference
        of means or shares lies within ``margin``. ``"agreement"``: the width of an interval of
        alpha or kappa. ``"fooling"``: the width of an interval of a fooling ``rate``, or that rate
        against ``real``. ``"with_judge"``: the width of a mean of people and a judge together.
    n
        How many there are: votes, items, or answers of the first system.
    power
        The probability to find what is there; 0.8 if left out.
    confidence
        1 minus the level of the test; also that of the interval whose width is asked for.
        Equivalence takes two tests of level 1 − confidence, as the analysis does.
    one_sided
        Whether only the direction given is tested.
    rate
        The win rate, or the fooling rate.
    first, second
        The two shares; of equivalence and non-inferiority, the true ones.
    gains, losses
        Shares of all items that only the first, or only the second, system gets right.
    difference
        In points. Of equivalence and non-inferiority the true one, first minus second, with higher
        scores better; 0 if left out.
    sd
        Standard deviation of one system's scores, in points. Beside a judge: of people's answer
        to an item, raters' own shifts apart.
    correlation
        Of the two systems' scores of one item. Given, the comparison is paired; left out, the
        systems have answers of their own. Beside a judge: of its answers and people's.
    ratio
        Answers of the second system (or about real outputs) for each of the first; 1 if left out.
    margin
        The largest difference that does not matter, in points or as a share. It has no default.
    raters, overlap
        Of a crossed design: raters in all, and per output (all of them, if left out). Of
        agreement: ``raters`` of each item.
    components
        Of a crossed design: the standard deviations ``(item_system, rater_system, noise)`` of one
        system's scores, in points. ``n`` then counts items.
    agreement
        The alpha or kappa to expect.
    level
        Of the answers: ``"nominal"`` (and kappa), ``"ordinal"`` or ``"interval"``.
    shares
        How often each nominal category is expected.
    half_width
        Of the interval: half its length.
    real
        How often real outputs are taken for real.
    per_rater, rater_correlation
        Of fooling: how many answers each rater gives, and how any two of them correlate.
    judged, rater_sd
        Beside a judge: the items that it rates, and the standard deviation of raters' own shifts
        (0 if left out).

    Returns
    -------
    SampleSize
        ``sentence``, ``n`` (``n_second``), the exact ``power`` or ``half_width`` reached, the
        ``effect``, the numbers ``around`` it, and notes that list what is assumed.

    Notes
    -----
    Win rate: the smallest n from which on the exact power

    .. math:: P(X \ge c_n \mid n, \pi) + P(X \le n - c_n \mid n, \pi), \quad
        c_n = \min\{c: 2P(X \ge c \mid n, 1/2) < \alpha\}

    stays at or above the target, for it goes up and down with n. McNemar: the same test of gains
    among the items that differ, averaged over how many do. Shares: Cohen's
    :math:`h = 2\arcsin\sqrt{p_1} - 2\arcsin\sqrt{p_2}` by the normal distribution. Means:
    noncentral t with :math:`\nu = \delta/se`. Margins: two one-sided t tests exactly (Owen's Q), of
    shares by the normal distribution with their own variances. Crossed:
    :math:`se^2 = 2(\sigma^2_{is}/m + \sigma^2_{rs}/R + \sigma^2_e/mk)` with
    min(m, R) − 1 degrees of freedom, as the analysis takes. Agreement: the large-sample variance of
    kappa with Dirichlet-multinomial answers; of scores Bonett's
    :math:`n = 8z^2(1-\rho)^2(1+(k-1)\rho)^2 / (k(k-1)w^2) + 1`. Fooling rate: Wilson's interval of
    n answers divided by the design effect :math:`1 + (a - 1)\rho`. With a judge on M items:
    :math:`t_{\min(n,R)-1}\sqrt{\sigma^2(1 - \rho^2(M - n)/M)/n + \sigma_r^2/R}`.

    *Degenerate input.* Nothing to find (a rate of 0.5, equal shares, a difference of 0), a margin of
    0 or one that the true difference exceeds, a power not above 1 − confidence, an sd that is not
    positive, a correlation of 1, an n too small for the test ever to reject, raters too few for any
    number of items: refused, each with a sentence that says what to change.

    *Checked against* statsmodels 0.15 (``TTestPower``, ``TTestIndPower``, ``NormalIndPower``), R
    ``pwr`` and PowerTOST as recorded, G*Power's manual, Bonett's and Bloch and Kraemer's formulas, and
    simulation with jurybox's own estimators: see docs/sizing.md.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences; Faul, Erdfelder, Lang and
    Buchner (2007), doi:10.3758/BF03193146; Duffy (1984), doi:10.2307/2531151; Schuirmann (1987),
    doi:10.1007/BF01068419; Phillips (1990), doi:10.1007/BF01063556; Bonett (2002),
    doi:10.1002/sim.1108; Bloch and Kraemer (1989), Biometrics 45, 269–287; Wilson (1927),
    doi:10.1080/01621459.1927.10502953; Zubkov and Serov (2013), doi:10.1137/S0040585X97986138.

    Examples
    --------
    >>> import jurybox as jb
    >>> print(jb.sample_size("win_rate", rate=0.55))
    820 votes find a win rate of 55.0% against 50% with a power of 81.0%.
      exact binomial test, two-sided, confidence 0.95
    <BLANKLINE>
      votes  power
        410  50.1%
        615  68.0%
        738  75.7%
        820  81.0%
        902  85.2%
      1,025  88.7%
      1,230  93.9%
      1,640  98.0%
    <BLANKLINE>
      note: Exact power goes up and down with n: smaller numbers may reach the target too, but from this one on it never falls below.
      note: Ties are left out before votes are counted.
      note: The formula counts independent answers. Answers that repeat within raters or items are worth fewer; jurybox plan --detect simulates the crossed design.

    What 60 items with 3 of 12 raters each can find, given a pilot's standard deviations:

    >>> jb.sample_size("means", n=60, raters=12, overlap=3, components=(0.4, 0.2, 0.8)).sentence
    '60 items with 3 of 12 raters per output find a difference of 0.426 points with a power of 80.0%.'
    """  # noqa: E501
    given: dict[str, Any] = {
        "power": power,
        "one_sided": one_sided or None,
        "rate": rate,
        "first": first,
        "second": second,
        "gains": gains,
        "losses": losses,
        "difference": difference,
        "sd": sd,
        "correlation": correlation,
        "ratio": ratio,
        "margin": margin,
        "raters": raters,
        "overlap": overlap,
        "components": components,
        "agreement": agreement,
        "level": level,
        "shares": shares,
        "half_width": half_width,
        "real": real,
        "per_rater": per_rater,
        "rater_correlation": rater_correlation,
        "judged": judged,
        "rater_sd": rater_sd,
    }
    stated = {name: value for name, value in given.items() if value is not None}
    _check_belongs(question, stated)
    if check_confidence(confidence) <= 0.5 and (one_sided or question in MARGINS):
        raise OptionError(f"a one-sided test needs a confidence above 0.5; got {confidence}")
    ask = _ask(question, stated, confidence)
    return solve(ask, n=n, power=power, half_width=half_width, confidence=confidence)


def _check_belongs(question: str, stated: dict[str, Any]) -> None:
    if question not in TAKES:
        raise OptionError(
            f"question must be one of {', '.join(get_args(Question))}; got {question!r}"
        )
    foreign = [name for name in stated if name not in TAKES[question]]
    if foreign:
        raise OptionError(
            f"{question} does not take {' or '.join(foreign)}; it takes n, confidence, "
            f"{', '.join(TAKES[question])}"
        )


def _ask(question: Question, given: dict[str, Any], confidence: float) -> Ask:
    test: Any = {"level": 1 - confidence, "one_sided": "one_sided" in given}
    ratio = given.get("ratio", 1.0)
    if question == "win_rate":
        return win_rate(rate=given.get("rate"), **test)
    if question == "proportions":
        return proportions(
            first=given.get("first"), second=given.get("second"), ratio=ratio, **test
        )
    if question == "mcnemar":
        return mcnemar(gains=given.get("gains"), losses=given.get("losses"), **test)
    if question == "means":
        return means(_layout(question, given), difference=given.get("difference"), **test)
    if question == "agreement":
        return ask_agreement(
            expected=given.get("agreement"),
            level_of_scale=given.get("level"),
            raters=given.get("raters"),
            shares=given.get("shares"),
            confidence=confidence,
        )
    if question == "fooling":
        return _fooling(given, ratio, confidence)
    if question == "with_judge":
        return _with_judge(given, confidence)
    return _margin(question, given, ratio, 1 - confidence)


def _with_judge(given: dict[str, Any], confidence: float) -> Ask:
    for name, what in (
        ("sd", "the standard deviation of people's answer to an item"),
        ("correlation", "that of people and the judge over items"),
        ("raters", "the people who share the items"),
        ("judged", "the items that the judge rates"),
    ):
        if name not in given:
            raise OptionError(f"with_judge needs {name}, {what}")
    known = {name: value for name, value in given.items() if name != "half_width"}
    return with_judge(
        BesideJudge(**known), half_width=given.get("half_width"), confidence=confidence
    )


def _margin(
    question: Literal["equivalence", "noninferiority"],
    given: dict[str, Any],
    ratio: float,
    level: float,
) -> Ask:
    margin = given.get("margin")
    if "first" in given or "second" in given:
        if not {"first", "second"} <= given.keys() or given.keys() & {"difference", *SCORES[:2]}:
            raise OptionError(
                f"{question} of shares needs first and second, and of scores sd and difference; "
                "give the one or the other"
            )
        return share_margin(
            question,
            margin=margin,
            first=given["first"],
            second=given["second"],
            ratio=ratio,
            level=level,
        )
    layout = _layout(question, given)
    difference = given.get("difference", 0.0)
    return mean_margin(layout, question, margin=margin, difference=difference, level=level)


def _layout(question: str, given: dict[str, Any]) -> Layout:
    """How scores are collected: crossed, on the same items, or apart."""
    if "components" in given or "raters" in given or "overlap" in given:
        if not {"components", "raters"} <= given.keys() or given.keys() & {
            "sd",
            "correlation",
            "ratio",
        }:
            raise OptionError(
                f"{question} of a crossed design needs components and raters (and overlap), and "
                "neither sd, correlation nor ratio"
            )
        parts = tuple(given["components"])
        if len(parts) != 3:
            raise OptionError(
                "components are three standard deviations (item_system, rater_system, noise); "
                f"got {len(parts)}"
            )
        item, rater, noise = parts
        components = Components(item_system=item, rater_system=rater, noise=noise)
        return crossed(given["raters"], given.get("overlap", given["raters"]), components)
    if "sd" not in given:
        raise OptionError(f"{question} needs sd, the standard deviation of one system's scores")
    if "correlation" not in given:
        return apart(given["sd"], given.get("ratio", 1.0))
    if "ratio" in given:
        raise OptionError(
            "ratio has no meaning where both systems have the same items; leave it out"
        )
    return same_items(given["sd"], given["correlation"])


def _fooling(given: dict[str, Any], ratio: float, confidence: float) -> Ask:
    per_rater, repeats = given.get("per_rater", 1.0), given.get("rater_correlation", 0.0)
    if ("per_rater" in given) != ("rater_correlation" in given):
        raise OptionError("per_rater and rater_correlation belong together; give both or neither")
    if "real" not in given:
        wrong = [name for name in ("power", "ratio", "one_sided") if name in given]
        if wrong:
            raise OptionError(f"fooling takes {' and '.join(wrong)} only together with real")
        return fooling(
            rate=given.get("rate"),
            per_rater=per_rater,
            rater_correlation=repeats,
            confidence=confidence,
        )
    if "half_width" in given:
        raise OptionError("fooling takes half_width or real, not both")
    return fooling_against_real(
        rate=given.get("rate"),
        real=given["real"],
        ratio=ratio,
        per_rater=per_rater,
        rater_correlation=repeats,
        level=1 - confidence,
        one_sided="one_sided" in given,
    )
