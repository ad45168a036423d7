"""Many systems at once: SciPy's Friedman, published incomplete blocks, and what has no answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jurybox.errors import InputError
from jurybox.stats.blocks import (
    Omnibus,
    chi_square_tail,
    durbin,
    friedman,
    least_p,
    omnibus,
    skillings_mack,
)

NONE = np.nan

# Skillings and Mack (1981), Technometrics 23, table 1: times of four ways of assembling, nine
# blocks, as the R package Skillings.Mack has them in the example of Ski.Mack, which prints
# T = 15.493049 with three degrees of freedom and p = 0.001440.
ASSEMBLY = np.array(
    [
        [3.2, 3.1, 4.3, 3.5, 3.6, 4.5, NONE, 4.3, 3.5],
        [4.1, 3.9, 3.5, 3.6, 4.2, 4.7, 4.2, 4.6, NONE],
        [3.8, 3.4, 4.6, 3.9, 3.7, 3.7, 3.4, 4.4, 3.7],
        [4.2, 4.0, 4.8, 4.0, 3.9, NONE, NONE, 4.9, 3.9],
    ]
).T
# Conover (1999), p. 391: seven judges rank three of seven ice creams each, as the R package
# agricolae has them in the example of durbin.test; T = 12, p = 0.062.
ICE_CREAM = np.full((7, 7), NONE)
for _judge, (_which, _ranks) in enumerate(
    [
        ((0, 1, 3), (2, 3, 1)),
        ((1, 2, 4), (3, 1, 2)),
        ((2, 3, 5), (2, 1, 3)),
        ((3, 4, 6), (1, 2, 3)),
        ((0, 4, 5), (3, 1, 2)),
        ((1, 5, 6), (3, 1, 2)),
        ((0, 2, 6), (3, 1, 2)),
    ]
):
    ICE_CREAM[_judge, list(_which)] = _ranks


def test_friedman_by_hand() -> None:
    # Rank sums 11, 8, 5 of four blocks; middle 8: (3² + 0 + 3²) · 2 / (4 · 2) = 4.5.
    found = friedman(np.array([[3.0, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]]))
    assert found.estimate == pytest.approx(4.5)
    assert (found.df, found.n_blocks, found.n_systems) == (2, 4, 3)


@pytest.mark.parametrize("seed", range(4))
def test_friedman_is_scipys_with_ties(seed: int) -> None:
    table = np.random.default_rng(seed).integers(1, 5, (15, 4)).astype(float)
    known = stats.friedmanchisquare(*table.T)
    for found in (friedman(table), skillings_mack(table)):
        assert found.estimate == pytest.approx(known.statistic)
        assert found.p == pytest.approx(known.pvalue)


def test_the_published_incomplete_blocks() -> None:
    found = skillings_mack(ASSEMBLY)
    assert found.estimate == pytest.approx(15.493, abs=5e-4)
    assert found.p == pytest.approx(0.00144, abs=5e-6)
    # The seventh block has two systems and counts.
    assert (found.n_blocks, found.n_dropped) == (9, 0)


def test_the_published_balanced_blocks() -> None:
    found = durbin(ICE_CREAM)
    assert found.estimate == pytest.approx(12)
    assert found.p == pytest.approx(0.06197, abs=5e-6)
    assert skillings_mack(ICE_CREAM).estimate == pytest.approx(12)


@pytest.mark.parametrize(
    ("table", "test"),
    [
        (np.arange(12.0).reshape(4, 3), "Friedman"),
        (ICE_CREAM, "Durbin"),
        (ASSEMBLY, "Skillings–Mack"),
    ],
)
def test_the_design_chooses_the_test(table: np.ndarray, test: str) -> None:
    assert omnibus(table).test == test


def test_incomplete_blocks_are_refused_or_dropped_and_counted() -> None:
    with pytest.raises(InputError, match=r"3 items of 9 without a score .* \(first in row 5\)"):
        friedman(ASSEMBLY)
    found = friedman(ASSEMBLY, missing="drop")
    assert (found.n_blocks, found.n_dropped) == (6, 3)
    known = stats.friedmanchisquare(*ASSEMBLY[~np.isnan(ASSEMBLY).any(axis=1)].T)
    assert found.estimate == pytest.approx(known.statistic)
    with pytest.raises(InputError, match="missing must be 'raise' or 'drop'"):
        friedman(ASSEMBLY, missing="keep")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(InputError, match="durbin: items must have the same number"):
        durbin(ASSEMBLY)
    with pytest.raises(InputError, match="a table of items × systems"):
        friedman(np.arange(3.0))


def test_items_with_one_system_are_dropped_and_counted() -> None:
    more = np.vstack([ASSEMBLY, [[1.0, NONE, NONE, NONE]]])
    found = skillings_mack(more)
    assert (found.estimate, found.n_dropped) == (skillings_mack(ASSEMBLY).estimate, 1)


@given(
    st.lists(st.lists(st.integers(1, 4), min_size=3, max_size=3), min_size=2, max_size=12),
    st.permutations(range(3)),
)
def test_order_of_items_and_systems_does_not_matter(
    rows: list[list[int]], order: list[int]
) -> None:
    table = np.array(rows, dtype=float)
    before, after = friedman(table), friedman(table[::-1][:, order])
    assert (before.estimate is None) == (after.estimate is None)
    if before.estimate is not None:
        assert after.estimate == pytest.approx(before.estimate)
        assert 0 <= (before.p or 0.0) <= 1


def test_means_that_differ_by_rounding_are_tied() -> None:
    exact = np.array([[0.2, 0.2, 0.1], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1], [0.3, 0.2, 0.1]])
    noisy = exact.copy()
    noisy[0, 0] = (0.1 + 0.2 + 0.3) / 3
    assert noisy[0, 0] != exact[0, 0]
    assert friedman(noisy).estimate == pytest.approx(friedman(exact).estimate)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (np.zeros((0, 3)), "no item has two systems to compare"),
        (np.ones((4, 1)), "there is only one system"),
        (np.ones((4, 3)), "in every item that counts the systems are tied"),
        (
            np.array([[1, 2, NONE, NONE], [NONE, NONE, 1, 2.0]]),
            "some systems were never compared with the others on the same items",
        ),
        (np.array([[1, NONE, NONE], [NONE, 1, NONE]]), "no item has two systems to compare"),
    ],
)
def test_what_has_no_answer_says_why(table: np.ndarray, why: str) -> None:
    found = omnibus(table)
    assert (found.estimate, found.p, found.undefined) == (None, None, why)


@pytest.mark.parametrize("df", [1, 2, 3, 8, 25, 99])
@pytest.mark.parametrize("x", [0.0, 0.3, 5.0, 40.0, 300.0])
def test_chi_square_tail_is_scipys(x: float, df: int) -> None:
    assert chi_square_tail(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-10, abs=1e-300)


def test_json_round_trip() -> None:
    found = skillings_mack(ASSEMBLY, criterion="speed")
    assert Omnibus.from_dict(found.to_dict()) == found
    assert found.short() == "χ²(3) = 15.5, p = 0.001"


@given(
    st.lists(
        st.lists(st.sampled_from([NONE, 1.0, 2.0, 3.0]), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    )
)
def test_no_scores_reach_a_smaller_p_than_the_least(rows: list[list[float]]) -> None:
    found = omnibus(np.array(rows))
    if found.p is not None:
        assert found.p >= least_p(np.array(rows)) - 1e-12


def test_the_least_p_is_that_of_items_that_agree() -> None:
    # 1 item of 3 systems: χ² is at most 1 · (3 − 1) = 2, and P(χ²(2) ≥ 2) = e⁻¹ = 0.368.
    assert least_p(np.array([[1.0, 2, 3]])) == pytest.approx(math.exp(-1))
    alike = np.array([[1.0, 2, 3]] * 4)
    assert friedman(alike).p == pytest.approx(least_p(alike))
