"""A whole study of every protocol without a mouse, and keys that the rater chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.walking import (
    enroll,
    go_on,
    shown_trial,
    stage,
    wait_for_stage,
    wait_until,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is there, as somebody without a mouse has to."""
    for _ in range(60):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never leads to {selector}")


def walk_to_the_trials(page: Page, url: str) -> None:
    page.goto(url)
    tab_to(page, "[name=rater]")
    page.keyboard.type("r1")
    page.keyboard.press("Enter")
    page.wait_for_selector("main:not([data-stage=welcome])")
    while stage(page) in ("consent", "survey", "guide"):
        now = stage(page)
        if now == "survey":
            tab_to(page, "main input[type=radio]")
            page.keyboard.press("Space")
        tab_to(page, "button[value=yes]" if now == "consent" else "main button[type=submit]")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"main:not([data-stage={now}])")
    page.wait_for_selector("jb-trial.ready .question.now")


def answer_all(page: Page, keys: list[str]) -> None:
    """Answer practice and trials alike, with the keys of one trial, up to the end."""
    for _ in range(20):
        if wait_for_stage(page, "practice", "trial", "break", "end") == "end":
            return
        if stage(page) == "break":
            tab_to(page, "main button[type=submit]")
            page.keyboard.press("Enter")
            page.wait_for_selector("main:not([data-stage=break])")
            continue
        page.wait_for_selector("jb-trial.ready .question.now")
        before = (stage(page), shown_trial(page))
        for key in keys:
            if key.startswith("tab:"):
                tab_to(page, key.removeprefix("tab:"))
            else:
                page.keyboard.press(key)
        page.keyboard.press("Enter")
        if before[0] == "practice":
            page.wait_for_selector(".feedback")
            page.keyboard.press("Enter")
            page.wait_for_selector(".feedback", state="detached")
            continue
        page.wait_for_function(
            """([stage, where]) => document.querySelector("main").dataset.stage !== stage
               || document.querySelector("#where").textContent !== where""",
            arg=list(before),
        )
    raise AssertionError("the study did not end")


MARKED = ["tab:.words", "ArrowRight", "Shift+ArrowRight", "Enter", "Digit1", "Digit2"]
STUDIES: dict[str, list[str]] = {
    "rate": ["Digit1", "Digit5", "ArrowRight"],
    "compare": ["Digit0", "Digit3"],
    "graded": ["Digit6"],
    "sides": ["Digit2", "Digit5", "Digit4"],
    "rank": ["c", "a", "Equal", "b", "d"],
    "best": ["b"],
    "detect": ["g", "Digit4"],
    "mark": [*MARKED, "tab:input[type=range]", "ArrowRight"],
}


@pytest.mark.parametrize("study", STUDIES)
def test_a_whole_study_is_done_by_keyboard_alone(
    study: str, studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve(study)
    page = open_page()
    page.add_init_script(
        "addEventListener('pointerdown', () => { throw new Error('a mouse was used'); }, true)"
    )
    walk_to_the_trials(page, url)
    keys = STUDIES[study]
    if study == "detect":
        passed_by_letters(page)
    answer_all(page, keys)
    kept = served.store.submissions()
    main = [one for one in kept if one.submission.slot is not None]
    assert len(main) == len(served.app.state.site.plan.booklets[0].slots)
    assert {one.status for one in main} == {"answered"}
    assert all(one.submission.answers for one in main)


def passed_by_letters(page: Page) -> None:
    """The practice of the detection study has to be passed: real, then generated."""
    for letter in ("r", "g"):
        page.wait_for_selector("jb-trial.ready .question.now")
        page.keyboard.press(letter)
        page.keyboard.press("Digit4")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback", state="detached")


def test_tab_goes_from_question_to_question_and_arrows_stay_in_their_scale(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("sides")
    page = open_page()
    walk_to_the_trials(page, url)
    tab_to(page, ".question input")
    now = "() => document.querySelector('.question.now').dataset.question"
    seen = [page.evaluate(now)]
    for _ in range(2):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(now))
    assert seen == ["q0", "q1", "q2"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    chosen = page.locator("main input:checked")
    assert chosen.count() == 1
    assert page.evaluate(now) == "q2"  # arrows pass through answers without moving on
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert chosen.count() == 1  # and mean nothing outside


def send(page: Page, key: str, code: str) -> None:
    """Press a key of a layout that this machine does not have, as the browser gets it."""
    keyboard = page.context.new_cdp_session(page)
    pressed = {"type": "keyDown", "key": key, "code": code, "text": key}
    keyboard.send("Input.dispatchKeyEvent", pressed)
    keyboard.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key, "code": code})
    keyboard.detach()


