"""Two groups of raters: the difference within items, and how far they agree with each other."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.inter_rater import cohens_kappa

from jurybox.analysis.measure.groups import between, figure_of, group_differences, group_figures
from jurybox.analysis.options import Options
from jurybox.results import Result
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.agreement.between_groups import GroupAnswers, agreement_between
from jurybox.stats.groups import GroupDifference, group_difference
from jurybox.tally.moments import moments, sums
from jurybox.tally.ratios import RatioSums
from jurybox.tally.reading import read

Table = dict[str, list[Any]]


def scored(scores: dict[str, list[float | None]], groups: dict[str, str]) -> Table:
    """A rater's scores of items 0, 1, …; ``None`` where they did not judge it."""
    rows = [
        (f"i{item}", rater, score, groups[rater])
        for rater, given in scores.items()
        for item, score in enumerate(given)
        if score is not None
    ]
    return dict(
        zip(("item", "rater", "score", "group"), map(list, zip(*rows, strict=True)), strict=True)
    )


def differences(table: Any, **options: Any) -> list[GroupDifference]:
    responses = read(table)
    try:
        figure = figure_of(responses)
        return group_differences(responses, Options(**options), figure, criterion="overall")
    finally:
        responses.close()


HAND = scored(
    {"a1": [4, 2], "a2": [5, 3], "b1": [3, 1], "b2": [2, 4]},
    {"a1": "a", "a2": "a", "b1": "b", "b2": "b"},
)


def test_by_hand() -> None:
    # Means of a: 4.5 and 2.5, of b: 2.5 and 2.5; the difference is 3.5 - 2.5 = 1.
    # Items move it by ((4.5 - 3.5) - 0)/2 = 0.5 and -0.5: (0.25 + 0.25) 2/1 = 1.
    # Raters: a1 by ((4 - 3.5) + (2 - 3.5))/4 = -0.25, a2 by 0.25: 0.125 2/1 = 0.25; so do b1, b2.
    # Cells of a: (0.5, -1.5, 1.5, -0.5)/4, squares 0.3125, times 4/3; the same of b: 0.8333.
    # V = 1 + 0.5 - 0.8333 = 0.6667, with t(1): two raters in each group, two items.
    (found,) = differences(HAND)
    assert found.means == (3.5, 2.5)
    assert found.estimate == pytest.approx(1.0)
    assert found.se == pytest.approx((2 / 3) ** 0.5)
    assert found.df == 1
    assert found.p == pytest.approx(2 * scipy_stats.t.sf(1.5**0.5, 1))
    assert found.raters == (2, 2)
    assert (found.n_items, found.n_raters, found.n_responses) == (2, 4, 8)
    assert found.these_raters is not None
    half = scipy_stats.t.ppf(0.975, 1) * 1.0
    assert found.these_raters.high == pytest.approx(1 + half)
    assert found.notes == ("a has only 2 raters", "b has only 2 raters")
    assert Result.from_dict(found.to_dict()) == found


def random_table(seed: int, *, complete: bool) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    lean = rng.normal(size=15)
    for rater, item in product(range(15), range(12)):
        if complete or rng.random() < 0.7:
            group = "expert" if rater < 4 else "crowd"
            score = item / 4 + lean[rater] + (group == "expert") + rng.normal()
            rows.append((f"i{item}", f"r{rater}", score, group))
    return pd.DataFrame(rows, columns=["item", "rater", "score", "group"])


def test_raters_alone_are_welchs_test_on_their_means() -> None:
    frame = random_table(3, complete=True)
    (found,) = differences(frame, cluster="rater")
    means = frame.groupby(["group", "rater"])["score"].mean()
    oracle = scipy_stats.ttest_ind(means["crowd"], means["expert"], equal_var=False)
    assert found.t == pytest.approx(oracle.statistic)
    assert found.df == 3  # four experts: fewer than Welch's, which follow their variance
    assert found.df < oracle.df
    assert found.estimate == pytest.approx(means["crowd"].mean() - means["expert"].mean())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_against_statsmodels_where_raters_judge_some_items(seed: int) -> None:
    frame = random_table(seed, complete=False)
    both = frame.groupby("item")["group"].nunique() == 2
    frame = frame[frame["item"].map(both)]
    n = frame.groupby(["item", "group"])["score"].transform("size")
    design = sm.add_constant((frame["group"] == "crowd").astype(float))

    def clustered(rows: Any, by: Any, column: int) -> float:
        codes = pd.factorize(by[rows])[0]
        x = design[rows] if column else np.ones(int(rows.sum()))
        fit = sm.WLS(frame["score"][rows], x, weights=1 / n[rows]).fit(
            cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
        )
        clusters = int(codes.max()) + 1
        return float(np.asarray(fit.cov_params())[column, column]) * clusters / (clusters - 1)

    everything = pd.Series(True, index=frame.index)
    cell = frame["item"] + frame["rater"]
    item = clustered(everything, frame["item"], 1)
    sides = [frame["group"] == name for name in ("crowd", "expert")]
    raters = [clustered(side, frame["rater"], 0) for side in sides]
    cells = [clustered(side, cell, 0) for side in sides]
    (found,) = differences(frame)
    fit = sm.WLS(frame["score"], design, weights=1 / n).fit()
    assert found.estimate == pytest.approx(fit.params.iloc[1])
    assert found.se is not None
    assert found.se**2 == pytest.approx(item + sum(raters) - sum(cells))
    assert found.df == 3


