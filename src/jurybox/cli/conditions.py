"""The conditions of a gate, read from the command line, and their verdict printed.

Click gives a command its options without the order between them, so it could not tell which
threshold belongs to which condition. They are read here first: ``--win-rate new old --above 0.5``
becomes one option with one value. Nothing here needs the parser, whose start would take longer than
a small table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from jurybox.cli.lines import bullet
from jurybox.cli.terminal import Terminal, stop_writing
from jurybox.errors import OptionError
from jurybox.results import show_text

if TYPE_CHECKING:
    from jurybox.analysis.gate import Gate
    from jurybox.analysis.gate_condition import Condition, Kind

__all__ = ["join_conditions", "judge_plainly", "read_conditions", "show_gate"]

TAKES = {
    "--win-rate": ("SYSTEM", "OTHER"),
    "--mean": ("SYSTEM", "CRITERION"),
    "--pass-rate": ("SYSTEM", "CRITERION"),
    "--fooling-rate": ("SYSTEM",),
    "--difference": ("SYSTEM", "OTHER", "CRITERION"),
}
"""Every condition with the names that follow it."""
SIDES = ("--above", "--below", "--non-inferior")


def join_conditions(arguments: Sequence[str]) -> list[str]:
    """The command line with each condition, its names and its threshold as one value.

    >>> join_conditions(["votes.csv", "--win-rate", "new", "old", "--above", "0.5", "--json"])
    ['votes.csv', '--win-rate', '[0, ["new", "old"], "above", 0.5]', '--json']
    """
    words = _split(arguments)
    joined: list[str] = []
    n = 0
    for word in words:
        if word in SIDES:
            raise OptionError(
                f"{word} says something of the condition before it: --win-rate new old {word} 0.5"
            )
        if word not in TAKES:
            joined.append(word)
            continue
        names = [_name(word, next(words, None)) for _ in TAKES[word]]
        side = next(words, None)
        if side not in SIDES:
            raise OptionError(
                f"{word} {' '.join(names)} must be followed by its threshold: --above X, --below X "
                "or --non-inferior MARGIN"
            )
        value = [n, names, side.removeprefix("--"), _number(side, next(words, None))]
        joined += [word, json.dumps(value, ensure_ascii=False)]
        n += 1
    return joined


def _split(arguments: Sequence[str]) -> Iterator[str]:
    """The words, with ``--above=0.5`` as two."""
    for word in arguments:
        option, equals, value = word.partition("=")
        if equals and (option in SIDES or option in TAKES):
            yield option
            yield value
        else:
            yield word


def _name(option: str, word: str | None) -> str:
    if word is None or word in SIDES or word in TAKES:
        raise OptionError(f"{option} takes {' '.join(TAKES[option])}, then its threshold")
    return word


def _number(side: str, word: str | None) -> float:
    if word is None:
        raise OptionError(f"{side} takes a number, and nothing follows it")
    try:
        value = float(word)
    except ValueError:
        raise OptionError(f"{side} takes a number; got {word!r}") from None
    if value - value != 0:
        raise OptionError(f"{side} takes a finite number; got {word!r}")
    return value


def read_conditions(given: Mapping[str, Sequence[str]]) -> list[Condition]:
    """The conditions in the order in which they were written."""
    # Imported here: a wrong command line is refused without the statistics.
    from jurybox.analysis.gate_condition import Condition

    read = []
    for option, values in given.items():
        for value in values:
            place, names, side, threshold = json.loads(value)
            kind = cast("Kind", option.removeprefix("--"))
            condition = Condition(kind=kind, names=tuple(names), side=side, threshold=threshold)
            read.append((place, condition))
    return [condition for _, condition in sorted(read, key=lambda pair: pair[0])]


def judge_plainly(joined: Sequence[str]) -> int | None:
    """The exit code for tables and conditions without any further option; otherwise ``None``."""
    sources: list[str] = []
    given: dict[str, list[str]] = {}
    words = iter(joined)
    for word in words:
        if word in TAKES:
            given.setdefault(word, []).append(next(words))
        elif word != "--json":
            sources.append(word)
    if not given or not sources or any(_needs_parser(each) for each in sources):
        return None
    from jurybox.analysis.gate import judge

    made = judge(sources if len(sources) > 1 else sources[0], read_conditions(given))
    show_gate(made, as_json="--json" in joined)
    return made.exit_code


def _needs_parser(word: str) -> bool:
    path = Path(word)
    return word.startswith("-") or path.is_dir() or path.name == "study.yaml"


def show_gate(gate: Gate, *, as_json: bool) -> None:
    """Write a sentence for each condition, or everything as JSON.

    The exit code is the verdict: it stands also where nobody reads to the end.
    """
    try:
        _write_gate(gate, as_json=as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        stop_writing()


def _write_gate(gate: Gate, *, as_json: bool) -> None:
    if as_json:
        text = json.dumps(gate.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
        sys.stdout.write(show_text(text) + "\n")
        return
    terminal = Terminal()
    for each in gate.conditions:
        terminal.line(bullet(each.sentence, terminal.width))
    notes = [*gate.warnings, *(f"left out: {sentence}" for sentence in gate.excluded)]
    for note in notes:
        terminal.line(bullet(note, terminal.width), style="dim")
