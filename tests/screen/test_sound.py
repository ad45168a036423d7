"""How loud recordings are that must be decoded first: by the measure of WAV, part by part."""

from __future__ import annotations

import math
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from jurybox.errors import InputError
from jurybox.screen.probe import glance, probe_file
from jurybox.screen.sound import hear
from tests.screen.test_probe import riff
from tests.screen.tones import CONTAINERS, write_tone

HALF = 20 * math.log10(0.5)
"""A sine of half of full scale, whose root mean square is 0.5 of a full one's: −6.02 dBFS."""


@pytest.mark.parametrize(("name", "codec"), CONTAINERS.items())
def test_a_tone_is_as_loud_in_every_codec(tmp_path: Path, name: str, codec: str) -> None:
    facts = probe_file(write_tone(tmp_path / name, codec, seconds=2), "audio")
    assert facts["loudness"] == pytest.approx(HALF, abs=0.15)  # what is added at the ends, and lost
    # Only bare AAC cannot say which samples its codec added.
    assert facts["seconds"] == pytest.approx(2, abs=0.03 if name == "a.aac" else 0.01)
    assert (facts["sampling_rate"], facts["channels"]) == (48_000, 2)


def test_lossless_sound_is_as_loud_as_its_wav(tmp_path: Path) -> None:
    facts = probe_file(write_tone(tmp_path / "a.flac", "flac"), "audio")
    values = np.round(32767 * 0.5 * np.sin(2 * np.pi * 440 * np.arange(48_000) / 48_000))
    data = np.repeat(values, 2).astype("<i2").tobytes()
    wav = probe_file(riff(tmp_path / "a.wav", data, form=1, width=2), "audio")
    assert facts["loudness"] == pytest.approx(wav["loudness"], abs=1e-9)


def test_what_wave_files_hold_besides_plain_samples_is_decoded(tmp_path: Path) -> None:
    facts = probe_file(write_tone(tmp_path / "a.wav", "pcm_mulaw"), "audio")
    assert facts["loudness"] == pytest.approx(HALF, abs=0.05)  # its steps are coarse


@pytest.mark.parametrize(
    ("name", "codec", "film"), [("a.mp4", "aac", "libx264"), ("a.webm", "libopus", "libvpx")]
)
def test_films_are_heard_too(tmp_path: Path, name: str, codec: str, film: str) -> None:
    facts = probe_file(write_tone(tmp_path / name, codec, film=film), "video")
    assert facts["loudness"] == pytest.approx(HALF, abs=0.15)
    assert (facts["sampling_rate"], facts["channels"]) == (48_000, 2)
    assert (facts["sound"], facts["width"]) == ("with sound", 64)


def test_a_silent_film_lacks_nothing(tmp_path: Path) -> None:
    facts = probe_file(write_tone(tmp_path / "a.mp4", "", film="libx264"), "video")
    assert facts["sound"] == "without sound"
    assert not {"loudness", "unheard", "sampling_rate"} & facts.keys()


@pytest.mark.parametrize("name", ["a.mp3", "a.m4a"])
def test_a_damaged_recording_is_named(tmp_path: Path, name: str) -> None:
    path = write_tone(tmp_path / name, CONTAINERS[name], seconds=3)
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"\x55" * 2000 + whole[middle + 2000 :])
    facts = probe_file(path, "audio", shown_as=f"sounds/{name}")
    assert facts["unheard"] == (
        f"sounds/{name} cannot be decoded (Invalid data found when processing input); "
        "export it again"
    )
    assert "loudness" not in facts
    assert facts["sampling_rate"] == 48_000


def test_a_recording_without_sound_is_named(tmp_path: Path) -> None:
    path = riff(tmp_path / "a.wav", b"", form=1, width=2)
    with pytest.raises(InputError, match=r"^it holds no sound; record or export it again$"):
        hear(path, name="it")


def test_without_the_extra_only_wav_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_tone(tmp_path / "a.flac", "flac")
    wav = riff(tmp_path / "a.wav", np.full(800, 2**14, "<i2").tobytes(), form=1, width=2)
    monkeypatch.setitem(sys.modules, "av", None)
    facts = probe_file(path, "audio")
    assert facts["unheard"] == (
        "sound other than WAV is decoded by a package that is not installed; install it with "
        "'pip install \"jurybox[sound]\"'"
    )
    assert facts["seconds"] == pytest.approx(1)
    assert "loudness" in probe_file(wav, "audio")


def test_drawing_a_trial_does_not_listen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_tone(tmp_path / "a.mp3", "libmp3lame")
    monkeypatch.setattr("jurybox.screen.probe.hear", None)
    assert glance(path, "audio")["seconds"] == pytest.approx(1, abs=0.06)


def test_a_file_is_heard_once_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_tone(tmp_path / "a.flac", "flac")
    first = hear(path, name="a.flac")
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "av", None)
        assert hear(path, name="a.flac") == first
    write_tone(path, "flac", amplitude=0.25, seconds=2)
    assert hear(path, name="a.flac").loudness == pytest.approx(2 * HALF, abs=0.01)


def test_a_long_recording_is_never_in_memory(tmp_path: Path) -> None:
    path = write_tone(tmp_path / "a.flac", "flac", seconds=60)
    tracemalloc.start()
    hear(path, name="a.flac")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4e6  # all its samples take 46 MB