def test_a_group_of_one_rater_speaks_for_these_raters() -> None:
    table = scored(
        {"a1": [4, 2, 3], "b1": [3, 1, 4], "b2": [2, 4, 1]}, {"a1": "a", "b1": "b", "b2": "b"}
    )
    (found,) = differences(table)
    assert found.interval is not None
    assert found.interval.generalizes_to == "items like these, judged by these raters"
    assert "a is one rater, so the interval speaks for these raters only" in found.notes


def test_groups_without_a_common_item_are_not_compared() -> None:
    table = scored({"a1": [4, None], "b1": [None, 3]}, {"a1": "a", "b1": "b"})
    (found,) = differences(table)
    assert found.estimate is None
    assert found.undefined == "no item was judged by both a and b"


def test_items_of_one_group_do_not_move_the_difference() -> None:
    scores: dict[str, list[float | None]] = {"a1": [4, 2, 1], "a2": [5, 3, 1]}
    scores |= {"b1": [3, 1, None], "b2": [2, 4, None]}
    groups = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}
    (more,), (few,) = differences(scored(scores, groups)), differences(HAND)
    assert (more.estimate, more.se, more.n_items) == (few.estimate, few.se, 2)


def test_equal_scores_have_no_interval() -> None:
    table = scored({"a1": [3, 3], "a2": [3, 3], "b1": [3, 3], "b2": [3, 3]},
                   {"a1": "a", "a2": "a", "b1": "b", "b2": "b"})  # fmt: skip
    (found,) = differences(table)
    assert (found.estimate, found.interval, found.p) == (0.0, None, None)
    assert found.undefined == "neither raters nor items vary"


def test_votes_differ_in_percentage_points_within_minus_one_and_one() -> None:
    # a votes for new 4 of 4 times, b 1 of 4: 100% and 25%.
    table = {
        "item": ["p", "q"] * 4,
        "system_a": ["new"] * 8,
        "system_b": ["old"] * 8,
        "rater": ["a1", "a1", "a2", "a2", "b1", "b1", "b2", "b2"],
        "winner": ["a", "a", "a", "a", "b", "a", "b", "b"],
        "group": ["a"] * 4 + ["b"] * 4,
    }
    responses = read(table)
    figure = figure_of(responses)
    (found,) = group_differences(responses, Options(), figure, criterion="preference")
    assert (found.of, found.means) == ("new over old", (1.0, 0.25))
    assert found.estimate == 0.75
    assert found.interval is not None
    assert -1 <= found.interval.low <= found.interval.high <= 1
    figures = {
        (f.of, f.group): f.result.estimate for f in group_figures(responses, Options(), figure)
    }
    assert figures == {("new over old", "a"): 1.0, ("new over old", "b"): 0.25}
    responses.close()


def agreed(one: Any, two: Any, values: Any, level: Level = "nominal", item: Any = None) -> Any:
    one, two = np.asarray(one, dtype=float), np.asarray(two, dtype=float)
    items = np.arange(len(one)) if item is None else np.asarray(item)
    answers = GroupAnswers(tuple(values), one, two, items, 2)
    return agreement_between(answers, groups=("a", "b"), level=level)


def test_one_rater_each_is_cohens_kappa() -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(0, 3, size=40)
    y = np.where(rng.random(40) < 0.6, x, rng.integers(0, 3, size=40))
    table = np.zeros((3, 3))
    np.add.at(table, (x, y), 1)
    found = agreed(np.eye(3)[x], np.eye(3)[y], (0.0, 1.0, 2.0))
    assert found.estimate == pytest.approx(cohens_kappa(table).kappa)
    squared = agreed(np.eye(3)[x], np.eye(3)[y], (0.0, 1.0, 2.0), "interval")
    assert squared.estimate == pytest.approx(cohens_kappa(table, wt="quadratic").kappa)


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(1, 3), st.integers(1, 3))
def test_against_the_definition_pair_by_pair(seed: int, units: int, r: int, s: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 3, size=(units, r)), rng.integers(0, 3, size=(units, s))
    seen = [(a - b) ** 2 for u in range(units) for a in x[u] for b in y[u]]
    expected = [(a - b) ** 2 for a in x.ravel() for b in y.ravel()]
    found = agreed(
        [[np.sum(row == v) for v in range(3)] for row in x],
        [[np.sum(row == v) for v in range(3)] for row in y],
        (0.0, 1.0, 2.0),
        "interval",
    )
    if sum(expected) == 0:
        assert found.estimate is None
    else:
        assert found.estimate == pytest.approx(1 - np.mean(seen) / np.mean(expected))


