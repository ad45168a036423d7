"""Equivalence within a margin: by hand, by statsmodels, and the two intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired

from jurybox.errors import InputError
from jurybox.stats.clusters import Spread
from jurybox.stats.equivalence import Equivalence, equivalence


def spread(se: float, df: int) -> Spread:
    return Spread(variance=se**2, df=df, method=f"t({df})", generalizes_to="items like these")


def test_by_hand_with_one_degree_of_freedom() -> None:
    # P(T₁ ≥ t) = ½ − arctan(t)/π. Estimate 1, se 1, margin 3: t = 4 and 2.
    found = equivalence(1.0, spread(1.0, 1), margin=3.0)
    assert found.p_not_lower == pytest.approx(0.5 - math.atan(4) / math.pi)
    assert found.p_not_higher == pytest.approx(0.5 - math.atan(2) / math.pi)
    assert found.p == found.p_not_higher
    assert found.verdict() == "not shown"


def test_paired_scores_are_statsmodels() -> None:
    draw = np.random.default_rng(1)
    one, two = draw.normal(3, 0.4, size=(2, 20))
    d = one - two
    known = ttost_paired(one, two, -0.3, 0.3)
    found = equivalence(d.mean(), spread(d.std(ddof=1) / math.sqrt(20), 19), margin=0.3)
    assert found.p == pytest.approx(known[0])
    assert found.p_not_lower == pytest.approx(known[1][1])
    assert found.p_not_higher == pytest.approx(known[2][1])


@given(
    st.floats(-2, 2), st.floats(0.01, 2), st.integers(1, 60), st.floats(0.05, 3),
    st.sampled_from([0.9, 0.95, 0.99]),
)  # fmt: skip
def test_the_narrower_interval_and_p_never_disagree(
    estimate: float, se: float, df: int, margin: float, confidence: float
) -> None:
    found = equivalence(estimate, spread(se, df), margin=margin, confidence=confidence)
    assert found.interval is not None
    assert found.wider is not None
    assert found.interval.confidence == pytest.approx(2 * confidence - 1)
    inside = -margin < found.interval.low and found.interval.high < margin
    if abs((found.p or 0) - (1 - confidence)) > 1e-9:
        assert (found.verdict(confidence) == "equivalent") == inside
    assert found.wider.low < found.interval.low < found.interval.high < found.wider.high


def test_not_inferior_depends_on_the_better_side() -> None:
    up = equivalence(0.6, spread(0.1, 30), margin=0.5)
    assert up.verdict() == "not inferior"
    assert equivalence(0.6, spread(0.1, 30), margin=0.5, higher=False).verdict() == "not shown"
    assert equivalence(-0.6, spread(0.1, 30), margin=0.5, higher=False).verdict() == "not inferior"


def test_nothing_varies_nothing_is_shown() -> None:
    found = equivalence(0.0, None, margin=0.5, undefined="neither raters nor items vary")
    assert (found.p, found.interval, found.verdict()) == (None, None, "not shown")
    assert found.undefined == "neither raters nor items vary"


@pytest.mark.parametrize("margin", [0.0, -1.0, math.inf, math.nan])
def test_a_margin_must_be_positive(margin: float) -> None:
    with pytest.raises(InputError, match="margin must be a positive number of points"):
        equivalence(0.0, spread(1.0, 5), margin=margin)


def test_a_low_confidence_is_refused() -> None:
    with pytest.raises(InputError, match="equivalence needs a confidence above"):
        equivalence(0.0, spread(1.0, 5), margin=1.0, confidence=0.4)


def test_json_round_trip() -> None:
    found = equivalence(0.1, spread(0.1, 20), margin=0.5)
    assert Equivalence.from_dict(found.to_dict()) == found
