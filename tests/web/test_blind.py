"""Everything a whole study sends, searched for what a rater must not know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from tests.forms import cases
from tests.study.examples import write_csv
from tests.web.media_studies import write_mushra
from tests.web.serving import Served, open_study
from tests.web.settling import settled
from tests.web.studies import SECRETS, WRITERS, picture, sound, write_study
from tests.web.walking import begin, stage, submit, wait_for_stage, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page, Request

    from tests.web.conftest import OpenPage, Studio

ANSWERS = {
    "rate": ["Digit1", "Digit2", "End"],
    "compare": ["Digit1", "Digit2"],
    "sides": ["Digit3", "Digit4", "Digit2"],
    "graded": ["Digit3"],
    "rank": ["a", "b", "c", "d"],
    "best": ["b"],
    "detect": ["g", "Digit3"],
    "mark": ["Digit0", "End"],
    "media": ["Digit3"],
}


class Listener:
    """Collects every address, header and body that the server sends to a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._heard: list[tuple[str, bytes]] = []
        self._open: list[Request] = []
        page.on("request", lambda request: self._open.append(request))
        page.on("requestfinished", self._hear)
        page.on("requestfailed", lambda request: self._open.remove(request))

    def _hear(self, request: Request) -> None:
        response = request.response()
        if response is not None:
            heads = "\n".join(f"{name}: {value}" for name, value in response.all_headers().items())
            self._heard.append((response.url, f"{response.url}\n{heads}\n".encode()))
            if response.ok and response.status != 206:
                self._heard.append((response.url, response.body()))
        self._open.remove(request)

    def hear(self) -> list[tuple[str, bytes]]:
        """What was sent, once everything that was asked for has come."""
        wait_until(self.page, lambda: not self._open)
        return self._heard


def finish(page: Page, keys: list[str]) -> None:
    """Answer whatever comes until the end."""
    for _ in range(12):
        now = wait_for_stage(page, "practice", "trial", "break", "end", "screened-out")
        if now in ("end", "screened-out"):
            return
        if now == "break":
            page.click("main button[type=submit]")
            page.wait_for_selector("main:not([data-stage=break])")
            continue
        page.wait_for_selector("jb-trial.ready .question.now")
        unplayed = "() => document.querySelector('jb-trial').state.unplayed.length"
        if page.evaluate(unplayed):
            settled(page)
            page.keyboard.press("p")
            page.wait_for_function(f"() => !({unplayed})()")
        if now == "trial":
            submit(page, *keys)
            continue
        for key in (*keys, "Enter"):
            page.keyboard.press(key)
        page.wait_for_selector(".feedback")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback", state="detached")
    raise AssertionError(f"no end in sight at {stage(page)}")


WHOLE = ("rate", "compare", "detect", "media")


