"""What a rater's browser has to fetch before the first trial, apart from media."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi.testclient import TestClient

from tests.web.serving import open_study
from tests.web.studies import write_study
from tests.web.walking import begin

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage, Studio

FETCHED = """() => [
  ...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource"),
].filter((one) => !one.name.includes("/media/")).map((one) => [one.name, one.transferSize])"""


def test_a_rater_page_weighs_under_150_kilobytes(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("media", language="ar")  # whose words weigh the most
    page = open_page()
    begin(page, url)
    fetched = page.evaluate(FETCHED)
    scripts = [(name, size) for name, size in fetched if name.endswith(".js")]
    assert [name.rpartition("/")[2] for name, size in scripts if size > 0] == ["rater.all.js"]
    assert sum(size for _, size in fetched) < 150_000, sorted(fetched, key=lambda one: one[1])


def test_scripts_are_compressed_and_asked_for_again_only_when_changed(tmp_path: Path) -> None:
    with open_study(write_study("graded", tmp_path)) as served, TestClient(served.app) as http:
        plain = http.get("/static/trial.js", headers={"accept-encoding": "identity"})
        packed = http.get("/static/trial.js", headers={"accept-encoding": "gzip"})
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.content == plain.content  # the client has unpacked it
        assert int(packed.headers["content-length"]) < len(plain.content) / 2
        assert len(gzip.compress(plain.content, mtime=0)) == int(packed.headers["content-length"])
        for tag in (packed.headers["etag"], plain.headers["etag"]):
            again = http.get("/static/trial.js", headers={"if-none-match": tag})
            assert again.status_code == 304
