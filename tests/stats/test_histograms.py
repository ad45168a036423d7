"""Medians, percentiles and spread from counts, against NumPy on the scores themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.errors import InputError
from jurybox.stats.histograms import histogram


@given(
    st.lists(st.integers(-3, 5), min_size=1, max_size=60),
    st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]),
)
def test_percentiles_and_spread_are_numpys(scores: list[int], share: float) -> None:
    values, counts = np.unique(np.array(scores, dtype=float), return_counts=True)
    found = histogram(values, counts.astype(np.float64))
    assert found.quantile(share) == pytest.approx(float(np.quantile(scores, share)))
    assert sum(n for _, n in found.bars) == len(scores)
    if len(scores) > 1:
        assert found.sd == pytest.approx(float(np.std(scores, ddof=1)))
    else:
        assert found.sd is None


def test_values_that_differ_by_rounding_are_one_bar() -> None:
    found = histogram(np.array([0.1 + 0.2, 0.3, 0.5]), np.array([1, 2, 4]))
    assert len(found.bars) == 2
    assert found.bars[0][1] == 3


def test_very_many_values_keep_their_quantiles_but_no_bars() -> None:
    found = histogram(np.arange(200.0), np.ones(200))
    assert found.bars == ()
    assert found.quantile(0.5) == 99.5


@pytest.mark.parametrize(("values", "counts"), [([], []), ([1.0], [1, 2]), ([1.0, 2.0], [1, -1])])
def test_counts_that_cannot_be_are_refused(values: list[float], counts: list[int]) -> None:
    with pytest.raises(InputError, match="every value needs one count"):
        histogram(np.array(values), np.array(counts))
