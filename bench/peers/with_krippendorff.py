"""krippendorff: ordinal alpha, and a bootstrap of units around it."""

from __future__ import annotations

import krippendorff
import numpy as np
import pandas as pd
from answer import answer

TIMED = 10
"""Replicates that are computed; ``run.py`` counts them for a thousand."""


def counts(file: str) -> tuple[np.ndarray, list[float]]:
    frame = pd.read_parquet(file, columns=["item", "system", "score"])
    unit = pd.factorize(frame["item"] + "/" + frame["system"])[0]
    values = sorted(frame["score"].unique())
    place = np.searchsorted(values, frame["score"])
    size = unit.max() + 1
    flat = np.bincount(unit * len(values) + place, minlength=size * len(values))
    return flat.reshape(size, len(values)), values


def of(table: np.ndarray, values: list[float]) -> float:
    return float(
        krippendorff.alpha(value_counts=table, value_domain=values, level_of_measurement="ordinal")
    )


def read(file: str) -> list[float]:
    """Only the alpha itself."""
    return [of(*counts(file))]


def replicates(file: str) -> list[float]:
    """Ten replicates, from the table to their spread."""
    table, values = counts(file)
    rng = np.random.default_rng(0)
    made = [of(table[rng.integers(0, len(table), len(table))], values) for _ in range(TIMED)]
    return [float(np.std(made))]


answer({"alpha": read, "replicates": replicates})
