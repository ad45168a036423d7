"""Which round raters work on: the calibration, until the organizer opens the main one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jurybox.store import Event
    from jurybox.web.site import Site

__all__ = ["OPENED", "main_opened"]

OPENED = "main round opened"
"""The event that ends the calibration."""


def main_opened(site: Site) -> Event | None:
    """When and by whom the main round was opened; none while the calibration goes on."""
    return next(iter(site.store.events(OPENED)), None)
