"""Write docs/analysis.schema.json: what ``jurybox analyze --json`` writes, as JSON Schema.

Every part is read off the dataclasses that are written, with their own documentation; a test holds
the file to them and every protocol's output to the file.
"""

from __future__ import annotations

import inspect
import json
import pkgutil
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import jurybox.analysis
import jurybox.stats
from jurybox.analysis.finding import Analysis, Collected, Column, Excluded, Finding, Table
from jurybox.results import SCHEMA_VERSION, Interval, Result, ResultTable

PAGE = Path(__file__).parent.parent / "docs" / "analysis.schema.json"
CELL = {"anyOf": [{"type": ["string", "number", "boolean", "null"]}, {"$ref": "#/$defs/bounds"}]}


def schema() -> dict[str, Any]:
    """The whole schema."""
    kinds = sorted(_kinds(), key=lambda kind: kind.__name__)
    defs: dict[str, Any] = {
        "number": {
            "description": 'A number; one that is infinite is the string "inf" or "-inf".',
            "anyOf": [{"type": "number"}, {"enum": ["inf", "-inf"]}],
        },
        "bounds": {
            "description": "An interval in a table: its low and its high end.",
            "type": "array",
            "prefixItems": [{"$ref": "#/$defs/number"}] * 2,
            "minItems": 2,
            "maxItems": 2,
        },
        "result": {
            "description": "Any statistic; its kind says which, and what else it holds.",
            "anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in kinds],
        },
        "Interval": _object(Interval),
        "Finding": _object(Finding),
        "Table": _table(),
        "Excluded": _object(Excluded),
        "Collected": _collected(),
    }
    defs |= {kind.__name__: _object(kind, kind=kind.__name__) for kind in kinds}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON of jurybox analyze",
        **_analysis(),
        "$defs": defs,
    }


def page() -> str:
    """The schema as it is written."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def _kinds() -> list[type[Any]]:
    """Every kind of result."""
    for room in (jurybox.stats, jurybox.analysis):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            import_module(module.name)
    found: dict[str, type[Any]] = {}
    for base in (Result, ResultTable):
        todo = [base]
        while todo:
            kind = todo.pop()
            todo += kind.__subclasses__()
            home = import_module(kind.__module__)
            # A dataclass with slots replaces the class it was made from.
            own = kind.__module__.startswith("jurybox.") and getattr(home, kind.__name__) is kind
            # What is private only prints a figure and is never written.
            if own and not kind.__name__.startswith("_"):
                found[kind.__name__] = kind
    return list(found.values())


def _object(made: type[Any], *, kind: str | None = None) -> dict[str, Any]:
    said = inspect.getdoc(made) or ""
    hints = get_type_hints(made)
    properties: dict[str, Any] = {}
    if kind is not None:
        properties = {"kind": {"const": kind}, "version": {"const": SCHEMA_VERSION}}
    properties |= {each.name: _type(hints[each.name]) for each in fields(made) if each.repr}
    return {
        "description": said.split("\n\n")[0].replace("\n", " "),
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }


def _type(hint: Any) -> dict[str, Any]:
    simple = {str: "string", bool: "boolean", int: "integer", type(None): "null"}
    if hint in simple:
        return {"type": simple[hint]}
    if hint is float:
        return {"$ref": "#/$defs/number"}
    if hint is Any:
        return {}
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_type(part) for part in parts]}
    if origin is tuple:
        return _tuple(parts)
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _type(parts[1])}
    if hint in (Result, ResultTable):
        return {"$ref": "#/$defs/result"}
    if is_dataclass(hint):
        return {"$ref": f"#/$defs/{hint.__name__}"}  # type: ignore[union-attr]
    raise TypeError(f"there is no JSON for {hint!r}")


def _tuple(parts: tuple[Any, ...]) -> dict[str, Any]:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return {"type": "array", "items": _type(parts[0])}
    return {
        "type": "array",
        "prefixItems": [_type(part) for part in parts],
        "minItems": len(parts),
        "maxItems": len(parts),
    }


def _table() -> dict[str, Any]:
    made = _object(Table)
    made["properties"]["columns"] = {"type": "array", "items": _object(Column)}
    made["properties"]["rows"] = {
        "description": "An object per row, with a cell per column by its name.",
        "type": "array",
        "items": {"type": "object", "additionalProperties": CELL},
    }
    return made


def _collected() -> dict[str, Any]:
    made = _object(Collected)
    made["properties"]["checked"] = {
        "type": "object",
        "additionalProperties": {"type": "integer"},
    }
    counts = {name: {"type": "integer"} for name in ("n_raters", "n_answers")}
    made["properties"]["rounds"] = {
        "description": "The other rounds that people answered; no figure counts them.",
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": counts,
            "required": list(counts),
        },
    }
    return made


def _analysis() -> dict[str, Any]:
    made = _object(Analysis, kind="Analysis")
    own = made["properties"]
    head = {"kind": own.pop("kind"), "version": own.pop("version")}
    headline = {
        "description": "The id of the finding that answers the question.",
        "type": ["string", "null"],
    }
    made["properties"] = {**head, "headline": headline, **own}
    made["required"] = list(made["properties"])
    made["properties"]["made_with"] = {
        "description": "The versions that made a report; only in what jurybox report writes.",
        "type": "object",
        "additionalProperties": {"type": "string"},
    }
    return made


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
