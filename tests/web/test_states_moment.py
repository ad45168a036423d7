"""Every moment of a trial, in every form of question and every medium: accessible in all views."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from jurybox.study.criteria import Medium
from jurybox.study.model import Protocol
from tests.web.axe import View, assert_accessible, moments
from tests.web.covering import LEVELS
from tests.web.covering_studies import FORMS
from tests.web.product import MOMENT_STATES, MOMENTS
from tests.web.state import State

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage, Studio


@pytest.mark.parametrize(("state", "views"), moments())
def test_axe_finds_nothing(
    state: State, views: tuple[View, ...], studio: Studio, open_page: OpenPage
) -> None:
    assert_accessible(state, views, studio, open_page)


def test_every_moment_is_met_with_every_form_and_medium() -> None:
    protocols = {line.split(": ")[1] for form in FORMS.values() for line in form.splitlines()[:1]}
    assert protocols == set(get_args(Protocol))
    assert set(LEVELS["medium"]) == set(get_args(Medium))
    met = {tuple(state.name.removeprefix("moment-").rsplit("-", 2)) for state in MOMENT_STATES}
    for moment in MOMENTS:
        assert {form for name, form, _ in met if name == moment.name} >= set(FORMS) - {"mark"}
        media = {medium for name, _, medium in met if name == moment.name}
        assert media == set(moment.media) if moment.shows else media <= set(moment.media)
    short = [one for one in moments() if not one.marks]
    assert len(short) == len(MOMENTS)
