"""The rater's side: the page, and what it asks the server."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from jurybox.design.answers import Answer, is_right, parse_shown, turn_back
from jurybox.design.plan import Slot, Trial
from jurybox.errors import RaterError
from jurybox.store import Rater, Submission
from jurybox.study.guide import SKIP_REASONS
from jurybox.web.access import CurrentRater, admit, is_preview, site_of
from jurybox.web.groups import still_placed
from jurybox.web.guard import FRAMED_POLICY
from jurybox.web.pages import draw_page
from jurybox.web.past import check_given, show_past
from jurybox.web.renewal import renew
from jurybox.web.shelf import Changed
from jurybox.web.site import Site
from jurybox.web.stages import (
    HEADPHONES,
    MORE,
    Practice,
    Stage,
    bar_of,
    draw_feedback,
    draw_guide,
    is_done,
    next_stage,
    pause,
    trial_data,
)

__all__ = ["Sent", "router"]

router = APIRouter()

Line = Annotated[str, Field(max_length=200)]
Words = Annotated[str, Field(max_length=4000)]
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""A time nearer to an end of the calendar is none in another time zone."""


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Enrollment(_Body):
    """Who wants to begin, and what the link brought along."""

    rater: Line | None = None
    key: Annotated[str, Field(min_length=32, max_length=64)] | None = None
    """Drawn by the page before it asks, so that it may ask again when the reply is lost."""
    query: dict[Line, Line] = Field(default_factory=dict, max_length=20)


class Consent(_Body):
    """Whether the rater agrees."""

    agree: bool


class Survey(_Body):
    """The answers about the rater."""

    answers: dict[Line, Words] = Field(max_length=100)


class Headphones(_Body):
    """How often the softest of three tones was found."""

    right: Annotated[int, Field(ge=0, le=100)]
    rounds: Annotated[int, Field(ge=1, le=100)]


class Draft(_Body):
    """What is answered of a trial so far; the page's own business."""

    assignment: Line
    draft: dict[str, Any]


class Leaving(_Body):
    """What a page that goes away holds: until when, and what of it was begun."""

    until: Annotated[AwareDatetime, Field(gt=EARLIEST, lt=LATEST)]
    keep: list[Line] = Field(default_factory=list, max_length=10)


class Trouble(_Body):
    """What a rater finds wrong with a trial, in their words."""

    assignment: Line
    words: Words


class Sent(_Body):
    """An answered or skipped trial, with the id that the page chose for it."""

    id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$")]
    assignment: Line
    version: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """The study's version that the trial was shown in."""
    session: Line = ""
    position: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    status: Literal["answered", "skipped"] = "answered"
    reason: Line | None = None
    comment: Words | None = None
    answers: list[dict[str, Any]] = Field(default_factory=list, max_length=500)
    ms: Annotated[int, Field(ge=0, le=10**9)] | None = None
    timing: dict[Line, float | None] = Field(default_factory=dict, max_length=20)


@router.get("/", response_class=HTMLResponse)
def page(request: Request) -> HTMLResponse:
    """The rater's page; everything after the welcome is asked for by its script."""
    site = site_of(request)
    values: dict[str, Any] = {"first": "welcome"}
    if site.study.access.mturk and is_preview(request.query_params):
        values = {"first": "mturk-preview", "guide": draw_guide(site)}
    html = draw_page(site, "rater.html", mode="rater", reasons=SKIP_REASONS, **values)
    headers = {"Content-Security-Policy": FRAMED_POLICY} if site.study.access.mturk else None
    return HTMLResponse(html, headers=headers)


@router.get("/media/{name}")
def media(request: Request, name: str) -> Response:
    """A media file, whole or in part."""
    head = request.scope.get("is_head", False)
    try:
        return site_of(request).shelf.respond(name, request.headers, head=head)
    except Changed:  # perhaps in its date alone: then the study is read again, and it is the same
        renew(request)
        return site_of(request).shelf.respond(name, request.headers, head=head)


@router.post("/api/enroll")
def enroll(request: Request, body: Enrollment) -> dict[str, str]:
    """Enroll a rater; the answer holds the token that is their key from now on."""
    token = admit(site_of(request), given=body.rater or "", query=body.query, key=body.key)
    return {"token": token}


@router.get("/api/next")
def get_next(request: Request, rater: CurrentRater) -> Stage:
    """Where the rater is."""
    return next_stage(site_of(request), rater)


