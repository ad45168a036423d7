"""FID, KID, precision and recall: closed forms, brute force, and every degenerate input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import sqrtm

import jurybox as jb
from jurybox.errors import InputError
from jurybox.stats.metrics import features
from jurybox.stats.metrics.features import frechet

Array = np.ndarray[Any, np.dtype[np.float64]]


def normal(seed: int, n: int, d: int, scale: float = 1.0) -> Array:
    return scale * np.random.default_rng(seed).normal(size=(n, d))


def exactly(covariance: Array, mean: Array, n: int = 50) -> Array:
    """Rows whose mean and covariance are these, not only about these."""
    rows = normal(1, n, len(mean))
    rows -= rows.mean(axis=0)
    whitened = rows @ np.linalg.inv(np.linalg.cholesky(np.cov(rows, rowvar=False))).T
    return whitened @ np.linalg.cholesky(covariance).T + mean


def one(real: Array, generated: Array, metric: str, **how: Any) -> Any:
    return jb.feature_metrics(real, {"s": generated}, **how)[f"s, {metric}"]


# The Fréchet distance.


def test_normal_distributions_with_a_closed_form() -> None:
    real = exactly(np.diag([4.0, 9.0]), np.array([1.0, 0.0]))
    generated = exactly(np.diag([1.0, 16.0]), np.array([0.0, 2.0]))
    # |μ − μ′|² = 1 + 4; of diagonal covariances Σ(σ − σ′)² = (2 − 1)² + (3 − 4)².
    assert one(real, generated, "fid").estimate == pytest.approx(5 + 2, abs=1e-9)
    # Covariances that do not commute: Σ = diag(4, 1), Σ′ = [[2, 1], [1, 2]]. The eigenvalues of ΣΣ′
    # have sum 4·2 + 1·2 = 10 and product 4·3 = 12, so (√a + √b)² = 10 + 2√12.
    skew = exactly(np.array([[2.0, 1.0], [1.0, 2.0]]), np.zeros(2))
    plain = exactly(np.diag([4.0, 1.0]), np.zeros(2))
    wanted = 5 + 4 - 2 * (10 + 2 * 12**0.5) ** 0.5
    assert one(plain, skew, "fid").estimate == pytest.approx(wanted, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), d=st.integers(1, 6))
def test_the_root_is_that_of_scipy(seed: int, d: int) -> None:
    mix = normal(seed, d, d)
    real, generated = normal(seed + 1, 30, d) @ mix, normal(seed + 2, 40, d) + 0.5
    one_, other = (np.atleast_2d(np.cov(each, rowvar=False)) for each in (real, generated))
    gap = real.mean(axis=0) - generated.mean(axis=0)
    root = np.trace(sqrtm(one_ @ other)).real
    wanted = gap @ gap + np.trace(one_) + np.trace(other) - 2 * root
    assert frechet(real, generated) == pytest.approx(float(wanted), rel=1e-7, abs=1e-7)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 12), d=st.integers(1, 20))
def test_fewer_rows_than_features_give_the_sum_of_singular_values(
    seed: int, n: int, d: int
) -> None:
    # tr √(ΣΣ′) is the sum of the singular values of X′ᵀ… with rows centered: X Yᵀ / (n − 1).
    real, generated = normal(seed, n, d), normal(seed + 1, n, d) * 2
    x, y = real - real.mean(axis=0), generated - generated.mean(axis=0)
    shared = np.linalg.svd(x @ y.T / (n - 1), compute_uv=False).sum()
    gap = real.mean(axis=0) - generated.mean(axis=0)
    total = ((x**2).sum() + (y**2).sum()) / (n - 1)
    wanted = float(gap @ gap + total - 2 * shared)
    # Roots of the rounding of a zero, one per feature: √1e-16 each.
    assert frechet(real, generated) == pytest.approx(wanted, rel=1e-5, abs=1e-5)
    found = one(real, generated, "fid")
    assert any("a covariance needs more rows" in note for note in found.notes) == (n <= d)


def test_a_set_is_at_no_distance_from_itself_however_far_from_zero() -> None:
    rows = normal(0, 60, 3) + 1000
    assert one(rows, rows, "fid").estimate == pytest.approx(0, abs=1e-6)
    moved = one(rows, rows[::-1] + np.array([3.0, 4.0, 0.0]), "fid")
    assert moved.estimate == pytest.approx(25, abs=1e-6)
    assert moved.interval is None
    assert "compare sets of one size" in moved.undefined


# The kernel distance.


def test_kid_is_the_formula_written_out_and_its_interval_leaves_rows_out() -> None:
    real, generated = normal(0, 7, 2), normal(1, 6, 2) + 0.3

    def mmd(x: Array, y: Array) -> float:
        def k(a: Array, b: Array) -> float:
            return float((a @ b / 2 + 1) ** 3)

        own = sum(k(a, b) for i, a in enumerate(x) for j, b in enumerate(x) if i != j)
        other = sum(k(a, b) for i, a in enumerate(y) for j, b in enumerate(y) if i != j)
        both = sum(k(a, b) for a in x for b in y)
        n, m = len(x), len(y)
        return own / (n * (n - 1)) + other / (m * (m - 1)) - 2 * both / (n * m)

    found = one(real, generated, "kid")
    assert found.estimate == pytest.approx(mmd(real, generated), rel=1e-12)
    variance = 0.0
    for rows, left in (
        (7, [mmd(np.delete(real, i, 0), generated) for i in range(7)]),
        (6, [mmd(real, np.delete(generated, i, 0)) for i in range(6)]),
    ):
        variance += (rows - 1) / rows * float(((np.array(left) - np.mean(left)) ** 2).sum())
    half = 1.959963984540054 * variance**0.5
    assert found.interval.low == pytest.approx(found.estimate - half, rel=1e-9)
    assert found.interval.high == pytest.approx(found.estimate + half, rel=1e-9)


def expected_kid(shift: float, d: int) -> float:
    """Of N(0, I) and N(δe₁, I), by moments, since E κ is a sum of products of them.

    The third ones differ by δ³ + 3δ at (1, 1, 1) and by δ at the 3(d − 1) places (1, j, j), the
    second ones by δ² at (1, 1), the first ones by δ: each squared, weighed 1/d³, 3/d² and 3/d.
    """
    third = (shift**3 + 3 * shift) ** 2 + 3 * (d - 1) * shift**2
    return third / d**3 + 3 * shift**4 / d**2 + 3 * shift**2 / d


def test_kid_is_unbiased_and_its_intervals_cover() -> None:
    shift = np.eye(16)[0]
    found = [
        one(normal(2 * s, 50, 16), normal(2 * s + 1, 50, 16) + shift, "kid") for s in range(150)
    ]
    wanted = expected_kid(1, 16)
    estimates = np.array([each.estimate for each in found])
    assert abs(estimates.mean() - wanted) < 3 * estimates.std() / 150**0.5
    inside = np.mean([each.interval.low <= wanted <= each.interval.high for each in found])
    # 95% ± 3 · √(0.95 · 0.05 / 150); more is possible, as a jackknife is careful.
    assert inside >= 0.896


def test_alike_sets_give_a_kid_around_zero_and_careful_intervals() -> None:
    found = [one(normal(s, 40, 2), normal(900 + s, 40, 2), "kid") for s in range(100)]
    estimates = np.array([each.estimate for each in found])
    assert (estimates < 0).any()
    assert abs(estimates.mean()) < 3 * estimates.std() / 100**0.5
    assert np.mean([each.interval.low <= 0 <= each.interval.high for each in found]) >= 0.95


# Precision and recall.


def by_hand(reference: Array, asked: Array, k: int) -> float:
    def radius(i: int) -> float:
        return float(np.sort(np.linalg.norm(reference - reference[i], axis=1))[k])

    inside = [
        any(np.linalg.norm(row - reference[i]) <= radius(i) + 1e-12 for i in range(len(reference)))
        for row in asked
    ]
    return float(np.mean(inside))


def test_points_on_a_line() -> None:
    real = np.array([[0.0], [1.0], [2.0], [10.0]])
    generated = np.array([[0.5], [4.0], [10.5], [30.0]])
    # k = 1: the radii of real rows are 1, 1, 1, 8; within are 0.5, 4 (10 − 8 = 2 ≤ 4), 10.5.
    assert one(real, generated, "precision", k=1).estimate == 0.75
    # Of generated rows 3.5, 3.5, 6.5, 19.5: 0 lies within 3.5 of 0.5; so do 1 and 2; 10 lies
    # within 6.5 of 10.5.
    assert one(real, generated, "recall", k=1).estimate == 1.0


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 4))
def test_precision_and_recall_by_brute_force_and_mirrored(seed: int, k: int) -> None:
    real, generated = normal(seed, 15, 2), normal(seed + 1, 15, 2, 0.5) + 1
    assert one(real, generated, "precision", k=k).estimate == by_hand(real, generated, k)
    recall = one(real, generated, "recall", k=k)
    assert recall.estimate == by_hand(generated, real, k)
    assert recall.estimate == one(generated, real, "precision", k=k).estimate


def test_few_modes_keep_precision_and_lose_recall() -> None:
    real = np.vstack([normal(0, 100, 2), normal(1, 100, 2) + 50])
    collapsed = np.vstack([normal(2, 100, 2), normal(3, 100, 2)])
    assert one(real, collapsed, "precision").estimate > 0.9
    assert one(real, collapsed, "recall").estimate < 0.55


def test_the_same_rows_are_inside_each_other_in_spite_of_rounding() -> None:
    rows = normal(0, 30, 5) * 1e3 + 1e6
    twice = np.vstack([rows, rows, rows, rows])  # every radius of k = 3 is 0
    assert one(twice, twice, "precision").estimate == 1.0


def test_many_rows_are_drawn_and_walked_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    real, generated = normal(0, 40, 2), normal(1, 40, 2) + 0.5
    whole = jb.feature_metrics(real, {"s": generated})
    monkeypatch.setattr(features, "BLOCK", 7)
    blocked = jb.feature_metrics(real, {"s": generated})
    for a, b in zip(whole.rows, blocked.rows, strict=True):
        assert a.estimate == pytest.approx(b.estimate, rel=1e-12)
    monkeypatch.setattr(features, "MOST", 20)
    drawn = jb.feature_metrics(real, {"s": generated}, seed=3)
    assert drawn["s, fid"].estimate == pytest.approx(whole["s, fid"].estimate)
    assert "of 20 rows of each larger set, drawn by seed 3" in drawn["s, kid"].notes
    assert drawn == jb.feature_metrics(real, {"s": generated}, seed=3)


# What is no set.


@pytest.mark.parametrize(
    ("real", "generated", "said"),
    [
        (normal(0, 5, 2), normal(0, 5, 3), "3 features cannot be compared with the 2"),
        (np.zeros(4), normal(0, 5, 2), "real: features are a matrix .* got 1 dimension"),
        (np.zeros((2, 2, 2)), normal(0, 5, 2), "got 3 dimensions"),
        (
            normal(0, 5, 2),
            np.array([[1.0, np.nan], [1, 2]]),
            "s: in 1 row of 2 a feature is .* row 0",
        ),
        (normal(0, 5, 2), np.array([[1.0, 2], [np.inf, 2]]), "missing or infinite.* at row 1"),
        (np.zeros((0, 3)), normal(0, 5, 3), "there is no feature of any output"),
        (np.array([["a", "b"]]), normal(0, 5, 2), "real: features must be numbers"),
    ],
)
def test_what_is_no_matrix_of_features_is_refused(real: Any, generated: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        jb.feature_metrics(real, {"s": generated})


def test_one_row_and_equal_rows_are_undefined_with_the_reason() -> None:
    real = normal(0, 6, 2)
    for row in jb.feature_metrics(real, {"s": real[:1]}).rows:
        assert row.estimate is None
        assert row.undefined == "the generated set has one row, and two are needed to vary"
    for row in jb.feature_metrics(np.ones((5, 2)), {"s": real}).rows:
        assert row.undefined == (
            "every feature of the real set is constant: all its rows are the same"
        )


def test_few_rows_and_features_that_never_vary_are_said() -> None:
    real, generated = normal(0, 3, 2), normal(1, 3, 2)
    assert one(real, generated, "recall").undefined == (
        "the 3 nearest neighbors of a row need 4 rows; there are 3"
    )
    two = one(real[:2], generated[:2], "kid")
    assert two.estimate is not None
    assert two.undefined == "an interval needs three rows of each set"
    still = np.hstack([normal(0, 20, 2), np.ones((20, 1))])
    found = one(still, still + np.array([1.0, 0, 0]), "fid")
    assert found.notes == ("1 of 3 features never vary and add nothing",)
    assert found.estimate == pytest.approx(1)
    assert one(normal(0, 20, 2), normal(1, 30, 2), "recall").notes == (
        "the sets have 30 and 20 rows, and the larger one covers more",
    )


def test_options_and_files_that_cannot_be_are_refused(tmp_path: Path) -> None:
    real = normal(0, 10, 2)
    with pytest.raises(InputError, match="k must be at least 1; got 0"):
        jb.feature_metrics(real, {"s": real}, k=0)
    with pytest.raises(InputError, match="name every system with its features"):
        jb.feature_metrics(real, {})
    np.save(tmp_path / "real.npy", real)
    found = jb.feature_metrics(tmp_path / "real.npy", {"s": str(tmp_path / "real.npy")})
    assert found["s, precision"].estimate == 1.0
    with pytest.raises(InputError, match=r"s: .*none\.npy cannot be read: No such file"):
        jb.feature_metrics(real, {"s": tmp_path / "none.npy"})
    (tmp_path / "text.npy").write_text("hello")
    with pytest.raises(InputError, match="holds no matrix of numbers"):
        jb.feature_metrics(real, {"s": tmp_path / "text.npy"})
