"""Which records of production traffic are taken: a share that is the same on every machine.

A record is taken if the hash of its id falls below the rate. So it is in or out wherever and
whenever it is looked at, a higher rate takes all that a lower one took, and no list is kept.

    number(id) = the first 8 bytes of BLAKE2b(salt, a zero byte, id), as a big-endian whole number
    taken      = number(id) < rate · 2⁶⁴

Texts are UTF-8; a number as an id is its decimal digits. BLAKE2b is called with a digest of 8 bytes
and no key (RFC 7693), so that any implementation gives the same.
"""

from __future__ import annotations

import math
from fractions import Fraction
from hashlib import blake2b

from jurybox.errors import OptionError

__all__ = ["Share"]


class Share:
    """A share of all ids, told from each id alone; the rate is best given as it was written.

    >>> share = Share("0.5")
    >>> [id for id in ("q1", "q2", "q3", "q4", "q5", "q6") if share.takes(id)]
    ['q2', 'q3', 'q5', 'q6']
    """

    def __init__(self, rate: str | float, *, salt: str = "") -> None:
        try:
            exact = Fraction(str(rate))
        except (ValueError, ZeroDivisionError):
            raise OptionError(
                f"rate must be a share as 0.01, more than 0 and at most 1; got '{rate}'."
            ) from None
        if not 0 < exact <= 1:
            raise OptionError(f"rate must be more than 0 and at most 1; got {rate}.")
        # The decimal itself, not the nearest binary number: no machine rounds it otherwise.
        # Rounded up to a whole number, which takes the same whole numbers and is compared faster.
        self._below = math.ceil(exact * 2**64)
        self._salt = salt.encode() + b"\0"

    def takes(self, id: str) -> bool:
        """Whether the record with this id is taken."""
        return hash_id(id, self._salt) < self._below


def hash_id(id: str, prefix: bytes = b"\0") -> int:
    """The number of an id, from 0 to 2⁶⁴ − 1.

    >>> hash_id("a"), hash_id("b")
    (13979747489410627944, 11052982144642465320)
    """
    return int.from_bytes(blake2b(prefix + id.encode(), digest_size=8).digest(), "big")
