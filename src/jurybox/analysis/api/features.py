"""Metrics of whole sets of outputs: the public function."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jurybox.errors import InputError
from jurybox.stats.metrics.features import FeatureMetrics, check_features, compare_features

__all__ = ["feature_metrics"]


def feature_metrics(
    real: Any,
    generated: Mapping[str, Any],
    *,
    k: int = 3,
    confidence: float = 0.95,
    seed: int = 0,
) -> FeatureMetrics:
    r"""FID, KID, precision and recall of systems, from features that some network gave.

    Which network and which layer decide what these numbers mean: FID's name stands for the 2,048
    features of Inception-v3's last pooling, CLAP's or DINOv2's are as usual for other media. None
    of them looks at what was asked for, and none replaces people.

    Parameters
    ----------
    real
        The features of real outputs, a row each: a matrix, or the path of a ``.npy`` file.
    generated
        By system, the features of its outputs.
    k
        Neighbors of precision and recall.
    confidence, seed
        The confidence of the intervals; the seed of the rows that are drawn, for all but FID, from
        sets of more than 10,000.

    Returns
    -------
    FeatureMetrics
        A row per system and metric.

    Notes
    -----
    With means :math:`\mu` and covariances :math:`\Sigma` of real (r) and generated (g) features, of
    which there are d,

    .. math:: \mathrm{FID} = \lVert \mu_r - \mu_g \rVert^2 + \operatorname{tr}\bigl(\Sigma_r +
        \Sigma_g - 2 (\Sigma_r^{1/2} \Sigma_g \Sigma_r^{1/2})^{1/2}\bigr)

    .. math:: \mathrm{KID} = \frac{\sum_{i \ne j} \kappa(x_i, x_j)}{n(n-1)} +
        \frac{\sum_{i \ne j} \kappa(y_i, y_j)}{m(m-1)} - \frac{2 \sum_{ij} \kappa(x_i, y_j)}{nm},
        \qquad \kappa(x, y) = (x^\top y / d + 1)^3

    The square root is taken by eigenvalues of the symmetric product. KID is unbiased, hence may be
    negative; its interval leaves out rows of both sets one by one. (It covers 95 to 98% with 16 or
    64 features and 50 to 300 rows, but 80% with one feature, whose sixth powers vary wildly.) FID
    is biased upward, so it has no interval, and only sets of one size compare. *Precision* is the
    share of generated rows within the distance of a real row to its k-th nearest real neighbor,
    *recall* the share of real rows so covered by generated ones; their intervals are Wilson's, the
    other set being as it is.

    *Degenerate input.* Sets of different features, a missing or infinite feature: refused. One row,
    or a set whose rows are all the same: undefined. No more rows than features, features that never
    vary, sets of different sizes: a note.

    *Checked against* the closed form of normal distributions and SciPy 1.17's ``sqrtm``.

    References
    ----------
    Dowson and Landau (1982), doi:10.1016/0047-259X(82)90077-X; Heusel et al. (2017),
    arXiv:1706.08500; Bińkowski et al. (2018), arXiv:1801.01401; Kynkäänniemi et al. (2019),
    arXiv:1904.06991.

    Examples
    --------
    >>> import jurybox as jb
    >>> import numpy as np
    >>> real = np.random.default_rng(0).normal(size=(500, 2))
    >>> found = jb.feature_metrics(real, {"shifted": real + [3.0, 0.0]})
    >>> print(f"{found['shifted, fid'].estimate:.6f}")  # 3²: the covariances are the same
    9.000000
    >>> print(found["shifted, precision"].short())
    0.604 (0.560 to 0.646)
    """
    if not isinstance(generated, Mapping) or not generated:
        raise InputError(
            'generated: name every system with its features, for example {"new": features}'
        )
    known = check_features(_loaded(real, "real"), _named(real, "real"))
    rows = []
    for system, given in generated.items():
        features = check_features(_loaded(given, system), _named(given, system))
        rows += compare_features(known, features, system, k=k, confidence=confidence, seed=seed)
    return FeatureMetrics(rows=tuple(rows))


def _named(given: Any, name: str) -> str:
    return f"{name} ({given})" if isinstance(given, str | Path) else name


def _loaded(given: Any, name: str) -> Any:
    if not isinstance(given, str | Path):
        return given
    try:
        return np.load(given, allow_pickle=False)
    except OSError as error:
        raise InputError(f"{name}: {given} cannot be read: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise InputError(
            f"{name}: {given} holds no matrix of numbers; save one with numpy.save"
        ) from error
