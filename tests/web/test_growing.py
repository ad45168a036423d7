"""A study that grows while it is served: raters and organizers go on without a new start."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient

from jurybox.cli.ready import ready_study
from jurybox.cli.serve import make_app
from jurybox.store import Store
from tests.patience import PATIENCE
from tests.study.examples import write_csv
from tests.web.serving import live, now

ENGLISH = "Open Settings, then Cancel."


def write_growing(folder: Path, *, items: int) -> Path:
    """A comparison of two systems, with so many items."""
    folder.mkdir(exist_ok=True)
    ids = [f"q{number}" for number in range(items)]
    write_csv(folder / "items.csv", [{"item": id, "prompt": f"How, in case {id}?"} for id in ids])
    rows = [{"item": id, "system": s, "answer": f"{s} {id}"} for id in ids for s in ("new", "old")]
    write_csv(folder / "outputs.csv", [{**row, "answer": ENGLISH} for row in rows])
    text = "title: Growing\nprotocol: compare\nitems: items.csv\noutputs: outputs.csv\n"
    text += "show: {prompt: text, answer: text}\ndesign: {overlap: 1, raters: 1, seed: 5}\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder


def run_verb(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from jurybox.cli import main; main()", *arguments]


@contextmanager
def serving(folder: Path, database: str) -> Iterator[tuple[str, dict[str, str]]]:
    """`jurybox serve` as a program of its own; gives its address and the organizer's headers."""
    command = run_verb("serve", str(folder), "--port", "0", "--database", database)
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert server.stdout is not None
        said = [server.stdout.readline() for _ in range(3)]
        found = re.search(r"Organizer\s+(\S+)organizer#token=(\S+)", "".join(said))
        assert found, said
        yield found[1], {"Authorization": f"Bearer {found[2]}"}
        server.send_signal(signal.SIGINT)
        assert "Stopped." in server.communicate(timeout=PATIENCE)[0]
    finally:
        server.kill()
        server.communicate()


class Person:
    """A rater over HTTP."""

    def __init__(self, http: Any, name: str) -> None:
        token = http.post("/api/enroll", json={"rater": name}).json()["token"]
        self.http, self.name = http, name
        self.headers = {"Authorization": f"Bearer {token}"}
        self.stage = http.post("/api/guide", json={}, headers=self.headers).json()

    def next(self) -> str:
        self.stage = self.http.get("/api/next", headers=self.headers).json()
        return str(self.stage["stage"])

    def answer(self, trial: dict[str, Any]) -> dict[str, Any]:
        body = {
            "id": f"{self.name}-{trial['assignment']}",
            **{name: trial[name] for name in ("assignment", "version", "position")},
            "answers": [{"criterion": "preference", "choice": "first"}],
        }
        receipt: dict[str, Any] = self.http.post(
            "/api/submit", json=body, headers=self.headers
        ).json()
        return receipt

    def answer_all(self) -> int:
        """Answer until nothing is left; how many trials that were."""
        count = 0
        while self.next() == "trial":
            for trial in self.stage["trials"]:
                assert self.answer(trial)["status"] == "answered"
                count += 1
        return count


