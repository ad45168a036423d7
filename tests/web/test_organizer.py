"""The organizer's pages over HTTP: what they say and keep, and what they do not give away."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from html import unescape
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jurybox.analysis import analyze
from jurybox.design.hidden import hide_systems
from jurybox.simulate.judges import SimulatedJudge, run_judges
from jurybox.store import Store
from jurybox.study.model import RaterId
from jurybox.web.names import give_names, hidden_names, make_names
from jurybox.web.organizer.results import FALSE_ALARMS, false_alarms
from jurybox.web.site import Seals
from tests.web.filling import KINDS, TRUTH, answer_round, fill, real_offers, trouble
from tests.web.office import START, Office, Offices
from tests.web.studies import SECRETS
from tests.web.test_api import Client, sent, vote

# Refreshing


def test_what_has_not_changed_is_not_counted_again(
    offices: Offices, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = offices.open("panel", filled=True)
    counted = []
    progress = Store.progress

    def counting(*args: Any, **more: Any) -> Any:
        counted.append(1)
        return progress(*args, **more)

    monkeypatch.setattr(Store, "progress", counting)
    for part in ("progress", "raters", "trials", "invitations", "calibration", "export"):
        first = office.get(part)
        assert first.status_code == 200, part
        before = len(counted)
        again = office.get(part, **{"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b""), part
        assert again.headers["ETag"] == first.headers["ETag"]
        assert len(counted) == before, part
    office.store.event("anything", now=START)
    changed = office.get("export", **{"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200
    office.clock.time += timedelta(minutes=1)  # leases run out and hours pass by themselves
    later = office.get("export", **{"If-None-Match": changed.headers["ETag"]})
    assert later.status_code == 200


def test_two_parts_never_share_a_mark(offices: Offices) -> None:
    office = offices.open("panel")
    parts = ("progress", "raters", "trials", "trials?q=sky", "trials?state=open")
    marks = [office.get(part).headers["ETag"] for part in parts]
    assert len(set(marks)) == len(marks)


# Names


def test_numbers_for_systems_are_drawn_and_any_order_can_come() -> None:
    for n in range(2, 13):
        systems = [f"s{k:02}" for k in range(n)]
        for secret in (b"one", b"two", b"three", b"four", b"five"):
            names = make_names(systems, Seals(secret=secret), {})
            assert names == make_names(systems[::-1], Seals(secret=secret), {})
            assert sorted(names) == systems
            assert list(names.values()) == sorted(names.values())
    assert make_names(["alone"], Seals(secret=b"x"), {}) == {"alone": "System 1"}
    # If two systems never came in their own order, they would always come in the other one.
    drawn = [make_names(["a", "b"], Seals(secret=b"%d" % n), {}) for n in range(200)]
    assert 70 < sum(list(names) == ["a", "b"] for names in drawn) < 130


def test_a_system_keeps_its_number_when_others_come_and_go(offices: Offices) -> None:
    office = offices.open("panel")
    site = office.served.app.state.site
    seen = dict(site.names)
    assert set(seen.values()) == {"System 1", "System 2", "System 3"}
    for systems in (("m",), ("a", "m", "z"), ("a", "z"), tuple("abcdefghijklm"), ("m", "n")):
        names = give_names(office.store, systems, site.seals)
        assert set(systems) <= set(names)
        assert seen.items() <= names.items()
        assert len(set(names.values())) == len(names)
        seen = dict(names)
    assert seen["m"] == "System 4"
    assert seen["n"] == "System 18"


def everything(office: Office) -> Iterator[tuple[str, str]]:
    """Everything that the organizer can open."""
    trials = [trial.id for trial in office.served.app.state.site.plan.trials]
    people = [f"raters?rater={rater.id}" for rater in office.store.raters()]
    for part in ("progress", "raters", "trials", "calibration", "results", "invitations"):
        yield part, office.html(part)
    for part in (*people, *(f"trials/{id}" for id in trials)):
        yield part, office.html(part)
    for shape in ("ratings", "votes", "checks", "submissions"):
        yield shape, office.get(f"export/{shape}").text
    archive = zipfile.ZipFile(io.BytesIO(office.get("export.zip").content))
    for name in archive.namelist():
        yield name, archive.read(name).decode()
    yield "payments", office.get("payments.csv").text
    link = office.post("report").json()["url"]
    yield "report", office.http.get(f"/{link}").raise_for_status().text


@pytest.mark.parametrize("study", ["panel", "compare"])
def test_no_page_table_or_report_names_a_system_before_unblinding(
    offices: Offices, study: str
) -> None:
    office = offices.open(study, filled=study == "panel")
    if study == "compare":
        client = Client(office.http)
        client.begin()
        while (stage := client.get("next"))["stage"] == "trial":
            client.post("submit", sent(stage["trials"][0], vote()))
        office.served.app.state.site.offers = real_offers(office.served)
    for part, text in everything(office):
        assert not [secret for secret in SECRETS if secret in text], part
    assert office.post("unblind", by="Grace", sure=True).status_code == 200
    told = {part for part, text in everything(office) if "zebra-model" in text}
    assert {"progress", "trials", "results", "report"} <= told


@pytest.mark.parametrize("study", ["detect", "compare"])
def test_where_hidden_names_cannot_hide_what_is_real_the_page_says_so(
    offices: Offices, study: str
) -> None:
    """Detections are counted by what is real, so planned counts and tables tell it."""
    office = offices.open(study)
    told = "Which systems are real shows all the same"
    assert (told in office.text("progress")) == (study == "detect")
    assert office.post("unblind", by="Grace", sure=True).status_code == 200
    assert told not in office.text("progress")


def test_showing_the_names_takes_a_name_and_a_yes_and_is_kept(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    for body in ({"by": " ", "sure": True}, {"by": "Grace", "sure": False}):
        assert office.post("unblind", **body).status_code == 400
    assert office.store.events("unblinded") == ()
    for _ in range(2):  # the first time counts
        assert office.post("unblind", by="Grace", sure=True).status_code == 200
        office.clock.time += timedelta(hours=1)
    (event,) = office.store.events("unblinded")
    assert event.at == START
    # 36 planned; the drop-out's booklet and the one of nobody are open.
    assert (event.detail["by"], event.detail["planned"]) == ("Grace", 36)
    assert event.detail["answered"] == office.store.progress().answered
    link = office.post("report").json()["url"]
    report = office.http.get(f"/{link}").text
    assert "until 2030-01-01 12:00 UTC, when Grace had them shown" in report
    assert "since 2030-01-01 12:00 UTC, by Grace" in office.text("results")


def test_a_vote_is_told_by_the_letters_that_are_seen(offices: Offices) -> None:
    office = offices.open("compare")
    client = Client(office.http)
    client.begin()
    choices = iter(("first", "second", "first", "second"))
    while (stage := client.get("next"))["stage"] == "trial":
        client.post("submit", sent(stage["trials"][0], vote(next(choices))))
    names = hidden_names(office.served.app.state.site)
    votes = office.store.table("votes")
    assert len(votes["trial"]) == 3
    for trial, a, b, winner in zip(
        *(votes[name] for name in ("trial", "system_a", "system_b", "winner")), strict=True
    ):
        text = office.text(f"trials/{trial}")
        called = dict(re.findall(r"\b([AB]) = (System \d)", text))
        assert sorted(called.values()) == [called["A"], called["B"]]
        (said,) = re.findall(r"Preference : ([AB]) is better", text)
        assert called[said] == names[a if winner == "a" else b]


def test_hidden_votes_say_the_same_and_stand_in_the_order_of_their_names() -> None:
    votes: dict[str, list[Any]] = {
        "system_a": ["new", "new", "new", "mid"],
        "system_b": ["old", "old", "mid", "old"],
        "winner": ["a", "tie", "b", "both_bad"],
        "first": ["b", "a", None, "a"],
    }
    hidden = hide_systems(votes, {"new": "System 3", "old": "System 1", "mid": "System 2"})
    assert hidden == {
        "system_a": ["System 1", "System 1", "System 2", "System 1"],
        "system_b": ["System 3", "System 3", "System 3", "System 2"],
        "winner": ["b", "tie", "a", "both_bad"],
        "first": ["a", "b", None, "b"],
    }
    assert hide_systems(votes, {}) == votes
    assert votes["winner"] == ["a", "tie", "b", "both_bad"]


def test_trials_stand_in_an_order_that_says_nothing(offices: Offices) -> None:
    office = offices.open("panel")
    shown = re.findall(r'class="system">(System \d)<', office.html("trials"))
    assert shown == ["System 1", "System 2", "System 3"] * 4


# Results


def test_looking_twice_at_the_same_answers_is_one_look(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    for _ in range(3):
        assert "Interim" in office.text("results")
    assert len(office.store.events("results seen")) == 1
    answer_round(office.served, "main", (*KINDS, "drop_out"), office.clock())
    text = office.text("results")
    assert len(office.store.events("results seen")) == 2
    assert "You have looked 2 times at different numbers of answers" in text
    assert "in about 8% of studies" in text


def test_only_what_people_answered_while_the_study_ran_makes_another_look(
    offices: Offices,
) -> None:
    office = offices.open("panel", filled=True)
    served = office.served
    office.text("results")
    plan = served.store.load_plan()
    assert plan is not None
    judge = SimulatedJudge(id="big-judge")
    run_judges(served.study, served.material, plan, served.store, TRUTH, [judge], seed=1, now=START)
    assert "big-judge" in office.text("results")
    assert len(office.store.events("results seen")) == 1
    fill(served, now=office.clock(), kinds=("careful",) * 6)
    assert "Interim" not in office.text("results")
    assert len(office.store.events("results seen")) == 1


def test_the_false_alarms_of_repeated_looks_are_those_of_a_random_walk() -> None:
    # n equal steps of a standard normal; a look after each, at |z| > 1.96.
    steps = np.random.default_rng(7).standard_normal((40_000, 20))
    z = np.cumsum(steps, axis=1) / np.sqrt(np.arange(1, 21))
    for looks in (1, 2, 3, 4, 5, 10, 20):
        share = float((np.abs(z[:, :looks]) > 1.96).any(axis=1).mean())
        assert share == pytest.approx(FALSE_ALARMS[looks], abs=0.008), looks
    assert false_alarms(0) == 0.05


def test_results_before_any_answer_say_what_is_missing(offices: Offices) -> None:
    office = offices.open("panel")
    assert "started without an analysis" in office.text("results")
    office.served.app.state.site.offers = real_offers(office.served)
    said = office.text("results")
    assert "No answer of the main round is in yet: results show here as soon as there are" in said
    assert "jurybox serve" not in said
    assert "each hour gets its bar from the first one on" in office.text("progress")
    assert office.store.events("results seen") == ()


def test_a_complete_study_has_no_pace_that_falls_with_the_hours(offices: Offices) -> None:
    office = offices.open("panel")
    fill(office.served, now=office.clock(), kinds=("careful",))
    assert "answers an hour" in office.text("progress")
    fill(office.served, now=office.clock(), kinds=("careful",) * 4)
    office.clock.time += timedelta(hours=3)
    said = office.text("progress")
    assert "Complete Every planned answer is in. Results" in said
    assert "answers an hour" not in said
    assert "on a screen now" not in said


# Raters


def test_raters_have_the_numbers_of_the_analysis(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    served = office.served
    table = analyze(served.store, study=served.study, material=served.material).table("raters")
    assert table is not None
    names = [column.name for column in table.columns]
    text = office.text("raters")
    for row in (dict(zip(names, cells, strict=True)) for cells in table.rows):
        gold = "–" if row["gold"] is None else f"{100 * row['gold']:.0f}%"
        said = rf"{row['rater']} [^/]+ \d+ / \d+ {row['seconds']:.1f} {gold} \d+% "
        assert re.search(said, text), row["rater"]
    # With its rule, and its numbers, already in the list.
    assert "breaks a rule 0 of 2 gold trials right (0%; the rule asks for 60%); 100%" in text
    one = office.text("raters?rater=rater-02")
    assert "Left out by the study's rule" in one
    assert "0 of 2 gold trials right (0%; the rule asks for 60%)" in one
    assert "100% of answers are 3 (the rule allows 90%)" in one


def test_who_has_most_to_look_at_comes_first_with_every_flag(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    offers = office.served.app.state.site.offers
    looked = {"rater-01": "scores 1.2 higher", "rater-03": "takes 8% of the time; 95% are 3"}
    broken = SimpleNamespace(rater="rater-01", sentence="99% are 1 (the rule allows 90%)")
    found = SimpleNamespace(
        excluded=(),
        numbers=lambda rater: {"raters": {"look": looked.get(rater, "")}},
        looked_for="Worth a look: a pace below a third.",
    )
    office.served.app.state.site.offers = replace(offers, raters=lambda: found)
    text = office.text("raters")
    assert "rater-03" in text
    places = [text.index(f"{rater} ") for rater in ("rater-03", "rater-01", "rater-02")]
    assert places == sorted(places)
    assert "2 flags takes 8% of the time 95% are 3" in text
    # A flag stands with its threshold, and what breaks a rule is told once.
    assert text.endswith("Worth a look: a pace below a third")
    assert "Worth a look: a pace below a third" in office.text("raters?rater=rater-03")
    assert "Worth a look" not in office.text("raters?rater=rater-02")
    found.excluded = (broken,)
    looked["rater-01"] += "; 99% are 1"
    text = office.text("raters")
    assert text.count("99% are 1") == 1
    assert "breaks a rule 1 flag 99% are 1 (the rule allows 90%) scores 1.2 higher" in text


def test_a_rater_is_left_out_by_a_rule_and_taken_back_and_nothing_is_lost(
    offices: Offices,
) -> None:
    office = offices.open("panel", filled=True)
    rows = len(office.store.table("submissions")["id"])
    who = {"rater": "rater-01", "by": "Grace", "why": "Rated at a bus stop"}
    for wrong, said in (
        ({"rule": "gold_below", "by": ""}, "Give your name and the reason"),
        ({"rule": "gold_below", "why": " "}, "Give your name and the reason"),
        ({"rule": "agreement_below"}, "Choose the rule"),  # not stated by this study
        ({"rule": "withdrawn"}, "Choose the rule"),
    ):
        refused = office.post("raters", **{**who, "action": "exclude", **wrong})
        assert refused.status_code == 400
        assert said in refused.text
    assert office.post("raters", **who, action="exclude", rule="organizer").status_code == 200
    (mark,) = office.store.exclusions()
    assert (mark.rule, mark.sentence) == ("organizer", "Rated at a bus stop (Grace)")
    study, material = office.served.study, office.served.material
    left_out = {one.rater for one in analyze(office.store, study=study, material=material).excluded}
    assert "rater-01" in left_out
    assert "left out by hand" in office.text("raters")
    back = {**who, "why": "It was not a bus stop", "rule": "organizer"}
    assert office.post("raters", **back, action="include").status_code == 200
    assert office.store.exclusions() == ()
    kinds = [event.kind for event in office.store.events(rater=RaterId("rater-01"))]
    assert kinds == ["rater excluded", "exclusion undone"]
    (mark,) = office.store.exclusions(history=True)
    assert mark.unmarked_at is not None
    page = office.text("raters?rater=rater-01")
    assert "Exclusion undone: by hand – It was not a bus stop" in page
    assert len(office.store.table("submissions")["id"]) == rows
    assert office.post("raters", rater="nobody", action="pause").status_code == 404
    assert office.get("raters?rater=nobody").status_code == 404


def test_what_a_rater_reports_changes_and_skips_is_told(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    trouble(office.served, now=office.clock())
    (event,) = office.store.events("problem")
    assert "1 problem to look at" in office.text("progress")
    page = office.html(f"trials/{event.trial}")
    assert "The answer is cut off in the middle." in page
    assert page.count(">superseded<") == 1
    assert "&lt;b&gt;worse&lt;/b&gt;" in office.get(f"trials/{event.trial}").json()["html"]
    assert "The answer is cut off" in office.text("raters?rater=rater-01")


# Trials


def test_trials_are_found_by_words_state_and_page(
    offices: Offices, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = offices.open("panel", filled=True)

    def count(query: str) -> int:
        found = re.search(r"of (\d+)", office.text(f"trials?{query}"))
        return int(found[1]) if found else 0

    assert count("") == 14  # 4 items × 3 systems and 2 gold trials
    assert count("q=SKY") == 3
    assert count("q=sky+blue") == 3
    assert count("q=sky+yeast") == 0
    assert count("q=zebra") == 0  # a hidden name finds nothing
    assert count("state=check") == 2
    done = office.store.progress()
    assert count("state=open") == sum(one.answered < one.planned for one in done.trials)
    assert count("state=complete") == sum(one.answered >= one.planned for one in done.trials)
    assert office.get("trials?state=odd").status_code == 422
    monkeypatch.setattr("jurybox.web.organizer.trials.PAGE", 5)
    pages = [office.html(f"trials?start={start}") for start in (0, 5, 10, 999)]
    ids = [re.findall(r'href="#/trials/(\w+)"', page) for page in pages]
    assert [len(page) for page in ids] == [5, 5, 4, 4]
    assert len({id for page in ids[:3] for id in page}) == 14


# Invitations


def links(office: Office, **body: Any) -> list[str]:
    html = unescape(office.post("invitations", **body).raise_for_status().json()["html"])
    return re.findall(r"<code>(http.*?)</code>", html)


def enroll(office: Office, link: str) -> Any:
    found = re.search(r"#invite=(\w+)&id=(.*)", link)
    assert found is not None
    body = {"rater": found[2], "query": {"invite": found[1]}}
    return office.http.post("/api/enroll", json=body)


def test_links_are_offered_only_where_they_let_somebody_in(offices: Offices) -> None:
    for access, platform in (
        ("prolific: {completed: C1, screened_out: C2, no_consent: C3}", "Prolific"),
        ("mturk: true", "Mechanical Turk"),
    ):
        office = offices.open("compare", change=("protocol:", f"access: {{{access}}}\nprotocol:"))
        assert f"Raters come from {platform}" in office.text("invitations")
        assert "<form" not in office.html("invitations")
        refused = office.post("invitations", raters=["ada"])
        assert (refused.status_code, platform in refused.text) == (400, True)
    office = offices.open("compare", change=("protocol:", "access: {listed: [ada]}\nprotocol:"))
    assert "lets in the ids on its list alone" in office.text("invitations")
    assert 'name="count"' not in office.html("invitations")
    for body in ({"raters": ["ada", "zed"]}, {"count": 1}):
        refused = office.post("invitations", **body)
        assert refused.status_code == 400
        assert "is not on this study's list; add it there first." in refused.text
    assert not office.store.events("invited")
    assert office.post("invitations", raters=["ada"]).status_code == 200


def test_invitations_are_numbered_on_listed_and_revoked(offices: Offices) -> None:
    office = offices.open("compare", change=("protocol:", "access: {invited: true}\nprotocol:"))
    assert office.post("invitations", raters=[], count=0).status_code == 400
    first = links(office, count=2)
    assert [link.rpartition("=")[2] for link in first] == ["rater-001", "rater-002"]
    assert links(office, count=1)[0].endswith("rater-003")
    assert enroll(office, first[0]).status_code == 200
    rows = office.csv("invitations.csv")
    states = {row["rater"]: row["state"] for row in rows}
    assert states == {
        "rater-001": "opened", "rater-002": "not opened", "rater-003": "not opened",
    }  # fmt: skip
    assert {row["link"] for row in rows} >= set(first)
    for rater in ("rater-001", "rater-002"):
        assert office.post("invitations/revoke", rater=rater).status_code == 200
    for link in first:
        refused = enroll(office, link)
        assert refused.status_code == 403
        assert "taken back" in refused.text
    came = office.store.rater(RaterId("rater-001"))
    assert came is not None
    assert came.paused
    assert len(office.csv("invitations.csv")) == 1
    assert office.post("invitations/revoke", rater="rater-002", again=True).status_code == 200
    assert enroll(office, first[1]).status_code == 200
    links(office, raters=["rater-001"])  # inviting somebody anew makes the link good again
    assert enroll(office, first[0]).status_code == 200
    assert office.post("invitations/revoke", rater="nobody").status_code == 400


# Payments and export


def test_payments_suggest_with_a_rule_and_reject_nobody(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    rows = {row["rater"]: row for row in office.csv("payments.csv")}
    assert sorted(rows) == ["rater-01", "rater-02", "rater-03", "rater-04"]
    sent = office.store.table("submissions", round=None)
    for rater, row in rows.items():
        mine = [n for n, who in enumerate(sent["rater"]) if who == rater]
        minutes = sum(sent["ms"][n] for n in mine) / 60_000
        assert float(row["active_minutes"]) == pytest.approx(minutes, abs=0.05)
        assert int(row["trials"]) == len({sent["trial"][n] for n in mine})
    assert rows["rater-01"]["suggestion"] == "pay"
    assert rows["rater-02"]["suggestion"] == "look first"
    assert rows["rater-02"]["rule"].startswith("0 of 2 gold trials right")
    assert (rows["rater-02"]["gold_score"], rows["rater-02"]["gold_trials"]) == ("0.0", "2")
    assert len(rows["rater-01"]["code"]) == 8
    assert not re.search("reject", office.get("payments.csv").text, flags=re.IGNORECASE)


def test_no_cell_for_a_spreadsheet_is_a_formula(offices: Offices) -> None:
    office = offices.open("compare")
    for rater in ("=1+1", "@sum", "+49", "-x", "plain"):
        client = Client(office.http, rater)
        client.begin()
    links(office, raters=["=cmd|'/c calc'!A1"])
    for part in ("payments.csv", "invitations.csv"):
        cells = [cell for row in office.csv(part) for cell in row.values()]
        assert cells
        assert not [cell for cell in cells if cell.startswith(("=", "@", "+", "-"))]
    assert {row["rater"] for row in office.csv("payments.csv")} == {
        "'=1+1", "'@sum", "'+49", "'-x", "plain",
    }  # fmt: skip


def test_the_archive_holds_every_table(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    office.post("raters", rater="rater-01", action="pause", by="Grace")
    archive = zipfile.ZipFile(io.BytesIO(office.get("export.zip").content))
    assert archive.testzip() is None
    tables = {
        name: list(csv.DictReader(io.StringIO(archive.read(name).decode())))
        for name in archive.namelist()
    }
    shapes = ("ratings", "votes", "rankings", "detections", "spans", "checks", "submissions")
    assert set(tables) == {f"{n}.csv" for n in (*shapes, "raters", "exclusions", "events")}
    ratings = office.store.table("ratings", round=None, retests=True)
    assert len(tables["ratings.csv"]) == len(ratings["score"])
    assert [event["kind"] for event in tables["events.csv"]] == ["rater paused"]
    assert len(tables["raters.csv"]) == 4
