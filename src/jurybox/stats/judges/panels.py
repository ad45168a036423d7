"""Panels: several judges made one, whose answers are then looked at like a judge's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError, OptionError
from jurybox.stats.judges.beside import AnsweredUnits, kappa, lay_beside, weighted_kappa

__all__ = ["PANELS", "Panel", "PanelRule", "check_panel", "make_panel"]

Array = NDArray[np.float64]
PanelRule = Literal["majority", "mean", "weighted"]
PANELS: tuple[PanelRule, ...] = ("majority", "mean", "weighted")
FOLDS = 5
"""Parts of the items: each is answered with weights from the other four."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """A panel's answer to each unit, NaN without, and how many units it contradicts itself on."""

    answers: Array
    n_contradicted: int
    weights: Array
    """Of each judge, on average over the folds; they add up to 1."""


def check_panel(rule: str) -> PanelRule:
    """The rule of that name; one that there is not is refused."""
    for known in PANELS:
        if known == rule:
            return known
    raise OptionError(f"panel must be one of {', '.join(PANELS)}; got {rule!r}")


def make_panel(
    people: AnsweredUnits, judges: Array, rule: PanelRule, *, tie: int | None, seed: int
) -> Panel:
    r"""The answers of a panel to the units that at least two of its judges answered.

    Parameters
    ----------
    people
        People's answers, by which judges are weighted.
    judges
        Judges × units, NaN where a judge has no answer.
    rule
        ``majority``: the answer of most judges; of numbers the median. ``mean``: of numbers.
        ``weighted``: the answer with the most weight, of numbers the weighted mean, each judge
        weighing :math:`\max(0, \kappa)`, its kappa with a person on the other items.
    tie
        The word that stands for an even split; without one such a unit has no answer.
    seed
        Of the folds.
    """
    check_panel(rule)
    if len(judges) < 2:
        raise InputError(f"a panel needs two judges, got {len(judges)}")
    if rule == "mean" and people.n_values is not None:
        raise InputError("the mean of a panel needs numbers: take panel='majority' for words")
    there = ~np.isnan(judges)
    weights = np.ones_like(judges)
    if rule == "weighted":
        weights = _cross_fitted(people, judges, seed)
    weights = np.where(there, weights, 0.0)
    enough = (there.sum(axis=0) >= 2) & (weights.sum(axis=0) > 0)
    shares = weights / np.maximum(weights.sum(axis=0), 1e-300)
    mean = shares[:, enough].mean(axis=1) if enough.any() else np.full(len(judges), np.nan)
    if people.n_values is None:
        answers = np.full(judges.shape[1], np.nan)
        if rule == "majority":
            answers[enough] = np.nanmedian(judges[:, enough], axis=0)
        else:
            answers[enough] = (np.where(there, judges, 0.0) * shares).sum(axis=0)[enough]
        return Panel(answers, 0, mean)
    answers, split = _most(judges, weights, people.n_values)
    answers = np.where(split, np.nan if tie is None else tie, answers)
    answers[~enough] = np.nan
    contradicted = int((split & enough).sum()) if tie is None else 0
    return Panel(answers, contradicted, mean)


def _most(judges: Array, weights: Array, n_values: int) -> tuple[Array, NDArray[np.bool_]]:
    """The word with the most weight on each unit, and whether another has as much."""
    given = np.zeros((n_values, judges.shape[1]))
    for value in range(n_values):
        given[value] = np.where(judges == value, weights, 0.0).sum(axis=0)
    most = given.max(axis=0)
    split = (given > most - 1e-9 * np.maximum(most, 1e-300)).sum(axis=0) > 1
    return given.argmax(axis=0).astype(np.float64), split


def _cross_fitted(people: AnsweredUnits, judges: Array, seed: int) -> Array:
    """Judges × units: weights from the items of the other folds; equal where all are zero."""
    n_items = int(people.item.max(initial=-1)) + 1
    fold = np.random.default_rng(seed).permutation(n_items)[people.item] % FOLDS
    value = weighted_kappa if people.n_values is None else kappa
    weights = np.ones_like(judges)
    for part in range(FOLDS):
        own = fold == part
        if not own.any():
            continue
        found = np.zeros(len(judges))
        for number, judge in enumerate(judges):
            beside = lay_beside(people, np.where(own, np.nan, judge), least=1)
            if beside is not None:
                found[number] = np.nan_to_num(value(beside.of("judge_person", beside.total)))
        found = np.maximum(found, 0.0)
        weights[:, own] = (found if found.any() else np.ones(len(judges)))[:, None]
    return weights
