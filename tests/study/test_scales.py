"""Scales: values are data, each with its anchor and its key."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from jurybox.study.scales import NAMED, Scale, expand, format_value


def scale(written: Any) -> Scale:
    return Scale.model_validate(expand(written))


@pytest.mark.parametrize(
    ("name", "values", "level"),
    [
        ("acr", [1, 2, 3, 4, 5], "ordinal"),
        ("likert", [1, 2, 3, 4, 5], "ordinal"),
        ("yes-no", [0, 1], "nominal"),
        ("0-100", [0, 25, 50, 75, 100], "interval"),
        ("cmos", [-3, -2, -1, 0, 1, 2, 3], "ordinal"),
    ],
)
def test_named_scales(name: str, values: list[float], level: str) -> None:
    made = scale(name)
    assert [value.value for value in made.values] == values
    assert (made.level, made.name) == (level, name)
    assert made.symmetric == (name == "cmos")
    assert set(NAMED) == {"acr", "likert", "yes-no", "0-100", "cmos"}


def test_a_slider_allows_its_steps_and_a_map_its_values() -> None:
    slider = scale("0-100")
    assert slider.allows(37)
    assert not slider.allows(37.5)
    assert not slider.allows(101)
    assert slider.describe() == "0 to 100 in steps of 1"
    assert slider.keys() == {}
    fine = scale({"anchors": {0: "a", 1: "b"}, "step": 0.1})
    assert fine.allows(0.3)  # 0.3 / 0.1 is not a whole number of steps in floating point
    uneven = scale({0: "a", 0.5: "b", 1: "c", 2: "d"})
    assert [uneven.allows(value) for value in (0.5, 1.5, 2)] == [True, False, True]
    assert uneven.describe() == "0, 0.5, 1, 2"
    assert (uneven.low, uneven.high) == (0, 2)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"values": [1, 2, 3], "anchors": {1: "Bad", 3: "Good"}}, "anchors alone make a slider"),
        ({"values": {1: "Bad", 2: "Good"}, "anchors": {1: "x"}}, "either values or anchors"),
        ({"values": [1, 2, 3]}, "a map of values and anchors, as `{1: Bad, 2: Good}`, got a list"),
        ({"values": []}, "a map of values and anchors"),
    ],
)
def test_values_without_their_anchors_are_refused_and_never_dropped(
    written: Any, said: str
) -> None:
    with pytest.raises(PydanticCustomError, match=re.escape(said)):
        expand(written)


def test_keys_are_the_values_own_digits() -> None:
    assert scale({0: "a", 0.5: "b", 1: "c", 2: "d"}).keys() == {0: "0", 0.5: "5", 1: "1", 2: "2"}
    # 1.5 would be on 5, which 5 itself has; 10 would be on 0, which is free.
    assert scale({1.5: "a", 5: "b", 10: "c"}).keys() == {5: "5", 10: "0"}
    assert scale({0: {"anchor": "a", "key": "x"}, 1: "b"}).keys() == {0: "x", 1: "1"}
    assert scale({-1: "a", 1: "b"}).keys() == {1: "1"}


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, unique=True))
def test_every_value_of_a_scale_is_allowed_and_keeps_its_place(values: list[float]) -> None:
    made = scale({value: "anchor" for value in values})
    assert [value.value for value in made.values] == values
    assert all(made.allows(value) for value in values)
    assert all(float(format_value(value)) == value for value in values)
    keys = made.keys()
    assert len(set(keys.values())) == len(keys)
