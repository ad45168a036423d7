"""The recordings of the listening test: short tunes, and what coding does to them."""

from __future__ import annotations

import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

__all__ = ["ITEMS", "SYSTEMS", "write_sounds"]

RATE: Final = 24_000
BEAT: Final = 0.25
"""Seconds from one note to the next."""

ITEMS: Final = {
    "harp": (0, 4, 7, 12, 7, 4, 0, 7),
    "march": (0, 0, 7, 7, 9, 9, 7, 7),
    "stairs": (0, 2, 4, 5, 7, 9, 11, 12),
    "bells": (12, 7, 4, 12, 9, 5, 12, 0),
    "waltz": (0, 7, 7, 2, 9, 9, 4, 11),
    "drum": (0, 0, 12, 0, 0, 12, 0, 12),
}
"""Item to its tune, in semitones."""
PRACTICE: Final = {
    "practice-1": ((7, 4, 0, 4, 7, 7, 4, 0), ("anchor-low", "original")),
    "practice-2": ((0, 5, 9, 12, 9, 5, 0, 5), ("original", "birch", "anchor-low")),
    "practice-3": ((12, 11, 9, 7, 5, 4, 2, 0), ("aurora", "anchor-mid", "original")),
    "practice-4": ((0, 12, 7, 12, 4, 12, 7, 0), ("birch", "original", "anchor-mid", "aurora")),
    "practice-5": (
        (4, 4, 5, 7, 7, 5, 4, 2),
        ("anchor-mid", "aurora", "anchor-low", "original", "birch"),
    ),
}
"""Practice trial to its tune, which no item has, and the versions of it from A on."""


def tune(notes: tuple[int, ...]) -> Any:
    """A plucked tune with a light brush of noise on every note: sound up to the highest tones."""
    import numpy as np

    draw = np.random.default_rng(7)
    length = int(RATE * BEAT)
    sound = np.zeros(length * (len(notes) + 2))
    for number, note in enumerate(notes):
        time = np.arange(3 * length) / RATE
        pitch = 220 * 2 ** (note / 12)
        parts = range(1, int(RATE / 2 / pitch))
        pluck = sum(
            np.sin(2 * np.pi * pitch * k * time) / k * np.exp(-time * (3 + k)) for k in parts
        )
        brush = draw.standard_normal(len(time)) * np.exp(-time * 60)
        sound[number * length : number * length + len(time)] += 0.5 * pluck + 0.15 * brush
    return 0.7 * sound / np.abs(sound).max()


def _low(limit: float) -> Callable[[Any], Any]:
    """Nothing above a frequency: the anchors of ITU-R BS.1534 have 7 and 3.5 kHz."""

    def change(sound: Any) -> Any:
        import numpy as np

        spectrum = np.fft.rfft(sound)
        spectrum[np.fft.rfftfreq(len(sound), 1 / RATE) > limit] = 0
        return np.fft.irfft(spectrum, len(sound))

    return change


def _coarse(bits: int) -> Callable[[Any], Any]:
    """Few steps of loudness, which sound as a hiss that follows the tune."""

    def change(sound: Any) -> Any:
        import numpy as np

        return np.round(sound * 2 ** (bits - 1)) / 2 ** (bits - 1)

    return change


SYSTEMS: Final[dict[str, Callable[[Any], Any]]] = {
    "original": lambda sound: sound,
    "aurora": _coarse(8),
    "birch": _coarse(5),
    "anchor-mid": _low(7000),
    "anchor-low": _low(3500),
}
"""System to what it does to a recording."""


def write_sounds(directory: Path) -> None:
    """Write the reference of every item, the outputs of every system, and the practice."""
    for item, notes in ITEMS.items():
        sound = tune(notes)
        _write(directory / "reference" / f"{item}.wav", sound)
        for system, change in SYSTEMS.items():
            _write(directory / "sounds" / system / f"{item}.wav", change(sound))
    for name, (notes, systems) in PRACTICE.items():
        sound = tune(notes)
        _write(directory / "practice" / name / "reference.wav", sound)
        for number, system in enumerate(systems, start=1):
            _write(directory / "practice" / name / f"{number}.wav", SYSTEMS[system](sound))


def _write(path: Path, sound: Any) -> None:
    import numpy as np

    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.round(32767 * np.clip(sound, -1, 1)).astype("<i2").tobytes())
