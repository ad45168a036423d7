"""Metrics against people: published tables, oracles, and what has no number."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import jurybox as jb
from jurybox.errors import InputError
from jurybox.results import ResultTable
from jurybox.stats.metrics.across_systems import (
    DrawnSystems,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from jurybox.stats.metrics.compared import williams
from jurybox.stats.metrics.within_items import (
    calibrated_accuracy,
    kendall_rows,
    pearson_rows,
    spearman_rows,
)
from jurybox.tally.metrics import read_metrics
from tests.reference import expected, rows_of

SYSTEMS = ("new", "old", "mid")


def tifa() -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    rows = rows_of("tifa_human/data/tifa_human_with_metrics.csv")
    ratings: dict[str, list[Any]] = {"item": [], "system": [], "score": [], "rater": []}
    for row in rows:
        for human in ("human_1", "human_2"):
            ratings["item"].append(row["text_id"])
            ratings["system"].append(row["system"])
            ratings["score"].append(row[human])
            ratings["rater"].append(human)
    metrics = {name: [row[name] for row in rows] for name in rows[0] if "human" not in name}
    metrics["item"] = metrics.pop("text_id")
    return ratings, metrics


@pytest.fixture(scope="module")
def on_tifa() -> Any:
    return jb.correlate_metrics(*tifa(), n_resamples=60)


def test_tifa(on_tifa: Any) -> None:
    known = expected("tifa_human")
    for metric, values in known["computed"]["corr"].items():
        for statistic, title in (
            ("pearson", "Pearson's r"),
            ("spearman", "Spearman's ρ"),
            ("kendall", "Kendall's τ-b"),
        ):
            found = on_tifa[f"{metric}, output, {title}"]
            assert found.estimate == pytest.approx(values[statistic], abs=1e-6), metric
            assert found.interval.low < found.estimate < found.interval.high
    # The published "Spearman" is Pearson: its numbers belong to that name.
    for metric, value in known["published"]["labelled_spearman"].items():
        assert on_tifa[f"{metric}, output, Pearson's r"].estimate == pytest.approx(value, abs=1e-9)
    for metric, value in known["published"]["kendall_tau_b"].items():
        found = on_tifa[f"{metric}, output, Kendall's τ-b"]
        assert found.estimate == pytest.approx(value, abs=1e-9)


def test_tifa_bleu_is_no_better_by_its_true_spearman(on_tifa: Any) -> None:
    assert on_tifa["bleu, output, Spearman's ρ"].estimate == pytest.approx(0.259, abs=5e-4)


def test_values_told_apart_by_noise_alone_are_taken_as_given_and_named(on_tifa: Any) -> None:
    # 2/19 by two routes: 0.10526315789473682 and 0.10526315789473684.
    (note,) = (n for n in on_tifa["spice, output, Kendall's τ-b"].notes if "noise" in n)
    assert note.startswith("25 values of the metric differ from another by rounding noise only")


def test_tifa_metrics_compared(on_tifa: Any) -> None:
    rows = {
        (row.metric, row.other): row
        for row in on_tifa.comparisons
        if (row.level, row.statistic) == ("output", "pearson")
    }
    assert len(rows) == 45
    apart = rows["bleu", "tifa_mplug-large"]
    assert apart.p_adjusted == pytest.approx(45 / 4501)  # 45 pairs, none of 100 × 45 as large
    assert apart.interval.high < 0
    near = rows["tifa_vilt", "tifa_ofa-large"]
    assert near.p > 0.5


@pytest.mark.parametrize("name", ["topical_chat", "qags_cnndm"])
def test_unieval(name: str) -> None:
    rows = rows_of(f"unieval_meta/data/{name}.csv")
    known = expected("unieval_meta")
    for aspect, published in known["published"]["values"][name].items():
        ratings = {
            "item": [row["row"] for row in rows],
            "score": [row[f"human_{aspect}"] for row in rows],
        }
        metrics = {
            "item": ratings["item"],
            "unieval": [row[f"unieval_{aspect}"] for row in rows],
        }
        found = jb.correlate_metrics(ratings, metrics, n_resamples=50)
        titles = ("Pearson's r", "Spearman's ρ", "Kendall's τ-b")
        for title, value, exact in zip(
            titles, published, known["computed"][name][aspect], strict=True
        ):
            row = found[f"unieval, output, {title}"]
            assert row.estimate == pytest.approx(exact, abs=1e-6)
            assert round(row.estimate, 6) == value
            assert row.n_items == known["n"][name]


def _random(seed: int, items: int = 30) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(1, 6, (items, 4)).astype(float)
    x = np.round(y + rng.normal(0, 1.5, y.shape), 1)
    x[rng.random(x.shape) < 0.1] = np.nan
    return x, y


@pytest.mark.parametrize("seed", range(5))
def test_within_items_as_scipy_has_them(seed: int) -> None:
    x, y = _random(seed)
    for rows, scipy in (
        (pearson_rows(x, y), stats.pearsonr),
        (spearman_rows(x, y), stats.spearmanr),
        (kendall_rows(x, y), stats.kendalltau),
    ):
        for value, a, b in zip(rows, x, y, strict=True):
            there = ~np.isnan(a)
            a, b = a[there], b[there]
            if len(set(a)) < 2 or len(set(b)) < 2:
                assert np.isnan(value)
            else:
                assert value == pytest.approx(scipy(a, b).statistic, abs=1e-12)


def _slow_accuracy(x: np.ndarray, y: np.ndarray, epsilon: float) -> list[float]:
    found = []
    for a, b in zip(x, y, strict=True):
        right = pairs = 0
        for i, j in combinations(range(len(a)), 2):
            if np.isnan(a[i]) or np.isnan(a[j]):
                continue
            pairs += 1
            gap = 0.0 if abs(a[i] - a[j]) <= epsilon else np.sign(a[i] - a[j])
            right += gap == np.sign(b[i] - b[j])
        found.append(right / pairs if pairs else np.nan)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_calibrated_accuracy_by_trying_every_threshold(seed: int) -> None:
    x, y = _random(seed)
    fold = np.arange(len(x)) % 5
    found = calibrated_accuracy(x, y, fold)
    for k in range(5):
        train, held = fold != k, fold == k
        gaps = sorted({abs(a[i] - a[j]) for a in x[train] for i, j in combinations(range(4), 2)})
        choices = [-1.0, *(gap for gap in gaps if not np.isnan(gap))]

        # Weighted by pairs, as all pairs of the training items count alike.
        def score(epsilon: float, train: np.ndarray = train) -> float:
            rows = _slow_accuracy(x[train], y[train], epsilon)
            there = ~np.isnan(x[train])
            pairs = there.sum(axis=1) * (there.sum(axis=1) - 1) / 2
            return float(np.nansum(np.array(rows) * pairs))

        best = max(score(epsilon) for epsilon in choices)
        tried = [e for e in choices if score(e) == pytest.approx(best)]
        options = [np.array(_slow_accuracy(x[held], y[held], e)) for e in tried]
        assert any(np.allclose(found.rows[held], each, equal_nan=True) for each in options)


def test_accuracy_counts_ties_of_people_by_hand() -> None:
    # One item, people tie the two systems, the metric does not: right only if ε covers the gap.
    x = np.array([[0.50, 0.52]] * 10)
    y = np.array([[3.0, 3.0]] * 10)
    found = calibrated_accuracy(x, y, np.arange(10) % 5)
    assert found.threshold == pytest.approx(0.02)
    assert found.rows.tolist() == [1.0] * 10


def test_pairwise_accuracy_by_hand() -> None:
    # Pairs: ab alike, ac alike, bc opposite: 2 of 3.
    assert pairwise_accuracy(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])) == (
        pytest.approx(2 / 3)
    )


def test_soft_pairwise_accuracy_by_hand() -> None:
    # Differences 1, 1, 1, −1 for people: z = 2/√4 = 1, p = 0.1587; metric 1, 1, 1, 1: z = 2,
    # p = 0.0228. SPA = 1 − |0.1587 − 0.0228| = 0.8641.
    y = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    x = np.array([[1.0, 0.0]] * 4)
    assert soft_pairwise_accuracy(x, y)[0][0] == pytest.approx(0.8641, abs=1e-4)


def test_a_pair_of_drawn_systems_counts_as_often_as_it_was_drawn() -> None:
    # a, a, c drawn: the pair ac counts twice, aa is no pair, b is not there. People and metric
    # order ab and ac alike and bc oppositely, so that 2 of 2 are right; of b, b, c 0 of 2.
    drawn = DrawnSystems(np.array([[0, 2, 0], [1, 2, 1]]))
    x, y = np.array([[3.0, 2.0, 1.0]] * 2), np.array([[3.0, 1.0, 2.0]] * 2)
    times = drawn.times_each()
    assert times.tolist() == [[0, 2, 0], [0, 0, 2]]
    assert pairwise_accuracy(x, y, times).tolist() == [1.0, 0.0]
    assert drawn.of(x).tolist() == [[3.0, 1.0, 3.0], [2.0, 1.0, 2.0]]
    gaps = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    plain, soft = soft_pairwise_accuracy(gaps, gaps[::-1] ** 2, np.ones((2, 4)), times)
    pairs = [soft_pairwise_accuracy(gaps[:, k], gaps[::-1][:, k])[0][0] for k in ([0, 2], [1, 2])]
    assert soft == pytest.approx(pairs)
    assert plain.shape == (2,)


def _many_systems(n: int, seed: int, rho: float = 0.8, items: int = 40) -> tuple[Any, Any]:
    """Systems whose true means have a correlation with the metric's of rho."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    said = rho * quality + (1 - rho**2) ** 0.5 * rng.normal(size=n)
    cells = [(i, s) for i in range(items) for s in range(n)]
    base = {"item": [i for i, _ in cells], "system": [f"s{s:02}" for _, s in cells]}
    noise = rng.normal(scale=0.3, size=(2, len(cells)))
    scores = [quality[s] + e for (_, s), e in zip(cells, noise[0], strict=True)]
    values = [said[s] + e for (_, s), e in zip(cells, noise[1], strict=True)]
    return {**base, "rater": ["r"] * len(cells), "score": scores}, {**base, "m": values}


