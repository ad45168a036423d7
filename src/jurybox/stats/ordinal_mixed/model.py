"""The ordinal mixed model of single scores: which systems can be compared, and by which fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import AnalysisError, InputError
from jurybox.results import format_count
from jurybox.stats.agreement.patterns import SAME
from jurybox.stats.distributions import check_confidence
from jurybox.stats.ordinal_mixed.estimates import report
from jurybox.stats.ordinal_mixed.ladder import choose
from jurybox.stats.ordinal_mixed.laplace import Answers
from jurybox.stats.ordinal_mixed.overlap import Overlap, overlap
from jurybox.stats.ordinal_mixed.results import OrdinalModel, SystemOdds
from jurybox.stats.strengths.connected import groups

__all__ = ["ScoreCells", "ordinal_model"]

MOST_VALUES = 30
"""Distinct scores up to which each has a threshold of its own."""
MOST_CROSSED = 10_000_000
"""Numbers in the block between raters' and items' effects, of which a fit holds a few."""


class ScoreCells(Protocol):
    """Scores of one criterion: rows of system, item, rater and the place of the score."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""

    @property
    def values(self) -> tuple[float, ...]:
        """The scores that were given, ascending."""

    @property
    def system(self) -> NDArray[Any]:
        """Number of the system of each row."""

    @property
    def item(self) -> NDArray[Any]:
        """Number of its item."""

    @property
    def rater(self) -> NDArray[Any]:
        """Number of its rater."""

    @property
    def value(self) -> NDArray[Any]:
        """Place of the score among the values."""


def ordinal_model(cells: ScoreCells, *, confidence: float = 0.95, seed: int = 0) -> OrdinalModel:
    r"""Log odds of systems by a cumulative logit with rater and item effects.

    Notes
    -----
    The likelihood is that of ``laplace``; ``ladder`` finds its terms; systems whose scores do not
    overlap are set apart as in ``overlap``; intervals are those of ``estimates``.

    References
    ----------
    McCullagh (1980), doi:10.1111/j.2517-6161.1980.tb01109.x.
    """
    check_confidence(confidence)
    names, values = cells.systems, cells.values
    base = OrdinalModel(
        rows=(), confidence=confidence, seed=seed, n_responses=len(np.asarray(cells.value))
    )
    if len(names) < 2:
        return _undefined(base, names, "there is only one system")
    if len(values) < 2:
        return _undefined(base, names, SAME)
    if len(values) > MOST_VALUES:
        raise InputError(
            f"the scores have {len(values):,} different values, and the ordinal model has a "
            f"threshold between every two: it takes up to {MOST_VALUES}, compare_systems any number"
        )
    given = np.zeros((len(names), len(values)), dtype=np.int64)
    np.add.at(given, (cells.system, cells.value), 1)
    found = overlap(given)
    if len(found.core) < 2:
        return _undefined(base, names, "no two systems have scores that overlap")
    answers = _answers(cells, found.core)
    core = tuple(names[k] for k in found.core)
    why = _confounded(answers, core)
    chosen = choose(answers) if why is None else why
    if isinstance(chosen, str):
        return _undefined(base, names, chosen)
    used = [
        value for value, n in zip(values, given[list(found.core)].sum(axis=0), strict=True) if n
    ]
    made = report(base, chosen.fit, core, used)
    made = replace(made, left_out=chosen.left_out, notes=(*made.notes, *chosen.left_out))
    return _with_those_beyond(made, found, names)


def _undefined(base: OrdinalModel, names: Sequence[str], why: str) -> OrdinalModel:
    rows = tuple(SystemOdds(estimate=None, undefined=why, system=name) for name in names)
    return replace(base, rows=rows, undefined=why)


def _answers(cells: ScoreCells, core: Sequence[int]) -> Answers:
    """The responses to some systems, everything numbered anew."""
    kept = np.isin(cells.system, core)
    (systems, system), (raters, rater), (items, item), (values, value) = (
        np.unique(np.asarray(column)[kept], return_inverse=True)
        for column in (cells.system, cells.rater, cells.item, cells.value)
    )
    answers = Answers(
        system=system,
        rater=rater,
        item=item,
        value=value,
        n_systems=len(systems),
        n_raters=len(raters),
        n_items=len(items),
        n_values=len(values),
    )
    crossed = answers.n_raters * answers.n_items * (answers.n_systems + 1) ** 2
    if crossed > MOST_CROSSED:
        raise AnalysisError(
            f"{format_count(answers.n_raters, 'rater')} × {format_count(answers.n_items, 'item')} "
            f"× {format_count(answers.n_systems, 'system')} are too many for the ordinal model: "
            "compare_systems has no such limit"
        )
    return answers


def _confounded(answers: Answers, names: Sequence[str]) -> str | None:
    """Why raters, or items, cannot be told from systems, if so."""
    for of, n, said in (
        (answers.rater, answers.n_raters, "no rater judged both {} and {}"),
        (answers.item, answers.n_items, "no item has responses for both {} and {}"),
    ):
        met = np.zeros((n, answers.n_systems), dtype=np.int64)
        met[of, answers.system] = 1
        apart = groups((met.T @ met) > 0)
        if len(apart) > 1:
            one, two = (names[part[0]] for part in apart[:2])
            what = "raters" if of is answers.rater else "items"
            return (
                f"{said.format(one, two)}, nor are they joined by other systems, so systems and "
                f"{what} cannot be told apart"
            )
    return None


def _with_those_beyond(made: OrdinalModel, found: Overlap, names: Sequence[str]) -> OrdinalModel:
    """The rows with the systems above and below those that were fitted."""
    others = len(found.above) + len(found.below)
    if not others:
        return made
    core = ", ".join(names[k] for k in found.core)

    def row(k: int, where: str, bound: str) -> SystemOdds:
        return SystemOdds(
            estimate=None,
            undefined=f"no score of {names[k]} lies {where} one of {core}, so its log odds have "
            f"no {bound} bound",
            system=names[k],
            rank_low=1 if made.ranks_by else None,
            rank_high=len(names) if made.ranks_by else None,
        )

    middle = [
        replace(each, rank_high=None if each.rank_high is None else each.rank_high + others)
        for each in made.rows
    ]
    rows = (
        *(row(k, "below", "upper") for k in found.above),
        *middle,
        *(row(k, "above", "lower") for k in found.below),
    )
    return replace(made, rows=rows, notes=(*made.notes, f"log odds are centered among {core}"))
