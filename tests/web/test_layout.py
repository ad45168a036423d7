"""What is in sight without scrolling: every question with its answers, Submit, and the outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from jurybox.study.templates import list_templates, write_template
from tests.forms import cases
from tests.study.examples import write_jsonl
from tests.web.reaching import UNKEPT
from tests.web.serving import ADMIN, live, open_study
from tests.web.settling import Held, laid_out, resize, settled, shifted, watch_shifts
from tests.web.studies import picture, write_study
from tests.web.walking import begin, wait_for_stage, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
OUTPUTS = 0.55
"""The share of the height below the bar that the outputs keep."""

MEASURE = """
(id) => {
  const trial = document.querySelector("jb-trial");
  trial.dispatch({ type: "focus", id });
  const box = (one) => one.getBoundingClientRect();
  const now = trial.querySelector(".question.now");
  const list = trial.querySelector(".questions");
  const submit = trial.querySelector("[data-submit]");
  const area = innerHeight - box(document.querySelector("main")).top;
  const apart = getComputedStyle(list).display === "contents";
  const edge = box(apart ? trial.querySelector(".form") : list);
  const lowest = Math.min(edge.bottom, innerHeight) + 3;
  const outside = (one) => box(one).top < edge.top - 3 || box(one).bottom > lowest;
  const answers = "legend, .option, .pick, input[type=range], textarea, .chip";
  const controls = [...now.querySelectorAll(answers)];
  const covered = (one) => {
    const { left, top, width, height } = box(one);
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return !(one.contains(found) || found?.contains(one));
  };
  const aloud = (one) => getComputedStyle(one).clipPath !== "none"; // for screen readers only
  const seen = controls.filter((one) => one.offsetParent !== null && !aloud(one));
  return {
    heard: trial.dataset.heard === "yes" || trial.dataset.layout === "rows",
    share: box(trial.querySelector(".tiles")).height / area,
    hidden: seen.filter((one) => outside(one) || covered(one)).map((one) => one.textContent.trim()),
    controls: seen.length,
    submit: box(submit).top >= 0 && box(submit).bottom <= innerHeight && !covered(submit),
    tall: document.documentElement.scrollHeight - innerHeight,
    wide: document.documentElement.scrollWidth - innerWidth,
    cut: [...document.querySelectorAll(".bar .chip, main :is(.chip, .option, .tool, .tile header)")]
      .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
      .map((one) => one.textContent.trim()),
    small: seen.filter((one) => one.matches(".option, .pick, .chip"))
      .filter((one) => box(one).height < 43.5 || box(one).width < 32)
      .map((one) => one.textContent.trim()),
  };
}
"""


def assert_in_sight(page: Page) -> None:
    """Go through all questions at both sizes."""
    for size in (WIDE, PHONE):
        resize(page, **size)
        assert_in_sight_here(page)


def assert_in_sight_here(page: Page) -> None:
    """Go through all questions at the present size, and back to the first."""
    ids = page.eval_on_selector_all(
        "[data-question]", "all => all.map((one) => one.dataset.question)"
    )
    assert ids
    for id in (*ids, ids[0]):
        found: dict[str, Any] = page.evaluate(MEASURE, id)
        told = (page.viewport_size, id, found)
        assert found["controls"] > 0, told
        assert found["hidden"] == [], told
        assert found["submit"], told
        assert found["heard"] or found["share"] >= OUTPUTS, told  # sound needs no room
        assert (found["tall"], found["wide"]) == (0, 0), told
        assert found["small"] == [], told
        assert found["cut"] == [], told


TEMPLATES = [
    (one.name, three)
    for one in list_templates()
    for three in ((False, True) if one.three_point else (False,))
]
USUAL = {"imagenhub/subject-driven-editing", "rag-qa", "ab-rubric", "best-of-n", "mqm"}
"""With the longest anchors, the most questions, and the rest of the protocols."""


@pytest.mark.parametrize(
    ("name", "three_point"),
    [
        pytest.param(
            *one,
            id=f"{one[0]}{'-three-point' if one[1] else ''}",
            marks=() if one[0] in USUAL and not one[1] else pytest.mark.full,
        )
        for one in TEMPLATES
    ],
)
def test_questions_submit_and_outputs_are_in_sight_in_every_template(
    name: str, three_point: bool, tmp_path: Path, open_page: OpenPage
) -> None:
    write_template(name, tmp_path / "study", three_point=three_point)
    page = open_page()
    with open_study(tmp_path / "study") as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        settled(page)
        assert_in_sight(page)
        page.click("[data-command=comment]")
        assert_in_sight(page)
        page.add_init_script(UNKEPT)
        page.reload()
        page.wait_for_selector("header .notice >> nth=1")
        page.wait_for_selector("jb-trial.ready .question.now")
        settled(page)
        assert_in_sight(page)


@pytest.mark.parametrize(
    "study", cases(["rate", "compare", "rank", "mark"], ["sides", "graded", "best", "detect"])
)
def test_questions_submit_and_outputs_are_in_sight_in_every_protocol(
    study: str, studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve(study)
    page = open_page()
    page.goto(f"{url}/preview#token={ADMIN}&at=trials")
    page.wait_for_selector("jb-trial.ready .question.now")
    settled(page)
    assert_in_sight(page)


def test_on_a_phone_a_practice_trial_can_be_reported(studio: Studio, open_page: OpenPage) -> None:
    """It cannot be skipped, which is where other trials are reported."""
    served, url = studio.serve("detect")
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    assert begin(page, url) == "practice"
    settled(page)
    assert_in_sight_here(page)
    page.locator(".bar [data-open=problem]").tap()
    page.fill("#problem-words", "The picture is black.")
    page.locator("#dialog-problem .primary").tap()
    wait_until(page, lambda: len(served.store.events("problem")) == 1)


def write_long_prompts(folder: Path) -> Path:
    """Write the comparison with three texts above its outputs, two of them long."""
    write_study("compare", folder)
    row = {"context": "Written on the free plan. " * 9, "tone": "Friendly"}
    rows = [{"item": f"q{n}", "prompt": "How does it work? " * 15, **row} for n in (1, 2, 3)]
    write_jsonl(folder / "prompts.jsonl", rows)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    text = text.replace("{prompt: text,", "{prompt: text, context: text, tone: text,")
    text = text.replace("quality: {gold: gold.csv}\n", "")
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder


def test_long_texts_above_the_outputs_give_way_and_open_when_tapped(
    tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page(has_touch=True)
    with open_study(write_long_prompts(tmp_path)) as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        assert_in_sight(page)
        cut = "one => one.scrollHeight - one.clientHeight"
        is_cut = f"(wanted) => (({cut})(document.querySelector('.asks')) > 1) === wanted"
        page.wait_for_function(is_cut, arg=True)
        page.locator(".asks.more").tap()
        page.wait_for_function(is_cut, arg=False)
        page.locator(".tile.shown .body").tap()
        page.wait_for_function(is_cut, arg=True)


@pytest.mark.parametrize(
    "study", cases(["sides", "mark", "films"], ["compare", "rank", "rate", "pair", "sounds"])
)
def test_on_small_screens_the_question_and_submit_are_still_in_sight(
    study: str, studio: Studio, open_page: OpenPage
) -> None:
    """On a phone on its side too, with all answers of the question; and back as it stood."""
    _, url = studio.serve(study)
    page = open_page()
    page.goto(f"{url}/preview#token={ADMIN}&at=trials")
    page.wait_for_selector("jb-trial.ready .question.now")
    settled(page)
    for width, height in ((360, 640), (1024, 600)):
        resize(page, width, height)
        found = page.evaluate(MEASURE, "q0")
        assert (found["hidden"], found["submit"], found["tall"]) == ([], True, 0), width
    layout = page.get_attribute("jb-trial", "data-layout")
    resize(page, PHONE["height"], PHONE["width"])
    assert_in_sight_here(page)
    resize(page, **WIDE)
    assert page.get_attribute("jb-trial", "data-layout") == layout
    assert_in_sight_here(page)


@pytest.mark.parametrize(
    "name", cases(["imagenhub/subject-driven-editing"], ["transformation-telling"])
)
def test_nothing_moves_when_pictures_arrive(name: str, tmp_path: Path, open_page: OpenPage) -> None:
    write_template(name, tmp_path / "study")
    page = open_page()
    with open_study(tmp_path / "study") as served, live(served.app) as url:
        watch_shifts(page)
        pictures = Held(page, "**/media/**")
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial .loading")
        laid_out(page)
        places = "all => all.map((one) => JSON.stringify(one.getBoundingClientRect()))"
        parts = ".tile, .block, .question, [data-submit]"
        before = page.eval_on_selector_all(parts, places)
        pictures.let_go()
        settled(page)
        assert page.eval_on_selector_all(parts, places) == before
        assert shifted(page) < 0.01


def test_all_anchors_are_opened_by_a_key_and_stay_open(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("rate")
    page = open_page()
    page.goto(f"{url}/preview#token={ADMIN}&at=trials")
    page.wait_for_selector("jb-trial.ready .question.now")
    full = """() => [...document.querySelectorAll(".question .anchor")].map((one) =>
      one.scrollWidth <= one.clientWidth + 1 && one.scrollHeight <= one.clientHeight + 1)"""
    assert all(page.evaluate(full)[:4])  # the current question
    page.keyboard.press("Digit1")
    brief = page.evaluate(full)
    assert not any(brief[:3])  # now it shows first words only; the fourth has no more
    assert all(brief[4:8])
    page.keyboard.press("o")
    assert all(page.evaluate(full))
    assert page.get_attribute(".question.now .anchors", "aria-pressed") == "true"
    page.reload()
    page.wait_for_selector("jb-trial.ready .question.now")
    assert all(page.evaluate(full))
    page.click(".question.now .anchors")
    assert page.evaluate(full) == brief
    resize(page, **PHONE)
    page.locator(".step").first.click()
    page.click(".question.now .anchors")
    laid_out(page)
    assert page.eval_on_selector_all(
        ".question.now .anchor",
        "all => all.every((one) => one.scrollHeight <= one.clientHeight + 1)",
    )


def test_questions_fade_where_more_follow_and_not_at_their_end(
    tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page(viewport=WIDE)
    folder = write_template("rag-qa", tmp_path)
    with open_study(folder) as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        settled(page)
        asked = page.locator(".questions")
        faded = "one => getComputedStyle(one).maskImage.includes('gradient')"
        below = "one => one.scrollHeight - one.clientHeight - one.scrollTop"
        # The current question stands above what fades.
        clear = """one => one.getBoundingClientRect().bottom
          - one.querySelector(".now").getBoundingClientRect().bottom
          >= parseFloat(getComputedStyle(one).scrollPaddingBottom)"""
        answered = 0
        while asked.evaluate(below) > 3:
            assert asked.evaluate(faded)
            assert asked.evaluate(clear)
            page.keyboard.press("Digit4")
            laid_out(page)
            answered += 1
        assert answered > 0
        assert not asked.evaluate(faded)  # the last question is in sight
        asked.evaluate("one => { one.scrollTop = 0; }")
        laid_out(page)
        assert asked.evaluate(faded)
        resize(page, 1280, 1600)
        assert asked.evaluate(below) <= 3
        assert not asked.evaluate(faded)


@pytest.mark.parametrize(("study", "kind"), [("rate", "scale"), ("sides", "graded")])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_dots_of_a_cut_anchor_reach_the_edge_of_its_button(
    width: int, study: str, kind: str, studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve(study)
    page = open_page(viewport={"width": width, "height": 800})
    begin(page, url)
    page.keyboard.press("Digit1")  # the first question gives its room to the next
    # They hang over the centered line, and what hangs over the anchor is not drawn.
    short = "all => all.map((one) => one.parentElement.clientWidth - one.offsetWidth)"
    assert set(page.eval_on_selector_all(f".brief[data-kind={kind}] .anchor", short)) == {0}


def test_on_a_phone_a_pair_is_two_tabs_with_one_scroll_and_both_are_looked_at(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("graded")
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    begin(page, url)
    long = "\n".join(f"Line {n} of a long answer." for n in range(80))
    page.eval_on_selector_all(
        ".tile[data-role=output] .plain",
        "(all, text) => all.forEach((one) => { one.textContent = text; })",
        long,
    )
    page.keyboard.press("Digit3")
    page.eval_on_selector(".tile.shown .body", "one => { one.scrollTop = 700; }")
    problem, shown = page.locator(".form .problem"), page.locator(".tile.shown")
    page.locator("[data-submit]").tap()
    expect(problem).to_have_text("Please look at B first.")
    assert served.store.submissions() == ()
    expect(shown).to_have_attribute("data-name", "B")
    assert page.eval_on_selector(".tile.shown .body", "one => one.scrollTop") == 700
    page.eval_on_selector(".tile.shown .body", "one => { one.scrollTop = 300; }")
    page.locator("[data-tab='0']").tap()
    expect(shown).to_have_attribute("data-name", "A")
    assert page.eval_on_selector(".tile.shown .body", "one => one.scrollTop") == 300
    expect(problem).to_be_hidden()
    page.locator("[data-submit]").tap()
    wait_for_stage(page, "end")


def test_on_a_phone_a_question_about_one_output_brings_it_into_sight(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("sides")
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    begin(page, url)
    asked, shown = page.locator(".question.now .name"), page.locator(".tile.shown")
    for key, name in (("3", "A"), ("4", "B")):
        page.keyboard.press(f"Digit{key}")
        expect(asked).to_have_text(f"Correctness · {name}")
        expect(shown).to_have_attribute("data-name", name)
    page.locator(".step").nth(1).tap()
    expect(shown).to_have_attribute("data-name", "A")
    page.locator("[data-tab='1']").tap()
    expect(shown).to_have_attribute("data-name", "B")


def test_what_is_said_on_a_phone_leaves_the_question_in_sight(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("mushra")
    page = open_page(viewport=PHONE)
    begin(page, url)
    page.wait_for_selector(".row .listen")
    settled(page)
    rows = "all => all.map((one) => one.getBoundingClientRect().top)"
    before = page.eval_on_selector_all(".row", rows)
    page.click("[data-submit]")
    page.wait_for_selector(".form > .problem:not([hidden])")
    page.click("[data-command=comment]")
    laid_out(page)
    assert page.eval_on_selector_all(".row", rows) == before  # where they were, not pushed down


def test_a_phone_that_is_turned_shows_the_output_that_is_asked_about(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("sides")
    page = open_page(viewport={"width": PHONE["height"], "height": PHONE["width"]})
    begin(page, url)
    for key in ("Digit3", "Digit4"):
        page.keyboard.press(key)
    assert page.inner_text(".question.now .name") == "Correctness · B"
    assert page.get_attribute(".tile.shown", "data-name") == "A"  # both are in sight
    resize(page, **PHONE)
    page.wait_for_selector(".tile.shown[data-name=B]")


def test_on_a_phone_anchors_take_the_room_that_outputs_leave(
    tmp_path: Path, open_page: OpenPage
) -> None:
    """In full where they fit; and no question moves the outputs."""
    cut = "all => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length"
    page = open_page(viewport=PHONE)
    for name, is_cut in (("text-coherence", False), ("imagenhub/subject-driven-editing", True)):
        with (
            open_study(write_template(name, tmp_path / name)) as served,
            live(served.app) as url,
        ):
            page.goto(f"{url}/preview#token={ADMIN}&at=trials")
            page.wait_for_selector("jb-trial[style*=--lines] .question.now")
            settled(page)
            assert (page.eval_on_selector_all(".question.now .anchor", cut) > 0) == is_cut, name
            assert page.is_visible(".question.now .anchors") == is_cut, name
            ids = page.eval_on_selector_all(
                "[data-question]", "all => all.map((one) => one.dataset.question)"
            )
            shares = {page.evaluate(MEASURE, id)["share"] for id in ids}
            assert len(shares) == 1, name


def test_an_output_below_the_edge_of_a_phone_is_looked_at_first(
    tmp_path: Path, open_page: OpenPage
) -> None:
    folder = write_study("rank", tmp_path)
    for file in (folder / "outputs").iterdir():
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace('."}', ". And so on, for long." * 30 + '"}'), encoding="utf-8")
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    with open_study(folder) as served, live(served.app) as url:
        begin(page, url)
        for key in "abcd":
            page.keyboard.press(key)
        for left in ("B, C, D", "C, D", "D"):
            page.locator("[data-submit]").tap()
            expect(page.locator(".form .problem")).to_have_text(f"Please look at {left} first.")
        page.locator("[data-submit]").tap()
        wait_until(page, lambda: len(served.store.submissions()) == 1)


def test_six_pictures_to_be_ranked_are_whole_and_so_are_the_buttons_below_them(
    tmp_path: Path, open_page: OpenPage
) -> None:
    for number in range(6):
        picture(tmp_path / "images" / f"system-{number}" / "q1.png", number, size=(300, 400))
    write_jsonl(tmp_path / "items.jsonl", [{"item": "q1", "prompt": "A disk"}])
    text = """\
