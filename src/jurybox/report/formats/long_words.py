"""Where a word that may be longer than its line can go on in the next one."""

from __future__ import annotations

import re

__all__ = ["LONG", "cell_with_breaks", "pieces", "with_breaks"]

LONG = re.compile(r"(\S{20,})")
"""Words that may not fit into a line: addresses, names of models, and what is no word at all."""
BETWEEN = re.compile(r"""(?<=[/.,;:=&?_>)\]}|+*!#%@-])(?=[^\W_]|[<({\["'$\\])""")
"""Where such a word may go on in the next line: after a sign that nobody misses at its end."""
NO_WORD = re.compile(r"\S{25,}")
"""What has no such sign for so long goes on anywhere, as no language divides it."""
SOME = re.compile(r"(?:\S[\u0300-\u036f]*){1,8}")
BREAK = "\N{ZERO WIDTH SPACE}"
ALPHABETS = "0-9;-\u024f\u0300-\u052f"
"""Signs and letters of scripts whose words have spaces between them."""
CELL = re.compile(rf"[!-/:{ALPHABETS}]{{25,}}")
"""What a column of a table may be too narrow for."""
UNBROKEN = re.compile(rf"[!-,{ALPHABETS}]{{25,}}")
"""What no line can end in: without a stroke, dot, colon or dash, so that addresses stay whole."""


def pieces(word: str) -> list[str]:
    """A long word in the pieces that a line can end with.

    >>> pieces("models/" + "x" * 26)
    ['models/', 'xxxxxxxx', 'xxxxxxxx', 'xxxxxxxx', 'xx']
    """
    parts = BETWEEN.split(word)
    return [
        piece for part in parts for piece in (SOME.findall(part) if NO_WORD.match(part) else [part])
    ]


def with_breaks(text: str) -> str:
    r"""A text in which a line may end where it otherwise could nowhere.

    >>> with_breaks("a_name_of_twenty_six_letters").split("\N{ZERO WIDTH SPACE}")
    ['a_', 'name_', 'of_', 'twenty_', 'six_', 'letters']
    >>> with_breaks("doi:10.1080/01621459.1937.10503522")
    'doi:10.1080/01621459.1937.10503522'
    """
    return UNBROKEN.sub(lambda found: BREAK.join(pieces(found[0])), text)


def cell_with_breaks(text: str) -> str:
    r"""A cell in which a line may also end after a stroke, a dot, a colon or a dash.

    >>> cell_with_breaks("some.name.of.a.model.2026").split("\N{ZERO WIDTH SPACE}")
    ['some.', 'name.', 'of.', 'a.', 'model.', '2026']
    """
    return CELL.sub(lambda found: BREAK.join(pieces(found[0])), text)
