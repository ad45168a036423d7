"""`jurybox plan`: who will see what, how long it takes, and how even it is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from jurybox.cli.bars import progress_bars
from jurybox.cli.how_many import (
    BudgetOption,
    ChangesOption,
    CriterionOption,
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
    StrengthsOption,
    StudiesOption,
    SystemsOption,
    TrafficOption,
)
from jurybox.cli.place import (
    DatabaseOption,
    StudyArgument,
    has_store,
    open_store,
    study_directory,
)
from jurybox.cli.power import how_many
from jurybox.cli.with_judge import (
    CorrelationOption,
    HalfWidthOption,
    JudgedOption,
    JudgeOption,
    RaterSdOption,
    SdOption,
    WithJudge,
    WithJudgeOption,
    beside_judge,
)

if TYPE_CHECKING:
    from jurybox.cli.ready import Ready
    from jurybox.design.balance import Balance
    from jurybox.design.plan import Plan

__all__ = ["plan"]

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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
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
    criterion: CriterionOption = None,
    pay: PayOption = None,
    seconds: SecondsOption = None,
    protocol: ProtocolOption = None,
    systems: SystemsOption = None,
    scale: ScaleOption = None,
    strengths: StrengthsOption = False,
    overlap: OverlapOption = None,
    raters: RatersOption = None,
    studies: StudiesOption = 1000,
    seed: SeedOption = 0,
    monthly: MonthlyOption = False,
    changes: ChangesOption = 4,
    launches: LaunchesOption = 1,
    traffic: TrafficOption = 100_000,
    rate: RateOption = 0.01,
    with_judge: WithJudgeOption = False,
    half_width: HalfWidthOption = None,
    judge: JudgeOption = None,
    correlation: CorrelationOption = None,
    sd: SdOption = None,
    rater_sd: RaterSdOption = None,
    judged: JudgedOption = None,
) -> None:
    """Plan who sees what, keep the plan in the study's database and print how even it is.

    With --detect, --budget or --hours it plans nothing, but says how many items, raters and hours
    it takes to detect a difference, with a study or without. With --with-judge it says how many
    items people must still rate beside a judge.
    """
    beside = WithJudge(
        asked=with_judge,
        half_width=half_width,
        judge=judge,
        criterion=criterion,
        correlation=correlation,
        sd=sd,
        rater_sd=rater_sd,
        judged=judged,
    )
    beside.refuse_aimless()
    asked = HowMany(
        detect=detect,
        budget=budget,
        hours=hours,
        power=power,
        pilot=pilot,
        criterion=criterion,
        pay=pay,
        seconds=seconds,
        protocol=protocol,
        systems=systems,
        scale=scale,
        strengths=strengths,
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
    planning = {"--dry-run": dry_run, "--round": round_ != "main"}
    if beside.asked:
        asked.refuse_planning(planning)
        asked.refuse_beside_judge()
        beside_judge(study, beside, pilot=pilot, raters=raters, database=database, as_json=as_json)
        return
    asked.refuse_aimless()
    if asked.asked:
        asked.refuse_planning(planning)
        how_many(study, asked, database=database, as_json=as_json)
        return
    directory = study_directory(study)
    if dry_run:
        shown = _measure(_dry(directory, round_, database), "dry")
    else:
        from rich.console import Console

        from jurybox.cli.ready import read_answered, ready_study

        with open_store(directory, database) as store:
            with progress_bars(Console(stderr=True), only_terminal=True) as bar:
                ready = ready_study(
                    directory,
                    store,
                    now=datetime.now(UTC),
                    round=round_,
                    cleaning=bar("Cleaning media"),
                )
            answered = read_answered(ready.plan, store)
        shown = _measure(ready, ready.outcome, answered)
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
    pilot_seconds: float | None = None
    """The median seconds of the pilot's trials, where times come from it."""
    answered: Balance | None = None
    """How even the answers are that came so far; ``None`` before the first."""

    @property
    def hours(self) -> float:
        return sum(self.minutes) / 60


