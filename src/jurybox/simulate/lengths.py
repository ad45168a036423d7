"""How long outputs are, for raters and judges who like long ones better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from jurybox.study.material import Material
from jurybox.study.model import ItemId, SystemId

__all__ = ["count_letters", "relative_lengths"]


def relative_lengths(material: Material) -> dict[tuple[ItemId, SystemId], float]:
    """Of every output, how many times its text is twice as long as usual; 1 is twice, −1 half.

    Usual is the geometric mean of all outputs. An output without text counts as usual.
    """
    letters = {
        cell: n
        for cell in material.outputs
        if (n := count_letters(material.output_fields(*cell).values()))
    }
    usual = sum(map(math.log2, letters.values())) / max(len(letters), 1)
    return {cell: math.log2(n) - usual for cell, n in letters.items()}


def count_letters(values: Iterable[Any]) -> int:
    """The letters of texts, and of the turns of conversations.

    >>> count_letters(["four", [{"role": "user", "text": "more"}], 3])
    8
    """
    total = 0
    for value in values:
        if isinstance(value, str):
            total += len(value)
        elif isinstance(value, Mapping):
            total += count_letters([value.get("text")])
        elif isinstance(value, list | tuple):
            total += count_letters(value)
    return total
