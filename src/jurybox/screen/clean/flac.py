"""FLAC: the description of the stream, its seek table and its frames stay."""

from __future__ import annotations

import re
from itertools import islice

from jurybox.errors import InputError
from jurybox.screen.clean.pieces import Kept, Pieces, Source
from jurybox.screen.clean.tags import skip_tags, strip_tags

__all__ = ["clean_flac"]

_STREAM, _SEEKS = 0, 3
_KEPT = {_STREAM, _SEEKS}
_FRAME = re.compile(rb"\xff[\xf8\xf9]")
_LONGEST_FRAME = 1 << 20


def clean_flac(source: Source) -> Pieces:
    """The stream without comments, pictures, notes of programs, and tags around it."""
    start = skip_tags(source, 0)
    if source.need(start, 4) != b"fLaC":
        raise InputError("it is not FLAC behind its tags")
    place = start + 4
    kept: list[tuple[int, int, int]] = []
    is_last = False
    while not is_last:
        head = source.need(place, 4)
        is_last, kind = bool(head[0] & 0x80), head[0] & 0x7F
        end = place + 4 + int.from_bytes(head[1:], "big")
        source.need(end - 1, 1)
        if kind in _KEPT:
            kept.append((kind, place, end))
        place = end
    if not kept or kept[0][0] != _STREAM:
        raise InputError("it does not describe its sound")
    end = strip_tags(source, place)
    _check_end(source, place, end)
    parts: list[Kept | bytes] = [b"fLaC"]
    for number, (kind, first, last) in enumerate(kept, start=1):
        flag = 0x80 if number == len(kept) else 0
        parts.extend([bytes((kind | flag,)), Kept(first + 1, last)])
    return Pieces.of([*parts, Kept(place, end)])


def _check_end(source: Source, start: int, end: int) -> None:
    """Refuse bytes behind the last frame: a frame does not say how long it is, only its sum."""
    tail_start = max(start, end - _LONGEST_FRAME)
    tail = source.read(tail_start, end - tail_start)
    heads = (
        place
        for place in reversed([found.start() for found in _FRAME.finditer(tail)])
        if _sum8(tail[place : place + _head_length(tail, place)]) == 0
    )
    # Few bytes within a frame look like the head of one; the last head is among the last ones.
    if any(_sum16(tail, place) == 0 for place in islice(heads, 4)):
        return
    raise InputError("bytes that are no sound follow the last frame")


def _head_length(tail: bytes, place: int) -> int:
    """How long the head of a frame is that begins here."""
    head = tail[place : place + 5]
    if len(head) < 5:
        return 0
    coded = head[4]
    number = next((n for n in range(1, 8) if not coded << n & 0x80), 7) if coded & 0x80 else 1
    size, rate = head[2] >> 4, head[2] & 15
    more = {6: 1, 7: 2}.get(size, 0) + {12: 1, 13: 2, 14: 2}.get(rate, 0)
    return 4 + number + more + 1


def _table(bits: int, polynomial: int) -> tuple[int, ...]:
    made = []
    top, mask = 1 << bits - 1, (1 << bits) - 1
    for value in range(256):
        rest = value << bits - 8
        for _ in range(8):
            rest = (rest << 1 ^ (polynomial if rest & top else 0)) & mask
        made.append(rest)
    return tuple(made)


_TABLE_8 = _table(8, 0x07)
_TABLE_16 = _table(16, 0x8005)


def _sum8(head: bytes) -> int:
    """0 over a whole head with its sum; 1 for no head."""
    rest = 0 if head else 1
    for one in head:
        rest = _TABLE_8[rest ^ one]
    return rest


def _sum16(tail: bytes, place: int) -> int:
    """0 over a whole frame with its sum."""
    rest = 0
    for one in memoryview(tail)[place:]:
        rest = (rest & 0xFF) << 8 ^ _TABLE_16[rest >> 8 ^ one]
    return rest
