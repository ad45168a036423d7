"""Media measured: what a person might recognize a system by, and what makes two files alike.

Plain values, by file: `format`, `width`, `height`, `seconds`, `sampling_rate`, `channels`,
`loudness`, `frame_rate`, `sound`, `fingerprint`, `tint`, `content`. What cannot be told of a file
is absent, and `unheard` says why there is no loudness; a file that is missing or broken has no
facts at all, and ``check_media`` says so.
"""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from jurybox.errors import InputError
from jurybox.screen.media import media_uses, name_from
from jurybox.screen.media_file import Kind
from jurybox.screen.sound import hear

if TYPE_CHECKING:
    from PIL.Image import Image

    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["glance", "probe_file", "probe_media"]

Fact = float | str
ORIENTATION = 0x0112


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
        facts = probe_file(
            path,
            kinds[path],
            with_fingerprint=path in compared,
            shown_as=name_from(study.directory, path),
        )
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


def probe_file(
    path: Path, kind: Kind, *, with_fingerprint: bool = True, shown_as: str | None = None
) -> dict[str, Fact]:
    """What one file is; nothing when it cannot be read.

    Without its fingerprint a picture need not be decoded, which takes a hundred times as long.
    """
    if kind == "image":
        return _probe_image(path, with_fingerprint)
    facts = _probe_recording(path, kind)
    if "sampling_rate" in facts:
        return _listen(path, kind, shown_as or path.name, facts)
    return facts


def _listen(path: Path, kind: Kind, name: str, known: Mapping[str, Fact]) -> dict[str, Fact]:
    try:
        heard = hear(path, name=name)
    except InputError as error:
        return {**known, "unheard": str(error)}
    facts = {"seconds": heard.seconds, **known, "loudness": heard.loudness}
    # What a recording says of its length may be missing, as in bare AAC, or count the silence that
    # its codec adds at the ends, which no browser plays.
    return facts if kind == "video" else {**facts, "seconds": heard.seconds}


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
    facts = _probe_image(path, False) if kind == "image" else _probe_recording(path, kind)
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


def _probe_recording(path: Path, kind: Kind) -> dict[str, Fact]:
    from jurybox.screen.tracks import tracks_of

    tracks = tracks_of(path)
    own = next((track for track in tracks if track.track_type == kind.capitalize()), None)
    if own is None:
        return {}
    general = next((track for track in tracks if track.track_type == "General"), own)
    sound = next((track for track in tracks if track.track_type == "Audio"), None)
    facts: dict[str, Fact] = {"format": f"{own.format} in {general.format}"}
    measured = {
        "seconds": _number(general.duration or own.duration, 1000),
        "width": _number(own.width) if kind == "video" else None,
        "height": _number(own.height) if kind == "video" else None,
        "frame_rate": _number(own.frame_rate) if kind == "video" else None,
        "sampling_rate": _number(sound.sampling_rate) if sound else None,
        "channels": _number(sound.channel_s) if sound else None,
    }
    facts |= {name: value for name, value in measured.items() if value is not None}
    if kind == "video":
        facts["sound"] = "with sound" if sound else "without sound"
    return facts


def _number(value: object, divisor: float = 1) -> float | None:
    try:
        return float(str(value)) / divisor
    except ValueError:
        return None
