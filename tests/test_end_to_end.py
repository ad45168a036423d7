"""One study from its YAML through HTTP responses to a report, on both databases.

The raters here are blind as a browser is: they see only what the server sends. Each prefers the
answer with more words, so that the votes the store must hold can be worked out from the files.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from jurybox.analysis import analyze
from jurybox.cli.ready import ready_study
from jurybox.report import write_report
from jurybox.store import Store
from jurybox.web.app import create_app
from tests.web.serving import ADMIN, now

STUDY = """\
title: Which answer says more?
protocol: compare
items: prompts.jsonl
outputs: answers/{system}.jsonl
show: {prompt: text, answer: text}
design: {overlap: 3, raters: 4, seed: 7}
"""
WORDS = {"brief": 2, "middle": 5, "verbose": 9}
ITEMS = 4


@pytest.fixture
def study_directory(tmp_path: Path) -> Path:
    directory = tmp_path / "study"
    (directory / "answers").mkdir(parents=True)
    (directory / "study.yaml").write_text(STUDY)
    prompts = [{"item": f"q{i}", "prompt": f"Question {i}?"} for i in range(ITEMS)]
    _write(directory / "prompts.jsonl", prompts)
    for system, words in WORDS.items():
        answers = [{"item": f"q{i}", "answer": " ".join(["word"] * words)} for i in range(ITEMS)]
        _write(directory / "answers" / f"{system}.jsonl", answers)
    return directory


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _prefers_more_words(html: str) -> str:
    """Which of the two outputs in the fragment has more words, as a rater would see it."""
    tiles = html.split('data-role="output"')[1:]
    first, second = (len(re.findall(r"\bword\b", tile)) for tile in tiles)
    return "first" if first > second else "second"


def _rate_to_the_end(client: TestClient, rater: str) -> int:
    token = client.post("/api/enroll", json={"rater": rater}).json()["token"]
    client.headers["authorization"] = f"Bearer {token}"
    stage: dict[str, Any] = client.post("/api/guide").json()
    sent = 0
    while stage["stage"] == "trial":
        trial = stage["trials"][0]
        answer = {"criterion": "preference", "choice": _prefers_more_words(trial["html"])}
        body = {
            "id": f"{rater}-{sent:08}",
            "assignment": trial["assignment"],
            "session": "s1",
            "position": trial["position"],
            "answers": [answer],
            "ms": 4000 + sent,
        }
        # A page that lost the reply sends again: the answer is stored once.
        assert client.post("/api/submit", json=body).json()["status"] == "answered"
        assert client.post("/api/submit", json=body).json()["duplicate"] is True
        sent += 1
        stage = client.get("/api/next").json()
    assert stage["stage"] == "end"
    return sent


def test_from_yaml_through_http_to_a_report(
    study_directory: Path, tmp_path: Path, database_url: str
) -> None:
    with Store.open(database_url) as store:
        ready = ready_study(study_directory, store, now=now())
        app = create_app(ready.study, ready.material, store, now=now, admin_token=ADMIN)
        with TestClient(app) as client:
            sent = [_rate_to_the_end(client, f"rater {name}") for name in "abcd"]

        # 4 items × 3 pairs × 3 raters = 36 votes, 9 for each of the 4 raters.
        assert sent == [9, 9, 9, 9]
        votes = store.table("votes")
        assert len(votes["winner"]) == 36
        for a, b, winner in zip(votes["system_a"], votes["system_b"], votes["winner"], strict=True):
            assert winner == ("a" if WORDS[a] > WORDS[b] else "b")
        # Sides within each trial's three slots differ by at most one.
        first_shown = dict.fromkeys(votes["trial"], 0)
        for trial, first in zip(votes["trial"], votes["first"], strict=True):
            first_shown[trial] += first == "a"
        assert set(first_shown.values()) <= {1, 2}

        analysis = analyze(store, study=ready.study, material=ready.material)

    assert (analysis.n_responses, analysis.n_raters, analysis.n_items) == (36, 4, 4)
    # "verbose" wins all of its 24 votes, "brief" none, and nobody's strength is made up from that.
    rates = {
        finding.systems[0]: finding.result.estimate
        for finding in analysis.findings
        if finding.id.startswith("win_rate/") and len(finding.systems) == 1
    }
    assert rates == {"brief": 0.0, "middle": 0.5, "verbose": 1.0}

    paths = write_report(analysis, tmp_path / "report", study=ready.study)
    page = (tmp_path / "report" / "report.html").read_text()
    assert {path.name for path in paths} >= {"report.html", "report.md", "findings.json"}
    assert "Which answer says more?" in page
    assert analysis.headline is not None
    assert analysis.headline.sentence.split(" ")[0] in page
    json.loads((tmp_path / "report" / "findings.json").read_text())
