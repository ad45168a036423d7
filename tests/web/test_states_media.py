"""Every trial with pictures, sounds or films in every state: accessible, in both themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.axe import View, assert_accessible, states_of
from tests.web.state import State

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage, Studio


@pytest.mark.parametrize(("state", "views"), states_of("media"))
def test_axe_finds_nothing(
    state: State, views: tuple[View, ...], studio: Studio, open_page: OpenPage
) -> None:
    assert_accessible(state, views, studio, open_page)
