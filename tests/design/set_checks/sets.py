"""Small sets in memory: what each item and each system's output says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jurybox.design.set_checks import SetCheck, check_set
from jurybox.design.set_checks.check import Facts
from jurybox.study.material import Item, Material, Output
from jurybox.study.model import ItemId, Study, SystemId

WORDS = "apple river stone cloud paper window garden silver music winter yellow bridge".split()


def make_study(protocol: str = "compare", **parts: Any) -> Study:
    given: dict[str, Any] = {
        "title": "A set",
        "items": "items.csv",
        "outputs": "outputs.csv",
        "show": {"question": "text", "answer": "markdown"},
        **parts,
    }
    return Study(protocol=protocol, **given)


def make_material(
    items: Sequence[Mapping[str, Any]], outputs: Mapping[str, Sequence[Any]], field: str = "answer"
) -> Material:
    """Items q0, q1, …; of each system one value per item, ``None`` where it has no output."""
    made = {
        ItemId(f"q{i}"): Item(id=ItemId(f"q{i}"), fields=fields, file="items.csv", row=i + 2)
        for i, fields in enumerate(items)
    }
    return Material(
        items=made,
        systems=tuple(map(SystemId, outputs)),
        outputs={
            (item, SystemId(system)): Output(
                item=item, system=SystemId(system), fields={field: value}, file="o.csv", row=2
            )
            for system, values in outputs.items()
            for item, value in zip(made, values, strict=True)
            if value is not None
        },
    )


def questions(n: int) -> list[dict[str, Any]]:
    """Items that nothing can be said against."""
    return [
        {
            "question": " ".join(f"{word}{i * (k + 7) % 1009}" for k, word in enumerate(WORDS)),
            "category": f"kind {i % 6}",
            "difficulty": 1 + i % 5,
        }
        for i in range(n)
    ]


def pictures(
    n: int, facts_of: Mapping[str, Sequence[Mapping[str, float | str]]]
) -> tuple[Material, Facts]:
    """Outputs that are files, with the facts of each."""
    paths = {system: [Path(f"/set/{system}/{i}.bin") for i in range(n)] for system in facts_of}
    facts = {
        path: dict(found)
        for system, each in facts_of.items()
        for path, found in zip(paths[system], each, strict=True)
        if found
    }
    return make_material(questions(n), paths, "output"), facts


def warned(checks: Sequence[SetCheck]) -> list[str]:
    return [check.id for check in checks if check.warns]


def check_texts(outputs: Mapping[str, Sequence[Any]], **parts: Any) -> dict[str, SetCheck]:
    n = len(next(iter(outputs.values())))
    study = make_study(**parts)
    return {c.id: c for c in check_set(study, make_material(questions(n), outputs), facts={})}
