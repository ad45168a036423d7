"""What axe finds on a page, and the states in parts whose files run beside each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.web.state import State
from tests.web.states import STATES

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

VIEWS = (("light", 1280, 800), ("dark", 390, 844))
# What another theme and another width can change; everything else is checked in the first view.
SEEN = {"runOnly": {"type": "rule", "values": ["color-contrast", "target-size", "region"]}}

PARTS = (
    ("organizer", r"organizer-"),
    ("media", r"headphones-|trial-(media|pair|picture|sounds|films|mushra)"),
    ("trial", r"trial-|dialog-"),
    ("page", r""),
)
"""Each state belongs to the first part whose pattern its name begins with."""


def part_of(state: State) -> str:
    return next(part for part, pattern in PARTS if re.match(pattern, state.name))


def states_of(part: str) -> list[Any]:
    """The states of a part; one that draws no template of its own and whose like came is long."""
    kinds, found = set(), []
    for state in STATES:
        if part_of(state) != part:
            continue
        kind = tuple(state.name.split("-")[:2])
        is_new = bool(state.templates) or kind not in kinds
        kinds.add(kind)
        found.append(pytest.param(state, id=state.name, marks=[] if is_new else pytest.mark.full))
    return found


def violations(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {', '.join(str(node['target']) for node in one['nodes'][:4])}"
        for one in found
    ]


def assert_accessible(state: State, studio: Studio, open_page: OpenPage) -> None:
    """In both themes and widths axe finds nothing, and the page does not scroll sideways."""
    served, url = studio.serve(state.study)
    page = open_page(expect=state.expect)
    state.reach(page, url, served)
    for theme, width, height in VIEWS:
        options: dict[str, Any] = {"color_scheme": theme, "reduced_motion": "reduce"}
        page.emulate_media(**options)
        page.set_viewport_size({"width": width, "height": height})
        assert violations(page, SEEN if theme == "dark" else None) == [], theme
        sideways = page.evaluate(
            "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert sideways <= 0, f"the page scrolls sideways at {width} pixels"
