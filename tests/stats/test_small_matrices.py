"""Small matrices against NumPy's library."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from jurybox.stats import small_matrices
from jurybox.stats.small_matrices import centered, inverse, product, root


def positive(n: int, seed: int, rank: int | None = None) -> NDArray[np.float64]:
    made = np.random.default_rng(seed).normal(size=(n, rank or n + 2))
    return np.asarray(made @ made.T)


@pytest.mark.parametrize("n", [1, 3, 40])
@pytest.mark.parametrize("small", [256, 0])
def test_inverse_and_product_agree_with_numpy(
    n: int, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_matrices, "SMALL", small)
    matrix = positive(n, n)
    assert inverse(matrix) == pytest.approx(np.linalg.inv(matrix), rel=1e-8)
    assert product(matrix, matrix) == pytest.approx(matrix @ matrix)
    wide = np.random.default_rng(n).normal(size=(n, 1000))
    assert product(matrix, wide) == pytest.approx(matrix @ wide)


def test_what_is_not_positive_definite_has_no_inverse() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        inverse(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_centered_by_its_definition() -> None:
    matrix = positive(4, 1)
    center = np.eye(4) - 1 / 4
    assert centered(matrix) == pytest.approx(center @ matrix @ center)


@pytest.mark.parametrize("rank", [2, 5, 9])
def test_a_root_gives_the_covariance_back(rank: int) -> None:
    covariance = positive(6, rank, rank)
    found = root(covariance)
    assert found @ found.T == pytest.approx(covariance, abs=1e-8)
    center = centered(covariance)
    found = root(center)
    assert found @ found.T == pytest.approx(center, abs=1e-8)


def test_an_indefinite_covariance_loses_its_negative_part() -> None:
    values, vectors = np.diag([4.0, 1.0, -0.5]), np.linalg.qr(positive(3, 1))[0]
    found = root(vectors @ values @ vectors.T)
    known = vectors @ np.diag([4.0, 1.0, 0.0]) @ vectors.T
    assert found @ found.T == pytest.approx(known, abs=1e-9)
    assert root(np.zeros((3, 3))).shape == (3, 0)
