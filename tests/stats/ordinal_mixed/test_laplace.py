"""The Laplace likelihood: by hand, against dense matrices, and its derivatives."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from jurybox.stats.ordinal_mixed.chances import chances
from jurybox.stats.ordinal_mixed.laplace import Answers, Point, laplace
from tests.stats.ordinal_mixed.drawn import answers, table

Array = NDArray[np.float64]


def test_chances_by_hand() -> None:
    # Thresholds −log 3 and log 3 at log odds 0: P(y ≤ 0) = 1/4, P(y ≤ 1) = 3/4.
    # Probabilities 1/4, 1/2, 1/4; a + b − 1 is −3/4, 0, 3/4; a(1 − a) + b(1 − b) is 3/16 at the
    # ends, where one of the two is missing, and 6/16 between.
    cut = math.log(3)
    found = chances(np.array([-cut, cut]), np.zeros(3), np.arange(3))
    assert np.exp(found.log) == pytest.approx([1 / 4, 1 / 2, 1 / 4])
    assert found.score == pytest.approx([-3 / 4, 0, 3 / 4])
    assert found.weight == pytest.approx([3 / 16, 6 / 16, 3 / 16])
    # By the threshold above: (3/16)/(1/4), (3/16)/(1/2), 0.
    assert found.raise_upper == pytest.approx([3 / 4, 3 / 8, 0])
    assert found.raise_lower == pytest.approx([0, -3 / 8, -3 / 4])


def test_chances_keep_their_digits_far_out() -> None:
    # F(−40) − F(−41) is 0 in differences of F, whose tail is e^x there.
    found = chances(np.array([-41.0, -40.0]), np.zeros(1), np.array([1]))
    assert found.log[0] == pytest.approx(math.log(math.exp(-40) - math.exp(-41)), abs=1e-12)


def test_one_item_by_hand() -> None:
    # One response at the upper of two values, one item effect z with Λ = 2, threshold 0: g is
    # log F(2z) − z²/2, whose maximum has z = 2(1 − F(2z)), and H = 1 + 4 F(2z)(1 − F(2z)).
    only, nobody = np.zeros(1, dtype=np.intp), np.zeros((1, 0))
    counts = {"n_systems": 1, "n_raters": 1, "n_items": 1, "n_values": 2}
    found = laplace(
        Answers(system=only, rater=only, item=only, value=only + 1, **counts),
        Point(theta=np.zeros(1), beta=np.zeros(1), rater=nobody, item=np.full((1, 1), 2.0)),
    )
    z = float(found.modes.item[0, 0])
    assert z == pytest.approx(2 * (1 - expit(2 * z)), abs=1e-9)
    h = 1 + 4 * expit(2 * z) * (1 - expit(2 * z))
    assert found.value == pytest.approx(math.log(expit(2 * z)) - z * z / 2 - math.log(h) / 2)


def dense(data: Answers, at: Point) -> float:
    """The same with one row of λ per response and one dense H."""
    width = (at.rater.shape[1], at.item.shape[1])
    rows = np.zeros((len(data.value), data.n_raters * width[0] + data.n_items * width[1]))
    for n, (s, r, i) in enumerate(zip(data.system, data.rater, data.item, strict=True)):
        rows[n, r * width[0] : (r + 1) * width[0]] = at.rater[s]
        start = data.n_raters * width[0] + i * width[1]
        rows[n, start : start + width[1]] = at.item[s]
    ends = np.concatenate([[-np.inf], at.theta, [np.inf]])

    def ab(z: Array) -> tuple[Array, Array]:
        eta = at.beta[data.system] + rows @ z
        return expit(ends[data.value + 1] - eta), expit(ends[data.value] - eta)

    def loss(z: Array) -> tuple[float, Array]:
        a, b = ab(z)
        return float(-np.log(a - b).sum() + z @ z / 2), z - rows.T @ (a + b - 1)

    z = np.zeros(rows.shape[1])
    if len(z):
        z = minimize(loss, z, jac=True, method="BFGS", options={"gtol": 1e-9}).x
    a, b = ab(z)
    h = np.eye(len(z)) + rows.T @ ((a * (1 - a) + b * (1 - b))[:, None] * rows)
    return -loss(z)[0] - float(np.linalg.slogdet(h)[1]) / 2


def points(k: int) -> dict[str, Point]:
    rng = np.random.default_rng(3)
    one, own = np.ones((k, 1)), np.eye(k)
    base = Point(
        theta=np.array([-1.2, 0.1, 1.4]),
        beta=np.linspace(-0.4, 0.5, k),
        rater=0.7 * one,
        item=0.9 * one,
    )
    return {
        "intercepts": base,
        "slopes": replace(
            base, rater=np.hstack([0.7 * one, 0.4 * own]), item=np.hstack([0.9 * one, 0.5 * own])
        ),
        "correlated": replace(base, rater=np.tril(rng.normal(size=(k, k))), item=0.6 * own),
        "no raters": replace(base, rater=np.zeros((k, 0))),
        "nothing": replace(base, rater=np.zeros((k, 0)), item=np.zeros((k, 0))),
    }


SIZES: dict[str, dict[str, Any]] = {
    "more items": {"items": 7, "raters": 3},
    "more raters, some cells empty": {"items": 3, "raters": 6, "kept": 0.8},
}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("which", points(3))
def test_blocks_give_what_one_dense_matrix_gives(size: dict[str, Any], which: str) -> None:
    data = answers(table(odds=(0.5, 0.0, -0.5), **size))
    at = points(3)[which]
    assert laplace(data, at).value == pytest.approx(dense(data, at), rel=1e-9)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("which", points(3))
def test_the_gradient_is_that_of_the_likelihood(size: dict[str, Any], which: str) -> None:
    data = answers(table(odds=(0.5, 0.0, -0.5), **size))
    at = points(3)[which]
    found = laplace(data, at)
    for name in ("theta", "beta", "rater", "item"):
        part, by = getattr(at, name), getattr(found.gradient, name)
        for place in np.ndindex(part.shape):
            step = np.zeros_like(part)
            step[place] = 1e-5
            high, low = (
                laplace(data, replace(at, **{name: part + sign * step}), found.modes).value
                for sign in (1, -1)
            )
            assert by[place] == pytest.approx((high - low) / 2e-5, abs=1e-6), (name, place)
