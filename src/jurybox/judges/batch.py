"""Batch mode: calls written to a file for an endpoint's batch service, and its replies read back.

The files are OpenAI's: one JSON object a line, told apart by ``custom_id``, which is the key of the
call. Replies go into the same journal as those of a live run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.errors import JudgeError
from jurybox.judges.budget import longest_reply
from jurybox.judges.endpoint import said_of
from jurybox.judges.journal import Journal
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.judges.calls import Call, Calls
    from jurybox.store import Store

__all__ = ["read_batch", "write_batch"]


def write_batch(calls: Calls, store: Store, path: Path, *, folder: Path, answers: int) -> int:
    """Write every call that has no reply yet; how many there were."""
    sent = store.submissions(rater=RaterId(calls.name))
    kept = {one.submission.id for one in sent}
    written = 0
    with Journal(folder / f"{calls.name}.jsonl") as journal, path.open("w") as file:
        for call in calls:
            if call.key in kept or journal.of(call.key):
                continue
            line = {
                "custom_id": call.key,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": _body(calls, call, longest_reply(answers)),
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            written += 1
    return written


def _body(calls: Calls, call: Call, longest: int) -> dict[str, Any]:
    judge = calls.judge
    form = {"name": "answers", "strict": True, "schema": dict(call.prompt.schema)}
    body: dict[str, Any] = {
        "model": judge.model,
        "messages": call.prompt.messages(),
        "temperature": judge.temperature,
        "max_tokens": longest,
        "response_format": {"type": "json_schema", "json_schema": form},
    }
    return body if judge.seed is None else {**body, "seed": judge.seed}


def read_batch(calls: Calls, paths: Sequence[Path], *, folder: Path) -> int:
    """Take the replies to this judge's calls into its journal; how many were new."""
    own = {call.key: call for call in calls}
    found = 0
    with Journal(folder / f"{calls.name}.jsonl") as journal:
        for path in paths:
            for number, entry in _lines(path):
                key = entry.get("custom_id")
                if key not in own or journal.of(key):
                    continue
                body = (entry.get("response") or {}).get("body") if not entry.get("error") else None
                if not isinstance(body, dict) or "choices" not in body:
                    continue  # the service gave no reply: the call stays to be asked
                try:
                    said = said_of(body, own[key].prompt.messages(), calls.judge, ms=0)
                except ValueError as error:
                    raise JudgeError(f"{path}:{number} cannot be read: {error}.") from None
                journal.write(key, said)
                found += 1
    return found


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
