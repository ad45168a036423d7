"""Results by category of item, and the items at the ends."""

from __future__ import annotations

import pytest

from jurybox.analysis import analyze
from jurybox.analysis.asked import Asked, AskedCriterion
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Chapter
from jurybox.analysis.items import MOST_CATEGORIES, Categories, item_chapter
from jurybox.analysis.options import Options
from jurybox.tally.reading import read

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
    assert ends.columns[4].heading == "Marked outputs"
