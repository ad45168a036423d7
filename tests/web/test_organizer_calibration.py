"""The calibration round on the organizer's pages: where raters differ, and the way on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from jurybox.cli.ready import ready_study
from jurybox.cli.serve import make_app
from jurybox.store import Store, Submission
from jurybox.study.model import RaterId
from tests.web.filling import answer_round
from tests.web.office import START, Offices
from tests.web.serving import Served
from tests.web.studies import write_study
from tests.web.test_api import Client, sent


def rate(served: Served, rater: str, trial: Any, *scores: int) -> None:
    from jurybox.design.answers import Answer

    answers = tuple(
        Answer(criterion=name, system=trial.systems[0], score=float(score))
        for name, score in zip(("correct", "clear"), scores, strict=True)
    )
    sent = Submission(
        id=f"{rater}/{trial.id}", rater=RaterId(rater), trial=trial.id, round="calibration",
        study_version=1, at=START, answers=answers, order=(0,),
    )  # fmt: skip
    served.store.submit(sent, now=START)


def test_nobody_disagrees_only_where_two_have_answered_the_same_trial(offices: Offices) -> None:
    office = offices.open("panel")
    plan = office.served.store.load_plan("calibration")
    assert plan is not None
    for rater in ("ada", "ben"):
        office.served.store.enroll(RaterId(rater), now=START)
    rate(office.served, "ada", plan.trials[0], 3, 3)
    assert "once two raters have answered the same trial" in office.text("calibration")
    rate(office.served, "ben", plan.trials[0], 3, 3)
    assert "nobody disagrees so far" in office.text("calibration")


def test_the_widest_disagreement_comes_first(offices: Offices) -> None:
    office = offices.open("panel")
    served = office.served
    plan = served.store.load_plan("calibration")
    assert plan is not None
    for rater in ("ada", "ben", "cem"):
        served.store.enroll(RaterId(rater), now=START)
    one, two, three = plan.trials[:3]
    for rater, scores in {"ada": (5, 3), "ben": (1, 3), "cem": (5, 3)}.items():
        rate(served, rater, one, *scores)  # correct: 4 of 4 apart; clear: the same
    for rater, scores in {"ada": (2, 2), "ben": (3, 4), "cem": (2, 2)}.items():
        rate(served, rater, two, *scores)  # correct: 1 of 4; clear: 2 of 4
    rate(served, "ada", three, 1, 1)  # alone
    text = office.html("calibration")
    talks = [
        (re.findall(r'data-look="trials/(\w+)"', talk), re.findall(r"<h4>(\w+) · ", talk))
        for talk in text.split("<article")[1:]
    ]
    assert talks == [([one.id], ["Correct"]), ([two.id], ["Clear", "Correct"])]


def test_raters_calibrate_first_and_wait_for_the_main_round(offices: Offices) -> None:
    office = offices.open("panel")
    site = office.served.app.state.site
    client = Client(office.http)
    stage = client.begin()
    given = [{"criterion": name, "score": 3, "place": 0} for name in ("correct", "clear")]
    shown = 0
    while stage["stage"] == "trial":
        trial = stage["trials"][0]
        assert trial["bar"]["total"] == 6  # 2 items × 3 systems
        client.post("submit", sent(trial, given))
        shown += 1
        stage = client.get("next")
    assert (stage["stage"], shown) == ("calibrated", 6)
    rounds = {one.submission.round for one in office.store.submissions()}
    assert rounds == {"calibration"}
    assert office.store.progress().answered == 0
    rater = office.store.rater(RaterId("r1"))
    assert rater is not None
    assert rater.finished_at is None
    assert client.get("next")["stage"] == "calibrated"
    assert office.post("calibration/open", by="Grace").status_code == 200
    stage = client.get("next")
    assert stage["stage"] == "trial"
    slot = site.slot(stage["trials"][0]["assignment"])
    assert site.trial(slot.trial).round == "main"
    assert stage["trials"][0]["bar"]["words"] == "Trial 1 of 11"  # 9 and the gold trials


def test_serving_plans_the_calibration_unless_the_main_round_has_begun(tmp_path: Path) -> None:
    folder = write_study("panel", tmp_path)
    with Store.open(folder / "study.db") as store:
        ready = ready_study(folder, store, now=START)
        served = Served(study=ready.study, material=ready.material, store=store, app=FastAPI())
        answer_round(served, "main", ("careful",), START)
        make_app(folder, store)
        assert store.load_plan("calibration") is None
    (folder / "study.db").unlink()
    with Store.open(folder / "study.db") as store:
        for _ in range(2):
            make_app(folder, store)
        assert store.load_plan("calibration") is not None


def test_who_stops_after_the_calibration_has_not_done_all(offices: Offices) -> None:
    code = ("protocol:", "access: {code: WHOLE, partial_code: PART}\nprotocol:")
    office = offices.open("panel", change=code)
    client = Client(office.http)
    stage = client.begin()
    given = [{"criterion": name, "score": 3, "place": 0} for name in ("correct", "clear")]
    while stage["stage"] == "trial":
        client.post("submit", sent(stage["trials"][0], given))
        stage = client.get("next")
    html = client.post("stop")["html"]
    assert "PART" in html
    assert "WHOLE" not in html
    answers = len(office.served.store.submissions())
    assert office.post("calibration/open", by="Grace").status_code == 200
    assert f"Your {answers} answers are kept" in client.get("next")["html"]


def test_the_main_round_is_opened_once_and_by_name(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    assert "Main round closed" in office.text("calibration")
    assert office.post("calibration/open", by=" ").status_code == 400
    assert office.post("calibration/open", by="Grace").status_code == 200
    assert office.post("calibration/open", by="Ada").status_code == 200
    (event,) = office.store.events("main round opened")
    assert event.detail["by"] == "Grace"
    assert set(event.detail["agreement"]) == {"correct", "clear"}
    assert "since 2030-01-01 12:00 UTC, by Grace" in office.text("calibration")


def test_a_gate_that_blocks_keeps_the_main_round_closed(offices: Offices) -> None:
    block = ("target: 0.6}", "target: 0.99, gate: block}")
    office = offices.open("panel", filled=True, change=block)
    refused = office.post("calibration/open", by="Grace")
    assert refused.status_code == 400
    assert "until agreement reaches 0.99, and it does not on correct, clear" in refused.text
    assert office.store.events("main round opened") == ()


def test_a_study_without_calibration_says_how_to_ask_for_one(offices: Offices) -> None:
    office = offices.open("compare")
    assert "quality: {calibration: {items: 30}}" in office.text("calibration")
    assert office.post("calibration/open", by="Grace").status_code == 400
