"""The pictures of the HTML page: those of outputs, and those of a trial's anchors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from jurybox.analysis.finding import Analysis
from jurybox.report.blocks import Block, Exhibit, Gallery, Part, Screen, Section
from jurybox.report.formats.html import draw_page
from jurybox.report.page import make_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def written(folder: Path, analysis: Analysis, block: Block) -> str:
    """The address of a page whose one section is this block."""
    section = Section(id="only", title="Only", blocks=(block,))
    page = replace(make_page(analysis, versions={}), sections=(section,))
    path = folder / "report.html"
    path.write_text(draw_page(page), encoding="utf-8")
    return path.as_uri()


def picture(width: int, height: int) -> str:
    """An empty picture of this size, as an address."""
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"/>'
    return f"data:image/svg+xml,{quote(drawn)}"


def test_pictures_of_an_output_stand_side_by_side_each_with_its_name(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    uri = picture(300, 200)
    names = ("Input", "Mask", "Output")
    parts = tuple(Part(caption=name, pictures=(uri,)) for name in names)
    gallery = Gallery(
        title="Best", exhibits=(Exhibit(title="a, best", value="2.0", parts=parts),) * 2
    )
    address = written(tmp_path, analysis, gallery)
    for width in (1280, 390):
        page = browser.new_page(viewport={"width": width, "height": 844})
        page.goto(address)
        shown = [page.locator(".gallery .seen").nth(k).bounding_box() for k in range(3)]
        first, second, third = (box for box in shown if box is not None)
        assert first["y"] == second["y"] < third["y"]
        assert first["x"] == third["x"] < second["x"]
        assert page.locator(".gallery .seen").nth(1).inner_text() == "Mask"
        page.close()


def test_a_series_of_pictures_stands_three_in_a_row(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    uri = picture(300, 200)
    parts = (Part(caption="Pictures", pictures=(uri,) * 5), Part(caption="Told", text="It grows."))
    gallery = Gallery(
        title="Best", exhibits=(Exhibit(title="a, best", value="2.0", parts=parts),) * 2
    )
    address = written(tmp_path, analysis, gallery)
    for width in (1280, 390):
        page = browser.new_page(viewport={"width": width, "height": 844})
        page.goto(address)
        boxes = [page.locator(".gallery img").nth(k).bounding_box() for k in range(5)]
        heights = [box["y"] for box in boxes if box is not None]
        assert heights[0] == heights[1] == heights[2] < heights[3] == heights[4]
        page.close()


def test_the_picture_of_an_anchor_stands_below_its_words_within_the_question(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    wide = picture(900, 200)
    option = (
        '<label class="option"><input type="radio"><span class="value">0.5</span>'
        f'<span class="anchor">Only part of it is there</span><img class="example" src="{wide}">'
        "</label>"
    )
    drawn = (
        '<div class="trial" data-layout="side"><div class="content"></div><div class="form">'
        f'<div class="question">{option}</div></div></div>'
    )
    screen = Screen(html=drawn, caption="One trial", asked=())
    address = written(tmp_path, analysis, screen)
    for width in (1280, 390):
        page = browser.new_page(viewport={"width": width, "height": 844})
        page.goto(address)
        boxes = [page.locator(of).bounding_box() for of in (".question", ".anchor", ".example")]
        question, anchor, example = (box for box in boxes if box is not None)
        assert example["y"] >= anchor["y"] + anchor["height"]
        assert example["x"] + example["width"] <= question["x"] + question["width"]
        page.close()


def test_a_trial_with_two_questions_has_its_pictures_side_by_side_and_both_questions_below(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    uri = picture(400, 300)
    tile = f'<section class="tile"><img src="{uri}"></section>'
    question = '<jb-choice class="question">Is it?</jb-choice>'
    drawn = (
        '<div class="trial" data-layout="side"><div class="content">'
        '<div class="tiles" data-given="1" data-outputs="1">'
        f'<div class="given">{tile}</div><div class="outputs">{tile}</div></div></div>'
        f'<div class="form"><div class="questions">{question * 2}</div></div></div>'
    )
    screen = Screen(html=drawn, caption="One trial", asked=())
    address = written(tmp_path, analysis, screen)
    page = browser.new_page(viewport={"width": 1280, "height": 844})
    page.goto(address)
    for for_print in (False, True):
        page.emulate_media(media="print" if for_print else "screen")
        tiles = [page.locator(".tile").nth(k).bounding_box() for k in range(2)]
        asked = [page.locator(".question").nth(k).bounding_box() for k in range(2)]
        one, two, three, four = (box for box in (*tiles, *asked) if box is not None)
        assert one["y"] == two["y"] < three["y"] == four["y"]
        assert one["x"] < two["x"]
        assert three["x"] < four["x"]
    page.close()


def test_what_was_asked_stays_whole_on_paper(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    ask = '<section class="ask"><h2>Instruction</h2><div>Draw a boat</div></section>'
    drawn = f'<div class="trial"><div class="content"><div class="asks">{ask}</div></div></div>'
    screen = Screen(html=drawn, caption="One trial", asked=())
    address = written(tmp_path, analysis, screen)
    page = browser.new_page()
    page.goto(address)
    page.emulate_media(media="print")
    assert page.locator(".ask").evaluate("it => getComputedStyle(it).breakInside") == "avoid"
    page.close()
