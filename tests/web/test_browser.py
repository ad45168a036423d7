"""One short study per protocol in a real browser, and what the store holds afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jurybox.study import ItemId, SystemId
from tests.web.settling import settled
from tests.web.walking import (
    begin,
    enroll,
    go_on,
    shown_trial,
    stage,
    submit,
    wait_for_stage,
    wait_until,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio
    from tests.web.serving import Served


def shown_order(served: Served, page: Page) -> tuple[str, ...]:
    """The systems on screen, by place; only the server can tell."""
    site = served.app.state.site
    name = page.evaluate("() => document.querySelector('jb-trial').assignment")
    slot = site.slot(name)
    trial = site.plan.trial(slot.trial)
    return tuple(trial.systems[index] for index in slot.order)


def rows(served: Served, shape: Any) -> list[dict[str, Any]]:
    table = served.store.table(shape)
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]


def test_rate_by_keyboard_with_consent_survey_guide_and_practice(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rate")
    page = open_page()
    enroll(page, url)
    seen = [stage(page)]
    while seen[-1] != "practice":
        go_on(page)
        seen.append(stage(page))
    assert seen == ["consent", "survey", "guide", "practice"]
    for number in (1, 2):
        page.wait_for_selector("jb-trial.ready .question.now")
        assert shown_trial(page) == f"Practice {number} of 2"
        for key in ("0", "5", "End"):
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback")
        assert page.get_attribute(".feedback", "data-right") == ("yes" if number == 1 else "no")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback", state="detached")
    wait_for_stage(page, "trial")
    given: dict[tuple[str, str], dict[str, float]] = {}
    for digits, slider in (("05", 100), ("51", 0), ("12", 100), ("20", 0)):
        page.wait_for_selector("jb-trial.ready .question.now")
        (system,) = shown_order(served, page)
        item = page.inner_text(".ask .plain")
        page.keyboard.press(f"Digit{digits[0]}")
        page.keyboard.press(f"Digit{digits[1]}")
        assert page.evaluate("document.activeElement.type") == "range"
        assert "untouched" in (page.get_attribute("input[type=range]", "class") or "")
        page.keyboard.press("End" if slider else "Home")
        values = {"0": 0.0, "5": 0.5, "1": 1.0, "2": 2.0}
        given[item[-2], system] = {
            "consistency": values[digits[0]],
            "realism": values[digits[1]],
            "overall": float(slider),
        }
        submit(page)
    wait_for_stage(page, "end")
    assert page.inner_text(".code-shown") == "DONE-7"
    stored: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows(served, "ratings"):
        stored.setdefault((row["item"][-1], row["system"]), {})[row["criterion"]] = row["score"]
    assert stored == given


def test_compare_by_mouse_with_breaks_and_reason(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("compare")
    page = open_page()
    begin(page, url)
    expected = {}
    for choice in ("first", "second", "tie", "both_bad"):
        page.wait_for_selector("jb-trial.ready .question.now")
        order = shown_order(served, page)
        expected[page.evaluate("() => document.querySelector('jb-trial').assignment")] = {
            "first": order[0],
            "second": order[1],
        }.get(choice, choice)
        page.locator(f"input[value={choice}]").check(force=True)
        page.locator(".question[data-part=confidence] input[value='3']").check(force=True)
        page.fill("[data-kind=text] textarea", "Because 1 and 2, see?")
        page.click("[data-submit]")
        if wait_for_stage(page, "break", "end") == "break":
            assert "done" in page.inner_text("main")
            page.click("main button[type=submit]")
            wait_for_stage(page, "trial")
    site = served.app.state.site
    votes = {row["trial"]: row for row in rows(served, "votes")}
    assert len(votes) == 3
    for name, winner in expected.items():
        slot = site.slot(name)
        if slot.trial in votes:
            row = votes[slot.trial]
            named = {"a": row["system_a"], "b": row["system_b"]}.get(row["winner"], row["winner"])
            assert named == winner
            assert row["confidence"] == 3
            assert row["comment"] == "Because 1 and 2, see?"


@pytest.mark.parametrize(("key", "score"), [("1", -3), ("4", 0), ("6", 2)])
def test_graded_comparison_prints_1_to_7_and_stores_winner_and_strength(
    studio: Studio, open_page: OpenPage, key: str, score: int
) -> None:
    served, url = studio.serve("sides")
    page = open_page()
    begin(page, url)
    order = shown_order(served, page)
    for digit in (key, "5", "2"):
        page.keyboard.press(f"Digit{digit}")
    page.keyboard.press("Enter")
    wait_for_stage(page, "end")
    (vote,) = rows(served, "votes")
    winner = {"a": vote["system_a"], "b": vote["system_b"]}.get(vote["winner"], vote["winner"])
    assert winner == ("tie" if score == 0 else order[0] if score < 0 else order[1])
    assert vote["strength"] == abs(score)
    sides = {row["system"]: row["score"] for row in rows(served, "ratings")}
    assert sides == {order[0]: 5, order[1]: 2}


def test_ranking_by_letters_with_undo_and_tie(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("rank")
    page = open_page()
    begin(page, url)
    first = shown_order(served, page)
    for key in ("c", "a", "Backspace", "d", "=", "b", "a"):
        page.keyboard.press(key)
    assert page.inner_text(".standing") == "C > D = B > A"
    submit(page)
    second = shown_order(served, page)
    for place in (3, 2, 1, 0):
        page.click(f"[data-pick='{place}']")
    page.click("[data-submit]")
    wait_for_stage(page, "end")
    ranks: dict[str, dict[str, float]] = {}
    for row in rows(served, "rankings"):
        ranks.setdefault(row["trial"], {})[row["system"]] = row["rank"]
    wanted = [
        dict(zip(first, (4, 2, 1, 2), strict=True)),
        dict(zip(second, (4, 3, 2, 1), strict=True)),
    ]
    assert sorted(ranks.values(), key=str) == sorted(
        ({system: one[system] for system in next(iter(ranks.values()))} for one in wanted), key=str
    )


def test_best_of_n_on_a_phone(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("best")
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    begin(page, url)
    order = shown_order(served, page)
    page.locator(".option >> nth=1").tap()
    page.locator("[data-submit]").tap()
    wait_for_stage(page, "end")
    assert {row["system"]: row["rank"] for row in rows(served, "rankings")} == {
        order[0]: 2,
        order[1]: 1,
        order[2]: 2,
    }


def test_detect_by_keyboard_with_practice(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("detect")
    page = open_page()
    assert begin(page, url) == "practice"
    for letter in ("r", "g"):
        page.wait_for_selector("jb-trial.ready .question.now")
        page.keyboard.press(letter)
        page.keyboard.press("Digit4")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback[data-right=yes]")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback", state="detached")
    wait_for_stage(page, "trial")
    given = {}
    for letter, confidence in (("r", 1), ("g", 5)):
        page.wait_for_selector("jb-trial.ready .question.now")
        (system,) = shown_order(served, page)
        page.keyboard.press(letter)
        page.keyboard.press(f"Digit{confidence}")
        given[system] = ({"r": "real", "g": "generated"}[letter], confidence)
        submit(page)
    wait_for_stage(page, "end")
    stored = {row["system"]: row for row in rows(served, "detections")}
    assert {s: (row["answer"], row["confidence"]) for s, row in stored.items()} == given
    assert stored["genuine-camera"]["truth"] == "real"
    assert stored["zebra-model"]["truth"] == "generated"


def mark_words(page: Page, first: str, last: str) -> None:
    page.locator(".word", has_text=first).first.click()
    page.locator(".word", has_text=last).first.click()


def test_mark_by_tapping_and_by_keyboard_in_code_points(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("mark")
    page = open_page()
    begin(page, url)
    texts = {}
    for _ in (1, 2):
        page.wait_for_selector("jb-trial.ready .question.now")
        (system,) = shown_order(served, page)
        text = str(served.material.outputs[ItemId("s1"), SystemId(system)].fields["translation"])
        texts[system] = text
        if "becauze" in text:
            mark_words(page, "eat", "becauze")
            page.keyboard.press("Digit2")
            page.keyboard.press("Digit1")
            mark_words(page, "cafe\u0301", "cafe\u0301")
            page.click(".pending .option:has(input[value=style])")
            page.click(".pending .option:has(input[value=major])")
            page.focus(".words")
            page.keyboard.press("Escape")
            for _ in range(30):  # to the last word of all, the full stop, then back over two
                page.keyboard.press("ArrowDown")
            page.keyboard.press("ArrowUp")
            page.keyboard.press("Shift+ArrowUp")
            page.keyboard.press("Enter")
            page.keyboard.press("Digit1")
            page.keyboard.press("Digit2")
            assert page.locator(".spans li").count() == 3
            page.click(".spans li >> nth=0 >> [data-edit]")
            assert "Close" in page.inner_text("[data-cancel]")  # what is changed is changed at once
            page.click(".pending .option:has(input[value=accuracy])")
            page.click("[data-cancel]")
        else:
            page.keyboard.press("Digit0")
        page.focus("input[type=range]")
        page.keyboard.press("Home")
        submit(page)
    wait_for_stage(page, "end")
    spans = rows(served, "spans")
    (bad,) = [s for s, text in texts.items() if "becauze" in text]
    found = {
        (texts[bad][row["start"] : row["end"]], row["category"], row["severity"])
        for row in spans
        if row["system"] == bad
    }
    assert found == {
        ("eat becauze", "accuracy", "minor"),
        ("cafe\u0301", "style", "major"),
        ("مرحبا بالعالم", "accuracy", "major"),
    }
    (free,) = [row for row in spans if row["system"] != bad]
    assert free["start"] is None


def test_every_medium_is_shown_and_sound_must_be_played_to_the_end(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("media")
    page = open_page()
    begin(page, url)
    settled(page)
    assert page.evaluate("() => [...document.images].every((one) => one.naturalWidth > 0)")
    assert page.inner_text("pre.code").startswith("def hello():")
    assert page.locator(".series li").count() == 5
    assert (
        page.eval_on_selector(
            "[data-role=output] .block:last-child .plain", "one => getComputedStyle(one).direction"
        )
        == "rtl"
    )
    assert page.locator(".tile >> nth=0").get_attribute("data-role") == "reference"
    page.keyboard.press("Digit4")
    page.keyboard.press("Enter")
    assert "play it to the end" in page.inner_text(".form .problem")
    assert served.store.submissions() == ()
    page.keyboard.press("Enter")  # the page moved to the play button
    page.wait_for_function("() => !document.querySelector('jb-trial').state.unplayed.length")
    submit(page)
    wait_until(page, lambda: len(served.store.submissions()) == 1)


def test_nothing_is_preselected_and_submit_names_what_is_missing_and_goes_there(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("sides")
    page = open_page()
    begin(page, url)
    assert page.locator("main input:checked").count() == 0
    assert page.locator("[data-submit]").is_enabled()
    page.click("[data-submit]")
    problem = page.inner_text(".form .problem")
    assert problem == "Still to answer: Preference, Correctness · A, Correctness · B."
    page.keyboard.press("Digit1")
    left = "Still to answer: Correctness · A, Correctness · B."
    assert page.inner_text(".form .problem") == left
    page.keyboard.press("Digit1")
    assert page.inner_text(".form .problem") == "Still to answer: Correctness · B."
    page.click("[data-submit]")
    assert page.inner_text(".form .problem") == "Still to answer: Correctness · B."
    assert page.get_attribute(".question.now", "data-place") == "1"
    assert page.evaluate(
        "() => document.querySelector('.question.now').contains(document.activeElement)"
    )


def test_skipping_asks_for_a_reason(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("graded")
    page = open_page()
    begin(page, url)
    page.keyboard.press("s")
    page.wait_for_selector("#dialog-skip[open]")
    page.keyboard.press("Enter")
    assert page.inner_text("#dialog-skip .problem") == "Please choose a reason."
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    wait_for_stage(page, "end")
    (kept,) = served.store.submissions()
    assert (kept.status, kept.submission.reason) == ("skipped", "broken")


def test_keys_are_off_while_typing_and_can_be_switched_off(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("compare")
    page = open_page()
    begin(page, url)
    page.keyboard.press("c")
    page.wait_for_selector(".comment:not([hidden])")
    page.keyboard.type("is 1 better? no")
    assert page.locator("main input:checked").count() == 0
    assert page.locator("dialog[open]").count() == 0
    page.click("[data-open=keys]")
    page.uncheck("#keys-on")
    page.click("#dialog-keys [data-close]")
    page.focus("[data-submit]")
    page.keyboard.press("Digit1")
    assert page.locator("main input:checked").count() == 0


def test_going_back_changes_an_answer_and_keeps_the_earlier_one(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rank")
    page = open_page()
    begin(page, url)
    order = shown_order(served, page)
    for key in ("a", "b", "c", "d"):
        page.keyboard.press(key)
    submit(page)
    page.click("#back")
    page.wait_for_function("() => document.querySelector('#where').textContent.includes('1 of 2')")
    assert page.inner_text(".standing") == "A > B > C > D"
    for _ in range(4):
        page.click("[data-undo]")
    for key in ("d", "c", "b", "a"):
        page.keyboard.press(key)
    submit(page)
    assert shown_trial(page) == "Trial 2 of 2"
    wait_until(page, lambda: len(served.store.submissions()) == 2)
    ranks = {row["system"]: row["rank"] for row in rows(served, "rankings")}
    assert ranks == dict(zip(order, (4, 3, 2, 1), strict=True))
    assert sorted(one.status for one in served.store.submissions()) == ["answered", "superseded"]


def test_a_draft_survives_a_reload(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("sides")
    page = open_page()
    begin(page, url)
    page.keyboard.press("Digit2")
    page.keyboard.press("c")
    page.keyboard.type("not sur")
    with page.expect_request(lambda sent: "not sure" in (sent.post_data or "")):
        page.keyboard.type("e")  # what was typed before may be on its way
    page.reload()
    page.wait_for_selector("jb-trial.ready .question.now")
    assert page.locator("[data-kind=graded] input:checked").get_attribute("value") == "-2"
    assert page.input_value(".comment textarea") == "not sure"
    assert page.get_attribute(".question.now", "data-kind") == "scale"


def test_stop_then_withdraw(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("rank")
    page = open_page()
    begin(page, url)
    submit(page, "a", "b", "c", "d")
    page.click("[data-open=stop]")
    page.click("#dialog-stop button.primary")
    wait_for_stage(page, "stopped")
    assert page.inner_text(".code-shown") == served.app.state.site.seals.code("partial", "r1")
    page.click("[data-withdraw]")
    page.click("#dialog-withdraw button.danger")
    wait_for_stage(page, "withdrawn")
    assert [mark.rule for mark in served.store.exclusions()] == ["withdrawn"]
