"""Whatever a set holds, every check has a figure or says why not."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jurybox.design.set_checks import check_set
from tests.design.set_checks.sets import make_material, make_study

CELL = st.one_of(st.none(), st.text(max_size=30), st.integers(), st.floats(), st.booleans())


@st.composite
def sets(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, list[str | None]]]:
    n = draw(st.integers(1, 8))
    names = draw(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4, unique=True))
    items = [
        {"question": draw(st.text(max_size=40)), "topic": draw(CELL), "difficulty": draw(CELL)}
        for _ in range(n)
    ]
    output = st.one_of(st.none(), st.text(max_size=40))
    return items, {name: [draw(output) for _ in range(n)] for name in names}


@given(sets(), st.sampled_from(["compare", "rate", "rank", "detect"]))
def test_every_check_has_a_figure_or_a_reason(
    made: tuple[list[dict[str, Any]], dict[str, list[str | None]]], protocol: str
) -> None:
    items, outputs = made
    real = {"real": [next(iter(outputs))]} if protocol == "detect" else {}
    study, material = make_study(protocol, **real), make_material(items, outputs)
    checks = check_set(study, material, facts={})
    assert len({check.id for check in checks}) == len(checks)
    for check in checks:
        json.dumps(asdict(check), allow_nan=False)
        assert (check.figure is None) == (check.undefined is not None)
        assert check.figure is None or math.isfinite(check.figure)
        assert check.warns == bool(check.sentence)
    assert checks == check_set(study, material, facts={})
