r"""The likelihood of rankings as choices: the best of all, then the best of the rest, and so on.

Systems that are tied above others are chosen before these, in an order that is not told. The chance
of that is the sum over all their orders. With strengths :math:`\pi = e^x` as rates of independent
waiting times, the tied set D comes before the rest R, whose rates add up to Λ, with probability

.. math::
    P(D \succ R) = \int_0^\infty e^{-T} \prod_{d \in D} \bigl(1 - e^{-T \pi_d / \Lambda}\bigr)\, dT,

one integral however many are tied; with one system in D it is Luce's
:math:`\pi_d / (\pi_d + \Lambda)`. On the log scale the waiting times that agree with a
ranking are a convex cone, and their density is log-concave: so is the likelihood (Prékopa 1973).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.grouped import sum_by

__all__ = ["Choices", "choices"]

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Evaluate = Callable[["Choices", Array], tuple[Array, Array, Any]]
BLOCK = 2_000_000
"""Numbers held at a time."""

# The integrand in s = log T decays doubly exponentially to the right and exponentially to the left,
# and is analytic in |Im s| < π/2: the trapezoid rule with this step is exact to rounding.
STEP = 0.2
LOWEST, HIGHEST = -38.0, 6.0
ROUNDING = -38.0
"""The log of what no sum of double precision notices."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choices:
    """Every choice of every ranking: S choices among at most L systems shown."""

    ranking: Index
    """The pattern that each choice belongs to."""
    shown: Index
    """S × L: the systems of the pattern; 0 where there are fewer."""
    chosen: NDArray[np.bool_]
    """S × L: those chosen, several where they are tied."""
    rest: NDArray[np.bool_]
    """S × L: those left behind."""
    size: int
    """How many systems there are."""

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Which choices are of several at once."""
        return np.asarray(self.chosen.sum(axis=1) > 1)

    def beaten(self) -> Array:
        """How many choices of i left j behind."""
        matrix = np.zeros((self.size, self.size))
        for part in self._blocks(self.shown.shape[1] ** 2):
            at, over = np.nonzero(part.chosen)
            winners = part.shown[at, over]
            losers = part.rest[at]
            row, column = np.nonzero(losers)
            np.add.at(matrix, (winners[row], part.shown[at][row, column]), 1.0)
        return matrix

    def evaluate(self, x: Array, weight: Array) -> tuple[float, Array, Array]:
        """Log likelihood, gradient and information, each choice counted ``weight`` times."""
        value, gradient = 0.0, np.zeros(self.size)
        information = np.zeros((self.size, self.size))
        for made, at in self._alike():
            found, slope, curve = made(self._only(at), x)
            n = weight[at]
            value += float(n @ found)
            shown = self.shown[at].ravel()
            gradient += np.bincount(shown, (n[:, None] * slope).ravel(), self.size)
            information += curve(n)
        return value, gradient, information

    def scores(self, x: Array, patterns: int) -> Array:
        """The gradient of each pattern's log likelihood, patterns × L in the order shown."""
        distinct, which = self.distinct()
        slopes = np.zeros(distinct.shown.shape)
        for made, at in distinct._alike():
            slopes[at] = made(distinct._only(at), x)[1]
        return sum_by(self.ranking, slopes[which], patterns)

    def distinct(self) -> tuple[Choices, Index]:
        """Every choice once, without regard to its ranking; and which of them each choice is."""
        wide = self.shown.shape[1]
        if (4 * self.size) ** wide >= 1 << 62:
            # Of so many systems on a screen hardly any choice is made twice.
            return self, np.arange(len(self.ranking))
        # One number says who is shown, chosen and left behind at each place.
        digits = 4 * self.shown + 2 * self.chosen + self.rest
        code = digits @ (4 * self.size) ** np.arange(wide)
        _, first, which = np.unique(code, return_index=True, return_inverse=True)
        return self._only(first), which

    def _alike(self) -> Iterator[tuple[Evaluate, Index]]:
        """Choices of as many systems at once, no more at a time than memory should hold."""
        size = self.chosen.sum(axis=1)
        for n in np.unique(size).tolist():
            here = np.flatnonzero(size == n)
            step = max(1, BLOCK // max(self.cost(tied=n > 1), 1))
            for start in range(0, len(here), step):
                yield _single if n == 1 else _tied, here[start : start + step]

    def cost(self, *, tied: bool) -> int:
        """How many numbers the work on one choice holds."""
        wide = int(self.shown.shape[1])
        points = int((HIGHEST - LOWEST) / STEP)
        return wide * max(wide, points) if tied else max(wide, self.size)

    def _only(self, at: Index) -> Choices:
        return Choices(
            ranking=self.ranking[at],
            shown=self.shown[at],
            chosen=self.chosen[at],
            rest=self.rest[at],
            size=self.size,
        )

    def _blocks(self, cost: int) -> Iterator[Choices]:
        step = max(1, BLOCK // max(cost, 1))
        for start in range(0, len(self.ranking), step):
            here = slice(start, start + step)
            yield Choices(
                ranking=self.ranking[here],
                shown=self.shown[here],
                chosen=self.chosen[here],
                rest=self.rest[here],
                size=self.size,
            )


def choices(shown: NDArray[Any], place: NDArray[Any], size: int) -> Choices:
    """The choices of rankings.

    ``shown`` is patterns × L, the number of each system shown or −1; ``place`` is its place, 1 for
    the best, equal for tied ones. A place with nothing behind it is no choice.
    """
    shown, place = np.asarray(shown, dtype=np.intp), np.asarray(place)
    there = shown >= 0
    systems = np.where(there, shown, 0)
    parts = []
    for step in range(1, int(place[there].max(initial=0))):
        chosen, rest = there & (place == step), there & (place > step)
        use = chosen.any(axis=1) & rest.any(axis=1)
        parts.append((np.flatnonzero(use), systems[use], chosen[use], rest[use]))
    if not parts:
        parts = [(np.zeros(0, dtype=np.intp), systems[:0], there[:0], there[:0])]
    ranking, made, chosen, rest = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Choices(ranking=ranking, shown=made, chosen=chosen, rest=rest, size=size)


def _log_sum(values: Array, mask: NDArray[np.bool_]) -> tuple[Array, Array]:
    """The log of Σ exp over the mask of each row, and the shares of the sum."""
    held = np.where(mask, values, -np.inf)
    top = held.max(axis=1, keepdims=True)
    each = np.exp(held - top)
    total = each.sum(axis=1, keepdims=True)
    return (np.log(total) + top)[:, 0], each / total


def _single(part: Choices, x: Array) -> tuple[Array, Array, Any]:
    """Log likelihood and gradient of choices of one, and their information by weight."""
    here = x[part.shown]
    total, p = _log_sum(here, part.chosen | part.rest)
    value = (here * part.chosen).sum(axis=1) - total

    def information(n: Array) -> Array:
        rows = np.repeat(np.arange(len(p)), p.shape[1])
        dense = np.bincount(
            rows * part.size + part.shown.ravel(), p.ravel(), len(p) * part.size
        ).reshape(len(p), part.size)
        return np.asarray(np.diag(n @ dense) - (dense * n[:, None]).T @ dense, dtype=np.float64)

    return value, part.chosen - p, information


def _tied(part: Choices, x: Array) -> tuple[Array, Array, Any]:
    r"""The same of choices of several, equally many in each.

    With :math:`z_d = T \pi_d / \Lambda` and :math:`a_d = z_d / (e^{z_d} - 1)`, the gradient in
    :math:`v_d = \log \pi_d / \Lambda` is :math:`E[a]` under the integrand as a density, and the
    second derivative :math:`\operatorname{Cov}(a) + \operatorname{diag} E[a(1 - z - a)]`.
    """
    here = x[part.shown]
    rest_total, rho = _log_sum(here, part.rest)
    # The chosen ones alone, equally many in each choice, take part in the integral.
    order = np.nonzero(part.chosen)[1].reshape(len(here), -1)
    ratio = np.take_along_axis(here, order, axis=1) - rest_total[:, None]
    log_t = _nodes(ratio)
    z = np.exp(np.clip(ratio[:, :, None] + log_t, -600.0, 6.5))
    less = -np.expm1(-z)
    factor = np.log(less).sum(axis=1)
    log_density = factor + log_t - np.exp(log_t)
    total, q = _log_sum(log_density, np.ones_like(log_density, dtype=np.bool_))
    a = z * (1 - less) / less
    mean = _put_back(np.einsum("skq,sq->sk", a, q), order, part.chosen.shape)
    moved = mean.sum(axis=1, keepdims=True)

    def information(n: Array) -> Array:
        own = np.matmul(a * q[:, None, :], a.transpose(0, 2, 1))
        second = np.zeros((len(here), here.shape[1], here.shape[1]))
        row = np.arange(len(here))[:, None, None]
        second[row, order[:, :, None], order[:, None, :]] = own
        second -= mean[:, :, None] * mean[:, None, :]
        bend = _put_back(np.einsum("skq,sq->sk", a * (1 - z - a), q), order, part.chosen.shape)
        wide = np.arange(bend.shape[1])
        second[:, wide, wide] += bend
        down = second.sum(axis=2)
        second -= down[:, :, None] * rho[:, None, :] + rho[:, :, None] * down[:, None, :]
        spread = down.sum(axis=1) + moved[:, 0]
        second += spread[:, None, None] * rho[:, :, None] * rho[:, None, :]
        second[:, wide, wide] -= moved * rho
        at = part.shown[:, :, None] * part.size + part.shown[:, None, :]
        flat = np.bincount(at.ravel(), (-n[:, None, None] * second).ravel(), part.size**2)
        return np.asarray(flat.reshape(part.size, part.size), dtype=np.float64)

    return total + np.log(STEP), mean - moved * rho, information


def _nodes(ratio: Array) -> Array:
    """Where the integrands are looked at: all that lies beyond is lost in rounding.

    With d chosen, one is at most exp(s + Σ min(0, s + max(0, log π_d / Λ))) of what it is at s = 0
    on the left of that, up to a small factor, and at most T^(d + 1) exp(−T) of what that is at its
    peak T = d + 1 on the right of that.
    """
    log_t = np.arange(LOWEST, HIGHEST, STEP)
    d, strongest = ratio.shape[1], ratio.max(axis=0, initial=0.0)
    left = log_t + np.minimum(log_t + strongest[:, None], 0.0).sum(axis=0)
    right = (d + 1) * (log_t - math.log(d + 1) + 1) - np.exp(log_t)
    nodes: Array = log_t[(left > ROUNDING) & ((right > ROUNDING) | (log_t < 0))]
    return nodes


def _put_back(values: Array, order: Index, shape: tuple[int, ...]) -> Array:
    """The values of the chosen at their places among all shown; 0 elsewhere."""
    made = np.zeros(shape)
    np.put_along_axis(made, order, values, axis=1)
    return made
