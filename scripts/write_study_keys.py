"""Write docs/study-keys.md: every key of study.yaml with its default and meaning.

The words are the fields' own documentation, from the JSON Schema; a test holds the page to it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jurybox.study.schema import json_schema

PAGE = Path(__file__).parent.parent / "docs" / "study-keys.md"
SECTIONS = {
    "show.FIELD": "Shown",
    "criteria.NAME": "Criterion",
    "a scale": "Scale",
    "a scale's value": "ScaleValueBody",
    "derived.NAME": "Derived",
    "cases": "Case",
    "outputs, as one wide table": "OutputTable",
    "systems.NAME": "System",
    "design": "Design",
    "quality": "Quality",
    "quality.calibration": "Calibration",
    "quality.exclude": "Exclude",
    "session": "Session",
    "access": "Access",
    "access.prolific": "Prolific",
    "survey.NAME": "SurveyQuestion",
    "raters": "RaterGroups",
    "raters.groups.NAME": "RaterGroup",
    "judges.NAME": "Judge",
    "analysis": "AnalysisChoices",
    "analysis.primary": "Primary",
}
"""Where in the file a part stands, and its name in the schema."""


def page() -> str:
    """The whole page."""
    schema = json_schema()
    parts = [
        "# Every key of study.yaml",
        "[The study file](study-file.md) explains these keys and shows them in use. "
        "`jurybox check --schema` prints the JSON Schema, with which editors complete the file. "
        "This page is generated from the code by `scripts/write_study_keys.py`.",
        "## The study",
        _table(schema),
    ]
    for place, name in SECTIONS.items():
        definition = _long_form(schema["$defs"][name])
        parts += [f"## {place}", definition.get("description", "").strip(), _table(definition)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _long_form(definition: dict[str, Any]) -> dict[str, Any]:
    """The form with keys, of a part that can also be written as a name or a list."""
    forms = [definition, *definition.get("anyOf", [])]
    return next(form for form in forms if "properties" in form)


def _table(definition: dict[str, Any]) -> str:
    required = definition.get("required", [])
    rows = ["| key | default | meaning |", "|---|---|---|"]
    for key, field in definition["properties"].items():
        default = "required" if key in required else _default(field)
        meaning = field.get("description", _meaning_elsewhere(field)).replace("|", "\\|")
        rows.append(f"| `{key}` | {default} | {' '.join(meaning.split())}{_choices(field)} |")
    return "\n".join(rows)


def _choices(field: dict[str, Any]) -> str:
    """The words that a key takes, where it takes no others and its meaning does not name them."""
    forms = [form for form in field.get("anyOf", [field]) if form.get("type") != "null"]
    words = [word for form in forms for word in form.get("enum", ())]
    named = f"{', '.join(words[:-1])} or {words[-1]}" if words else ""
    if named in field.get("description", "") or not all("enum" in form for form in forms):
        return ""
    return f" One of {', '.join(f'`{word}`' for word in words)}."


def _default(field: dict[str, Any]) -> str:
    value = field.get("default")
    return f"`{json.dumps(value)}`" if value not in (None, {}, []) else ""


def _meaning_elsewhere(field: dict[str, Any]) -> str:
    """What the part itself says, where a key has no words of its own."""
    name = str(field.get("$ref", "")).rpartition("/")[2]
    return str(json_schema()["$defs"].get(name, {}).get("description", ""))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
