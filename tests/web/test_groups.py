"""Rater groups at the door, on both databases: who gets in, and who is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from fastapi.testclient import TestClient

from jurybox.errors import SpecError
from jurybox.store import Rater
from jurybox.study import load_study
from jurybox.study.intake import Intake
from jurybox.study.listed import listed_raters
from jurybox.study.model import RaterId
from tests.web.serving import ADMIN, Served, open_study
from tests.web.studies import write_study
from tests.web.test_api import Client, Clock, sent, vote

HEADERS = {"Authorization": f"Bearer {ADMIN}"}
LANGUAGE = "survey: {language: {question: Yours?, choices: [en, de, other]}}"
PROLIFIC = "access: {prolific: {completed: C1, screened_out: C2}}"


class Place:
    """Serves the small study with groups of its own."""

    def __init__(self, folder: Path, database: str, stack: ExitStack) -> None:
        self.folder, self.database, self.stack = folder, database, stack
        self.clock = Clock()

    def write(self, *lines: str, design: str = "{overlap: 1, seed: 7}") -> Path:
        write_study("compare", self.folder)
        path = self.folder / "study.yaml"
        text = path.read_text(encoding="utf-8")
        text = text.replace("{overlap: 1, raters: 1, seed: 7}", design)
        path.write_text("\n".join([text, *lines]), encoding="utf-8")
        return self.folder

    def serve(self, *lines: str, **design: str) -> tuple[Served, TestClient]:
        folder = self.write(*lines, **design)
        made = open_study(folder, database=self.database, clock=self.clock)
        served = self.stack.enter_context(made)
        return served, self.stack.enter_context(TestClient(served.app))


@pytest.fixture
def place(tmp_path: Path, database_url: str) -> Iterator[Place]:
    with ExitStack() as stack:
        yield Place(tmp_path, database_url, stack)


def rater(served: Served, name: str) -> Rater:
    found = served.store.rater(RaterId(name))
    assert found is not None
    return found


def answer_language(client: Client, language: str) -> Any:
    return client.post("survey", {"answers": {"language": language}})


def test_a_survey_answer_is_the_group_and_a_full_one_says_so(place: Place) -> None:
    raters = "raters: {by: language, groups: {en: 1, de: 2}}"
    served, http = place.serve(LANGUAGE, raters, PROLIFIC, design="{overlap: 1, raters: 3}")
    ada, ben, cy, dan = (Client(http, query_id, PROLIFIC_PID=query_id) for query_id in "abcd")
    assert ada.get("next")["stage"] == "survey"  # nobody is refused before the group is known
    assert answer_language(ada, "en")["stage"] == "guide"
    full = answer_language(ben, "en")
    assert full["stage"] == "group-full"
    assert "every place in yours is taken" in full["html"]
    assert "C2" in full["html"]  # Prolific's code for a rater who is screened out
    assert answer_language(cy, "de")["stage"] == "guide"
    unwanted = answer_language(dan, "other")
    assert unwanted["stage"] == "group-full"
    assert "looking for people whose answers differ" in unwanted["html"]
    assert "C2" in unwanted["html"]
    assert [rater(served, one).group for one in "abcd"] == ["en", None, "de", None]
    for client, refused in ((ben, "de"), (dan, "en")):  # a second answer opens no other door
        assert answer_language(client, refused)["stage"] == "group-full"
    assert client.get("next")["stage"] == "group-full"


def test_a_place_that_is_left_is_given_to_the_next(place: Place) -> None:
    _, http = place.serve(LANGUAGE, "raters: {by: language, groups: {en: 1, de: 2}}")
    ada, ben = Client(http, "ada"), Client(http, "ben")
    answer_language(ada, "en")
    full = answer_language(ben, "en")
    assert "come back later" in full["html"]
    ada.post("stop")
    assert ben.get("next")["stage"] == "guide"


def test_who_falls_silent_before_the_first_answer_leaves_the_place(place: Place) -> None:
    served, http = place.serve(
        LANGUAGE, "raters: {by: language, groups: {en: 1, de: 2}}", design="{overlap: 1, raters: 3}"
    )
    ada, ben = Client(http, "ada"), Client(http, "ben")
    answer_language(ada, "en")
    answer_language(ben, "en")
    place.clock.time += timedelta(minutes=31)
    assert ben.get("next")["stage"] == "guide"
    assert ada.get("next")["stage"] == "group-full"
    trial = ben.begin()["trials"][0]
    ben.post("submit", sent(trial, vote()))
    place.clock.time += timedelta(hours=5)
    assert ada.get("next")["stage"] == "group-full"  # ben has answered, and may come back
    assert served.store.places(lease=timedelta(minutes=30), now=place.clock()) == {"en": 1}


def test_who_lost_the_place_does_not_get_it_back_by_what_arrives_late(place: Place) -> None:
    """Ada's answers and drafts come in after her place went to Ben: two people, one place."""
    raters = "raters: {by: language, groups: {en: 1, de: 3}}"
    served, http = place.serve(LANGUAGE, raters, design="{overlap: 1, raters: 3}")
    ada, ben = Client(http, "ada"), Client(http, "ben")
    answer_language(ada, "en")
    answer_language(ben, "en")
    shown = ada.post("guide")["trials"]
    place.clock.time += timedelta(minutes=31)
    answer_language(ben, "en")
    ben.post("guide")
    draft = {"assignment": shown[0]["assignment"], "draft": {"answers": {}}}
    ada.send("PUT", "draft", draft).raise_for_status()
    for trial in shown:
        # Ben has taken over her booklet; where a slot is free all the same, it stays so.
        assert ada.post("submit", sent(trial, vote()))["status"] == "late"
    assert served.store.places(lease=timedelta(minutes=30), now=place.clock()) == {"en": 1}
    assert ada.get("next")["stage"] == "group-full"
    assert served.store.table("votes")["rater"] == []
    assert ada.post("submit", sent(shown[0], vote()))["duplicate"]
    ben.post("stop")  # a place is free again, and hers when she comes back
    assert ada.get("next")["stage"] != "group-full"


