r"""The Laplace likelihood of a cumulative logit with crossed rater and item effects.

A response to system s on item i by rater r has the linear predictor

.. math:: \eta = \beta_s + \lambda^R_s \cdot z_r + \lambda^I_s \cdot z_i, \qquad
    \operatorname{logit} P(y \le j) = \theta_j - \eta,

with standard normal z, and the rows λ of a loading matrix Λ of raters and of one of items: ΛΛ′ is
the covariance of what a rater (an item) adds to the systems. With the joint log density
:math:`g(z) = \log P(y \mid z) - z'z/2`, its maximum ẑ and :math:`H = -g''(ẑ)`,

.. math:: \log L \approx g(ẑ) - \tfrac12 \log|H|.

Between two raters, and between two items, H is zero. The blocks of the side with more effects are
eliminated one by one; what is left is a dense matrix, Schur's complement, of the smaller side.

References
----------
Tierney and Kadane (1986), doi:10.1080/01621459.1986.10478240; Pinheiro and Chao (2006),
doi:10.1198/106186006X96962.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import AnalysisError
from jurybox.stats.ordinal_mixed.chances import Chances, chances

__all__ = ["Answers", "Gradient", "Laplace", "Modes", "Point", "laplace"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]
STEPS = 100
"""Of Newton's method towards ẑ; three to six do."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Answers:
    """Responses as numbers from 0 on: of which system, rater, item, and the place of the score."""

    system: Numbers
    rater: Numbers
    item: Numbers
    value: Numbers
    n_systems: int
    n_raters: int
    n_items: int
    n_values: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Point:
    """Thresholds in order, log odds of the systems, and Λ of raters and of items.

    Λ has a row per system and a column per standard normal effect, none where there is no term.
    """

    theta: Array
    beta: Array
    rater: Array
    item: Array


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Modes:
    """ẑ: raters × effects and items × effects."""

    rater: Array
    item: Array


