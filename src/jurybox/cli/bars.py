"""Progress bars of long steps: how much of how much, how fast, and the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["progress_bars", "rate"]


class Tell(Protocol):
    """Told how many are done, of how many, and what else is worth a word."""

    def __call__(self, done: int, total: int | None, words: str = "", /) -> None: ...


@contextmanager
def progress_bars(
    console: Console, *, only_terminal: bool = False
) -> Iterator[Callable[[str], Tell]]:
    """Bars on the console; each is asked for by its name, and its answer is told how far it is.

    With ``only_terminal`` nothing is printed to a file or a pipe, and nothing stays behind.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(rate(task.finished_speed or task.speed), style="dim")

    columns = (
        TextColumn("{task.description:<24}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    hidden = only_terminal and not console.is_terminal
    with Progress(*columns, console=console, transient=only_terminal, disable=hidden) as progress:

        def add(name: str) -> Tell:
            row = progress.add_task(name, total=None)

            def tell(done: int, total: int | None, words: str = "", /) -> None:
                described = f"{name}: {words}" if words else name
                progress.update(row, completed=done, total=total, description=described)

            return tell

        yield add


def rate(speed: float | None) -> str:
    """How many a second, in at most three digits; nothing while it is not known.

    >>> rate(None), rate(0.25), rate(163.4), rate(12345.0)
    ('', '0.25/s', '163/s', '12,345/s')
    """
    if not speed:
        return ""
    return f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.2g}/s"
