"""Tables as people save them: each trouble names file and row."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.errors import Problem
from jurybox.study.tables import Table, read_table


def read(folder: Path, name: str, content: bytes) -> tuple[Table | None, list[str]]:
    problems: list[Problem] = []
    path = folder / name
    path.write_bytes(content)
    table = read_table(path, name, problems)
    assert all(problem.file == name for problem in problems)
    return table, [str(problem).removeprefix(f"{name}") for problem in problems]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b"item,n\na,1\nb,\"x,\ny\"\n"),
        ("t.csv", b"\xef\xbb\xbfitem,n\r\na,1\r\nb,\"x,\ny\"\r\n"),
        ("t.CSV", b"item,n\na,1\n\nb,\"x,\ny\""),
        ("t.csv", b"item;n\na;1\nb;\"x,\ny\"\n"),
        ("t.tsv", b"item\tn\na\t1\nb\t\"x,\ny\"\n"),
        ("t.jsonl", b'{"item":"a","n":"1"}\n\n{"item":"b","n":"x,\\ny"}'),
        ("t.ndjson", b'\xef\xbb\xbf{"item":"a","n":"1"}\r\n{"item":"b","n":"x,\\ny"}\r\n'),
        ("t.json", b'[{"item":"a","n":"1"},{"item":"b","n":"x,\\ny"}]'),
    ],
)  # fmt: skip
def test_every_format_gives_the_same_rows(name: str, content: bytes, tmp_path: Path) -> None:
    table, problems = read(tmp_path, name, content)
    assert problems == []
    assert table is not None
    assert table.columns == ("item", "n")
    values = [row.values for row in table.rows]
    assert values == [{"item": "a", "n": "1"}, {"item": "b", "n": "x,\ny"}]


def test_rows_are_numbered_as_people_see_them(tmp_path: Path) -> None:
    def numbers(name: str, content: bytes) -> list[int]:
        table, _ = read(tmp_path, name, content)
        assert table is not None
        return [row.row for row in table.rows]

    assert numbers("t.csv", b'item\n"a\nb"\nc\n') == [2, 3]  # rows, not lines
    assert numbers("t.jsonl", b'{"a":1}\n\n{"a":2}\n') == [1, 3]
    assert numbers("t.json", b'[{"a":1},{"a":2}]') == [1, 2]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("t.csv", b"", ":1: The table is empty; its first row names the columns."),
        ("t.csv", b"item\n", ": The table has no rows."),
        ("t.csv", b"item,item\n1,2\n", ":1: Two columns are called `item`; rename one."),
        ("t.csv", b"item,\n1,2\n", ":1: Column 2 has no name."),
        ("t.csv", b"item, n\n1,2\n", ":1: Column `n` has blanks around its name."),
        ("t.csv", b"item\tn\n1\t2\n", ":1: The table has one column; separate the columns by com"),
        ("t.csv", b"item;n\n1;2,5;3\n", ":2: 3 cells under 2 columns; put text that"),
        ("t.tsv", b"item,n\n1,2\n", ":1: The table has one column; separate the columns by tabs."),
        ("t.csv", b"item,n\n1,2\n3\n", ":3: 1 cell under 2 columns; put text that"),
        ("t.csv", b"item,n\n1,2,3\n", ":2: 3 cells under 2 columns; put text that"),
        ("t.csv", b'item,n\n1,"2\n', ":2: The quotes do not fit (unexpected end of data)."),
        ("t.csv", b"item\na\ncaf\xe9\n", ":3: Byte 0xe9 at offset 10 is not UTF-8; save"),
        ("t.csv", "item\n".encode("utf-16"), ":1: Byte 0xff at offset 0 is not UTF-8; save"),
        ("t.jsonl", b'{"a":1}\nx\n', ":2: The line is not a JSON object (Expecting value,"),
        ("t.jsonl", b"[1]\n", ":1: The row must be an object, got a list."),
        ("t.jsonl", b'{"a":1,"a":2}\n', ":1: The line is not a JSON object (`a` stands twi"),
        ("t.jsonl", b'{"a":NaN}\n', ":1: The line is not a JSON object (NaN is not JSON)."),
        ("t.jsonl", rb'{"a":"\ud800"}', r":1: The line is not a JSON object (an escape such as"),
        ("t.json", rb'[{"a":"\udfff"}]', ":1:1: The file is not JSON (an escape such as"),
        ("t.jsonl", b"[" * 100_000, ":1: The line is not a JSON object (nested too deep"),
        ("t.json", b'{"a":1}', ":1: The file must hold an array of objects, got a map."),
        ("t.json", b"[\n1,\n]", ":3:1: The file is not JSON (Expecting value"),
        ("t.json", b"[1]", ":1: The row must be an object, got `1`."),
        ("t.json", b"[]", ": The table has no rows."),
        ("t.xlsx", b"PK", ": A table ends in .csv, .json, .jsonl, .ndjson or .tsv."),
    ],
)  # fmt: skip
def test_each_trouble_is_said(name: str, content: bytes, expected: str, tmp_path: Path) -> None:
    _, problems = read(tmp_path, name, content)
    assert any(problem.startswith(expected) for problem in problems), problems


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert read_table(tmp_path / "gone.csv", "gone.csv", problems) is None
    assert [str(p) for p in problems] == [
        "gone.csv: The table cannot be read: No such file or directory."
    ]


def test_a_very_long_cell_is_read_and_the_limit_stays(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    table, problems = read(tmp_path, "t.csv", b"item\n" + b"x" * 500_000 + b"\n")
    assert problems == []
    assert table is not None
    assert len(table.rows[0].values["item"]) == 500_000
    assert csv.field_size_limit() == before


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00"), max_size=10)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_whatever_python_writes_as_csv_is_read_back(rows: list[tuple[str, str]]) -> None:
    rows = [row for row in rows if row != ("", "")] or [("a", "b")]
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(["x", "y"])
    writer.writerows(rows)
    with tempfile.TemporaryDirectory() as folder:
        table, problems = read(Path(folder), "t.csv", stream.getvalue().encode())
    assert problems == []
    assert table is not None
    assert [tuple(row.values.values()) for row in table.rows] == rows


@given(st.binary(max_size=60), st.sampled_from(["t.csv", "t.tsv", "t.jsonl", "t.json"]))
def test_any_bytes_are_rows_or_problems(content: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table, problems = read(Path(folder), name, content)
    assert problems or (table is not None and table.rows)


def test_values_in_json_keep_their_types(tmp_path: Path) -> None:
    table, _ = read(
        tmp_path, "t.jsonl", b'{"item":1,"x":[1],"y":null,"z":1.5}\n{"item":2,"w":true}'
    )
    assert table is not None
    assert table.columns == ("item", "x", "y", "z", "w")
    expected: dict[str, Any] = {"item": 1, "x": [1], "y": None, "z": 1.5}
    assert table.rows[0].values == expected
