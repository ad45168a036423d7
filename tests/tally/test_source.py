"""Anything tabular can be read; what cannot is one clear sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from jurybox.analysis.api import mean_scores, win_rates
from jurybox.errors import InputError
from jurybox.tally.mapping import mapped
from jurybox.tally.reading import read
from jurybox.tally.source import _start, connect, disconnect, load
from tests.patience import PATIENCE

COLUMNS: dict[str, list[Any]] = {
    "item": [1, 1, 2, 2],
    "system_a": ["new"] * 4,
    "system_b": ["old"] * 4,
    "rater": ["ada", "ben"] * 2,
    "winner": ["a", "b", "tie", "a"],
}
FRAME = pd.DataFrame(COLUMNS)
ROOT = Path(__file__).parents[2]
HEAD = b"item,system_a,system_b,rater,winner\n"


def relation() -> duckdb.DuckDBPyRelation:
    connection = duckdb.connect()
    connection.register("votes", FRAME)
    return connection.sql("SELECT * FROM votes")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(COLUMNS, id="mapping"),
        pytest.param(FRAME, id="pandas"),
        pytest.param(pl.DataFrame(COLUMNS), id="polars"),
        pytest.param(pa.table(COLUMNS), id="pyarrow"),
    ],
)
def test_frames_of_every_kind(source: Any) -> None:
    assert win_rates(source) == win_rates(COLUMNS)


def test_a_relation_of_another_connection() -> None:
    assert win_rates(relation()) == win_rates(COLUMNS)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        pytest.param([2.0, 2, "2", None, 2.5], ["2", "2", "2", None, "2.5"], id="numbers"),
        pytest.param([True, 1, 1.0, False], ["True", "1", "1", "False"], id="equal values"),
        pytest.param([float("nan"), float("nan"), 0.0, -0.0], [None, None, "0", "0"], id="none"),
        pytest.param([["a"], ["a"], {}], ["['a']", "['a']", "{}"], id="lists"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_cells_are_read_as_people_write_them(cells: list[Any], words: list[str | None]) -> None:
    connection = connect()
    load(connection, {"score": cells}, ["score"])
    assert [row[0] for row in connection.execute("SELECT score FROM raw").fetchall()] == words
    disconnect(connection)


def test_an_engine_that_is_handed_on_keeps_nothing() -> None:
    first = connect()
    made = ("TEMP TABLE raw AS SELECT 1 AS x", "TEMP TYPE systems AS ENUM ('a')")
    for each in made:
        first.execute(f"CREATE {each}")
    first.execute("PRAGMA disable_optimizer")
    first.execute("SET disabled_optimizers = 'build_side_probe_side'")
    first.execute("RESET threads")
    frame = pa.table(COLUMNS)
    first.register("frame", frame)
    disconnect(first)
    second = connect()
    for each in (*made, "TEMP TABLE frame AS SELECT 1 AS x"):
        second.execute(f"CREATE {each}")
    # What is free on the disk may change from one engine to the next.
    named = "name <> 'max_temp_directory_size'"
    settings = f"SELECT name, value FROM duckdb_settings() WHERE {named} ORDER BY name"
    fresh = _start().cursor()
    assert second.execute(settings).fetchall() == fresh.execute(settings).fetchall()
    disconnect(second)


def test_two_tables_that_are_open_at_once_do_not_meet() -> None:
    one, two = read(COLUMNS), read({**COLUMNS, "system_a": ["other"] * 4})
    assert one.systems == ("new", "old")
    one.close()
    three = read(COLUMNS)
    assert two.systems == ("old", "other")
    assert three.systems == ("new", "old")
    two.close()
    three.close()


FORKED = """
from multiprocessing import get_context

from tests.tally.test_source import COLUMNS, win_rates

expected = win_rates(COLUMNS)
with get_context("fork").Pool(1) as pool:
    assert pool.apply_async(win_rates, (COLUMNS,)).get(60) == expected
"""


def test_a_child_process_reads_though_its_parent_did() -> None:
    # In a process of its own: what other tests left in this one, such as a browser's threads, a
    # fork would copy as it happens to be.
    subprocess.run([sys.executable, "-c", FORKED], check=True, cwd=ROOT, timeout=PATIENCE)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet"])
def test_files_of_every_kind(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"votes{suffix}"
    if suffix == ".csv":
        FRAME.to_csv(path, index=False)
    elif suffix == ".tsv":
        FRAME.to_csv(path, index=False, sep="\t")
    elif suffix == ".parquet":
        FRAME.to_parquet(path)
    else:
        FRAME.to_json(path, orient="records", lines=suffix == ".jsonl")
    assert win_rates(path) == win_rates(COLUMNS)
    assert win_rates(str(path)) == win_rates(COLUMNS)


def test_a_glob_and_a_list_of_files(tmp_path: Path) -> None:
    FRAME.iloc[:2].to_csv(tmp_path / "votes-1.csv", index=False)
    # Columns in another order are matched by name.
    FRAME.iloc[2:][list(COLUMNS)[::-1]].to_csv(tmp_path / "votes-2.csv", index=False)
    assert win_rates(str(tmp_path / "votes-*.csv")) == win_rates(COLUMNS)
    both = [tmp_path / "votes-1.csv", tmp_path / "votes-2.csv"]
    assert win_rates(both) == win_rates(COLUMNS)
    assert read(both).took[0].startswith("2 files: 4 rows taken as votes")


def test_quotation_marks_between_tabs_may_be_text(tmp_path: Path) -> None:
    # As the WMT writes sentences: one begins with a quotation, another never ends one.
    path = tmp_path / "mqm.tsv"
    said = ['"Oh," he said.', '"Oh', 'five" of it', 'no"']
    lines = [f"i{k}\tnew\tada\t{each}" for k, each in enumerate(said)]
    path.write_text("\n".join(["item\tsystem\trater\tscore", *lines]) + "\n")
    found = read(path)
    assert found.query("SELECT word FROM {r} ORDER BY rid") == [(each,) for each in said]
    # A cell that goes on in the next line is quoted, and so are all.
    quoted = '"Oh\nno"\n', '"say ""no"""\n'
    lines = [f"i{k}\tnew\tada\t{each}" for k, each in enumerate(quoted)]
    path.write_text("item\tsystem\trater\tscore\n" + "".join(lines))
    found = read(path)
    assert found.query("SELECT word FROM {r} ORDER BY rid") == [("Oh\nno",), ('say "no"',)]


