"""Media under opaque addresses, in the pieces a browser asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import Response, StreamingResponse

from jurybox.errors import RaterError
from jurybox.screen.clean import clean_picture
from jurybox.screen.media import media_type, media_uses

if TYPE_CHECKING:
    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["Shelf", "Span", "parse_range"]

_PIECE = 64 * 1024
_CLEANED = {"image/png", "image/jpeg"}


class Shelf:
    """Every media file of the study, found by a name that says nothing about it."""

    def __init__(self, study: Study, material: Material, name: Callable[[str, str], str]) -> None:
        self._name = name
        self.root = (study.directory or Path()).resolve()
        paths = {use.path for use in media_uses(study, material)}
        paths.update(self.root / example for example in _examples(study))
        self._files = {self._name("media", self._key(path)): path for path in paths}

    def _key(self, path: Path) -> str:
        path = path.resolve()
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)

    def url(self, path: Path) -> str:
        """The address of a file, relative to the page."""
        return f"media/{self._name('media', self._key(path))}"

    def find_picture(self, source: str) -> str | None:
        """The address of a picture that the study's own texts name, if it is on the shelf."""
        name = self._name("media", self._key(self.root / source))
        return f"media/{name}" if name in self._files else None

    def respond(self, name: str, wanted: str | None) -> Response:
        """Answer a request for a file, whole or in part."""
        path = self._files.get(name)
        if path is None or not path.is_file():
            raise RaterError("There is no such file in this study.")
        with path.open("rb") as file:
            kind = media_type(file.read(16))
        headers = {
            "Accept-Ranges": "bytes",
            "Cache-Control": "private, max-age=31536000, immutable",
        }
        if kind in _CLEANED:
            content = clean_picture(path.read_bytes())
            return _serve(
                wanted, len(content), headers, kind, lambda span: iter([span.of(content)])
            )
        return _serve(wanted, path.stat().st_size, headers, kind, lambda span: _read(path, span))


def _examples(study: Study) -> Iterator[str]:
    """The files that show what a scale value or a worked case means."""
    for criterion in study.criteria.values():
        for scale in (criterion.scale, criterion.confidence):
            yield from (v.example for v in (scale.values if scale else ()) if v.example)
    yield from (case.example for case in study.cases if case.example)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Bytes ``start`` to ``end``, the end not included."""

    start: int
    end: int

    def of(self, content: bytes) -> bytes:
        """Those bytes of a content."""
        return content[self.start : self.end]


def parse_range(header: str | None, size: int) -> Span | None:
    """The bytes a Range header asks for; none when it cannot be satisfied.

    A header that is absent, malformed or asks for several pieces means the whole file, as RFC 9110
    allows.

    >>> parse_range("bytes=2-5", 10), parse_range("bytes=-3", 10), parse_range("bytes=10-", 10)
    (Span(start=2, end=6), Span(start=7, end=10), None)
    """
    match = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", (header or "").strip())
    if match is None or match[0] == "bytes=-":
        return Span(start=0, end=size)
    first, last = match[1], match[2]
    if not first:
        length = min(int(last), size)
        return Span(start=size - length, end=size) if length else None
    start = int(first)
    end = min(int(last) + 1, size) if last else size
    if last and int(last) < start:
        return Span(start=0, end=size)
    return Span(start=start, end=end) if start < size else None


def _serve(
    wanted: str | None,
    size: int,
    headers: dict[str, str],
    kind: str,
    pieces: Callable[[Span], Iterator[bytes]],
) -> Response:
    span = parse_range(wanted, size)
    if span is None:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{size}"})
    whole = span == Span(start=0, end=size)
    headers["Content-Length"] = str(span.end - span.start)
    if not whole or (wanted or "").startswith("bytes="):
        headers["Content-Range"] = f"bytes {span.start}-{span.end - 1}/{size}"
    status = 206 if "Content-Range" in headers else 200
    return StreamingResponse(pieces(span), status_code=status, headers=headers, media_type=kind)


def _read(path: Path, span: Span) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(span.start)
        left = span.end - span.start
        while left > 0 and (piece := file.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece
