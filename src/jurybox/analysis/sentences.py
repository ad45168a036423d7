"""The words of findings: plain English with the estimate, its interval, p and n."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from jurybox.formats import format_confidence
from jurybox.results import Result, format_count, format_number, format_p
from jurybox.stats.clusters import THESE_RATERS

__all__ = [
    "ALPHA_WORDS",
    "KAPPA_ACTIONS",
    "KAPPA_WORDS",
    "between_words",
    "called",
    "claimed_p",
    "counted",
    "does",
    "evidence",
    "points",
    "rater_noun",
    "said_of",
    "these",
    "told_apart",
    "told_of",
    "undecided",
    "word_for",
]

KAPPA_WORDS = (
    (0.0, "worse than chance"),
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
    (float("inf"), "almost perfect"),
)
"""Landis and Koch (1977), doi:10.2307/2529310."""
KAPPA_ACTIONS = (
    (0.4, "calibrate the raters together"),
    (0.6, "aim for 0.6 before production"),
    (float("inf"), "go on"),
)
"""What a kappa below 0.4, up to 0.6 and above it asks for."""
ALPHA_WORDS = (
    (0.667, "too low to rely on"),
    (0.80, "tentative"),
    (float("inf"), "reliable"),
)
"""Krippendorff (2019), Content analysis, ch. 12: 0.667 tentative, 0.80 reliable."""


ALL_OUTPUTS = "all outputs"
"""The name of the only system of a table that names none."""
_NOUN = ContextVar("noun", default="rater")
PLURALS = {"gets": "get", "has": "have", "passes": "pass"}


@contextmanager
def told_of(noun: str) -> Iterator[None]:
    """Use this noun for those who answered in every sentence that is written meanwhile.

    It is not passed as an argument: all sentences of an analysis are about the same raters, and few
    of the functions that write them know who these are.
    """
    before = _NOUN.set(noun)
    try:
        yield
    finally:
        _NOUN.reset(before)


def rater_noun() -> str:
    """The noun for those who answered: rater, or judge where no person is among them."""
    return _NOUN.get()


def these(n: int | None) -> str:
    """The noun for those who answered, with its pronoun.

    >>> these(12), these(1)
    ('these raters', 'this rater')
    """
    return f"this {rater_noun()}" if n == 1 else f"these {rater_noun()}s"


def called(words: str) -> str:
    """The words of a statistic about raters, with the noun for those who answered."""
    return words.replace("rater", rater_noun())


def word_for(value: float, words: tuple[tuple[float, str], ...]) -> str:
    """The word of the named scale for a number.

    >>> word_for(0.35, KAPPA_WORDS), word_for(0.7, ALPHA_WORDS)
    ('fair', 'tentative')
    """
    return next(word for limit, word in words if value < limit)


def between_words(result: Result, words: tuple[tuple[float, str], ...]) -> str:
    """The words at both ends of the interval: one word if they are the same."""
    if result.interval is None:
        return word_for(result.estimate or 0.0, words)
    low, high = (word_for(v, words) for v in (result.interval.low, result.interval.high))
    return low if low == high else f"between {low} and {high}"


def does(system: str, verb: str) -> str:
    """A system with what it does; a table without systems has one that is all its outputs.

    >>> does("new", "has"), does("all outputs", "has")
    ('new has', 'All outputs have')
    """
    if system != ALL_OUTPUTS:
        return f"{system} {verb}"
    return f"All outputs {PLURALS[verb]}"


def counted(result: Result, noun: str) -> str:
    """`400 votes, 24 raters, 100 items`."""
    parts = [
        format_count(n, name)
        for name, n in ((noun, result.n_responses), (rater_noun(), result.n_raters))
        if n is not None
    ]
    if result.n_items is not None:
        parts.append(format_count(result.n_items, "item"))
    return ", ".join(parts)


def evidence(
    result: Result, *, noun: str | None = "response", p: float | None = None, adjusted: bool = False
) -> str:
    """What stands in parentheses after a claim: the interval, p, n; never a number without them."""
    parts = []
    joint = getattr(result, "simultaneous", None) if adjusted else None
    shown = joint or result.interval
    if shown is not None:
        confidence = format_confidence(shown.confidence)
        bounds = result.ends(shown)
        # By Holm the interval is this pair's own, while p pays for the whole family.
        kind = "pairwise interval" if adjusted else "interval"
        parts.append(f"{confidence} {'simultaneous interval' if joint else kind} {bounds}")
    elif result.undefined:
        parts.append(f"no interval: {result.undefined}")
    if result.these_raters is not None and result.interval is not None:
        bounds = result.ends(result.these_raters)
        # One that holds for the whole family is not computed for these raters.
        pair = " and this pair" if joint else ""
        parts.append(f"for these {rater_noun()}s{pair} alone {bounds}")
    if p is not None:
        rule = "" if not adjusted else " by max-t" if joint else " by Holm"
        parts.append(format_p(p) + rule)
    if noun is not None:
        n = counted(result, noun)
        parts += [n] if n else []
    return f"({'; '.join(parts)})"


def undecided(result: Result, one: str, two: str, on: str = "") -> str:
    """How a comparison begins that tells nothing: what has no interval was not even tested."""
    if result.interval is None:
        return f"Whether {one} and {two} differ{on} cannot be said"
    return f"{one} and {two} are not told apart{on}"


def said_of(result: Result, **how: Any) -> str:
    """The evidence of agreement, which with few raters speaks for them alone and says so."""
    said = evidence(result, **how)
    if result.interval is None or result.interval.generalizes_to != THESE_RATERS:
        return said
    return said.replace("% interval ", f"% interval for these {rater_noun()}s ", 1)


def claimed_p(result: Any, *, primary: bool = False) -> tuple[float | None, bool]:
    """The p that a claim rests on, and whether it is adjusted for the claim's family.

    The primary contrast is tested alone; so is the only one of its family.
    """
    adjusted = None if primary else result.p_adjusted
    return (result.p, False) if adjusted is None else (adjusted, True)


def points(value: float) -> str:
    """A difference of shares in percentage points."""
    return f"{format_number(100 * value, 1)} points"


def told_apart(result: Result, *, null: float, p: float | None, confidence: float) -> bool:
    """Whether the interval leaves the null value out, and the adjusted p agrees."""
    shown = result.claimed
    if shown is None:
        return False
    outside = not shown.low <= null <= shown.high
    return outside and (p is None or p < 1 - confidence)
