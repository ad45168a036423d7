"""Agreement at the edges: one rater, one category, one item, noise, size and very many of all."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import krippendorff
import numpy as np
import pytest

from jurybox.analysis.api import (
    brennan_prediger,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
    rater_pairs,
)
from jurybox.errors import InputError
from jurybox.stats.agreement.alpha import Level, rater_agreement
from jurybox.stats.distributions import t_quantile
from jurybox.tally.patterns import answer_patterns
from jurybox.tally.reading import read
from tests import reference
from tests.stats.agreement.rater_matrices import Matrix, fisher_z, noisy, table


@pytest.mark.parametrize("statistic", [fleiss_kappa, cohen_kappa, percent_agreement])
def test_one_rater_is_no_agreement(statistic: Any) -> None:
    found = statistic(table([[1, 2, 3]]))
    assert (found.estimate, found.interval) == (None, None)
    assert found.undefined == "there is only one rater"


@pytest.mark.parametrize("statistic", [fleiss_kappa, cohen_kappa])
def test_one_category_is_no_agreement(statistic: Any) -> None:
    found = statistic(table([[1, 1, 1], [1, 1, 1]]))
    assert (found.estimate, found.undefined) == (None, "every response is the same value")


def test_one_item_has_no_interval() -> None:
    found = percent_agreement(table([[1], [1], [2]]))
    assert found.estimate == pytest.approx(1 / 3)
    assert (found.interval, found.undefined) == (None, "there is only one item")


def test_perfect_agreement_has_no_zero_width() -> None:
    found = krippendorff_alpha(table([[1, 2, 3, 4]] * 3), level="nominal")
    assert found.estimate == 1
    assert (found.interval, found.undefined) == (None, "resampling items never changes it")
    many = krippendorff_alpha(table([[1, 2, 3, 4]] * 6), level="nominal")
    assert (many.interval, many.undefined) == (None, "neither raters nor items vary")


def test_cohen_of_many_raters_is_the_mean_over_pairs_with_ten_shared_units() -> None:
    matrix = noisy(6, 12, 4)
    matrix[5] = [value if u < 9 else None for u, value in enumerate(matrix[5])]
    found = cohen_kappa(table(matrix))
    pairs: list[float] = []
    for one in range(5):
        for two in range(one):
            pair = cohen_kappa(table([matrix[one], matrix[two]]), n_resamples=20)
            pairs.append(pair.estimate or 0.0)
    assert found.n_pairs == 10
    assert found.estimate == pytest.approx(np.mean(pairs))
    assert found.interval is not None
    assert found.interval.generalizes_to == "raters and items like these"


def test_levels_need_numbers() -> None:
    words = {"item": [1, 1], "rater": ["a", "b"], "score": ["good", "bad"]}
    with pytest.raises(InputError, match="level='ordinal' needs numbers; got 'bad'"):
        krippendorff_alpha(words, level="ordinal")
    with pytest.raises(InputError, match="need numbers"):
        cohen_kappa(words, weights="linear")
    with pytest.raises(InputError, match="level must be one of nominal, ordinal"):
        krippendorff_alpha(words, level="likert")  # type: ignore[arg-type]  # wrong on purpose
    below = {"item": [1, 1], "rater": ["a", "b"], "score": [-1, 2]}
    with pytest.raises(InputError, match="without negative values"):
        krippendorff_alpha(below, level="ratio")


def test_several_criteria_must_be_chosen_from() -> None:
    rows = {"item": [1, 1], "rater": ["a", "b"], "score": [1, 2], "criterion": ["x", "y"]}
    with pytest.raises(InputError, match=r"several criteria \(x, y\): choose one with criterion="):
        percent_agreement(rows)
    with pytest.raises(InputError, match="no criterion 'z'; there are x, y"):
        percent_agreement(rows, criterion="z")


def test_a_rater_who_answers_at_random_agrees_least() -> None:
    matrix = noisy(5, 60, 2)
    draw = random.Random(1)
    matrix[3] = [float(draw.randint(1, 5)) for _ in range(60)]
    responses = read(table(matrix))
    found = rater_agreement(answer_patterns(responses), level="interval")
    responses.close()
    assert min(found, key=lambda r: found[r] or 0) == 3
    assert abs(found[3] or 0) < 0.25
    # The mean over raters weighted by pairs is alpha, but for the n/(n − 1) of the expected part.
    alpha = krippendorff_alpha(table(matrix), level="interval").estimate
    assert np.mean([value or 0 for value in found.values()]) == pytest.approx(alpha, abs=0.01)


def test_votes_are_turned_to_one_order_before_they_are_compared() -> None:
    votes = reference.pandalm((1, 2))
    swapped = {name: list(values) for name, values in votes.items()}
    for k in range(0, len(votes["item"]), 2):
        swapped["system_a"][k], swapped["system_b"][k] = votes["system_b"][k], votes["system_a"][k]
        swapped["winner"][k] = {"a": "b", "b": "a", "tie": "tie"}[votes["winner"][k]]
    assert cohen_kappa(votes, n_resamples=20) == cohen_kappa(swapped, n_resamples=20)


def test_very_many_distinct_scores_are_taken_in_groups() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(50, 10, (1, 200)) + rng.normal(0, 6, (3, 200))
    found = krippendorff_alpha(table(scores.tolist()), level="interval", n_resamples=50)
    exact = krippendorff.alpha(scores, level_of_measurement="interval")
    assert found.estimate == pytest.approx(exact, abs=0.002)
    assert found.notes[0].startswith("the 600 distinct scores are taken in 200 groups")


def test_more_than_fifty_values_hold_ordinal_distances_fixed_in_the_interval() -> None:
    rng = np.random.default_rng(1)
    scores = (rng.normal(50, 12, (1, 60)) + rng.normal(0, 8, (5, 60))).round()
    found = krippendorff_alpha(table(scores.tolist()), level="ordinal")
    exact = krippendorff.alpha(scores, level_of_measurement="ordinal")
    assert found.estimate == pytest.approx(exact, abs=1e-9)
    assert found.interval is not None
    assert found.interval.low < exact < found.interval.high


def test_the_claim_about_these_raters_can_be_asked_for() -> None:
    ratings = table(noisy(8, 40, 6))
    wide = krippendorff_alpha(ratings, level="ordinal")
    narrow = krippendorff_alpha(ratings, level="ordinal", generalize="items")
    assert wide.estimate == narrow.estimate
    assert narrow.interval is not None
    assert narrow.interval.generalizes_to == "items like these, judged by these raters"
    assert narrow.interval.method == "bootstrap of items, 2,000 resamples, Fisher's z"
    # The resamples spread as the linearized standard error says.
    k = 8.0
    slope = 0.5 * ((k - 1) / (1 + (k - 1) * (narrow.estimate or 0)) + 1 / (1 - narrow.estimate))  # type: ignore[operator]
    width = fisher_z(narrow.interval.high, k) - fisher_z(narrow.interval.low, k)
    expected = 2 * t_quantile(0.95, 39) * (narrow.item_error or 0) * slope
    assert width == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("raters", [2, 6])
def test_percent_agreement_stays_between_none_and_all(raters: int) -> None:
    for seed in range(4):
        matrix: Matrix = [[1.0] * 20 for _ in range(raters)]
        for r, u in random.Random(seed).sample([(0, 3), (1, 7), (0, 11), (1, 15)], k=seed):
            matrix[r][u] = 2.0
        found = percent_agreement(table(matrix), n_resamples=200)
        assert found.interval is not None
        assert 0 <= found.interval.low < found.interval.high <= 1
        assert found.interval.low <= (found.estimate or 0) <= found.interval.high


@pytest.mark.parametrize("statistic", [percent_agreement, fleiss_kappa, cohen_kappa])
def test_scores_that_differ_by_rounding_noise_are_equal(statistic: Any) -> None:
    # 0.1 + 0.2 is 0.30000000000000004; 0.3 − 0.1 − 0.2 is −2.8e-17 and means 0.
    exact: Matrix = [[0.3, 0.0, 0.1, 0.3, 0.0, 0.1], [0.3, 0.0, 0.1, 0.1, 0.3, 0.1]]
    noise: Matrix = [
        [0.1 + 0.2, 0.0, 0.1, 0.3, 0.3 - 0.1 - 0.2, 0.1],
        [0.3, 0.3 - 0.1 - 0.2, 0.1, 0.1, 0.1 + 0.2, 0.1],
    ]
    assert statistic(table(noise)) == statistic(table(exact))


def test_a_large_score_does_not_swallow_small_ones() -> None:
    # 1 and 2 are different beside 1e10, and equal answers are few.
    found = percent_agreement(table([[1, 2, 1e10], [2, 1, 1e10]]))
    assert found.estimate == pytest.approx(1 / 3)


@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
def test_the_unit_of_a_scale_does_not_matter(size: float) -> None:
    scaled: Matrix = [[(x or 0) * size for x in own] for own in noisy(3, 15, 4)]
    found = cohen_kappa(table(scaled), weights="quadratic", n_resamples=20)
    known = cohen_kappa(table(noisy(3, 15, 4)), weights="quadratic", n_resamples=20)
    assert found.estimate == pytest.approx(known.estimate)


def lonely(pairs: int, others: int) -> dict[str, list[Any]]:
    """Two raters on some items, and six raters who are each alone on theirs."""
    draw = random.Random(2)
    rows = [(f"i{i:02}", f"r{r}", draw.choice([1, 2])) for i in range(pairs) for r in (0, 1)]
    rows += [(f"x{i:02}", f"s{i % 6}", draw.choice([1, 2])) for i in range(others)]
    return dict(zip(("item", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize("statistic", [percent_agreement, fleiss_kappa, cohen_kappa])
def test_who_shares_nothing_carries_no_interval(statistic: Any) -> None:
    # Eight raters are named, but only two ever meet: nothing is known of raters like them.
    found = statistic(lonely(12, 40))
    assert (found.n_raters, found.n_items, found.n_responses) == (2, 12, 24)
    assert found.interval is not None
    assert found.interval.generalizes_to == "items like these, judged by these raters"
    one = percent_agreement(lonely(1, 40))
    assert (one.estimate, one.interval, one.n_items) == (None, None, 1)
    assert one.undefined == "there is only one pair of answers, which is no share"


def test_cohen_counts_responses_and_not_pairs() -> None:
    found = cohen_kappa(table(noisy(4, 20, 3)), n_resamples=20)
    assert (found.n_pairs, found.n_responses, found.n_items) == (6, 80, 20)


def test_real_and_generated_outputs_of_one_system_are_two_units() -> None:
    # Each output is called one thing by its two raters; taken as one unit they would disagree.
    rows = [
        (f"i{i}", f"r{2 * k + r}", "mix", truth, truth)
        for i in range(6)
        for k, truth in enumerate(("real", "generated"))
        for r in (0, 1)
    ]
    names = ("item", "rater", "system", "truth", "answer")
    detections = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    found = krippendorff_alpha(detections, level="nominal", n_resamples=20)
    assert (found.estimate, found.n_units, found.n_items) == (1, 12, 6)


@pytest.mark.parametrize(
    ("raters", "values"),
    # Bits of a count times values: 60 and 63 around the width of an integer, then far beyond it.
    [(30, 12), (100, 9), (70, 9), (40, 20), (300, 60)],
)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_pattern_keys_do_not_overflow_with_many_raters_and_values(
    level: Level, raters: int, values: int
) -> None:
    # Every value is given, the last one by everybody to one unit: a key that kept too few bits
    # would lose it, or count it for its neighbor.
    draw = random.Random(raters * values)
    units = 12
    matrix: Matrix = [
        [float(draw.choice([u % values, draw.randrange(values)])) for u in range(units)]
        for _ in range(raters)
    ]
    for r in range(raters):
        matrix[r][0] = float(values - 1)
        matrix[r][1] = float(r % values)
    found = krippendorff_alpha(table(matrix), level=level, n_resamples=5)
    known = krippendorff.alpha(np.array(matrix, dtype=float), level_of_measurement=level)
    assert found.estimate == pytest.approx(known, abs=1e-9)
    assert (found.n_units, found.n_responses) == (units, raters * units)
    counts = [Counter(row[u] for row in matrix) for u in range(units)]
    share = sum(n * (n - 1) for count in counts for n in count.values())
    agreed = percent_agreement(table(matrix), n_resamples=5)
    assert agreed.estimate == pytest.approx(share / (units * raters * (raters - 1)), abs=1e-12)


SPARSE: Matrix = [
    [1, 1, None, None, None, 1],
    [None, None, None, 2, 1, None],
    [None, None, 1, None, 2, 2],
    [None, None, None, 2, None, None],
    [2, 2, 2, None, None, None],
]
"""Two of five raters a unit, who agree on one: without it a coefficient is −1."""


@pytest.mark.parametrize("statistic", [fleiss_kappa, brennan_prediger, gwet_ac])
def test_no_interval_reaches_below_what_agreement_can_be(statistic: Any) -> None:
    # Two raters differ in at most 2 (1 − π) of the units, where π is the share of the most common
    # answer. So p_e ≤ π ≤ (1 + p_a) / 2, and (p_a − p_e) / (1 − p_e) is never less than −1.
    found = statistic(table(SPARSE))
    assert found.estimate is not None
    assert found.interval is not None
    assert -1 == found.interval.low < found.estimate < found.interval.high <= 1


def test_resampled_items_do_not_reach_below_it_either() -> None:
    # Answers without another beside them count towards chance alone: some resamples give −5.
    rows = ["q0 b r0 ok", "q0 c r3 ok", "q1 a r1 good", "q1 c r0 ok", "q1 c r1 good"]
    rows += ["q2 a r3 ok", "q2 c r1 ok", "q2 c r2 ok", "q2 c r3 bad"]
    columns = zip(*(row.split() for row in rows), strict=True)
    found = fleiss_kappa(dict(zip(("item", "system", "rater", "score"), columns, strict=True)))
    assert found.estimate is not None
    assert found.interval is not None
    assert -1 == found.interval.low < found.estimate < found.interval.high


def test_where_the_table_itself_lies_beyond_that_nothing_is_cut() -> None:
    # Four pairs that differ beside six answers alone: p_a = 0, and 1 has (4 · ½ + 6) / 10.
    alone: Matrix = [[1] * 10, [*[2] * 4, *[None] * 6]]
    found = fleiss_kappa(table(alone))
    p_e = 0.8**2 + 0.2**2
    assert found.estimate == pytest.approx((0 - p_e) / (1 - p_e))
    assert found.estimate is not None
    assert found.estimate < -1
    assert found.interval is not None
    assert found.interval.low < found.estimate < found.interval.high


@pytest.mark.parametrize(
    "statistic",
    [fleiss_kappa, cohen_kappa, gwet_ac, brennan_prediger, percent_agreement, rater_pairs],
)
def test_rankings_and_spans_are_led_to_what_says_how_far_raters_agree(statistic: Any) -> None:
    shared = {"item": ["q", "q"], "rater": ["ada", "ben"], "system": ["s", "s"]}
    with pytest.raises(InputError, match="use kendall_w"):
        statistic(shared | {"rank": [1, 1]})
    with pytest.raises(InputError, match="use span_agreement"):
        statistic(shared | {"start": [0, 0], "end": [4, 4], "severity": ["minor"] * 2})
