r"""The sums behind answers: how far apart they lie so that answers scatter as a scenario says.

Of votes, orders and detections the sums have variance 1, so that shares are normal tails. Of error
points they are logarithms: with the mean :math:`\mu` and independent effects whose variances on the
scale of points are :math:`V`, factors :math:`e^{x}` of mean 1 have

.. math::
    \operatorname{Var} e^{x_i} = V_i/\mu^2, \qquad
    \operatorname{Var} e^{x_{is}} = V_{is}/(\mu^2 + V_i)

and likewise for raters; errors are Poisson, each of as many points as the noise asks for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from jurybox.errors import InputError
from jurybox.simulate.scenario import Scenario
from jurybox.stats.distributions import normal_score
from jurybox.stats.power.pilot import Scatter

__all__ = ["Latent", "latent_of"]

FINEST = 0.001
"""The fewest points that an error has, as a share of an output's: below, counting is no noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latent:
    """The sums of a scenario."""

    levels: tuple[float, ...]
    """The level of every system; in detect that of the real outputs comes last."""
    scatter: Scatter
    cut: float = 0.0
    """Two sums nearer than this are a tie."""
    error: float = 1.0
    """In mark: how many points an error has."""


@lru_cache(maxsize=64)
def latent_of(scenario: Scenario) -> Latent:
    """The sums from which answers are made; kept, as every few studies ask for them again."""
    others = [0.0] * (scenario.systems - 1)
    if scenario.protocol == "rate":
        return Latent(levels=(scenario.effect, *others), scatter=scenario.scatter)
    if scenario.protocol == "mark":
        return _points(scenario)
    if scenario.protocol == "detect":
        middle = normal_score(scenario.accepted)
        fooled = normal_score(scenario.accepted + scenario.effect)
        return Latent(
            levels=(*[fooled] * scenario.systems, middle), scatter=_answers(scenario, (-middle,))
        )
    cut = normal_score((1 + scenario.ties) / 2)
    level = _shift(0.5 + scenario.effect, cut)
    return Latent(levels=(level, *others), scatter=_answers(scenario, (-cut, cut)), cut=cut)


def _points(scenario: Scenario) -> Latent:
    mean, scatter = scenario.points, scenario.scatter
    factors = {}
    for kind in ("item", "rater"):
        alike, own = (getattr(scatter, name) ** 2 for name in (kind, f"{kind}_system"))
        factors[kind] = math.log1p(alike / mean**2)
        factors[f"{kind}_system"] = math.log1p(own / (mean**2 + alike))
    of_items = (scatter.item**2 + scatter.item_system**2) / mean**2
    of_raters = (scatter.rater**2 + scatter.rater_system**2) / mean**2
    # Factors of items and raters multiply, and what that adds is no noise of counting.
    counting = scatter.noise**2 - of_items * of_raters * mean**2
    down = sum(factors.values()) / 2
    # The noise is counted, not added.
    levels = [math.log(mean + scenario.effect), *[math.log(mean)] * (scenario.systems - 1)]
    return Latent(
        levels=tuple(level - down for level in levels),
        scatter=Scatter(**{kind: math.sqrt(value) for kind, value in factors.items()}, noise=1.0),
        error=max(counting / mean, FINEST * mean),
    )


def _answers(scenario: Scenario, cuts: tuple[float, ...]) -> Scatter:
    """The scatter of sums of variance 1 whose answers scatter as asked.

    An answer's variance between items is that of its expectation given the item, which a share
    ρ of the latent variance makes: ρ is found for each part alone, and noise is the rest.
    """
    sides = 2 if scenario.is_preference else 1
    names = ("item", "rater", "item_system", "rater_system")
    wanted = {name: sides * getattr(scenario.scatter, name) ** 2 for name in names}
    if scenario.is_preference:
        wanted["item"] = wanted["rater"] = 0.0  # alike for both outputs of a vote
    found = {name: _latent_share(value, cuts) for name, value in wanted.items()}
    rest = 1 - sum(found.values())
    if rest < 0:
        raise InputError(
            "items and raters scatter more than answers of two kinds can; use a smaller scatter"
        )
    parts = {name: math.sqrt(value / sides) for name, value in found.items()}
    return Scatter(**parts, noise=math.sqrt(rest / sides))


def _shift(win_rate: float, cut: float) -> float:
    """How far apart two latents lie so that one wins so often, ties counting half."""
    low, high = -12.0, 12.0
    for _ in range(80):
        middle = (low + high) / 2
        below = (_tail(cut - middle) + _tail(-cut - middle)) / 2
        low, high = (middle, high) if below < win_rate else (low, middle)
    return (low + high) / 2


def _tail(x: float) -> float:
    return 0.5 * math.erfc(x / math.sqrt(2))


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def _latent_share(variance: float, cuts: tuple[float, ...]) -> float:
    """The share of a unit latent that makes answers vary so much between clusters.

    An answer counts 1 above the last cut and 0 below the first; each cut passed adds alike.
    """
    if variance == 0:
        return 0.0

    def between(share: float) -> float:
        root = math.sqrt(max(1 - share, 1e-12))
        given = [
            sum(_tail((cut - math.sqrt(share) * node) / root) for cut in cuts) / len(cuts)
            for node in NODES.tolist()
        ]
        weights = WEIGHTS / WEIGHTS.sum()
        mean = float(np.dot(weights, given))
        return float(np.dot(weights, (np.asarray(given) - mean) ** 2))

    low, high = 0.0, 0.98
    if between(high) < variance:
        raise InputError(
            f"a standard deviation of {math.sqrt(variance):.2g} between items or raters is more "
            "than answers of two kinds can have"
        )
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if between(middle) < variance else (low, middle)
    return (low + high) / 2
