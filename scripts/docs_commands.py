"""The pages of commands: what `jurybox COMMAND --help` prints, a page for each."""

from __future__ import annotations

import inspect
import re
from typing import Any

from jurybox.cli.app import EPILOG, GROUPS, program

__all__ = ["COMMANDS", "PAGES", "commands", "page", "page_of"]

COMMANDS = "commands"
PAGES = {f"{COMMANDS}-{verb}": verb for group in GROUPS.values() for verb in group}
"""The page of each verb, in the order of the README."""


def commands() -> dict[str, Any]:
    """Every verb and every verb below it, by its words."""
    every: Any = program([*PAGES.values()])
    found = {}
    for verb in PAGES.values():
        command = every.commands[verb]
        found[verb] = command
        below = getattr(command, "commands", {})
        found |= {f"{verb} {name}": each for name, each in below.items()}
    return found


def page() -> str:
    """Every verb with what it does, and where its page is."""
    found = commands()
    parts = ["# Every command", f"What `jurybox COMMAND --help` prints. {EPILOG}"]
    for group, verbs in GROUPS.items():
        rows = (
            f"- [`jurybox {verb}`]({COMMANDS}-{verb}.md): {_paragraphs(found[verb].help)[0]}"
            for verb in verbs
        )
        parts += [f"## {group}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def page_of(verb: str) -> str:
    """One verb: usage, meaning, arguments and options, and the verbs below it."""
    parts = [f"# jurybox {verb}"]
    for path, command in commands().items():
        if path.split()[0] == verb:
            parts += [f"## `jurybox {path}`"] if path != verb else []
            parts += _described(path, command)
    return "\n\n".join(parts) + "\n"


def _described(path: str, command: Any) -> list[str]:
    usage = command.collect_usage_pieces(command.make_context("", [], resilient_parsing=True))
    parts = [f"```sh\njurybox {path} {' '.join(usage)}\n```", *_paragraphs(command.help)]
    panels: dict[str, list[str]] = {}
    for each in command.params:
        panels.setdefault(getattr(each, "rich_help_panel", None) or "", []).append(_row(each))
    for heading, rows in panels.items():
        parts += [f"## {heading}"] if heading else []
        parts.append("\n".join(["| | meaning |", "|---|---|", *rows]))
    return parts


def _row(each: Any) -> str:
    names = [f"`{name}`" for name in (*each.opts, *each.secondary_opts)]
    if each.param_type_name == "argument":
        names = [f"`{each.metavar or each.name}`"]
    elif each.metavar:
        names[-1] = f"{names[-1][:-1]} {each.metavar}`"
    meaning = " ".join(_paragraphs(each.help))
    default = each.show_default if isinstance(each.show_default, str) else each.default
    if each.required:
        meaning += " Required."
    elif not (
        default is None or isinstance(default, bool) or default in ((), [], "") or callable(default)
    ):
        default = f"{default:g}" if isinstance(default, float) else str(default)
        meaning += f" Default: {default.strip('()')}."
    if each.envvar:
        meaning += f" Also read from the environment: `{each.envvar}`."
    return "| {} | {} |".format(*(part.replace("|", r"\|") for part in (", ".join(names), meaning)))


def _code(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("`") else f"`{found[1] or found[0]}`"


def _paragraphs(text: str | None) -> list[str]:
    """The text without the line breaks that a terminal needs, its options as code."""
    # Quoted commands and options become code too; an option within them is code already.
    code = r"`[^`]+`|'((?:jurybox |--)[^']+)'|(?<!\S)--[a-z][a-z-]*"
    flowing = re.sub(code, _code, inspect.cleandoc(text or ""))
    return [" ".join(each.split()) for each in re.split(r"\n\s*\n", flowing)]
