"""What a run may lose: nothing that was paid for, whoever stops it, and never more than allowed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from jurybox.cli.app import run as run_command
from jurybox.errors import JudgeError, StoreError
from jurybox.judges.journal import Journal, Said
from jurybox.judges.left import estimate_left
from jurybox.store import Store
from tests.judges.server import Server, completion, judge_server, status
from tests.judges.studies import Ready, make_study
from tests.judges.test_run import rows
from tests.patience import PATIENCE

COMMAND = "import sys; from jurybox.cli import main; main()"


def started(folder: Path, key: str) -> subprocess.Popen[bytes]:
    """A process of ``jurybox judge``, known by the key of its calls."""
    words = ["judge", str(folder), "--concurrency", "4"]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "KEY": key},
    )


def wait_for_calls(server: Server, number: int, child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(server.calls) < number and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)


def test_killed_again_and_again_it_comes_to_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with judge_server() as server:
        whole = make_study(tmp_path / "whole", server.url, items=50)
        whole.run()
        wanted = rows(whole)
    rng = random.Random(5)
    most = 0
    refused: set[int] = set()

    def enough(number: int, body: dict[str, Any]) -> Response | None:
        """Let nobody be done before their end comes, however late that is."""
        if number < most:
            return None
        refused.add(number)
        return status(429, retry_after="1")

    with judge_server(fault=enough, wait=0.01) as server:
        ready = make_study(tmp_path / "killed", server.url, items=50, judge={"key_env": "KEY"})
        journal = ready.folder / "judges" / "j1.jsonl"
        kept = 0
        ends = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
        for end, key in zip(ends, ("first", "second", "third", "fourth"), strict=True):
            before = len(server.calls)
            most = before + 20
            child = started(ready.folder, key)
            wait_for_calls(server, before + rng.randint(1, 12), child)
            child.send_signal(end)
            said = child.communicate()[1].decode()
            assert "Traceback" not in said
            stopped = "j1: every reply that came is kept, and the same command goes on"
            assert (stopped in said) is (end == signal.SIGINT)
            now = journal.read_bytes().count(b"\n")
            # Whatever was answered is in the journal, but the calls on the way.
            assert server.calls_with(key, but=refused) <= now - kept + 4
            kept = now
        most = sys.maxsize
        monkeypatch.setenv("KEY", "ours")
        ready.run()
        assert server.calls_with("ours") == 100 - kept
    assert rows(ready) == wanted
    keys = Counter(json.loads(line)["key"] for line in journal.read_text().splitlines())
    assert (len(keys), max(keys.values())) == (100, 1)


def test_two_runs_of_one_judge_do_not_pay_for_the_same_calls(tmp_path: Path) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url, items=2)
        path = tmp_path / "judges" / "j1.jsonl"
        with Journal(path), pytest.raises(JudgeError, match="written by another run of this judge"):
            ready.run()
        assert server.calls == []
        ready.run()
        # It can be looked at meanwhile: what is left is told without a lock.
        with Journal(path) as journal:
            left = estimate_left(
                ready.calls(), ready.study, ready.material, ready.store, folder=tmp_path / "judges"
            )
            assert (left.calls, journal.calls) == (0, 4)


def test_a_full_disk_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url, items=20)
        script = (
            "import resource, signal\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "from jurybox.judges import journal\n"
            "opened = journal.Journal.__init__\n"
            "def limited(self, *args, **options):\n"
            "    opened(self, *args, **options)\n"
            "    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, -1))\n"
            "journal.Journal.__init__ = limited\n" + COMMAND
        )
        command = [sys.executable, "-c", script, "judge", str(tmp_path), "--concurrency", "1"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        # The journal or the database, whichever finds no room first.
        assert re.search(r"j1\.jsonl cannot be written: |study\.db: the database", done.stderr)
        assert "Traceback" not in done.stderr
        whole = (tmp_path / "judges" / "j1.jsonl").read_bytes().count(b"\n")
        asked = len(server.calls)
        assert whole < 20
        ready.run()
        # The reply that found no room is asked for again, and no other.
        assert len(server.calls) - asked == 40 - whole
    assert len(rows(ready)) == 40


def test_a_line_that_is_not_whole_is_followed_by_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "j1.jsonl")
    file = journal._file

    class Full:
        def write(self, line: bytes) -> int:
            assert file is not None
            return file.write(line[:5])

        def close(self) -> None:
            assert file is not None
            file.close()

    monkeypatch.setattr(journal, "_file", Full())
    for _ in range(2):
        with pytest.raises(JudgeError, match="cannot be written: the disk is full"):
            journal.write("key", Said(text="said"))
    journal.close()
    assert (tmp_path / "j1.jsonl").read_bytes() == b'{"key'
    with Journal(tmp_path / "j1.jsonl") as again:
        assert again.calls == 0


def test_a_store_that_fails_ends_the_run_and_the_replies_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise StoreError("study.db: the database cannot be used now: database or disk is full.")

    with judge_server() as server:
        ready = make_study(tmp_path, server.url, items=30)
        with monkeypatch.context() as patched:
            patched.setattr(Store, "submit_many", fail)
            patched.setattr("jurybox.judges.run.BATCH", 1)
            with pytest.raises(StoreError, match="disk is full"):
                ready.run(concurrency=2)
        assert len(server.calls) < 60  # it does not go on asking what cannot be stored
        journal = tmp_path / "judges" / "j1.jsonl"
        kept = journal.read_bytes()
        assert kept
        assert ready.run().answered == 60
        assert journal.read_bytes().startswith(kept)
        assert journal.read_bytes().count(b"\n") == 60
        assert len(server.calls) <= 60 + 2  # two were on their way


def test_a_budget_that_is_enough_is_enough_however_many_are_on_the_way(tmp_path: Path) -> None:
    price = {"price_in": 1000.0, "price_out": 1000.0}
    with judge_server() as server:
        whole = make_study(tmp_path / "whole", server.url, items=20, judge=price).run()
        assert whole.cost is not None
        # Sixteen worst cases at once would not fit into it; they are waited for.
        enough = {**price, "budget": whole.cost + 4.0}
        summary = make_study(tmp_path / "enough", server.url, items=20, judge=enough).run()
    assert (summary.answered, summary.over_budget) == (40, False)


@pytest.mark.parametrize("tokens", [1, 2, 4])
def test_the_budget_holds_for_scripts_with_many_tokens(tmp_path: Path, tokens: int) -> None:
    """The endpoint counts up to a token for every byte; not a call too many is made."""
    words = {(n, system): "答案很好。" * 40 for n in range(60) for system in ("ada", "bob")}

    def fault(number: int, body: dict[str, Any]) -> Response:
        reply = completion('{"overall": {"reason": "r", "value": "A"}}', body)
        size = len("".join(one["content"] for one in body["messages"]).encode())
        reply["usage"] = {"prompt_tokens": size * tokens // 4, "completion_tokens": 600}
        return JSONResponse(reply)

    judge = {"price_in": 1000.0, "price_out": 1000.0, "budget": 40.0}
    with judge_server(fault=fault) as server:
        ready = make_study(tmp_path, server.url, items=60, judge=judge, texts=words)
        summary = ready.run(concurrency=16)
        again = ready.run(concurrency=16)
    assert summary.over_budget
    assert summary.cost is not None
    assert summary.cost <= 40.0
    # Less than two worst calls are left of it: 4 × the estimate in, and 600 tokens out.
    each = summary.cost / summary.calls
    assert summary.cost > 40.0 - 2 * 4 * each
    assert again.calls <= summary.calls + 1


def test_a_changed_prompt_is_asked_anew_and_counts_instead(tmp_path: Path) -> None:
    def ready_with(words: str) -> Ready:
        return make_study(tmp_path, server.url, items=3, instructions=words)

    with judge_server() as server:
        ready_with("Judge by the words alone.").run()
        summary = ready_with("Judge by the facts alone.").run()
        assert len(server.calls) == 12
    assert (summary.total, summary.answered) == (6, 6)
    store = Store.open(tmp_path / "study.db", secret=b"secret")
    # Both are kept, and the table holds each trial and order once.
    assert len(store.table("submissions")["id"]) == 12
    assert len(store.table("votes")["trial"]) == 6


def test_going_back_to_an_older_prompt_counts_its_answers_again(tmp_path: Path) -> None:
    def ready_with(words: str) -> Ready:
        return make_study(tmp_path, server.url, items=3, instructions=words)

    def counting() -> tuple[dict[Any, Any], set[str]]:
        """The answers that stand, by trial and order, and the prompts that they answer."""
        recorded = ready.store.submissions()
        standing = [one.submission for one in recorded if one.status == "answered"]
        answers = {(one.trial, one.order): one.answers for one in standing}
        assert len(answers) == len(standing) == len(ready.store.table("votes")["trial"])
        return answers, {(one.timing or {})["call"]["prompt"] for one in standing}

    with judge_server() as server:
        ready = ready_with("Judge by the words alone.")
        ready.run()
        first = counting()
        server.planted = replace(server.planted, position=5.0)
        ready = ready_with("Judge by the facts alone.")
        ready.run()
        second = counting()
        assert len(server.calls) == 12
        for words, wanted in (("words", first), ("facts", second), ("words", first)):
            ready = ready_with(f"Judge by the {words} alone.")
            summary = ready.run()
            assert (summary.total, summary.answered) == (6, 6)
            assert counting() == wanted
            ready.run()  # nothing is stated twice
        # Six answers to each prompt, and three times six stated again; none is paid for again.
        assert len(ready.store.submissions()) == 30
        assert len(server.calls) == 12
    assert not first[1] & second[1]


def test_what_is_no_longer_asked_counts_no_more_and_counts_again_when_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def counted(words: str, **judge: Any) -> tuple[int, Counter[tuple[str, int]]]:
        """What is set aside now, and how many rows count by what was shown first and repeat."""
        ready = make_study(tmp_path, server.url, items=3, judge=judge, instructions=words)
        summary = ready.run()
        again = ready.run()
        assert (again.set_aside, again.answered, again.waiting) == (0, summary.total, 0)
        votes = ready.store.table("votes")
        ready.store.close()
        return summary.set_aside, Counter(zip(votes["first"], votes["repeat"], strict=True))

    with judge_server() as server:
        both = {("a", 0): 3, ("b", 0): 3, ("a", 1): 3, ("b", 1): 3}
        assert counted("One.", repeats=2) == (0, both)
        # 6 of the other order and 3 of the second repeat of this one are left out.
        assert counted("One.", order="fixed") == (9, {("a", 0): 3})
        assert run_command(["analyze", str(tmp_path)]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "9 answers of j1 left out: to an order, a repeat or a trial that the study" in said
        assert counted("One.", repeats=2) == (0, both)
        assert counted("One.", trials=["i1"], order="fixed") == (11, {("a", 0): 1})
        assert len(server.calls) == 12
        # With another prompt what is asked is asked anew, and the older prompt can come back.
        assert counted("Two.") == (0, {("a", 0): 3, ("b", 0): 3})
        assert counted("One.", repeats=2) == (0, both)
        assert len(server.calls) == 18


def test_both_databases_hold_the_same(tmp_path: Path, fresh_postgres: str) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url, items=3)
        ready.run()
        wanted = rows(ready)
        os.rename(tmp_path / "judges", tmp_path / "judges-of-the-other")
        words = ["judge", str(tmp_path), "--database", fresh_postgres]
        assert run_command(words) == 0
        assert run_command(words) == 0
        assert len(server.calls) == 12
    other = Store.open(fresh_postgres, secret=b"secret")
    assert rows(Ready(ready.study, ready.material, ready.plan, other, tmp_path)) == wanted
    other.close()
