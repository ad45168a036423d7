"""Tags that programs put before and behind any stream of sound: ID3, APE, Lyrics3."""

from __future__ import annotations

from jurybox.errors import InputError
from jurybox.screen.clean.pieces import Source

__all__ = ["blank_comments", "skip_tags", "strip_tags"]

_MOST_LYRICS = 1 << 20


def skip_tags(source: Source, place: int) -> int:
    """Where the sound begins behind any tags at this place."""
    while True:
        length = _tag_length(source.read(place, 32))
        if length == 0:
            return place
        place += length
        if place > source.size:
            raise InputError("its end is missing")


def _tag_length(head: bytes) -> int:
    """How long a tag is that begins with these bytes; 0 if none begins there."""
    if head[:3] == b"ID3" and len(head) >= 10 and all(one < 0x80 for one in head[6:10]):
        length = 0
        for one in head[6:10]:
            length = length << 7 | one
        return length + (20 if head[5] & 0x10 else 10)  # a footer repeats the header
    if head[:8] == b"APETAGEX" and len(head) == 32:
        has_header = head[23] & 0x80
        return int.from_bytes(head[12:16], "little") + (32 if has_header else 0)
    if head[:3] == b"TAG":
        return 128
    return 0


def strip_tags(source: Source, start: int) -> int:
    """Where the sound ends before any tags at the end of the file."""
    end = source.size
    while True:
        length = _trailing_length(source, end)
        if length == 0 or end - length < start:
            return end
        end -= length


def _trailing_length(source: Source, end: int) -> int:
    if end >= 128 and source.read(end - 128, 3) == b"TAG":
        return 128
    foot = source.read(max(end - 32, 0), min(32, end))
    if foot[:8] == b"APETAGEX":
        has_header = foot[23] & 0x80
        return int.from_bytes(foot[12:16], "little") + (32 if has_header else 0)
    if foot[-9:] == b"LYRICS200" and foot[-15:-9].isdigit():
        return int(foot[-15:-9]) + 15
    if foot[-9:] == b"LYRICSEND":
        text = source.read(max(end - _MOST_LYRICS, 0), min(end, _MOST_LYRICS))
        begin = text.rfind(b"LYRICSBEGIN")
        return len(text) - begin if begin >= 0 else 0
    if foot[-10:-7] == b"3DI" and all(one < 0x80 for one in foot[-4:]):
        length = 0
        for one in foot[-4:]:
            length = length << 7 | one
        return length + 20
    return 0


def blank_comments(packet: bytes, start: int) -> bytes:
    """A comment header of Vorbis or Opus of the same length that says nothing.

    Everything becomes the name of the program, in spaces, and the list of comments is empty: that
    is a whole header by the rules, and no packet behind it moves.
    """
    end = b"\x01" if packet.startswith(b"\x03vorbis") else b""
    length = len(packet) - start - 8 - len(end)  # behind the two lengths of four bytes
    if length < 0:
        raise InputError("its comments cannot be read")
    return packet[:start] + length.to_bytes(4, "little") + b" " * length + bytes(4) + end
