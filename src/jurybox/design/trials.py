"""Which screens there will be: per protocol, the items and the outputs shown together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from jurybox.design.blocks import Blocks
from jurybox.design.detection import choose_detections
from jurybox.design.ids import make_id, stream
from jurybox.design.items import choose_items
from jurybox.design.meetings import even_meetings
from jurybox.design.pairs import Pair, check_connected, find_pairs, random_cells
from jurybox.design.plan import Round, Trial, TrialId
from jurybox.errors import DesignError
from jurybox.study.breach import counted, there_are
from jurybox.study.model import ItemId, SystemId
from jurybox.study.settings import RandomPairs

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Known, Material

__all__ = ["Cell", "find_known", "known_trials", "main_trials", "showable"]

Cell = tuple[ItemId, tuple[SystemId, ...]]
"""An item and the systems whose outputs are on its screen, in the order of the material."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What is asked for, and what an older plan holds already."""

    study: Study
    material: Material
    rng: np.random.Generator
    n_items: int | None
    asked_by: str
    """The key that asks for so many items."""
    old: Collection[Cell] = field(default_factory=tuple)
    n_core: int = 0
    """How many items everybody will get, where no older plan says which."""
    core: Collection[ItemId] = ()
    """Items that everybody got in the older plan."""

    def items(self) -> tuple[ItemId, ...]:
        return choose_items(
            self.study,
            self.material,
            self.rng,
            n=self.n_items,
            asked_by=self.asked_by,
            items=showable(self.study, self.material),
            taken={item for item, _ in self.old},
        )

    def systems(self, item: ItemId) -> tuple[SystemId, ...]:
        outputs = self.material.outputs
        return tuple(s for s in self.material.systems if (item, s) in outputs)


def main_trials(
    study: Study,
    material: Material,
    *,
    round: Round,
    old: Sequence[Trial] = (),
    core: Collection[ItemId] = (),
) -> tuple[Trial, ...]:
    """The trials that the design asks for and an older plan, with its core, does not have yet."""
    seed = study.design.seed
    had = {(trial.item, trial.systems) for trial in old if trial.kind == "main"}
    request = _Request(
        study=study,
        material=material,
        rng=stream(seed, round, "trials", len(had)),
        n_items=_number_of_items(study, round),
        asked_by="quality.calibration.items" if round == "calibration" else "design.items",
        old=had,
        n_core=0 if had or round == "calibration" else study.design.core or 0,
        core=core,
    )
    cells = [cell for cell in _CELLS[study.protocol](request) if cell not in had]
    if not cells and not had:
        raise DesignError("There is no output to show; check the outputs with 'jurybox check'.")
    if study.protocol in {"compare", "rank"}:
        check_connected(material.systems, [systems for _, systems in (*had, *cells)])
    return tuple(
        Trial(
            id=TrialId(make_id(seed, round, "trial", item, *systems)),
            item=item,
            systems=systems,
            round=round,
        )
        for item, systems in cells
    )


def showable(study: Study, material: Material) -> tuple[ItemId, ...]:
    """The items with the outputs that a trial of this study needs."""
    if len(material.outputs) == len(material.items) * len(material.systems):
        return tuple(material.items)
    if study.protocol == "compare":
        pairs = find_pairs(study, material.systems)
        there = material.items
        return tuple(i for i in there if any(_has_both(material, i, pair) for pair in pairs))
    systems = Counter(item for item, _ in material.outputs)
    least = 2 if study.protocol == "rank" else 1
    return tuple(item for item in material.items if systems[item] >= least)


def _number_of_items(study: Study, round: Round) -> int | None:
    if round != "calibration":
        return study.design.items
    if study.quality.calibration is None:
        raise DesignError(
            "There is no calibration round in this study; ask for one with "
            "quality: {calibration: {items: 30}}."
        )
    return study.quality.calibration.items


def _rate(request: _Request) -> list[Cell]:
    size = request.study.design.outputs_per_trial or 1
    items = request.items()
    if size == 1:
        return [(item, (system,)) for item in items for system in request.systems(item)]
    blocks = _blocks(request, size, least=1)
    covered = _covered(request.old)
    cells = [
        (item, block)
        for item in items
        if (new := [s for s in request.systems(item) if s not in covered.get(item, ())])
        for block in blocks.partition(new)
    ]
    return even_meetings(cells, request.material.systems, request.rng, old=request.old)


