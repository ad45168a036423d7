"""A planned study that nobody has answered: every way to its results gives a readable answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from jurybox.cli.app import run
from jurybox.cli.place import open_store
from jurybox.cli.serve import make_app
from jurybox.study.templates import write_template

PROTOCOLS = {
    "rate": "likert",
    "compare": "ab-ties",
    "rank": "best-of-n",
    "detect": "real-vs-generated",
    "mark": "mqm",
}


@pytest.fixture(params=PROTOCOLS, scope="module")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A template's study, planned."""
    made = tmp_path_factory.mktemp("planned") / "study"
    write_template(PROTOCOLS[request.param], made)
    assert run(["plan", str(made)]) == 0
    return made


def test_analyze_says_what_is_missing_and_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options in ([], ["--json"], ["--all"]):
        capsys.readouterr()
        assert run(["analyze", str(folder), *options]) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert "has no answered trials yet; collect answers with 'jurybox serve'" in shown.err


def test_the_report_shows_what_was_planned(folder: Path) -> None:
    assert run(["report", str(folder)]) == 0
    page = (folder / "report" / "report.html").read_text()
    assert "There are no responses yet, so nothing can be said." in page


def test_the_organizer_reads_a_sentence_and_opens_the_report(folder: Path) -> None:
    with open_store(folder) as store:
        app, token = make_app(folder, store)
        with TestClient(app) as http:
            headers = {"Authorization": f"Bearer {token}"}
            results = http.get("/api/organizer/results", headers=headers)
            assert results.status_code == 200
            assert "No answer of the main round is in yet" in results.json()["html"]
            link = http.post("/api/organizer/report", headers=headers, json={})
            report = http.get("/" + link.json()["url"])
            assert report.status_code == 200
            assert "There are no responses yet, so nothing can be said." in report.text


def test_a_study_without_a_plan_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_template("likert", tmp_path / "study")
    for verb in ("analyze", "report"):
        capsys.readouterr()
        assert run([verb, str(tmp_path / "study")]) == 1
        said = capsys.readouterr().err
        assert "this study has no responses yet" in said
        assert "'jurybox plan'" in said
