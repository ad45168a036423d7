r"""Metrics of whole sets, from the features of real and of generated outputs.

A set is a matrix with a row per output and a column per feature of some network. The Fréchet
distance compares two normal distributions, the kernel distance the sets themselves; precision and
recall ask how much of one set lies within the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError, OptionError
from jurybox.formats import format_count
from jurybox.results import Interval, Result, ResultTable
from jurybox.stats.distributions import check_confidence, normal_quantile
from jurybox.stats.shares import wilson

__all__ = ["LOWER_IS_BETTER", "FeatureMetrics", "SetMetric", "check_features", "compare_features"]

Array = NDArray[np.float64]
Metric = Literal["fid", "kid", "precision", "recall"]
METRICS: tuple[Metric, ...] = ("fid", "kid", "precision", "recall")
LOWER_IS_BETTER = ("fid", "kid")
MOST = 10_000
"""Rows of which all pairs are compared; of larger sets so many are drawn."""
BLOCK = 1024
LIKE_THESE = "outputs like these, with these features"
NO_INTERVAL = (
    "the Fréchet distance of a sample lies above that of its source, the more so the fewer rows, "
    "so that no interval is centered on it: compare sets of one size, or read kid"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMetric(Result):
    """One metric of one system's whole set against the real one."""

    label: ClassVar[str] = "metric of a set"

    metric: Metric
    system: str
    n_real: int
    n_generated: int
    n_features: int

    @property
    def name(self) -> str:
        """The system and the metric."""
        return f"{self.system}, {self.metric}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FeatureMetrics(ResultTable):
    """Fréchet and kernel distance, precision and recall of every system."""

    label: ClassVar[str] = "metrics of sets of features"

    rows: tuple[SetMetric, ...]


def check_features(values: Any, name: str) -> Array:
    """A matrix of finite numbers, or a sentence on why it is none."""
    found = np.asarray(values)
    if found.dtype.kind not in "fiub":
        raise InputError(f"{name}: features must be numbers; got {found.dtype}")
    if found.ndim != 2:
        raise InputError(
            f"{name}: features are a matrix with a row per output; got {found.ndim} "
            f"{'dimension' if found.ndim == 1 else 'dimensions'}, {found.shape}"
        )
    if not found.size:
        raise InputError(f"{name}: there is no feature of any output; the shape is {found.shape}")
    made = found.astype(np.float64)
    wrong = ~np.isfinite(made).all(axis=1)
    if wrong.any():
        raise InputError(
            f"{name}: in {format_count(int(wrong.sum()), 'row')} of {len(made):,} a feature is "
            f"missing or infinite, the first at row {int(wrong.argmax())}; leave such rows out"
        )
    return made


def compare_features(
    real: Array, generated: Array, system: str, *, k: int, confidence: float, seed: int
) -> list[SetMetric]:
    """All four metrics of one system; see ``jurybox.feature_metrics``."""
    check_confidence(confidence)
    if k < 1:
        raise OptionError(f"k must be at least 1; got {k}")
    if real.shape[1] != generated.shape[1]:
        raise InputError(
            f"{system}: {generated.shape[1]:,} features cannot be compared with the "
            f"{real.shape[1]:,} of the real set; take both from one layer of one network"
        )
    why = _no_spread(real, generated)
    found = (
        {metric: {"estimate": None, "undefined": why} for metric in METRICS}
        if why is not None
        else _found(real, generated, k, confidence, seed)
    )
    return [
        SetMetric(
            metric=metric,
            system=system,
            n_real=len(real),
            n_generated=len(generated),
            n_features=real.shape[1],
            **each,
        )
        for metric, each in found.items()
    ]


def _found(
    real: Array, generated: Array, k: int, confidence: float, seed: int
) -> dict[Metric, dict[str, Any]]:
    # Only differences of rows count, but for the kernel: around zero they keep their digits.
    center = real.mean(axis=0)
    near = _drawn(real, seed), _drawn(generated, seed)
    inner = near[0] - center, near[1] - center
    some = max(len(real), len(generated)) > MOST
    drawn = (f"of {MOST:,} rows of each larger set, drawn by seed {seed}",) if some else ()
    return {
        "fid": _fid(real - center, generated - center),
        "kid": _with_notes(_kid(*near, confidence), drawn),
        "precision": _with_notes(_inside(*inner, k, confidence), drawn),
        "recall": _with_notes(_inside(*inner[::-1], k, confidence), drawn),
    }


def frechet(real: Array, generated: Array) -> float:
    """The squared Fréchet distance of the normal distributions with these moments."""
    gap = real.mean(axis=0) - generated.mean(axis=0)
    one, other = (np.atleast_2d(np.cov(each, rowvar=False)) for each in (real, generated))
    values, vectors = np.linalg.eigh(one)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    # The eigenvalues of ΣΣ′ are those of the symmetric √Σ Σ′ √Σ, which are real and not negative.
    cross = np.linalg.eigvalsh(root @ other @ root)
    shared = float(np.sqrt(np.maximum(cross, 0)).sum())
    return max(0.0, float(gap @ gap) + float(np.trace(one) + np.trace(other)) - 2 * shared)


