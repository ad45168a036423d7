"""Ogg with Opus or Vorbis: the comment header is written over, page by page, nothing moves."""

from __future__ import annotations

from dataclasses import dataclass, field

from jurybox.errors import InputError
from jurybox.screen.clean.pieces import Overlay, Pieces, Source
from jurybox.screen.clean.tags import blank_comments

__all__ = ["clean_ogg"]

_HEAD = 27
_CONTINUED, _FIRST = 1, 2
_COMMENTS = {b"OpusHead": b"OpusTags", b"\x01vorbis": b"\x03vorbis"}
_LARGEST_COMMENTS = 64 << 20


@dataclass(frozen=True, slots=True)
class _Page:
    place: int
    head: bytes
    sizes: bytes

    @property
    def body(self) -> int:
        return self.place + _HEAD + len(self.sizes)

    @property
    def end(self) -> int:
        return self.body + sum(self.sizes)


@dataclass(slots=True)
class _Comments:
    """The comment header of one stream, gathered over its pages."""

    start: bytes
    pages: list[_Page] = field(default_factory=list)
    length: int = 0


def clean_ogg(source: Source) -> Pieces:
    """The stream, with empty comments and no name of a program."""
    place = 0
    overlay = Overlay()
    waiting: dict[bytes, _Comments] = {}
    while (page := _page(source, place)) is not None:
        serial = page.head[14:18]
        if page.head[5] & _FIRST:
            start = source.read(page.body, 8)
            found = next((c for s, c in _COMMENTS.items() if start.startswith(s)), None)
            if found is None:
                raise InputError("it holds a stream that is neither Opus nor Vorbis")
            waiting[serial] = _Comments(start=found)
        elif serial in waiting and _gather(waiting[serial], page):
            _write_over(source, waiting.pop(serial), overlay)
        place = page.end
    if place == 0 or waiting:
        raise InputError("its end is missing")
    return overlay.pieces([(0, source.cut(place, b"OggS"))])


def _page(source: Source, place: int) -> _Page | None:
    """The page at this place; none at the end, or where other bytes follow the last page."""
    head = source.read(place, _HEAD)
    if len(head) < _HEAD or head[:5] != b"OggS\0":
        return None
    page = _Page(place=place, head=head, sizes=source.need(place + _HEAD, head[26]))
    if page.end > source.size:
        raise InputError("its end is missing")
    return page


def _gather(comments: _Comments, page: _Page) -> bool:
    """Take a page of the comment header; whether it ends there."""
    comments.pages.append(page)
    for size in page.sizes:
        comments.length += size
        if size < 255:
            return True
    return False


def _write_over(source: Source, comments: _Comments, overlay: Overlay) -> None:
    if comments.length > _LARGEST_COMMENTS:
        raise InputError(f"its comments are larger than {_LARGEST_COMMENTS >> 20} MB")
    bodies = [source.read(page.body, page.end - page.body) for page in comments.pages]
    packet = b"".join(bodies)[: comments.length]
    if not packet.startswith(comments.start):
        raise InputError("its comments are not where they belong")
    blank = blank_comments(packet, len(comments.start))
    for page, body in zip(comments.pages, bodies, strict=True):
        new, blank = blank[: len(body)], blank[len(body) :]
        body = new + body[len(new) :]
        head = page.head[:22] + bytes(4) + page.head[26:] + page.sizes
        total = _sum(head + body).to_bytes(4, "little")
        overlay.put(page.place + 22, total)
        overlay.put(page.body, body)


def _tables() -> tuple[int, ...]:
    made = []
    for value in range(256):
        rest = value << 24
        for _ in range(8):
            rest = (rest << 1 ^ (0x04C11DB7 if rest & 0x80000000 else 0)) & 0xFFFFFFFF
        made.append(rest)
    return tuple(made)


_TABLE = _tables()


def _sum(page: bytes) -> int:
    """The sum of a page (RFC 3533, section 6)."""
    rest = 0
    for one in page:
        rest = (rest << 8 & 0xFFFFFFFF) ^ _TABLE[rest >> 24 ^ one]
    return rest
