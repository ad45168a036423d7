"""Boxes, of which MP4, MOV, M4A and AVIF are made (ISO/IEC 14496-12)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from jurybox.errors import InputError
from jurybox.screen.clean.pieces import Overlay, Source

__all__ = ["Box", "find_box", "free", "read_boxes"]


@dataclass(frozen=True, slots=True)
class Box:
    """A box with its kind; its content is from ``body`` to ``end``."""

    kind: bytes
    start: int
    body: int
    end: int


def read_boxes(source: Source, start: int, end: int) -> Iterator[Box]:
    """The boxes of a range, one behind the other."""
    while start + 8 <= end:
        size, kind = struct.unpack(">I4s", source.need(start, 8))
        body = start + 8
        if size == 1:
            (size,) = struct.unpack(">Q", source.need(body, 8))
            body += 8
        elif size == 0:  # up to the end
            size = end - start
        box = Box(kind=kind, start=start, body=body, end=start + size)
        if box.end < body or box.end > end:
            raise InputError(f"a part of it ({_printed(kind)}) says a size that it does not have")
        yield box
        start = box.end


def _printed(kind: bytes) -> str:
    return kind.decode("ascii") if kind.isalnum() and kind.isascii() else "unnamed"


def find_box(source: Source, parent: Box, *path: bytes) -> Box | None:
    """The first box along a path of kinds below a box."""
    found: Box | None = parent
    for kind in path:
        if found is None:
            return None
        inside = read_boxes(source, found.body, found.end)
        found = next((box for box in inside if box.kind == kind), None)
    return found


def free(overlay: Overlay, box: Box) -> None:
    """Turn a box into free space of the same size, so that nothing behind it moves."""
    overlay.put(box.start + 4, b"free")
    overlay.blank(box.body, box.end)
