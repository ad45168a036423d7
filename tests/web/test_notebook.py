"""A trial in a notebook: what raters see, in a frame that runs nothing."""

from __future__ import annotations

import base64
import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe

import jurybox as jb
from jurybox.errors import InputError
from jurybox.web import notebook
from tests.forms import cases
from tests.screen.dirty import webm
from tests.web.studies import SECRETS, write_media, write_study

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage

NAMES = ["rate", "compare", "sides", "graded", "rank", "best", "detect", "mark", "media"]


def made(name: str, folder: Path) -> Path:
    folder = folder / name
    if name == "media":
        folder.mkdir()
        return write_media(folder, webm())
    return write_study(name, folder)


def media_in(html: str) -> list[bytes]:
    found = re.findall(r'src="data:[\w/+-]+;base64,([^"]+)"', html)
    return [base64.b64decode(unescape(one)) for one in found]


@pytest.mark.parametrize("name", NAMES)
def test_it_holds_what_raters_see_and_no_name(name: str, tmp_path: Path) -> None:
    folder = made(name, tmp_path)
    shown = jb.preview(folder)
    assert "<jb-trial" in shown.html
    assert str(shown) == f"Trial 1 of {shown.total} of “{shown.title}”, as raters see it."
    for secret in SECRETS:
        assert secret not in shown.html
        assert all(secret.encode() not in content for content in media_in(shown.html))
    assert "<script" not in shown.html
    assert not re.search(r'(src|href)="(?!data:)', shown.html)
    assert bool(media_in(shown.html)) is (name not in ("compare", "sides", "graded", "mark"))


def test_each_trial_of_the_first_booklet_can_be_seen(tmp_path: Path) -> None:
    study = jb.load_study(write_study("rate", tmp_path))
    seen = [jb.preview(study, n) for n in range(1, 5)]
    assert [(one.number, one.total) for one in seen] == [(n, 4) for n in range(1, 5)]
    assert len({one.html for one in seen}) == 4
    assert jb.preview(study, 2) == seen[1]
    for n in (0, 5, -1):
        with pytest.raises(InputError, match=rf"The first booklet has 4 trials.*from 1, got {n}\."):
            jb.preview(study, n)


def test_it_shows_itself_in_a_frame_without_rights(tmp_path: Path) -> None:
    shown = jb.preview(write_study("compare", tmp_path))
    html = shown._repr_html_()
    assert html.count("<iframe") == 1
    assert ' sandbox=""' in html
    assert unescape(re.findall(r'srcdoc="([^"]*)"', html)[0]) == shown.html
    assert len(repr(shown)) < 200
    assert "<" not in repr(shown)


def test_media_beyond_the_room_are_left_out_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_study("rate", tmp_path)
    whole = jb.preview(folder)
    assert whole.left_out == 0
    sizes = sorted(len(content) for content in media_in(whole.html))
    monkeypatch.setattr(notebook, "MOST_MEDIA", sizes[-1])
    part = jb.preview(folder)
    assert part.left_out == 1
    assert "1 media file left out" in str(part)
    assert "jurybox serve" in part._repr_html_()
    assert len(part.html) < len(whole.html)


DRAWN = ("compare", "media")


@pytest.mark.parametrize("name", cases(DRAWN, [one for one in NAMES if one not in DRAWN]))
def test_a_browser_draws_it_without_a_word_and_axe_finds_nothing(
    name: str, tmp_path: Path, open_page: OpenPage
) -> None:
    shown = jb.preview(made(name, tmp_path))
    page = open_page()
    page.set_content(f"<!doctype html><html lang='en'><title>x</title>{shown._repr_html_()}")
    frame = page.frame_locator("iframe")
    frame.locator(".tile").first.wait_for(state="visible")
    frame.locator("[data-submit]").wait_for(state="visible")
    assert frame.locator(".question").first.is_visible()
    for theme, width in (("light", 1100), ("dark", 600)):
        options: dict[str, Any] = {"color_scheme": theme}
        page.emulate_media(**options)
        page.set_viewport_size({"width": width, "height": 800})
        page.set_content(shown.html)
        found = Axe().run(page).response["violations"]
        # The frame has the heading of the notebook above it.
        rules = [one["id"] for one in found if one["id"] != "page-has-heading-one"]
        assert rules == []
        assert all(one.is_visible() for one in page.locator(".tile").all())
        assert all(one.is_visible() for one in page.locator(".question").all())
