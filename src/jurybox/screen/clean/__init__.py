"""Media without their metadata, and not a pixel or a sample changed.

A text chunk, an EXIF block or a tag often names the model, the settings or the person behind an
output, which would undo the blinding. Picture and sound stay as they are coded: only what stands
around them goes. Orientation and color profile are kept, because without them a picture looks
different; so are loop counts and the silence that gapless players cut off.

What is not known to be needed goes, rather than the other way round. A file that cannot be cleaned
without coding it again is refused with an ``InputError`` whose words complete "it cannot be
cleaned: …".
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from jurybox.errors import InputError
from jurybox.screen.clean.flac import clean_flac
from jurybox.screen.clean.gif import clean_gif
from jurybox.screen.clean.jpeg import clean_jpeg
from jurybox.screen.clean.matroska import clean_matroska
from jurybox.screen.clean.mp4 import clean_mp4
from jurybox.screen.clean.mpeg_audio import clean_aac, clean_mp3
from jurybox.screen.clean.ogg import clean_ogg
from jurybox.screen.clean.pieces import Pieces, Source
from jurybox.screen.clean.png import clean_png
from jurybox.screen.clean.riff import clean_wav, clean_webp
from jurybox.screen.clean.tags import skip_tags

__all__ = ["Pieces", "Stamp", "clean_bytes", "clean_file", "clean_open"]

_REMEMBERED = 10_000


class Stamp(NamedTuple):
    """What tells that a file may be another one; no program can set the last of them."""

    size: int
    written: int
    changed: int

    @classmethod
    def of(cls, file: Path | int) -> Stamp:
        """The stamp of a file by its path, or of an open one by its number."""
        found = os.stat(file)
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def clean_file(path: Path) -> Pieces:
    """The pieces that a cleaned file is made of; looked for once, as long as it does not change."""
    return _clean_as_stamped(path, Stamp.of(path))


@lru_cache(maxsize=_REMEMBERED)
def _clean_as_stamped(path: Path, stamp: Stamp) -> Pieces:
    # Without a buffer: films are read in short looks far apart.
    with path.open("rb", buffering=0) as file:
        return clean_open(cast("BinaryIO", file))


def clean_bytes(content: bytes) -> bytes:
    """The same picture, sound or film without metadata."""
    file = io.BytesIO(content)
    return clean_open(file).join(file)


def clean_open(file: BinaryIO) -> Pieces:
    """The pieces that an open file is made of when it is clean."""
    source = Source(file)
    return _cleaner(source)(source)


def _cleaner(source: Source) -> Callable[[Source], Pieces]:
    """What cleans a file, by its first bytes, whatever its name."""
    head = source.read(0, 16)
    if head[4:8] == b"ftyp":
        return clean_mp4
    if head[:4] in (b"RIFF", b"RF64"):
        return clean_webp if head[8:12] == b"WEBP" else clean_wav
    for start, cleaner in _STARTS.items():
        if head.startswith(start):
            return cleaner
    # ID3 stands before any stream of sound.
    head = source.read(skip_tags(source, 0), 4)
    if head == b"fLaC":
        return clean_flac
    if head[:1] == b"\xff" and len(head) > 1:
        return clean_aac if head[1] & 0xF6 == 0xF0 else clean_mp3
    raise InputError("it is of a kind that is not known here")


_STARTS: dict[bytes, Callable[[Source], Pieces]] = {
    b"\x89PNG\r\n\x1a\n": clean_png,
    b"\xff\xd8\xff": clean_jpeg,
    b"GIF87a": clean_gif,
    b"GIF89a": clean_gif,
    b"OggS": clean_ogg,
    b"\x1aE\xdf\xa3": clean_matroska,
}