def test_from_ten_systems_on_an_interval_speaks_for_others() -> None:
    few = jb.correlate_metrics(*_many_systems(9, 1), n_resamples=50)
    assert all(row.other_systems is None for row in few.rows)
    found = jb.correlate_metrics(*_many_systems(12, 1), n_resamples=200)
    for row in found.rows:
        if row.level != "system":
            assert row.other_systems is None
            continue
        wide = row.other_systems
        assert wide is not None
        assert row.estimate is not None
        assert wide.generalizes_to.endswith("and systems like these")
        assert "bootstrap of items and systems, 200 resamples" in wide.method
        assert wide.low <= row.estimate <= wide.high
        assert row.interval is not None
        assert wide.high - wide.low > row.interval.high - row.interval.low
    # Of 12 systems and next to no noise of items, Pearson's r has about the interval of 12 points:
    # Fisher's z ± t(11) / √(12 − 3).
    one = next(r for r in found.rows if (r.level, r.statistic) == ("system", "pearson"))
    assert one.estimate is not None
    assert one.other_systems is not None
    z, low, high = (
        float(np.arctanh(end))
        for end in (one.estimate, one.other_systems.low, one.other_systems.high)
    )
    half = stats.t.ppf(0.975, 11) / 3
    assert high - low == pytest.approx(2 * half, rel=0.4)
    assert abs(low + half - z) < half


