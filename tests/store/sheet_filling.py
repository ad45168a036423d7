"""A study with sheets given out, and hands that fill them in."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from jurybox.cli.ready import find_truth
from jurybox.design import make_plan
from jurybox.screen.clean import clean_bytes
from jurybox.store import Store
from jurybox.store.sheets import (
    Edition,
    ReadSheet,
    SheetFormat,
    SheetOptions,
    read_sheet,
    store_sheet,
    write_sheets,
)
from jurybox.study import load_material, load_study
from tests.study.examples import write_example

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
Cells = dict[str, Any]
Hand = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""What a rater writes into a row, given what stands in it."""


@dataclass(frozen=True)
class Desk:
    """A planned study and its store."""

    directory: Path
    store: Store
    edition: Edition

    def give_out(
        self, *raters: str, format: SheetFormat = "xlsx", group: str | None = None
    ) -> list[Path]:
        options = SheetOptions(
            format=format,
            directory=self.directory / "sheets",
            lease=timedelta(days=90),
            clean=clean_bytes,
            group=group,
        )
        written = write_sheets(self.store, self.edition, raters, options, now=NOW)
        return [sheet.path for sheet in written]

    def read(self, path: Path) -> ReadSheet:
        return read_sheet(path, self.store, self.edition, now=NOW)

    def take_in(self, path: Path) -> tuple[int, int]:
        return store_sheet(self.store, self.read(path), now=NOW)


def open_desk(directory: Path, url: str | None = None) -> Desk:
    study = load_study(directory)
    material = load_material(study)
    plan = make_plan(study, material)
    store = Store.open(url or directory / "study.db")
    version = store.save_version("{}", study.hash(), material.hash(), kind="first", now=NOW)
    truth = find_truth(study, material)
    store.save_plan(plan, version=version, truth=truth, now=NOW)
    edition = Edition(study=study, material=material, plan=plan, version=version)
    return Desk(directory=directory, store=store, edition=edition)


def fill(path: Path, hand: Hand) -> Path:
    """Fill the sheet of a zip in and save it beside the zip, as a rater would."""
    with zipfile.ZipFile(path) as archive:
        is_xlsx = "sheet.xlsx" in archive.namelist()
        content = archive.read("sheet.xlsx" if is_xlsx else "sheet.csv")
    filled = path.with_suffix(".xlsx" if is_xlsx else ".csv")
    return fill_xlsx(content, filled, hand) if is_xlsx else fill_csv(content, filled, hand)


def fill_xlsx(content: bytes, path: Path, hand: Hand) -> Path:
    workbook = openpyxl.load_workbook(io.BytesIO(content))
    sheet = workbook["Trials"]
    columns = [str(cell.value).split("\n")[0] for cell in sheet[1]]
    for row in sheet.iter_rows(min_row=2):
        shown = {name: cell.value for name, cell in zip(columns, row, strict=True)}
        for name, value in hand(shown).items():
            row[columns.index(name)].value = value
    workbook.save(path)
    return path


def fill_csv(content: bytes, path: Path, hand: Hand, *, delimiter: str = ",") -> Path:
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows({**row, **hand(row)} for row in rows)
    return path


@pytest.fixture
def desk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """Plan the example that the test's parameter names."""
    made = open_desk(write_example(request.param, tmp_path / "study"))
    yield made
    made.store.close()


def column(table: Mapping[str, list[Any]], *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(table[name] for name in names), strict=True))


def always(**cells: Any) -> Hand:
    return lambda row: cells


def unzipped(path: Path, name: str = "sheet.csv") -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)
