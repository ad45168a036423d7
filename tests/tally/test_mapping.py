"""Tables of other columns and words: what is taken for what, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.errors import InputError
from jurybox.tally.mapping import Derivation, TableMapping, mapped, merge
from jurybox.tally.mapping_file import load_mapping, save_mapping
from jurybox.tally.reading import read
from jurybox.tally.responses import Responses

VOTES = {
    "question": ["q1", "q1", "q2", "q2"],
    "left": ["new", "new", "new", "new"],
    "right": ["old", "old", "old", "old"],
    "who": ["ada", "ben", "ada", "ben"],
    "choice": ["left", "right", "draw", "left"],
}
NAMES = {
    "item": "question",
    "system_a": "left",
    "system_b": "right",
    "rater": "who",
    "winner": "choice",
}
WORDS = {"left": "a", "right": "b", "draw": "tie"}


def answers(responses: Responses, *columns: str) -> list[tuple[Any, ...]]:
    names = ", ".join(f"CAST({column} AS VARCHAR)" for column in columns)
    return responses.query(f"SELECT {names} FROM {{r}} ORDER BY rid")


def test_columns_and_words_are_mapped_and_named() -> None:
    found = read(mapped(VOTES, map=NAMES, values={"winner": WORDS}))
    assert answers(found, "item", "rater", "winner") == [
        ("q1", "ada", "a"),
        ("q1", "ben", "b"),
        ("q2", "ada", "tie"),
        ("q2", "ben", "a"),
    ]
    assert "item is question, system_a is left" in found.took[1]
    assert "winner: left → a, right → b, draw → tie" in found.took


def test_an_unmapped_word_is_refused_with_all_words_and_never_a_tie() -> None:
    with pytest.raises(InputError, match="winner 'draw' is not mapped") as caught:
        read(mapped(VOTES, map=NAMES, values={"winner": {"left": "a", "right": "b"}}))
    assert "'draw', 'left', 'right'" in str(caught.value)
    with pytest.raises(InputError, match="winner must be one of a, b, tie, both_bad"):
        read(mapped(VOTES, map=NAMES))


def test_words_that_need_no_translation_stay() -> None:
    table = {**VOTES, "choice": ["A", "b ", "draw", "TIE"]}
    found = read(mapped(table, map=NAMES, values={"winner": {"Draw": "tie"}}))
    assert answers(found, "winner") == [("a",), ("b",), ("tie",), ("tie",)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"map": {"score": "ratnig"}}, "no column 'ratnig'; did you mean 'rating'"),
        ({"map": {"score": "zzz"}}, "no column 'zzz'; the table has item, rating"),
        ({"map": {"scores": "rating"}}, "no table shape has a column 'scores'; did you mean"),
        ({"map": {"item": "item+nothing"}}, "no column 'nothing'"),
        ({"map": {"score": "rating"}, "set": {"score": "1"}}, "both mapped and set"),
        ({"level": "cardinal"}, "level must be one of nominal, ordinal, interval, ratio"),
        ({"level": {"fluency": "high"}}, "the level of 'fluency' must be one of"),
        ({"shape": "scores"}, "shape must be one of"),
        ({"raters": ["who*"]}, "no column is like 'who.'"),
        ({"raters": ["rating"], "scores": ["rating"]}, "raters and scores cannot both"),
        ({"values": {"score": {"good": "1"}}, "map": {"score": "rating"}}, "score 'fine'"),
        ({"values": {"score": {"good": "1"}}}, "no column 'score'"),
        ({"judges": ["gpt"], "map": {"score": "rating"}}, "no column 'rater'"),
        ({"counts": {"1": "rating"}}, "'rating' must count answers in whole numbers; got 'good'"),
        ({"derive": {"o": "sum(a, b)"}}, "derive 'o': write one of mean, geometric_mean"),
        ({"derive": {"o": "weighted_mean(a, b)"}}, "each with =weight; got 'a'"),
        ({"derive": {"o": "weighted_mean(a=x)"}}, "a weight must be a number; got 'x'"),
        ({"derived": {}}, "a mapping has no key 'derived'; did you mean 'derive'"),
        ({"raters_anonymous": "yes"}, "raters_anonymous must be true or false"),
        ({"map": "score"}, "map must name columns"),
        ({"raters": 3}, "raters must be names of columns"),
    ],
)
def test_mistakes_are_sentences(options: dict[str, Any], said: str) -> None:
    table = {"item": ["q1", "q2"], "rating": ["good", "fine"]}
    with pytest.raises(InputError, match=said):
        read(mapped(table, **options))


def test_constants_and_joined_columns() -> None:
    table = {"doc": ["a", "a", "b"], "seg": [1, 2, 1], "rating": [3, 4, 5]}
    found = read(mapped(table, map={"item": "doc+seg", "score": "Rating"}, set={"system": "SD"}))
    assert answers(found, "item", "system") == [("a/1", "SD"), ("a/2", "SD"), ("b/1", "SD")]
    assert "system is 'SD' in every row" in found.took


def test_a_column_whose_name_has_a_plus_is_one_column() -> None:
    table = {"a+b": ["x", "y"], "score": [1, 2]}
    assert answers(read(mapped(table, map={"item": "a+b"})), "item") == [("x",), ("y",)]


def test_raters_and_judges_in_columns() -> None:
    table = {
        "item": ["q1", "q2"],
        "system_a": ["new", "new"],
        "system_b": ["old", "old"],
        "person1": [1, 2],
        "person2": [None, 0],
        "gpt": ["2", "garbage"],
    }
    told = mapped(
        table,
        raters=["person*"],
        judges=["gpt"],
        values={"winner": {1: "a", 2: "b", 0: "tie", "garbage": "unusable"}},
    )
    people = read(told)
    # An empty cell is no response: three of four cells are answers.
    assert answers(people, "item", "rater", "winner") == [
        ("q1", "person1", "a"),
        ("q2", "person1", "b"),
        ("q2", "person2", "tie"),
    ]
    assert "1 rows are unusable by their winner" in people.took
    judges = read(told, judges=True)
    assert answers(judges, "rater", "winner") == [("gpt", "b")]
    assert [(each.status, each.n) for each in judges.skipped] == [("unusable", 1)]


def test_judges_by_name_in_a_long_table() -> None:
    table = {**VOTES, "who": ["ada", "gpt", "ada", "gpt"]}
    told = mapped(table, map=NAMES, values={"winner": WORDS}, judges=["gpt"])
    assert answers(read(told), "rater") == [("ada",), ("ada",)]
    assert answers(read(told, judges=True), "rater") == [("gpt",), ("gpt",)]
    with pytest.raises(InputError, match="there is no rater 'gbt'; did you mean 'gpt'"):
        read(mapped(table, map=NAMES, values={"winner": WORDS}, judges=["gbt"]))


def test_columns_of_detections_hold_answers() -> None:
    table = {"item": ["x", "y"], "truth": ["real", "generated"], "r1": ["real", "real"]}
    assert answers(read(mapped(table, raters=["r1"])), "answer") == [("real",), ("real",)]


def test_anonymous_raters_are_forgotten() -> None:
    table = {"item": ["x", "y", "z"], "h1": [1, 2, 3], "h2": [1, 3, 3]}
    found = read(mapped(table, raters=["h*"], raters_anonymous=True))
    assert not found.has_rater
    assert any("raters are anonymous" in sentence for sentence in found.took)
    assert not any("no column 'rater'" in sentence for sentence in found.took)


def test_scores_in_columns_are_criteria_named_by_the_star() -> None:
    table = {"row": [1, 2], "human_fluency": [0.5, 1.0], "human_overall": [None, 3.0]}
    found = read(mapped(table, map={"item": "row"}, scores=["human_*"]))
    assert answers(found, "item", "criterion", "score") == [
        ("1", "fluency", "0.5"),
        ("2", "fluency", "1.0"),
        ("2", "overall", "3.0"),
    ]


def test_rows_are_items_where_nothing_else_is() -> None:
    found = read(mapped({"r1": [1, 2], "r2": [2, 2]}, raters=["r1", "r2"]))
    assert answers(found, "item", "rater", "score")[:2] == [("1", "r1", "1.0"), ("1", "r2", "2.0")]
    assert "no column of items: each row is an item" in found.took


def test_counts_are_repeated() -> None:
    table = {"i": ["x", "x"], "j": ["y", "z"], "wins": [2, 0], "losses": [1, 3]}
    told = mapped(
        table, map={"system_a": "i", "system_b": "j"}, counts={"a": "wins", "b": "losses"}
    )
    assert answers(read(told), "system_b", "winner") == [
        *[("y", "a")] * 2,
        ("y", "b"),
        *[("z", "b")] * 3,
    ]
    table["wins"] = [2, 0.5]
    with pytest.raises(InputError, match=r"whole numbers; got '0\.5'"):
        read(told)


def test_numbers_are_found_however_they_are_written() -> None:
    table = {"item": ["a", "b", "c"], "system": ["s"] * 3, "score": ["1.0", "2", "N/A"]}
    found = read(mapped(table, values={"score": {"1": "0", "N/A": ""}}))
    assert answers(found, "score") == [("0.0",), ("2.0",)]
    assert "1 row without a score left out" in found.took


def test_a_mark_of_exclusion_can_be_mapped() -> None:
    table = {"item": ["a", "b"], "score": [1, 2], "rater": ["x", "y"], "passed": [1, 0]}
    told = mapped(
        table,
        map={"excluded_by": "passed"},
        values={"excluded_by": {0: "attention_failed", 1: ""}},
    )
    assert answers(read(told), "rater") == [("x",)]


def test_a_mapped_file_is_read_where_it_is(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "votes.parquet"
    duckdb.connect().execute(
        "COPY (SELECT 'q' || i AS question, 'new' AS m1, 'old' AS m2, CASE WHEN i % 2 = 0 THEN "
        f"'left' ELSE 'right' END AS choice FROM range(10) t(i)) TO '{path}'"
    )
    told = mapped(
        path,
        map={"item": "question", "system_a": "m1", "system_b": "m2", "winner": "choice"},
        values={"winner": WORDS},
    )
    assert read(told).count() == (10, 0, 10)


def test_the_shape_can_be_said() -> None:
    table = {"item": ["a", "b"], "score": [1, 2], "winner": ["x", "y"]}
    with pytest.raises(InputError, match="votes need"):
        read(table)
    assert read(mapped(table, shape="ratings")).shape.name == "ratings"


def test_tables_of_two_shapes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("item,score\na,1\n")
    (tmp_path / "votes.csv").write_text("item,system_a,system_b,winner\na,x,y,a\n")
    said = "ratings.csv holds ratings, votes.csv holds votes; analyze tables of one shape at a time"
    for source in ([tmp_path / "ratings.csv", tmp_path / "votes.csv"], tmp_path / "*.csv"):
        with pytest.raises(InputError) as caught:
            read(source)
        assert set(str(caught.value).split("; ")[0].split(", ")) == set(
            said.split("; ")[0].split(", ")
        )


def test_a_file_keeps_a_mapping(tmp_path: Path) -> None:
    made = TableMapping.of(
        {
            "from": "arena",
            "map": {"item": "doc+seg"},
            "values": {"winner": {1: "a", "no": "", "yes, really": "b"}},
            "level": {"*": "ordinal", "fluency": "interval"},
            "raters": ["r*"],
            "judges": "gpt, claude",
            "raters_anonymous": True,
            "derive": {"overall": "weighted_mean(SC=2, PR=1)"},
            "only": {"system": ["SD", "SDXL"], "passed": 1},
        }
    )
    save_mapping(made, tmp_path / "mapping.yaml")
    assert load_mapping(tmp_path / "mapping.yaml") == made
    assert made.judges == ("gpt", "claude")
    assert made.derive["overall"] == Derivation(
        rule="weighted_mean", weights={"SC": 2.0, "PR": 1.0}
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("map: [", "mapping.yaml:1: "),
        ("- map", "a mapping has keys"),
        ("mapp: {}", "mapping.yaml: a mapping has no key 'mapp'; did you mean 'map'"),
    ],
)
def test_a_wrong_file_is_a_sentence(tmp_path: Path, words: str, said: str) -> None:
    path = tmp_path / "mapping.yaml"
    path.write_text(words)
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        load_mapping(path)
    with pytest.raises(InputError, match="there is no file"):
        load_mapping(tmp_path / "none.yaml")


def test_an_empty_file_maps_nothing(tmp_path: Path) -> None:
    (tmp_path / "mapping.yaml").write_text("# nothing yet\n")
    assert load_mapping(tmp_path / "mapping.yaml").is_empty


def test_later_mappings_hold() -> None:
    base = TableMapping.of({"map": {"score": "x", "item": "y"}, "set": {"rater": "z"}})
    over = TableMapping.of({"map": {"score": "w", "rater": "v"}, "set": {"item": "u"}})
    assert merge(base, over).to_plain() == {
        "map": {"score": "w", "rater": "v"},
        "set": {"item": "u"},
    }
    again = mapped(mapped(VOTES, map=NAMES), values={"winner": WORDS})
    assert read(again).count() == (4, 2, 2)


@given(st.lists(st.sampled_from(["left", "right", "draw"]), min_size=1, max_size=30))
def test_mapping_is_as_good_as_writing_the_shape(choices: list[str]) -> None:
    n = len(choices)
    theirs = {"l": ["x"] * n, "r": ["y"] * n, "choice": choices}
    names = {"system_a": "l", "system_b": "r", "winner": "choice"}
    ours = {"system_a": ["x"] * n, "system_b": ["y"] * n, "winner": [WORDS[c] for c in choices]}
    told = read(mapped(theirs, map=names, values={"winner": WORDS}))
    plain = read(ours)
    assert answers(told, "winner") == answers(plain, "winner")
    told.close()
    plain.close()


def test_only_some_rows_are_read() -> None:
    told = mapped(VOTES, map=NAMES, values={"winner": WORDS})
    found = read(mapped(told, only={"rater": "ada", "question": ["q1", "q2"]}))
    assert answers(found, "item", "rater") == [("q1", "ada"), ("q2", "ada")]
    assert "only rows with the rater ada are read" in found.took
    with pytest.raises(InputError, match="no row has the rater 'eda'; did you mean 'ada'"):
        read(mapped(told, only={"rater": "eda"}))
    with pytest.raises(InputError, match="no column 'age'"):
        read(mapped(told, only={"age": "young"}))


def test_numbers_of_only_are_found_however_they_are_written() -> None:
    table = {"item": ["a", "b"], "score": [1, 2], "passed": ["1.0", "0.0"]}
    assert read(mapped(table, only={"passed": 1})).count()[0] == 1


def test_data_frames_with_missing_cells_and_odd_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            'the "item"': ["a", "b"],
            "système a": ["x", "x"],
            "b's": ["y", "y"],
            "r 1": [1.0, 2.0],
            "r 2": [float("nan"), 2.0],
        }
    )
    told = mapped(
        frame,
        map={"item": 'the "item"', "system_a": "système a", "system_b": "b's"},
        raters=["r ?"],
        values={"winner": {1: "a", 2: "b"}},
    )
    assert answers(read(told), "item", "rater", "winner") == [
        ("a", "r 1", "a"),
        ("b", "r 1", "b"),
        ("b", "r 2", "b"),
    ]
    long = pandas.DataFrame({"item": ["a", "b"], "score": [1.0, float("nan")], "system": "s"})
    found = read(mapped(long, values={"score": {1: "5"}}))
    assert answers(found, "score") == [("5.0",)]


def test_a_relation_and_a_polars_frame() -> None:
    import duckdb

    relation = duckdb.sql("SELECT 'a' AS unit, 3 AS rating")
    assert answers(read(mapped(relation, map={"item": "unit", "score": "rating"})), "item") == [
        ("a",)
    ]
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"unit": ["a"], "rating": [3]})
    assert answers(read(mapped(frame, map={"item": "unit", "score": "rating"})), "item") == [("a",)]


def test_columns_of_systems_are_scores_or_ranks() -> None:
    table = {"q": ["q1", "q2"], "ada": ["r", "r"], "s_new": [1, 2], "s_old": ["3", ""]}
    names = {"item": "q", "rater": "ada"}
    found = read(mapped(table, map=names, systems=["s_*"]))
    assert answers(found, "item", "system", "word") == [
        ("q1", "new", "1"),
        ("q1", "old", "3"),
        ("q2", "new", "2"),
    ]
    assert "the columns s_new, s_old are the systems new, old" in found.took
    one = {name: column for name, column in table.items() if name != "s_old"}
    alone = read(mapped(one, map=names, systems=["s_*"]))
    assert "the column s_new is the system new" in alone.took
    ranks = {**table, "s_new": [1, 2], "s_old": [2, 1]}
    found = read(mapped(ranks, map=names, systems=["s_*"], shape="rankings"))
    assert found.query("SELECT system, rank FROM {r} ORDER BY item, rank") == [
        ("new", 1.0),
        ("old", 2.0),
        ("old", 1.0),
        ("new", 2.0),
    ]
    # Taken for scores, the best would come out worst.
    with pytest.raises(InputError, match="say --shape rankings if 1 is the best"):
        read(mapped(ranks, map=names, systems=["s_*"]))
    assert read(mapped(ranks, map=names, systems=["s_*"], shape="ratings")).count() == (4, 1, 2)
