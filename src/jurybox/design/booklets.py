"""Who gets what: how many booklets, and which booklet holds which slot."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jurybox.design.even import Ints, number, spread
from jurybox.design.plan import Trial
from jurybox.errors import DesignError
from jurybox.study.breach import counted
from jurybox.study.model import ItemId

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["Needed", "deal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The answers needed: per trial how many and how long, and what else a booklet holds."""

    trials: tuple[Trial, ...]
    copies: Ints
    """How many slots each trial needs, all in different booklets."""
    seconds: npt.NDArray[np.float64]
    strata: tuple[object, ...]
    fixed_seconds: float = 0.0
    """What every booklet takes beside these trials: practice, checks and a shared core."""
    n_shared: int = 0
    """How many trials of a shared core every booklet holds beside these."""

    @property
    def slot_trials(self) -> Ints:
        """The index of each slot's trial."""
        return np.repeat(np.arange(len(self.trials)), self.copies)


def deal(
    study: Study,
    needed: Needed,
    rng: np.random.Generator,
    *,
    raters: int | None,
    has_limit: bool = True,
) -> tuple[int, Ints]:
    """How many booklets there are, and the booklet of each slot.

    Loads differ by at most 1, and so do the counts of each item, system, pair and stratum between
    booklets. With ``raters`` there are so many booklets; else as few as keep each within
    ``session.minutes``. ``has_limit``: whether a booklet may not be longer than that.
    """
    n_slots = int(needed.copies.sum())
    n = raters if raters is not None else _first_guess(study, needed)
    are = "is" if n_slots == 1 else "are"
    if n > n_slots and not needed.n_shared:
        raise DesignError(
            f"design.raters is {n} and only {counted(n_slots, 'answer')} {are} planned, so some "
            "booklets would be empty; ask for fewer raters, a larger overlap or more items."
        )
    _check_apart(study, needed, n)
    while True:
        booklet = _deal_to(study, needed, n, rng)
        longest = _longest_seconds(needed, booklet, n)
        if not has_limit or longest <= 60 * study.session.minutes or n == n_slots:
            return n, booklet
        if raters is not None:
            more = ceil(n * longest / (60 * study.session.minutes))
            raise DesignError(
                f"session.minutes is {study.session.minutes:g}, and with {counted(n, 'rater')} "
                f"a booklet takes up to {longest / 60:.1f}; ask for about {more} raters, or raise "
                "session.minutes if a rater may work so long (answers are kept between sittings)."
            )
        # The trials are of unequal length: a few booklets more, until the longest one fits.
        n = min(n_slots, max(n + 1, ceil(0.98 * n * longest / (60 * study.session.minutes))))


def _first_guess(study: Study, needed: Needed) -> int:
    limit = 60 * study.session.minutes
    room = limit - needed.fixed_seconds
    longest = float(needed.seconds.max())
    if longest > room:
        raise DesignError(
            f"session.minutes is {study.session.minutes:g}; practice and checks take "
            f"{needed.fixed_seconds / 60:.1f} minutes and the longest trial {longest / 60:.1f}, so "
            "no booklet can be that short: raise session.minutes, give session.seconds_per_trial, "
            "or show less on a screen."
        )
    total = float((needed.seconds * needed.copies).sum())
    return max(int(needed.copies.max()), ceil(total / room - 1e-9), _least_apart(study, needed))


def _least_apart(study: Study, needed: Needed) -> int:
    """How many booklets keep two outputs of one item from meeting, where that is asked: detect.

    Who saw one version of an item can tell what the other is.
    """
    if study.protocol != "detect":
        return 1
    slots: Counter[ItemId] = Counter()
    for trial, copies in zip(needed.trials, needed.copies.tolist(), strict=True):
        slots[trial.item] += copies
    return max(slots.values())


def _check_apart(study: Study, needed: Needed, n: int) -> None:
    overlap, apart = int(needed.copies.max()), _least_apart(study, needed)
    if n < overlap:
        raise DesignError(
            f"design.overlap is {overlap} and design.raters is {n}: each trial needs {overlap} "
            f"different raters; ask for at least {counted(overlap, 'rater')} or lower the overlap."
        )
    if n < apart:
        raise DesignError(
            f"design.raters is {n}, and {apart} are needed so that nobody sees two outputs of the "
            "same item, such as a real and a generated one; ask for more raters, a smaller overlap "
            "or fewer items."
        )


def _deal_to(study: Study, needed: Needed, n: int, rng: np.random.Generator) -> Ints:
    """The booklet of each slot, for so many booklets."""
    slot_trials = needed.slot_trials
    item = number([trial.item for trial in needed.trials])[slot_trials]
    shown = number([trial.systems for trial in needed.trials])[slot_trials]
    stratum = number(needed.strata)[slot_trials]
    real = number([trial.systems[0] in study.real for trial in needed.trials])[slot_trials]
    # Slots of equal content are dealt in the order of their length, which evens out the minutes.
    by_length = np.argsort(needed.seconds[slot_trials], kind="stable")
    numbers = spread(
        (slot_trials[by_length], item[by_length]),
        (stratum[by_length], shown[by_length], real[by_length]),
        n=n,
        rng=rng,
    )
    booklet = np.empty_like(numbers)
    booklet[by_length] = numbers
    return booklet


def _longest_seconds(needed: Needed, booklet: Ints, n: int) -> float:
    weights = needed.seconds[needed.slot_trials]
    return float(np.bincount(booklet, weights=weights, minlength=n).max()) + needed.fixed_seconds
