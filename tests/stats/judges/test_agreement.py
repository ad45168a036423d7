"""A judge beside people: by hand, by an oracle over all pairs, and at every edge."""

from __future__ import annotations

import math
import tracemalloc
from collections import Counter
from itertools import permutations
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from jurybox.results import Result
from jurybox.stats.distributions import t_quantile
from jurybox.stats.judges.agreement import (
    JudgeAgreement,
    confusion_of,
    judge_agreements,
)
from jurybox.stats.judges.beside import lay_beside
from jurybox.stats.judges.strata import length_trend
from tests.stats.judges.units import Units, codes, units

WORDS = ("a", "b", "tie")
NOMINAL: Any = ("percent", "kappa")
NUMBERS: Any = ("weighted_kappa", "pearson")


def rows_of(people: Units, judge: NDArray[Any], **options: Any) -> dict[Any, JudgeAgreement]:
    statistics = NUMBERS if people.n_values is None else NOMINAL
    found = judge_agreements(people, judge, statistics=statistics, judge="j", **options)
    return {(row.statistic, row.against): row for row in found}


# By hand.


def test_a_judge_beside_three_people_by_hand() -> None:
    # Unit 0: a a b, judge a: with a person 2/3; two people: of 3 pairs 1 alike, 1/3.
    # Unit 1: a a a, judge b: 0; two people 1.
    # Unit 2: b b a, judge b: 2/3; two people 1/3.
    # Unit 3: b b b, judge b: 1; two people 1.
    # Judge (2/3 + 0 + 2/3 + 1)/4 = 7/12; ceiling (1/3 + 1 + 1/3 + 1)/4 = 2/3; difference −1/12.
    people = units([dict(zip("xyz", each, strict=True)) for each in ("aab", "aaa", "bba", "bbb")],
                   words=WORDS)  # fmt: skip
    found = rows_of(people, codes("abbb", WORDS))
    row = found["percent", "person"]
    assert row.estimate == pytest.approx(7 / 12)
    assert row.ceiling == pytest.approx(2 / 3)
    assert row.difference == pytest.approx(-1 / 12)
    assert (row.n_units, row.n_items, row.n_raters, row.n_responses) == (4, 4, 3, 12)
    # People say a in 6 of 12 answers, the judge in 1 of 4: by chance alike 1/8 + 3/8 = 1/2,
    # two people 1/4 + 1/4 = 1/2. κ = (7/12 − 1/2)/(1/2) = 1/6; ceiling (2/3 − 1/2)/(1/2) = 1/3.
    kappa = found["kappa", "person"]
    assert kappa.estimate == pytest.approx(1 / 6)
    assert kappa.ceiling == pytest.approx(1 / 3)


def test_the_consensus_of_the_others_by_hand() -> None:
    # One unit of five people a a a b b, judge a.
    # Without an a (3 of 5): a a b b, both commonest, a and b in halves. Without a b: a a a b, a.
    # Judge: (3 · 1/2 + 2 · 1)/5 = 7/10. Person: (3 · 1/2 + 2 · 0)/5 = 3/10.
    people = units([dict(zip("vwxyz", "aaabb", strict=True))] * 2, words=WORDS)
    row = rows_of(people, codes("aa", WORDS))["percent", "consensus"]
    assert row.estimate == pytest.approx(0.7)
    assert row.ceiling == pytest.approx(0.3)
    assert row.difference == pytest.approx(0.4)


def test_numbers_by_hand() -> None:
    # Units (1, 3), (4, 4), judge 2, 5. Squared distances: judge (1 + 1)/2 = 1, (1 + 1)/2 = 1;
    # people 4, 0. Means: judge 3.5, x² (4 + 25)/2 = 14.5; people 3, y² (5 + 16)/2 = 10.5.
    # Expected: judge 14.5 + 10.5 − 2 · 3.5 · 3 = 4; people 2 · 10.5 − 2 · 9 = 3.
    # κ = 1 − 1/4 = 3/4; ceiling 1 − 2/3 = 1/3.
    people = units([{"x": 1, "y": 3}, {"x": 4, "y": 4}])
    found = rows_of(people, codes([2, 5]))
    row = found["weighted_kappa", "person"]
    assert row.estimate == pytest.approx(3 / 4)
    assert row.ceiling == pytest.approx(1 / 3)
    # Covariance: xy (2·2 + 5·4)/2 − 3.5·3 = 1.5; variances 14.5 − 12.25 = 2.25, 10.5 − 9 = 1.5.
    assert found["pearson", "person"].estimate == pytest.approx(1.5 / math.sqrt(2.25 * 1.5))
    # People: xy (3 + 16)/2 − 9 = 0.5 over 1.5.
    assert found["pearson", "person"].ceiling == pytest.approx(1 / 3)


