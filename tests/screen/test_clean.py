"""Metadata goes, pixels stay."""

from __future__ import annotations

import io
import struct

import pytest
from PIL import Image, ImageCms, PngImagePlugin

from jurybox.screen.clean import clean_jpeg, clean_picture, clean_png

MARKER = b"made by model-x"


def picture(mode: str = "RGB") -> Image.Image:
    image = Image.linear_gradient("L").resize((40, 30))
    return Image.merge("RGB", (image, image.rotate(90).resize((40, 30)), image)).convert(mode)


def exif(orientation: int) -> Image.Exif:
    made = Image.Exif()
    made[0x0112] = orientation
    made[0x010E] = MARKER.decode()
    return made


def profile() -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def save(image: Image.Image, format: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def pixels(content: bytes) -> tuple[str, tuple[int, int], bytes]:
    with Image.open(io.BytesIO(content)) as image:
        image.load()
        return image.mode, image.size, image.tobytes()


def png_with_everything(mode: str = "RGB", orientation: int = 6) -> bytes:
    info = PngImagePlugin.PngInfo()
    info.add_text("parameters", MARKER.decode())
    info.add_itxt("XML:com.adobe.xmp", MARKER.decode())
    info.add_text("compressed", MARKER.decode(), zip=True)
    made = save(
        picture(mode),
        "PNG",
        pnginfo=info,
        exif=exif(orientation),
        icc_profile=profile(),
        dpi=(72, 72),
    )
    return made + MARKER


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1", "I;16"])
def test_png_loses_its_text_and_no_pixel(mode: str) -> None:
    dirty = png_with_everything(mode if mode != "I;16" else "L")
    if mode == "I;16":
        dirty = save(picture("L").convert("I;16"), "PNG", exif=exif(6)) + MARKER
    assert MARKER in dirty
    clean = clean_png(dirty)
    assert MARKER not in clean
    assert b"tEXt" not in clean
    assert b"zTXt" not in clean
    assert b"iTXt" not in clean
    assert pixels(clean) == pixels(dirty)


def test_png_keeps_orientation_and_color_profile() -> None:
    with Image.open(io.BytesIO(clean_png(png_with_everything(orientation=6)))) as image:
        image.load()
        assert image.getexif()[0x0112] == 6
        assert dict(image.getexif()) == {0x0112: 6}
        assert image.info["icc_profile"] == profile()


def test_the_name_of_a_png_color_profile_is_free_text_and_goes() -> None:
    dirty = png_with_everything().replace(b"iCCP" + b"ICC Profile", b"iCCP" + b"ICC Profile")
    clean = clean_png(dirty)
    place = clean.index(b"iCCP") + 4
    assert clean[place : place + 8] == b"profile\0"


def jpeg_with_everything(**options: object) -> bytes:
    plain = save(
        picture(),
        "JPEG",
        exif=exif(8),
        icc_profile=profile(),
        comment=MARKER,
        quality=90,
        **options,
    )
    xmp = b"http://ns.adobe.com/xap/1.0/\0" + MARKER
    app1 = b"\xff\xe1" + struct.pack(">H", len(xmp) + 2) + xmp
    app11 = b"\xff\xeb" + struct.pack(">H", len(MARKER) + 2) + MARKER  # C2PA lives in APP11
    return plain[:2] + app1 + app11 + plain[2:] + MARKER


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("restarts", [0, 1])
def test_jpeg_loses_its_segments_and_no_pixel(progressive: bool, restarts: int) -> None:
    dirty = jpeg_with_everything(progressive=progressive, restart_marker_blocks=restarts)
    clean = clean_jpeg(dirty)
    assert MARKER in dirty
    assert MARKER not in clean
    assert pixels(clean) == pixels(dirty)


def test_jpeg_keeps_orientation_and_color_profile() -> None:
    with Image.open(io.BytesIO(clean_jpeg(jpeg_with_everything()))) as image:
        assert dict(image.getexif()) == {0x0112: 8}
        assert image.info["icc_profile"] == profile()


def test_jpeg_in_four_inks_keeps_the_segment_that_says_how_to_read_them() -> None:
    dirty = save(picture("CMYK"), "JPEG", comment=MARKER)
    clean = clean_jpeg(dirty)
    assert b"Adobe" in clean
    assert MARKER not in clean
    assert pixels(clean) == pixels(dirty)


def test_cleaning_twice_changes_nothing_more() -> None:
    for dirty in (png_with_everything(), jpeg_with_everything()):
        once = clean_picture(dirty)
        assert clean_picture(once) == once


@pytest.mark.parametrize("content", [b"", b"RIFF....WEBP", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"])
def test_what_is_no_whole_picture_does_not_break(content: bytes) -> None:
    assert isinstance(clean_picture(content), bytes)


@pytest.mark.parametrize("cut", range(0, 900, 37))
def test_a_truncated_picture_does_not_break(cut: int) -> None:
    for dirty in (png_with_everything(), jpeg_with_everything()):
        assert isinstance(clean_picture(dirty[:cut]), bytes)
