"""Media looked at before they are served."""

from __future__ import annotations

import json
import struct
import wave
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PIL import Image

from jurybox.errors import Problem
from jurybox.screen.media import check_media, media_uses
from jurybox.screen.media_file import check_file, media_type
from jurybox.screen.probe import probe_file
from jurybox.study import load_material, load_study
from tests.screen.dirty import as_riff, riff_chunk, webm_head
from tests.study.examples import write_example, write_jsonl
from tests.web.studies import picture, write_compare


def wav(path: Path, *, seconds: float = 0.5) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\1" * int(8000 * seconds))
    return path


def aiff(path: Path) -> Path:
    """Write the smallest AIFF: 100 silent samples, which browsers do not play."""
    rate = b"\x40\x0b\xfa\x00\x00\x00\x00\x00\x00\x00"  # 8000 Hz as an 80-bit float
    common = struct.pack(">hIh", 1, 100, 16) + rate
    sound = struct.pack(">II", 0, 0) + bytes(200)
    body = b"AIFF" + b"COMM" + struct.pack(">I", 18) + common
    body += b"SSND" + struct.pack(">I", len(sound)) + sound
    path.write_bytes(b"FORM" + struct.pack(">I", len(body)) + body)
    return path


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "AVIF", "GIF"])
def test_pictures_that_browsers_show_pass_whatever_their_name(tmp_path: Path, format: str) -> None:
    path = tmp_path / "picture.dat"
    Image.new("RGB", (8, 8), "red").save(path, format)
    assert check_file(path, "image", shown_as="picture.dat") is None


@pytest.mark.parametrize("format", ["TIFF", "BMP", "PPM"])
def test_other_pictures_are_refused_with_the_line_that_converts_them(
    tmp_path: Path, format: str
) -> None:
    path = tmp_path / "my picture.dat"
    Image.new("RGB", (8, 8), "red").save(path, format)
    sentence = check_file(path, "image", shown_as="m/my picture.dat")
    assert sentence is not None
    assert format in sentence
    assert "magick 'm/my picture.dat' 'm/my picture.png'" in sentence


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "GIF"])
def test_a_truncated_picture_is_found(tmp_path: Path, format: str) -> None:
    path = tmp_path / "x"
    image = Image.effect_noise((64, 64), 80).convert("RGB")
    image.save(path, format)
    path.write_bytes(path.read_bytes()[:-400])
    sentence = check_file(path, "image", shown_as="x")
    assert sentence is not None
    assert "export it again" in sentence


def test_text_that_calls_itself_a_picture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_text("<p>not a picture</p>")
    assert "not a readable image" in (check_file(path, "image", shown_as="x.png") or "")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG image"),
        (b"<?xml version='1.0'?>\n<svg/>", "an SVG image"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "an HEIC image"),
    ],
)
def test_what_can_be_converted_comes_with_the_line_that_does_it(
    tmp_path: Path, content: bytes, says: str
) -> None:
    for name in ("x.img", "x.png"):
        (tmp_path / name).write_bytes(content)
    phrase = check_file(tmp_path / "x.img", "image", shown_as="in/x.img") or ""
    assert says in phrase
    assert phrase.endswith("name in/x.png instead: magick in/x.img in/x.png")
    # Under a pattern as {item}.png a second file would be a second item.
    phrase = check_file(tmp_path / "x.png", "image", shown_as="in/x.png") or ""
    assert phrase.endswith("magick in/x.png in/x-new.png && mv in/x-new.png in/x.png")


def test_missing_and_empty_files_are_named(tmp_path: Path) -> None:
    assert "no such file" in (check_file(tmp_path / "no.png", "image", shown_as="no.png") or "")
    (tmp_path / "empty.wav").touch()
    found = check_file(tmp_path / "empty.wav", "audio", shown_as="empty.wav")
    assert found == "the file is empty; export it again"


def test_a_huge_picture_is_refused_before_it_fills_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.png"
    Image.new("RGB", (200, 200)).save(path)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10_000)
    sentence = check_file(path, "image", shown_as="x.png")
    assert sentence is not None
    assert "magick x.png -resize 4096x4096 x-new.png && mv x-new.png x.png" in sentence


def test_wave_files_pass_and_cut_ones_do_not(tmp_path: Path) -> None:
    path = wav(tmp_path / "a.wav")
    assert check_file(path, "audio", shown_as="a.wav") is None
    path.write_bytes(path.read_bytes()[:3000])
    assert "truncated" in (check_file(path, "audio", shown_as="a.wav") or "")


def test_cues_that_are_none_hold_nothing_up(tmp_path: Path) -> None:
    """Their count is read as words would be: libmediainfo went through 1.9 thousand million."""
    path = wav(tmp_path / "marked.wav")
    content = path.read_bytes()
    cues = riff_chunk(b"cue ", b"system-name and no count of anything")
    path.write_bytes(as_riff(b"WAVE", content[12:36] + cues + content[36:]))
    assert check_file(path, "audio", shown_as="marked.wav") is None
    assert probe_file(path, "audio")["seconds"] == 0.5


def test_other_sound_is_refused_with_the_line_that_converts_it(tmp_path: Path) -> None:
    sentence = check_file(aiff(tmp_path / "a.aiff"), "audio", shown_as="a.aiff")
    assert sentence is not None
    assert "ffmpeg -i a.aiff a.flac" in sentence


