"""`jurybox simulate`: the whole study before its launch, on raters whose answers are made up."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from jurybox.cli.place import StudyArgument, study_directory
from jurybox.errors import InputError, OptionError
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.design.plan import Plan
    from jurybox.simulate.rehearsal import Planted, Rehearsal
    from jurybox.simulate.run import Simulated
    from jurybox.simulate.truth import Kind
    from jurybox.study import Material, Study

__all__ = ["simulate"]

PLANTED = 0.05
"""How much better the first system is made where nothing is said, in lengths of the scale."""


def simulate(
    study: StudyArgument = Path(),
    *,
    systems: Annotated[
        list[str] | None,
        typer.Option(
            "--systems",
            help="What a system's outputs are better by, as new=+0.05: a twentieth of the scale. "
            "Repeatable.",
            show_default="0.05 for the first system of the headline",
        ),
    ] = None,
    raters: Annotated[
        str | None,
        typer.Option(
            "--raters",
            help="How many of each kind, as careful=18,speeder=2; also straight_liner, "
            "coin_flipper and drop_out.",
            show_default="a careful one for every booklet",
        ),
    ] = None,
    studies: Annotated[
        int, typer.Option("--studies", min=1, help="How many studies to simulate.")
    ] = 1,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="The seed of the simulated raters.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="A new directory that keeps the answers, as study.db."),
    ] = None,
    analysis: Annotated[
        bool, typer.Option("--analyze", help="Also print the analysis of the first study.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Rehearse the study on simulated raters: say whether it finds the planted difference.

    Simulated raters work through the plan that the study makes now, and their answers are analyzed
    as people's would be. The study's own database is neither read nor written.
    """
    from rich.console import Console

    from jurybox.cli.show import show

    directory = study_directory(study).resolve()
    added = _added(systems)
    kinds = _kinds(raters)
    setup = _Setup(directory, tuple(sorted(added.items())), kinds)
    with _kept(out) as folder:
        first = _run(setup, seed, folder, whole=True)
    rest = _more(setup, seed, studies) if studies > 1 else []
    every = [_summary(first), *rest]
    if as_json:
        typer.echo(json.dumps({**_plain(first), "studies": every}, ensure_ascii=False, indent=2))
        return
    console = Console(soft_wrap=True, highlight=False)
    _print(console, first)
    if len(every) > 1:
        _print_many(console, first.planted, every)
    if out is not None:
        kept = f"'jurybox report {study} --database {out}/study.db'"
        console.print(f"Kept in {out}/study.db; {kept} reads it.", markup=False)
    if analysis and first.analysis is not None:
        console.print()
        show(first.analysis, as_json=False, everything=False)


# One study, in a store of its own.


@dataclass(frozen=True, slots=True)
class _Setup:
    """What every study of a simulation has in common."""

    directory: Path
    added: tuple[tuple[str, float], ...]
    kinds: tuple[Kind, ...]


def _run(setup: _Setup, seed: int, folder: Path, *, whole: bool) -> Rehearsal:
    """The study with a database in the folder, analyzed as a whole or for what is planted."""
    from jurybox.cli.ready import find_truth
    from jurybox.simulate.rehearsal import START, plant, planted_contrast, rehearse
    from jurybox.store import Store
    from jurybox.study.versions import snapshot

    study, material, plan = _planned(setup)
    wanted = dict(setup.added)
    if not wanted:
        plain = plant(study, material.systems, {})
        name = planted_contrast(study, material.systems, plain).systems[0]
        # A generated system that is not quite taken for real.
        wanted = {name: -PLANTED if study.protocol == "detect" else PLANTED}
    truth = plant(study, material.systems, wanted)
    with Store.open(folder / "study.db") as store:
        text = json.dumps(snapshot(study, material), ensure_ascii=False)
        version = store.save_version(text, study.hash(), material.hash(), kind="first", now=START)
        store.save_plan(plan, version=version, truth=find_truth(study, material), now=START)
        return rehearse(
            study,
            material,
            plan,
            store,
            truth,
            seed=seed,
            raters=setup.kinds or None,
            whole=whole,
        )


@lru_cache(maxsize=1)
def _planned(setup: _Setup) -> tuple[Study, Material, Plan]:
    """The study with its plan; where it names no number of raters, a booklet for each of them."""
    from jurybox.design import make_plan
    from jurybox.study import load_material, load_study

    study = load_study(setup.directory)
    material = load_material(study)
    if setup.kinds and study.design.raters is None and study.raters is None:
        design = study.design.model_copy(update={"raters": len(setup.kinds)})
        study = study.model_copy(update={"design": design})
    return study, material, make_plan(study, material)


@contextmanager
def _kept(out: Path | None) -> Iterator[Path]:
    """The new directory asked for, or one that is gone afterwards."""
    with ExitStack() as stack:
        if out is None:
            yield Path(stack.enter_context(tempfile.TemporaryDirectory()))
            return
        try:
            out.mkdir(parents=True, exist_ok=True)
            empty = not any(out.iterdir())
        except OSError as error:
            raise InputError(
                f"{out} cannot be made a directory ({error.strerror}); name another."
            ) from None
        if not empty:
            raise InputError(f"{out} is not empty; name a new directory for the simulated study.")
        yield out


