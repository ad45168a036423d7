"""Small studies with judges, for the tests of this room."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jurybox.cli.ready import ready_study
from jurybox.design.plan import Plan
from jurybox.judges.calls import Calls
from jurybox.judges.run import Summary, run_judge
from jurybox.store import Store
from jurybox.study import Material, Study
from tests.databases import ensure_database

CHOICE = {"overall": {"question": "Which answer is better?", "choices": ["a", "b", "tie"]}}


@dataclass(frozen=True, slots=True)
class Ready:
    """A planned study in its store."""

    study: Study
    material: Material
    plan: Plan
    store: Store
    folder: Path

    def calls(self, name: str = "j1") -> Calls:
        judge = self.study.judges[name]
        return Calls(name, judge, self.study, self.material, self.plan)

    def run(self, name: str = "j1", **options: Any) -> Summary:
        return run_judge(
            self.calls(name),
            self.study,
            self.material,
            self.store,
            folder=self.folder / "judges",
            clock=now,
            **options,
        )


def now() -> datetime:
    return datetime(2026, 1, 5, 9, tzinfo=UTC)


def make_study(
    folder: Path,
    endpoint: str = "http://127.0.0.1:1/v1",
    *,
    protocol: str = "compare",
    criteria: Mapping[str, Any] = CHOICE,
    items: int = 6,
    systems: Mapping[str, float] | None = None,
    judge: Mapping[str, Any] | None = None,
    texts: Mapping[tuple[int, str], str] | None = None,
    families: Mapping[str, str] | None = None,
    **more: Any,
) -> Ready:
    """Write, plan and store a study whose outputs carry their quality in words."""
    quality = systems or {"ada": 0.8, "bob": 0.4}
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"item": f"i{n}", "question": f"Question {n}?"} for n in range(items)]
    _write(folder / "items.jsonl", rows)
    outputs = [
        {
            "item": f"i{n}",
            "system": system,
            "output": (texts or {}).get((n, system), f"Answer {n}, quality {value:.3f}."),
        }
        for n in range(items)
        for system, value in quality.items()
    ]
    _write(folder / "outputs.jsonl", outputs)
    spec = {
        "title": "Which one?",
        "protocol": protocol,
        "items": "items.jsonl",
        "outputs": "outputs.jsonl",
        "show": {"question": "text", "output": "text"},
        "criteria": criteria,
        "instructions": "Judge by the words alone.",
        "design": {"overlap": 1, "seed": 3},
        "judges": {"j1": {"model": "m", "endpoint": endpoint, **(judge or {})}},
        **({"systems": {k: {"family": v} for k, v in families.items()}} if families else {}),
        **more,
    }
    (folder / "study.yaml").write_text(json.dumps(spec))
    store = Store.open(ensure_database(folder / "study.db"), secret=b"secret")
    ready = ready_study(folder, store, now=now())
    return Ready(ready.study, ready.material, ready.plan, store, folder)


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
