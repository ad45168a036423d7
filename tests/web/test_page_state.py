"""The page's state by itself: the reducer, the keys and the answers made of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from jurybox.screen.form import make_form
from jurybox.study import Study
from tests.web.serving import live, open_study
from tests.web.studies import write_study

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

RUN = """
async ({ form, steps, draft, chosen }) => {
  const state = await import("/static/trial-state.js");
  const keys = await import("/static/keys.js");
  let now = state.start(form, draft || {});
  const commands = [];
  const inUse = chosen || keys.COMMANDS;
  for (const step of steps) {
    if (step.type) { now = state.reduce(now, step); continue; }
    const code = /^[0-9]$/.test(step) ? `Digit${step}` : "";
    const event = typeof step === "string" ? { key: step, code } : step;
    const meaning = keys.meaningOf(now, event, inUse);
    if (meaning?.action) now = state.reduce(now, meaning.action);
    else commands.push(meaning?.command ?? null);
  }
  return {
    answers: state.shownAnswers(now), missing: state.missing(now).map((one) => one.name),
    current: now.current, commands, draft: state.draftOf(now),
  };
}
"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = write_study("graded", tmp_path_factory.mktemp("state"))
    with open_study(folder) as served, live(served.app) as url:
        page = browser.new_page()
        page.goto(url)
        yield page
        page.close()


def run(
    page: Page, study: Study, places: int, *steps: Any, draft: Any = None, chosen: Any = None
) -> Any:
    form = make_form(study, places=places).to_dict()
    told = {"form": form, "steps": list(steps), "draft": draft, "chosen": chosen}
    return page.evaluate(RUN, told)


def make(protocol: str, criteria: dict[str, Any]) -> Study:
    return Study(
        title="T",
        protocol=protocol,
        outputs="o/{system}.jsonl",
        show={"a": "text"},
        criteria=criteria,
    )


RATE = make("rate", {"x": {"scale": {0: "No", 0.5: "Half", 2: "Two"}}, "y": {"scale": "acr"}})
ORDER = make("rank", {"fit": {"answer": "order", "ties": True}})
MARK = make(
    "mark",
    {"errors": {"categories": {"acc": "A", "flu": "F"}, "severities": {"minor": 1, "major": 5}}},
)


def test_digits_go_to_the_current_question_and_move_on(page: Page) -> None:
    found = run(page, RATE, 1, "5", "4")
    assert found["answers"] == [
        {"criterion": "x", "place": 0, "score": 0.5},
        {"criterion": "y", "place": 0, "score": 4},
    ]
    assert found["missing"] == []
    assert found["current"] == "q1"


def test_a_digit_without_meaning_changes_nothing(page: Page) -> None:
    found = run(page, RATE, 1, "7")
    assert found["answers"] == []
    assert found["missing"] == ["X", "Y"]


def test_a_key_held_down_acts_once(page: Page) -> None:
    held = [
        {"key": key, "code": code, "repeat": True} for key, code in (("2", "Digit2"), ("s", ""))
    ]
    enter = {"key": "Enter", "code": "Enter", "repeat": True}
    found = run(page, RATE, 1, "2", *held, enter, {**enter, "ctrlKey": True})
    assert found["answers"] == [{"criterion": "x", "place": 0, "score": 2}]
    assert found["commands"] == [None] * 4
    undo = {"key": "Backspace", "code": "Backspace"}
    held_undo = [undo, {**undo, "repeat": True}]
    assert run(page, ORDER, 4, "a", "b", *held_undo)["draft"]["answers"]["q0"]["groups"] == []


def test_changing_a_choice_keeps_one_value(page: Page) -> None:
    back = {"type": "focus", "id": "q0"}
    found = run(page, RATE, 1, "0", "3", back, "2")
    assert found["answers"][0] == {"criterion": "x", "place": 0, "score": 2}
    assert len(found["answers"]) == 2


def test_arrows_choose_without_moving_on(page: Page) -> None:
    step = {"type": "answer", "id": "q0", "value": 0, "advance": False}
    assert run(page, RATE, 1, step)["current"] == "q0"


def test_a_draft_begins_at_what_is_still_open(page: Page) -> None:
    kept = run(page, RATE, 1, "0")["draft"]
    found = run(page, RATE, 1, draft=kept)
    assert found["current"] == "q1"
    assert found["missing"] == ["Y"]


@pytest.mark.parametrize("order", list(itertools.permutations("abcd")))
def test_ranks_equal_the_order_chosen_for_every_permutation(
    page: Page, order: tuple[str, ...]
) -> None:
    (answer,) = run(page, ORDER, 4, *order)["answers"]
    assert answer["ranks"] == [order.index(letter) + 1 for letter in "abcd"]


