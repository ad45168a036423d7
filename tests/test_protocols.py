"""Every list of protocols has them all: one that is forgotten shows as a missing key much later."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, get_args

import pytest

from jurybox.analysis.asked import PROTOCOL_SHAPE
from jurybox.analysis.run import CHAPTERS
from jurybox.cli.how_many import ProtocolOption
from jurybox.cli.power import SECONDS
from jurybox.design.trials import _CELLS
from jurybox.report.documents.datasheet import FORMS
from jurybox.report.methods.paragraph import DONE
from jurybox.report.said.words import RESPONSES
from jurybox.store.rows import READERS
from jurybox.store.views import VIEWS
from jurybox.study.guide import AnswerForm
from jurybox.study.model import Protocol
from jurybox.study.rules_criteria import FITS
from jurybox.tally.shapes import SHAPES

OF_PROTOCOLS: dict[str, Collection[Any]] = {
    "FITS of study/rules_criteria.py": FITS,
    "_CELLS of design/trials.py": _CELLS,
    "PROTOCOL_SHAPE of analysis/asked.py": PROTOCOL_SHAPE,
    "RESPONSES of report/said/words.py": RESPONSES,
    "DONE of report/methods/paragraph.py": DONE,
    "SECONDS of cli/power.py": SECONDS,
    "ProtocolOption of cli/how_many.py": get_args(get_args(get_args(ProtocolOption)[0])[0]),
}
OF_SHAPES: dict[str, Collection[Any]] = {
    "SHAPES of tally/shapes.py": SHAPES,
    "CHAPTERS of analysis/run.py": CHAPTERS,
    "READERS of store/rows.py": READERS,
    "VIEWS of store/views.py": VIEWS,
}


@pytest.mark.parametrize("name", OF_PROTOCOLS)
def test_a_list_has_every_protocol(name: str) -> None:
    assert {*OF_PROTOCOLS[name]} == {*get_args(Protocol)}


@pytest.mark.parametrize("name", OF_SHAPES)
def test_a_list_has_the_table_of_every_protocol(name: str) -> None:
    assert {*PROTOCOL_SHAPE.values()} <= {*OF_SHAPES[name]}


def test_the_datasheet_knows_every_form_of_answer() -> None:
    assert {*FORMS} == {*get_args(AnswerForm)}
