"""Raters who are faster than the network or than the page expects, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.study.examples import write_jsonl
from tests.web.serving import Served, live, open_study
from tests.web.settling import Late
from tests.web.studies import outputs, write_study
from tests.web.walking import begin, shown_trial, stage, submit, wait_for_stage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

TRIALS = 5


@pytest.fixture
def study(tmp_path: Path) -> Iterator[tuple[Served, str]]:
    """A graded comparison of five items."""
    write_study("graded", tmp_path)
    items = [f"q{number}" for number in range(TRIALS)]
    write_jsonl(tmp_path / "prompts.jsonl", [{"item": item, "prompt": item} for item in items])
    systems = ("zebra-model", "quagga-model")
    outputs(tmp_path, "answer", systems, {item: lambda k: ("Yes.", "No.")[k] for item in items})
    with open_study(tmp_path) as served, live(served.app) as url:
        yield served, url


def answer(page: Page, number: int) -> None:
    """Answer the trial with this number and see the next one or the end."""
    assert shown_trial(page) == f"Trial {number} of {TRIALS}"
    submit(page, "Digit2")


def test_an_old_list_of_trials_brings_none_back(
    study: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = study
    page = open_page()
    begin(page, url)
    late = Late(page, "**/api/next")
    answer(page, 1)
    late.wait()
    answer(page, 2)  # asks for what is next once more, and hears of it first
    late.let_go()
    for number in range(3, TRIALS + 1):
        answer(page, number)
    wait_for_stage(page, "end")
    assert [one.status for one in served.store.submissions()] == ["answered"] * TRIALS


def test_who_stops_at_once_stays_stopped(study: tuple[Served, str], open_page: OpenPage) -> None:
    served, url = study
    page = open_page()
    begin(page, url)
    late = Late(page, "**/api/next")
    answer(page, 1)
    late.wait()
    page.click("[data-open=stop]")
    page.click("#dialog-stop .primary")
    wait_for_stage(page, "stopped")
    late.let_go()
    assert stage(page) == "stopped"
    assert served.store.progress().leased == 0


def test_enter_held_down_does_not_pass_over_what_the_practice_explains(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("rate")
    page = open_page()
    begin(page, url)
    for key in ("2", "5", "End"):
        page.keyboard.press(key)
    page.keyboard.down("Enter")
    page.wait_for_selector(".feedback button:focus")
    pressed = page.evaluate_handle(
        "() => { const seen = []; addEventListener('click', () => seen.push(1)); return seen; }"
    )
    page.keyboard.down("Enter")  # pressed and not yet let go: the browser says that it repeats
    assert pressed.json_value() == []
    page.keyboard.up("Enter")
    page.keyboard.press("Enter")
    page.wait_for_selector(".feedback", state="detached")


def test_a_double_click_submits_once_and_scolds_nobody(
    study: tuple[Served, str], open_page: OpenPage
) -> None:
    page = open_page()
    begin(page, study[1])
    click = (
        "(button, detail) => "
        "button.dispatchEvent(new MouseEvent('click', { detail, bubbles: true, cancelable: true }))"
    )
    page.eval_on_selector("[data-submit]", click, 2)  # the second click, on the trial that came
    assert not page.is_visible(".form .problem")
    page.eval_on_selector("[data-submit]", click, 1)
    assert page.is_visible(".form .problem")
    page.keyboard.press("Digit2")
    page.eval_on_selector("[data-submit]", click, 2)  # impatient, but on this trial
    page.wait_for_selector(f"#where >> text=Trial 2 of {TRIALS}")


def test_one_click_answers_a_question_whose_turn_it_is_not(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("panel")
    page = open_page()
    begin(page, url)
    click = "[data-question={}] .option >> nth={}"
    state = """() => {
      const { current, answers } = document.querySelector("jb-trial").state;
      return [current, answers];
    }"""
    page.click(click.format("q1", 3))
    assert page.evaluate(state) == ["q0", {"q1": 4}]
    page.click(click.format("q0", 0))
    page.click(click.format("q1", 1))  # another answer, while the last one is still open
    assert page.evaluate(state)[1] == {"q0": 1, "q1": 2}
    # Let go elsewhere it chooses nothing, and Tab still opens the questions it comes to.
    page.hover(click.format("q0", 4))
    page.mouse.down()
    page.hover(".bar")
    page.mouse.up()
    assert page.evaluate(state)[1] == {"q0": 1, "q1": 2}
    page.focus("[data-question=q1] input:checked")
    page.focus("[data-question=q0] input:checked")
    assert page.evaluate(state)[0] == "q0"
