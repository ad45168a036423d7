"""`jurybox demo`: one study with planted truth, from the file to the report, then served."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from jurybox.cli.bars import progress_bars
from jurybox.cli.lines import bullet, paragraph
from jurybox.cli.place import open_store

if TYPE_CHECKING:
    from fastapi import FastAPI

    from jurybox.analysis import Analysis
    from jurybox.cli.ready import Ready
    from jurybox.store import Store
    from jurybox.study import Study

__all__ = ["demo", "demo_app"]

HOST = "127.0.0.1"


def demo(
    directory: Annotated[
        Path, typer.Argument(help="The directory to write the demo study to.")
    ] = Path("demo-study"),
    serve: Annotated[
        bool, typer.Option("--serve/--no-serve", help="Serve the study after the report.")
    ] = True,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="The port to serve on; if it is taken, another one."),
    ] = 8000,
    seed: Annotated[int, typer.Option(min=0, help="The seed of plan, raters and analysis.")] = 7,
) -> None:
    """Plan, rate, analyze and report a study whose truth is known, with simulated raters."""
    console = Console(highlight=False)
    made = _make(directory, seed, console)
    with made.store:
        _print(console, made)
        console.print(f"\nReport: {made.report}", markup=False, soft_wrap=True)
        if serve:
            _serve(console, made, port)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """The demo after its analysis."""

    directory: Path
    store: Store
    study: Study
    analysis: Analysis
    report: Path


def _make(directory: Path, seed: int, console: Console) -> _Made:
    """Write the study, let the raters answer, analyze and report."""
    from jurybox.cli.ready import ready_study
    from jurybox.simulate.demo import DEMO_RATERS, demo_truth, write_demo_study
    from jurybox.simulate.run import run

    begun = datetime.now(UTC) - timedelta(hours=2)
    with progress_bars(console) as bar:
        write_demo_study(directory, seed=seed, progress=bar("Drawing the outputs"))
        store = open_store(directory)
        ready = ready_study(directory, store, now=begun)
        run(
            ready.study,
            ready.material,
            ready.plan,
            store,
            demo_truth(),
            seed=seed,
            now=begun,
            raters=DEMO_RATERS,
            progress=bar("Simulated raters answer"),
        )
        analysis, report = _conclude(directory, store, ready, seed, bar("Analyzing, reporting"))
    return _Made(
        directory=directory, store=store, study=ready.study, analysis=analysis, report=report
    )


def _conclude(
    directory: Path, store: Store, ready: Ready, seed: int, tell: Callable[[int, int], None]
) -> tuple[Analysis, Path]:
    from jurybox.analysis import analyze
    from jurybox.cli.set_check import with_set
    from jurybox.report import write_report
    from jurybox.report.fieldwork import Fieldwork, comments_in
    from jurybox.report.fieldwork.breaks import breaks_in
    from jurybox.study.guide import make_guide

    tell(0, 2)
    found = analyze(store, study=ready.study, material=ready.material, seed=seed)
    analysis = with_set(found, ready.study, ready.material, ready.plan)
    tell(1, 2)
    sent = store.table("submissions")
    paths = write_report(
        analysis,
        directory / "report",
        study=ready.study,
        guide=make_guide(ready.study, ready.material),
        fieldwork=Fieldwork(
            material=ready.material,
            plan=ready.plan,
            comments=comments_in(sent, ready.plan),
            breaks=breaks_in(sent, ready.plan.round),
        ),
        formats=("html", "md", "json", "csv"),
    )
    tell(2, 2)
    return analysis, paths[0]


def _print(console: Console, made: _Made) -> None:
    from rich.table import Table

    from jurybox.results import format_interval, format_number
    from jurybox.simulate.demo import PRIMARY, demo_truth
    from jurybox.simulate.demo.verdict import (
        compare_with_truth,
        say_flagged,
        say_open,
        say_plain,
    )

    headline = made.analysis.headline.sentence if made.analysis.headline else ""
    console.print(f"\n{paragraph(headline, console.width)}\n", markup=False, soft_wrap=True)
    table = Table(title=f"Mean {PRIMARY}: planted and found", title_justify="left")
    for heading in ("System", "Planted truth", "Estimate", "95% interval", "Covers"):
        table.add_column(heading, justify="left" if heading == "System" else "right")
    for row in compare_with_truth(made.analysis, made.study, demo_truth()):
        table.add_row(
            row.system,
            format_number(row.truth),
            row.result.format(row.result.estimate),
            format_interval(row.result.interval),
            {True: "✓", False: "✗", None: "–"}[row.covers],
        )
    console.print(table)
    flagged, *each = say_flagged(made.analysis)
    lines = [
        bullet(flagged, console.width),
        *(bullet(one, console.width, indent=2, mark="–") for one in each),
        bullet(say_plain(made.analysis, made.store.table("ratings")), console.width),
        bullet(say_open(made.analysis), console.width),
    ]
    console.print("\n".join(["", *lines]), markup=False, soft_wrap=True)


def _serve(console: Console, made: _Made, port: int) -> None:
    """Serve three links until the person stops it."""
    import uvicorn

    guest = _write_guest(made.directory)
    with _listen(port) as listening, open_store(guest) as answers:
        app, token = demo_app(
            made.directory, made.store, report=made.report, guest=guest, answers=answers
        )
        base = f"http://{HOST}:{listening.getsockname()[1]}"
        console.print("\nOpen one of these in a browser:\n")
        for name, path in (
            ("Rate as a guest", "/"),
            ("Organizer", f"/demo/organizer#token={token}"),
            ("Report", "/report.html"),
        ):
            # Not wrapped: a link in two pieces cannot be followed.
            console.print(f"  {name:<17} {base}{path}", markup=False, soft_wrap=True, style="bold")
        console.print("\nThey are served until Ctrl+C.")
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def _listen(port: int) -> socket.socket:
    """A socket on the port, or on any free one if somebody listens there."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
    except OSError:
        made.bind((HOST, 0))
    # From here on a browser that follows a printed link waits instead of being refused.
    made.listen(2048)
    return made


def _write_guest(directory: Path) -> Path:
    """The same study beside the demo, where a guest's answers do not mix with the planted ones."""
    folder = directory / "guest"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(directory / "pictures", folder / "pictures")
    for name in ("study.yaml", "items.csv", "outputs.csv", "gold.csv", "practice.csv"):
        shutil.copy(directory / name, folder / name)
    return folder


def demo_app(
    directory: Path, store: Store, *, report: Path, guest: Path, answers: Store
) -> tuple[FastAPI, str]:
    """The guest's study at the root, the demo's organizer beside it, and the report as it is."""
    from fastapi import FastAPI
    from starlette.responses import HTMLResponse, RedirectResponse

    from jurybox.cli.serve import make_app
    from jurybox.web.guard import Guard, report_policy

    organizer, token = make_app(directory, store)
    rater, _ = make_app(guest, answers)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    text = report.read_text(encoding="utf-8")
    headers = {"Content-Security-Policy": report_policy(text)}
    app.add_route("/report.html", lambda _: HTMLResponse(text, headers=headers))
    for path in ("/demo", "/demo/"):
        app.add_route(path, lambda _: RedirectResponse("/demo/organizer"))
    app.add_middleware(Guard)
    app.mount("/demo", organizer)
    app.mount("/", rater)
    return app, token