def test_the_interval_of_few_raters_is_a_jackknife_of_items_by_hand() -> None:
    # Two people who agree; the judge is right in 3 of 4 items. Without a right one 2/3 remain, ×3,
    # without the wrong one 1: beyond the logit, so the plain scale: mean of the four values
    # (3 · 2/3 + 1)/4 = 3/4, variance 3/4 · Σ (value − 3/4)² = 3/4 · (3/144 + 1/16) = 1/16.
    people = units([{"x": w, "y": w} for w in "abab"], words=WORDS)
    row = rows_of(people, codes("abaa", WORDS))["percent", "person"]
    assert row.estimate == 0.75
    assert row.interval is not None
    # 0.75 ± 3.182/4 reaches beyond what a share can be on either side.
    assert (row.interval.low, row.interval.high) == (0.0, 1.0)
    assert row.difference == -0.25
    assert row.difference_high == pytest.approx(-0.25 + t_quantile(0.95, 3) / 4)
    assert row.difference_low == -1.0
    assert row.interval.generalizes_to == "items like these, judged by these raters"
    # People who always agree have Wilson's interval, with n = 4 items.
    assert (row.ceiling, row.ceiling_high) == (1.0, 1.0)
    assert row.ceiling_low == pytest.approx(4 / (4 + 1.959964**2))


def test_confusion_by_hand() -> None:
    people = units([{"x": "a", "y": "b"}, {"x": "a", "y": "a"}, {"x": "b"}], words=WORDS)
    judge, given_by, met = confusion_of(people, codes(["a", "b", None], WORDS))
    assert judge.tolist() == [0, 1]
    assert given_by.tolist() == [0, 1]
    # Unit 0 adds (a, a) and (a, b); unit 1 adds (b, a) twice; unit 2 has no answer of the judge.
    assert met.tolist() == [[1, 1], [2, 0]]


def test_the_trend_with_length_by_hand() -> None:
    # Lengths 0, 1, 2 doublings; the judge's agreement less people's: 1 − 1, 1/2 − 0, 0 − 1 … as
    # units aa/a: 0; ab/a: 1/2 − 0 = 1/2; aa/b: −1. Slope: Σ (L − 1) gap / Σ (L − 1)² = −1/2.
    people = units([{"x": "a", "y": "a"}, {"x": "a", "y": "b"}, {"x": "a", "y": "a"}], words=WORDS)
    found = length_trend(
        people, codes("aab", WORDS), np.array([0.0, 1.0, 2.0]), statistic="percent", judge="j"
    )
    assert found.estimate == pytest.approx(-0.5)


# An oracle in plain Python, over every pair of answers.


def oracle(
    answers: list[dict[str, Any]], judge: list[Any], statistic: str, against: str
) -> tuple[float | None, float | None]:
    """The judge's figure and the ceiling, from lists of weighted pairs of answers."""
    judged, people, n_units = [], [], 0
    for given_by, x in zip(answers, judge, strict=True):
        ys = list(given_by.values())
        if x is None or len(ys) < 2:
            continue
        n_units += 1
        for k, y in enumerate(ys):
            others = ys[:k] + ys[k + 1 :]
            if against == "person":
                judged.append((x, y, 1 / len(ys)))
                people += [(y, z, 1 / len(ys) / len(others)) for z in others]
            elif isinstance(x, str):
                counts = Counter(others)
                modes = [v for v in counts if counts[v] == max(counts.values())]
                judged += [(x, v, 1 / len(ys) / len(modes)) for v in modes]
                people += [(y, v, 1 / len(ys) / len(modes)) for v in modes]
            else:
                judged.append((x, mean(others), 1 / len(ys)))
                people.append((y, mean(others), 1 / len(ys)))
    if n_units == 1 and statistic in ("kappa", "weighted_kappa"):
        return None, None
    return figure(judged, statistic), figure(people, statistic)