def _dry(
    directory: Path, round_: Literal["main", "pilot", "calibration"], database: str | None
) -> Ready:
    """The plan that a first call would make; nothing is kept."""
    from jurybox.cli.ready import Ready, pilot_seconds, timed
    from jurybox.design import make_plan
    from jurybox.study import load_material, load_study

    loaded = load_study(directory)
    material = load_material(loaded)
    seconds = None
    if has_store(directory, database):
        with open_store(directory, database) as store:
            seconds = pilot_seconds(loaded, store, round=round_)
    made = make_plan(timed(loaded, seconds), material, round=round_)
    return Ready(
        study=loaded,
        material=material,
        plan=made,
        version=0,
        outcome="made",
        pilot_seconds=seconds,
    )


def _measure(ready: Ready, outcome: str, answered: Plan | None = None) -> _Measured:
    from jurybox.cli.ready import timed
    from jurybox.design import balance
    from jurybox.design.timing import trials_seconds

    trials = ready.plan.trials
    study = timed(ready.study, ready.pilot_seconds)
    seconds = dict(
        zip(
            (trial.id for trial in trials),
            trials_seconds(study, ready.material, trials).tolist(),
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
        pilot_seconds=ready.pilot_seconds,
        answered=balance(answered) if answered is not None else None,
    )


def _to_dict(shown: _Measured) -> dict[str, Any]:
    data = asdict(shown)
    return {**data, "hours": shown.hours}


def _core(found: Balance) -> str:
    """The part of the sum that the shared core adds."""
    if not found.n_core:
        return ""
    from jurybox.study.breach import counted

    return f" and {counted(found.n_core, 'trial')} × everybody"


def _print(shown: _Measured) -> None:
    from rich.console import Console

    from jurybox.cli.balance_tables import number_range, print_balance
    from jurybox.study.breach import counted

    console = Console(soft_wrap=True, highlight=False)
    found = shown.balance
    for sentence in shown.sentences:
        console.print(sentence, markup=False)
    console.print(
        f"{SAID[shown.outcome]}: {counted(found.n_trials - found.n_core, 'trial')} × "
        f"{counted(found.overlap, 'rater')}{_core(found)} = {counted(found.n_slots, 'slot')} in "
        f"{counted(found.n_booklets, 'booklet')}."
    )
    beside = [
        counted(n, what)
        for n, what in ((shown.n_practice, "practice trial"), (found.n_checks, "check"))
        if n
    ]
    if found.n_repeats:
        console.print(
            f"{counted(found.n_repeats, 'slot')} more in which a rater sees a trial again "
            "(design.repeats)."
        )
    low, high = min(shown.minutes), max(shown.minutes)
    console.print(
        f"Each rater takes one booklet, about {number_range(low, high, '.1f')} minutes"
        f"{' with ' if beside else ''}{' and '.join(beside)}; "
        f"all of them {shown.hours:.1f} hours of rating."
    )
    if high > shown.session_minutes:
        console.print(
            f"That is longer than the session of {shown.session_minutes:g} minutes; with fewer "
            "items (design.items, or those of the calibration) it is shorter."
        )
    for part in found.groups:
        console.print(
            f"{part.group}: {counted(part.overlap, 'rater')} for each trial, "
            f"{counted(part.n_slots, 'slot')} in {counted(part.n_booklets, 'booklet')}.",
            markup=False,
        )
    if shown.pilot_seconds is not None:
        console.print(
            f"Times are those of the pilot, whose median trial took {shown.pilot_seconds:.1f} s."
        )
    if shown.answered is not None:
        console.print(
            f"Answered so far: {shown.answered.n_slots:,} of {counted(found.n_slots, 'slot')}, by "
            f"{counted(shown.answered.n_booklets, 'rater')}."
        )
    print_balance(console, found, shown.answered)
