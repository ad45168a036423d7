"""Invitations: personal links, made by name or by number, listed, and taken back."""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from jurybox.errors import RaterError
from jurybox.study.groups import groups_of
from jurybox.study.model import RaterId
from jurybox.web.access import REVOKED, clean_id, is_revoked, read_list, site_of
from jurybox.web.groups import invite_of
from jurybox.web.organizer.part import draw_part, first_of_page, watched
from jurybox.web.organizer.safe import BOM, safe_cell
from jurybox.web.site import Site

__all__ = ["router"]

router = APIRouter()

INVITED = "invited"
State = Literal["not opened", "opened", "revoked"]
MOST = 1000
PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """A link that was made for one rater."""

    rater: RaterId
    group: str | None
    at: datetime
    link: str
    state: State


class Invitations(BaseModel):
    """For whom links are wanted: by id, or so many."""

    model_config = ConfigDict(extra="forbid")

    raters: list[Annotated[str, Field(min_length=1, max_length=64)]] = Field(
        default_factory=list, max_length=MOST
    )
    count: Annotated[int, Field(ge=0, le=MOST)] = 0
    group: Annotated[str, Field(max_length=200)] | None = None


class Revoked(BaseModel):
    """Whose link is not to be good any more, or is again."""

    model_config = ConfigDict(extra="forbid")

    rater: Annotated[str, Field(max_length=200)]
    again: bool = False


@router.get("/invitations")
def invitations(request: Request, start: Annotated[int, Query(ge=0)] = 0) -> Response:
    """The form that makes personal links, and those that were made, a page of them."""
    base = _base(request)
    return watched(request, "invitations", lambda site: _values(site, base, made=(), start=start))


def _values(
    site: Site, base: str, *, made: Iterable[str], group: str | None = None, start: int = 0
) -> Any:
    listed = _listed(site, base)
    fresh = set(made)
    start = first_of_page(start, len(listed), PAGE)
    return {
        "links": [(one.rater, one.link) for one in reversed(listed) if one.rater in fresh],
        "invitations": listed[start : start + PAGE],
        "start": start,
        "page": PAGE,
        "total": len(listed),
        "groups": _invited_groups(site),
        "group": group,
        "platform": _platform(site),
    }


def _listed(site: Site, base: str) -> list[Invitation]:
    """Every rater who was invited, with the group of the last invitation; the newest first."""
    events: dict[RaterId, Any] = {}
    for event in site.store.events(INVITED):
        if event.rater is not None:
            events.pop(event.rater, None)
            events[event.rater] = event
    last = {event.rater: event for event in site.store.events(REVOKED)}
    revoked = {rater for rater, event in last.items() if not event.detail.get("again", False)}
    enrolled = {rater.id for rater in site.store.raters()}
    return [
        Invitation(
            rater=rater,
            group=event.detail.get("group"),
            at=event.at,
            link=_link(site, base, rater, event.detail.get("group")),
            state=_state(rater, revoked=revoked, enrolled=enrolled),
        )
        for rater, event in reversed(events.items())
    ]


def _state(rater: RaterId, *, revoked: Container[Any], enrolled: Container[Any]) -> State:
    if rater in revoked:
        return "revoked"
    return "opened" if rater in enrolled else "not opened"


def _link(site: Site, base: str, rater: str, group: str | None) -> str:
    return f"{base}#invite={invite_of(site, rater, group)}&id={quote(rater, safe='')}"


def _base(request: Request) -> str:
    return request.app.state.public_url or str(request.base_url)


def _platform(site: Site) -> str | None:
    """Who alone says which rater comes, if anybody: no link of ours would do."""
    access = site.study.access
    if access.prolific is not None:
        return "Prolific"
    return "Mechanical Turk" if access.mturk else None


def _invited_groups(site: Site) -> tuple[str, ...]:
    """The groups of which an invitation says one; none where a list or the survey does."""
    raters, access = site.study.raters, site.study.access
    by_invitation = raters is not None and raters.by is None and access.listed is None
    return tuple(groups_of(site.study)) if by_invitation else ()


@router.post("/invitations")
def invite(request: Request, body: Invitations) -> dict[str, str]:
    """Personal links for raters, one each."""
    site = site_of(request)
    platform, listed = _platform(site), read_list(site)
    if platform is not None:
        raise RaterError(f"Raters come from {platform}: a personal link would let nobody in.")
    groups = _invited_groups(site)
    if groups and body.group not in groups:
        raise RaterError(f"Choose the group that you invite for: {', '.join(groups)}.")
    group = body.group if groups else None
    named = list(dict.fromkeys(clean_id(one) for one in body.raters if one.strip()))
    named += _numbered(site, body.count)
    strange = [] if listed is None else [one for one in named if one not in listed]
    if strange:
        raise RaterError(f"'{strange[0]}' is not on this study's list; add it there first.")
    if not named:
        raise RaterError("Give the ids of the raters, one a line, or how many links to make.")
    for rater in map(RaterId, named):
        detail = {} if group is None else {"group": group}
        site.store.event(INVITED, rater=rater, detail=detail, now=site.now())
        if is_revoked(site, rater):
            _revoke(site, rater, again=True)
    values = _values(site, _base(request), made=named, group=group)
    return draw_part(site, "invitations", **values)


def _numbered(site: Site, count: int) -> list[str]:
    """New ids, numbered on from those that are taken or were invited."""
    taken = {event.rater for event in site.store.events(INVITED)}
    taken |= {rater.id for rater in site.store.raters()}
    made: list[str] = []
    number = 0
    while len(made) < count:
        number += 1
        if RaterId(f"rater-{number:03}") not in taken:
            made.append(f"rater-{number:03}")
    return made


@router.post("/invitations/revoke")
def revoke(request: Request, body: Revoked) -> dict[str, str]:
    """Make a link useless; a rater who came by it is paused, and nothing they gave is lost."""
    site = site_of(request)
    rater = RaterId(clean_id(body.rater))
    if not site.store.events(INVITED, rater=rater):
        raise RaterError(f"There is no invitation for '{rater}'.")
    _revoke(site, rater, again=body.again)
    return {"said": REVOKED}


def _revoke(site: Site, rater: RaterId, *, again: bool) -> None:
    """Make a link useless or good again; who came by it is paused, or goes on."""
    site.store.event(REVOKED, rater=rater, detail={"again": again}, now=site.now())
    if site.store.rater(rater) is not None:
        site.store.update_rater(rater, paused=not again, now=site.now())


@router.get("/invitations.csv")
def links(request: Request) -> Response:
    """Every link that is good, for a mail merge."""
    text = io.StringIO(BOM)
    text.seek(0, io.SEEK_END)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["rater", "group", "state", "link"])
    for one in _listed(site_of(request), _base(request)):
        if one.state != "revoked":
            cells = (one.rater, one.group or "", one.state, one.link)
            writer.writerow([safe_cell(cell) for cell in cells])
    headers = {"Content-Disposition": 'attachment; filename="invitations.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)
