"""Tables as a person would save them: UTF-8, one header, quotes only where needed."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["write_csv"]


def write_csv(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    """Write the rows; the first one names the columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
