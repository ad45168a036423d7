"""Bytes of an MP3 that no sound is read from: encoders fill them with their name.

The sound of a frame may begin in the frames before it. Laid end to end, what the frames carry
behind their heads is one stream; each frame says how far back its sound begins and how many bits it
takes. What lies between the end of one sound and the beginning of the next is read by nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from jurybox.screen.clean.pieces import Source

__all__ = ["Reservoir", "side_size"]


def side_size(head: bytes) -> int:
    """How many bytes behind the head of a frame say how its sound is coded."""
    is_first, is_mono = head[1] >> 3 & 3 == 3, head[3] >> 6 == 3
    if is_first:
        return 17 if is_mono else 32
    return 9 if is_mono else 17


@dataclass(slots=True)
class Reservoir:
    """Finds the unread bytes, frame after frame."""

    source: Source
    _length: int = 0
    """How many bytes the frames so far carry."""
    _read_to: int = 0
    """Where in them the sound of the last frame ends."""
    _carried: list[tuple[int, int, int]] = field(default_factory=list)
    """The last frames: where in the stream, and where in the file, their bytes are."""

    def add(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Take the next frame; gives the ranges of the file that were not read before it."""
        head = self.source.read(start, 48)
        if len(head) < 48 or end - start < 48:
            return
        side = 4 + (0 if head[1] & 1 else 2)
        body = start + side + side_size(head)
        back, length = _read_side(head, head[side : side + side_size(head)])
        begin = self._length - back
        if begin >= self._read_to:
            yield from self._ranges(self._read_to, begin)
            self._read_to = begin + length
        else:  # it leans on bytes that are not there
            self._read_to = self._length
        self._carried.append((self._length, body, end))
        self._length += end - body
        del self._carried[:-16]

    def finish(self) -> Iterator[tuple[int, int]]:
        """The ranges behind the last sound."""
        yield from self._ranges(self._read_to, self._length)

    def _ranges(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        for origin, body, end in self._carried:
            start = max(first - origin, 0)
            stop = min(last - origin, end - body)
            if start < stop:
                yield body + start, body + stop


def _read_side(head: bytes, side: bytes) -> tuple[int, int]:
    """How far back the sound begins, and how many bytes it takes."""
    bits = int.from_bytes(side, "big")
    width = len(side) * 8
    n_channels = 1 if head[3] >> 6 == 3 else 2
    if head[1] >> 3 & 3 == 3:
        back, skipped, each, count = bits >> width - 9, 9, 59, 2 * n_channels
        skipped += (5 if n_channels == 1 else 3) + 4 * n_channels
    else:
        back, skipped, each, count = bits >> width - 8, 8 + n_channels, 63, n_channels
    total = 0
    for number in range(count):
        total += bits >> width - skipped - each * number - 12 & 0xFFF
    return back, -(-total // 8)