def test_williams_as_published() -> None:
    # The example of R psych's r.test: r.test(103, .4, .5, .1) prints t = -0.89, p < 0.37. By hand
    # K = 1 − .16 − .25 − .01 + .04 = .62; t = −.1 √(102 · 1.1 / (2 · 1.02 · .62 + .2025 · .729)).
    t, p = williams(0.4, 0.5, 0.1, 103)
    assert t == pytest.approx(-0.8913, abs=1e-4)
    assert p == pytest.approx(0.37, abs=0.01)


def _simulated(seed: int, items: int = 40, raters: int = 6) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, 1, (items, len(SYSTEMS)))
    ratings: dict[str, list[Any]] = {"item": [], "system": [], "rater": [], "score": []}
    metrics: dict[str, list[Any]] = {"item": [], "system": [], "good": [], "noise": []}
    lean = rng.normal(0, 0.5, raters)
    for i in range(items):
        for k, system in enumerate(SYSTEMS):
            for r in range(raters):
                ratings["item"].append(f"q{i}")
                ratings["system"].append(system)
                ratings["rater"].append(f"r{r}")
                score = 3 + quality[i, k] + lean[r] + rng.normal(0, 0.7)
                ratings["score"].append(float(np.clip(round(score), 1, 5)))
            metrics["item"].append(f"q{i}")
            metrics["system"].append(system)
            metrics["good"].append(float(quality[i, k] + rng.normal(0, 0.5)))
            metrics["noise"].append(float(rng.normal()))
    return ratings, metrics


