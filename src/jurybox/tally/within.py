r"""Every two systems' difference within items, without a row per response and pair.

A response x of system s on an item that t has too is a row of the pair's difference with
:math:`u = ±(x - (m_s + m_t)/2)/n_s` and :math:`w = 1/(2 n_s)`, where m is a system's mean on the
item and n how many responses it is of (``ratios.within_items``). Over an item these add up to
:math:`m_s - m_t` and 1. Over a rater or a cell they add up to :math:`h_s(t) - h_t(s)` with

.. math:: h_s(t) = \sum_{i ∋ t} \Bigl(\frac{A - c\,m_s/2}{n_s} - \frac{c}{2 n_s} m_t\Bigr),

where A and c are the sum and the number of the cluster's responses to s on item i. So each response
is looked at once per system, not once per pair, and pairs are made of what is added up. A cluster
of a single response, as many cells are, has a part in the pairs of its own system only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.moments import Moments, moments, sums

__all__ = ["Scores", "Within", "within"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
BLOCK = 4_000_000
"""Numbers worked on at a time."""
FEW = 200_000
"""Responses times systems up to which every response has a row for each of its pairs after all:
what is saved by not making them is less than what it takes to sort."""
SPARSE = 16
"""Numbers of cells per response beyond which cells are numbered anew."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Responses as numbers: of a column (a criterion's system), an item, a rater, and the score."""

    column: Numbers
    item: Numbers
    rater: Numbers | None
    score: Array
    n_criteria: int
    n_systems: int


@dataclass(frozen=True, slots=True, eq=False)
class Within:
    """The sums of every pair of a criterion that shares an item."""

    pairs: Numbers
    """Criterion, and the two systems in the order of their numbers."""
    value: Array
    u: Array
    w: Array
    n: Numbers
    by: Mapping[str, Moments]


class _Block(NamedTuple):
    """What some clusters, in rows, add to some pairs, in columns."""

    total: Array
    w: Array
    there: Array
    pairs: Numbers | None = None
    """The pairs' numbers; ``None``: all."""


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    mean: Array
    """Items × columns; 0 where an item has no response."""
    there: Array
    count: Array


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    one: Numbers
    two: Numbers
    """The columns of the two systems."""
    at_one: Numbers
    at_two: Numbers
    """The places of the two systems among those of a criterion."""


def within(
    scores: Scores, kinds: Sequence[str], *, cross: bool, against: int | None = None
) -> Within:
    """The sums of all pairs, with the moments of the kinds of clusters asked for.

    ``against``: the system that all pairs have, if one is wanted.
    """
    width = scores.n_criteria * scores.n_systems
    n_items = int(scores.item.max(initial=-1)) + 1
    # What is taken out of every score leaves no trace in a difference, but keeps its digits.
    x = scores.score - (scores.score.mean() if len(scores.score) else 0.0)
    key = scores.item * width + scores.column
    count = np.bincount(key, minlength=n_items * width).astype(np.float64)
    mean = sums(key, x, n_items * width) / np.maximum(count, 1.0)
    items = _Items(*(a.reshape(n_items, width) for a in (mean, (count > 0).astype(float), count)))
    pairs = _pairs(items, scores, against)
    there = np.zeros((4, len(pairs.one)))
    for part in _item_blocks(items, pairs):
        there += np.stack([each.sum(axis=0) for each in part])
    total, shared, n, _ = there
    center = float(total.sum() / shared.sum()) if len(total) else 0.0
    c = pairs.one // max(scores.n_systems, 1)
    own = 1.0 / np.maximum(count[key], 1.0)
    entries = _Entries(scores, items, (x - mean[key] / 2) * own, own / 2)
    few = len(x) * scores.n_systems <= FEW
    rows = entries.rows(pairs) if few else None
    by = {}
    for kind in kinds:
        if rows is not None and kind != "item":
            cluster = entries.numbered(kind)
            by[kind] = rows.moments(cluster, len(pairs.one), center, cross=cross)
            continue
        blocks = (
            (_Block(part[0], part[1], part[3]) for part in _item_blocks(items, pairs))
            if kind == "item"
            else entries.blocks(kind, pairs)
        )
        by[kind] = _moments(blocks, len(pairs.one), center, cross=cross)
    return Within(
        pairs=np.column_stack([c, pairs.at_one, pairs.at_two]),
        value=total / shared,
        u=total - center * shared,
        w=shared,
        n=np.rint(n).astype(np.int64),
        by=by,
    )