@pytest.mark.parametrize(
    ("keys", "ranks"),
    [
        (["b", "=", "a", "c"], [1, 1, 3]),
        (["b", "a", "=", "c"], [2, 1, 2]),
        (["c", "=", "b", "=", "a"], [1, 1, 1]),
        (["a", "b", "Backspace", "c", "b"], [1, 3, 2]),
        (["a", "=", "Backspace", "b", "c"], [1, 2, 3]),
        (["=", "a", "a", "b", "c"], [1, 2, 3]),
    ],
)
def test_ties_and_undo(page: Page, keys: list[str], ranks: list[int]) -> None:
    (answer,) = run(page, ORDER, 3, *keys)["answers"]
    assert answer["ranks"] == ranks


@pytest.mark.parametrize(
    ("begun", "place", "to", "ranks"),
    [
        ("abcd", 3, 0, [2, 3, 4, 1]),  # D to the front
        ("abcd", 0, 99, [4, 1, 2, 3]),  # A to the end
        ("abcd", 0, 2, [2, 1, 3, 4]),  # A before C
        ("abcd", 1, 1, [1, 2, 3, 4]),  # B where it is
        ("ab=cd", 2, 1, [1, 3, 2, 4]),  # C out of its tie with B, before B
        ("ab=cd", 2, 2, [1, 2, 3, 4]),  # and after B
        ("abd", 2, 2, [1, 2, 3, 4]),  # C, not placed yet, before D
    ],
)
def test_dragging_moves_an_output_within_the_order(
    page: Page, begun: str, place: int, to: int, ranks: list[int]
) -> None:
    move = {"type": "move", "id": "q0", "place": place, "to": to}
    (answer,) = run(page, ORDER, 4, *begun, move)["answers"]
    assert answer["ranks"] == ranks


def test_an_output_that_was_never_looked_at_is_missing_and_a_draft_remembers(page: Page) -> None:
    outputs = {"type": "outputs", "names": ["A", "B"]}
    found = run(page, RATE, 1, "5", "4", outputs, {"type": "seen", "names": ["A"]})
    assert found["missing"] == ["B"]
    both = run(page, RATE, 1, "5", "4", outputs, {"type": "seen", "names": ["A", "B", "A"]})
    assert both["missing"] == []
    assert run(page, RATE, 1, outputs, draft=both["draft"])["missing"] == []


def test_what_is_on_its_way_is_missing_until_it_is_there_or_broken(page: Page) -> None:
    awaited = {"type": "awaited", "names": ["A", "B"]}
    arrived = {"type": "arrived", "name": "A"}
    assert run(page, RATE, 1, awaited)["missing"] == ["A", "B", "X", "Y"]
    assert run(page, RATE, 1, "5", "4", awaited, awaited, arrived)["missing"] == ["B"]
    assert run(page, RATE, 1, "5", "4", awaited, arrived, arrived, awaited)["missing"] == ["B", "A"]
    broken = [{"type": "arrived", "name": "B"}, {"type": "broken", "name": "B"}]
    assert run(page, RATE, 1, awaited, *broken)["missing"] == ["B", "A", "X", "Y"]
    assert run(page, RATE, 1, awaited)["draft"] == run(page, RATE, 1)["draft"]


def test_what_was_answered_was_looked_at(page: Page) -> None:
    form = make_form(ORDER, places=3).to_dict()
    draft = page.evaluate(
        """async ([form, given]) => (await import("/static/past.js")).draftFrom(form, given)""",
        [form, {"answers": [{"criterion": "fit", "ranks": [2, 1, 2]}], "comment": ""}],
    )
    outputs = {"type": "outputs", "names": ["A", "B", "C"]}
    found = run(page, ORDER, 3, outputs, draft=draft)
    assert found["missing"] == []
    assert found["answers"][0]["ranks"] == [2, 1, 2]


def typed(key: str, code: str, *, shift: bool = False) -> dict[str, Any]:
    return {"key": key, "code": code, "shiftKey": shift}


def test_the_digit_row_of_a_french_keyboard_means_digits(page: Page) -> None:
    # AZERTY: the row types & é " ' ( without Shift and digits with it.
    found = run(page, RATE, 1, typed("(", "Digit5"), typed("4", "Digit4", shift=True))
    assert [answer["score"] for answer in found["answers"]] == [0.5, 4]
    assert run(page, RATE, 1, typed("é", "Digit2"))["answers"][0]["score"] == 2


def test_letters_of_a_french_keyboard_are_those_it_prints(page: Page) -> None:
    # AZERTY: the key that types q stands where A is on QWERTY, the key that types a where Q is.
    (answer,) = run(page, ORDER, 3, typed("a", "KeyQ"), typed("c", "KeyC"), typed("b", "KeyB"))[
        "answers"
    ]
    assert answer["ranks"] == [1, 3, 2]
    assert run(page, RATE, 1, typed("w", "KeyZ"))["commands"] == ["wipe"]


