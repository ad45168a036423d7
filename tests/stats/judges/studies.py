"""Simulated studies of people and judges as arrays, with planted biases."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.simulated_judges import asked_once
from jurybox.tally.judge_replies import JudgeReplies

Array = NDArray[np.float64]


def made_replies(shape: str, *, is_number: bool, judges: int, systems: int, **arrays: Any) -> Any:
    items = int(np.max(arrays["unit_item"])) + 1
    return JudgeReplies(
        shape=shape,
        is_number=is_number,
        judges=tuple(f"j{k + 1}" for k in range(judges)),
        systems=tuple("abcdefgh"[:systems]),
        items=tuple(str(k) for k in range(items)),
        **arrays,
    )


def votes(
    rng: np.random.Generator,
    *,
    items: int = 60,
    raters: int = 20,
    per_unit: int = 4,
    position: float = 0.0,
    verbosity: float = 0.0,
    own: float = 0.0,
    judges: int = 2,
    repeats: int = 2,
    chance: float = 0.0,
) -> tuple[Any, Array]:
    """Votes between three systems; planted in the first judge, as log-odds; lengths as log₂.

    The first judge is of the family of system 0. With probability ``chance`` any judge's vote is a
    coin.
    """
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    unit_item = np.repeat(np.arange(items), 3)
    unit_systems = np.tile(pairs, (items, 1))
    n = len(unit_item)
    lengths = rng.normal(0, 0.6, (items, 3))
    strength = np.array([0.4, 0.0, -0.3])
    quality = strength + rng.normal(0, 0.5, (items, 3))
    one, two = unit_systems.T
    gap = quality[unit_item, one] - quality[unit_item, two]
    longer = lengths[unit_item, one] - lengths[unit_item, two]
    unit = np.repeat(np.arange(n), per_unit)
    rater = np.concatenate([rng.permutation(raters)[:per_unit] for _ in range(n)])
    like = rng.normal(0, 0.3, raters)
    chances = _chance(gap[unit] + (0.2 + like[rater]) * longer[unit])
    value = (rng.random(len(unit)) < chances).astype(float)
    # Every judge × unit × order × repeat.
    judge, at, order, repeat = (
        part.ravel()
        for part in np.meshgrid(
            np.arange(judges), np.arange(n), np.arange(2), np.arange(repeats), indexing="ij"
        )
    )
    is_own = (one == 0).astype(float) - (two == 0)
    first = judge == 0
    logit = gap[at] + (0.2 + verbosity * first) * longer[at] + own * first * is_own[at]
    logit = logit + position * first * (2 * order - 1)
    mixed = (1 - chance) * _chance(logit) + chance / 2
    reply = (rng.random(len(at)) < mixed).astype(float)
    found = made_replies(
        "votes",
        is_number=False,
        judges=judges,
        systems=3,
        unit_item=unit_item,
        unit_systems=unit_systems,
        unit=unit,
        rater=rater,
        value=value,
        judge=judge,
        reply_unit=at,
        order=order,
        repeat=repeat,
        code=reply.astype(np.int64),
        reply=reply,
    )
    return found, lengths


def ratings(
    rng: np.random.Generator,
    *,
    items: int = 60,
    raters: int = 20,
    per_unit: int = 4,
    position: float = 0.0,
    verbosity: float = 0.0,
    own: float = 0.0,
    lenient: float = 0.0,
    spread: float = 1.0,
    judges: int = 2,
    repeats: int = 2,
) -> tuple[Any, Array]:
    """Scores of two systems; planted in the first judge, in points; lengths as log₂."""
    unit_item = np.repeat(np.arange(items), 2)
    system = np.tile([0, 1], items)
    n = len(unit_item)
    lengths = rng.normal(0, 0.6, (items, 2))
    quality = np.array([0.2, -0.2])[system] + rng.normal(0, 0.8, items)[unit_item]
    quality = quality + rng.normal(0, 0.5, n)
    longer = lengths[unit_item, system]
    unit = np.repeat(np.arange(n), per_unit)
    rater = np.concatenate([rng.permutation(raters)[:per_unit] for _ in range(n)])
    like, mild = rng.normal(0, 0.2, raters), rng.normal(0, 0.5, raters)
    value = quality[unit] + mild[rater] + (0.3 + like[rater]) * longer[unit]
    value = value + rng.normal(0, 0.7, len(unit))
    judge, at, order, repeat = (
        part.ravel()
        for part in np.meshgrid(
            np.arange(judges), np.arange(n), np.arange(2), np.arange(repeats), indexing="ij"
        )
    )
    first = judge == 0
    reply = spread**first * (
        quality[at] + (0.3 + verbosity * first) * longer[at] + rng.normal(0, 0.7, len(at))
    )
    reply = reply + first * (lenient + own * (system[at] == 0) + position * (order == 0))
    found = made_replies(
        "ratings",
        is_number=True,
        judges=judges,
        systems=2,
        unit_item=unit_item,
        unit_systems=system[:, None],
        unit=unit,
        rater=rater,
        value=value,
        judge=judge,
        reply_unit=at,
        order=order,
        repeat=repeat,
        code=np.zeros(len(at), dtype=np.int64),
        reply=reply,
    )
    return found, lengths


def _chance(logit: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-logit)))


def part_rated(
    rng: np.random.Generator,
    *,
    items: int = 400,
    rated: int = 60,
    raters: int = 10,
    per_unit: int = 3,
    quality: float = 1.0,
    shift: float = 0.5,
    judge_noise: float = 0.7,
    bias: float = 0.8,
) -> Any:
    """Scores of one system with mean 0: a judge on all items, people on a random part of them."""
    good = rng.normal(0, quality, items)
    chosen = np.sort(rng.permutation(items)[:rated])
    unit = np.repeat(chosen, per_unit)
    rater = np.concatenate([rng.permutation(raters)[:per_unit] for _ in range(rated)])
    value = good[unit] + rng.normal(0, shift, raters)[rater] + rng.normal(0, 0.7, len(unit))
    reply = bias + 0.8 * good + rng.normal(0, judge_noise, items)
    return asked_once(
        "ratings",
        systems=("a",),
        unit_item=np.arange(items),
        system=np.zeros(items, dtype=np.int64),
        answers=(unit, rater, value),
        reply=reply,
    )
