"""The maximum of the Laplace likelihood for given terms, and the information there."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import AnalysisError
from jurybox.stats.ordinal_mixed.laplace import Answers, Modes, Point, laplace
from jurybox.stats.ordinal_mixed.terms import Group, Term

__all__ = ["Fit", "Terms", "maximize", "refine"]

Array = NDArray[np.float64]
Terms = tuple[Term, Term]
"""Of raters and of items."""
STEPS = 1_000
"""Of the search; some dozens do."""
NEWTON = 30
"""Steps at the end, each with a curvature of its own; one or two do."""
UNBOUNDED = 20.0
"""A standard deviation, in log odds, that only runs away: odds of 1 to 500 million."""
RUNAWAY = 1000.0
"""One from which a search does not come back: followed on, its modes cannot be found."""
SPREAD = 0.7, 0.5
"""Standard deviations of intercepts and slopes that a search begins with."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fit:
    """A maximum: thresholds, log odds with that of the first system zero, and terms."""

    answers: Answers
    terms: Terms
    x: Array
    """All parameters, as ``_Model`` orders them."""
    theta: Array
    beta: Array
    parameters: tuple[Array, Array]
    """Of the two terms."""
    log_likelihood: float
    covariance: Array | None = None
    """Of thresholds and log odds, where the information there is positive definite."""


def maximize(answers: Answers, terms: Terms, start: Fit | None = None) -> Fit | str:
    """The maximum with these terms, or why there is none; thresholds from ``start``."""
    # Imported here: it takes longer than an analysis of a small table.
    from scipy.optimize import minimize

    model = _Model(answers, terms)
    begin = model.start()
    if start is not None:
        fixed = answers.n_values + answers.n_systems - 2
        begin[:fixed] = start.x[:fixed]
    try:
        found = minimize(
            model.loss, begin, jac=True, method="BFGS", options={"gtol": 1e-3, "maxiter": STEPS}
        )
    except _Unbounded as unbounded:
        return str(unbounded)
    fit = model.fit(np.asarray(found.x), -float(found.fun))
    for term, parameters in zip(terms, fit.parameters, strict=True):
        if _widest(term, parameters) > UNBOUNDED:
            return str(_Unbounded(term.group))
    left = float(np.abs(found.jac).max())
    if left > 0.1:
        raise AnalysisError(
            f"the ordinal model did not converge in {found.nit} steps; the "
            f"largest gradient left is {left:.3g}"
        )
    return fit


class _Unbounded(Exception):
    """The likelihood rises with the effects of a group for ever."""

    def __init__(self, group: Group) -> None:
        super().__init__(
            f"what {group}s add to log odds grows without bound, as they all but decide the scores"
        )


def _widest(term: Term, parameters: Array) -> float:
    """The largest standard deviation of a term's effects."""
    return math.sqrt(np.diag(term.covariance(parameters)).max(initial=0.0))


def refine(fit: Fit) -> Fit:
    """The same maximum to the last digits, by Newton's method, with its covariance.

    It is reached where the likelihood could rise by a trillionth: estimates are then within a
    millionth of their standard errors. The covariance is of the curvature at the maximum, not of
    that on the way to it. Where the likelihood is flat there is none.
    """
    model = _Model(fit.answers, fit.terms)
    x = fit.x
    value, gradient = model.loss(x)
    for _ in range(NEWTON):
        curvature = model.curvature(x)
        try:
            np.linalg.cholesky(curvature)
        except np.linalg.LinAlgError:
            return fit
        inverse = np.asarray(np.linalg.inv(curvature))
        size, begun = 1.0, x
        # While whole steps go down, the same curvature serves for the next.
        while size == 1.0:
            step = inverse @ gradient
            if gradient @ step <= 1e-12:
                if x is not begun:
                    break
                covariance = model.of_thresholds_and_odds(x, inverse)
                return replace(model.fit(x, -value), covariance=covariance)
            new, slope = model.loss(x - step)
            while new > value and size > 1e-9:
                size /= 2
                new, slope = model.loss(x - size * step)
            x, value, gradient = x - size * step, new, slope
    raise AnalysisError(
        f"the ordinal model did not converge in {NEWTON} steps of Newton's method; the likelihood "
        f"could rise by {gradient @ step / 2:.3g}"
    )


