"""A study from a table: the guesses, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jurybox.errors import InputError, SpecError
from jurybox.study import ItemId, SystemId, load_material, load_study
from jurybox.study.from_table import study_from_table, write_study_from_table
from tests.study.examples import draw_picture, write_csv, write_jsonl

PROMPTS = ["Why is the sky blue?", "How do birds fly?", "Who was Ada?", "What is 2 + 2?"]


def long_rows(**extra: Any) -> list[dict[str, Any]]:
    return [
        {"item": f"q{n}", "system": system, "prompt": prompt, "topic": "abab"[n],
         "answer": f"**{system}** says {n}", "tokens": str(10 * n), **extra}
        for n, prompt in enumerate(PROMPTS) for system in ("new", "old")
    ]  # fmt: skip


def test_a_long_table_is_split_into_items_and_outputs(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "in" / "outputs.csv", long_rows())
    study, took = write_study_from_table(table, tmp_path / "study")
    assert took == (
        "Took `item` for the item and `system` for the system.",
        "Raters see `prompt` (text) of the item.",
        "Raters see `answer` (markdown) of each system.",
        "Keeps `topic` and `tokens`, and shows them to nobody.",
        "Chose the protocol compare, since there are new and old.",
    )
    assert load_study(tmp_path / "study") == study
    material = load_material(load_study(tmp_path / "study"))
    assert material.systems == ("new", "old")
    assert material.item_fields(ItemId("q1"))["prompt"] == PROMPTS[1]
    assert material.output_fields(ItemId("q1"), SystemId("old"))["answer"] == "**old** says 1"
    assert (tmp_path / "in").exists()
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["outputs.csv"]


def test_an_empty_output_hides_no_column_and_is_found_by_the_check(tmp_path: Path) -> None:
    rows = long_rows()
    rows[3]["answer"] = ""
    table = write_csv(tmp_path / "in" / "outputs.csv", rows)
    _, took = write_study_from_table(table, tmp_path / "study")
    assert "Raters see `answer` (markdown) of each system." in took
    assert "Keeps `topic` and `tokens`, and shows them to nobody." in took
    with pytest.raises(SpecError, match="`answer` is empty"):
        load_material(load_study(tmp_path / "study"))


def test_it_writes_nothing_by_itself(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "outputs.csv", long_rows())
    study, _ = study_from_table(table)
    assert study.protocol == "compare"
    assert [path.name for path in tmp_path.iterdir()] == ["outputs.csv"]


def test_a_table_with_outputs_only_is_used_as_it_is(tmp_path: Path) -> None:
    rows = [{"item": str(n), "system": s, "text": f"{s} {n}"} for n in range(3) for s in "xy"]
    table = write_csv(tmp_path / "o.csv", rows)
    study, _ = write_study_from_table(table, tmp_path)
    assert (study.items, study.outputs) == (None, "o.csv")
    assert len(load_material(load_study(tmp_path)).outputs) == 6
    with pytest.raises(InputError, match="exists already"):
        write_study_from_table(table, tmp_path)


def test_other_names_for_item_and_system_are_understood(tmp_path: Path) -> None:
    rows = [{"ID": n, "model": m, "text": f"{m} {n}"} for n in range(3) for m in ("x", "y")]
    table = write_jsonl(tmp_path / "in.jsonl", rows)
    study, took = write_study_from_table(table, tmp_path / "s")
    assert took[0] == "Took `ID` for the item and `model` for the system."
    assert load_material(load_study(tmp_path / "s")).systems == ("x", "y")
    assert study.outputs == "in-outputs.jsonl"


def test_one_system_is_rated(tmp_path: Path) -> None:
    rows = [
        {"item": n, "system": "only", "prompt": p, "text": f"t{n}"} for n, p in enumerate(PROMPTS)
    ]
    study, took = write_study_from_table(write_jsonl(tmp_path / "o.jsonl", rows), tmp_path / "s")
    assert study.protocol == "rate"
    assert took[-1] == "Chose the protocol rate, since there is only only."
    assert set(study.show) == {"prompt", "text"}
    assert load_material(load_study(tmp_path / "s")).systems == ("only",)


@pytest.mark.parametrize("names", [("new", "old"), ("answer_new", "answer_old")])
@pytest.mark.parametrize("numbered", [True, False])
def test_a_wide_table_has_a_column_per_system(
    names: tuple[str, str], numbered: bool, tmp_path: Path
) -> None:
    rows = [
        {**({"item": f"q{n}"} if numbered else {}), "prompt": prompt,
         names[0]: f"yes, {n}", names[1]: f"no, {n}"}
        for n, prompt in enumerate(PROMPTS)
    ]  # fmt: skip
    study, took = write_study_from_table(write_csv(tmp_path / "w.csv", rows), tmp_path / "s")
    assert study.protocol == "compare"
    material = load_material(load_study(tmp_path / "s"))
    assert material.systems == ("new", "old")
    first = next(iter(material.items))
    field = "answer" if "_" in names[0] else "output"
    assert material.output_fields(first, SystemId("new")) == {field: "yes, 0"}
    assert material.item_fields(first)["prompt"] == PROMPTS[0]
    assert ("Numbered the rows, since no column is called `item`." in took) == (not numbered)


@pytest.mark.parametrize("name", ["request", "Instruction", "question", "task"])
def test_what_was_asked_for_is_no_system(name: str, tmp_path: Path) -> None:
    rows = [{name: asked, "new": f"yes, {n}", "old": f"no, {n}"} for n, asked in enumerate(PROMPTS)]
    study, took = study_from_table(write_csv(tmp_path / "w.csv", rows))
    assert "Took `new` and `old` for the outputs of new and old." in took
    assert name in study.show


def test_media_are_told_by_their_names_and_copied(tmp_path: Path) -> None:
    rows = []
    for n in range(2):
        for system in ("x", "y"):
            draw_picture(tmp_path / "in" / "pics" / f"{system}{n}.png", n)
            rows.append({"item": str(n), "system": system, "picture": f"pics/{system}{n}.png"})
    study, took = write_study_from_table(write_csv(tmp_path / "in" / "o.csv", rows), tmp_path / "s")
    assert study.show["picture"].medium == "image"
    assert "Raters see `picture` (image) of each system." in took
    path = load_material(load_study(tmp_path / "s")).output_fields(ItemId("1"), SystemId("y"))
    assert path["picture"] == (tmp_path / "s" / "pics" / "y1.png").resolve()


@pytest.mark.parametrize(
    ("value", "medium"),
    [
        ("a.wav", "audio"),
        ("a.MP4", "video"),
        ("a.png|b.png", "images"),
        ('[{"role": "user", "content": "x"}]', "chat"),
        ("plain words", "text"),
        ("- one\n- two", "markdown"),
        ("# Title\n\nwords", "markdown"),
        ("https://x.org/a.png", "text"),
    ],
)
def test_each_medium_is_recognized(value: str, medium: str, tmp_path: Path) -> None:
    rows = [{"item": str(n), "system": s, "out": value} for n in range(1) for s in "xy"]
    rows[1]["out"] = value.replace("words", "others").replace("two", "three").replace("a.", "c.")
    rows[1]["out"] = rows[1]["out"].replace('"x"', '"y"')
    study, _ = study_from_table(write_csv(tmp_path / "o.csv", rows))
    assert study.show["out"].medium == medium


def test_folders_of_files_are_systems(tmp_path: Path) -> None:
    for system in ("x", "y"):
        for n in range(3):
            draw_picture(tmp_path / "images" / system / f"{n}.png", n)
    study, took = write_study_from_table(tmp_path / "images", tmp_path / "s")
    assert study.outputs == "images/{system}/{item}.png"
    assert took[0] == "Took each folder for a system: x and y."
    assert len(load_material(load_study(tmp_path / "s")).outputs) == 6
    draw_picture(tmp_path / "images" / "y" / "9.png", 1)
    with pytest.raises(InputError, match=r"y/9: the other folders have no file of this name"):
        study_from_table(tmp_path / "images")


def test_a_folder_of_tables_has_one_per_system(tmp_path: Path) -> None:
    for system in ("v1", "v2"):
        rows = [{"id": f"q{n}", "input": PROMPTS[n], "response": f"{system} {n}"} for n in range(4)]
        write_jsonl(tmp_path / "answers" / f"{system}.jsonl", rows)
    _, took = write_study_from_table(tmp_path / "answers", tmp_path / "s")
    assert took == (
        "Took `id` for the item and each file for a system.",
        "Raters see `input` (text) of the item.",
        "Raters see `response` (text) of each system.",
        "Chose the protocol compare, since there are v1 and v2.",
    )
    material = load_material(load_study(tmp_path / "s"))
    assert material.systems == ("v1", "v2")
    assert material.output_fields(ItemId("q3"), SystemId("v2"))["response"] == "v2 3"
    write_csv(tmp_path / "answers" / "v3.csv", long_rows())
    with pytest.raises(InputError, match="one of these has a column of systems"):
        study_from_table(tmp_path / "answers")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"a": "1", "b": "2"}], "no column looks like a system's outputs. Its columns are a, b."),
        ([{"system": "x", "text": "y"}], "no column looks like an item's id. Its columns are syst"),
        ([{"item": "1", "system": "x", "score": "3"}, {"item": "1", "system": "y", "score": "4"}],
         "no column holds outputs that could be shown. Its columns are item, system, score."),
        ([{"item": "1", "pic": "a.png", "words": "some text"}], "could be systems hold different"),
    ],
)  # fmt: skip
def test_what_is_unclear_lists_the_columns(
    rows: list[dict[str, str]], words: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        study_from_table(write_csv(tmp_path / "t.csv", rows))
    assert words in str(caught.value)
    assert "`" in str(caught.value)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        study_from_table(tmp_path / "gone.csv")
    (tmp_path / "x.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match="is not a table"):
        study_from_table(tmp_path / "x.xlsx")
    (tmp_path / "x.csv").write_text("a,b\n1\n")
    with pytest.raises(InputError, match="1 cell under 2 columns"):
        study_from_table(tmp_path / "x.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        InputError, match=r"must hold one table per system, .* or one folder per system"
    ):
        study_from_table(tmp_path / "empty")
