"""Every protocol from the order shown back to the systems, through a real server and store."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.judges.server import Planted, judge_server, shown, views
from tests.judges.studies import CHOICE, Ready, make_study
from tests.judges.test_run import rows

SCALE = {"values": [{"value": n, "anchor": f"{n} of 3"} for n in range(1, 4)]}
PER_SIDE = {"question": "Does it fit?", "scale": SCALE, "per": "output"}
THREE = {"ada": 0.9, "bob": 0.5, "cyd": 0.1}


def seen(ready: Ready) -> dict[str, list[list[dict[str, Any]]]]:
    """Each trial's answers, once for every order, without what tells the order."""
    found: dict[str, list[list[dict[str, Any]]]] = defaultdict(list)
    for trial, order, _, status, _, answers in rows(ready):
        assert status == "answered"
        told = [asdict(one) for one in answers]
        for one in told:
            if one["first"] is not None:
                # Canonical a is the first system of the trial; it is shown first in (0, 1).
                assert one.pop("first") == ("a" if order == (0, 1) else "b")
        found[trial].append(sorted(told, key=lambda one: json.dumps(one, sort_keys=True)))
    return found


def graded(body: dict[str, Any]) -> str:
    quality = views(body, Planted())
    first = "+3" if quality["A"] > quality["B"] else "-3"
    words = body["messages"][1]["content"]
    # The scale says which end is the first output's; the reply follows its words.
    lines = [line for line in words.splitlines() if line.startswith(("- `3`", "- `-3`"))]
    sign = 1 if any("`3`" in one and "first" in one.lower() for one in lines) else -1
    return json.dumps({"overall": {"reason": "r", "value": sign * int(first)}})


@pytest.mark.parametrize(
    ("protocol", "criteria", "systems", "reply"),
    [
        ("compare", CHOICE, None, None),
        ("compare", {**CHOICE, "fit": PER_SIDE}, None, None),
        ("compare", {"overall": {"question": "?", "scale": "cmos"}}, None, graded),
        ("rank", {"overall": {"question": "Order?"}}, THREE, None),
        ("rank", {"overall": {"question": "Best?", "answer": "best"}}, THREE, None),
    ],
    ids=["choice", "per-side", "graded", "rank", "best"],
)  # fmt: skip
def test_both_orders_come_to_the_same_verdict(
    tmp_path: Path,
    protocol: str,
    criteria: dict[str, Any],
    systems: dict[str, float] | None,
    reply: Callable[[dict[str, Any]], str] | None,
) -> None:
    with judge_server(Planted(reply=reply)) as server:
        ready = make_study(
            tmp_path, server.url, items=4, protocol=protocol, criteria=criteria, systems=systems
        )
        ready.run()
    # The server did see each in two orders.
    letters = {tuple(shown(body).values()) for body in server.calls}
    assert len(letters) == len(server.calls)
    found = seen(ready)
    assert len(found) == 4
    for forth, back in found.values():
        assert forth == back
        best = [one for one in forth if one["rank"] == 1.0 or one["winner"] == "a"]
        # ada is the best, and canonical a.
        assert [one["system"] for one in best] in (["ada"], [None])


def test_what_is_found_out_comes_with_confidence(tmp_path: Path) -> None:
    asked = {"origin": {"question": "Real?", "confidence": 5}}
    systems = {"human": 0.9, "bob": 0.1}
    with judge_server() as server:
        ready = make_study(
            tmp_path, server.url, items=2, protocol="detect", criteria=asked,
            systems=systems, real="human",
        )  # fmt: skip
        ready.run()
    told = ready.store.table("detections")
    assert len(told["answer"]) == 4
    assert set(zip(told["system"], told["answer"], told["confidence"], strict=True)) == {
        ("human", "real", 5.0),
        ("bob", "generated", 5.0),
    }


def test_marked_errors_are_stored_by_code_points(tmp_path: Path) -> None:
    mark = {
        "errors": {
            "question": "What is wrong?",
            "field": "output",
            "categories": {"spelling": "Spelling"},
            "severities": {"minor": 1, "major": 5},
        }
    }
    text = "👩‍🚀 said: naïve cat, naïve cat."
    span = {"quote": "cat", "occurrence": 2, "category": "spelling", "severity": "major"}
    reply = json.dumps({"errors": {"reason": "r", "value": [span]}})
    with judge_server(Planted(reply=lambda body: reply)) as server:
        ready = make_study(
            tmp_path, server.url, items=1, protocol="mark", criteria=mark,
            texts={(0, "ada"): text, (0, "bob"): text},
        )  # fmt: skip
        ready.run()
    told = ready.store.table("spans")
    ends = set(zip(told["start"], told["end"], strict=True))
    # The astronaut is three code points; Python counts them as the study does.
    assert ends == {(text.rindex("cat"), text.rindex("cat") + 3)}
    assert {text[start:end] for start, end in ends} == {"cat"}
