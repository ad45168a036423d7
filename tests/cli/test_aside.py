"""Work in a process of its own: done there, told here, and ended with the server."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from jurybox.cli.aside import YIELDING, Aside
from jurybox.cli.offers import make_offers
from jurybox.errors import AnalysisError, JuryboxError, StoreError
from jurybox.store import Store
from tests.patience import PATIENCE
from tests.web.filling import fill, real_offers
from tests.web.office import Offices
from tests.web.serving import now, open_study
from tests.web.studies import write_study


def whereabouts(store: Store, word: str) -> tuple[int, str, str]:
    return os.getpid(), store.database.name, word


def niceness(store: Store) -> int:
    return os.nice(0)


def refuse(store: Store) -> None:
    raise AnalysisError("Too early.")


def fail(store: Store) -> None:
    raise ZeroDivisionError


def leave(store: Store, sign: Path) -> None:
    sign.touch()


def dawdle(store: Store, sign: Path) -> None:
    sign.touch()
    time.sleep(PATIENCE)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "study.db") as made:
        yield made


def test_work_is_done_in_one_other_process_on_the_same_database(store: Store) -> None:
    with Aside(store) as aside:
        child, database, word = aside.do(whereabouts, "so")
        assert child != os.getpid()
        assert (database, word) == (store.database.name, "so")
        assert aside.do(whereabouts, "again")[0] == child
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_it_begins_with_what_nobody_waits_for_and_only_once(store: Store, tmp_path: Path) -> None:
    signs = [tmp_path / "first", tmp_path / "second"]
    with Aside(store) as aside:
        for sign in signs:
            aside.begin(partial(leave, sign=sign))
        aside.do(whereabouts, "so")  # comes after what was begun
        assert [sign.exists() for sign in signs] == [True, False]


def test_who_looks_at_progress_finds_the_numbers_at_hand(tmp_path: Path) -> None:
    with ExitStack() as stack:
        office = Offices(tmp_path, stack).open("panel", filled=True)
        site = office.served.app.state.site
        came: list[str] = []
        site.offers = replace(site.offers, prepare=lambda: came.append("now"))
        office.get("trials")
        assert came == []
        office.get("progress").raise_for_status()
        assert came == ["now"]


def test_the_other_process_yields_to_the_one_that_serves(store: Store) -> None:
    with Aside(store) as aside:
        assert aside.do(niceness) == min(19, os.nice(0) + YIELDING)


def test_our_errors_come_back_and_others_end_the_process_alone(
    store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    with Aside(store) as aside:
        first = aside.do(whereabouts, "")[0]
        with pytest.raises(AnalysisError, match=r"^Too early\.$"):
            aside.do(refuse)
        assert aside.do(whereabouts, "")[0] == first
        with pytest.raises(StoreError, match="cut off; see what the server printed"):
            aside.do(fail)
        assert "ZeroDivisionError" in capfd.readouterr().err
        assert aside.do(whereabouts, "")[0] != first


def test_closing_ends_what_is_being_done(store: Store, tmp_path: Path) -> None:
    said: list[str] = []
    sign = tmp_path / "begun"
    aside = Aside(store)

    def ask() -> None:
        try:
            aside.do(dawdle, sign)
        except JuryboxError as error:
            said.append(str(error))

    asking = threading.Thread(target=ask)
    asking.start()
    begun = time.monotonic()
    while not sign.exists():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.01)
    aside.close()
    asking.join(PATIENCE / 2)
    assert said
    assert "cut off" in said[0]
    with pytest.raises(StoreError, match="stopping"):
        aside.do(whereabouts, "")


def test_pages_take_the_same_from_aside(tmp_path: Path) -> None:
    with open_study(write_study("panel", tmp_path)) as served, Aside(served.store) as aside:
        fill(served, now=now())
        here = real_offers(served)
        there = make_offers(served.study, served.material, served.store, aside)
        names = {str(system): f"System {n}" for n, system in enumerate(served.material.systems)}
        for called in ({}, names):
            assert here.analyze
            assert there.analyze
            one, other = here.analyze(called), there.analyze(called)
            assert one.to_markdown() == other.to_markdown()
            assert [f.sentence for f in one.findings] == [f.sentence for f in other.findings]
        assert there.raters
        assert here.raters
        assert there.raters().tables == here.raters().tables
        assert there.rules
        assert here.rules
        assert there.rules() == here.rules()
        assert there.calibration
        assert len(there.calibration()) == len(served.study.criteria)
        assert there.report
        assert "System 1" in there.report(names)
