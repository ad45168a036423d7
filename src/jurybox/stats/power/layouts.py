"""How the answers for two systems are collected, and the questions about their means."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from jurybox.errors import OptionError
from jurybox.formats import digits_apart
from jurybox.results import format_count, format_number, format_percent
from jurybox.stats.equivalence import check_margin
from jurybox.stats.power.crossed import Components, Crossed, difference_se
from jurybox.stats.power.means import Spread, check_sd, mean_margin_power, mean_power
from jurybox.stats.power.proportions import check_share, share_margin_power, share_se
from jurybox.stats.power.size import Ask

__all__ = [
    "REPEATS",
    "Layout",
    "apart",
    "crossed",
    "mean_margin",
    "means",
    "same_items",
    "second_group",
    "share_margin",
    "sides",
    "two_groups",
]

REPEATS = (
    "The formula counts independent answers. Answers that repeat within raters or items are worth "
    "fewer; jurybox plan --detect simulates the crossed design."
)
CLOSED = (
    "A closed form for a balanced design; jurybox plan --detect simulates ties, several systems "
    "and the analysis itself."
)

Margin = Literal["equivalence", "noninferiority"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What n counts, and the standard error of a difference of means that n gives."""

    unit: str
    counted: Callable[[int], str]
    spread: Callable[[int], Spread]
    fewest: int
    notes: tuple[str, ...]
    second: Callable[[int], int] | None = None
    ceiling: str = "take a larger difference or a smaller power"


def apart(sd: float, ratio: float) -> Layout:
    """Answers of its own for each system."""
    check_sd(sd)
    other = second_group(ratio)
    return Layout(
        unit="answers of the first system",
        counted=two_groups(other),
        spread=lambda n: Spread.unpaired(sd, n, other(n)),
        fewest=2,
        notes=(
            f"The two systems have answers of their own, with a standard deviation of {sd:g}.",
            REPEATS,
        ),
        second=other,
    )


def same_items(sd: float, correlation: float) -> Layout:
    """Both systems on the same items, one answer each."""
    check_sd(sd)
    if not -1 < correlation < 1:
        raise OptionError(
            "correlation of the two systems' scores of an item must lie between -1 and 1; "
            f"got {correlation}"
        )
    return Layout(
        unit="items",
        counted=lambda n: f"{format_count(n, 'item')} with an answer for each system",
        spread=lambda n: Spread.paired(sd, correlation, n),
        fewest=2,
        notes=(
            f"Scores have a standard deviation of {sd:g}, and those of one item correlate by "
            f"{correlation:g}.",
            REPEATS,
        ),
    )


def crossed(raters: int, overlap: int, components: Components) -> Layout:
    """The same items and raters for both systems, ``overlap`` raters per output."""
    Crossed(items=2, raters=raters, overlap=overlap)
    if raters < 2:
        raise OptionError("one rater says nothing about other raters; take 2 or more raters")

    def spread(n: int) -> Spread:
        size = Crossed(items=n, raters=raters, overlap=overlap)
        return Spread(se=difference_se(n, raters, overlap, components), df=size.df)

    parts = components
    return Layout(
        unit="items",
        counted=lambda n: f"{format_count(n, 'item')} with {overlap} of {raters} raters per output",
        spread=spread,
        fewest=2,
        notes=(
            f"Standard deviations in points: items {parts.item_system:g}, raters "
            f"{parts.rater_system:g}, noise {parts.noise:g}.",
            CLOSED,
        ),
        ceiling=f"what {raters} raters differ in stays, however many items; take more raters",
    )


def means(layout: Layout, *, difference: float | None, level: float, one_sided: bool) -> Ask:
    """Whether two systems' mean scores differ."""
    if difference is not None and not (math.isfinite(difference) and difference != 0):
        raise OptionError(f"difference must be a number of points other than 0; got {difference}")
    return Ask(
        question="means",
        unit=layout.unit,
        counted=layout.counted,
        claim=lambda x: f"find a difference of {format_number(x, digits_apart(x, 0))} points",
        effect=difference,
        effect_name="difference",
        reach=lambda n, x: mean_power(x, layout.spread(n), level, one_sided=one_sided),
        method=f"t test, {sides(one_sided)}",
        notes=layout.notes,
        second=layout.second,
        fewest=layout.fewest,
        ceiling=layout.ceiling,
    )


