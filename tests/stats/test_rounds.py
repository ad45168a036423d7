"""What moved between two rounds: paired where they share clusters, independent where not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from jurybox.results import Interval, Result
from jurybox.stats.clusters import ALL_RATERS, THIS_RATER
from jurybox.stats.rounds import Moved, MovedShare, RoundSums, hybrid, moved


def by_item(values: list[float], start: int = 0) -> RoundSums:
    """One score per item."""
    n = len(values)
    return RoundSums(
        u=np.array(values, float),
        w=np.ones(n),
        n=n,
        clusters={"item": np.arange(start, start + n)},
    )


OLD, NEW = [1.0, 2.0, 4.0, 3.0, 5.0], [2.0, 2.5, 4.0, 4.5, 5.5]


def test_the_same_items_give_the_paired_t_test() -> None:
    found = moved(by_item(OLD), by_item(NEW), what="mean score", cluster="item")
    peer = stats.ttest_rel(NEW, OLD)  # typos: ignore
    low, high = peer.confidence_interval(0.95)
    assert found.estimate == pytest.approx(0.7)
    assert found.p == pytest.approx(peer.pvalue)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_other_items_give_welchs_t_test_with_whole_degrees_of_freedom() -> None:
    other = [2.0, 9.0, 4.0]
    found = moved(by_item(OLD), by_item(other, start=5), what="mean score", cluster="item")
    peer = stats.ttest_ind(other, OLD, equal_var=False)  # typos: ignore
    # V = s²/n of each; df 2.47, of which the whole part is taken.
    variances = [np.var(values, ddof=1) / len(values) for values in (OLD, other)]
    se = math.sqrt(sum(variances))
    assert found.estimate == pytest.approx(2.0)
    assert peer.df == pytest.approx(2.47, abs=0.01)
    assert found.p == pytest.approx(2 * stats.t.sf(2.0 / se, 2))


def test_with_everything_shared_and_the_same_answers_nothing_varies() -> None:
    found = moved(by_item(OLD), by_item(OLD), what="mean score", cluster="item")
    assert found.estimate == 0
    assert found.interval is None
    assert found.undefined == "the 5 items do not vary"


def crossed(scores: np.ndarray, items: int, raters: int) -> RoundSums:
    item, rater = np.indices(scores.shape)
    return RoundSums(
        u=scores.ravel(),
        w=np.ones(scores.size),
        n=scores.size,
        clusters={
            "item": item.ravel() + items,
            "rater": rater.ravel() + raters,
            "cell": ((item + items) * 1000 + rater + raters).ravel(),
        },
    )


def coverage(studies: int, *, same_items: bool, same_raters: bool) -> float:
    """How often the interval has the true difference, 0, with item and rater effects."""
    inside = 0
    for number in range(studies):
        draw = np.random.default_rng((11, number))
        item, rater = draw.normal(0, 1, (2, 25)), draw.normal(0, 1, (2, 10))
        rounds = []
        for place in (0, 1):
            mine = item[0 if same_items else place][:, None]
            who = rater[0 if same_raters else place][None, :]
            noise = draw.normal(0, 1, (25, 10)) + draw.normal(0, 0.5, (1, 10))
            shift = (0 if same_items else 100 * place, 0 if same_raters else 100 * place)
            rounds.append(crossed(mine + who + noise, *shift))
        found = moved(rounds[0], rounds[1], what="mean score")
        assert found.interval is not None
        inside += found.interval.low <= 0 <= found.interval.high
    return inside / studies


@pytest.mark.parametrize("same_items", [True, False])
@pytest.mark.parametrize("same_raters", [True, False])
def test_the_interval_covers_whatever_the_rounds_share(same_items: bool, same_raters: bool) -> None:
    # 400 studies: the standard error of a coverage of 95% is 1.1%.
    found = coverage(400, same_items=same_items, same_raters=same_raters)
    assert 0.915 <= found <= 0.995


def test_sharing_makes_the_interval_narrower() -> None:
    draw = np.random.default_rng(1)
    effects = draw.normal(0, 2, (25, 1))
    scores = [effects + draw.normal(0, 1, (25, 10)) for _ in range(2)]
    paired = moved(crossed(scores[0], 0, 0), crossed(scores[1], 0, 0), what="mean score")
    apart = moved(crossed(scores[0], 0, 0), crossed(scores[1], 100, 100), what="mean score")
    assert paired.interval is not None
    assert apart.interval is not None
    width = paired.interval.high - paired.interval.low
    assert width < 0.5 * (apart.interval.high - apart.interval.low)


def test_a_share_of_one_is_put_together_from_two_intervals() -> None:
    ones = by_item([1.0] * 5)
    found = moved(by_item([1.0, 0, 1, 0, 1]), ones, what="win rate", share=True, cluster="item")
    assert isinstance(found, MovedShare)
    assert found.interval is None

    def result(value: float, low: float, high: float) -> Result:
        made = Interval(low=low, high=high, confidence=0.95, method="t")
        return Result(estimate=value, interval=made)

    # d = 0.4; towards 0 √(0.3² + 0.2²) = 0.3606, away from it √(0² + 0.3²) = 0.3.
    joined = hybrid(result(0.6, 0.3, 0.8), result(1.0, 0.7, 1.0), found)
    assert joined.interval is not None
    assert joined.interval.low == pytest.approx(0.4 - 0.36056, abs=1e-5)
    assert joined.interval.high == pytest.approx(0.7)
    assert joined.p == pytest.approx(2 * stats.norm.sf(1.959964 * 0.4 / 0.36056), abs=1e-5)


def test_a_joined_interval_speaks_for_no_more_than_either_round_does() -> None:
    def result(to: str) -> Result:
        made = Interval(low=0.2, high=0.6, confidence=0.95, method="t", generalizes_to=to)
        return Result(estimate=0.4, interval=made)

    base = Moved(estimate=0.0, what="strength")
    for one, two, to in (
        (ALL_RATERS, ALL_RATERS, ALL_RATERS),
        (THIS_RATER, ALL_RATERS, THIS_RATER),
        (ALL_RATERS, THIS_RATER, THIS_RATER),
    ):
        found = hybrid(result(one), result(two), base)
        assert found.interval is not None
        assert found.interval.generalizes_to == to


def test_what_a_round_lacks_is_said() -> None:
    base = Moved(estimate=0.0, what="strength")
    nothing = Result(estimate=None, undefined="no votes")
    point = Result(estimate=1.0, undefined="one rater")
    assert hybrid(nothing, point, base).undefined == "in the old round: no votes"
    found = hybrid(point, point, base)
    assert (found.estimate, found.interval, found.undefined) == (0.0, None, "one rater")


def test_one_rater_in_a_round_leaves_the_items() -> None:
    draw = np.random.default_rng(2)
    one = crossed(draw.normal(0, 1, (25, 1)), 0, 0)
    many = crossed(draw.normal(0, 1, (25, 10)), 0, 0)
    found = moved(one, many, what="mean score")
    assert found.interval is not None
    assert "this rater only" in found.interval.generalizes_to
