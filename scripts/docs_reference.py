"""Pages of the documentation that are read off the program; here those of functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

import jurybox as jb
from scripts import docs_commands, docs_results

README = Path(__file__).parent.parent / "README.md"


def functions() -> dict[str, tuple[str, ...]]:
    """What functions are about, and which, as the README has them; the others are about studies."""
    table = README.read_text(encoding="utf-8").partition("| about | functions |\n|---|---|\n")[2]
    rows = [row.split("|")[1:3] for row in table.partition("\n\n")[0].split("\n")]
    groups = {about.strip(): tuple(re.findall(r"`(\w+)`", names)) for about, names in rows}
    listed = {name for names in groups.values() for name in names}
    return {**groups, "studies": tuple(name for name in jb.__all__ if name not in listed)}


def page_about(whole: str, about: str) -> str:
    """The name of the page of a group of functions or results."""
    return f"{whole}-{about.replace(' ', '-')}"


FUNCTIONS, RESULTS, COMMANDS = "functions", "results", docs_commands.COMMANDS
TITLES = {
    FUNCTIONS: "Every function",
    **{page_about(FUNCTIONS, about): about.capitalize() for about in functions()},
    RESULTS: "Every result and error",
    **{page_about(RESULTS, about): about.capitalize() for about in docs_results.about(functions())},
    COMMANDS: "Every command",
    **{page: f"jurybox {verb}" for page, verb in docs_commands.PAGES.items()},
}
"""Generated pages and their words in the contents."""
LISTS = {
    FUNCTIONS: " of `import jurybox as jb`, with its formula and an example.",
    RESULTS: ", field by field.",
    COMMANDS: ": what `--help` prints.",
}
"""The pages that list the others, with what the first page says of each."""


def whole_of(name: str) -> str:
    """The page that lists what is on this one; none where it is no part of another."""
    whole = name.partition("-")[0]
    return whole if name in TITLES and whole != name else ""


def pages() -> dict[str, str]:
    """The generated pages as Markdown."""
    groups = functions()
    kinds = docs_results.about(groups)
    homes = {kind: page_about(RESULTS, about) for about, those in kinds.items() for kind in those}
    homes |= dict.fromkeys(docs_results.BASES, RESULTS)
    made = {FUNCTIONS: functions_page()}
    for about, names in groups.items():
        made[page_about(FUNCTIONS, about)] = group_page(about, names, homes)
    made[RESULTS] = docs_results.page(kinds, homes)
    for about, those in kinds.items():
        made[page_about(RESULTS, about)] = docs_results.group_page(about, those, homes)
    made[COMMANDS] = docs_commands.page()
    return made | {page: docs_commands.page_of(verb) for page, verb in docs_commands.PAGES.items()}


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
        page = page_about(FUNCTIONS, about)
        rows = (
            f"- [`{name}`]({page}.md#{name.lower()}): {_first_sentence(getattr(jb, name))}"
            for name in names
        )
        parts += [f"## [{about.capitalize()}]({page}.md)", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _first_sentence(thing: Any) -> str:
    return _flow((inspect.getdoc(thing) or "").partition("\n\n")[0])


def group_page(about: str, names: Iterable[str], homes: Mapping[type[Any], str]) -> str:
    """The functions about one thing: signature and docstring of each."""
    parts = [
        f"# {about.capitalize()}: functions",
        "From the [list of functions](functions.md) of `import jurybox as jb`; generated from "
        "their docstrings.",
    ]
    for name in names:
        thing = getattr(jb, name)
        parts += [f"## `{name}`", f"```python\n{_signature(name, thing)}\n```"]
        parts.append(_linked(from_docstring(inspect.getdoc(thing) or ""), name))
        kind = docs_results.given(name)
        if kind is not None:
            parts.append(f"All fields of the result: {docs_results.link(kind, homes)}.")
    return "\n\n".join(parts) + "\n"


def _linked(text: str, of: str) -> str:
    """The other functions that a docstring names, each as a link to its own words."""
    homes = {
        name: f"{page_about(FUNCTIONS, about)}.md#{name.lower()}"
        for about, names in functions().items()
        for name in names
        if name != of
    }

    def link(code: re.Match[str]) -> str:
        return f"[{code[0]}]({homes[code[2]]})" if code[2] in homes else code[0]

    return re.sub(r"(`+)(?:jb\.)?(\w+)\1", link, text)


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
    lines = "\n".join(_in_lines(f"{each},") for each in parameters)
    return f"jb.{name}(\n{lines}\n) -> {gives}"


def _in_lines(parameter: str) -> str:
    """A parameter, whose many choices go on further in."""
    return fill(
        parameter,
        88,
        initial_indent="    ",
        subsequent_indent="        ",
        break_long_words=False,
        break_on_hyphens=False,
    )


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


def _flow(text: str) -> str:
    return " ".join(text.split())
