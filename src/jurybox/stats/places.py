r"""The pull of the first place: what an output gains by standing first on a screen of several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.results import format_number
from jurybox.stats.clusters import Cluster, Generalize, claims, t_interval
from jurybox.stats.distributions import check_confidence, t_two_sided
from jurybox.stats.multiple import Comparison
from jurybox.stats.scale_ends import SHARES_APART, on_scale
from jurybox.stats.trends import hold_fixed, score_variance

__all__ = ["OnScreen", "PlacePull", "SharePull", "as_share_pull", "place_pull"]

SAME = (
    "no output stands at the first place on one screen and at another place on another, so the "
    "place cannot be told from the output"
)
CONFOUNDED = "the outputs and their screens leave nothing by which the first place could be told"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacePull(Comparison):
    """What the first place on the screen adds, against the other places."""

    label: ClassVar[str] = "pull of the first place"
    neutral: ClassVar[float | None] = 0.0

    what: str
    """What it adds to: `score`, or `first`, the share ranked first."""
    criterion: str | None = None
    df: int | None = None

    @property
    def name(self) -> str:
        """What it adds to, and on which criterion."""
        return self.what if self.criterion is None else f"{self.what}, {self.criterion}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePull(PlacePull):
    """The same of a share."""

    as_percent: ClassVar[bool] = True

    def format(self, value: float | None) -> str:
        """In percentage points: a percentage would read as a ratio of two shares."""
        return "–" if value is None else f"{format_number(100 * value, 1)} points"


class OnScreen(Protocol):
    """Answers about outputs that share a screen; everything but y is numbered from 0."""

    @property
    def unit(self) -> NDArray[np.int64]:
        """The output."""

    @property
    def system(self) -> NDArray[np.int64]:
        """Its system."""

    @property
    def item(self) -> NDArray[np.int64]:
        """Its item."""

    @property
    def rater(self) -> NDArray[np.int64]:
        """Who judged."""

    @property
    def screen(self) -> NDArray[np.int64]:
        """The screen it was judged on."""

    @property
    def place(self) -> NDArray[np.float64]:
        """Where on the screen it stood, from 1."""

    @property
    def y(self) -> NDArray[np.float64]:
        """The score, or 1 where it was ranked first; tied firsts share the 1."""


def place_pull(
    seen: OnScreen,
    *,
    what: str,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> PlacePull:
    r"""What the first place adds, with every output and every screen held fixed.

    .. math:: y_{su} = \alpha_u + \beta_s + \gamma x_{su} + \varepsilon_{su}

    for output :math:`u` on screen :math:`s`, where x is 1 at the first place and 0 elsewhere: an
    output is compared with itself at another place, and with what stood beside it.

    Notes
    -----
    With outputs and screens projected out of x (``hold_fixed``), :math:`\hat\gamma = \sum w y`,
    :math:`w = \tilde x / \sum \tilde x^2`. The weights of every output and of every screen add up
    to 0, so neither a good output that often came first nor a mild rater moves it. The sandwich,
    clustered by rater and item, takes :math:`w\,(y - \bar y_k - \hat\gamma (x - \bar x_k))` with
    the means of the output's system k. Residuals from the output's own mean would share each
    rater's pull out to the other raters of the output, and the interval would be too narrow where
    they are few (10 raters, two an item: 83% instead of 93% covered in 300 simulated studies); what
    outputs differ by within their system is in V(rater) and V(item and rater) alike instead, and
    cancels.

    *Degenerate input.* Places that are not whole numbers from 1, or an order that is the same on
    every screen of an item: undefined. All answers alike: no interval.

    References
    ----------
    Cameron, Gelbach and Miller (2011), doi:10.1198/jbes.2010.07136.
    """
    check_confidence(confidence)
    n = len(seen.y)
    wrong = _look(seen)
    if wrong is not None:
        return PlacePull(estimate=None, undefined=wrong, n_responses=n, what=what)
    x = (seen.place == 1).astype(np.float64)
    left = hold_fixed(x, seen.unit, seen.screen)
    size = float(left @ left)
    if size <= 1e-6 * max(float(((x - x.mean()) ** 2).sum()), 1e-12):
        return PlacePull(estimate=None, undefined=CONFOUNDED, n_responses=n, what=what)
    w = left / size
    # Scores are centered first: weights add up to 0 only as far as the projection went.
    y = seen.y - seen.y.mean()
    gamma = float(w @ y)
    score = w * (_from_mean(y, seen.system) - gamma * _from_mean(x, seen.system))
    cells = np.unique(seen.item * (int(seen.rater.max()) + 1) + seen.rater, return_inverse=True)[1]
    kinds = {"item": seen.item, "rater": seen.rater, "cell": cells}
    kinds |= {"row": np.arange(n)} if cluster is None else {}
    floor = 1e-20 * max(float(seen.y @ seen.y), 1.0) / size
    found = {kind: score_variance(score, number, floor) for kind, number in kinds.items()}
    claim = claims(found, cluster=cluster, generalize=generalize)
    main = claim.main
    return PlacePull(
        estimate=gamma,
        interval=t_interval(gamma, main, confidence),
        these_raters=t_interval(gamma, claim.these_raters, confidence),
        p=None if main is None else t_two_sided(gamma / main.se, main.df),
        df=None if main is None else main.df,
        n_items=found["item"].clusters,
        n_raters=found["rater"].clusters,
        n_responses=n,
        undefined=claim.undefined,
        notes=claim.notes,
        what=what,
    )


def _look(seen: OnScreen) -> str | None:
    """Why the first place cannot be told from the others, if so."""
    odd = seen.place[(seen.place < 1) | (seen.place != np.floor(seen.place))]
    if len(odd):
        return f"a place is a whole number from 1 (the first), and the table has {odd.min():g}"
    first = np.bincount(seen.unit, weights=seen.place == 1)
    if not ((first > 0) & (first < np.bincount(seen.unit))).any():
        return SAME
    return None


def _from_mean(values: NDArray[np.float64], of: NDArray[np.int64]) -> NDArray[np.float64]:
    means = np.bincount(of, weights=values) / np.maximum(np.bincount(of), 1)
    return values - means[of]


def as_share_pull(pull: PlacePull) -> SharePull:
    """A pull on zeros and ones, which is printed in percentage points."""
    return on_scale(pull.as_kind(SharePull), SHARES_APART)
