"""`jurybox plan`: who will see what, how long it takes, and how even it is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from jurybox.cli.how_many import (
    BudgetOption,
    ChangesOption,
    DetectOption,
    HoursOption,
    HowMany,
    LaunchesOption,
    MonthlyOption,
    OverlapOption,
    PayOption,
    PilotOption,
    PowerOption,
    ProtocolOption,
    RateOption,
    RatersOption,
    ScaleOption,
    SecondsOption,
    SeedOption,
    StudiesOption,
    SystemsOption,
    TrafficOption,
)
from jurybox.cli.place import DatabaseOption, StudyArgument, open_store, study_directory
from jurybox.cli.power import how_many

if TYPE_CHECKING:
    from rich.table import Table

    from jurybox.cli.ready import Ready
    from jurybox.design.balance import Balance

__all__ = ["plan"]

MOST_PAIRS = 15

SAID = {
    "made": "Planned",
    "dry": "Would plan",
    "extended": "Extended: the old trials, slots and booklets stay; planned in all",
    "kept": "The study changed, the plan stays",
    "unchanged": "Already planned, and nothing changed",
}


def plan(
    study: StudyArgument = Path(),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and keep nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a script.")] = False,
    round_: Annotated[
        Literal["main", "pilot", "calibration"],
        typer.Option("--round", help="The round to plan."),
    ] = "main",
    database: DatabaseOption = None,
    *,
    detect: DetectOption = None,
    budget: BudgetOption = None,
    hours: HoursOption = None,
    power: PowerOption = 0.8,
    pilot: PilotOption = None,
    pay: PayOption = None,
    seconds: SecondsOption = None,
    protocol: ProtocolOption = None,
    systems: SystemsOption = None,
    scale: ScaleOption = None,
    overlap: OverlapOption = None,
    raters: RatersOption = None,
    studies: StudiesOption = 1000,
    seed: SeedOption = 0,
    monthly: MonthlyOption = False,
    changes: ChangesOption = 4,
    launches: LaunchesOption = 1,
    traffic: TrafficOption = 100_000,
    rate: RateOption = 0.01,
) -> None:
    """Plan who sees what, keep the plan in the study's database and print how even it is.

    With --detect, --budget or --hours it plans nothing and says how many items, raters and hours a
    difference needs, in a study or without one.
    """
    asked = HowMany(
        detect=detect,
        budget=budget,
        hours=hours,
        power=power,
        pilot=pilot,
        pay=pay,
        seconds=seconds,
        protocol=protocol,
        systems=systems,
        scale=scale,
        overlap=overlap,
        raters=raters,
        studies=studies,
        seed=seed,
        monthly=monthly,
        changes=changes,
        launches=launches,
        traffic=traffic,
        rate=rate,
    )
    if asked.asked:
        how_many(study, asked, as_json=as_json)
        return
    directory = study_directory(study)
    if dry_run:
        shown = _measure(_dry(directory, round_), "dry")
    else:
        from jurybox.cli.ready import ready_study

        with open_store(directory, database) as store:
            ready = ready_study(directory, store, now=datetime.now(UTC), round=round_)
        shown = _measure(ready, ready.outcome)
    if as_json:
        typer.echo(json.dumps(_to_dict(shown), ensure_ascii=False, indent=2))
    else:
        _print(shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    outcome: str
    balance: Balance
    n_practice: int
    minutes: tuple[float, ...]
    """Expected minutes per booklet, practice and checks included."""
    session_minutes: float
    sentences: tuple[str, ...]

    @property
    def hours(self) -> float:
        return sum(self.minutes) / 60


def _dry(directory: Path, round_: Literal["main", "pilot", "calibration"]) -> Ready:
    """The plan that a first call would make; the database is not touched."""
    from jurybox.cli.ready import Ready
    from jurybox.design import make_plan
    from jurybox.study import load_material, load_study

    loaded = load_study(directory)
    material = load_material(loaded)
    made = make_plan(loaded, material, round=round_)
    return Ready(study=loaded, material=material, plan=made, version=0, outcome="made")


def _measure(ready: Ready, outcome: str) -> _Measured:
    from jurybox.design import balance
    from jurybox.design.timing import trials_seconds

    trials = ready.plan.trials
    seconds = dict(
        zip(
            (trial.id for trial in trials),
            trials_seconds(ready.study, ready.material, trials).tolist(),
            strict=True,
        )
    )
    practice = sum(seconds[id] for id in ready.plan.practice)
    spent = dict.fromkeys((booklet.id for booklet in ready.plan.booklets), practice)
    for slot in ready.plan.slots:
        spent[slot.booklet] += seconds[slot.trial]
    return _Measured(
        outcome=outcome,
        balance=balance(ready.plan),
        n_practice=len(ready.plan.practice),
        minutes=tuple(value / 60 for value in spent.values()),
        session_minutes=ready.study.session.minutes,
        sentences=tuple(change.sentence for change in ready.changes),
    )


def _to_dict(shown: _Measured) -> dict[str, Any]:
    data = asdict(shown)
    return {**data, "hours": shown.hours}


def _print(shown: _Measured) -> None:
    from rich.console import Console

    from jurybox.study.breach import counted

    console = Console(soft_wrap=True, highlight=False)
    found = shown.balance
    for sentence in shown.sentences:
        console.print(sentence, markup=False)
    console.print(
        f"{SAID[shown.outcome]}: {counted(found.n_trials, 'trial')} × "
        f"{counted(found.overlap, 'rater')} = {counted(found.n_slots, 'slot')} in "
        f"{counted(found.n_booklets, 'booklet')}."
    )
    beside = [
        counted(n, what)
        for n, what in ((shown.n_practice, "practice trial"), (found.n_checks, "check"))
        if n
    ]
    low, high = min(shown.minutes), max(shown.minutes)
    console.print(
        f"A booklet takes about {_range(low, high, '.1f')} minutes"
        f"{' with ' if beside else ''}{' and '.join(beside)}; "
        f"all of them {shown.hours:.1f} hours of rating."
    )
    if high > shown.session_minutes:
        console.print(
            f"That is longer than the session of {shown.session_minutes:g} minutes: with more "
            "raters (design.raters) booklets are shorter."
        )
    for part in found.groups:
        console.print(
            f"{part.group}: {counted(part.overlap, 'rater')} for each trial, "
            f"{counted(part.n_slots, 'slot')} in {counted(part.n_booklets, 'booklet')}.",
            markup=False,
        )
    console.print("\nHow often each system is shown", _place_table(found), sep="\n")
    if found.pairs:
        console.print("\nWhich systems meet", _pair_table(found), sep="\n")
        if len(found.pairs) > MOST_PAIRS:
            console.print(f"… and {len(found.pairs) - MOST_PAIRS} pairs more (see --json).")
    console.print("\nLargest differences", _difference_table(found), sep="\n")


def _range(low: float, high: float, form: str) -> str:
    """Two numbers as `3 to 5`, or as one when they print alike."""
    one, other = format(low, form), format(high, form)
    return one if one == other else f"{one} to {other}"


def _place_table(found: Balance) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column("System")
    places = range(len(found.places[0].places)) if found.places else range(0)
    for place in places:
        table.add_column(f"place {place + 1}" if len(places) > 1 else "slots", justify="right")
    for row in found.places:
        table.add_row(row.system, *(f"{count:,}" for count in row.places))
    return table


def _pair_table(found: Balance) -> Table:
    from rich.table import Table

    table = Table()
    for heading in ("Pair", "slots", "first one first", "second one first"):
        table.add_column(heading, justify="left" if heading == "Pair" else "right")
    for row in found.pairs[:MOST_PAIRS]:
        second = row.slots - row.first_shown_first
        table.add_row(
            " – ".join(row.systems), f"{row.slots:,}", f"{row.first_shown_first:,}", f"{second:,}"
        )
    return table


def _difference_table(found: Balance) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column("Between")
    table.add_column("difference", justify="right")
    loads = _range(min(found.loads), max(found.loads), ",")
    for words, value in (
        (f"booklets, in their trials ({loads} each)", found.load_difference),
        ("booklets, in how often they show a system", found.system_difference),
        ("places of a system, over all slots", found.place_difference),
        ("places of a system, within a trial's slots", found.trial_difference),
        ("places, within a booklet", found.booklet_difference),
        ("the two sides of a pair", found.pair_difference),
    ):
        if value is not None:
            table.add_row(words, str(value))
    return table
