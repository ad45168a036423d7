"""A study served for a test: written, planned, stored, and live on a free port of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from socket import socket

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from jurybox.cli.ready import find_truth
from jurybox.design import make_plan
from jurybox.store import Store
from jurybox.study import Material, Study, load_material, load_study
from jurybox.web.app import Offers, create_app
from tests.databases import ensure_database
from tests.patience import PATIENCE

ADMIN = "organizer-token-for-tests"


def now() -> datetime:
    return datetime.now(tz=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A study with its app."""

    study: Study
    material: Material
    store: Store
    app: FastAPI


@contextmanager
def open_study(
    directory: Path,
    *,
    database: str | Path | None = None,
    clock: Callable[[], datetime] = now,
    offers: Offers | None = None,
) -> Iterator[Served]:
    """Plan the study in a folder, store the plan, and give its app."""
    study = load_study(directory)
    material = load_material(study)
    truth = find_truth(study, material)
    if not database:
        database = ensure_database(directory / "study.db")
    with Store.open(database, secret=b"secret of the tests") as store:
        version = store.save_version(
            study.model_dump_json(), study.hash(), material.hash(), kind="first", now=clock()
        )
        store.save_plan(
            make_plan(study, material),
            version=version,
            truth=truth,
            now=clock(),
        )
        if study.quality.calibration is not None:
            before = make_plan(study, material, round="calibration")
            store.save_plan(before, version=version, truth=truth, now=clock())
        app = create_app(study, material, store, now=clock, admin_token=ADMIN, offers=offers)
        yield Served(study=study, material=material, store=store, app=app)


class _Server(uvicorn.Server):
    """A server that tells when it is ready."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


VISITS: list[Callable[[], None]] = []
"""How each browser leaves the pages it shows, which would ask a server that is gone in vain."""


@contextmanager
def live(app: ASGIApp, *, port: int = 0, crashes: bool = False) -> Iterator[str]:
    """Serve the app from a thread; gives its address. One that crashes leaves pages behind."""
    server = _Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    if not server.ready.wait(PATIENCE):
        raise RuntimeError("the server did not start")
    try:
        taken = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{taken}"
    finally:
        for leave in () if crashes else VISITS:
            leave()
        server.should_exit = True
        thread.join(PATIENCE)
