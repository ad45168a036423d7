"""What a check of the set gives: a figure, whether it warns, and what it can bias."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from jurybox.errors import InputError
from jurybox.formats import joined

__all__ = ["Facts", "SetCheck", "few"]

NAMED = 3
"""So many items or values are named in a sentence; the others are counted."""

Facts = Mapping[Path, Mapping[str, float | str]]
"""What is known of each media file: `format`, `width`, `seconds`, `loudness` (or why there
is none, `unheard`), `fingerprint`, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCheck:
    """One question asked of the set.

    A check that could not be made has no figure, and ``undefined`` says why; it never warns.
    """

    id: str
    """Stable and unique within the set, e.g. ``length/answer``."""
    about: str
    """What was looked at."""
    figure: float | None
    shown: str = ""
    """The figure as it is printed, with its unit and what it is measured against."""
    warns: bool = False
    sentence: str = ""
    """What was found, where it warns."""
    bias: str = ""
    """What that can bias."""
    systems: tuple[str, ...] = ()
    p: float | None = None
    n_items: int | None = None
    undefined: str | None = None
    mendable: bool = False
    """Whether it could be made, had the organizer done what ``undefined`` says."""

    def __post_init__(self) -> None:
        if self.figure is None and self.undefined is None:
            raise InputError(f"{self.id}: a missing figure needs its reason")
        if self.warns and not (self.sentence and self.bias):
            raise InputError(f"{self.id}: a warning needs its sentence and what it can bias")


def few(names: Iterable[object], most: int = NAMED) -> str:
    """The first names, and how many there are besides.

    >>> few(["q1", "q2", "q3", "q4", "q5"])
    'q1, q2, q3 and 2 more'
    """
    listed = [str(name) for name in names]
    more = len(listed) - most
    if more > 0:
        return f"{', '.join(listed[:most])} and {more:,} more"
    return joined(listed)
