"""Runs a judge: asks, reads, asks again what cannot be used, and stores the answers.

Every reply is in the journal before it is read, so a run may be killed at any point: the next one
goes on with what is there, and nothing that came back is paid for twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from jurybox.errors import JudgeError, TakenError
from jurybox.judges.budget import Budget, longest_reply, tokens_of
from jurybox.judges.calls import Call, Calls
from jurybox.judges.endpoint import Endpoint, NoReply, Refused
from jurybox.judges.journal import Journal, Said
from jurybox.judges.kept import Kept, find_kept
from jurybox.judges.left import Left, journal_path
from jurybox.judges.reading import Reader
from jurybox.store.values import Submission
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.store import Store
    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["Progress", "Summary", "run_judge", "settle_judge"]

BATCH = 256
"""Answers that are stored in one transaction at most."""
PATIENCE = 20
"""So many calls in a row without a reply, or refused before any was taken, end a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is; told after every call."""

    done: int
    total: int
    calls: int
    tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a judge has come to, earlier runs included."""

    judge: str
    total: int
    answered: int
    unusable: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    over_budget: bool
    trouble: str | None
    """What the endpoint said when it last failed to reply."""
    unusable_because: str | None
    """What is wrong with the last reply of this run that cannot be used."""
    without: tuple[str, ...]
    """Settings of the study that the endpoint does not take."""
    set_aside: int
    """Answers that count no more since this run: the study no longer asks for them."""

    @property
    def waiting(self) -> int:
        """Calls without a reply: the endpoint failed, or the budget is used up."""
        return self.total - self.answered - self.unusable


def run_judge(
    calls: Calls,
    study: Study,
    material: Material,
    store: Store,
    *,
    folder: Path,
    clock: Callable[[], datetime],
    tell: Callable[[Progress], None] = lambda _: None,
    concurrency: int = 16,
    timeout: float = 120.0,
) -> Summary:
    """Ask what has no answer yet and store the answers; replies are kept in ``folder``."""
    with _opened(calls, study, material, store, folder=folder, clock=clock, tell=tell) as run:
        return asyncio.run(run.work(store, len(study.criteria), concurrency, timeout))


def settle_judge(
    calls: Calls,
    study: Study,
    material: Material,
    store: Store,
    *,
    folder: Path,
    clock: Callable[[], datetime],
) -> Summary:
    """Store the answers that the replies in ``folder`` give, and ask nothing."""
    with _opened(calls, study, material, store, folder=folder, clock=clock) as run:
        return run.settle(store)


@contextmanager
def _opened(
    calls: Calls,
    study: Study,
    material: Material,
    store: Store,
    *,
    folder: Path,
    clock: Callable[[], datetime],
    tell: Callable[[Progress], None] = lambda _: None,
) -> Iterator[_Run]:
    """One judge's run with its journal open."""
    judge = RaterId(calls.name)
    details = {"model": calls.judge.model, "family": calls.judge.family}
    try:
        store.enroll(judge, kind="judge", details=details, now=clock())
    except TakenError:
        raise JudgeError(
            f"judges.{calls.name}: a person of this study has the same name; call the judge "
            "otherwise."
        ) from None
    version = store.latest_version()
    kept = find_kept(store, calls)
    reader = Reader(calls.judge, study, material, version=version.number if version else 1)
    with Journal(journal_path(folder, calls.name), settled=kept.statuses) as journal:
        if kept.unasked:
            store.submit_many(kept.set_aside(at=clock()), now=clock())
        budget = Budget(calls.judge, answers=len(study.criteria), journal=journal)
        yield _Run(calls, journal, budget, reader, kept, clock, tell)


