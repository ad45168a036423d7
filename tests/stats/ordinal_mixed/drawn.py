"""Drawn scores with planted log odds, rater and item effects."""

from __future__ import annotations

from typing import Any

import numpy as np

from jurybox.stats.ordinal_mixed.laplace import Answers

SYSTEMS = ("birch", "cedar", "oak", "pine", "yew")


def table(
    *,
    items: int = 12,
    raters: int = 6,
    odds: tuple[float, ...] = (0.6, -0.6),
    item: float = 1.0,
    rater: float = 0.8,
    tastes: tuple[float, float] = (0.5, 0.5),
    values: int = 4,
    kept: float = 1.0,
    seed: int = 0,
) -> dict[str, list[Any]]:
    """Ratings; ``tastes`` are the standard deviations of raters' and of items' own for a system."""
    rng = np.random.default_rng(seed)
    k = len(odds)
    latent = (
        np.array(odds)
        + rng.normal(0, item, (items, 1, 1))
        + rng.normal(0, rater, (1, raters, 1))
        + rng.normal(0, tastes[0], (1, raters, k))
        + rng.normal(0, tastes[1], (items, 1, k))
        + rng.logistic(size=(items, raters, k))
    )
    score = 1 + np.searchsorted(np.linspace(-1.5, 1.5, values - 1), latent)
    i, r, s = np.nonzero(rng.random(latent.shape) < kept)
    return {
        "item": [f"q{n:02d}" for n in i],
        "rater": [f"r{n}" for n in r],
        "system": [SYSTEMS[n] for n in s],
        "score": score[i, r, s].tolist(),
    }


def answers(ratings: dict[str, list[Any]]) -> Answers:
    """The same as numbers."""
    (systems, system), (raters, rater), (items, item), (values, value) = (
        np.unique(ratings[name], return_inverse=True)
        for name in ("system", "rater", "item", "score")
    )
    return Answers(
        system=system,
        rater=rater,
        item=item,
        value=value,
        n_systems=len(systems),
        n_raters=len(raters),
        n_items=len(items),
        n_values=len(values),
    )
