"""Sheets out and back: what people fill in is what the tables say."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from jurybox.errors import InputError, RaterError, StoreError
from jurybox.screen.clean import clean_bytes
from jurybox.store.sheets import SheetFormat
from tests.store.sheet_filling import (
    Cells,
    Desk,
    always,
    column,
    desk,
    fill,
    fill_csv,
    open_desk,
    unzipped,
)
from tests.study.examples import write_example

__all__ = ["desk"]  # a fixture

FORMATS: list[SheetFormat] = ["xlsx", "csv"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_votes_go_to_the_system_that_was_liked(desk: Desk, format: SheetFormat) -> None:
    def hand(row: Mapping[str, Any]) -> Cells:
        # The new system's answers begin so, on whichever side they stand.
        first = str(row["answer A"]).startswith("Three things")
        return {
            "preference": "A" if first else "b",
            "preference confidence": 2,
            "correctness A": 5 if first else 1,
            "correctness B": 1 if first else 5,
            "notes": "seen in a sheet",
        }

    for path in desk.give_out("ana", "ben", format=format):
        assert desk.take_in(fill(path, hand)) == (8, 0)
    votes = desk.store.table("votes")
    assert len(votes["item"]) == 12
    liked = {"a": "system_a", "b": "system_b"}
    winners = [votes[liked[winner]][i] for i, winner in enumerate(votes["winner"])]
    assert set(winners) == {"new"}
    assert set(votes["first"]) == {"a", "b"}
    assert set(votes["comment"]) == {"seen in a sheet"}
    scores = set(column(desk.store.table("ratings"), "system", "score"))
    assert scores == {("new", 5.0), ("old", 1.0)}
    checks = desk.store.table("checks")
    assert len(checks["trial"]) == 4


@pytest.mark.parametrize("desk", ["rate"], indirect=True)
def test_scores_go_to_the_system_whose_picture_was_seen(desk: Desk) -> None:
    (path,) = desk.give_out("ana")
    with zipfile.ZipFile(path) as archive:
        media = {name: archive.read(name) for name in archive.namelist()}
    systems = {
        clean_bytes(file.read_bytes()): file.parent.name
        for file in (desk.directory / "images").rglob("*.png")
    }
    values = {"brush": 0, "magic": 0.5, "plain": 2}

    def hand(row: Mapping[str, Any]) -> Cells:
        score = values[systems[media[str(row["output"])]]]
        return {"consistency": score, "realism": score}

    assert desk.take_in(fill(path, hand)) == (18, 0)
    ratings = desk.store.table("ratings")
    assert set(column(ratings, "system", "score")) == set(values.items())
    assert len(ratings["item"]) == 36


@pytest.mark.parametrize("desk", ["rank"], indirect=True)
def test_ranks_go_to_the_captions(desk: Desk) -> None:
    starts = {"A shape": 1, "A colored": 2, "Something": 2, "A cat": 4}

    def hand(row: Mapping[str, Any]) -> Cells:
        return {
            f"fit {letter}": next(
                rank for start, rank in starts.items() if row[f"caption {letter}"].startswith(start)
            )
            for letter in "ABCD"
        }

    (path,) = desk.give_out("ana")
    assert desk.take_in(fill(path, hand)) == (6, 0)
    rankings = set(column(desk.store.table("rankings"), "system", "rank"))
    assert rankings == {("ada", 1), ("bert", 2), ("cleo", 2), ("dora", 4)}


@pytest.mark.parametrize("desk", ["detect"], indirect=True)
def test_detections_keep_the_truth_out_of_the_sheet_and_in_the_table(desk: Desk) -> None:
    (path,) = desk.give_out("ana")
    filled = fill(path, lambda row: {"origin": "Generated", "origin confidence": 5})
    assert desk.take_in(filled) == (6, 0)
    found = desk.store.table("detections")
    assert set(found["answer"]) == {"generated"}
    assert sorted(found["truth"]) == ["generated"] * 3 + ["real"] * 3


@pytest.mark.parametrize("desk", ["rate"], indirect=True)
def test_reading_twice_changes_nothing(desk: Desk) -> None:
    (path,) = desk.give_out("ana")
    filled = fill(path, always(consistency=1, realism=2))
    assert desk.take_in(filled) == (18, 0)
    before = desk.store.table("ratings"), desk.store.submissions()
    assert desk.take_in(filled) == (0, 18)
    assert (desk.store.table("ratings"), desk.store.submissions()) == before


@pytest.mark.parametrize("desk", ["rate"], indirect=True)
def test_a_corrected_sheet_supersedes_and_may_be_corrected_back(desk: Desk) -> None:
    (path,) = desk.give_out("ana")
    desk.take_in(fill(path, always(consistency=1, realism=2)))
    for score, expected in ((0, (18, 0)), (0, (0, 18)), (1, (18, 0))):
        assert desk.take_in(fill(path, always(consistency=score, realism=2))) == expected
        ratings = desk.store.table("ratings")
        found = {s for c, s in column(ratings, "criterion", "score") if c == "consistency"}
        assert found == {score}
        assert len(ratings["item"]) == 36


@pytest.mark.parametrize("desk", ["rate"], indirect=True)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_european_csv_is_read(desk: Desk, encoding: str) -> None:
    (path,) = desk.give_out("ana", format="csv")
    filled = fill_csv(
        unzipped(path),
        path.with_suffix(".csv"),
        lambda row: {"consistency": "0,5", "realism": " 2 ", "notes": "schön; gut"},
        delimiter=";",
    )
    filled.write_bytes(filled.read_text(encoding="utf-8").encode(encoding))
    assert desk.take_in(filled) == (18, 0)
    ratings = desk.store.table("ratings")
    assert set(column(ratings, "criterion", "score")) == {("consistency", 0.5), ("realism", 2.0)}
    assert set(ratings["comment"]) == {"schön; gut"}


@pytest.mark.parametrize("desk", ["rate"], indirect=True)
def test_empty_rows_are_counted_and_a_lone_note_is_a_skip(desk: Desk) -> None:
    (path,) = desk.give_out("ana")
    rows = iter(range(2, 100))

    def hand(row: Mapping[str, Any]) -> Cells:
        number = next(rows)
        filled = {"consistency": 1, "realism": 2}
        return {2: {}, 3: {"notes": "The picture is black."}}.get(number, filled)

    read = desk.read(fill(path, hand))
    assert (len(read.submissions), read.n_empty) == (17, 1)
    skipped = [sent for sent in read.submissions if sent.status == "skipped"]
    assert [sent.comment for sent in skipped] == ["The picture is black."]
    assert desk.take_in(path.with_suffix(".xlsx")) == (17, 0)


@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_the_same_rater_gets_the_same_sheet_again(desk: Desk) -> None:
    (first,) = desk.give_out("ana", format="csv")
    content = unzipped(first)
    (again,) = desk.give_out("ana", format="csv")
    assert unzipped(again) == content


@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_names_are_the_names_of_the_files(desk: Desk) -> None:
    # Some file systems take upper for lower case.
    with pytest.raises(RaterError, match="'Ana' is named twice"):
        desk.give_out("Ana", "ana")
    names = ("Zoë van-d_en.B", "ana+2@lab.org")
    assert [path.name for path in desk.give_out(*names)] == [f"{name}.zip" for name in names]


@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_a_workbook_offers_the_allowed_values_and_locks_the_rest(desk: Desk) -> None:
    (path,) = desk.give_out("ana")
    with zipfile.ZipFile(path) as archive, archive.open("sheet.xlsx") as file:
        workbook = openpyxl.load_workbook(file)
    trials, values = workbook["Trials"], workbook["Values"]
    assert values.sheet_state == "hidden"
    headings = [str(cell.value) for cell in trials[1]]
    at = headings.index("preference\nWhich answer would you rather get?")
    rules = {str(rule.sqref): rule.formula1 for rule in trials.data_validations.dataValidation}
    letter = trials.cell(1, at + 1).column_letter
    assert rules[f"{letter}2:{letter}9"] == "Values!$A$1:$A$4"
    assert [values.cell(row, 1).value for row in range(1, 5)] == ["A", "B", "tie", "both bad"]
    assert trials.protection.sheet
    locked = [cell.protection.locked for cell in trials[2]]
    assert locked == [True] * at + [False] * (len(headings) - at)
    guide = [row[1] for row in workbook["Guide"].iter_rows(values_only=True)]
    assert "How correct is this answer?" in guide
    assert "Excellent" in guide


CMOS = (
    "-3: A is much better, -2: A is better, -1: A is slightly better, 0: About the same, "
    "1: B is slightly better, 2: B is better, 3: B is much better"
)


@pytest.mark.parametrize(
    ("example", "old", "new", "expected"),
    [
        ("smallest", "", "", "preference: Which one is better?, A: A is better., B: B is better., "
         "tie: Both are equally good."),
        ("compare", "", "", "both bad: Neither is good enough., preference confidence: How sure"),
        ("compare", "", "", "preference reason: Why? In your own words. May stay empty."),
        ("compare", "", "", "1: Bad, 2: Poor, 3: Fair, 4: Good, 5: Excellent"),
        ("smallest", "protocol:", "criteria: {preference: {question: Q?, scale: cmos}}\nprotocol:",
         f"{CMOS}, A number below 0 is for A, one above 0 for B."),
        ("rate", "", "", "0: Broken, 0.5: Flawed, 1: Small flaws, 2: Flawless"),
        ("rate", "scale: {0: Broken, 0.5: Flawed, 1: Small flaws, 2: Flawless}", "scale: 0-100",
         "0 to 100 in steps of 1: Any of these numbers. Some of them in words:, 0: "),
        ("rank", "", "", "1, 2, …: The rank of each output: 1 for the best, then 2, 3 and so on., "
         "Outputs may share a rank, and the next rank is skipped: 1, 2, 2, 4."),
        ("rank", "ties: true", "ties: false", "No two outputs may share a rank."),
        ("rank", "answer: order, ties: true", "answer: best",
         "A, B, …: The letter of the best output."),
        ("detect", "", "",
         "real: No program generated it., generated: A program generated it., origin confidence"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("format", FORMATS)
def test_the_guide_says_what_may_be_written(
    tmp_path: Path, format: SheetFormat, example: str, old: str, new: str, expected: str
) -> None:
    desk = open_desk(changed(write_example(example, tmp_path / "study"), old, new))
    (path,) = desk.give_out("ana", format=format)
    desk.store.close()
    if format == "csv":
        rows = [line.split("\t") for line in unzipped(path, "guide.txt").decode().split("\n")]
    else:
        workbook = openpyxl.load_workbook(BytesIO(unzipped(path, "sheet.xlsx")))
        rows = [[str(c or "") for c in row] for row in workbook["Guide"].values]
    assert expected in ", ".join(": ".join(filter(None, row)) for row in rows)


def test_sheets_work_on_both_databases(tmp_path: Path, database_url: str) -> None:
    desk = open_desk(write_example("smallest", tmp_path / "study"), database_url)
    try:
        (path,) = desk.give_out("ana", format="csv")
        filled = fill(path, always(preference="tie"))
        assert desk.take_in(filled) == (6, 0)
        assert desk.take_in(filled) == (0, 6)
        assert desk.store.table("votes")["winner"] == ["tie"] * 6
    finally:
        desk.store.close()


def test_what_is_read_back_says_where_each_output_stood(tmp_path: Path) -> None:
    desk = open_desk(write_example("compare", tmp_path / "study"))
    try:
        (path,) = desk.give_out("ana", format="csv")
        cells = {"preference": "tie", "preference confidence": 2}
        desk.take_in(fill(path, always(**cells, **{"correctness A": 5, "correctness B": 2})))
        table = desk.store.table("ratings")
        # The sheet calls the output at the first place A, whichever system that is.
        assert set(zip(table["place"], table["score"], strict=True)) == {(1, 5.0), (2, 2.0)}
        first = {s for s, p in zip(table["system"], table["place"], strict=True) if p == 1}
        assert len(first) == 2
    finally:
        desk.store.close()


def changed(directory: Path, old: str, new: str) -> Path:
    file = directory / "study.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return directory


def test_a_sheet_asks_nothing_twice_and_takes_nothing_of_others(tmp_path: Path) -> None:
    folder = write_example("compare", tmp_path / "study")
    desk = open_desk(changed(folder, "seed: 7", "seed: 7, repeats: 0.5"))
    cells = {"preference": "tie", "preference confidence": 2}
    hand = always(**cells, **{"correctness A": 3, "correctness B": 3})
    try:
        assert sum(slot.repeat for slot in desk.edition.plan.slots) == 9
        (first,) = desk.give_out("ana", format="csv")
        assert desk.take_in(fill(first, hand)) == (8, 0)
        # Ana's repeats are not for ben, and what she left out would be in the pool.
        (second,) = desk.give_out("ben", format="csv")
        assert desk.take_in(fill(second, hand)) == (8, 0)
        assert set(desk.store.table("votes", retests=True)["repeat"]) == {0}
    finally:
        desk.store.close()


def test_each_output_of_a_screen_has_a_row_of_its_own(tmp_path: Path) -> None:
    directory = write_example("rate", tmp_path / "study")
    desk = open_desk(changed(directory, "outputs_per_trial: 1", "outputs_per_trial: all"))
    (path,) = desk.give_out("ana", format="csv")
    rows = iter(range(2, 100))
    letters: list[str] = []

    def hand(row: Mapping[str, Any]) -> Cells:
        letters.append(row["letter (output)"])
        # One output of the first trial is forgotten.
        return {} if next(rows) == 3 else {"consistency": 1, "realism": 2}

    filled = fill(path, hand)
    assert letters == ["A", "B", "C"] * 6
    with pytest.raises(InputError) as caught:
        desk.read(filled)
    assert "row 3, column consistency: is empty, and others of this trial" in str(caught.value)
    assert desk.take_in(fill(path, always(consistency=1, realism=2))) == (6, 0)
    assert len(desk.store.table("ratings")["item"]) == 36
    lines = path.with_suffix(".csv").read_text("utf-8").splitlines()
    path.with_suffix(".csv").write_text("\n".join([*lines[:3], *lines[4:]]), "utf-8")
    with pytest.raises(InputError, match="row 2: the row of output C of the same trial is gone"):
        desk.read(path.with_suffix(".csv"))
    desk.store.close()


def test_the_best_is_named_by_its_letter(tmp_path: Path) -> None:
    directory = write_example("rank", tmp_path / "study")
    desk = open_desk(changed(directory, "answer: order, ties: true", "answer: best"))

    def hand(row: Mapping[str, Any]) -> Cells:
        best = next(x for x in "ABCD" if row[f"caption {x}"].startswith("A colored"))
        return {"fit": best.lower()}

    (path,) = desk.give_out("ana")
    assert desk.take_in(fill(path, hand)) == (6, 0)
    found = set(column(desk.store.table("rankings"), "system", "rank"))
    assert found == {("ada", 2), ("bert", 2), ("cleo", 1), ("dora", 2)}
    desk.store.close()


def test_a_sheet_holds_a_booklet_of_the_group(tmp_path: Path) -> None:
    folder = write_example("compare", tmp_path / "study")
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("\naccess: {invited: true}\n")
        file.write("raters: {groups: {expert: {quota: 1, overlap: 1}, crowd: {}}, each: true}\n")
    desk = open_desk(folder)
    with desk.store:
        desk.give_out("ana", format="csv", group="expert")
        desk.give_out("ben", format="csv", group="crowd")
        held = {one.rater: one.booklet for one in desk.store.progress().raters}
        group_of = {booklet.id: booklet.group for booklet in desk.edition.plan.booklets}
        groups = {str(rater): group_of[id] for rater, id in held.items() if id is not None}
        assert groups == {"ana": "expert", "ben": "crowd"}
        with pytest.raises(StoreError, match="no place left for 'cy': all 1 of the group 'expert'"):
            desk.give_out("cy", group="expert")
        with pytest.raises(RaterError, match=r"has the rater groups expert, crowd; say for which"):
            desk.give_out("cy")
        assert {str(rater.id) for rater in desk.store.raters()} == {"ana", "ben"}