def test_a_server_takes_up_a_plan_that_grew(tmp_path: Path, database_url: str) -> None:
    folder = write_growing(tmp_path / "study", items=3)
    with serving(folder, database_url) as (base, organizer), httpx.Client(
        base_url=base, timeout=PATIENCE
    ) as http:  # fmt: skip

        def progress() -> str:
            drawn = http.get("/api/organizer/progress", headers=organizer).json()["html"]
            return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", drawn))

        def wait_for(said: str) -> None:
            """Numbers may be older for a while: twenty times as long as counting them took."""
            until = time.monotonic() + PATIENCE
            while said not in progress():
                assert time.monotonic() < until, said
                time.sleep(0.05)

        ada = Person(http, "Ada")
        held = ada.stage["trials"]
        assert ada.answer(held[0])["status"] == "answered"
        wait_for("1 of 3 planned answers")
        write_growing(folder, items=7)
        done = subprocess.run(
            run_verb("plan", str(folder), "--database", database_url),
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        wait_for("1 of 7 planned answers")
        # What Ada has on screen is still hers, and was shown as version 1.
        assert ada.answer(held[1])["status"] == "answered"
        # Somebody new is shown what is new.
        ben = Person(http, "Ben")
        assert ben.stage["stage"] == "trial"
        assert ben.answer_all() + ada.answer_all() == 5
        wait_for("7 of 7 planned answers")
        shown = http.get("/api/organizer/trials", headers=organizer).json()["html"]
        assert "q6" in shown
        analyzed = http.get("/api/organizer/results", headers=organizer).json()["html"]
        assert "7 items" in analyzed
    with Store.open(database_url) as store:
        table = store.table("submissions")
    versions = dict(zip(table["item"], table["study_version"], strict=True))
    assert table["status"] == ["answered"] * 7
    assert sorted(versions.values()) == [1, 1, 2, 2, 2, 2, 2]
    assert {versions[f"q{number}"] for number in (3, 4, 5, 6)} == {2}


def test_files_that_do_not_fit_the_plan_are_said_and_harm_nobody(tmp_path: Path) -> None:
    folder = write_growing(tmp_path / "study", items=2)
    with Store.open(folder / "study.db") as store:
        app, token = make_app(folder, store)
        organizer = {"Authorization": f"Bearer {token}"}
        with TestClient(app) as http:

            def progress() -> Any:
                return http.get("/api/organizer/progress", headers=organizer)

            ada = Person(http, "Ada")
            site = app.state.site
            write_growing(folder, items=4)
            ready_study(folder, store, now=now())
            (folder / "items.csv").write_text("item,prompt\n", encoding="utf-8")
            before = progress()
            assert "no longer fit its plan" in before.json()["html"]
            # Its trials can still be searched, by what the files have left of them.
            found = http.get("/api/organizer/trials", params={"q": "q3"}, headers=organizer)
            assert found.status_code == 200
            assert app.state.site is site
            # Ada's trials are those that she was given; a new trial has nothing to show yet.
            for trial in ada.stage["trials"]:
                assert ada.answer(trial)["status"] == "answered"
            ben = http.post("/api/enroll", json={"rater": "Ben"}).json()["token"]
            headers = {"Authorization": f"Bearer {ben}"}
            waits = http.post("/api/guide", json={}, headers=headers)
            assert waits.status_code == 503
            assert "being extended" in waits.json()["error"]["sentence"]
            # The files are put right, and nothing has to be planned or started again.
            write_growing(folder, items=4)
            app.state.renewal._again = now()
            after = progress()
            assert "no longer fit its plan" not in after.json()["html"]
            assert after.headers["ETag"] != before.headers["ETag"]
            assert http.get("/api/next", headers=headers).json()["stage"] == "trial"
        table = store.table("submissions")
        assert table["study_version"] == [1, 1]


def test_an_answer_names_the_version_that_it_was_shown_in_and_none_that_is_not_there(
    tmp_path: Path,
) -> None:
    folder = write_growing(tmp_path / "study", items=2)
    with Store.open(folder / "study.db") as store:
        app, _ = make_app(folder, store)
        with TestClient(app) as http:
            ada = Person(http, "Ada")
            first, second = ada.stage["trials"]
            assert ada.answer({**first, "version": 99})["status"] == "answered"
            text = (folder / "study.yaml").read_text(encoding="utf-8")
            (folder / "study.yaml").write_text(f"{text}instructions: Read both.\n")
            ready_study(folder, store, now=now())
            assert "Read both." in json.dumps(http.get("/api/guide", headers=ada.headers).json())
            assert ada.answer(second)["status"] == "answered"
        assert store.edition().version == 2
        assert store.table("submissions")["study_version"] == [1, 1]


def test_many_requests_at_once_make_one_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from jurybox.web.site import Site

    folder = write_growing(tmp_path / "study", items=2)
    made = []
    begin = Site.__init__

    def count(self: Site, *args: Any, **more: Any) -> None:
        made.append(self)
        begin(self, *args, **more)

    monkeypatch.setattr(Site, "__init__", count)
    with Store.open(folder / "study.db") as store:
        app, token = make_app(folder, store)
        headers = {"Authorization": f"Bearer {token}"}
        with live(app) as url, ThreadPoolExecutor(8) as pool:
            write_growing(folder, items=3)
            ready_study(folder, store, now=now())
            trials = f"{url}/api/organizer/trials"
            asked = [
                pool.submit(httpx.get, trials, headers=headers, timeout=PATIENCE) for _ in range(8)
            ]
            shown = [reply.result().json()["html"] for reply in asked]
    assert all("q2" in html for html in shown)
    assert len(made) == 2
