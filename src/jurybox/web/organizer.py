"""The organizer's pages: how far the study is, who rates, what raters see, results, export.

The page itself holds nothing; its script asks for each part with the organizer's token in a header.
The report is the one thing opened by address alone, so its address is sealed and soon runs out.
"""

from __future__ import annotations

import csv
import hmac
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Annotated, Any, Literal, get_args
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from jurybox.design.plan import Trial, TrialId
from jurybox.errors import AnalysisError, RaterError
from jurybox.screen.prose import draw_markdown
from jurybox.store import Progress, Shape
from jurybox.study.groups import groups_of
from jurybox.study.model import RaterId
from jurybox.web.access import Organizer, clean_id, site_of
from jurybox.web.groups import invite_of, places_taken
from jurybox.web.guard import REPORT_POLICY, Denied
from jurybox.web.pages import draw_page
from jurybox.web.site import Site

__all__ = ["router"]

router = APIRouter()
closed = APIRouter(prefix="/api/organizer", dependencies=[Organizer])

_REPORT_MINUTES = 10


@router.get("/organizer", response_class=HTMLResponse)
def page(request: Request) -> HTMLResponse:
    """The organizer's page, empty until its script has shown the token."""
    return HTMLResponse(draw_page(site_of(request), "organizer.html", mode="organizer"))


def _part(site: Site, name: str, **values: Any) -> dict[str, str]:
    return {"html": draw_page(site, f"organizer-{name}.html", **values)}


@closed.get("/progress")
def progress(request: Request) -> dict[str, str]:
    """How far the study is, by trial, rater and system."""
    site = site_of(request)
    found = site.store.progress(now=site.now())
    slowest = sorted(found.trials, key=lambda one: (one.answered - one.planned, one.trial))
    return _part(
        site,
        "progress",
        progress=found,
        open_trials=slowest[:50],
        end=_end(site),
        groups=list(_group_rows(site, found)),
    )


def _group_rows(site: Site, found: Progress) -> Iterator[dict[str, Any]]:
    """The study's rater groups with their places and answers."""
    taken = places_taken(site)
    known = {one.group: one for one in found.groups}
    for name, group in groups_of(site.study).items():
        yield {
            "name": name,
            "taken": taken.get(name, 0),
            "quota": group.quota,
            "done": known.get(name),
        }


def _end(site: Site) -> datetime | None:
    """When the last answer is to be expected at the pace of the last day."""
    now = site.now()
    found = site.store.progress(now=now)
    since = now - timedelta(days=1)
    recent = [s for s in site.store.submissions(limit=5000) if s.received_at >= since]
    if len(recent) < 10 or found.answered >= found.planned:
        return None
    first = min(s.received_at for s in recent)
    pace = len(recent) / max((now - first).total_seconds(), 60.0)
    return now + timedelta(seconds=(found.planned - found.answered) / pace)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """One rater as the organizer sees them."""

    rater: RaterId
    group: str | None
    state: str
    answered: int
    planned: int
    skipped: int
    seconds: float | None
    """Median time for a trial."""
    gold: tuple[int, int]
    """Right and checked, gold and attention together."""
    same: float | None
    """Share of the most frequent score."""
    flags: tuple[str, ...]
    excluded: tuple[str, ...]
    paused: bool


@closed.get("/raters")
def raters(request: Request) -> dict[str, str]:
    """Who rates: pace, checks, flags."""
    site = site_of(request)
    return _part(site, "raters", rows=_rater_rows(site))


def _rater_rows(site: Site) -> list[RaterRow]:
    store = site.store
    progress = {row.rater: row for row in store.progress(now=site.now()).raters}
    checks = _grouped(store.table("checks"), "rater")
    times = _grouped(store.table("submissions"), "rater")
    scores = _grouped(store.table("ratings"), "rater")
    excluded: dict[RaterId, list[str]] = {}
    for mark in store.exclusions():
        excluded.setdefault(mark.rater, []).append(mark.rule)
    rows = []
    grouped = bool(groups_of(site.study))
    for rater in store.raters():
        if rater.kind != "person":
            continue
        done = progress.get(rater.id)
        answered = [one for one in times.get(rater.id, []) if one["status"] == "answered"]
        spent = [one["ms"] / 1000 for one in answered if one["ms"] is not None]
        checked = [one for one in checks.get(rater.id, []) if one["kind"] != "practice"]
        given = [one["score"] for one in scores.get(rater.id, [])]
        row = RaterRow(
            rater=rater.id,
            group=rater.group,
            state=_state(rater, placed=rater.group is not None or not grouped),
            answered=done.answered if done else 0,
            planned=done.planned if done else 0,
            skipped=done.skipped if done else 0,
            seconds=median(spent) if spent else None,
            gold=(sum(bool(one["correct"]) for one in checked), len(checked)),
            same=max(map(given.count, set(given))) / len(given) if len(given) > 9 else None,
            flags=(),
            excluded=tuple(excluded.get(rater.id, ())),
            paused=rater.paused,
        )
        rows.append(_flagged(site, row))
    return rows


