"""Ways to redo a picture: as a painting, as a drawing of its edges, or as part of a strip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps

__all__ = ["STYLES", "edges", "mask", "strip"]


def points(image: Image.Image, *, seed: int = 4) -> Image.Image:
    """Pointillism: round dots of few, pure, warm colors on pale ground."""
    draw = np.random.default_rng(seed)
    warm = Image.blend(image, Image.new("RGB", image.size, (250, 200, 120)), 0.16)
    out = Image.new("RGB", image.size, (244, 234, 210))
    pen = ImageDraw.Draw(out)
    spots = _grid(image, 6, 6) + 2
    spots += draw.integers(-2, 3, spots.shape)
    tones = _tones(warm, spots) + draw.integers(-30, 31, (len(spots), 3))
    tones = np.clip((tones + 21) // 43 * 43, 0, 255)
    for (x, y), tone in zip(spots.tolist(), tones.tolist(), strict=True):
        pen.ellipse((x - 3, y - 3, x + 3, y + 3), fill=tuple(tone))
    return out


def strokes(image: Image.Image, *, seed: int = 5) -> Image.Image:
    """Thick, slanted strokes of oil, in cool colors."""
    draw = np.random.default_rng(seed)
    cool = Image.blend(image, Image.new("RGB", image.size, (40, 80, 150)), 0.3)
    out = cool.filter(ImageFilter.GaussianBlur(6))
    pen = ImageDraw.Draw(out)
    spots = draw.permutation(_grid(image, 9, 7))
    tones = np.clip(_tones(cool, spots) + 12 * draw.integers(-2, 3, (len(spots), 1)), 0, 255)
    reach = np.stack([draw.integers(9, 17, len(spots)), draw.integers(-7, 3, len(spots))], axis=1)
    ends = np.concatenate([spots - reach, spots + reach], axis=1)
    for end, tone in zip(ends.tolist(), tones.tolist(), strict=True):
        pen.line(end, fill=tuple(tone), width=5)
    return out


def _grid(image: Image.Image, across: int, down: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Points (x, y) at regular distances, row by row."""
    rows, columns = np.mgrid[0 : image.height : down, 0 : image.width : across]
    return np.stack([columns.ravel(), rows.ravel()], axis=1)


def _tones(
    image: Image.Image, spots: np.ndarray[Any, np.dtype[np.int64]]
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The picture's colors at these points."""
    x = np.clip(spots[:, 0], 0, image.width - 1)
    y = np.clip(spots[:, 1], 0, image.height - 1)
    return np.asarray(image)[y, x].astype(np.int64)


def woodcut(image: Image.Image, *, seed: int = 6) -> Image.Image:
    """Black lines cut into wood, on paper, in two colors."""
    gray = ImageOps.autocontrast(image.convert("L").filter(ImageFilter.GaussianBlur(1)))
    tones = np.asarray(gray).astype(float)
    rows = np.indices(tones.shape)[0]
    hatch = (np.sin(rows * 2 * np.pi / 6) + 1) / 2 * 255
    dark = (tones < 70) | ((tones < 170) & (hatch > tones * 1.25))
    paper = np.array([240, 226, 196])
    ink = np.array([52, 40, 36])
    out = np.where(dark[..., None], ink, paper).astype(np.uint8)
    lines = np.asarray(edges(image)) < 128
    out[lines.any(axis=-1)] = ink
    return Image.fromarray(out)


def watercolor(image: Image.Image, *, seed: int = 7) -> Image.Image:
    """Thin, pale color that runs, on rough paper."""
    draw = np.random.default_rng(seed)
    soft = image.filter(ImageFilter.MedianFilter(9)).filter(ImageFilter.GaussianBlur(1.6))
    pale = Image.blend(soft, Image.new("RGB", image.size, (252, 250, 244)), 0.42)
    height, width = image.height, image.width
    rough = Image.fromarray(draw.integers(0, 256, (height // 7, width // 7), dtype=np.uint8))
    rough = rough.resize((width, height), Image.Resampling.BICUBIC)
    grain = (np.asarray(rough).astype(float) - 128) / 9
    return Image.fromarray(np.clip(np.asarray(pale) + grain[..., None], 0, 255).astype(np.uint8))


def gray(image: Image.Image, *, seed: int = 0) -> Image.Image:
    """A plain gray photograph: no painting at all."""
    return image.convert("L").convert("RGB")


def edges(image: Image.Image) -> Image.Image:
    """The picture's edges as dark lines on white: what a control picture looks like."""
    values = np.asarray(image.convert("RGB").filter(ImageFilter.GaussianBlur(0.8))).astype(float)
    across = np.abs(np.diff(values, axis=1, prepend=values[:, :1])).max(axis=-1)
    down = np.abs(np.diff(values, axis=0, prepend=values[:1])).max(axis=-1)
    found = (np.maximum(across, down) > 7).astype(np.uint8) * 255
    lines = Image.fromarray(found).filter(ImageFilter.MedianFilter(3))
    return ImageOps.invert(lines).convert("RGB")


def mask(size: tuple[int, int], box: tuple[int, int, int, int]) -> Image.Image:
    """White where the picture may be changed, black elsewhere."""
    out = Image.new("RGB", size, (0, 0, 0))
    ImageDraw.Draw(out).rounded_rectangle(box, radius=14, fill=(255, 255, 255))
    return out


def strip(images: Sequence[Image.Image], *, arrow: bool = True) -> Image.Image:
    """Pictures side by side and smaller; an arrow before the last says that it is the output."""
    small = [image.resize((image.width * 3 // 5, image.height * 3 // 5)) for image in images]
    gaps = [8] * (len(small) - 1)
    if arrow and gaps:
        gaps[-1] = 36
    height = max(image.height for image in small)
    width = sum(image.width for image in small) + sum(gaps)
    out = Image.new("RGB", (width, height), (247, 246, 243))
    x = 0
    for image, gap in zip(small, [*gaps, 0], strict=True):
        out.paste(image, (x, 0))
        x += image.width
        if gap == 36:
            _arrow(ImageDraw.Draw(out), x, height // 2, gap)
        x += gap
    return out


def _arrow(pen: ImageDraw.ImageDraw, x: int, y: int, width: int) -> None:
    tone = (11, 110, 105)
    pen.line([(x + 8, y), (x + width - 12, y)], fill=tone, width=4)
    pen.polygon([(x + width - 18, y - 9), (x + width - 6, y), (x + width - 18, y + 9)], fill=tone)


STYLES: Final[dict[str, Callable[..., Image.Image]]] = {
    "points": points,
    "strokes": strokes,
    "woodcut": woodcut,
    "watercolor": watercolor,
    "gray": gray,
}
