"""The preview: the study as a rater sees it, walked through by the organizer, nothing recorded."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from jurybox.design.answers import is_right, parse_shown, turn_back
from jurybox.design.plan import Trial
from jurybox.study.guide import SKIP_REASONS
from jurybox.web.access import Organizer, site_of
from jurybox.web.pages import draw_page
from jurybox.web.rater import Sent
from jurybox.web.site import Site
from jurybox.web.stages import (
    Practice,
    Stage,
    bar_of,
    draw_feedback,
    draw_guide,
    practice_stage,
    trial_data,
)

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
def get_next(
    request: Request,
    done: Annotated[int, Query(ge=0)] = 0,
    practiced: Annotated[int, Query(ge=0)] | None = None,
) -> Stage:
    """What comes after so many trials: the first page, a practice trial, or the next trials.

    Without ``practiced`` the walk begins with the trials.
    """
    site = site_of(request)
    if practiced == 0 and done == 0:
        return _page(site, "welcome")
    if practiced is not None and practiced < len(site.plan.practice) and done == 0:
        return practice_stage(site, Practice(right=(True,) * practiced))
    return _trials(site, done)


@router.post("/api/preview/submit", dependencies=[Organizer])
def submit(request: Request, body: Sent) -> dict[str, Any]:
    """Check an answer as for a rater, explain it in practice, and forget it."""
    site = site_of(request)
    said = {"id": body.id, "status": body.status, "duplicate": False}
    practice = site.practice(body.assignment)
    if practice is not None:
        return {**said, "feedback": _explain(site, practice, body)}
    slot = site.slot(body.assignment)
    if body.status == "answered":
        turn_back(site.study, site.trial(slot.trial), slot.order, parse_shown(body.answers))
    return said


def _explain(site: Site, trial: Trial, body: Sent) -> str:
    order = tuple(range(len(trial.systems)))
    shown, texts = parse_shown(body.answers), site.texts(trial, order)
    answers = turn_back(site.study, trial, order, shown, texts=texts)
    known = site.known(trial)
    correct = known is None or is_right(site.study, known, answers)
    return draw_feedback(site, trial, answers, correct=correct, practice=Practice())


Step = Literal["enroll", "consent", "survey", "guide", "headphones", "stop", "withdraw"]


@router.post("/api/preview/{step}", dependencies=[Organizer])
def go_on(request: Request, step: Step, body: dict[str, Any]) -> Stage:
    """The page after one before the trials; what was said there is forgotten."""
    site = site_of(request)
    if step in ("stop", "withdraw") or (step == "consent" and not body.get("agree")):
        return _page(site, "preview-end", stage="end")
    before = _before(site)
    after = before[before.index(step) + 1 :] if step in before else ()
    if after:
        return _page(site, after[0])
    return practice_stage(site, Practice()) if site.plan.practice else _trials(site, 0)


def _before(site: Site) -> list[str]:
    """The pages before the first trial, in the order in which a rater meets them."""
    study = site.study
    asked = {
        "enroll": True,
        "consent": study.consent is not None,
        "survey": bool(study.survey),
        "guide": True,
        "headphones": study.session.headphones,
    }
    return [name for name, is_there in asked.items() if is_there]


def _page(site: Site, name: str, *, stage: str | None = None) -> Stage:
    study = site.study
    text = study.words(study.consent) if study.consent is not None else ""
    html = draw_page(site, f"stage-{name}.html", text=text, guide=draw_guide(site), is_preview=True)
    return {"stage": stage or name, "html": html, "bar": None}


def _trials(site: Site, done: int) -> Stage:
    """The next trials of the first booklet."""
    slots = site.plan.booklets[0].slots if site.plan.booklets else ()
    by_id = {slot.id: slot for slot in site.plan.slots}
    hand = [by_id[id] for id in slots[done : done + 2]]
    if not hand:
        return _page(site, "preview-end", stage="end")
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
