"""Simulated judges: models that see the planted truth through biases of their own.

A judge answers every main trial in both orders and as often as asked, beside the people. It sees
the items as they do; it has no leniency and no tiredness, but it may favor what is shown first,
what is long, and what comes from its own family. The same seed, trial, order and repeat give the
same answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from jurybox.design.answers import turn_back
from jurybox.design.plan import Plan, Trial
from jurybox.errors import InputError, StoreError
from jurybox.simulate.answer import SimulatedRater
from jurybox.simulate.lengths import relative_lengths
from jurybox.simulate.truth import Truth
from jurybox.store.values import Submission
from jurybox.study.material import Material
from jurybox.study.model import RaterId, Study, SystemId

if TYPE_CHECKING:
    from jurybox.store import Store

__all__ = ["SimulatedJudge", "run_judges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedJudge:
    """What is planted in a judge; latents as in ``Truth``."""

    id: str
    family: str | None = None
    """The model family, as the study's systems name theirs."""
    position_bias: float = 0.0
    """What being shown first adds."""
    verbosity: float = 0.0
    """What an output gains that is twice as long as usual."""
    self_preference: float = 0.0
    """What an output of the judge's own family gains."""
    noise_sd: float = 0.04
    """How far the same judge scatters from one call to the next."""
    taste_sd: float = 0.05
    """How far it is from people in what it likes: judge × system."""
    found: float | None = None
    """In mark, how often it marks an error that is there; by default as often as people."""

    def __post_init__(self) -> None:
        for name in ("noise_sd", "taste_sd"):
            if getattr(self, name) < 0:
                raise InputError(f"judge {self.id}: {name} must not be negative")
        if self.found is not None and not 0 <= self.found <= 1:
            raise InputError(f"judge {self.id}: found must lie from 0 to 1; got {self.found}")


def run_judges(
    study: Study,
    material: Material,
    plan: Plan,
    store: Store,
    truth: Truth,
    judges: Sequence[SimulatedJudge],
    *,
    seed: int,
    now: datetime,
    repeats: int = 1,
) -> int:
    """Let judges answer the main trials of the plan, in both orders; how many answers were stored.

    The answers go the way of imported judges: beside the people's slots, with ``rater_kind`` judge,
    the order shown and the number of the repeat.
    """
    version = store.latest_version()
    if version is None:
        raise StoreError("The store holds no study; save the study's version and plan first.")
    if repeats < 1:
        raise InputError(f"a judge answers at least once; got repeats={repeats}")
    lengths = relative_lengths(material)
    sent = 0
    for judge in judges:
        rater = RaterId(judge.id)
        store.enroll(rater, kind="judge", details={"simulated": True}, now=now)
        calls = _Calls(
            SimulatedRater(
                id=rater,
                kind="careful",
                study=study,
                material=material,
                truth=_truth(study, material, truth, judge),
                seed=seed,
                rng=np.random.default_rng(seed),
                lengths=lengths,
            ),
            version.number,
            now,
        )
        made = [
            calls.answer(trial, order, repeat)
            for trial in plan.trials
            if trial.kind == "main"
            for order in _orders(trial)
            for repeat in range(repeats)
        ]
        store.submit_many(made, now=now)
        sent += len(made)
    return sent


def _orders(trial: Trial) -> Iterator[tuple[int, ...]]:
    places = tuple(range(len(trial.systems)))
    yield places
    if len(places) > 1:
        yield places[::-1]


def _truth(study: Study, material: Material, truth: Truth, judge: SimulatedJudge) -> Truth:
    """The truth as this judge sees it."""
    known = study.systems or {}
    own = {
        system: judge.self_preference
        for system in material.systems
        if judge.family is not None and system in known and known[system].family == judge.family
    }
    quality = {
        criterion: {
            system: value + own.get(SystemId(system), 0.0) for system, value in each.items()
        }
        for criterion, each in truth.quality.items()
    }
    return replace(
        truth,
        quality=quality,
        position_bias=judge.position_bias,
        length_bias=judge.verbosity,
        noise_sd=judge.noise_sd,
        taste_sd=judge.taste_sd,
        found=truth.found if judge.found is None else judge.found,
        rater_sd=0.0,
        drift=0.0,
        tiring=0.0,
        groups={},
    )


@dataclass(frozen=True, slots=True)
class _Calls:
    """One judge's calls."""

    rater: SimulatedRater
    version: int
    now: datetime

    def answer(self, trial: Trial, order: tuple[int, ...], repeat: int) -> Submission:
        """What the judge says to a trial in this order, this time."""
        name = f"{self.rater.id}/{trial.id}/{'-'.join(map(str, order))}/{repeat}"
        rng = np.random.default_rng((self.rater.seed, crc32(name.encode())))
        shown = replace(self.rater, rng=rng).answer(trial, order)
        return Submission(
            id=name,
            rater=self.rater.id,
            rater_kind="judge",
            trial=trial.id,
            round=trial.round,
            study_version=self.version,
            order=order,
            repeat=repeat,
            at=self.now,
            answers=turn_back(self.rater.study, trial, order, shown),
        )
