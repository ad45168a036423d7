"""Getting in: lists, platforms, and who may touch what; without a browser."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from jurybox.web.guard import CONTENT_POLICY
from tests.web.serving import ADMIN, Served
from tests.web.studies import write_study
from tests.web.test_api import Client, Place, place, sent, vote

__all__ = ["place"]

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
TURK = {"assignmentId": "A1", "hitId": "H1", "workerId": "W1"}


def serve(place: Place, name: str, *more: str, **changes: str) -> tuple[Served, TestClient]:
    """Serve one of the small studies with lines added and texts changed."""
    folder = write_study(name, place.folder / name)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "study.yaml").write_text("\n".join([text.rstrip(), *more, ""]), encoding="utf-8")
    return place.open(folder)


def answered(client: Client, count: int) -> list[str]:
    """Answer so many comparisons; the names of the trials."""
    names = []
    for _ in range(count):
        trial = client.get("next")["trials"][0]
        names.append(trial["assignment"])
        client.post("submit", sent(trial, vote()))
    return names


def payments(http: TestClient) -> list[dict[str, str]]:
    """What the organizer pays by."""
    headers = {"Authorization": f"Bearer {ADMIN}"}
    text = http.get("/api/organizer/payments.csv", headers=headers).content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def booklet_of(served: Served, name: str) -> str:
    """The booklet that a trial, by its opaque name, was given from."""
    site = served.app.state.site
    slot = site.slot(name).id
    return str(next(one.id for one in site.plan.booklets if slot in one.slots))


def test_a_listed_id_keeps_its_booklet_however_long_it_is_away(place: Place) -> None:
    served, http = serve(
        place,
        "compare",
        "access: {listed: [ada, ben, cy], resume: id}",
        **{"overlap: 1, raters: 1": "overlap: 3, raters: 3"},
    )
    first = {}
    for name in ("ada", "ben", "cy"):
        client = Client(http, name)
        first[name] = booklet_of(served, client.begin()["trials"][0]["assignment"])
        client.post("break")  # gives back what was fetched
    assert len(set(first.values())) == 3
    place.clock.time += timedelta(days=3)
    for name in ("cy", "ada", "ben"):
        again = Client(http, name)  # the id alone leads back in
        trials = again.begin()["trials"]
        assert {booklet_of(served, one["assignment"]) for one in trials} == {first[name]}


def test_a_listed_rater_gets_nothing_from_the_booklet_of_one_who_is_only_silent(
    place: Place,
) -> None:
    served, http = serve(
        place,
        "compare",
        "access: {listed: [ada, ben]}",
        **{"overlap: 1, raters: 1": "overlap: 2, raters: 2"},
    )
    ada, ben = Client(http, "ada"), Client(http, "ben")
    mine = booklet_of(served, ada.begin()["trials"][0]["assignment"])
    ben.begin()
    place.clock.time += timedelta(days=3)
    names = answered(ada, 4)
    assert {booklet_of(served, name) for name in names} == {mine}
    assert ada.get("next")["stage"] == "end"
    refused = http.post("/api/enroll", json={"rater": "eve"})
    assert refused.status_code == 403
    assert "not on this study's list" in refused.json()["error"]["sentence"]


def test_prolific_gives_the_id_and_every_code_has_its_way_back(place: Place) -> None:
    codes = "{completed: C1A2, screened_out: C4D5, no_consent: C7F8}"
    served, http = serve(
        place, "detect", f"access: {{prolific: {codes}}}", "consent: We store your ratings."
    )
    unfilled = {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}  # everybody would be this rater
    for nobody in ({"rater": "me"}, {"rater": "me", "query": unfilled}):
        alone = http.post("/api/enroll", json=nobody)
        assert alone.status_code == 400
        assert "Prolific" in alone.json()["error"]["sentence"]
    query = {"PROLIFIC_PID": "p1", "STUDY_ID": "s1", "SESSION_ID": "x1"}
    one = Client(http, "ignored", **query)
    (kept,) = served.store.raters()
    assert (kept.id, dict(kept.details)) == ("p1", {"STUDY_ID": "s1", "SESSION_ID": "x1"})
    link = "https://app.prolific.com/submissions/complete?cc="
    assert [(row["rater"], row["submission"]) for row in payments(http)] == [("p1", "x1")]
    declined = one.post("consent", {"agree": False})
    assert declined["stage"] == "declined"
    assert f"{link}C7F8" in declined["html"]
    two = Client(http, "", **{**query, "PROLIFIC_PID": "p2"})
    stage = two.post("consent", {"agree": True})
    stage = two.begin()
    while stage["stage"] == "practice":
        wrong = {"criterion": "origin", "answer": "real", "confidence": 5}
        body = sent(stage["trial"], [wrong], id=f"try-{stage['bar']['words']}"[:60])
        two.post("submit", body)
        stage = two.get("next")
    assert stage["stage"] == "screened-out"
    assert f"{link}C4D5" in stage["html"]


@pytest.mark.parametrize("partial", ["", ", partial_code: HALF"])
def test_stop_promises_a_code_only_where_there_is_one(place: Place, partial: str) -> None:
    _, http = serve(place, "graded", f"access: {{prolific: {{completed: C1}}{partial}}}")
    assert ("you get a code for them" in http.get("/").text) == bool(partial)
    assert ("return your submission on Prolific" in http.get("/").text) != bool(partial)
    rater = Client(http, "", PROLIFIC_PID="p1")
    for step in ("stop", "withdraw"):  # who withdraws needs a way back too
        html = rater.post(step, {})["html"]
        assert ("HALF" in html) == bool(partial)
        assert ("return your submission on Prolific" in html) != bool(partial)
        assert [row["code"] for row in payments(http)] == ["HALF" if partial else ""]


def test_who_comes_from_prolific_to_a_full_study_gets_a_way_back(place: Place) -> None:
    codes = "{completed: C1A2, screened_out: C4D5}"
    _, http = serve(place, "graded", f"access: {{prolific: {codes}}}")
    stages = [Client(http, "", PROLIFIC_PID=name).get("next") for name in ("p1", "p2")]
    assert [stage["stage"] for stage in stages] == ["guide", "full"]  # of one trial
    assert "submissions/complete?cc=C4D5" in stages[1]["html"]
    assert "C1A2" not in stages[1]["html"]


def test_who_gets_no_code_for_prolific_is_told_to_return_the_submission(place: Place) -> None:
    _, http = serve(place, "graded", "access: {prolific: {completed: C1A2}}")
    stages = [Client(http, "", PROLIFIC_PID=name).get("next") for name in ("p1", "p2")]
    assert stages[1]["stage"] == "full"
    assert "return your submission on Prolific" in stages[1]["html"]
    assert "come back later" not in stages[1]["html"]  # the submission would time out


def test_mechanical_turk_gives_the_id_and_a_preview_claims_nothing(place: Place) -> None:
    served, http = serve(place, "graded", "access: {mturk: true}")
    page = http.get("/", params={"assignmentId": PREVIEW}).text
    assert "Accept the HIT to begin" in page
    assert "<h2>How it works" in page
    refused = http.post("/api/enroll", json={"query": {**TURK, "assignmentId": PREVIEW}})
    assert refused.status_code == 400
    assert served.store.raters() == ()
    assert served.store.progress().leased == 0
    client = Client(http, "", **TURK)
    (kept,) = served.store.raters()
    assert (kept.id, dict(kept.details)) == ("W1", {"assignmentId": "A1", "hitId": "H1"})
    trial = client.begin()["trials"][0]
    client.post("submit", sent(trial, [{"criterion": "preference", "score": 1}]))
    end = client.get("next")["html"]
    assert "Submit to Mechanical Turk" in end
    again = Client(http, "", **TURK)  # reloaded in a frame that keeps nothing
    assert again.get("next")["stage"] == "end"
    Client(http, "", **{**TURK, "assignmentId": "A2"})  # accepted once more
    (kept,) = served.store.raters()
    assert (kept.id, dict(kept.details)) == ("W1", {"assignmentId": "A2", "hitId": "H1"})
    assert kept.finished_at is not None
    (paid,) = payments(http)
    assert (paid["rater"], paid["submission"], paid["suggestion"]) == ("W1", "A2", "pay")


def test_only_mechanical_turk_may_frame_and_only_where_the_study_is_there(place: Place) -> None:
    _, closed = serve(place, "rank")
    headers = closed.get("/").headers
    assert headers["content-security-policy"] == CONTENT_POLICY
    assert headers["x-frame-options"] == "DENY"
    _, framed = serve(
        Place(place.folder / "more", "", place.stack), "graded", "access: {mturk: true}"
    )
    headers = framed.get("/").headers
    assert "frame-ancestors https://*.mturk.com" in headers["content-security-policy"]
    assert "form-action https://*.mturk.com" in headers["content-security-policy"]
    assert "script-src 'self';" in headers["content-security-policy"]
    assert "x-frame-options" not in headers
    for path in ("/organizer", "/preview", "/api/next"):
        headers = framed.get(path).headers
        assert headers["content-security-policy"] == CONTENT_POLICY
        assert headers["x-frame-options"] == "DENY"


def test_what_belongs_to_one_rater_is_closed_to_another(place: Place) -> None:
    served, http = serve(place, "compare", **{"overlap: 1, raters: 1": "overlap: 2, raters: 2"})
    ada, ben = Client(http, "ada"), Client(http, "ben")
    trial = ada.begin()["trials"][0]
    ben.begin()
    draft = {"assignment": trial["assignment"], "draft": {"answers": {}}}
    for reply in (
        ben.send("POST", "submit", sent(trial, vote())),
        ben.send("PUT", "draft", draft),
        ben.send("POST", "problem", {"assignment": trial["assignment"], "words": "x"}),
    ):
        assert reply.status_code == 403
        assert "not one of yours" in reply.json()["error"]["sentence"]
    assert ben.send("GET", f"past/{trial['assignment']}").status_code == 404
    ada.post("submit", sent(trial, vote()))
    assert ben.send("GET", f"past/{trial['assignment']}").status_code == 404
    assert [one.submission.rater for one in served.store.submissions()] == ["ada"]


def test_a_problem_goes_to_the_organizer_with_its_trial(place: Place) -> None:
    served, http = serve(place, "compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    name = trial["assignment"]
    client.post("problem", {"assignment": name, "words": "  Both answers are empty.  "})
    (event,) = served.store.events("problem")
    assert event.rater == "r1"
    assert event.trial == served.app.state.site.slot(name).trial
    assert event.detail == {"words": "Both answers are empty."}
    empty = client.send("POST", "problem", {"assignment": name, "words": " "})
    assert empty.status_code == 400
    assert client.get("next")["trials"][0]["assignment"] == name


def test_leaving_gives_back_what_was_not_begun(place: Place) -> None:
    served, http = serve(place, "compare")
    client = Client(http)
    stage = client.begin()
    begun = stage["trials"][0]["assignment"]
    assert served.store.progress(now=place.clock()).leased == 2
    client.post("leave", {"until": stage["until"], "keep": [begun]})
    assert served.store.progress(now=place.clock()).leased == 1
    again = client.get("next")
    assert [one["assignment"] for one in again["trials"]] == [
        one["assignment"] for one in stage["trials"]
    ]


@pytest.mark.parametrize("until", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_leaving_at_an_end_of_the_calendar_is_not_understood(until: str, place: Place) -> None:
    _, http = serve(place, "compare")
    client = Client(http)
    client.begin()
    assert client.send("POST", "leave", {"until": until, "keep": []}).status_code == 422


def test_a_tab_that_goes_away_takes_nothing_from_one_that_came_later(place: Place) -> None:
    served, http = serve(place, "compare")
    client = Client(http)
    old = client.begin()
    place.clock.time += timedelta(minutes=1)
    client.get("next")  # another tab, or the page loaded again
    client.post("leave", {"until": old["until"], "keep": []})
    assert served.store.progress(now=place.clock()).leased == 2


def test_never_more_than_two_trials_are_held(place: Place) -> None:
    served, http = serve(place, "compare")
    client = Client(http)
    client.begin()
    for _ in range(3):
        assert len(client.get("next")["trials"]) <= 2
        assert served.store.progress(now=place.clock()).leased <= 2
        answered(client, 1)


ALL_RULES = (
    "{gold_below: 0.7, attention_failed: 2, faster_than: 1.5, straight_line: 0.9, "
    "agreement_below: 0.1}"
)


def test_every_rule_that_costs_answers_is_said_on_the_first_page(place: Place) -> None:
    quality = f"{{gold: gold.csv, attention: gold.csv, exclude: {ALL_RULES}}}"
    _, http = serve(place, "compare", **{"{gold: gold.csv}": quality})
    page = http.get("/").text
    for rule in (
        "fewer than 70% right of the trials whose answer is known",
        "fail 2 of the trials that ask for a certain answer",
        "take you less than 1.5 seconds each",
        "more than 90% of your answers to one question are the same",
        "hardly agree with those of the others",
    ):
        assert rule in page
    _, http = serve(Place(place.folder / "more", "", place.stack), "rank")
    assert "left out of the results" not in http.get("/").text


def test_who_answered_once_and_vanished_gives_the_place_back_after_a_day(place: Place) -> None:
    groups = "raters: {by: language, groups: {en: 1, de: 2}}"
    survey = "survey: {language: {question: First language?, choices: [en, de]}}"
    _, http = serve(
        place, "compare", groups, survey, **{"overlap: 1, raters: 1": "overlap: 1, raters: 3"}
    )
    ada, ben = Client(http, "ada"), Client(http, "ben")
    for client in (ada, ben):
        client.get("next")
        stage = client.post("survey", {"answers": {"language": "en"}})
    assert stage["stage"] == "group-full"
    trial = ada.post("guide")["trials"][0]
    ada.post("submit", sent(trial, vote()))
    place.clock.time += timedelta(hours=23)
    assert ben.get("next")["stage"] == "group-full"
    place.clock.time += timedelta(hours=2)
    assert ben.get("next")["stage"] == "guide"
    assert ada.get("next")["stage"] == "group-full"


def look(client: Client, name: str) -> Any:
    return client.send("GET", f"past/{name}")


def test_earlier_answers_come_back_as_they_were_given(place: Place) -> None:
    _, http = serve(place, "compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    assert client.get("next")["past"] == []
    given = vote("second", reason="It is shorter.")
    client.post("submit", sent(trial, given, comment="Fine."))
    stage = client.get("next")
    assert stage["past"] == [{"assignment": trial["assignment"], "position": 0}]
    past = look(client, trial["assignment"]).raise_for_status().json()
    assert past["answers"] == given
    assert (past["comment"], past["position"]) == ("Fine.", 0)
    assert past["html"] == trial["html"]
    assert past["bar"]["words"] == "Trial 1 of 4"
    body = sent(trial, vote("tie"), id="a-second-thought")
    client.post("submit", body)
    assert look(client, trial["assignment"]).json()["answers"] == vote("tie")


@pytest.mark.parametrize("back", [True, False])
def test_a_study_may_keep_past_answers_closed(place: Place, back: bool) -> None:
    change = {"{break_every: 0.0001}": f"{{break_every: 0.0001, back: {str(back).lower()}}}"}
    _, http = serve(place, "compare", **change)
    client = Client(http)
    client.begin()
    (name,) = answered(client, 1)
    assert bool(client.get("next")["past"]) is back
    assert look(client, name).status_code == (200 if back else 404)


def test_the_first_answer_stays_closed_once_its_trial_comes_again(place: Place) -> None:
    served, http = serve(place, "compare", **{"seed: 7": "seed: 7, repeats: 0.34"})
    client = Client(http)
    client.begin()
    site = served.app.state.site
    seen: dict[str, str] = {}
    while (stage := client.get("next"))["stage"] == "trial":
        dealt = [site.slot(one["assignment"]) for one in stage["trials"]]
        open_now = {one["assignment"] for one in stage["past"]}
        for slot in dealt:
            if slot.repeat:
                assert seen[slot.trial] not in open_now
                assert look(client, seen[slot.trial]).status_code == 404
        trial = stage["trials"][0]
        seen.setdefault(site.slot(trial["assignment"]).trial, trial["assignment"])
        client.post("submit", sent(trial, vote()))
    assert any(slot.repeat for slot in site.plan.slots)
