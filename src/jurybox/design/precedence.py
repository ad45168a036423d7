"""Who stands before whom on screens with several outputs, made even without moving the places.

On a screen the systems at two places are an arrow, from the one in front to the one behind. Letting
them change places turns the arrow around, and with it who stands before whom, for these two and for
each of them and whatever stands between. The same two places of all slots are a graph of arrows,
and whoever turns around a closed way in it leaves every system at each place as often as before.

The slots of one trial are to stay even too, so arrows are turned in chains: a chain begins at a
system that the trial shows once more in front than behind, and ends at one for which it is the
other way round. Turned as a whole, it leaves the trial as even as it was (Kempe chains, as in Latin
squares). Chains of different trials that form a closed way are turned together where pairs of
systems then stand more evenly.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jurybox.design.even import Ints

__all__ = ["BOOKLET", "count_ahead", "even_precedence"]

MOST_TRIALS = 1_000
"""So many trials, at random, leave enough choice; more would only take longer."""
PATIENCE = 500
"""After so many tries without a more even result there is none: the places forbid it."""
REACH = 2
"""How far apart the two places of an arrow are at most: neighbors alone end in dead ends."""
BOOKLET = 2
"""How differently often a system may stand at the places within a booklet."""
LOOKS = 4
"""Over how many third systems a way back is looked for."""

Arrow = tuple[int, int, int]
"""The slot, and the systems in front and behind."""
Chain = list[Arrow]
Found = tuple[int, Chain]
"""A trial and one of its chains."""
Places = tuple[int, int]
Key = tuple[Places, int, int]
"""Two places and the systems there."""


def count_ahead(shown: Ints, n_systems: int) -> Ints:
    """How much oftener the first system stands before the second than behind it.

    ``shown[slot, place]`` is the system at the place.
    """
    ahead = np.zeros((n_systems, n_systems), dtype=np.int64)
    for place in range(shown.shape[1] - 1):
        for behind in range(place + 1, shown.shape[1]):
            np.add.at(ahead, (shown[:, place], shown[:, behind]), 1)
    return ahead - ahead.T


def even_precedence(
    shown: Ints,
    slot_trials: Ints,
    ahead: Ints,
    rng: np.random.Generator,
    *,
    booklets: Ints | None = None,
) -> None:
    """Turn chains around, in place, until every pair of systems is even up to 1, or nearly so.

    Parameters
    ----------
    shown
        The system at each place of each slot; all slots show equally many. Each system is at each
        place equally often, up to 1, over all slots and within each trial, and stays so.
    slot_trials
        The trial of each slot.
    ahead
        What ``count_ahead`` gives for other slots, which are to be made even together with these.
    rng
        Decides which chains are tried.
    booklets
        The booklet of each slot, where each is to stay as even as ``BOOKLET``, though fewer chains
        can be turned then; by default booklets are not looked at.
    """
    ahead = ahead + count_ahead(shown, len(ahead))
    held = None if booklets is None else _Held(shown, booklets, len(ahead))
    search = _Search(shown, slot_trials, ahead, held, rng)
    search.run()
    shown[:] = search.shown


class _Held:
    """How often each system is at each place within each booklet."""

    def __init__(self, shown: Ints, booklets: Ints, n_systems: int) -> None:
        n = shown.shape[1]
        counts = np.zeros((int(booklets.max()) + 1, n_systems, n), dtype=np.int64)
        np.add.at(counts, (booklets[:, None], shown, np.arange(n)), 1)
        self._counts: list[list[list[int]]] = counts.tolist()
        self._booklets: list[int] = booklets.tolist()

    def turn(self, arrows: list[Arrow], places: Places) -> bool:
        """Turn these arrows around; False, and nothing done, if a booklet is too uneven then."""
        self._move(arrows, places)
        rows = [self._counts[self._booklets[slot]][s] for slot, *both in arrows for s in both]
        if all(max(row) - min(row) <= BOOKLET for row in rows):
            return True
        self._move([(slot, behind, front) for slot, front, behind in arrows], places)
        return False

    def _move(self, arrows: list[Arrow], places: Places) -> None:
        place, other = places
        for slot, front, behind in arrows:
            counts = self._counts[self._booklets[slot]]
            for system, by in ((front, -1), (behind, 1)):
                counts[system][place] += by
                counts[system][other] -= by


class _Search:
    def __init__(
        self,
        shown: Ints,
        slot_trials: Ints,
        ahead: Ints,
        held: _Held | None,
        rng: np.random.Generator,
    ) -> None:
        self.shown: list[list[int]] = shown.tolist()
        self._held = held
        self._ahead: list[list[int]] = ahead.tolist()
        n = shown.shape[1]
        counts = np.zeros((len(ahead), n), dtype=np.int64)
        np.add.at(counts, (shown, np.arange(n)), 1)
        self._places: list[list[int]] = counts.tolist()
        self._both = [(p, q) for p in range(n) for q in range(p + 1, min(n, p + 1 + REACH))]
        self._draws = _draws(rng)
        self._change = 0
        """How much the sum of squared differences has fallen so far, over 4; never above 0."""
        by_trial = np.split(
            np.argsort(slot_trials, kind="stable"),
            np.flatnonzero(np.diff(np.sort(slot_trials, kind="stable"))) + 1,
        )
        chosen = rng.permutation(len(by_trial))[:MOST_TRIALS].tolist()
        self._trials = [by_trial[t].tolist() for t in chosen]
        # Which trials have an arrow between two systems, or a chain from the one to the other.
        # Those that have it no longer are struck off when they are drawn.
        self._holding: dict[Key, list[int]] = {}
        self._leading: dict[Key, list[int]] = {}
        for trial in range(len(self._trials)):
            for places in self._both:
                self._note(trial, places)

    def run(self) -> None:
        """Turn ways around until no pair differs by more than 1, or nothing helps any more."""
        uneven, tries = self._uneven(), 0
        while uneven and tries < PATIENCE:
            front, behind = uneven[self._below(len(uneven))]
            tries += 1
            before = self._change
            if self._try(front, behind, self._both[self._below(len(self._both))]):
                uneven = self._uneven()
                tries = 0 if self._change < before else tries

    def _below(self, n: int) -> int:
        return int(next(self._draws) * n)

    def _uneven(self) -> list[tuple[int, int]]:
        return [(s, o) for s, row in enumerate(self._ahead) for o, n in enumerate(row) if n > 1]

    def _note(self, trial: int, places: Places) -> None:
        for chain in self._chains(trial, places):
            for _, front, behind in chain:
                self._holding.setdefault((places, front, behind), []).append(trial)
            self._leading.setdefault((places, *_ends(chain)), []).append(trial)

    def _chains(self, trial: int, places: Places) -> list[Chain]:
        """The arrows from the one place to the other in a trial's slots, as chains."""
        place, other = places
        arrows = [(s, self.shown[s][place], self.shown[s][other]) for s in self._trials[trial]]
        if len(arrows) == 1:
            return [arrows]
        out: dict[int, Chain] = {}
        surplus: dict[int, int] = {}
        for arrow in arrows:
            _, front, behind = arrow
            out.setdefault(front, []).append(arrow)
            surplus[front] = surplus.get(front, 0) + 1
            surplus[behind] = surplus.get(behind, 0) - 1
        chains = []
        # A surplus is 1 at most: the trial is even.
        for start in [system for system, more in surplus.items() if more > 0]:
            chain = [out[start].pop()]
            while surplus[chain[-1][2]] >= 0:
                chain.append(out[chain[-1][2]].pop())
            surplus[chain[-1][2]] = 0
            chains.append(chain)
        for start, left in out.items():
            while left:
                chain = [left.pop()]
                while chain[-1][2] != start:
                    chain.append(out[chain[-1][2]].pop())
                chains.append(chain)
        return chains

    def _try(self, front: int, behind: int, places: Places) -> bool:
        """Turn a closed way around that has this arrow, if pairs do not get less even by it."""
        found = self._draw(self._holding, (places, front, behind))
        if found is None:
            return False
        start, end = _ends(found[1])
        if start == end or self._has_slack(start, end, places):
            return self._turn_around([found], places)
        return any(
            self._turn_around([found, *back], places)
            for back in self._ways_back(end, start, places)
        )

    def _ways_back(self, end: int, start: int, places: Places) -> Iterator[list[Found]]:
        """Chains from the one system to the other: directly, and over a few others.

        A way may stay open where both of its ends are uneven by 1 anyway.
        """
        direct = self._draw(self._leading, (places, end, start))
        if direct is not None:
            yield [direct]
        for _ in range(LOOKS):
            over = self._below(len(self._ahead))
            first = self._draw(self._leading, (places, end, over))
            if first is None or over == end:
                continue
            if self._has_slack(start, over, places):
                yield [first]
            second = self._draw(self._leading, (places, over, start))
            if second is not None:
                yield [first, second]

    def _draw(self, index: dict[Key, list[int]], key: Key) -> Found | None:
        """One of the trials that the index holds under the key, and its chain."""
        places, front, behind = key
        trials = index.get(key)
        while trials:
            n = self._below(len(trials))
            for chain in self._chains(trials[n], places):
                if _ends(chain) == (front, behind) or (
                    index is self._holding and any(a[1:] == (front, behind) for a in chain)
                ):
                    return trials[n], chain
            trials[n] = trials[-1]
            trials.pop()
        return None

    def _has_slack(self, start: int, end: int, places: Places) -> bool:
        mine, theirs = self._places[start], self._places[end]
        place, other = places
        return mine[place] > mine[other] and theirs[place] < theirs[other]

    def _turn_around(self, way: list[Found], places: Places) -> bool:
        """Turn these chains around; False, and nothing done, if anything is less even then."""
        if len({trial for trial, _ in way}) < len(way):
            return False
        place, other = places
        arrows = [arrow for _, chain in way for arrow in chain]
        slots = [slot for slot, _, _ in arrows]
        pairs = [pair for slot in slots for pair in _turned(self.shown[slot][place : other + 1])]
        change, ahead = 0, self._ahead
        for front, behind in pairs:
            change += 1 - ahead[front][behind]
            ahead[front][behind] -= 2
            ahead[behind][front] += 2
        if change > 0 or (self._held is not None and not self._held.turn(arrows, places)):
            for front, behind in pairs:
                ahead[front][behind] += 2
                ahead[behind][front] -= 2
            return False
        self._change += change
        for slot in slots:
            shown = self.shown[slot]
            shown[place], shown[other] = shown[other], shown[place]
            for system, by in ((shown[place], 1), (shown[other], -1)):
                self._places[system][place] += by
                self._places[system][other] -= by
        for trial, _ in way:
            for near in self._both:
                if place in near or other in near:
                    self._note(trial, near)
        return True


def _turned(stretch: list[int]) -> list[tuple[int, int]]:
    """Who stands no longer before whom when the two ends of a stretch change places."""
    first, *between, last = stretch
    return [(first, last), *((first, s) for s in between), *((s, last) for s in between)]


def _ends(chain: Chain) -> tuple[int, int]:
    return chain[0][1], chain[-1][2]


def _draws(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(4096).tolist()
