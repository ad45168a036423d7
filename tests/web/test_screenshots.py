"""The pictures of every state: taken in both themes and widths, and listed on one page."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from scripts.take_screenshots import VIEWS, take_all, wanted
from tests.web.states import STATES

if TYPE_CHECKING:
    import pytest
    from playwright.sync_api import Browser, Page

    from tests.web.conftest import Studio
    from tests.web.serving import Served


def lost(page: Page, url: str, served: Served) -> None:
    raise RuntimeError("nobody gets there")


def test_each_state_has_four_pictures_and_one_that_fails_costs_no_other(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (welcome,) = [state for state in STATES if state.name == "welcome"]
    states = [replace(welcome, name="lost", reach=lost), welcome]
    assert take_all(browser, states, tmp_path) == ["lost"]
    assert capsys.readouterr().err == "lost: nobody gets there\n"
    sizes, lights = {}, {}
    for view in VIEWS:
        with Image.open(tmp_path / f"welcome-{view}.png") as picture:
            sizes[view] = picture.size
            lights[view] = sum(picture.convert("RGB").getpixel((2, picture.height - 2)))  # type: ignore[arg-type]
    assert sizes == {view: (1280, 800) if view.endswith("wide") else (390, 844) for view in VIEWS}
    assert {view for view, light in lights.items() if light > 3 * 128} == {
        "light-wide",
        "light-phone",
    }
    listed = re.findall(r'src="([^"]+)"', (tmp_path / "index.html").read_text())
    assert listed == [f"welcome-{view}.png" for view in VIEWS]


def test_states_are_chosen_by_a_piece_of_their_name() -> None:
    assert all(wanted(state, []) for state in STATES)
    chosen = {state.name for state in STATES if wanted(state, ["declined", "welcome-"])}
    assert chosen == {"declined", "welcome-rules", "welcome-uninvited", "welcome-id-taken"}
    assert not any(wanted(state, ["no such page"]) for state in STATES)


def test_a_study_with_a_language_of_its_own_speaks_the_one_asked_for(studio: Studio) -> None:
    served, _ = studio.serve("moment-plain-rate-text", language="ar")
    assert served.study.language == "ar"
