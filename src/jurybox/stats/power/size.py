"""The answer to "how many": a number, the power or width it reaches, and what it assumes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from jurybox.drawing import draw_curve
from jurybox.errors import OptionError
from jurybox.results import Result, format_number, format_percent, show_text
from jurybox.stats.distributions import check_confidence

__all__ = ["Ask", "SampleSize", "solve"]

POWER = 0.8
MOST = 10**9
STEPS = (0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0)
"""Of the number given, in the table around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSize(Result):
    """How many are needed, what a given number reaches, or the smallest difference it finds.

    ``estimate`` is whatever was asked for: ``n``, ``power`` (or ``half_width``) or ``effect``.
    """

    label: ClassVar[str] = "how many"

    question: str
    asked: Literal["n", "power", "half_width", "effect"]
    sentence: str
    method: str
    n: int
    """Of what ``unit`` counts: the first system's, where two systems have answers of their own."""
    n_second: int | None = None
    unit: str
    effect: float | None = None
    """What is to be found: a win rate, a difference, a margin, an agreement."""
    power: float | None = None
    half_width: float | None = None
    confidence: float = 0.95
    around: tuple[tuple[int, float], ...] = ()
    """Other numbers, with the power or half-width that they reach."""

    def short(self) -> str:
        """The sentence."""
        return self.sentence

    def __str__(self) -> str:
        lines = [self.sentence, f"  {self.method}, confidence {self.confidence:g}"]
        if self.around:
            head = "power" if self.half_width is None else "half-width"
            rows = [(self.unit, head), *((f"{n:,}", self._shown(x)) for n, x in self.around)]
            wide = [max(len(row[i]) for row in rows) for i in (0, 1)]
            lines += ["", *(f"  {a.rjust(wide[0])}  {b.rjust(wide[1])}" for a, b in rows), ""]
        lines += [f"  note: {note}" for note in self.notes]
        return show_text("\n".join(lines))

    def _shown(self, value: float) -> str:
        return format_percent(value) if self.half_width is None else format_number(value)

    def chart(self) -> Any:
        """What the numbers around reach, as an Altair chart."""
        goal = "power" if self.half_width is None else "half-width"
        return draw_curve(self.around, self.sentence, x=self.unit, y=goal)

    def to_markdown(self) -> str:
        """The sentence, the table around it and the notes."""
        head = "power" if self.half_width is None else "half-width"
        rows = [f"| {self.unit} | {head} |", "|---:|---:|"]
        rows += [f"| {n:,} | {self._shown(value)} |" for n, value in self.around]
        said = [f"{self.sentence} ({self.method}, confidence {self.confidence:g})", ""]
        return show_text("\n".join([*said, *rows, "", *(f"- {note}" for note in self.notes)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question, ready to be solved for whichever of its numbers is missing."""

    question: str
    unit: str
    counted: Callable[[int], str]
    """The number with its noun, as the sentence begins."""
    claim: Callable[[float], str]
    """What these many do, given the effect: `find a win rate of 55.0%`."""
    effect: float | None
    effect_name: str
    reach: Callable[[int, float], float]
    """The power, or the half-width, of n at an effect."""
    method: str
    notes: tuple[str, ...]
    goal: Literal["power", "half_width"] = "power"
    span: tuple[float, float] = (0.0, math.inf)
    """From an effect that nothing can find to the largest there is."""
    fewest: int = 1
    most: int | None = None
    widest: float = 1.0
    """The largest half-width there is."""
    count: Callable[[float, float], int] | None = None
    """The number for an effect and a power, where it is not a matter of the first n that does."""
    lasting: str | None = None
    """What to know of a number that ``count`` gives."""
    second: Callable[[int], int] | None = None
    ceiling: str = "take a larger difference or a smaller power"
    """What to change where no number is enough."""


def solve(
    ask: Ask,
    *,
    n: int | None = None,
    power: float | None = None,
    half_width: float | None = None,
    confidence: float = 0.95,
) -> SampleSize:
    """The missing number: how many, what these many reach, or the smallest effect they find."""
    check_confidence(confidence)
    if n is not None and not (math.isfinite(n) and n >= ask.fewest and n == int(n)):
        raise OptionError(f"n must be a whole number, at least {ask.fewest} {ask.unit}; got {n}")
    if n is not None and ask.most is not None and n > ask.most:
        raise OptionError(f"n must be at most {ask.most:,} {ask.unit}; got {n:,}")
    if ask.goal == "half_width":
        return _width(ask, n, half_width, confidence)
    target = _check_power(power, confidence)
    if n is not None and ask.effect is not None:
        if power is not None:
            raise OptionError(
                f"{ask.question}: leave out one of n, power and {ask.effect_name}; that one is "
                "then found"
            )
        reached = ask.reach(n, ask.effect)
        return _made(ask, "power", reached, n, ask.effect, reached, confidence)
    if n is not None:
        effect = _smallest_effect(ask, n, target)
        return _made(ask, "effect", effect, n, effect, ask.reach(n, effect), confidence)
    if ask.effect is None:
        raise OptionError(
            f"{ask.question} needs {ask.effect_name}, or n to find the smallest that n can find"
        )
    found = (ask.count or _first(ask))(ask.effect, target)
    reached = ask.reach(found, ask.effect)
    return _made(ask, "n", float(found), found, ask.effect, reached, confidence)


def _check_power(power: float | None, confidence: float) -> float:
    if power is None:
        return POWER
    if not 1 - confidence < power < 1:
        raise OptionError(
            f"power must lie above {1 - confidence:g}, which chance alone gives at a confidence of "
            f"{confidence:g}, and below 1; got {power}"
        )
    return power


def _width(ask: Ask, n: int | None, half_width: float | None, confidence: float) -> SampleSize:
    if ask.effect is None:
        raise OptionError(f"{ask.question} needs {ask.effect_name}, the value to expect")
    if n is not None and half_width is None:
        reached = ask.reach(n, ask.effect)
        return _made(ask, "half_width", reached, n, ask.effect, reached, confidence)
    if half_width is None or n is not None:
        raise OptionError(f"{ask.question} needs half_width or n, and finds the other")
    if not 0 < half_width < ask.widest:
        must = "lie between 0 and 1" if ask.widest == 1 else "be above 0"
        raise OptionError(f"half_width must {must}; got {half_width}")
    found = (ask.count or _first(ask))(ask.effect, half_width)
    reached = ask.reach(found, ask.effect)
    return _made(ask, "n", float(found), found, ask.effect, reached, confidence)


def _first(ask: Ask) -> Callable[[float, float], int]:
    """The smallest n that reaches a target, where more never reach less."""

    def count(effect: float, target: float) -> int:
        def enough(n: int) -> bool:
            got = ask.reach(n, effect)
            return got <= target if ask.goal == "half_width" else got >= target

        low, high = ask.fewest - 1, ask.fewest
        while not enough(high):
            low, high = high, 2 * high
            if high > MOST:
                what, instead = ("a power", ask.ceiling)
                if ask.goal == "half_width":
                    what, instead = "a half-width", "take a larger half-width"
                raise OptionError(
                    f"{ask.question}: up to {MOST:,} {ask.unit} do not reach {what} of {target:g}; "
                    f"{instead}"
                )
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high

    return count


def _smallest_effect(ask: Ask, n: int, target: float) -> float:
    low, high = ask.span
    if math.isinf(high):
        high = low + 1.0
        while ask.reach(n, high) < target and high < MOST:
            high *= 2
    if ask.reach(n, high) < target:
        raise OptionError(
            f"{ask.question}: {ask.counted(n)} find no {ask.effect_name} at all with a power of "
            f"{target:g}; take a larger n"
        )
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if ask.reach(n, middle) >= target else (middle, high)
    return high


def _made(
    ask: Ask,
    asked: Literal["n", "power", "half_width", "effect"],
    answer: float,
    n: int,
    effect: float,
    reached: float,
    confidence: float,
) -> SampleSize:
    power = reached if ask.goal == "power" else None
    if power is None:
        ending = f"with a half-width of {format_number(reached)}"
    else:
        ending = f"with a power of {format_percent(reached)}"
    counts = dict.fromkeys(max(ask.fewest, round(step * n)) for step in STEPS)
    if ask.most is not None:
        counts = dict.fromkeys(min(ask.most, count) for count in counts)
    return SampleSize(
        estimate=answer,
        undefined="a plan has no interval",
        question=ask.question,
        asked=asked,
        sentence=f"{ask.counted(n)} {ask.claim(effect)} {ending}.",
        method=ask.method,
        n=n,
        n_second=None if ask.second is None else ask.second(n),
        unit=ask.unit,
        effect=effect,
        power=power,
        half_width=None if power is not None else reached,
        confidence=confidence,
        around=tuple((count, ask.reach(count, effect)) for count in counts),
        notes=(ask.lasting, *ask.notes) if ask.lasting and asked == "n" else ask.notes,
    )
