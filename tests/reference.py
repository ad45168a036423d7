"""The reference sets under tests/data as tables in jurybox's shapes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from jurybox.tally.mapping import Mapped, mapped

DATA = Path(__file__).parent / "data"
Columns = dict[str, list[Any]]
QUICK: dict[str, Any] = {"n_resamples": 20}
"""Where only the estimate is looked at."""


def expected(name: str) -> dict[str, Any]:
    """What the set's authors published and what other packages compute from it."""
    found: dict[str, Any] = json.loads((DATA / name / "EXPECTED.json").read_text())
    return found


def rows_of(path: str, delimiter: str = ",") -> list[dict[str, str]]:
    with (DATA / path).open(newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def columns(rows: list[dict[str, Any]]) -> Columns:
    return {name: [row[name] for row in rows] for name in rows[0]}


def table(name: str, file: str = "", /, **options: Any) -> Mapped:
    """A set's file, or its whole folder, read as the set's ``mapping.yaml`` says."""
    return mapped(DATA / name / "data" / file, DATA / name / "mapping.yaml", **options)


def textbook(name: str) -> Mapped:
    """A table of a textbook, which has a mapping of its own."""
    folder = DATA / "textbook"
    return mapped(folder / "data" / f"{name}.csv", folder / f"mapping-{name}.yaml")


def krippendorff() -> Mapped:
    return textbook("krippendorff2011")


def fleiss() -> Mapped:
    return textbook("fleiss1971_diagnoses")


def shrout_fleiss() -> Mapped:
    return textbook("shrout_fleiss1979")


def pudding() -> Mapped:
    return textbook("davidson1970_pudding")


def baseball() -> Mapped:
    return textbook("agresti_baseball1987")


def evalica(name: str) -> Mapped:
    return table("evalica_toy", f"{name}.csv")


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


def imagenhub(task: str, **options: Any) -> Mapped:
    return table("imagenhub", task, **options)


def gengap(*, everybody: bool = False, age: str | None = None) -> Columns:
    """Real photos and Stable Diffusion, told apart by 112 participants who passed the check."""
    words = {"human": "real", "machine": "generated"}
    return columns(
        [
            {
                "item": row["item"],
                "system": {"human": "camera", "machine": "Stable Diffusion"}[row["truth"]],
                "rater": row["participant"],
                "truth": words[row["truth"]],
                "answer": words[row["answer"]],
            }
            for row in rows_of("gengap_turing/data/responses_long.csv")
            if (everybody or row["passed_attention_check"] == "1")
            and age in (None, row["age_group"])
        ]
    )


def ted_spans() -> Columns:
    """WMT 2021 TED en–de: every segment of every system marked by one expert.

    A row without an error has no severity; a span without an offset (−1) has no place.
    """
    rows = []
    for row in rows_of("wmt21_ted_mqm/data/mqm_ted_ende_spans.tsv", "\t"):
        clean = row["severity"].lower() in ("no-error", "")
        start = int(row["span_start"])
        placed = not clean and start >= 0
        rows.append(
            {
                "item": f"{row['doc']}/{row['seg_id']}",
                "system": row["system"],
                "rater": row["rater"],
                "category": None if clean else row["category"],
                "severity": None if clean else row["severity"],
                "start": start if placed else None,
                "end": start + len(row["span"]) if placed else None,
            }
        )
    return columns(rows)
