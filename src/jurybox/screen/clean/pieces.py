"""A cleaned file as a list of pieces: what is kept of the original, what is written anew, zeros.

Nothing is copied when a file is cleaned. The pieces say which bytes of the original stay, so that a
film of two gigabytes is cleaned by reading its tables and sent from where it lies.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import BinaryIO

from jurybox.errors import InputError

__all__ = ["Kept", "Overlay", "Pieces", "Source", "Zeros", "join_ranges"]

_WINDOW = 4096
_BLOCK = 256 * 1024
_TAIL = 1 << 20
_MOST_READS = 10_000_000
_LARGEST_PICTURE = 256 << 20


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes ``start`` to ``end`` of the original."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Zeros:
    """So many zeros."""

    count: int

    def __len__(self) -> int:
        return self.count


Piece = Kept | Zeros | bytes


class Source:
    """An original, read where it lies."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, 2)
        self._window = b""
        self._at = 0
        self._reads = 0

    def read(self, start: int, length: int) -> bytes:
        """So many bytes from a place on; fewer at the end of the file."""
        self._reads += 1
        if self._reads > _MOST_READS:
            raise InputError("it is made of too many parts")
        offset = start - self._at
        if 0 <= offset and offset + length <= len(self._window):
            return self._window[offset : offset + length]
        if length > _WINDOW:
            return self._read_at(start, length)
        self._window, self._at = self._read_at(start, _WINDOW), start
        return self._window[:length]

    def _read_at(self, start: int, length: int) -> bytes:
        self._file.seek(start)
        return self._file.read(length)

    def need(self, start: int, length: int) -> bytes:
        """So many bytes from a place on, or the sentence that they are not there."""
        found = self.read(start, length)
        if len(found) < length:
            raise InputError("its end is missing")
        return found

    def cut(self, place: int, sign: bytes) -> int:
        """The place as the end of the file, unless what follows has the sign of more of it."""
        if sign in self.read(place, _TAIL):
            raise InputError("bytes that belong to nothing stand in its middle")
        return place

    def whole(self) -> bytes:
        """The whole file, of a kind that is read at once."""
        if self.size > _LARGEST_PICTURE:
            raise InputError(f"it is larger than {_LARGEST_PICTURE >> 20} MB")
        return self.read(0, self.size)


@dataclass(slots=True)
class Pieces:
    """The cleaned file, piece after piece."""

    parts: list[Piece] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, parts: Iterable[Piece]) -> Pieces:
        """Pieces in this order."""
        made = cls()
        for part in parts:
            made.add(part)
        return made

    def add(self, part: Piece) -> None:
        """Put a piece at the end; neighbors in the original become one."""
        if len(part) == 0:
            return
        last = self.parts[-1] if self.parts else None
        if isinstance(part, Kept) and isinstance(last, Kept) and last.end == part.start:
            self.parts[-1] = Kept(last.start, part.end)
        else:
            self.parts.append(part)
        self._ends.clear()

    @property
    def size(self) -> int:
        """The size of the cleaned file."""
        return sum(len(part) for part in self.parts)

    def read(self, file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
        """Bytes ``start`` to ``end`` of the cleaned file, block by block, from the original."""
        if not self._ends:
            self._ends = list(accumulate(len(part) for part in self.parts))
        for index in range(bisect_right(self._ends, start), len(self.parts)):
            part = self.parts[index]
            origin = self._ends[index] - len(part)
            if origin >= end:
                return
            yield from _read_part(file, part, max(start - origin, 0), min(end - origin, len(part)))

    def join(self, file: BinaryIO) -> bytes:
        """The whole cleaned file."""
        return b"".join(self.read(file, 0, self.size))


def _read_part(file: BinaryIO, part: Piece, start: int, end: int) -> Iterator[bytes]:
    if isinstance(part, bytes):
        yield part[start:end]
        return
    for place in range(start, end, _BLOCK):
        length = min(_BLOCK, end - place)
        if isinstance(part, Zeros):
            yield bytes(length)
        else:
            file.seek(part.start + place)
            yield file.read(length)


class Overlay:
    """Bytes that are written over where they lie.

    Containers whose tables point at places in the file are cleaned this way: nothing moves.
    """

    def __init__(self) -> None:
        self._patches: dict[int, Piece] = {}

    def put(self, start: int, content: bytes) -> None:
        """Write this at a place."""
        self._patches[start] = content

    def blank(self, start: int, end: int) -> None:
        """Write zeros over a range."""
        if end > start:
            self._patches[start] = Zeros(end - start)

    def pieces(self, ranges: Iterable[tuple[int, int]]) -> Pieces:
        """These ranges of the file, in order, with everything in them written over."""
        made = Pieces()
        patches = deque(sorted(self._patches.items(), key=lambda pair: pair[0]))
        for place, end in ranges:
            while patches and patches[0][0] < end:
                start, patch = patches.popleft()
                if start < place or start + len(patch) > end:
                    raise InputError("its parts overlap")
                made.add(Kept(place, start))
                made.add(patch)
                place = start + len(patch)
            made.add(Kept(place, end))
        return made


def join_ranges(ranges: Iterable[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """The same ranges in order, those that touch joined.

    >>> join_ranges([(8, 9), (0, 3), (3, 5), (4, 6), (7, 7)])
    [(0, 6), (8, 9)]
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(one for one in ranges if one[1] > one[0]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
