"""Every page in every state: accessible, in both themes and widths, without a policy violation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.routing import Mount

import jurybox.screen
import jurybox.web
from tests.web.axe import PARTS, View, assert_accessible, states_of
from tests.web.serving import open_study
from tests.web.state import State
from tests.web.states import ROUTES, STATES
from tests.web.studies import write_study

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage, Studio


@pytest.mark.parametrize(("state", "views"), states_of("page"))
def test_axe_finds_nothing(
    state: State, views: tuple[View, ...], studio: Studio, open_page: OpenPage
) -> None:
    assert_accessible(state, views, studio, open_page)


def test_every_part_of_the_list_has_a_file() -> None:
    files = [path.stem for path in Path(__file__).parent.glob("test_states*.py")]
    parts = [part for part, _ in PARTS if part != "page"]
    assert sorted(files) == sorted(["test_states", *(f"test_states_{part}" for part in parts)])
    assert all(states_of(part) for part, _ in PARTS)


def test_every_template_is_in_the_list() -> None:
    here = {
        path.name
        for room in (jurybox.web, jurybox.screen)
        for path in (Path(str(room.__file__)).parent / "templates").glob("*.html")
    }
    listed = {name for state in STATES for name in state.templates}
    assert here == listed, "name new templates in tests/web/states.py"


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