def test_a_good_metric_beats_noise() -> None:
    found: Any = jb.correlate_metrics(*_simulated(0), n_resamples=500)
    good, noise = (
        found[f"{m}, item, pairwise accuracy with calibrated ties"] for m in ("good", "noise")
    )
    assert good.interval.low > noise.interval.high
    assert "rater and item" in good.interval.method
    rows = [row for row in found.comparisons if row.level in ("output", "item")]
    assert all(row.p < 0.01 and row.interval.low > 0 for row in rows)


def test_levels_with_few_systems() -> None:
    found: Any = jb.correlate_metrics(*_simulated(1), n_resamples=100)
    system = [row.statistic for row in found if row.level == "system" and row.metric == "good"]
    assert system == ["pairwise_accuracy", "soft_pairwise_accuracy"]


def test_raters_unnamed_speak_for_these_raters() -> None:
    ratings, metrics = _simulated(2)
    del ratings["rater"]
    found = jb.correlate_metrics(ratings, metrics, n_resamples=50)
    row = found["good, output, Pearson's r"]
    assert row.interval.generalizes_to == "items like these, judged by these raters"
    assert row.n_raters is None


def test_set_level_metrics_are_compared_across_systems_only() -> None:
    ratings, _ = _simulated(3)
    metrics = {"system": list(SYSTEMS), "metric": ["FID"] * 3, "value": [10.0, 20.0, 15.0]}
    found: Any = jb.correlate_metrics(ratings, metrics, n_resamples=50)
    assert {row.level for row in found} == {"system"}
    assert {row.statistic for row in found} == {"pairwise_accuracy"}


def test_of_some_metrics_less_is_better() -> None:
    ratings, wide = _simulated(3)
    error = {**wide, "good": [-value for value in wide["good"]]}
    turned: Any = jb.correlate_metrics(ratings, error, lower_is_better=["good"], n_resamples=50)
    plain: Any = jb.correlate_metrics(ratings, wide, n_resamples=50)
    note = "of this metric lower is better, so that its values count with the opposite sign"
    for one, two in zip(turned, plain, strict=True):
        notes = (*two.notes, note) if two.metric == "good" else two.notes
        assert one == replace(two, notes=notes)
    assert turned.comparisons == plain.comparisons
    against: Any = jb.correlate_metrics(ratings, error, n_resamples=50)
    assert against["good, output, Spearman's ρ"].estimate == pytest.approx(
        -plain["good, output, Spearman's ρ"].estimate
    )


def test_accuracy_of_a_set_level_metric_uses_its_sign() -> None:
    ratings, _ = _simulated(3)
    means = {row.name: row.estimate for row in jb.mean_scores(ratings)}
    fid = {"system": list(means), "fid": [-10 * (mean or 0) for mean in means.values()]}
    name = "fid, system, pairwise accuracy"
    against: Any = jb.correlate_metrics(ratings, fid, n_resamples=50)
    assert against[name].estimate == 0
    turned: Any = jb.correlate_metrics(ratings, fid, lower_is_better=("fid",), n_resamples=50)
    assert turned[name].estimate == 1


