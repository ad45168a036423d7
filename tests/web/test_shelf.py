"""Media in pieces, under names that say nothing."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from jurybox.web.shelf import Span, parse_range
from tests.web.serving import Served, open_study
from tests.web.studies import write_media, write_rate


@pytest.fixture
def media(tmp_path: Path) -> Iterator[tuple[Served, TestClient, Path, str]]:
    """A film that is not cleaned, so that its bytes are those of the file."""
    write_media(tmp_path, bytes(range(256)) * 600)
    with open_study(tmp_path) as served, TestClient(served.app) as http:
        path = tmp_path / "m" / "inputfile-film.webm"
        yield served, http, path, served.app.state.site.shelf.url(path)


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-99", 0, 100),
        ("bytes=100-", 100, None),
        ("bytes=-50", -50, None),
        ("bytes=153599-153599", 153599, None),
        ("bytes=150000-999999", 150000, None),
    ],
)
def test_a_piece_is_the_piece_asked_for(
    media: tuple[Served, TestClient, Path, str], asked: str, start: int, end: int | None
) -> None:
    _, http, path, url = media
    content = path.read_bytes()
    response = http.get(f"/{url}", headers={"Range": asked})
    assert response.status_code == 206
    assert response.content == content[start:end]
    first = start if start >= 0 else len(content) + start
    last = first + len(response.content) - 1
    assert response.headers["content-range"] == f"bytes {first}-{last}/{len(content)}"


def test_a_piece_outside_is_refused_with_the_size(
    media: tuple[Served, TestClient, Path, str],
) -> None:
    _, http, path, url = media
    response = http.get(f"/{url}", headers={"Range": "bytes=153600-"})
    assert response.status_code == 416
    assert response.headers["content-range"] == f"bytes */{path.stat().st_size}"


@pytest.mark.parametrize("asked", [None, "bytes=5-2", "lines=1-2", "bytes=0-1,5-6", "bytes=x-"])
def test_anything_else_gives_the_whole_file(
    media: tuple[Served, TestClient, Path, str], asked: str | None
) -> None:
    _, http, path, url = media
    response = http.get(f"/{url}", headers={"Range": asked} if asked else {})
    assert response.content == path.read_bytes()
    assert response.headers["accept-ranges"] == "bytes"
    assert "immutable" in response.headers["cache-control"]


@given(st.integers(1, 200), st.integers(0, 250), st.integers(0, 250))
def test_a_range_never_leaves_the_file(size: int, first: int, last: int) -> None:
    for header in (f"bytes={first}-{last}", f"bytes={first}-", f"bytes=-{last}"):
        span = parse_range(header, size)
        assert span is None or 0 <= span.start < span.end <= size
    expected = None if first >= size else Span(start=first, end=size)
    assert parse_range(f"bytes={first}-", size) == expected


def test_names_are_opaque_and_only_the_studys_files_are_served(
    media: tuple[Served, TestClient, Path, str], tmp_path: Path
) -> None:
    served, http, path, url = media
    assert path.stem not in url
    assert len(url) == len("media/") + 24
    other = served.app.state.site.shelf.url(tmp_path / "study.yaml")
    assert http.get(f"/{other}").status_code == 400
    for name in ("../study.yaml", "%2e%2e%2fstudy.yaml", path.name):
        assert http.get(f"/media/{name}").status_code >= 400


def test_pictures_are_served_without_their_metadata_and_with_every_pixel(tmp_path: Path) -> None:
    write_rate(tmp_path)
    path = tmp_path / "given" / "inputfile-1.png"
    assert b"hushhush" in path.read_bytes()
    with open_study(tmp_path) as served, TestClient(served.app) as http:
        response = http.get(f"/{served.app.state.site.shelf.url(path)}")
        assert b"hushhush" not in response.content
        assert response.headers["content-type"] == "image/png"
        assert response.headers["content-length"] == str(len(response.content))
        with Image.open(io.BytesIO(response.content)) as sent, Image.open(path) as kept:
            assert sent.tobytes() == kept.tobytes()
