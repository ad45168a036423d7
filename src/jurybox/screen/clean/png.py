"""PNG and animated PNG: the chunks that make the picture stay, text and everything unknown goes."""

from __future__ import annotations

import struct
import zlib

from jurybox.screen.clean.pieces import Kept, Pieces, Source
from jurybox.screen.clean.tiff import read_orientation, write_orientation

__all__ = ["clean_png"]

_START = 8
_KEPT = {
    *(b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"sRGB", b"iCCP", b"cICP"),
    *(b"sBIT", b"bKGD", b"pHYs", b"mDCV", b"cLLI", b"acTL", b"fcTL", b"fdAT"),
}
_LARGEST_BLOCK = 64 << 20


def clean_png(source: Source) -> Pieces:
    """The chunks that make the picture, and nothing after its end."""
    parts: list[Kept | bytes] = [Kept(0, _START)]
    place = _START
    orientation = header = 1
    name = b""
    while name != b"IEND":
        length, name = struct.unpack(">I4s", source.need(place, 8))
        end = place + 12 + length
        source.need(end - 4, 4)
        if name == b"eXIf":
            orientation = read_orientation(source.read(place + 8, min(length, _LARGEST_BLOCK)))
        elif name == b"iCCP":
            profile = source.read(place + 8, min(length, _LARGEST_BLOCK))
            # The profile's name is free text, apart from the profile.
            parts.append(_chunk(b"iCCP", b"profile\0" + profile.partition(b"\0")[2]))
        elif name in _KEPT:
            parts.append(Kept(place, end))
        if name == b"IHDR":
            header = len(parts)
        place = end
    if orientation != 1:
        parts.insert(header, _chunk(b"eXIf", write_orientation(orientation)))
    return Pieces.of(parts)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
