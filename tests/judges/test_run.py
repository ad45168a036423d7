"""A judge at work: over real sockets, with the real client, and with everything that goes wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from jurybox.errors import JudgeError
from jurybox.study.model import RaterId
from tests.judges.server import (
    Planted,
    at_first,
    broken,
    completion,
    cut_off,
    judge_server,
    says,
    status,
    verdict,
)
from tests.judges.studies import Ready, make_study, now
from tests.patience import PATIENCE


def rows(ready: Ready, name: str = "j1") -> list[tuple[Any, ...]]:
    """Every answer of a judge, in an order that does not depend on when it came."""
    sent = ready.store.submissions(rater=RaterId(name))
    return sorted(
        (
            one.submission.trial,
            one.submission.order,
            one.submission.repeat,
            one.submission.status,
            one.submission.reason,
            one.submission.answers,
        )
        for one in sent
    )


def test_two_systems_may_give_the_same_answer(tmp_path: Path) -> None:
    same = {(n, system): "Yes, quality 0.8." for n in range(2) for system in ("ada", "bob")}
    with judge_server() as server:
        ready = make_study(
            tmp_path, server.url, protocol="rate", items=2, texts=same,
            criteria={"fit": {"question": "Fit?", "scale": "acr"}},
        )  # fmt: skip
        summary = ready.run()
        again = ready.run()
    # 2 items × 2 systems are four trials, each with an answer of its own; nothing is asked twice.
    assert (summary.total, summary.answered, again.answered) == (4, 4, 4)
    assert len(server.calls) == 4
    assert len({row[0] for row in rows(ready)}) == 4


def test_verdicts_are_turned_back_to_the_systems_whatever_the_order(tmp_path: Path) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url)
        summary = ready.run()
    # 6 items × one pair × both orders
    assert (summary.total, summary.answered, summary.unusable) == (12, 12, 0)
    assert len(server.calls) == 12
    votes = [(row[1], row[5][0].winner, row[5][0].first) for row in rows(ready)]
    # ada is the better one and canonical a: in either order she wins.
    assert sorted(set(votes)) == [((0, 1), "a", "a"), ((1, 0), "a", "b")]


def test_a_judge_and_a_person_do_not_share_a_name(tmp_path: Path) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url)
        ready.store.enroll(RaterId("j1"), now=now())
        with pytest.raises(
            JudgeError, match=r"judges\.j1: a person of this study has the same name"
        ):
            ready.run()
    assert server.calls == []


def test_no_system_name_leaves_the_machine(tmp_path: Path) -> None:
    with judge_server() as server:
        make_study(tmp_path, server.url, systems={"ada": 0.8, "bob": 0.4}).run()
    sent = json.dumps([server.calls, server.headers])
    assert "ada" not in sent
    assert "bob" not in sent


def test_the_prompt_is_stored_by_its_hash_with_what_it_cost(tmp_path: Path) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url, judge={"price_in": 2.0, "price_out": 10.0})
        summary = ready.run()
    first = ready.store.submissions(rater=RaterId("j1"))[0].submission
    call = first.timing["call"]
    prompts = {one.key: one.prompt.hash for one in ready.calls()}
    assert call["prompt"] == prompts[first.id]
    assert call["model"] == "m-0613"
    expected = (call["tokens_in"] * 2.0 + call["tokens_out"] * 10.0) / 1e6
    assert call["cost"] == pytest.approx(expected)
    assert summary.cost == pytest.approx(
        (summary.tokens_in * 2.0 + summary.tokens_out * 10.0) / 1e6
    )


def test_an_invalid_reply_is_asked_again_with_its_error(tmp_path: Path) -> None:
    asked: list[Any] = []

    def fault(number: int, body: dict[str, Any]) -> Response | None:
        asked.append(body["messages"])
        if len(body["messages"]) == 2:
            bad = '{"overall": {"reason": "r", "value": "C"}}'
            return JSONResponse(completion(bad, body))
        return None

    with judge_server(fault=fault) as server:
        ready = make_study(tmp_path, server.url, items=1, judge={"order": "fixed"})
        summary = ready.run()
    assert (summary.answered, summary.unusable, summary.calls) == (1, 0, 2)
    again = asked[1]
    assert again[2] == {
        "role": "assistant",
        "content": '{"overall": {"reason": "r", "value": "C"}}',
    }
    assert "'overall' must be one of A, B, tie; got \"C\"." in again[3]["content"]


def test_a_reply_that_stays_invalid_is_kept_as_it_is(tmp_path: Path) -> None:
    with judge_server(fault=says("I like both of them.")) as server:
        ready = make_study(tmp_path, server.url, items=1, judge={"order": "fixed"})
        summary = ready.run()
    assert (summary.answered, summary.unusable, summary.calls) == (0, 1, 2)
    (kept,) = ready.store.submissions(rater=RaterId("j1"))
    assert kept.submission.status == "unusable"
    assert kept.submission.answers == ()
    assert kept.submission.comment == "I like both of them."
    assert kept.submission.reason == "The reply has no JSON object."


def test_a_reply_that_was_cut_off_is_not_read(tmp_path: Path) -> None:
    def fault(number: int, body: dict[str, Any]) -> Response:
        reply = completion(verdict(body, Planted()), body)
        reply["choices"][0]["finish_reason"] = "length"
        return JSONResponse(reply)

    with judge_server(fault=fault) as server:
        ready = make_study(tmp_path, server.url, items=1, judge={"order": "fixed"})
        assert ready.run().unusable == 1


@pytest.mark.parametrize(
    "trouble",
    [
        lambda: status(429, retry_after="0"),
        lambda: status(429, retry_after_ms="10"),
        lambda: status(500, retry_after="0"),
        lambda: status(503, retry_after="0"),
        broken,
        cut_off,
    ],
)
def test_what_passes_is_waited_for(tmp_path: Path, trouble: Any, quick: None) -> None:
    with judge_server(fault=at_first(trouble, times=2)) as server:
        ready = make_study(tmp_path, server.url)
        summary = ready.run(concurrency=2)
    assert (summary.answered, summary.waiting) == (12, 0)
    # Each of 12 questions fails twice and is answered at the third attempt.
    assert (len(server.calls), len(rows(ready))) == (36, 12)


def test_of_six_attempts_the_last_is_enough(tmp_path: Path, quick: None) -> None:
    with judge_server(fault=at_first(cut_off, times=5)) as server:
        ready = make_study(tmp_path, server.url, items=1, judge={"order": "fixed"})
        assert (ready.run().answered, len(server.calls)) == (1, 6)


def test_what_does_not_pass_is_left_to_be_asked_another_time(tmp_path: Path, quick: None) -> None:
    with judge_server(fault=lambda number, body: status(503, retry_after="0")) as server:
        ready = make_study(tmp_path, server.url, items=2)
        summary = ready.run()
    assert (summary.answered, summary.unusable, summary.waiting) == (0, 0, 4)
    assert summary.trouble == "status 503"
    assert rows(ready) == []


@pytest.mark.parametrize(
    ("code", "said"),
    [(401, "refuses a call without key"), (403, "refuses"), (404, "does not know the model 'm'")],
)
def test_what_will_not_pass_ends_the_run_with_a_sentence(
    tmp_path: Path, code: int, said: str
) -> None:
    with judge_server(fault=lambda number, body: status(code)) as server:
        ready = make_study(tmp_path, server.url)
        with pytest.raises(JudgeError, match=said):
            ready.run()


def test_a_call_that_the_endpoint_refuses_is_unusable_and_the_rest_goes_on(tmp_path: Path) -> None:
    def fault(number: int, body: dict[str, Any]) -> Response | None:
        long = "Question 0" in json.dumps(body)
        words = "This model's maximum context length is 8 tokens"
        return JSONResponse({"error": {"message": words}}, status_code=400) if long else None

    with judge_server(fault=fault) as server:
        ready = make_study(tmp_path, server.url, items=3)
        summary = ready.run()
    assert (summary.answered, summary.unusable) == (4, 2)
    reasons = {row[4] for row in rows(ready) if row[3] == "unusable"}
    assert reasons == {
        "The endpoint refused the call: This model's maximum context length is 8 tokens"
    }


def test_an_endpoint_without_schemas_is_asked_plainly(tmp_path: Path) -> None:
    with judge_server(schema=False) as server:
        ready = make_study(tmp_path, server.url)
        summary = ready.run(concurrency=1)
    assert summary.answered == 12
    forms = [body.get("response_format", {}).get("type", "text") for body in server.calls]
    # It learns once, and does not try again with every call.
    assert forms == ["json_schema", "json_object", *["text"] * 12]


def test_a_second_run_asks_nothing_that_was_answered(tmp_path: Path) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url)
        first = ready.run()
        before = rows(ready)
        second = ready.run()
        assert len(server.calls) == 12
    assert (second.answered, second.calls) == (first.answered, 12)
    assert rows(ready) == before


def test_a_kill_between_reply_and_store_costs_no_second_call(tmp_path: Path) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url)
        ready.run()
        wanted = rows(ready)
        # The journal has every reply; the store is as if nothing had been stored.
        ready.store.close()  # or what it has not yet moved into the file would outlive it
        (tmp_path / "study.db").unlink()
        again = make_study(tmp_path, server.url)
        summary = again.run()
        assert len(server.calls) == 12
    assert summary.answered == 12
    assert rows(again) == wanted


@pytest.mark.parametrize("after", [0.05, 0.2, 0.4])
def test_a_run_killed_at_any_point_goes_on_where_it_was(
    tmp_path: Path, after: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "ours")  # what a killed process sent may arrive after its end
    with judge_server() as server:
        whole = make_study(tmp_path / "whole", server.url, items=40)
        whole.run()
        wanted = rows(whole)
    with judge_server(wait=0.02) as server:
        ready = make_study(tmp_path / "killed", server.url, items=40, judge={"key_env": "KEY"})
        script = textwrap.dedent(
            """
            import sys
            from pathlib import Path
            from jurybox.cli import main
            sys.argv = ["jurybox", "judge", sys.argv[1], "--concurrency", "4"]
            main()
            """
        )
        child = subprocess.Popen(
            [sys.executable, "-c", script, str(ready.folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "KEY": "theirs"},
        )
        deadline = time.monotonic() + PATIENCE
        while not server.calls and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(after)  # any moment will do
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        journal = (ready.folder / "judges" / "j1.jsonl").read_bytes().count(b"\n")
        summary = ready.run()
    assert summary.answered == 80
    # What had come back is not asked again; only what was on the way when it was killed is.
    assert server.calls_with("ours") == 80 - journal
    assert server.calls_with("theirs") - journal <= 4
    assert rows(ready) == [*wanted]


def test_the_budget_is_a_hard_stop(tmp_path: Path) -> None:
    price = {"price_in": 1000.0, "price_out": 1000.0}
    with judge_server() as server:
        ready = make_study(tmp_path, server.url, items=50, judge={**price, "budget": 5.0})
        summary = ready.run(concurrency=8)
    assert summary.over_budget
    assert summary.cost is not None
    assert 0 < summary.cost <= 5.0
    assert summary.waiting == 100 - summary.answered > 0
    # The answers that were paid for are stored.
    assert len(rows(ready)) == summary.answered == len(server.calls)


def test_the_key_comes_from_the_environment_and_is_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url, items=2, judge={"key_env": "MY_KEY"})
        with pytest.raises(JudgeError, match="environment variable MY_KEY is not set"):
            ready.run()
        monkeypatch.setenv("MY_KEY", "sk-very-secret")
        ready.run()
    assert {one["authorization"] for one in server.headers} == {"Bearer sk-very-secret"}
    ready.store.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"sk-very-secret" not in kept


def test_repeats_and_orders_have_rows_of_their_own(tmp_path: Path) -> None:
    with judge_server(Planted(noise=0.3)) as server:
        ready = make_study(tmp_path, server.url, items=3, judge={"repeats": 3})
        assert ready.run().answered == 18
    votes = ready.store.table("votes")
    assert len(votes["trial"]) == 18
    assert sorted(set(zip(votes["first"], votes["repeat"], strict=True))) == [
        (first, repeat) for first in ("a", "b") for repeat in range(3)
    ]


def test_a_share_of_the_trials_is_the_same_for_every_judge(tmp_path: Path) -> None:
    judges = {
        name: {"model": name, "endpoint": "http://127.0.0.1:1/v1", "trials": 0.3}
        for name in ("j1", "j2")
    }
    ready = make_study(tmp_path, items=200, judges=judges)
    one, two = ready.calls("j1"), ready.calls("j2")
    assert one.trials == two.trials
    # 200 trials with a chance of 0.3: 60 ± 4 × 6.5
    assert 34 <= len(one.trials) <= 86


def test_a_spoiled_journal_is_named_and_a_cut_line_is_not(tmp_path: Path) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url, items=2)
        ready.run()
        path = tmp_path / "judges" / "j1.jsonl"
        whole = path.read_bytes()
        path.write_bytes(whole[:-5])
        ready.store.close()  # or what it has not yet moved into the file would outlive it
        (tmp_path / "study.db").unlink()
        ready = make_study(tmp_path, server.url, items=2)
        ready.run()
        assert len(server.calls) == 5  # four, and the one whose line was cut
        assert path.read_bytes().count(b"\n") == 4
        path.write_bytes(b"spoiled\n" + whole)
        with pytest.raises(JudgeError, match=r"j1\.jsonl:1 is not a line of this journal"):
            ready.run()
