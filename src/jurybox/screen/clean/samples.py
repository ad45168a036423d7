"""Where the pictures and the sounds of an MP4 track lie in the file."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from jurybox.errors import InputError
from jurybox.screen.clean.boxes import Box, find_box, read_boxes
from jurybox.screen.clean.pieces import Source

__all__ = ["Samples", "read_defaults", "read_fragment", "read_samples"]

_SIZED = {
    *(b"avc1", b"avc3", b"hvc1", b"hev1", b"av01", b"vp08", b"vp09", b"mp4v", b"jpeg"),
    *(b"mp4a", b"Opus", b"fLaC", b"alac", b"ac-3", b"ec-3", b".mp3"),
}
"""Codes whose table of sizes holds bytes."""


@dataclass(frozen=True, slots=True)
class Samples:
    """The chunks of a track: where each begins, and how many of the sizes belong to it."""

    offsets: Sequence[int]
    counts: Sequence[int]
    sums: Sequence[int]
    """What all sizes before each come to."""

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Where each chunk begins and ends."""
        made = []
        first = 0
        for offset, count in zip(self.offsets, self.counts, strict=True):
            last = first + count
            made.append((offset, offset + self.sums[last] - self.sums[first]))
            first = last
        return made

    def each(self) -> Iterator[tuple[int, int]]:
        """Where each picture begins and ends."""
        first = 0
        for offset, count in zip(self.offsets, self.counts, strict=True):
            base = self.sums[first]
            for number in range(first, first + count):
                yield offset + self.sums[number] - base, offset + self.sums[number + 1] - base
            first += count


def read_samples(source: Source, track: Box, codes: set[bytes]) -> Samples | None:
    """Give the track's chunks; none where the tables do not tell (fragments, unknown codes)."""
    table = find_box(source, track, b"mdia", b"minf", b"stbl")
    if table is None or not codes or not codes <= _SIZED:
        return None
    found = {kind: find_box(source, table, kind) for kind in (b"stsc", b"stsz", b"stco", b"co64")}
    stsc, stsz, places = found[b"stsc"], found[b"stsz"], found[b"stco"] or found[b"co64"]
    if stsc is None or stsz is None or places is None:
        return None
    offsets = _numbers(source, places, 4, "Q" if places.kind == b"co64" else "I")
    sizes = _sizes(source, stsz)
    counts = _counts(source, stsc, len(offsets))
    if sum(counts) != len(sizes):
        raise InputError("its tables contradict each other")
    samples = Samples(offsets=offsets, counts=counts, sums=[0, *accumulate(sizes)])
    if any(end > source.size for _, end in samples.ranges):
        raise InputError("its end is missing")
    return samples


def read_defaults(source: Source, movie: Box) -> dict[int, int]:
    """The size that pictures or sounds in fragments have if these do not say it, by track."""
    found = {}
    extends = find_box(source, movie, b"mvex")
    for box in read_boxes(source, extends.body, extends.end) if extends else ():
        if box.kind == b"trex":
            track, _, _, size = struct.unpack(">IIII", source.need(box.body + 4, 16))
            found[track] = size
    return found


def read_fragment(
    source: Source, moof: Box, defaults: dict[int, int]
) -> Iterator[tuple[int, Samples]]:
    """Give the track and the chunks of each part of a fragment."""
    place = moof.start
    for traf in read_boxes(source, moof.body, moof.end):
        if traf.kind != b"traf":
            continue
        head = find_box(source, traf, b"tfhd")
        if head is None:
            raise InputError("its tables contradict each other")
        flags, track = struct.unpack(">II", source.need(head.body, 8))
        fields = _Fields(source, head.body + 8)
        base = fields.take(flags & 0x1, 8)
        if base is None:
            base = moof.start if flags & 0x20000 else place
        fields.take(flags & 0x2)
        fields.take(flags & 0x8)
        size = fields.take(flags & 0x10)
        size = defaults.get(track, 0) if size is None else size
        place = base
        for run in read_boxes(source, traf.body, traf.end):
            if run.kind == b"trun":
                samples = _read_run(source, run, base, place, size)
                place = samples.ranges[0][1]
                yield track, samples


def _read_run(source: Source, run: Box, base: int, place: int, size: int) -> Samples:
    flags, count = struct.unpack(">II", source.need(run.body, 8))
    flags &= 0xFFFFFF
    fields = _Fields(source, run.body + 8)
    offset = fields.take(flags & 0x1)
    if offset is not None:
        place = base + (offset - (1 << 32) if offset & 1 << 31 else offset)
    fields.take(flags & 0x4)
    width = 4 * sum(bool(flags & bit) for bit in (0x100, 0x200, 0x400, 0x800))
    if fields.place + width * count > run.end or (width == 0 and size * count > source.size):
        raise InputError("its tables are longer than the file")
    at = 4 if flags & 0x100 else 0
    sizes = [size] * count
    if flags & 0x200:
        rows = source.need(fields.place, width * count)
        sizes = [
            int.from_bytes(rows[row + at : row + at + 4], "big")
            for row in range(0, len(rows), width)
        ]
    samples = Samples(offsets=[place], counts=[count], sums=[0, *accumulate(sizes)])
    if place < 0 or samples.ranges[0][1] > source.size:
        raise InputError("its end is missing")
    return samples


class _Fields:
    """Numbers that are there or not."""

    def __init__(self, source: Source, place: int) -> None:
        self._source = source
        self.place = place

    def take(self, is_there: int, size: int = 4) -> int | None:
        if not is_there:
            return None
        self.place += size
        return int.from_bytes(self._source.need(self.place - size, size), "big")


def _numbers(source: Source, box: Box, start: int, code: str, *, per_row: int = 1) -> array[int]:
    """Read a table of numbers that begins with its count."""
    (count,) = struct.unpack(">I", source.need(box.body + start, 4))
    made = array(code)
    length = count * per_row * made.itemsize
    if box.body + start + 4 + length > box.end:
        raise InputError("its tables are longer than the file")
    made.frombytes(source.need(box.body + start + 4, length))
    if sys.byteorder == "little":
        made.byteswap()
    return made


def _sizes(source: Source, stsz: Box) -> Sequence[int]:
    same, count = struct.unpack(">II", source.need(stsz.body + 4, 8))
    if same == 0:
        return _numbers(source, stsz, 8, "I")
    if same * count > source.size:
        raise InputError("its tables are longer than the file")
    return [same] * count


def _counts(source: Source, stsc: Box, n_chunks: int) -> list[int]:
    """How many sizes belong to each chunk; a row holds from its chunk up to the next row's."""
    rows = _numbers(source, stsc, 4, "I", per_row=3)
    firsts = [*rows[0::3], n_chunks + 1]
    counts: list[int] = []
    for number, count in enumerate(rows[1::3]):
        length = firsts[number + 1] - firsts[number]
        if firsts[number] != len(counts) + 1 or length < 0 or len(counts) + length > n_chunks:
            raise InputError("its tables contradict each other")
        counts += [count] * length
    return counts
