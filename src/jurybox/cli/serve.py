"""`jurybox serve`: the study in the browser, for raters and for the organizer."""

from __future__ import annotations

import gc
import json
import secrets
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jurybox.cli.aside import Aside
from jurybox.cli.lines import bullet
from jurybox.cli.offers import make_offers
from jurybox.cli.place import DatabaseOption, StudyArgument, open_store, study_directory
from jurybox.errors import InputError, SpecError, StoreError
from jurybox.results import format_count

if TYPE_CHECKING:
    from fastapi import FastAPI

    from jurybox.cli.ready import Ready
    from jurybox.store import Store
    from jurybox.web.app import Contents

__all__ = ["make_app", "serve"]

TURN = 0.0005
"""Seconds that a thread computes while others wait."""
TOKEN = "organizer_token"  # noqa: S105 - the name of the setting, not its value


def serve(
    study: StudyArgument = Path(),
    host: Annotated[
        str, typer.Option(help="The address to listen on; 127.0.0.1 is this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8321,
    public_url: Annotated[
        str | None,
        typer.Option("--public-url", help="Where raters reach the server, as https://host/prefix."),
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Serve the study: print the raters' link and the organizer's, and collect until Ctrl+C."""
    from jurybox.web.address import read_public_url

    directory = study_directory(study)
    public_url = None if public_url is None else read_public_url(public_url)
    with (
        open_store(directory, database) as store,
        _listen(host, port) as listening,
        Aside(store) as aside,
    ):
        app, token = make_app(directory, store, aside, public_url=public_url, tell=typer.echo)
        base = public_url or _address(host, listening)
        typer.echo(f"Raters      {base}")
        typer.echo(f"Organizer   {base}organizer#token={token}")
        typer.echo(f"Preview     {base}preview#token={token}")
        typer.echo("Stop with Ctrl+C; every answer is stored as it comes.")
        _run(app, listening)
        done = store.progress()
    typer.echo(f"Stopped. {done.answered:,} of {done.planned:,} planned answers are stored.")


def make_app(
    directory: Path,
    store: Store,
    aside: Aside | None = None,
    *,
    public_url: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> tuple[FastAPI, str]:
    """The app of a checked and planned study, and the organizer's token.

    What the organizer looks at is counted ``aside``, so that raters do not wait for it. What
    changed in the study since it was last planned or served goes to ``tell``, line by line.
    The token is kept in the store, so that links stay good when the server is started again.
    """
    from jurybox.cli.ready import ready_study
    from jurybox.screen.media import check_media
    from jurybox.web.app import create_app

    ready = ready_study(directory, store, now=datetime.now(UTC))
    if ready.study.quality.calibration is not None and not store.progress().answered:
        ready_study(directory, store, now=datetime.now(UTC), round="calibration")
    problems = check_media(ready.study, ready.material)
    if problems:
        raise SpecError(problems)
    for line in _say_ready(ready):
        tell(line)
    token = store.keep_setting(TOKEN, secrets.token_urlsafe(24))
    app = create_app(
        ready.study,
        ready.material,
        store,
        now=lambda: datetime.now(UTC),
        admin_token=token,
        public_url=public_url,
        offers=make_offers(ready.study, ready.material, store, aside),
        reread=lambda: _reread(directory, store, aside),
    )
    return app, token


def _reread(directory: Path, store: Store, aside: Aside | None) -> Contents:
    """The study as its files are now, which must be as it was planned last."""
    from jurybox.screen.media import check_media
    from jurybox.study import load_material, load_study
    from jurybox.study.versions import compare, snapshot
    from jurybox.web.app import Contents

    study = load_study(directory)
    material = load_material(study)
    latest = store.latest_version()
    if latest is not None:
        changes = compare(json.loads(latest.study_json), snapshot(study, material))
        if changes:
            since = "; ".join(change.sentence.rstrip(".") for change in changes)
            raise StoreError(f"{directory}: the study changed after it was planned ({since}).")
    if problems := check_media(study, material):
        raise SpecError(problems)
    offers = make_offers(study, material, store, aside)
    return Contents(study=study, material=material, offers=offers)


def _say_ready(ready: Ready) -> Iterator[str]:
    """What became of the plan, then each change, behind a bullet."""
    if ready.outcome == "extended":
        trials = sum(trial.kind == "main" for trial in ready.plan.trials)
        size = f"{format_count(trials, 'trial')} and {format_count(len(ready.plan.slots), 'slot')}"
        yield f"The study changed, and the plan grew to {size}; answers so far keep their place."
    elif ready.outcome == "kept":
        yield "The study changed; the plan stays as it is."
    for change in ready.changes:
        yield bullet(change.sentence, shutil.get_terminal_size().columns)


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that the links can be printed before the first request."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        # From here on a browser that follows a printed link waits instead of being refused.
        made.listen(2048)
    except OSError as error:
        made.close()
        raise InputError(
            f"--host {host} --port {port}: cannot listen there ({error.strerror}); "
            "another server may run; choose another port, or --port 0 for a free one."
        ) from None
    return made


def _address(host: str, listening: socket.socket) -> str:
    port = listening.getsockname()[1]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _run(app: FastAPI, listening: socket.socket) -> None:
    """Serve until Ctrl+C; requests that have begun are answered first."""
    import uvicorn

    # An answer is stored in many small steps, and after each of them the thread waits for its turn:
    # while a page is counted, five milliseconds each time, as Python usually has it.
    sys.setswitchinterval(TURN)
    # What was made so far lives as long as the server: each search for garbage in all of it would
    # stop every request for over a tenth of a second.
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=5)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