@router.post("/api/consent")
def consent(request: Request, rater: CurrentRater, body: Consent) -> Stage:
    """Take the rater's consent, or their refusal."""
    site = site_of(request)
    now = site.now()
    if body.agree:
        return next_stage(site, site.store.update_rater(rater.id, consented_at=now, now=now))
    details = {**rater.details, "consent": "declined"}
    changed = site.store.update_rater(rater.id, stopped_at=now, details=details, now=now)
    return next_stage(site, changed)


@router.post("/api/survey")
def survey(request: Request, rater: CurrentRater, body: Survey) -> Stage:
    """Take the answers about the rater."""
    site = site_of(request)
    for name, question in site.study.survey.items():
        given = body.answers.get(name, "").strip()
        if question.required and not given:
            asked = site.study.words(question.question)
            raise RaterError("Please answer: %(question)s", question=asked)
        if given and question.choices is not None and given not in question.choices:
            raise RaterError("'%(given)s' is not one of the answers to choose from.", given=given)
    answers = {
        name: body.answers[name].strip() for name in site.study.survey if name in body.answers
    }
    by = site.study.raters.by if site.study.raters is not None else None
    if by is not None and rater.survey and by in rater.survey:
        answers[by] = rater.survey[by]  # nobody tries one group after the other
    return next_stage(site, site.store.update_rater(rater.id, survey=answers, now=site.now()))


@router.get("/api/guide")
def get_guide(request: Request, rater: CurrentRater) -> dict[str, str]:
    """The guide, for a rater who looks something up."""
    return {"html": draw_guide(site_of(request), rater.id)}


@router.post("/api/guide")
def guide_read(request: Request, rater: CurrentRater) -> Stage:
    """Remember that the rater has read the guide."""
    site = site_of(request)
    practice = {**Practice.of(rater).to_dict(), "guide": True}
    return next_stage(site, site.store.update_rater(rater.id, practice=practice, now=site.now()))


@router.post("/api/headphones")
def headphones_heard(request: Request, rater: CurrentRater, body: Headphones) -> Stage:
    """Keep how many tones were told apart; it decides nothing."""
    site = site_of(request)
    details = {**rater.details, HEADPHONES: f"{body.right} of {body.rounds}"}
    return next_stage(site, site.store.update_rater(rater.id, details=details, now=site.now()))


@router.post("/api/submit")
def submit(request: Request, rater: CurrentRater, body: Sent) -> dict[str, Any]:
    """Store an answer; sent again with the same id it is stored once."""
    site = site_of(request)
    _check_skip(body)
    practice = site.practice(body.assignment)
    if practice is not None:
        return _submit_practice(site, rater, practice, body)
    slot = site.slot(body.assignment)
    check_given(site, rater, slot)
    sent = _submission(site, rater, site.trial(slot.trial), slot, body)
    receipt = site.store.submit(sent, now=sent.at, placed=still_placed(site, rater))
    return {"id": body.id, "status": receipt.status, "duplicate": receipt.duplicate}


def _check_skip(body: Sent) -> None:
    if body.status == "skipped" and body.reason not in SKIP_REASONS:
        raise RaterError(
            "A skipped trial needs a reason: one of %(allowed)s; got '%(given)s'.",
            allowed=", ".join(SKIP_REASONS),
            given=body.reason,
        )


def _answers(site: Site, trial: Trial, order: tuple[int, ...], body: Sent) -> tuple[Answer, ...]:
    """What was answered, turned back to systems; a skipped trial has no answers."""
    if body.status != "answered":
        return ()
    shown = parse_shown(body.answers)
    return turn_back(site.study, trial, order, shown, texts=site.texts(trial, order))


def _submission(
    site: Site, rater: Rater, trial: Trial, slot: Slot | None, body: Sent
) -> Submission:
    order = slot.order if slot else tuple(range(len(trial.systems)))
    answers = _answers(site, trial, order, body)
    known = site.known(trial)
    return Submission(
        id=f"{rater.id}/{body.id}",
        rater=rater.id,
        trial=trial.id,
        slot=slot.id if slot else None,
        round=trial.round,
        study_version=min(body.version or site.version, site.version),
        session=body.session,
        position=body.position,
        order=order,
        ms=body.ms,
        timing=body.timing,
        at=site.now(),
        status=body.status,
        reason=body.reason if body.status == "skipped" else None,
        comment=(body.comment or "").strip() or None,
        correct=is_right(site.study, known, answers) if known and answers else None,
        answers=answers,
    )


