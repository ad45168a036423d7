"""Whole short studies from Start to the code, so that every two circumstances meet once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jurybox.study import ItemId, SystemId
from jurybox.study.languages import catalogue
from tests.web.axe import violations
from tests.web.covering import LEVELS, RULES, Row, Rule, cover, every_row, pairs_of
from tests.web.covering_studies import CODE, MARKED, write_case
from tests.web.serving import live, open_study
from tests.web.settling import settled
from tests.web.test_browser import rows, shown_order
from tests.web.test_keyboard import tab_to
from tests.web.test_layout import assert_in_sight_here
from tests.web.walking import stage, wait_for_stage

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage
    from tests.web.serving import Served

SMALL = {"a": ("1", "2", "3"), "b": ("x", "y"), "c": ("p", "q")}


def never_two_and_x(levels: Any) -> bool:
    return (levels.get("a"), levels.get("b")) != ("2", "x")


@pytest.mark.parametrize(
    ("levels", "rules", "most"),
    [
        (SMALL, (), 7),  # three levels times two are six rows at least
        (SMALL, (never_two_and_x,), 7),
        # Six forms × eight media, and six languages each for marks and rows, are 60 at least.
        (LEVELS, RULES, 66),
    ],
)
def test_every_two_levels_that_can_meet_do(
    levels: dict[str, tuple[str, ...]], rules: tuple[Rule, ...], most: int
) -> None:
    found = cover(levels, rules)
    possible = list(every_row(levels, rules))
    assert all(row in possible for row in found)
    assert {pair for row in found for pair in pairs_of(row)} == {
        pair for row in possible for pair in pairs_of(row)
    }
    assert len(found) <= most
    assert found == cover(levels, rules)


class Hand:
    """How a rater presses things: with the mouse, a finger, or keys alone."""

    def __init__(self, page: Page, kind: str) -> None:
        self.page = page
        self.kind = kind

    def press(self, selector: str, key: str | None = None) -> None:
        """Press a control; with keys by its own key, else by Tab and Enter."""
        target = self.page.locator(selector).first
        if self.kind == "mouse":
            target.click()
        elif self.kind == "touch":
            target.tap()
        elif key is not None:
            self.page.keyboard.press(key)
        else:
            tab_to(self.page, selector)
            self.page.keyboard.press("Enter")

    def slide(self, selector: str, tens: int) -> None:
        """Move a slider from 0 to 100 to so many tens."""
        target = self.page.locator(selector).first
        if self.kind == "keyboard":
            tab_to(self.page, selector)
            self.page.keyboard.press("Home")
            for _ in range(tens):
                self.page.keyboard.press("PageUp")
            return
        box = target.bounding_box()
        assert box is not None
        from_left = self.page.eval_on_selector("html", "one => one.dir") != "rtl"
        share = tens / 10 if from_left else 1 - tens / 10
        spot: Any = {"x": share * box["width"], "y": box["height"] / 2}
        if self.kind == "mouse":
            target.click(position=spot)
        else:
            target.tap(position=spot)

    def mark(self, first: int, last: int) -> None:
        """Mark from one word of the text to another."""
        if self.kind != "keyboard":
            self.press(f".word >> nth={first}")
            self.press(f".word >> nth={last}")
            return
        tab_to(self.page, ".words")
        for _ in range(first):
            self.page.keyboard.press("ArrowDown")
        for _ in range(last - first):
            self.page.keyboard.press("Shift+ArrowDown")
        self.page.keyboard.press("Enter")


def option(value: object) -> str:
    return f".question.now .option:has(input[value='{value}'])"


Answered = dict[Any, Any]
"""What was pressed, by system or as the name of the winner."""


def rate(hand: Hand, order: tuple[str, ...], number: int) -> Answered:
    score = (2, 5)[number]
    hand.press(option(score), f"Digit{score}")
    whole = slid(hand, "[data-kind=slider] input[type=range]", (3, 8)[number])
    return {(order[0], "good"): score, (order[0], "whole"): whole}


def slid(hand: Hand, selector: str, tens: int) -> float:
    hand.slide(selector, tens)
    # With keys exactly there; a finger's place on the track leaves out half a thumb at each end.
    shown = hand.page.wait_for_function(
        """([selector, wanted, off]) => {
          const slider = document.querySelector(selector).closest(".slider");
          const shown = Number(slider.querySelector("output").textContent || NaN);
          return Math.abs(shown - wanted) <= off ? { shown } : null;
        }""",
        arg=[selector, 10 * tens, 0 if hand.kind == "keyboard" else 4],
    )
    return float(shown.json_value()["shown"])


def rate_rows(hand: Hand, order: tuple[str, ...], number: int) -> Answered:
    given = {}
    for place, system in enumerate(order):
        tens = (2 + 3 * place + number) % 10
        given[system, "quality"] = slid(hand, f".row[data-place='{place}'] input", tens)
    return given


def compare(hand: Hand, order: tuple[str, ...], number: int) -> Answered:
    value, key = (("first", "Digit1"), ("both_bad", "Digit9"))[number]
    hand.press(option(value), key)
    return {"winner": order[0] if number == 0 else "both_bad"}


def grade(hand: Hand, order: tuple[str, ...], number: int) -> Answered:
    value = (-1, 3)[number]
    hand.press(option(value), f"Digit{value + 4}")
    return {"winner": order[number], "strength": abs(value)}


def rank(hand: Hand, order: tuple[str, ...], number: int) -> Answered:
    places = ((1, 2, 0), (2, 0, 1))[number]
    for step, place in enumerate(places):
        if number == 1 and step == 1:
            hand.press("[data-tie]", "Equal")
        hand.press(f"[data-pick='{place}']", "abc"[place])
    ranks = (1, 2, 3) if number == 0 else (1, 1, 3)
    return {order[place]: one for place, one in zip(places, ranks, strict=True)}


def best(hand: Hand, order: tuple[str, ...], number: int) -> Answered:
    hand.press(option(number + 1), "abc"[number + 1])
    return {system: 1 if place == number + 1 else 2 for place, system in enumerate(order)}


def detect(hand: Hand, order: tuple[str, ...], number: int) -> Answered:
    value = ("generated", "real")[number]
    hand.press(option(value), value[0])
    hand.press(option(4), "Digit4")
    return {order[0]: (value, 4)}


def mark(hand: Hand, order: tuple[str, ...], number: int) -> Answered:
    words = hand.page.locator(".word").all_inner_texts()
    hand.mark(*(words.index(one) for one in MARKED))
    category, severity = (("fluency", "minor"), ("accuracy", "major"))[number]
    for value, key in ((category, 1 + (category == "fluency")), (severity, 1 + number)):
        hand.press(f".pending .option:has(input[value={value}])", f"Digit{key}")
    return {order[0]: (" ".join(MARKED), category, severity)}


ANSWER: dict[str, Callable[[Hand, tuple[str, ...], int], Answered]] = {
    "rate": rate,
    "rows": rate_rows,
    "compare": compare,
    "graded": grade,
    "rank": rank,
    "best": best,
    "detect": detect,
    "mark": mark,
}


def stored(served: Served, form: str) -> dict[str, Answered]:
    """What the store holds by trial, in the words of what was pressed."""
    found: dict[str, Answered] = {}
    shapes = {"rate": "ratings", "rows": "ratings", "detect": "detections", "mark": "spans"}
    shapes |= {"compare": "votes", "graded": "votes", "rank": "rankings", "best": "rankings"}
    for row in rows(served, shapes[form]):
        answer = found.setdefault(row["trial"], {})
        match shapes[form]:
            case "ratings":
                answer[row["system"], row["criterion"]] = row["score"]
            case "votes":
                named = {"a": row["system_a"], "b": row["system_b"]}
                answer["winner"] = named.get(row["winner"], row["winner"])
                if form == "graded":
                    answer["strength"] = row["strength"]
            case "rankings":
                answer[row["system"]] = row["rank"]
            case "detections":
                answer[row["system"]] = (row["answer"], row["confidence"])
            case _:
                made = served.material.outputs[ItemId(row["item"]), SystemId(row["system"])]
                quoted = str(made.fields["made"])[row["start"] : row["end"]]
                answer[row["system"]] = (quoted, row["category"], row["severity"])
    return found


SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


CASES = cover()
MARKING = next(row for row in CASES if row["form"] == "mark")
"""Belongs to every run: what it marks comes after an emoji, a combining accent and Arabic."""


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row, id="-".join(row.values()), marks=() if row is MARKING else pytest.mark.full
        )
        for row in CASES
    ],
)
def test_a_study_from_start_to_the_code(row: Row, tmp_path: Path, open_page: OpenPage) -> None:
    folder = write_case(
        tmp_path / "study",
        form=row["form"],
        medium=row["medium"],
        language=row["language"],
    )
    touch = row["input"] == "touch"
    page = open_page(
        viewport=SCREENS[row["width"]],
        color_scheme=row["theme"],
        reduced_motion="reduce",
        has_touch=touch,
        is_mobile=touch,
    )
    hand = Hand(page, row["input"])
    with open_study(folder) as served, live(served.app) as url:
        page.goto(url)
        assert_speaks(page, row)
        given = walk(hand, served, row)
        assert page.inner_text(".code-shown") == CODE
        assert_fits(page)
        assert len(given) == 2
        assert stored(served, row["form"]) == given


def walk(hand: Hand, served: Served, row: Row) -> dict[str, Answered]:
    """Go from Start to the end; gives what was pressed, by trial."""
    page = hand.page
    page.fill("[name=rater]", "r1")
    given: dict[str, Answered] = {}
    while True:
        now = wait_for_stage(page, "welcome", "guide", "trial", "end")
        assert_fits(page)
        if now == "end":
            return given
        if now != "trial":
            hand.press("main button[type=submit]")
            page.wait_for_selector(f"main:not([data-stage={now}])")
            continue
        page.wait_for_selector("jb-trial.ready .question.now")
        if not given:
            assert_drawn(page, row)
        name = page.evaluate("() => document.querySelector('jb-trial').assignment")
        order = shown_order(served, page)
        look(hand)
        trial = served.app.state.site.slot(name).trial
        given[trial] = ANSWER[row["form"]](hand, order, len(given))
        submit(hand, name)


def look(hand: Hand) -> None:
    """Open every output that stands behind a tab."""
    tabs = hand.page.locator("[data-tab]")
    for number in range(tabs.count()):
        if tabs.nth(number).is_visible():
            hand.press(f"[data-tab='{number}']")


GONE = """(before) => document.querySelector("main").dataset.stage !== "trial"
  || document.querySelector("jb-trial")?.assignment !== before"""


def submit(hand: Hand, before: str) -> None:
    """Submit; an output that was not looked at is brought into sight first, each with its turn."""
    said = ""
    for _ in range(4):
        hand.press("[data-submit]", "Control+Enter")
        said = hand.page.wait_for_function(
            f"""([before, said]) => {{
              if (({GONE})(before)) return "gone";
              const now = document.querySelector(".form .problem:not([hidden])")?.textContent;
              return now === said ? null : now;
            }}""",
            arg=[before, said],
        ).json_value()
        if said == "gone":
            return
    raise AssertionError(f"the page still says: {said}")


def assert_speaks(page: Page, row: Row) -> None:
    words = catalogue(row["language"])
    html = "[document.documentElement.lang, document.documentElement.dir]"
    assert page.evaluate(html) == [row["language"], words.direction]
    assert words.gettext("Start") in page.inner_text("main button[type=submit]")


def assert_fits(page: Page) -> None:
    wide = "() => document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(wide) <= 0, f"the page scrolls sideways at {stage(page)}"


LIGHT = """() => getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g)
  .slice(0, 3).every((one) => Number(one) > 128)"""


def assert_drawn(page: Page, row: Row) -> None:
    """The trial is whole in sight, accessible, in its theme, and begins where its language does."""
    settled(page)
    assert_in_sight_here(page)
    assert violations(page) == []
    assert page.evaluate(LIGHT) is (row["theme"] == "light")
    assert catalogue(row["language"]).gettext("Submit") in page.inner_text("[data-submit]")
    if row["width"] == "wide" and row["form"] in ("compare", "graded"):
        a, b = (page.locator(f".tile[data-name={one}]").bounding_box() for one in "AB")
        assert a is not None
        assert b is not None
        assert (a["x"] < b["x"]) is (catalogue(row["language"]).direction == "ltr")
