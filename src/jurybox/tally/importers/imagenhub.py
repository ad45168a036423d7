"""ImagenHub's human ratings: one TSV per rater, a column per system, cells ``[SC, PR]``.

SC is semantic consistency, PR perceptual quality, each 0, 0.5 or 1; the rating that ImagenHub
reports, O, is their geometric mean in each response (Ku et al., 2024, arXiv:2310.01596).
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

from jurybox.errors import InputError
from jurybox.tally.importers.export import Export
from jurybox.tally.mapping import Derivation, TableMapping

__all__ = ["find", "load"]

CRITERIA = ("SC", "PR")
SCALE = (0.0, 0.5, 1.0)
CELL = re.compile(r"\[\s*[\d.]+\s*,\s*[\d.]+\s*\]")
RATER = re.compile(r"rater[ _-]?\w+", re.IGNORECASE)


def find(paths: list[Path]) -> list[Path]:
    """The files of the format; all of them must be, or it is another one."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.glob("*.tsv")) if path.is_dir() else [path]
    return files if files and all(_is_mine(file) for file in files) else []


def _is_mine(path: Path) -> bool:
    if path.suffix.lower() != ".tsv":
        return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        heading, first = file.readline().split("\t"), file.readline().split("\t")
    return len(heading) > 1 and len(first) == len(heading) and bool(CELL.search(first[1]))


def load(files: list[Path]) -> Export:
    """Two ratings per cell."""
    rows: list[dict[str, Any]] = []
    raters = _raters(files)
    for file, rater in zip(files, raters, strict=True):
        with file.open(encoding="utf-8-sig", newline="") as lines:
            table = csv.DictReader(lines, delimiter="\t")
            item, *systems = [str(name) for name in table.fieldnames or ()]
            for number, line in enumerate(table, start=2):
                for system in systems:
                    for criterion, score in _scores(line[system], f"{file.name}:{number}"):
                        rows.append(
                            {
                                "item": line[item],
                                "system": system.strip(),
                                "rater": rater,
                                "criterion": criterion,
                                "score": score,
                            }
                        )
    return Export(
        words=f"ImagenHub ratings of {len(files)} {'rater' if len(files) == 1 else 'raters'}: "
        "cells [SC, PR], whose geometric mean is the overall rating; their level is ordinal",
        rows={"ratings": rows},
        scale=SCALE if {row["score"] for row in rows} <= set(SCALE) else (),
        mapping=TableMapping(
            importer="imagenhub",
            level="ordinal",
            derive={
                "overall": Derivation(rule="geometric_mean", weights=dict.fromkeys(CRITERIA, 1.0))
            },
        ),
    )


def _raters(files: list[Path]) -> list[str]:
    """Who rated each file: the last part of its name that says so, else the whole name."""
    found = [RATER.findall(file.stem) for file in files]
    names = [hits[-1] if hits else file.stem for hits, file in zip(found, files, strict=True)]
    return names if len(set(names)) == len(names) else [file.stem for file in files]


def _scores(cell: str | None, place: str) -> list[tuple[str, float]]:
    if cell is None or not cell.strip():
        return []
    try:
        scores = json.loads(cell)
    except json.JSONDecodeError:
        scores = None
    if not isinstance(scores, list) or len(scores) != len(CRITERIA):
        raise InputError(f"{place}: a cell must hold [SC, PR]; got {cell!r}")
    return [(c, s) for c, s in zip(CRITERIA, scores, strict=True) if s is not None]
