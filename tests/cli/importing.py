"""Tables to import, and what `jurybox import` says and stores."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from jurybox.cli.app import run
from jurybox.store import Store
from tests.study.examples import write_example

Capture = pytest.CaptureFixture[str]


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def take(capsys: Capture, *arguments: object) -> dict[str, int]:
    assert run(["import", *map(str, arguments), "--json"]) == 0
    done: dict[str, int] = json.loads(capsys.readouterr().out)
    return done


def refused(capsys: Capture, *arguments: object, code: int = 1) -> list[str]:
    assert run(["import", *map(str, arguments)]) == code
    return capsys.readouterr().err.splitlines()


def table(directory: Path, shape: Any, *names: str) -> list[tuple[Any, ...]]:
    with Store.open(directory) as store:
        columns = store.table(shape)
    return list(zip(*(columns[name] for name in names), strict=True))


def rating(rater: str = "ann", **values: Any) -> dict[str, Any]:
    row = {"item": "e1", "system": "brush", "criterion": "realism", "score": 0.5}
    return {"rater": rater, **row, **values}


@pytest.fixture
def rate(tmp_path: Path) -> Path:
    return write_example("rate", tmp_path / "rate", items=2)


@pytest.fixture
def compare(tmp_path: Path) -> Path:
    return write_example("compare", tmp_path / "compare", items=2)
