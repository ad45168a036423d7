"""Simulated raters work through a study: enrolled, leased, answered and stored like people.

Nothing is written behind the store's back: each rater claims slots, answers what is shown by place,
and submits; the clock is advanced, never waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from jurybox.design.answers import is_right, turn_back
from jurybox.design.groups import groups_in_turn
from jurybox.design.plan import Plan, Trial
from jurybox.design.timing import expected_seconds
from jurybox.errors import StoreError
from jurybox.simulate.answer import SimulatedRater
from jurybox.simulate.lengths import relative_lengths
from jurybox.simulate.truth import Kind, Truth
from jurybox.store.values import Assignment, Submission
from jurybox.study.groups import groups_of
from jurybox.study.material import Known, Material
from jurybox.study.model import RaterId, Study

if TYPE_CHECKING:
    from jurybox.store import Store

__all__ = ["Simulated", "run"]

AT_ONCE = 20
"""How many slots a rater leases at a time."""
BETWEEN_RATERS = timedelta(minutes=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """What a run of simulated raters did."""

    raters: tuple[tuple[RaterId, Kind], ...]
    n_main: int
    """Answers to the trials that the study is about."""
    n_checks: int
    """Answers to gold and attention trials."""
    n_practice: int
    n_idle: int
    """Raters for whom nothing was left."""
    n_left: int
    """Planned answers to main trials that nobody gave."""
    ended_at: datetime


def run(
    study: Study,
    material: Material,
    plan: Plan,
    store: Store,
    truth: Truth,
    *,
    seed: int,
    now: datetime,
    raters: Sequence[Kind] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulated:
    """Let simulated raters answer the plan, one after the other.

    Parameters
    ----------
    study, material, plan
        What is asked; the plan must be in the store.
    store
        Where the responses go, through the same calls that a browser's requests cause.
    truth
        What is planted.
    seed
        The same seed, study and plan give the same responses.
    now
        When the first rater begins; each further one begins three minutes later.
    raters
        What kind each rater is; by default as many careful ones as there are booklets.
    progress
        Told how many of the main trials' planned slots are answered.

    Returns
    -------
    Simulated
        The raters' ids and kinds, and how much they sent.
    """
    version = store.latest_version()
    if version is None or store.load_plan(plan.round) is None:
        raise StoreError("The store holds no plan; save the study's version and plan first.")
    lengths = relative_lengths(material) if truth.length_bias else {}
    careful: Kind = "careful"
    kinds = [careful] * len(plan.booklets) if raters is None else list(raters)
    groups = groups_in_turn(study, plan, len(kinds))
    width = max(2, len(str(len(kinds))))
    people = [
        SimulatedRater(
            id=RaterId(f"rater-{number:0{width}}"),
            kind=kind,
            study=study,
            material=material,
            truth=truth,
            seed=seed,
            rng=np.random.default_rng((seed, number)),
            group=group,
            lengths=lengths,
        )
        for number, (kind, group) in enumerate(zip(kinds, groups, strict=True), start=1)
    ]
    planned = sum(plan.trial(slot.trial).kind == "main" for slot in plan.slots)
    sent, answered, checks, idle, ended = 0, 0, 0, 0, now
    for number, rater in enumerate(people):
        sitting = _Sitting(
            rater=rater, plan=plan, store=store, version=version.number,
            clock=now + number * BETWEEN_RATERS,
        )  # fmt: skip
        before = answered
        for trial in sitting.work():
            answered += trial.kind == "main"
            checks += trial.kind != "main"
            if progress is not None:
                progress(answered, planned)
        sent += sitting.sent
        idle += answered == before
        ended = max(ended, sitting.clock)
    return Simulated(
        raters=tuple((rater.id, rater.kind) for rater in people),
        n_main=answered,
        n_checks=checks,
        n_practice=sent - answered - checks,
        n_idle=idle,
        n_left=planned - answered,
        ended_at=ended,
    )


@dataclass(slots=True, kw_only=True)
class _Sitting:
    """One rater's sitting, from enrolling to the end; the clock is theirs."""

    rater: SimulatedRater
    plan: Plan
    store: Store
    version: int
    clock: datetime
    sent: int = 0

    def work(self) -> Iterator[Trial]:
        """Answer practice, then slot after slot; gives each trial when its answer is stored."""
        rater = self.rater
        self.store.enroll(rater.id, details={"simulated": True}, now=self.clock)
        if rater.group is not None and not self._takes_place(rater.group):
            return
        self.store.update_rater(rater.id, consented_at=self.clock)
        practice = map(self.plan.trial, self.plan.practice)
        self._submit([self._answer(t, tuple(range(len(t.systems))), None) for t in practice])
        stays = self._patience()
        for held in self._assignments():
            answered = held[:stays]
            self._submit([self._answer(a.trial, a.order, a) for a in answered])
            yield from (a.trial for a in answered)
            stays -= len(answered)
            if len(answered) < len(held):
                self.store.update_rater(rater.id, stopped_at=self.clock)
                return
        self.store.update_rater(rater.id, finished_at=self.clock)

    def _takes_place(self, group: str) -> bool:
        """Whether there is a place for the rater in their group."""
        quota = groups_of(self.rater.study)[group].quota
        lease = timedelta(minutes=self.rater.study.session.lease_minutes)
        return self.store.take_place(self.rater.id, group, quota=quota, lease=lease, now=self.clock)

    def _patience(self) -> int:
        """How many slots the rater answers: a drop-out leaves between a third and two thirds."""
        if self.rater.kind != "drop_out":
            return len(self.plan.slots)
        usual = len(self.plan.slots) / max(len(self.plan.booklets), 1)
        return max(1, int(usual * self.rater.rng.uniform(1 / 3, 2 / 3)))

    def _tired(self, assignment: Assignment) -> float:
        """How far the rater is, of a usual booklet."""
        usual = len(self.plan.slots) / max(len(self.plan.booklets), 1)
        return min(1.0, (assignment.position or 0) / max(usual - 1, 1.0))

    def _assignments(self) -> Iterator[tuple[Assignment, ...]]:
        lease = timedelta(minutes=self.rater.study.session.lease_minutes)
        while held := self.store.claim(
            self.rater.id, count=AT_ONCE, lease=lease, now=self.clock, round=self.plan.round
        ):
            yield held

    def _answer(
        self, trial: Trial, order: tuple[int, ...], assignment: Assignment | None
    ) -> Submission:
        rater, known = self.rater, _known(self.rater.material, trial)
        tired = 0.0 if assignment is None else self._tired(assignment)
        shown = (
            rater.answer_known(trial, order, known, tired=tired)
            if known
            else rater.answer(trial, order, tired=tired)
        )
        skipped = known is None and rater.skips(trial)
        answers = () if skipped else turn_back(rater.study, trial, order, shown)
        seconds = rater.seconds(expected_seconds(rater.study, rater.material, trial))
        self.clock += timedelta(seconds=seconds)
        submission = Submission(
            id=f"{rater.id}/{trial.id}/{self.sent}",
            rater=rater.id,
            trial=trial.id,
            round=trial.round,
            study_version=self.version,
            session=f"{rater.id}/1",
            order=order,
            ms=round(1000 * seconds),
            at=self.clock,
            correct=None if known is None else is_right(rater.study, known, answers),
            answers=answers,
            status="skipped" if skipped else "answered",
        )
        if assignment is not None:
            submission = replace(submission, slot=assignment.slot, position=assignment.position)
        self.sent += 1
        return submission

    def _submit(self, submissions: Sequence[Submission]) -> None:
        """Store what was answered since the last claim: one transaction instead of twenty."""
        self.store.submit_many(submissions, now=self.clock)


def _known(material: Material, trial: Trial) -> Known | None:
    """The row of known answers behind a practice, gold or attention trial."""
    if trial.kind == "main":
        return None
    found = (
        known
        for known in material.known.values()
        if (known.kind, known.item, known.systems) == (trial.kind, trial.item, trial.systems)
    )
    return next(found, None)
