"""Pictures as a judge gets them: upright, and without a word about where they come from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from jurybox.errors import InputError, JudgeError
from jurybox.screen.clean import clean_bytes

__all__ = ["Picture", "read_picture"]

_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
"""What every endpoint with eyes takes; other formats are sent as PNG."""
_PNG_MODES = {"1", "L", "LA", "P", "RGB", "RGBA"}
_ORIENTATION = 0x0112
LONGEST_SIDE = 2048
"""In pixels. Vision models scale down what is larger, and endpoints refuse what is too heavy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture of a trial; its data are read when they are sent, so that memory stays flat."""

    path: Path
    type: str
    digest: str
    size: tuple[int, int]

    def data(self) -> bytes:
        """The file as it is sent."""
        return _sent(self.path)[1]

    def __str__(self) -> str:
        width, height = self.size
        return f"picture, {width} × {height} pixels, {self.type}"


@lru_cache(maxsize=4096)
def read_picture(path: Path) -> Picture:
    """Look at a picture without keeping its data."""
    type, data, size = _sent(path)
    digest = hashlib.sha256(data).hexdigest()
    return Picture(path=path, type=type, digest=digest, size=size)


def _sent(path: Path) -> tuple[str, bytes, tuple[int, int]]:
    """The type, the data without metadata and upright, and the size in pixels."""
    from PIL import Image, ImageOps

    try:
        content = path.read_bytes()
        with Image.open(BytesIO(content)) as picture:
            turned = picture.getexif().get(_ORIENTATION, 1) != 1
            if picture.format in _TYPES and not turned and max(picture.size) <= LONGEST_SIDE:
                return _TYPES[picture.format], clean_bytes(content), picture.size
            upright = ImageOps.exif_transpose(picture)
            upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            profile = picture.info.get("icc_profile")
            if upright.mode not in _PNG_MODES:
                upright, profile = upright.convert("RGB"), None
            made = BytesIO()
            upright.save(made, format="PNG", icc_profile=profile)
            return "image/png", clean_bytes(made.getvalue()), upright.size
    except (OSError, InputError, Image.DecompressionBombError) as error:
        raise JudgeError(f"The picture {path.name} cannot be sent to a judge: {error}.") from None