def mean_margin(
    layout: Layout, kind: Margin, *, margin: float | None, difference: float, level: float
) -> Ask:
    """Whether a difference of mean scores stays within a margin."""
    check_margin(margin)
    _within(kind, margin, difference)

    def reach(n: int, width: float) -> float:
        low = -width - difference if kind == "equivalence" else None
        high = width - difference if kind == "equivalence" else width + difference
        return mean_margin_power(low, high, layout.spread(n), level)

    return Ask(
        question=kind,
        unit=layout.unit,
        counted=layout.counted,
        claim=lambda x: _claim(kind, f"{format_number(x)} points"),
        effect=margin,
        effect_name="margin",
        reach=reach,
        span=(max(0.0, _least(kind, difference)), math.inf),
        method=_tests(kind, "t test"),
        notes=(f"The true difference is {format_number(difference)} points.", *layout.notes),
        second=layout.second,
        fewest=layout.fewest,
        ceiling=layout.ceiling,
    )


def share_margin(
    kind: Margin,
    *,
    margin: float | None,
    first: float,
    second: float,
    ratio: float,
    level: float,
) -> Ask:
    """Whether a difference of two shares stays within a margin."""
    check_margin(margin)
    difference = check_share("first", first) - check_share("second", second)
    _within(kind, margin, difference)
    other = second_group(ratio)
    if first in (0, 1) and second in (0, 1):
        raise OptionError(
            f"shares of exactly 0 or 1 do not say how much they vary; got {first:g} and {second:g}"
        )

    def reach(n: int, width: float) -> float:
        low = -width - difference if kind == "equivalence" else None
        high = width - difference if kind == "equivalence" else width + difference
        return share_margin_power(low, high, share_se(first, second, n, other(n)), level)

    return Ask(
        question=kind,
        unit="answers of the first system",
        counted=two_groups(other),
        claim=lambda x: _claim(kind, f"{format_number(100 * x, 1)} percentage points"),
        effect=margin,
        effect_name="margin",
        reach=reach,
        span=(max(0.0, _least(kind, difference)), 2.0),
        method=_tests(kind, "normal test"),
        notes=(
            f"The true shares are {format_percent(first)} and {format_percent(second)}.",
            REPEATS,
        ),
        second=other,
    )


def _least(kind: Margin, difference: float) -> float:
    """The margin at which nothing can be shown."""
    return abs(difference) if kind == "equivalence" else -difference


def _within(kind: Margin, margin: float | None, difference: float) -> None:
    if not math.isfinite(difference):
        raise OptionError(f"difference must be a finite number; got {difference}")
    if margin is not None and _least(kind, difference) >= margin:
        raise OptionError(
            f"{kind} cannot be shown: a true difference of {difference:g} does not lie within the "
            f"margin of {margin:g}"
        )


def _claim(kind: Margin, margin: str) -> str:
    if kind == "equivalence":
        return f"show that the systems differ by less than {margin}"
    return f"show that the first system is worse by less than {margin}"


def _tests(kind: Margin, test: str) -> str:
    return f"two one-sided {test}s" if kind == "equivalence" else f"one-sided {test}"


def sides(one_sided: bool) -> str:
    """How many tails the test has, in words."""
    return "one-sided" if one_sided else "two-sided"


def second_group(ratio: float) -> Callable[[int], int]:
    """How many answers the second system has: ``ratio`` times the first's, rounded up."""
    if not (math.isfinite(ratio) and ratio > 0):
        raise OptionError(f"ratio must be a positive number of second to first; got {ratio}")
    return lambda n: max(1, math.ceil(n * ratio - 1e-9))


def two_groups(other: Callable[[int], int]) -> Callable[[int], str]:
    """The number in words, where each system has answers of its own."""

    def counted(n: int) -> str:
        if other(n) == n:
            return f"{format_count(n, 'answer')} for each system"
        return f"{format_count(n, 'answer')} for the first and {other(n):,} for the second system"

    return counted
