"""What a recording is made of, as libmediainfo reads it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from jurybox.errors import InputError
from jurybox.screen.clean import Pieces, clean_open

if TYPE_CHECKING:
    from pymediainfo import Track

__all__ = ["tracks_of"]

_WAVE = {b"RIFF", b"RF64"}


def tracks_of(path: Path) -> list[Track]:
    """The container and every track of a recording; empty where nothing is understood.

    A list of cues that is none takes libmediainfo minutes, by whose count it goes: of a WAV file it
    reads what raters get, in which there are no cues.
    """
    from pymediainfo import MediaInfo

    with path.open("rb") as file:
        if file.read(4) in _WAVE:
            try:
                clean = clean_open(file)
            except InputError:  # a damaged file, of which libmediainfo tells what is wrong
                pass
            else:
                return MediaInfo.parse(_Cleaned(file, clean)).tracks
    return MediaInfo.parse(path).tracks


class _Cleaned(io.RawIOBase):
    """A cleaned file to read from."""

    def __init__(self, file: BinaryIO, clean: Pieces) -> None:
        self._file, self._clean, self._at = file, clean, 0

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place from the beginning, from here or from the end."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._clean.size}[whence]
        self._at = base + place
        return self._at

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._at

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or all that are left."""
        end = self._clean.size if size < 0 else min(self._clean.size, self._at + size)
        found = b"".join(self._clean.read(self._file, self._at, end))
        self._at += len(found)
        return found
