"""Patterns of answers made from ratings that are numbers already; see ``patterns``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.duplicates import are_distinct
from jurybox.tally.numbered import Numbered, add_up, blocks
from jurybox.tally.patterns import AnswerPatterns, alone, signatures

__all__ = ["number_patterns", "numbered_patterns"]

Numbers = NDArray[np.int64]
BITS = 52
"""Of a double, for the counts of a pattern side by side."""
PLACES = 1_000_000
"""Numbers up to which each has a place of its own."""


def numbered_patterns(ratings: Numbered, *, raters: bool) -> AnswerPatterns | None:
    """The patterns of ratings; ``None`` where they do not fit into numbers.

    ``raters``: whether the raters' own answers are wanted.
    """
    used = np.flatnonzero(ratings.given.sum(axis=(0, 1)))
    bits = int(ratings.count.max(initial=0)).bit_length()
    if not len(used) or bits * len(used) > BITS:
        return None
    place = np.zeros(ratings.width, dtype=np.int64)
    place[used] = np.arange(len(used))
    place = np.tile(place, ratings.n_raters * ratings.n_systems)
    keys = add_up(ratings.n_outputs, ratings.output, ratings.answer, np.exp2(bits * place))
    unit = np.flatnonzero(ratings.count)
    patterns, pattern = number_patterns(keys[unit], bits, len(used))
    signature, items, most = signatures(unit, pattern, len(patterns), ratings.n_systems)
    own = cells = np.zeros((0, 4), dtype=np.int64)
    if raters:
        at = np.zeros(ratings.n_outputs, dtype=np.int64)
        at[unit] = pattern
        own = _own_answers(ratings, at, place, (len(patterns), len(used)))
        cells = alone(own) if most == 1 else _cells(ratings, at, place, own)
    return AnswerPatterns(
        values=tuple((used + ratings.low).tolist()),
        patterns=patterns,
        signature=signature,
        items=items,
        raters=own,
        cells=cells,
        n_raters=int(np.count_nonzero(ratings.given.sum(axis=(1, 2)))),
    )


def number_patterns(keys: Numbers, bits: int, n_values: int) -> tuple[Numbers, Numbers]:
    """The distinct patterns, and each unit's number among them, in the order of sorted lists."""
    if 1 << bits * n_values <= PLACES:
        there = np.bincount(keys, minlength=1 << bits * n_values) > 0
        distinct, place = np.flatnonzero(there), np.cumsum(there) - 1
        place = place[keys]
    else:
        distinct, place = np.unique(keys, return_inverse=True)
    shifts = bits * np.arange(n_values)
    counts = distinct[:, None] >> shifts & (1 << bits) - 1
    # Of two sorted lists the one with more of the first value comes first, unless it ends there.
    lists = [np.repeat(np.arange(n_values), row).tolist() for row in counts]
    order = sorted(range(len(lists)), key=lists.__getitem__)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return counts[order], number[place.ravel()]


def _own_answers(
    ratings: Numbered, pattern: Numbers, place: Numbers, size: tuple[int, int]
) -> Numbers:
    """Rows of (rater, pattern, value, count); ``pattern`` is of outputs, ``place`` of answers."""
    n_patterns, n_values = size
    each = n_patterns * n_values
    rater = np.repeat(np.arange(ratings.n_raters), len(place) // ratings.n_raters)
    base, more = rater * each + place, pattern * n_values
    n = ratings.n_raters * each
    count = np.zeros(n if n <= PLACES else 0, dtype=np.int64)
    kept = []
    for output, answer in blocks(ratings.output, ratings.answer):
        keys = base.take(answer) + more.take(output)
        if len(count):
            count += np.bincount(keys, minlength=n)
        else:
            kept.append(keys)
    if kept:
        keys, times = np.unique(np.concatenate(kept), return_counts=True)
    else:
        keys = np.flatnonzero(count)
        times = count[keys]
    _, number = np.unique(keys // each, return_inverse=True)
    return np.column_stack(
        [number.ravel(), keys % each // n_values, keys % n_values, times]
    ).astype(np.int64)


def _cells(ratings: Numbered, pattern: Numbers, place: Numbers, own: Numbers) -> Numbers:
    """Rows of (cell, pattern, value, count), the cells of a single answer under −1."""
    each = len(place) // ratings.n_raters
    item, rater = ratings.output // ratings.n_systems, ratings.answer // each
    cell = item.astype(np.int64) * ratings.n_raters + rater
    if are_distinct(cell.copy(), ratings.n_outputs // ratings.n_systems * ratings.n_raters):
        return alone(own)
    order = np.argsort(cell, kind="stable")
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    number = np.repeat(np.cumsum(sizes > 1) - 1, sizes)
    number[np.repeat(sizes == 1, sizes)] = -1
    rows = np.column_stack([number, pattern[ratings.output[order]], place[ratings.answer[order]]])
    found, times = np.unique(rows, axis=0, return_counts=True)
    return np.column_stack([found, times]).astype(np.int64)
