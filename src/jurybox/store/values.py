"""The values that go into the store and come out of it: frozen, plain, without a database."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypedDict

from jurybox.design.answers import Answer
from jurybox.design.plan import BookletId, Round, SlotId, Trial, TrialId
from jurybox.errors import InputError, StoreError
from jurybox.study.model import ItemId, RaterId, SystemId

__all__ = [
    "Assignment",
    "Edition",
    "Event",
    "Exclusion",
    "GroupProgress",
    "Progress",
    "Rater",
    "RaterChanges",
    "RaterKind",
    "RaterProgress",
    "Receipt",
    "Recorded",
    "ReusedId",
    "Shape",
    "Submission",
    "SystemProgress",
    "TrialProgress",
    "Version",
    "Work",
]

NO_ID = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def check_id(what: str, id: str) -> None:
    """Refuse an id with characters that no database or page can hold."""
    if NO_ID.search(id):
        raise InputError(f"{what} must not contain control characters, got {id!r}")


class ReusedId(StoreError):
    """A submission id came again with another answer."""


RaterKind = Literal["person", "judge"]
Status = Literal["answered", "skipped", "unusable"]
KeptStatus = Literal["answered", "skipped", "unusable", "late"]
AnyStatus = Literal["answered", "skipped", "unusable", "late", "superseded"]
Shape = Literal["ratings", "votes", "rankings", "detections", "spans", "checks", "submissions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of the study, as it was when it was taken into the store."""

    number: int
    study_json: str = field(repr=False)
    study_hash: str
    material_hash: str
    kind: str
    """What made it: ``first``, ``free``, ``recorded`` or ``extending``."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater:
    """Whoever answers, and how far they came."""

    id: RaterId
    kind: RaterKind
    token_hash: str | None = field(repr=False)
    details: Mapping[str, Any]
    enrolled_at: datetime
    active_at: datetime
    """When they last claimed, saved a draft or submitted."""
    consented_at: datetime | None = None
    survey: Mapping[str, Any] | None = None
    practice: Mapping[str, Any] | None = None
    finished_at: datetime | None = None
    stopped_at: datetime | None = None
    withdrawn_at: datetime | None = None
    paused: bool = False
    group: str | None = None
    """The group in which they were given a place."""
    key_hash: str | None = field(default=None, repr=False)
    """Of what the page that enrolled them drew, so that it may ask again."""


class RaterChanges(TypedDict, total=False):
    """What ``Store.update_rater`` may change; a name left out stays as it is."""

    consented_at: datetime | None
    survey: Mapping[str, Any] | None
    practice: Mapping[str, Any] | None
    finished_at: datetime | None
    stopped_at: datetime | None
    withdrawn_at: datetime
    """Final: cannot be taken back."""
    paused: bool
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one rater sent, in all rounds, whatever became of it."""

    sessions: int = 0
    ms: int = 0
    """The time on trials, practice and skipped ones too."""
    trials: int = 0
    """Without practice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """What is in force: another one as soon as the study has a new version or a plan grows."""

    version: int
    """The number of the latest version; 0 before the first."""
    planned: tuple[tuple[Round, datetime], ...]
    """Which rounds have a plan, each with when it was made or extended last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A slot leased to a rater: the trial to show, and the order to show its outputs in."""

    slot: SlotId
    trial: Trial
    order: tuple[int, ...]
    rater: RaterId
    position: int
    """Place in this rater's own sequence of trials, from 0."""
    leased_until: datetime
    repeat: int = 0
    """0, or 1 for a trial shown again on purpose (test–retest)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a rater sends for one trial.

    ``id`` makes it idempotent: it is chosen by the client, and the same submission sent again with
    the same id is stored once.
    """

    id: str
    rater: RaterId
    trial: TrialId
    study_version: int
    at: datetime
    answers: tuple[Answer, ...] = ()
    rater_kind: RaterKind = "person"
    slot: SlotId | None = None
    round: Round = "main"
    session: str = ""
    position: int | None = None
    order: tuple[int, ...] = ()
    repeat: int = 0
    """For judges: which of the repeated calls; for people the slot knows."""
    ms: int | None = None
    timing: Mapping[str, Any] = field(default_factory=dict)
    status: Status = "answered"
    reason: str | None = None
    comment: str | None = None
    correct: bool | None = None

    def __post_init__(self) -> None:
        if not self.id:
            raise InputError("submission: the id is empty; the client must choose one")
        for name in ("id", "rater", "trial", "slot"):
            check_id(f"submission: {name}", getattr(self, name) or "")
        if self.at.utcoffset() is None:
            raise InputError(f"submission {self.id}: `at` has no time zone")
        if (self.status == "answered") != bool(self.answers):
            raise InputError(
                f"submission {self.id}: status '{self.status}' with {len(self.answers)} answers; "
                "an answered trial has answers, a skipped or unusable one has none"
            )
        for answer in self.answers:
            for name in ("score", "strength", "rank", "confidence"):
                value = getattr(answer, name)
                if value is not None and not math.isfinite(value):
                    raise InputError(
                        f"submission {self.id}: {name} of '{answer.criterion}' is {value}; "
                        "leave out what was not answered"
                    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The proof that a submission is on disk."""

    id: str
    status: KeptStatus
    duplicate: bool = False
    """True when this id had been stored before; nothing was stored again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A submission as the store holds it, with what became of it."""

    seq: int
    submission: Submission
    status: AnyStatus
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened, worth remembering beside the responses."""

    id: int
    kind: str
    at: datetime
    rater: RaterId | None = None
    trial: TrialId | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A mark that leaves a rater's responses out, by a rule; undone marks are kept."""

    rater: RaterId
    rule: str
    sentence: str
    marked_at: datetime
    unmarked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialProgress:
    """How far one trial is."""

    trial: TrialId
    item: ItemId
    planned: int
    answered: int
    leased: int
    skipped: int
    late: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterProgress:
    """How far one rater is."""

    rater: RaterId
    kind: RaterKind
    booklet: BookletId | None
    planned: int
    """Slots of their booklet; 0 for a rater who draws from the pool alone."""
    answered: int
    leased: int
    skipped: int
    late: int
    active_at: datetime
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupProgress:
    """How far one rater group is."""

    group: str
    n_raters: int
    """Raters who were ever given a place in it."""
    n_finished: int
    planned: int
    """Slots of the group's booklets; 0 where booklets are for any rater."""
    answered: int
    """Slots that its raters answered; like ``planned`` without repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemProgress:
    """How many of the planned showings of a system are answered."""

    system: SystemId
    planned: int
    answered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a round is: main trials only, people only."""

    round: Round
    planned: int
    answered: int
    """Slots with an answer that was not withdrawn."""
    leased: int
    n_excluded: int
    """Answered slots whose rater is excluded; they stay taken, as a mark can be undone."""
    trials: tuple[TrialProgress, ...]
    raters: tuple[RaterProgress, ...]
    systems: tuple[SystemProgress, ...]
    groups: tuple[GroupProgress, ...] = ()
    recent: tuple[tuple[datetime, int], ...] = ()
    """How many answers came in each minute of the last two days that had one, oldest first; empty
    without a time to count from."""
