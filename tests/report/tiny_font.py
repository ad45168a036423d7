"""A font of one letter, which is drawn as a square: enough to show that letter and no other."""

from __future__ import annotations

import struct

__all__ = ["tiny_font"]

UNITS = 1000


def _table_sum(data: bytes) -> int:
    padded = data + b"\0" * (-len(data) % 4)
    words = (int.from_bytes(padded[k : k + 4], "big") for k in range(0, len(padded), 4))
    return sum(words) & 0xFFFFFFFF


def _name(family: str) -> bytes:
    texts = {1: family, 2: "Regular", 4: family, 6: family.replace(" ", "")}
    records, storage = b"", b""
    for key, text in texts.items():
        data = text.encode("utf-16-be")
        records += struct.pack(">6H", 3, 1, 0x409, key, len(data), len(storage))
        storage += data
    return struct.pack(">3H", 0, len(texts), 6 + len(records)) + records + storage


def _cmap(letter: str) -> bytes:
    # Format 12: one group of one letter, which is glyph 1.
    group = struct.pack(">3I", ord(letter), ord(letter), 1)
    table = struct.pack(">HHIII", 12, 0, 16 + len(group), 0, 1) + group
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + table


def tiny_font(letter: str, family: str) -> bytes:
    """The bytes of a TrueType font."""
    square = struct.pack(">5h", 1, 100, 0, 900, 800) + struct.pack(">HH", 3, 0)
    square += bytes([1] * 4) + struct.pack(">8h", 100, 800, 0, -800, 0, 0, 800, 0)
    square += b"\0" * (-len(square) % 4)
    tables = {
        b"OS/2": struct.pack(
            ">HhHHH10hh10s4I4sHHHhhhHH2I", 4, 1000, 400, 5, 0, *([0] * 10), 0, bytes(10),
            0, 0, 0, 0, b"NONE", 64, 0, 0xFFFF, 800, -200, 0, 800, 200, 0, 0,
        ) + struct.pack(">hhHHH", 500, 700, 0, 32, 0),
        b"cmap": _cmap(letter),
        b"glyf": square,
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh", 0x10000, 0x10000, 0, 0x5F0F3CF5, 0, UNITS, 0, 0,
            0, 0, 1000, 800, 0, 8, 2, 1, 0,
        ),
        b"hhea": struct.pack(">IhhhH11hH", 0x10000, 800, -200, 0, 1000, *([0] * 11), 2),
        b"hmtx": struct.pack(">HhHh", 1000, 0, 1000, 100),
        b"loca": struct.pack(">3I", 0, 0, len(square)),
        b"maxp": struct.pack(">I14H", 0x10000, 2, 4, 1, *([0] * 11)),
        b"name": _name(family),
        b"post": struct.pack(">IihhIIIII", 0x30000, 0, 0, 0, 0, 0, 0, 0, 0),
    }  # fmt: skip
    head, body = struct.pack(">IHHHH", 0x10000, len(tables), 128, 3, 32), b""
    start = 12 + 16 * len(tables)
    for tag, data in sorted(tables.items()):
        head += struct.pack(">4sIII", tag, _table_sum(data), start + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    return head + body