def test_what_a_rater_answered_before_stopping_counts_when_it_arrives_after(place: Place) -> None:
    raters = "raters: {by: language, groups: {en: 1, de: 3}}"
    served, http = place.serve(LANGUAGE, raters, design="{overlap: 2, raters: 2}")
    ada, ben = Client(http, "ada"), Client(http, "ben")
    answer_language(ada, "en")
    first, second = ada.post("guide")["trials"]
    ada.post("submit", sent(first, vote()))
    ada.post("stop")
    assert answer_language(ben, "en")["stage"] == "guide"  # her place is his now
    assert ada.post("submit", sent(second, vote()))["status"] == "answered"
    assert served.store.places(lease=timedelta(minutes=30), now=place.clock()) == {"en": 1}


def test_each_group_gets_booklets_of_its_own(place: Place) -> None:
    served, http = place.serve(
        "access: {listed: {expert: [ada], crowd: [ben, cy]}, resume: id}",
        "raters: {groups: {expert: 1, crowd: {quota: 3, overlap: 1}}, each: true}",
    )
    clients = {name: Client(http, name) for name in ("ada", "ben", "cy")}
    shown = {}
    for name, client in clients.items():
        stage = client.begin()
        shown[name] = stage["trials"][0]["bar"]["words"]
        while (stage := client.get("next"))["stage"] == "trial":
            client.post("submit", sent(stage["trials"][0], vote()))
    # 3 comparisons and a gold trial for the one expert, 1 and the gold trial for each of three.
    assert shown == {"ada": "Trial 1 of 4", "ben": "Trial 1 of 2", "cy": "Trial 1 of 2"}
    votes = served.store.table("votes")
    by_group = dict.fromkeys(votes["group"], 0)
    for group in votes["group"]:
        by_group[group] += 1
    assert by_group == {"expert": 3, "crowd": 2}
    html = http.get("/api/organizer/progress", headers=HEADERS).json()["html"]
    cells = re.sub(r"<[^>]+>", " ", html)
    assert re.search(r"expert\s+1 / 1\s+1\s+3 / 3", cells)
    assert re.search(r"crowd\s+2 / 3\s+2\s+2 / 3", cells)
    table = http.get("/api/organizer/raters", headers=HEADERS).json()["html"]
    assert re.search(r"ada\s+expert\s+finished", re.sub(r"<[^>]+>", " ", table))


def test_a_group_is_done_when_its_trials_are_answered_however_often_some_come_again(
    place: Place,
) -> None:
    served, http = place.serve(
        "access: {listed: {expert: [ada, abe], crowd: [ben]}, resume: id}",
        "raters: {groups: {expert: 1, crowd: 1}, each: true}",
        design="{overlap: 1, seed: 7, repeats: 0.34}",
    )
    # Both get 3 comparisons, one of them twice, and a gold trial.
    assert "<b>5</b> trials" in http.get("/").text
    ada = Client(http, "ada")
    ada.begin()
    while (stage := ada.get("next"))["stage"] == "trial":
        ada.post("submit", sent(stage["trials"][0], vote()))
    assert len(served.store.submissions(rater=RaterId("ada"))) == 5
    Client(http, "abe").get("next")
    html = http.get("/api/organizer/progress", headers=HEADERS).json()["html"]
    cells = re.sub(r"<[^>]+>", " ", html)
    assert re.search(r"expert\s+1 / 1\s+1\s+3 / 3", cells)
    table = http.get("/api/organizer/raters", headers=HEADERS).json()["html"]
    assert re.search(r"abe\s+–\s+no place yet", re.sub(r"<[^>]+>", " ", table))
    ada.post("withdraw")  # what she answered is to be collected anew
    html = http.get("/api/organizer/progress", headers=HEADERS).json()["html"]
    assert re.search(r"expert\s+0 / 1\s+1\s+0 / 3", re.sub(r"<[^>]+>", " ", html))


