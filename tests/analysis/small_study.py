"""A small study in a real store, with its answers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jurybox.design import make_plan
from jurybox.simulate.run import run
from jurybox.simulate.truth import Truth
from jurybox.store import Store
from jurybox.study.versions import snapshot
from tests.design.studies import make_material, make_study

MATERIAL = make_material(8, 2)
"""8 items of two topics, 2 systems."""


def planned(folder: Path, **parts: Any) -> Store:
    """A study of ``MATERIAL``, planned and answered by simulated raters."""
    study = make_study(
        "rate", design={"overlap": 2, "seed": 3}, criteria={"overall": {"scale": "acr"}}, **parts
    )
    store = Store.open(folder / "study.db")
    now = datetime(2026, 3, 1, tzinfo=UTC)
    text = json.dumps(snapshot(study, MATERIAL))
    version = store.save_version(text, study.hash(), MATERIAL.hash(), kind="first", now=now)
    plan = make_plan(study, MATERIAL)
    store.save_plan(plan, version=version, now=now)
    truth = Truth(quality={"overall": {"system-0": 0.5, "system-1": 0.0}})
    run(study, MATERIAL, plan, store, truth, seed=5, now=now)
    return store
