"""The samples of a WAV file: whole numbers and floating-point ones, which `wave` does not read."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["samples"]

WHOLE, FLOATING, EXTENSIBLE = 1, 3, 0xFFFE
AT_ONCE = 1 << 18
"""Samples read at a time."""


def samples(path: Path) -> Iterator[NDArray[np.float64]]:
    """The samples of all channels, part by part, full scale being 1; none of another format."""
    with path.open("rb") as file:
        found = _find_data(file)
        if found is None:
            return
        form, width, left = found
        while left >= width and (part := file.read(min(left, width * AT_ONCE))):
            left -= len(part)
            values = _numbers(part[: len(part) // width * width], form, width)
            if values is None:
                return
            yield values


def _find_data(file: BinaryIO) -> tuple[int, int, int] | None:
    """The form of the samples, their bytes and those of all; the file stands at the first one."""
    if file.read(4) != b"RIFF" or file.read(8)[4:] != b"WAVE":
        return None
    form, width = 0, 0
    while len(head := file.read(8)) == 8:
        name, size = struct.unpack("<4sI", head)
        if name == b"data":
            return (form, width, size) if width else None
        body = file.read(size + size % 2)  # chunks begin at even places
        if name == b"fmt " and len(body) >= 16:
            form, bits = struct.unpack("<H12xH", body[:16])
            width = bits // 8
            if form == EXTENSIBLE and len(body) >= 26:
                (form,) = struct.unpack("<H", body[24:26])
    return None


def _numbers(part: bytes, form: int, width: int) -> NDArray[np.float64] | None:
    import numpy as np

    if form == FLOATING and width in (4, 8):
        values = np.frombuffer(part, f"<f{width}").astype(np.float64)
        return np.where(np.isfinite(values), values, 0.0)
    if form != WHOLE or not 1 <= width <= 4:
        return None
    parts = np.frombuffer(part, np.uint8).reshape(-1, width)
    if width == 1:  # the only unsigned form
        return (parts[:, 0].astype(np.float64) - 128) / 128
    wide = np.zeros((len(parts), 4), np.uint8)
    wide[:, 4 - width :] = parts
    return wide.view("<i4")[:, 0].astype(np.float64) / 2**31
