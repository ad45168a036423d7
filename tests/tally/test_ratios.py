"""The reductions against sums over single rows."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from jurybox.tally import duplicates, moments, numbered, ratings, ratios, within
from jurybox.tally.duplicates import are_distinct
from jurybox.tally.reading import read
from jurybox.tally.responses import Responses


def test_moments_are_sums_of_products_over_clusters() -> None:
    draw = random.Random(1)
    rows = [
        (f"i{i}", f"s{s}", f"r{r}", draw.random())
        for i in range(5)
        for s in range(3)
        for r in range(4)
        if draw.random() < 0.7
    ]
    names = ("item", "system", "rater", "score")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    sums = ratios.reduce(read(table), ratios.mean_of("score"), cross=True)
    center = np.mean([row[3] for row in rows])
    place = {name: k for k, name in enumerate(sums.names)}
    for kind, key in (("item", (0,)), ("rater", (2,)), ("cell", (0, 2))):
        u: dict[Any, Any] = defaultdict(lambda: np.zeros(3))
        w: dict[Any, Any] = defaultdict(lambda: np.zeros(3))
        for row in rows:
            cluster = tuple(row[k] for k in key)
            u[cluster][place[row[1]]] += row[3] - center
            w[cluster][place[row[1]]] += 1
        moments = sums.by[kind]
        assert moments.uu == pytest.approx(sum(np.outer(u[c], u[c]) for c in u))
        assert moments.uw == pytest.approx(sum(np.outer(u[c], w[c]) for c in u))
        assert moments.ww == pytest.approx(sum(np.outer(w[c], w[c]) for c in u))
        both = sum(np.outer(w[c] > 0, w[c] > 0).astype(int) for c in u)
        assert (moments.clusters == both).all()


def test_large_and_alike_scores_keep_their_digits() -> None:
    # Variance 1 about a mean of a hundred million.
    scores = [1.0, 2.0, 3.0, 4.0]
    small = {"item": [1, 2, 3, 4], "system": ["x"] * 4, "rater": ["r"] * 4, "score": scores}
    large = {**small, "score": [1e8 + s for s in scores]}
    one = ratios.reduce(read(small), ratios.mean_of("score")).by["item"]
    two = ratios.reduce(read(large), ratios.mean_of("score")).by["item"]
    assert two.uu == pytest.approx(one.uu)


def slow_moments(
    responses: Responses, rows: str, keys: str, names: tuple[Any, ...], center: float
) -> list[np.ndarray]:
    """The same sums by joining clusters with themselves in the database."""
    found = responses.query(
        f"WITH long AS ({rows}), g AS (SELECT k, {keys}, sum(u - {center!r} * w) AS u, sum(w) AS w "
        f"FROM long GROUP BY k, {keys}) SELECT a.k, b.k, count(*), sum(a.u * b.u), "
        f"sum(a.u * b.w), sum(a.w * b.w) FROM g a JOIN g b USING ({keys}) GROUP BY a.k, b.k"
    )
    place = {name: i for i, name in enumerate(names)}
    made = np.zeros((4, len(names), len(names)))
    for one, two, *sums in found:
        made[:, place[one], place[two]] = sums
    return list(made)


def random_ratings(seed: int, *, n_items: int = 9, n_systems: int = 4, twice: bool = False) -> Any:
    draw = random.Random(seed)
    rows = [
        (f"i{i}", f"s{s}", f"r{r}", draw.randrange(1, 6) + draw.random(), f"t{t}")
        for i in range(n_items)
        for s in range(n_systems)
        for r in range(6)
        for t in range(1 + (twice and draw.random() < 0.3))
        if draw.random() < 0.4
    ]
    names = ("item", "system", "rater", "score", "trial")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize("path", ["dense", "sorted", "pairs"])
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("which", ["mean", "within", "words"])
def test_every_way_of_adding_up_gives_the_sums_of_the_database(
    which: str, twice: bool, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if path != "dense":
        monkeypatch.setattr(moments, "SMALL", 0)
        monkeypatch.setattr(moments, "DENSE", 0)
    if path == "pairs":
        monkeypatch.setattr(moments, "MATMUL", 0)
    rows = {
        "mean": ratios.mean_of("score"),
        "within": ratios.within_items(),
        "words": ratios.binary("score > 3", by="'of ' || system"),
    }[which]
    responses = read(random_ratings(11, twice=twice))
    sums = ratios.reduce(responses, rows, cross=True, single=True)
    plain = ratios.reduce(responses, rows, single=True)
    table = f"({rows})"
    u, w = responses.query(f"SELECT sum(u), sum(w) FROM {table}")[0]
    totals = responses.query(
        f"SELECT k, sum(u) / sum(w), sum(w), count(*) FROM {table} GROUP BY k ORDER BY k"
    )
    assert sums.names == tuple(row[0] for row in totals)
    assert sums.value == pytest.approx(np.array([row[1] for row in totals], dtype=float), abs=1e-12)
    assert sums.n.tolist() == [row[3] for row in totals]
    for kind, keys in (("item", "item"), ("rater", "rater"), ("cell", "item, rater")):
        expected = slow_moments(responses, rows, keys, sums.names, float(u / w))
        for name, matrix in zip(("clusters", "uu", "uw", "ww"), expected, strict=True):
            assert getattr(sums.by[kind], name) == pytest.approx(matrix, rel=1e-12, abs=1e-12)
            assert getattr(plain.by[kind], name) == pytest.approx(
                matrix.diagonal(), rel=1e-12, abs=1e-12
            )
    expected = slow_moments(responses, rows, "rid", sums.names, float(u / w))
    assert sums.by["row"].uu == pytest.approx(expected[1], rel=1e-12, abs=1e-12)


def test_numbers_that_lie_far_apart_are_told_apart() -> None:
    values = np.array([7 << 32 | 3, 2, 7 << 32 | 3, 1 << 61, 2], dtype=np.int64)
    present, place = ratios._number(values)
    assert present[place].tolist() == values.tolist()
    assert ratios._number(np.array([-5, 3, -5]))[1].tolist() == [0, 1, 0]
    assert ratios._dense(np.array([1 << 40, 0, 1 << 40])).tolist() == [1, 0, 1]


@pytest.mark.parametrize("size", [700, 10**15])
def test_keys_are_distinct_or_not_however_they_are_looked_at(size: int) -> None:
    draw = np.random.default_rng(0)
    keys = draw.choice(700, size=300, replace=False).astype(np.int64)
    assert are_distinct(keys.copy(), size)
    for repeats in (1, 2, 5, 52):
        assert not are_distinct(np.append(keys, [keys[7]] * repeats), size)
    assert are_distinct(np.zeros(0, dtype=np.int64), size)


@pytest.mark.parametrize("way", ["blocks of one", "one block", "few", "few and sparse"])
@pytest.mark.parametrize("criteria", [1, 2])
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("cross", [False, True])
def test_pairs_made_of_sums_are_those_made_of_rows(
    cross: bool, twice: bool, criteria: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not way.startswith("few"):
        monkeypatch.setattr(within, "FEW", 0)
    if way == "blocks of one":
        monkeypatch.setattr(within, "BLOCK", 1)
    if way == "few and sparse":
        monkeypatch.setattr(within, "SPARSE", 0)
    tables = [random_ratings(20 + c, twice=twice) for c in range(criteria)]
    table = {name: [x for each in tables for x in each[name]] for name in tables[0]}
    table["criterion"] = [f"c{c}" for c, each in enumerate(tables) for _ in each["item"]]
    responses = read(table)
    parts = {name: responses.of_criterion(name) for name in responses.criteria}
    expected = ratios.reduce(responses, ratings.pair_rows(parts), cross=cross, single=True)
    found = ratios.reduce_pairs(list(parts.values()), cross=cross, single=True)
    assert found is not None
    assert found.names == expected.names
    for name in ("value", "u", "w", "n"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-12, abs=1e-12)
    for kind, part in expected.by.items():
        if kind == "row" and cross and criteria == 2:
            continue  # A row of one criterion is none of the other's, whatever its number.
        for name in ("clusters", "uu", "uw", "ww"):
            assert getattr(found.by[kind], name) == pytest.approx(
                getattr(part, name), rel=1e-12, abs=1e-12
            )


@pytest.mark.parametrize("few", [0, 200_000])
def test_pairs_with_a_baseline_are_those_of_all_pairs_that_have_it(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(within, "FEW", few)
    responses = read(random_ratings(7))
    parts = {name: responses.of_criterion(name) for name in responses.criteria}
    first, *_ = responses.systems
    all_pairs = ratios.reduce(responses, ratings.pair_rows(parts), cross=True)
    of_first = [
        place
        for place, (_, pair) in enumerate(ratings.pairs_of(parts, all_pairs.names))
        if first in pair
    ]
    assert 0 < len(of_first) < len(all_pairs.names)
    by_rows = ratios.reduce(responses, ratings.pair_rows(parts, against=first), cross=True)
    by_sums = ratios.reduce_pairs(list(parts.values()), cross=True, against=first)
    assert by_sums is not None
    for found in (by_rows, by_sums):
        assert list(found.names) == [all_pairs.names[place] for place in of_first]
        assert found.value == pytest.approx(all_pairs.value[of_first], rel=1e-12, abs=1e-12)
        for kind, part in all_pairs.by.items():
            here = np.ix_(of_first, of_first)
            assert found.by[kind].clusters.tolist() == part.clusters[here].tolist()
            assert found.by[kind].ww == pytest.approx(part.ww[here], rel=1e-12, abs=1e-12)


def test_pairs_of_too_many_items_are_made_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratios, "MEANS", 0)
    assert ratios.reduce_pairs([read(random_ratings(4))]) is None


@pytest.mark.parametrize("raters", [3, 60, 500])
def test_raters_of_a_question_are_distinct_or_not(raters: int) -> None:
    draw = np.random.default_rng(raters)
    cells = draw.choice(40 * raters, size=min(90, 20 * raters), replace=False)
    ids = {"item": cells // raters // 2, "rater": cells % raters, "system": cells // raters % 2}
    sizes = {"item": 20, "rater": raters, "system": 2}
    assert duplicates._are_raters_distinct(ids, sizes)
    for row in range(0, len(cells), 7):
        again = {name: np.append(each, [each[row]] * (1 + row % 3)) for name, each in ids.items()}
        assert not duplicates._are_raters_distinct(again, sizes)


def test_bits_are_counted_without_the_newest_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.array([0, 1, 3, 2**52 - 1], dtype=np.uint64)
    assert numbered.bits_of(numbers).tolist() == [0, 1, 2, 52]
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert numbered.bits_of(numbers).tolist() == [0, 1, 2, 52]