Gradient = Point
"""The derivatives of the log likelihood by everything that a point consists of."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Laplace:
    """The log likelihood at a point, its gradient, and ẑ."""

    value: float
    gradient: Gradient
    modes: Modes


def laplace(answers: Answers, at: Point, start: Modes | None = None) -> Laplace:
    """The Laplace log likelihood with its gradient; ``start``: from where ẑ is looked for."""
    raters = _Side(of=answers.rater, n=answers.n_raters, load=at.rater)
    items = _Side(of=answers.item, n=answers.n_items, load=at.item)
    swapped = raters.size > items.size
    many, few = (raters, items) if swapped else (items, raters)
    crossed = _Crossed(answers=answers, at=at, many=many, few=few)
    begins = [(np.zeros((many.n, many.width)), np.zeros((few.n, few.width)))]
    if start is not None:
        begins.append((start.rater, start.item) if swapped else (start.item, start.rater))
    # Where a point is far from the one before, its ẑ is nearer to zero than to that one's.
    top = crossed.top(*max(begins, key=lambda z: _density(crossed.chances(*z), *z)))
    theta, beta, of_many, of_few = crossed.gradient(top)
    modes, loads = [(top.many, top.few), (of_many, of_few)]
    rater, item = (0, 1) if swapped else (1, 0)
    return Laplace(
        value=_density(top.given, top.many, top.few) - top.hessian.log_det / 2,
        gradient=Gradient(theta=theta, beta=beta, rater=loads[rater], item=loads[item]),
        modes=Modes(rater=modes[rater], item=modes[item]),
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Side:
    """The raters, or the items: whose each response is, how many they are, and their Λ."""

    of: Numbers
    n: int
    load: Array

    @property
    def width(self) -> int:
        """Effects of each."""
        return int(self.load.shape[1])

    @property
    def size(self) -> int:
        """Effects of all."""
        return self.n * self.width


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Hessian:
    """H with the blocks of the many eliminated."""

    weights: Array
    """Many × few × systems: the weights of the responses."""
    many: Array
    """The inverse blocks of the many: n × width × width."""
    pull: Array
    """The same times the blocks between the many and the few: size of the many × of the few."""
    few: Array
    """The inverse of Schur's complement."""
    log_det: float

    def solve(self, many: Array, few: Array) -> tuple[Array, Array]:
        """H⁻¹ times a vector, of which each row belongs to one of the many or of the few."""
        found = self.few @ (few.ravel() - self.pull.T @ many.ravel())
        own = np.einsum("iab,ib->ia", self.many, many)
        return own - (self.pull @ found).reshape(many.shape), found.reshape(few.shape)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Inverse:
    """What the gradient needs of H⁻¹."""

    lever: Array
    """Many × few × systems: λ′H⁻¹λ."""
    many: Array
    """Systems × effects: Σ weight · H⁻¹λ at the one of the many, over the system's responses."""
    few: Array


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Top:
    """ẑ with what is known there."""

    many: Array
    few: Array
    given: Chances
    hessian: _Hessian


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Crossed:
    """The two sides at a point, the one with more effects first."""

    answers: Answers
    at: Point
    many: _Side
    few: _Side

    def top(self, many: Array, few: Array) -> _Top:
        """ẑ by Newton's method with step halving; g is concave."""
        given = self.chances(many, few)
        value = _density(given, many, few)
        for _ in range(STEPS):
            slope = (
                self._added(self.many, given.score) - many,
                self._added(self.few, given.score) - few,
            )
            hessian = self.hessian(given.weight)
            largest = max(np.abs(part).max(initial=0.0) for part in slope)
            if largest <= 1e-9:
                return _Top(many=many, few=few, given=given, hessian=hessian)
            step = hessian.solve(*slope)
            size = 1.0
            while size > 1e-10:
                trial = many + size * step[0], few + size * step[1]
                given = self.chances(*trial)
                new = _density(given, *trial)
                if new >= value - 1e-12 * abs(value):
                    break
                size /= 2
            (many, few), value = trial, new
        raise AnalysisError(
            f"the effects of raters and items were not found in {STEPS} steps; the largest "
            f"gradient left is {largest:.3g}"
        )

    def chances(self, many: Array, few: Array) -> Chances:
        """The responses given the effects."""
        eta = self.at.beta[self.answers.system] + self._along(many, few)
        return chances(self.at.theta, eta, self.answers.value)

    def hessian(self, weight: Array) -> _Hessian:
        """H = I + Σ weight · λλ′, block by block."""
        many, few, k = self.many, self.few, self.answers.n_systems
        cell = (many.of * few.n + few.of) * k + self.answers.system
        weights = _sums(cell, weight, many.n * few.n * k).reshape(many.n, few.n, k)
        a = np.eye(many.width) + _blocks(weights.sum(axis=1), many, many)
        b = np.eye(few.width) + _blocks(weights.sum(axis=0), few, few)
        c = _blocks(weights.reshape(-1, k), many, few)
        c = c.reshape(many.n, few.n, many.width, few.width).swapaxes(1, 2)
        c = c.reshape(many.n, many.width, few.size)
        inverse = np.asarray(np.linalg.inv(a))
        pull = (inverse @ c).reshape(many.size, few.size)
        schur = -c.reshape(many.size, few.size).T @ pull
        own = np.arange(few.n)
        schur.reshape(few.n, few.width, few.n, few.width)[own, :, own, :] += b
        return _Hessian(
            weights=weights,
            many=inverse,
            pull=pull,
            few=np.asarray(np.linalg.inv(schur)),
            log_det=float(np.linalg.slogdet(a)[1].sum() + np.linalg.slogdet(schur)[1]),
        )

    def gradient(self, top: _Top) -> tuple[Array, Array, Array, Array]:
        r"""The derivatives of log L by thresholds, log odds and the two Λ.

        Those of g at ẑ are the direct ones. With λ the row of a response in H, w its weight, s its
        score and :math:`h = λ'H^{-1}λ`,

        .. math:: d\log|H| = \sum h\,dw + 2 \sum w\,λ'H^{-1}dλ.

        w moves with the thresholds and with η, and η also with :math:`dẑ = H^{-1}\,dg'`. That adds
        :math:`\sum p'λ\,ds + s\,p'dλ` with :math:`p = H^{-1} \sum h w'λ`.
        """
        system, value, k = self.answers.system, self.answers.value, self.answers.n_systems
        given, many, few = top.given, self.many, self.few
        inverse = self._inverse(top.hessian)
        h = inverse.lever[many.of, few.of, system]
        bend_upper = h * given.upper * (1 - 2 * given.a)
        bend_lower = h * given.lower * (1 - 2 * given.b)
        drift = -(bend_upper + bend_lower)
        p = top.hessian.solve(self._added(many, drift), self._added(few, drift))
        pull = self._along(*p)
        by_eta = given.score - (drift - given.weight * pull) / 2
        by_upper = given.raise_upper - (bend_upper + given.upper * pull) / 2
        by_lower = given.raise_lower - (bend_lower + given.lower * pull) / 2
        n_values = self.answers.n_values
        theta = _sums(value, by_upper, n_values)[:-1]
        theta += _sums(value, by_lower, n_values)[1:]
        loads = [
            self._cells(side, by_eta).T @ z - turned - self._cells(side, given.score).T @ own / 2
            for side, z, turned, own in (
                (many, top.many, inverse.many, p[0]),
                (few, top.few, inverse.few, p[1]),
            )
        ]
        return theta, _sums(system, by_eta, k), loads[0], loads[1]

    def _inverse(self, hessian: _Hessian) -> _Inverse:
        """What is needed of H⁻¹."""
        many, few, weights = self.many, self.few, hessian.weights
        size = (many.n, many.width, few.size)
        row = (-hessian.pull @ hessian.few).reshape(size)
        corner = hessian.many - row @ hessian.pull.reshape(size).swapaxes(1, 2)
        own = np.arange(few.n)
        inner = hessian.few.reshape(few.n, few.width, few.n, few.width)[own, :, own, :]
        # Many × few in rows.
        crossed = row.reshape(many.n, many.width, few.n, few.width).swapaxes(1, 2)
        between = crossed.reshape(many.n * few.n, many.width, few.width)
        lever = (2 * _flat(between) @ _products(many, few).T).reshape(weights.shape)
        lever += (_flat(corner) @ _products(many, many).T)[:, None, :]
        lever += _flat(inner) @ _products(few, few).T
        met = _weighed(weights.reshape(len(between), -1), between)
        to_many = _weighed(weights.sum(axis=1), corner) @ many.load[:, :, None]
        to_few = _weighed(weights.sum(axis=0), inner) @ few.load[:, :, None]
        return _Inverse(
            lever=lever,
            many=(to_many + met @ few.load[:, :, None])[:, :, 0],
            few=(to_few + met.swapaxes(1, 2) @ many.load[:, :, None])[:, :, 0],
        )

    def _along(self, many: Array, few: Array) -> Array:
        """λ′z of every response."""
        system = self.answers.system
        found = (many @ self.many.load.T)[self.many.of, system]
        return np.asarray(found + (few @ self.few.load.T)[self.few.of, system])

    def _cells(self, side: _Side, values: Array) -> Array:
        """The values of the responses, added up for every one of a side and every system."""
        k = self.answers.n_systems
        return _sums(side.of * k + self.answers.system, values, side.n * k).reshape(side.n, k)

    def _added(self, side: _Side, values: Array) -> Array:
        """Σ value · λ for every one of a side."""
        return self._cells(side, values) @ side.load


def _sums(of: Numbers, values: Array, n: int) -> Array:
    """The values of each of n, added up."""
    return np.bincount(of, values, n).astype(np.float64, copy=False)


def _density(given: Chances, many: Array, few: Array) -> float:
    """The joint log density g."""
    return float(given.log.sum() - (many**2).sum() / 2 - (few**2).sum() / 2)


def _products(one: _Side, two: _Side) -> Array:
    """λλ′ of every system, in one row each."""
    return _flat(one.load[:, :, None] * two.load[:, None, :])


def _blocks(weights: Array, one: _Side, two: _Side) -> Array:
    """Σ_s weight_s · λ_s λ_s′ for every row of weights, which are per system."""
    return (weights @ _products(one, two)).reshape(len(weights), one.width, two.width)


def _flat(blocks: Array) -> Array:
    """Every block in one row."""
    return blocks.reshape(len(blocks), blocks.shape[1] * blocks.shape[2])


def _weighed(weights: Array, blocks: Array) -> Array:
    """Σ weight · block over the blocks, for every system."""
    return (weights.T @ _flat(blocks)).reshape(weights.shape[1], *blocks.shape[1:])
