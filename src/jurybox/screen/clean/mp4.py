"""MP4, MOV, M4A and AVIF: what is not needed to play becomes free space, and nothing moves."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from jurybox.errors import InputError
from jurybox.screen.clean.aac import find_filling, is_plain_aac
from jurybox.screen.clean.avc import find_notes
from jurybox.screen.clean.boxes import Box, find_box, free, read_boxes
from jurybox.screen.clean.heif import clean_items
from jurybox.screen.clean.pieces import Overlay, Pieces, Source, join_ranges
from jurybox.screen.clean.samples import (
    Samples,
    read_defaults,
    read_fragment,
    read_samples,
)

__all__ = ["clean_mp4"]

_TOP = {b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"sidx", b"mfra", b"meta"}
_INSIDE = {
    b"moov": {b"mvhd", b"trak", b"mvex"},
    b"mvex": {b"mehd", b"trex"},
    b"trak": {b"tkhd", b"edts", b"tref", b"mdia"},
    b"edts": {b"elst"},
    b"tref": {b"auxl", b"prem"},
    b"mdia": {b"mdhd", b"hdlr", b"minf"},
    b"minf": {b"vmhd", b"smhd", b"nmhd", b"hdlr", b"dinf", b"stbl"},
    b"dinf": {b"dref"},
    b"stbl": {
        *(b"stsd", b"stts", b"ctts", b"cslg", b"stsc", b"stsz", b"stz2", b"stco", b"co64"),
        *(b"stss", b"stps", b"sgpd", b"sbgp", b"sdtp"),
    },
    b"moof": {b"mfhd", b"traf"},
    b"traf": {b"tfhd", b"tfdt", b"trun", b"sgpd", b"sbgp", b"sdtp"},
    b"mfra": {b"tfra", b"mfro"},
}
"""The boxes that playing needs, by the box that holds them."""
_PICTURES = {b"vide", b"pict", b"auxv"}
_PLAYED = {*_PICTURES, b"soun"}
_ENTRY_KEPT = {
    *(b"avcC", b"hvcC", b"av1C", b"vpcC", b"colr", b"pasp", b"clap", b"btrt", b"fiel", b"gama"),
    *(b"mdcv", b"clli", b"SmDm", b"CoLL", b"auxi", b"ccst", b"esds", b"wave", b"chan", b"dOps"),
    *(b"dfLa", b"alac", b"dac3", b"dec3"),
}
_ENTRY_SIZE = {0: 28, 1: 44, 2: 64}
"""How long the entry of a sound is before its boxes, by its version."""


_LONGEST_STSD = 4096

Find = Callable[[Source, int, int], Iterator[tuple[int, bytes]]]


def clean_mp4(source: Source) -> Pieces:
    """The film, sound or picture, without tags, names, dates and tracks that are not played."""
    return _Cleaner(source).clean()


class _Cleaner:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.overlay = Overlay()
        self.kept: list[tuple[int, int]] = []
        """Where in the file the pictures and the sound lie."""
        self.is_sparse = True
        """Whether every byte that is played is known, so that the others can go."""
        self.tracks: dict[int, Find | None] = {}
        """What finds the notes of encoders in a track, by the number of the track."""
        self.is_played = False
        self.has_other_tracks = False

    def clean(self) -> Pieces:
        top, end = self._top()
        for box in top:
            if box.kind == b"meta" and self._holds_pictures(box):
                self.kept += clean_items(self.source, box, self.overlay)
                self.is_played = True
            elif box.kind not in _TOP or box.kind == b"meta":
                free(self.overlay, box)
            elif box.kind in _INSIDE:
                self._descend(box)
        self._fragments(top)
        if not self.is_played:
            raise InputError("it holds no picture and no sound")
        if self.is_sparse:
            self._blank_between([box for box in top if box.kind == b"mdat"])
        elif self.has_other_tracks:
            raise InputError("it has a track beside picture and sound, whose content stays behind")
        return self.overlay.pieces([(0, end)])

    def _holds_pictures(self, meta: Box) -> bool:
        head = self.source.read(meta.body + 4, 20)  # its handler comes first
        return (head[4:8], head[16:20]) == (b"hdlr", b"pict")

    def _top(self) -> tuple[list[Box], int]:
        """The boxes on top and where they end; bytes behind them that are no box are left out."""
        found: list[Box] = []
        try:
            for box in read_boxes(self.source, 0, self.source.size):
                found.append(box)  # those before a broken one count
        except InputError:
            place = found[-1].end if found else 0
            if self.source.read(place + 4, 4) in _TOP:
                raise
        return found, found[-1].end if found else 0

    def _descend(self, parent: Box) -> None:
        for box in read_boxes(self.source, parent.body, parent.end):
            if box.kind not in _INSIDE[parent.kind]:
                free(self.overlay, box)
            elif box.kind == b"trak":
                self._track(box)
            elif box.kind in _INSIDE:
                self._descend(box)
            else:
                self._leaf(box)

    def _track(self, box: Box) -> None:
        handler = find_box(self.source, box, b"mdia", b"hdlr")
        kind = self.source.need(handler.body + 8, 4) if handler else b""
        if kind not in _PLAYED:
            self.has_other_tracks = True
            free(self.overlay, box)
            return
        self.is_played = True
        self._descend(box)
        stsd = find_box(self.source, box, b"mdia", b"minf", b"stbl", b"stsd")
        if stsd is None:
            raise InputError("a track of it does not say how it is coded")
        codes = self._entries(stsd, is_picture=kind in _PICTURES)
        find: Find | None = None
        if codes & {b"avc1", b"avc3"}:
            find = partial(find_notes, width=self._avc(stsd))
        elif codes == {b"mp4a"} and is_plain_aac(self.source.read(stsd.body, _LONGEST_STSD)):
            find = find_filling
        self.tracks[self._number(box)] = find
        samples = read_samples(self.source, box, codes)
        if samples is None:
            self.is_sparse = False
        else:
            self._keep(samples, find)

    def _number(self, track: Box) -> int:
        head = find_box(self.source, track, b"tkhd")
        if head is None:
            raise InputError("a track of it has no number")
        is_long = self.source.need(head.body, 1)[0] == 1
        return int.from_bytes(self.source.need(head.body + (20 if is_long else 12), 4), "big")

    def _keep(self, samples: Samples, find: Find | None) -> None:
        """Keep what is played, without the notes that encoders put into it."""
        self.kept += samples.ranges
        for start, end in samples.each() if find else ():
            for place, patch in find(self.source, start, end) if find else ():
                self.overlay.put(place, patch)

    def _fragments(self, top: Iterable[Box]) -> None:
        defaults: dict[int, int] = {}
        for box in top:
            if box.kind == b"moov":
                defaults = read_defaults(self.source, box)
            elif box.kind == b"moof":
                for track, samples in read_fragment(self.source, box, defaults):
                    if track in self.tracks:
                        self._keep(samples, self.tracks[track])

    def _leaf(self, box: Box) -> None:
        match box.kind:
            case b"mvhd" | b"tkhd" | b"mdhd":
                is_long = self.source.need(box.body, 1)[0] == 1
                self._blank(box, 4, 20 if is_long else 12)  # when it was made and changed
            case b"hdlr":
                self._blank(box, 12, box.end - box.body)  # who made it, and its name
            case b"dref":
                self._references(box)

    def _blank(self, box: Box, start: int, end: int) -> None:
        self.overlay.blank(box.body + start, min(box.body + end, box.end))

    def _references(self, box: Box) -> None:
        for one in read_boxes(self.source, box.body + 8, box.end):
            if not self.source.need(one.body, 4)[3] & 1:
                raise InputError("it plays from another file")
            self._blank(one, 4, one.end - one.body)

    def _entries(self, stsd: Box, *, is_picture: bool) -> set[bytes]:
        """Clean the descriptions of how a track is coded; gives the codes."""
        kinds = set()
        for entry in read_boxes(self.source, stsd.body + 8, stsd.end):
            kinds.add(entry.kind)
            if is_picture:
                # Program and its version, then, behind the sizes, the name of the encoder.
                self._blank(entry, 8, 24)
                self._blank(entry, 42, 74)
                inner = entry.body + 78
            else:
                (version,) = struct.unpack(">H", self.source.need(entry.body + 8, 2))
                if version not in _ENTRY_SIZE:
                    raise InputError("its sound is described in an unknown way")
                self._blank(entry, 10, 16)
                inner = entry.body + _ENTRY_SIZE[version]
            for box in read_boxes(self.source, inner, entry.end):
                if box.kind not in _ENTRY_KEPT:
                    free(self.overlay, box)
        return kinds

    def _avc(self, stsd: Box) -> int:
        """How many bytes say the length of a part of a picture."""
        for entry in read_boxes(self.source, stsd.body + 8, stsd.end):
            for box in read_boxes(self.source, entry.body + 78, entry.end):
                if box.kind == b"avcC":
                    return (self.source.need(box.body, 5)[4] & 3) + 1
        raise InputError("its pictures are not described")

    def _blank_between(self, data: Iterable[Box]) -> None:
        """Write zeros over every byte of the data that nothing plays."""
        ranges = join_ranges(self.kept)
        for box in data:
            place = box.body
            for start, end in ranges:
                if end <= box.body or start >= box.end:
                    continue
                self.overlay.blank(place, max(start, place))
                place = max(place, end)
            self.overlay.blank(place, box.end)
