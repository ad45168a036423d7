"""Runs a judge: asks, reads, asks again what cannot be used, and stores the answers.

Every reply is in the journal before it is read, so a run may be killed at any point: the next one
goes on with what is there, and nothing that came back is paid for twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.judges.budget import Budget, longest_reply
from jurybox.judges.calls import Call, Calls
from jurybox.judges.endpoint import Endpoint, NoReply, Refused
from jurybox.judges.journal import Journal, Said
from jurybox.judges.reading import AskAgain, Reader
from jurybox.store.values import Submission
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.store import Store
    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["Progress", "Summary", "run_judge", "settle_judge"]

BATCH = 256
"""Answers that are stored in one transaction at most."""


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
    store.enroll(judge, kind="judge", details=details, now=clock())
    version = store.latest_version()
    kept = {one.submission.id: one.submission.status for one in store.submissions(rater=judge)}
    reader = Reader(calls.judge, study, material, version=version.number if version else 1)
    with Journal(folder / f"{calls.name}.jsonl") as journal:
        said = [one for replies in journal.replies().values() for one in replies]
        budget = Budget(calls.judge, answers=len(study.criteria), said=said)
        yield _Run(calls, journal, budget, reader, kept, clock, tell)


class _Run:
    """The calls that are left, those on the way, and what came back."""

    def __init__(
        self,
        calls: Calls,
        journal: Journal,
        budget: Budget,
        reader: Reader,
        kept: Mapping[str, str],
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

    def settle(self, store: Store) -> Summary:
        """Make answers of the replies there are; a reply that cannot be used stays to be asked."""
        made = []
        for call in self._left:
            status, said = self._kept.get(call.key), self._journal.of(call.key)
            found = self._reader.read(call, said, at=self._clock()) if said else None
            if status is None and isinstance(found, Submission):
                made.append(found)
                status = found.status
            self._note(status)
        store.submit_many(made, now=self._clock())
        return self._summary()

    async def work(self, store: Store, answers: int, concurrency: int, timeout: float) -> Summary:
        """Serve all calls, some at a time."""
        judge, longest = self._calls.judge, longest_reply(answers)
        endpoint = Endpoint(self._calls.name, judge, timeout=timeout, longest=longest)
        writer = asyncio.create_task(self._write(store))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(concurrency, self._total)):
                    group.create_task(self._serve(endpoint))
        except* Exception as failures:
            raise _first(failures) from None
        finally:
            # What was answered is stored, whatever ended the run.
            await self._done.put(None)
            await writer
            await endpoint.close()
        return self._summary()

    async def _serve(self, endpoint: Endpoint) -> None:
        for call in self._left:
            status = self._kept.get(call.key)
            if status is None:
                made = await self._answer(call, endpoint)
                if made is not None:
                    await self._done.put(made)
                    status = made.status
            self._note(status)
            self._report()

    def _note(self, status: str | None) -> None:
        if status is not None:
            self._statuses["unusable" if status == "unusable" else "answered"] += 1

    async def _answer(self, call: Call, endpoint: Endpoint) -> Submission | None:
        """The answer to a call from the replies there are and, if need be, more of them."""
        while True:
            said = self._journal.of(call.key)
            found = self._reader.read(call, said, at=self._clock()) if said else None
            if isinstance(found, Submission):
                return found
            if self._over_budget:
                return None
            promised = self._budget.allow(call.prompt)
            if promised is None:
                self._over_budget = True
                return None
            reply = None
            try:
                messages = _conversation(call, said, found)
                reply = await endpoint.ask(messages, call.prompt.schema)
                self._journal.write(call.key, reply)
            except NoReply as error:
                self._trouble = str(error)
                return None
            except Refused as error:
                why = f"The endpoint refused the call: {error}"
                return self._reader.unusable(call, said, why, at=self._clock())
            finally:
                self._budget.settle(promised, reply)

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
        budget = self._budget
        self._tell(
            Progress(
                done=sum(self._statuses.values()),
                total=self._total,
                calls=budget.calls,
                tokens=budget.tokens_in + budget.tokens_out,
                cost=budget.spent,
            )
        )

    def _summary(self) -> Summary:
        budget = self._budget
        return Summary(
            judge=self._calls.name,
            total=self._total,
            **self._statuses,
            calls=budget.calls,
            tokens_in=budget.tokens_in,
            tokens_out=budget.tokens_out,
            cost=budget.spent,
            over_budget=self._over_budget,
            trouble=self._trouble,
        )


def _conversation(call: Call, said: Sequence[Said], again: AskAgain | None) -> list[dict[str, Any]]:
    """The prompt, and after a reply that cannot be used what is wrong with it."""
    messages = call.prompt.messages()
    if again is not None:
        wrong = f"This reply cannot be used. {again.why} Reply again with the JSON object alone."
        messages += [
            {"role": "assistant", "content": said[-1].text},
            {"role": "user", "content": wrong},
        ]
    return messages


def _first(failures: BaseExceptionGroup[Exception]) -> Exception:
    found = failures.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found