def figure(pairs: list[tuple[Any, Any, float]], statistic: str) -> float | None:
    total = sum(w for *_, w in pairs)
    if not pairs:
        return None

    def average(f: Any) -> float:
        return float(sum(w * f(x, y) for x, y, w in pairs) / total)

    if statistic == "percent":
        return average(lambda x, y: x == y)
    if statistic == "kappa":
        values = {x for x, _, _ in pairs} | {y for _, y, _ in pairs}
        chance = sum(
            average(lambda x, y, v=v: x == v) * average(lambda x, y, v=v: y == v) for v in values
        )
        return None if chance > 1 - 1e-9 else (average(lambda x, y: x == y) - chance) / (1 - chance)
    mx, my = average(lambda x, y: x), average(lambda x, y: y)
    vx, vy = average(lambda x, y: (x - mx) ** 2), average(lambda x, y: (y - my) ** 2)
    if statistic == "weighted_kappa":
        expected = vx + vy + (mx - my) ** 2
        return None if expected < 1e-9 else 1 - average(lambda x, y: (x - y) ** 2) / expected
    if min(vx, vy) < 1e-9:
        return None
    return average(lambda x, y: (x - mx) * (y - my)) / math.sqrt(vx * vy)


def drawn(values: Any) -> Any:
    one = st.dictionaries(st.sampled_from("uvwxyz"), values, min_size=1, max_size=6)
    unit = st.tuples(one, st.none() | values)
    return st.lists(unit, min_size=1, max_size=12)


