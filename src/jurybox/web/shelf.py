"""Media under opaque addresses, in the pieces a browser asks for."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from starlette.responses import Response, StreamingResponse

from jurybox.errors import InputError
from jurybox.screen.clean import Pieces, Stamp, clean_file
from jurybox.screen.media import media_uses
from jurybox.screen.media_file import Kind, media_type
from jurybox.screen.prose import Media
from jurybox.web.guard import Denied

if TYPE_CHECKING:
    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["Changed", "Shelf", "Shown", "Span", "parse_range"]

Role = Literal["media", "output"]
_ADDRESS = re.compile(r"(?P<name>[0-9a-f]{24})-(?P<viewer>[0-9a-f]{16})-(?P<seal>[0-9a-f]{24})")


class Changed(Denied):
    """A file is not the one that was there when the study was read."""


class Shelf:
    """Every media file of the study, found by a name that says nothing about it.

    What is sent is the file that was there when the study was read and held against its plan, and
    cleaned. Of one that changed since then nothing is sent: raters would answer something else than
    was planned, and pieces of one file may be metadata in another.

    An address is good for one viewer: a file's name, a name for who it was shown to, and the seal
    of both, which nobody makes who knows the address of another file or what another rater got. A
    browser asks for pictures and films without any header of ours, so that the address itself
    must say who may have them; it stays the same for a viewer and can be kept for good.
    """

    def __init__(
        self, study: Study, material: Material, name: Callable[[str, str], str], *, root: str = ""
    ) -> None:
        self._name = name
        self._base = f"{root}media"
        self.root = (study.directory or Path()).resolve()
        self._kinds = {use.path.resolve(): use.kind for use in media_uses(study, material)}
        self._stamps = {path: Stamp.of(path) for path in self._kinds if path.is_file()}
        roles: tuple[Role, ...] = ("media", "output")
        self._files = {self._seal(path, role): path for path in self._stamps for role in roles}
        self.changed = False
        """Whether a file was found to be another one than when the study was read."""

    def _seal(self, path: Path, role: Role) -> str:
        """A file's name, which changes with its content: browsers may keep it for good."""
        place = path.relative_to(self.root) if path.is_relative_to(self.root) else path
        stamp = self._stamps.get(path)
        content = f"{stamp.size} {stamp.written}" if stamp else ""
        return self._name(role, f"{place}\n{content}")

    def shown_to(self, rater: str | None) -> Shown:
        """Give the addresses of one rater, or of the organizer."""
        return Shown(self, self._name("viewer", "" if rater is None else f"rater {rater}")[:16])

    def address(self, path: Path, role: Role, viewer: str) -> str:
        """Where one viewer finds a file."""
        name = self._seal(path.resolve(), role)
        return f"{self._base}/{name}-{viewer}-{self._name('shown', f'{name} {viewer}')}"

    def kind_of(self, path: Path) -> Kind | None:
        """What the study shows this file as, if it does."""
        return self._kinds.get(path)

    def respond(
        self, address: str, asked: Mapping[str, str] | None = None, *, head: bool = False
    ) -> Response:
        """Answer a request for a file, whole or in part.

        Parameters
        ----------
        address
            The end of an address that a viewer was given.
        asked
            The request's headers, of which ``range`` and ``if-range`` matter.
        head
            Whether only the headers are wanted, so that nothing of the file is read for them.
        """
        name = self._open(address)
        path = self._files.get(name)
        if path is None:
            raise Denied(404, "There is no such file in this study.")
        self._refuse_another(path, path)
        clean = self._clean(path)
        kind = media_type(b"".join(self._read(path, clean, Span(start=0, end=16))))
        return _serve(
            clean.size,
            kind,
            lambda span: self._read(path, clean, span),
            tag=f'"{name}"',
            asked=asked or {},
            head=head,
        )

    def _open(self, address: str) -> str:
        """The file's name in an address, or nothing if it was given to nobody."""
        found = _ADDRESS.fullmatch(address)
        if found is None:
            return ""
        sealed = self._name("shown", f"{found['name']} {found['viewer']}")
        return found["name"] if hmac.compare_digest(found["seal"], sealed) else ""

    def _clean(self, path: Path) -> Pieces:
        """What is sent of a file."""
        try:
            return clean_file(path)
        except InputError as error:
            raise Denied(404, "This file cannot be shown: %(why)s.", why=error) from error

    def _read(self, path: Path, clean: Pieces, span: Span) -> Iterator[bytes]:
        """A piece of a cleaned file; ends in an error as soon as the file is another one."""
        with path.open("rb") as file:
            for block in clean.read(file, span.start, span.end):
                # Asked after reading: what was written over before that is not sent.
                self._refuse_another(path, file.fileno())
                yield block

    def _refuse_another(self, path: Path, found: Path | int) -> None:
        """Refuse what is found in the place of a file and is not what was there."""
        try:
            same = Stamp.of(found) == self._stamps[path]
        except OSError:  # it is gone
            same = False
        if not same:
            self.changed = True
            raise Changed(404, "This file has changed; load the page again.")


@dataclass(frozen=True, slots=True)
class Shown:
    """The addresses of the files on a shelf for one viewer."""

    shelf: Shelf
    viewer: str

    def url(self, path: Path) -> str:
        """The address of a file that is given."""
        return self.shelf.address(path, "media", self.viewer)

    def output_url(self, path: Path) -> str:
        """The address of an output: another one, so that a hidden reference is not known by it."""
        return self.shelf.address(path, "output", self.viewer)

    def find_media(self, source: str) -> Media | None:
        """A picture or example that the study's own texts name, if it is on the shelf."""
        path = (self.shelf.root / source).resolve()
        kind = self.shelf.kind_of(path)
        return None if kind is None else Media(self.url(path), kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Bytes ``start`` to ``end``, the end not included."""

    start: int
    end: int


def parse_range(header: str | None, size: int) -> Span | None:
    """The piece a Range header asks for; none means the whole file, as RFC 9110 has it.

    That is so when the header is absent, malformed, or asks for several pieces. A piece of which
    the file holds nothing is empty.

    >>> parse_range("bytes=2-5", 10), parse_range("bytes=-3", 10), parse_range("bytes=5-2", 10)
    (Span(start=2, end=6), Span(start=7, end=10), None)
    >>> parse_range("bytes=10-", 10)
    Span(start=10, end=10)
    """
    match = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", (header or "").strip())
    if match is None or match[0] == "bytes=-":
        return None
    first, last = match[1], match[2]
    if not first:
        return Span(start=size - min(int(last), size), end=size)
    if last and int(last) < int(first):
        return None
    end = min(int(last) + 1, size) if last else size
    return Span(start=min(int(first), size), end=end)


def _serve(
    size: int,
    kind: str,
    pieces: Callable[[Span], Iterator[bytes]],
    *,
    tag: str,
    asked: Mapping[str, str],
    head: bool,
) -> Response:
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, max-age=31536000, immutable",
        "ETag": tag,
    }
    # Whoever holds a piece of another file gets this one whole (RFC 9110, 13.1.5).
    is_same = asked.get("if-range", tag) == tag
    piece = parse_range(asked.get("range"), size) if is_same else None
    if piece is not None and piece.start == piece.end:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{size}"})
    span = piece or Span(start=0, end=size)
    headers["Content-Length"] = str(span.end - span.start)
    if piece is not None:
        headers["Content-Range"] = f"bytes {span.start}-{span.end - 1}/{size}"
    status = 206 if piece is not None else 200
    if head:
        return Response(status_code=status, headers=headers, media_type=kind)
    return StreamingResponse(pieces(span), status_code=status, headers=headers, media_type=kind)
