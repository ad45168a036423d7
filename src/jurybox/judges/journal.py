"""Every reply that was paid for, on disk before anything is made of it.

One line of JSON per reply. A run that is killed at any point finds here what it has, and asks only
for the rest; a line that was cut off by the kill counts as not received.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
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


class Journal:
    """The replies of one judge, by the key of the call; a call may have had several."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._said: defaultdict[str, list[Said]] = defaultdict(list)
        path.parent.mkdir(parents=True, exist_ok=True)
        end = self._read()
        self._file = path.open("ab")
        self._file.truncate(end)  # what a kill cut off would spoil the next line

    def _read(self) -> int:
        """Take up what is there; gives where the last whole line ends."""
        if not self.path.exists():
            return 0
        end = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    entry = json.loads(line)
                    self._said[entry.pop("key")].append(Said(**entry))
                except (ValueError, TypeError, KeyError):
                    raise JudgeError(
                        f"{self.path}:{number} is not a line of this journal; restore the file, or "
                        "move it away to ask every question again."
                    ) from None
                end += len(line)
        return end

    def of(self, key: str) -> Sequence[Said]:
        """The replies to a call so far."""
        return tuple(self._said.get(key, ()))

    def write(self, key: str, said: Said) -> None:
        """Keep a reply; the system has it when this returns."""
        line = json.dumps({"key": key, **asdict(said)}, ensure_ascii=False)
        self._file.write(line.encode() + b"\n")
        self._file.flush()
        self._said[key].append(said)

    def replies(self) -> Mapping[str, Sequence[Said]]:
        """All replies by key."""
        return dict(self._said)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
