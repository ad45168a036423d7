"""The store: a study's memory, in a file or on a PostgreSQL server.

One ``Store`` may be used by many threads, and any number of processes may open the same database.
Every method is one transaction. Times come in as aware datetimes and come out in UTC.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from sqlalchemy import Connection

from jurybox.design.plan import Plan, Round, SlotId, Trial, TrialId
from jurybox.errors import StoreError
from jurybox.store import (
    claiming,
    given,
    journal,
    places,
    plans,
    progress,
    raters,
    reading,
    submitting,
    tables,
)
from jurybox.store.database import Database, connect, database_url
from jurybox.store.free import Claim
from jurybox.store.given import Given
from jurybox.store.migrate import migrate
from jurybox.store.planned import WhilePlanned, count_planned
from jurybox.store.values import (
    Assignment,
    Edition,
    Event,
    Exclusion,
    Progress,
    Rater,
    RaterChanges,
    RaterKind,
    Receipt,
    Recorded,
    Shape,
    Submission,
    Version,
    Work,
)
from jurybox.store.watching import Watch
from jurybox.study.model import RaterId

__all__ = ["Store"]

SECRET = "secret"  # noqa: S105 - the name of the setting, not its value


class Store:
    """A study's memory; ``Store.open`` gives one."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._watch = Watch(database)
        self._plans = WhilePlanned(plans.load_plan)
        self._planned = WhilePlanned(lambda c, round: count_planned(self._plans.read(c, round)))

    @classmethod
    def open(cls, target: str | Path, *, create: bool = True, secret: bytes | None = None) -> Store:
        """Open a study's database, made or brought to today's schema where needed.

        Parameters
        ----------
        target
            A file, a study directory (then its ``study.db``), ``sqlite:///FILE`` or
            ``postgresql://HOST/DATABASE``.
        create
            Without it, a file that is not there is an error.
        secret
            The study's secret, for a new database; by default 32 random bytes.
        """
        url = database_url(target)
        if url.drivername == "sqlite":
            file = Path(str(url.database))
            if not file.exists() and not create:
                raise StoreError(f"{file}: there is no such database; nothing was collected here.")
            if not file.parent.is_dir():
                raise StoreError(f"{file}: the directory {file.parent} does not exist.")
        store = cls(connect(url))
        try:
            migrate(store.database)
            store.keep_setting(SECRET, (os.urandom(32) if secret is None else secret).hex())
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close the connections; the store cannot be used afterwards."""
        self._watch.close()
        self.database.close()

    def changes(self) -> str:
        """A mark that is another one whenever anything was written; asking costs almost nothing."""
        return self._watch.mark()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Versions and settings

    def save_version(
        self, study_json: str, study_hash: str, material_hash: str, *, kind: str, now: datetime
    ) -> int:
        """The number of this version of the study, saved now unless it is the latest."""
        row = {
            "study_json": study_json,
            "study_hash": study_hash,
            "material_hash": material_hash,
            "kind": kind,
        }
        return self.database.write(lambda c: journal.save_version(c, row, now=now))

    def versions(self) -> tuple[Version, ...]:
        """Every version, oldest first."""
        return self.database.read(journal.list_versions)

    def latest_version(self) -> Version | None:
        """The version in force, or none before the first."""
        return (self.versions() or (None,))[-1]

    def secret(self) -> bytes:
        """Random bytes that only this study's database knows."""
        return bytes.fromhex(self.setting(SECRET) or "")

    def setting(self, name: str) -> str | None:
        """The value of a setting, or none."""
        return self.database.read(lambda c: journal.read_setting(c, name))

    def set_setting(self, name: str, value: str) -> None:
        """Write a setting."""
        self.database.write(lambda c: journal.write_setting(c, name, value))

    def keep_setting(self, name: str, value: str) -> str:
        """The value that a setting has, or this one: the first that any process gives it stays."""

        def work(connection: Any) -> str:
            journal.write_setting(connection, name, value, replace=False)
            return journal.read_setting(connection, name) or value

        return self.setting(name) or self.database.write(work)

    # The plan

    def save_plan(
        self, plan: Plan, *, version: int, now: datetime, truth: plans.Truth | None = None
    ) -> None:
        """Write a round's plan.

        ``truth`` says for detect which systems are real; by default the study's version says it.
        """
        self.database.write(
            lambda c: plans.save_plan(c, plan, version=version, truth=truth, now=now)
        )

    def extend_plan(
        self, plan: Plan, *, version: int, now: datetime, truth: plans.Truth | None = None
    ) -> None:
        """Add what ``plan`` has more than the stored one, which must stand in it unchanged."""
        self.database.write(
            lambda c: plans.extend_plan(c, plan, version=version, truth=truth, now=now)
        )

    def load_plan(self, round: Round = "main") -> Plan | None:
        """The plan of a round, or none."""
        return self.database.read(lambda c: self._plans.read(c, round))

    def load_trials(self, round: Round = "main") -> tuple[Trial, ...]:
        """The trials of a round's plan, in its order: all of it that is not about raters."""
        return self.database.read(
            lambda c: tuple(plans.load_trials(c, tables.trials.c.plan == round).values())
        )

    def edition(self) -> Edition:
        """What is in force now; asking costs little, so that a server can ask at every request."""
        return self.database.read(plans.read_edition)

    # Raters

    def enroll(
        self,
        rater: RaterId,
        *,
        now: datetime,
        token_hash: str | None = None,
        kind: RaterKind = "person",
        details: Mapping[str, Any] | None = None,
        again: bool = True,
        key_hash: str | None = None,
    ) -> Rater:
        """The rater, enrolled now or, if ``again``, before under the same token.

        Without ``again`` exactly one of several callers at once enrolls an id; the others get a
        :class:`~jurybox.errors.TakenError`, but for the one with the same key: they ask again
        because the reply did not reach them. If they choose another id, the one before is free
        again as long as nothing was done under it.
        """
        kept = details or {}
        return self.database.write(
            lambda c: raters.enroll(
                c,
                rater,
                token_hash=token_hash,
                kind=kind,
                details=kept,
                again=again,
                key_hash=key_hash,
                now=now,
            )
        )

    def rater(self, rater: RaterId) -> Rater | None:
        """The rater with this id, or none."""
        found = self.database.read(lambda c: raters.find_raters(c, tables.raters.c.id == rater))
        return found[0] if found else None

    def rater_by_token(self, token_hash: str) -> Rater | None:
        """The rater whose link carries the token with this hash, or none."""
        found = self.database.read(
            lambda c: raters.find_raters(c, tables.raters.c.token_hash == token_hash)
        )
        return found[0] if found else None

    def raters(self) -> tuple[Rater, ...]:
        """Every rater, in the order of their enrolling."""
        return self.database.read(raters.find_raters)

    def update_rater(
        self, rater: RaterId, *, now: datetime | None = None, **changes: Unpack[RaterChanges]
    ) -> Rater:
        """The rater after the changes.

        One who stops, withdraws or finishes gives back their leases. One who withdraws is excluded
        by the rule ``withdrawn`` for good, and what they answered is collected anew from others.
        """
        times = [changes.get(name) for name in ("withdrawn_at", "stopped_at", "finished_at")]
        given = [time for time in (now, *times) if isinstance(time, datetime)]
        moment = given[0] if given else None
        return self.database.write(lambda c: raters.update_rater(c, rater, changes, now=moment))

    def mark_excluded(self, rater: RaterId, rule: str, sentence: str, *, now: datetime) -> None:
        """Leave a rater's responses out by a rule."""
        self.database.write(lambda c: raters.mark_excluded(c, rater, rule, sentence, now=now))

    def unmark_excluded(self, rater: RaterId, rule: str, *, now: datetime) -> None:
        """Undo a mark; it stays on record."""
        self.database.write(lambda c: raters.unmark_excluded(c, rater, rule, now=now))

    def exclusions(self, *, history: bool = False) -> tuple[Exclusion, ...]:
        """The marks in force, or with ``history`` every mark that ever was."""
        return self.database.read(lambda c: raters.list_exclusions(c, history=history))

    def take_place(
        self,
        rater: RaterId,
        group: str,
        *,
        quota: int | None,
        lease: timedelta,
        now: datetime,
    ) -> bool:
        """Whether the rater has a place in the group, taken now if fewer than ``quota`` are.

        A place is held until its rater stops or withdraws, or is silent: for ``lease`` before the
        first answer, for a day afterwards. A rater who has a group stays in it.
        """
        return self.database.write(
            lambda c: places.take_place(c, rater, group, quota=quota, lease=lease, now=now)
        )

    def places(self, *, lease: timedelta, now: datetime) -> dict[str, int]:
        """How many places are taken in each group."""
        return self.database.read(lambda c: places.count_places(c, lease=lease, now=now))

    # Claiming and submitting

    def claim(
        self,
        rater: RaterId,
        *,
        lease: timedelta,
        now: datetime,
        count: int = 1,
        round: Round = "main",
        bound: bool = False,
        pool: bool = True,
    ) -> tuple[Assignment, ...]:
        """The rater's next assignments, at most ``count``, leased until ``now + lease``.

        What the rater holds comes first; an empty tuple says that nothing is left for them. With
        ``bound`` a booklet stays its rater's however long they are silent; without ``pool`` the
        rater gets nothing that others left.
        """
        asked = Claim(
            rater=rater, count=count, lease=lease, now=now, round=round, bound=bound, pool=pool
        )
        return self.database.write(lambda c: claiming.claim(c, asked))

    def is_pool_open(
        self, rater: Rater, *, lease: timedelta, now: datetime, bound: bool = False
    ) -> bool:
        """Whether others left a trial of the main round that the rater could go on with."""
        asked = Claim(
            rater=rater.id,
            count=1,
            lease=lease,
            now=now,
            round="main",
            bound=bound,
            group=rater.group,
        )
        return self.database.read(lambda c: claiming.is_pool_open(c, asked))

    def release(
        self,
        rater: RaterId,
        *,
        now: datetime,
        until: datetime | None = None,
        keep: Sequence[SlotId] = (),
    ) -> int:
        """Give back what the rater holds but for ``keep``; how many slots that were.

        With ``until`` only leases that end by then, so that what was renewed since stays.
        """

        def work(connection: Any) -> int:
            raters.lock_rater(connection, rater)
            return given.release(connection, rater, until=until, keep=keep, now=now)

        return self.database.write(work)

    def given(self, rater: RaterId, *, round: Round = "main") -> tuple[Given, ...]:
        """What the rater answered, skipped or holds, in the order it was shown."""
        return self.database.read(lambda c: given.list_given(c, rater, round))

    def was_given(self, rater: RaterId, slot: SlotId) -> bool:
        """Whether the slot was ever leased to the rater, whatever became of it."""
        return self.database.read(lambda c: given.was_given(c, rater, slot))

    def expire(self, *, now: datetime) -> int:
        """End the leases that ran out; how many there were."""
        return self.database.write(lambda c: claiming.expire(c, now=now))

    def submit(self, submission: Submission, *, now: datetime, placed: bool = True) -> Receipt:
        """Store a submission; when this returns, it is on disk. Sending it again is harmless.

        ``placed=False``: the rater lost their place in their group, so the answer is late.
        """
        return self.database.write(
            lambda c: submitting.submit(c, submission, now=now, placed=placed)
        )

    def submit_many(
        self, submissions: Sequence[Submission], *, now: datetime
    ) -> tuple[Receipt, ...]:
        """Store submissions in one transaction, each like by ``submit``; all of them or none."""
        return self.database.write(lambda c: submitting.submit_many(c, submissions, now=now))

    # Beside the responses

    def save_draft(
        self, rater: RaterId, trial: TrialId, body: Mapping[str, Any], *, now: datetime
    ) -> None:
        """Keep what a rater has chosen so far for a trial."""
        self.database.write(lambda c: journal.save_draft(c, rater, trial, body, now=now))

    def load_draft(self, rater: RaterId, trial: TrialId) -> dict[str, Any] | None:
        """The draft of a trial, or none; a submit removes it."""
        return self.database.read(lambda c: journal.load_draft(c, rater, trial))

    def event(
        self,
        kind: str,
        *,
        now: datetime,
        rater: RaterId | None = None,
        trial: TrialId | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> int:
        """Append an event; its number."""
        row = {
            "kind": kind,
            "rater": rater,
            "trial": trial,
            "detail": dict(detail or {}),
            "at": now,
        }
        return self.database.write(lambda c: journal.add_event(c, row))

    def events(
        self,
        kind: str | None = None,
        *,
        rater: RaterId | None = None,
        trial: TrialId | None = None,
        after: int = 0,
    ) -> tuple[Event, ...]:
        """The events that match, oldest first; ``after`` is the number of the last one known."""
        return self.database.read(
            lambda c: journal.list_events(c, kind=kind, rater=rater, trial=trial, after=after)
        )

    # Reading

    def table(
        self,
        shape: Shape,
        *,
        round: Round | None = "main",
        retests: bool = False,
        columns: Collection[str] | None = None,
    ) -> dict[str, list[Any]]:
        """A table shape, column by column; ``round=None`` gives every round.

        People's planned repeats are left out unless ``retests`` asks for them. ``columns``: those
        to read, if it has them; by default all.
        """
        return self.database.read(
            lambda c: reading.read_table(c, shape, round=round, retests=retests, columns=columns)
        )

    def work(self) -> dict[RaterId, Work]:
        """What each rater sent, whatever became of it; nothing of who sent nothing."""
        return self.database.read(reading.read_work)

    def shapes(self) -> frozenset[Shape]:
        """The shapes that anything was answered in."""
        return self.database.read(reading.list_shapes)

    def submissions(
        self,
        rater: RaterId | None = None,
        trial: TrialId | None = None,
        *,
        round: Round | None = None,
        limit: int | None = None,
    ) -> tuple[Recorded, ...]:
        """Submissions with what became of them, newest first."""
        return self.database.read(
            lambda c: reading.list_submissions(
                c, rater=rater, trial=trial, round=round, limit=limit
            )
        )

    def progress(self, *, round: Round = "main", now: datetime | None = None) -> Progress:
        """How far a round is, by trial, rater and system; with ``now`` only live leases count."""

        def read(connection: Connection) -> Progress:
            planned = self._planned.read(connection, round)
            return progress.read_progress(connection, planned, round=round, now=now)

        return self.database.read(read)
