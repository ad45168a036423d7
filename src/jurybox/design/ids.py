"""Ids that say nothing: the same for the same plan, readable by nobody."""

from __future__ import annotations

from hashlib import sha256
from zlib import crc32

import numpy as np

__all__ = ["make_id", "stream"]

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
LENGTH = 12


def make_id(*parts: object) -> str:
    """Twelve letters and digits that depend on every part and reveal none.

    >>> make_id(7, "trial", "item-1"), make_id(7, "trial", "item-2")
    ('ol5mhs4tvgx4', 'ubmgksysxkjv')
    """
    # The length of each part goes in, so that ("a", "bc") and ("ab", "c") differ.
    text = "".join(f"{len(str(part))}:{part}" for part in parts)
    number = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
    letters = []
    for _ in range(LENGTH):
        number, digit = divmod(number, 32)
        letters.append(ALPHABET[digit])
    return "".join(letters)


def stream(seed: int, *name: object) -> np.random.Generator:
    """Random numbers for one named step, so that a change of one step leaves the others alone."""
    return np.random.default_rng([seed, *(crc32(str(part).encode()) for part in name)])
