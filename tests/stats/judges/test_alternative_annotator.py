"""The alternative-annotator test: by hand, by an oracle with SciPy, at the edges."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from jurybox.errors import InputError
from jurybox.results import Result
from jurybox.stats.judges.alternative_annotator import (
    AlternativeAnnotatorTest,
    alternative_annotator,
)
from jurybox.stats.multiple import benjamini_yekutieli
from tests.stats.judges.units import codes, units

WORDS = ("a", "b", "c")
NAMES = ("u", "v", "w", "x", "y", "z")


def put_to_it(
    answers: list[dict[str, Any]],
    judge: list[Any],
    *,
    epsilon: float = 0.1,
    words: tuple[str, ...] | None = WORDS,
    items: list[int] | None = None,
) -> AlternativeAnnotatorTest:
    names = tuple(sorted({name for each in answers for name in each}))
    people = units(answers, words=words, items=items)
    return alternative_annotator(people, codes(judge, words), names, epsilon=epsilon, judge="j")


def ahead(answers: dict[str, Any], rater: str, x: Any) -> int:
    """+1 where the rater is closer to the others than the judge, by the paper's definitions."""
    others = [y for name, y in answers.items() if name != rater]
    own = answers[rater]
    if isinstance(own, str):
        scores = [sum(one == y for y in others) / len(others) for one in (own, x)]
    else:
        scores = [-sqrt(sum((one - y) ** 2 for y in others) / len(others)) for one in (own, x)]
    if abs(scores[0] - scores[1]) < 1e-12:
        return 0
    return int(scores[0] >= scores[1]) - int(scores[1] >= scores[0])


def oracle(answers: list[dict[str, Any]], judge: list[Any], epsilon: float) -> dict[str, Any]:
    ps, advantages = [], []
    for rater in sorted({name for each in answers for name in each}):
        gaps = [
            ahead(each, rater, x)
            for each, x in zip(answers, judge, strict=True)
            if rater in each and len(each) > 1 and x is not None
        ]
        ps.append(float(ttest_1samp(gaps, epsilon, alternative="less").pvalue))
        advantages.append(float(np.mean([gap <= 0 for gap in gaps])))
    rejected = multipletests(ps, alpha=0.05, method="fdr_by")[0]
    return {"ps": ps, "advantages": advantages, "rate": float(np.mean(rejected))}


def drawn(rng: np.random.Generator, n: int, *, error: float, words: bool) -> Any:
    truth = rng.integers(0, 3, n)

    def one(k: int, wrong: float) -> Any:
        value = truth[k] if rng.random() > wrong else rng.integers(0, 3)
        return WORDS[value] if words else float(value) + (0.5 if rng.random() < 0.3 else 0.0)

    answers = [{name: one(k, error) for name in NAMES[:4]} for k in range(n)]
    return answers, truth, one


def test_one_rater_by_hand() -> None:
    # Three raters on 32 items, all saying a; u says b on the first 8. The judge says a but on the
    # last 4. Of u: on the first 8 the judge is closer, −1; on the last 4 u is, +1; else 0.
    # Mean (−8 + 4)/32 = −1/8, sum of squares 12: s² = (12 − 32/64)/31 = 11.5/31,
    # se = √(11.5/31/32) = 0.10767; t at ε = 0.1: (−0.125 − 0.1)/0.10767 = −2.0897, df 31.
    answers = [{"u": "b" if k < 8 else "a", "v": "a", "w": "a"} for k in range(32)]
    judge = ["a" if k < 28 else "b" for k in range(32)]
    found = put_to_it(answers, judge)
    # Of v: on the first 8 others are a and b, both equally close as v and judge say a: 0; on the
    # last 4 +1. Mean 1/8, se = √((4 − 32/64)/31/32).
    assert found.raters == ("u", "v", "w")
    assert found.advantages == pytest.approx([28 / 32, 28 / 32, 28 / 32])
    assert found.advantage == pytest.approx(28 / 32)
    assert found.ps[0] == pytest.approx(0.0225, abs=2e-4)
    assert found.ps[1] == found.ps[2] > 0.5
    # Benjamini and Yekutieli: 0.0225 · 3 · (1 + 1/2 + 1/3) = 0.124, so none is rejected.
    assert found.ps_adjusted[0] == pytest.approx(3 * (1 + 1 / 2 + 1 / 3) * found.ps[0])
    assert (found.estimate, found.passes, found.passes_at_zero) == (0.0, False, False)
    assert found.interval is not None
    assert found.interval.low == 0
    assert found.interval.generalizes_to == "raters like these, on these items"


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_the_test_is_that_of_the_oracle(*, words: bool, epsilon: float) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        answers, _, one = drawn(rng, 60, error=0.4, words=words)
        judge = [one(k, 0.1 * seed) for k in range(60)]
        found = put_to_it(answers, judge, epsilon=epsilon, words=WORDS if words else None)
        expected = oracle(answers, judge, epsilon)
        assert found.ps == pytest.approx(expected["ps"], abs=1e-12)
        assert found.advantages == pytest.approx(expected["advantages"])
        assert found.estimate == pytest.approx(expected["rate"])
        assert found.passes == (expected["rate"] >= 0.5)
        at_zero = oracle(answers, judge, 0.0)["rate"]
        assert (found.at_zero, found.passes_at_zero) == (at_zero, at_zero >= 0.5)
        assert Result.from_dict(found.to_dict()) == found


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_benjamini_and_yekutieli_are_those_of_statsmodels(ps: list[float]) -> None:
    expected = multipletests(ps, method="fdr_by")[1]
    assert benjamini_yekutieli(ps) == pytest.approx(expected.tolist(), abs=1e-12)


