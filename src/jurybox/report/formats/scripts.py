"""Letters that cannot be shown, told by the script they belong to."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

__all__ = ["by_script"]

NAMED = 5
"""How many letters of a script are named; the others are counted."""

SYMBOLS = "signs and symbols"


def by_script(letters: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Letters grouped by script; the key names the script and the first of its letters.

    >>> list(by_script("漢字א"))
    ['Hebrew (א)', 'Han (字 漢)']
    """
    scripts: dict[str, list[str]] = {}
    for letter in sorted(set(letters)):
        scripts.setdefault(script_of(letter), []).append(letter)
    return {f"{script} ({_some(found)})": tuple(found) for script, found in scripts.items()}


def _some(letters: list[str]) -> str:
    more = len(letters) - NAMED
    named = " ".join(map(_named, letters[:NAMED]))
    return f"{named} and {more:,} more" if more > 0 else named


def _named(letter: str) -> str:
    """The letter itself; its code, where alone it would not be seen."""
    return f"U+{ord(letter):04X}" if unicodedata.category(letter)[0] in "MCZ" else letter


def script_of(letter: str) -> str:
    """The script of a letter, from its name in Unicode.

    >>> script_of("漢"), script_of("ᚠ"), script_of("𓀀"), script_of("\ufe0f")
    ('Han', 'Runic', 'Egyptian', 'signs and symbols')
    """
    name = unicodedata.name(letter, "")
    # U+FE0F only asks for the colored form of the sign before it.
    is_sign = not name or name.startswith("VARIATION SELECTOR")
    if is_sign or unicodedata.category(letter)[0] not in "LM":
        return SYMBOLS
    if name.startswith("CJK"):
        return "Han"
    return name.split(" ")[0].title()
