"""`jurybox serve`: the study in the browser, for raters and for the organizer."""

from __future__ import annotations

import gc
import json
import secrets
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jurybox.cli.lines import bullet
from jurybox.cli.place import DatabaseOption, StudyArgument, open_store, study_directory
from jurybox.errors import InputError, SpecError, StoreError
from jurybox.results import format_count

if TYPE_CHECKING:
    from fastapi import FastAPI

    from jurybox.analysis.calibrating import CriterionAgreement
    from jurybox.analysis.finding import Analysis
    from jurybox.analysis.raters.overview import RaterOverview
    from jurybox.cli.ready import Ready
    from jurybox.design.set_checks import SetCheck
    from jurybox.store import Store
    from jurybox.study import Material, Study
    from jurybox.web.app import Contents, Offers

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
    with open_store(directory, database) as store, _listen(host, port) as listening:
        app, token = make_app(directory, store, public_url=public_url, tell=typer.echo)
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
    *,
    public_url: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> tuple[FastAPI, str]:
    """The app of a checked and planned study, and the organizer's token.

    What changed in the study since it was last planned or served goes to ``tell``, line by line.
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
    token = store.setting(TOKEN)
    if token is None:
        token = secrets.token_urlsafe(24)
        store.set_setting(TOKEN, token)
    app = create_app(
        ready.study,
        ready.material,
        store,
        now=lambda: datetime.now(UTC),
        admin_token=token,
        public_url=public_url,
        offers=_offers(ready.study, ready.material, store),
        reread=lambda: _reread(directory, store),
    )
    return app, token


def _reread(directory: Path, store: Store) -> Contents:
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
    return Contents(study=study, material=material, offers=_offers(study, material, store))


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


def _offers(study: Study, material: Material, store: Store) -> Offers:
    """What the organizer's pages take from other rooms, made when it is asked for.

    ``names`` are those of the systems until the organizer unblinds; then there are none.
    """
    from jurybox.analysis.blinded import BlindStore, blind_material, blind_study
    from jurybox.web.app import Offers

    def analyzed(names: Mapping[str, str]) -> Analysis:
        from jurybox.analysis.api import analyze

        return analyze(
            BlindStore(store, names) if names else store,
            study=blind_study(study, names),
            material=blind_material(material, names) if names else material,
        )

    @cache  # media take long to look at, and do not change while they are served
    def checked(names: tuple[tuple[str, str], ...]) -> tuple[SetCheck, ...]:
        from jurybox.cli.set_check import check_fairness

        called = dict(names)
        seen = blind_material(material, called) if called else material
        return check_fairness(blind_study(study, called), seen, plan=store.load_plan())

    def report(names: Mapping[str, str]) -> str:
        from jurybox.analysis.set_chapter import add_set
        from jurybox.report import html
        from jurybox.report.nothing import nothing_yet
        from jurybox.study.guide import make_guide

        guide, called = make_guide(study, material), blind_study(study, names)
        seen = blind_material(material, names) if names else material
        answered = store.progress().answered
        analysis = analyzed(names) if answered else nothing_yet(called, seen)
        return html(add_set(analysis, checked(tuple(names.items()))), study=called, guide=guide)

    def raters() -> RaterOverview:
        from jurybox.analysis.raters.overview import look_at_raters

        return look_at_raters(store, study=study, material=material)

    def rules() -> dict[str, str]:
        from jurybox.analysis.raters.overview import find_broken_rules

        return find_broken_rules(store, study=study)

    def calibration() -> tuple[CriterionAgreement, ...]:
        from jurybox.analysis.calibrating import RoundStore, round_agreement

        return round_agreement(RoundStore(store, "calibration"), study=study)

    return Offers(
        analyze=analyzed, report=report, raters=raters, rules=rules, calibration=calibration
    )


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
