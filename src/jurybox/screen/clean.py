"""Pictures without their metadata, and not a pixel changed.

A PNG text chunk or an EXIF block often names the model, the settings or the person behind a
picture, which would undo the blinding. The pixels stay as they are: only the blocks around them go.
Orientation and color profile are kept, because without them the picture looks different.
"""

from __future__ import annotations

import struct
import zlib

__all__ = ["clean_jpeg", "clean_picture", "clean_png"]

_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = {
    *(b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"sRGB", b"iCCP", b"cICP"),
    *(b"sBIT", b"bKGD", b"pHYs", b"mDCV", b"cLLI", b"acTL", b"fcTL", b"fdAT"),
}
_TIFF_ORIENTATION = 0x0112
_ICC = b"ICC_PROFILE\0"


def clean_picture(content: bytes) -> bytes:
    """The same picture without metadata; content of another kind comes back as it is."""
    if content.startswith(_PNG_START):
        return clean_png(content)
    if content.startswith(b"\xff\xd8\xff"):
        return clean_jpeg(content)
    return content


def clean_png(content: bytes) -> bytes:
    """The chunks that make the picture, and nothing after its end."""
    parts = [_PNG_START]
    place = len(_PNG_START)
    orientation = header = 1
    while place + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, place)
        name = content[place + 4 : place + 8]
        end = place + 12 + length
        if name == b"eXIf":
            orientation = _orientation(content[place + 8 : place + 8 + length])
        elif name == b"iCCP":
            parts.append(_without_profile_name(content[place + 8 : place + 8 + length]))
        elif name in _PNG_KEPT:
            parts.append(content[place:end])
        if name == b"IHDR":
            header = len(parts)
        place = end
        if name == b"IEND":
            break
    if orientation != 1:
        parts.insert(header, _png_chunk(b"eXIf", _orientation_tiff(orientation)))
    return b"".join(parts)


def _png_chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _without_profile_name(body: bytes) -> bytes:
    """Give the color profile under a name that says nothing: the chunk's own name is free text."""
    _, _, rest = body.partition(b"\0")
    return _png_chunk(b"iCCP", b"profile\0" + rest)


def clean_jpeg(content: bytes) -> bytes:
    """The segments that make the picture, its orientation and its color profile."""
    kept = [b"\xff\xd8"]
    orientation = 1
    place = 2
    while place + 4 <= len(content) and content[place] == 0xFF:
        marker = content[place + 1]
        if marker == 0xFF:  # padding before a marker
            place += 1
            continue
        if marker == 0xDA:  # the picture itself follows
            break
        (length,) = struct.unpack_from(">H", content, place + 2)
        body = content[place + 4 : place + 2 + length]
        if marker == 0xE1 and body.startswith(b"Exif\0\0"):
            orientation = _orientation(body[6:])
        elif _kept_in_jpeg(marker, body):
            kept.append(content[place : place + 2 + length])
        place += 2 + length
    if orientation != 1:
        exif = b"Exif\0\0" + _orientation_tiff(orientation)
        kept.insert(1, b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif)
    return b"".join(kept) + _until_end(content, place)


def _kept_in_jpeg(marker: int, body: bytes) -> bool:
    if marker == 0xFE:  # comment
        return False
    if 0xE0 <= marker <= 0xEF:  # JFIF and Adobe change how colors are read
        return (
            (marker == 0xE0 and body.startswith(b"JFIF\0"))
            or (marker == 0xE2 and body.startswith(_ICC))
            or (marker == 0xEE and body.startswith(b"Adobe"))
        )
    return True


def _until_end(content: bytes, place: int) -> bytes:
    """Give the scans up to the end marker; previews and notes behind it, and between scans, go."""
    parts = []
    while place < len(content):
        marker = content[place + 1] if place + 1 < len(content) else 0xD9
        if marker == 0xD9:
            break
        if place + 4 > len(content):
            break
        (length,) = struct.unpack_from(">H", content, place + 2)
        segment = content[place : place + 2 + length]
        place += 2 + length
        if marker == 0xDA:
            stop = _next_marker(content, place)
            segment += content[place:stop]
            place = stop
        if _kept_in_jpeg(marker, segment[4:]):
            parts.append(segment)
    return b"".join([*parts, b"\xff\xd9"])


def _next_marker(content: bytes, place: int) -> int:
    """Where the coded data end: at a marker that is neither a stuffed byte nor a restart."""
    while True:
        place = content.find(b"\xff", place)
        if place < 0 or place + 1 >= len(content):
            return len(content)
        if content[place + 1] == 0 or 0xD0 <= content[place + 1] <= 0xD7:
            place += 2
        elif content[place + 1] == 0xFF:
            place += 1
        else:
            return place


def _orientation(tiff: bytes) -> int:
    """Read the orientation out of an EXIF block; 1, upright, if it says nothing readable."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None or len(tiff) < 10:
        return 1
    (start,) = struct.unpack_from(order + "I", tiff, 4)
    if start + 2 > len(tiff):
        return 1
    (count,) = struct.unpack_from(order + "H", tiff, start)
    for number in range(count):
        place = start + 2 + 12 * number
        if place + 12 > len(tiff):
            return 1
        tag, _, _, value = struct.unpack_from(order + "HHIH", tiff, place)
        if tag == _TIFF_ORIENTATION:
            return value if 1 <= value <= 8 else 1
    return 1


def _orientation_tiff(orientation: int) -> bytes:
    """Write an EXIF block that holds the orientation and nothing else."""
    entry = struct.pack("<HHIHH", _TIFF_ORIENTATION, 3, 1, orientation, 0)
    return b"II*\0" + struct.pack("<IH", 8, 1) + entry + struct.pack("<I", 0)
