"""The questions that formulas answer, each with what it needs, counts and assumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from jurybox.errors import OptionError
from jurybox.formats import digits_apart
from jurybox.results import format_count, format_number, format_percent
from jurybox.stats.power.agreement_width import (
    bonett_half_width,
    bonett_items,
    fewest_for_bonett,
    kappa_half_width,
    kappa_items,
)
from jurybox.stats.power.crossed import design_effect
from jurybox.stats.power.detection import wilson_half_width
from jurybox.stats.power.layouts import REPEATS, second_group, sides, two_groups
from jurybox.stats.power.mcnemar import check_changes, mcnemar_items, mcnemar_powers
from jurybox.stats.power.proportions import check_share, cohen_h, h_power
from jurybox.stats.power.size import Ask
from jurybox.stats.power.win_rate import fewest_votes, sign_powers, votes

__all__ = ["agreement", "fooling", "fooling_against_real", "mcnemar", "proportions", "win_rate"]

LASTING = (
    "Exact power goes up and down with n: smaller numbers may reach the target too, but from this "
    "one on it never falls below."
)


def _apart(one: float, other: float) -> tuple[str, str]:
    """Two shares with as many digits as show that they differ."""
    digits = digits_apart(100 * one, 100 * other, 1)
    return format_percent(one, digits), format_percent(other, digits)


def win_rate(*, rate: float | None, level: float, one_sided: bool) -> Ask:
    """One system's votes against another's: a win rate against 50%."""
    if rate is not None:
        check_share("rate", rate)
        if rate == 0.5:
            raise OptionError("rate must differ from 0.5: at 0.5 there is nothing to find")
    return Ask(
        question="win_rate",
        unit="votes",
        counted=lambda n: format_count(n, "vote"),
        claim=lambda x: f"find a win rate of {_apart(x, 0.5)[0]} against 50%",
        effect=rate,
        effect_name="rate",
        span=(0.5, 1.0),
        reach=lambda n, x: float(
            sign_powers(np.array([float(n)]), x, level, one_sided=one_sided)[0]
        ),
        count=lambda x, power: votes(x, power=power, level=level, one_sided=one_sided),
        fewest=fewest_votes(level, one_sided=one_sided),
        method=f"exact binomial test, {sides(one_sided)}",
        notes=("Ties are left out before votes are counted.", REPEATS),
        lasting=LASTING,
    )


def proportions(
    *, first: float | None, second: float | None, ratio: float, level: float, one_sided: bool
) -> Ask:
    """Two shares of different answers."""
    if first is None:
        raise OptionError("proportions needs first, the share that the first system has")
    base = check_share("first", first)
    if second is not None and check_share("second", second) == base:
        raise OptionError(f"first and second must differ, or there is nothing to find; both {base}")
    other = second_group(ratio)
    return Ask(
        question="proportions",
        unit="answers of the first system",
        counted=two_groups(other),
        claim=lambda x: "tell {} from {}".format(*_apart(base, x)),
        effect=second,
        effect_name="second",
        span=(base, 1.0),
        reach=lambda n, x: h_power(cohen_h(base, x), n, other(n), level, one_sided=one_sided),
        second=other,
        method=f"normal test of Cohen's h, {sides(one_sided)}",
        notes=("The two systems have answers of their own.", REPEATS),
    )


def mcnemar(*, gains: float | None, losses: float | None, level: float, one_sided: bool) -> Ask:
    """Two systems on the same items, right or wrong."""
    if losses is None:
        raise OptionError(
            "mcnemar needs losses, the share of items that only the second gets right"
        )
    lost = losses
    if gains is not None:
        check_changes(gains, lost)
    elif not 0 <= lost < 0.5:
        raise OptionError(f"losses must be a share below 0.5 to find larger gains; got {lost}")
    return Ask(
        question="mcnemar",
        unit="items",
        counted=lambda n: format_count(n, "item"),
        claim=lambda x: "tell gains on {} of items from losses on {}".format(*_apart(x, lost)),
        effect=gains,
        effect_name="gains",
        span=(lost, 1 - lost),
        reach=lambda n, x: float(
            mcnemar_powers(np.array([float(n)]), x, lost, level, one_sided=one_sided)[0]
        ),
        count=lambda x, power: mcnemar_items(
            x, lost, power=power, level=level, one_sided=one_sided
        ),
        method=f"exact McNemar test, {sides(one_sided)}",
        notes=("One answer per item and system, right or wrong.", REPEATS),
        lasting=LASTING,
    )


def agreement(
    *,
    expected: float | None,
    level_of_scale: Literal["nominal", "ordinal", "interval"] | None,
    raters: int | None,
    shares: Sequence[float] | None,
    confidence: float,
) -> Ask:
    """The width of an interval of alpha or kappa."""
    if level_of_scale is None:
        raise OptionError(
            "agreement needs level: nominal (also for kappa), ordinal or interval, as the answers "
            "are; there is no default"
        )
    if raters is None or raters < 2:
        raise OptionError(f"agreement needs raters, 2 or more judges of each item; got {raters}")
    if expected is not None and not 0 <= expected < 1:
        raise OptionError(
            f"agreement must be the value to expect, 0 or more and below 1; got {expected}"
        )
    k, chosen = raters, _check_shares(shares, level_of_scale)
    notes = [
        "The width is that for these raters; raters like these need a wider one, which only more "
        "raters make narrower."
    ]
    if chosen is None:
        method = "Bonett's formula for an intraclass correlation"
        if level_of_scale == "ordinal":
            notes.append("Ordinal answers are taken as scores.")
    else:
        method = "large-sample variance of kappa over Dirichlet-multinomial answers"
        notes.append("Alpha of nominal answers, Fleiss' and Cohen's kappa have the same width.")

    def reach(n: int, value: float) -> float:
        if chosen is None:
            return bonett_half_width(n, value, k, confidence=confidence)
        return kappa_half_width(n, value, chosen, k, confidence=confidence)

    def count(value: float, half: float) -> int:
        if chosen is None:
            return bonett_items(half, value, k, confidence=confidence)
        return kappa_items(half, value, chosen, k, confidence=confidence)

    return Ask(
        question="agreement",
        goal="half_width",
        unit="items",
        counted=lambda n: f"{format_count(n, 'item')} judged by {k} raters each",
        claim=lambda x: f"give an agreement of {format_number(x)} an interval",
        effect=expected,
        effect_name="agreement",
        reach=reach,
        count=count,
        fewest=2 if chosen is not None else fewest_for_bonett(expected or 0.0, k),
        method=method,
        notes=tuple(notes),
    )


def _check_shares(
    shares: Sequence[float] | None, level: Literal["nominal", "ordinal", "interval"]
) -> tuple[float, ...] | None:
    if level not in ("nominal", "ordinal", "interval"):
        raise OptionError(f"level must be nominal, ordinal or interval; got {level!r}")
    if level != "nominal":
        if shares is not None:
            raise OptionError(f"shares belong to nominal answers; level is {level}")
        return None
    if shares is None:
        raise OptionError(
            "nominal answers need shares, how often each category is expected: 0.5, 0.3, 0.2"
        )
    given = tuple(float(share) for share in shares)
    if len(given) < 2 or not (all(share > 0 for share in given) and abs(sum(given) - 1) < 1e-6):
        raise OptionError(f"shares must be two or more, each above 0, and add up to 1; got {given}")
    return given


def fooling(
    *, rate: float | None, per_rater: float, rater_correlation: float, confidence: float
) -> Ask:
    """The width of the interval of a fooling rate."""
    if rate is not None:
        check_share("rate", rate)
    effect = design_effect(per_rater, rater_correlation)
    return Ask(
        question="fooling",
        goal="half_width",
        unit="answers about generated outputs",
        counted=lambda n: format_count(n, "answer") + " about generated outputs",
        claim=lambda x: f"give a fooling rate of {format_percent(x)} an interval",
        effect=rate,
        effect_name="rate",
        reach=lambda n, x: wilson_half_width(n, x, confidence=confidence, effect=effect),
        method=f"Wilson's interval, design effect {format_number(effect, 2)}",
        notes=(_repeats(per_rater, rater_correlation, effect),),
    )


def fooling_against_real(
    *,
    rate: float | None,
    real: float,
    ratio: float,
    per_rater: float,
    rater_correlation: float,
    level: float,
    one_sided: bool,
) -> Ask:
    """A fooling rate against how often real outputs are taken for real."""
    check_share("real", real)
    if rate is not None and check_share("rate", rate) == real:
        raise OptionError(f"rate and real must differ, or there is nothing to find; both {real}")
    other, effect = second_group(ratio), design_effect(per_rater, rater_correlation)
    return Ask(
        question="fooling",
        unit="answers about generated outputs",
        counted=lambda n: (
            f"{format_count(n, 'answer')} about generated and {other(n):,} about real outputs"
        ),
        claim=lambda x: "tell a fooling rate of {} from {} for real ones".format(*_apart(x, real)),
        effect=rate,
        effect_name="rate",
        span=(real, 0.0),
        reach=lambda n, x: h_power(
            cohen_h(x, real), n / effect, other(n) / effect, level, one_sided=one_sided
        ),
        second=other,
        method=(
            f"normal test of Cohen's h, {sides(one_sided)}, "
            f"design effect {format_number(effect, 2)}"
        ),
        notes=(
            "No difference found does not mean indistinguishable: that needs an equivalence "
            "within a margin.",
            _repeats(per_rater, rater_correlation, effect),
        ),
    )


def _repeats(per_rater: float, correlation: float, effect: float) -> str:
    if effect == 1:
        return REPEATS
    return (
        f"Each rater gives {per_rater:g} answers, any two of which correlate by {correlation:g}; "
        "jurybox plan --detect simulates the crossed design."
    )
