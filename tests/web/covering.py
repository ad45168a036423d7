"""A small set of whole studies in which every two things meet that can: a pairwise covering array.

Six properties of a session have several levels each. All combinations would take a day; most
mistakes need only two levels to meet. `cover` gives few rows, the same ones every time, in which
every two levels of different properties stand together unless a rule keeps them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product

from jurybox.study.criteria import TEXTUAL
from jurybox.study.languages import languages

Levels = Mapping[str, Sequence[str]]
Row = dict[str, str]
Pair = frozenset[tuple[str, str]]
"""Two properties with their levels."""
Rule = Callable[[Mapping[str, str]], bool]
"""Whether levels can occur together; a property that is not decided yet is absent."""

LEVELS: Levels = {
    "form": ("rate", "rows", "compare", "graded", "rank", "best", "detect", "mark"),
    "medium": ("text", "markdown", "code", "image", "images", "audio", "video", "chat"),
    "language": languages(),
    "input": ("mouse", "keyboard", "touch"),
    "theme": ("light", "dark"),
    "width": ("wide", "phone"),
}


def only_texts_are_marked(levels: Mapping[str, str]) -> bool:
    return levels.get("form") != "mark" or levels.get("medium", "text") in TEXTUAL


def rows_of_sliders_are_heard(levels: Mapping[str, str]) -> bool:
    return levels.get("form") != "rows" or levels.get("medium", "audio") == "audio"


RULES: tuple[Rule, ...] = (only_texts_are_marked, rows_of_sliders_are_heard)


def obeys(levels: Mapping[str, str], rules: Sequence[Rule] = RULES) -> bool:
    return all(rule(levels) for rule in rules)


def pairs_of(row: Mapping[str, str]) -> Iterator[Pair]:
    """Every two levels that stand together in a row."""
    for pair in combinations(row.items(), 2):
        yield frozenset(pair)


def every_row(levels: Levels, rules: Sequence[Rule] = RULES) -> Iterator[Row]:
    """All combinations that the rules allow."""
    for values in product(*levels.values()):
        row = dict(zip(levels, values, strict=True))
        if obeys(row, rules):
            yield row


def cover(levels: Levels = LEVELS, rules: Sequence[Rule] = RULES) -> list[Row]:
    """Rows in which every possible pair stands, found greedily.

    Each row begins with the first pair that stands nowhere yet; every further property takes the
    level that brings the most new pairs, the least used one among equals.
    """
    open_pairs = dict.fromkeys(pair for row in every_row(levels, rules) for pair in pairs_of(row))
    used: dict[tuple[str, str], int] = {}
    rows: list[Row] = []
    while open_pairs:
        row = _fill(dict(next(iter(open_pairs))), levels, rules, open_pairs, used)
        for pair in pairs_of(row):
            open_pairs.pop(pair, None)
        for taken in row.items():
            used[taken] = used.get(taken, 0) + 1
        rows.append(row)
    return rows


def _fill(
    row: Row,
    levels: Levels,
    rules: Sequence[Rule],
    open_pairs: Mapping[Pair, None],
    used: Mapping[tuple[str, str], int],
) -> Row:
    """Give every property that a row lacks its level."""
    for name, values in levels.items():
        if name in row:
            continue

        def worth(value: str, name: str = name) -> tuple[int, int]:
            fresh = sum(frozenset((one, (name, value))) in open_pairs for one in row.items())
            return fresh, -used.get((name, value), 0)

        row[name] = max((one for one in values if obeys({**row, name: one}, rules)), key=worth)
    return {name: row[name] for name in levels}
