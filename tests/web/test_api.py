"""The HTTP interface, on both databases, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from jurybox.study.model import RaterId
from tests.web.serving import ADMIN, Served, open_study
from tests.web.studies import write_study


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.time = datetime(2030, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


class Client:
    """A rater with a token, without a browser."""

    def __init__(self, http: TestClient, rater: str = "r1", **query: str) -> None:
        self.http = http
        body = {"rater": rater, "query": query}
        self.token = http.post("/api/enroll", json=body).raise_for_status().json()["token"]

    def send(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        return self.http.request(method, f"/api/{path}", json=body, headers=headers)

    def get(self, path: str) -> Any:
        return self.send("GET", path).raise_for_status().json()

    def post(self, path: str, body: Any = None) -> Any:
        return self.send("POST", path, body or {}).raise_for_status().json()

    def begin(self) -> Any:
        """Go to the first trial or practice trial."""
        answers = {"consent": {"agree": True}, "survey": {"answers": {"vision": "yes"}}}
        stage = self.get("next")
        while stage["stage"] in ("consent", "survey", "guide"):
            stage = self.post(stage["stage"], answers.get(stage["stage"]))
        return stage


class Place:
    """Serves small studies to test clients."""

    def __init__(self, folder: Path, database: str, stack: ExitStack) -> None:
        self.folder, self.database, self.stack = folder, database, stack
        self.clock = Clock()

    def serve(self, name: str) -> tuple[Served, TestClient]:
        return self.open(write_study(name, self.folder / name))

    def open(self, folder: Path) -> tuple[Served, TestClient]:
        served = self.stack.enter_context(
            open_study(folder, database=self.database, clock=self.clock)
        )
        return served, self.stack.enter_context(TestClient(served.app))


@pytest.fixture
def place(tmp_path: Path, database_url: str) -> Iterator[Place]:
    with ExitStack() as stack:
        yield Place(tmp_path, database_url, stack)


def vote(choice: str = "first", **more: Any) -> list[dict[str, Any]]:
    return [{"criterion": "preference", "choice": choice, "confidence": 2, **more}]


def sent(trial: Any, answers: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "id": f"test-{trial['assignment']}",
        "assignment": trial["assignment"],
        "answers": answers,
        "position": trial["position"],
        "session": "one",
        "ms": 1200,
        **more,
    }


def test_a_whole_comparison_turns_sides_back(place: Place) -> None:
    served, http = place.serve("compare")
    client = Client(http)
    client.begin()
    chosen: dict[str, str] = {}
    while (stage := client.get("next"))["stage"] == "trial":
        trial = stage["trials"][0]
        slot = served.app.state.site.slot(trial["assignment"])
        shown_first = served.app.state.site.plan.trial(slot.trial).systems[slot.order[0]]
        chosen[slot.trial] = shown_first
        receipt = client.post("submit", sent(trial, vote("first", reason="Clearer.")))
        assert receipt["status"] == "answered"
    assert stage["stage"] == "end"
    votes = served.store.table("votes")
    gold = {trial.id for trial in served.app.state.site.plan.trials if trial.kind == "gold"}
    rows = list(zip(votes["trial"], votes["winner"], votes["first"], strict=True))
    assert {row[0] for row in rows} | gold == set(chosen)
    for trial, winner, first in rows:
        systems = served.app.state.site.plan.trial(trial).systems
        assert winner == first == ("a" if systems[0] == chosen[trial] else "b")
    assert len(served.store.table("checks")["correct"]) == 1
    assert set(votes["comment"]) == {"Clearer."}
    assert served.store.rater(RaterId("r1")).finished_at == place.clock()  # type: ignore[union-attr]


def test_an_answer_sent_again_is_stored_once(place: Place) -> None:
    served, http = place.serve("compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    first = client.post("submit", sent(trial, vote()))
    again = client.post("submit", sent(trial, vote(), ms=99))
    assert (first["duplicate"], again["duplicate"]) == (False, True)
    assert len(served.store.submissions()) == 1


def test_two_raters_may_choose_the_same_answer_id(place: Place) -> None:
    served, http = place.serve("compare")
    one = Client(http)
    trial = one.begin()["trials"][0]
    one.post("submit", sent(trial, vote(), id="same-id-1"))
    one.post("stop")
    two = Client(http, "r2")
    trial = two.begin()["trials"][0]
    assert two.post("submit", sent(trial, vote(), id="same-id-1"))["duplicate"] is False
    assert len(served.store.submissions()) == 2


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ([], "'preference' is not answered"),
        (vote("third"), "first, second, tie, both_bad"),
        ([{"criterion": "preference", "choice": "first"}], "has no confidence"),
        ([{"criterion": "beauty", "score": 3}], "'beauty' is no criterion"),
        ([{"criterion": "preference", "choice": "first", "winner": "a"}], "cannot be read"),
    ],
)
def test_wrong_answers_are_refused_with_a_sentence_and_store_nothing(
    place: Place, answers: list[dict[str, Any]], says: str
) -> None:
    served, http = place.serve("compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    response = client.send("POST", "submit", sent(trial, answers))
    assert response.status_code == 400
    assert says in response.json()["error"]["sentence"]
    assert served.store.submissions() == ()


def test_a_skip_needs_a_reason_and_has_no_answer(place: Place) -> None:
    served, http = place.serve("compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    body = sent(trial, [], status="skipped")
    assert client.send("POST", "submit", body).status_code == 400
    assert client.post("submit", {**body, "reason": "broken"})["status"] == "skipped"
    (recorded,) = served.store.submissions()
    assert (recorded.submission.reason, recorded.submission.answers) == ("broken", ())


def test_practice_explains_fails_once_and_passes_the_second_time(place: Place) -> None:
    served, http = place.serve("detect")
    client = Client(http)
    stage = client.begin()
    assert stage["stage"] == "practice"
    rights = ["real", "generated"]
    for attempt in (0, 1):
        for number, right in enumerate(rights):
            stage = client.get("next")
            assert stage["bar"]["words"].startswith(f"Practice {number + 1} of 2")
            wrong = attempt == 0 and number == 0
            answer = rights[1 - number] if wrong else right
            body = sent(
                stage["trial"], [{"criterion": "origin", "answer": answer, "confidence": 3}]
            )
            feedback = client.post("submit", {**body, "id": f"{body['id']}-{attempt}"})["feedback"]
            assert ('data-right="no"' in feedback) is wrong
            assert "See the edge." in feedback
        assert ("try once more" in feedback) is (attempt == 0)
    assert client.get("next")["stage"] == "trial"
    assert served.store.table("checks", round=None)["kind"].count("practice") >= 2


def test_a_rater_who_fails_practice_twice_is_thanked_and_sees_no_trial(place: Place) -> None:
    served, http = place.serve("detect")
    client = Client(http)
    stage = client.begin()
    for number in range(4):
        body = sent(stage["trial"], [{"criterion": "origin", "answer": "real", "confidence": 1}])
        client.post("submit", {**body, "id": f"{body['id']}-{number}"})
        stage = client.get("next")
    assert stage["stage"] == "screened-out"
    assert client.get("next")["stage"] == "screened-out"
    assert served.store.progress().leased == 0


def test_a_practice_answer_sent_again_does_not_count_twice(place: Place) -> None:
    served, http = place.serve("detect")
    client = Client(http)
    stage = client.begin()
    body = sent(stage["trial"], [{"criterion": "origin", "answer": "real", "confidence": 1}])
    client.post("submit", body)
    assert "feedback" in client.post("submit", body)
    kept = served.store.rater(RaterId("r1"))
    assert kept is not None
    assert kept.practice is not None
    assert kept.practice["right"] == [True]


def test_a_practice_trial_counts_once_whatever_id_its_answer_has(place: Place) -> None:
    _, http = place.serve("detect")
    client = Client(http)
    stage = client.begin()
    body = sent(stage["trial"], [{"criterion": "origin", "answer": "real", "confidence": 1}])
    for tab in ("one", "two"):
        assert "feedback" in client.post("submit", {**body, "id": f"answer-{tab}"})
    assert client.get("next")["bar"]["words"] == "Practice 2 of 2"


def test_a_receipt_names_the_answer_as_the_page_named_it(place: Place) -> None:
    _, http = place.serve("compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    assert client.post("submit", sent(trial, vote(), id="chosen-id"))["id"] == "chosen-id"


def test_consent_survey_guide_come_in_this_order_and_survive_a_reload(place: Place) -> None:
    served, http = place.serve("rate")
    client = Client(http)
    assert client.get("next")["stage"] == "consent"
    assert client.post("consent", {"agree": True})["stage"] == "survey"
    missing = client.send("POST", "survey", {"answers": {"field": "x"}})
    assert missing.json()["error"]["sentence"] == "Please answer: Is your color vision normal?"
    wrong = client.send("POST", "survey", {"answers": {"vision": "purple"}})
    assert "not one of the answers" in wrong.json()["error"]["sentence"]
    assert client.post("survey", {"answers": {"vision": "yes"}})["stage"] == "guide"
    assert client.get("next")["stage"] == "guide"
    assert client.post("guide")["stage"] == "practice"
    kept = served.store.rater(RaterId("r1"))
    assert kept is not None
    assert kept.survey == {"vision": "yes"}
    assert kept.consented_at == place.clock()


def test_without_consent_nothing_is_asked(place: Place) -> None:
    served, http = place.serve("rate")
    client = Client(http)
    client.get("next")
    assert client.post("consent", {"agree": False})["stage"] == "declined"
    assert client.get("next")["stage"] == "declined"
    assert served.store.submissions() == ()


def test_stop_keeps_answers_releases_slots_and_shows_the_partial_code(place: Place) -> None:
    served, http = place.serve("compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    client.post("submit", sent(trial, vote()))
    client.get("next")
    assert served.store.progress(now=place.clock()).leased > 0
    stage = client.post("stop")
    assert stage["stage"] == "stopped"
    assert served.app.state.site.seals.code("partial", "r1") in stage["html"]
    assert "data-withdraw" in stage["html"]
    assert served.store.progress(now=place.clock()).leased == 0
    assert len(served.store.submissions()) == 1
    assert client.get("next")["stage"] == "stopped"


def test_withdrawing_is_offered_to_whoever_stops_once_there_is_something_to_withdraw(
    place: Place,
) -> None:
    _, http = place.serve("rate")
    early, asked = Client(http, "early"), Client(http, "asked")
    assert "data-withdraw" not in early.post("stop")["html"]
    asked.post("consent", {"agree": True})
    asked.post("survey", {"answers": {"vision": "yes"}})
    assert "data-withdraw" in asked.post("stop")["html"]


def leave_trials(app: FastAPI) -> None:
    """Take the longer booklet of the study that two share, skip one trial and stop."""
    gone = Client(TestClient(app), "gone")
    trial = gone.begin()["trials"][0]
    gone.post("submit", sent(trial, [], status="skipped", reason="broken"))
    assert gone.post("stop")["stage"] == "stopped"


def answer_all(client: Client, stage: Any) -> Any:
    """Answer what the stage and those after it give; the stage that gives no trial."""
    while trials := stage.get("trials"):
        graded = [{"criterion": "preference", "score": 1}]
        client.post("submit", sent(trials[0], graded))
        stage = client.get("next")
    return stage


def test_who_has_done_what_was_promised_is_asked_before_doing_more(place: Place) -> None:
    served, http = place.serve("shared")
    leave_trials(served.app)
    client = Client(http)
    # Two were promised: the one of the shorter booklet, and one that was left.
    assert answer_all(client, client.begin())["stage"] == "more"
    assert len(served.store.submissions(rater=RaterId("r1"))) == 2
    assert served.store.progress(now=place.clock()).leased == 0  # nothing is kept from others
    assert client.get("next")["stage"] == "more"
    assert answer_all(client, client.post("more"))["stage"] == "end"
    assert len(served.store.submissions(rater=RaterId("r1"))) == 3


def test_who_does_not_want_more_has_finished(place: Place) -> None:
    served, http = place.serve("shared")
    leave_trials(served.app)
    client = Client(http)
    answer_all(client, client.begin())
    stage = client.post("stop")
    assert stage["stage"] == "end"
    assert served.app.state.site.seals.code("completed", "r1") in stage["html"]
    rater = served.store.rater(RaterId("r1"))
    assert rater is not None
    assert rater.finished_at == place.clock()
    assert rater.stopped_at is None


def test_withdrawing_excludes_by_rule(place: Place) -> None:
    served, http = place.serve("compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    client.post("submit", sent(trial, vote()))
    assert client.post("withdraw")["stage"] == "withdrawn"
    assert [mark.rule for mark in served.store.exclusions()] == ["withdrawn"]


def test_a_break_gives_back_what_was_fetched_ahead(place: Place) -> None:
    served, http = place.serve("compare")
    client = Client(http)
    assert len(client.begin()["trials"]) == 2
    assert client.post("break")["stage"] == "break"
    assert served.store.progress(now=place.clock()).leased == 0
    assert len(client.get("next")["trials"]) == 2


def test_a_lost_lease_is_taken_up_again_or_kept_as_late(place: Place) -> None:
    served, http = place.serve("sides")
    answers = [
        {"criterion": "preference", "score": -2},
        {"criterion": "correctness", "place": 0, "score": 4},
        {"criterion": "correctness", "place": 1, "score": 2},
    ]
    slow = Client(http, "slow")
    trial = slow.begin()["trials"][0]
    place.clock.time += timedelta(hours=2)
    quick = Client(http, "quick")
    other = quick.begin()["trials"][0]
    assert quick.post("submit", sent(other, answers))["status"] == "answered"
    assert slow.post("submit", sent(trial, answers))["status"] == "late"
    assert len(served.store.table("votes")["winner"]) == 1
    assert len(served.store.submissions()) == 2


def test_drafts_come_back(place: Place) -> None:
    _, http = place.serve("compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    draft = {"answers": {"q0": "first"}, "comment": "hm"}
    client.send("PUT", "draft", {"assignment": trial["assignment"], "draft": draft})
    assert client.get("next")["trials"][0]["draft"] == draft


ORGANIZER = [
    "progress",
    "raters",
    "trials",
    "results",
    "invitations",
    "export",
    "export/votes",
]


def test_the_organizer_sees_progress_raters_trials_and_tables(place: Place) -> None:
    served, http = place.serve("compare")
    client = Client(http, "<b>Ada</b>")
    trial = client.begin()["trials"][0]
    client.post("submit", sent(trial, vote(), comment="<script>alert(1)</script>"))
    headers = {"Authorization": f"Bearer {ADMIN}"}
    parts = {
        part: http.get(f"/api/organizer/{part}", headers=headers).raise_for_status()
        for part in ORGANIZER
    }
    assert "System 1" in parts["progress"].json()["html"]
    assert not [part for part, reply in parts.items() if "zebra-model" in reply.text]
    assert "&lt;b&gt;Ada&lt;/b&gt;" in parts["raters"].json()["html"]
    number = served.store.submissions()[0].submission.trial
    one = http.get(f"/api/organizer/trials/{number}", headers=headers).json()["html"]
    assert "<script>" not in one
    assert "&lt;script&gt;" in one
    table = parts["export/votes"].text.splitlines()
    assert "winner" in table[0].split(",")
    assert http.get("/api/organizer/trials/none", headers=headers).status_code == 404
    assert http.get("/api/organizer/export/passwords", headers=headers).status_code == 422


def test_a_paused_rater_waits_and_goes_on(place: Place) -> None:
    _, http = place.serve("compare")
    client = Client(http)
    client.begin()
    headers = {"Authorization": f"Bearer {ADMIN}"}
    for action, stage in (("pause", "paused"), ("resume", "trial")):
        body = {"rater": "r1", "action": action}
        http.post("/api/organizer/raters", json=body, headers=headers).raise_for_status()
        assert client.get("next")["stage"] == stage


def test_the_preview_walks_the_study_and_records_nothing(place: Place) -> None:
    served, http = place.serve("compare")
    headers = {"Authorization": f"Bearer {ADMIN}"}
    done = 0
    while True:
        stage = http.get(f"/api/preview/next?done={done}", headers=headers).json()
        if stage["stage"] == "end":
            break
        body = sent(stage["trials"][0], vote())
        http.post("/api/preview/submit", json=body, headers=headers).raise_for_status()
        done += 1
    assert done == 4
    assert served.store.submissions() == ()
    assert served.store.raters() == ()
