"""Batch mode: the same calls, the same journal, another way there and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jurybox.errors import JudgeError
from jurybox.judges.batch import Found, read_batch, write_batch
from jurybox.judges.run import settle_judge
from tests.judges.server import Planted, completion, judge_server, verdict
from tests.judges.studies import Ready, make_study, now
from tests.judges.test_run import rows


def written(ready: Ready, path: Path) -> list[dict[str, Any]]:
    folder = ready.folder / "judges"
    write_batch(ready.calls(), ready.study, ready.material, ready.store, path, folder=folder)
    return [json.loads(line) for line in path.read_text().splitlines()]


def served(calls: list[dict[str, Any]], path: Path) -> None:
    """What the batch service writes."""
    lines = [
        {
            "id": f"b{number}",
            "custom_id": call["custom_id"],
            "response": {
                "status_code": 200,
                "body": completion(verdict(call["body"], Planted()), call["body"]),
            },
            "error": None,
        }
        for number, call in enumerate(calls)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def read(ready: Ready, *paths: Path) -> Found:
    return read_batch(ready.calls(), paths, folder=ready.folder / "judges")


def settle(ready: Ready) -> Any:
    return settle_judge(
        ready.calls(),
        ready.study,
        ready.material,
        ready.store,
        folder=ready.folder / "judges",
        clock=now,
    )


def test_a_batch_gives_the_rows_of_a_live_run(tmp_path: Path) -> None:
    with judge_server() as server:
        live = make_study(tmp_path / "live", server.url)
        live.run()
    ready = make_study(tmp_path / "batch")
    calls = written(ready, tmp_path / "in.jsonl")
    assert len(calls) == 12
    assert {call["url"] for call in calls} == {"/v1/chat/completions"}
    served(calls[:7], tmp_path / "out.jsonl")
    assert read(ready, tmp_path / "out.jsonl").replies == 7
    summary = settle(ready)
    assert (summary.answered, summary.waiting) == (7, 5)
    # Only what is left is written the second time, and reading again changes nothing.
    rest = written(ready, tmp_path / "rest.jsonl")
    assert len(rest) == 5
    served([*calls[:7], *rest], tmp_path / "all.jsonl")
    assert read(ready, tmp_path / "all.jsonl").replies == 5
    assert settle(ready).answered == 12
    assert rows(ready) == rows(live)


def test_a_line_that_failed_stays_to_be_asked(tmp_path: Path) -> None:
    ready = make_study(tmp_path)
    calls = written(ready, tmp_path / "in.jsonl")
    failed = [
        {"custom_id": calls[0]["custom_id"], "response": None, "error": {"message": "expired"}},
        {"custom_id": calls[1]["custom_id"], "response": {"status_code": 500, "body": {}}},
        {"custom_id": "of another study", "response": {"body": {"choices": []}}},
    ]
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(line) + "\n" for line in failed))
    found = read(ready, tmp_path / "out.jsonl")
    assert (found.replies, found.failed, found.trouble) == (0, 2, "no reply")
    assert settle(ready).waiting == 12


@pytest.mark.parametrize("line", ["not json", "[1]"])
def test_a_file_that_is_no_batch_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    ready = make_study(tmp_path)
    path = tmp_path / "out.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(JudgeError, match=r"out\.jsonl:2 is not"):
        read_batch(ready.calls(), [path], folder=tmp_path / "judges")
