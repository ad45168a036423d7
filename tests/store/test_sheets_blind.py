"""Nothing in a sheet's zip tells a system, a file, an item or the truth."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, PngImagePlugin

from jurybox.store.sheets import SheetFormat
from tests.store.sheet_filling import open_desk

SYSTEMS = ("zanzibar", "quagga")
SECRETS = (*SYSTEMS, "xylophone", "hidden-folder", "Flugzeug", "item-known-as")


def draw(path: Path, system: str, number: int) -> None:
    """Draw a picture whose metadata shouts who made it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (320, 240), (40 * number, 90, len(system) * 20))
    if path.suffix == ".png":
        words = PngImagePlugin.PngInfo()
        words.add_text("Software", f"made by {system}")
        image.save(path, pnginfo=words)
    else:
        exif = Image.Exif()
        exif[0x010E] = f"made by {system}"
        image.save(path, exif=exif, comment=f"made by {system}".encode())


def write_study(directory: Path, protocol: str) -> Path:
    directory.mkdir()
    suffix = ".png" if protocol == "rate" else ".jpg"
    items, outputs = [], []
    for number in range(1, 5):
        item = f"item-known-as-{number}"
        items.append({"item": item, "prompt": f"Draw number {number}.", "xylophone": "Flugzeug"})
        words = f"=1+{number}" if number < 4 else f"\uff1d1+{number}"
        for system in SYSTEMS:
            file = f"hidden-folder/{system}-{number}{suffix}"
            draw(directory / file, system, number)
            outputs.append({"item": item, "system": system, "picture": file, "words": words})
    for name, rows in (("items.jsonl", items), ("outputs.jsonl", outputs)):
        text = "\n".join(json.dumps(row) for row in rows)
        (directory / name).write_text(text, encoding="utf-8")
    real = "real: [zanzibar]\n" if protocol == "detect" else ""
    (directory / "study.yaml").write_text(
        f"title: Pictures\nprotocol: {protocol}\nitems: items.jsonl\noutputs: outputs.jsonl\n{real}"
        "show: {prompt: text, picture: image, words: text}\ndesign: {overlap: 2, seed: 3}\n",
        encoding="utf-8",
    )
    return directory


def every_file(content: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """Every file in a zip and in the zips within it."""
    yield name, content
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist():
                yield entry.filename, entry.filename.encode()
                yield from every_file(archive.read(entry), f"{name}/{entry.filename}")


@pytest.mark.parametrize("format", ["xlsx", "csv"])
@pytest.mark.parametrize("protocol", ["rate", "compare", "rank", "detect"])
def test_no_byte_of_the_zip_gives_anything_away(
    tmp_path: Path, protocol: str, format: SheetFormat
) -> None:
    desk = open_desk(write_study(tmp_path / "study", protocol))
    paths = desk.give_out("ana", "ben", format=format)
    desk.store.close()
    searched = 0
    for path in paths:
        assert path.name in {"ana.zip", "ben.zip"}
        for name, content in every_file(path.read_bytes(), path.name):
            searched += 1
            for secret in SECRETS:
                assert secret.encode() not in content, (name, secret)
                assert secret.encode("utf-16-le") not in content, (name, secret)
    assert searched > 20


def test_the_search_would_find_a_leak(tmp_path: Path) -> None:
    directory = write_study(tmp_path / "study", "rate")
    found = (directory / "hidden-folder" / "zanzibar-1.png").read_bytes()
    assert b"zanzibar" in found


def test_the_two_outputs_of_a_trial_cannot_be_told_by_the_order_of_names(tmp_path: Path) -> None:
    desk = open_desk(write_study(tmp_path / "study", "compare"))
    names = []
    for path in desk.give_out("ana", "ben", format="csv"):
        with zipfile.ZipFile(path) as archive:
            text = archive.read("sheet.csv").decode("utf-8-sig")
            assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        names += re.findall(r"media/([0-9a-f]{16})\.jpg", text)
    desk.store.close()
    # 4 items and 2 systems, each picture under one name of its own wherever it is shown.
    assert len(set(names)) == 8
    assert len(names) == 16


def test_no_text_becomes_a_formula(tmp_path: Path) -> None:
    desk = open_desk(write_study(tmp_path / "study", "rate"))
    (workbook,) = desk.give_out("ana")
    (plain,) = desk.give_out("ben", format="csv")
    desk.store.close()
    with zipfile.ZipFile(workbook) as archive:
        book = zipfile.ZipFile(io.BytesIO(archive.read("sheet.xlsx")))
    with book:
        trials = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in trials
    assert "<t>=1+1</t>" in trials
    with zipfile.ZipFile(plain) as archive:
        text = archive.read("sheet.csv").decode("utf-8-sig")
    assert "'=1+1" in text
    assert "'\uff1d1+4" in text
    assert ",=1" not in text
