"""Metadata goes; pixels, samples, orientation, color and animation stay."""

from __future__ import annotations

import io
import struct
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from jurybox.errors import InputError
from jurybox.screen.clean import clean_bytes, clean_file
from jurybox.screen.media_file import Kind, check_file
from tests.screen import dirty
from tests.screen.dirty import AUDIO, MARKER, PICTURES, VIDEO, decode_pictures, decode_streams

ALL = {**PICTURES, **AUDIO, **VIDEO}
PROGRAMS = (b"Lavf", b"Lavc", b"x264", b"LAME3", b"libvpx", b"libopus", b"FFMP")
"""Names that encoders leave in what PyAV writes."""


@cache
def made(name: str) -> bytes:
    return ALL[name]()


@pytest.fixture(autouse=True)
def _no_word_on_odd_pictures() -> Iterator[None]:
    """The marker where a second picture is announced makes Pillow wonder; that is meant."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Image appears to be a malformed MPO")
        yield


@pytest.mark.parametrize("name", ALL)
def test_the_marker_goes_from_every_place(name: str) -> None:
    content = made(name)
    assert content.count(MARKER) >= 4
    clean = clean_bytes(content)
    assert MARKER not in clean
    assert MARKER[:5] + b"\0" not in clean  # the names of items in AVIF are this short
    assert b"2021" not in clean
    for program in PROGRAMS:
        assert program not in clean


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_keep_every_pixel_and_the_time_of_every_frame(name: str) -> None:
    clean = clean_bytes(made(name))
    assert decode_pictures(clean) == decode_pictures(made(name))
    animated = {"png-animated", "webp-animated", "gif", "avif-animated"}
    assert len(decode_pictures(clean)) == (2 if name in animated else 1)


@pytest.mark.parametrize("name", [*AUDIO, *VIDEO])
def test_recordings_keep_every_sample_and_every_frame(name: str) -> None:
    before, after = decode_streams(made(name)), decode_streams(clean_bytes(made(name)))
    assert after == before
    assert after["VideoFrame" if name in VIDEO else "AudioFrame"]


@pytest.mark.parametrize("name", ALL)
def test_cleaning_twice_changes_nothing_more(name: str) -> None:
    once = clean_bytes(made(name))
    assert clean_bytes(once) == once


@pytest.mark.parametrize("name", PICTURES)
def test_orientation_and_color_profile_are_kept_and_nothing_else_of_exif(name: str) -> None:
    with Image.open(io.BytesIO(clean_bytes(made(name)))) as image:
        image.load()
        if name != "gif":
            assert image.info["icc_profile"] == dirty.profile()
        turned = {"png": 6, "jpeg": 8, "webp": 6}.get(name.partition("-")[0])
        assert dict(image.getexif()) == ({0x0112: turned} if turned else {})


@pytest.mark.parametrize("name", ["gif", "webp-animated", "png-animated"])
def test_the_loop_count_is_kept(name: str) -> None:
    with Image.open(io.BytesIO(clean_bytes(made(name)))) as image:
        assert image.info["loop"] == 3


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1"])
def test_png_of_every_mode(mode: str) -> None:
    content = dirty.png(mode)
    assert decode_pictures(clean_bytes(content)) == decode_pictures(content)
    clean = clean_bytes(content)
    assert not any(name in clean for name in (b"tEXt", b"zTXt", b"iTXt", b"tIME"))
    place = clean.index(b"iCCP") + 4  # the name of the profile is free text
    assert clean[place : place + 8] == b"profile\0"


def test_colors_given_as_numbers_are_kept() -> None:
    content = dirty.png()
    gamma = dirty.png_chunk(b"gAMA", struct.pack(">I", 45455))
    white = dirty.png_chunk(b"cHRM", struct.pack(">8I", *range(31270, 31278)))
    clean = clean_bytes(content[:33] + gamma + white + content[33:])
    assert gamma in clean
    assert white in clean


def test_jpeg_in_four_inks_keeps_the_segment_that_says_how_to_read_them() -> None:
    assert b"Adobe" in clean_bytes(made("jpeg-four-inks"))


def test_gapless_numbers_of_mp3_are_kept_with_a_right_sum() -> None:
    clean = clean_bytes(made("mp3"))
    place = clean.index(b"Info") + 120  # frames, bytes, table and quality stand before
    before = made("mp3")
    was = before.index(b"Info") + 120
    assert clean[place : place + 9] == b"LAME\0\0\0\0\0"
    assert clean[place + 21 : place + 24] == before[was + 21 : was + 24]
    rest = 0  # CRC-16 over the first 190 bytes, bit by bit
    for one in clean[:190]:
        for bit in range(8):
            mix = (rest ^ one >> bit) & 1
            rest = rest >> 1 ^ (0xA001 if mix else 0)
    assert clean[190:192] == rest.to_bytes(2, "big")


def test_pages_of_ogg_keep_their_number_and_get_a_right_sum() -> None:
    clean = clean_bytes(made("opus"))
    place = pages = 0
    while place < len(clean):
        sizes = clean[place + 27 : place + 27 + clean[place + 26]]
        end = place + 27 + len(sizes) + sum(sizes)
        page = bytearray(clean[place:end])
        told = int.from_bytes(page[22:26], "little")
        page[22:26] = bytes(4)
        rest = 0
        for one in page:
            rest ^= one << 24
            for _ in range(8):
                rest = (rest << 1 ^ (0x04C11DB7 if rest >> 31 else 0)) & 0xFFFFFFFF
        assert rest == told
        assert int.from_bytes(page[18:22], "little") == pages
        place, pages = end, pages + 1
    assert pages > 2


def test_large_comments_over_many_pages_of_ogg_go() -> None:
    dirty.TAGS["lyrics"] = MARKER.decode() * 20_000  # more than four pages
    try:
        content = dirty.encode("ogg", audio="libopus")
    finally:
        del dirty.TAGS["lyrics"]
    assert len(content) > 300_000
    clean = clean_bytes(content)
    assert MARKER not in clean
    assert decode_streams(clean) == decode_streams(content)


@pytest.mark.parametrize("name", [*AUDIO, *VIDEO])
def test_players_find_no_tags(name: str) -> None:
    allowed = {"language", "major_brand", "minor_version", "compatible_brands", "DURATION"}
    with av.open(io.BytesIO(clean_bytes(made(name)))) as container:
        told = [container.metadata, *(stream.metadata for stream in container.streams)]
        words = {key: value for one in told for key, value in one.items() if value.strip("\0 ")}
        vendor = {"encoder", "vendor_id"}  # which PyAV fills in where there is none
        assert {key for key in words if key not in allowed} <= vendor
        assert not any("model-x" in value for value in words.values())


def test_where_chunks_of_wav_are_odd_or_larger_than_the_file(tmp_path: Path) -> None:
    content = made("wav")
    place = content.index(b"data") + 4
    untold = content[:place] + b"\xff\xff\xff\xff" + content[place + 4 :]
    assert clean_bytes(untold)[:4] == b"RIFF"  # written to a pipe: sound up to the end
    for length in (0x7FFFFFFF, 0xFFFFFFFE):
        with pytest.raises(InputError, match="its end is missing"):
            clean_bytes(content[:place] + struct.pack("<I", length) + content[place + 4 :])


def test_a_wav_beyond_4_gb_keeps_its_sizes(tmp_path: Path) -> None:
    path, length = tmp_path / "long.wav", 5 << 30
    form = dirty.riff_chunk(b"fmt ", struct.pack("<HHIIHH", 1, 2, 48000, 192000, 4, 16))
    sizes = struct.pack("<QQQI", 0, length, 0, 0)
    head = b"RF64\xff\xff\xff\xffWAVE" + dirty.riff_chunk(b"ds64", sizes) + form
    with path.open("wb") as file:  # a hole: nothing of it is on the disk
        file.write(head + b"data\xff\xff\xff\xff")
        file.truncate(len(head) + 8 + length)
        file.seek(0, 2)
        file.write(dirty.riff_chunk(b"bext", MARKER))
    pieces = clean_file(path)
    assert pieces.size == len(head) + 8 + length
    with path.open("rb") as file:
        sent = b"".join(pieces.read(file, 0, len(head) + 8))
        assert struct.unpack_from("<QQQ", sent, 20) == (pieces.size - 8, length, length // 4)
        assert b"".join(pieces.read(file, pieces.size - 5, pieces.size)) == bytes(5)


def bytes_of(name: str, old: bytes, new: bytes) -> bytes:
    assert old in made(name)
    return made(name).replace(old, new)


REFUSED: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "flac": (lambda: made("flac") + b"PK\3\4 more", "audio", "no sound follow the last frame"),
    "webm": (lambda: bytes_of("webm-vp8", b"\x83\x81\x02", b"\x83\x81\x11"), "video", "a track"),
    "mp4": (
        lambda: bytes_of("mp4", b"url \0\0\0\1", b"url \0\0\0\0"),
        "video",
        "it plays from another file",
    ),
    "ogg": (
        lambda: bytes_of("opus", b"OpusHead", b"OpusTeeth"[:8]),
        "audio",
        "neither Opus nor Vorbis",
    ),
}


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("wav", "vorbis")])
def test_a_file_with_more_behind_its_end_passes_the_check(name: str, tmp_path: Path) -> None:
    """Vorbis in Ogg is not shown; the planted WAV is too odd for the probe."""
    path = tmp_path / "file"
    path.write_bytes(made(name))
    kind: Kind = "image" if name in PICTURES else "audio" if name in AUDIO else "video"
    assert check_file(path, kind, shown_as="file") is None


@pytest.mark.parametrize("name", ["m4a", "mp4", "webm-vp8", "webm-opus"])
def test_a_recording_whose_end_is_missing_is_still_found(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    clean = clean_bytes(made(name))
    path.write_bytes(clean[: -len(clean) // 4])
    sentence = check_file(path, "audio" if name in AUDIO else "video", shown_as="file")
    assert sentence is not None


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_cleaned_is_refused_with_the_line_that_strips_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, kind, why = REFUSED[name]
    path = tmp_path / f"a film.{name}"
    path.write_bytes(make())
    monkeypatch.setattr("jurybox.screen.media_file._check_recording", lambda *given: None)
    sentence = check_file(path, "audio" if kind == "audio" else "video", shown_as=path.name)
    assert sentence is not None
    assert why in sentence
    assert f"ffmpeg -i 'a film.{name}' -map 0:{kind[0]}" in sentence
    assert "-map_metadata -1 -c copy" in sentence
    assert f"&& mv 'a film-new.{name}' 'a film.{name}'" in sentence
    assert MARKER.decode() not in sentence


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"RIFF....WEBP", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"<svg/>", b"II*\0"],
)
def test_what_is_no_whole_file_is_refused(content: bytes) -> None:
    with pytest.raises(InputError):
        clean_bytes(content)


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_damaged_files_are_cleaned_or_refused(name: str, data: st.DataObject) -> None:
    """Cut anywhere, with bytes changed anywhere: no crash, no hang, and no larger file."""
    content = bytearray(made(name))
    places = st.one_of(st.integers(0, len(content) - 1), st.integers(0, 1200))
    for place in data.draw(st.lists(places, max_size=6)):
        content[place % len(content)] = data.draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]))
    del content[data.draw(st.integers(0, len(content)) | st.just(len(content))) :]
    try:
        clean = clean_bytes(bytes(content))
    except InputError:
        return
    assert len(clean) <= len(content) + 64


@pytest.mark.parametrize("name", ALL)
def test_a_file_cut_anywhere_never_shows_the_marker_in_its_head(name: str) -> None:
    content = made(name)
    for cut in range(0, len(content), max(1, len(content) // 60)):
        try:
            clean = clean_bytes(content[:cut])
        except InputError:
            continue
        assert MARKER not in clean


def test_only_frames_of_plain_aac_are_looked_into() -> None:
    """Other kinds of AAC begin their frames otherwise, and nothing in them is written over."""
    content = made("m4a")
    place = content.index(b"esds") + 8
    assert content[place] == 3
    place = content.index(b"\x05\x80\x80\x80", place) + 5
    assert content[place] >> 3 == 2  # AAC LC
    other = content[:place] + bytes((31 << 3,)) + content[place + 1 :]
    assert b"Lavc" not in clean_bytes(content)
    assert b"Lavc" in clean_bytes(other)


@pytest.mark.parametrize(("name", "sign"), [("opus", b"OggS"), ("webm-vp8", b"\x1f\x43\xb6\x75")])
def test_bytes_in_the_middle_never_cut_off_what_follows(name: str, sign: bytes) -> None:
    content = clean_bytes(made(name))
    place = content.rindex(sign)
    if name == "webm-vp8":  # without a told end, as browsers record
        size = content.index(b"\x18\x53\x80\x67") + 4
        content = content[:size] + b"\x01" + b"\xff" * 7 + content[size + 8 :]
    with pytest.raises(InputError, match="bytes that belong to nothing stand in its middle"):
        clean_bytes(content[:place] + bytes(40) + content[place:])
    assert clean_bytes(content + bytes(40)) == content