def test_sound_is_no_video(tmp_path: Path) -> None:
    sentence = check_file(wav(tmp_path / "a.wav"), "video", shown_as="a.wav")
    assert sentence == (
        "this is not a readable video file; shown are MP4 with H.264 (8 bit, 4:2:0) and WebM"
    )


def track(kind: str, format: str, **more: Any) -> SimpleNamespace:
    values = {"format_profile": None, "bit_depth": None, "chroma_subsampling": None, **more}
    return SimpleNamespace(track_type=kind, format=format, to_data=lambda: more, **values)


AVC = {"bit_depth": 8, "chroma_subsampling": "4:2:0"}


@pytest.mark.parametrize(
    ("container", "video", "sound", "says"),
    [
        ("MPEG-4", track("Video", "AVC", **AVC), "AAC", None),
        ("MPEG-4", track("Video", "AVC", **AVC), None, None),
        ("WebM", track("Video", "VP9"), "Opus", None),
        ("WebM", track("Video", "AV1"), "Vorbis", None),
        ("MPEG-4", track("Video", "HEVC"), "AAC", "an HEVC in MPEG-4"),
        ("Matroska", track("Video", "AVC", **AVC), "AAC", "an AVC in Matroska"),
        ("MPEG-4", track("Video", "AVC", bit_depth=10, chroma_subsampling="4:2:0"), None, "10 bit"),
        ("MPEG-4", track("Video", "AVC", bit_depth=8, chroma_subsampling="4:4:4"), None, "4:4:4"),
        ("MPEG-4", track("Video", "AVC", **AVC), "AC-3", "an AC-3 sound in MPEG-4"),
    ],
)
def test_video_by_container_and_codec(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    container: str,
    video: SimpleNamespace,
    sound: str | None,
    says: str | None,
) -> None:
    """What the probe reports is stood in for: no test writes real films in ten codecs."""
    import pymediainfo

    tracks = [track("General", container), video, *([track("Audio", sound)] if sound else [])]
    monkeypatch.setattr(pymediainfo.MediaInfo, "parse", lambda path: SimpleNamespace(tracks=tracks))
    path = tmp_path / "film.mov"
    path.write_bytes(webm_head(500).ljust(500, b"x"))
    sentence = check_file(path, "video", shown_as="film.mov")
    if says is None:
        assert sentence is None
    else:
        assert sentence is not None
        assert says in sentence
        assert "ffmpeg -i film.mov -c:v libx264 -pix_fmt yuv420p" in sentence


def test_problems_name_the_table_and_its_row_once(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path / "rate")
    study = load_study(folder)
    material = load_material(study)
    assert check_media(study, material) == ()
    item = next(iter(material.items.values()))
    broken = cast(Path, item.fields["input"])
    broken.write_bytes(b"not a picture")
    (problem,) = check_media(study, material)
    shown = broken.relative_to(folder.resolve())
    assert problem == Problem(
        message=f"{shown}: this is not a readable image; export it again as PNG or JPEG",
        file=item.file,
        line=item.row,
    )


@pytest.mark.parametrize(
    ("head", "type"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"\0\0\0\x1cftypavif", "image/avif"),
        (b"\0\0\0\x1cftypisom", "video/mp4"),
        (b"\0\0\0\x1cftypM4A ", "audio/mp4"),
        (b"\x1aE\xdf\xa3", "video/webm"),
        (b"OggS", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"ID3\x04", "audio/mpeg"),
        (b"\xff\xfb\x90", "audio/mpeg"),
        (b"\xff\xf1\x50", "audio/aac"),
        (b"<!doctype html>", "application/octet-stream"),
    ],
)
def test_the_type_is_told_by_content(head: bytes, type: str) -> None:
    assert media_type(head) == type


def test_pictures_of_texts_are_media_of_the_study(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    with (folder / "study.yaml").open("a") as file:
        file.write("instructions: See ![u](<in put.png>) and ![t](gone.png).\n")
    Image.new("RGB", (2, 2)).save(folder / "in put.png")
    study = load_study(folder)
    used = {use.path for use in media_uses(study, load_material(study)) if use.text is not None}
    assert used == {folder.resolve() / "in put.png"}


def markdown_study(folder: Path, text: str) -> Path:
    """A comparison whose answers show a picture."""
    write_compare(folder)
    for path in (folder / "outputs").iterdir():
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        write_jsonl(path, [{**row, "answer": f"{row['answer']}\n\n{text}"} for row in rows])
    return folder


def test_pictures_in_markdown_fields_are_media_of_the_study(tmp_path: Path) -> None:
    markdown_study(tmp_path, "![a disk](given/inputfile-1.png) ![far](https://x.org/y.png)")
    path = picture(tmp_path / "given" / "inputfile-1.png", 1)
    study = load_study(tmp_path)
    material = load_material(study)
    assert {use.path for use in media_uses(study, material)} == {path}
    assert check_media(study, material) == ()
    path.write_bytes(path.read_bytes()[:200])
    (broken,) = check_media(study, material)
    assert "given/inputfile-1.png: the image is truncated" in broken.message


def test_a_missing_picture_in_a_markdown_field_is_refused_at_its_row(tmp_path: Path) -> None:
    markdown_study(tmp_path, "![a disk](given/disk.png)")
    study = load_study(tmp_path)
    problems = check_media(study, load_material(study))
    assert len(problems) == 6  # three items of two systems
    assert "answer shows a picture: `given/disk.png` does not exist" in problems[0].message
    assert "show answer as text" in problems[0].message
    assert {problem.line for problem in problems} == {1, 2, 3}
