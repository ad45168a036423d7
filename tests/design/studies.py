"""Studies and material in memory, small enough to think about and varied enough to break a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Any

from hypothesis import strategies as st

from jurybox.study.material import Item, Known, KnownKind, Material, Output
from jurybox.study.model import ItemId, Study, SystemId

KINDS: tuple[KnownKind, ...] = ("gold", "attention", "practice")
TOPICS = ("history", "physics", "cooking")


def make_study(protocol: str, *, design: Mapping[str, Any] | None = None, **parts: Any) -> Study:
    defaults: dict[str, Any] = {
        "title": "A study",
        "items": "items.csv",
        "outputs": "outputs.csv",
        "show": {"question": "text", "answer": "text"},
    }
    if protocol == "detect":
        defaults["real"] = ["system-0"]
    if protocol == "mark":
        defaults["criteria"] = {"errors": {"field": "answer", "categories": {"accuracy": "Wrong"}}}
    return Study(protocol=protocol, design=dict(design or {}), **{**defaults, **parts})


def make_material(
    n_items: int, n_systems: int, *, known: Sequence[Known] = (), words: int = 10
) -> Material:
    systems = tuple(SystemId(f"system-{s}") for s in range(n_systems))
    items = {item.id: item for item in map(partial(_make_item, words), range(n_items))}
    outputs = {
        (item, system): _make_output(item, system, words) for item in items for system in systems
    }
    own = [one for one in known if one.item not in items]
    return Material(
        items=items,
        systems=systems,
        outputs=outputs,
        known={one.id: one for one in known},
        known_items={one.item: _make_item(words, int(one.item.split("-")[1])) for one in own},
        known_outputs={
            (one.item, system): _make_output(one.item, system, words)
            for one in own
            for system in one.systems
        },
    )


def _make_item(words: int, i: int) -> Item:
    fields = {"question": "why " * words * (1 + i % 3), "topic": TOPICS[i % 2]}
    return Item(id=ItemId(f"item-{i}"), fields=fields, file="items.csv", row=i + 2)


def _make_output(item: ItemId, system: SystemId, words: int) -> Output:
    fields = {"answer": "so " * words}
    return Output(item=item, system=system, fields=fields, file="outputs.csv", row=0)


def make_known(kind: KnownKind, number: int, systems: Sequence[str]) -> Known:
    return Known(
        id=f"{kind}:{number}",
        kind=kind,
        item=ItemId(f"item-{number}"),
        systems=tuple(SystemId(system) for system in systems),
        answers={},
    )


@dataclass(frozen=True)
class Case:
    """A study that can be planned, its material and the number of main trials it must have."""

    study: Study
    material: Material
    n_trials: int

    @property
    def overlap(self) -> int:
        return self.study.design.overlap


def _count_trials(protocol: str, n_items: int, n_systems: int, design: Mapping[str, Any]) -> int:
    """How many main trials there must be, worked out without the code under test."""
    if protocol in {"rate", "mark"}:
        size = design.get("outputs_per_trial", 1)
        return n_items * (1 if size == "all" else -(-n_systems // size))
    if protocol == "compare":
        pairs = design.get("pairs", "all")
        if isinstance(pairs, dict) and "random" in pairs:
            return int(pairs["random"])
        if isinstance(pairs, dict):
            return n_items * (n_systems - 1)
        ring = n_systems if n_systems > 2 else 1
        return n_items * (comb(n_systems, 2) if pairs == "all" else ring)
    if protocol == "rank":
        size = design.get("outputs_per_trial", "all")
        return n_items * (1 if size == "all" else -(-n_systems // size))
    # One real system and as many generated outputs as real ones, at half and half.
    return 2 * n_items


@st.composite
def cases(
    draw: st.DrawFn, protocols: Sequence[str] = ("rate", "compare", "rank", "detect")
) -> Case:
    """Studies of every protocol, whose requests can all be met."""
    protocol = draw(st.sampled_from(protocols))
    # With very few items, small blocks of ranked outputs do not link all systems.
    n_items = draw(st.integers(4 if protocol == "rank" else 1, 12))
    n_systems = draw(st.integers(2, 6))
    design: dict[str, Any] = {"overlap": draw(st.integers(1, 5)), "seed": draw(st.integers(0, 999))}
    if protocol in {"rate", "rank"} and draw(st.booleans()):
        low = 1 if protocol == "rate" else 2
        design["outputs_per_trial"] = draw(st.integers(low, n_systems) | st.just("all"))
    if protocol == "compare":
        most = n_items * comb(n_systems, 2)
        rules: list[Any] = ["all", "cyclic", {"baseline": "system-1"}]
        if most >= n_systems - 1:
            rules.append({"random": draw(st.integers(n_systems - 1, most))})
        design["pairs"] = draw(st.sampled_from(rules))
    if draw(st.booleans()):
        design["stratify"] = "topic"
    n_trials = _count_trials(protocol, n_items, n_systems, design)
    n_slots = n_trials * design["overlap"]
    n_known = draw(st.integers(0, 2))
    # Nobody may see two outputs of an item to detect: its slots are all in different booklets.
    least = design["overlap"] * (n_systems if protocol == "detect" else 1)
    most = n_slots // (2 * n_known or 1)
    if least <= most and draw(st.booleans()):
        design["raters"] = draw(st.integers(least, min(most, least + 20)))
    elif least > most:
        n_known = 0
    shown = {"compare": 2, "rank": n_systems}.get(protocol, 1)
    systems = [f"system-{s}" for s in range(shown)]
    known = [
        # In detect a check on an item of the study would keep that item from the main trials.
        make_known(kind, 100 + 10 * k + n if protocol == "detect" else n % n_items, systems)
        for k, kind in enumerate(KINDS)
        for n in range(min(n_known, n_items))
    ]
    # So many raters as are asked for may need as long as they need.
    is_free = not n_known and "raters" not in design
    session: dict[str, Any] = {"minutes": draw(st.floats(3, 60)) if is_free else 600}
    return Case(
        study=make_study(protocol, design=design, session=session),
        material=make_material(n_items, n_systems, known=known),
        n_trials=n_trials,
    )
