"""Synthetic raters with known truth: they feed the demo, power by simulation, and tests."""

from jurybox.simulate.judges import SimulatedJudge, run_judges
from jurybox.simulate.run import Simulated, run
from jurybox.simulate.truth import (
    Kind,
    Truth,
    expected_real_rate,
    expected_score,
    expected_win_rate,
)

__all__ = [
    "Kind",
    "Simulated",
    "SimulatedJudge",
    "Truth",
    "expected_real_rate",
    "expected_score",
    "expected_win_rate",
    "run",
    "run_judges",
]
