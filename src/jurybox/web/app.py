"""The web app of one study: rater pages, organizer pages, HTTP API, static files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import Depends, FastAPI

from jurybox.web import organizer, preview, rater
from jurybox.web.address import read_public_url, root_of
from jurybox.web.guard import Guard, answer_errors
from jurybox.web.renewal import Renewal, renew
from jurybox.web.site import Contents, Offers, Site
from jurybox.web.static_files import Static

if TYPE_CHECKING:
    from jurybox.store import Store
    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["Contents", "Offers", "create_app"]


def create_app(
    study: Study,
    material: Material,
    store: Store,
    *,
    now: Callable[[], datetime],
    admin_token: str,
    public_url: str | None = None,
    offers: Offers | None = None,
    reread: Callable[[], Contents] | None = None,
) -> FastAPI:
    """The app that serves a study whose plan is in the store.

    Parameters
    ----------
    study, material, store
        The study, what it shows, and its memory. The store stays the caller's to close.
    now
        Gives the time, aware and in UTC.
    admin_token
        Opens the organizer's pages; sent as a header, never in an address.
    public_url
        Where raters reach the server: every link and address in the pages begins with it, whether
        or not what stands before the server takes its path off. Without it they are relative.
    offers
        What other rooms do for the organizer: analysis, report and guide.
    reread
        Gives what is served after the store has another version of the study, or a plan that
        grew; an error of ours says that the files do not fit it. Without it nothing but the plan
        is read again.
    """
    app = FastAPI(
        title="jurybox",
        dependencies=[Depends(renew)],
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    public_url = None if public_url is None else read_public_url(public_url)
    first = Contents(study=study, material=material, offers=offers or Offers())

    def make(contents: Contents) -> Site:
        root = root_of(public_url)
        return Site(contents, store, now=now, admin_token=admin_token, root=root)

    app.state.site = site = make(first)
    app.state.renewal = Renewal(app.state, lambda: make(first if reread is None else reread()))
    app.state.public_url = public_url
    answer_errors(app)
    app.include_router(rater.router)
    app.include_router(preview.router)
    app.include_router(organizer.router)
    static = Static(
        directory=Path(__file__).parent / "static", packages=[("jurybox.screen", "static")]
    )
    app.mount("/static", static, name="static")
    if prefix := site.root.rstrip("/"):  # for a proxy that leaves it on, and for this machine
        app.mount(prefix, app.router)
    app.add_middleware(Guard)
    return app
