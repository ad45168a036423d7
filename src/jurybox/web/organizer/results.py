"""The results so far, with names hidden until somebody has them shown; and the report."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field

from jurybox.errors import AnalysisError, RaterError
from jurybox.screen.prose import draw_markdown
from jurybox.store import Progress
from jurybox.web.access import site_of
from jurybox.web.guard import Denied, report_policy
from jurybox.web.names import UNBLINDED, hidden_names, unblinding
from jurybox.web.organizer.charts import draw_intervals
from jurybox.web.organizer.part import answers_state, draw_part, read_progress, remember
from jurybox.web.site import Site

__all__ = ["open_router", "router"]

router = APIRouter()
open_router = APIRouter()
"""What is opened by address alone: the report, whose address is sealed and soon runs out."""

SEEN = "results seen"
NOTHING = "no answer of the main round is in yet: results show here as soon as there are some"
"""Said where the command line would say how answers are collected, which goes on here already."""
REPORT_MINUTES = 10
CALLED = {"first": "ranked first", "points": "error points per output"}
"""What the chart shows, where the kind of finding alone would not say it."""

# How often at least one of n looks at accumulating data finds p < 0.05 where there is nothing:
# Armitage, McPherson and Rowe (1969), doi:10.2307/2343787, table 2.
FALSE_ALARMS = {1: 0.05, 2: 0.083, 3: 0.107, 4: 0.126, 5: 0.142, 10: 0.193, 20: 0.248, 50: 0.32}


def false_alarms(looks: int) -> float:
    """The share of studies of nothing in which at least one of so many looks claims something.

    Between the numbers of looks in the table the smaller one is taken, so the share is at least so
    large.

    >>> [false_alarms(n) for n in (1, 5, 7, 400)]
    [0.05, 0.142, 0.142, 0.32]
    """
    return FALSE_ALARMS[max(n for n in FALSE_ALARMS if n <= max(looks, 1))]


@router.get("/results")
def results(request: Request) -> dict[str, str]:
    """The results so far, if there is an analysis; that they were looked at is kept."""
    site = site_of(request)
    progress = read_progress(site)
    values: dict[str, Any] = {
        "progress": progress,
        "unblinded": unblinding(site),
        "report": site.offers.report is not None,
        "offered": site.offers.analyze is not None,
        "analysis": None,
        "problem": None,
    }
    if site.offers.analyze is not None:
        try:
            found = _look(site)
        except AnalysisError as error:  # too early, mostly; the sentence says what is missing
            said = str(error) if site.store.submissions(round="main", limit=1) else NOTHING
            problem = f"{said[:1].upper()}{said[1:].rstrip('.')}."
            return draw_part(site, "results", **{**values, "problem": problem})
        _count_look(site, progress)
        values |= found
    looks = len(site.store.events(SEEN))
    return draw_part(site, "results", **values, looks=looks, alarms=false_alarms(looks))


def _look(site: Site) -> dict[str, Any]:
    """The analysis as the page shows it, drawn once for all who look at the same answers."""
    analyze, names = site.offers.analyze, hidden_names(site)
    assert analyze is not None  # noqa: S101 - asked before

    def draw() -> dict[str, Any]:
        found = analyze(names)
        text = _let_tables_scroll(draw_markdown(_body(found.to_markdown())))
        return {"analysis": found, "charts": _charts(found), "text": text}

    return remember(site, "analysis", (answers_state(site), tuple(names.items())), draw)


def _body(text: str) -> str:
    """An analysis without its title and headline, which the page shows itself."""
    lines = text.splitlines()
    kept = [line for line in lines if not line.startswith("# ")]
    return "\n".join(line for n, line in enumerate(kept) if not (line.startswith("**") and n < 4))


def _let_tables_scroll(html: Markup) -> Markup:
    """Wide tables scroll by themselves, and by the keyboard too: each in a group of its own.

    >>> print(_let_tables_scroll(Markup("<table></table>")))
    <div class="scroll" tabindex="0" role="group" aria-label="Table 1"><table></table></div>
    """
    first, *others = str(html).replace("</table>", "</table></div>").split("<table>")
    opened = '<div class="scroll" tabindex="0" role="group" aria-label="Table {}"><table>{}'
    wrapped = (opened.format(number, rest) for number, rest in enumerate(others, start=1))
    return Markup("".join([first, *wrapped]))  # noqa: S704 - what is put around clean HTML is ours


def _charts(analysis: Any) -> list[dict[str, Any]]:
    """The main figure of each system, by criterion: the first kind of finding that is about one."""
    of_one = [one for one in analysis.findings if len(one.systems) == 1]
    first = [one for one in of_one if one.standing not in ("quality", "set")][:1]
    if not first:
        return []
    kind = first[0].kind
    what = CALLED.get(kind, kind.replace("_", " "))
    alike = [one for one in of_one if one.kind == kind]
    drawn = {
        criterion: draw_intervals([one for one in alike if one.criterion == criterion])
        for criterion in dict.fromkeys(one.criterion for one in alike)
    }
    return [{"what": what, "of": of, "dots": dots} for of, dots in drawn.items() if dots]


def _count_look(site: Site, progress: Progress) -> None:
    """Remember a look at results while answers come in; two at as many answers are one look.

    What a judge says, and what is answered in another round, gives no further chance to be misled.
    """
    if not 0 < progress.answered < progress.planned:
        return
    before = site.store.events(SEEN)
    if not before or before[-1].detail.get("answered") != progress.answered:
        site.store.event(SEEN, detail={"answered": progress.answered}, now=site.now())


class Unblinding(BaseModel):
    """Who has the names shown, knowing that it cannot be undone."""

    model_config = ConfigDict(extra="forbid")

    by: Annotated[str, Field(max_length=200)]
    sure: bool = False


@router.post("/unblind")
def unblind(request: Request, body: Unblinding) -> dict[str, str]:
    """Show the systems' names, for good; the report says who had them shown, and when."""
    site = site_of(request)
    if not body.by.strip() or not body.sure:
        raise RaterError("Give your name and confirm; showing the names cannot be undone.")
    if unblinding(site) is None:
        now = site.now()
        done = site.store.progress(now=now)
        detail = {"by": body.by.strip(), "answered": done.answered, "planned": done.planned}
        site.store.event(UNBLINDED, detail=detail, now=now)
    return {"said": UNBLINDED}


@router.post("/report")
def report_link(request: Request) -> dict[str, str]:
    """An address that shows the report for some minutes."""
    site = site_of(request)
    if site.offers.report is None:
        raise RaterError("This server was started without a report; use 'jurybox report'.")
    until = int((site.now() + timedelta(minutes=REPORT_MINUTES)).timestamp())
    return {"url": f"{site.root}report/{until}/{site.seals.name('report', str(until))}"}


@open_router.get("/report/{until}/{seal}", response_class=HTMLResponse)
def report(request: Request, until: int, seal: str) -> HTMLResponse:
    """The report, in a frame of its own: it can run its charts and reach nothing else."""
    site = site_of(request)
    right = hmac.compare_digest(seal.encode(), site.seals.name("report", str(until)).encode())
    if not right or site.now() > datetime.fromtimestamp(min(until, 2**40), tz=UTC):
        raise Denied(404, "This address has run out; open the report from the organizer's page.")
    if site.offers.report is None:
        raise Denied(404, "This server was started without a report; use 'jurybox report'.")
    _count_look(site, read_progress(site))
    page = site.offers.report(hidden_names(site))
    return HTMLResponse(page, headers={"Content-Security-Policy": report_policy(page)})
