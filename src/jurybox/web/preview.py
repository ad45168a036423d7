"""The preview: the study as a rater sees it, walked through by the organizer, nothing recorded."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from jurybox.design.answers import parse_shown, turn_back
from jurybox.study.guide import SKIP_REASONS
from jurybox.web.access import Organizer, site_of
from jurybox.web.pages import draw_page
from jurybox.web.rater import Sent
from jurybox.web.stages import Stage, bar_of, draw_guide, trial_data

__all__ = ["router"]

router = APIRouter()


@router.get("/preview", response_class=HTMLResponse)
def page(request: Request) -> HTMLResponse:
    """The rater's page in preview; its script asks for the trials with the organizer's token."""
    html = draw_page(
        site_of(request), "rater.html", mode="preview", first="preview", reasons=SKIP_REASONS
    )
    return HTMLResponse(html)


@router.get("/api/preview/next", dependencies=[Organizer])
def get_next(request: Request, done: int = 0) -> Stage:
    """The next trials of the first booklet."""
    site = site_of(request)
    slots = site.plan.booklets[0].slots if site.plan.booklets else ()
    by_id = {slot.id: slot for slot in site.plan.slots}
    hand = [by_id[id] for id in slots[done : done + 2]]
    if not hand:
        return {"stage": "end", "html": draw_page(site, "stage-preview-end.html"), "bar": None}
    trials = []
    for number, slot in enumerate(hand, start=done):
        data = trial_data(
            site, site.plan.trial(slot.trial), slot.order, name=site.slot_name(slot.id)
        )
        trials.append({**data, "position": number, "draft": None, "bar": bar_of(site, number)})
    return {"stage": "trial", "trials": trials, "past": None, "break_every": None}


@router.get("/api/preview/guide", dependencies=[Organizer])
def get_guide(request: Request) -> dict[str, str]:
    """The guide."""
    return {"html": draw_guide(site_of(request))}


@router.post("/api/preview/submit", dependencies=[Organizer])
def submit(request: Request, body: Sent) -> dict[str, Any]:
    """Check an answer as for a rater, and forget it."""
    site = site_of(request)
    slot = site.slot(body.assignment)
    if body.status == "answered":
        turn_back(site.study, site.plan.trial(slot.trial), slot.order, parse_shown(body.answers))
    return {"id": body.id, "status": body.status, "duplicate": False}
