"""Rankings and marks beside people's: by hand, by plain Python, and at every edge."""

from __future__ import annotations

from itertools import combinations
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from jurybox.stats.judges.agreement import JudgeAgreement, judge_agreements
from jurybox.stats.judges.alternative_annotator import alternative_annotator
from jurybox.stats.judges.beside import lay_beside, percent
from jurybox.stats.judges.likeness import Likeness, Marks, Rankings, pairs_of_units
from tests.stats.judges.units import Array, Units, codes, units


def ranked(
    people: list[dict[str, tuple[float, ...]]],
    judge: list[tuple[float, ...] | None],
    items: list[int] | None = None,
) -> tuple[Units, Array]:
    """People's rankings of each unit and a judge's, as numbers of the distinct ones."""
    every = [r for each in people for r in each.values()] + [r for r in judge if r is not None]
    known = sorted(set(every))
    width = max(map(len, known))
    table = np.array([[*r, *[np.nan] * (width - len(r))] for r in known])
    made = units([{w: float(known.index(r)) for w, r in each.items()} for each in people],
                 items=items)  # fmt: skip
    own = codes([None if r is None else known.index(r) for r in judge])
    return Units(made.item, made.unit, made.rater, made.answer, None, Rankings(table)), own


def tau_of(people: Units, judge: Array, **options: Any) -> JudgeAgreement:
    (row,) = judge_agreements(people, judge, statistics=("tau",), judge="j", **options)
    return row


def test_a_judge_ranks_beside_two_people_by_hand() -> None:
    # Unit 0: x ranks 1 2 3, y 1 3 2, the judge 1 2 3. Of the three pairs x and y order two alike
    # and one not, (2 − 1)/3 = 1/3; the judge with x 1, with y 1/3: 2/3.
    # Unit 1: x 1 2 3, y 3 2 1, the judge 1 1 2. x and y −1. The judge orders two pairs, both as x:
    # 2/√(2·3) with x, −2/√(2·3) with y: 0.
    people, judge = ranked(
        [{"x": (1, 2, 3), "y": (1, 3, 2)}, {"x": (1, 2, 3), "y": (3, 2, 1)}],
        [(1, 2, 3), (1, 1, 2)],
    )
    row = tau_of(people, judge)
    assert row.estimate == pytest.approx((2 / 3 + 0) / 2)
    assert row.ceiling == pytest.approx((1 / 3 - 1) / 2)
    assert row.difference == pytest.approx(2 / 3)
    assert (row.n_units, row.n_items, row.n_raters, row.n_responses) == (2, 2, 2, 4)


RANKS = st.lists(st.integers(1, 4), min_size=4, max_size=4)


@given(RANKS, RANKS)
def test_tau_is_that_of_scipy(one: list[int], two: list[int]) -> None:
    found = Rankings(np.array([one, two], dtype=float))(np.zeros(1), np.ones(1))[0]
    tied = [len(set(each)) == 1 for each in (one, two)]
    if all(tied):
        assert np.isnan(found)
    elif any(tied):
        # Who ties everything says nothing of the order.
        assert found == 0
    else:
        assert found == pytest.approx(kendalltau(one, two).statistic)


def test_more_comparisons_than_are_held_at_once_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ranks = np.random.default_rng(3).permuted(np.tile(np.arange(1.0, 6), (40, 1)), axis=1)
    one, two = np.arange(40.0), np.arange(40.0)[::-1]
    whole = Rankings(ranks)(one, two)
    monkeypatch.setattr("jurybox.stats.judges.likeness.BLOCK", 30)
    assert (Rankings(ranks)(one, two) == whole).all()