class _Run:
    """The calls that are left, those on the way, and what came back."""

    def __init__(
        self,
        calls: Calls,
        journal: Journal,
        budget: Budget,
        reader: Reader,
        kept: Kept,
        clock: Callable[[], datetime],
        tell: Callable[[Progress], None],
    ) -> None:
        self._calls = calls
        self._journal = journal
        self._budget = budget
        self._reader = reader
        self._kept = kept
        self._clock = clock
        self._tell = tell
        self._total = len(calls)
        self._left: Iterator[Call] = iter(calls)
        self._done: asyncio.Queue[Submission | None] = asyncio.Queue(maxsize=4 * BATCH)
        self._statuses = {"answered": 0, "unusable": 0}
        self._over_budget = False
        self._trouble: str | None = None
        self._unusable_because: str | None = None
        self._silent = 0
        """Calls without a reply since the last reply."""
        self._heard = False
        self._refused: list[tuple[Call, str]] = []
        """Calls that were refused before the endpoint took any."""
        self._without: set[str] = set()

    def settle(self, store: Store) -> Summary:
        """Make answers of the replies there are; a reply that cannot be used stays to be asked."""
        made = []
        for call in self._left:
            status, reason = self._kept.statuses.get(call.key), self._kept.reasons.get(call.key)
            said = self._journal.of(call.key)
            again = self._kept.restated(call.key, at=self._clock())
            found = self._reader.read(call, said, at=self._clock()) if said else None
            if again is not None:
                made.append(again)
            elif status is None and isinstance(found, Submission):
                made.append(found)
                status, reason = found.status, found.reason
            self._note(status, reason)
        store.submit_many(made, now=self._clock())
        return self._summary()

    async def work(self, store: Store, answers: int, concurrency: int, timeout: float) -> Summary:
        """Serve all calls, some at a time."""
        judge = self._calls.judge
        longest = longest_reply(judge, answers=answers)
        endpoint = Endpoint(self._calls.name, judge, timeout=timeout, longest=longest)
        try:
            async with asyncio.TaskGroup() as group:
                writer = group.create_task(self._write(store))
                try:
                    await self._serve_all(endpoint, concurrency)
                finally:
                    # What was answered is stored, whatever ended the run; unless that itself did.
                    if not writer.done():
                        await self._done.put(None)
                        await asyncio.wait([writer])
        except* Exception as failures:
            raise _first(failures) from None
        finally:
            await endpoint.close()
        return self._summary()

    async def _serve_all(self, endpoint: Endpoint, concurrency: int) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, self._total)):
                group.create_task(self._serve(endpoint))
        if self._refused:
            raise self._refuses_all()

    async def _serve(self, endpoint: Endpoint) -> None:
        for call in self._left:
            status = self._kept.statuses.get(call.key)
            again = self._kept.restated(call.key, at=self._clock())
            if status is None:
                made = await self._answer(call, endpoint)
                if made is not None:
                    await self._keep(made)
            else:
                self._heard = self._heard or status == "answered"
                self._note(status, self._kept.reasons.get(call.key))
                if again is not None:
                    await self._done.put(again)
            self._report()

    async def _keep(self, made: Submission) -> None:
        self._journal.forget(made.id)
        self._note(made.status, made.reason)
        await self._done.put(made)

    def _note(self, status: str | None, reason: str | None) -> None:
        if status == "unusable":
            self._unusable_because = reason
        if status is not None:
            self._statuses["unusable" if status == "unusable" else "answered"] += 1

    async def _answer(self, call: Call, endpoint: Endpoint) -> Submission | None:
        """The answer to a call from the replies there are and, if need be, more of them."""
        while True:
            said = self._journal.of(call.key)
            found = self._reader.read(call, said, at=self._clock()) if said else None
            if isinstance(found, Submission):
                return found
            if self._over_budget or self._silent >= PATIENCE:
                return None
            promise = await self._budget.allow(tokens_of(call.prompt, said))
            if promise is None:
                self._over_budget = True
                return None
            reply = None
            try:
                messages = Left(call, said, found).messages()
                reply = await endpoint.ask(messages, call.prompt.schema, seed=call.seed)
                self._journal.write(call.key, reply)
            except NoReply as error:
                self._trouble = str(error)
                self._silent += 1
                return None
            except Refused as error:
                return self._refuse(call, f"The endpoint refused the call: {error}")
            finally:
                self._budget.settle(promise, reply)
            await self._hear(reply)

    async def _hear(self, reply: Said) -> None:
        self._heard = True
        self._silent = 0
        self._without.update(reply.without)
        refused, self._refused = self._refused, []
        for call, why in refused:
            await self._keep(self._unusable(call, why))

    def _refuse(self, call: Call, why: str) -> Submission | None:
        """A call is unusable if the endpoint takes others; else it is not the call's fault."""
        if self._heard:
            return self._unusable(call, why)
        self._refused.append((call, why))
        if len(self._refused) >= PATIENCE:
            raise self._refuses_all()
        return None

    def _unusable(self, call: Call, why: str) -> Submission:
        return self._reader.unusable(call, self._journal.of(call.key), why, at=self._clock())

    def _refuses_all(self) -> JudgeError:
        why = self._refused[-1][1]
        return JudgeError(f"judges.{self._calls.name}: no call was taken. {why}")

    async def _write(self, store: Store) -> None:
        """Store answers as they come, many in one transaction."""
        while True:
            batch = [await self._done.get()]
            while len(batch) < BATCH and not self._done.empty():
                batch.append(self._done.get_nowait())
            kept = [one for one in batch if one is not None]
            if kept:
                await asyncio.to_thread(store.submit_many, kept, now=self._clock())
            if len(kept) < len(batch):
                return

    def _report(self) -> None:
        journal = self._journal
        self._tell(
            Progress(
                done=sum(self._statuses.values()),
                total=self._total,
                calls=journal.calls,
                tokens=journal.tokens_in + journal.tokens_out,
                cost=self._budget.spent,
            )
        )

    def _summary(self) -> Summary:
        journal = self._journal
        return Summary(
            judge=self._calls.name,
            total=self._total,
            **self._statuses,
            calls=journal.calls,
            tokens_in=journal.tokens_in,
            tokens_out=journal.tokens_out,
            cost=self._budget.spent,
            over_budget=self._over_budget,
            trouble=self._trouble,
            unusable_because=self._unusable_because,
            without=tuple(sorted(self._without)),
            set_aside=len(self._kept.unasked),
        )


def _first(failures: BaseExceptionGroup[Exception]) -> Exception:
    found = failures.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found
