"""The organizer's pages: how far the study is, who rates, what raters see, results, export.

The page itself holds nothing; its script asks for each part with the organizer's token in a header.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from jurybox.web.access import Organizer, site_of
from jurybox.web.organizer import (
    calibration,
    exports,
    invitations,
    problems,
    progress,
    raters,
    results,
    trials,
)
from jurybox.web.pages import draw_page

__all__ = ["router"]

router = APIRouter()


@router.get("/organizer", response_class=HTMLResponse)
def page(request: Request) -> HTMLResponse:
    """The organizer's page, empty until its script has shown the token."""
    return HTMLResponse(draw_page(site_of(request), "organizer.html", mode="organizer"))


_closed = APIRouter(prefix="/api/organizer", dependencies=[Organizer])
for _part in (progress, raters, trials, problems, invitations, calibration, results, exports):
    _closed.include_router(_part.router)
router.include_router(_closed)
router.include_router(results.open_router)
