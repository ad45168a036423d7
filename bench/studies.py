"""How fast studies are planned and answered."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from jurybox.design import make_plan
from jurybox.design.answers import ShownAnswer, turn_back
from jurybox.simulate.power import power, workers
from jurybox.simulate.scenario import Scenario, default_scatter
from jurybox.stats.power.crossed import Crossed
from jurybox.store import Store, Submission
from jurybox.study import Study, load_material, load_study
from jurybox.study.material import Item, Material, Output
from jurybox.study.model import ItemId, RaterId, SystemId

__all__ = ["loading", "planning", "planning_ratings", "simulated_power", "submits"]


def loading(folder: Path) -> float:
    """Seconds to load and check 10,000 items with outputs of five systems."""
    systems = ("a", "b", "c", "d", "e")
    rows = [f"q{number},{system},words {number}" for number in range(10_000) for system in systems]
    (folder / "outputs.csv").write_text("item,system,answer\n" + "\n".join(rows) + "\n")
    items = [f"q{number},a question" for number in range(10_000)]
    (folder / "items.csv").write_text("item,prompt\n" + "\n".join(items) + "\n")
    pairs_study(items=1, raters=3)[0].save(folder)
    start = time.perf_counter()
    load_material(load_study(folder))
    return time.perf_counter() - start


def planning() -> float:
    """Seconds to plan 10,000 trials of two outputs."""
    return _plan(*pairs_study(items=10_000, raters=100))


def planning_ratings(*, overlap: int) -> float:
    """Seconds to plan 10,000 trials of one output of five systems, in Williams order."""
    return _plan(*ratings_study(items=2_000, raters=100, overlap=overlap))


def _plan(study: Study, material: Material) -> float:
    start = time.perf_counter()
    make_plan(study, material)
    return time.perf_counter() - start


def simulated_power(studies: int = 1000) -> float:
    """Seconds to simulate and judge studies of 100 items × 5 systems × 3 raters per output."""
    scenario = Scenario(
        protocol="rate",
        effect=0.25,
        scatter=default_scatter("rate", 4.0),
        systems=5,
        compared="all",
    )
    start = time.perf_counter()
    with workers() as pool:
        power(scenario, Crossed(items=100, raters=15, overlap=3), studies=studies, pool=pool)
    return time.perf_counter() - start


def submits(folder: Path, raters: int = 10) -> float:
    """Trials claimed and answered a second, each answer on disk before the next claim."""
    study, material = pairs_study(items=1000, raters=30)  # 3,000 slots: 100 in a booklet
    now = datetime(2026, 1, 1, tzinfo=UTC)
    shown = [ShownAnswer(criterion="preference", choice="first")]
    with Store.open(folder / "study.db") as store:
        version = store.save_version("{}", study.hash(), "none", kind="first", now=now)
        store.save_plan(make_plan(study, material), version=version, now=now)
        for number in range(raters):
            store.enroll(RaterId(f"r{number}"), token_hash=str(number), details={}, now=now)
        start = time.perf_counter()
        for number in range(100 * raters):
            rater = RaterId(f"r{number // 100}")
            (held,) = store.claim(rater, count=1, lease=timedelta(hours=1), now=now)
            sent = Submission(
                id=f"s{number}",
                rater=rater,
                trial=held.trial.id,
                slot=held.slot,
                round="main",
                study_version=version,
                session="s",
                position=held.position,
                order=held.order,
                at=now,
                status="answered",
                answers=turn_back(study, held.trial, held.order, shown),
            )
            store.submit(sent, now=now)
        return 100 * raters / (time.perf_counter() - start)


def pairs_study(*, items: int, raters: int) -> tuple[Study, Material]:
    """A comparison of two systems without files."""
    return _study("compare", ("a", "b"), items=items, raters=raters, overlap=3)


def ratings_study(*, items: int, raters: int, overlap: int) -> tuple[Study, Material]:
    """Five systems rated one by one, without files."""
    return _study("rate", ("a", "b", "c", "d", "e"), items=items, raters=raters, overlap=overlap)


def _study(
    protocol: str, names: tuple[str, ...], *, items: int, raters: int, overlap: int
) -> tuple[Study, Material]:
    study = Study.model_validate(
        {
            "title": "Bench",
            "protocol": protocol,
            "items": "items.csv",
            "outputs": "outputs.csv",
            "show": {"prompt": "text", "answer": "text"},
            "design": {"overlap": overlap, "raters": raters},
            "session": {"seconds_per_trial": 1, "minutes": 10_000},
        }
    )
    ids = [ItemId(f"q{number}") for number in range(items)]
    systems = tuple(map(SystemId, names))
    material = Material(
        items={id_: Item(id=id_, fields={"prompt": "?"}, file="", row=0) for id_ in ids},
        systems=systems,
        outputs={
            (id_, system): Output(item=id_, system=system, fields={"answer": "!"}, file="", row=0)
            for id_ in ids
            for system in systems
        },
    )
    return study, material
