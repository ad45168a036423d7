"""Which outputs are shown in detection: the real share, on as few doubled items as can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jurybox.design.items import Stratum, draw_order, find_strata, name_stratum
from jurybox.errors import DesignError
from jurybox.study.breach import counted, there_are
from jurybox.study.model import ItemId, SystemId

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["choose_detections", "core_counts"]

Shown = tuple[ItemId, SystemId]
Lists = Sequence[ItemId]


def choose_detections(
    study: Study,
    material: Material,
    rng: np.random.Generator,
    *,
    n: int | None,
    asked_by: str = "design.items",
    old: Collection[Shown] = (),
    n_core: int = 0,
    core: Collection[ItemId] = (),
) -> list[Shown]:
    """The outputs to show: ``n`` in all, or as many as the real share and the core allow.

    Nobody may see two outputs of one item, so real outputs are taken on items without generated
    ones as long as there are any, and items of checks and practice are left out. Generated outputs
    are shared out evenly over their systems, on the same items if the raters suffice for that.
    ``n_core`` outputs, with the real share, are the only ones of their items: everybody sees them.
    Outputs of an older plan stay, and so do the items of its ``core``, without another output.
    """
    real = tuple(s for s in material.systems if s in study.real)
    generated = tuple(s for s in material.systems if s not in study.real)
    if not real or not generated:
        missing = "real" if not real else "generated"
        raise DesignError(
            f"To detect, real and generated outputs are needed, and no system is {missing}; "
            "name the systems that are not generated under 'real'."
        )
    known = {known.item for known in material.known.values()}
    items = [item for item in material.items if item not in known]
    strata = find_strata(study, material)

    def draw(items: Sequence[ItemId]) -> dict[SystemId, list[ItemId]]:
        order = draw_order(items, strata, rng, allocation=study.design.allocation)
        return {s: [i for i in order if (i, s) in material.outputs] for s in material.systems}

    have = draw(items)
    asked = _Asked(
        study=study,
        asked_by=asked_by,
        have=have,
        real=real,
        generated=generated,
        alone=_Alone.of(study, have, real, generated, n_core, old, core),
    )
    wanted = asked.counts(n)
    if n_core > sum(wanted):
        raise DesignError(
            f"design.core asks for {counted(n_core, 'output')} for everybody, and "
            f"{counted(sum(wanted), 'output')} can be shown in all ({asked_by}, real_share); ask "
            "for a smaller core, or for more outputs."
        )
    if asked.alone.items and not asked.fits(wanted):
        most = asked.largest(sum(wanted) - 1)
        if n is not None or most is None:
            raise asked.no_room(sum(wanted), most, extends=bool(core))
        wanted = asked.counts(most)
    # Drawn anew from what the generated outputs leave, so that the strata have their parts in it.
    chosen = asked.take(
        wanted, lambda used, shown: draw([i for i in items if (i in used) is shown])
    )
    if study.design.allocation == "equal":
        for systems in (real, generated):
            _check_equal(study, strata, [c for c in chosen if c[1] in systems], systems)
    return chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is asked for and what there is."""

    study: Study
    asked_by: str
    have: Mapping[SystemId, Lists]
    """Per system the items with an output, in the order of taking."""
    real: tuple[SystemId, ...]
    generated: tuple[SystemId, ...]
    alone: _Alone

    def counts(self, n: int | None) -> tuple[int, int]:
        """How many real and generated outputs ``n`` are."""
        n_real, n_generated = (
            sum(len(self.have[s]) for s in systems) for systems in (self.real, self.generated)
        )
        return _counts(self.study, n, n_real, n_generated, self.asked_by)

    def take(
        self,
        wanted: tuple[int, int],
        part: Callable[[Collection[ItemId], bool], Mapping[SystemId, Lists]],
    ) -> list[Shown]:
        """The outputs; ``part`` gives the items that are, or are not, among those used."""
        raters, overlap = self.study.design.raters, self.study.design.overlap
        same_items = raters is None or raters >= overlap * len(self.have)
        have, shown = self.alone.open(self.have), self.alone.shown
        used: set[ItemId] | None = None if same_items else set()
        taken = _take(have, self.generated, wanted[1], shown, used=used)
        used = {item for item, _ in taken}
        free, doubled = part(used, False), part(used, True)
        last = self.alone.open({s: [*free[s], *doubled[s]] for s in self.real})
        return [*taken, *_take(last, self.real, wanted[0], shown, used=used)]

    def fits(self, wanted: tuple[int, int]) -> bool:
        """Whether so many can be shown beside a core."""

        def part(used: Collection[ItemId], shown: bool) -> dict[SystemId, Lists]:
            return {s: [i for i in there if (i in used) is shown] for s, there in self.have.items()}

        try:
            self.take(wanted, part)
        except DesignError:
            return False
        return True

    def largest(self, most: int) -> int | None:
        """The largest number of outputs up to ``most`` that fits; all smaller ones then do."""
        low, high = 1, most
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._can_show(middle) else (low, middle - 1)
        return low if most > 0 and self._can_show(low) else None

    def _can_show(self, n: int) -> bool:
        try:
            return self.fits(self.counts(n))
        except DesignError:  # too few for both kinds
            return False

    def no_room(self, n: int, most: int | None, *, extends: bool) -> DesignError:
        """Why ``n`` outputs do not fit beside the core, and how many do."""
        if extends:
            return DesignError(
                "Everybody has one output of each item of the core (design.core), and to detect "
                f"nobody may see two outputs of an item: {counted(n, 'output')} need more items; "
                "add items, or start a new round."
            )
        change = "" if most is None else f"set {self.asked_by} to {most} or less, "
        core = counted(self.study.design.core or 0, "output")
        return DesignError(
            f"design.core asks for {core} for everybody, the only ones shown of their items, and "
            f"the other items are too few for the rest of the {n} outputs of {self.asked_by}; "
            f"{change}ask for a smaller core, or add items."
        )


