"""Who may do what: raters by their token, the organizer by theirs."""

from __future__ import annotations

import hmac
import logging
import unicodedata
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from jurybox.errors import RaterError, SpecError, TakenError
from jurybox.store import Rater
from jurybox.study.listed import listed_raters
from jurybox.study.model import RaterId
from jurybox.web.groups import INVITE, brought_group
from jurybox.web.guard import Denied

if TYPE_CHECKING:
    from jurybox.web.site import Site

__all__ = [
    "CurrentRater",
    "Organizer",
    "admit",
    "clean_id",
    "is_preview",
    "is_revoked",
    "read_list",
    "site_of",
]

_LONGEST = 64
UNFILLED = "{{%"
"""How the address of a study begins what Prolific fills in, if it is set up to: without that all
raters would come as one."""
REVOKED = "invitation revoked"
"""The event that makes an invitation useless, or with ``again`` good again."""


def site_of(request: Request) -> Site:
    """The study that this server serves."""
    site: Site = request.app.state.site
    return site


def _token(request: Request) -> str:
    """The token in the request's header; never in its address, which proxies write down."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _hash(secret: str) -> str:
    """What is kept of a secret."""
    return sha256(secret.encode()).hexdigest()


def current_rater(request: Request) -> Rater:
    """The rater whose token came with the request."""
    token = _token(request)
    site = site_of(request)
    rater = site.store.rater_by_token(_hash(token)) if token else None
    if rater is None:
        raise Denied(401, "Your link is not known here; begin again with your personal link or id.")
    return rater


def organizer(request: Request) -> None:
    """Refuse everybody without the organizer's token; the comparison takes the same time always."""
    given = sha256(_token(request).encode()).digest()
    if not hmac.compare_digest(given, site_of(request).admin_hash):
        raise Denied(401, "This needs the organizer's link that 'jurybox serve' printed.")


CurrentRater = Annotated[Rater, Depends(current_rater)]
Organizer = Depends(organizer)


def admit(site: Site, *, given: str, query: Mapping[str, str], key: str | None = None) -> str:
    """Enroll a rater, or let one in again, and give their token; says why not otherwise.

    ``key`` is what the page drew before it asked: who asks again with it is whoever enrolled.
    """
    access = site.study.access
    if access.prolific is not None:
        given = query.get("PROLIFIC_PID", "")
        if not given or UNFILLED in given:
            raise RaterError("Open this study from its page on Prolific, which adds your id.")
    elif access.mturk:
        given = query.get("workerId", "")
        if is_preview(query) or not given:
            raise RaterError("Accept the HIT on Mechanical Turk first, which adds your id.")
    rater = clean_id(given)
    token = site.seals.token(rater)
    invite = query.get("invite", "")
    invited = hmac.compare_digest(invite[:INVITE].encode(), token[:INVITE].encode())
    if invited and is_revoked(site, rater):
        raise Denied(403, "This invitation was taken back; ask who sent it for a new one.")
    if access.invited and not invited:
        raise Denied(403, "This study is for invited raters; open the link of your invitation.")
    listed = read_list(site)
    if listed is not None and rater not in listed:
        raise Denied(
            403, "The id '%(rater)s' is not on this study's list; check its spelling.", rater=rater
        )
    known = access.prolific is not None or access.mturk  # the platform says who it is
    trusted = access.resume == "id" or invited or known
    names = ("STUDY_ID", "SESSION_ID", "assignmentId", "hitId")
    sent = {name: query[name][:200] for name in names if name in query}
    group = brought_group(site, rater, listed, invite)
    details = sent if group is None else {**sent, "group": group}
    try:
        there = site.store.enroll(
            RaterId(rater),
            token_hash=_hash(token),
            key_hash=None if key is None else _hash(key),
            details=details,
            again=trusted,
            now=site.now(),
        )
    except TakenError as error:
        raise Denied(
            409,
            "The id '%(rater)s' is taken. If it is yours, open your personal link on this device; "
            "otherwise choose another id.",
            rater=rater,
        ) from error
    renewed = {**there.details, **sent}
    if renewed != there.details:  # they work for the assignment that the platform gave them last
        site.store.update_rater(there.id, details=renewed, now=site.now())
    return token


def is_preview(query: Mapping[str, str]) -> bool:
    """Whether Mechanical Turk shows the page to somebody who has not accepted the HIT."""
    return query.get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"


def is_revoked(site: Site, rater: str) -> bool:
    """Whether the organizer took the rater's invitation back."""
    told = site.store.events(REVOKED, rater=RaterId(rater))
    return bool(told) and not told[-1].detail.get("again", False)


def read_list(site: Site) -> dict[str, str | None] | None:
    """The list as it is now; what is wrong with it, and its groups, are not for raters to read."""
    try:
        return listed_raters(site.study, site.study.directory or site.shelf.root)
    except (OSError, SpecError) as error:
        logging.getLogger("jurybox.web").error("access.listed: %s", error)
        raise Denied(
            503,
            "This study's list of raters cannot be read at the moment; please tell who invited "
            "you, and try again later.",
        ) from error


def clean_id(given: str) -> str:
    """The id as it is kept: one spelling for what looks the same; says what is wrong with it."""
    rater = unicodedata.normalize("NFC", given).strip()
    if not rater:
        raise RaterError("Please give an id, any name or number you like.")
    if len(rater) > _LONGEST or any(unicodedata.category(char)[0] == "C" for char in rater):
        raise RaterError(
            "An id has at most %(most)s characters, all of them visible; choose another.",
            most=_LONGEST,
        )
    return rater