def _fid(real: Array, generated: Array) -> dict[str, Any]:
    n, d = min(len(real), len(generated)), real.shape[1]
    few = (
        f"{format_count(n, 'row')} for {format_count(d, 'feature')}: a covariance needs more rows "
        "than features, and the distance is much too large"
    )
    still = _still(real, generated)
    notes = ([few] if n <= d else []) + ([still] if still else [])
    return {
        "estimate": frechet(real, generated),
        "undefined": NO_INTERVAL,
        "notes": tuple(notes),
    }


def _no_spread(real: Array, generated: Array) -> str | None:
    for name, rows in (("real", real), ("generated", generated)):
        if len(rows) < 2:
            return f"the {name} set has one row, and two are needed to vary"
        if not np.ptp(rows, axis=0).any():
            return f"every feature of the {name} set is constant: all its rows are the same"
    return None


def _still(real: Array, generated: Array) -> str | None:
    n = int((~np.ptp(np.vstack([real, generated]), axis=0).astype(bool)).sum())
    d = real.shape[1]
    return f"{n:,} of {d:,} features never vary and add nothing" if n else None


def _kid(real: Array, generated: Array, confidence: float) -> dict[str, Any]:
    r"""The unbiased squared distance, and its interval by leaving out rows one by one."""
    n, m = len(real), len(generated)
    x, y = _kernel_sums(real, real, same=True), _kernel_sums(generated, generated, same=True)
    xy, yx = _kernel_sums(real, generated), _kernel_sums(generated, real)
    own = float(x.sum()) / (n * (n - 1)), float(y.sum()) / (m * (m - 1))
    both = float(xy.sum()) / (n * m)
    estimate = own[0] + own[1] - 2 * both
    if min(n, m) < 3:
        return {"estimate": estimate, "undefined": "an interval needs three rows of each set"}
    variance = 0.0
    for within, across, other in ((x, xy, m), (y, yx, n)):
        size = len(within)
        left = (within.sum() - 2 * within) / ((size - 1) * (size - 2))
        left -= 2 * (across.sum() - across) / ((size - 1) * other)
        variance += float(((left - left.mean()) ** 2).sum()) * (size - 1) / size
    half = normal_quantile(confidence) * variance**0.5
    return {
        "estimate": estimate,
        "interval": Interval(
            low=estimate - half,
            high=estimate + half,
            confidence=confidence,
            method="jackknife over the rows of both sets, normal",
            generalizes_to=LIKE_THESE,
        ),
    }


def _kernel_sums(rows: Array, others: Array, *, same: bool = False) -> Array:
    """For each row, the sum of its kernel with all others; without its own where it is one."""
    parts = []
    for start, block in _blocks(rows):
        kernel = (block @ others.T / rows.shape[1] + 1) ** 3
        if same:
            kernel[np.arange(len(block)), start + np.arange(len(block))] = 0
        parts.append(kernel.sum(axis=1))
    return np.concatenate(parts)


def _inside(reference: Array, asked: Array, k: int, confidence: float) -> dict[str, Any]:
    """The share of ``asked`` that lies within the ball of some row of ``reference``."""
    if len(reference) <= k:
        why = f"the {k} nearest neighbors of a row need {k + 1} rows; there are {len(reference)}"
        return {"estimate": None, "undefined": why}
    # What rounding leaves of the distance between equal rows.
    noise = 1e-12 * max(float((each**2).sum(axis=1).max()) for each in (reference, asked))
    radii = np.concatenate(
        [
            np.partition(_squared(block, reference), k, axis=1)[:, k]
            for _, block in _blocks(reference)
        ]
    )
    hits = sum(
        int((_squared(block, reference) <= radii + noise).any(axis=1).sum())
        for _, block in _blocks(asked)
    )
    share = hits / len(asked)
    sizes = len(reference), len(asked)
    note = f"the sets have {sizes[0]:,} and {sizes[1]:,} rows, and the larger one covers more"
    return {
        "estimate": share,
        "interval": wilson(
            share, len(asked), confidence, f"{LIKE_THESE}, the other set being as it is"
        ),
        "notes": (note,) if sizes[0] != sizes[1] else (),
    }


def _squared(rows: Array, others: Array) -> Array:
    squares: Array = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * rows @ others.T
    return np.maximum(squares, 0.0, out=squares)


def _blocks(rows: Array) -> Iterator[tuple[int, Array]]:
    for start in range(0, len(rows), BLOCK):
        yield start, rows[start : start + BLOCK]


def _drawn(rows: Array, seed: int) -> Array:
    if len(rows) <= MOST:
        return rows
    return rows[np.sort(np.random.default_rng(seed).choice(len(rows), MOST, replace=False))]


def _with_notes(found: dict[str, Any], more: tuple[str, ...]) -> dict[str, Any]:
    return {**found, "notes": (*found.get("notes", ()), *more)}
