"""Biases of judges: by hand, against statsmodels, planted ones, and none where none is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from jurybox.stats.judges.biases import JudgeBias, JudgeBiases, ShareBias
from jurybox.stats.judges.flips import first_shown, position, repeats, wording
from jurybox.stats.judges.shifts import (
    LESS_APART,
    compression,
    leniency,
    self_preference,
    verbosity,
)
from tests.stats.judges.studies import made_replies, ratings, votes

BOTH: Any = "raters+items"


def replies(
    rows: Sequence[tuple[int, int, int, int, float]], *, shape: str = "votes", judges: int = 1
) -> Any:
    """Replies as (judge, unit, order, repeat, value), a unit being an item; one person agrees."""
    judge, unit, order, repeat, value = (np.array(column) for column in zip(*rows, strict=True))
    n = int(unit.max()) + 1
    wide = shape == "votes"
    return made_replies(
        shape,
        is_number=not wide,
        judges=judges,
        systems=2 if wide else 1,
        unit_item=np.arange(n),
        unit_systems=np.tile([0, 1] if wide else [0], (n, 1)),
        unit=np.arange(n),
        rater=np.zeros(n, dtype=np.int64),
        value=np.ones(n),
        judge=judge,
        reply_unit=unit,
        order=order,
        repeat=repeat,
        code=(2 * value).astype(np.int64),
        reply=value.astype(float),
    )


def test_flips_between_orders_less_flips_between_repeats() -> None:
    # Item 0: order 0 says 1, 1; order 1 says 0, 0. Between orders all 4 pairs differ, within none.
    # Item 1: order 0 says 1, 0; order 1 says 1, 1. Between orders 2 of 4 differ; within 1 and 0.
    said = [[(1, 1), (0, 0)], [(1, 0), (1, 1)]]
    found = replies(
        [
            (0, unit, order, repeat, value)
            for unit, orders in enumerate(said)
            for order, two in enumerate(orders)
            for repeat, value in enumerate(two)
        ]
    )
    made = position(found, 0)
    # Item 0: 1 − 0; item 1: 1/2 − (1 + 0)/2 = 0. Means: (1 + ½)/2 between, (0 + ½)/2 within.
    assert made.estimate == pytest.approx(0.5)
    assert (made.observed, made.chance) == pytest.approx((0.75, 0.25))
    assert repeats(found, 0).estimate == pytest.approx(0.25)
    # The second by name is shown first in order 0. Item 0: first wins (0 + 0)/2; item 1:
    # (½ + 1)/2. Their mean less ½: 3/8 − ½.
    assert first_shown(found, 0).estimate == pytest.approx(-0.125)


def test_numbers_are_as_far_apart_as_they_are() -> None:
    # Order 0 says 1, 3 and order 1 says 2, 6: between |1−2|, |1−6|, |3−2|, |3−6| = 10/4; within 2
    # and 4. A second item has 5 everywhere.
    rows = [(0, 0, 0, 0, 1), (0, 0, 0, 1, 3), (0, 0, 1, 0, 2), (0, 0, 1, 1, 6)]
    rows += [(0, 1, order, repeat, 5) for order in (0, 1) for repeat in (0, 1)]
    found = replies(rows, shape="ratings")
    made = position(found, 0)
    assert type(made) is JudgeBias
    assert made.estimate == pytest.approx((2.5 - 3.0) / 2)
    # At the first place the item got 2, at the second 4.
    assert first_shown(found, 0).estimate == pytest.approx((2 - 4) / 2)


def test_wordings_differ_beyond_their_own_repeats() -> None:
    # Item 0: one wording says 1, 1, the other 0, 0. Item 1: 1, 0 and 1, 0: between 2/4, within 1.
    rows = [(judge, 0, 1, repeat, 1 - judge) for judge in (0, 1) for repeat in (0, 1)]
    rows += [(judge, 1, 1, repeat, 1 - repeat) for judge in (0, 1) for repeat in (0, 1)]
    made = wording(replies(rows, judges=2), 0, 1)
    assert made.against == "j2"
    assert (made.observed, made.chance) == pytest.approx((0.75, 0.5))
    assert made.estimate == pytest.approx(0.25)


def test_orders_and_repeats_are_never_more_n() -> None:
    rng = np.random.default_rng(3)
    few, _ = votes(rng, repeats=2)
    made = position(few, 0)
    assert (made.n_items, made.n_responses) == (60, 180)


def test_a_judge_that_never_flips_has_wilsons_interval() -> None:
    rows = [(0, unit, order, k, 1) for unit in range(20) for order in (0, 1) for k in (0, 1)]
    found = replies(rows)
    made = position(found, 0)
    assert made.estimate == 0
    assert made.interval is not None
    # z²/(n + z²) with n = 20.
    assert (made.interval.low, made.interval.high) == pytest.approx((0, 3.8415 / 23.8415), abs=1e-4)
    assert repeats(found, 0).interval == made.interval
    always = first_shown(found, 0)
    assert always.interval is not None
    assert always.interval.low == -always.interval.high == pytest.approx(-0.0806, abs=1e-4)
    # As far from no bias as can be; repeats that differ are no bias, and are not tested.
    assert (made.p, always.p, repeats(found, 0).p) == (1, 1, None)


@pytest.mark.parametrize("last", [False, True])
def test_a_judge_that_always_takes_one_place_has_an_interval_and_a_p(last: bool) -> None:
    # The first by name is shown first in order 1: it wins there, or else in order 0.
    rows = [
        (0, unit, order, k, order != last) for unit in range(20) for order in (0, 1) for k in (0, 1)
    ]
    found, side = replies(rows), -1 if last else 1
    made, pulled = position(found, 0), first_shown(found, 0)
    assert made.interval is not None
    assert pulled.interval is not None
    # Every item flips, and every first (or last) one wins: Wilson's n/(n + z²) to 1, less ½.
    least = 20 / 23.8415
    assert (made.estimate, pulled.estimate) == (1, side * 0.5)
    assert (made.interval.low, made.interval.high) == pytest.approx((least, 1), abs=1e-4)
    ends = sorted([side * (least - 0.5), side * 0.5])
    assert [pulled.interval.low, pulled.interval.high] == pytest.approx(ends, abs=1e-4)
    # z = (1 − ½) / √(¼/20) = √20 = 4.47, of which 7.7 in a million are larger.
    assert made.p == pulled.p == pytest.approx(7.744e-6, rel=1e-3)


@pytest.mark.parametrize("shape", ["votes", "ratings"])
def test_one_fit_of_both_kinds_is_that_of_statsmodels(shape: str) -> None:
    """The interval too: statsmodels fits again without each item in turn."""
    import statsmodels.api as sm
    from scipy.stats import t

    make = votes if shape == "votes" else ratings
    found, lengths = make(np.random.default_rng(5), items=24, verbosity=0.5)
    made = verbosity(found, 0, lengths, "items")
    given = found.given(0)
    unit = np.concatenate([np.arange(len(given)), found.unit])
    y = np.concatenate([given, found.value])
    is_judge = np.arange(len(unit)) < len(given)
    # The weights only make the answers to one unit weigh as much as one.
    weight = np.where(is_judge, 1.0, 0.25)
    one, two = found.unit_systems[:, 0], found.unit_systems[:, -1]
    item = found.unit_item
    if shape == "votes":
        columns = [(one == k) * 1.0 - (two == k) for k in (1, 2)]
        x = np.column_stack([*columns, lengths[item, one] - lengths[item, two]])
    else:
        x = np.column_stack([one == 0, one == 1, lengths[item, one]]).astype(float)
    both = np.column_stack([x[unit], x[unit] * is_judge[:, None]])
    family = sm.families.Binomial() if shape == "votes" else sm.families.Gaussian()

    def fitted(kept: Any) -> float:
        fit = sm.GLM(y[kept], both[kept], family=family, var_weights=weight[kept]).fit()
        return float(fit.params[-1])

    whole = fitted(np.ones(len(y), dtype=bool))
    moves = np.array([whole - fitted(item[unit] != k) for k in range(24)])
    assert made.estimate == pytest.approx(whole, abs=1e-6)
    assert made.interval is not None
    half = t.ppf(0.975, 23) * np.sqrt((moves**2).sum())
    # Of votes one step of Newton's method stands for the fit without the item.
    near = 0.02 if shape == "votes" else 1e-6
    assert made.interval.high - made.interval.low == pytest.approx(2 * half, rel=near)


def test_the_judge_is_given_and_people_are_drawn() -> None:
    """The judge's answers count in the variance by item, in neither that by rater nor by cell."""
    found, _ = ratings(np.random.default_rng(6))
    made = leniency(found, 0, BOTH)
    given = found.given(0)
    item, rater, y = found.unit_item, found.rater, found.value
    own = item[found.unit]

    def without(value: Any, gone: Any) -> float:
        return float(value.mean() - value[~gone].mean())

    variance = sum((without(given, item == k) - without(y, own == k)) ** 2 for k in range(60))
    variance += sum(without(y, rater == k) ** 2 for k in range(20))
    cell = np.unique(own * 100 + rater, return_inverse=True)[1]
    variance -= float((np.bincount(cell, (y - y.mean()) / len(y)) ** 2).sum())
    assert made.estimate == pytest.approx((given[found.unit] - y).mean())
    assert made.interval is not None
    from scipy.stats import t

    half = (made.interval.high - made.interval.low) / 2
    assert half == pytest.approx(t.ppf(0.975, 19) * variance**0.5)
    assert made.p == pytest.approx(2 * t.sf(abs(made.estimate or 0) / variance**0.5, 19))