def _one_of_many(setup: _Setup, seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        return _summary(_run(setup, seed, Path(folder), whole=False))


def _more(setup: _Setup, seed: int, studies: int) -> list[dict[str, Any]]:
    """The further studies, each with the next seed, on all cores."""
    from rich.console import Console

    from jurybox.cli.bars import progress_bars
    from jurybox.simulate.power import workers

    work = partial(_one_of_many, setup)
    seeds = range(seed + 1, seed + studies)
    found = []
    with workers() as pool, progress_bars(Console(stderr=True), only_terminal=True) as bar:
        tell: Callable[[int, int], None] = bar("Simulated studies")
        for one in map(work, seeds) if pool is None else pool.map(work, seeds):
            found.append(one)
            tell(1 + len(found), studies)
    return found


# What was asked.


def _added(systems: list[str] | None) -> dict[str, float]:
    added = {}
    for part in ",".join(systems or []).split(","):
        if not part.strip():
            continue
        name, _, value = part.partition("=")
        try:
            added[name.strip()] = float(value)
        except ValueError:
            raise OptionError(
                f"--systems says what a system is better by, as new=+0.05; got '{part}'."
            ) from None
        if not abs(added[name.strip()]) <= 1:
            raise OptionError(f"--systems adds at most the whole scale, 1; got '{part}'.")
    return added


def _kinds(raters: str | None) -> tuple[Kind, ...]:
    from jurybox.simulate.truth import Kind

    found: list[Kind] = []
    for part in (raters or "").split(","):
        name, _, count = part.partition("=")
        if not part.strip():
            continue
        if name.strip() not in get_args(Kind) or not count.strip().isdecimal():
            raise OptionError(
                f"--raters counts raters of a kind, as careful=18,speeder=2; the kinds are "
                f"{', '.join(get_args(Kind))}; got '{part.strip()}'."
            )
        found += [kind for kind in get_args(Kind) if kind == name.strip()] * int(count)
    if raters is not None and not found:
        raise OptionError("--raters counts nobody; a study needs raters, as careful=18,speeder=2.")
    return tuple(found)


# What came out.


def _summary(made: Rehearsal) -> dict[str, Any]:
    return {
        "found": made.found,
        "covers": made.covers,
        "estimate": made.estimate,
        "low": made.low,
        "high": made.high,
    }


def _plain(made: Rehearsal) -> dict[str, Any]:
    planted = made.planted
    return {
        "comparison": planted.kind,
        "criterion": planted.criterion,
        "systems": list(planted.systems),
        "planted": planted.truth,
        "raters": dict(Counter(kind for _, kind in made.simulated.raters)),
        "n_answers": made.simulated.n_main,
        "n_checks": made.simulated.n_checks,
        "n_practice": made.simulated.n_practice,
        "sentence": None if made.finding is None else made.finding.sentence,
    }


def _print(console: Any, made: Rehearsal) -> None:
    kinds = Counter(kind.replace("_", "-") for _, kind in made.simulated.raters)
    who = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    noun = "rater" if kinds.total() == 1 else "raters"
    console.print(f"Simulated: {who} {noun}, {_answers(made.simulated)}.", markup=False)
    if made.simulated.n_idle:
        idle = format_count(made.simulated.n_idle, "rater")
        console.print(f"{idle} found nothing left to answer: others had taken all of it.")
    if made.simulated.n_left:
        left = format_count(made.simulated.n_left, "planned answer")
        console.print(f"{left} not given: the raters were too few, or stopped.")
    left_out = 0 if made.analysis is None else len(made.analysis.excluded)
    if left_out:
        console.print(f"{format_count(left_out, 'rater')} left out by the study's rules.")
    console.print(f"Planted: {_say(made.planted)}.", markup=False)
    if made.finding is None:
        console.print("The analysis says nothing about this comparison.")
        return
    console.print(f"Found: {made.finding.sentence}", markup=False)
    verdict = "This study finds it" if made.found else "This study does not find it"
    if made.covers is not None:
        verdict += f", and its interval {'holds' if made.covers else 'misses'} what is planted"
    console.print(f"{verdict}.")


def _answers(done: Simulated) -> str:
    """How many answers there are to analyze, and which others were given on the way."""
    others = (("check", done.n_checks), ("practice", done.n_practice))
    besides = [f"{n:,} to {what} trials" for what, n in others if n]
    said = format_count(done.n_main, "answer")
    return f"{said}, beside {' and '.join(besides)}" if besides else said


def _say(planted: Planted) -> str:
    from jurybox.results import format_number, format_percent

    one, *two = planted.systems
    on = f" on {planted.criterion}" if planted.criterion else ""
    if planted.truth is None:
        return f"{one} and {' and '.join(two)} apart{on}; how far has no closed form"
    if planted.kind == "win_rate":
        return f"{one} wins {format_percent(planted.truth)} against {two[0]}{on}"
    if planted.kind == "acceptance":
        gap = format_number(100 * abs(planted.truth), 1)
        than = "less" if planted.truth < 0 else "more"
        return f"{one} passes for real {gap} percentage points {than} often than real outputs"
    return f"{one} − {two[0]} = {format_number(planted.truth)}{on}"


def _print_many(console: Any, planted: Planted, every: list[dict[str, Any]]) -> None:
    from jurybox.results import format_number, format_percent
    from jurybox.stats.shares import wilson

    n = len(every)
    share = sum(one["found"] for one in every) / n
    around = wilson(share, n, 0.95)
    nothing = planted.truth is not None and abs(planted.truth - planted.null) < 1e-12
    what = "find a difference that is not there" if nothing else "find it"
    console.print(
        f"\nOf {n:,} simulated studies {format_percent(share)} {what} (95% Monte Carlo interval "
        f"{format_percent(around.low)} to {format_percent(around.high)})."
    )
    held = [one["covers"] for one in every if one["covers"] is not None]
    known = [one["estimate"] for one in every if one["estimate"] is not None]
    if held and known:
        console.print(
            f"The estimate is {format_number(sum(known) / len(known))} on average; "
            f"{format_percent(sum(held) / len(held))} of intervals hold the planted "
            f"{format_number(planted.truth)}."
        )
