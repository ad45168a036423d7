"""Judges of planted quality, asked over real sockets and stored, beside people of known truth.

An answer is right or wrong; a person says so rightly in 85 of 100 cases, a judge in as many as are
planted. Two who are right with p and q say the same with p q + (1 − p)(1 − q).
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from jurybox.cli.app import run
from tests.judges.server import Planted, judge_server
from tests.judges.studies import Ready, make_study

PERSON = 0.85
JUDGES = {"good": 0.9, "fair": 0.7, "lost": 0.5}
ITEMS = 80
RATED = ITEMS // 2
"""Items that people rate: a random half of those that the judges do."""
RIGHT = {"right": {"question": "Is the answer right?", "scale": "yes-no"}}


def alike(p: float, q: float) -> float:
    return p * q + (1 - p) * (1 - q)


def noise(q: float) -> float:
    """How far a view scatters so that it lies on the right side of ½ with probability q."""
    return 0.5 / NormalDist().inv_cdf(q) if q > 0.5 else 1e6


def is_right(item: int, system: str) -> bool:
    return (item * 7 + len(system)) % 3 != 0


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Ready:
    """Twenty people's answers imported, three judges asked."""
    folder = tmp_path_factory.mktemp("trusted") / "study"
    texts = {
        (n, system): f"Answer {n}.{len(system)}, quality {1 if is_right(n, system) else 0}.000."
        for n in range(ITEMS)
        for system in ("ada", "bobby")
    }
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(judge_server(Planted(noise=noise(q), seed=k)))
            for k, (name, q) in enumerate(JUDGES.items())
        }
        ready = make_study(
            folder,
            protocol="rate",
            criteria=RIGHT,
            items=ITEMS,
            systems={"ada": 0, "bobby": 0},
            texts=texts,
            design={"overlap": 20, "seed": 3, "people": 0.5},
            session={"minutes": 600},
            analysis={"epsilon": 0.1, "panel": "majority"},
            judges={
                name: {"model": "m", "endpoint": server.url} for name, server in servers.items()
            },
        )
        for name in JUDGES:
            ready.run(name)
    people = folder / "people.csv"
    rated = sorted({ready.plan.trial(slot.trial).item for slot in ready.plan.slots})
    assert len(rated) == RATED
    lines = answers([int(item.removeprefix("i")) for item in rated])
    people.write_text("\n".join(["item,system,rater,criterion,score", *lines]) + "\n")
    assert run(["import", str(folder), str(people)]) == 0
    return ready


def answers(rated: list[int]) -> list[str]:
    rng = np.random.default_rng(11)
    return [
        f"i{n},{system},r{k:02},right,{int(is_right(n, system) == (rng.random() < PERSON))}"
        for k in range(20)
        for n in rated
        for system in ("ada", "bobby")
    ]


@pytest.fixture(scope="module")
def found(judged: Ready) -> dict[str, Any]:
    out = judged.folder / "out"
    assert run(["report", str(judged.folder), "--out", str(out)]) == 0
    analysis: dict[str, Any] = json.loads((out / "findings.json").read_text())
    return analysis


def result(found: dict[str, Any], id: str) -> dict[str, Any]:
    (one,) = [each["result"] for each in found["findings"] if each["id"] == id]
    assert isinstance(one, dict)
    return one


@pytest.mark.parametrize(("name", "q"), JUDGES.items())
def test_a_judges_planted_quality_lies_within_its_intervals(
    found: dict[str, Any], name: str, q: float
) -> None:
    row = result(found, f"judge/right/{name}")
    assert (row["n_units"], row["n_raters"], row["n_unusable"]) == (2 * RATED, 20, 0)
    own, ceiling = alike(PERSON, q), alike(PERSON, PERSON)
    assert row["interval"]["low"] < own < row["interval"]["high"]
    assert row["ceiling_low"] < ceiling < row["ceiling_high"]
    assert row["difference_low"] < own - ceiling < row["difference_high"]


def test_who_may_stand_in_for_a_person_is_told(found: dict[str, Any]) -> None:
    tests = {name: result(found, f"alternative_annotator/right/{name}") for name in JUDGES}
    assert {name: each["passes"] for name, each in tests.items()} == {
        "good": True, "fair": False, "lost": False,
    }  # fmt: skip
    assert tests["good"]["epsilon"] == 0.1
    assert len(tests["good"]["raters"]) == 20


def test_the_majority_of_judges_is_one_more_and_marked(found: dict[str, Any]) -> None:
    # Right where two or three are: 0.9·0.7 + 0.5·(0.9·0.3 + 0.1·0.7) = 0.8.
    row = result(found, "judge/right/panel (majority)")
    assert row["panel_of"] == ["fair", "good", "lost"]
    assert row["interval"]["low"] < alike(PERSON, 0.8) < row["interval"]["high"]


def test_biases_and_both_together_stand_beside_it(found: dict[str, Any]) -> None:
    # Who is right with probability q calls a share 1 − q + (2q − 1)·s of answers right of which s
    # is: people differ between the systems by 0.7 of the true difference on all 80 items.
    right = [sum(is_right(n, system) for n in range(ITEMS)) for system in ("ada", "bobby")]
    wanted = (2 * PERSON - 1) * (right[0] - right[1]) / ITEMS
    for name in JUDGES:
        assert result(found, f"judge_bias/right/{name}/leniency")["interval"]
        row = result(found, f"combined/right/{name}")
        assert (row["system"], row["other"]) == ("ada", "bobby")
        assert (row["n_judged_items"], row["n_items"]) == (ITEMS, RATED)
        assert row["interval"]["low"] < wanted < row["interval"]["high"]
    # A judge that knows something is worth more than the items that people rated.
    assert result(found, "combined/right/good")["worth"] > RATED


def test_the_report_and_the_terminal_say_it(
    judged: Ready, found: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    page = (judged.folder / "out" / "report.html").read_text()
    assert "Judges beside people" in page
    for name in JUDGES:
        (said,) = [f["sentence"] for f in found["findings"] if f["id"] == f"judge/right/{name}"]
        assert said.startswith(f"{name} agrees on right with a person in ")
        assert said in page
    assert run(["analyze", str(judged.folder)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Judges beside people" in printed
    assert "good passes the alternative-annotator test on right at ε = 0.1" in printed
