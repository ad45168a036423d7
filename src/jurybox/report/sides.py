"""Names written from right to left, in sentences that are read from left to right.

The report's own sentences are English, whatever the names in them: set by its first letter, one
that begins with an Arabic name would be read backward, and of "A − B" the two would change places.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = [
    "CLOSE",
    "OPEN",
    "as_read",
    "begins_from_right",
    "is_from_right",
    "parts_from_left",
    "set_apart",
]

OPEN, CLOSE = "\u2068", "\u2069"
"""What sets a name apart from what stands around it: first strong isolate, and its end."""
_RIGHT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
LETTER = re.compile(f"[{_RIGHT}]")
NAME = re.compile(f"[{_RIGHT}](?:[{_RIGHT}\\d_]|[- ./:](?=[{_RIGHT}\\d]))*")
"""Words from right to left, and the numbers among them; a comma parts two names."""
FROM_LEFT = re.compile(rf"([^\W_{_RIGHT}](?:[^{_RIGHT}]*[^\W_{_RIGHT}])?)")
"""Numbers and other words within what is read from right to left."""


def is_from_right(text: str) -> bool:
    """Whether most letters of a text are written from right to left.

    >>> is_from_right("اقرأ السؤال"), is_from_right("نموذج scores higher than the others")
    (True, False)
    """
    right = len(LETTER.findall(text))
    return right > 0 and 2 * right > sum(unicodedata.category(c)[0] == "L" for c in text)


def set_apart(text: str) -> str:
    """A text whose names from right to left keep their places, though their letters turn.

    >>> set_apart("أ − ب") == f"{OPEN}أ{CLOSE} − {OPEN}ب{CLOSE}"
    True
    """
    return NAME.sub(lambda found: f"{OPEN}{found[0]}{CLOSE}", text)


def as_read(text: str) -> str:
    """A text as it is read: names from the other side keep their places in it."""
    return text if is_from_right(text) else set_apart(text)


def begins_from_right(text: str) -> bool:
    """Whether the first letter of a text is one from right to left.

    >>> begins_from_right("2 אלף"), begins_from_right("a אלף")
    (True, False)
    """
    first = next((letter for letter in text if unicodedata.category(letter)[0] == "L"), "")
    return LETTER.match(first) is not None


def parts_from_left(text: str) -> list[str]:
    """A text read from right to left, cut so that every second part is read from left to right.

    >>> parts_from_left("אלף 2.5 בית")
    ['אלף ', '2.5', ' בית']
    """
    return FROM_LEFT.split(text)
