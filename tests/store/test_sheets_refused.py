"""Sheets that cannot be given out or taken back: each mistake is named, nothing is stored."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from jurybox.errors import InputError, RaterError, StoreError
from tests.store.sheet_filling import (
    Cells,
    Desk,
    desk,
    fill,
    unzipped,
)

__all__ = ["desk"]  # a fixture


@pytest.mark.parametrize("desk", ["rate"], indirect=True)
def test_every_wrong_cell_is_named_and_nothing_is_stored(desk: Desk) -> None:
    (path,) = desk.give_out("ana")
    rows = iter(range(2, 100))

    def hand(row: Mapping[str, Any]) -> Cells:
        number = next(rows)
        if number == 3:
            return {"consistency": 7, "realism": "fine"}
        if number == 5:
            return {"consistency": 1}
        return {"consistency": 1, "realism": 2}

    filled = fill(path, hand)
    with pytest.raises(InputError) as caught:
        desk.read(filled)
    assert str(caught.value).splitlines() == [
        f"{filled}, row 3, column consistency: cannot be '7'; allowed are 0, 0.5, 1, 2.",
        f"{filled}, row 3, column realism: cannot be 'fine'; allowed are 0, 0.5, 1, 2.",
        f"{filled}, row 5, column realism: is empty, and others of this trial are filled in.",
    ]
    assert desk.store.submissions() == ()


@pytest.mark.parametrize("desk", ["rank"], indirect=True)
def test_what_is_wrong_with_a_whole_row_is_named_by_row(desk: Desk) -> None:
    (path,) = desk.give_out("ana")
    filled = fill(path, lambda row: {f"fit {letter}": 2 for letter in "ABCD"})
    with pytest.raises(InputError, match=r"row 2: 'fit' cannot be 2, 2, 2, 2; ranks start at 1"):
        desk.read(filled)


@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_what_cannot_be_given_out_is_a_sentence(desk: Desk) -> None:
    with pytest.raises(RaterError, match="'ana' is named twice"):
        desk.give_out("ana", "ben", "ana")
    desk.give_out("ana", "ben", "chris")
    with pytest.raises(StoreError, match="no booklet left for 'dora': all 3 are taken"):
        desk.give_out("dora")


@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_all_raters_get_a_sheet_or_none_does(desk: Desk) -> None:
    desk.give_out("ana", "ben")
    with pytest.raises(StoreError, match=r"no booklet left for 'dora'.*No sheet was written"):
        desk.give_out("chris", "dora")  # one booklet is left
    assert [rater.id for rater in desk.store.raters()] == ["ana", "ben"]
    assert sorted(path.name for path in (desk.directory / "sheets").iterdir()) == [
        "ana.zip", "ben.zip"
    ]  # fmt: skip
    assert desk.give_out("dora")


@pytest.mark.parametrize("name", ["a/b", "../../evil", ".hidden", "_", "a:b", "", "x" * 81, "a\nb"])
@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_a_name_that_is_no_file_name_is_refused_before_anything_is_claimed(
    desk: Desk, name: str
) -> None:
    with pytest.raises(RaterError, match="cannot name a sheet; a name begins with a letter"):
        desk.give_out("ana", name)
    assert desk.store.raters() == ()
    assert not (desk.directory / "sheets").exists()


@pytest.mark.parametrize("desk", ["mark"], indirect=True)
def test_marking_is_not_for_sheets(desk: Desk) -> None:
    with pytest.raises(InputError, match="cannot be marked in a sheet"):
        desk.give_out("ana")
    assert desk.store.raters() == ()


@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_rows_that_belong_nowhere_are_named(desk: Desk) -> None:
    ana, ben = desk.give_out("ana", "ben", format="csv")
    foreign = unzipped(ben).decode("utf-8-sig").splitlines()[1].split(",")[0]
    rows = iter(range(2, 100))
    seen: list[str] = []

    def hand(row: Mapping[str, Any]) -> Cells:
        number = next(rows)
        seen.append(row["id"])
        return {
            3: {"id": "abc.def.all"},
            4: {"id": ""},
            5: {"id": seen[0]},
            6: {"id": foreign},
        }.get(number, {})

    with pytest.raises(InputError) as caught:
        desk.read(fill(ana, hand))
    said = str(caught.value)
    assert "row 3, column id: 'abc.def.all' is no row of this study" in said
    assert "row 4, column id: is empty, so the row belongs nowhere" in said
    assert "row 5, column id: is the same as in row 2" in said
    assert "row 6, column id: belongs to another rater's sheet" in said


@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_a_file_that_is_no_sheet_is_refused(desk: Desk, tmp_path: Path) -> None:
    for name, content, sentence in (
        ("a.csv", b"x,y\n1,2\n", "no column 'id'"),
        ("b.csv", b"", "no column 'id'"),
        ("c.xlsx", b"not a workbook", "is not a workbook"),
        ("d.zip", b"not a zip", "is not a zip file"),
        ("e.pdf", b"", "is neither .xlsx nor .csv"),
        ("f.csv", b"id,notes\n", "there is no row in this sheet"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=sentence):
            desk.read(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        desk.read(tmp_path / "missing.csv")


@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_a_missing_column_is_named(desk: Desk, tmp_path: Path) -> None:
    (path,) = desk.give_out("ana", format="csv")
    text = unzipped(path).decode("utf-8-sig")
    (tmp_path / "a.csv").write_text(text.replace("preference confidence", "sure"), "utf-8")
    with pytest.raises(InputError, match="row 1: lacks the column 'preference confidence'"):
        desk.read(tmp_path / "a.csv")


@pytest.mark.parametrize("desk", ["rate"], indirect=True)
def test_a_formula_is_called_a_formula(desk: Desk) -> None:
    (path,) = desk.give_out("ana")
    rows = iter(range(2, 100))
    filled = fill(path, lambda row: {"consistency": "=1+1" if next(rows) == 3 else 1, "realism": 1})
    with pytest.raises(InputError) as caught:
        desk.read(filled)
    sentence = "row 3, column consistency: is a formula (=1+1); write the answer itself."
    assert str(caught.value) == f"{filled}, {sentence}"


@pytest.mark.parametrize("desk", ["compare"], indirect=True)
def test_without_openpyxl_the_sentence_says_how_to_get_it_or_do_without(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    needed = r'pip install "jurybox\[sheets\]"\', or '
    with pytest.raises(InputError, match=f"{needed}use --format csv"):
        desk.give_out("ana")
    (tmp_path / "filled.xlsx").write_bytes(b"")
    with pytest.raises(InputError, match=f"{needed}save the sheet as CSV"):
        desk.read(tmp_path / "filled.xlsx")
    assert desk.store.raters() == ()
    assert desk.give_out("ben", format="csv")
