"""Every reply that was paid for, on disk before anything is made of it.

One line of JSON per reply. A run that is killed at any point finds here what it has, and asks only
for the rest; a line that was cut off by the kill counts as not received.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Self

from jurybox.errors import JudgeError

__all__ = ["Journal", "Said"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One reply as it came."""

    text: str
    finish: str = "stop"
    """Why it ended: `stop`, or `length` when it was cut off."""
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False
    """Whether the tokens are an estimate, for endpoints that do not count them."""
    ms: int = 0
    model: str = ""
    """The model as the endpoint calls it."""
    without: Sequence[str] = ()
    """Settings that the endpoint does not take, and that were left out."""


class Journal:
    """The replies of one judge, by the key of the call; a call may have had several.

    Texts of calls that are ``settled`` are not held, so that memory does not grow with the answers.
    While it is open no other process can write it: two would pay for the same calls. One that is
    ``only_read`` may be looked at meanwhile.
    """

    def __init__(
        self, path: Path, *, settled: Container[str] = (), only_read: bool = False
    ) -> None:
        self.path = path
        self.calls = 0
        """How many replies there are in all."""
        self.tokens_in = 0
        self.tokens_out = 0
        self._tries: Counter[str] = Counter()
        self._said: dict[str, list[Said]] = {}
        self._spoiled = False
        self._file: FileIO | None = None
        if only_read:
            self._read(settled)
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b", buffering=0)
            _lock(self._file, path)
            # What a kill cut off would spoil the next line.
            self._file.truncate(self._read(settled))
        except OSError as error:
            self.close()
            raise self._failed(error) from None
        except JudgeError:
            self.close()
            raise

    def _read(self, settled: Container[str]) -> int:
        """Take up what is there; gives where the last whole line ends."""
        end = 0
        if not self.path.exists():
            return end
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    entry = json.loads(line)
                    key, said = entry.pop("key"), Said(**entry)
                    self._count(key, said)
                except (ValueError, TypeError, KeyError, AttributeError):
                    raise JudgeError(
                        f"{self.path}:{number} is not a line of this journal; restore the file, or "
                        "move it away to ask every question again."
                    ) from None
                if key not in settled:
                    self._said.setdefault(key, []).append(said)
                end += len(line)
        return end

    def _count(self, key: str, said: Said) -> None:
        self._tries[key] += 1
        self.calls += 1
        self.tokens_in += said.tokens_in
        self.tokens_out += said.tokens_out

    @property
    def asked(self) -> int:
        """How many calls have a reply."""
        return len(self._tries)

    def tries(self, key: str) -> int:
        """How many replies a call has had, whether it is settled or not."""
        return self._tries[key]

    def of(self, key: str) -> Sequence[Said]:
        """The replies so far to a call that is not settled."""
        return tuple(self._said.get(key, ()))

    def write(self, key: str, said: Said) -> None:
        """Keep a reply; the system has it when this returns."""
        entry = {"key": key, **{name: getattr(said, name) for name in Said.__slots__}}
        line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        assert self._file is not None  # noqa: S101 - only a run writes
        try:
            if self._spoiled or self._file.write(line) != len(line):
                raise OSError(0, "the disk is full")
        except OSError as error:
            # Nothing may follow a line that is not whole; the next run takes it off.
            self._spoiled = True
            raise self._failed(error) from None
        self._count(key, said)
        self._said.setdefault(key, []).append(said)

    def _failed(self, error: OSError) -> JudgeError:
        why = (error.strerror or str(error)).lower()
        return JudgeError(f"{self.path} cannot be written: {why}. What it holds is kept.")

    def forget(self, key: str) -> None:
        """Let go of the replies to a call whose answer is made."""
        self._said.pop(key, None)

    def close(self) -> None:
        """Close the file, if it was opened."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lock(file: FileIO, path: Path) -> None:
    with suppress(ImportError):  # where the system has no such locks, nothing is promised
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JudgeError(
                f"{path} is being written by another run of this judge; let it end, or stop it."
            ) from None
