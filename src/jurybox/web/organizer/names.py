"""The systems' names: hidden from the organizer too, until they are shown for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jurybox.store import Event
    from jurybox.web.site import Seals, Site

__all__ = ["UNBLINDED", "hidden_names", "make_names", "unblinding"]

UNBLINDED = "unblinded"
"""The event that shows the names."""


def unblinding(site: Site) -> Event | None:
    """When and by whom the names were shown; none while they are hidden."""
    return next(iter(site.store.events(UNBLINDED)), None)


def hidden_names(site: Site) -> Mapping[str, str]:
    """What each system is called while names are hidden; empty once they are shown."""
    if unblinding(site) is not None:
        return {}
    return make_names(site.material.systems, site.seals)


def make_names(systems: Sequence[str], seals: Seals) -> dict[str, str]:
    """System 1 … n, in an order that the study's secret draws: the same always, never the plan's.

    >>> from jurybox.web.site import Seals
    >>> make_names(["new", "old"], Seals(secret=b"any"))
    {'old': 'System 1', 'new': 'System 2'}
    """
    order = sorted(systems, key=lambda system: seals.name("blind", system))
    if order == list(systems):
        order = [*order[1:], *order[:1]]
    width = len(str(len(order)))
    return {system: f"System {number:0{width}}" for number, system in enumerate(order, start=1)}
