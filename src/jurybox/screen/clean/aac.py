"""Filling inside AAC: encoders write their name before the first sound."""

from __future__ import annotations

from collections.abc import Iterator

from jurybox.screen.clean.pieces import Source

__all__ = ["find_filling", "is_plain_aac"]

_DATA, _FILL = 4, 6
_FREE = {0, 1, 2}
"""Kinds of filling that say nothing about the sound."""
_LONGEST = 1024
_PLAIN = {1, 2, 3, 4, 5, 29}
"""Kinds of AAC whose frames are made of the same elements: Main, LC, SSR, LTP, and with SBR, PS."""


def find_filling(source: Source, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Give what to write over a frame: zeros for filling and data that stand before the sound."""
    first = source.read(start, 1)
    if not first or first[0] >> 5 not in (_DATA, _FILL):
        return
    frame = source.read(start, min(end - start, _LONGEST))
    made = _Bits(frame).blank()
    if made != frame:
        yield start, made


def is_plain_aac(description: bytes) -> bool:
    """Whether a track's description (ISO/IEC 14496-1, its ``esds``) is of AAC as above."""
    place = description.find(b"esds")
    if place < 0:
        return False
    place += 8  # behind the name, version and flags
    for tag, skipped in ((3, 3), (4, 13), (5, 0)):
        if description[place : place + 1] != bytes((tag,)):
            return False
        place += 1
        while description[place : place + 1] >= b"\x80":  # all bytes of a length but the last
            place += 1
        place += 1 + skipped
    return place < len(description) and description[place] >> 3 in _PLAIN


class _Bits:
    def __init__(self, frame: bytes) -> None:
        self.value = int.from_bytes(frame, "big")
        self.total = len(frame) * 8
        self.place = 0

    def take(self, count: int) -> int:
        self.place += count
        if self.place > self.total:
            return 0
        return self.value >> self.total - self.place & (1 << count) - 1

    def zero(self, count: int) -> None:
        """Write zeros; what is longer than a frame is left."""
        self.place += count
        if self.place <= self.total:
            self.value &= ~((1 << count) - 1 << self.total - self.place)

    def blank(self) -> bytes:
        while self.place < self.total:
            match self.take(3):
                case 6:
                    count = self.take(4)
                    if count == 15:
                        count += self.take(8) - 1
                    if count and self.take(4) not in _FREE:
                        break
                    self.place -= 4 if count else 0
                    self.zero(8 * count)
                case 4:
                    self.take(4)
                    is_aligned = self.take(1)
                    count = self.take(8)
                    if count == 255:
                        count += self.take(8)
                    self.place += -self.place % 8 if is_aligned else 0
                    self.zero(8 * count)
                case _:
                    break
        return self.value.to_bytes(self.total // 8, "big")
