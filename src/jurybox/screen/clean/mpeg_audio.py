"""MP3 and AAC streams: the frames stay, whatever stands before, between and behind them goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from jurybox.errors import InputError
from jurybox.screen.clean.aac import find_filling
from jurybox.screen.clean.pieces import Overlay, Pieces, Source
from jurybox.screen.clean.reservoir import Reservoir, side_size
from jurybox.screen.clean.tags import skip_tags, strip_tags

__all__ = ["clean_aac", "clean_mp3"]

_RATES = (  # kbit/s of layer 3: MPEG 1, and MPEG 2 and 2.5
    (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
)
_HERTZ = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_SYNC = re.compile(rb"\xff[\xe0-\xff]")
_BLOCK = 1 << 16
_GAPLESS = (b"LAME", b"Lavf", b"Lavc")
"""Encoders whose word on the silence at both ends players trust."""

Frame = Callable[[bytes], int]
"""Gives the length of the frame that begins with these bytes; 0 if none does."""


def clean_mp3(source: Source) -> Pieces:
    """The frames; the first, if it describes the others, without the name of its encoder."""
    overlay = Overlay()
    reservoir = Reservoir(source)
    frames = list(_frames(source, _mp3_length))
    first = source.read(frames[0][0], frames[0][1] - frames[0][0])
    described = _without_encoder(first)
    if described is not None:
        overlay.put(frames[0][0], described)
    for place, end in frames[0 if described is None else 1 :]:
        for start, stop in reservoir.add(place, end):
            overlay.blank(start, stop)
    for start, stop in reservoir.finish():
        overlay.blank(start, stop)
    return overlay.pieces(frames)


def clean_aac(source: Source) -> Pieces:
    """The frames of an AAC stream, without the name of the encoder in them."""
    overlay = Overlay()
    frames = list(_frames(source, _aac_length))
    for start, end in frames:
        head = source.read(start, 7)
        if head[1] & 1 and len(head) == 7 and not head[6] & 3:  # one block, and no sum over it
            for place, patch in find_filling(source, start + 7, end):
                overlay.put(place, patch)
    return overlay.pieces(frames)


def _frames(source: Source, measure: Frame) -> Iterator[tuple[int, int]]:
    """Every frame; two in a row make sure that one that follows other bytes is one."""
    place = skip_tags(source, 0)
    stop = strip_tags(source, place)
    is_certain = False
    count = 0
    while place < stop:
        length = measure(source.read(place, 8))
        end = place + length
        if length and not is_certain:
            is_certain = end == stop or measure(source.read(end, 8)) > 0
        if length and is_certain:
            # A recording that was cut off ends within its last frame, which players still play.
            yield place, min(end, stop)
            count += 1
            place = end
            continue
        is_certain = False
        behind = skip_tags(source, place)
        place = behind if behind > place else _next_sync(source, place + 1, stop)
    if not count:
        raise InputError("no frame of sound was found in it")


def _next_sync(source: Source, place: int, stop: int) -> int:
    while place < stop:
        found = _SYNC.search(source.read(place, min(_BLOCK, stop - place)))
        if found:
            return place + found.start()
        place += _BLOCK - 1
    return stop


def _mp3_length(head: bytes) -> int:
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:  # sync and layer 3
        return 0
    version = head[1] >> 3 & 3
    rate, hertz = head[2] >> 4, head[2] >> 2 & 3
    if version == 1 or rate in (0, 15) or hertz == 3:
        return 0
    kbit = _RATES[0 if version == 3 else 1][rate - 1]
    per_frame = 144_000 if version == 3 else 72_000
    return per_frame * kbit // _HERTZ[version][hertz] + (head[2] >> 1 & 1)


def _aac_length(head: bytes) -> int:
    if len(head) < 7 or head[0] != 0xFF or head[1] & 0xF6 != 0xF0:
        return 0
    length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    return length if length >= 7 else 0


def _without_encoder(frame: bytes) -> bytes | None:
    """Give the frame that tells length and silence, without the name of the encoder in it.

    None if the first frame is one of sound.
    """
    place = 4 + side_size(frame) if len(frame) >= 4 else 0
    if frame[place : place + 4] not in (b"Xing", b"Info") or len(frame) < place + 8:
        return None
    flags = frame[place + 7]
    told = place + 8 + 4 * (flags & 1) + 4 * (flags >> 1 & 1) + 100 * (flags >> 2 & 1)
    told += 4 * (flags >> 3 & 1)
    if len(frame) < told + 36:
        return frame[:told] + bytes(len(frame) - told)
    name = b"LAME" if frame[told : told + 4] in _GAPLESS else b"\0\0\0\0"
    made = frame[:told] + name + bytes(5) + frame[told + 9 : told + 34]
    had_sum = frame[told + 34 : told + 36] == _sum16(frame[: told + 34])
    made += _sum16(made) if had_sum else frame[told + 34 : told + 36]
    return made + bytes(len(frame) - len(made))


def _sum16(content: bytes) -> bytes:
    """The sum at the end of the description: CRC-16 with the polynomial 0x8005, reflected."""
    rest = 0
    for one in content:
        rest ^= one
        for _ in range(8):
            rest = rest >> 1 ^ (0xA001 if rest & 1 else 0)
    return rest.to_bytes(2, "big")
