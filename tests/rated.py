"""Simulated ratings, and what the chapter of ratings says of them."""

from __future__ import annotations

import random
from typing import Any

from jurybox.analysis import Analysis
from jurybox.analysis.asked import Asked
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Chapter, Finding
from jurybox.analysis.options import Options
from jurybox.analysis.ratings import rating_chapter
from jurybox.stats.differences import Difference
from jurybox.tally.reading import read

Columns = dict[str, list[Any]]
LEVELS = {"best": 1.0, "mid": 0.0, "same": 0.0}


def table(rows: list[tuple[Any, ...]], names: str = "item system rater score") -> Columns:
    return dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))


def ratings(
    seed: int = 1,
    *,
    items: int = 12,
    raters: int = 8,
    systems: tuple[str, ...] = tuple(LEVELS),
    criteria: tuple[str, ...] = ("quality", "realism"),
    share: float = 1.0,
) -> Columns:
    draw = random.Random(seed)
    lenient = [draw.gauss(0, 0.4) for _ in range(raters)]
    return table(
        [
            (f"i{i}", s, f"r{r}", c, min(5, max(1, round(3 + LEVELS[s] + e + draw.gauss(0, 0.8)))))
            for i in range(items)
            for s in systems
            for r, e in enumerate(lenient)
            for c in criteria
            if draw.random() < share
        ],
        "item system rater criterion score",
    )


def chapter(data: Columns, asked: Asked | None = None) -> Chapter:
    responses = read(data, shape="ratings")
    try:
        return rating_chapter(Context(asked=asked or Asked(), options=Options()), responses)
    finally:
        responses.close()


def gaps(found: Chapter | Analysis) -> dict[str, Difference]:
    return {
        f.id.removeprefix("difference/"): f.result
        for f in found.findings
        if f.id.startswith("difference/") and isinstance(f.result, Difference)
    }


def finding(found: Chapter | Analysis, start: str) -> Finding:
    return next(f for f in found.findings if f.id.startswith(start))