def _submit_practice(site: Site, rater: Rater, trial: Trial, body: Sent) -> dict[str, Any]:
    """Store a practice answer and explain the right one; each trial counts once in a try."""
    if body.status != "answered":
        raise RaterError("A practice trial cannot be skipped; give the answer you find best.")
    sent = _submission(site, rater, trial, None, body)
    receipt = site.store.submit(sent, now=sent.at)
    correct = sent.correct is not False
    before = Practice.of(rater)
    after = before
    todo = site.plan.practice[len(before.right) :] if before.passed is None else ()
    if not receipt.duplicate and todo and todo[0] == trial.id:
        total, mark = len(site.plan.practice), site.study.quality.practice_pass
        after = before.after(correct=correct, total=total, mark=mark)
        site.store.update_rater(rater.id, practice=after.to_dict(), now=site.now())
    feedback = draw_feedback(site, trial, sent.answers, correct=correct, practice=after)
    return {"id": body.id, "status": receipt.status, "feedback": feedback}


@router.put("/api/draft")
def draft(request: Request, rater: CurrentRater, body: Draft) -> dict[str, str]:
    """Keep what is answered so far, for another device or a lost browser."""
    site = site_of(request)
    if site.practice(body.assignment) is None and still_placed(site, rater):
        slot = site.slot(body.assignment)
        check_given(site, rater, slot)
        site.store.save_draft(rater.id, slot.trial, body.draft, now=site.now())
    return {"status": "kept"}


@router.get("/api/past/{assignment}")
def get_past(request: Request, rater: CurrentRater, assignment: str) -> dict[str, Any]:
    """One of the rater's earlier trials, with what they answered."""
    site = site_of(request)
    past = show_past(site, rater, assignment)
    slot = past.pop("slot")
    trial = site.trial(slot.trial)
    data = trial_data(site, trial, slot.order, name=assignment, rater=rater.id)
    return {**data, **past, "bar": bar_of(site, past["position"], rater.group)}


@router.post("/api/problem")
def report_problem(request: Request, rater: CurrentRater, body: Trouble) -> dict[str, str]:
    """Tell the organizer what is wrong with a trial; it stays as it is."""
    site = site_of(request)
    words = body.words.strip()
    if not words:
        raise RaterError("Please say in a few words what is wrong.")
    practice = site.practice(body.assignment)
    if practice is None:
        slot = site.slot(body.assignment)
        check_given(site, rater, slot)
    trial = practice.id if practice else slot.trial
    site.store.event(
        "problem", rater=rater.id, trial=trial, detail={"words": words}, now=site.now()
    )
    return {"status": "kept"}


@router.post("/api/leave")
def leave(request: Request, rater: CurrentRater, body: Leaving) -> dict[str, str]:
    """The page goes away: what it holds and nobody began goes back to the others."""
    site = site_of(request)
    keep = [site.slot(name).id for name in body.keep]
    site.store.release(rater.id, until=body.until, keep=keep, now=site.now())
    return {"status": "left"}


@router.post("/api/break")
def take_break(request: Request, rater: CurrentRater) -> Stage:
    """A break; what was fetched ahead goes back to the others."""
    return pause(site_of(request), rater)


@router.post("/api/stop")
def stop(request: Request, rater: CurrentRater) -> Stage:
    """Stop here: answers are kept, slots released, the code shown."""
    site = site_of(request)
    now = site.now()
    if rater.finished_at is None and is_done(site, rater):
        rater = site.store.update_rater(rater.id, finished_at=now, now=now)
    elif rater.finished_at is None:
        rater = site.store.update_rater(rater.id, stopped_at=now, now=now)
    return next_stage(site, rater)


@router.post("/api/more")
def go_on(request: Request, rater: CurrentRater) -> Stage:
    """Go on with what others left, though everything that was asked for is done."""
    site = site_of(request)
    details = {**rater.details, MORE: "yes"}
    return next_stage(site, site.store.update_rater(rater.id, details=details, now=site.now()))


@router.post("/api/withdraw")
def withdraw(request: Request, rater: CurrentRater) -> Stage:
    """Withdraw: every response of the rater is left out of the analysis."""
    site = site_of(request)
    now = site.now()
    return next_stage(site, site.store.update_rater(rater.id, withdrawn_at=now, now=now))
