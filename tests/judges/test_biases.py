"""Planted biases, asked for over real sockets and stored, are found within their intervals.

Each answer carries its quality in words, drawn around ½ with a standard deviation of 0.2, so that
two differ by g with √2 · 0.2; a judge adds its bias to what it reads and calls a tie within 0.02.
People are simulated and see no difference.
"""

from __future__ import annotations

from contextlib import ExitStack
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit

import jurybox as jb
from jurybox.report import html
from jurybox.simulate.run import run as simulate
from jurybox.simulate.truth import Truth
from jurybox.study import load_study
from tests.judges.server import Planted, judge_server
from tests.judges.studies import make_study, now

ITEMS = 60
GAP = NormalDist(0, 0.2 * sqrt(2))
BIAS, TIE = 0.15, 0.02
OWN = "own-lab"
SERVERS = {
    "first": Planted(position=BIAS),
    "own": Planted(own=OWN, self_preference=2 * BIAS),
    "long": Planted(verbosity=3 * BIAS),
    "plain": Planted(noise=0.2, seed=5),
}


def wins(shift: float) -> float:
    """How often an output wins whose judge adds so much to the gap; a tie is half."""
    above, below = 1 - GAP.cdf(TIE - shift), 1 - GAP.cdf(-TIE - shift)
    return (above + below) / 2


@pytest.fixture(scope="module")
def lengths() -> dict[str, Any]:
    """Binary logarithms of how long the answers are."""
    rng = np.random.default_rng(11)
    return {name: rng.normal(7.5, 0.7, ITEMS) for name in ("ada", "bob")}


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory, lengths: dict[str, Any]) -> Any:
    folder: Path = tmp_path_factory.mktemp("biased") / "study"
    folder.mkdir()
    (folder / "other.txt").write_text("In other words.\n{rubric}\n{guard}\n{trial}\n{reply}\n")
    rng = np.random.default_rng(8)
    texts = {}
    for system, lab in (("ada", OWN), ("bob", "any-lab")):
        for n, quality in enumerate(rng.normal(0.5, 0.2, ITEMS)):
            text = f"From {lab}, answer {n}, quality {quality:.4f}. "
            texts[n, system] = text + "x" * round(2 ** lengths[system][n] - len(text))
    with ExitStack() as stack:
        urls = {
            name: stack.enter_context(judge_server(planted)).url
            for name, planted in SERVERS.items()
        }
        judges: dict[str, Any] = {
            name: {"model": "m", "endpoint": url, "family": "ours" if name == "own" else "theirs"}
            for name, url in urls.items()
        }
        judges["first"]["repeats"] = judges["plain"]["repeats"] = 2
        judges["words"] = {**judges["plain"], "template": "other.txt"}
        ready = make_study(
            folder,
            items=ITEMS,
            texts=texts,
            families={"ada": "ours", "bob": "hers"},
            judges=judges,
            design={"overlap": 3, "raters": 20, "seed": 3},
            session={"minutes": 240},
        )
        for name in judges:
            done = ready.run(name)
            assert done.unusable == done.waiting == 0
    truth = Truth(quality={"overall": {"ada": 0.5, "bob": 0.5}}, bad_below=-1)
    simulate(ready.study, ready.material, ready.plan, ready.store, truth, seed=2, now=now())
    found = jb.analyze(ready.store, study=load_study(folder), material=ready.material)
    ready.store.close()
    return found


def bias(analysis: Any, judge: str, name: str) -> Any:
    (found,) = [
        each.result for each in analysis.findings if each.id == f"judge_bias/overall/{judge}/{name}"
    ]
    return found


def covers(row: Any, value: float) -> bool:
    return bool(row.interval.low <= value <= row.interval.high)


def test_position(analysis: Any) -> None:
    # Shown first, ada has 0.15 more, and shown second 0.15 less: it wins both ways beyond ±0.17.
    flips = GAP.cdf(BIAS + TIE) - GAP.cdf(-BIAS - TIE)
    found = bias(analysis, "first", "position")
    assert covers(found, flips)
    assert not covers(found, 0)
    # It says the same to the same words.
    assert found.chance == 0
    assert bias(analysis, "first", "repeats").estimate == 0
    shown = bias(analysis, "first", "first_shown")
    assert covers(shown, (wins(BIAS) - wins(-BIAS)) / 2)
    assert not covers(shown, 0)
    for judge in ("own", "long", "plain"):
        assert covers(bias(analysis, judge, "first_shown"), 0)


def test_self_preference(analysis: Any) -> None:
    found = bias(analysis, "own", "self_preference")
    # People see no difference: one half.
    assert covers(found, wins(2 * BIAS) - 0.5)
    assert not covers(found, 0)
    # The judges of another family see what is there.
    others = bias(analysis, "own", "self_preference/other judges")
    assert covers(others, wins(2 * BIAS) - 0.5)


def test_verbosity(analysis: Any, lengths: dict[str, Any]) -> None:
    d = lengths["ada"] - lengths["bob"]
    chance = np.array([wins(3 * BIAS * each) for each in d])
    # The slope of log-odds that the fit tends to: Σ d (P(win) − σ(γ d)) = 0; people's is 0.
    slope = brentq(lambda gamma: float(d @ (chance - expit(gamma * d))), 0, 10)
    found = bias(analysis, "long", "verbosity")
    assert covers(found, slope)
    assert not covers(found, 0)
    assert covers(bias(analysis, "plain", "verbosity"), 0)


def test_wording(analysis: Any) -> None:
    # Other words draw other noise, 0.2 on either side: a win with p = Φ(g/(0.2 √2)) each time.
    grid = np.linspace(-1.5, 1.5, 3001)
    weight = np.array([GAP.pdf(g) for g in grid])
    p = np.array([GAP.cdf(g) for g in grid])
    differ = float((weight * 2 * p * (1 - p)).sum() / weight.sum())
    found = bias(analysis, "plain", "wording/words")
    assert covers(found, differ)
    assert not covers(found, 0)


def test_what_is_not_known_is_said(analysis: Any) -> None:
    (said,) = [
        each.sentence for each in analysis.findings if each.id == "judge_bias/overall/long/unknown"
    ]
    assert said.startswith("Not known of long on overall: position, repeats that differ (no call")
    assert "self-preference (no system is of the judge's family: it takes two families)" in said
    assert "wording (it is there in one wording only" in said


def test_the_report_has_it(analysis: Any) -> None:
    page = html(analysis, versions={"jurybox": "0.1.0"})
    assert "Biases of judges: overall" in page
    assert "With first the output shown first wins" in page
    assert "times the odds to win with long" in page
