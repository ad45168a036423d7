"""What paper asks of a table: no letters too small to read, and no wider than the line."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, pairwise

from jurybox.analysis.finding import Column, Table, format_rows

__all__ = ["Layout", "Letters", "is_numeric", "lay_out", "parts_of"]

Letters = tuple[int, int, int]
"""How many letters a line holds in each of three sizes."""
Width = Callable[[str], int]

LONG = 26
"""Letters up to which a column of text is not broken into lines, even where there is no room."""
BROKEN = 32
"""Letters of a line that a column broken into lines should have room for."""
HEAD, WIDE_HEAD = 10, 12
"""Letters of a line of a heading, where the cells below it are shorter: "p (adjusted)" has 12."""
GAP = 3
GLUE = "\N{NO-BREAK SPACE}"


def is_numeric(column: Column) -> bool:
    """Whether a column is set flush right; its numbers have equal digits, so they line up."""
    return column.kind != "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a table is set on paper."""

    heads: list[list[str]]
    """The lines of each heading."""
    rows: list[list[str]]
    shares: list[float]
    """Which part of the line each long column gets; 0 for one that is as wide as its cells."""
    tightness: int
    """Which of three sizes its letters have."""
    fits: bool
    """Whether it is no wider than the line."""


def parts_of(table: Table, letters: Letters, width: Width = len) -> tuple[Table, ...]:
    """A table too wide for the line in parts that begin with the same columns of text."""
    if lay_out(table, letters, width).fits:
        return (table,)
    keys = 1
    while keys < len(table.columns) and not is_numeric(table.columns[keys]):
        keys += 1
    # An interval stays beside its estimate.
    groups: list[list[int]] = []
    for place in range(keys, len(table.columns)):
        if groups and table.columns[place].kind == "interval":
            groups[-1].append(place)
        else:
            groups.append([place])
    narrow: tuple[Table, ...] = ()
    for count in range(2, len(groups) + 1):
        ends = [round(len(groups) * k / count) for k in range(count + 1)]
        parts = tuple(
            _part(table, keys, groups[a:b], f"part {k} of {count}")
            for k, (a, b) in enumerate(pairwise(ends), start=1)
        )
        layouts = [lay_out(part, letters, width) for part in parts]
        if all(layout.tightness <= 1 for layout in layouts):
            return parts
        if not narrow and all(layout.fits for layout in layouts):
            narrow = parts
    # Where the columns of text alone need small letters, parts that fit in these.
    return narrow or (table,)


def _broken(heading: str, width: int, most: int | None) -> list[str]:
    """A heading in lines of this width, or of the least one that gives no more than ``most``.

    >>> _broken("Right minus stated, points", 12, 2)
    ['Right minus', 'stated, points']
    """
    made = textwrap.wrap(heading, width, break_long_words=False) or [""]
    if most is None or len(made) <= most:
        return made
    return _broken(heading, width + 1, most)


def _part(table: Table, keys: int, groups: list[list[int]], which: str) -> Table:
    places = [*range(keys), *chain.from_iterable(groups)]
    return table.part(columns=places, title=f"{table.title} ({which})")


def lay_out(table: Table, letters: Letters, width: Width = len) -> Layout:
    """Break long texts, never numbers, into lines, and choose a size in which the table then fits.

    Headings stand in two lines at most, unless the table is too wide for that. ``width``: how many
    letters' room a text takes.
    """
    made = _lay_out(table, letters, width, lines=2)
    return made if made.tightness == 0 else _lay_out(table, letters, width, lines=None)


def _lay_out(table: Table, letters: Letters, width: Width, *, lines: int | None) -> Layout:
    rows = [
        [
            cell.replace(" ", GLUE) if is_numeric(column) else cell
            for column, cell in zip(table.columns, cells, strict=True)
        ]
        for cells in format_rows(table)
    ]
    heads, lengths = [], []
    for k, column in enumerate(table.columns):
        longest = max((width(row[k]) for row in rows), default=0)
        head = _broken(column.heading, max(longest, HEAD if lines is None else WIDE_HEAD), lines)
        heads.append(head)
        lengths.append(max(longest, *map(width, head)))
    is_wide = sum(length + GAP for length in lengths) > letters[0]
    is_long = [
        is_wide and length > LONG and not is_numeric(column)
        for length, column in zip(lengths, table.columns, strict=True)
    ]
    needed = sum(min(n, BROKEN) if long else n for n, long in zip(lengths, is_long, strict=True))
    needed += GAP * len(lengths)
    tightness = next((k for k, most in enumerate(letters) if needed <= most), len(letters) - 1)
    line = letters[tightness]
    rest = line - sum(n + GAP for n, long in zip(lengths, is_long, strict=True) if not long)
    room = max(rest - GAP * sum(is_long), LONG)
    # A tenth more than their number, since some letters are wider than others.
    wanted = [n + n // 10 if long else 0 for n, long in zip(lengths, is_long, strict=True)]
    return Layout(
        heads=heads,
        rows=rows,
        shares=[letters / line for letters in _shared(wanted, room)],
        tightness=tightness,
        fits=needed <= letters[-1],
    )


def _shared(wanted: list[int], room: int) -> list[float]:
    """Letters of a line for each long column; 0 for the others.

    A column that wants no more than an equal part has all it wants; the longer ones share the rest
    by their length, in which a text of many lines counts as one of four.

    >>> _shared([0, 30, 104, 52], 108)
    [0.0, 30.0, 52.0, 26.0]
    """
    given = [0.0] * len(wanted)
    left = float(room)
    by_length = sorted(range(len(wanted)), key=wanted.__getitem__)
    longest = [place for place in by_length if wanted[place]]
    while longest and wanted[longest[0]] <= left / len(longest):
        place = longest.pop(0)
        given[place] = float(wanted[place])
        left -= wanted[place]
    weights = {place: min(wanted[place], 4 * LONG) for place in longest}
    for place, weight in weights.items():
        given[place] = left * weight / sum(weights.values())
    return given
