"""What is offered where a foreign table is refused: options that then read it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.errors import InputError
from jurybox.tally.hints import columns_hint, numbers_hint, values_hint
from jurybox.tally.mapping import mapped
from jurybox.tally.reading import read
from jurybox.tally.shapes import SHAPES

RATINGS = {"item": ["q1", "q2"], "system": ["s", "s"], "rater": ["ada", "ada"]}
PAIRS = {
    "item": ["q1", "q1", "q2", "q2"],
    "system_a": ["new", "old", "new", "old"],
    "system_b": ["old", "new", "old", "new"],
    "rater": ["ada", "ben", "ada", "ben"],
}
FOREIGN = {
    "spreadsheet": (
        "Prompt ID;System Name;Rater;Quality Score\r\nq1;new;ada;2\r\nq1;old;ada;N/A\r\n"
        "q1;new;ben;3\r\nq1;old;ben;4\r\n"
    ),
    "pairs": (
        "prompt,model_a,model_b,annotator,preference\nq1,new,old,ada,A\nq1,new,old,ben,Draw\n"
        "q2,new,old,ada,Both are bad\n"
    ),
    "detection": (
        "text_id,source,annotator,guess\nt1,human,ada,machine\nt2,machine,ada,machine\n"
        "t1,human,ben,human\nt2,machine,ben,human\n"
    ),
    "raters": "id,system,annotator_1,annotator_2\nq1,new,1,2\nq1,old,2,\nq2,new,3,3\n",
    "mturk": (
        "HITId,WorkerId,Input.prompt_id,Input.system,Answer.quality\nh1,W1,q1,new,3\n"
        "h2,W2,q1,new,4\nh3,W1,q1,old,1\n"
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_the_options_that_a_refusal_offers_read_the_table(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("\ufeff" + FOREIGN[name], encoding="utf-8", newline="")
    options: list[str] = []
    for _ in range(4):
        if run(["analyze", str(table), *options]) == 0:
            break
        said = " ".join(capsys.readouterr().err.split())
        offered = said[said.index("by --") + 3 :].removesuffix(" (nothing: missing)")
        options += shlex.split(offered)
    else:
        pytest.fail(said)
    assert options


def test_a_winner_named_by_its_system_is_its_side() -> None:
    found = read({**PAIRS, "winner": ["new", "new", "tie", "old"]})
    assert found.query("SELECT winner FROM {r} ORDER BY rid") == [("a",), ("b",), ("tie",), ("a",)]
    assert "a winner that is named by its system is taken for its side" in found.took
    with pytest.raises(InputError, match="got 'other'"):
        read({**PAIRS, "winner": ["new", "other", "tie", "old"]})


def test_systems_that_are_called_a_and_b_are_no_sides() -> None:
    sides = {"system_a": ["B"] * 4, "system_b": ["A"] * 4, "winner": ["a", "b", "a", "a"]}
    found = read({**PAIRS, **sides})
    assert found.query("SELECT winner FROM {r} ORDER BY rid") == [("a",), ("b",), ("a",), ("a",)]
    assert any("not for a system that is called so" in sentence for sentence in found.took)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (["2,5", "3,0"], "'2,5' has a comma"),
        (["2,5", "N/A"], "'2,5' has a comma"),
        (["80%", "75 %"], "'75 %' is no plain number"),
        (["4/5", "3/5"], "'3/5' is no plain number"),
    ],
)
def test_numbers_written_otherwise_are_not_taken_for_words(scores: list[str], said: str) -> None:
    with pytest.raises(InputError, match="the scores of 'overall' are not numbers") as caught:
        read({**RATINGS, "score": scores})
    assert said in str(caught.value)


def test_words_are_offered_to_be_numbered(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("item,system,rater,score\nq1,s,ada,poor\nq2,s,ada,very good\n")
    assert run(["analyze", str(table)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "--values 'score:poor=…,very good=…' would give them numbers" in said


def test_words_stay_words() -> None:
    assert numbers_hint(["good", "2,5"]) is None
    assert numbers_hint(["n/a"]) is None
    assert read({**RATINGS, "score": ["good", "fair"]}).count() == (2, 1, 2)


def test_a_word_that_could_mean_anything_is_left_open() -> None:
    assert values_hint("winner", ["Zebra", "tie game"]) == "--values 'winner:Zebra=…,tie game=tie'"
    assert values_hint("score", ["N/A"]) == "--values score:N/A="


def test_columns_that_sound_like_nothing_are_left_open() -> None:
    hint = columns_hint(["foo", "bar"], {"ratings": ("item", "score")})
    assert hint.startswith(
        "say which column is what by --map item=… --map system=… --map rater=… --map score=…;"
    )


@pytest.mark.parametrize("value", [["q1", "q2"], {"0": "q1", "1": "q2"}])
def test_a_file_of_columns_is_not_one_row(value: object, tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"item": value, "score": [1, 2]}), encoding="utf-8")
    with pytest.raises(InputError, match="'item' holds several values in one row"):
        read(table)


@pytest.mark.parametrize(("name", "content"), [("a.json", "[]"), ("a.jsonl", "\n")])
def test_json_without_rows_has_no_rows(tmp_path: Path, name: str, content: str) -> None:
    # The engine calls the one column of what it cannot tell json.
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=f"{name} has no rows"):
        read(path)


def test_a_spreadsheet_and_an_empty_first_line_are_told(tmp_path: Path) -> None:
    sheet, blank = tmp_path / "table.xlsx", tmp_path / "table.csv"
    sheet.write_bytes(b"PK")
    blank.write_text("\nitem,score\nq1,3\n", encoding="utf-8")
    with pytest.raises(InputError, match="is a spreadsheet; save the sheet"):
        read(sheet)
    with pytest.raises(InputError, match="the first line must name the columns, and it is empty"):
        read(blank)
    blank.write_text("sep=;\nitem;score\nq1;3\n", encoding="utf-8")
    with pytest.raises(InputError, match="'sep=;' is for a spreadsheet program; remove that line"):
        read(blank)


def test_lines_that_end_in_two_ways_are_told(tmp_path: Path) -> None:
    # As of a file from Windows with one from Unix after it.
    table = tmp_path / "table.csv"
    table.write_bytes(b"item,system,score\r\nq1,x,3\r\nq1,y,4\nq2,x,5\n")
    with pytest.raises(InputError, match="some of its lines end as on Windows and others as on"):
        read(table)


def test_names_that_differ_in_capitals_alone_are_told() -> None:
    table = {"item": ["q1", "q1", "q2"], "system": ["GPT-4", "gpt-4", "GPT-4"], "score": [1, 2, 3]}
    found = read({**table, "rater": ["ada", "Ada", "ben"]})
    assert "'GPT-4', 'gpt-4' are taken for 2 systems" in found.took
    assert "'Ada', 'ada' are taken for 2 raters" in found.took


def test_names_that_are_drawn_alike_are_told_escaped() -> None:
    # é as one character and as e with an accent after it; a name with a space of no width.
    for one, two in (("\u00e9t\u00e9", "e\u0301te\u0301"), ("base", "base\u200b")):
        found = read({"item": ["q1", "q1"], "system": [one, two], "score": [1, 2]})
        shown = ", ".join(sorted((ascii(one), ascii(two)), key=found.took[-1].find))
        assert f"{shown} are taken for 2 systems" in found.took


def test_a_cell_that_says_it_is_empty_is_no_word() -> None:
    found = read({**RATINGS, "score": ["3", "N/A"]})
    assert found.count() == (1, 1, 1)
    assert "1 row without a score left out" in found.took
    for scores in (["3", "–"], ["good", "-"]):
        assert read({**RATINGS, "score": scores}).count() == (1, 1, 1)
    assert read({**RATINGS, "score": ["+", "-"]}).count() == (2, 1, 2)


def test_a_title_above_the_names_and_an_open_quotation_are_told(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("My study,,,\nitem,system,rater,score\nq1,s,ada,3\n", encoding="utf-8")
    with pytest.raises(InputError, match="it names 1 of 4; remove what stands above the names"):
        read(table)
    table.write_text('item,system,rater,score\nq1,"s,ada,3\nq2,s,ada,3\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 2 cannot be read: a quotation mark is opened"):
        read(table)
    # What pandas writes before its own columns has no name.
    table.write_text(",item,score\n0,q1,3\n1,q2,4\n", encoding="utf-8")
    assert read(table).count()[0] == 2


SHAPED: dict[str, tuple[str, ...]] = {str(name): shape.needed for name, shape in SHAPES.items()}


def test_two_systems_in_a_row_are_the_sides_of_a_comparison() -> None:
    wide = ["item", "system_1", "system_2", "annotator1", "annotator2", "annotator3"]
    hint = columns_hint(wide, SHAPED)
    assert hint == (
        "it may be read by --map system_a=system_1 --map system_b=system_2 --raters 'annotator*'"
    )
    unnamed = columns_hint(["item", "model_a", "model_b", "foo"], SHAPED)
    assert unnamed.startswith(
        "say which column is what by --map system_a=model_a --map system_b=model_b --map rater=… "
        "--map winner=…"
    )
    # No column is left that could hold the answers of one rater.
    assert columns_hint(["a", "b"], SHAPED).endswith(" --map winner=…")


def test_numbered_raters_are_columns_and_no_single_rater() -> None:
    # One of them, mapped to rater, was all that --raters 'rater*' then found.
    hint = columns_hint(["item", "system", "rater 1", "rater 2", "rater 3"], SHAPED)
    assert hint == "it may be read by --raters 'rater*'"
    table = {"Item": ["q1", "q2"], "Rater 1": [1, 2], "Rater 2": [3, 4], "System": ["s", "s"]}
    assert read(mapped(table, raters=["rater*"])).count() == (4, 2, 2)


def test_columns_that_may_be_raters_or_criteria_are_named() -> None:
    hint = columns_hint(["image", "system", "anna", "bernd"], SHAPED)
    assert "--map item=image --map rater=… --map score=…" in hint
    assert "by --raters anna,bernd, --scores … or --systems …" in hint


def test_the_last_column_holds_the_answers() -> None:
    hint = columns_hint(["prompt", "model", "person", "helpful"], SHAPED)
    assert hint == (
        "say which column is what by --map item=prompt --map system=model --map rater=person "
        "--map score=helpful"
    )


def test_the_columns_of_a_form_are_understood() -> None:
    hint = columns_hint(
        ["timestamp", "prompt", "left model", "right model", "your name", "which is better?"],
        SHAPED,
    )
    assert hint.startswith("as votes it may be read by ")
    for said in ("item=prompt", "'winner=which is better?'", "'rater=your name'"):
        assert f"--map {said}" in hint
    assert values_hint("winner", ["Left", "No difference"]) == (
        "--values 'winner:Left=a,No difference=tie'"
    )


def test_a_number_written_otherwise_among_numbers_is_told_so() -> None:
    with pytest.raises(InputError, match="this is '4,5'; '4,5' has a comma; write numbers as"):
        read({**RATINGS, "score": ["3", "4,5"]})


def test_one_system_in_a_row_is_rated() -> None:
    hint = columns_hint(["item", "model", "annotator1", "annotator2"], SHAPED)
    assert hint == "it may be read by --map system=model --raters 'annotator*'"
