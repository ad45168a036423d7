"""Which slots may change booklets: where a booklet shows a part of the systems, that part matters.

Nothing that is even between booklets gets less even: two slots trade places only where what each
brings along (its item, its system, its stratum, and both) is once more in its own booklet than in
the other, so that the two booklets merely trade their counts. No booklet gets a trial twice, and
none gets longer than the longest, or than it may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

__all__ = ["Content", "Trades"]


@dataclass(frozen=True, slots=True)
class Content:
    """What a slot brings into a booklet."""

    system: Hashable
    item: Hashable
    stratum: Hashable
    seconds: float

    @property
    def marks(self) -> tuple[Hashable, ...]:
        """All that is shared out evenly; the trial, which is once in a booklet, comes first."""
        system, item, stratum = self.system, self.item, self.stratum
        return (
            ("trial", item, system),
            ("item", item),
            ("system", system),
            ("stratum", stratum),
            ("both", stratum, system),
        )


class Trades:
    """The booklets' contents, slot by slot, and the trades that they allow."""

    def __init__(
        self, sequences: Sequence[Sequence[int]], contents: Sequence[Content], *, room: float = 0.0
    ) -> None:
        """``room``: the seconds that a booklet may take where all booklets take less."""
        self._marks = [content.marks for content in contents]
        self._seconds = [content.seconds for content in contents]
        self._held = [
            Counter(mark for slot in sequence for mark in self._marks[slot])
            for sequence in sequences
        ]
        self._length = [sum(self._seconds[slot] for slot in sequence) for sequence in sequences]
        self._longest = max(room, *self._length) + 1e-6

    def allows(self, one: int, here: int, other: int, there: int) -> bool:
        """Whether slot ``one`` of booklet ``here`` may trade with ``other`` of ``there``."""
        mine, theirs = self._held[here], self._held[there]
        longer = self._seconds[other] - self._seconds[one]
        if max(self._length[here] + longer, self._length[there] - longer) > self._longest:
            return False
        return all(
            a == b or (mine[a] == theirs[a] + 1 and theirs[b] == mine[b] + 1)
            for a, b in zip(self._marks[one], self._marks[other], strict=True)
        )

    def make(self, one: int, here: int, other: int, there: int) -> None:
        """Note that they did."""
        longer = self._seconds[other] - self._seconds[one]
        self._length[here] += longer
        self._length[there] -= longer
        for slot, source, target in ((one, here, there), (other, there, here)):
            self._held[source].subtract(self._marks[slot])
            self._held[target].update(self._marks[slot])
