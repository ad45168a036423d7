"""What endpoints do: limits, waits, moved addresses, settings not taken, keys repeated."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from jurybox.errors import JudgeError
from jurybox.judges.endpoint import ATTEMPTS, Endpoint, said_of
from jurybox.study.model import RaterId
from jurybox.study.settings import Judge
from tests.judges.server import Planted, at_first, completion, judge_server, status, verdict
from tests.judges.studies import make_study


def refusal(words: str, status_code: int = 400, **more: Any) -> Response:
    return JSONResponse({"error": {"message": words, **more}}, status_code=status_code)


@pytest.mark.parametrize("concurrency", [1, 16])
def test_settings_that_a_thinking_model_does_not_take_are_left_out_and_it_is_said(
    tmp_path: Path, concurrency: int
) -> None:
    def fault(number: int, body: dict[str, Any]) -> Response | None:
        if "max_tokens" in body:
            return refusal("'max_tokens' is not supported; use 'max_completion_tokens' instead.")
        for part in ("temperature", "seed"):
            if part in body:
                return refusal(f"Unsupported value: '{part}' does not support {body[part]}.")
        return None

    with judge_server(fault=fault, wait=0.02) as server:
        ready = make_study(tmp_path, server.url, items=8, judge={"seed": 7})
        summary = ready.run(concurrency=concurrency)
    # Calls that were on the way while another one learned it are asked again, not given up.
    assert (summary.answered, summary.unusable) == (16, 0)
    assert summary.without == ("seed", "temperature")
    last = server.calls[-1]
    assert last["max_completion_tokens"] == 600
    assert not {"max_tokens", "temperature", "seed"} & set(last)
    kept = ready.store.submissions(rater=RaterId("j1"))[0].submission.timing["call"]
    assert (kept["temperature"], kept["seed"]) == (None, None)


def test_many_calls_at_once_do_not_unlearn_schemas_twice(tmp_path: Path) -> None:
    def fault(number: int, body: dict[str, Any]) -> Response | None:
        strict = body.get("response_format", {}).get("type") == "json_schema"
        if strict:
            return refusal("response_format json_schema is not supported")
        return JSONResponse(completion('{"overall": {"reason": "r", "value": "A"}}', body))

    with judge_server(fault=fault, wait=0.02) as server:
        ready = make_study(tmp_path, server.url, items=8)
        assert ready.run(concurrency=16).answered == 16
    assert server.calls[-1]["response_format"] == {"type": "json_object"}


def test_a_thinking_model_may_write_more(tmp_path: Path) -> None:
    with judge_server() as server:
        make_study(tmp_path, server.url, items=1, judge={"max_tokens": 9000}).run()
    assert {body["max_tokens"] for body in server.calls} == {9000}


def test_a_reply_that_was_cut_off_is_asked_again_with_more_tokens(tmp_path: Path) -> None:
    def fault(_: int, body: dict[str, Any]) -> Response | None:
        if body["max_tokens"] >= 9000:
            return None
        reply = completion('{"overall": {"rea', body)
        reply["choices"][0]["finish_reason"] = "length"
        return JSONResponse(reply)

    with judge_server(fault=fault) as server:
        found = make_study(tmp_path, server.url, items=1).run()
        assert (found.answered, found.unusable) == (0, 2)
        found = make_study(tmp_path, server.url, items=1, judge={"max_tokens": 9000}).run()
    assert (found.answered, found.unusable) == (2, 0)


def test_every_repeat_has_a_seed_of_its_own(tmp_path: Path) -> None:
    with judge_server() as server:
        ready = make_study(
            tmp_path, server.url, items=1, judge={"seed": 7, "repeats": 3, "order": "fixed"}
        )
        ready.run()
    assert sorted(body["seed"] for body in server.calls) == [7, 8, 9]
    sent = ready.store.submissions(rater=RaterId("j1"))
    told = {one.submission.repeat: one.submission.timing["call"]["seed"] for one in sent}
    assert told == {0: 7, 1: 8, 2: 9}


def trickle() -> Response:
    """An answer of which a byte comes now and then, until nobody listens any more."""

    async def some() -> Any:
        while True:
            yield b" "
            await asyncio.sleep(0.05)

    return StreamingResponse(some(), media_type="application/json")


def test_slow_bytes_do_not_hold_a_call_for_ever(tmp_path: Path, quick: None) -> None:
    with judge_server(fault=lambda number, body: trickle() if number == 0 else None) as server:
        ready = make_study(tmp_path, server.url, items=1, judge={"order": "fixed"})
        summary = ready.run(timeout=4.0)  # a hundred times what the second call takes
    assert (summary.answered, len(server.calls)) == (1, 2)


def test_a_limit_of_one_at_a_time_is_waited_for_by_all(tmp_path: Path) -> None:
    free_at = 0.0

    def fault(number: int, body: dict[str, Any]) -> Response | None:
        # Of sixteen callers one is served in 20 ms: the last waits longer than for what is broken.
        nonlocal free_at
        if time.monotonic() < free_at:
            return status(429, retry_after_ms="5")
        free_at = time.monotonic() + 0.02
        return None

    with judge_server(fault=fault) as server:
        ready = make_study(tmp_path, server.url, items=20)
        summary = ready.run(concurrency=16)
    assert (summary.answered, summary.waiting) == (40, 0)


def test_whoever_is_turned_away_stays_in_line_while_others_get_through(
    tmp_path: Path, quick: None
) -> None:
    asked: Counter[bool] = Counter()

    def fault(number: int, body: dict[str, Any]) -> Response | None:
        # One question has no luck until nearly all others are answered.
        first = "Question 0?" in json.dumps(body)
        asked[first] += 1
        return status(429, retry_after_ms="1") if first and asked[False] < 35 else None

    with judge_server(fault=fault) as server:
        ready = make_study(tmp_path, server.url, items=40, judge={"order": "fixed"})
        summary = ready.run(concurrency=2)
    assert (summary.answered, summary.waiting) == (40, 0)
    assert asked[True] > ATTEMPTS


def test_a_wait_that_proves_too_short_is_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def no_wait(self: Endpoint) -> None:
        waits.append(self._pause_until - time.monotonic())
        self._pause_until = 0.0

    monkeypatch.setattr(Endpoint, "_ready", no_wait)
    with judge_server(fault=at_first(lambda: status(429, retry_after="16"), times=5)) as server:
        ready = make_study(tmp_path, server.url, items=1, judge={"order": "fixed"})
        assert ready.run().answered == 1
    # What the server says, then 2 × and, instead of 4 × 16, the minute that is the longest.
    assert [round(wait / 4) * 4 for wait in waits[1:]] == [16, 32, 60, 60, 60]


def test_a_server_says_how_long_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jurybox.judges.endpoint.LONGEST_WAIT", 0.01)
    at: list[float] = []

    def fault(number: int, body: dict[str, Any]) -> Response | None:
        at.append(time.monotonic())
        return status(429, retry_after="0.6") if number == 0 else None

    with judge_server(fault=fault) as server:
        make_study(tmp_path, server.url, items=1, judge={"order": "fixed"}).run()
    # The wait of one's own would have been a hundredth of a second.
    assert at[1] - at[0] >= 0.6


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: status(429, retry_after="3600"), "asks to wait for 3,600 seconds"),
        (
            lambda: refusal("You have no credits.", 429, code="insufficient_quota"),
            "has no quota left for this key: You have no credits.",
        ),
        (lambda: refusal("Insufficient balance", 402), "refuses a call without key: Insufficient"),
        (
            lambda: Response(status_code=307, headers={"location": "http://127.0.0.1:9/else"}),
            "sends its callers on to http://127.0.0.1:9/else",
        ),
        (
            lambda: PlainTextResponse("<html>nothing here</html>", 404),
            "ends in /v1: Error code: 404",
        ),
        (lambda: refusal("At most 0 images"), "no call was taken. The endpoint refused the call"),
        (lambda: PlainTextResponse("<html>too large</html>", 413), "no call was taken"),
    ],
)
def test_what_waiting_does_not_help_ends_the_run_and_spoils_no_row(
    tmp_path: Path, answer: Any, said: str
) -> None:
    with judge_server(fault=lambda number, body: answer()) as server:
        ready = make_study(tmp_path, server.url, items=30)
        with pytest.raises(JudgeError, match=said):
            ready.run(concurrency=4)
        # 20 refusals in a row are enough, and those on the way with the last of them.
        assert len(server.calls) <= 24
    assert not ready.store.submissions(rater=RaterId("j1"))


def test_a_server_that_is_gone_is_given_up(tmp_path: Path, quick: None) -> None:
    with judge_server(fault=lambda number, body: status(503)) as server:
        ready = make_study(tmp_path, server.url, items=100)
        summary = ready.run(concurrency=4)
    # 20 calls in a row, those on the way with them, 6 attempts each; not 200 × 6.
    assert len(server.calls) <= 24 * 6
    assert (summary.waiting, summary.trouble) == (200, "status 503")


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "provider is down", "code": 502}},
        {"choices": []},
        {"choices": [{"message": None}]},
        {"choices": "none"},
        [],
        None,
    ],
)
def test_an_error_that_comes_as_a_success_is_tried_again(
    tmp_path: Path, body: Any, quick: None
) -> None:
    def fault(number: int, asked: dict[str, Any]) -> Response | None:
        return JSONResponse(body) if number == 0 else None

    with judge_server(fault=fault) as server:
        ready = make_study(tmp_path, server.url, items=1, judge={"order": "fixed"})
        assert ready.run().answered == 1
    assert len(server.calls) == 2


def test_a_server_that_is_not_there_is_told_from_one_that_is_slow(
    tmp_path: Path, quick: None
) -> None:
    # Somebody forgot to start it, and waited for minutes without a word.
    ready = make_study(tmp_path, "http://127.0.0.1:1/v1", items=1, judge={"order": "fixed"})
    said = (
        r"judges\.j1: no model answers at http://127\.0\.0\.1:1/v1 \(no connection: Cannot connect"
    )
    with pytest.raises(JudgeError, match=said) as caught:
        ready.run()
    assert str(caught.value).endswith(
        "; start the server there, or correct the URL, which mostly ends in /v1."
    )


def test_a_page_in_the_place_of_a_model_is_told_at_once(tmp_path: Path, quick: None) -> None:
    with judge_server(fault=lambda number, body: Response("<html>Hello</html>")) as server:
        ready = make_study(tmp_path, server.url, items=50)
        with pytest.raises(JudgeError, match=r"no model answers at .*an answer that is not JSON"):
            ready.run()


def test_what_such_an_error_says_is_passed_on(tmp_path: Path, quick: None) -> None:
    said = {"error": {"message": "provider is down"}}
    with judge_server(fault=lambda number, body: JSONResponse(said)) as server:
        ready = make_study(tmp_path, server.url, items=1, judge={"order": "fixed"})
        assert ready.run().trouble == "an error: provider is down"


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "refusal": "I cannot judge this."},
        {"content": ""},
        {"content": None, "reasoning_content": "I think that A is better."},
        {"content": "half a character: \ud800"},
    ],
)
def test_a_reply_without_an_answer_is_asked_again_and_kept(
    tmp_path: Path, message: dict[str, Any]
) -> None:
    def fault(number: int, body: dict[str, Any]) -> Response:
        reply = completion("", body)
        reply["choices"][0]["message"] = {"role": "assistant", **message}
        # As it comes over the wire: half a character can be spelled, but not encoded.
        return Response(json.dumps(reply), media_type="application/json")

    with judge_server(fault=fault) as server:
        ready = make_study(tmp_path, server.url, items=1, judge={"order": "fixed"})
        summary = ready.run()
    assert (summary.unusable, summary.calls) == (1, 2)
    (kept,) = ready.store.submissions(rater=RaterId("j1"))
    raw = message.get("refusal") or (message["content"] or "").replace("\ud800", "?")
    assert (kept.submission.comment or "") == raw


def test_no_message_repeats_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret\n")  # as from a file, with its end of line

    def fault(number: int, body: dict[str, Any]) -> Response:
        return refusal("Incorrect API key provided: sk-very-secret.", 401)

    with judge_server(fault=fault) as server:
        ready = make_study(tmp_path, server.url, items=2, judge={"key_env": "MY_KEY"})
        with pytest.raises(JudgeError, match="refuses the key in MY_KEY: Incorrect") as error:
            ready.run()
    assert "very-secret" not in str(error.value)
    assert server.headers[0]["authorization"] == "Bearer sk-very-secret"
    monkeypatch.setenv("MY_KEY", "sk-very-sécret")
    with pytest.raises(JudgeError, match="MY_KEY holds characters that no key has") as error:
        ready.run()
    assert "sécret" not in str(error.value)


def test_tokens_that_are_not_counted_are_estimated_without_the_data_of_pictures() -> None:
    judge = Judge(model="m", endpoint="http://127.0.0.1:1/v1")
    reply = {"choices": [{"message": {"content": "twelve bytes"}}]}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 99_999}}
    content = [{"type": "text", "text": "x" * 400}, picture]
    said = said_of(reply, [{"role": "user", "content": content}], judge, ms=1)
    # 400 bytes are about 100 tokens, a picture about 1000, and 12 bytes 3
    assert (said.tokens_in, said.tokens_out, said.estimated) == (1100, 3, True)


def test_the_planted_verdict_is_what_the_form_asks_for(tmp_path: Path) -> None:
    """A server without schemas but with thoughts: only what follows them is the reply."""

    def fault(number: int, body: dict[str, Any]) -> Response:
        text = "<think>{A} or {B}? {</think>\n" + verdict(body, Planted())
        return JSONResponse(completion(text, body))

    with judge_server(fault=fault) as server:
        assert make_study(tmp_path, server.url, items=2).run().answered == 4
