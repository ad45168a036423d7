"""The organizer's pages for many raters, few or none, two organizers, and on both databases."""

from __future__ import annotations

import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any

import pytest

from jurybox.store import Store
from jurybox.study.model import RaterId
from jurybox.web.organizer.part import draw_part, remember
from jurybox.web.organizer.raters import read_rows
from tests.web.office import START, Offices
from tests.web.studies import write_study
from tests.web.test_api import Clock
from tests.web.test_organizer_hostile import answer_all


def test_long_lists_come_in_pages(offices: Offices, monkeypatch: pytest.MonkeyPatch) -> None:
    office = offices.open("compare")
    for number in range(12):
        office.store.enroll(RaterId(f"person-{number:02}"), now=START)
    monkeypatch.setattr("jurybox.web.organizer.raters.PAGE", 5)
    pages = [office.html(f"raters?start={start}") for start in (0, 5, 10, 999)]
    found = [re.findall(r"rater=(person-\d+)", page) for page in pages]
    assert [len(page) for page in found] == [5, 5, 2, 2]
    assert len({rater for page in found[:3] for rater in page}) == 12
    assert "6–10 of 12" in office.text("raters?start=5")
    assert re.findall(r"rater=(person-\d+)", office.html("raters?q=ON-07")) == ["person-07"]
    assert "No rater fits." in office.text("raters?q=nobody")
    assert "No rater fits." in office.text("raters?state=look")
    assert "12 of 12" in office.text("raters?state=rating&start=10")
    assert office.get("raters?state=odd").status_code == 422
    monkeypatch.setattr("jurybox.web.organizer.invitations.PAGE", 5)
    office.post("invitations", count=12)
    pages = [office.html(f"invitations?start={start}") for start in (0, 5, 10)]
    shown = [re.findall(r"Copy the link of (rater-\d+)", page) for page in pages]
    assert [len(page) for page in shown] == [5, 5, 2]
    assert len(office.csv("invitations.csv")) == 12


