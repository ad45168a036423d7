"""`jurybox judge`: let models rate the same trials as people."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jurybox.cli.place import DatabaseOption, StudyArgument, open_store, study_directory
from jurybox.errors import InputError, JudgeError
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.cli.ready import Ready
    from jurybox.judges.calls import Calls
    from jurybox.judges.run import Progress, Summary
    from jurybox.store import Store

__all__ = ["judge"]

FOLDER = "judges"
"""Where a study keeps what its judges replied."""


def judge(
    study: StudyArgument = Path(),
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", help="A judge of the study, by its name; repeatable, or several with commas."
        ),
    ] = None,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print the first prompt and ask nothing.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print calls, tokens and cost, and ask nothing.")
    ] = False,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency", min=1, max=1024, help="How many calls to make at the same time."
        ),
    ] = 16,
    timeout: Annotated[
        float, typer.Option("--timeout", min=1, help="Seconds that one call may take.")
    ] = 120.0,
    write_batch: Annotated[
        Path | None,
        typer.Option(
            "--write-batch", help="Write the calls that are left as OpenAI-style batch JSONL."
        ),
    ] = None,
    read_batch: Annotated[
        list[Path] | None,
        typer.Option("--read-batch", help="Read the replies of such a batch; repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
    database: DatabaseOption = None,
) -> None:
    """Let the study's judges rate its trials: blind, by the same rubric, in both orders.

    What was answered is never asked again: interrupt and restart as you like. Replies are kept in
    the folder judges beside the study.
    """
    from jurybox.cli.ready import ready_study

    directory = study_directory(study)
    with open_store(directory, database) as store:
        ready = ready_study(directory, store, now=datetime.now(UTC))
        chosen = _chosen(ready, _named(only or (), ready.study.judges))
        if show_prompt:
            prompt = next(iter(chosen[0])).prompt
            typer.echo(str(prompt))
            typer.echo(f"prompt {prompt.hash}", err=True)
            return
        desk = _Desk(ready, store, directory / FOLDER)
        if dry_run:
            desk.print_estimates(chosen, as_json=as_json)
            return
        if write_batch is not None:
            desk.write_batch(chosen, write_batch)
            return
        if read_batch:
            made = desk.read_batches(chosen, read_batch)
        else:
            made = [desk.run(calls, concurrency, timeout) for calls in chosen]
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in made], ensure_ascii=False, indent=2))
    else:
        for one in made:
            typer.echo(_sentence(one))
    if any(one.waiting for one in made):
        raise typer.Exit(code=1)


def _named(only: Sequence[str], judges: Collection[str]) -> list[str]:
    """The judges asked for; a name that has a comma itself is taken as it is."""
    found: list[str] = []
    for each in only:
        found += [each] if each in judges else [name.strip() for name in each.split(",")]
    return list(dict.fromkeys(found))


def _chosen(ready: Ready, only: Sequence[str] | None) -> list[Calls]:
    from jurybox.judges.calls import Calls

    judges = ready.study.judges
    if not judges:
        raise InputError(
            "The study has no judges; name one in study.yaml, as "
            "`judges: {j1: {model: my-model, endpoint: 'http://127.0.0.1:8000/v1'}}`."
        )
    unknown = [name for name in only or () if name not in judges]
    if unknown:
        raise InputError(f"There is no judge '{unknown[0]}'; the study has {', '.join(judges)}.")
    made = []
    for name in only or judges:
        judge = judges[name]
        if judge.budget is not None and None in (judge.price_in, judge.price_out):
            raise JudgeError(
                f"judges.{name}: a budget of {judge.budget:g} cannot be kept without prices; give "
                "price_in and price_out (0 for a server of your own), or leave the budget out."
            )
        calls = Calls(name, judge, ready.study, ready.material, ready.plan)
        if not len(calls):
            raise JudgeError(f"judges.{name}: `trials` leaves no trial of the plan to be judged.")
        made.append(calls)
    return made


@dataclass(frozen=True, slots=True)
class _Desk:
    """What every run needs."""

    ready: Ready
    store: Store
    folder: Path

    def print_estimates(self, chosen: Sequence[Calls], *, as_json: bool) -> None:
        """Print what the next run takes."""
        from jurybox.judges.left import estimate_left

        study, material = self.ready.study, self.ready.material
        found = {
            calls: estimate_left(calls, study, material, self.store, folder=self.folder)
            for calls in chosen
        }
        if as_json:
            listed = [
                {
                    "judge": calls.name,
                    "model": calls.judge.model,
                    "total": len(calls),
                    **asdict(one),
                }
                for calls, one in found.items()
            ]
            typer.echo(json.dumps(listed, ensure_ascii=False, indent=2))
            return
        for calls, one in found.items():
            cost = "no price is given" if one.cost is None else f"about {_money(one.cost)}"
            asked = "" if one.calls == len(calls) else f" left of {len(calls):,}"
            typer.echo(
                f"{calls.name} ({calls.judge.model}): {format_count(one.calls, 'call')}{asked}, "
                f"about {one.tokens_in:,} tokens in and {one.tokens_out:,} out; cost: {cost}."
            )

    def run(self, calls: Calls, concurrency: int, timeout: float) -> Summary:
        """Ask one judge, with a bar that says how far it is."""
        from rich.console import Console

        from jurybox.cli.bars import progress_bars
        from jurybox.judges.run import run_judge

        with progress_bars(Console(stderr=True), only_terminal=True) as bars:
            bar = bars(calls.name)

            def tell(progress: Progress) -> None:
                bar(progress.done, progress.total, _spent(progress))

            try:
                return run_judge(
                    calls,
                    self.ready.study,
                    self.ready.material,
                    self.store,
                    folder=self.folder,
                    clock=_now,
                    tell=tell,
                    concurrency=concurrency,
                    timeout=timeout,
                )
            except KeyboardInterrupt:
                typer.echo(
                    f"{calls.name}: every reply that came is kept, and the same command "
                    "goes on from there.",
                    err=True,
                )
                raise typer.Exit(code=130) from None

    def write_batch(self, chosen: Sequence[Calls], path: Path) -> None:
        """Write what is left to ask; one file holds one judge, as batch endpoints want it."""
        from jurybox.judges.batch import write_batch

        for calls in chosen:
            to = path if len(chosen) == 1 else path.with_name(f"{path.stem}-{calls.name}.jsonl")
            study, material = self.ready.study, self.ready.material
            written = write_batch(calls, study, material, self.store, to, folder=self.folder)
            typer.echo(f"{to}: {format_count(written, 'call')} of {calls.name}.")

    def read_batches(self, chosen: Sequence[Calls], paths: Sequence[Path]) -> list[Summary]:
        """Store the replies that batches brought."""
        from jurybox.judges.batch import read_batch

        made, strange = [], list[frozenset[str]]()
        for calls in chosen:
            found = read_batch(calls, paths, folder=self.folder)
            strange.append(found.strange)
            if found.failed:
                typer.echo(
                    f"{calls.name}: no reply to {format_count(found.failed, 'call')} in the batch; "
                    f"of the last it says: {found.trouble}",
                    err=True,
                )
            made.append(self._settle(calls))
        if lost := frozenset.intersection(*strange):
            typer.echo(
                f"{format_count(len(lost), 'reply', 'replies')} in the batch to calls that "
                f"{' and '.join(one.name for one in chosen)} would not make now: written for "
                "another judge or study, or before the study changed; with the study as it was "
                "they can be read.",
                err=True,
            )
        return made

    def _settle(self, calls: Calls) -> Summary:
        """Make answers of the replies there are, and ask nothing."""
        from jurybox.judges.run import settle_judge

        ready = self.ready
        return settle_judge(
            calls, ready.study, ready.material, self.store, folder=self.folder, clock=_now
        )


def _now() -> datetime:
    return datetime.now(UTC)


def _money(amount: float) -> str:
    """An amount in cents; one below a cent with two digits that count, as judges are cheap.

    >>> [_money(amount) for amount in (0, 12.345, 0.0123, 0.0028, 0.00000994)]
    ['0.00', '12.35', '0.01', '0.0028', '0.0000099']
    """
    if amount == 0 or amount >= 0.01:
        return f"{amount:.2f}"
    return f"{amount:.{1 - math.floor(math.log10(amount))}f}"


def _spent(progress: Progress) -> str:
    cost = "" if progress.cost is None else f", {_money(progress.cost)}"
    return f"{format_count(progress.calls, 'call')}, {progress.tokens:,} tokens{cost}"


def _sentence(made: Summary) -> str:
    cost = "" if made.cost is None else f" for {_money(made.cost)}"
    said = [
        f"{made.judge}: {made.answered:,} of {made.total:,} answered, {made.unusable:,} unusable; "
        f"{format_count(made.calls, 'call')} with {made.tokens_in:,} tokens in and "
        f"{made.tokens_out:,} out{cost}."
    ]
    if made.unusable_because:
        said.append(f"What is wrong with the last unusable reply: {made.unusable_because}")
    if made.without:
        said.append(f"The endpoint does not take {' and '.join(made.without)}; it was left out.")
    if made.set_aside:
        said.append(
            f"{format_count(made.set_aside, 'answer')} to an order, a repeat or a trial that the "
            "study no longer asks for set aside, and kept."
        )
    if made.over_budget:
        said.append(
            "The rest of the budget may not pay for one more call; "
            f"{format_count(made.waiting, 'call')} not made."
        )
    elif made.waiting:
        why = f" ({made.trouble})" if made.trouble else ""
        said.append(
            f"No reply to {format_count(made.waiting, 'call')}{why}; run it again to ask the rest."
        )
    return " ".join(said)