title: Which picture is the best?
protocol: rank
items: items.jsonl
outputs: images/{system}/{item}.png
show: {prompt: text, output: image}
criteria: {fit: {question: "Put the pictures in order, best first.", answer: order, ties: true}}
design: {outputs_per_trial: 6, overlap: 1}
"""
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    cut = """all => all.filter((one) => {
      const tile = one.closest(".tile").getBoundingClientRect();
      return one.getBoundingClientRect().bottom > tile.bottom + 1;
    }).length"""
    page = open_page()
    with open_study(tmp_path) as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        settled(page)
        for width, height in ((1280, 800), (390, 844), (844, 390)):
            resize(page, width, height)
            assert_in_sight_here(page)
            assert page.eval_on_selector_all(".picture", cut) == 0, width
            if height > width:  # nothing of them is to be scrolled for
                below = "one => one.scrollHeight - one.clientHeight"
                assert page.eval_on_selector(".tiles", below) <= 1
        resize(page, 320, 640)
        assert page.eval_on_selector_all(".picture", cut) == 0


def test_a_long_title_and_a_long_question_push_nothing_out_of_sight(
    tmp_path: Path, open_page: OpenPage
) -> None:
    folder = write_study("compare", tmp_path / "study")
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    for short, long in (
        ("Does the new model answer better?", "T" * 200),
        ("rather get", 80 * "so "),
    ):
        assert short in text
        text = text.replace(short, long)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    page = open_page()
    sideways = "() => document.documentElement.scrollWidth - innerWidth"
    with open_study(folder) as served, live(served.app) as url:
        page.goto(url)
        assert page.evaluate(sideways) <= 0
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        assert page.eval_on_selector("#jump", "one => one.scrollWidth <= one.clientWidth")
        resize(page, **PHONE)
        heading = page.wait_for_selector(".question.now.brief .heading")
        assert heading is not None
        assert heading.evaluate("one => one.scrollHeight > one.clientHeight")
        assert heading.evaluate("one => getComputedStyle(one).overflowY") == "auto"
        assert_in_sight_here(page)


@pytest.mark.parametrize("study", cases(["sounds"], ["films", "mushra", "compare", "rank", "best"]))
def test_on_a_touched_phone_no_keys_are_printed(
    study: str, studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve(study)
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    begin(page, url)
    settled(page)
    for side in (PHONE, {"width": PHONE["height"], "height": PHONE["width"]}):
        resize(page, **side)
        assert page.locator(":is(.bar, main) kbd:visible").all_inner_texts() == []
        assert page.locator("[data-open=keys]").is_hidden()
