"""Ids that say nothing: the same for the same plan, readable by nobody."""

from __future__ import annotations

from base64 import b32encode
from hashlib import sha256
from zlib import crc32

import numpy as np

__all__ = ["make_id", "stream"]

LENGTH = 12


def make_id(*parts: object) -> str:
    """Twelve letters and digits that depend on every part and reveal none.

    >>> make_id(7, "trial", "item-1"), make_id(7, "trial", "item-2")
    ('nzonlhzeoz2w', 'nksvpfreumyd')
    """
    # The length of each part goes in, so that ("a", "bc") and ("ab", "c") differ.
    words = [str(part) for part in parts]
    text = "".join([f"{len(word)}:{word}" for word in words])
    return b32encode(sha256(text.encode()).digest()[:8]).decode().lower()[:LENGTH]


def stream(seed: int, *name: object) -> np.random.Generator:
    """Random numbers for one named step, so that a change of one step leaves the others alone."""
    return np.random.default_rng([seed, *(crc32(str(part).encode()) for part in name)])