class _Model:
    """The likelihood of some responses as a function of one vector.

    Its parts are the first threshold, the logarithms of the gaps between thresholds, the log odds
    of all systems but the first, and the parameters of the terms of raters and of items.
    """

    def __init__(self, answers: Answers, terms: Terms) -> None:
        self.answers, self.terms = answers, terms
        self._bases = [term.bases() for term in terms]
        sizes = [answers.n_values - 1, answers.n_systems - 1, *(len(b) for b in self._bases)]
        self._ends = np.cumsum(sizes)[:-1]
        # ẑ of the point before, from where that of the next is not far.
        self._modes: Modes | None = None

    def start(self) -> Array:
        """Thresholds of the scores of all systems together, and middling effects."""
        counts = np.bincount(self.answers.value, minlength=self.answers.n_values)
        below = np.cumsum(counts)[:-1] / counts.sum()
        theta = np.log(below / (1 - below))
        spreads = [term.parameters(*SPREAD) for term in self.terms]
        level = np.zeros(self.answers.n_systems - 1)
        return np.concatenate([theta[:1], np.log(np.diff(theta)), level, *spreads])

    def loss(self, x: Array) -> tuple[float, Array]:
        """Less the log likelihood, and its gradient."""
        theta, beta, *own = self._parts(x)
        for term, parameters in zip(self.terms, own, strict=True):
            if _widest(term, parameters) > RUNAWAY:
                raise _Unbounded(term.group)
        loads = [np.tensordot(p, bases, axes=1) for p, bases in zip(own, self._bases, strict=True)]
        point = Point(theta=theta, beta=beta, rater=loads[0], item=loads[1])
        found = laplace(self.answers, point, self._modes)
        self._modes = found.modes
        by = found.gradient
        parts = [
            self._of_thresholds(x).T @ by.theta,
            by.beta[1:],
            np.tensordot(self._bases[0], by.rater, axes=2),
            np.tensordot(self._bases[1], by.item, axes=2),
        ]
        return -found.value, -np.concatenate(parts)

    def curvature(self, x: Array) -> Array:
        """The second derivatives of the loss, as differences of its gradient."""
        made = np.empty((len(x), len(x)))
        for k, row in enumerate(made):
            step = np.zeros(len(x))
            step[k] = 1e-4 * max(1.0, abs(x[k]))
            row[:] = (self.loss(x + step)[1] - self.loss(x - step)[1]) / (2 * step[k])
        return (made + made.T) / 2

    def fit(self, x: Array, value: float) -> Fit:
        """What the vector stands for."""
        theta, beta, *own = self._parts(x)
        return Fit(
            answers=self.answers,
            terms=self.terms,
            x=x,
            theta=theta,
            beta=beta,
            parameters=(own[0], own[1]),
            log_likelihood=value,
        )

    def of_thresholds_and_odds(self, x: Array, covariance: Array) -> Array:
        """The covariance of thresholds and log odds, of that of the vector."""
        n, k = self.answers.n_values - 1, self.answers.n_systems
        turn = np.zeros((n + k, len(x)))
        turn[:n, :n] = self._of_thresholds(x)
        turn[n + 1 :, n : n + k - 1] = np.eye(k - 1)
        return turn @ covariance @ turn.T

    def _parts(self, x: Array) -> list[Array]:
        """Thresholds, log odds, and the parameters of the two terms."""
        gaps, others, *own = np.split(x, self._ends)
        theta = np.cumsum(np.concatenate([gaps[:1], np.exp(gaps[1:])]))
        return [theta, np.concatenate([[0.0], others]), *own]

    def _of_thresholds(self, x: Array) -> Array:
        """The derivatives of the thresholds by the parameters that they are made of."""
        n = self.answers.n_values - 1
        return np.asarray(np.tril(np.ones((n, n))) * np.concatenate([[1.0], np.exp(x[1:n])]))
