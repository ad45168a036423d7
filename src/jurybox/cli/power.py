"""`jurybox plan --detect`, `--budget`, `--monthly`: how many items, raters and hours it takes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from jurybox.cli.how_many import HowMany
from jurybox.cli.sizes import monthly, print_found, print_monthly, say, say_lines, to_plain
from jurybox.errors import InputError, OptionError
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.simulate.asked import Contrast
    from jurybox.simulate.looking import Search
    from jurybox.simulate.scenario import Compared, Scenario
    from jurybox.simulate.search import Found
    from jurybox.simulate.sizes import Limits, Work

__all__ = ["how_many"]

SECONDS = {"rate": 20.0, "compare": 15.0, "rank": 15.0, "detect": 10.0, "mark": 60.0}
"""Per output on a screen, where nothing says how long a trial takes."""
SPAN = 4.0
"""Of a scale from 1 to 5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Basis:
    """What is assumed, and the sentences that say so."""

    scenario: Scenario
    work: Work
    limits: Limits
    said: tuple[str, ...]
    available: int | None = None
    """The items that the study has."""


def how_many(path: Path, asked: HowMany, *, database: str | None, as_json: bool) -> None:
    """Answer how many, in the terminal or as JSON."""
    from rich.console import Console

    _check(asked)
    basis = _basis(path, asked, database)
    console = Console(soft_wrap=True, highlight=False)
    found = None
    if any(x is not None for x in (asked.detect, asked.budget, asked.hours)):
        found = _search(asked, basis)
    rows = monthly(asked, basis.work, found) if asked.monthly else []
    if as_json:
        data = {"assumed": basis.said, "found": found and to_plain(found), "monthly": rows}
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    for sentence in basis.said:
        say_lines(console, sentence)
    if found is not None:
        print_found(console, found, asked, basis.scenario, available=basis.available)
    if rows:
        print_monthly(console, rows)


def _check(asked: HowMany) -> None:
    """Refuse what no study could have."""
    if sum(x is not None for x in (asked.detect, asked.budget, asked.hours)) > 1:
        raise OptionError("Give one of --detect, --budget and --hours.")
    for name, most in (("budget", "so much money"), ("hours", "so many hours")):
        given = getattr(asked, name)
        if given is not None and not 0 < given < math.inf:
            raise OptionError(f"--{name} is {most} as there is, above 0; got {given:g}.")


def _basis(path: Path, asked: HowMany, database: str | None) -> _Basis:
    from jurybox.simulate.asked import Contrast
    from jurybox.simulate.scenario import POINTS, Scenario, default_scatter
    from jurybox.simulate.sizes import Limits, Work

    known = _read_study(path, asked, database)
    contrast = known.contrast or Contrast(
        protocol=asked.protocol or "rate",
        systems=asked.systems or (1 if asked.protocol == "detect" else 2),
        compared="all",
        span=POINTS if asked.protocol == "mark" else _span(asked.scale),
    )
    if asked.criterion is not None and asked.pilot is None:
        raise OptionError("--criterion chooses one of a pilot's: give --pilot with it.")
    if contrast.protocol == "rate" and abs(asked.detect or 0) > contrast.span:
        raise OptionError(
            f"--detect asks for a difference of {asked.detect:g}, and the scale is "
            f"{contrast.span:g} long; give it in points of the scale."
        )
    pay = _pay(asked.pay)
    if asked.budget is not None and pay is None:
        raise OptionError("--budget is money: say with --pay what an hour costs, as --pay 12.")
    settings: dict[str, Any] = {"ties": contrast.ties}
    if contrast.protocol == "mark":
        settings["points"] = contrast.span
    if asked.pilot is None:
        scatter = default_scatter(contrast.protocol, contrast.span)
        source = "documented defaults; --pilot takes them from responses"
    else:
        from jurybox.simulate.pilot import read_pilot

        criterion = contrast.criterion or asked.criterion
        pilot = read_pilot(asked.pilot, contrast.protocol, criterion, asked=contrast.asked)
        scatter = pilot.scatter
        source = f"from {format_count(pilot.n_responses, 'response')} of {asked.pilot}"
        stated = {"ties": pilot.ties, "accepted": pilot.accepted, "points": pilot.points}
        settings |= {name: value for name, value in stated.items() if value is not None}
    effect = 0.01 if asked.detect is None else asked.detect
    scenario = Scenario(
        protocol=contrast.protocol,
        # A generated output that is less often taken for real, or one with fewer errors.
        effect=-abs(effect) if contrast.protocol in ("detect", "mark") else effect,
        scatter=scatter,
        systems=contrast.systems,
        compared=_compared(contrast, strengths=asked.strengths),
        strengths=asked.strengths,
        screens=contrast.screens,
        best=contrast.best,
        **{**known.settings, **settings},
    )
    shown = scenario.shown.on_screen(scenario.systems)
    seconds = known.seconds or shown * SECONDS[contrast.protocol]
    if asked.seconds is not None:
        seconds = asked.seconds
    work = Work(seconds=seconds, session=known.session, pay=pay)
    limits = Limits(
        overlap=asked.overlap or known.overlap,
        raters=asked.raters or known.raters,
        items=None if asked.detect is not None else known.items,
    )
    if limits.overlap and limits.raters and limits.overlap > limits.raters:
        raise InputError(
            f"Each output needs {limits.overlap} different raters (overlap), and there are "
            f"{limits.raters}; ask for more raters or a smaller overlap."
        )
    said = (*known.said, *say(scenario, work, source))
    return _Basis(scenario=scenario, work=work, limits=limits, said=said, available=known.items)


