"""One part of the organizer's page: drawn, or answered with "not changed" at next to no cost."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from jurybox.design.plan import Round
from jurybox.store import Progress
from jurybox.web.access import site_of
from jurybox.web.names import hidden_names
from jurybox.web.pages import draw_page
from jurybox.web.site import Site

__all__ = [
    "PATIENCE",
    "answers_state",
    "draw_part",
    "first_of_page",
    "read_progress",
    "remember",
    "watched",
]

T = TypeVar("T")

MINUTE = 60
PATIENCE = 20.0
"""The numbers on a page may be older by so many times the time that counting them took: while
answers come in, a page that is looked at takes a twentieth of a processor."""


def draw_part(site: Site, name: str, **values: Any) -> dict[str, str]:
    """The part as the script takes it."""
    names = hidden_names(site)
    shown = {"names": names, "call": lambda system: names.get(system, system), **values}
    return {"html": draw_page(site, f"organizer-{name}.html", **shown)}


def watched(request: Request, name: str, make: Callable[[Site], Mapping[str, Any]]) -> Response:
    """The part, or that it is still what the browser has.

    What is shown follows from the store and, where leases run out and hours pass, from the minute.
    A part that shows something older has a mark of its own, which is good until it may be newer.
    """
    site = site_of(request)
    begun = site.now()
    served = (site.edition, site.behind)
    asked = (request.url.path, request.url.query)
    state = f"{site.store.changes()} {_minute(site)} {served} {asked}"
    mark = sha256(state.encode()).hexdigest()[:24]
    fresh, older = f'W/"{mark}"', f'W/"{mark}-older"'
    known = request.headers.get("if-none-match")
    if known == fresh or (known == older and begun < site.older_until):
        return Response(status_code=304, headers={"ETag": known})
    drawn = draw_part(site, name, **make(site))
    return JSONResponse(drawn, headers={"ETag": older if site.gave_older >= begun else fresh})


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What was found, of which state, when, and how long it took."""

    state: Hashable
    found: Any
    at: datetime
    took: timedelta

    def is_good(self, state: Hashable, now: datetime, patience: float) -> bool:
        """Whether it is of this state, or will do for it."""
        return self.state == state or now < self.at + patience * self.took


def remember(
    site: Site, name: str, state: Hashable, make: Callable[[], T], *, patience: float = 0.0
) -> T:
    """What ``make`` gives, made anew only for another state, and once for all who ask.

    With ``patience`` it may be older, by so many times the time that it took: a page that is looked
    at while answers come in must not keep the server from taking them.
    """
    with site.remembering[name]:
        kept, now = site.remembered.get(name), site.now()
        if kept is None or not kept.is_good(state, now, patience):
            found, at = make(), site.now()
            kept = site.remembered[name] = Kept(state=state, found=found, at=at, took=at - now)
        elif kept.state != state:
            site.gave_older, site.older_until = now, kept.at + patience * kept.took
        value: T = kept.found
        return value


def read_progress(site: Site, *, round: Round = "main", patience: float = 0.0) -> Progress:
    """How far a round is; counted once for all pages that show it."""
    state = (site.store.changes(), _minute(site))

    def count() -> Progress:
        return site.store.progress(round=round, now=site.now())

    return remember(site, f"progress of {round}", state, count, patience=patience)


def first_of_page(start: int, total: int, size: int) -> int:
    """Where the page begins that holds a row, or the last page where there are fewer rows.

    >>> [first_of_page(start, 120, 50) for start in (0, 60, 100, 999)]
    [0, 50, 100, 100]
    """
    return min(start, max(0, total - 1)) // size * size


def _minute(site: Site) -> int:
    return int(site.now().timestamp() // MINUTE)


def answers_state(site: Site, *, round: Round | None = None) -> tuple[Hashable, ...]:
    """What an analysis depends on: the last submission, of a round or any, and who is left out."""
    last = site.store.submissions(round=round, limit=1)
    marks = tuple((m.rater, m.rule, m.unmarked_at) for m in site.store.exclusions(history=True))
    return (last[0].seq if last else 0, marks)
