"""A script and all it imports in one file, so that a page costs a browser one request for both.

The scripts are small modules, and a browser fetches only six files at a time: where a request takes
a third of a second, forty of them take seconds, whatever order they are asked for in.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

__all__ = ["join_modules"]

_IMPORT: Final = re.compile(r'^import (?:(\{[^}"]+\}) from )?"\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:const|class|(?:async )?function\*?) (\w+))", re.MULTILINE)
_LEFT: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def join_modules(folder: Path, name: str) -> str:
    """The script of this name with what it imports before it, each in a scope of its own."""
    parts: dict[str, str | None] = {}

    def add(module: str) -> None:
        parts[module] = None  # begun
        text = (folder / f"{module}.js").read_text(encoding="utf-8")
        for _, imported in _IMPORT.findall(text):
            if parts.get(imported, "") is None:
                raise ValueError(f"{imported}.js and {module}.js import each other")
            if imported not in parts:
                add(imported)
        del parts[module]  # it comes after what it imports
        parts[module] = _scope(module, text)

    add(name)
    return "\n".join(part for part in parts.values() if part)


def _scope(module: str, text: str) -> str:
    """A module as a function that gives what it exports."""
    exported = [found[2] for found in _EXPORT.finditer(text)]
    body = _EXPORT.sub(r"\1", _IMPORT.sub(_imported, text))
    if left := _LEFT.search(body):
        raise ValueError(f"{module}.js: {left[0]} is written in a way that cannot be joined")
    return (
        f"const {_object(module)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"
    )


def _imported(found: re.Match[str]) -> str:
    if not found[1]:
        return "\n"
    return f"const {found[1].replace(' as ', ': ')} = {_object(found[2])};\n"


def _object(module: str) -> str:
    return "$" + module.replace("-", "_")