def _pairs(items: _Items, scores: Scores, against: int | None) -> _Pairs:
    """The pairs of systems of a criterion that share an item."""
    one, two = np.triu_indices(scores.n_systems, 1)
    if against is not None:
        wanted = (one == against) | (two == against)
        one, two = one[wanted], two[wanted]
    start = np.arange(scores.n_criteria)[:, None] * scores.n_systems
    first, second = (start + one).ravel(), (start + two).ravel()
    shared = items.there.T @ items.there
    kept = shared[first, second] > 0
    first, second = first[kept], second[kept]
    size = max(scores.n_systems, 1)
    return _Pairs(first, second, first % size, second % size)


def _item_blocks(items: _Items, pairs: _Pairs) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Difference, weight, responses and presence of every pair, for a block of items."""
    step = max(1, BLOCK // max(len(pairs.one), 1))
    for start in range(0, len(items.mean), step):
        part = slice(start, start + step)
        mean, there, count = items.mean[part], items.there[part], items.count[part]
        both = there[:, pairs.one] * there[:, pairs.two]
        gap = (mean[:, pairs.one] - mean[:, pairs.two]) * both
        yield gap, both, (count[:, pairs.one] + count[:, pairs.two]) * both, both


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """A row for each response and pair that it has a part in."""

    response: Numbers
    pair: Numbers
    total: Array
    w: Array

    def moments(self, cluster: Numbers, n: int, center: float, *, cross: bool) -> Moments:
        """Of n pairs, with the number of the cluster of every response."""
        u = self.total - center * self.w
        n_clusters = int(cluster.max(initial=-1)) + 1
        at = cluster[self.response]
        return moments(at, n_clusters, self.pair, n, u, self.w, cross=cross)


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Every response with what it adds to h: p − q times the other system's mean."""

    scores: Scores
    items: _Items
    p: Array
    q: Array

    def rows(self, pairs: _Pairs) -> _Rows:
        """What every response adds to each of its pairs."""
        size, width = max(self.scores.n_systems, 1), self.items.mean.shape[1]
        number = np.full((width, size), -1)
        number[pairs.one, pairs.at_two] = np.arange(len(pairs.one))
        number[pairs.two, pairs.at_one] = np.arange(len(pairs.one))
        sign = np.ones((width, size))
        sign[pairs.two, pairs.at_one] = -1.0
        # By the column of a response: its other systems, with their pairs and signs.
        columns = np.arange(width)
        other = (columns[:, None] + np.arange(1, size)) % size
        number = np.take_along_axis(number, other, axis=1)
        sign = np.take_along_axis(sign, other, axis=1)
        start = columns - columns % size
        column = self.scores.column
        # Rows are taken, not indexed, and one number is looked up, not two: many times faster.
        at = (self.scores.item * width)[:, None] + (start[:, None] + other).take(column, axis=0)
        p, q = np.repeat(self.p, size - 1), np.repeat(self.q, size - 1)
        h = (p - q * self.items.mean.take(at).ravel()) * sign.take(column, axis=0).ravel()
        response = np.repeat(np.arange(len(column)), size - 1)
        pair = number.take(column, axis=0).ravel()
        there = (self.items.there.take(at).ravel() > 0) & (pair >= 0)
        if not there.all():
            response, pair, h, q = response[there], pair[there], h[there], q[there]
        return _Rows(response, pair, h, q)

    def numbered(self, kind: str) -> Numbers:
        """The cluster of every response, by numbers that are not many more than responses."""
        cluster = self._cluster(kind)
        if int(cluster.max(initial=-1)) < SPARSE * len(cluster):
            return cluster
        # Responses mostly come item by item, and a stable sort is fast where much is in order.
        order = np.argsort(cluster, kind="stable")
        numbers = np.empty_like(cluster)
        numbers[order] = np.cumsum(np.diff(cluster[order], prepend=cluster[order[:1]]) != 0)
        return numbers

    def blocks(self, kind: str, pairs: _Pairs) -> Iterator[_Block]:
        """What clusters add to pairs, for some clusters at a time."""
        cluster = self._cluster(kind)
        order = np.argsort(cluster, kind="stable")
        first = np.flatnonzero(np.diff(cluster[order], prepend=-1))
        sizes = np.diff(first, append=len(order))
        yield from self._single(order[first[sizes == 1]], pairs)
        rows = order[np.repeat(sizes > 1, sizes)]
        yield from self._several(rows, sizes[sizes > 1], pairs)

    def _single(self, rows: Numbers, pairs: _Pairs) -> Iterator[_Block]:
        """Of clusters with one row, by the row's column, which tells the pairs."""
        column = self.scores.column[rows]
        for own in np.flatnonzero(np.bincount(column)).tolist():
            mine = np.flatnonzero((pairs.one == own) | (pairs.two == own))
            if not len(mine):
                continue
            is_one = pairs.one[mine] == own
            other = np.where(is_one, pairs.two[mine], pairs.one[mine])
            sign = np.where(is_one, 1.0, -1.0)
            here = rows[column == own]
            step = max(1, BLOCK // len(mine))
            for start in range(0, len(here), step):
                some = here[start : start + step]
                at = (self.scores.item[some, None], other)
                p, q = self.p[some, None], self.q[some, None]
                there = self.items.there[at]
                h = p * there - q * self.items.mean[at]
                yield _Block(h * sign, q * there, there, mine)

    def _several(self, rows: Numbers, sizes: Numbers, pairs: _Pairs) -> Iterator[_Block]:
        """Of clusters with several rows each, which stand together."""
        width, size = self.items.mean.shape[1], max(self.scores.n_systems, 1)
        ends = np.append(0, np.cumsum(sizes))
        step = max(1, BLOCK // max(width * size, 1))
        for start in range(0, len(sizes), step):
            some = sizes[start : start + step]
            number = np.repeat(np.arange(len(some)), some)
            part = rows[ends[start] : ends[start + len(some)]]
            yield self._block(part, number, len(some), pairs)

    def _cluster(self, kind: str) -> Numbers:
        item, rater = self.scores.item, self.scores.rater
        if kind == "row" or rater is None:
            return np.arange(len(item))
        return rater if kind == "rater" else item * (int(rater.max(initial=-1)) + 1) + rater

    def _block(self, rows: Numbers, cluster: Numbers, n: int, pairs: _Pairs) -> _Block:
        width, size = self.items.mean.shape[1], self.scores.n_systems
        item, column = self.scores.item[rows], self.scores.column[rows]
        p, q = self.p[rows], self.q[rows]
        start = column - column % size
        place = cluster * width + column
        added = np.zeros((3, n, width, size))
        for t in range(size):
            there = self.items.there[item, start + t]
            mean = self.items.mean[item, start + t]
            for part, value in zip(added, (p * there - q * mean, q * there, there), strict=True):
                part[:, :, t] = sums(place, value, n * width).reshape(n, width)
        h, weight, seen = (
            (part[:, pairs.one, pairs.at_two], part[:, pairs.two, pairs.at_one]) for part in added
        )
        there = ((seen[0] + seen[1]) > 0).astype(np.float64)
        return _Block(h[0] - h[1], weight[0] + weight[1], there)


def _moments(blocks: Iterator[_Block], n: int, center: float, *, cross: bool) -> Moments:
    found = np.zeros((4, n, n) if cross else (4, n))
    for total, w, there, pairs in blocks:
        u = total - center * w
        at = slice(None) if pairs is None else np.ix_(pairs, pairs) if cross else pairs
        products = ((there, there), (u, u), (u, w), (w, w))
        for part, (left, right) in zip(found, products, strict=True):
            part[at] += left.T @ right if cross else (left * right).sum(axis=0)
    return Moments(np.rint(found[0]).astype(np.int64), *found[1:])
