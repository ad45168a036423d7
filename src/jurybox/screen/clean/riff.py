"""WebP and WAV: a list of chunks, of which those that make the picture or the sound stay."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from jurybox.errors import InputError
from jurybox.screen.clean.pieces import Kept, Pieces, Source
from jurybox.screen.clean.tiff import read_orientation, write_orientation

__all__ = ["clean_wav", "clean_webp"]

_WEBP_KEPT = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"}
_FRAME_KEPT = {b"VP8 ", b"VP8L", b"ALPH"}
_HAS_EXIF, _HAS_XMP = 0x08, 0x04
_UNTOLD = 0xFFFFFFFF
_LARGEST_BLOCK = 64 << 20
_PLAIN = {1, 3, 6, 7}
"""Whole numbers, fractions, and the two telephone codes: what 16 bytes describe."""
_EXTENSIBLE = 0xFFFE


@dataclass(frozen=True, slots=True)
class _Chunk:
    name: bytes
    start: int
    body: int
    end: int
    """Where its content ends; one byte of padding may follow."""

    @property
    def following(self) -> int:
        return self.end + (self.end - self.body) % 2


def _chunks(source: Source, start: int, end: int) -> Iterator[_Chunk]:
    while start + 8 <= end:
        name, length = struct.unpack("<4sI", source.need(start, 8))
        chunk = _Chunk(name=name, start=start, body=start + 8, end=start + 8 + length)
        if chunk.end > end:
            raise InputError("its end is missing")
        yield chunk
        start = chunk.following


def _write(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def _whole(chunk: _Chunk) -> tuple[Kept | bytes, ...]:
    return Kept(chunk.start, chunk.end), bytes((chunk.end - chunk.body) % 2)


def clean_webp(source: Source) -> Pieces:
    """The picture, its frames and its color profile; of EXIF the orientation."""
    end = 8 + struct.unpack("<I", source.need(4, 4))[0]
    if end > source.size:
        raise InputError("its end is missing")
    chunks = list(_chunks(source, 12, end))
    orientation = 1
    for chunk in chunks:
        if chunk.name == b"EXIF":
            exif = source.read(chunk.body, min(chunk.end - chunk.body, _LARGEST_BLOCK))
            orientation = read_orientation(exif.removeprefix(b"Exif\0\0"))
    parts: list[Kept | bytes] = []
    for chunk in chunks:
        if chunk.name == b"VP8X" and chunk.end - chunk.body >= 10:
            flags, *rest = source.need(chunk.body, 10)
            flags = flags & ~(_HAS_EXIF | _HAS_XMP) | (_HAS_EXIF if orientation != 1 else 0)
            parts.append(_write(b"VP8X", bytes((flags, *rest))))
        elif chunk.name == b"ANMF" and chunk.end - chunk.body >= 16:
            parts.extend(_frame(source, chunk))
        elif chunk.name in _WEBP_KEPT:
            parts.extend(_whole(chunk))
    if orientation != 1:
        parts.append(_write(b"EXIF", write_orientation(orientation)))
    return _riff(b"WEBP", parts)


def _frame(source: Source, chunk: _Chunk) -> list[Kept | bytes]:
    """Give a frame of an animation without unknown chunks inside it."""
    inner = [
        part
        for one in _chunks(source, chunk.body + 16, chunk.end)
        if one.name in _FRAME_KEPT
        for part in _whole(one)
    ]
    length = 16 + sum(len(part) for part in inner)
    return [b"ANMF" + struct.pack("<I", length), Kept(chunk.body, chunk.body + 16), *inner]


def _riff(kind: bytes, parts: list[Kept | bytes]) -> Pieces:
    length = 4 + sum(len(part) for part in parts)
    return Pieces.of([b"RIFF" + struct.pack("<I", length) + kind, *parts])


def clean_wav(source: Source) -> Pieces:
    """The format and the samples; a file beyond 4 GB keeps its table of sizes."""
    is_large = source.need(0, 4) == b"RF64"
    told = struct.unpack("<Q", source.need(28, 8))[0] if is_large else None
    form = b""
    place = 12
    while place + 8 <= source.size:
        name, length = struct.unpack("<4sI", source.need(place, 8))
        if name == b"data":
            if not form:
                raise InputError("its samples come before their format")
            return _wav(source, form, place + 8, _samples(source, place + 8, length, told))
        if name == b"fmt ":
            form = _format(source.need(place + 8, min(length, 40)))
        place += 8 + length + length % 2
    raise InputError("it has no samples")


def _format(body: bytes) -> bytes:
    """Give the format without what it does not need."""
    if len(body) < 16:
        raise InputError("its format cannot be read")
    (tag,) = struct.unpack_from("<H", body)
    if tag in _PLAIN:
        return body[:16] if tag == 1 else body[:16] + b"\0\0"
    if tag == _EXTENSIBLE and len(body) == 40:
        return body
    raise InputError("its samples are not plain numbers (PCM)")


def _samples(source: Source, start: int, length: int, told: int | None) -> int:
    """Where the samples end."""
    if length == _UNTOLD:  # written to a pipe, or larger than the number can say
        length = source.size - start if told is None else told
    if start + length > source.size:
        raise InputError("its end is missing")
    return start + length


def _wav(source: Source, form: bytes, start: int, end: int) -> Pieces:
    head = _write(b"fmt ", form)
    length = end - start
    pad = bytes(length % 2)
    total = 4 + len(head) + 8 + length + len(pad)
    if total <= _UNTOLD:
        parts: list[Kept | bytes] = [head, b"data" + struct.pack("<I", length)]
        return _riff(b"WAVE", [*parts, Kept(start, end), pad])
    align = struct.unpack_from("<H", form, 12)[0] or 1
    sizes = struct.pack("<QQQI", total + 36, length, length // align, 0)
    opening = b"RF64" + struct.pack("<I", _UNTOLD) + b"WAVE" + _write(b"ds64", sizes) + head
    opening += b"data" + struct.pack("<I", _UNTOLD)
    return Pieces.of([opening, Kept(start, end), pad])
