"""What axe finds on a page, and the states in parts whose files run beside each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.web.product import MOMENT_STATES
from tests.web.settling import arrived, resize
from tests.web.state import State
from tests.web.states import STATES

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio


@dataclass(frozen=True, slots=True)
class View:
    """How a page is looked at."""

    name: str
    theme: Literal["light", "dark"]
    width: int
    height: int


VIEWS = (
    View("wide-light", "light", 1280, 800),
    View("phone-dark", "dark", 390, 844),
    View("wide-dark", "dark", 1280, 800),
    View("phone-light", "light", 390, 844),
)

PARTS = (
    ("moment", r"moment-"),
    ("organizer", r"organizer-"),
    ("media", r"headphones-|trial-(media|pair|picture|sounds|films|mushra)"),
    ("trial", r"trial-|dialog-"),
    ("page", r""),
)
"""Each state belongs to the first part whose pattern its name begins with."""


def part_of(state: State) -> str:
    return next(part for part, pattern in PARTS if re.match(pattern, state.name))


def states_of(part: str) -> list[Any]:
    """The states of a part, each with the views that it is looked at in: one, then all the others.

    The short form has one view, in turn, and leaves out states that draw no template of their own
    and whose like came.
    """
    kinds, found, turn = set(), [], 0
    for state in STATES:
        if part_of(state) != part:
            continue
        kind = tuple(state.name.split("-")[:2])
        is_new = bool(state.templates) or kind not in kinds
        kinds.add(kind)
        turn += is_new
        one = VIEWS[turn % len(VIEWS)]
        marks = [] if is_new else [pytest.mark.full]
        found.append(pytest.param(state, (one,), id=f"{state.name}-{one.name}", marks=marks))
        others = tuple(view for view in VIEWS if view is not one)
        found.append(pytest.param(state, others, id=state.name, marks=pytest.mark.full))
    return found


def moments() -> list[Any]:
    """The states of the product, each in one view, in turn.

    The short form has every moment once, each with another form.
    """
    found: list[Any] = []
    forms: dict[str, str] = {}
    for number, state in enumerate(MOMENT_STATES):
        view = VIEWS[number % len(VIEWS)]
        moment, form, _ = state.name.rsplit("-", 2)
        is_new = moment not in forms and form not in forms.values()
        if is_new:
            forms[moment] = form
        marks = [] if is_new else [pytest.mark.full]
        found.append(pytest.param(state, (view,), id=f"{state.name}-{view.name}", marks=marks))
    return found


SMALL = """() => {
  const found = new Set();
  const dialog = document.querySelector("dialog[open]");
  const inSentence = (one) => getComputedStyle(one).display === "inline"
    && one.parentElement.textContent.trim() !== one.textContent.trim();
  const kinds = "a[href], button, input:not([type=hidden]), select, textarea, summary, .option";
  for (const one of (dialog ?? document).querySelectorAll(kinds)) {
    if (one.disabled || !one.checkVisibility({ visibilityProperty: true })) continue;
    if (one.matches("label input") || inSentence(one)) continue; // its label is the target
    one.scrollIntoView({ block: "center", inline: "center" });
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const isHit = (dx, dy) => one.contains(document.elementFromPoint(x + dx, y + dy));
    if (!isHit(0, 0)) continue; // under something else, or in sight for the keyboard only
    const wide = right - left > 43.5 || (isHit(-21, 0) && isHit(21, 0));
    const high = bottom - top > 43.5 || (isHit(0, -21) && isHit(0, 21));
    if (!wide || !high) {
      const size = `${Math.round(right - left)} by ${Math.round(bottom - top)}`;
      found.add(`${one.tagName}.${one.className} ${one.textContent.trim().slice(0, 20)}: ${size}`);
    }
  }
  return [...found];
}"""
"""What a finger cannot hit: below 44 by 44 pixels, its transparent rim included.

A link within a sentence is as high as its line, which WCAG 2.5.5 allows.
"""


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {', '.join(str(node['target']) for node in one['nodes'][:4])}"
        for one in found
    ]


def assert_accessible(
    state: State, views: Sequence[View], studio: Studio, open_page: OpenPage
) -> None:
    """A trial is one; axe finds nothing, nothing scrolls sideways, and fingers hit all."""
    served, url = studio.serve(state.study)
    page = open_page(expect=state.expect)
    state.reach(page, url, served)
    if state.name.startswith("trial-"):
        assert page.locator("jb-trial").count() == 1, "what it shows is no trial"
    for view in views:
        page.emulate_media(color_scheme=view.theme, reduced_motion="reduce")
        resize(page, view.width, view.height)
        arrived(page)
        assert violations(page) == [], view.name
        sideways = page.evaluate(
            "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert sideways <= 0, f"the page scrolls sideways at {view.width} pixels"
        if view.name.startswith("phone"):
            assert page.evaluate(SMALL) == [], "too small for a finger"
