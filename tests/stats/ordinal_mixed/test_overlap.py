"""Which systems have finite log odds: small cases, and linear programs as an oracle."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from jurybox.stats.ordinal_mixed.overlap import Overlap, overlap


@pytest.mark.parametrize(
    ("counts", "core", "above", "below"),
    [
        # All overlap.
        ([[1, 1, 0], [0, 1, 1], [1, 0, 1]], (0, 1, 2), (), ()),
        # The third is always at the top, the fourth always at the bottom.
        ([[1, 2, 1], [2, 1, 1], [0, 0, 4], [4, 0, 0]], (0, 1), (2,), (3,)),
        # One value, but between two thresholds that the first holds together.
        ([[1, 1, 1], [0, 5, 0]], (0, 1), (), ()),
        # They touch at the middle value alone: nothing keeps them from moving apart.
        ([[3, 1, 0], [0, 1, 3], [0, 2, 2]], (1, 2), (), (0,)),
        # No two overlap.
        ([[2, 1, 0, 0], [0, 0, 1, 1]], (1,), (), (0,)),
    ],
)
def test_small_cases(
    counts: list[list[int]],
    core: tuple[int, ...],
    above: tuple[int, ...],
    below: tuple[int, ...],
) -> None:
    found = overlap(np.array(counts))
    if len(core) > 1:
        assert found == Overlap(core=core, above=above, below=below)
    else:
        assert len(found.core) == 1


def bounded(counts: np.ndarray[tuple[int, int], np.dtype[np.int64]], one: int, two: int) -> bool:
    """Whether no direction that raises every likelihood, or keeps it, moves the two apart.

    A direction of log odds b and thresholds t keeps a score j of system s if t_{j−1} ≤ b_s ≤ t_j.
    """
    k, v = counts.shape
    rows = []
    for s, j in zip(*np.nonzero(counts), strict=True):
        if j < v - 1:
            rows.append({s: 1.0, k + j: -1.0})
        if j > 0:
            rows.append({s: -1.0, k + j - 1: 1.0})
    matrix = np.zeros((len(rows), k + v - 1))
    for line, row in zip(matrix, rows, strict=True):
        for place, sign in row.items():
            line[place] = sign
    for sign in (1.0, -1.0):
        goal = np.zeros(k + v - 1)
        goal[one], goal[two] = sign, -sign
        best = linprog(goal, A_ub=matrix, b_ub=np.zeros(len(rows)), bounds=(-1, 1)).fun
        if best < -1e-6:
            return False
    return True


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2]), min_size=4, max_size=4), min_size=2, max_size=4
    )
)
def test_as_linear_programs_say(drawn: list[list[int]]) -> None:
    counts = np.array([row for row in drawn if any(row)]).reshape(-1, 4)
    counts = counts[:, counts.any(axis=0)]
    if len(counts) < 2 or counts.shape[1] < 2:
        return
    found = overlap(counts)
    for one, two in pairwise(found.core):
        assert bounded(counts, one, two)
    for k in (*found.above, *found.below):
        assert not any(bounded(counts, k, other) for other in found.core)
    assert sorted((*found.core, *found.above, *found.below)) == list(range(len(counts)))