def test_a_spread_without_each_cluster_is_made_anew() -> None:
    """Compression: the ratio of spreads recomputed without each item, rater and cell."""
    found, _ = ratings(np.random.default_rng(7), items=12, raters=5)
    made = compression(found, 0, BOTH)
    x, y, rater = found.once(0)[found.unit], found.value, found.rater
    item = found.unit_item[found.unit]

    def log_ratio(kept: Any) -> float:
        squares = [0.0, 0.0]
        for who in range(5):
            part = kept & (rater == who)
            for k, z in enumerate((x, y)):
                squares[k] += float(((z[part] - z[part].mean()) ** 2).sum()) if part.any() else 0
        return float(np.log(squares[0] / squares[1]) / 2)

    whole = log_ratio(np.ones(len(y), dtype=bool))
    by_item, by_rater, by_cell = (
        sum((whole - log_ratio(cluster != k)) ** 2 for k in np.unique(cluster))
        for cluster in (item, rater, item * 5 + rater)
    )
    assert made.interval is not None
    from scipy.stats import t

    se = (by_item + by_rater - by_cell) ** 0.5
    half = t.ppf(0.975, 4) * se
    # The test is made where the interval is: on the logarithm.
    assert made.p == pytest.approx(2 * t.sf(abs(whole) / se, 4))
    ends = [1 - np.exp(whole + half), 1 - np.exp(whole - half)]
    assert [made.interval.low, made.interval.high] == pytest.approx(ends)


