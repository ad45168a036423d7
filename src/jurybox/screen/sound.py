"""How loud a recording is: WAV read as it is, all else decoded by the extra `sound`.

A part of the samples is in memory at a time, however long the recording.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from jurybox.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Heard", "hear", "is_wave"]

FULL_SCALE_SQUARE = 0.5
"""The mean square of a full-scale sine, which is 0 dBFS (AES17)."""
SILENCE = -120.0
WHOLE, FLOATING, EXTENSIBLE = 1, 3, 0xFFFE
AT_ONCE = 1 << 18
"""Samples read at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the samples of a recording tell."""

    loudness: float
    """Their root mean square over all channels, in dBFS."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some samples of all channels, full scale being 1, and how long they last."""

    values: NDArray[np.float64]
    seconds: float


def hear(path: Path, *, name: str) -> Heard:
    """Listen to a recording, or to the first sound track of a film, from beginning to end.

    It is kept until the file changes, since every report asks again. Raises InputError, with a
    sentence that calls the file by ``name``, where it cannot be decoded, and one that says what to
    install where that is missing.
    """
    state = path.stat()
    return _hear(path, name, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=100_000)
def _hear(path: Path, name: str, changed: int, size: int) -> Heard:
    total, count, seconds = 0.0, 0, 0.0
    for part in read_wave(path) if is_wave(path) else _decode(path, name):
        total += float(part.values @ part.values)
        count += len(part.values)
        seconds += part.seconds
    if not count:
        raise InputError(f"{name} holds no sound; record or export it again")
    square = total / count / FULL_SCALE_SQUARE
    loudness = max(SILENCE, 10 * math.log10(square)) if square > 0 else SILENCE
    return Heard(loudness=loudness, seconds=seconds)


def _decode(path: Path, name: str) -> Iterator[Part]:
    try:
        import av
    except ImportError:
        raise InputError(
            "sound other than WAV is decoded by a package that is not installed; install it with "
            "'pip install \"jurybox[sound]\"'"
        ) from None
    try:
        with av.open(path) as file:
            for frame in file.decode(file.streams.audio[0]) if file.streams.audio else ():
                values = _full_scale(frame.to_ndarray())
                yield Part(values=values, seconds=frame.samples / frame.sample_rate)
    except av.FFmpegError as error:
        raise InputError(f"{name} cannot be decoded ({error.strerror}); export it again") from None


def _full_scale(values: NDArray[Any]) -> NDArray[np.float64]:
    """Decoded samples of any channels and kind in one row, full scale being 1."""
    import numpy as np

    row = values.reshape(-1)
    numbers = row.astype(np.float64)
    if row.dtype.kind == "f":
        return np.where(np.isfinite(numbers), numbers, 0.0)
    half = 2.0 ** (8 * row.dtype.itemsize - 1)
    return (numbers - half if row.dtype.kind == "u" else numbers) / half


def is_wave(path: Path) -> bool:
    """Whether a file is a WAV of whole or floating-point samples, which need no decoding."""
    with path.open("rb") as file:
        return _find_data(file) is not None


def read_wave(path: Path) -> Iterator[Part]:
    """The samples of a WAV, floating-point ones too, which `wave` does not read."""
    with path.open("rb") as file:
        found = _find_data(file)
        left = found.size if found else 0
        while found and left >= found.width:
            read = file.read(min(left, found.width * AT_ONCE))
            values = _numbers(read[: len(read) // found.width * found.width], found)
            if not len(values):
                return
            left -= len(read)
            yield Part(values=values, seconds=len(values) / found.a_second)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Data:
    """The samples of a WAV: their form, the bytes of one, how many a second has, and all bytes."""

    form: int
    width: int
    a_second: int
    size: int

    @property
    def is_plain(self) -> bool:
        widths = {WHOLE: (1, 2, 3, 4), FLOATING: (4, 8)}.get(self.form, ())
        return self.width in widths and self.a_second > 0


def _find_data(file: BinaryIO) -> _Data | None:
    """Leave the file at its first sample; nothing where they would have to be decoded."""
    if file.read(4) != b"RIFF" or file.read(8)[4:] != b"WAVE":
        return None
    form, channels, rate, bits = 0, 0, 0, 0
    while len(head := file.read(8)) == 8:
        name, size = struct.unpack("<4sI", head)
        if name == b"data":
            found = _Data(form=form, width=bits // 8, a_second=channels * rate, size=size)
            return found if found.is_plain else None
        body = file.read(size + size % 2)  # chunks begin at even places
        if name == b"fmt " and len(body) >= 16:
            form, channels, rate, bits = struct.unpack("<HHI6xH", body[:16])
            if form == EXTENSIBLE and len(body) >= 26:
                (form,) = struct.unpack("<H", body[24:26])
    return None


def _numbers(read: bytes, data: _Data) -> NDArray[np.float64]:
    import numpy as np

    if data.form == FLOATING:
        values = np.frombuffer(read, f"<f{data.width}").astype(np.float64)
        return np.where(np.isfinite(values), values, 0.0)
    parts = np.frombuffer(read, np.uint8).reshape(-1, data.width)
    if data.width == 1:  # the only unsigned form
        return (parts[:, 0].astype(np.float64) - 128) / 128
    wide = np.zeros((len(parts), 4), np.uint8)
    wide[:, 4 - data.width :] = parts
    return wide.view("<i4")[:, 0].astype(np.float64) / 2**31
