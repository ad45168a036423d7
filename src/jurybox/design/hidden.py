"""Tables under other names for the systems, in which nothing tells the true ones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby, pairwise
from typing import Any

__all__ = ["hide_systems"]

OTHER = {"a": "b", "b": "a"}
ANSWER = ("rater", "trial", "repeat", "at", "criterion")
"""The rows of one answer have these in common."""


def hide_systems(table: Mapping[str, list[Any]], names: Mapping[str, str]) -> dict[str, list[Any]]:
    """The table of a shape with its systems under other names.

    In a plan the systems of a trial stand in the order of the study. A vote is therefore turned
    round where the other names are the other way about, and the rows of one answer to several
    outputs stand in the order of the other names.

    >>> votes = {"system_a": ["new"], "system_b": ["old"], "winner": ["a"], "first": ["b"]}
    >>> hide_systems(votes, {"new": "System 2", "old": "System 1"})
    {'system_a': ['System 1'], 'system_b': ['System 2'], 'winner': ['b'], 'first': ['a']}
    """
    made = dict(table)
    for name in ("system", "system_a", "system_b"):
        if name in made:
            made[name] = [names.get(system, system) for system in made[name]]
    if not names:
        return made
    if "system" in made:
        return _in_order(made)
    if "system_a" not in made:
        return made
    turned = [a > b for a, b in zip(made["system_a"], made["system_b"], strict=True)]
    left, right = made["system_a"], made["system_b"]
    made["system_a"] = [b if t else a for a, b, t in zip(left, right, turned, strict=True)]
    made["system_b"] = [a if t else b for a, b, t in zip(left, right, turned, strict=True)]
    for name in ("winner", "first"):
        if name in made:
            pairs = zip(made[name], turned, strict=True)
            made[name] = [OTHER.get(value, value) if t else value for value, t in pairs]
    return made


def _in_order(table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The table, in each answer the outputs in the order of the names that they have in it."""
    told = [table[name] for name in ("rater", "trial", "criterion") if name in table]
    if told and all(one != next for one, next in pairwise(zip(*told, strict=True))):
        return table  # an answer to one output is one row
    answers = list(zip(*(table[name] for name in ANSWER if name in table), strict=True))
    order: list[int] = []
    for _, rows in groupby(range(len(answers)), key=answers.__getitem__):
        order += sorted(rows, key=table["system"].__getitem__)
    return {name: [values[row] for row in order] for name, values in table.items()}