@pytest.mark.parametrize(
    ("key", "code", "command"),
    [
        ("س", "KeyS", "skip"),
        ("ؤ", "KeyC", "comment"),
        ("ه", "KeyI", "guide"),
        ("؟", "Slash", "keys"),
        ("і", "KeyS", "skip"),  # a Ukrainian letter that only looks Latin
        ("ı", "KeyI", "guide"),  # the Turkish dotless i
    ],
)
def test_letters_of_other_scripts_mean_what_stands_there_on_a_latin_keyboard(
    page: Page, key: str, code: str, command: str
) -> None:
    assert run(page, RATE, 1, typed(key, code, shift=key == "؟"))["commands"] == [command]


def test_an_arabic_keyboard_ranks_and_answers(page: Page) -> None:
    # The key at B types two letters at once.
    keys = [typed("ش", "KeyA"), typed("ؤ", "KeyC"), typed("لا", "KeyB")]
    (answer,) = run(page, ORDER, 3, *keys)["answers"]
    assert answer["ranks"] == [1, 3, 2]
    assert run(page, RATE, 1, typed("٢", "Digit2"))["answers"][0]["score"] == 2


def test_a_tie_is_typed_where_the_sign_is_on_a_digit_key(page: Page) -> None:
    # QWERTZ: = is Shift and 0.
    tie = typed("=", "Digit0", shift=True)
    (answer,) = run(page, ORDER, 2, "a", tie, "b")["answers"]
    assert answer["ranks"] == [1, 1]


def test_the_keys_are_asked_for_where_the_sign_is_on_a_digit_key(page: Page) -> None:
    # Russian: ? is Shift and 7; French of Canada: Shift and 6.
    for code in ("Digit7", "Digit6"):
        found = run(page, RATE, 1, typed("?", code, shift=True))
        assert (found["commands"], found["answers"]) == (["keys"], [])


def test_a_number_pad_without_num_lock_moves_and_answers_nothing(page: Page) -> None:
    for key, code in (("ArrowDown", "Numpad2"), ("Clear", "Numpad5"), ("Insert", "Numpad0")):
        found = run(page, RATE, 1, typed(key, code))
        assert (found["commands"], found["answers"]) == ([None], [])
    assert run(page, RATE, 1, typed("2", "Numpad2"))["answers"][0]["score"] == 2


@pytest.mark.parametrize("key", ["ArrowLeft", "ArrowDown", "Tab", "PageDown", " ", "Home"])
def test_keys_that_move_and_scroll_are_left_to_the_page(page: Page, key: str) -> None:
    found = run(page, RATE, 1, key)
    assert (found["commands"], found["answers"]) == ([None], [])


def test_keys_with_a_modifier_are_left_to_the_browser(page: Page) -> None:
    for modifier in ("ctrlKey", "metaKey", "altKey"):
        found = run(page, RATE, 1, {**typed("s", "KeyS"), modifier: True})
        assert found["commands"] == [None]
    submit = {**typed("Enter", "Enter"), "ctrlKey": True}
    assert run(page, RATE, 1, submit)["commands"] == ["submit"]


def test_a_chosen_key_takes_the_place_of_the_usual_one(page: Page) -> None:
    chosen = {"skip": "x", "zoom": "s"}
    assert run(page, RATE, 1, "x", "s", chosen=chosen)["commands"] == ["skip", "zoom"]


def test_a_ranking_that_is_not_finished_is_missing(page: Page) -> None:
    found = run(page, ORDER, 3, "a", "b")
    assert found["answers"] == []
    assert found["missing"] == ["Fit"]


def test_ties_need_permission(page: Page) -> None:
    strict = make("rank", {"fit": {"answer": "order"}})
    (answer,) = run(page, strict, 2, "a", "=", "b")["answers"]
    assert answer["ranks"] == [1, 2]


def test_best_of_n_is_one_and_the_others_two(page: Page) -> None:
    (answer,) = run(page, make("rank", {"best": {"answer": "best"}}), 3, "b")["answers"]
    assert answer["ranks"] == [2, 1, 2]


def test_an_output_letter_wins_over_a_command(page: Page) -> None:
    assert run(page, ORDER, 3, "c", "s", "i", "?")["commands"] == ["skip", "guide", "keys"]
    assert run(page, RATE, 1, "c", "s")["commands"] == ["comment", "skip"]


def test_spans_need_category_and_severity_and_come_sorted(page: Page) -> None:
    def select(start: int, end: int) -> dict[str, Any]:
        return {"type": "select", "id": "q0", "start": start, "end": end}

    found = run(page, MARK, 1, select(7, 9), "2", "1", select(0, 3), "1")
    assert found["missing"] == []
    assert found["answers"][0]["spans"] == [
        {"start": 7, "end": 9, "category": "flu", "severity": "minor"}
    ]
    found = run(page, MARK, 1, select(7, 9), "2", "1", select(0, 8), "1", "2")
    assert [span["start"] for span in found["answers"][0]["spans"]] == [0, 7]


