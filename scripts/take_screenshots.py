"""Take a picture of every page in every state: both themes, wide and phone, and a sheet of all.

The states are those that the tests walk through, tests/web/states.py. `make screenshots` takes all;
words given to this script take only the states whose names hold one of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.study.languages import languages
from scripts.install_browser import find_chromium
from tests.patience import PATIENCE
from tests.web.conftest import Studio
from tests.web.settling import arrived, laid_out, resize
from tests.web.state import State
from tests.web.states import STATES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

THEMES = ("light", "dark")
SIZES = {"wide": (1280, 800), "phone": (390, 844)}
VIEWS = tuple(f"{theme}-{size}" for size in SIZES for theme in THEMES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only states whose names hold one of these")
    parser.add_argument("--into", type=Path, default=Path("screenshots"), help="the folder")
    parser.add_argument("--language", choices=languages(), help="of the rater's pages")
    asked = parser.parse_args()
    states = [one for one in STATES if wanted(one, asked.words)]
    if not states:
        sys.exit(f"No state is named like {', '.join(asked.words)}; see tests/web/states.py.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        failed = take_all(browser, states, asked.into, language=asked.language)
        browser.close()
    print(f"{len(states) - len(failed)} states in {asked.into / 'index.html'}")
    if failed:
        sys.exit(f"Not reached: {', '.join(failed)}")


def wanted(state: State, words: Collection[str]) -> bool:
    return not words or any(word in state.name for word in words)


def take_all(
    browser: Browser, states: Sequence[State], folder: Path, *, language: str | None = None
) -> list[str]:
    """Take the pictures and write the sheet; gives the names of the states that failed."""
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for state in states:
        try:
            take(browser, state, folder, language)
        except Exception as error:  # the other pictures are worth having
            print(f"{state.name}: {str(error).splitlines()[0]}", file=sys.stderr)
            failed.append(state.name)
    taken = [state.name for state in states if state.name not in failed]
    (folder / "index.html").write_text(sheet(taken), encoding="utf-8")
    return failed


def take(browser: Browser, state: State, folder: Path, language: str | None) -> None:
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        served, url = Studio(Path(place), stack).serve(state.study, language=language)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        stack.callback(context.close)
        stack.callback(context.unroute_all, behavior="ignoreErrors")  # what a state holds back
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        state.reach(page, url, served)
        arrived(page)
        for size, (width, height) in SIZES.items():
            resize(page, width, height)
            for theme in THEMES:
                options: dict[str, Any] = {"color_scheme": theme, "reduced_motion": "reduce"}
                page.emulate_media(**options)
                laid_out(page)
                page.screenshot(path=folder / f"{state.name}-{theme}-{size}.png")


SHEET = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Every page in every state</title>
<style>
body { font: 15px system-ui; margin: 24px; background: #ddd9d0; color: #222; }
section { display: flex; gap: 12px; align-items: flex-start; margin-bottom: 32px; }
h2 { font-size: 15px; margin: 0 0 6px; }
img { display: block; height: 360px; box-shadow: 0 1px 6px #0004; }
</style>
<h1>Every page in every state</h1>
"""


def sheet(names: Iterable[str]) -> str:
    """All pictures on one page, a row per state."""
    parts = [SHEET]
    for name in map(escape, names):
        files = {view: f"{name}-{view}.png" for view in VIEWS}
        row = "".join(
            f'<a href="{file}"><img loading="lazy" src="{file}" alt="{name}, {view}"></a>'
            for view, file in files.items()
        )
        parts.append(f'<h2 id="{name}">{name}</h2><section>{row}</section>\n')
    return "".join(parts)


if __name__ == "__main__":
    main()
