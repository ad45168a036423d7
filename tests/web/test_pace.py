"""How far, how long, and when to rest: in one quiet line, on a phone too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jurybox.study.languages import languages
from tests.web.serving import live, open_study
from tests.web.settling import laid_out
from tests.web.studies import finish, write_compare
from tests.web.walking import begin, submit, wait_for_stage

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
MINUTE = 60_000


def write_slow(folder: Path, *, language: str = "en") -> Path:
    """Write three comparisons of ten minutes each, with a break after a quarter of an hour."""
    text = (write_compare(folder) / "study.yaml").read_text(encoding="utf-8")
    text = text.replace("{break_every: 0.0001}", "{break_every: 15, seconds_per_trial: 600}")
    text = text.replace("quality: {gold: gold.csv}\n", "")
    return finish(folder, f"{text}language: {language}\n")


def test_the_bar_tells_how_long_it_takes_and_when_a_break_comes(
    tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page()
    with open_study(write_slow(tmp_path)) as served, live(served.app) as url:
        page.clock.install()
        begin(page, url)
        assert page.inner_text("#left") == "~30 min left · break in ~15 min"
        page.clock.fast_forward(12 * MINUTE)
        submit(page, "Digit1", "Digit2")
        assert page.inner_text("#left") == "~20 min left · break in ~3 min"
        page.clock.fast_forward(4 * MINUTE)
        submit(page, "Digit1", "Digit2")
        wait_for_stage(page, "break")
        page.keyboard.press("Enter")
        page.wait_for_selector("jb-trial.ready .question.now")
        # The end comes before the next break.
        assert page.inner_text("#left") == "~10 min left"


CUT = """() => [...document.querySelectorAll("#where, #left")]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""


@pytest.mark.parametrize("language", languages())
def test_on_a_phone_it_stands_in_the_height_of_the_buttons_uncut(
    language: str, tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page(**PHONE)
    with open_study(write_slow(tmp_path, language=language)) as served, live(served.app) as url:
        begin(page, url)
        for _ in range(2):  # then with the way back beside it
            laid_out(page)
            assert "15" in page.inner_text("#left")
            assert page.evaluate(CUT) == []
            assert page.eval_on_selector(".bar", "one => one.offsetHeight") <= 50
            if page.locator("#back").is_hidden():
                page.keyboard.press("Digit1")
                page.locator("[data-tab='1']").tap()
                page.keyboard.press("Digit2")
                page.locator("[data-submit]").tap()
                page.wait_for_selector("#back:not([hidden])")
