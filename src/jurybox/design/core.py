"""The shared core: items that everybody rates, whatever the overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jurybox.design.booklets import Needed, deal
from jurybox.design.detection import core_counts
from jurybox.design.even import Ints
from jurybox.design.ids import stream
from jurybox.design.items import draw_order, find_strata
from jurybox.design.plan import Plan, Round, Trial
from jurybox.design.trades import Content
from jurybox.errors import DesignError
from jurybox.study.breach import counted
from jurybox.study.model import ItemId

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["Dealt", "choose_core", "core_of", "deal_with_core"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """The booklets' contents: per slot the index of its trial and its booklet."""

    n_booklets: int
    trials: tuple[Trial, ...]
    slot_trials: Ints
    booklets: Ints
    strata: tuple[object, ...]
    """Of every trial."""
    seconds: npt.NDArray[np.float64]
    """The same."""
    room: float
    """The seconds that the trials of a booklet may take."""

    @property
    def contents(self) -> list[Content]:
        """What each slot brings into its booklet."""
        each = [
            Content(trial.systems, trial.item, stratum, seconds)
            for trial, stratum, seconds in zip(
                self.trials, self.strata, self.seconds.tolist(), strict=True
            )
        ]
        return [each[trial] for trial in self.slot_trials.tolist()]


def choose_core(
    study: Study,
    material: Material,
    trials: Sequence[Trial],
    *,
    round: Round,
) -> frozenset[ItemId]:
    """The items that every booklet holds, drawn like the items of the study."""
    n = study.design.core
    if n is None or round == "calibration":
        return frozenset()
    shown = Counter(trial.item for trial in trials)
    # In detect nobody may see two outputs of an item, and the core is seen by everybody.
    items = [i for i in shown if study.protocol != "detect" or shown[i] == 1]
    if n > len(items):
        raise DesignError(
            f"design.core asks for {counted(n, 'item')} for everybody and the plan has "
            f"{len(items)}; ask for at most {len(items)}, or add items."
        )
    strata = find_strata(study, material)
    rng = stream(study.design.seed, round, "core")
    order = draw_order(items, strata, rng, allocation=study.design.allocation)
    if study.protocol != "detect":
        return frozenset(order[:n])
    real = {trial.item for trial in trials if trial.systems[0] in study.real}
    n_real, n_generated = core_counts(study, n)  # which the choice of outputs left alone
    generated = [item for item in order if item not in real]
    return frozenset([*[item for item in order if item in real][:n_real], *generated[:n_generated]])


def core_of(study: Study, old: Plan) -> frozenset[ItemId]:
    """The core of an older plan: items of which a trial stands in each of its booklets."""
    n = study.design.core
    if n is None or old.round == "calibration":
        return frozenset()
    booklets = Counter(slot.trial for slot in old.slots if not slot.repeat)
    everywhere = dict.fromkeys(
        trial.item
        for trial in old.trials
        if trial.kind == "main" and booklets[trial.id] == len(old.booklets)
    )
    core = frozenset(list(everywhere)[:n])
    if len(core) < n:
        raise DesignError(
            f"design.core asks for {counted(n, 'item')} and the plan gave {len(core)} to "
            "everybody; set it back, or start a new round."
        )
    return core


def deal_with_core(
    study: Study,
    needed: Needed,
    core: Needed,
    rng: np.random.Generator,
    *,
    raters: int | None,
    has_limit: bool = True,
) -> Dealt:
    """Deal ``needed`` as without a core and give the core to every booklet.

    ``core.copies`` say how many booklets the core needs at least.
    """
    if has_limit:
        _check_length(study, core, needed.fixed_seconds)
    n, booklet = raters or int(core.copies.max(initial=0)), np.zeros(0, dtype=np.int64)
    if needed.trials:
        full = needed.fixed_seconds + float(core.seconds.sum())
        beside = replace(needed, fixed_seconds=full)
        n, booklet = deal(study, beside, rng, raters=raters, has_limit=has_limit)
    return Dealt(
        n_booklets=n,
        trials=(*needed.trials, *core.trials),
        slot_trials=np.concatenate(
            [needed.slot_trials, np.repeat(np.arange(len(core.trials)), n) + len(needed.trials)]
        ),
        booklets=np.concatenate([booklet, np.tile(np.arange(n), len(core.trials))]),
        strata=(*needed.strata, *core.strata),
        seconds=np.concatenate([needed.seconds, core.seconds]),
        room=60 * study.session.minutes - needed.fixed_seconds if has_limit else inf,
    )


def _check_length(study: Study, core: Needed, fixed_seconds: float) -> None:
    """Refuse a core that leaves a booklet no room."""
    seconds = float(core.seconds.sum())
    if core.trials and seconds + fixed_seconds > 60 * study.session.minutes:
        n_items = len({trial.item for trial in core.trials})
        beside = f", practice and checks {fixed_seconds / 60:.1f}" if fixed_seconds else ""
        raise DesignError(
            f"design.core puts {counted(n_items, 'item')} ({counted(len(core.trials), 'trial')}) "
            f"into every booklet, which take {seconds / 60:.1f} minutes{beside}, and "
            f"session.minutes is {study.session.minutes:g}; ask for a smaller core or raise "
            "session.minutes."
        )
