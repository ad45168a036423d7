"""What the organizer's pages say: numbers that can be read, and no offer of what is not there."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from jurybox.design.answers import Answer
from jurybox.results import Interval, Result
from jurybox.store import Submission
from jurybox.study.model import RaterId
from jurybox.web.organizer.charts import draw_hours, draw_intervals
from jurybox.web.organizer.pace import by_hour
from tests.web.filling import real_offers, trouble
from tests.web.office import START, Office, Offices


def finding(system: str, estimate: float, low: float | None, high: float | None) -> Any:
    ends = None
    if low is not None and high is not None:
        ends = Interval(low=low, high=high, confidence=0.95, method="t")
    result = Result(
        estimate=estimate, interval=ends, undefined=None, n_items=4, n_raters=2, n_responses=8
    )
    return SimpleNamespace(systems=(system,), result=result)


def test_one_chart_writes_its_numbers_in_one_way() -> None:
    drawn = draw_intervals(
        [
            finding("a", 5.0, None, None),  # without an interval: three digits, on its own
            finding("b", 3.5, 0.3, 6.7),
            finding("c", 1.2, -1.1, 3.6),
        ]
    )
    assert drawn is not None
    assert [dot.text for dot in drawn.dots] == ["5.0", "3.5", "1.2"]
    assert (drawn.low, drawn.high) == ("−1.1", "6.7")


def test_the_numbers_beside_the_hours_have_room() -> None:
    few, many = (draw_hours(by_hour([(START, n)], now=START)) for n in (3, 3900))
    assert (few.top, many.top) == (4, 4000)
    assert few.margin < many.margin


def test_the_highest_hour_fills_more_than_half_of_its_chart() -> None:
    for most in range(3, 2000):
        drawn = draw_hours(by_hour([(START, most)], now=START))
        assert drawn.top % 2 == 0
        assert 0.6 < most / drawn.top <= 1, most


def test_only_tables_with_rows_are_offered(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    offered = re.findall(r'data-save="export/(\w+)"', office.html("export"))
    assert offered == ["ratings", "checks", "submissions"]
    assert "so far: votes, rankings, detections, spans." in office.text("export")
    empty = offices.open("rank")
    offered = re.findall(r'data-save="export/(\w+)"', empty.html("export"))
    assert offered == ["checks", "submissions"]


def test_a_trial_is_named_by_what_tells_it_from_others(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    trouble(office.served, now=office.clock())
    (event,) = office.store.events("problem")
    badges = re.findall(r'class="badge">([^<]+)<', office.html(f"trials/{event.trial}"))
    assert badges[0] == "Item q1"
    assert re.fullmatch(r"System \d", badges[1])  # one output has no letter
    assert badges[2] == "calibration round"
    pair = offices.open("compare")
    trial = next(one for one in pair.served.app.state.site.plan.trials if one.kind == "main")
    badges = re.findall(r'class="badge">([^<]+)<', pair.html(f"trials/{trial.id}"))
    assert badges[1:] == ["A = System 1", "B = System 2"]


def test_a_withdrawal_is_said_once(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    office.store.update_rater(RaterId("rater-01"), withdrawn_at=START, now=START)
    text = office.text("raters?rater=rater-01")
    assert "left out: withdrawn" not in text
    assert "of 0 gold trials" not in text


def test_paused_raters_are_a_click_away_and_paused_once(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    rater = RaterId("rater-04")
    office.store.update_rater(rater, finished_at=None, now=START)
    office.store.update_rater(RaterId("rater-01"), paused=True, now=START)  # has finished
    assert office.post("raters", rater=rater, action="pause").status_code == 200
    again = office.post("raters", rater=rater, action="pause")
    assert (again.status_code, "is paused already" in again.text) == (400, True)
    assert 'href="#/raters?state=paused">1 rater paused' in office.html("progress")
    assert re.findall(r"rater=(rater-\d+)", office.html("raters?state=paused")) == [rater]
    assert office.post("raters", rater=rater, action="resume").status_code == 200
    again = office.post("raters", rater=rater, action="resume")
    assert (again.status_code, "is not paused any more" in again.text) == (400, True)
    kinds = [event.kind for event in office.store.events(rater=rater)]
    assert kinds == ["rater paused", "rater resumed"]


def test_a_study_that_nobody_works_on_says_so(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    office.clock.time += timedelta(hours=1)  # every lease is over
    done = office.store.progress()
    said = f"Nobody is rating now, and {done.planned - done.answered} answers are missing."
    assert said in office.text("progress")


def test_a_study_without_gold_has_no_figures_of_it(offices: Offices) -> None:
    with_gold, without = offices.open("panel", filled=True), offices.open("rank")
    answered(without, [{"criterion": "fit", "ranks": [3, 1, 3, 2]}])
    assert "Gold right" in with_gold.text("raters")
    assert "Gold right" not in without.text("raters")
    assert "gold" not in without.text("raters?rater=Ada").lower()


def test_an_id_that_nobody_can_have_is_not_repeated(offices: Offices) -> None:
    office = offices.open("compare")
    refused = office.get(f"raters?rater={'x' * 20_000}")
    assert refused.status_code == 422
    assert len(refused.content) < 1_000


def test_empty_pages_say_what_comes_next(offices: Offices) -> None:
    office = offices.open("panel")
    assert "Send raters the link that the server printed" in office.text("raters")
    assert "once two raters have answered the same trial" in office.text("calibration")
    trial = office.served.app.state.site.plan.trials[0].id
    assert "nobody has sent this trial" in office.text(f"trials/{trial}")
    assert "stay listed here" in office.text("invitations")


def answered(office: Office, answers: list[dict[str, Any]]) -> str:
    """The page of the first trial, after somebody has answered it."""
    token = office.http.post("/api/enroll", json={"rater": "Ada"}).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    trial = office.http.post("/api/guide", json={}, headers=headers).json()["trials"][0]
    body = {name: trial[name] for name in ("assignment", "version", "position")}
    sent = office.http.post(
        "/api/submit", json={"id": "the-one-answer", **body, "answers": answers}, headers=headers
    )
    assert sent.status_code == 200, sent.text
    (one,) = office.store.submissions()
    return office.text(f"trials/{one.submission.trial}")


def test_a_ranking_is_told_from_best_to_worst(offices: Offices) -> None:
    office = offices.open("rank")
    told = answered(office, [{"criterion": "fit", "ranks": [3, 1, 3, 2]}])
    shown = re.search(r"Shown as: (.), (.), (.), (.)", told)
    assert shown, told
    first, best, third, second = shown.groups()
    last = " = ".join(sorted((first, third)))
    assert f"Fit : {best}, then {second}, then {last} Shown as" in told


def test_trials_with_a_problem_say_what_it_is(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    trial = next(one for one in office.served.app.state.site.plan.trials if one.kind == "main").id
    for words in ("It is black.", "Never mind: " + "I saw it later. " * 20):
        office.store.event("problem", trial=trial, detail={"words": words}, now=START)
    listed = office.text("trials?state=problem")
    assert f"{trial} 2 problems" in listed
    assert "Never mind: I saw it later." in listed
    assert "later.… It is black." in listed  # the latest first, and not all of a long one
    assert "It is black." not in office.text("trials")


def test_of_a_choice_of_the_best_nothing_is_told_about_the_others(offices: Offices) -> None:
    office = offices.open("best")
    told = answered(office, [{"criterion": "best", "ranks": [2, 1, 2]}])
    shown = re.search(r"Shown as: ., (.), .", told)
    assert shown, told
    assert f"Best : {shown[1]} is the best Shown as" in told


def test_marked_words_are_told_as_they_stand_in_the_text(offices: Offices) -> None:
    office = offices.open("mark")
    site = office.served.app.state.site
    mark = {"start": 4, "end": 11, "category": "accuracy", "severity": "major"}
    marked = {"criterion": "errors", "place": 0, "spans": [mark]}
    told = answered(office, [marked, {"criterion": "overall", "place": 0, "score": 40}])
    (one,) = office.store.submissions()
    trial = site.trial(one.submission.trial)
    (text,) = site.texts(trial, (0,)).values()
    assert f"Errors : “{text[4:11]}”, Accuracy, Major" in told


def test_a_rater_is_looked_at_with_what_they_answered(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    page = office.text("raters?rater=rater-02")  # who gives one answer to everything
    assert page.count("Correct : 3 Clear : 3 answered") == 9 + 2  # and the gold trials
    assert page.count("answered calibration") == 6
    assert page.count("gold: wrong") == 2
    assert "Comment" not in page  # nobody made one
    trouble(office.served, now=START)
    page = office.text("raters?rater=rater-01")
    assert "superseded" in page
    assert "Comment" in page
    assert page.count("gold: right") == 2


def test_a_trial_that_no_plan_has_any_more_is_told_without_its_answers(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    site = office.served.app.state.site
    gone = office.store.submissions(rater=RaterId("rater-02"), limit=1)[0].submission.trial
    kept = tuple(one for one in site.plan.trials if one.id != gone)
    site.plan = replace(site.plan, trials=kept)
    page = office.text("raters?rater=rater-02")
    assert f"{gone} – answered" in page


def test_a_single_gold_trial_gives_no_share(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    site = office.served.app.state.site
    numbers = {"raters": {"gold": None, "gold_trials": 1}}
    found = SimpleNamespace(excluded=(), numbers=lambda rater: numbers, looked_for="")
    site.offers = replace(site.offers, raters=lambda: found)
    assert "– gold right: one trial gives no share" in office.text("raters?rater=rater-01")
    assert "of 1 gold trial right" not in office.text("raters?rater=rater-01")


def test_a_practice_trial_is_named_once(offices: Offices) -> None:
    office = offices.open("rate")
    office.store.enroll(RaterId("r1"), now=START)
    told = next(one for one in office.served.app.state.site.plan.trials if one.kind == "practice")
    criterion = next(iter(office.served.study.criteria))
    answer = Answer(criterion=criterion, system=told.systems[0], score=1.0)
    sent = Submission(
        id="p", rater=RaterId("r1"), trial=told.id, round="practice", study_version=1,
        at=START, order=(0,), correct=True, answers=(answer,),
    )  # fmt: skip
    office.store.submit(sent, now=START)
    page = office.text("raters?rater=r1")
    assert "practice: right" in page
    assert "practice: right practice" not in page


def test_an_item_is_told_by_its_words_too(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    assert "q1 Why is the sky blue?" in office.text("trials")
    assert "q1 Why is the sky blue?" in office.text("progress")


def test_what_nobody_did_has_no_column(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    assert "Skipped" not in office.html("trials").split("<thead>")[1]


def test_results_show_every_criterion(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    office.served.app.state.site.offers = real_offers(office.served)
    shown = re.findall(r"<figcaption>(\w+) · (\w+),", office.html("results"))
    assert shown == [("Mean", "Correct"), ("Mean", "Clear")]
