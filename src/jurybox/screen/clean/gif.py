"""GIF: frames, their timing and the loop count stay; comments and notes of programs go."""

from __future__ import annotations

from jurybox.errors import InputError
from jurybox.screen.clean.pieces import Kept, Pieces, Source

__all__ = ["clean_gif"]

_FRAME, _EXTENSION, _END = 0x2C, 0x21, 0x3B
_CONTROL, _APPLICATION = 0xF9, 0xFF
_LOOPS = {b"NETSCAPE2.0", b"ANIMEXTS1.0"}
_PROFILE = b"ICCRGBG1012"


def clean_gif(source: Source) -> Pieces:
    """The frames with their timing, the loop count and the color profile; nothing after the end."""
    content = source.whole()
    place = 13 + _table_size(_byte(content, 10))
    parts: list[Kept | bytes] = [Kept(0, place)]
    control: tuple[Kept, ...] = ()
    while place < len(content) and content[place] != _END:
        if content[place] == _FRAME:
            data = place + 10 + _table_size(_byte(content, place + 9)) + 1
            end = _blocks_end(content, data)
            # Timing belongs to the frame behind it; of a text that goes, it goes too.
            parts.extend([*control, Kept(place, end)])
            control = ()
        elif content[place] == _EXTENSION:
            kind = _byte(content, place + 1)
            end = _blocks_end(content, place + 2)
            if kind == _CONTROL:
                control = (Kept(place, end),) if end - place == 8 else ()
            elif kind == _APPLICATION:
                parts.extend(_application(content, place, end))
            elif kind == 0x01:
                control = ()
        else:
            raise InputError("it holds bytes that belong to no frame")
        place = end
    return Pieces.of([*parts, b"\x3b"])


def _application(content: bytes, place: int, end: int) -> tuple[Kept | bytes, ...]:
    name = content[place + 3 : place + 14]
    if name == _PROFILE:
        return (Kept(place, end),)
    block = content[place + 14 : place + 18]
    if name in _LOOPS and content[place + 2] == 11 and block[:2] == b"\x03\x01":
        return (content[place : place + 14] + block + b"\0",)
    return ()


def _byte(content: bytes, place: int) -> int:
    if place >= len(content):
        raise InputError("its end is missing")
    return content[place]


def _table_size(flags: int) -> int:
    """Give the bytes of a color table, which its flags announce."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _blocks_end(content: bytes, place: int) -> int:
    size = len(content)
    while place < size and (length := content[place]):
        place += length + 1
    if place >= size:
        raise InputError("its end is missing")
    return place + 1
