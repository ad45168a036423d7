"""Categories and difficulty."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.design.set_checks import SetCheck, check_set
from tests.design.set_checks.sets import make_material, make_study, questions, warned


def checked(items: list[dict[str, Any]], **parts: Any) -> dict[str, SetCheck]:
    study = make_study(**parts)
    material = make_material(items, {"one": ["apple river"] * len(items)})
    return {check.id: check for check in check_set(study, material, facts={})}


def by(field: str, values: list[Any]) -> list[dict[str, Any]]:
    plain = [{k: v for k, v in q.items() if k == "question"} for q in questions(len(values))]
    return [{**row, field: value} for row, value in zip(plain, values, strict=True)]


def test_a_good_set_warns_of_nothing() -> None:
    assert warned(list(checked(questions(30)).values())) == []


def test_few_categories() -> None:
    found = checked(by("topic", list("abcd") * 3))
    assert found["categories/topic"].warns
    assert found["categories/topic"].figure == 4
    assert found["categories/topic"].sentence == (
        "The items come from 4 categories in the field topic, fewer than 5."
    )
    assert not found["category_sizes/topic"].warns
    assert not checked(by("topic", list("abcde") * 3))["categories/topic"].warns


def test_uneven_categories() -> None:
    # 12, 4, 4, 4, 4: three times the smallest is allowed; 13 against 4 is not.
    even = checked(by("Category", ["a"] * 12 + list("bcde") * 4))
    assert (even["category_sizes/Category"].figure, even["category_sizes/Category"].warns) == (
        3,
        False,
    )
    uneven = checked(by("Category", ["a"] * 13 + list("bcde") * 4))["category_sizes/Category"]
    assert uneven.warns
    assert uneven.figure == 13 / 4
    assert "a is 44.8% of the items, e 13.8%" in uneven.sentence  # 13 and 4 of 29
    assert uneven.shown == "largest 3.2 times the smallest"
    same = checked(by("Category", list("abcde") * 4))["category_sizes/Category"]
    assert same.shown == "all alike"


def test_what_the_study_stratifies_by_is_the_category() -> None:
    items = [
        {**row, "length": "long" if i % 2 else "short", "source": f"s{i % 5}"}
        for i, row in enumerate(by("topic", list("abcdef") * 3))
    ]
    found = checked(items, design={"stratify": ["length", "source"]})
    assert [id for id in found if id.startswith("categories")] == [
        "categories/length",
        "categories/source",
    ]
    assert found["categories/length"].warns
    assert not found["categories/source"].warns


def test_no_category_is_said() -> None:
    check = checked(by("note", list("abcd")))["categories"]
    assert check.figure is None
    assert "design.stratify" in str(check.undefined)
    one = checked(by("topic", ["a", "a", "", None]))
    assert one["categories/topic"].figure == 1
    assert one["category_sizes/topic"].undefined == "there are no two categories to compare"


@pytest.mark.parametrize(
    ("values", "figure", "warns"),
    [
        # Deviations of 1, 1, 1, 2 from their mean 1.25: 3·0.0625 + 0.5625 = 0.75, by 3 is 0.25.
        ([1, 1, 1, 2], 0.5, False),
        ([3, 3, 3, 3, 3, 3, 3, 4], 0.35355339, True),  # 0.875/7 = 0.125
        (["2", "4"], 1.41421356, False),
        ([0.5, 0.5, 0.6, 0.6], 0.05773503, True),  # shares: an eighth of the scale, 0.125
        ([0.0, 0.5, 1.0], 0.5, False),
    ],
)
def test_spread_of_difficulty(values: list[Any], figure: float, warns: bool) -> None:
    check = checked(by("difficulty", values))["difficulty"]
    assert check.figure == pytest.approx(figure)
    assert check.warns is warns


@pytest.mark.parametrize(
    ("field", "values", "reason"),
    [
        ("topic", ["a", "b"], "no column is called difficulty"),
        ("difficulty", ["easy", "hard"], "difficulty holds words that are no numbers"),
        ("difficulty", [1, float("nan")], "difficulty holds words that are no numbers"),
        ("difficulty", [1, None], "one item has no spread"),
    ],
)
def test_difficulty_that_cannot_be_told(field: str, values: list[Any], reason: str) -> None:
    check = checked(by(field, values))["difficulty"]
    assert (check.figure, check.undefined, check.warns) == (None, reason, False)
