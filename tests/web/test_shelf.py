"""Media in pieces, under names that say nothing."""

from __future__ import annotations

import http.client
import io
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from jurybox.web.shelf import Span, parse_range
from tests.forms import cases
from tests.screen.dirty import webm_head
from tests.study.examples import write_jsonl
from tests.web.serving import Served, live, open_study
from tests.web.studies import picture, write_compare, write_media, write_rate, write_study


def film_of(size: int) -> bytes:
    head = webm_head(size)
    return head + (bytes(range(256)) * 600)[: size - len(head)]


@pytest.fixture
def media(tmp_path: Path) -> Iterator[tuple[Served, TestClient, Path, str]]:
    """A film with nothing to remove, so that what is sent are the bytes of the file."""
    write_media(tmp_path, film_of(153600))
    with open_study(tmp_path) as served, TestClient(served.app) as http:
        path = tmp_path / "m" / "inputfile-film.webm"
        yield served, http, path, served.app.state.site.shelf.shown_to("r1").url(path)


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


@pytest.mark.parametrize("asked", ["bytes=153600-", "bytes=153600-153700", "bytes=-0"])
def test_a_piece_outside_is_refused_with_the_size(
    media: tuple[Served, TestClient, Path, str], asked: str
) -> None:
    _, http, path, url = media
    response = http.get(f"/{url}", headers={"Range": asked})
    assert response.status_code == 416
    assert response.headers["content-range"] == f"bytes */{path.stat().st_size}"


@pytest.mark.parametrize(
    "asked",
    [None, "bytes=5-2", "bytes=abc", "bytes=-", "lines=1-2", "bytes=0-1,5-6", "bytes=x-"],
)
def test_anything_else_gives_the_whole_file(
    media: tuple[Served, TestClient, Path, str], asked: str | None
) -> None:
    _, http, path, url = media
    response = http.get(f"/{url}", headers={"Range": asked} if asked else {})
    assert response.status_code == 200
    assert "content-range" not in response.headers
    assert response.content == path.read_bytes()
    assert response.headers["accept-ranges"] == "bytes"
    assert "immutable" in response.headers["cache-control"]


@given(st.integers(1, 200), st.integers(0, 250), st.integers(0, 250))
def test_a_range_never_leaves_the_file(size: int, first: int, last: int) -> None:
    for header in (f"bytes={first}-{last}", f"bytes={first}-", f"bytes=-{last}"):
        span = parse_range(header, size)
        assert span is None or 0 <= span.start <= span.end <= size
    assert parse_range(f"bytes={first}-", size) == Span(start=min(first, size), end=size)
    backward = parse_range(f"bytes={first}-{last}", size) is None
    assert backward is (last < first)


def test_names_are_opaque_and_only_the_studys_files_are_served(
    media: tuple[Served, TestClient, Path, str], tmp_path: Path
) -> None:
    served, http, path, url = media
    assert path.stem not in url
    assert re.fullmatch(r"media/[0-9a-f]{24}-[0-9a-f]{16}-[0-9a-f]{24}", url)
    other = served.app.state.site.shelf.shown_to("r1").url(tmp_path / "study.yaml")
    for name in (other.removeprefix("media/"), "none", "%2e%2e%2fstudy.yaml", path.name):
        assert http.get(f"/media/{name}").status_code == 404


def test_head_tells_what_get_would_send(media: tuple[Served, TestClient, Path, str]) -> None:
    _, http, _, url = media
    for address in ("/", f"/{url}", "/static/rater.js"):
        asked, got = http.head(address), http.get(address)
        assert (asked.status_code, asked.content) == (200, b"")
        assert asked.headers["content-length"] == got.headers["content-length"]
        assert asked.headers["content-type"] == got.headers["content-type"]


def test_a_piece_is_sent_only_to_those_who_hold_the_rest_of_the_same_file(
    media: tuple[Served, TestClient, Path, str],
) -> None:
    _, http, path, url = media
    tag = http.get(f"/{url}").headers["etag"]
    same = http.get(f"/{url}", headers={"Range": "bytes=5-9", "If-Range": tag})
    assert (same.status_code, same.content) == (206, path.read_bytes()[5:10])
    for other in ('"another"', "Sun, 15 Nov 2026 10:00:00 GMT"):
        whole = http.get(f"/{url}", headers={"Range": "bytes=5-9", "If-Range": other})
        assert (whole.status_code, whole.content) == (200, path.read_bytes())


def test_head_of_a_piece_tells_its_size(media: tuple[Served, TestClient, Path, str]) -> None:
    _, http, _, url = media
    for asked, status, length in (("bytes=5-9", 206, "5"), ("bytes=999999-", 416, "0")):
        response = http.head(f"/{url}", headers={"Range": asked})
        assert (response.status_code, response.content) == (status, b"")
        assert response.headers["content-length"] == length


def test_media_say_what_they_are_and_stay_with_the_rater(tmp_path: Path) -> None:
    write_media(tmp_path, film_of(300))
    types = {"inputfile-1.jpg": "image/jpeg", "inputfile-film.webm": "video/webm"}
    types["zebra-model.wav"] = "audio/wav"
    with open_study(tmp_path) as served, TestClient(served.app) as http:
        for name, kind in types.items():
            response = http.get(
                f"/{served.app.state.site.shelf.shown_to('r1').url(tmp_path / 'm' / name)}"
            )
            assert response.headers["content-type"] == kind
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["cache-control"] == "private, max-age=31536000, immutable"


