"""A confidence is told with the digits that were asked for, wherever a page has one."""

from __future__ import annotations

import re

import pytest

from jurybox.analysis import analyze
from jurybox.report import html, markdown
from tests.analysis.test_analyze import rankings, ratings, votes


@pytest.mark.parametrize("table", [ratings(), votes(), rankings()], ids=["rate", "compare", "rank"])
def test_a_page_rounds_no_confidence(table: dict[str, list[object]]) -> None:
    found = analyze(table, confidence=0.995)
    for page in (markdown(found), html(found)):
        text = page.replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")
        said = re.findall(r"([0-9.]+%) (?:simultaneous |pairwise )?(?:interval|confidence)", text)
        assert set(said) == {"99.5%"}
