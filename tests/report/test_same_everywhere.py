"""Every format shows the same tables: the cells of each are read back and compared."""

from __future__ import annotations

import csv
import json
import random
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import jurybox as jb
from jurybox.report import write_report

Cells = list[tuple[str, ...]]
Columns = dict[str, list[Any]]
TRIALS = [(f"i{i}", f"r{r}") for i in range(12) for r in range(6)]


def table(names: str, rows: list[tuple[Any, ...]]) -> Columns:
    return dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))


def ratings() -> Columns:
    draw = random.Random(4)
    rows = [
        (i, s, r, c, min(5, max(1, round(draw.gauss(3 + (s == "b<c>|_x"), 1)))))
        for i, r in TRIALS
        for s in ("a & 50%", "b<c>|_x", "c*d")
        for c in ("truth", "style")
    ]
    return table("item system rater criterion score", rows)


def votes() -> Columns:
    draw = random.Random(4)
    pairs = (("a & 50%", "b<c>|_x"), ("b<c>|_x", "c*d"), ("c*d", "a & 50%"))
    rows = [(i, *p, r, draw.choice(["a", "a", "b", "tie"])) for i, r in TRIALS for p in pairs]
    return table("item system_a system_b rater winner", rows)


def detections() -> Columns:
    draw = random.Random(4)
    sides = (("a & 50%", "generated"), ("camera", "real"))
    rows = [
        (f"{i}/{side}", *sides[side], r, draw.choice(["real", "real", "generated"]))
        for i, r in TRIALS
        for side in (0, 1)
    ]
    return table("item system truth rater answer", rows)


class Tables(HTMLParser):
    """The cells of a page's tables."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[list[list[str]]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "table":
            self.found.append([])
        elif tag == "tr":
            self.found[-1].append([])
        elif tag in ("td", "th"):
            self.found[-1][-1].append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found[-1][-1][-1] += data


def plain(text: str) -> str:
    return " ".join(text.split())


def in_html(page: str) -> list[Cells]:
    read = Tables()
    read.feed(page)
    return [[tuple(map(plain, row)) for row in rows] for rows in read.found]


def in_markdown(page: str) -> list[Cells]:
    blocks = re.findall(r"(?:^\|.*\n)+", page, re.M)
    return [
        [
            tuple(
                plain(re.sub(r"\\(.)", r"\1", cell)) for cell in re.split(r"(?<!\\)\|", row)[1:-1]
            )
            for row in block.splitlines()
            if not re.fullmatch(r"[|: -]+", row)
        ]
        for block in blocks
    ]


def in_latex(text: str) -> Cells:
    body = text[text.index("\\toprule") : text.index("\\bottomrule")]
    rows = [row for row in body.splitlines() if row.endswith("\\\\")]
    signs = {"\\ensuremath{-}": "−", "~": " ", "\\allowbreak{}": "", "{,}": ",", "-{}": "-"}
    made = []
    for row in rows:
        cells = re.split(r"(?<!\\)&", row.removesuffix("\\\\"))
        for sign, means in signs.items():
            cells = [cell.replace(sign, means) for cell in cells]
        made.append(tuple(plain(re.sub(r"\\([%&_#$])", r"\1", cell)) for cell in cells))
    return made


@pytest.mark.parametrize("answers", [ratings, votes, detections])
def test_every_table_has_the_same_cells_in_every_format(tmp_path: Path, answers: Any) -> None:
    write_report(jb.analyze(answers()), tmp_path, formats=("html", "md", "latex", "csv", "json"))
    data = json.loads((tmp_path / "findings.json").read_text())
    written = in_markdown((tmp_path / "report.md").read_text())
    drawn = in_html((tmp_path / "report.html").read_text())
    assert len(written) >= len(data["tables"]) > 5
    for rows in written:
        assert rows in drawn
    typeset = [in_latex(each.read_text()) for each in (tmp_path / "latex/tables").glob("*.tex")]
    assert len(typeset) == len(written)
    for rows in typeset:
        # Names are spelled otherwise in LaTeX; what is measured is not.
        assert numbers(rows) in [numbers(each[: len(rows)]) for each in written]
    for each in data["tables"]:
        name = re.sub(r"[^\w.-]+", "-", each["id"])
        with (tmp_path / "tables" / f"{name}.csv").open(newline="") as file:
            _, *lines = csv.reader(file)
        for row, cells in zip(lines, each["rows"], strict=True):
            assert {x for x in map(number, row) if x is not None} == set(flat(cells))


def numbers(rows: Cells) -> list[list[str]]:
    """The figures below the heading."""
    return [[cell for cell in row if re.match(r"[−\d]", cell)] for row in rows[1:]]


def number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def flat(cells: Any) -> list[float]:
    if isinstance(cells, dict):
        cells = list(cells.values())
    if isinstance(cells, list):
        return [x for cell in cells for x in flat(cell)]
    return [float(cells)] if isinstance(cells, int | float) else []
