"""No line of prose is longer than 70 letters, however wide the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jurybox.screen.guide import guide_html
from jurybox.study import load_material, load_study
from jurybox.study.guide import make_guide
from tests.study.examples import write_csv, write_jsonl
from tests.web.lines import long_lines
from tests.web.serving import live, open_study
from tests.web.settling import resize, settled
from tests.web.studies import SYSTEMS, finish
from tests.web.walking import enroll, go_on, stage

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage

WIDTHS = (1280, 1920)
PROSE = (
    "The tide is the slow rise and fall of the sea, twice a day at most coasts, which the pull of "
    "the moon and, a little less, that of the sun bring about. It is still felt a little in inlets "
    "and rivers, until the fall of the land ends it; ships wait there till it lifts them. "
    "Where the bay is long and narrow it can rise by fifteen meters, as in the Bay of Fundy."
)


def write_long(folder: Path) -> Path:
    """Write a study whose every text runs over many lines."""
    write_jsonl(folder / "prompts.jsonl", [{"item": "q1", "prompt": PROSE}])
    for system in SYSTEMS:
        row = {"item": "q1", "answer": f"{PROSE} {PROSE}", "notes": f"{PROSE}\n\n- {PROSE}"}
        write_jsonl(folder / "outputs" / f"{system}.jsonl", [row])
    practice = {"item": "q1", "system": SYSTEMS[0], "correct": "5", "explanation": PROSE}
    write_csv(folder / "practice.csv", [practice])
    return finish(
        folder,
        f"""\
title: What makes the tide?
protocol: rate
items: prompts.jsonl
outputs: outputs/{{system}}.jsonl
show: {{prompt: text, answer: text, notes: markdown}}
instructions: {PROSE}
criteria:
  correct: {{question: How correct is the answer?, scale: acr, look_for: {PROSE!r}}}
design: {{overlap: 1, raters: 1, seed: 7}}
quality: {{practice: practice.csv, exclude: {{faster_than: 1, straight_line: 0.9}}}}
consent: {PROSE}
""",
    )


def test_no_line_of_the_raters_pages_is_longer_than_seventy_letters(
    tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page()
    with open_study(write_long(tmp_path)) as served, live(served.app) as url:

        def assert_short(where: str) -> None:
            for width in WIDTHS:
                resize(page, width, 1000)
                assert long_lines(page, "main, dialog[open]") == [], (where, width)

        page.goto(url)
        assert_short("welcome")
        enroll(page, url)
        while (name := stage(page)) != "practice":
            assert_short(name)
            go_on(page)
        page.wait_for_selector("jb-trial.ready .question.now")
        settled(page)
        assert_short("trial")
        page.keyboard.press("i")
        page.wait_for_selector("#dialog-guide[open]")
        assert_short("guide on a trial")
        page.keyboard.press("Escape")
        page.keyboard.press("Digit1")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback[data-right=no]")
        assert_short("feedback")


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_of_the_guide_as_a_file_is_longer_than_seventy_letters(
    width: int, tmp_path: Path, open_page: OpenPage
) -> None:
    study = load_study(write_long(tmp_path))
    page = open_page()
    page.set_content(guide_html(make_guide(study, load_material(study))))
    resize(page, width, 1000)
    assert page.locator(".criterion").count() == 1
    assert long_lines(page, "body") == []
