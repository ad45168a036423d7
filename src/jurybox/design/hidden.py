"""Tables under other names for the systems, in which nothing tells the true ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["hide_systems"]

OTHER = {"a": "b", "b": "a"}


def hide_systems(table: Mapping[str, list[Any]], names: Mapping[str, str]) -> dict[str, list[Any]]:
    """The table of a shape with its systems under other names.

    In a plan the two systems of a pair stand in the order of their true names. A vote is therefore
    turned round where the other names are the other way about.

    >>> votes = {"system_a": ["new"], "system_b": ["old"], "winner": ["a"], "first": ["b"]}
    >>> hide_systems(votes, {"new": "System 2", "old": "System 1"})
    {'system_a': ['System 1'], 'system_b': ['System 2'], 'winner': ['b'], 'first': ['a']}
    """
    made = dict(table)
    for name in ("system", "system_a", "system_b"):
        if name in made:
            made[name] = [names.get(system, system) for system in made[name]]
    if not names or "system_a" not in made:
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
