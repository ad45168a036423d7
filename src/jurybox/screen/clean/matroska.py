"""WebM and Matroska: what is not needed to play becomes void of the same size, nothing moves."""

from __future__ import annotations

from dataclasses import dataclass

from jurybox.errors import InputError
from jurybox.screen.clean.pieces import Overlay, Pieces, Source
from jurybox.screen.clean.tags import blank_comments

__all__ = ["clean_matroska"]

_HEADER, _SEGMENT, _VOID = 0x1A45DFA3, 0x18538067, 0xEC
_SEEKS, _SEEK, _SEEK_TO = 0x114D9B74, 0x4DBB, 0x53AB
_INFO, _TRACKS, _TRACK, _CLUSTER, _CUES = 0x1549A966, 0x1654AE6B, 0xAE, 0x1F43B675, 0x1C53BB6B
_TRACK_TYPE, _CODEC, _CODEC_DATA = 0x83, 0x86, 0x63A2
_PROGRAMS = {0x4D80, 0x5741}
_INSIDE = {
    _HEADER: {0x4286, 0x42F7, 0x42F2, 0x42F3, 0x4282, 0x4287, 0x4285},
    _SEGMENT: {_SEEKS, _INFO, _TRACKS, _CLUSTER, _CUES},
    _SEEKS: {_SEEK},
    _INFO: {0x2AD7B1, 0x4489, *_PROGRAMS},
    _TRACKS: {_TRACK},
    _TRACK: {
        *(0xD7, 0x73C5, _TRACK_TYPE, 0xB9, 0x88, 0x55AA, 0x9C, 0x6DE7, 0x6DF8, 0x23E383, 0x55EE),
        *(0x22B59C, _CODEC, _CODEC_DATA, 0x56AA, 0x56BB, 0xE0, 0xE1, 0xAA, 0x6D80, 0x41E4),
        0x23314F,
    },
    _CLUSTER: {0xE7, 0xA7, 0xAB, 0xA3, 0xA0},
}  # fmt: skip
"""The elements that playing needs, by the element that holds them."""
_PLAYED = {1, 2}


@dataclass(frozen=True, slots=True)
class _Element:
    id: int
    start: int
    body: int
    end: int | None
    """None: up to an element that cannot be inside."""


def clean_matroska(source: Source) -> Pieces:
    """The film without tags, titles, dates, attachments, and the names of programs."""
    overlay = Overlay()
    header = _element(source, 0, source.size)
    if header is None or header.id != _HEADER or header.end is None:
        raise InputError("its head cannot be read")
    _walk(source, header, header.end, overlay)
    segment = _element(source, header.end, source.size)
    while segment is not None and segment.id == _VOID and segment.end is not None:
        _void(overlay, segment, segment.end)
        segment = _element(source, segment.end, source.size)
    if segment is None or segment.id != _SEGMENT:
        raise InputError("its content cannot be read")
    end = _walk(source, segment, segment.end or source.size, overlay)
    return overlay.pieces([(0, end)])


def _element(source: Source, place: int, limit: int) -> _Element | None:
    """The element at a place; none if no whole one is there."""
    head = source.read(place, 12)
    if not head or head[0] < 0x10:
        return None
    width = 9 - head[0].bit_length()
    rest = head[width:]
    if not rest or rest[0] == 0:
        return None
    size_width = 9 - rest[0].bit_length()
    if len(rest) < size_width:
        return None
    mask = (1 << 7 * size_width) - 1
    size = int.from_bytes(rest[:size_width], "big") & mask
    body = place + width + size_width
    end = None if size == mask else body + size
    if body > limit or (end is not None and end > limit):
        return None
    return _Element(int.from_bytes(head[:width], "big"), place, body, end)


def _walk(source: Source, parent: _Element, limit: int, overlay: Overlay) -> int:
    """Clean what is inside an element; gives where it ends."""
    place = parent.body
    while place < limit:
        element = _element(source, place, limit)
        if element is None:
            if parent.id != _SEGMENT:
                raise InputError("a part of it says a size that it does not have")
            return source.cut(place, _CLUSTER.to_bytes(4, "big"))  # other bytes follow the film
        if parent.end is None and parent.id == _CLUSTER and element.id in _INSIDE[_SEGMENT]:
            return place
        if element.id not in _INSIDE[parent.id] or _points_away(source, element):
            if element.end is None:
                raise InputError("a part of it has no end")
            _void(overlay, element, element.end)
        elif element.id in _INSIDE and (element.end is not None or element.id == _CLUSTER):
            place = _enter(source, element, element.end or limit, overlay)
            continue
        elif element.end is None:
            raise InputError("a part of it has no end")
        elif element.id in _PROGRAMS:
            overlay.blank(element.body, element.end)
        place = element.end
    return place


def _enter(source: Source, element: _Element, limit: int, overlay: Overlay) -> int:
    if element.id == _TRACK:
        _check_track(source, element, limit, overlay)
    return _walk(source, element, limit, overlay)


def _points_away(source: Source, element: _Element) -> bool:
    """Whether an entry of the index leads to a part that goes."""
    if element.id != _SEEK or element.end is None:
        return False
    target = _child(source, element, _SEEK_TO)
    return int.from_bytes(target, "big") not in _INSIDE[_SEGMENT]


def _child(source: Source, parent: _Element, wanted: int) -> bytes:
    place, end = parent.body, parent.end or parent.body
    while place < end and (found := _element(source, place, end)) and found.end is not None:
        if found.id == wanted:
            return source.read(found.body, found.end - found.body)
        place = found.end
    return b""


def _check_track(source: Source, track: _Element, end: int, overlay: Overlay) -> None:
    if int.from_bytes(_child(source, track, _TRACK_TYPE), "big") not in _PLAYED:
        raise InputError("it has a track beside picture and sound")
    if _child(source, track, _CODEC).rstrip(b"\0") != b"A_VORBIS":
        return
    place = track.body
    while (found := _element(source, place, end)) and found.end is not None:
        if found.id == _CODEC_DATA:
            overlay.put(found.body, _vorbis(source.read(found.body, found.end - found.body)))
            return
        place = found.end


def _vorbis(headers: bytes) -> bytes:
    """The three headers of Vorbis, the second of which holds the comments."""
    lengths = []
    place = 1
    for _ in range(2):
        length = 0
        while place < len(headers) and headers[place] == 255:
            length += 255
            place += 1
        length += headers[place] if place < len(headers) else 0
        place += 1
        lengths.append(length)
    start, end = place + lengths[0], place + sum(lengths)
    comments = headers[start:end]
    if headers[:1] != b"\2" or not comments.startswith(b"\3vorbis"):
        raise InputError("its sound is described in an unknown way")
    return headers[:start] + blank_comments(comments, 7) + headers[end:]


def _void(overlay: Overlay, element: _Element, end: int) -> None:
    """Turn an element into nothing of the same size."""
    total = end - element.start
    width = 8 if total >= 9 else 1
    size = (1 << 7 * width) | (total - 1 - width)
    overlay.put(element.start, bytes((_VOID,)) + size.to_bytes(width, "big"))
    overlay.blank(element.start + 1 + width, end)
