"""Marked text: errors written into a sentence, so that nobody has to count characters."""

from __future__ import annotations

import re

__all__ = ["unmark"]

MARK = re.compile(r"\{\{(?P<words>[^|{}]+)\|(?P<what>[^{}]+)\}\}")


def unmark(text: str) -> tuple[str, str]:
    """Give the plain text, and its marks as `start-end category severity; …` or `none`.

    Offsets count code points; the end is the first one that no longer belongs to the mark.

    >>> unmark("The train {{arrives|accuracy major}} at {{8.30|locale minor}}.")
    ('The train arrives at 8.30.', '10-17 accuracy major; 21-25 locale minor')
    >>> unmark("Good.")
    ('Good.', 'none')
    """
    plain, marks, last = "", [], 0
    for found in MARK.finditer(text):
        plain += text[last : found.start()]
        start = len(plain)
        plain += found["words"]
        marks.append(f"{start}-{len(plain)} {found['what']}")
        last = found.end()
    return plain + text[last:], "; ".join(marks) or "none"
