"""The terminal as `analyze` writes to it: lines, and tables whose cells are folded to fit.

A library for terminals would take longer to start than the analysis of a small table.
"""

from __future__ import annotations

import codecs
import io
import os
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from typing import Literal, TextIO

__all__ = [
    "GAP",
    "TIGHT",
    "Side",
    "Terminal",
    "cell_width",
    "fold",
    "stop_writing",
    "write_what_can_be",
]

Side = Literal["left", "right"]
GAP = 3
"""Blanks between two columns of a table."""
TIGHT = 2
"""Blanks where a heading would be folded otherwise."""
INSTEAD = {
    **dict.fromkeys("−–—─", "-"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("‘’′", "'"),
    **{"•": "*", "×": "x", "…": "...", "±": "+/-", "→": "->", "≤": "<=", "≥": ">=", "²": "2"},
    **{"α": "alpha", "κ": "kappa", "χ": "chi", "τ": "tau"},
}
"""What is written where a terminal or a file has not got a sign; any other becomes a mark."""
_STYLES = {"bold": "\x1b[1m", "dim": "\x1b[2m"}
_END = "\x1b[0m"


def _lost(error: UnicodeError) -> tuple[str, int]:
    """What cannot be written, and where it ends."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end], error.end


def _instead(error: UnicodeError) -> tuple[str, int]:
    lost, end = _lost(error)
    return "".join(INSTEAD.get(sign, "?") for sign in lost), end


def _named(error: UnicodeError) -> tuple[str, int]:
    lost, end = _lost(error)
    pairs = lost.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{pairs[k : k + 2].hex()}" for k in range(0, len(pairs), 2)), end


codecs.register_error("jurybox.instead", _instead)
codecs.register_error("jurybox.named", _named)


def write_what_can_be(*, as_json: bool) -> None:
    """Write on where a terminal or a file lacks a sign, instead of stopping.

    A minus stays one; in JSON every such sign is named as JSON names it, so that nothing is lost.
    Files that Windows redirects to have not got the minus, nor has a terminal of LANG=C.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever called us, as `>&-` does
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="jurybox.named" if as_json else "jurybox.instead")


def stop_writing() -> None:
    """Write nothing more, not even at exit: the reader, such as ``| head``, has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Terminal:
    """Where text goes: bold and dim on a terminal, plain in a file or a pipe."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdout if stream is None else stream
        plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        self._styled = self._stream.isatty() and not plain
        self.width = shutil.get_terminal_size((80, 25)).columns
        self._encoding = self._stream.encoding or "utf-8"

    def line(self, text: str = "", *, style: Literal["bold", "dim"] | None = None) -> None:
        """Write one text with its line breaks, as far as the terminal has its signs."""
        known = text.encode(self._encoding, "jurybox.instead").decode(self._encoding)
        if style is not None and self._styled and known:
            known = f"{_STYLES[style]}{known}{_END}"
        self._stream.write(f"{known}\n")

    def table(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        widths: Sequence[int],
        sides: Sequence[Side],
        gap: int = GAP,
    ) -> None:
        """Write a table under its headings."""
        self._row(headings, widths, sides, gap, style="bold")
        self.line("─" * (sum(widths) + gap * (len(widths) - 1)))
        for row in rows:
            self._row(row, widths, sides, gap)

    def _row(
        self,
        cells: Sequence[str],
        widths: Sequence[int],
        sides: Sequence[Side],
        gap: int,
        *,
        style: Literal["bold"] | None = None,
    ) -> None:
        folded = [fold(cell, width) for cell, width in zip(cells, widths, strict=True)]
        for number in range(max(len(lines) for lines in folded)):
            parts = []
            for lines, width, side in zip(folded, widths, sides, strict=True):
                text = lines[number] if number < len(lines) else ""
                blanks = " " * (width - cell_width(text))
                parts.append(blanks + text if side == "right" else text + blanks)
            self.line((" " * gap).join(parts).rstrip(), style=style)


def cell_width(text: str) -> int:
    r"""How many columns a text takes: two for wide signs, none for accents that join another.

    >>> cell_width("kappa"), cell_width("模型"), cell_width("e\u0301")
    (5, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(_sign_width(sign) for sign in text)


def _sign_width(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf") or "\u1160" <= sign <= "\u11ff":
        return 0  # accents, and the vowels and ends of Korean syllables
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def fold(text: str, width: int) -> list[str]:
    """The text in lines of at most this width; a longer word is cut, and an indent stays.

    >>> fold("a long name", 6)
    ['a long', 'name']
    >>> fold("unbreakable", 4)
    ['unbr', 'eaka', 'ble']
    """
    lines = [" " * (len(text) - len(text.lstrip(" ")))]
    for word in text.lstrip(" ").split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if cell_width(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for sign in word:
            if lines[-1] and cell_width(lines[-1] + sign) > width:
                lines.append("")
            lines[-1] += sign
    return lines
