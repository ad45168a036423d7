"""`jurybox judge` as it is typed: what is shown, estimated, asked and said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jurybox.cli.app import run
from tests.judges.server import Planted, completion, judge_server, says, verdict
from tests.judges.studies import make_study

Said = pytest.CaptureFixture[str]
PRICE = {"price_in": 2.0, "price_out": 10.0}


def test_the_prompt_is_shown_with_its_hash_and_nothing_is_asked(
    tmp_path: Path, capsys: Said
) -> None:
    with judge_server() as server:
        ready = make_study(tmp_path, server.url)
        assert run(["judge", str(tmp_path), "--show-prompt"]) == 0
        assert server.calls == []
    shown = capsys.readouterr()
    prompt = next(iter(ready.calls())).prompt
    assert shown.out == f"{prompt}\n"
    assert shown.err == f"prompt {prompt.hash}\n"
    assert not (tmp_path / "judges").exists()


def test_the_estimate_is_close_before_and_tells_what_is_left_after(
    tmp_path: Path, capsys: Said
) -> None:
    def estimate() -> dict[str, Any]:
        assert run(["judge", str(tmp_path), "--dry-run", "--json"]) == 0
        (made,) = json.loads(capsys.readouterr().out)
        assert isinstance(made, dict)
        return made

    with judge_server() as server:
        make_study(tmp_path, server.url, items=20, judge={**PRICE, "budget": 0.02})
        before = estimate()
        assert server.calls == []
        assert not (tmp_path / "judges").exists()
        assert before["calls"] == 40
        assert run(["judge", str(tmp_path), "--json"]) == 1
        (made,) = json.loads(capsys.readouterr().out)
        assert made["over_budget"]
        after = estimate()
    asked = made["calls"]
    assert 0 < asked < 40
    # The server counts a token for four characters of the messages as they are sent.
    assert before["tokens_in"] / 40 == pytest.approx(made["tokens_in"] / asked, rel=0.2)
    assert after["calls"] == 40 - asked
    assert after["cost"] == pytest.approx(made["cost"] / asked * (40 - asked), rel=0.01)


def test_a_run_is_summed_up_in_a_sentence(tmp_path: Path, capsys: Said) -> None:
    with judge_server() as server:
        make_study(tmp_path, server.url, judge=PRICE)
        assert run(["judge", str(tmp_path)]) == 0
        said = capsys.readouterr().out
        assert said.startswith("j1: 12 of 12 answered, 0 unusable; 12 calls with ")
        assert run(["judge", str(tmp_path), "--dry-run"]) == 0
        assert "j1 (m): 0 calls left of 12, about 0 tokens in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("judge", "options", "said"),
    [
        ({"budget": 5.0}, (), "a budget of 5 cannot be kept without prices"),
        ({}, ("--only", "j2"), "There is no judge 'j2'; the study has j1."),
        ({}, ("--read-batch", "none.jsonl"), "none.jsonl cannot be read: No such file"),
        ({}, ("--write-batch", "no/where.jsonl"), "no/where.jsonl cannot be written: No such"),
        ({"trials": 1e-9}, (), "`trials` leaves no trial of the plan to be judged"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path,
    capsys: Said,
    monkeypatch: pytest.MonkeyPatch,
    judge: dict[str, Any],
    options: tuple[str, ...],
    said: str,
) -> None:
    make_study(tmp_path, judge=judge)
    monkeypatch.chdir(tmp_path)
    assert run(["judge", str(tmp_path), *options]) == 1
    shown = capsys.readouterr().err
    assert said in shown
    assert "Traceback" not in shown


def test_a_batch_is_written_failed_asked_again_and_read(tmp_path: Path, capsys: Said) -> None:
    make_study(tmp_path, items=2)
    to, back = tmp_path / "in.jsonl", tmp_path / "out.jsonl"

    def written() -> list[dict[str, Any]]:
        assert run(["judge", str(tmp_path), "--write-batch", str(to)]) == 0
        return [json.loads(line) for line in to.read_text().splitlines()]

    def read(*lines: dict[str, Any]) -> tuple[int, str]:
        back.write_text("".join(json.dumps(line) + "\n" for line in lines))
        code = run(["judge", str(tmp_path), "--read-batch", str(back)])
        shown = capsys.readouterr()
        return code, shown.err + shown.out

    def reply(call: dict[str, Any], text: str | None = None) -> dict[str, Any]:
        body = completion(text or verdict(call["body"], Planted()), call["body"])
        return {"custom_id": call["custom_id"], "response": {"body": body}}

    first = written()
    assert len(first) == 4
    expired = {"custom_id": first[1]["custom_id"], "error": {"message": "the batch expired"}}
    foreign = {**reply(first[2]), "custom_id": "of-another-study-1"}
    lines = [reply(first[0]), reply(first[0]), expired, foreign, reply(first[3], "Both are fine.")]
    code, said = read(*lines)
    assert code == 1
    assert "no reply to 1 call in the batch; of the last it says: the batch expired" in said
    assert "1 reply in the batch to calls that j1 would not make now: written for another" in said
    assert "1 of 4 answered, 0 unusable; 2 calls" in said
    # The rest: the failed line, the missing one, and the one that cannot be used, with its error.
    second = written()
    assert len(second) == 3
    (again,) = (call for call in second if len(call["body"]["messages"]) == 4)
    assert again["custom_id"] == first[3]["custom_id"].replace("-1", "-2")
    assert "The reply has no JSON object." in again["body"]["messages"][3]["content"]
    assert read(*lines)[0] == 1  # the first file once more changes nothing
    code, said = read(*(reply(call) for call in second if call is not again), reply(again, "No."))
    assert code == 0
    assert "3 of 4 answered, 1 unusable; 5 calls" in said
    assert written() == []


def test_a_judge_that_never_replies_in_json_is_unusable_and_done(
    tmp_path: Path, capsys: Said
) -> None:
    with judge_server(fault=says("Both are fine.")) as server:
        make_study(tmp_path, server.url, items=2)
        for _ in range(2):  # The second run asks nothing, and says why.
            assert run(["judge", str(tmp_path)]) == 0
            said = capsys.readouterr().out
            assert "0 of 4 answered, 4 unusable; 8 calls" in said
            assert "the last unusable reply: The reply has no JSON object." in said


def test_judges_are_named_with_commas_too(tmp_path: Path, capsys: Said) -> None:
    make_study(tmp_path)
    for only in (["--only", "j1,j1"], ["--only", "j1", "--only", " j1"]):
        assert run(["judge", str(tmp_path), *only, "--dry-run", "--json"]) == 0
        (made,) = json.loads(capsys.readouterr().out)
        assert made["judge"] == "j1"
    assert run(["judge", str(tmp_path), "--only", "j1,j3"]) == 1
    assert "There is no judge 'j3'" in capsys.readouterr().err