@pytest.mark.parametrize("study", cases(WHOLE, [one for one in ANSWERS if one not in WHOLE]))
def test_nothing_a_whole_study_sends_names_a_system_a_file_or_the_truth(
    study: str, studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve(study)
    page = open_page()
    listener = Listener(page)
    begin(page, url)
    finish(page, ANSWERS[study])
    heard = listener.hear()
    assert len(heard) > 20
    for address, content in heard:
        for secret in SECRETS:
            assert secret.encode() not in content, f"{secret} in {address}"
        for trial in served.app.state.site.plan.trials:
            assert trial.id.encode() not in content
        for field in (b'"truth"', b'"gold"', b'"system"', b'"correct"', b"attention"):
            if "/static/" not in address:
                assert field not in content, address
    items = [str(item) for item in served.material.items]
    media = [address for address, _ in heard if "/media/" in address]
    assert bool(media) is (study not in ("compare", "sides", "graded", "mark"))
    for address in media:
        assert re.fullmatch(r"[0-9a-f]{24}-[0-9a-f]{16}-[0-9a-f]{24}", address.rpartition("/")[2])
        assert not any(item in address for item in items)


def test_right_answers_reach_the_page_only_after_the_answer(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("detect")
    page = open_page()
    listener = Listener(page)
    begin(page, url)
    settled(page)
    assert not any(b"See the edge." in content for _, content in listener.hear())
    page.keyboard.press("r")
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".feedback")
    assert any(b"See the edge." in content for _, content in listener.hear())


CODES = "{completed: C1, screened_out: C2, no_consent: C3}"
DOORS = {
    "open": ("", {}),
    "prolific": (f"prolific: {CODES}", {"PROLIFIC_PID": "p1", "STUDY_ID": "s", "SESSION_ID": "x"}),
    "mturk": ("mturk: true", {"workerId": "w1", "assignmentId": "a1", "hitId": "h1"}),
    "listed": ("listed: [r1], resume: id", {}),
}
WRONG: tuple[Any, ...] = (
    [],
    [{"criterion": "none of these", "score": 1}],
    [{"criterion": "preference", "choice": "third"}],
    [{"criterion": "fit", "ranks": [1]}],
    [{"criterion": "origin", "answer": "maybe"}],
    [
        {
            "criterion": "errors",
            "spans": [{"start": 0, "end": 9999, "category": "x", "severity": "y"}],
        }
    ],
    [{"criterion": "overall", "score": 1e9, "place": 77}],
    "nothing like an answer",
)


class Ear:
    """A rater without a browser, who hears everything that the server says."""

    def __init__(self, http: TestClient) -> None:
        self.http = http
        self.token = ""
        self.heard: list[tuple[str, bytes]] = []

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        got = self.http.request(method, path, json=body, headers=headers)
        heads = "\n".join(f"{name}: {value}" for name, value in got.headers.items())
        self.heard.append((f"{method} {path}", heads.encode() + b"\n" + got.content))
        is_json = "json" in got.headers.get("content-type", "")
        return got.json() if is_json else got.text


def try_everything(ear: Ear, stage: Any) -> None:
    """Every request about a trial, right and wrong, with every answer to it that is wrong."""
    trials = stage.get("trials") or [stage["trial"]]
    for trial in trials:
        name = trial["assignment"]
        for number, answers in enumerate(WRONG):
            body = {"id": f"wrong-{number}-{name}"[:60], "assignment": name, "answers": answers}
            ear.ask("POST", "/api/submit", body)
        ear.ask("POST", "/api/submit", {"id": "x", "assignment": name})
        skip = {"id": f"skip-{name}"[:60], "assignment": name, "status": "skipped"}
        ear.ask("POST", "/api/submit", {**skip, "reason": "no reason"})
        ear.ask("PUT", "/api/draft", {"assignment": name, "draft": {"answers": {"q0": 1}}})
        ear.ask("POST", "/api/problem", {"assignment": name, "words": "It is black."})
        ear.ask("POST", "/api/submit", {**skip, "reason": "broken"})
        ear.ask("GET", f"/api/past/{name}")
        for address in re.findall(r'(?:src|href)="(media/[^"]+)"', trial["html"]):
            ear.ask("GET", f"/{address}")
    ear.ask("GET", "/api/past/none")
    ear.ask("POST", "/api/submit", {"id": "no-such-slot", "assignment": "none", "answers": []})
    if "until" in stage:
        ear.ask("POST", "/api/leave", {"until": stage["until"], "keep": []})


def walk_over_http(ear: Ear, query: dict[str, str]) -> set[str]:
    """Go through a whole study, skipping every trial; the stages that were met."""
    preview = {**query, "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}
    ear.ask("GET", "/?" + "&".join(f"{name}={value}" for name, value in preview.items()))
    for path in ("/", "/nowhere", "/media/none", "/organizer", "/preview", "/report/1/none"):
        ear.ask("GET", path)
    ear.ask("POST", "/api/enroll", {"rater": "", "query": {}})
    ear.token = ear.ask("POST", "/api/enroll", {"rater": "r1", "query": query})["token"]
    given = {"consent": {"agree": True}, "survey": {"answers": {"vision": "yes"}}}
    met: set[str] = set()
    stage = ear.ask("GET", "/api/next")
    for _ in range(30):
        met.add(stage["stage"])
        if stage["stage"] in ("consent", "survey", "guide"):
            stage = ear.ask("POST", f"/api/{stage['stage']}", given.get(stage["stage"], {}))
        elif stage["stage"] in ("trial", "practice"):
            try_everything(ear, stage)
            if stage["stage"] == "practice":
                return met
            stage = ear.ask("GET", "/api/next")
        else:
            break
    ear.ask("POST", "/api/break", {})
    ear.ask("GET", "/api/guide")
    for path in ("stop", "withdraw"):
        met.add(ear.ask("POST", f"/api/{path}", {})["stage"])
    return met


def hidden_words(served: Served) -> list[str]:
    """Everything a rater must not read: names of systems and files, ids of trials and slots."""
    plan = served.app.state.site.plan
    return [*SECRETS, *(trial.id for trial in plan.trials), *(slot.id for slot in plan.slots)]


# Each study through one door and each door with some study; the other pairs are the long form.
PAIRS = [
    pytest.param(study, door, marks=[] if (i + j) % len(DOORS) == 0 else pytest.mark.full)
    for i, study in enumerate(name for name in WRITERS if name != "groups")
    for j, door in enumerate(DOORS)
]


@pytest.mark.parametrize(("study", "door"), PAIRS)
def test_no_door_no_error_and_no_past_trial_gives_anything_away(
    study: str, door: str, tmp_path: Path
) -> None:
    folder = write_study(study, tmp_path / study)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    access, query = DOORS[door]
    text = re.sub(r"^access: .*\n", "", text, flags=re.MULTILINE)
    (folder / "study.yaml").write_text(f"{text}access: {{{access}}}\n", encoding="utf-8")
    with open_study(folder) as served, TestClient(served.app) as http:
        ear = Ear(http)
        met = walk_over_http(ear, query)
        assert met & {"trial", "practice"}
        secrets = hidden_words(served)
    for address, content in ear.heard:
        for secret in secrets:
            assert secret.encode() not in content, f"{secret} in {address}"
        for field in (b'"truth":', b'"gold":', b'"system":', b'"correct":', b'"repeat":'):
            assert field not in content, address


def test_a_hidden_reference_is_not_known_by_its_address(tmp_path: Path) -> None:
    write_mushra(tmp_path)
    for system in ("zebra-model", "quagga-model"):  # links to the reference, as disks are spared
        path = tmp_path / "sounds" / system / "train.wav"
        path.unlink()
        path.symlink_to(tmp_path / "given" / "inputfile.wav")
    with open_study(tmp_path) as served, TestClient(served.app) as http:
        ear = Ear(http)
        ear.token = ear.ask("POST", "/api/enroll", {"rater": "r1"})["token"]
        ear.ask("POST", "/api/guide")
        (trial,) = ear.ask("GET", "/api/next")["trials"]
        given, *rated = re.findall(r'src="(media/[0-9a-f-]+)"', trial["html"])
        assert len(rated) == 5
        assert given not in rated
        assert http.get(f"/{given}").content in [http.get(f"/{one}").content for one in rated]


@pytest.mark.parametrize("medium", ["image", "audio"])
def test_a_check_of_real_or_generated_looks_like_any_other_trial(
    medium: str, tmp_path: Path
) -> None:
    ending = {"image": "jpg", "audio": "wav"}[medium]
    for n in range(1, 5):
        for k, system in enumerate(("genuine-camera", "zebra-model")):
            path = tmp_path / "files" / system / f"hushhush-{n}.{ending}"
            picture(path, n + k) if medium == "image" else sound(path)
    rows = [
        {"item": f"hushhush-{n}", "system": system, "origin": right}
        for n, system, right in ((3, "genuine-camera", "real"), (4, "zebra-model", "generated"))
    ]
    write_csv(tmp_path / "gold.csv", rows)
    study = f"""\
title: Which ones were made by a machine?
protocol: detect
outputs: files/{{system}}/{{item}}.{ending}
show: {{output: {medium}}}
real: [genuine-camera]
criteria: {{origin: {{question: "Is it what it seems?"}}}}
design: {{items: 2, real_share: 0.5, overlap: 1, raters: 1, seed: 7}}
quality: {{gold: gold.csv}}
"""
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    with open_study(tmp_path) as served, TestClient(served.app) as http:
        ear = Ear(http)
        ear.token = ear.ask("POST", "/api/enroll", {"rater": "r1"})["token"]
        stage = ear.ask("POST", "/api/guide")
        seen, receipts = {}, set()
        while stage["stage"] == "trial":
            trial = stage["trials"][0]
            for address in re.findall(r'src="(media/[0-9a-f-]+)"', trial["html"]):
                ear.ask("GET", f"/{address}")
            blank = re.sub(r"\b[0-9a-f]{24}\b", "", trial["html"])
            seen[trial["assignment"]] = (blank, str(trial["form"]), trial["version"])
            answers = [{"criterion": "origin", "answer": "real"}]
            sent = {"id": f"of-{trial['assignment']}", "assignment": trial["assignment"]}
            receipt = ear.ask("POST", "/api/submit", {**sent, "answers": answers})
            receipts.add(str({**receipt, "id": ""}))
            ear.ask("GET", f"/api/past/{trial['assignment']}")
            stage = ear.ask("GET", "/api/next")
        assert len(seen) == 4  # two of the study, and the two with a known answer
        assert len(set(seen.values())) == len(receipts) == 1
        checked = [one.submission.correct for one in served.store.submissions()]
        assert sorted(map(str, checked)) == ["False", "None", "None", "True"]
        for address, content in ear.heard:
            for secret in (*hidden_words(served), "gold"):
                assert secret.encode() not in content, f"{secret} in {address}"
