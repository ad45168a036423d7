"""The set of a study on its way into reports: only what was planned, from every page."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from jurybox.cli.app import run
from jurybox.cli.serve import make_app
from jurybox.cli.set_check import check_fairness
from jurybox.design import make_plan
from jurybox.store import Store
from jurybox.study import Study, load_material, load_study
from tests.screen.tones import write_tone

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


def write_voices(folder: Path, codec: str, ending: str, medium: str, **planted: Any) -> Path:
    """Ten recordings of two systems that differ in what is planted, and in nothing else."""
    film = {"video": "libx264"}.get(medium)
    for number in range(10):
        for system in ("soft", "loud"):
            parts = {"amplitude": 0.2 + 0.002 * number, **(planted if system == "loud" else {})}
            write_tone(folder / f"sounds/{system}/s{number}.{ending}", codec, film=film, **parts)
    Study(
        title="Which voice is better?",
        protocol="compare",
        outputs=f"sounds/{{system}}/{{item}}.{ending}",
        show={"output": medium},
        design={"overlap": 2},
    ).save(folder)
    return folder


@pytest.mark.parametrize(
    ("planted", "told"),
    [
        ({"amplitude": 0.6}, ["loudness"]),
        ({"seconds": 1.5}, ["duration"]),
        ({"rate": 24_000}, ["sampling_rate"]),
        ({"amplitude": 0.2105}, []),
    ],
)
def test_what_alone_tells_mp3_files_apart_is_found(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    planted: dict[str, float],
    told: list[str],
) -> None:
    folder = write_voices(tmp_path, "libmp3lame", "mp3", "audio", **planted)
    assert run(["check", str(folder), "--json"]) == 0
    found = [check for check in json.loads(capsys.readouterr().out)["set"] if check["warns"]]
    assert [check["id"] for check in found] == [f"{kind}/output" for kind in told]


def test_loud_films_are_told_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_voices(tmp_path, "aac", "mp4", "video", amplitude=0.6)
    assert run(["check", str(folder)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The set: 1 warning • The loudness of output alone tells loud from soft: 100%" in said
    assert "medians: loud −4.50 and soft −14 dBFS" in said


def test_what_to_install_is_said_by_check_and_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_voices(tmp_path, "flac", "flac", "audio", amplitude=0.6)
    monkeypatch.setitem(sys.modules, "av", None)
    assert run(["check", str(folder)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    reason = (
        "measured in 0 of 20 files: sound other than WAV is decoded by a package that is not "
        "installed; install it with 'pip install \"jurybox[sound]\"'"
    )
    assert said.endswith(f"Not checked: • Loudness of output, {reason}.")
    assert run(["plan", str(folder)]) == 0
    assert run(["report", str(folder)]) == 0
    text = (folder / "report" / "report.md").read_text(encoding="utf-8")
    assert f"| Loudness of output | not checked | {reason} |" in text.replace("\\", "")


def test_a_recording_that_cannot_be_decoded_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_voices(tmp_path, "libmp3lame", "mp3", "audio", amplitude=0.6)
    path = folder / "sounds/soft/s3.mp3"
    whole = path.read_bytes()
    path.write_bytes(whole[:6000] + b"\x55" * 1500 + whole[7500:])
    assert run(["check", str(folder)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "Not checked: • Loudness of output, measured in 19 of 20 files: sounds/soft/s3.mp3 cannot "
        "be decoded (Invalid data found when processing input); export it again."
    ) in said