def resident() -> int:
    """The memory that this process holds now, in MB."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1024


@pytest.mark.parametrize("size", cases([1 << 28], [1 << 31]))
def test_a_large_film_needs_no_memory(size: int, tmp_path: Path) -> None:
    write_media(tmp_path, b"")
    film = tmp_path / "m" / "inputfile-film.webm"
    with film.open("wb") as file:  # a hole: nothing of it is on the disk
        file.write(webm_head(size))
        file.truncate(size)
    with open_study(tmp_path) as served, live(served.app) as address:
        url = f"/{served.app.state.site.shelf.shown_to('r1').url(film)}"
        connection = http.client.HTTPConnection(urlsplit(address).netloc)
        connection.request("HEAD", url)
        told = connection.getresponse()
        told.read()
        assert told.headers["Content-Length"] == str(size)
        connection.request("GET", url, headers={"Range": f"bytes={size - 10}-"})
        assert connection.getresponse().read() == bytes(10)
        before, most, got = resident(), 0, 0
        connection.request("GET", url)
        response = connection.getresponse()
        while got < 192 << 20:  # three times what may be held
            got += len(response.read(1 << 20))
            most = max(most, resident())
        connection.close()
    assert most - before < 64


def test_static_files_are_kept_and_asked_for_again(
    media: tuple[Served, TestClient, Path, str],
) -> None:
    _, http, _, _ = media
    first = http.get("/static/rater.js")
    assert first.headers["cache-control"] == "no-cache"
    again = http.get("/static/rater.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_pictures_in_markdown_are_served_blind_and_clean(tmp_path: Path) -> None:
    write_compare(tmp_path)
    path = picture(tmp_path / "given" / "inputfile-1.png", 1)
    table = tmp_path / "prompts.jsonl"
    prompt = "See ![the disk](given/inputfile-1.png)."
    write_jsonl(table, [{"item": f"q{n}", "prompt": prompt} for n in (1, 2, 3)])
    study = (tmp_path / "study.yaml").read_text(encoding="utf-8")
    study = study.replace("prompt: text", "prompt: markdown")
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    with open_study(tmp_path) as served, TestClient(served.app) as http:
        site = served.app.state.site
        trial = next(one for one in site.plan.trials if one.item == "q1")
        html = site.draw(trial, (0, 1), rater="r1")
        url = site.shelf.shown_to("r1").url(path)
        assert f'<img src="{url}" alt="the disk">' in html
        assert "inputfile" not in html
        sent = http.get(f"/{url}")
        assert sent.headers["content-type"] == "image/png"
        assert b"hushhush" not in sent.content


def test_pictures_are_served_without_their_metadata_and_with_every_pixel(tmp_path: Path) -> None:
    write_rate(tmp_path)
    path = tmp_path / "given" / "inputfile-1.png"
    assert b"hushhush" in path.read_bytes()
    with open_study(tmp_path) as served, TestClient(served.app) as http:
        response = http.get(f"/{served.app.state.site.shelf.shown_to('r1').url(path)}")
        assert b"hushhush" not in response.content
        assert response.headers["content-type"] == "image/png"
        assert response.headers["content-length"] == str(len(response.content))
        with Image.open(io.BytesIO(response.content)) as sent, Image.open(path) as kept:
            assert sent.tobytes() == kept.tobytes()


def test_an_address_is_good_for_the_rater_who_got_it(tmp_path: Path) -> None:
    with open_study(write_study("rate", tmp_path)) as served, TestClient(served.app) as http:
        site = served.app.state.site
        path = tmp_path / "given" / "inputfile-1.png"
        ada, ben, organizer = (
            site.shelf.shown_to(who).url(path).removeprefix("media/").split("-")
            for who in ("ada", "ben", None)
        )
        for own in (ada, ben, organizer):
            assert http.get(f"/media/{'-'.join(own)}").status_code == 200
        (name, of_ada, _), (_, of_ben, bens_seal) = ada, ben
        assert of_ada != of_ben
        other = site.shelf.shown_to("ben").output_url(path).rpartition("-")[2]
        for forged in (
            name,
            f"{name}-{of_ada}",
            f"{name}-{of_ada}-{bens_seal}",
            f"{name}-{of_ben}-{other}",
            f"{name}-{of_ada}-é",
        ):
            assert http.get(f"/media/{forged}").status_code == 404, forged


def test_each_rater_is_given_addresses_of_their_own(tmp_path: Path) -> None:
    folder = write_study("best", tmp_path)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    text = text.replace("overlap: 1, raters: 1", "overlap: 2, raters: 2")
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    shown = {}
    with open_study(folder) as served, TestClient(served.app) as http:
        for rater in ("ada", "ben"):
            token = http.post("/api/enroll", json={"rater": rater}).json()["token"]
            headers = {"Authorization": f"Bearer {token}"}
            (trial,) = http.post("/api/guide", headers=headers).json()["trials"]
            shown[rater] = re.findall(r'src="(media/[^"]+)"', trial["html"])
            assert len(shown[rater]) == 3
        assert not set(shown["ada"]) & set(shown["ben"])
        # The same files, of which each rater has the first part, and a seal that fits no other.
        names = [sorted(one.partition("-")[0] for one in urls) for urls in shown.values()]
        assert names[0] == names[1]
        for mine, theirs in zip(sorted(shown["ada"]), sorted(shown["ben"]), strict=True):
            assert http.get(f"/{mine}").status_code == 200
            mixed = f"{mine.rpartition('-')[0]}-{theirs.rpartition('-')[2]}"
            assert http.get(f"/{mixed}").status_code == 404
