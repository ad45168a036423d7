"""Ratings as a matrix of raters and units."""

from __future__ import annotations

import math
import random
from typing import Any

Matrix = list[list[float | None]]  # raters × units


def table(matrix: Matrix) -> dict[str, list[Any]]:
    rows = [
        (f"u{u:03}", f"r{r}", value)
        for r, own in enumerate(matrix)
        for u, value in enumerate(own)
        if value is not None
    ]
    return dict(zip(("item", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True))


def noisy(raters: int, units: int, seed: int, missing: float = 0.0) -> Matrix:
    draw = random.Random(seed)
    truth = [draw.randint(1, 5) for _ in range(units)]
    return [
        [
            None
            if draw.random() < missing
            else float(min(5, max(1, truth[u] + draw.choice([-1, 0, 0, 1]))))
            for u in range(units)
        ]
        for _ in range(raters)
    ]


def fisher_z(alpha: float, k: float) -> float:
    return 0.5 * math.log((1 + (k - 1) * alpha) / (1 - alpha))
