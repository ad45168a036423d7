"""Pages of the documentation that are read off the program: functions, results and verbs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jurybox as jb
from jurybox.cli.app import EPILOG, GROUPS, program
from scripts import docs_results

README = Path(__file__).parent.parent / "README.md"


def functions() -> dict[str, tuple[str, ...]]:
    """What functions are about, and which, as the README has them; the others are about studies."""
    table = README.read_text(encoding="utf-8").partition("| about | functions |\n|---|---|\n")[2]
    rows = [row.split("|")[1:3] for row in table.partition("\n\n")[0].split("\n")]
    groups = {about.strip(): tuple(re.findall(r"`(\w+)`", names)) for about, names in rows}
    listed = {name for names in groups.values() for name in names}
    return {**groups, "studies": tuple(name for name in jb.__all__ if name not in listed)}


def page_about(about: str) -> str:
    """The name of the page of a group of functions."""
    return f"{FUNCTIONS}-{about.replace(' ', '-')}"


FUNCTIONS = "functions"
TITLES = {
    FUNCTIONS: "Every function",
    **{page_about(about): about.capitalize() for about in functions()},
    "results": "Every result and error",
    "commands": "Every command",
}
"""Generated pages and their words in the contents."""


def pages() -> dict[str, str]:
    """The generated pages as Markdown."""
    return {
        FUNCTIONS: functions_page(),
        **{page_about(about): group_page(about, names) for about, names in functions().items()},
        "results": docs_results.page(),
        "commands": commands_page(),
    }


def functions_page() -> str:
    """Every public name with what it answers, and where its page is."""
    parts = [
        "# Every function",
        "The public names of `import jurybox as jb`. [The statistics](statistics.md) says which "
        "one answers which question. Data are given as a table: the path or glob of files (CSV, "
        "TSV, JSONL, Parquet), a pandas, Polars or Arrow table, or a dictionary of columns, in "
        "one of the [shapes](tables.md).",
    ]
    for about, names in functions().items():
        page = page_about(about)
        rows = (
            f"- [`{name}`]({page}.md#{name.lower()}): {_first_sentence(getattr(jb, name))}"
            for name in names
        )
        parts += [f"## [{about.capitalize()}]({page}.md)", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _first_sentence(thing: Any) -> str:
    return _flow((inspect.getdoc(thing) or "").partition("\n\n")[0])


def group_page(about: str, names: Iterable[str]) -> str:
    """The functions about one thing: signature and docstring of each."""
    parts = [
        f"# {about.capitalize()}: functions",
        "Some of [every function](functions.md) of `import jurybox as jb`, written from their "
        "docstrings.",
    ]
    for name in names:
        thing = getattr(jb, name)
        parts += [f"## `{name}`", f"```python\n{_signature(name, thing)}\n```"]
        parts.append(from_docstring(inspect.getdoc(thing) or ""))
        kind = docs_results.given(name)
        if kind is not None:
            made = kind.__name__
            parts.append(f"All fields of the result: [`{made}`](results.md#{made.lower()}).")
    return "\n\n".join(parts) + "\n"


def _signature(name: str, thing: Any) -> str:
    if inspect.isclass(thing):
        return f"jb.{name}(**keys_of_study_yaml)"
    signature = inspect.signature(thing)
    parameters = [_parameter(each, thing) for each in signature.parameters.values()]
    kinds = [each.kind for each in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    gives = _unquoted(signature.return_annotation)
    one_line = f"jb.{name}({', '.join(parameters)}) -> {gives}"
    if len(one_line) <= 80:
        return one_line
    return f"jb.{name}(\n    " + ",\n    ".join(parameters) + f",\n) -> {gives}"


def _parameter(each: inspect.Parameter, of: Any) -> str:
    star = "**" if each.kind is inspect.Parameter.VAR_KEYWORD else ""
    default = "" if each.default is inspect.Parameter.empty else f" = {each.default!r}"
    hint = docs_results.spelled(_unquoted(each.annotation), of)
    # A table of any kind has no type that says so; what it must hold is said below.
    return f"{star}{each.name}{default}" if hint == "Any" else f"{star}{each.name}: {hint}{default}"


def _unquoted(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def from_docstring(text: str) -> str:
    """A docstring in numpy's sections as Markdown, its formulas marked as GitHub reads them."""
    text = re.sub(r":math:`([^`]+)`", r"$`\1`$", text)
    text = re.sub(r"^(\w+)\n-{4,}$", r"### \1", text, flags=re.MULTILINE)
    blocks = re.split(r"\n\s*\n", text)
    return "\n\n".join(_block(block.strip("\n")) for block in blocks)


def _block(block: str) -> str:
    heading, _, rest = block.partition("\n")
    if heading.startswith("### ") and rest:
        named = heading in ("### Parameters", "### Returns")
        return f"{heading}\n\n{_definitions(rest) if named else _block(rest)}"
    if block.lstrip().startswith(".. math::"):
        formula = inspect.cleandoc(block.replace(".. math::", "         ", 1))
        return f"```math\n{formula}\n```"
    if block.startswith(">>> "):
        return f"```python\n{block}\n```"
    # What belongs to the definition before it stays there: two blanks, as below a list's mark.
    return re.sub(r"^    ", "  ", block, flags=re.MULTILINE)


def _definitions(text: str) -> str:
    """Names at the margin, each with its meaning below it."""
    lines = []
    for line in text.split("\n"):
        if line.startswith(" "):
            lines.append(f"  {line.strip()}")
        else:
            names = line.replace("*", r"\*")
            lines.append(f"- **{names}**:")
    return "\n".join(lines)


def commands_page() -> str:
    """Every verb as `--help` has it: usage, meaning, arguments and options."""
    parts = [
        "# Every command",
        "What `jurybox COMMAND --help` prints. " + _flow(EPILOG),
    ]
    for path, command in commands().items():
        usage = " ".join(
            command.collect_usage_pieces(command.make_context("", [], resilient_parsing=True))
        )
        name = f"jurybox {path}"
        parts += [f"## `{name}`", f"```sh\n{name} {usage}\n```", _flow(command.help)]
        rows = [_row(each) for each in command.params if "--help" not in each.opts]
        if rows:
            parts.append("\n".join(["| | meaning |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def commands() -> dict[str, Any]:
    """Every verb and every verb below it, by its words, in the order of `jurybox --help`."""
    verbs = [verb for group in GROUPS.values() for verb in group]
    every: Any = program(verbs)
    found = {}
    for verb in verbs:
        command = every.commands[verb]
        found[verb] = command
        below = getattr(command, "commands", {})
        found |= {f"{verb} {name}": each for name, each in below.items()}
    return found


def _row(each: Any) -> str:
    option = each.param_type_name == "option"
    names = [*each.opts, *each.secondary_opts] if option else [each.metavar or each.name]
    meaning = _flow(each.help)
    default = each.show_default if isinstance(each.show_default, str) else each.default
    if each.required:
        meaning += " Required."
    elif not (
        default is None or isinstance(default, bool) or default in ((), [], "") or callable(default)
    ):
        meaning += f" Default: {str(default).strip('()')}."
    return f"| {', '.join(f'`{name}`' for name in names)} | {meaning.replace('|', chr(92) + '|')} |"


def _flow(text: str | None) -> str:
    """The text without the line breaks that a terminal needs, paragraphs kept."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text or ""))
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
