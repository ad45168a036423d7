"""The reductions against sums over single rows."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from jurybox.tally import ratios
from jurybox.tally.responses import read


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
