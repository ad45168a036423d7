"""The JSON Schema of ``study.yaml``, so that editors complete the file and underline slips.

It is made from the model, short forms included, with the model's own words as descriptions. Rules
that tie several parts together are left to ``jurybox check``.
"""

from __future__ import annotations

from typing import Any

from jurybox.study.model import Study
from jurybox.study.scales import NAMED, Scale

__all__ = ["json_schema"]

NUMBER = r"^[-+]?(\d+(\.\d*)?|\.\d+)$"
REF = "#/$defs/"


def json_schema() -> dict[str, Any]:
    """Give the JSON Schema (draft 2020-12) of a study file."""
    made = Study.model_json_schema(by_alias=True, mode="validation")
    definitions = made.pop("$defs")
    definitions |= _scale_definitions()
    criterion = definitions["Criterion"]["properties"]
    criterion["scale"] |= {"$ref": f"{REF}Scale"}
    criterion["confidence"] |= {
        "anyOf": [{"type": "integer", "minimum": 2, "maximum": 10}, {"$ref": f"{REF}Scale"}]
    }
    tidy = _tidy({**made, "$defs": dict(sorted(definitions.items()))})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **tidy,
        "title": "A jurybox study",
    }


def _scale_definitions() -> dict[str, Any]:
    long = Scale.model_json_schema(mode="validation")
    value = long["$defs"]["ScaleValue"]
    body = {key: part for key, part in value["properties"].items() if key != "value"}
    anchors = {
        "type": "object",
        "description": "Values, which are numbers, and what each means.",
        "patternProperties": {
            NUMBER: {
                "anyOf": [
                    {"type": "string"},
                    {"$ref": f"{REF}ScaleValueBody"},
                    {"type": "object", "propertyNames": {"pattern": "^[a-z]{2,3}(-.+)?$"}},
                ]
            }
        },
        "additionalProperties": False,
        "minProperties": 2,
    }
    settings = {key: part for key, part in long["properties"].items() if key != "values"}
    written = {
        "type": "object",
        "description": "The long form: values or, for a slider, anchors.",
        "properties": {
            "values": {
                "anyOf": [{"$ref": f"{REF}Anchors"}, long["properties"]["values"]],
                "description": long["properties"]["values"].pop("description"),
            },
            "anchors": {"$ref": f"{REF}Anchors"},
            **settings,
        },
        "anyOf": [{"required": ["values"]}, {"required": ["anchors"]}],
        "additionalProperties": False,
    }
    named = {"enum": list(NAMED), "description": "A named scale."}
    return {
        "Anchors": anchors,
        "ScaleValue": value,
        "ScaleValueBody": {**value, "properties": body, "required": ["anchor"]},
        "Scale": {"anyOf": [named, {"$ref": f"{REF}Anchors"}, written]},
    }


def _tidy(node: Any) -> Any:
    """Leave out what says nothing to a person: generated titles, and null, which no file holds."""
    if isinstance(node, list):
        return [_tidy(part) for part in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _tidy(part)
        for key, part in node.items()
        if not (key == "title" and isinstance(part, str))
        and not (key == "default" and (part is None or isinstance(part, dict | list)))
    }
    if isinstance(kept.get("description"), str):
        kept["description"] = kept["description"].partition("\n\n")[0]
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    for key in ("anyOf", "oneOf"):
        forms = [form for form in kept.get(key, ()) if form != {"type": "null"}]
        if key in kept:
            del kept[key]
            kept |= forms[0] if len(forms) == 1 else {"anyOf": forms}
    return kept
