"""Cells of foreign tables: how they are compared with words, and named in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from jurybox.tally.source import quote

__all__ = [
    "CLOSED",
    "SHOWN",
    "as_text",
    "compared",
    "fits",
    "is_number",
    "joined_text",
    "listed",
    "spellings",
    "starred",
]

CLOSED = {
    "winner": ("a", "b", "tie", "both_bad"),
    "first": ("a", "b"),
    "truth": ("real", "generated"),
    "answer": ("real", "generated"),
    "rater_kind": ("person", "judge"),
    "status": ("answered", "skipped", "unusable", "late", "superseded"),
}
"""Columns whose words are all known: any other word needs a meaning."""
SHOWN = 12
"""Columns or values listed in a sentence."""


def as_text(column: str) -> str:
    """A cell as text, in SQL."""
    return f"CAST({quote(column)} AS VARCHAR)"


def joined_text(column: str, kind: str) -> str:
    """A cell as text; what stands in a list is joined."""
    if kind.endswith("[]"):
        return f"array_to_string({quote(column)}, ', ')"
    return as_text(column)


def compared(column: str, name: str) -> str:
    """A cell as it is compared with words: trimmed, and where case means nothing, lowered."""
    words = f"nullif(trim({as_text(name)}), '')"
    return f"lower({words})" if column in CLOSED else words


def spellings(column: str, word: str) -> list[str]:
    """How a word of a map may stand in the table: 1 also as 1.0."""
    word = word.strip().lower() if column in CLOSED else word.strip()
    found = [word]
    if is_number(word):
        value = float(word)
        found.append(repr(value))
        found += [str(int(value))] if value.is_integer() else []
    return list(dict.fromkeys(found))


def is_number(word: str) -> bool:
    """Whether a word is a finite number."""
    try:
        value = float(word)
    except ValueError:
        return False
    return value == value and abs(value) != float("inf")


def fits(column: str, pattern: str) -> bool:
    """Whether a pattern names a column, whatever its case, as a name does."""
    return fnmatchcase(column.strip().lower(), pattern.strip().lower())


def starred(column: str, patterns: Sequence[str]) -> str:
    """What the only star of the pattern that names a column stands for; else its whole name."""
    for pattern in patterns:
        before, star, after = pattern.partition("*")
        if star and fits(column, pattern) and not any(m in before + after for m in "*?["):
            return column[len(before) : len(column) - len(after)] or column
    return column


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first."""
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
