"""A study that grows while it is served: the next request is answered by the study as it is now.

`jurybox plan` writes what it adds into the store, where every server of the study sees it. The
study's files say what new trials show; while they do not fit what was planned, the study goes on as
it was, and the organizer's page says so. Media that change are held against the plan in the same
way.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING

from fastapi import Request

from jurybox.errors import JuryboxError

if TYPE_CHECKING:
    from starlette.datastructures import State

    from jurybox.web.site import Site

__all__ = ["Renewal", "renew"]

PAUSE = timedelta(seconds=10)
"""How long files that do not fit are left alone, or …"""
PATIENCE = 20
"""… so many times the time that reading them took."""


class Renewal:
    """Puts a new site in the place of one that is older than the store."""

    def __init__(self, state: State, make: Callable[[], Site]) -> None:
        self._state, self._make = state, make
        self._lock = Lock()
        self._again = datetime.min.replace(tzinfo=UTC)

    def take_up(self) -> None:
        """Make the site anew if the store or a file is another one; who comes meanwhile waits."""
        site: Site = self._state.site
        if site.store.edition() == site.edition and not site.shelf.changed:
            return
        with self._lock:
            begun = site.now()
            if self._state.site is not site or begun < self._again:
                return
            try:
                self._state.site = self._make()
            except (JuryboxError, OSError) as error:
                site.behind = True
                self._again = begun + max(PAUSE, PATIENCE * (site.now() - begun))
                logging.getLogger("jurybox.web").error("files do not fit the plan: %s", error)


def renew(request: Request) -> None:
    """Before every answer: take up what was planned since the last one."""
    renewal: Renewal = request.app.state.renewal
    renewal.take_up()
