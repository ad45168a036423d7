"""Media measured: what a person might recognize a system by, and what makes two files alike.

Plain values, by file: `format`, `width`, `height`, `seconds`, `sampling_rate`, `channels`,
`loudness`, `frame_rate`, `sound`, `fingerprint`, `tint`, `content`. What cannot be told of a file
is absent; a file that is missing or broken has no facts at all, and ``check_media`` says so.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from jurybox.screen.media import Kind, media_uses
from jurybox.screen.sound import samples

if TYPE_CHECKING:
    from PIL.Image import Image

    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["glance", "probe_file", "probe_media"]

Fact = float | str
ORIENTATION = 0x0112
FULL_SCALE_SQUARE = 0.5
"""The mean square of a full-scale sine, which is 0 dBFS (AES17)."""
SILENCE = -120.0


def probe_media(
    study: Study, material: Material, *, tell: Callable[[int, int], None] = lambda done, total: None
) -> dict[Path, dict[str, Fact]]:
    """The facts of every media file that is shown; ``tell`` hears how many of how many are done."""
    kinds: dict[Path, Kind] = {use.path: use.kind for use in media_uses(study, material)}
    compared = _item_files(study, material)
    sizes = {path: path.stat().st_size for path in kinds if path.is_file()}
    shared = Counter(sizes.values())
    found: dict[Path, dict[str, Fact]] = {}
    for done, (path, size) in enumerate(sizes.items(), start=1):
        facts = probe_file(path, kinds[path], with_fingerprint=path in compared)
        if facts:
            # Only files of one size can be the same, so that most need not be read whole.
            if shared[size] > 1:
                with path.open("rb") as file:
                    facts["content"] = hashlib.file_digest(file, "sha256").hexdigest()
            found[path] = facts
        tell(done, len(sizes))
    return found


def _item_files(study: Study, material: Material) -> frozenset[Path]:
    """The files shown of items, which are looked through for near-duplicates."""
    return frozenset(
        Path(part)
        for item in material.items.values()
        for name in study.show
        if (value := item.fields.get(name)) is not None
        for part in (value if isinstance(value, tuple | list) else (value,))
        if isinstance(part, Path)
    )


def probe_file(path: Path, kind: Kind, *, with_fingerprint: bool = True) -> dict[str, Fact]:
    """What one file is; nothing when it cannot be read.

    Without its fingerprint a picture need not be decoded, which takes a hundred times as long.
    """
    if kind == "image":
        return _probe_image(path, with_fingerprint)
    return _probe_recording(path, kind)


def glance(path: Path, kind: Kind) -> Mapping[str, float]:
    """The width and height of a picture or film, and the seconds of a recording, where known.

    It is asked for whenever a trial is drawn, so that nothing moves when media arrive, and kept
    until the file changes.
    """
    try:
        state = path.stat()
    except OSError:
        return {}
    return _glance(path, kind, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=10_000)
def _glance(path: Path, kind: Kind, changed: int, size: int) -> Mapping[str, float]:
    facts = (
        _probe_image(path, False)
        if kind == "image"
        else _probe_recording(path, kind, with_loudness=False)
    )
    wanted = ("seconds",) if kind == "audio" else ("width", "height")
    return {name: float(facts[name]) for name in wanted if name in facts}


def _probe_image(path: Path, with_fingerprint: bool) -> dict[str, Fact]:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                width, height = image.size
                # Where there is no EXIF, looking for it would decode a whole PNG.
                turned = image.getexif().get(ORIENTATION, 1) if "exif" in image.info else 1
                if turned in (5, 6, 7, 8):
                    width, height = height, width
                facts: dict[str, Fact] = {
                    "format": image.format or "unknown",
                    "width": float(width),
                    "height": float(height),
                }
                if with_fingerprint:
                    image.draft("RGB", (64, 64))  # a JPEG need not be decoded in full
                    small = image.convert("RGB")
                    facts["fingerprint"] = f"{_fingerprint(small):016x}"
                    facts["tint"] = small.resize((2, 2)).tobytes().hex()
                return facts
    except (OSError, SyntaxError, ValueError, Warning, Image.DecompressionBombError):
        return {}


def _fingerprint(image: Image) -> int:
    """64 bits: whether each of 8 × 8 places is lighter than its left neighbor."""
    pixels = image.convert("L").resize((9, 8)).tobytes()
    bits = 0
    for row in range(8):
        for column in range(8):
            place = 9 * row + column
            bits = bits << 1 | (pixels[place + 1] > pixels[place])
    return bits


def _probe_recording(path: Path, kind: Kind, *, with_loudness: bool = True) -> dict[str, Fact]:
    from pymediainfo import MediaInfo

    tracks = MediaInfo.parse(path).tracks
    own = next((track for track in tracks if track.track_type == kind.capitalize()), None)
    if own is None:
        return {}
    general = next((track for track in tracks if track.track_type == "General"), own)
    facts: dict[str, Fact] = {"format": f"{own.format} in {general.format}"}
    measured = {
        "seconds": _number(general.duration or own.duration, 1000),
        "width": _number(own.width) if kind == "video" else None,
        "height": _number(own.height) if kind == "video" else None,
        "frame_rate": _number(own.frame_rate) if kind == "video" else None,
        "sampling_rate": _number(own.sampling_rate) if kind == "audio" else None,
        "channels": _number(own.channel_s) if kind == "audio" else None,
        "loudness": _loudness(path) if kind == "audio" and with_loudness else None,
    }
    facts |= {name: value for name, value in measured.items() if value is not None}
    if kind == "video":
        has_sound = any(track.track_type == "Audio" for track in tracks)
        facts["sound"] = "with sound" if has_sound else "without sound"
    return facts


def _number(value: object, divisor: float = 1) -> float | None:
    try:
        return float(str(value)) / divisor
    except ValueError:
        return None


def _loudness(path: Path) -> float | None:
    """The level of a WAV file in dBFS, by its root mean square; nothing for other formats."""
    total, count = 0.0, 0
    try:
        for values in samples(path):
            total += float(values @ values)
            count += len(values)
    except OSError:
        return None
    if not count:
        return None
    square = total / count / FULL_SCALE_SQUARE
    return max(SILENCE, 10 * math.log10(square)) if square > 0 else SILENCE
