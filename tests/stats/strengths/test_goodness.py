"""Goodness of fit: X², deviance, and a dispersion that knows of clusters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from jurybox.results import Result
from jurybox.stats.strengths import goodness
from jurybox.stats.strengths.bradley_terry import BradleyTerry, bradley_terry
from jurybox.stats.strengths.goodness import GoodnessOfFit
from jurybox.stats.strengths.vote_fit import Settings
from jurybox.stats.strengths.vote_table import VoteTable, vote_table
from jurybox.stats.tails import beta_area, binomial_p, clopper_pearson, f_tail


def circle(strong: int, weak: int) -> VoteTable:
    """x over y, y over z, z over x, each by the same counts."""
    a = np.repeat([0, 1, 2], strong + weak)
    winner = np.tile(np.repeat([0, 1], [strong, weak]), 3)
    return vote_table("xyz", a, (a + 1) % 3, winner)


def test_a_circle_by_hand() -> None:
    # 30 to 10 around a circle: all strengths are 0 and every pair is expected 20 to 20.
    # X² = 6 · 10²/20 = 30; deviance = 2 · 3 · (30 log 1.5 + 10 log 0.5); df = 3 − 2.
    found = bradley_terry(circle(30, 10), Settings(ties="drop"), cluster=None)
    fit = found.fit
    assert fit is not None
    assert fit.pearson == pytest.approx(30)
    assert fit.deviance == pytest.approx(6 * (30 * np.log(1.5) + 10 * np.log(0.5)))
    assert fit.df == 1
    assert fit.p is not None
    assert fit.p < 1e-6
    # Every vote is a cluster. About their own mean they vary by ¾ · ¼ where ¼ is expected, which
    # is 120/119 · ¾ and taken for one.
    assert fit.dispersion == 1
    # Residual of a pair: 10 more wins than expected over √(40 · ¼).
    assert fit.residuals[0].estimate == pytest.approx(10 / np.sqrt(10))
    assert fit.residuals[0].observed == 0.75
    assert fit.residuals[0].expected == pytest.approx(0.5)
    assert fit.short() == "30.0 on 1 df, p < 0.001"
    assert Result.from_dict(fit.to_dict()) == fit


def test_five_raters_can_find_a_circle() -> None:
    # Each rater votes 8 to 4 or 10 to 2 on every pair of a circle: no strengths describe that, and
    # the raters agree on it. Taken about zero, X² would be at most df · (G − 1) = 4, p = 0.12.
    a = np.tile(np.repeat([0, 1, 2], 12), 5)
    rater = np.repeat(np.arange(5), 36)
    won = np.where(rater % 2, 8, 10)
    winner = (np.tile(np.arange(12), 15) >= won).astype(int)
    fit = bradley_terry(vote_table("xyz", a, (a + 1) % 3, winner, rater=rater)).fit
    assert fit is not None
    assert fit.estimate is not None
    assert fit.estimate > 4
    assert fit.p is not None
    assert fit.p < 0.01


def test_raters_who_are_all_alike_say_nothing_of_their_spread() -> None:
    # Five raters with the same votes around a circle: no misfit could be told from such raters.
    a = np.tile(np.repeat([0, 1, 2], 4), 5)
    winner = np.tile([0, 0, 0, 1], 15)
    votes = vote_table("xyz", a, (a + 1) % 3, winner, rater=np.repeat(np.arange(5), 12))
    fit = bradley_terry(votes, Settings(ties="half")).fit
    assert fit is not None
    assert fit.estimate is None
    assert fit.undefined == "the 5 raters do not vary"


def study(rng: np.random.Generator, taste: float, raters: int = 20, own: int = 60) -> BradleyTerry:
    """Raters with tastes of their own for pairs, which no strength describes."""
    n = raters * own
    rater = np.repeat(np.arange(raters), own)
    a = rng.integers(0, 5, n)
    b = (a + rng.integers(1, 5, n)) % 5
    low, high = np.minimum(a, b), np.maximum(a, b)
    lean = rng.normal(0, taste, (raters, 5, 5))[rater, low, high]
    beta = np.array([0.5, 0.25, 0, -0.25, -0.5])
    gap = beta[a] - beta[b] + np.where(a < b, lean, -lean)
    winner = (rng.random(n) > 1 / (1 + np.exp(-gap))).astype(int)
    item = rng.integers(0, 200, n)
    return bradley_terry(vote_table("abcde", a, b, winner, item=item, rater=rater))


def test_false_alarms_stay_near_their_level_where_raters_have_tastes() -> None:
    # Rater × pair tastes inflate X² to about twice its degrees of freedom: without the dispersion
    # far more than 5% would be called misfits.
    rng = np.random.default_rng(3)
    found = [study(rng, 1.0).fit for _ in range(120)]
    ps = np.array([fit.p for fit in found if fit is not None])
    naive = np.array([stats.chi2.sf(fit.pearson, fit.df) for fit in found if fit is not None])
    assert (naive < 0.05).mean() > 0.2
    assert (ps < 0.05).mean() < 0.1
    assert 0.3 < np.median(ps) < 0.8


def test_independent_votes_have_a_dispersion_of_about_one() -> None:
    rng = np.random.default_rng(4)
    found = [study(rng, 0.0).fit for _ in range(40)]
    assert np.mean([fit.dispersion for fit in found if fit is not None]) == pytest.approx(
        1.03, abs=0.06
    )


def test_random_signs_give_nearly_the_exact_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    exact = study(rng, 1.5).fit
    monkeypatch.setattr(goodness, "EXACT", 0)
    rough = study(np.random.default_rng(5), 1.5).fit
    assert exact is not None
    assert rough is not None
    assert rough.dispersion == pytest.approx(exact.dispersion, rel=0.15)


def test_as_many_strengths_as_pairs_leave_nothing_to_test() -> None:
    found = bradley_terry(vote_table("xy", [0, 0, 0], [1, 1, 1], [0, 0, 1]))
    assert isinstance(found.fit, GoodnessOfFit)
    assert found.fit.estimate is None
    assert "every fit would be perfect" in (found.fit.undefined or "")


@pytest.mark.parametrize(
    ("f", "one", "two"), [(0.3, 2, 5), (4.2, 1, 10), (1.1, 36, 900), (1, 9800, 5e6)]
)
def test_the_tail_of_f_agrees_with_scipy(f: float, one: float, two: float) -> None:
    assert f_tail(f, one, two) == pytest.approx(stats.f.sf(f, one, min(two, 1e4)), abs=1e-9)
    assert (f_tail(0.0, one, two), f_tail(float("inf"), one, two)) == (1.0, 0.0)


@pytest.mark.parametrize(("wins", "n"), [(0, 4), (4, 4), (7, 10), (480, 1000), (1, 1)])
def test_exact_binomial_agrees_with_scipy(wins: int, n: int) -> None:
    known = stats.binomtest(wins, n)
    interval = known.proportion_ci(0.9)
    assert clopper_pearson(wins, n, 0.9) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert binomial_p(wins, n) == pytest.approx(min(1.0, known.pvalue), abs=1e-9)
    assert beta_area(0.3, 2.5, 4) == pytest.approx(stats.beta.cdf(0.3, 2.5, 4), abs=1e-12)