def _grouped(table: dict[str, list[Any]], by: str) -> dict[Any, list[dict[str, Any]]]:
    """The rows of a columnar table by the value of one column."""
    groups: dict[Any, list[dict[str, Any]]] = {}
    for values in zip(*table.values(), strict=True):
        row = dict(zip(table, values, strict=True))
        groups.setdefault(row[by], []).append(row)
    return groups


def _state(rater: Any, *, placed: bool) -> str:
    if rater.withdrawn_at is not None:
        return "withdrawn"
    if rater.finished_at is not None:
        return "finished"
    if rater.stopped_at is not None:
        return "stopped"
    if rater.paused:
        return "paused"
    return "rating" if placed else "no place yet"


def _flagged(site: Site, row: RaterRow) -> RaterRow:
    """Add what the study's own exclusion rules say of this rater so far."""
    rules = site.study.quality.exclude
    right, checked = row.gold
    flags = []
    if rules.gold_below is not None and checked and right / checked < rules.gold_below:
        flags.append(f"gold {right} of {checked} right, below {rules.gold_below:.0%}")
    if rules.faster_than is not None and (row.seconds or rules.faster_than) < rules.faster_than:
        flags.append(f"median {row.seconds:.1f} s, faster than {rules.faster_than:g} s")
    if rules.straight_line is not None and row.same is not None and row.same > rules.straight_line:
        flags.append(f"one value in {row.same:.0%} of the scores")
    return replace(row, flags=tuple(flags))


class Change(BaseModel):
    """What to do with a rater."""

    model_config = ConfigDict(extra="forbid")

    rater: Annotated[str, Field(max_length=200)]
    action: Literal["pause", "resume"]


@closed.post("/raters")
def change_rater(request: Request, body: Change) -> dict[str, str]:
    """Pause a rater, or let them go on; both are recorded."""
    site = site_of(request)
    rater = RaterId(body.rater)
    if site.store.rater(rater) is None:
        raise Denied(404, f"There is no rater '{rater}' in this study.")
    site.store.update_rater(rater, paused=body.action == "pause", now=site.now())
    site.store.event(f"rater {body.action}d", rater=rater, now=site.now())
    return _part(site, "raters", rows=_rater_rows(site))


@closed.get("/trials")
def trials(request: Request, start: int = 0) -> dict[str, str]:
    """The trials, with how often each is answered."""
    site = site_of(request)
    found = {row.trial: row for row in site.store.progress(now=site.now()).trials}
    all_trials = [trial for trial in site.plan.trials if trial.kind != "practice"]
    shown = all_trials[start : start + 100]
    return _part(site, "trials", trials=shown, progress=found, start=start, total=len(all_trials))


@closed.get("/trials/{trial}")
def one_trial(request: Request, trial: str) -> dict[str, str]:
    """One trial as raters see it, with every response to it."""
    site = site_of(request)
    found = next((one for one in site.plan.trials if one.id == trial), None)
    if found is None:
        raise Denied(404, f"There is no trial '{trial}' in this study.")
    order = tuple(range(len(found.systems)))
    return _part(
        site,
        "trial",
        trial=found,
        picture=site.draw(found, order, with_form=False),
        responses=list(_responses(site, found)),
    )


def _responses(site: Site, trial: Trial) -> Iterator[dict[str, Any]]:
    for one in site.store.submissions(trial=TrialId(trial.id)):
        sent = one.submission
        answers = [
            {name: getattr(answer, name) for name in _VALUES if getattr(answer, name) is not None}
            for answer in sent.answers
        ]
        yield {
            "rater": sent.rater,
            "status": one.status,
            "reason": sent.reason,
            "comment": sent.comment,
            "seconds": None if sent.ms is None else sent.ms / 1000,
            "answers": answers,
        }


