"""Which random terms the data carry: from all that the design allows, down to a fit that holds.

The full model has a covariance of the systems for raters and one for items. On a singular fit the
correlations go first; then, one by one, the part whose variance is estimated as zero. What is left
out at zero changes no estimate: only what the data do not show goes.

References
----------
Barr, Levy, Scheepers and Tily (2013), doi:10.1016/j.jml.2012.11.001; Matuschek, Kliegl, Vasishth,
Baayen and Bates (2017), doi:10.1016/j.jml.2017.01.001.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from jurybox.results import format_count
from jurybox.stats.ordinal_mixed.fit import Fit, Terms, maximize, refine
from jurybox.stats.ordinal_mixed.laplace import Answers
from jurybox.stats.ordinal_mixed.terms import PARTS, Group, Shape, Term

__all__ = ["Chosen", "choose"]

ZERO = 0.01
"""A standard deviation, in log odds, that counts as none."""
MOST_CORRELATED = 8
"""Systems up to which their covariance is estimated: eight have 36 parameters."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chosen:
    """The fit that holds, and what was left out on the way to it, each with its reason."""

    fit: Fit
    left_out: tuple[str, ...]


def choose(answers: Answers) -> Chosen | str:
    """The largest model whose fit is not singular, or why there is none."""
    rater, no_rater = _first(answers, "rater")
    item, no_item = _first(answers, "item")
    said = [why for why in (no_rater, no_item) if why is not None]
    fit = maximize(answers, (rater, item))
    while isinstance(fit, Fit):
        simpler = _simpler(fit, below=ZERO)
        if simpler is None:
            # The search stops anywhere near a flat top; only its last digits tell zero from small.
            fit = refine(fit)
            # Along a ridge of the likelihood no covariance is told from another: singular too.
            simpler = _simpler(fit, below=math.inf if fit.covariance is None else ZERO)
        if simpler is None:
            return Chosen(fit=fit, left_out=tuple(said))
        terms, why = simpler
        said.append(why)
        fit = maximize(answers, terms, fit)
    return fit


def _first(answers: Answers, group: Group) -> tuple[Term, str | None]:
    """The largest term that the design allows, and why it is not larger."""
    is_rater, k = group == "rater", answers.n_systems
    n, of = (answers.n_raters, answers.rater) if is_rater else (answers.n_items, answers.item)
    full = Term(group=group, shape="correlated", n_systems=k)
    if n < 2:
        return full.as_("none"), None
    if np.bincount(of).max() < 2:
        return full.as_("none"), f"(1 | {group}) is left out: every {group} has one response"
    if np.bincount(of * k + answers.system).max() < 2:
        why = "no rater judged a system twice" if is_rater else "no output was judged twice"
        return full.as_("intercept"), f"{full.as_('slope')} is left out: {why}"
    both = full.as_("both")
    if n <= k:
        why = f"{format_count(n, group)} cannot give a covariance of {k} systems"
        return both, f"{full} became {both}: {why}"
    if k > MOST_CORRELATED:
        why = f"a covariance of {k} systems has too many parameters"
        return both, f"{full} became {both}: {why}"
    return full, None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A term, what it may become, in words, and the standard deviation that is then gone."""

    term: Term
    shape: Shape
    said: str
    sd: float


def _simpler(fit: Fit, *, below: float) -> tuple[Terms, str] | None:
    """The terms without the least of them, and why; ``None`` if nothing has an sd below that.

    Correlations go before anything else does.
    """
    for change in (_least(_uncorrelated(fit)), _least(_without_a_part(fit))):
        if change is not None and change.sd < below:
            rater, item = (
                term.as_(change.shape) if term == change.term else term for term in fit.terms
            )
            is_zero = change.sd < ZERO and change.term.shape != "correlated"
            why = "its variance is estimated as zero" if is_zero else "the fit was singular"
            return (rater, item), f"{change.said}: {why}"
    return None


def _least(changes: Iterator[_Change]) -> _Change | None:
    """The change with the smallest sd; of those that count as none the first, rater before item.

    Below that it is the search that decides which is smaller, by the order of its sums.
    """
    return min(changes, default=None, key=lambda change: max(change.sd, ZERO))


def _uncorrelated(fit: Fit) -> Iterator[_Change]:
    """Terms without their correlations; what goes is the direction that varies least."""
    for term, own in zip(fit.terms, fit.parameters, strict=True):
        if term.shape == "correlated":
            variance = float(np.linalg.eigvalsh(term.covariance(own)).min())
            said = f"{term} became {term.as_('both')}"
            yield _Change(term=term, shape="both", said=said, sd=math.sqrt(max(0.0, variance)))


def _without_a_part(fit: Fit) -> Iterator[_Change]:
    """Terms without one of their parts."""
    for term, own in zip(fit.terms, fit.parameters, strict=True):
        for part, sd in zip(PARTS[term.shape], own.tolist(), strict=False):
            rest: Shape = next((each for each in PARTS[term.shape] if each != part), "none")
            said = f"{term.as_(part)} is left out"
            yield _Change(term=term, shape=rest, said=said, sd=abs(sd))
