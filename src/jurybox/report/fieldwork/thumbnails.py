"""Pictures made small, so that a report can hold them."""

from __future__ import annotations

import base64
import io
import warnings
from pathlib import Path

__all__ = ["Thumbnails"]

ROOM = 1_500_000
"""So many bytes of pictures are put into a report, as they are written there."""
QUALITY = 78


class Thumbnails:
    """Gives pictures as small ``data:`` addresses as long as there is room.

    They are drawn anew, so that nothing of the file is left but what is seen.
    """

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._given: dict[tuple[Path, int], str | None] = {}

    def of(self, path: Path, *, side: int) -> str | None:
        """The picture with its longer side not above ``side``, or nothing."""
        if (path, side) not in self._given:
            made = _shrink(path, side)
            if made is not None and len(made) <= self._room:
                self._room -= len(made)
            else:
                made = None
            self._given[path, side] = made
        return self._given[path, side]


def _shrink(path: Path, side: int) -> str | None:
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            # One that is too large to be decoded safely is an error, here as in the check.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as file:
                file.draft("RGB", (side, side))
                upright = ImageOps.exif_transpose(file).convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError,
            Image.DecompressionBombWarning):  # fmt: skip
        return None
    upright.thumbnail((side, side))
    ground = Image.new("RGB", upright.size, "white")
    ground.paste(upright, mask=upright.getchannel("A"))
    out = io.BytesIO()
    ground.save(out, "JPEG", quality=QUALITY, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(out.getvalue()).decode("ascii")