@pytest.mark.parametrize(("chance", "own", "wanted"), [(0.0, 0, 0.0), (1.0, 0, -0.117)])
def test_a_coin_has_no_family(chance: float, own: int, wanted: float) -> None:
    """Without a preference none is found; a coin tells families less apart than people, as noted.

    People let system 0 win 0.5 + 0.117 of its votes; a coin lets it win one half.
    """
    rows = []
    for seed in range(40):
        found, lengths = votes(np.random.default_rng((seed, 3)), chance=chance, judges=1)
        rows.append(self_preference(found, 0, [k == own for k in range(3)], [], lengths, BOTH)[0])
    mean = np.mean([row.estimate for row in rows])
    # A single estimate has a standard error of 0.04: the mean of 40, one of 0.0063.
    assert mean == pytest.approx(wanted, abs=0.02)
    noted = sum(LESS_APART in row.notes for row in rows)
    assert noted >= 20 if chance else noted <= 4


def covered(truth: float, row: JudgeBias) -> bool:
    assert row.interval is not None, row.undefined
    return row.interval.low <= truth <= row.interval.high


SEEDS = range(60)
LEAST = 52
"""Of 60 intervals at 95%, fewer than 52 cover in 1 of 350 runs; at 80%, in 9 of 10."""


def test_planted_biases_of_votes_are_found() -> None:
    """Verbosity as log-odds; the others as the shares that the same studies have without noise."""
    hits = dict.fromkeys(("verbosity", "first_shown", "self_preference"), 0)
    planted: dict[str, Any] = {"verbosity": 0.8, "position": 0.5, "own": 0.6}
    # Large studies: the first-shown advantage and self-preference as shares of votes.
    truth = {"verbosity": 0.0, "first_shown": 0.0, "self_preference": 0.0}
    for seed in range(4):
        rng = np.random.default_rng((seed, 1))
        found, lengths = votes(rng, items=3000, raters=400, **planted)
        for row in all_votes(found, lengths):
            truth[row.bias] += (row.estimate or 0.0) / 4
    # A slope of log-odds shrinks by 1/√(1 + c²v), c = 16√3/15π, where v is the variance of what the
    # fit does not know: 2 · 0.5² of quality, and of the judge 0.5² of position. People have 0.2.
    wanted = 1.0 / np.sqrt(1 + 0.346 * 0.75) - 0.2 / np.sqrt(1 + 0.346 * 0.5)
    assert truth["verbosity"] == pytest.approx(wanted, abs=0.03)
    for seed in SEEDS:
        found, lengths = votes(np.random.default_rng(seed), **planted)
        for row in all_votes(found, lengths):
            hits[row.bias] += covered(truth[row.bias], row)
            assert not (seed < 5 and covered(0.0, row) and row.bias == "first_shown")
    assert min(hits.values()) >= LEAST, hits


