"""``jurybox check``: everything that is wrong with a study, before anybody rates."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jurybox.cli.lines import bullet
from jurybox.cli.place import DatabaseOption, StudyArgument, has_store, open_store
from jurybox.cli.ready import advise, plan_round
from jurybox.cli.set_check import check_fairness
from jurybox.errors import DesignError, Problem
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.design.plan import Plan, Round
    from jurybox.design.set_checks import SetCheck
    from jurybox.store import Store
    from jurybox.study import Material, Study
    from jurybox.study.read import Reading
    from jurybox.study.versions import Change

__all__ = ["Checked", "check", "check_study"]

SHOWN = {"title", "protocol", "items", "outputs", "show", "systems", "real", "criteria", "quality"}
"""With nothing wrong in these keys, the material can be checked although the study is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found."""

    study: Study | None
    material: Material | None
    problems: tuple[Problem, ...]
    set_checks: tuple[SetCheck, ...] = ()
    """What was found of the set, once nothing else is wrong; none of it keeps from serving."""
    changes: tuple[Change, ...] = ()
    """Differences from the version that was planned last."""
    answered: bool = False
    """Whether that version has answers."""

    @property
    def passed(self) -> bool:
        """Whether the study can be served as it is."""
        errors = any(problem.severity == "error" for problem in self.problems)
        return not errors and not any(change.kind == "refused" for change in self.changes)


def check(
    study: StudyArgument = Path("."),
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the problems as JSON, for scripts.")
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of study.yaml, for editors.")
    ] = False,
    database: DatabaseOption = None,
) -> None:
    """List everything that is wrong with a study, its tables, media and plan, all at once.

    Then warn of what makes the set unfair: few categories, near-duplicates,
    whatever gives systems away.

    On a running study, also sort what changed into free, recorded, extending and refused.
    """
    if schema:
        from jurybox.study.schema import json_schema

        typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
        return
    checked = check_study(study, database=database)
    if as_json:
        typer.echo(json.dumps(_as_data(checked), indent=2, ensure_ascii=False))
    else:
        for line in _lines(checked):
            typer.echo(line)
    if not checked.passed:
        raise typer.Exit(1)


def check_study(path: Path, *, database: str | None = None) -> Checked:
    """Check the study file, its material and media, and what changed since raters began."""
    from jurybox.screen.media import check_media
    from jurybox.study.material import check_material
    from jurybox.study.read import read_study
    from jurybox.study.versions import compare, snapshot

    reading = read_study(path)
    folder = reading.file.parent
    problems = list(reading.problems)
    study, material = reading.study, None
    set_checks: tuple[SetCheck, ...] = ()
    candidate = study or _usable(reading)
    if candidate is not None:
        read, found = check_material(candidate)
        found += check_media(candidate, read)
        problems += [_beside(folder, problem) for problem in found]
        if not any(problem.severity == "error" for problem in problems):
            material = read
            set_checks = check_fairness(candidate, read)
    changes: tuple[Change, ...] = ()
    answered = False
    if study is not None and material is not None:
        with _store(folder, database) as store:
            version = None if store is None else store.latest_version()
            if store is not None and version is not None:
                changes = compare(json.loads(version.study_json), snapshot(study, material))
                answered = bool(store.submissions(limit=1))
            if not any(change.kind == "refused" for change in changes):
                problems += _check_plan(study, material, store, changes, str(reading.file))
    unique = tuple(dict.fromkeys(problems))
    return Checked(
        study=study,
        material=material,
        problems=unique,
        set_checks=set_checks,
        changes=changes,
        answered=answered,
    )


@contextmanager
def _store(folder: Path, database: str | None) -> Iterator[Store | None]:
    """What the study has collected, if anything."""
    if not has_store(folder, database):
        yield None
        return
    with open_store(folder, database, create=False) as store:
        yield store


def _check_plan(
    study: Study, material: Material, store: Store | None, changes: Sequence[Change], file: str
) -> Iterable[Problem]:
    """Why a round cannot be planned, in the words of `jurybox plan`, which does the same."""
    rounds: list[Round] = ["main"]
    if study.quality.calibration is not None:
        rounds.append("calibration")
    for round_ in rounds:
        try:
            _, plan, _ = plan_round(study, material, store, changes, round=round_)
        except DesignError as error:
            yield Problem(message=str(error), file=file)
        else:
            yield from _check_raters(study, plan, file)


def _check_raters(study: Study, plan: Plan, file: str) -> Iterable[Problem]:
    """A list of fewer ids than booklets leaves trials unanswered, however long one waits."""
    from jurybox.study.listed import listed_raters

    listed = listed_raters(study, Path(file).parent)
    if listed is None or study.raters is not None or len(listed) >= len(plan.booklets):
        return
    overlap = f" and design.overlap to at most {len(listed)}"
    yield Problem(
        message=f"access.listed names {format_count(len(listed), 'rater')}, and the plan of the "
        f"{plan.round} round has {len(plan.booklets)} booklets, one for each rater: not all trials "
        f"would be answered. Name more raters, or set design.raters to {len(listed)}"
        f"{overlap if plan.round == 'main' and study.design.overlap > len(listed) else ''}.",
        file=file,
        severity="warning",
    )


def _usable(reading: Reading) -> Study | None:
    return None if reading.wrong_parts & (SHOWN | {""}) else reading.partial


def _beside(folder: Path, problem: Problem) -> Problem:
    """Name a table by its path from the current directory."""
    return problem if problem.file is None else replace(problem, file=str(folder / problem.file))


def _lines(checked: Checked) -> Iterable[str]:
    groups: dict[str, list[Problem]] = {}
    for problem in checked.problems:
        groups.setdefault(problem.file or "The study", []).append(problem)
    for file, problems in groups.items():
        yield f"{file}: {_count(problems)}"
        for problem in problems:
            mark = "warning: " if problem.severity == "warning" else ""
            yield f"  {_place(problem)}{mark}{problem.message}"
        yield ""
    if checked.changes:
        now = "raters answer now" if checked.answered else "is planned"
        yield f"Changed since the version that {now}:"
        for kind in ("refused", "extending", "recorded", "free"):
            for change in checked.changes:
                if change.kind == kind:
                    yield f"  {kind}: {change.sentence}"
        yield ""
    if checked.passed and checked.material is not None:
        yield f"OK: {_summary(checked.study, checked.material)}"
        yield from _set_lines(checked.set_checks)
    else:
        errors = [problem for problem in checked.problems if problem.severity == "error"]
        refused = [change for change in checked.changes if change.kind == "refused"]
        parts = [_count(errors)] if errors else []
        parts += [format_count(len(refused), "refused change")] if refused else []
        yield f"Not ready: {', '.join(parts)}."
        if refused:
            yield advise(len(refused), answered=checked.answered)


def _set_lines(checks: tuple[SetCheck, ...]) -> Iterable[str]:
    """Every warning on the set: what was found, then what it can bias; and what to mend first."""
    width = shutil.get_terminal_size().columns
    warnings = [check for check in checks if check.warns]
    if warnings:
        yield ""
        yield f"The set: {format_count(len(warnings), 'warning')}"
        for check in warnings:
            yield bullet(f"{check.sentence} {check.bias}", width, indent=2)
    unchecked = [check for check in checks if check.mendable]
    if unchecked:
        yield ""
        yield "Not checked:"
        for check in unchecked:
            yield bullet(f"{check.about}, {check.undefined}.", width, indent=2)


def _place(problem: Problem) -> str:
    if problem.column is not None:
        return f"{problem.line}:{problem.column} "
    return "" if problem.line is None else f"Row {problem.line}: "


def _count(problems: list[Problem]) -> str:
    counts = []
    for severity in ("error", "warning"):
        number = sum(problem.severity == severity for problem in problems)
        if number:
            counts.append(format_count(number, severity))
    return ", ".join(counts)


def _summary(study: Study | None, material: Material) -> str:
    items = format_count(len(material.items), "item")
    systems = format_count(len(material.systems), "system")
    parts = [f"{items} × {systems}, {format_count(len(material.outputs), 'output')}"]
    if study is not None:
        asked = "criterion" if len(study.criteria) == 1 else "criteria"
        parts.append(f"{study.protocol} on {len(study.criteria)} {asked}")
    for kind in ("practice", "gold", "attention"):
        number = sum(known.kind == kind for known in material.known.values())
        if number:
            parts.append(format_count(number, f"{kind} trial"))
    return "; ".join(parts) + "."


def _as_data(checked: Checked) -> dict[str, Any]:
    return {
        "passed": checked.passed,
        "problems": [asdict(problem) for problem in checked.problems],
        "set": [asdict(check) for check in checked.set_checks],
        "changes": [asdict(change) for change in checked.changes],
        "items": None if checked.material is None else len(checked.material.items),
        "systems": None if checked.material is None else list(checked.material.systems),
    }