def _rank(request: _Request) -> list[Cell]:
    systems = request.material.systems
    size = request.study.design.outputs_per_trial or "all"
    if len(systems) < 2:
        raise DesignError(
            f"To rank, at least two systems are needed and there is {len(systems)}; "
            "add the outputs of another system."
        )
    blocks = _blocks(request, size, least=2)
    covered = _covered(request.old)
    cells: list[Cell] = []
    grown: list[Cell] = []
    for item in request.items():
        have = request.systems(item)
        if item not in covered:
            cells += [(item, block) for block in blocks.cover(have)]
        elif new := [system for system in have if system not in covered[item]]:
            known = [system for system in have if system in covered[item]]
            grown += [(item, block) for block in blocks.fill_up(new, known)]
    cells = even_meetings(cells, systems, request.rng, old=(*request.old, *grown))
    return [(item, block) for item, block in (*cells, *grown) if len(block) > 1]


def _blocks(request: _Request, size: int | Literal["all"], *, least: int) -> Blocks:
    """The blocks of so many systems; more than there are cannot stand on a screen."""
    systems, protocol = request.material.systems, request.study.protocol
    if size != "all" and not least <= size <= len(systems):
        n = len(systems)
        fits = counted(n, "output") if n <= least else f"between {least} and {n} outputs"
        raise DesignError(
            f"design.outputs_per_trial is {size} and {there_are(len(systems), 'system')}; "
            f"{protocol} needs {fits} on a screen, or all."
        )
    return Blocks(systems, len(systems) if size == "all" else size, request.rng)


def _covered(old: Collection[Cell]) -> dict[ItemId, set[SystemId]]:
    """Per item of the older plan, the systems that some trial of it shows."""
    covered: dict[ItemId, set[SystemId]] = {}
    for item, systems in old:
        covered.setdefault(item, set()).update(systems)
    return covered


def _compare(request: _Request) -> list[Cell]:
    systems = request.material.systems
    rule = request.study.design.pairs
    pairs = find_pairs(request.study, systems)
    items = request.items()
    if not isinstance(rule, RandomPairs):
        return [(i, pair) for i in items for pair in pairs if _has_both(request.material, i, pair)]
    if rule.random < len(systems) - 1:
        raise DesignError(
            f"design.pairs asks for {counted(rule.random, 'random pair')}; {len(systems)} systems "
            f"hang together with {len(systems) - 1} or more: raise it, or leave systems out."
        )
    old = set(request.old)
    wanted = rule.random - len(old)
    possible = [
        cell
        for cell in random_cells(
            items, pairs, request.rng, old=[(systems[0], systems[1]) for _, systems in old]
        )
        if cell not in old and _has_both(request.material, *cell)
    ]
    if wanted > len(possible):
        raise DesignError(
            f"design.pairs asks for {counted(rule.random, 'random pair')} of outputs and "
            f"{there_are(len(possible) + len(old))}; use design.pairs: all, or add items."
        )
    return list(possible[: max(wanted, 0)])


def _has_both(material: Material, item: ItemId, pair: Pair) -> bool:
    return all((item, system) in material.outputs for system in pair)


def _detect(request: _Request) -> list[Cell]:
    return [
        (item, (system,))
        for item, system in choose_detections(
            request.study,
            request.material,
            request.rng,
            n=request.n_items,
            asked_by=request.asked_by,
            old={(item, systems[0]) for item, systems in request.old},
            n_core=request.n_core,
            core=request.core,
        )
    ]


_CELLS = {
    "rate": _rate,
    "mark": _rate,
    "rank": _rank,
    "compare": _compare,
    "detect": _detect,
}


def known_trials(
    study: Study,
    material: Material,
    kind: Literal["practice", "gold", "attention"],
    *,
    round: Round,
) -> tuple[Trial, ...]:
    """One trial per row of the known-answer table of this kind, in the order of the table."""
    return tuple(
        Trial(
            id=_known_id(study, round, known),
            item=known.item,
            systems=known.systems,
            kind=kind,
            round="practice" if kind == "practice" else round,
        )
        for known in material.known.values()
        if known.kind == kind
    )


def find_known(study: Study, material: Material, trial: Trial) -> Known | None:
    """The row of the known-answer tables that a trial was made from; ``None`` for a main trial."""
    rounds: tuple[Round, ...] = ("main", "pilot") if trial.kind == "practice" else (trial.round,)
    return next(
        (
            known
            for known in material.known.values()
            if known.kind == trial.kind
            and trial.id in {_known_id(study, round, known) for round in rounds}
        ),
        None,
    )


def _known_id(study: Study, round: Round, known: Known) -> TrialId:
    return TrialId(make_id(study.design.seed, round, known.kind, known.id))
