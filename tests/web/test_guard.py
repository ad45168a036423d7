"""What the server says of requests that no page of its own sends, and when nothing is left."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from jurybox.design.plan import Plan, Round
from jurybox.study.model import RaterId
from tests.web.serving import ADMIN, Served, now, open_study
from tests.web.studies import write_study
from tests.web.test_api import Client, sent, vote


@pytest.fixture
def comparison(tmp_path: Path) -> Iterator[tuple[Served, Client, Any]]:
    """A comparison with a rater at the first trial; a bug is answered, not raised."""
    folder = write_study("compare", tmp_path)
    with (
        open_study(folder) as served,
        TestClient(served.app, raise_server_exceptions=False) as http,
    ):
        client = Client(http)
        yield served, client, client.begin()["trials"][0]


def put(client: Client, body: str) -> Any:
    headers = {"Authorization": f"Bearer {client.token}", "Content-Type": "application/json"}
    return client.http.post("/api/submit", content=body.encode(), headers=headers)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_json_does_not_have_is_refused(
    comparison: tuple[Served, Client, Any], number: str
) -> None:
    served, client, _ = comparison
    response = put(client, f'{{"id": "12345678", "assignment": "x", "timing": {{"a": {number}}}}}')
    assert response.status_code == 400
    assert number in response.json()["error"]["sentence"]
    assert served.store.submissions() == ()


def test_a_request_nested_without_end_is_refused(
    comparison: tuple[Served, Client, Any],
) -> None:
    _, client, _ = comparison
    assert put(client, "[" * 100_000).status_code == 400


def test_half_a_character_in_a_name_gets_its_sentence(
    comparison: tuple[Served, Client, Any],
) -> None:
    _, client, trial = comparison
    body = '{"id": "12345678", "assignment": "%s", "answers": [{"criterion": "\\ud800"}]}'
    response = put(client, body % trial["assignment"])
    assert response.status_code == 400
    assert response.json()["error"]["sentence"]


def test_an_id_used_for_another_answer_is_refused(
    comparison: tuple[Served, Client, Any],
) -> None:
    served, client, trial = comparison
    client.post("submit", sent(trial, vote("first")))
    again = client.send("POST", "submit", sent(trial, vote("second")))
    assert again.status_code == 409
    assert "id of its own" in again.json()["error"]["sentence"]
    assert len(served.store.submissions()) == 1


@pytest.mark.parametrize(
    ("path", "status"), [("/nowhere", 404), ("/report/1/none", 404), ("/api/next", 401)]
)
def test_a_person_reads_a_page_and_a_script_reads_json(
    comparison: tuple[Served, Client, Any], path: str, status: int
) -> None:
    _, client, _ = comparison
    script = client.http.get(path, headers={"Accept": "application/json"})
    person = client.http.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert script.status_code == person.status_code == status
    assert person.headers["content-type"].startswith("text/html")
    assert script.json()["error"]["sentence"].split(";")[0].split("'")[0] in person.text
    style = "../" * (path.count("/") - 1) + "static/page.css"
    assert f'href="{style}"' in person.text


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
def test_a_database_that_fails_is_named_to_the_organizer_alone(
    comparison: tuple[Served, Client, Any],
    accept: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    _, client, trial = comparison
    with closing(sqlite3.connect(tmp_path / "study.db")) as database:
        database.execute("ALTER TABLE raters RENAME TO gone")
    client.http.headers["Accept"] = accept
    said = [client.send("GET", "next"), client.send("POST", "submit", sent(trial, vote("first")))]
    assert [one.status_code for one in said] == [500, 500]
    for one in said:
        assert "your answers are kept" in one.text
        assert "study.db" not in one.text
        assert tmp_path.name not in one.text
    assert "study.db: the database cannot be used now" in caplog.text
    headers = {"Authorization": f"Bearer {ADMIN}"}
    told = client.http.get("/api/organizer/raters", headers=headers)
    assert "study.db: the database cannot be used now" in told.text


def test_an_id_that_no_database_can_hold_is_refused_for_good(
    comparison: tuple[Served, Client, Any],
) -> None:
    _, client, trial = comparison
    answer = {**sent(trial, vote("first")), "id": "\0" * 8}
    assert client.send("POST", "submit", answer).is_client_error


def take_all(served: Served) -> None:
    """Lease everything to other raters."""
    for number in range(100):
        other = served.store.enroll(RaterId(f"other {number}"), token_hash=str(number), now=now())
        lease = timedelta(hours=1)
        if not served.store.claim(other.id, count=100, lease=lease, now=now()):
            return
    raise AssertionError("something is left")


def test_invented_names_do_not_make_the_server_read_its_plan(
    comparison: tuple[Served, Client, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    served, client, _ = comparison
    plan = served.store.load_plan()
    assert plan is not None
    asked: list[str] = []
    load = served.store.load_plan

    def counted(round: Round = "main") -> Plan | None:
        asked.append(round)
        return load(round)

    monkeypatch.setattr(served.store, "load_plan", counted)

    def invent(name: str) -> int:
        headers = {"Authorization": f"Bearer {client.token}"}
        return int(client.http.get(f"/api/past/{name}", headers=headers).status_code)

    assert [invent(f"{number:024x}") for number in range(5)] == [400] * 5
    assert asked == []
    later = now() + timedelta(seconds=1)
    served.store.extend_plan(plan, version=1, now=later)  # by another process, as it grows
    assert [invent("0" * 24), invent("0" * 24)] == [400, 400]
    assert asked == ["main", "calibration"]


def test_a_full_study_asks_nothing_and_pays_nothing(tmp_path: Path) -> None:
    with open_study(write_study("detect", tmp_path)) as served, TestClient(served.app) as http:
        take_all(served)
        stage = Client(http).get("next")
        assert stage["stage"] == "full"
        assert "code" not in stage["html"]
        rater = served.store.rater(RaterId("r1"))
        assert rater is not None
        assert rater.finished_at is None


def test_what_a_rater_practices_for_is_kept_for_them(tmp_path: Path) -> None:
    with open_study(write_study("detect", tmp_path)) as served, TestClient(served.app) as http:
        client = Client(http)
        assert client.begin()["stage"] == "practice"
        take_all(served)
        for right in ("real", "generated"):
            trial = client.get("next")["trial"]
            given = [{"criterion": "origin", "answer": right, "confidence": 3}]
            client.post("submit", sent(trial, given))
        assert client.get("next")["stage"] == "trial"
