"""What a judge has still to be asked, given the answers stored and the replies there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.judges.budget import Estimate, estimate, tokens_of
from jurybox.judges.journal import Journal, Said
from jurybox.judges.kept import find_kept
from jurybox.judges.reading import AskAgain, Reader

if TYPE_CHECKING:
    from jurybox.judges.calls import Call, Calls
    from jurybox.store import Store
    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["Left", "estimate_left", "find_left", "journal_path"]


def journal_path(folder: Path, judge: str) -> Path:
    """Where a judge's replies are kept."""
    return folder / f"{judge}.jsonl"


@dataclass(frozen=True, slots=True)
class Left:
    """A call without an answer: its replies so far, and why the last one cannot be used."""

    call: Call
    said: Sequence[Said]
    again: AskAgain | None

    def messages(self) -> list[dict[str, Any]]:
        """The prompt, and after a reply that cannot be used what is wrong with it."""
        messages = self.call.prompt.messages()
        if self.again is None:
            return messages
        wrong = (
            f"This reply cannot be used. {self.again.why} Reply again with the JSON object alone."
        )
        return [
            *messages,
            {"role": "assistant", "content": self.said[-1].text},
            {"role": "user", "content": wrong},
        ]


def find_left(
    calls: Calls, study: Study, material: Material, store: Store, *, folder: Path
) -> Iterator[Left]:
    """Every call that the next run will make, in its order; nothing is written."""
    kept = find_kept(store, calls).statuses
    journal = Journal(journal_path(folder, calls.name), settled=kept, only_read=True)
    reader = Reader(calls.judge, study, material, version=1)
    for call in calls:
        if call.key in kept:
            continue
        said = journal.of(call.key)
        found = reader.read(call, said, at=datetime.fromtimestamp(0, UTC)) if said else None
        if found is None or isinstance(found, AskAgain):
            yield Left(call, said, found)


def estimate_left(
    calls: Calls, study: Study, material: Material, store: Store, *, folder: Path
) -> Estimate:
    """What the next run will take if it is not interrupted."""
    left = find_left(calls, study, material, store, folder=folder)
    prompts = [tokens_of(one.call.prompt, one.said) for one in left]
    journal = Journal(journal_path(folder, calls.name), only_read=True)
    return estimate(calls.judge, prompts, answers=len(study.criteria), journal=journal)