def core_counts(study: Study, n: int) -> tuple[int, int]:
    """How many outputs of a core are real and how many generated."""
    n_real = round(n * study.design.real_share)
    return n_real, n - n_real


@dataclass(frozen=True, slots=True)
class _Alone:
    """Outputs that are the only ones of their items, beside what an older plan shows."""

    items: frozenset[ItemId]
    shown: tuple[Shown, ...]
    """Everything that is shown in any case, theirs included."""

    @classmethod
    def of(
        cls,
        study: Study,
        have: Mapping[SystemId, Lists],
        real: Sequence[SystemId],
        generated: Sequence[SystemId],
        n_core: int,
        old: Collection[Shown],
        core: Collection[ItemId],
    ) -> _Alone:
        items, shown = set(core), list(old)
        n_real, n_generated = core_counts(study, n_core)
        for systems, n, kind in ((generated, n_generated, "generated"), (real, n_real, "real")):
            free = {s: [item for item in have[s] if item not in items] for s in systems}
            there = {item for s in systems for item in free[s]}
            if n > len(there):
                raise DesignError(
                    f"design.core asks for {counted(n_core, 'output')}, {n} of them {kind}, each "
                    f"the only one of its item, and {counted(len(there), 'item')} could show one; "
                    "ask for a smaller core, or add items."
                )
            taken = _take(free, systems, n, (), used=set())
            items.update(item for item, _ in taken)
            shown += taken
        return cls(frozenset(items), tuple(shown))

    def open(self, have: Mapping[SystemId, Lists]) -> dict[SystemId, Lists]:
        """What may be shown: of their items nothing else."""
        if not self.items:
            return dict(have)
        shown = set(self.shown)
        return {
            s: [item for item in items if item not in self.items or (item, s) in shown]
            for s, items in have.items()
        }


def _check_equal(
    study: Study,
    strata: Mapping[ItemId, Stratum],
    chosen: Collection[Shown],
    systems: Sequence[SystemId],
) -> None:
    """Refuse outputs that are not equally many from each stratum, up to one of each system."""
    counts = Counter(dict.fromkeys(strata.values(), 0))
    counts.update(strata[item] for item, _ in chosen)
    least, most = min(counts.values()), max(counts.values())
    if most - least > len(systems):
        stratum = next(stratum for stratum in counts if counts[stratum] == least)
        raise DesignError(
            f"design.allocation is equal, and of {', '.join(systems)} the stratum "
            f"{name_stratum(study, stratum)} can give {counted(least, 'output')} where another "
            f"gives {most}; add to it, ask for fewer (design.items), or leave the allocation "
            "proportional."
        )


def _counts(
    study: Study, n: int | None, n_real: int, n_generated: int, asked_by: str
) -> tuple[int, int]:
    """How many real and generated outputs are shown."""
    share = study.design.real_share
    if not 0 < share < 1:
        raise DesignError(
            f"design.real_share is {share:g}: with only {'real' if share else 'generated'} outputs "
            "nothing can be told about detection; choose a share between, usually 0.5."
        )
    if n is None:
        for kind, available in (("real", n_real), ("generated", n_generated)):
            if not available:
                raise DesignError(
                    f"No {kind} output is left to show: nobody may see two outputs of an item, so "
                    "items of practice, gold and attention trials are shown in these alone; add "
                    "items, or take fewer for them."
                )
        n = int(min(n_real / share, n_generated / (1 - share)) + 1e-9)
        wanted = min(round(n * share), n_real)
        return max(wanted, 1), min(max(n - wanted, 1), n_generated)
    wanted = round(n * share)
    for kind, asked, available in (
        ("real", wanted, n_real),
        ("generated", n - wanted, n_generated),
    ):
        if asked > available:
            raise DesignError(
                f"{asked_by} asks for {counted(n, 'output')}, {asked} of them {kind} (real_share "
                f"{share:g}), and {there_are(available, f'{kind} one')}; add outputs or ask for "
                "fewer."
            )
        if asked == 0:
            raise DesignError(
                f"{asked_by} asks for {counted(n, 'output')}, none of them {kind} (real_share "
                f"{share:g}); ask for more."
            )
    return wanted, n - wanted


def _take(
    have: Mapping[SystemId, Sequence[ItemId]],
    systems: Sequence[SystemId],
    wanted: int,
    old: Collection[Shown],
    *,
    used: set[ItemId] | None,
) -> list[Shown]:
    """The outputs shown of these systems: ``wanted`` in all, as evenly over them as can be.

    Each system takes its items in the order of ``have``; those in ``used``, which grows, come last.
    """
    picks = {s: _picks(have[s], used) for s in systems}
    taken: dict[Shown, None] = {cell: None for cell in old if cell[1] in systems}
    counts = Counter(system for _, system in taken)
    while len(taken) < wanted:
        left = [s for s in systems if counts[s] < len(have[s])]
        if not left:
            raise DesignError(f"{wanted} outputs are asked for and there are {len(taken)}.")
        system = min(left, key=counts.__getitem__)
        item = next(item for item in picks[system] if (item, system) not in taken)
        taken[item, system] = None
        counts[system] += 1
        if used is not None:
            used.add(item)
    return list(taken)


def _picks(items: Sequence[ItemId], used: set[ItemId] | None) -> Iterator[ItemId]:
    if used is not None:
        yield from (item for item in items if item not in used)
    yield from items