def test_the_interval_leaves_out_one_item_at_a_time() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 2, size=10), rng.integers(0, 2, size=10)
    item = np.repeat(np.arange(5), 2)
    found = agreed(np.eye(2)[x], np.eye(2)[y], ("no", "yes"), item=item)
    left = [
        agreed(np.eye(2)[x[item != i]], np.eye(2)[y[item != i]], ("no", "yes")) for i in range(5)
    ]
    values = np.array([each.estimate for each in left], dtype=float)
    se = (4 / 5 * ((values - values.mean()) ** 2).sum()) ** 0.5
    assert found.interval is not None
    assert found.interval.high - found.estimate == pytest.approx(scipy_stats.t.ppf(0.975, 4) * se)
    assert found.interval.generalizes_to == "items like these, judged by these raters"


@pytest.mark.parametrize(
    ("one", "two", "why"),
    [
        (np.zeros((0, 2)), np.zeros((0, 2)), "no output was judged by both"),
        (
            np.array([[1, 0], [1, 0]]),
            np.array([[1, 0], [2, 0]]),
            "every response is the same value",
        ),
    ],
)
def test_what_cannot_be_said_is_said(one: Any, two: Any, why: str) -> None:
    found = agreed(one, two, ("no", "yes"))
    assert (found.estimate, found.undefined) == (None, why)


def test_between_counts_the_outputs_that_both_groups_judged() -> None:
    scores: dict[str, list[float | None]] = {"a1": [1, 2, 1, None], "b1": [1, 2, 2, 1]}
    responses = read(scored(scores, {"a1": "a", "b1": "b"}))
    (found,) = between(responses, Options(), level="nominal", criterion="overall")
    # Agreement 2/3; by chance 2/3 1/3 + 1/3 2/3 = 4/9: kappa (6/9 - 4/9)/(5/9) = 0.4.
    assert found.estimate == pytest.approx(0.4)
    assert (found.n_units, found.n_raters, found.n_responses) == (3, 2, 6)
    responses.close()


def test_the_names_of_groups_do_not_matter() -> None:
    frame = random_table(7, complete=False)
    turned = frame.assign(group=frame["group"].map({"expert": "aa", "crowd": "zz"}))
    (one,), (two,) = differences(frame), differences(turned.sample(frac=1, random_state=1))
    assert one.estimate is not None
    assert two.estimate == pytest.approx(-one.estimate)
    assert two.se == pytest.approx(one.se)
    assert two.df == one.df


def simulated(rng: np.random.Generator, sizes: tuple[int, int], n_items: int) -> RatioSums:
    """A study in which the groups do not differ: item, group by item, rater and noise effects."""
    group = np.repeat([0, 1], sizes)
    rater, item = (part.ravel() for part in np.meshgrid(np.arange(sum(sizes)), np.arange(n_items)))
    side = group[rater]
    levels, tastes = rng.normal(size=n_items), 0.3 * rng.normal(size=(2, n_items))
    lean = 0.5 * rng.normal(size=sum(sizes))
    y = levels[item] + tastes[side, item] + lean[rater] + rng.normal(size=len(rater))
    w = 1 / np.array(sizes)[side]
    u = (y - y.mean()) * w
    clusters = {"item": (item, n_items), "rater": (rater, sum(sizes))}
    clusters["cell"] = (item * sum(sizes) + rater, n_items * sum(sizes))
    return RatioSums(
        names=("a", "b"),
        value=sums(side, y * w, 2) / sums(side, w, 2),
        u=sums(side, u, 2),
        w=sums(side, w, 2),
        n=np.bincount(side),
        by={kind: moments(*at, side, 2, u, w, cross=True) for kind, at in clusters.items()},
    )


def test_three_experts_beside_twenty_others_are_covered() -> None:
    # Welch's degrees of freedom cover 90.5% here; 97.7% is covered, with a standard error of 0.8.
    rng = np.random.default_rng(11)
    about = GroupDifference(estimate=None, undefined="not yet", group="a", other="b", of="new")
    hits = 0
    for _ in range(400):
        found = group_difference(simulated(rng, (3, 20), 30), 0, 1, about)
        assert found.interval is not None
        hits += found.interval.low <= 0 <= found.interval.high
    assert hits / 400 > 0.94
