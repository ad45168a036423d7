"""Results by category of item, and the items at the ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from jurybox.analysis import analyze
from jurybox.analysis.asked import Asked, AskedCriterion
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Chapter
from jurybox.analysis.items import MOST_CATEGORIES, Categories, item_chapter
from jurybox.analysis.options import Options
from jurybox.errors import InputError
from jurybox.tally.reading import read
from tests.analysis.small_study import MATERIAL, planned

CONTEXT = Context(asked=Asked(), options=Options())
KINDS = {"category": {"q0": "easy", "q1": "easy", "q2": "hard", "q3": "hard"}}


def chapter(
    table: dict[str, list[object]],
    categories: Categories,
    *,
    context: Context = CONTEXT,
) -> Chapter:
    responses = read(table)
    try:
        return item_chapter(context, responses, categories)
    finally:
        responses.close()


def ratings() -> dict[str, list[object]]:
    """Two raters score easy items 4 and 5 (mean 4.5), hard ones 1 and 2 (mean 1.5)."""
    rows: list[tuple[str, str, str, int]] = [
        (item, "one", rater, (4 if item in ("q0", "q1") else 1) + (rater == "ben"))
        for item in KINDS["category"]
        for rater in ("ada", "ben")
    ]
    names = ("item", "system", "rater", "score")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def test_means_by_category_have_intervals_of_their_own() -> None:
    by, ends = chapter(ratings(), KINDS).tables
    assert by.id == "categories/overall/category"
    assert [(row[0], row[1], row[2], row[4]) for row in by.rows] == [
        ("easy", "one", 4.5, 4),
        ("hard", "one", 1.5, 4),
    ]
    assert "Exploratory" in by.caption
    assert [row[:3] for row in ends.rows] == [
        ("best", "one", "q0"),
        ("best", "one", "q1"),
        ("worst", "one", "q3"),
        ("worst", "one", "q2"),
    ]


def test_a_bare_table_has_its_items_at_the_ends_too() -> None:
    found = analyze(ratings())
    ends = found.table("extremes/overall")
    assert ends is not None
    assert [row[:4] for row in ends.rows] == [
        ("best", "one", "q0", 4.5),
        ("best", "one", "q1", 4.5),
        ("worst", "one", "q3", 1.5),
        ("worst", "one", "q2", 1.5),
    ]
    assert not any(table.id.startswith("categories") for table in found.tables)


def with_kinds(column: str = "category") -> dict[str, list[object]]:
    data = ratings()
    return data | {column: [KINDS["category"][str(item)] for item in data["item"]]}


@pytest.mark.parametrize(
    ("column", "option"), [("category", None), ("Topic ", "topic"), ("category", "category")]
)
def test_a_column_of_a_bare_table_tells_the_categories(column: str, option: str | None) -> None:
    found = analyze(with_kinds(column), category=option)
    by = found.table(f"categories/overall/{option or 'category'}")
    assert by is not None
    (beside, _) = chapter(ratings(), {option or "category": KINDS["category"]}).tables
    assert by == beside


def test_a_column_is_taken_as_a_category_only_if_it_is_one_of_items() -> None:
    data = with_kinds()
    assert not any(table.id.startswith("categories") for table in analyze(ratings()).tables)
    data["category"][1] = "hard"
    found = analyze(data)
    assert not any(table.id.startswith("categories") for table in found.tables)
    said = "no results by category: item q0 has several, and an item is of one"
    assert said in found.took
    with pytest.raises(
        InputError, match=r"category='topic' needs a column of that name; the table has item, .*y$"
    ):
        analyze(data, category="topic")


def test_items_without_a_category_count_in_none() -> None:
    data = with_kinds()
    data["category"] = [None if kind == "easy" else kind for kind in data["category"]]
    assert analyze(data).table("categories/overall/category") is None
    data["category"][:2] = ["odd", None]
    by = analyze(data).table("categories/overall/category")
    assert by is not None
    # q1 has none; what is said of q0 once holds of all its answers.
    assert [(row[0], row[4]) for row in by.rows] == [("hard", 4), ("odd", 2)]


def test_the_category_of_an_error_is_none_of_the_item() -> None:
    spans: dict[str, list[object]] = {
        "item": ["1", "2"] * 2,
        "system": ["a", "a", "b", "b"],
        "rater": ["r"] * 4,
        "category": ["style", "accuracy"] * 2,
        "severity": ["minor", "major", "minor", "minor"],
        "domain": ["law", "news"] * 2,
    }
    assert analyze(spans).table("categories/errors/category") is None
    assert not any("by category" in said for said in analyze(spans).took)
    by = analyze(spans, category="domain").table("categories/errors/domain")
    assert by is not None
    assert [row[:3] for row in by.rows] == [
        ("law", "a", 1.0),
        ("law", "b", 1.0),
        ("news", "a", 5.0),
        ("news", "b", 1.0),
    ]


def test_judges_are_looked_at_within_categories_of_a_bare_table() -> None:
    rows = [
        (f"q{i}", "one", rater, "judge" if rater == "gpt" else "person", 1 + (i + k) % 5, kind)
        for i in range(24)
        for k, rater in enumerate(("ada", "ben", "cy", "gpt"))
        for kind in ("easy" if i < 12 else "hard",)
    ]
    names = ("item", "system", "rater", "rater_kind", "score", "category")
    table = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    parts = analyze(table).table("judge_strata/overall")
    assert parts is not None
    assert [(row[1], row[8]) for row in parts.rows] == [
        ("category: easy", 12),
        ("category: hard", 12),
    ]


def test_a_field_of_a_study_may_be_named(tmp_path: Path) -> None:
    with planned(tmp_path) as store:
        by = analyze(store, material=MATERIAL, category="topic").table("categories/overall/topic")
        assert by is not None
        # 8 items of two topics, each output judged twice: 4 items × 2 answers.
        assert [row[4] for row in by.rows] == [8] * 4
        with pytest.raises(InputError, match=r"category='mood' is no field of the study's items"):
            analyze(store, material=MATERIAL, category="mood")
        with pytest.raises(InputError, match=r"category='topic' is looked up in the items: pass"):
            analyze(store, category="topic")


def test_a_category_without_an_interval_has_its_reason_below_the_table() -> None:
    data = ratings()
    data["score"] = [
        5 if item in ("q0", "q1") else score
        for item, score in zip(data["item"], data["score"], strict=True)
    ]
    by, _ = chapter(data, KINDS).tables
    assert [row[3] is None for row in by.rows] == [True, False]
    assert by.caption.endswith("No interval of one (easy): neither raters nor items vary.")


def test_a_category_of_one_item_speaks_for_no_other_item() -> None:
    alone = {"category": {item: item for item in KINDS["category"]}}
    by, _ = chapter(ratings(), alone).tables
    assert all(row[3] is not None for row in by.rows)
    assert "Where a category has one item, the interval holds on this item only." in by.caption
    by, _ = chapter(ratings(), KINDS).tables
    assert "one item" not in by.caption


def test_where_less_is_better_the_lowest_is_the_best() -> None:
    asked = Asked(criteria={"overall": AskedCriterion(higher=False)})
    context = Context(asked=asked, options=Options())
    (ends,) = chapter(ratings(), {}, context=context).tables
    assert {row[0] for row in ends.rows if row[2] in ("q2", "q3")} == {"best"}


def test_votes_are_looked_at_by_win_rate() -> None:
    # new wins both easy items and loses both hard ones.
    winners = {"q0": "a", "q1": "a", "q2": "b", "q3": "b"}
    table: dict[str, list[object]] = {
        "item": list(winners),
        "system_a": ["new"] * 4,
        "system_b": ["old"] * 4,
        "rater": ["ada"] * 4,
        "winner": list(winners.values()),
    }
    by, ends = chapter(table, KINDS).tables
    assert [row[:3] for row in by.rows] == [
        ("easy", "new", 1.0),
        ("easy", "old", 0.0),
        ("hard", "new", 0.0),
        ("hard", "old", 1.0),
    ]
    assert {column.kind for column in by.columns} >= {"percent"}
    assert ("best", "old", "q2") in [row[:3] for row in ends.rows]


@pytest.mark.parametrize("kinds", [{}, {"category": {"q0": "one", "q1": "one"}}])
def test_one_category_or_none_has_no_table(kinds: Categories) -> None:
    assert [table.id for table in chapter(ratings(), kinds).tables] == ["extremes/overall"]


def test_of_many_categories_the_largest_are_shown_and_that_is_said() -> None:
    many = {"topic": {f"q{k}": f"kind {k}" for k in range(MOST_CATEGORIES + 3)}}
    made = chapter(ratings(), many)
    assert made.took == (
        f"topic: results are shown of the {MOST_CATEGORIES} largest of 15 categories",
    )


def test_words_have_no_figure() -> None:
    table: dict[str, list[object]] = {**ratings(), "score": ["good", "bad"] * 4}
    assert chapter(table, KINDS).tables == ()


def test_hostile_names_stay_names() -> None:
    name = "x'; DROP TABLE answered; --"
    table = ratings()
    table["item"] = [name if item == "q0" else item for item in table["item"]]
    by, _ = chapter(table, {"category": {name: "'", "q2": "other"}}).tables
    assert [(row[0], row[4]) for row in by.rows] == [("'", 2), ("other", 2)]


def test_of_marked_errors_the_output_with_the_fewest_points_is_the_best() -> None:
    # A major error is 5 points, a minor one 1: q0 has 0, q1 1, q2 5 and q3 10 by either rater.
    severities: dict[str, list[str | None]]
    severities = {"q0": [None], "q1": ["minor"], "q2": ["major"], "q3": ["major", "major"]}
    rows = [
        (item, "one", rater, "made", 3 * k, 3 * k + 2, "accuracy", severity)
        for item, given in severities.items()
        for rater in ("ada", "ben")
        for k, severity in enumerate(given)
    ]
    names = ("item", "system", "rater", "field", "start", "end", "category", "severity")
    table: dict[str, list[object]]
    table = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    for name in ("start", "end", "category"):
        table[name] = [
            None if s is None else v for v, s in zip(table[name], table["severity"], strict=True)
        ]
    by, ends = chapter(table, KINDS).tables
    assert [row[:3] for row in by.rows] == [("easy", "one", 0.5), ("hard", "one", 7.5)]
    assert all(row[3] is None or row[3][0] >= 0 for row in by.rows)
    assert [row[:4] for row in ends.rows] == [
        ("best", "one", "q0", 0.0),
        ("best", "one", "q1", 1.0),
        ("worst", "one", "q3", 10.0),
        ("worst", "one", "q2", 5.0),
    ]
    # Of one output two raters' marks are no two outputs.
    assert ends.columns[4].heading == "Raters"
