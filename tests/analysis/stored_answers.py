"""A store without a database, and the study whose answers it holds."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from jurybox.analysis import Analysis, analyze
from jurybox.study import Study

Columns = dict[str, list[Any]]


@dataclass
class FakeStore:
    """The tables of a store without a database."""

    tables: dict[str, Columns]
    skipped: list[str] = field(default_factory=list)

    def table(
        self,
        shape: str,
        *,
        round: str = "main",
        retests: bool = False,
        columns: Collection[str] | None = None,
    ) -> Columns:
        whole = self._whole(shape)
        if round != "main":
            whole = {name: [] for name in whole}
        return {n: cells for n, cells in whole.items() if columns is None or n in columns}

    def _whole(self, shape: str) -> Columns:
        if shape == "submissions":
            n = len(self.skipped)
            return {
                "id": [f"s{k}" for k in range(n)],
                "trial": self.skipped,
                "item": [f"i{k}" for k in range(n)],
                "kind": ["main"] * n,
                "rater": ["r0"] * n,
                "rater_kind": ["person"] * n,
                "study_version": [1] * n,
                "repeat": [0] * n,
                "status": ["skipped"] * n,
                "reason": ["too dark"] * n,
                "excluded_by": [None] * n,
            }
        empty: Columns = {"rater": [], "kind": [], "correct": [], "excluded_by": []}
        return self.tables.get(shape, empty)

    def raters(self) -> tuple[()]:
        return ()

    def load_plan(self) -> Any:
        trial = SimpleNamespace(systems=("new", "old"))
        return SimpleNamespace(trial=lambda id: trial, trials=(), slots=())

    def latest_version(self) -> None:
        return None

    def events(self, kind: str) -> tuple[()]:
        return ()


def table(names: str, rows: list[tuple[Any, ...]]) -> Columns:
    return dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))


RATE: dict[str, Any] = {
    "title": "Editing",
    "protocol": "rate",
    "outputs": "o.csv",
    "show": {"output": "text"},
    "criteria": {
        "consistency": {"question": "?", "scale": {0: "no", 1: "some", 2: "yes"}, "pass": 2},
        "realism": {"question": "?", "scale": "acr"},
    },
    "derived": {"overall": {"mean": ["consistency", "realism"]}},
    "analysis": {"primary": {"criterion": "realism", "mean": ["old", "new"]}},
}


KNOWN = {"gold": "gold.csv", "practice": "practice.csv", "attention": "attention.csv"}


def study(**changes: Any) -> Study:
    return Study.model_validate({**RATE, **changes})


def ratings(raters: int = 6) -> Columns:
    draw = random.Random(1)
    rows = []
    for i in range(10):
        for s in ("new", "old"):
            for r in range(raters):
                lift = 1 if s == "new" else 0
                consistency = min(2, max(0, round(1 + 0.5 * lift + draw.gauss(0, 0.6))))
                realism = min(5, max(1, round(2.5 + lift + draw.gauss(0, 0.8))))
                for criterion, score in (("consistency", consistency), ("realism", realism)):
                    rows.append(
                        (f"i{i}", s, f"r{r}", criterion, score, f"t{i}{s}", 4000 + 100 * r, None)
                    )
    return table("item system rater criterion score trial ms excluded_by", rows)


def with_rules(
    rules: dict[str, Any],
    checks: Columns | None = None,
    *,
    criterion: str | None = None,
    **tables: Columns,
) -> Analysis:
    store = FakeStore({"ratings": ratings(), **tables})
    if checks is not None:
        store.tables["checks"] = checks
    asked = study(quality={"exclude": rules, **KNOWN})
    return analyze(store, study=asked, criterion=criterion)
