r"""How a vote ends: the log likelihood of counts under three models of ties, with derivatives.

A vote on systems a and b has the log odds :math:`g = \beta_a - \beta_b + x'\gamma`, where x holds
the place and the covariates, oriented from b to a. With :math:`\sigma(g) = 1/(1 + e^{-g})`:

*Plain* (ties dropped, or half a win for both): P(a) = σ(g).

*Davidson*, with :math:`\eta = \log\nu`:

.. math:: P(a) \propto e^{g/2}, \qquad P(b) \propto e^{-g/2}, \qquad P(\text{tie}) \propto e^\eta.

*Rao–Kupper*, with :math:`\lambda = \log\theta > 0`, the threshold below which a difference is not
seen:

.. math:: P(a) = \sigma(g - \lambda), \qquad P(b) = \sigma(-g - \lambda), \qquad
    P(\text{tie}) = \sigma(\lambda - g)\,\sigma(\lambda + g)\,(1 - e^{-2\lambda}).

All three log likelihoods are concave in :math:`(\beta, \gamma)` and η or λ, so Newton's method
finds the only maximum, on counts, whatever the number of votes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Design", "Model", "Slopes", "evaluate", "outcome_chances", "outer_sum", "slopes"]

Array = NDArray[np.float64]
Model = Literal["plain", "davidson", "rao_kupper"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Distinct (pair, x) of one core with weighted counts of how their votes ended.

    The parameters are the ``size`` log strengths, the tie parameter where the model has one, and a
    coefficient per column of ``x``. A system number equal to ``size`` stands for a system outside:
    its strength is no parameter but the mean of the others plus what ``offset`` says.
    """

    size: int
    a: NDArray[np.intp]
    b: NDArray[np.intp]
    x: Array
    counts: Array
    """Rows × (a won, b won, tie)."""
    model: Model
    offset: Array | None = None

    @property
    def tied(self) -> int:
        """How many tie parameters there are, 0 or 1."""
        return int(self.model != "plain")

    @property
    def parameters(self) -> int:
        """How many parameters there are."""
        return self.size + self.tied + int(self.x.shape[1])

    def gaps(self, at: Array) -> Array:
        """The log odds g of every row."""
        beta = np.append(at[: self.size], at[: self.size].mean())
        found: Array = beta[self.a] - beta[self.b]
        if self.x.shape[1]:
            found = found + self.x @ at[self.size + self.tied :]
        return found if self.offset is None else found + self.offset

    def tie(self, at: Array) -> float:
        """The parameter η or λ; 0 where the model has none."""
        return float(at[self.size]) if self.tied else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slopes:
    """Derivatives of a vote's log likelihood, rows × (a won, b won, tie)."""

    log: Array
    gap: Array
    tie: Array


def _sigma(g: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(g / 2)), dtype=np.float64)


def _log_sigma(g: Array) -> Array:
    return np.asarray(-np.logaddexp(0.0, -g), dtype=np.float64)


def slopes(g: Array, tie: float, model: Model) -> Slopes:
    """The log likelihood of each outcome and its first derivatives in g and in η or λ."""
    zero = np.zeros_like(g)
    if model == "plain":
        p = _sigma(g)
        win, loss = _log_sigma(g), _log_sigma(-g)
        return Slopes(
            log=np.column_stack([win, loss, (win + loss) / 2]),
            gap=np.column_stack([1 - p, -p, 0.5 - p]),
            tie=np.column_stack([zero, zero, zero]),
        )
    if model == "davidson":
        total = np.logaddexp(np.logaddexp(g / 2, -g / 2), tie)
        p_tie = np.exp(tie - total)
        mean = np.exp(g / 2 - total) + p_tie / 2
        return Slopes(
            log=np.column_stack([g / 2 - total, -g / 2 - total, tie - total]),
            gap=np.column_stack([1 - mean, -mean, 0.5 - mean]),
            tie=np.column_stack([-p_tie, -p_tie, 1 - p_tie]),
        )
    one, two = _sigma(tie - g), _sigma(tie + g)
    both = _log_sigma(tie - g) + _log_sigma(tie + g) + np.log(-np.expm1(-2 * tie))
    return Slopes(
        log=np.column_stack([_log_sigma(g - tie), _log_sigma(-g - tie), both]),
        gap=np.column_stack([one, -two, one - two]),
        tie=np.column_stack([-one, -two, 2 - one - two + 2 / np.expm1(2 * tie)]),
    )


