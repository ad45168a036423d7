"""Example pictures, drawn when a template is written: flat scenes, and flaws added on purpose.

A picture is a value that names its scene, the scene's traits and what was done to it afterwards, so
that a template's pictures are data. The same value always gives the same picture.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from PIL import Image

from jurybox.study.templates.draw.canvas import Canvas
from jurybox.study.templates.draw.flaws import FLAWS
from jurybox.study.templates.draw.scenes import SCENES
from jurybox.study.templates.draw.series import SERIES
from jurybox.study.templates.draw.styles import STYLES, edges, mask, strip
from jurybox.study.templates.draw.textures import TEXTURES

__all__ = ["Drawing", "Edges", "Mask", "Picture", "Strip", "Studio", "picture"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A scene with its traits, then flaws and styles in the order in which they are applied."""

    scene: str
    traits: dict[str, Any] = field(default_factory=dict)
    steps: tuple[tuple[str, dict[str, Any]], ...] = ()

    def but(self, **traits: Any) -> Self:
        """The same picture with other traits."""
        return replace(self, traits={**self.traits, **traits})

    def with_flaw(self, name: str, **settings: Any) -> Self:
        """The same picture with one more flaw."""
        return replace(self, steps=(*self.steps, (name, settings)))

    def painted(self, style: str) -> Self:
        """The same picture in a style of painting."""
        return replace(self, steps=(*self.steps, (style, {})))


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges of another picture, as a control."""

    of: Picture


@dataclass(frozen=True, slots=True)
class Mask:
    """Where a picture may be changed: left, top, right, bottom."""

    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Strip:
    """Pictures side by side, for the guide; with an arrow the last one is the output."""

    parts: tuple[Picture | Edges | Mask, ...]
    arrow: bool = True


Drawing = Picture | Edges | Mask | Strip


def picture(scene: str, **traits: Any) -> Picture:
    """A picture of that scene."""
    return Picture(scene=scene, traits=traits)


class Studio:
    """Draws each drawing once, however many files and strips show it."""

    def __init__(self) -> None:
        self._drawn: dict[str, Image.Image] = {}
        self._encoded: dict[str, bytes] = {}

    def draw(self, drawing: Drawing) -> Image.Image:
        """Give the drawing as an image in memory."""
        key = repr(drawing)
        if key not in self._drawn:
            self._drawn[key] = self._draw(drawing)
        return self._drawn[key]

    def save(self, drawing: Drawing, path: Path) -> None:
        """Write the drawing as a small PNG: 256 colors, or 96 where grain would make it large."""
        key = repr(drawing)
        if key not in self._encoded:
            self._encoded[key] = _encode(self.draw(drawing))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self._encoded[key])

    def _draw(self, drawing: Drawing) -> Image.Image:
        if isinstance(drawing, Strip):
            return strip([self.draw(part) for part in drawing.parts], arrow=drawing.arrow)
        if isinstance(drawing, Edges):
            return edges(self.draw(drawing.of))
        if isinstance(drawing, Mask):
            return mask((400, 300), drawing.box)
        if drawing.steps:
            *before, (name, settings) = drawing.steps
            image = self.draw(replace(drawing, steps=tuple(before)))
            return {**FLAWS, **STYLES}[name](image, **settings)
        canvas = Canvas()
        {**SCENES, **SERIES, **TEXTURES}[drawing.scene](canvas, **drawing.traits)
        return canvas.finish()


def _encode(image: Image.Image) -> bytes:
    held = io.BytesIO()
    for colors in (256, 96):
        held = io.BytesIO()
        few = image.quantize(colors, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(held, "PNG", optimize=True)
        if held.tell() < 36_000:
            break
    return held.getvalue()
