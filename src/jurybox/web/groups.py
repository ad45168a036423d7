"""Rater groups at the door: which group a rater is of, and whether it has a place for them."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from jurybox.study.groups import groups_of
from jurybox.web.guard import Denied

if TYPE_CHECKING:
    from jurybox.store import Rater
    from jurybox.web.site import Site

__all__ = [
    "INVITE",
    "brought_group",
    "has_place",
    "invite_of",
    "is_wanted",
    "places_taken",
    "still_placed",
]

INVITE = 20
"""How many characters of a rater's token are their invitation; the seal of a group may follow."""


def invite_of(site: Site, rater: str, group: str | None) -> str:
    """What an invitation carries: proof of the id and, without its name, of the group."""
    start = site.seals.token(rater)[:INVITE]
    return start if group is None else start + site.seals.name(f"group {group}", rater)[:12]


def brought_group(
    site: Site, rater: str, listed: Mapping[str, str | None] | None, invite: str
) -> str | None:
    """The group that the list or the invitation gives; none where the survey will tell it."""
    if site.study.raters is None or site.study.raters.by is not None:
        return None
    if listed is not None:
        return listed[rater]
    for group in groups_of(site.study):
        if hmac.compare_digest(invite.encode(), invite_of(site, rater, group).encode()):
            return group
    raise Denied(403, "Your invitation is for no group of raters; ask for a new one.")


def _group_of(site: Site, rater: Rater) -> str | None:
    """The rater's group, or none as long as it is not known."""
    if rater.group is not None or site.study.raters is None:
        return rater.group
    by = site.study.raters.by
    told = rater.details.get("group") if by is None else (rater.survey or {}).get(by)
    return None if told is None else str(told)


def is_wanted(site: Site, rater: Rater) -> bool:
    """Whether the study looks for raters of this one's group at all."""
    group = _group_of(site, rater)
    return group is None or group in groups_of(site.study)


def has_place(site: Site, rater: Rater) -> bool:
    """Whether the rater may begin or go on: they have a place in their group, taken now if need be.

    True as long as the group is not known, so that the survey can be asked.
    """
    groups, group = groups_of(site.study), _group_of(site, rater)
    if not groups or group is None:
        return True
    if group not in groups:
        return False
    return site.store.take_place(
        rater.id, group, quota=groups[group].quota, lease=_lease(site), now=site.now()
    )


def still_placed(site: Site, rater: Rater) -> bool:
    """Whether what arrives from the rater counts: no other rater was given their place.

    Who stopped needs none for what was answered before and arrives only now.
    """
    return rater.stopped_at is not None or has_place(site, rater)


def places_taken(site: Site) -> dict[str, int]:
    """How many places are taken in each group."""
    return site.store.places(lease=_lease(site), now=site.now())


def _lease(site: Site) -> timedelta:
    return timedelta(minutes=site.study.session.lease_minutes)