def test_french_and_arabic_keyboards_rate_a_trial(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("sides")
    page = open_page()
    walk_to_the_trials(page, url)
    send(page, '"', "Digit3")  # AZERTY
    send(page, "٤", "Digit4")  # Arabic digits
    send(page, "2", "Numpad2")
    values = page.locator("main input:checked").evaluate_all("all => all.map((one) => one.value)")
    assert values == ["-1", "4", "2"]
    send(page, "س", "KeyS")
    page.wait_for_selector("#dialog-skip[open]")


def test_a_key_is_chosen_printed_and_remembered(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("rank")
    page = open_page()
    walk_to_the_trials(page, url)
    assert page.inner_text("[data-command=skip] kbd") == "s"
    assert page.locator("[data-command=comment] kbd").is_hidden()  # c ranks the third output
    page.keyboard.press("?")
    page.wait_for_selector("#dialog-keys[open]")
    told = "#dialog-keys [data-told]"

    def choose(command: str, key: str) -> str:
        page.focus(f"[data-remap={command}]")
        page.keyboard.press("Enter")
        assert page.inner_text(told) == "Press the new key, or Escape."
        page.keyboard.press(key)
        return page.inner_text(told)

    assert choose("skip", "i") == "The key i is taken: Guide. Choose another."
    assert choose("skip", "a") == "The key a answers a question here; choose another."
    assert choose("skip", "Digit1") == "The key 1 answers a question here; choose another."
    assert choose("skip", "Shift+Digit1") == "The key 1 answers a question here; choose another."
    assert choose("skip", "=") == "The key = answers a question here; choose another."
    assert choose("skip", "Escape") == ""
    assert page.locator("#dialog-keys[open]").count() == 1
    assert choose("skip", "x") == "The key is x now: Skip this trial."
    assert choose("comment", "k") == "The key is k now: Comment."
    page.keyboard.press("Escape")
    shortcut = "one => one.getAttribute('aria-keyshortcuts')"
    assert page.eval_on_selector("[data-command=skip]", shortcut) == "x"
    assert page.inner_text("[data-command=skip] kbd") == "x"
    assert page.inner_text("[data-command=comment] kbd") == "k"
    page.reload()
    page.wait_for_selector("jb-trial.ready .question.now")
    assert page.inner_text("[data-command=skip] kbd") == "x"
    page.keyboard.press("s")
    assert page.locator("dialog[open]").count() == 0
    page.keyboard.press("x")
    page.wait_for_selector("#dialog-skip[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.focus("[data-usual]")
    page.keyboard.press("Enter")
    assert page.inner_text("#dialog-keys kbd[data-key=skip]") == "s"
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.wait_for_selector("#dialog-skip[open]")


def test_keys_that_are_off_are_printed_nowhere(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("rank")
    page = open_page()
    walk_to_the_trials(page, url)
    printed = page.locator(":is(.bar, jb-trial) kbd:visible")
    assert len(printed.all_inner_texts()) > 6
    page.keyboard.press("?")
    page.focus("#keys-on")
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    assert printed.all_inner_texts() == ["↵"]
    assert page.locator("[aria-keyshortcuts]:not([data-submit])").count() == 0
    page.reload()
    page.wait_for_selector("jb-trial.ready .question.now")
    assert printed.all_inner_texts() == ["↵"]
    page.keyboard.press("s")
    assert page.locator("dialog[open]").count() == 0


def test_back_forward_and_jumping_by_keys(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("rate")
    page = open_page()
    walk_to_the_trials(page, url)
    for _ in range(2):
        page.wait_for_selector("jb-trial.ready .question.now")
        for key in ("Digit0", "Digit5", "End", "Enter"):
            page.keyboard.press(key)
        page.wait_for_selector(".feedback")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback", state="detached")

    def at(number: int) -> None:
        page.wait_for_function(
            "wanted => document.querySelector('#where').textContent.startsWith(wanted)",
            arg=f"Trial {number} of",
        )
        page.wait_for_selector("jb-trial.ready .question.now")

    def rate(*keys: str) -> None:
        for key in keys:
            page.keyboard.press(key)

    at(1)
    rate("Digit0", "Digit5", "End", "Enter")
    at(2)
    rate("Digit1", "Digit1", "End", "Enter")
    at(3)
    page.keyboard.press("b")
    at(2)
    page.keyboard.press("b")
    at(1)
    assert page.locator("[data-question=q0] input:checked").get_attribute("value") == "0"
    page.keyboard.press("n")
    at(2)
    page.keyboard.press("n")
    at(3)
    page.keyboard.press("j")
    page.wait_for_selector("#dialog-jump[open]")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    at(1)
    tab_to(page, "[data-question=q0] input")
    rate("Digit2", "Enter")
    at(3)

    def scores() -> list[tuple[str, float | None]]:
        return sorted(
            (one.status, one.submission.answers[0].score)
            for one in served.store.submissions()
            if one.submission.position == 0 and one.submission.slot is not None
        )

    wait_until(page, lambda: scores() == [("answered", 2), ("superseded", 0)])


def test_letters_are_typed_while_typing(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("compare")
    page = open_page()
    walk_to_the_trials(page, url)
    tab_to(page, "[data-kind=text] textarea")
    page.keyboard.type("s, i? b 1 2 9 = c")
    assert page.input_value("[data-kind=text] textarea") == "s, i? b 1 2 9 = c"
    assert page.locator("main input:checked").count() == 0
    assert page.locator("dialog[open]").count() == 0
    page.keyboard.press("Control+Enter")
    assert page.inner_text(".form .problem").startswith("Still to answer: Preference")
    assert served.store.submissions() == ()


def test_the_guide_prints_the_keys_that_the_rater_chose(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("graded")
    page = open_page()
    page.goto(url)
    page.evaluate("() => localStorage.setItem('jurybox-keys', JSON.stringify({ skip: 'y' }))")
    enroll(page, url)
    wait_for_stage(page, "guide")
    assert page.locator("main kbd[data-key=skip]").all_inner_texts() == ["y", "y"]
    go_on(page)
    page.wait_for_selector("jb-trial.ready .question.now")
    page.keyboard.press("i")
    page.wait_for_selector("#dialog-guide[open]")
    assert page.locator("#dialog-guide kbd[data-key=skip]").all_inner_texts() == ["y", "y"]
    page.keyboard.press("Escape")
    page.keyboard.press("y")
    page.wait_for_selector("#dialog-skip[open]")
