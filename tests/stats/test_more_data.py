"""Half-widths to expect: by hand, against simulated larger studies, and what cannot be said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jurybox.stats.clusters import OneWay, claims
from jurybox.stats.distributions import t_quantile
from jurybox.stats.logits import logit_ends
from jurybox.stats.more_data import MoreData, more_data


def parts(item: float, rater: float, cell: float, n: int = 50, k: int = 8) -> dict[str, OneWay]:
    return {
        "item": OneWay(variance=item, clusters=n),
        "rater": OneWay(variance=rater, clusters=k),
        "cell": OneWay(variance=cell, clusters=n * k),
    }


def test_by_hand() -> None:
    # V = 0.02 + 0.09 − 0.01 = 0.10; a = 0.01, b = 0.08, c = 0.01.
    # Twice the raters: 0.01 + 0.045 = 0.055, t(15); twice the items: 0.08 + 0.01 = 0.09, t(7).
    found = more_data(parts(0.02, 0.09, 0.01))
    assert found.estimate == pytest.approx(t_quantile(0.95, 7) * math.sqrt(0.10))
    assert found.twice_raters == pytest.approx(t_quantile(0.95, 15) * math.sqrt(0.055))
    assert found.twice_items == pytest.approx(t_quantile(0.95, 7) * math.sqrt(0.09))


@pytest.mark.parametrize("k", [2, 3, 5, 12, 30])
def test_the_detectable_difference_has_its_power(k: int) -> None:
    found = more_data(parts(0.02, 0.09, 0.01, k=k))
    se = math.sqrt(0.10)
    assert found.detectable is not None
    # By SciPy's noncentral t, the tail on the wrong side left out: it is below one in a million.
    power = stats.nct.sf(stats.t.ppf(0.975, k - 1), k - 1, found.detectable / se)
    assert power == pytest.approx(0.80, abs=2e-6)


def test_more_raters_narrow_as_predicted() -> None:
    draw = np.random.default_rng(1)

    def one_ways(n: int, k: int) -> dict[str, OneWay]:
        score = draw.normal(0, 0.5, n)[:, None] + draw.normal(0, 1, k) + draw.normal(0, 1, (n, k))
        e = (score - score.mean()) / (n * k)
        found = {}
        for kind, sums in (("item", e.sum(1)), ("rater", e.sum(0)), ("cell", e.ravel())):
            g = len(sums)
            variance = float(g / (g - 1) * (sums**2).sum())
            found[kind] = OneWay(variance=variance, clusters=g)
        return found

    def mean(n: int, k: int, name: str) -> float:
        widths = [getattr(more_data(one_ways(n, k)), name) for _ in range(150)]
        return float(np.sqrt(np.mean(np.square(widths))))

    assert mean(40, 10, "twice_raters") == pytest.approx(mean(40, 20, "estimate"), rel=0.08)
    assert mean(40, 10, "twice_items") == pytest.approx(mean(80, 10, "estimate"), rel=0.08)


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.floats(0, 1), st.integers(2, 40))
def test_more_never_widens(item: float, rater: float, share: float, k: int) -> None:
    found = more_data(parts(item, rater, share * min(item, rater), k=k))
    assert found.estimate is not None
    for wider in (found.twice_raters, found.twice_items):
        assert wider is not None
        assert wider <= found.estimate * (1 + 1e-9)
    assert (found.detectable or 0) > found.estimate


def test_one_rater_says_nothing_of_others() -> None:
    found = more_data({**parts(0.04, 0.0, 0.04), "rater": OneWay(variance=0.0, clusters=1)})
    assert found.twice_raters is None
    assert found.twice_items == pytest.approx(t_quantile(0.95, 99) * math.sqrt(0.02))


def test_a_variance_that_is_not_positive_doubles_only_its_own_side() -> None:
    found = more_data(parts(0.04, 0.01, 0.06))
    assert found.twice_raters is None
    assert found.twice_items == pytest.approx(t_quantile(0.95, 7) * math.sqrt(0.02))
    assert more_data(parts(0.01, 0.04, 0.06)).twice_items is None


def test_other_clusterings_double_their_own_kind() -> None:
    known = parts(0.02, 0.09, 0.01)
    assert more_data(known, generalize="items").twice_raters is None
    assert more_data(known, cluster="rater").twice_items is None
    single = more_data({**known, "row": OneWay(variance=0.01, clusters=400)}, cluster=None)
    assert (single.twice_raters, single.twice_items) == (None, None)
    assert single.estimate is not None


def test_no_interval_no_prediction() -> None:
    found = more_data(parts(0.0, 0.0, 0.0))
    assert (found.estimate, found.undefined) == (None, "neither raters nor items vary")
    assert MoreData.from_dict(found.to_dict()) == found
    assert found.short() == "undefined: neither raters nor items vary"


def test_the_half_width_of_a_share_is_that_of_its_interval() -> None:
    # On the logit scale an end stays between 0 and 1, so never more than 50 points to a side; on
    # its own scale t(3) · 0.2 would be 64 points.
    known = parts(0.03, 0.03, 0.02, k=4)
    found = more_data(known, share=0.7)
    main = claims(known).main
    assert main is not None
    low, high = logit_ends(0.7, main, t_quantile(0.95, 3))
    assert found.estimate == pytest.approx((high - low) / 2)
    assert (more_data(known).estimate or 0) > 0.6
    for half in (found.estimate, found.twice_raters, found.twice_items, found.detectable):
        assert half is not None
        assert 0 < half < 0.5
    assert more_data(known, share=1.0).undefined is not None