_VALUES = (
    *("criterion", "system", "score", "winner", "strength", "rank", "answer", "confidence"),
    *("reason_given", "start", "end", "category", "severity"),
)


@closed.get("/results")
def results(request: Request) -> dict[str, str]:
    """The results so far, if the server was started with an analysis."""
    site = site_of(request)
    try:
        text = site.offers.analyze({}).to_markdown() if site.offers.analyze else ""
    except AnalysisError as error:  # too early, mostly; the sentence says what is missing
        return _part(site, "results", results=draw_markdown(f"{error}."), report=False)
    site.store.event("results seen", now=site.now())
    shown = draw_markdown(text)
    return _part(site, "results", results=shown, report=site.offers.report is not None)


class Invitations(BaseModel):
    """For whom links are wanted."""

    model_config = ConfigDict(extra="forbid")

    raters: list[Annotated[str, Field(min_length=1, max_length=64)]] = Field(max_length=1000)
    group: Annotated[str, Field(max_length=200)] | None = None


@closed.get("/invitations")
def invitations(request: Request) -> dict[str, str]:
    """The form that makes personal links."""
    site = site_of(request)
    return _part(site, "invitations", links=(), groups=_invited_groups(site), group=None)


def _invited_groups(site: Site) -> tuple[str, ...]:
    """The groups of which an invitation says one; none where a list or the survey does."""
    raters, access = site.study.raters, site.study.access
    by_invitation = raters is not None and raters.by is None and access.listed is None
    return tuple(groups_of(site.study)) if by_invitation else ()


@closed.post("/invitations")
def invite(request: Request, body: Invitations) -> dict[str, str]:
    """Personal links for raters, one each."""
    site = site_of(request)
    base = request.app.state.public_url or str(request.base_url)
    named = [clean_id(one) for one in body.raters if one.strip()]
    page = f"{base.rstrip('/')}/"
    groups = _invited_groups(site)
    if groups and body.group not in groups:
        raise RaterError(f"Choose the group that you invite for: {', '.join(groups)}.")
    group = body.group if groups else None
    links = [
        (rater, f"{page}#invite={invite_of(site, rater, group)}&id={quote(rater, safe='')}")
        for rater in named
    ]
    return _part(site, "invitations", links=links, groups=groups, group=group)


@closed.get("/export/{shape}")
def export(request: Request, shape: Shape) -> Response:
    """One table shape as CSV."""
    site = site_of(request)
    table = site.store.table(shape, round=None, retests=True)
    headers = {"Content-Disposition": f'attachment; filename="{shape}.csv"'}
    return StreamingResponse(_as_csv(table), media_type="text/csv", headers=headers)


def _as_csv(table: dict[str, list[Any]]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    for number, row in enumerate(zip(*table.values(), strict=True)):
        writer.writerow(["" if value is None else value for value in row])
        if number % 500 == 0:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


@closed.get("/export")
def exports(request: Request) -> dict[str, str]:
    """What can be exported."""
    return _part(site_of(request), "export", shapes=get_args(Shape))


@closed.post("/report")
def report_link(request: Request) -> dict[str, str]:
    """An address that shows the report for some minutes."""
    site = site_of(request)
    if site.offers.report is None:
        raise RaterError("This server was started without a report; use 'jurybox report'.")
    until = int((site.now() + timedelta(minutes=_REPORT_MINUTES)).timestamp())
    return {"url": f"report/{until}/{site.seals.name('report', str(until))}"}


@router.get("/report/{until}/{seal}", response_class=HTMLResponse)
def report(request: Request, until: int, seal: str) -> HTMLResponse:
    """The report, in a frame of its own: it can run its charts and reach nothing else."""
    site = site_of(request)
    right = hmac.compare_digest(seal.encode(), site.seals.name("report", str(until)).encode())
    if not right or site.now() > datetime.fromtimestamp(min(until, 2**40), tz=UTC):
        raise Denied(404, "This address has run out; open the report from the organizer's page.")
    if site.offers.report is None:
        raise Denied(404, "This server was started without a report; use 'jurybox report'.")
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return HTMLResponse(site.offers.report({}), headers=headers)


router.include_router(closed)