def all_votes(found: Any, lengths: Any) -> list[JudgeBias]:
    own = [True, False, False]
    return [
        verbosity(found, 0, lengths, BOTH),
        first_shown(found, 0),
        self_preference(found, 0, own, [], lengths, BOTH)[0],
    ]


def test_planted_biases_of_scores_are_found() -> None:
    planted: dict[str, Any] = {"verbosity": 0.6, "own": 0.5, "position": 0.4}
    # Of one output the second place is shown in order 1, so that half of it is lenience.
    truth = {"verbosity": 0.6, "self_preference": 0.5, "first_shown": 0.4}
    hits = dict.fromkeys((*truth, "leniency", "other judges"), 0)
    for seed in SEEDS:
        found, lengths = ratings(np.random.default_rng(seed), lenient=0.7, **planted)
        both = self_preference(found, 0, [True, False], [1], lengths, BOTH)
        rows = [verbosity(found, 0, lengths, BOTH), first_shown(found, 0), both[0]]
        for row in rows:
            hits[row.bias] += covered(truth[row.bias], row)
        hits["other judges"] += covered(0.5, both[1])
        hits["leniency"] += covered(0.7 + 0.5 / 2 + 0.4 / 2, leniency(found, 0, BOTH))
    assert min(hits.values()) >= LEAST, hits


def test_a_compressed_scale_is_found() -> None:
    # Both have the variance 0.8² + 0.5² + 0.2² of quality, 0.3²·0.36 of length and 0.49 of noise;
    # people also 0.2²·0.36 for what they make of length.
    shared = 0.64 + 0.25 + 0.04 + 0.09 * 0.36 + 0.49
    ratio = 0.5 * np.sqrt(shared / (shared + 0.04 * 0.36))
    hits = 0
    for seed in SEEDS:
        found, _ = ratings(np.random.default_rng(seed), spread=0.5)
        hits += covered(1 - ratio, compression(found, 0, BOTH))
    assert hits >= LEAST, hits


def test_no_bias_is_covered_at_the_nominal_rate() -> None:
    """Of judges that answer at random in three of ten calls."""
    hits: dict[str, int] = {}
    for seed in SEEDS:
        found, _ = votes(np.random.default_rng((seed, 9)), chance=0.3)
        rows = [position(found, 0), first_shown(found, 0), wording(found, 0, 1)]
        for row in rows:
            hits[row.bias] = hits.get(row.bias, 0) + covered(0.0, row)
    assert min(hits.values()) >= LEAST, hits


