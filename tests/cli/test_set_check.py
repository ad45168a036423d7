"""The set of a study on its way into reports: only what was planned, from every page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from jurybox.cli.app import run
from jurybox.cli.serve import make_app
from jurybox.cli.set_check import check_fairness
from jurybox.design import make_plan
from jurybox.store import Store
from jurybox.study import Study, load_material, load_study

TOLD = "The file format of output alone tells brush from magic: 100% are guessed right by it"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve pictures of two systems, all PNG and all JPEG."""
    for number in range(12):
        for system, ending in (("brush", "PNG"), ("magic", "JPEG")):
            path = tmp_path / f"images/{system}/p{number}.img"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (64, 48), (20 * number, 90, 200)).save(path, ending)
    Study(
        title="Which picture is better?",
        protocol="compare",
        outputs="images/{system}/{item}.img",
        show={"output": "image"},
        design={"overlap": 2, "items": 8},
    ).save(tmp_path)
    return tmp_path


def test_a_planned_study_is_checked_by_its_plan(folder: Path) -> None:
    study = load_study(folder)
    material = load_material(study)
    every = {check.id: check for check in check_fairness(study, material)}
    planned = {
        check.id: check
        for check in check_fairness(study, material, plan=make_plan(study, material))
    }
    assert (every["format/output"].n_items, planned["format/output"].n_items) == (12, 8)
    assert planned["format/output"].warns
    assert not planned["size/output"].warns


def test_check_and_report_say_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(folder), "--json"]) == 0
    found = {check["id"]: check for check in json.loads(capsys.readouterr().out)["set"]}
    assert found["format/output"]["sentence"].startswith(TOLD)
    assert run(["plan", str(folder)]) == 0
    assert run(["report", str(folder)]) == 0
    text = (folder / "report" / "report.md").read_text(encoding="utf-8")
    assert TOLD in text.partition("## The set")[2].partition("## Raters")[0]
    data = json.loads((folder / "report" / "findings.json").read_text(encoding="utf-8"))
    (finding,) = data["findings"]
    assert (finding["id"], finding["standing"]) == ("set/format/output", "set")
    assert data["headline"] is None


def test_the_organizers_report_has_it_too(folder: Path) -> None:
    with Store.open(folder / "study.db") as store:
        app, token = make_app(folder, store)
        with TestClient(app) as http:
            headers = {"Authorization": f"Bearer {token}"}
            link = http.post("/api/organizer/report", headers=headers, json={})
            blind = http.get("/" + link.json()["url"])
            body = {"by": "Ada", "sure": True}
            http.post("/api/organizer/unblind", headers=headers, json=body).raise_for_status()
            page = http.get("/" + link.json()["url"])
    assert TOLD in page.text
    assert TOLD not in blind.text
    assert "alone tells System" in blind.text