def test_a_table_of_raters_gives_their_groups(place: Place) -> None:
    place.write()
    (place.folder / "raters.csv").write_text("rater,group\nada,expert\nben,crowd\n")
    served, http = place.serve(
        "access: {listed: raters.csv}", "raters: {groups: [expert, crowd], each: true}"
    )
    for name in ("ada", "ben"):
        assert Client(http, name).get("next")["stage"] == "guide"
    assert [rater(served, name).group for name in ("ada", "ben")] == ["expert", "crowd"]
    assert http.post("/api/enroll", json={"rater": "zoe"}).status_code == 403


def test_an_invitation_tells_the_group_without_its_name(place: Place) -> None:
    groups = "raters: {groups: {expert: 1, crowd: 2}, each: true}"
    served, http = place.serve("access: {invited: true}", groups)
    form = http.get("/api/organizer/invitations", headers=HEADERS).json()["html"]
    assert re.findall(r"<option>(\w+)</option>", form) == ["expert", "crowd"]

    def invite(group: str | None, name: str) -> str:
        body = {"raters": [name], "group": group}
        drawn = http.post("/api/organizer/invitations", json=body, headers=HEADERS)
        (link,) = re.findall(r"<code>(.*?)</code>", drawn.raise_for_status().json()["html"])
        assert "expert" not in link
        return parse_qs(unescape(link).partition("#")[2])["invite"][0]

    expert, crowd = invite("expert", "ada"), invite("crowd", "ada")
    assert expert != crowd
    client = Client(http, "ada", invite=expert)
    assert client.get("next")["stage"] == "guide"
    Client(http, "ada", invite=crowd)  # lets her in again, in the group she has
    assert rater(served, "ada").group == "expert"
    missing = http.post("/api/organizer/invitations", json={"raters": ["b"]}, headers=HEADERS)
    assert "Choose the group that you invite for: expert, crowd." in missing.text
    # The token's own beginning proves the id and no group; a made-up seal proves nothing.
    for wrong in (expert[:20], expert[:20] + "0" * 12):
        body = {"rater": "ada", "query": {"invite": wrong}}
        refused = http.post("/api/enroll", json=body)
        assert refused.status_code == 403
        assert "is for no group of raters" in refused.text


def test_never_more_are_let_in_than_the_quota_when_many_come_at_once(place: Place) -> None:
    raters = "raters: {by: language, groups: {en: 3, de: 2}}"
    served, http = place.serve(LANGUAGE, raters, design="{overlap: 2, raters: 4}")

    def come(number: int) -> str:
        client = Client(http, f"r{number}")
        return str(answer_language(client, "en" if number % 2 else "de")["stage"])

    with ThreadPoolExecutor(12) as pool:
        stages = list(pool.map(come, range(24)))
    taken = served.store.places(lease=timedelta(minutes=30), now=place.clock())
    assert taken == {"en": 3, "de": 2}
    assert stages.count("group-full") == 24 - 5
    inside = [one for one in served.store.raters() if one.group is not None]
    assert len(inside) == 5


def test_a_list_that_breaks_while_raters_come_tells_them_no_group(place: Place) -> None:
    place.write()
    path = place.folder / "raters.csv"
    path.write_text("rater,group\nada,expert\n")
    _, http = place.serve("access: {listed: raters.csv}", "raters: {groups: [expert, crowd]}")
    path.write_text("rater,group\nada,expert\nzoe,novice\n")
    refused = http.post("/api/enroll", json={"rater": "ada"})
    assert refused.status_code == 503
    assert "cannot be read at the moment" in refused.text
    assert not any(word in refused.text for word in ("expert", "crowd", "novice", "raters.csv"))


WRONG = [
    (
        "id,group\nada,expert\n",
        "raters.csv: lacks the column `rater`; its columns are id and group",
    ),
    ("rater,group\nada,exprt\n", "raters.csv:2: `exprt` is no group; there are expert and crowd; "),
    ("rater,group\nada,expert\nada,crowd\n", "raters.csv:3: Rater `ada` stands here again."),
    ("rater,group\n,expert\n", "raters.csv:2: The row has no rater."),
]


@pytest.mark.parametrize(("content", "sentence"), WRONG)
def test_a_wrong_list_is_found_by_check(tmp_path: Path, content: str, sentence: str) -> None:
    place = Place(tmp_path, "", ExitStack())
    place.write("access: {listed: raters.csv}", "raters: {groups: [expert, crowd]}")
    (tmp_path / "raters.csv").write_text(content)
    intake = Intake(load_study(tmp_path), tmp_path)
    intake.read()
    problems = intake.problems
    assert [str(one).startswith(sentence) for one in problems] == [True], problems
    with pytest.raises(SpecError, match=r"raters\.csv"):
        listed_raters(load_study(tmp_path), tmp_path)
