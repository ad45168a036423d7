"""Batch mode: calls written to a file for an endpoint's batch service, and its replies read back.

The files are OpenAI's: one JSON object a line, told apart by ``custom_id``, which is the key of the
call and the number of the try: a reply that cannot be used is asked again by the next batch.
Replies go into the same journal as those of a live run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.errors import JudgeError
from jurybox.judges.budget import longest_reply
from jurybox.judges.endpoint import said_of
from jurybox.judges.journal import Journal
from jurybox.judges.left import Left, find_left, journal_path

if TYPE_CHECKING:
    from jurybox.judges.calls import Calls
    from jurybox.store import Store
    from jurybox.study.material import Material
    from jurybox.study.model import Study
    from jurybox.study.settings import Judge

__all__ = ["Found", "read_batch", "write_batch"]


def write_batch(
    calls: Calls, study: Study, material: Material, store: Store, path: Path, *, folder: Path
) -> int:
    """Write every call that has no answer yet; how many there were."""
    longest = longest_reply(calls.judge, answers=len(study.criteria))
    written = 0
    try:
        with path.open("w", encoding="utf-8") as file:
            for left in find_left(calls, study, material, store, folder=folder):
                line = {
                    "custom_id": f"{left.call.key}-{len(left.said) + 1}",
                    "method": "POST",
                    "url": "/v1/chat/completions",
                    "body": _body(calls.judge, left, longest),
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                written += 1
    except OSError as error:
        raise JudgeError(f"{path} cannot be written: {error.strerror}.") from None
    return written


def _body(judge: Judge, left: Left, longest: int) -> dict[str, Any]:
    form = {"name": "answers", "strict": True, "schema": dict(left.call.prompt.schema)}
    body: dict[str, Any] = {
        "model": judge.model,
        "messages": left.messages(),
        "temperature": judge.temperature,
        "max_completion_tokens": longest,
        "response_format": {"type": "json_schema", "json_schema": form},
    }
    return body if left.call.seed is None else {**body, "seed": left.call.seed}


@dataclass(frozen=True, slots=True)
class Found:
    """What a batch brought: new replies, and lines that the service could not serve."""

    replies: int
    failed: int
    trouble: str | None
    """What the service said of the last of them."""
    strange: frozenset[str] = frozenset()
    """Keys that no call of this judge has."""


def read_batch(calls: Calls, paths: Sequence[Path], *, folder: Path) -> Found:
    """Take the replies to this judge's calls into its journal, each of them once."""
    own = {call.key: call for call in calls}
    replies, failures, strange = 0, dict[str, str](), set[str]()
    with Journal(journal_path(folder, calls.name)) as journal:
        for path in paths:
            for number, entry in _lines(path):
                key, _, turn = str(entry.get("custom_id")).rpartition("-")
                if key not in own:
                    strange.add(key)
                    continue
                if turn != str(journal.tries(key) + 1):
                    continue  # read before
                body = (entry.get("response") or {}).get("body") if not entry.get("error") else None
                if not isinstance(body, dict) or "choices" not in body:
                    failures[key] = _why(entry)  # the call stays to be asked
                    continue
                try:
                    said = said_of(body, own[key].prompt.messages(), calls.judge, ms=0)
                except ValueError as error:
                    raise JudgeError(f"{path}:{number} cannot be read: {error}.") from None
                journal.write(key, said)
                failures.pop(key, None)
                replies += 1
    trouble = next(reversed(failures.values()), None)
    return Found(replies, len(failures), trouble, frozenset(strange))


def _why(entry: Mapping[str, Any]) -> str:
    """What the service says of a line without a reply."""
    response = entry.get("response") or {}
    body = response.get("body") if isinstance(response, dict) else None
    error = entry.get("error") or (body.get("error") if isinstance(body, dict) else None)
    words = error.get("message") or error.get("code") if isinstance(error, dict) else error
    return " ".join(str(words or "no reply").split())[:500]


def _lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise JudgeError(f"{path} cannot be read: {reason}.") from None
    made = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            raise JudgeError(f"{path}:{number} is not a line of JSON.") from None
        if not isinstance(entry, dict):
            raise JudgeError(f"{path}:{number} is not an object, as every line of a batch is.")
        made.append((number, entry))
    return made
