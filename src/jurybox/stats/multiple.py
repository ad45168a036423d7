"""Many comparisons: p-values adjusted so that one family makes at most 5% false claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jurybox.errors import InputError
from jurybox.results import Interval, Result

__all__ = ["Comparison", "benjamini_hochberg", "benjamini_yekutieli", "holm", "in_family"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Result):
    """A result that is one of a family: two systems compared, tested against a null value.

    ``interval`` and ``p`` are this comparison's own; ``simultaneous`` and ``p_adjusted`` hold for
    the whole family at once and come from one distribution (see ``simultaneous.max_t``). By Holm,
    where there is no joint covariance, only p is adjusted. All three are ``None`` where the
    comparison stands alone: then its own interval and p are the claim.
    """

    p_adjusted: float | None = None
    simultaneous: Interval | None = None
    adjusted_by: str | None = None
    """``max-t over 6 comparisons``, or ``Holm over 6 comparisons``."""


def holm(ps: Sequence[float | None]) -> tuple[float | None, ...]:
    r"""Adjusted p-values by Holm's step-down method; ``None`` stays ``None`` and is not counted.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min\{1, (m - j + 1)\, p_{(j)}\}

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65–70.

    Examples
    --------
    The smallest of three is multiplied by 3, the next by 2, the last by 1:

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    known = [(p, i) for i, p in enumerate(ps) if p is not None]
    if any(not 0 <= p <= 1 for p, _ in known):
        raise InputError(f"holm: every p must lie in [0, 1]; got {list(ps)}")
    adjusted: list[float | None] = [None] * len(ps)
    highest = 0.0
    for place, (p, i) in enumerate(sorted(known)):
        highest = max(highest, min(1.0, (len(known) - place) * p))
        adjusted[i] = highest
    return tuple(adjusted)


def in_family(ps: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's adjusted p of each member; ``None`` where it stands alone and nothing is adjusted.

    >>> in_family([0.02, None])
    (None, None)
    >>> in_family([0.02, 0.5])
    (0.04, 0.5)
    """
    alone = sum(p is not None for p in ps) < 2
    return (None,) * len(ps) if alone else holm(ps)


def benjamini_hochberg(ps: Sequence[float | None]) -> tuple[float | None, ...]:
    r"""Adjusted p-values by Benjamini and Hochberg; ``None`` stays ``None`` and is not counted.

    Among the members with an adjusted p below q, a share of at most q is expected to be false
    alarms. Meant for checks that look for trouble, where a missed one costs more than a false one;
    claims are held to the stricter ``holm`` or max-t.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min\{1, m\, p_{(j)} / j\}

    References
    ----------
    Benjamini and Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    The smallest of three is multiplied by 3, the next by 3/2, the last by 1:

    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    known = [(p, i) for i, p in enumerate(ps) if p is not None]
    if any(not 0 <= p <= 1 for p, _ in known):
        raise InputError(f"benjamini_hochberg: every p must lie in [0, 1]; got {list(ps)}")
    adjusted: list[float | None] = [None] * len(ps)
    lowest = 1.0
    for place, (p, i) in sorted(enumerate(sorted(known), start=1), reverse=True):
        lowest = min(lowest, len(known) * p / place)
        adjusted[i] = lowest
    return tuple(adjusted)


def benjamini_yekutieli(ps: Sequence[float | None]) -> tuple[float | None, ...]:
    r"""Adjusted p-values by Benjamini and Yekutieli, whatever the dependence of the tests.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min\{1, m\, c_m\, p_{(j)} / j\}, \qquad
        c_m = \sum_{k=1}^m 1/k

    References
    ----------
    Benjamini and Yekutieli (2001), doi:10.1214/aos/1013699998, theorem 1.3.

    Examples
    --------
    Of three, Benjamini and Hochberg's are multiplied by 1 + 1/2 + 1/3:

    >>> [round(p, 3) for p in benjamini_yekutieli([0.01, 0.04, 0.03])]
    [0.055, 0.073, 0.073]
    """
    more = sum(1 / k for k in range(1, 1 + sum(p is not None for p in ps)))
    return tuple(p if p is None else min(1.0, more * p) for p in benjamini_hochberg(ps))
