"""Which round raters work on: the calibration, until the organizer opens the main one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jurybox.design.plan import Plan
    from jurybox.store import Event
    from jurybox.web.site import Site

__all__ = ["OPENED", "main_opened", "plan_now"]

OPENED = "main round opened"
"""The event that ends the calibration."""


def main_opened(site: Site) -> Event | None:
    """When and by whom the main round was opened; none while the calibration goes on."""
    return next(iter(site.store.events(OPENED)), None)


def plan_now(site: Site) -> Plan:
    """The plan that raters work on."""
    if site.calibration is None or main_opened(site) is not None:
        return site.plan
    return site.calibration
