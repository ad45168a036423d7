"""The reference sets under tests/data as tables in jurybox's shapes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
Columns = dict[str, list[Any]]


def expected(name: str) -> dict[str, Any]:
    """What the set's authors published and what other packages compute from it."""
    found: dict[str, Any] = json.loads((DATA / name / "EXPECTED.json").read_text())
    return found


def rows_of(path: str, delimiter: str = ",") -> list[dict[str, str]]:
    with (DATA / path).open(newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def columns(rows: list[dict[str, Any]]) -> Columns:
    return {name: [row[name] for row in rows] for name in rows[0]}


def wide_ratings(path: str, unit: str | None, raters: list[str]) -> Columns:
    """A table with one row per unit and one column per rater; an empty cell is no response."""
    return columns(
        [
            {"item": row[unit] if unit else str(i), "rater": rater, "score": row[rater]}
            for i, row in enumerate(rows_of(path))
            for rater in raters
            if row[rater]
        ]
    )


def krippendorff() -> Columns:
    return wide_ratings("textbook/data/krippendorff2011.csv", "unit", list("ABCD"))


def fleiss() -> Columns:
    raters = [f"rater{i}" for i in range(1, 7)]
    return wide_ratings("textbook/data/fleiss1971_diagnoses.csv", None, raters)


def _repeat(counts: list[tuple[str, str, str, int]]) -> Columns:
    return columns(
        [
            {"system_a": a, "system_b": b, "winner": winner}
            for a, b, winner, n in counts
            for _ in range(n)
        ]
    )


def pudding() -> Columns:
    return _repeat(
        [
            (row["i"], row["j"], winner, int(row[column]))
            for row in rows_of("textbook/data/davidson1970_pudding.csv")
            for winner, column in (("a", "w_ij"), ("b", "w_ji"), ("tie", "t_ij"))
        ]
    )


def baseball() -> Columns:
    return _repeat(
        [
            (row["home_team"], row["away_team"], winner, int(row[column]))
            for row in rows_of("textbook/data/agresti_baseball1987.csv")
            for winner, column in (("a", "home_wins"), ("b", "away_wins"))
        ]
    )


def evalica(name: str) -> Columns:
    words = {"left": "a", "right": "b", "tie": "tie"}
    return columns(
        [
            {"system_a": row["left"], "system_b": row["right"], "winner": words[row["winner"]]}
            for row in rows_of(f"evalica_toy/data/{name}.csv")
        ]
    )


def evalica_golden(name: str, algorithm: str) -> dict[str, float]:
    return {
        row["item"]: float(row["score"])
        for row in rows_of(f"evalica_toy/data/{name}-golden.csv")
        if row["algorithm"] == algorithm
    }


def pandalm(annotators: tuple[int, ...] = (1, 2, 3)) -> Columns:
    words = {"1": "a", "2": "b", "0": "tie"}
    return columns(
        [
            {
                "item": row["idx"],
                "system_a": row["system_1"],
                "system_b": row["system_2"],
                "rater": f"annotator{i}",
                "winner": words[row[f"annotator{i}"]],
            }
            for row in rows_of("pandalm_pairwise/data/pandalm_votes.csv")
            for i in annotators
        ]
    )


def imagenhub(task: str) -> Columns:
    rows = []
    for rater in (1, 2, 3):
        for row in rows_of(f"imagenhub/data/{task}/{task}_rater{rater}.tsv", "\t"):
            for system, cell in row.items():
                if system == "uid":
                    continue
                for criterion, score in zip(("SC", "PR"), json.loads(cell), strict=True):
                    rows.append(
                        {
                            "item": row["uid"],
                            "system": system,
                            "rater": str(rater),
                            "criterion": criterion,
                            "score": score,
                        }
                    )
    return columns(rows)
