"""How sentences are laid out in the terminal."""

from __future__ import annotations

import re

from jurybox.cli.terminal import fold
from jurybox.results import show_text

__all__ = ["bullet", "paragraph"]

GLUE = "\N{NO-BREAK SPACE}"


def bullet(sentence: str, width: int, *, indent: int = 0, mark: str = "•") -> str:
    """The sentence behind a bullet, its further lines indented."""
    first = f"{' ' * indent}{mark} "
    return _wrap(sentence, width, first=first, rest=" " * len(first))


def paragraph(sentence: str, width: int) -> str:
    """The sentence in lines of its own."""
    return _wrap(sentence, width, first="", rest="")


def _wrap(sentence: str, width: int, *, first: str, rest: str) -> str:
    """Break into lines; `p = 0.726` stays on one of them, and no word stands alone on the last."""
    glued = re.sub(r" ([=<±]) ", rf"{GLUE}\1{GLUE}", show_text(sentence))
    glued = re.sub(rf" (?=[^ {GLUE}]+$)", GLUE, glued)
    # By the columns that signs take, which textwrap does not know: Chinese ones take two.
    folded = fold(re.sub(r"[\t\r\n]", " ", glued), width - len(first))
    lines = [f"{rest if number else first}{line}" for number, line in enumerate(folded)]
    return "\n".join(lines).replace(GLUE, " ")
