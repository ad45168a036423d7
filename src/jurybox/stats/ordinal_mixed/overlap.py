r"""Which systems have finite log odds: those whose scores overlap, directly or through others.

If no score of some systems lies above any score of the others (they may touch at one value), the
likelihood of a cumulative logit grows with the distance of the two sets for ever. A system with
scores from value :math:`l` to value :math:`h` holds the thresholds :math:`\theta_l, …,
\theta_{h-1}` together: moving them apart would make its own scores impossible. Thresholds held
together, with the systems that hold them or lie between two of them, have finite distances, and no
others do.

References
----------
Albert and Anderson (1984), doi:10.1093/biomet/71.1.1 (of the multinomial logit).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Overlap", "overlap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """The largest set of systems with finite distances, and those above and below it."""

    core: tuple[int, ...]
    above: tuple[int, ...]
    below: tuple[int, ...]


def overlap(counts: NDArray[np.int64]) -> Overlap:
    """Systems × values: how often each was given. Every value was given to some system.

    >>> overlap(np.array([[3, 2, 0], [1, 4, 1], [0, 0, 5]]))
    Overlap(core=(0, 1), above=(2,), below=())
    """
    n_systems, n_values = counts.shape
    low = (counts > 0).argmax(axis=1)
    high = n_values - 1 - (counts[:, ::-1] > 0).argmax(axis=1)
    # Whether a system holds a threshold and the next one together.
    step = np.arange(n_values - 2)
    held = ((low[:, None] <= step) & (high[:, None] > step + 1)).any(axis=0)
    block = np.concatenate([[0], np.cumsum(~held)])
    # A system that was given one value lies between two thresholds of a block, or in none.
    inner = (low > 0) & (low < n_values - 1)
    between = inner & (block[np.maximum(low - 1, 0)] == block[np.minimum(low, n_values - 2)])
    of = np.where((low < high) | between, block[np.minimum(low, n_values - 2)], -1)
    members = [tuple(np.flatnonzero(of == b).tolist()) for b in range(block[-1] + 1)]
    core = max(members, key=lambda each: (len(each), counts[list(each)].sum()))
    last = np.flatnonzero(block == of[core[0]]).max() if core else 0
    others = [k for k in range(n_systems) if k not in core]
    return Overlap(
        core=core,
        above=tuple(k for k in others if low[k] > last),
        below=tuple(k for k in others if low[k] <= last),
    )