def _compared(contrast: Contrast, *, strengths: bool) -> Compared:
    """Which comparisons are one family."""
    if strengths:
        if contrast.protocol not in ("compare", "rank") or contrast.systems < 3:
            raise OptionError("--strengths is for votes on three systems or more, or rankings.")
        return "all" if contrast.compared == "one" else contrast.compared
    alone = 1 if contrast.protocol == "detect" else 2
    return contrast.compared if contrast.systems > alone else "one"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What a study says; outside of one, nothing."""

    contrast: Any = None
    settings: dict[str, Any]
    seconds: float | None = None
    session: float = 40.0
    overlap: int | None = None
    raters: int | None = None
    items: int | None = None
    said: tuple[str, ...] = ()


def _read_study(path: Path, asked: HowMany, database: str | None) -> _Known:
    from jurybox.cli.place import has_store, open_store, study_directory
    from jurybox.cli.ready import pilot_seconds
    from jurybox.errors import JuryboxError
    from jurybox.simulate.asked import contrast_of
    from jurybox.study import load_material, load_study

    if path == Path() and not Path("study.yaml").is_file():
        return _Known(settings={})
    for name in ("protocol", "scale", "criterion"):
        if getattr(asked, name) is not None:
            raise OptionError(
                f"--{name} is for planning outside of a study; the study has its own."
            )
    directory = study_directory(path)
    study = load_study(directory)
    seconds, items = study.session.seconds_per_trial, None
    if seconds is None and has_store(directory, database):
        with open_store(directory, database) as store:
            seconds = pilot_seconds(study, store, round="main")
    said: tuple[str, ...] = ()
    systems = [f"system {k}" for k in range((asked.systems or 2) + len(study.real))]
    try:
        material = load_material(study)
    except JuryboxError:
        # A study is planned before its outputs are there.
        assumed = format_count(asked.systems or 2, "system")
        said = (f"The outputs cannot be read yet: {assumed} assumed.",)
    else:
        if asked.systems is not None:
            raise OptionError("--systems is for planning without outputs; the study has its own.")
        systems = list(material.systems)
        items = len(material.items)
        seconds = seconds or _seconds(study, material)
    overlap, raters = _asked_of_raters(study)
    return _Known(
        contrast=contrast_of(study, systems, items=study.design.items or items),
        settings={
            "real_share": study.design.real_share,
            "confidence": study.analysis.confidence,
        },
        seconds=seconds,
        session=study.session.minutes,
        overlap=overlap,
        raters=raters,
        items=items,
        said=said,
    )


def _asked_of_raters(study: Any) -> tuple[int | None, int | None]:
    """The raters of an output and all raters, over all groups; ``None`` where the study is free."""
    from jurybox.design.groups import parts_of

    parts = parts_of(study)
    fixed = "overlap" in study.design.model_fields_set or parts[0].group is not None
    raters = [part.raters for part in parts]
    return (
        sum(part.overlap for part in parts) if fixed else None,
        None if None in raters else sum(n or 0 for n in raters),
    )


def _seconds(study: Any, material: Any) -> float | None:
    """The mean of the expected seconds of the trials that would be planned, if any can be."""
    from jurybox.design import make_plan
    from jurybox.design.timing import trials_seconds
    from jurybox.errors import DesignError

    try:
        plan = make_plan(study, material)
    except DesignError:
        # The study may ask for more items than there are yet: how many is what is looked for.
        return None
    trials = [trial for trial in plan.trials if trial.kind == "main"]
    return float(trials_seconds(study, material, trials).mean())


def _span(scale: str | None) -> float:
    if scale is None:
        return SPAN
    end = r"\s*(-?\d+(?:\.\d+)?)\s*"
    found = re.fullmatch(f"{end}(?:-|–|to){end}", scale)
    if found is None or float(found[2]) <= float(found[1]):
        raise OptionError(f"--scale is its lowest and highest value, as 1-5; got '{scale}'.")
    return float(found[2]) - float(found[1])


def _pay(pay: str | None) -> float | None:
    if pay is None:
        return None
    found = re.fullmatch(r"[^\d−-]*(\d+(?:\.\d+)?)\s*[^\d/]*(?:/\s*h(?:our)?)?\s*", pay)
    if found is None:
        raise OptionError(f"--pay is what an hour costs, as 12 or 12/h; got '{pay}'.")
    return float(found[1])


def _search(asked: HowMany, basis: _Basis) -> Found:
    from jurybox.simulate.search import cheapest, smallest

    with _searching(asked, basis.limits) as how:
        if asked.detect is not None:
            return cheapest(basis.scenario, basis.work, how)
        hours = asked.hours
        if hours is None:
            hours = (asked.budget or 0.0) / (basis.work.pay or 1.0)
        return smallest(basis.scenario, basis.work, how, hours=hours)


@contextmanager
def _searching(asked: HowMany, limits: Limits) -> Iterator[Search]:
    """How it is looked for: with processes and bars."""
    from rich.console import Console

    from jurybox.cli.bars import progress_bars
    from jurybox.simulate.looking import Search
    from jurybox.simulate.power import workers

    console = Console(stderr=True)
    if not console.is_terminal:
        # Where no bar moves, nobody should think that nothing does.
        console.print("Simulating studies of several sizes, for some seconds …", markup=False)
    with workers() as pool, progress_bars(console, only_terminal=True) as bar:
        yield Search(
            target=asked.power,
            limits=limits,
            studies=asked.studies,
            seed=asked.seed,
            pool=pool,
            tell=bar,
        )
