"""With strong rater effects the plain interval fails and the default covers: simulated, seeded."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from bench.coverage import main, page, run_cell
from bench.simulated import Size, agreement_truth, five_point_scores
from tests.forms import cases


@pytest.mark.parametrize(
    ("name", "plain_at_most"),
    [
        ("mean score", 0.6),
        ("difference", 0.75),
        ("win rate of 50%", 0.75),
        pytest.param("strength", 0.9, marks=pytest.mark.full),
    ],
)
def test_the_default_covers_where_the_plain_interval_fails(name: str, plain_at_most: float) -> None:
    found = run_cell(name, Size(items=60, raters=12), studies=300, seed=1)
    # 300 studies: one standard error is 1.3 points.
    assert 0.92 <= found.covers <= 0.995
    assert found.plain < plain_at_most
    assert found.undefined == 0


@pytest.mark.parametrize("name", ["mean score", "difference", "win rate of 50%", "share of 2%"])
def test_three_raters_per_output(name: str) -> None:
    found = run_cell(name, Size(items=100, raters=20, complete=False), studies=300, seed=2)
    assert found.covers >= 0.92


def test_three_raters_cover_by_being_wide() -> None:
    three, twenty = (
        run_cell("mean score", Size(items=60, raters=raters), studies=200, seed=1)
        for raters in (3, 20)
    )
    assert three.covers >= 0.93
    assert three.width > 2 * twenty.width


ALPHA, KAPPA = "Krippendorff's alpha", "Fleiss' kappa"


@pytest.mark.parametrize("name", [ALPHA, KAPPA])
def test_agreement_of_raters_drawn_at_random(name: str) -> None:
    found = run_cell(name, Size(items=60, raters=8), studies=150, seed=1)
    # 150 studies: one standard error is 1.8 points.
    assert found.covers >= 0.9


@pytest.mark.parametrize("name", ["alpha", "kappa"])
def test_the_true_agreement_is_that_of_very_many_answers(name: Literal["alpha", "kappa"]) -> None:
    # Drawn, not integrated: 400,000 items, three raters who lean differently.
    lean = np.array([0.3, -0.5, 0.9])
    scores = five_point_scores(np.random.default_rng(5), 400_000, lean)
    counts = np.stack([(scores == value).sum(axis=1) for value in range(1, 6)], axis=1)
    if name == "alpha":
        drawn = 1 - scores.var(axis=1, ddof=1).mean() / scores.var()
    else:
        same = (counts * (counts - 1)).sum(axis=1).mean() / 6
        chance = ((counts.mean(axis=0) / 3) ** 2).sum()
        drawn = (same - chance) / (1 - chance)
    assert agreement_truth(name, lean) == pytest.approx(drawn, abs=0.003)


def test_few_of_many_raters_per_output_do_not_make_agreement_s_interval_noise() -> None:
    # Item + rater − cell alone covers 91% here: the latter two are five times their difference.
    found = run_cell(KAPPA, Size(items=100, raters=50, complete=False), studies=150, seed=1)
    assert found.covers >= 0.93


def test_alpha_of_few_raters_is_not_covered_by_resampling_items_alone() -> None:
    found = run_cell(ALPHA, Size(items=100, raters=5), studies=150, seed=1)
    assert found.covers >= 0.9
    assert found.plain < found.covers


@pytest.mark.parametrize("name", cases(["Pearson's r"], ["Spearman's rho"]))
def test_a_metric_s_correlation(name: str) -> None:
    found = run_cell(name, Size(items=40, raters=6), studies=150, seed=1)
    assert found.covers >= 0.9


@pytest.mark.parametrize("name", ["mean with a judge", "win rate with a judge"])
def test_people_and_a_judge_together(name: str) -> None:
    found = run_cell(name, Size(items=60, raters=10, complete=False), studies=300, seed=2)
    # 300 studies: one standard error is 1.3 points.
    assert 0.92 <= found.covers <= 0.985
    # Without raters as clusters.
    assert found.plain < 0.85
    assert found.undefined == 0


def test_the_table_prints_its_monte_carlo_error(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--items", "30", "--raters", "3", "--studies", "20", "--only", "mean score"])
    printed = capsys.readouterr().out
    assert "Monte Carlo error ±4.9 points" in printed
    assert printed.splitlines()[3].split()[:5] == ["mean", "score", "complete", "30", "3"]


def test_the_page_marks_a_cell_that_misses() -> None:
    found = run_cell("mean score", Size(items=30, raters=5), studies=20, seed=0)
    missed = replace(found, covers=0.5)
    shown = page([missed])
    assert "50.0%*" in shown
    assert "Of 1 figures, 0 are as they should be; 1 cover too little and 0 too much" in shown


def test_tables_that_were_not_simulated_now_stay() -> None:
    size = Size(items=30, raters=5)
    means, alphas = (
        replace(run_cell("mean score", size, studies=20, seed=0), statistic=name, covers=covers)
        for name, covers in (("mean score", 0.95), (ALPHA, 0.5))
    )
    both = page([means, alphas])
    assert "30 to 30 items and 5 to 5 raters" in both
    assert f"| {ALPHA} | 50.0 to 50.0 | {100 * alphas.plain:.1f} to" in both
    assert "Of 2 figures, 1 are as they should be; 1 cover too little and 0 too much" in both
    assert "20 studies a cell: ±4.9 points." in both
    mended = page([replace(alphas, covers=0.95)], before=both)
    assert mended == page([means, replace(alphas, covers=0.95)])
    # Only the other table: the page's order and both tables are as they were.
    assert page([means], before=both) == both


@pytest.mark.parametrize("name", ["verbosity", "compression"])
def test_what_a_judge_departs_by(name: str) -> None:
    found = run_cell(f"{name} of a judge", Size(items=30, raters=10), studies=200, seed=3)
    # 200 studies: one standard error is 1.5 points.
    assert 0.92 <= found.covers <= 0.99
    assert found.undefined == 0