def test_a_study_in_which_everybody_is_left_out_still_shows_its_pages(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    for rater in office.store.raters():
        body = {"rule": "organizer", "by": "Grace", "why": "A pilot"}
        office.post("raters", rater=rater.id, action="exclude", **body)
    for part in ("progress", "raters", "trials", "calibration", "results", "export"):
        assert office.get(part).status_code == 200, part
    assert {row["suggestion"] for row in office.csv("payments.csv")} == {"look first"}
    assert "Everybody who has answered is left out." in office.text("calibration")
    assert "Every response is excluded by a rule" in office.text("results")
    page = office.http.get(
        f"/{office.post('report').json()['url']}", headers={"Accept": "text/html"}
    )
    assert page.status_code == 200
    assert "are left out by rule (organizer, gold_below and straight_line)" in page.text


def test_one_system_alone_has_every_page(offices: Offices) -> None:
    folder = write_study("panel", offices.folder / "alone")
    for name in ("quagga-model", "okapi-model"):
        (folder / "outputs" / f"{name}.jsonl").unlink()
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    text = text.replace("analysis: {primary: {mean: [zebra-model, quagga-model]}}\n", "")
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    alone = offices.reopen(folder, filled=True)
    for part in ("progress", "raters", "trials", "calibration", "results", "export"):
        assert alone.get(part).status_code == 200, part
    assert "System 1" in alone.text("progress")
    assert "zebra" not in alone.html("results")


def test_every_part_is_the_same_on_the_other_database(tmp_path: Path, fresh_postgres: str) -> None:
    """What is kept in PostgreSQL is shown, exported and refreshed as from a file."""
    with ExitStack() as stack:
        pages = {}
        for name, database in (("file", None), ("server", fresh_postgres)):
            office = Offices(tmp_path / name, stack).open("panel", filled=True, database=database)
            parts = ("progress", "raters", "raters?rater=rater-02", "trials", "calibration")
            pages[name] = [office.text(part) for part in (*parts, "results")]
            pages[name] += [office.get(f"export/{one}").text for one in ("ratings", "checks")]
            first = office.get("progress")
            again = office.get("progress", **{"If-None-Match": first.headers["ETag"]})
            assert again.status_code == 304, name
            office.store.event("anything", now=START)
            changed = office.get("progress", **{"If-None-Match": first.headers["ETag"]})
            assert changed.status_code == 200, name
            assert office.post("unblind", by="Grace", sure=True).status_code == 200
        for file, server in zip(pages["file"], pages["server"], strict=True):
            assert file == server


def test_a_number_that_rounds_to_nothing_has_no_sign(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    site = office.served.app.state.site
    (row, *_) = [one for one in read_rows(site) if one.rater == "rater-01"]
    values = {"rows": [replace(row, agreement=-0.004, seconds=-0.0)], "anybody": True}
    shown = {"has_gold": True, "start": 0, "page": 5, "total": 1, "q": "", "state": "all"}
    html = draw_part(site, "raters", looked_for="", **values, **shown)["html"]
    numbers = re.findall(r'"number">([^<]*)<', html)
    assert numbers[-4::3] == ["0.0", "0.00"]
    # What is flagged stands in words beside them, and may well be negative.
    assert not any("\u2212" in number for number in numbers)


def test_the_same_question_from_two_organizers_is_computed_once(
    offices: Offices, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = offices.open("panel", filled=True)
    counted = []
    progress = Store.progress

    def counting(*args: Any, **more: Any) -> Any:
        if more.get("round", "main") == "main":
            counted.append(1)
        return progress(*args, **more)

    monkeypatch.setattr(Store, "progress", counting)
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: office.get("progress"), range(8)))
    assert {reply.status_code for reply in replies} == {200}
    assert len(counted) == 1


def test_what_takes_long_is_not_counted_anew_with_every_answer() -> None:
    # It takes 3 s; with a patience of 20 it will do for the next 60 s, whatever comes in.
    clock = Clock()
    made: list[int] = []

    def make() -> int:
        clock.time += timedelta(seconds=3)
        made.append(len(made))
        return made[-1]

    site: Any = SimpleNamespace(
        remembered={}, remembering=defaultdict(Lock), now=clock, gave_older=None, older_until=None
    )
    assert remember(site, "slow", 1, make, patience=20) == 0
    clock.time += timedelta(seconds=59)
    assert remember(site, "slow", 1, make, patience=20) == 0
    assert site.gave_older is None
    assert remember(site, "slow", 2, make, patience=20) == 0
    assert site.gave_older == clock.time
    assert site.older_until == clock.time + timedelta(seconds=1)
    assert remember(site, "slow", 2, make) == 1  # whoever pays by it wants it exact
    assert remember(site, "slow", 2, make) == 1
    assert remember(site, "slow", 3, make, patience=20) == 1
    clock.time += timedelta(seconds=60)
    assert remember(site, "slow", 3, make, patience=20) == 2


def test_a_page_with_older_numbers_is_asked_for_again_until_they_are_new(
    offices: Offices, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Counting takes a second, so for twenty the pages show what was counted before.
    office = offices.open("compare")
    progress = Store.progress

    def slow(*args: Any, **more: Any) -> Any:
        office.clock.time += timedelta(seconds=1)
        return progress(*args, **more)

    monkeypatch.setattr(Store, "progress", slow)
    assert "0 raters have answered" in office.text("progress")
    answer_all(office, "Ada")
    older = office.get("progress")
    assert "0</b><span>raters have answered" in older.json()["html"]
    mark = {"If-None-Match": older.headers["ETag"]}
    assert office.get("progress", **mark).status_code == 304  # it may be older for a while …
    office.clock.time += timedelta(seconds=20)
    newer = office.get("progress", **mark)  # … and no longer
    assert "1</b><span>raters have answered" in newer.json()["html"]
    again = office.get("progress", **{"If-None-Match": newer.headers["ETag"]})
    assert again.status_code == 304