def test_semicolons_quotes_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    text = 'Item;system_a;system_b;rater;winner\n"q; one";new;old;ada;A\nq2;new;old;ada; b \n'
    path.write_text("\ufeff" + text, encoding="utf-8")
    responses = read(path)
    assert responses.query("SELECT item, winner FROM {r} ORDER BY rid") == [
        ("q; one", "a"),
        ("q2", "b"),
    ]


def test_ids_stay_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("item,system,rater,score\n007,1.0,01,3\n08,1.0,01,4\n")
    responses = read(path)
    assert responses.query("SELECT DISTINCT rater, system FROM {r}") == [("01", "1.0")]
    assert [row[0] for row in responses.query("SELECT item FROM {r} ORDER BY rid")] == ["007", "08"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "votes.csv is empty"),
        (HEAD, "votes.csv has no rows"),
        (HEAD + b"x,ol\xe9,old,r,a\n", "votes.csv:2: the file is not UTF-8 (byte 0xe9)"),
        ("item,winner\n".encode("utf-16"), "votes.csv is UTF-16; save it as UTF-8"),
        (b"PK\x03\x04 and so on", "votes.csv is a spreadsheet or a zip archive, whatever its name"),
        (b"\x1f\x8b and so on", "votes.csv is compressed; unpack it first"),
        (
            HEAD + b"x,new,old,r,a\nx,new,old,r,a,b,c\n",
            "votes.csv: line 3 has more cells than the heading, which has 5",
        ),
        (
            HEAD + b"x,new,old,r,a,b,c\n",
            "votes.csv: line 2 has more cells than the heading, which has 5",
        ),
        (HEAD + b"x,new\n", "votes.csv: line 2 has fewer cells than the heading, which has 5"),
        (b"winner,winner\na,b\n", "votes.csv: the column 'winner' stands twice in the heading"),
        (b"Winner,winner\na,b\n", "votes.csv: the column 'Winner' stands twice in the heading"),
    ],
)
def test_broken_files(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        win_rates(path)
    assert said in str(caught.value)


def test_frames_whose_columns_are_not_what_they_seem() -> None:
    frame = pd.DataFrame(COLUMNS)
    with pytest.raises(InputError, match=r"has item, rater in its index; .* reset_index\(\)"):
        win_rates(frame.set_index(["item", "rater"]))
    with pytest.raises(InputError, match="has the column 'winner' twice; keep one"):
        win_rates(pd.concat([frame, frame[["winner"]]], axis=1))
    with pytest.raises(InputError, match="the table has no columns"):
        win_rates(pd.DataFrame())
    assert win_rates(frame.rename_axis("row")) == win_rates(frame)


def test_words_without_a_mean_say_how_to_give_them_numbers() -> None:
    passed = {"item": ["q1", "q2"], "system": ["new", "new"], "score": [True, False]}
    frame = pd.DataFrame(passed)
    with pytest.raises(InputError, match="they have no mean; give them numbers by"):
        mean_scores(frame)
    numbers = mapped(frame, values={"score": {"true": 1, "false": 0}})
    assert mean_scores(numbers)["new"].estimate == 0.5


def test_what_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file .*nothing\.csv"):
        win_rates(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="is a folder; name its files"):
        win_rates(tmp_path)
    (tmp_path / "votes.xyz").write_text("a")
    with pytest.raises(InputError, match=r"votes\.xyz: the kind of file is not known"):
        win_rates(tmp_path / "votes.xyz")
    with pytest.raises(InputError, match="a table must be a path, a glob, a data frame"):
        win_rates(42)
    with pytest.raises(InputError, match="a list must hold paths"):
        win_rates([{"item": 1}])
    with pytest.raises(InputError, match="all columns must have the same length"):
        win_rates({**COLUMNS, "item": [1]})
    with pytest.raises(InputError, match="no known column among x"):
        win_rates({"x": [1]})
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "b.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match=r"files of one kind at a time; got \.csv, \.jsonl"):
        win_rates([tmp_path / "a.csv", tmp_path / "b.jsonl"])


def test_what_was_read_names_the_criterion() -> None:
    rows = {"item": ["q"], "system": ["new"], "rater": ["a"], "criterion": ["wit"], "score": [1]}
    assert (
        read(rows)
        .took[0]
        .endswith("1 row taken as ratings (item, rater, criterion, score, system)")
    )