def test_a_direction_of_no_metric_is_refused() -> None:
    ratings, wide = _simulated(3)
    with pytest.raises(InputError, match="'fid', and there is no such metric; there are good"):
        jb.correlate_metrics(ratings, wide, lower_is_better=["fid"])


def test_long_and_wide_tables_say_the_same() -> None:
    ratings, wide = _simulated(4)
    long = {
        "item": wide["item"] * 2,
        "system": wide["system"] * 2,
        "metric": ["good"] * len(wide["item"]) + ["noise"] * len(wide["item"]),
        "value": wide["good"] + wide["noise"],
    }
    one = jb.correlate_metrics(ratings, wide, n_resamples=50)
    assert jb.correlate_metrics(ratings, long, n_resamples=50) == one
    assert ResultTable.from_dict(one.to_dict()) == one


def test_a_metric_that_never_varies_has_no_correlation() -> None:
    ratings, metrics = _simulated(5)
    metrics["noise"] = [1.0] * len(metrics["item"])
    found = jb.correlate_metrics(ratings, metrics, n_resamples=50)
    row = found["noise, output, Pearson's r"]
    assert row.estimate is None
    assert "same for every output" in row.undefined
    within = found["noise, item, Kendall's τ-b"]
    assert within.estimate is None
    assert "within every item" in within.undefined


def test_one_item_and_one_system() -> None:
    ratings = {"item": ["q"], "system": ["s"], "rater": ["r"], "score": [3]}
    metrics = {"item": ["q"], "system": ["s"], "m": [0.5]}
    found = jb.correlate_metrics(ratings, metrics)
    assert all(row.estimate is None and row.undefined for row in found)


@pytest.mark.parametrize(
    ("items", "method"),
    [
        (200, "jackknife by item, t(199), Fisher's z"),
        (235, "jackknife by item in 200 random groups, t(199), Fisher's z"),
    ],
)
def test_items_left_out_in_groups_are_said_to_be(items: int, method: str) -> None:
    rng = np.random.default_rng(0)
    metric = rng.normal(size=items)
    score = metric + rng.normal(size=items)
    table = {"item": [f"q{k}" for k in range(items)], "system": ["new"] * items}
    found = jb.correlate_metrics({**table, "score": score}, {**table, "m": metric})
    interval = found["m, output, Pearson's r"].interval
    assert interval is not None
    assert interval.method == method
    # About what is known of r where both are normal.
    known = np.tanh(np.arctanh(stats.pearsonr(metric, score)[0]) - 1.97 / np.sqrt(items - 3))
    assert interval.low == pytest.approx(known, abs=0.03)


def test_a_column_of_ids_is_no_metric() -> None:
    ratings, wide = _simulated(12)
    numbers = list(range(len(wide["item"])))
    ids = {"doc_id": numbers, "ID": numbers, "fid": numbers}
    found = read_metrics({**wide, **ids})
    known = {name for name in wide if name not in ("item", "system")}
    assert set(found.values) == known | {"fid"}
    assert found.took[-2:] == ("doc_id is an id and no metric", "ID is an id and no metric")
    # Nothing is left: the table holds no metric.
    rest = {"item": wide["item"], "system": wide["system"], "doc_id": numbers}
    with pytest.raises(InputError, match="no column of numbers"):
        jb.correlate_metrics(ratings, rest)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ({"item": ["q0"], "system": ["new"], "metric": ["m"], "value": ["high"]}, "be a number"),
        ({"item": ["q0"] * 2, "system": ["new"] * 2, "m": [1.0, 2.0]}, "a second value"),
        ({"item": ["zebra"], "system": ["new"], "m": [1.0]}, "no output has both"),
        ({"item": ["q0"], "system": ["new"], "m": ["x"]}, "no column of numbers"),
        ({"m": [1.0]}, "metrics need the columns"),
        ({"item": ["q0"], "system": ["new"], "metric": ["m"], "value": [None]}, "no metric has"),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(metrics: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        jb.correlate_metrics(_simulated(6)[0], metrics)
