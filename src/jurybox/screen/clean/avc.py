"""Notes inside H.264: encoders write their name and settings beside the first picture."""

from __future__ import annotations

from collections.abc import Iterator

from jurybox.screen.clean.pieces import Source

__all__ = ["find_notes"]

_NOTE, _FILLER = 6, 12
_FREE_TEXT = {4, 5}
"""Registered and unregistered data of whoever made the film."""
_LAST_PICTURE = 5


def find_notes(source: Source, start: int, end: int, *, width: int) -> Iterator[tuple[int, bytes]]:
    """Give what to write over a picture: filler, which decoders pass over, for notes before it.

    ``width`` is how many bytes say the length of a part of the picture.
    """
    place = start
    while place + width < end:
        head = source.need(place, width + 1)
        length = int.from_bytes(head[:width], "big")
        kind = head[width] & 31
        stop = place + width + length
        if 1 <= kind <= _LAST_PICTURE or length == 0 or stop > end:
            return
        if kind == _NOTE and _FREE_TEXT & set(_payloads(source, place + width + 1, stop)):
            yield place + width, bytes((_FILLER,)) + b"\xff" * (length - 2) + b"\x80"
        place = stop


def _payloads(source: Source, place: int, stop: int) -> Iterator[int]:
    """Give the kinds of payload of one note."""
    content = source.read(place, stop - place).replace(b"\0\0\3", b"\0\0")
    at = 0
    while at + 2 < len(content):
        numbers = []
        for _ in range(2):  # the kind, then the length, each in bytes that add up
            number = 0
            while at < len(content) and content[at] == 255:
                number += 255
                at += 1
            number += content[at] if at < len(content) else 0
            at += 1
            numbers.append(number)
        yield numbers[0]
        at += numbers[1]
