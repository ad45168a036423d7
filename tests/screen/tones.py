"""A tone of known loudness, in any codec and container that a browser plays."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

__all__ = ["CONTAINERS", "write_tone"]

CONTAINERS = {
    "a.mp3": "libmp3lame",
    "a.flac": "flac",
    "a.opus": "libopus",
    "a.ogg": "vorbis",
    "a.m4a": "aac",
    "a.aac": "aac",
    "a.webm": "libopus",
}


def write_tone(
    path: Path,
    codec: str,
    *,
    amplitude: float = 0.5,
    seconds: float = 1.0,
    rate: int = 48_000,
    film: str | None = None,
) -> Path:
    """A sine of 440 Hz in two channels, full scale being 1; below ten pictures in ``film``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        pictures: Any = container.add_stream(film, rate=10) if film else None
        sound: Any = container.add_stream(codec, rate=rate, layout="stereo") if codec else None
        if pictures is not None:
            pictures.width, pictures.height, pictures.pix_fmt = 64, 48, "yuv420p"
            for number in range(10):
                picture = np.full((48, 64, 3), 20 * number, np.uint8)
                container.mux(pictures.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            container.mux(pictures.encode(None))
        if sound is not None:
            if codec == "vorbis":
                sound.codec_context.options = {"strict": "-2"}
            if not sound.codec_context.is_open:
                sound.codec_context.open()
            # LAME makes everything a twentieth quieter.
            height = amplitude / 0.95 if codec == "libmp3lame" else amplitude
            values = height * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)
            for frame in _frames(values, sound.codec_context, rate):
                container.mux(sound.encode(frame))
            container.mux(sound.encode(None))
    return path


def _frames(values: npt.NDArray[np.float64], codec: Any, rate: int) -> Iterator[av.AudioFrame]:
    size = codec.frame_size or 4096
    for start in range(0, len(values), size):
        part = values[start : start + size]
        if codec.format.name == "s16":
            whole = np.repeat(np.round(part * 32767).astype(np.int16), 2)[None, :]
            frame = av.AudioFrame.from_ndarray(whole, format="s16", layout="stereo")
        else:
            both = np.stack([part, part]).astype(np.float32)
            frame = av.AudioFrame.from_ndarray(both, format="fltp", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = rate, start, Fraction(1, rate)
        yield frame