def test_a_span_can_be_changed_and_removed(page: Page) -> None:
    made = [{"type": "select", "id": "q0", "start": 1, "end": 2}, "1", "1"]
    edit = {"type": "edit", "id": "q0", "index": 0}
    change = {"type": "span", "part": "category", "value": "flu"}
    wider = {"type": "select", "id": "q0", "start": 0, "end": 5}
    found = run(page, MARK, 1, *made, edit, change, wider, {"type": "cancel"})
    assert found["answers"][0]["spans"] == [
        {"start": 0, "end": 5, "category": "flu", "severity": "minor"}
    ]
    gone = run(page, MARK, 1, *made, {"type": "remove", "id": "q0", "index": 0})
    assert gone["missing"] == ["Errors"]


def test_no_error_is_said_and_not_assumed(page: Page) -> None:
    assert run(page, MARK, 1)["missing"] == ["Errors"]
    (answer,) = run(page, MARK, 1, "0")["answers"]
    assert answer["spans"] == []
    assert run(page, MARK, 1, "0", "0")["missing"] == ["Errors"]


def test_a_question_inside_a_sentence_keeps_one_mark_at_the_end(page: Page) -> None:
    said = page.evaluate(
        """async () => (await import("/static/words.js")).words.answerFirst(
             ["Fit (A)", "How sure are you??", "Why?"])"""
    )
    assert said == "Still to answer: Fit (A), How sure are you, Why."


def test_a_trial_with_next_to_no_answer_names_the_first_ones(page: Page) -> None:
    said = page.evaluate(
        """async () => { const { words } = await import("/static/words.js");
             return ["ABCD", "ABCDE"].map((names) => words.answerFirst([...names])); }"""
    )
    assert said == ["Still to answer: A, B, C, D.", "Still to answer: A, B, C and 2 more."]


REBIND = """
async ({ chosen, steps, answers, offered }) => {
  const keys = await import("/static/keys.js");
  const told = [];
  for (const [command, key] of steps) {
    const found = keys.choose(chosen, command, key, { answers, offered });
    chosen = found.chosen ?? chosen;
    told.push(found.refused ? [found.refused, found.by ?? null] : null);
  }
  return { chosen, told, keys: keys.keysWith(chosen) };
}
"""
ALL = ("skip", "comment", "zoom", "wipe", "guide", "keys", "next")


def rebind(
    page: Page,
    *steps: tuple[str, str],
    chosen: Any = None,
    answers: str = "",
    offered: tuple[str, ...] = ALL,
) -> Any:
    told = {"chosen": chosen or {}, "steps": steps, "answers": answers, "offered": offered}
    return page.evaluate(REBIND, told)


def test_a_command_gets_another_key_and_its_usual_one_back(page: Page) -> None:
    found = rebind(page, ("skip", "m"), ("keys", "h"))
    assert found["chosen"] == {"skip": "m", "keys": "h"}
    assert (found["keys"]["skip"], found["keys"]["keys"], found["keys"]["zoom"]) == ("m", "h", "z")
    again = rebind(page, ("skip", "s"), chosen=found["chosen"])
    assert again["chosen"] == {"keys": "h"}
    assert again["keys"]["skip"] == "s"


def test_a_key_that_answers_or_is_taken_is_refused_and_nothing_changes(page: Page) -> None:
    found = rebind(page, ("skip", "i"), ("skip", "a"), ("skip", "4"), answers="ab")
    assert found["told"] == [["taken", "guide"], ["answers", None], ["answers", None]]
    assert found["chosen"] == {}
    swapped = rebind(page, ("skip", "m"), ("comment", "s"), ("skip", "s"))
    assert swapped["told"] == [None, None, ["taken", "comment"]]


def test_a_key_of_a_command_that_is_not_here_is_free_and_the_last_choice_has_it(page: Page) -> None:
    here = ("skip", "comment", "guide", "keys")
    found = rebind(page, ("skip", "w"), offered=here)
    assert found["told"] == [None]
    assert (found["keys"]["skip"], found["keys"]["wipe"]) == ("w", None)  # in a study that has both
    other = rebind(page, ("skip", "k"), chosen={"wipe": "k"}, offered=here)
    assert other["chosen"] == {"skip": "k"}
    assert other["keys"]["wipe"] == "w"


@pytest.mark.parametrize("kept", [{"skip": 5}, {"skip": "Enter"}, {"other": "s"}, {"skip": None}])
def test_what_is_no_key_is_not_taken_for_one(page: Page, kept: dict[str, Any]) -> None:
    assert rebind(page, chosen=kept)["keys"]["skip"] == "s"
