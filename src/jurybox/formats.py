"""How numbers and texts are shown to a person: everywhere, and in one way only."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import chain

__all__ = [
    "digits_alone",
    "digits_apart",
    "digits_together",
    "digits_within",
    "format_confidence",
    "format_count",
    "format_number",
    "format_p",
    "format_percent",
    "format_seconds",
    "in_words",
    "is_formula",
    "joined",
    "show_text",
    "text_cell",
]

MOST_DIGITS = 12
"""What lies below is rounding noise on most scales."""

# Control characters but tab and line feed, what turns the direction of text around, and what no
# XML may hold, hence no chart.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]"
)

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What spreadsheets take for the beginning of a formula, in full width too."""


def format_number(value: float | None, digits: int = 3) -> str:
    """Print a number with a true minus sign and fixed digits; ``None`` as an en dash.

    >>> format_number(-0.25, 2), format_number(None), format_number(-0.0001, 2)
    ('−0.25', '–', '0.00')
    """
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def format_count(count: int, noun: str, plural: str | None = None) -> str:
    """Print a count with its noun.

    >>> format_count(1, "vote"), format_count(1200, "vote")
    ('1 vote', '1,200 votes')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def in_words(allowed: Iterable[object]) -> str:
    """List alternatives in a sentence.

    >>> in_words(["a", "b", "c"])
    'a, b or c'
    """
    return _in_a_row(allowed, "or")


def joined(parts: Iterable[object]) -> str:
    """List in a sentence what holds together.

    >>> joined("a"), joined("ab"), joined("abc")
    ('a', 'a and b', 'a, b and c')
    """
    return _in_a_row(parts, "and")


def _in_a_row(parts: Iterable[object], last: str) -> str:
    words = [str(part) for part in parts]
    return " ".join([", ".join(words[:-1]), last, words[-1]]) if len(words) > 1 else "".join(words)


def format_percent(value: float | None, digits: int = 1) -> str:
    """Print a share as a percentage.

    >>> format_percent(0.5781)
    '57.8%'
    """
    return "–" if value is None else f"{format_number(100 * value, digits)}%"


def format_confidence(confidence: float) -> str:
    """Print a confidence with the digits that were stated, and none as 100%.

    >>> [format_confidence(each) for each in (0.95, 0.995, 1 - 0.05 / 3, 0.99999)]
    ['95%', '99.5%', '98.3%', '99.999%']
    """
    percent = round(100 * confidence, 9)
    stated = (digits for digits in range(4) if round(percent, digits) == percent)
    enough = (digits for digits in range(1, 10) if round(percent, digits) < 100)
    digits = next(chain(stated, enough), 9)
    return f"{percent:.{digits}f}%"


def digits_apart(value: float, other: float, digits: int = 3) -> int:
    """How many digits, ``digits`` or more, show that two numbers differ.

    >>> digits_apart(0.25, 0), digits_apart(50.0014, 50, 1), digits_apart(1.0, 1.0, 2)
    (3, 3, 2)
    """
    most = digits + 12
    return next(
        (d for d in range(digits, most) if format_number(value, d) != format_number(other, d)),
        digits,
    )


def digits_within(low: float, high: float) -> int:
    """How many digits a number deserves whose interval has these ends.

    About three of the half-width's own digits: where it is 4, nobody needs thousandths. What lies
    between −1 and 1, as correlations do, has three at least. Where three would not tell the ends
    apart, there are as many as show two of the half-width's. An end next to 0 has as many as show
    that it is not 0.

    >>> digits_within(4.1, 4.2), digits_within(0.3, 1.7), digits_within(55, 64)
    (3, 2, 1)
    >>> digits_within(0.0011, 1.1517), digits_within(0, 1.1517)
    (3, 2)
    >>> digits_within(-0.6, 0.999), digits_within(0.59201, 0.59273), digits_within(2e-9, 4e-9)
    (3, 5, 10)
    """
    half_width = (high - low) / 2
    if 0 < half_width < 0.0005:
        return min(MOST_DIGITS, 1 + math.ceil(-math.log10(half_width)))
    digits = 2 if half_width < 2 else 1
    if not math.isfinite(half_width) or half_width < 0.5 or (low >= -1 and high <= 1):
        digits = 3
    return max(_digits_beside(0, end, digits) for end in (low, high))


def _digits_beside(limit: float, value: float, digits: int) -> int:
    """The digits that show on which side of the limit a value lies, rounding noise aside."""
    apart = digits_apart(value, limit, digits)
    return apart if apart <= digits + 3 else digits


def digits_together(ends: Iterable[tuple[float, float]]) -> int | None:
    """How many digits a column has with these intervals; ``None`` for a column of none.

    What most of them deserve, and two of the narrowest half-width's own: one number that is known
    well gives the others no more digits that mean nothing. No end is printed as 0 that is not.

    >>> digits_together([(6.4, 7.3), (49, 72), (22, 37)]), digits_together([(49, 72), (22, 37)])
    (2, 1)
    >>> digits_together([(0.70, 0.72), (38, 62), (22, 37)]), digits_together([])
    (3, None)
    >>> digits_together([(0.0011, 1.1517), (0.25, 1.41), (-0.5, 1)])
    3
    """
    known = [(low, high) for low, high in ends if low < high]
    if not known:
        return None
    digits = sorted(digits_within(low, high) for low, high in known)
    half_width = min(high - low for low, high in known) / 2
    narrow = 1 - math.floor(math.log10(half_width)) if math.isfinite(half_width) else 0
    shared = max(digits[len(digits) // 2], min(narrow, digits[-1]))
    return max(_digits_beside(0, end, shared) for bounds in known for end in bounds)


def digits_alone(values: Iterable[float]) -> int:
    """How many digits numbers deserve that have no interval.

    Three of the largest one's own, and as many as keep the smallest from looking like nothing, but
    three at most.

    >>> digits_alone([0.83]), digits_alone([4.2, 0]), digits_alone([73.8, 9.1])
    (3, 2, 1)
    >>> digits_alone([14.583, 0.025])
    2
    """
    sizes = [abs(value) for value in values if value]
    largest, smallest = max(sizes, default=0.0), min(sizes, default=1.0)
    digits = 3 if largest <= 1 else 2 if largest < 10 else 1
    while digits < 3 and round(smallest, digits) == 0:
        digits += 1
    return digits


def format_seconds(value: float | None) -> str:
    """Print a time as a stopwatch would: tenths of a second.

    >>> format_seconds(9.421)
    '9.4'
    """
    return format_number(value, 1)


def format_p(p: float | None) -> str:
    """Print a p-value: three digits, or as many as tell it from 0.05; never 0 and never a star.

    >>> format_p(0.0312), format_p(0.00001), format_p(0.0496)
    ('p = 0.031', 'p < 0.001', 'p = 0.0496')
    """
    if p is None:
        return "p –"
    return "p < 0.001" if p < 0.001 else f"p = {p:.{_digits_beside(0.05, p, 3)}f}"


def show_text(text: str) -> str:
    r"""Print what a text holds: characters that would steer a terminal or a page are named.

    The names are JSON's, so that strict JSON means the same before and after.

    >>> show_text("\x1b[31mred")
    '\\u001b[31mred'
    """
    return UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def is_formula(text: str) -> bool:
    r"""Whether a spreadsheet may run a text as a formula; some look for one behind spaces too.

    >>> [is_formula(text) for text in ("=1+1", " @cmd", "\uff1d1+1", "\tx", "a=1", "")]
    [True, True, True, True, False, False]
    """
    return text.startswith(("\t", "\r", "\n")) or text.lstrip().startswith(FORMULA)


def text_cell(text: str) -> str:
    """A text as a cell that no spreadsheet runs: what begins like a formula gets an apostrophe.

    >>> text_cell("=1+1"), text_cell("Ada")
    ("'=1+1", 'Ada')
    """
    return f"'{text}" if is_formula(text) else text
