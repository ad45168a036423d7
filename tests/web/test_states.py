"""Every page in every state: accessible, in both themes and widths, without a policy violation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from starlette.routing import Mount

import jurybox.screen
import jurybox.web
from tests.web.serving import open_study
from tests.web.state import State
from tests.web.states import ROUTES, STATES
from tests.web.studies import write_study

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

VIEWS = (("light", 1280, 800), ("dark", 390, 844))
# What another theme and another width can change; everything else is checked in the first view.
SEEN = {"runOnly": {"type": "rule", "values": ["color-contrast", "target-size", "region"]}}


def violations(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {', '.join(str(node['target']) for node in one['nodes'][:4])}"
        for one in found
    ]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_axe_finds_nothing(state: State, studio: Studio, open_page: OpenPage) -> None:
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


def test_every_template_is_in_the_list() -> None:
    here = {
        path.name
        for room in (jurybox.web, jurybox.screen)
        for path in (Path(str(room.__file__)).parent / "templates").glob("*.html")
    }
    listed = {name for state in STATES for name in state.templates}
    assert here - {"guide.html"} == listed, "name new templates in tests/web/states.py"


def test_every_route_is_in_the_list(tmp_path: Path) -> None:
    with open_study(write_study("graded", tmp_path)) as served:
        paths = served.app.openapi()["paths"]
        mounts = [route.path for route in served.app.routes if isinstance(route, Mount)]
    found = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    found |= {f"GET {path}" for path in mounts}
    assert found == set(ROUTES), "name new routes in tests/web/states.py"
    assert set(ROUTES.values()) <= {state.name for state in STATES}


def test_state_names_are_unique() -> None:
    names = [state.name for state in STATES]
    assert len(names) == len(set(names))