def outcome_chances(g: Array, tie: float, model: Model) -> Array:
    """The probability of each outcome, rows × (a won, b won, tie); without ties two of three."""
    chances = np.exp(slopes(g, tie, model).log)
    if model == "plain":
        chances[:, 2] = 0.0
    return chances


def _curves(g: Array, tie: float, model: Model, counts: Array) -> tuple[Array, Array, Array]:
    """Minus the second derivatives of the counts' log likelihood: gg, g·tie, tie·tie, per row."""
    n = counts.sum(axis=1)
    if model == "plain":
        p = _sigma(g)
        return n * p * (1 - p), np.zeros_like(g), np.zeros_like(g)
    if model == "davidson":
        chances = outcome_chances(g, tie, model)
        mean, p_tie = chances[:, 0] + chances[:, 2] / 2, chances[:, 2]
        spread = chances[:, 0] + p_tie / 4 - mean**2
        return n * spread, n * p_tie * (0.5 - mean), n * p_tie * (1 - p_tie)
    one, two = _sigma(tie - g), _sigma(tie + g)
    one, two = one * (1 - one), two * (1 - two)
    first = (counts[:, 0] + counts[:, 2]) * one
    second = (counts[:, 1] + counts[:, 2]) * two
    return first + second, second - first, first + second + counts[:, 2] / np.sinh(tie) ** 2


def evaluate(at: Array, design: Design) -> tuple[float, Array, Array]:
    """Log likelihood, gradient and information of the counts; −∞ beyond the edge λ > 0."""
    k, tied = design.size, design.tied
    tie = design.tie(at)
    if design.model == "rao_kupper" and tie <= 0:
        total = design.parameters
        return -np.inf, np.zeros(total), np.eye(total)
    g = design.gaps(at)
    found = slopes(g, tie, design.model)
    value = float((design.counts * found.log).sum())
    along = (design.counts * found.gap).sum(axis=1)
    gradient = np.empty(design.parameters)
    gradient[:k] = _spread(design, along)
    gradient[k + tied :] = design.x.T @ along
    gg, gt, tt = _curves(g, tie, design.model, design.counts)
    information = np.zeros((design.parameters, design.parameters))
    information[:k, :k] = outer_sum(design.a, design.b, gg, k)
    for c in range(design.x.shape[1]):
        column = _spread(design, gg * design.x[:, c])
        information[:k, k + tied + c] = information[k + tied + c, :k] = column
    information[k + tied :, k + tied :] = (design.x * gg[:, None]).T @ design.x
    if tied:
        gradient[k] = (design.counts * found.tie).sum()
        information[k, k] = tt.sum()
        information[:k, k] = information[k, :k] = _spread(design, gt)
        information[k + tied :, k] = information[k, k + tied :] = design.x.T @ gt
    return value, gradient, information


def _spread(design: Design, along: Array) -> Array:
    """Σ along · (e_a − e_b), where the system outside is the mean of the others."""
    k = design.size
    found = np.bincount(design.a, along, k + 1) - np.bincount(design.b, along, k + 1)
    return np.asarray(found[:k] + found[k] / k, dtype=np.float64)


def outer_sum(a: NDArray[np.intp], b: NDArray[np.intp], weight: Array, k: int) -> Array:
    """Σ weight · (e_a − e_b)(e_a − e_b)′, where number k is the mean of the others."""
    size = k + 1
    flat = np.bincount(a * size + b, weight, size * size).reshape(size, size)
    both = flat + flat.T
    found = -both
    found[np.diag_indices(size)] += both.sum(axis=1)
    last = found[:k, k] / k
    return np.asarray(found[:k, :k] + last[:, None] + last + found[k, k] / k**2, dtype=np.float64)
