"""The one thing kept of an EXIF block: which way up the picture is."""

from __future__ import annotations

import struct

__all__ = ["read_orientation", "write_orientation"]

_ORIENTATION = 0x0112


def read_orientation(tiff: bytes) -> int:
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
        if tag == _ORIENTATION:
            return value if 1 <= value <= 8 else 1
    return 1


def write_orientation(orientation: int) -> bytes:
    """Write an EXIF block that holds the orientation and nothing else."""
    entry = struct.pack("<HHIHH", _ORIENTATION, 3, 1, orientation, 0)
    return b"II*\0" + struct.pack("<IH", 8, 1) + entry + struct.pack("<I", 0)
