"""What goes wrong in generated pictures, done on purpose and the same way every time."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Final

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

__all__ = ["FLAWS"]

Box = tuple[int, int, int, int]
WHOLE: Final[Box] = (0, 0, 10_000, 10_000)


def _within(image: Image.Image, box: Box) -> Box:
    left, top, right, bottom = box
    return left, top, min(right, image.width), min(bottom, image.height)


def blur(image: Image.Image, *, radius: float = 3, box: Box = WHOLE) -> Image.Image:
    """Soft where it should be sharp."""
    box = _within(image, box)
    out = image.copy()
    out.paste(image.crop(box).filter(ImageFilter.GaussianBlur(radius)), box[:2])
    return out


def noise(
    image: Image.Image, *, amount: float = 30, seed: int = 1, box: Box = WHOLE
) -> Image.Image:
    """Colored grain of three pixels: finer grain would make large files."""
    box = _within(image, box)
    part = np.asarray(image.crop(box)).astype(float)
    height, width, channels = part.shape
    grain = np.random.default_rng(seed).normal(
        0, amount, (height // 3 + 1, width // 3 + 1, channels)
    )
    part = part + grain.repeat(3, axis=0).repeat(3, axis=1)[:height, :width]
    out = image.copy()
    out.paste(Image.fromarray(np.clip(part, 0, 255).astype(np.uint8)), box[:2])
    return out


def blocks(image: Image.Image, *, quality: int = 6) -> Image.Image:
    """Squares, as after far too strong compression."""
    small = image.resize((image.width // 2, image.height // 2), Image.Resampling.BILINEAR)
    held = io.BytesIO()
    small.save(held, "JPEG", quality=quality)
    return Image.open(held).convert("RGB").resize(image.size, Image.Resampling.NEAREST)


def hue(image: Image.Image, *, shift: int = 60, box: Box = WHOLE) -> Image.Image:
    """Colors turned around the wheel."""
    box = _within(image, box)
    first, *rest = image.crop(box).convert("HSV").split()
    turned = first.point([(value + shift) % 256 for value in range(256)])
    out = image.copy()
    out.paste(Image.merge("HSV", (turned, *rest)).convert("RGB"), box[:2])
    return out


def swirl(
    image: Image.Image, *, at: tuple[int, int], radius: float = 60, turn: float = 2.0
) -> Image.Image:
    """A part twisted around its middle."""
    pixels = np.asarray(image)
    rows, columns = np.indices(pixels.shape[:2])
    dx, dy = columns - at[0], rows - at[1]
    distance = np.hypot(dx, dy)
    angle = turn * np.clip(1 - distance / radius, 0, 1) ** 2
    x = at[0] + dx * np.cos(angle) - dy * np.sin(angle)
    y = at[1] + dx * np.sin(angle) + dy * np.cos(angle)
    x = np.clip(np.rint(x), 0, image.width - 1).astype(int)
    y = np.clip(np.rint(y), 0, image.height - 1).astype(int)
    return Image.fromarray(pixels[y, x])


def wave(image: Image.Image, *, height: float = 8, length: float = 40) -> Image.Image:
    """Straight things that are not straight."""
    pixels = np.asarray(image)
    rows, columns = np.indices(pixels.shape[:2])
    x = columns + height * np.sin(rows * 2 * np.pi / length)
    x = np.clip(np.rint(x), 0, image.width - 1).astype(int)
    return Image.fromarray(pixels[rows, x])


def edge(image: Image.Image, *, box: Box, shift: int = 26, soft: float = 0) -> Image.Image:
    """A pasted part whose border shows because its brightness is another."""
    tinted = image.point([min(255, max(0, value + shift)) for value in range(256)] * 3)
    mask = Image.new("L", image.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle(box, radius=8, fill=255)
    if soft:
        mask = mask.filter(ImageFilter.GaussianBlur(soft))
    return Image.composite(tinted, image, mask)


def spots(image: Image.Image, *, count: int = 6, seed: int = 2, box: Box = WHOLE) -> Image.Image:
    """A few unnatural smudges."""
    left, top, right, bottom = _within(image, box)
    draw = np.random.default_rng(seed)
    mask = Image.new("L", image.size, 0)
    pen = ImageDraw.Draw(mask)
    for _ in range(count):
        x, y = int(draw.integers(left, right)), int(draw.integers(top, bottom))
        rx, ry = int(draw.integers(8, 18)), int(draw.integers(5, 12))
        pen.ellipse((x - rx, y - ry, x + rx, y + ry), fill=230)
    turned = ImageChops.offset(hue(image, shift=90), 14, -12)
    return Image.composite(turned, image, mask.filter(ImageFilter.GaussianBlur(2)))


def watermark(image: Image.Image, *, words: str = "specimen") -> Image.Image:
    """Somebody's word across the picture."""
    layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(layer)
    font = ImageFont.load_default(34)
    pen.text(
        (image.width / 2, image.height / 2),
        words,
        fill=(255, 255, 255, 150),
        font=font,
        anchor="mm",
    )
    turned = layer.rotate(20, Image.Resampling.BICUBIC)
    return Image.alpha_composite(image.convert("RGBA"), turned).convert("RGB")


def tear(image: Image.Image, *, bands: int = 7, seed: int = 3) -> Image.Image:
    """Bands slipped sideways: a picture that fell apart."""
    draw = np.random.default_rng(seed)
    out = image.copy()
    step = image.height // bands
    for top in range(0, image.height, step):
        band = image.crop((0, top, image.width, min(top + step, image.height)))
        out.paste(ImageChops.offset(band, int(draw.integers(-60, 60)), 0), (0, top))
    return out


def repeat(image: Image.Image, *, box: Box) -> Image.Image:
    """One patch of the picture copied all over it."""
    patch = image.crop(box)
    out = image.copy()
    for y in range(0, image.height, patch.height):
        for x in range(0, image.width, patch.width):
            out.paste(patch, (x, y))
    return out


def cut(image: Image.Image, *, box: Box) -> Image.Image:
    """A part that was never drawn."""
    out = image.copy()
    out.paste((188, 184, 180), _within(image, box))
    return noise(out, amount=14, box=box)


def dull(image: Image.Image, *, share: float = 0.5) -> Image.Image:
    """Less contrast, as behind a dirty window."""
    return Image.blend(image, Image.new("RGB", image.size, (150, 146, 140)), share)


FLAWS: Final[dict[str, Callable[..., Image.Image]]] = {
    "blur": blur,
    "noise": noise,
    "blocks": blocks,
    "hue": hue,
    "swirl": swirl,
    "wave": wave,
    "edge": edge,
    "spots": spots,
    "watermark": watermark,
    "tear": tear,
    "repeat": repeat,
    "cut": cut,
    "dull": dull,
}