def some(seed: int, *, n: int = 12, raters: int = 6, missing: float = 0.3) -> tuple[Units, Array]:
    """Rankings of three outputs near a common one; two units an item, some of them shorter."""
    rng = np.random.default_rng(seed)

    def ranking(k: int) -> tuple[float, ...]:
        drawn = np.arange(3 if k % 3 else 2) + rng.normal(0, 1, 3 if k % 3 else 2)
        return tuple(np.unique(np.round(drawn, 0), return_inverse=True)[1] + 1.0)

    people = [
        {f"r{r}": ranking(k) for r in range(raters) if rng.random() > missing} for k in range(n)
    ]
    return ranked(people, [ranking(k) for k in range(n)], items=[k // 2 for k in range(n)])


def by_hand(people: Units, judge: Array) -> tuple[float, float]:
    """The judge with a person and two people, over all pairs of all units, in plain Python."""
    assert people.likeness is not None
    own: list[float] = []
    ceiling: list[float] = []
    for unit in range(len(people.item)):
        answers = people.answer[people.unit == unit]
        alike = [people.likeness(np.array([judge[unit]]), np.array([y]))[0] for y in answers]
        pairs = [
            people.likeness(np.array([a]), np.array([b]))[0] for a, b in combinations(answers, 2)
        ]
        alike, pairs = ([v for v in each if not np.isnan(v)] for each in (alike, pairs))
        if alike and pairs:
            own.append(mean(alike))
            ceiling.append(mean(pairs))
    return (mean(own), mean(ceiling)) if own else (np.nan, np.nan)


def without(people: Units, keep: Any) -> Units:
    return Units(
        people.item, people.unit[keep], people.rater[keep], people.answer[keep], None,
        people.likeness,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_every_number_is_that_of_plain_python(seed: int) -> None:
    people, judge = some(seed)
    row = tau_of(people, judge)
    assert (row.estimate, row.ceiling) == pytest.approx(by_hand(people, judge))
    beside = lay_beside(people, judge)
    assert beside is not None
    sides: Any = ("judge_person", "people")
    item = people.item[people.unit]
    for k, side in enumerate(sides):

        def value(sums: Array, side: Any = side) -> Array:
            return percent(beside.of(side, sums))

        expected = [by_hand(without(people, people.rater != r), judge)[k]
                    for r in np.unique(people.rater)]  # fmt: skip
        assert beside.without_raters(value).theta == pytest.approx(expected, nan_ok=True)
        expected = [by_hand(without(people, item != i), judge)[k] for i in np.unique(item)]
        assert beside.without_items(value).theta == pytest.approx(expected, nan_ok=True)
        # Those of units that two people answered.
        met = np.bincount(people.unit)[people.unit] > 1
        cells = np.unique(np.column_stack([item, people.rater])[met], axis=0)
        expected = [
            by_hand(without(people, (item != i) | (people.rater != r)), judge)[k] for i, r in cells
        ]
        assert beside.without_cells(value).theta == pytest.approx(expected, nan_ok=True)


def test_the_alternative_annotator_by_plain_python() -> None:
    people, judge = some(5, n=80, raters=4, missing=0.1)
    likeness = people.likeness
    assert likeness is not None
    names = ("r0", "r1", "r2", "r3")
    row = alternative_annotator(people, judge, names, epsilon=0.1, judge="j")
    expected: list[float] = []
    for rater in range(4):
        ahead: list[bool] = []
        for at in np.flatnonzero(people.rater == rater):
            unit = people.unit[at]
            others = people.answer[(people.unit == unit) & (people.rater != rater)]
            own = np.array([_like(likeness, people.answer[at], y) for y in others])
            its = np.array([_like(likeness, judge[unit], y) for y in others])
            known = ~(np.isnan(own) | np.isnan(its))
            if known.any():
                ahead.append(bool(its[known].mean() >= own[known].mean() - 1e-9))
        expected.append(mean(ahead))
    assert row.advantages == pytest.approx(expected)


def _like(likeness: Likeness, one: float, two: float) -> float:
    return float(likeness(np.array([one]), np.array([two]))[0])


def test_pairs_of_units() -> None:
    one, two = pairs_of_units(np.array([4, 1, 4, 4, 2]))
    assert sorted(tuple(sorted(each)) for each in zip(one.tolist(), two.tolist(), strict=True)) == [
        (0, 2), (0, 3), (2, 3),
    ]  # fmt: skip
    assert all(len(each) == 0 for each in pairs_of_units(np.zeros(0, dtype=np.int64)))


def marked(scores: dict[tuple[int, int], float], n: int) -> Marks:
    key = sorted(a * n + b for a, b in scores)
    return Marks(np.array(key), np.array([scores[k // n, k % n] for k in key]), n)


def test_marks_are_as_alike_as_they_were_said_to_be() -> None:
    # Two outputs: x (0) and y (1) at ½, the judge (4) with them 1 and ¼; x (2) and y (3) at 0, of
    # whom y marked something without a place that the judge (5) cannot be held against.
    found = marked({(0, 1): 0.5, (0, 4): 1.0, (1, 4): 0.25, (2, 3): 0.0, (2, 5): 0.5}, 6)
    assert np.isnan(found(np.array([3.0]), np.array([5.0]))).all()
    assert found(np.array([4.0]), np.array([1.0])) == 0.25  # whichever comes first
    made = units([{"x": 0, "y": 1}, {"x": 2, "y": 3}])
    people = Units(made.item, made.unit, made.rater, made.answer, None, found)
    (row,) = judge_agreements(people, np.array([4.0, 5.0]), statistics=("f1",), judge="j")
    # The judge (5/8 + 1/2)/2, people (1/2 + 0)/2.
    assert (row.estimate, row.ceiling) == pytest.approx((9 / 16, 1 / 4))
    assert (row.n_units, row.statistic) == (2, "f1")
    assert row.interval is not None
    assert 0 <= row.interval.low <= row.interval.high <= 1


def test_marks_that_are_always_the_same_have_wilsons_interval() -> None:
    n = 20
    scores = {(a, b): 1.0 for k in range(10) for a, b in ((2 * k, 2 * k + 1), (2 * k, n + k),
                                                          (2 * k + 1, n + k))}  # fmt: skip
    made = units([{"x": 2 * k, "y": 2 * k + 1} for k in range(10)])
    people = Units(made.item, made.unit, made.rater, made.answer, None, marked(scores, 40))
    (row,) = judge_agreements(people, np.arange(20.0, 30), statistics=("f1",), judge="j")
    assert (row.estimate, row.ceiling) == (1.0, 1.0)
    assert row.interval is not None
    assert row.interval.low == pytest.approx(10 / (10 + 1.959964**2))


# Every edge.


def test_one_person_has_no_ceiling() -> None:
    people, judge = ranked([{"x": (1, 2)}] * 3, [(1, 2), (2, 1), (1, 2)])
    row = tau_of(people, judge)
    assert row.estimate == pytest.approx(1 / 3)
    assert (row.ceiling, row.no_ceiling) == (None, "no unit of the judge has two people's answers")
    assert "holds for this rater only" in row.notes


def test_no_unit_in_common() -> None:
    people, judge = ranked([{"x": (1, 2), "y": (2, 1)}] * 3, [None] * 3)
    row = tau_of(people, judge, n_replies=2)
    assert row.undefined == "no unit has an answer of the judge and of a person"
    assert tau_of(people, judge).undefined == "the judge has no usable answer"


def test_all_ties_say_so() -> None:
    people, judge = ranked([{"x": (1, 1), "y": (1, 1)}] * 3, [(1, 2)] * 3)
    row = tau_of(people, judge)
    assert (row.estimate, row.undefined) == (None, "where two people ranked, they tie everything")


def test_a_judge_that_ties_everything_agrees_with_nobody() -> None:
    people, judge = ranked([{"x": (1, 2), "y": (1, 2)}, {"x": (1, 2), "y": (2, 1)}], [(1, 1)] * 2)
    row = tau_of(people, judge)
    assert (row.estimate, row.ceiling) == (0.0, 0.0)
    assert "the judge gives one answer only" in row.notes


def test_everybody_alike_has_no_interval() -> None:
    people, judge = ranked([{"x": (1, 2), "y": (1, 2)}] * 5, [(1, 2)] * 5)
    row = tau_of(people, judge)
    assert (row.estimate, row.ceiling, row.difference, row.interval) == (1.0, 1.0, 0.0, None)
    assert row.undefined is not None


def test_the_test_leaves_out_what_cannot_be_told() -> None:
    # y ties everything on every item: nobody can be held against it where x does so too.
    people, judge = ranked([{"x": (1, 1), "y": (1, 1)}] * 40, [(1, 2)] * 40)
    row = alternative_annotator(people, judge, ("x", "y"), epsilon=0.1, judge="j")
    assert row.estimate is None


# Coverage, at a size for which the intervals are made.


def test_intervals_of_tau_hold_what_is_true() -> None:
    rng = np.random.default_rng(7)
    means, n_raters, n_items, studies = np.array([0.9, 0.5, 0.0]), 10, 40, 300

    def ranks(x: Array) -> Array:
        return np.asarray((-x).argsort(-1).argsort(-1) + 1.0)

    def draw(items: int, raters: int) -> tuple[Array, Array]:
        common = rng.normal(0, 0.5, (items, 1, 3))
        taste = rng.normal(0, 0.3, (1, raters, 3))
        people = means + common + taste + rng.normal(0, 0.8, (items, raters, 3))
        judge = means + common[:, 0] + np.array([0, 0.3, 0]) + rng.normal(0, 0.8, (items, 3))
        return ranks(people), ranks(judge)

    def alike(one: Array, two: Array) -> Array:
        signs = [np.sign(x[..., [0, 0, 1]] - x[..., [1, 2, 2]]) for x in (one, two)]
        return np.asarray((signs[0] * signs[1]).mean(axis=-1))

    # What is true of raters and items without end: of the judge, and of two people.
    drawn = [draw(400, 40) for _ in range(30)]
    own = float(np.mean([alike(people, judge[:, None]) for people, judge in drawn]))
    two = float(np.mean([alike(people[:, 0::2], people[:, 1::2]) for people, _ in drawn]))
    unit, rater = (part.ravel() for part in np.indices((n_items, n_raters)))
    held = np.zeros(3)
    for _ in range(studies):
        people, judge = draw(n_items, n_raters)
        answers = Rankings(np.vstack([people.reshape(-1, 3), judge]))
        rows = Units(
            np.arange(n_items), unit, rater, np.arange(len(unit), dtype=float), None, answers
        )
        row = tau_of(rows, np.arange(len(unit), len(unit) + n_items, dtype=float))
        assert row.interval is not None
        ends = ((row.interval.low, row.interval.high), (row.ceiling_low, row.ceiling_high),
                (row.difference_low, row.difference_high))  # fmt: skip
        for k, (pair, truth) in enumerate(zip(ends, (own, two, own - two), strict=True)):
            low, high = pair
            assert low is not None
            assert high is not None
            held[k] += low <= truth <= high
    # 95% with a Monte Carlo error of 1.3 points.
    assert (held / studies > 0.91).all(), held / studies
