"""With strong rater effects the plain interval fails and the default covers: simulated, seeded."""

from __future__ import annotations

import pytest

from bench.coverage import coverage, main, statistics


@pytest.mark.parametrize(
    ("name", "plain_at_most"),
    [("mean score", 0.6), ("difference", 0.75), ("share .5", 0.75), ("strength", 0.9)],
)
def test_the_default_covers_where_the_plain_interval_fails(name: str, plain_at_most: float) -> None:
    found = coverage(statistics()[name], items=60, raters=12, studies=300, seed=1)
    # 300 studies: one standard error is 1.3 points.
    assert 0.92 <= found["given"] <= 0.995
    assert found["plain"] < plain_at_most
    assert found["none"] == 0


def test_three_raters_cover_by_being_wide() -> None:
    three = coverage(statistics()["mean score"], items=60, raters=3, studies=200, seed=1)
    twenty = coverage(statistics()["mean score"], items=60, raters=20, studies=200, seed=1)
    assert three["given"] >= 0.93
    assert three["width"] > 2 * twenty["width"]


def test_alpha_of_raters_drawn_at_random() -> None:
    found = coverage(statistics()["alpha"], items=60, raters=8, studies=150, seed=1)
    assert found["given"] >= 0.9
    assert found["plain"] < found["given"]


def test_the_table_prints_its_monte_carlo_error(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--items", "30", "--raters", "5", "--studies", "20", "--only", "mean score"])
    printed = capsys.readouterr().out
    assert "Monte Carlo error ±4.9 points" in printed
    assert printed.splitlines()[-1].split()[:4] == ["mean", "score", "30", "5"]
