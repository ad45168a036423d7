"""The items of AVIF: pictures stay, EXIF, XMP and other data lose their content and their name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jurybox.errors import InputError
from jurybox.screen.clean.boxes import Box, find_box, free, read_boxes
from jurybox.screen.clean.pieces import Overlay, Source, join_ranges

__all__ = ["clean_items"]

_META_KEPT = {b"hdlr", b"pitm", b"iinf", b"iloc", b"iprp", b"idat", b"iref", b"grpl", b"dinf"}
_PICTURES = {b"av01", b"hvc1", b"grid", b"iden", b"iovl", b"tmap", b"jpeg", b"avc1"}
_PROPERTIES = {
    *(b"ispe", b"pixi", b"av1C", b"hvcC", b"avcC", b"jpgC", b"colr", b"irot", b"imir", b"clap"),
    *(b"pasp", b"auxC", b"clli", b"mdcv", b"cclv", b"lsel", b"a1op", b"a1lx", b"rloc", b"amve"),
}


@dataclass(frozen=True, slots=True)
class _Extent:
    item: int
    method: int
    start: int
    end: int


def clean_items(source: Source, meta: Box, overlay: Overlay) -> list[tuple[int, int]]:
    """Clean the list of items; gives the ranges of the file that pictures take."""
    inside = Box(kind=b"meta", start=meta.start, body=meta.body + 4, end=meta.end)
    idat = find_box(source, inside, b"idat")
    iref = find_box(source, inside, b"iref")
    thumbnails = set() if iref is None else set(_thumbnails(source, iref))
    pictures: set[int] = set()
    extents: list[_Extent] = []
    for box in read_boxes(source, inside.body, inside.end):
        match box.kind:
            case b"hdlr":
                overlay.blank(box.body + 12, box.end)
            case b"iinf":
                pictures = set(_names(source, box, thumbnails, overlay))
            case b"iloc":
                extents = list(_locations(source, box))
            case b"iprp":
                _properties(source, box, overlay)
            case kind if kind not in _META_KEPT:
                free(overlay, box)
    kept = [extent for extent in extents if extent.item in pictures]
    if not kept:
        raise InputError("it holds no picture")
    if idat is not None:
        base, end = idat.body, idat.end
        _blank_data(overlay, base, end, [one for one in kept if one.method == 1])
    found = [(one.start, one.end) for one in kept if one.method == 0]
    if any(end > source.size for _, end in found):
        raise InputError("its end is missing")
    return found


def _thumbnails(source: Source, iref: Box) -> Iterator[int]:
    """Give the items that are only small copies of others."""
    width = 4 if source.need(iref.body, 1)[0] else 2
    for box in read_boxes(source, iref.body + 4, iref.end):
        if box.kind == b"thmb":
            yield int.from_bytes(source.need(box.body, width), "big")


def _names(source: Source, iinf: Box, thumbnails: set[int], overlay: Overlay) -> Iterator[int]:
    """Blank every item's name; gives the numbers of the pictures and hides the other items."""
    long = source.need(iinf.body, 1)[0] > 0
    for entry in read_boxes(source, iinf.body + (8 if long else 6), iinf.end):
        version = source.need(entry.body, 1)[0]
        if entry.kind != b"infe" or version not in (2, 3):
            raise InputError("its items are listed in an unknown way")
        width = 2 if version == 2 else 4
        number = int.from_bytes(source.need(entry.body + 4, width), "big")
        place = entry.body + 4 + width + 2
        if source.need(place, 4) in _PICTURES and number not in thumbnails:
            yield number
        else:
            # An item of a kind that nobody knows: readers of EXIF would stumble over zeros.
            overlay.put(place, b"none")
        overlay.blank(place + 4, entry.end)


def _properties(source: Source, iprp: Box, overlay: Overlay) -> None:
    for container in read_boxes(source, iprp.body, iprp.end):
        if container.kind != b"ipco":
            continue
        for box in read_boxes(source, container.body, container.end):
            if box.kind not in _PROPERTIES:
                free(overlay, box)  # counted still, so that the numbers of the others hold


def _locations(source: Source, iloc: Box) -> Iterator[_Extent]:
    version = source.need(iloc.body, 1)[0]
    sizes = source.need(iloc.body + 4, 2)
    offset_size, length_size = sizes[0] >> 4, sizes[0] & 15
    base_size, index_size = sizes[1] >> 4, sizes[1] & 15 if version else 0
    reader = _Reader(source, iloc.body + 6, iloc.end)
    for _ in range(reader.number(2 if version < 2 else 4)):
        item = reader.number(2 if version < 2 else 4)
        method = reader.number(2) & 15 if version else 0
        reader.number(2)  # which file: always this one
        base = reader.number(base_size)
        for _ in range(reader.number(2)):
            reader.number(index_size)
            start = base + reader.number(offset_size)
            length = reader.number(length_size)
            if length == 0:
                raise InputError("an item of it does not say its size")
            yield _Extent(item=item, method=method, start=start, end=start + length)


class _Reader:
    """Numbers of any size, one behind the other."""

    def __init__(self, source: Source, place: int, end: int) -> None:
        self._source, self._place, self._end = source, place, end

    def number(self, size: int) -> int:
        if self._place + size > self._end:
            raise InputError("its list of items is cut off")
        found = int.from_bytes(self._source.need(self._place, size), "big")
        self._place += size
        return found


def _blank_data(overlay: Overlay, base: int, end: int, kept: list[_Extent]) -> None:
    place = base
    for start, stop in join_ranges((base + one.start, base + one.end) for one in kept):
        overlay.blank(place, min(start, end))
        place = min(stop, end)
    overlay.blank(place, end)