def close(found: float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is None and expected is None
    return found == pytest.approx(expected, abs=1e-9)


@given(drawn(st.sampled_from(WORDS)))
def test_words_are_those_of_the_oracle(units_drawn: list[tuple[dict[str, str], Any]]) -> None:
    check(units_drawn, WORDS)


@given(drawn(st.integers(1, 5).map(float)))
def test_numbers_are_those_of_the_oracle(units_drawn: list[tuple[dict[str, float], Any]]) -> None:
    check(units_drawn, None)


def check(units_drawn: list[tuple[dict[str, Any], Any]], words: tuple[str, ...] | None) -> None:
    answers, judge = [each for each, _ in units_drawn], [x for _, x in units_drawn]
    people = units(answers, words=words)
    found = rows_of(people, codes(judge, words))
    both = any(len(a) > 1 and x is not None for a, x in units_drawn)
    for (statistic, against), row in found.items():
        assert Result.from_dict(row.to_dict()) == row
        if not both:
            assert row.ceiling is None
            assert row.no_ceiling
            continue
        own, ceiling = oracle(answers, judge, statistic, against)
        assert close(row.estimate, own), (statistic, against)
        if row.estimate is not None:
            assert close(row.ceiling, ceiling), (statistic, against)
        if row.interval is not None and row.estimate is not None:
            assert row.interval.low < row.interval.high
            assert row.interval.low <= row.estimate <= row.interval.high
        elif row.estimate is not None:
            assert row.undefined


@given(drawn(st.sampled_from(WORDS)), st.randoms())
def test_neither_names_nor_order_matter(
    units_drawn: list[tuple[dict[str, str], Any]], draw: Any
) -> None:
    shuffled = list(units_drawn)
    draw.shuffle(shuffled)
    turned = dict(zip(WORDS, draw.choice(list(permutations(WORDS))), strict=True))
    other = [
        ({f"{name}!": turned[value] for name, value in each.items()}, turned.get(x))
        for each, x in shuffled
    ]
    results = []
    for each in (units_drawn, other):
        people = units([a for a, _ in each], words=WORDS)
        results.append(rows_of(people, codes([x for _, x in each], WORDS)))
    for key, row in results[0].items():
        assert close(results[1][key].estimate, row.estimate)
        assert close(results[1][key].difference, row.difference)


def test_leaving_out_is_computing_anew() -> None:
    rng = np.random.default_rng(3)
    for words in (WORDS, None):
        answers = [
            {
                name: WORDS[rng.integers(3)] if words else float(rng.integers(1, 6))
                for name in "uvwxyz"
                if rng.random() < 0.7
            }
            for _ in range(20)
        ]
        items = [k // 2 for k in range(20)]
        people = units(answers, words=words, items=items)
        judge = codes([WORDS[rng.integers(3)] if words else rng.random() for _ in answers], words)
        beside = lay_beside(people, judge)
        assert beside is not None

        def sums(use: NDArray[np.bool_], people: Units = people, judge: Any = judge) -> Any:
            part = Units(people.item, people.unit[use], people.rater[use],
                         people.answer[use], people.n_values)  # fmt: skip
            left = lay_beside(part, judge)
            assert left is not None
            return left.total

        if words is None:
            continue  # the numbers' center moves with the answers; see the figures below
        for rater in range(6):
            lost = np.bincount(beside.rater, minlength=6)  # every rater has answers
            assert lost[rater] > 0
            one = beside.total - beside.lost[beside.rater == rater].sum(axis=0)
            assert one == pytest.approx(sums(people.rater != rater))


def test_without_each_rater_numbers_are_those_of_the_others() -> None:
    from jurybox.stats.judges.beside import weighted_kappa

    rng = np.random.default_rng(4)
    answers = [
        {name: float(rng.integers(1, 6)) for name in "uvwxyz" if rng.random() < 0.7}
        for _ in range(25)
    ]
    judge = [float(rng.integers(1, 6)) for _ in answers]
    beside = lay_beside(units(answers), codes(judge))
    assert beside is not None
    found = beside.without_raters(lambda s: weighted_kappa(beside.of("people", s)))
    for k, name in enumerate("uvwxyz"):
        left = [{n: y for n, y in each.items() if n != name} for each in answers]
        assert found.theta[k] == pytest.approx(oracle(left, judge, "weighted_kappa", "person")[1])


def test_scores_far_from_zero_lose_no_digits() -> None:
    answers = [{"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 3.0}, {"x": 5.0, "y": 4.0}]
    near = rows_of(units(answers), codes([1.0, 3.0, 4.0]))
    far = [{name: y + 1e9 for name, y in each.items()} for each in answers]
    moved = rows_of(units(far), codes([1e9 + 1, 1e9 + 3, 1e9 + 4]))
    for key, row in near.items():
        assert moved[key].estimate == pytest.approx(row.estimate, abs=1e-6)


# Edges.


def test_no_answer_and_no_overlap_are_said() -> None:
    people = units([{"x": "a", "y": "b"}, {"x": "a"}], words=WORDS)
    silent = rows_of(people, codes([None, None], WORDS))["percent", "person"]
    assert silent.estimate is None
    assert silent.undefined == "the judge has no usable answer"
    alone = rows_of(people, codes([None, "a"], WORDS))
    assert alone["percent", "person"].estimate == 1.0
    assert alone["percent", "person"].no_ceiling == "no unit of the judge has two people's answers"
    assert alone["percent", "consensus"].estimate is None
    nowhere = Units(np.arange(3), people.unit, people.rater, people.answer, 3)
    apart = rows_of(nowhere, codes([None, None, "a"], WORDS))["percent", "person"]
    assert apart.undefined == "no unit has an answer of the judge and of a person"


def test_one_unit_has_no_kappa() -> None:
    # Whatever is answered, chance alone agrees as often: it was 0.
    for judge, people in ((5.0, {"x": 3.0}), (4.0, {"x": 3.0, "y": 5.0})):
        row = rows_of(units([people]), codes([judge]))["weighted_kappa", "person"]
        assert row.estimate is None
        assert row.undefined == "there is only one unit, from which chance cannot be told"


def test_one_rater_has_no_ceiling_and_speaks_for_itself() -> None:
    people = units([{"x": w} for w in "abab"], words=WORDS)
    row = rows_of(people, codes("abaa", WORDS))["percent", "person"]
    assert row.estimate == 0.75
    assert row.ceiling is None
    assert row.interval is not None
    assert row.interval.generalizes_to == "items like these, judged by this rater only"
    assert "holds for this rater only" in row.notes


def test_constant_answers_have_no_kappa_and_a_constant_judge_is_noted() -> None:
    same = units([{"x": "a", "y": "a"}] * 5, words=WORDS)
    found = rows_of(same, codes("aaaaa", WORDS))
    assert found["kappa", "person"].estimate is None
    assert found["percent", "person"].estimate == 1.0
    assert found["percent", "person"].interval is not None
    varied = units([{"x": w, "y": w} for w in "abaab"], words=WORDS)
    row = rows_of(varied, codes("aaaaa", WORDS))["kappa", "person"]
    assert row.estimate == pytest.approx(0.0, abs=1e-12)
    assert "the judge gives one answer only" in row.notes
    numbers = rows_of(units([{"x": 3, "y": 3}] * 4), codes([3, 3, 3, 3]))
    assert numbers["weighted_kappa", "person"].estimate is None
    assert numbers["pearson", "person"].undefined == "the answers do not vary"
    flat = rows_of(units([{"x": 1, "y": 2}, {"x": 4, "y": 5}]), codes([3, 3]))
    assert flat["pearson", "person"].estimate is None


def test_lengths_that_do_not_vary_have_no_trend() -> None:
    people = units([{"x": "a", "y": "b"}] * 4, words=WORDS)
    found = length_trend(people, codes("aabb", WORDS), np.ones(4), statistic="percent", judge="j")
    assert found.estimate is None
    unknown = np.full(4, np.nan)
    found = length_trend(people, codes("aabb", WORDS), unknown, statistic="percent", judge="j")
    assert found.undefined == "no unit of the judge has two people's answers"


# Planted judges: from five raters on intervals speak for raters like these.


def planted(rng: np.random.Generator, *, n_items: int, raters: int, error: float) -> Any:
    truth = rng.integers(0, 3, n_items)
    answers = [
        {
            f"r{r}": WORDS[truth[i] if rng.random() > error else rng.integers(3)]
            for r in range(raters)
        }
        for i in range(n_items)
    ]
    return truth, units(answers, words=WORDS)


def test_a_judge_like_a_person_is_not_told_apart_and_a_random_one_is() -> None:
    rng = np.random.default_rng(1)
    truth, people = planted(rng, n_items=200, raters=8, error=0.3)
    like = np.where(rng.random(200) > 0.3, truth, rng.integers(0, 3, 200)).astype(float)
    row = rows_of(people, like)["percent", "person"]
    assert row.interval is not None
    assert row.interval.generalizes_to == "raters and items like these"
    assert row.difference_low is not None
    assert row.difference_high is not None
    assert row.difference_low < 0 < row.difference_high
    perfect = rows_of(people, truth.astype(float))["percent", "person"]
    assert perfect.difference_low is not None
    assert perfect.difference_low > 0
    # With a person: right with 0.8, so 0.8 alike; two people 0.64 + 2 · 0.01 = 0.66.
    assert perfect.estimate == pytest.approx(0.8, abs=0.03)
    assert perfect.ceiling == pytest.approx(0.66, abs=0.04)
    chance = rows_of(people, rng.integers(0, 3, 200).astype(float))
    assert chance["percent", "person"].estimate == pytest.approx(1 / 3, abs=0.08)
    high = chance["percent", "person"].difference_high
    assert high is not None
    assert high < 0
    kappa = chance["kappa", "person"].interval
    assert kappa is not None
    assert kappa.low < 0 < kappa.high


def test_the_difference_is_covered() -> None:
    # 300 studies in which the judge is one more person of the same kind: true difference 0.
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(300):
        truth, people = planted(rng, n_items=30, raters=6, error=0.4)
        like = np.where(rng.random(30) > 0.4, truth, rng.integers(0, 3, 30)).astype(float)
        row = judge_agreements(
            people, like, statistics=("percent",), against=("person",), judge="j"
        )[0]
        assert row.difference_low is not None
        assert row.difference_high is not None
        covered += row.difference_low <= 0 <= row.difference_high
    # Nominal 95%; 300 studies have a Monte Carlo error of 1.3 points.
    assert covered / 300 > 0.92


def test_a_hundred_thousand_answers_need_no_table_of_raters_by_units() -> None:
    # 20,000 raters × 20,000 units would hold 3.2 GB; what is added up is 100,000 answers × 24 sums.
    rng = np.random.default_rng(5)
    n, k = 20_000, 5
    people = Units(
        np.arange(n),
        np.repeat(np.arange(n), k),
        rng.integers(0, n, n * k),
        rng.integers(0, 5, n * k).astype(np.float64),
        None,
    )
    tracemalloc.start()
    try:
        found = judge_agreements(people, rng.random(n), statistics=NUMBERS, judge="j")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert all(row.interval is not None for row in found)
    assert peak < 400e6
