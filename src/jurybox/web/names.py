"""The systems' names: hidden from the organizer too, until they are shown for good."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jurybox.store import Event, Store
    from jurybox.web.site import Seals, Site

__all__ = ["UNBLINDED", "give_names", "hidden_names", "make_names", "unblinding"]

UNBLINDED = "unblinded"
"""The event that shows the names."""
GIVEN = "hidden_names"
"""The setting with every hidden name that was ever given: a system keeps its own, whatever is added
or taken away later."""


def unblinding(site: Site) -> Event | None:
    """When and by whom the names were shown; none while they are hidden."""
    return next(iter(site.store.events(UNBLINDED)), None)


def hidden_names(site: Site) -> Mapping[str, str]:
    """What each system is called while names are hidden, by number; empty once they are shown."""
    return {} if unblinding(site) is not None else site.names


def give_names(store: Store, systems: Sequence[str], seals: Seals) -> Mapping[str, str]:
    """The names that the study's systems have, kept with it; new systems get theirs now."""
    given = json.loads(store.setting(GIVEN) or "{}")
    names = make_names(systems, seals, given)
    if names != given:
        store.set_setting(GIVEN, json.dumps(names))
    return names


def make_names(systems: Sequence[str], seals: Seals, given: Mapping[str, str]) -> Mapping[str, str]:
    """System 1 … n in an order that the study's secret draws, behind the names that are given.

    Any order can come, that of the study too: one that never came would tell the names of two.

    >>> from jurybox.web.site import Seals
    >>> make_names(["new", "old"], Seals(secret=b"any"), {})
    {'new': 'System 1', 'old': 'System 2'}
    >>> make_names(["also", "old"], Seals(secret=b"any"), {"old": "System 1"})
    {'old': 'System 1', 'also': 'System 2'}
    """
    added = sorted(set(systems) - set(given), key=lambda system: seals.name("blind", system))
    # Tables sort names by their letters: numbers that are drawn at once have as many digits.
    width = 0 if given else len(str(len(added)))
    numbers = enumerate(added, start=len(given) + 1)
    return {**given, **{system: f"System {number:0{width}d}" for number, system in numbers}}
