"""`jurybox sheets`: trials out to people who rate in a spreadsheet, and their answers back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from jurybox.cli.place import DatabaseOption, StudyArgument, open_store, study_directory
from jurybox.errors import InputError, OptionError
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.cli.ready import Ready
    from jurybox.design.answers import Answer
    from jurybox.store.sheets import Edition, ReadSheet

__all__ = ["sheets"]

sheets = typer.Typer(
    help="Give trials out as spreadsheets and read the answers back.", no_args_is_help=True
)


@sheets.command()
def write(
    study: StudyArgument = Path(),
    raters: Annotated[
        int | None,
        typer.Option("--raters", min=1, help="How many sheets to write, under made-up names."),
    ] = None,
    names: Annotated[
        str | None, typer.Option("--names", help="One sheet for each: ana,ben,chris.")
    ] = None,
    format_: Annotated[
        Literal["xlsx", "csv"], typer.Option("--format", help="The file format of the sheets.")
    ] = "xlsx",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The directory to write to.",
            show_default="sheets in the study directory",
        ),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            "--group", help="The group that all these raters belong to, if the study has groups."
        ),
    ] = None,
    days: Annotated[
        float, typer.Option("--days", min=0.01, help="How long the booklets stay reserved.")
    ] = 90,
    database: DatabaseOption = None,
) -> None:
    """Write a blinded sheet per rater, each a booklet of its own, with its media in one zip."""
    from jurybox.cli.ready import ready_study
    from jurybox.screen.clean import clean_bytes
    from jurybox.store.sheets import SheetOptions, write_sheets

    directory = study_directory(study)
    chosen = _choose_names(raters, names)
    options = SheetOptions(
        format=format_,
        directory=out or directory / "sheets",
        lease=timedelta(days=days),
        clean=clean_bytes,
        group=group,
    )
    now = datetime.now(UTC)
    with open_store(directory, database) as store:
        ready = ready_study(directory, store, now=now)
        written = write_sheets(store, _edition(ready), chosen, options, now=now)
    for sheet in written:
        typer.echo(f"{sheet.path}: {format_count(sheet.n_trials, 'trial')} for {sheet.rater}")
    typer.echo(f"Read them back with: jurybox sheets read {directory} {options.directory}/*.zip")


@sheets.command()
def read(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="The filled-in sheets: .xlsx, .csv, or a zip with one. The study's directory or "
            "its study.yaml comes before them, unless it is here.",
        ),
    ],
    database: DatabaseOption = None,
) -> None:
    """Read filled-in sheets; a sheet with anything wrong in it is not stored at all."""
    from jurybox.cli.ready import ready_study
    from jurybox.store.sheets import read_sheet, store_sheet

    named = files[0].is_dir() or files[0].name == "study.yaml"
    directory = study_directory(files[0] if named else Path())
    if not files[named:]:
        raise OptionError("Name the filled-in sheets, as in 'jurybox sheets read sheets/*.zip'.")
    now = datetime.now(UTC)
    good: list[ReadSheet] = []
    wrong: list[str] = []
    with open_store(directory, database, create=False) as store:
        ready = ready_study(directory, store, now=now)
        for path in files[named:]:
            try:
                sheet = read_sheet(path, store, _edition(ready), now=now)
            except InputError as error:
                wrong.append(f"{error}\n{path}: nothing of this sheet was stored.")
                continue
            new, old = store_sheet(store, sheet, now=now)
            again = f", {old} known already" if old else ""
            typer.echo(
                f"{path}: {format_count(new, 'trial')} stored for {sheet.rater}{again}, "
                f"{sheet.n_empty} empty"
            )
            good.append(sheet)
    for line in _summary(ready, good):
        typer.echo(line)
    if wrong:
        raise InputError("\n".join(wrong))


def _choose_names(raters: int | None, names: str | None) -> list[str]:
    if (raters is None) == (names is None):
        raise OptionError("Say either how many sheets (--raters 3) or for whom (--names ana,ben).")
    if names is not None:
        chosen = [name.strip() for name in names.split(",") if name.strip()]
        if not chosen:
            raise OptionError("--names holds no name; write them as --names ana,ben.")
        return chosen
    return [f"sheet-{number}" for number in range(1, (raters or 0) + 1)]


def _edition(ready: Ready) -> Edition:
    from jurybox.store.sheets import Edition

    return Edition(
        study=ready.study, material=ready.material, plan=ready.plan, version=ready.version
    )


def _summary(ready: Ready, read_sheets: Sequence[ReadSheet]) -> Iterable[str]:
    """What the sheets say of the main trials per criterion, over all systems.

    The comparison is for `analyze`.
    """
    answers = [
        answer
        for sheet in read_sheets
        for sent in sheet.submissions
        if ready.plan.trial(sent.trial).kind == "main"
        for answer in sent.answers
    ]
    for name, criterion in ready.study.criteria.items():
        own = [answer for answer in answers if answer.criterion == name]
        if own:
            yield f"{name}: {_describe(own, criterion.pass_mark, criterion.direction)}"
    if answers:
        yield "Compare the systems with: jurybox analyze"


def _describe(answers: Sequence[Answer], pass_mark: float | None, direction: str) -> str:
    from jurybox.results import format_number, format_percent

    scores = [answer.score for answer in answers if answer.score is not None]
    if scores:
        text = f"mean {format_number(sum(scores) / len(scores), 2)}, n {len(scores)}"
        if pass_mark is not None:
            passed = [s >= pass_mark if direction == "higher" else s <= pass_mark for s in scores]
            text += f", pass rate {format_percent(sum(passed) / len(passed))}"
        return text
    words = [str(answer.winner or answer.answer or "ranked") for answer in answers]
    words = [{"a": "decided", "b": "decided"}.get(word, word) for word in words]
    counts = {word: words.count(word) for word in sorted(set(words))}
    return ", ".join(f"{word.replace('_', ' ')} {count}" for word, count in counts.items())
