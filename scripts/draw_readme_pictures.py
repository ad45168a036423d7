"""Draw the pictures of README and tutorial: raters' pages, the organizer's, and reports.

All are real: studies that `jurybox new` and `jurybox demo` write, served and rated in Chromium.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from PIL import Image, ImageFilter
from ruamel.yaml import YAML

from jurybox.cli.app import run
from jurybox.cli.demo import demo
from jurybox.design import make_plan
from jurybox.simulate.demo import DEMO_RATERS, demo_truth, write_demo_study
from jurybox.study.templates import write_template
from scripts.install_browser import find_chromium
from tests.web.organizer_states import open_part
from tests.web.serving import Served, live, now, open_study
from tests.web.walking import begin

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
WIDE: Any = {"width": 1280, "height": 800}
HIGH: Any = {"width": 1280, "height": 880}
LOW: Any = {"width": 1280, "height": 640}
PHONE: Any = {"width": 390, "height": 844}
GROUND, SHADOW = "#e9e6df", "#6b665c"


def main() -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        folder = Path(place)
        save(
            beside(rate(browser, folder), report(browser, folder)),
            "rater-and-report",
            1800,
            colors=None,
        )
        save(compare(browser, folder), "compare-phone-dark", 468)
        save(mushra(browser, folder), "mushra", 1280)
        save(progress(browser, folder), "progress", 1280)
        save(tutorial_trial(browser, folder), "tutorial-trial", 1280)
        save(tutorial_report(browser, folder), "tutorial-report", 1280)
        browser.close()


def rate(browser: Browser, folder: Path) -> Image.Image:
    """The third trial, half answered."""
    with trials(browser, folder, "imagenhub/text-guided-editing", HIGH) as page:
        for number in (1, 2):
            at_trial(page, number)
            answer(page, "2", "1", "Enter")
        at_trial(page, 3)
        answer(page, "2")
        return taken(page)


def compare(browser: Browser, folder: Path) -> Image.Image:
    """Two answers to a request on a phone, with what differs between them."""
    with trials(browser, folder, "ab-ties", PHONE, color_scheme="dark", has_touch=True) as page:
        page.set_viewport_size(WIDE)  # where both answers are in sight
        number = 1
        while len(page.inner_text(".tile[data-name=A]")) < 200:  # a picture wants something to read
            answer(page, "1", "Enter")
            number += 1
            at_trial(page, number)
        page.set_viewport_size(PHONE)
        answer(page, "1")
        return taken(page)


def mushra(browser: Browser, folder: Path) -> Image.Image:
    """A listening test while a version plays."""
    with trials(browser, folder, "mushra", WIDE) as page:
        page.wait_for_selector(".row .listen")
        for row, score in enumerate((62, 100, 18, 84)):
            page.locator(".row input").nth(row).fill(str(score))
        page.keyboard.press("d")
        page.wait_for_timeout(700)
        return taken(page)


def progress(browser: Browser, folder: Path) -> Image.Image:
    """The demo when three quarters of its raters have come."""
    place = folder / "half"
    write_demo_study(place, seed=7)
    with open_study(place) as served, live(served.app) as url:
        let_rate(served, 9)
        page = browser.new_page(viewport=WIDE, device_scale_factor=2)
        open_part(page, url, "progress")
        return taken(page)


def let_rate(served: Served, raters: int) -> None:
    """Let the demo's first raters come over a day, not within an hour."""
    simulation = import_module("jurybox.simulate.run")
    apart = timedelta(minutes=66)
    with patch.object(simulation, "BETWEEN_RATERS", apart):
        simulation.run(
            served.study,
            served.material,
            make_plan(served.study, served.material),
            served.store,
            demo_truth(),
            seed=7,
            now=now() - raters * apart,
            raters=DEMO_RATERS[:raters],
        )


def report(browser: Browser, folder: Path) -> Image.Image:
    demo(folder / "demo", serve=False, port=0, seed=7)
    page = browser.new_page(viewport=HIGH, device_scale_factor=2)
    page.goto((folder / "demo" / "report" / "report.html").as_uri())
    return taken(page)


def tutorial_trial(browser: Browser, folder: Path) -> Image.Image:
    """The tutorial's study as its raters see it."""
    with trials(browser, folder / "tutorial", "ab-ties", LOW) as page:
        answer(page, "2")
        return taken(page)


def tutorial_report(browser: Browser, folder: Path) -> Image.Image:
    """The report of the tutorial's rehearsal."""
    study, kept, shown = (str(folder / name) for name in ("first", "rehearsal", "shown"))
    for command in (
        ["new", study, "--template", "ab-ties"],
        ["simulate", study, "--systems", "aurora=+0.2", "--out", kept],
        ["report", study, "--database", f"{kept}/study.db", "--out", shown],
    ):
        if run(command):
            sys.exit(f"jurybox {command[0]} failed.")
    page = browser.new_page(viewport=WIDE, device_scale_factor=2)
    page.goto((folder / "shown" / "report.html").as_uri())
    return taken(page)


@contextmanager
def trials(
    browser: Browser, folder: Path, template: str, size: Any, **options: Any
) -> Iterator[Page]:
    """The first trial of a template without its practice."""
    place = folder / template
    write_template(template, place)
    read = YAML()
    study = read.load(place / "study.yaml")
    for key in ("practice", "practice_pass"):
        study["quality"].pop(key, None)
    if not study["quality"]:
        del study["quality"]
    read.dump(study, place / "study.yaml")
    with open_study(place) as served, live(served.app) as url:
        page = browser.new_page(viewport=size, device_scale_factor=2, **options)
        begin(page, url, "ana")
        yield page
        page.close()


def at_trial(page: Page, number: int) -> None:
    page.locator("#where", has_text=f"Trial {number} of").wait_for()


def answer(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def taken(page: Page) -> Image.Image:
    page.mouse.move(0, 0)
    page.wait_for_timeout(400)
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


def beside(*pictures: Image.Image) -> Image.Image:
    """Pictures of one height on one ground, each with its shadow."""
    width, height = pictures[0].size
    gap, edge = 60, 40
    sheet = Image.new("RGB", (2 * width + gap + 2 * edge, height + 2 * edge), GROUND)
    for number, picture in enumerate(pictures):
        left = edge + number * (width + gap)
        shadow = Image.new("L", sheet.size, 0)
        shadow.paste(70, (left - 2, edge + 4, left + width + 2, edge + height + 8))
        sheet.paste(SHADOW, mask=shadow.filter(ImageFilter.GaussianBlur(12)))
        sheet.paste(picture, (left, edge))
    return sheet


def save(picture: Image.Image, name: str, width: int, *, colors: int | None = 256) -> None:
    """Small files: a page without photographs and charts needs few colors."""
    height = round(width * picture.height / picture.width)
    small = picture.resize((width, height), Image.Resampling.LANCZOS)
    if colors:
        small = small.quantize(colors, dither=Image.Dither.NONE)
    small.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