def test_a_perfect_judge_passes_and_a_random_one_does_not() -> None:
    rng = np.random.default_rng(9)
    answers, truth, one = drawn(rng, 120, error=0.4, words=True)
    perfect = put_to_it(answers, [WORDS[t] for t in truth], epsilon=0.0)
    assert (perfect.estimate, perfect.passes, perfect.passes_at_zero) == (1.0, True, True)
    assert perfect.advantage is not None
    assert perfect.advantage_low is not None
    assert perfect.advantage > perfect.advantage_low > 0.8
    chance = put_to_it(answers, [one(k, 1.0) for k in range(120)], epsilon=0.2)
    assert (chance.estimate, chance.passes) == (0.0, False)


def test_epsilon_can_only_help() -> None:
    rng = np.random.default_rng(11)
    answers, _, one = drawn(rng, 100, error=0.3, words=True)
    judge = [one(k, 0.35) for k in range(100)]
    rates = [put_to_it(answers, judge, epsilon=e).estimate for e in (0.0, 0.1, 0.2, 0.3)]
    assert rates == sorted(rates, key=lambda rate: -1 if rate is None else rate)


def test_outputs_of_one_item_are_one_cluster() -> None:
    rng = np.random.default_rng(12)
    answers, _, one = drawn(rng, 40, error=0.4, words=True)
    judge = [one(k, 0.3) for k in range(40)]
    once = put_to_it(answers, judge)
    # Every output four times, as four outputs of the same item: no more is known.
    fourfold = put_to_it(answers * 4, judge * 4, items=list(range(40)) * 4)
    assert fourfold.ps == pytest.approx(once.ps)
    assert fourfold.advantage == pytest.approx(once.advantage)
    assert fourfold.advantage_low == pytest.approx(once.advantage_low)
    # As 160 items they would be.
    apart = put_to_it(answers * 4, judge * 4)
    assert min(apart.ps) < min(once.ps)


def test_where_nothing_varies_the_exact_bound_stands_in() -> None:
    # Everybody says the same on 40 items: d = 0 throughout. At ε = 0.2 at most 80% of items may
    # show 0 where the mean is 0.2 or more: p ≤ 0.8^40 = 0.000133. At ε = 0: p = 1.
    answers = [{"u": "a", "v": "a", "w": "a"} for _ in range(40)]
    found = put_to_it(answers, ["a"] * 40, epsilon=0.2)
    assert found.ps == pytest.approx([0.8**40] * 3)
    assert (found.estimate, found.passes, found.at_zero) == (1.0, True, 0.0)
    assert found.advantage == 1.0
    assert found.advantage_low is None
    # A judge that is always wrong: d = 1, which no ε below 1 makes up for.
    wrong = put_to_it(answers, ["b"] * 40, epsilon=0.2)
    assert (wrong.ps, wrong.estimate) == ((1.0, 1.0, 1.0), 0.0)


@pytest.mark.parametrize(
    ("raters", "n", "said"),
    [
        ("uv", 40, "the test needs 3 raters, and there are 2"),
        ("uvw", 29, "0 raters of 3 reached that, and the most is 29 items"),
        ("u", 40, "no unit has an answer of the judge and of two people"),
    ],
)
def test_too_few_are_refused(raters: str, n: int, said: str) -> None:
    answers = [dict.fromkeys(raters, "a") for _ in range(n)]
    found = put_to_it(answers, ["a"] * n)
    assert found.estimate is None
    assert found.passes is None
    assert said in (found.undefined or "")


def test_a_rater_with_few_items_is_left_untested() -> None:
    answers: list[dict[str, Any]] = [dict.fromkeys("uvw", "a") for _ in range(40)]
    answers[0]["x"] = "b"
    found = put_to_it(answers, ["a"] * 40)
    assert found.raters == ("u", "v", "w")
    assert found.n_too_few == 1
    silent = put_to_it(answers, [None] * 40)
    assert silent.undefined == "no unit has an answer of the judge and of two people"


def test_an_epsilon_that_is_no_share_is_refused() -> None:
    for epsilon in (-0.1, 1.0, float("nan")):
        with pytest.raises(InputError, match="epsilon must lie from 0 up to 1"):
            put_to_it([{"u": "a", "v": "a"}], ["a"], epsilon=epsilon)


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_shares_stay_shares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    answers, _, one = drawn(rng, 35, error=float(rng.random()), words=bool(seed % 2))
    judge = [one(k, float(rng.random())) for k in range(35)]
    found = put_to_it(answers, judge, words=WORDS if seed % 2 else None)
    assert found.estimate is not None
    assert found.advantage is not None
    assert 0 <= found.estimate <= 1
    assert 0 <= found.advantage <= 1
    assert all(0 <= p <= 1 for p in found.ps)
    if found.advantage_low is not None and found.advantage_high is not None:
        assert 0 <= found.advantage_low <= found.advantage <= found.advantage_high <= 1
