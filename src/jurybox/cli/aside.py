"""Long work in a process of its own, so that those who are served meanwhile do not wait for it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from threading import Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from jurybox.errors import JuryboxError, StoreError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from jurybox.store import Store

__all__ = ["Aside"]

YIELDING = 10
"""How far this process stands back (of 19) where all processors are busy: raters come first, and
whoever waits for numbers still gets them in good time."""

P = ParamSpec("P")
T = TypeVar("T")


class Aside:
    """A process that reads one database, and does one piece of work at a time.

    It is started by whoever begins it or by the first piece of work, so that a server whose results
    nobody looks at does without it, and stays: what it imported and read of the plan serves the
    next look.
    """

    def __init__(self, store: Store) -> None:
        self._address = store.database.address
        self._turn = Lock()
        self._child: SpawnProcess | None = None
        self._line: Connection | None = None
        self._closed = False
        self._begun = False

    def do(self, work: Callable[Concatenate[Store, P], T], *given: P.args, **named: P.kwargs) -> T:
        """What ``work`` gives for the database; what it raises, if that is one of our errors."""
        with self._turn:
            line = self._reach()
            try:
                line.send((work, given, named))
                done, found = line.recv()
            except (EOFError, OSError):  # it failed, or was killed: by us, or for want of memory
                self._stop()
                raise StoreError(
                    "Counting was cut off; see what the server printed, or whether its machine is "
                    "short of memory."
                ) from None
        if not done:
            raise found
        value: T = found
        return value

    def begin(self, work: Callable[[Store], None]) -> None:
        """Start the process with work that nobody waits for; nothing where it runs already."""
        if self._begun or self._line is not None:
            return
        self._begun = True

        def prepare() -> None:
            with suppress(StoreError):  # the server stops, or the first who waits is told
                self.do(work)

        Thread(target=prepare, daemon=True).start()

    def _reach(self) -> Connection:
        if self._closed:
            raise StoreError("The server is stopping.")
        if self._line is None:
            # A fork would copy threads' locks as they happen to be.
            context = multiprocessing.get_context("spawn")
            self._line, far = context.Pipe()
            arguments = (far, self._address)
            self._child = context.Process(target=_work, args=arguments, daemon=True)
            self._child.start()
            far.close()
        return self._line

    def _stop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.join()
        if self._line is not None:
            self._line.close()
        self._child = self._line = None

    def close(self) -> None:
        """End the process, whatever it is doing; who waits for it is told."""
        self._closed = True
        if self._child is not None:
            self._child.kill()
        with self._turn:
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _work(line: Connection, address: str) -> None:
    """Do what is asked until nobody asks any more."""
    if hasattr(os, "nice"):
        os.nice(YIELDING)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the server's, which ends us
    while True:
        try:
            work, given, named = line.recv()
        except EOFError:
            return
        try:
            answer = (True, work(_open(address), *given, **named))
        except JuryboxError as error:
            answer = (False, error)
        line.send(answer)


@cache
def _open(address: str) -> Store:
    from jurybox.store import Store

    return Store.open(address, create=False)