class TestDegenerate:
    def test_position_needs_both_orders_and_repeats(self) -> None:
        one = replies([(0, unit, 1, k, unit % 2) for unit in range(5) for k in (0, 1)])
        assert "one order only" in (position(one, 0).undefined or "")
        assert "the same throughout" in (first_shown(one, 0).undefined or "")
        once = replies([(0, unit, order, 0, order) for unit in range(5) for order in (0, 1)])
        made = position(once, 0)
        assert made.estimate is None
        assert made.observed == 1
        assert "no call is there twice" in (made.undefined or "")
        assert "no call is there twice" in (repeats(once, 0).undefined or "")

    def test_a_random_order_gives_the_advantage_alone(self) -> None:
        rows = [(0, unit, unit % 2, 0, float(unit % 3 == 0)) for unit in range(30)]
        made = first_shown(replies(rows), 0)
        assert made.estimate is not None
        assert any("drawn at random" in note for note in made.notes)

    def test_lengths(self) -> None:
        found, lengths = votes(np.random.default_rng(1))
        assert "not known" in (verbosity(found, 0, None, BOTH).undefined or "")
        by_system = np.tile([1.0, 2.0, 3.0], (60, 1))
        assert "vary" in (verbosity(found, 0, by_system, BOTH).undefined or "")
        unknown = np.full_like(lengths, np.nan)
        assert "in common" in (verbosity(found, 0, unknown, BOTH).undefined or "")

    def test_lengths_that_hardly_vary(self) -> None:
        for make in (votes, ratings):
            found, lengths = make(np.random.default_rng(1))
            made = verbosity(found, 0, lengths / 100, BOTH)
            assert made.estimate is None
            assert "vary by less than the double" in (made.undefined or "")

    def test_one_cluster_that_alone_shows_it(self) -> None:
        found, lengths = ratings(np.random.default_rng(1))
        alone = np.zeros_like(lengths)
        alone[0] = (2.0, -2.0)
        made = verbosity(found, 0, alone, BOTH)
        assert made.estimate is not None
        assert made.interval is None
        assert "one item alone shows it" in (made.undefined or "")
        from dataclasses import replace

        scores = np.where(found.rater == 3, found.value, 3.0)
        made = compression(replace(found, value=scores), 0, BOTH)
        assert "one rater alone shows it" in (made.undefined or "")
        assert compression(replace(found, value=scores), 0, "items").interval is not None

    def test_a_judge_that_follows_length_without_exception(self) -> None:
        found, lengths = votes(np.random.default_rng(1))
        longer = lengths[found.unit_item, found.unit_systems[:, 0]]
        longer = longer - lengths[found.unit_item, found.unit_systems[:, 1]]
        reply = (longer[found.reply_unit] > 0).astype(float)
        from dataclasses import replace

        made = verbosity(replace(found, reply=reply), 0, lengths, BOTH)
        assert "without exception" in (made.undefined or "")

    def test_families(self) -> None:
        found, _ = votes(np.random.default_rng(1))
        (none,) = self_preference(found, 0, None, [1], None, BOTH)
        assert "not stated" in (none.undefined or "")
        (all_own,) = self_preference(found, 0, [True] * 3, [1], None, BOTH)
        assert "two families" in (all_own.undefined or "")
        (no_own,) = self_preference(found, 0, [False] * 3, [1], None, BOTH)
        assert "no system" in (no_own.undefined or "")

    def test_scores(self) -> None:
        found, _ = votes(np.random.default_rng(1))
        assert leniency(found, 0, BOTH).estimate is None
        assert compression(found, 0, BOTH).estimate is None
        from dataclasses import replace

        scores, _ = ratings(np.random.default_rng(1))
        flat = replace(scores, reply=np.full_like(scores.reply, 3.0))
        assert "one score" in (compression(flat, 0, BOTH).undefined or "")
        even = replace(scores, value=np.full_like(scores.value, 3.0))
        assert "no person" in (compression(even, 0, BOTH).undefined or "")
        nobody = replace(scores, judge=scores.judge + 1)
        for made in (leniency(nobody, 0, BOTH), compression(nobody, 0, BOTH)):
            assert "in common" in (made.undefined or "")
        assert "no usable reply" in (position(nobody, 0).undefined or "")


def test_rows_are_found_by_judge_and_bias_and_read_back() -> None:
    found, _ = votes(np.random.default_rng(1))
    table = JudgeBiases(rows=(position(found, 0), repeats(found, 0)))
    assert table.of("j1", "repeats") is table.rows[1]
    assert JudgeBiases.from_dict(table.to_dict()) == table
    assert isinstance(table.rows[0], ShareBias)
    assert "j1, position" in str(table)
