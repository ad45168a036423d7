"""A condition of a gate: what must be so of a system, and how its verdict is said."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from jurybox.analysis.sentences import counted, points
from jurybox.errors import OptionError
from jurybox.formats import digits_apart, format_confidence
from jurybox.results import Result, format_number, format_percent

__all__ = ["KINDS", "Condition", "Kind", "Verdict", "verdict_sentence"]

Kind = Literal["win-rate", "mean", "pass-rate", "fooling-rate", "difference"]
Side = Literal["above", "below", "non-inferior"]
Verdict = Literal["shown", "shown false", "undecided", "undefined"]
KINDS: dict[Kind, tuple[str, ...]] = {
    "win-rate": ("SYSTEM", "OTHER"),
    "mean": ("SYSTEM", "CRITERION"),
    "pass-rate": ("SYSTEM", "CRITERION"),
    "fooling-rate": ("SYSTEM",),
    "difference": ("SYSTEM", "OTHER", "CRITERION"),
}
"""What each kind of condition is about."""
SHARES = ("win-rate", "pass-rate", "fooling-rate")
NOUNS = {"win-rate": "vote", "fooling-rate": "answer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What must be so: `win-rate new old above 0.5`."""

    kind: Kind
    names: tuple[str, ...]
    side: Side
    threshold: float

    def __post_init__(self) -> None:
        wanted = KINDS[self.kind]
        if len(self.names) != len(wanted):
            raise OptionError(f"--{self.kind} takes {' '.join(wanted)}; got {self.names}")
        if self.side == "non-inferior":
            if self.kind not in ("win-rate", "difference"):
                raise OptionError(
                    f"--non-inferior compares two systems, and --{self.kind} is about one: use "
                    "--difference SYSTEM OTHER CRITERION or --win-rate SYSTEM OTHER"
                )
            most = 0.5 if self.kind == "win-rate" else float("inf")
            if not 0 < self.threshold < most:
                below = " below 0.5" if self.kind == "win-rate" else ""
                raise OptionError(
                    f"--non-inferior takes a positive margin{below}; got {self.threshold:g}"
                )
        elif self.kind in SHARES and not 0 < self.threshold < 1:
            raise OptionError(
                f"--{self.kind} is a share: --{self.side} takes a number between 0 and 1 "
                f"(0.5 is 50%); got {self.threshold:g}"
            )
        if len(self.systems) == 2 and self.systems[0] == self.systems[1]:
            raise OptionError(f"--{self.kind} takes two systems; got {self.names[0]} twice")

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems it is about."""
        return self.names[: 2 if self.kind in ("win-rate", "difference") else 1]

    @property
    def criterion(self) -> str | None:
        """The criterion it names."""
        return self.names[-1] if KINDS[self.kind][-1] == "CRITERION" else None


def verdict_sentence(
    condition: Condition,
    result: Result,
    verdict: Verdict,
    bound: float,
    confidence: float,
    *,
    above: bool,
    why: str | None,
    of_marks: bool = False,
) -> str:
    """The verdict with the estimate, the bound that decides, and the counts; or why it is open.

    ``of_marks``: the mean or the difference is one of error points.
    """
    share = condition.kind in SHARES

    def shown(value: float, beside: float) -> str:
        # Near the threshold, as many digits as show on which side a bound lies.
        if share:
            return format_percent(value, digits_apart(100 * value, 100 * beside, 1))
        return format_number(value, digits_apart(value, beside))

    side = "above" if above else "below"
    claim = f"{side} {_as_given(bound, share=share)}"
    if condition.side == "non-inferior":
        claim += _inferior(condition, verdict, share=share)
    what = _quantity(condition, of_marks=of_marks)
    interval = result.interval
    if interval is None or why is not None:
        value = "" if result.estimate is None else f" ({shown(result.estimate, bound)})"
        return f"{verdict.capitalize()}: whether {what} is {claim}{value}: {why}."
    estimate = shown(result.estimate or 0.0, bound)
    percent = format_confidence(confidence)
    low, high = shown(interval.low, bound), shown(interval.high, bound)
    noun = "marked output" if of_marks else NOUNS.get(condition.kind, "rating")
    counts = counted(result, noun)
    if verdict == "undecided":
        said = f"({estimate}; at least {low} and at most {high}, each with {percent} confidence"
        return f"Undecided: whether {what} is {claim} {said}; {counts})."
    at_least = above == (verdict == "shown")
    limit = f"at least {low}" if at_least else f"at most {high}"
    no = "" if verdict == "shown" else "not "
    said = f"({estimate}; {limit} with {percent} confidence, one-sided; {counts}"
    return f"{verdict.capitalize()}: {what} is {no}{claim} {said})."


def _inferior(condition: Condition, verdict: Verdict, *, share: bool) -> str:
    """What follows for the system that should be no worse."""
    size = points(condition.threshold) if share else f"{condition.threshold:g}"
    so = "so" if verdict in ("shown", "shown false") else "so that"
    no = "" if verdict == "shown false" else "not "
    return f", {so} {condition.names[0]} is {no}inferior by {size} or more"


def _as_given(threshold: float, *, share: bool) -> str:
    """A threshold in all its digits: rounded, a bound beside it could lie on its other side."""
    value = round(100 * threshold, 12) if share else threshold
    usual = 1 if share else 3
    digits = max(usual, -int(Decimal(repr(value)).normalize().as_tuple().exponent))
    return format_percent(value / 100, digits) if share else format_number(value, digits)


def _quantity(condition: Condition, *, of_marks: bool) -> str:
    one = condition.names[0]
    if condition.kind == "win-rate":
        return f"the win rate of {one} against {condition.names[1]}"
    if condition.kind == "difference":
        points = "in error points " if of_marks else ""
        return f"the difference {one} − {condition.names[1]} {points}on {condition.criterion}"
    noun = {"mean": "mean number of error points" if of_marks else "mean score"}
    noun |= {"pass-rate": "pass rate", "fooling-rate": "fooling rate"}
    on = "" if condition.criterion is None else f" on {condition.criterion}"
    return f"the {noun[condition.kind]} of {one}{on}"
