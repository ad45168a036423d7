"""Adjusted p-values by Holm and by Benjamini and Hochberg."""

from __future__ import annotations

import random

import pytest
from statsmodels.stats.multitest import multipletests

from jurybox.errors import InputError
from jurybox.stats.multiple import benjamini_hochberg, holm, in_family


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_agrees_with_statsmodels(n: int) -> None:
    draw = random.Random(n)
    ps = [draw.random() ** 3 for _ in range(n)]
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1])


def test_an_undefined_p_is_not_in_the_family() -> None:
    # Of two: 0.02 · 2 = 0.04, then max(0.04, 0.03 · 1).
    assert holm([0.02, None, 0.03]) == (0.04, None, 0.04)


def test_refuses_what_is_no_p() -> None:
    with pytest.raises(InputError, match=r"every p must lie in \[0, 1\]"):
        holm([0.5, 1.2])


def test_one_comparison_is_not_adjusted() -> None:
    # Alone there is nothing to pay for; with a second, the smaller p is doubled.
    assert in_family([0.02]) == (None,)
    assert in_family([None, 0.02]) == (None, None)
    assert in_family([0.02, 0.03]) == pytest.approx((0.04, 0.04))


def test_benjamini_hochberg_is_statsmodels_and_leaves_none_out() -> None:
    ps = [0.01, 0.5, None, 0.03, 0.001, 0.04, 1.0]
    found = benjamini_hochberg(ps)
    known = [p for p in ps if p is not None]
    _, expected, *_ = multipletests(known, method="fdr_bh")
    assert found[2] is None
    assert [p for p in found if p is not None] == pytest.approx(list(expected))
    assert benjamini_hochberg([]) == ()
    assert benjamini_hochberg([None, 0.2]) == (None, 0.2)
    with pytest.raises(InputError, match="every p must lie in"):
        benjamini_hochberg([1.2])
