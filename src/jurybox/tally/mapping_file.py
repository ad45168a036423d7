"""``mapping.yaml``: how a table is read, kept beside it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from jurybox.errors import InputError
from jurybox.tally.mapping import TableMapping

__all__ = ["load_mapping", "save_mapping"]


def load_mapping(path: str | Path) -> TableMapping:
    """The mapping that a file holds."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError

    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    try:
        plain: Any = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise InputError(f"{file.name}:{line}: {error.problem or 'this is not YAML'}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name}: the file is not UTF-8; save it as UTF-8") from error
    if plain is None:
        return TableMapping()
    if not isinstance(plain, dict):
        raise InputError(f"{file.name}: a mapping has keys (map, values, set, …); got {plain!r}")
    try:
        return TableMapping.of(plain)
    except InputError as error:
        raise InputError(f"{file.name}: {error}") from error


def save_mapping(mapping: TableMapping, path: str | Path) -> None:
    """Write a mapping; ``load_mapping`` gives the same again."""
    from ruamel.yaml import YAML

    text = io.StringIO()
    writer = YAML()
    writer.default_flow_style = False
    writer.dump(mapping.to_plain(), text)
    heading = "# How jurybox reads this table: jurybox analyze TABLE --mapping mapping.yaml\n"
    Path(path).write_text(heading + text.getvalue(), encoding="utf-8")
