"""Shares: intervals inside [0, 1], and honest ones at the edges."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jurybox.analysis.api import win_rates
from jurybox.stats.clusters import Spread
from jurybox.stats.distributions import t_quantile, t_two_sided
from jurybox.stats.logits import logit_ends, logit_t
from jurybox.stats.shares import wilson


def votes(winners: list[list[str]], *, raters: bool = True) -> dict[str, list[Any]]:
    """Votes of new against old: one list per rater, one entry per item."""
    rows = [(f"q{i}", f"r{r}", w) for r, own in enumerate(winners) for i, w in enumerate(own)]
    table = {
        "item": [row[0] for row in rows],
        "rater": [row[1] for row in rows],
        "system_a": ["new"] * len(rows),
        "system_b": ["old"] * len(rows),
        "winner": [row[2] for row in rows],
    }
    if not raters:
        del table["rater"]
    return table


def test_wilson_by_hand() -> None:
    # p = 1, n = 4, z = 1.96: (1 + z²/8 ± z·√(z²/64)) / (1 + z²/4); low = 1 / (1 + z²/4) = 0.5101
    found = wilson(1.0, 4, 0.95)
    assert found.low == pytest.approx(1 / (1 + 1.959963985**2 / 4))
    assert found.high == 1.0


def test_a_share_by_hand() -> None:
    # Two raters, two items: wins 1, 1 / 1, 0 → 3/4. Residuals ¼, ¼ / ¼, −¾ over n = 4.
    # item sums ½, −½; rater sums ½, −½: V_item = V_rater = 2 · (½)/16 = 1/16;
    # V_cell = 4/3 · (3/16 + 9/16)/16 = 1/16; V = 1/16, se = ¼.
    # logit: log 3 ± 12.706 · s with s = ¼ / (3/16) = 4/3; the end towards ½ moves on by
    # |1 − 2 · ¾| s² = 8/9.
    found = win_rates(votes([["a", "a"], ["a", "b"]]))["new"]
    assert found.estimate == 0.75
    half = 12.706204736 * 4 / 3
    assert found.interval.low == pytest.approx(1 / (1 + math.exp(-(math.log(3) - half - 8 / 9))))
    assert found.interval.high == pytest.approx(1 / (1 + math.exp(-(math.log(3) + half))))


def test_all_won_uses_the_clusters_of_the_smaller_dimension() -> None:
    # 6 raters × 10 items, all wins: 60 votes, but 6 clusters. 1 / (1 + z²/6) = 0.6097.
    found = win_rates(votes([["a"] * 10] * 6))["new"]
    assert found.estimate == 1
    assert found.interval.low == pytest.approx(1 / (1 + 1.959963985**2 / 6))
    assert found.interval.method == "Wilson with n = 6 clusters"
    # Score test against ½: z = ½ / √(¼/6) = √6.
    assert found.p == pytest.approx(math.erfc(math.sqrt(6) / math.sqrt(2)))


def test_all_won_before_three_raters_also_speaks_for_these_raters() -> None:
    found = win_rates(votes([["a"] * 10] * 3))["new"]
    assert found.interval.low == pytest.approx(1 / (1 + 1.959963985**2 / 3))
    assert found.these_raters.low == pytest.approx(1 / (1 + 1.959963985**2 / 10))


def test_all_ties_is_one_half_with_an_interval_of_some_width() -> None:
    found = win_rates(votes([["tie"] * 10] * 6))["new"]
    assert found.estimate == 0.5
    assert found.interval.high - found.interval.low > 0.5


def test_one_vote_is_no_share() -> None:
    found = win_rates(votes([["a"]]))["new"]
    assert (found.estimate, found.interval, found.p) == (None, None, None)
    assert found.undefined == "a single response is no share: it can only be 0% or 100%"
    assert (found.n_responses, found.n_raters, found.n_items) == (1, 1, 1)


def test_unnamed_raters_leave_items() -> None:
    table = votes([["a", "b", "a", "a"]], raters=False)
    found = win_rates(table)["new"]
    assert found.interval.generalizes_to == "items like these, judged by these raters"
    assert found.n_raters is None


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "tie", "both_bad"]), min_size=3, max_size=3),
        min_size=2,
        max_size=6,
    )
)
def test_bounds_and_p_agree(winners: list[list[str]]) -> None:
    found = win_rates(votes(winners))
    new, old = found["new"], found["old"]
    assert new.estimate + old.estimate == pytest.approx(1)
    for row in (new, old):
        assert 0 <= row.interval.low <= row.estimate <= row.interval.high <= 1
        assert row.interval.low < row.interval.high
        assume(min(abs(row.interval.low - 0.5), abs(row.interval.high - 0.5)) > 1e-9)
        outside = not row.interval.low <= 0.5 <= row.interval.high
        assert outside is (row.p < 0.05)
    assert new.interval.low == pytest.approx(1 - old.interval.high)


@given(
    st.floats(0.01, 0.99),
    st.floats(0.05, 0.95),
    st.floats(0.001, 0.3),
    st.integers(1, 60),
)
def test_interval_and_p_of_a_share_never_disagree(
    p: float, against: float, se: float, df: int
) -> None:
    spread = Spread(variance=se**2, df=df, method="", generalizes_to="")
    low, high = logit_ends(p, spread, t_quantile(0.95, df))
    assert 0 <= low <= p <= high <= 1
    inside = low < against < high
    tested = t_two_sided(logit_t(p, against, spread), df)
    assume(abs(tested - 0.05) > 1e-9)
    assert inside == (tested > 0.05)
