"""Media measured: sizes, formats, loudness and fingerprints."""

from __future__ import annotations

import math
import struct
import wave
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from jurybox.screen.probe import probe_file, probe_media
from jurybox.screen.sound import is_wave
from jurybox.study import load_material, load_study
from tests.study.examples import write_example


def sine(path: Path, *, amplitude: float = 1.0, width: int = 2, channels: int = 1) -> Path:
    """One second of a sine at 8 kHz, full scale being 1."""
    wave_ = amplitude * np.sin(2 * math.pi * 100 * np.arange(8000) / 8000)
    values = np.repeat(wave_, channels)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(8000)
        if width == 1:
            file.writeframes((128 + np.round(127 * values)).astype(np.uint8).tobytes())
        else:
            whole = np.round((2 ** (8 * width - 1) - 1) * values).astype("<i4")
            file.writeframes(whole.view(np.uint8).reshape(-1, 4)[:, :width].tobytes())
    return path


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_a_sine_of_full_scale_is_0_dbfs(tmp_path: Path, width: int) -> None:
    facts = probe_file(sine(tmp_path / "a.wav", width=width), "audio")
    assert facts["loudness"] == pytest.approx(0, abs=0.1)
    assert facts["seconds"] == pytest.approx(1)
    assert (facts["sampling_rate"], facts["channels"]) == (8000, 1)
    assert facts["format"] == "PCM in Wave"


def test_half_the_amplitude_is_6_db_less(tmp_path: Path) -> None:
    facts = probe_file(sine(tmp_path / "a.wav", amplitude=0.5, channels=2), "audio")
    assert facts["loudness"] == pytest.approx(20 * math.log10(0.5), abs=0.01)  # −6.02
    assert facts["channels"] == 2


def test_silence_is_a_floor_and_no_sound_no_loudness(tmp_path: Path) -> None:
    assert probe_file(sine(tmp_path / "a.wav", amplitude=0), "audio")["loudness"] == -120
    with wave.open(str(tmp_path / "b.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
    assert "loudness" not in probe_file(tmp_path / "b.wav", "audio")


def riff(path: Path, data: bytes, *, form: int, width: int, more: bytes = b"") -> Path:
    """A WAV of one channel at 8 kHz, with a chunk of odd length before the samples."""
    head = struct.pack("<HHIIHH", form, 1, 8000, 8000 * width, width, 8 * width) + more
    chunks = [(b"fmt ", head), (b"LIST", b"odd"), (b"data", data)]
    body = b"".join(
        name + struct.pack("<I", len(each)) + each + b"\0" * (len(each) % 2)
        for name, each in chunks
    )
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body)
    return path


@pytest.mark.parametrize("form", ["<f4", "<f8"])
def test_floating_point_samples_are_measured(tmp_path: Path, form: str) -> None:
    data = np.full(800, 0.5, form).tobytes()
    facts = probe_file(riff(tmp_path / "a.wav", data, form=3, width=int(form[2])), "audio")
    # A mean square of 0.25, of which 0.5 is 0 dBFS.
    assert facts["loudness"] == pytest.approx(10 * math.log10(0.5))


def test_an_extensible_head_says_what_the_samples_are(tmp_path: Path) -> None:
    data = np.full(800, 2**14, "<i2").tobytes()
    # Bytes of the rest, valid bits, speakers, and the form: 1 is whole numbers.
    more = struct.pack("<HHIH", 22, 16, 4, 1) + bytes.fromhex("000000001000800000aa00389b71")
    path = riff(tmp_path / "a.wav", data, form=0xFFFE, width=2, more=more)
    assert probe_file(path, "audio")["loudness"] == pytest.approx(10 * math.log10(0.5))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"RIFF\4\0\0\0WAVE",
        b"RIFF\4\0\0\0AVI ",
        b"RIFF\x10\0\0\0WAVEfmt \4\0\0\0\1\0\1\0",
        b"RIFF\x10\0\0\0WAVEdata\4\0\0\0\1\0\1\0",
        b"ID3\3",
    ],
)
def test_what_is_no_wav_is_not_taken_for_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    assert not is_wave(path)


def bits_apart(one: dict[str, float | str], other: dict[str, float | str]) -> int:
    return (int(str(one["fingerprint"]), 16) ^ int(str(other["fingerprint"]), 16)).bit_count()


def test_a_picture_saved_again_keeps_its_fingerprint(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    small = Image.fromarray(rng.integers(0, 255, (6, 7, 3), np.uint8))
    photo = small.resize((420, 360), Image.Resampling.BICUBIC)
    photo.save(tmp_path / "a.png")
    photo.save(tmp_path / "a.jpg", quality=60)
    photo.resize((210, 180)).save(tmp_path / "a.webp")
    photo.transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(tmp_path / "flipped.png")
    png, jpeg, webp, flipped = (
        probe_file(tmp_path / name, "image") for name in ("a.png", "a.jpg", "a.webp", "flipped.png")
    )
    assert (png["format"], png["width"], png["height"]) == ("PNG", 420, 360)
    assert (jpeg["format"], webp["width"]) == ("JPEG", 210)
    assert bits_apart(png, jpeg) <= 4
    assert bits_apart(png, webp) <= 4
    assert bits_apart(png, flipped) > 20
    for other in (jpeg, webp):
        tints = zip(bytes.fromhex(str(png["tint"])), bytes.fromhex(str(other["tint"])), strict=True)
        assert max(abs(a - b) for a, b in tints) <= 8


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "AVIF"])
def test_a_turned_picture_is_measured_as_it_is_shown(tmp_path: Path, format: str) -> None:
    image = Image.new("RGB", (40, 20), "white")
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(tmp_path / "a.img", format, exif=exif)
    facts = probe_file(tmp_path / "a.img", "image", with_fingerprint=False)
    assert (facts["width"], facts["height"]) == (20, 40)


@pytest.mark.parametrize("kind", ["image", "audio", "video"])
def test_what_cannot_be_read_has_no_facts(tmp_path: Path, kind: str) -> None:
    (tmp_path / "broken.bin").write_bytes(b"neither a picture nor a sound")
    assert probe_file(tmp_path / "broken.bin", kind) == {}  # type: ignore[arg-type]


def test_media_of_a_study(tmp_path: Path) -> None:
    study = load_study(write_example("rate", tmp_path))
    material = load_material(study)
    same = tmp_path / "images/magic/e1.png"
    same.write_bytes((tmp_path / "images/brush/e1.png").read_bytes())
    (tmp_path / "images/magic/e2.png").unlink()
    Image.new("RGB", (901, 7), "teal").save(tmp_path / "input/e1.png")
    heard: list[tuple[int, int]] = []
    facts = probe_media(study, material, tell=lambda done, total: heard.append((done, total)))
    there = {path.relative_to(tmp_path.resolve()).as_posix() for path in facts}
    assert "images/magic/e2.png" not in there
    assert {"images/magic/e1.png", "input/e1.png"} <= there
    assert heard[-1] == (len(facts), len(facts))
    one, other = (facts[(tmp_path / f"images/{s}/e1.png").resolve()] for s in ("magic", "brush"))
    assert one["content"] == other["content"]
    # Nothing else has the size of this file, so it was not read whole.
    assert "content" not in facts[(tmp_path / "input/e1.png").resolve()]
