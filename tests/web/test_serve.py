"""`jurybox serve` as a program, and behind a prefix."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2 as httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from jurybox.cli.demo import demo_app
from jurybox.cli.place import open_store
from jurybox.cli.serve import _listen, _run, make_app
from jurybox.errors import InputError, SpecError
from jurybox.store import Store
from tests.patience import PATIENCE
from tests.web.serving import live, open_study
from tests.web.settling import settled
from tests.web.studies import write_study
from tests.web.walking import begin, wait_for_stage

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage


def test_serve_prints_its_links_answers_and_stops_gracefully(tmp_path: Path) -> None:
    folder = write_study("graded", tmp_path / "study")
    program = "from jurybox.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", str(folder), "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert server.stdout is not None
        lines = [server.stdout.readline() for _ in range(4)]
        links = dict(line.split(maxsplit=1) for line in lines[:3])
        base = links["Raters"].strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", base)
        assert "Graded comparison" in httpx.get(base, timeout=PATIENCE).text
        token = links["Organizer"].strip().partition("#token=")[2]
        headers = {"Authorization": f"Bearer {token}"}
        for part in ("progress", "results"):
            answer = httpx.get(f"{base}api/organizer/{part}", headers=headers, timeout=PATIENCE)
            assert answer.status_code == 200, answer.text
        assert "No answer of the main round is in yet" in answer.json()["html"]
        _answer_all(base)
        answer = httpx.get(f"{base}api/organizer/results", headers=headers, timeout=PATIENCE)
        assert "<table>" in answer.json()["html"]
        link = httpx.post(f"{base}api/organizer/report", headers=headers, json={}, timeout=PATIENCE)
        page = httpx.get(base + link.json()["url"], timeout=PATIENCE)
        assert page.status_code == 200
        assert "sandbox" in page.headers["content-security-policy"]
        server.send_signal(signal.SIGINT)
        said, _ = server.communicate(timeout=PATIENCE)
        assert "Stopped. 1 of 1 planned answers are stored." in said
        assert server.returncode == 0
    finally:
        server.kill()
        server.communicate()


def _answer_all(base: str) -> None:
    """Rate the one trial of the study over HTTP."""
    with httpx.Client(base_url=f"{base}api/", timeout=PATIENCE) as http:
        token = http.post("enroll", json={"rater": "Ada", "query": {}}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        (trial,) = http.post("guide", json={}).json()["trials"]
        answers = [{"criterion": "preference", "score": 1}]
        body = {"id": "one-answer", "assignment": trial["assignment"], "answers": answers}
        assert http.post("submit", json=body).json()["status"] == "answered"


def test_links_stay_good_when_the_server_starts_again(tmp_path: Path) -> None:
    folder = write_study("graded", tmp_path / "study")
    tokens = []
    for _ in (1, 2):
        with open_store(folder) as store:
            _, token = make_app(folder, store)
            tokens.append(token)
    assert tokens[0] == tokens[1]
    assert len(tokens[0]) >= 32


def test_broken_media_are_named_before_anything_is_served(tmp_path: Path) -> None:
    folder = write_study("best", tmp_path / "study")
    (folder / "images" / "okapi-model" / "disk.jpg").write_bytes(b"no picture")
    with open_store(folder) as store, pytest.raises(SpecError, match="not a readable image"):
        make_app(folder, store)


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with _listen("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"--port {port}: cannot listen there"):
            _listen("127.0.0.1", port)


def test_a_folder_without_a_study_is_said(tmp_path: Path) -> None:
    import typer

    from jurybox.cli.serve import serve

    app = typer.Typer()
    app.command()(serve)
    result = CliRunner().invoke(app, [str(tmp_path)])
    assert isinstance(result.exception, InputError)
    assert "there is no study.yaml here" in str(result.exception)


def test_a_study_works_behind_a_prefix(tmp_path: Path, open_page: OpenPage) -> None:
    folder = write_study("best", tmp_path / "study")
    with open_study(folder) as served:
        outer = FastAPI(openapi_url=None)
        outer.mount("/some/prefix", served.app)
        with live(outer) as url:
            page = open_page()
            begin(page, f"{url}/some/prefix/")
            settled(page)
            assert page.evaluate("() => [...document.images].every((one) => one.naturalWidth > 0)")
            page.keyboard.press("a")
            page.keyboard.press("Enter")
            wait_for_stage(page, "end")
        assert len(served.store.submissions()) == 1


def test_invitation_links_let_one_rater_in_and_nobody_else(
    tmp_path: Path, open_page: OpenPage
) -> None:
    folder = write_study("best", tmp_path / "study")
    text = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(f"{text}access: {{invited: true}}\n")
    with Store.open(folder / "study.db") as store:
        app, token = make_app(folder, store, public_url="https://rate.example/study")
        with live(app) as url:
            headers = {"Authorization": f"Bearer {token}"}
            refused = httpx.post(f"{url}/api/enroll", json={"rater": "Ada"}, timeout=PATIENCE)
            assert refused.status_code == 403
            made = httpx.post(
                f"{url}/api/organizer/invitations",
                json={"raters": ["Ada"]},
                headers=headers,
                timeout=PATIENCE,
            ).json()["html"]
            (link,) = re.findall(r"<code>(https://rate\.example/study/#[^<]+)", made)
            page = open_page()
            page.goto(url + "/" + link.partition("/study/")[2].replace("&amp;", "&"))
            assert page.input_value("[name=rater]") == "Ada"
            assert "#" not in page.url
            page.click("button[type=submit]")
            wait_for_stage(page, "guide")


def test_the_demo_serves_its_report_under_a_policy_and_leads_to_the_organizer(
    tmp_path: Path,
) -> None:
    folders = [write_study("graded", tmp_path / name) for name in ("made", "guest")]
    report = tmp_path / "report.html"
    own = "default-src 'none'; script-src 'sha256-abc'"
    head = f'<head><meta http-equiv="Content-Security-Policy" content="{own}"></head>'
    report.write_text(f"{head}<p>Résumé</p>", encoding="utf-8")
    with Store.open(folders[0] / "study.db") as store, Store.open(folders[1] / "g.db") as guests:
        app, _ = demo_app(folders[0], store, report=report, guest=folders[1], answers=guests)
        with TestClient(app) as http:
            shown = http.get("/report.html")
            assert "Résumé" in shown.text
            policy = shown.headers["content-security-policy"]
            assert policy.startswith("sandbox allow-scripts allow-popups; frame-ancestors 'none';")
            assert policy.endswith(own)
            assert shown.headers["x-content-type-options"] == "nosniff"
            for path in ("/demo", "/demo/"):
                assert http.get(path).url.path == "/demo/organizer"


def test_answers_wait_less_for_their_turn_while_a_page_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual, turns = sys.getswitchinterval(), []
    monkeypatch.setattr(
        "uvicorn.Server.run", lambda *_, **__: turns.append(sys.getswitchinterval())
    )
    try:
        with _listen("127.0.0.1", 0) as listening:
            _run(FastAPI(), listening)
    finally:
        sys.setswitchinterval(usual)
    assert turns[0] <= usual / 5


def test_no_request_waits_while_garbage_is_looked_for_in_what_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stays: list[object] = [FastAPI()]
    searched: list[bool] = []
    monkeypatch.setattr(
        "uvicorn.Server.run",
        lambda *_, **__: searched.append(any(one is stays for one in gc.get_objects())),
    )
    usual = sys.getswitchinterval()
    try:
        with _listen("127.0.0.1", 0) as listening:
            assert any(one is stays for one in gc.get_objects())
            _run(FastAPI(), listening)
    finally:
        sys.setswitchinterval(usual)
    assert searched == [False]
