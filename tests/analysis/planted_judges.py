"""Planted judges in ratings, and what an analysis says of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from jurybox.analysis.finding import Analysis

VERSIONS = {"jurybox": "0.1.0"}
WORDS = ("no", "partly", "yes")


def sentence(analysis: Analysis, id: str) -> str:
    return next(f.sentence for f in analysis.findings if f.id == id)


def rated(seed: int = 1, *, n: int = 60, raters: int = 6, words: bool = False) -> Any:
    """People near a truth; judges: one like a person, one that guesses, one that is too kind."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    made: dict[str, list[Any]] = {
        name: [] for name in ("item", "system", "rater", "rater_kind", "score")
    }

    def near(k: int) -> int:
        return int(truth[k] if rng.random() > 0.3 else rng.integers(0, 3))

    who = [(f"r{r}", "person", near) for r in range(raters)]
    who += [
        ("like", "judge", near),
        ("guess", "judge", lambda k: int(rng.integers(0, 3))),
        ("kind", "judge", lambda k: min(2, int(truth[k]) + 1)),
    ]
    for name, kind, answer in who:
        for k in range(n):
            score = answer(k)
            row = (f"q{k}", "new", name, kind, WORDS[score] if words else score + 1)
            for column, value in zip(made, row, strict=True):
                made[column].append(value)
    return made
