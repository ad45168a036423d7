"""Looking back: which trials a rater may see again, and each with the answer they gave.

A trial that was shown a second time on purpose (test–retest) stays closed from then on: its first
answer would be copied, and what the repeat is for would be lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jurybox.design.answers import show_again
from jurybox.web.guard import Denied

if TYPE_CHECKING:
    from jurybox.design.plan import Slot
    from jurybox.store import Rater
    from jurybox.store.given import Given
    from jurybox.web.site import Site

__all__ = ["check_given", "list_past", "show_past"]


def list_past(site: Site, rater: Rater) -> list[dict[str, Any]]:
    """What the rater may look at again, in the order it was shown: opaque name and number."""
    return [
        {"assignment": site.slot_name(one.slot), "position": one.position}
        for one in _open(site, rater)
    ]


def _open(site: Site, rater: Rater) -> list[Given]:
    if not site.study.session.back:
        return []
    given = site.store.given(rater.id)
    latest: dict[str, int] = {}
    for one in given:
        latest[one.trial] = max(one.repeat, latest.get(one.trial, 0))
    return [one for one in given if one.outcome != "leased" and one.repeat == latest[one.trial]]


def show_past(site: Site, rater: Rater, name: str) -> dict[str, Any]:
    """One of them again: the slot, and what was answered as the page sent it."""
    slot = site.slot(name)
    found = next((one for one in _open(site, rater) if one.slot == slot.id), None)
    if found is None:
        raise Denied(404, "This trial cannot be looked at again.")
    trial = site.trial(slot.trial)
    sent = site.store.submissions(rater.id, slot.trial)
    last = next(one.submission for one in sent if one.submission.repeat == slot.repeat)
    shown = show_again(site.study, trial, slot.order, last.answers)
    return {
        "slot": slot,
        "position": found.position,
        "answers": [one.model_dump(exclude_none=True) for one in shown],
        "comment": last.comment or "",
    }


def check_given(site: Site, rater: Rater, slot: Slot) -> None:
    """Refuse what is about a trial that this rater was never given."""
    if not site.store.was_given(rater.id, slot.id):
        raise Denied(403, "This trial is not one of yours; reload the page.")
