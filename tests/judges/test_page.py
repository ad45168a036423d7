"""The page about judges says what is so: its study loads, its commands run, its template is one."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.study.templates import write_template
from tests.documents import blocks, commands, is_printed
from tests.judges.server import Planted, completion, judge_server, verdict

PAGE = (Path(__file__).parent.parent.parent / "docs" / "judges.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert isinstance(found, str)
    return found


def test_the_commands_of_the_page_run_on_its_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", "sk-secret")
    write_template("ab-ties", Path("first"))
    Path("first/own.txt").write_text(block("text"))
    typed = [
        each for part in blocks("judges") if part.language == "console" for each in commands(part)
    ]
    show, estimate, ask, write, read = (shlex.split(command)[1:] for command, _ in typed)
    shown = [lines for _, lines in typed]
    with judge_server() as server:
        judges = re.sub(r"https?://\S+", server.url, block("yaml"))
        judges = judges.replace("max_tokens", "template: own.txt\n    max_tokens")
        with Path("first/study.yaml").open("a", encoding="utf-8") as study:
            study.write(judges)
        assert run(show) == 0
        assert is_printed(shown[0], capsys.readouterr().out)
        assert run(estimate) == 0
        # 18 pairs in both orders
        assert is_printed(shown[1], capsys.readouterr().out)
        assert run(write) == 0
        assert is_printed(shown[3], capsys.readouterr().out)
        calls = [json.loads(line) for line in Path("calls.jsonl").read_text().splitlines()]
        assert calls[0]["body"]["messages"][1]["content"].startswith("Be strict.")
        replies = [
            {
                "custom_id": call["custom_id"],
                "response": {"body": completion(verdict(call["body"], Planted()), call["body"])},
            }
            for call in calls
        ]
        Path("replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in replies))
        assert run(read) == 0
        assert is_printed(shown[4], capsys.readouterr().out)
        assert run(ask) == 0
        # What the batch brought is not asked again.
        assert {body["model"] for body in server.calls} == {"my-org/my-model", "my-small-model"}
