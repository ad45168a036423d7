"""One small text study per protocol, written to a directory of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from jurybox.design import make_plan
from jurybox.design.plan import Plan
from jurybox.simulate.truth import Truth
from jurybox.store import Store
from jurybox.study import Study, load_study
from jurybox.study.material import Material, load_material
from tests.databases import ensure_database

NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)
SYSTEMS = ("new", "old", "tiny")
QUALITY = {"new": 0.7, "old": 0.7, "tiny": 0.35}

CRITERIA: dict[str, Any] = {
    "rate": {"fit": {"question": "Fit?", "scale": {0: "no", 0.5: "half", 1: "well", 2: "fully"}}},
    "slide": {"fit": {"question": "Fit?", "scale": "0-100"}},
    "compare": {
        "preference": {"question": "Which?", "choices": ["a", "b", "tie", "both_bad"],
                       "confidence": 3, "reason": "required"},
        "correctness": {"question": "How correct?", "scale": "acr", "per": "output"},
    },
    "graded": {"preference": {"question": "Which?", "scale": "cmos"}},
    "rank": {"order": {"question": "Order?", "answer": "order", "ties": True}},
    "best": {"pick": {"question": "Best?", "answer": "best"}},
    "detect": {"origin": {"question": "Real?", "confidence": 5}},
    "mark": {
        "errors": {"question": "Errors?", "field": "answer",
                   "categories": {"accuracy": "wrong", "fluency": "clumsy"},
                   "severities": {"minor": 1, "major": 5}},
        "overall": {"question": "Overall?", "scale": "0-100"},
    },
}  # fmt: skip
PROTOCOL = {"slide": "rate", "graded": "compare", "best": "rank"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A study that is planned and stored, ready for raters."""

    study: Study
    material: Material
    plan: Plan
    store: Store

    def truth(self, **settings: Any) -> Truth:
        return Truth(quality={name: QUALITY for name in self.study.criteria}, **settings)


Prepare = Callable[..., Ready]


def plain_text(system: str, k: int) -> str:
    return f"Answer {k} of some length"


def write_study(
    folder: Path,
    form: str,
    *,
    items: int,
    gold: str,
    text: Callable[[str, int], str] = plain_text,
    known: Mapping[str, str] | None = None,
    **parts: Any,
) -> Study:
    folder.mkdir()
    protocol = PROTOCOL.get(form, form)
    (folder / "answers").mkdir()
    prompts = [{"item": f"i{k}", "prompt": f"Question {k}"} for k in range(items)]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in prompts))
    for system in SYSTEMS:
        rows = [{"item": f"i{k}", "answer": text(system, k)} for k in range(items)]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "answers" / f"{system}.jsonl").write_text(lines)
    for kind, table in {**({"gold": gold} if gold else {}), **(known or {})}.items():
        (folder / f"{kind}.csv").write_text(table)
        parts["quality"] = {**parts.get("quality", {}), kind: f"{kind}.csv"}
    if protocol == "detect":
        parts["real"] = ["old"]
    study = Study(
        title=f"A study to {form}",
        protocol=protocol,
        items="items.jsonl",
        outputs="answers/{system}.jsonl",
        show={"prompt": "text", "answer": "text"},
        criteria=CRITERIA[form],
        **parts,
    )
    study.save(folder)
    return load_study(folder)


@pytest.fixture
def prepare(tmp_path: Path, request: pytest.FixtureRequest) -> Prepare:
    def make(
        form: str,
        *,
        items: int = 6,
        gold: str = "",
        database: str | None = None,
        **parts: Any,
    ) -> Ready:
        folder = tmp_path / f"{form}-{len(list(tmp_path.iterdir()))}"
        study = write_study(folder, form, items=items, gold=gold, **parts)
        material = load_material(study)
        plan = make_plan(study, material)
        store = Store.open(database or ensure_database(folder / "study.db"), secret=b"known")
        request.addfinalizer(store.close)
        version = store.save_version(
            study.model_dump_json(), study.hash(), material.hash(), kind="first", now=NOW
        )
        truth: dict[str, Literal["real", "generated"]] = {
            system: "real" if system in study.real else "generated" for system in SYSTEMS
        }
        store.save_plan(
            plan, version=version, now=NOW, truth=truth if study.protocol == "detect" else None
        )
        return Ready(study=study, material=material, plan=plan, store=store)

    return make
