"""JPEG: the segments that make the picture stay, with its orientation and its color profile."""

from __future__ import annotations

import re
import struct

from jurybox.errors import InputError
from jurybox.screen.clean.pieces import Kept, Pieces, Source
from jurybox.screen.clean.tiff import read_orientation, write_orientation

__all__ = ["clean_jpeg"]

_EXIF = b"Exif\0\0"
_ICC = b"ICC_PROFILE\0"
_SCAN, _END, _COMMENT = 0xDA, 0xD9, 0xFE
_PADDING = re.compile(rb"\xff+")
# Coded data end at a marker that is neither a stuffed byte nor a restart nor padding.
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


def clean_jpeg(source: Source) -> Pieces:
    """The segments that make the picture; notes and previews between and behind them go."""
    content = source.whole()
    parts: list[Kept | bytes] = [Kept(0, 2)]
    orientation = 1
    place = 2
    while True:
        place = _skip_padding(content, place)
        marker = content[place + 1] if place < len(content) else _END
        if marker == _END:
            break
        end = _segment_end(content, place)
        body = content[place + 4 : min(end, place + 64)]
        if marker == 0xE1 and body.startswith(_EXIF):
            if orientation == 1:
                orientation = read_orientation(content[place + 10 : end])
        else:
            parts.extend(_kept(content, place, end))
        place = end
        if marker == _SCAN:
            found = _MARKER.search(content, place)
            place = found.start() if found else len(content)
            parts.append(Kept(end, place))
    if orientation != 1:
        parts.insert(1, _segment(0xE1, _EXIF + write_orientation(orientation)))
    return Pieces.of([*parts, b"\xff\xd9"])


def _skip_padding(content: bytes, place: int) -> int:
    """Where the next marker is; the end of the file if it ends behind a whole scan."""
    if place == len(content):
        return place
    run = _PADDING.match(content, place)
    if run is None or run.end() == len(content):
        raise InputError("its end is missing")
    return run.end() - 1


def _segment_end(content: bytes, place: int) -> int:
    if place + 4 > len(content):
        raise InputError("its end is missing")
    (length,) = struct.unpack_from(">H", content, place + 2)
    end = int(place + 2 + length)
    if length < 2 or end > len(content):
        raise InputError("its end is missing")
    return end


def _kept(content: bytes, place: int, end: int) -> tuple[Kept | bytes, ...]:
    """Give what stays of a segment: all of it, what colors depend on, or nothing."""
    marker = content[place + 1]
    body = content[place + 4 : min(end, place + 18)]
    if marker == _COMMENT:
        return ()
    if not 0xE0 <= marker <= 0xEF:
        return (Kept(place, end),)
    if marker == 0xE0 and body.startswith(b"JFIF\0") and len(body) >= 12:
        return (_segment(0xE0, body[:12] + b"\0\0"),)  # without its thumbnail
    if marker == 0xEE and body.startswith(b"Adobe") and len(body) >= 12:
        return (_segment(0xEE, body[:12]),)
    if marker == 0xE2 and body.startswith(_ICC):
        return (Kept(place, end),)
    return ()


def _segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body
