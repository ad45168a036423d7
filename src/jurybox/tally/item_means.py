"""Scores by item: what tests and effect sizes on item means are computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.responses import Responses

__all__ = ["ItemScores", "item_deviations", "item_scores", "same_rater_means"]

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ItemScores:
    """How often each item of a system was given each score, in the order of items and scores."""

    items: Mapping[str, Index]
    scores: Mapping[str, Array]
    counts: Mapping[str, Array]
    averages: Mapping[str, tuple[Index, Array]]
    """The items of a system and their mean scores."""

    def means(self, system: str) -> tuple[Index, Array]:
        """The items of a system and their mean scores."""
        return self.averages.get(system, (np.zeros(0, dtype=np.int64), np.zeros(0)))

    def shared(self, one: str, two: str) -> tuple[Array, Array]:
        """The mean scores of two systems on the items that both have."""
        first, second = self.means(one), self.means(two)
        _, left, right = np.intersect1d(
            first[0], second[0], assume_unique=True, return_indices=True
        )
        return first[1][left], second[1][right]

    def dominance(self, one: str, two: str) -> Array:
        """For each shared item: the share of pairs of responses that favor one, minus the other's.

        The responses of both systems are put in order by item and score; what a response of the
        first dominates is then a difference of running sums.
        """
        items = np.concatenate([self.items[one], self.items[two]])
        scores = np.concatenate([self.scores[one], self.scores[two]])
        size = len(self.items[one])
        order = np.lexsort((scores, items))
        items, scores = items[order], scores[order]
        counts = np.concatenate([self.counts[one], self.counts[two]])[order]
        first = np.where(order < size, counts, 0.0)
        second = np.where(order < size, 0.0, counts)
        # Of equal scores of an item every row sees the same running sums; what differs by rounding
        # noise, a trillionth, is equal.
        large = np.abs(scores)
        apart = np.abs(np.diff(scores)) > 1e-12 * large[1:] + 4e-16 * large.max(initial=0.0)
        start = np.concatenate([[True], (np.diff(items) != 0) | apart])
        group = np.cumsum(start) - 1
        running = np.concatenate([[0.0], np.cumsum(second)])
        begins = np.flatnonzero(start)
        ends = np.concatenate([begins[1:], [len(items)]])
        fresh = np.concatenate([[True], np.diff(items) != 0])
        at_item = np.cumsum(fresh) - 1
        item_begins = np.flatnonzero(fresh)
        item_ends = np.concatenate([item_begins[1:], [len(items)]])
        below = running[begins][group] - running[item_begins][at_item]
        above = running[item_ends][at_item] - running[ends][group]
        won = np.bincount(at_item, weights=first * (below - above))
        pairs = np.bincount(at_item, weights=first) * np.bincount(at_item, weights=second)
        both = pairs > 0
        return np.asarray(won[both] / pairs[both], dtype=np.float64)


NUMBERED = (
    "i AS (SELECT item, row_number() OVER (ORDER BY item) - 1 AS item_at FROM "
    "(SELECT DISTINCT item FROM g)), "
    "s AS (SELECT system, row_number() OVER (ORDER BY system) - 1 AS system_at FROM "
    "(SELECT DISTINCT system FROM g))"
)


def item_scores(responses: Responses, value: str = "score") -> ItemScores:
    """How often each item of each system was given each score."""
    names = responses.systems
    found = responses.connection.execute(
        (
            f"WITH g AS (SELECT item, system, {value} AS score, count(*) AS n FROM {{r}} "
            f"GROUP BY item, system, {value}), {NUMBERED} "
            "SELECT item_at, system_at, CAST(score AS DOUBLE) AS score, CAST(n AS DOUBLE) AS n "
            "FROM g JOIN i ON g.item = i.item JOIN s ON g.system = s.system "
            "ORDER BY system_at, item_at, score"
        ).replace("{r}", responses.source)
    ).fetchnumpy()
    of, items = np.asarray(found["system_at"]), np.asarray(found["item_at"], dtype=np.int64)
    scores, counts = np.asarray(found["score"]), np.asarray(found["n"])
    ends = np.searchsorted(of, np.arange(len(names) + 1))
    parts = {name: slice(ends[k], ends[k + 1]) for k, name in enumerate(names)}
    averages = {}
    for name, part in parts.items():
        mine, place = np.unique(items[part], return_inverse=True)
        total = np.bincount(place, weights=scores[part] * counts[part])
        averages[name] = mine, total / np.bincount(place, weights=counts[part])
    return ItemScores(
        items={name: items[part] for name, part in parts.items()},
        scores={name: scores[part] for name, part in parts.items()},
        counts={name: counts[part] for name, part in parts.items()},
        averages=averages,
    )


def same_rater_means(responses: Responses) -> tuple[Array, int]:
    """Item means, items × systems by name, over raters who judged all that the item has.

    Means over different raters would differ by rater too. Also how many items are left out because
    no rater judged all of their systems.
    """
    by_rater = "g AS (SELECT item, system, rater, avg(score) AS y FROM {r} GROUP BY ALL), "
    whole = (
        "SELECT g.item, g.system, avg(y) AS y FROM g "
        "JOIN (SELECT item, rater, count(*) AS judged FROM g GROUP BY item, rater) j "
        "ON g.item = j.item AND g.rater = j.rater "
        "JOIN (SELECT item, count(DISTINCT system) AS most FROM g GROUP BY item) c "
        "ON g.item = c.item WHERE judged = most GROUP BY g.item, g.system"
    )
    if not responses.has_rater:
        whole = "SELECT item, system, avg(y) AS y FROM g GROUP BY item, system"
    found = responses.connection.execute(
        (
            f"WITH {by_rater}{NUMBERED}, m AS ({whole}) SELECT item_at, system_at, y FROM m "
            "JOIN i ON m.item = i.item JOIN s ON m.system = s.system"
        ).replace("{r}", responses.source)
    ).fetchnumpy()
    n_items = int(responses.value("SELECT count(DISTINCT item) FROM {r}"))
    table = np.full((n_items, len(responses.systems)), np.nan)
    table[np.asarray(found["item_at"]), np.asarray(found["system_at"])] = np.asarray(found["y"])
    there = ~np.isnan(table).all(axis=1)
    return table[there], int((~there).sum())


def item_deviations(responses: Responses) -> dict[str, float | None]:
    """The standard deviation of the items' means, per system; ``None`` for one item."""
    return dict(
        responses.query(
            "SELECT system, stddev_samp(m) FROM (SELECT system, item, avg(score) AS m FROM {r} "
            "GROUP BY system, item) GROUP BY system"
        )
    )
