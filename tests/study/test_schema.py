"""The JSON Schema for editors accepts what the reader accepts, short forms included."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from jurybox.study import Study
from jurybox.study.positions import read_yaml
from jurybox.study.schema import json_schema
from tests.study.examples import STUDIES
from tests.study.studies_strategy import studies

# jsonschema ships no types.
Draft202012Validator: Any = importlib.import_module("jsonschema").Draft202012Validator
SCHEMA = json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def as_json(value: Any) -> Any:
    """JSON has only text for keys; so do editors when they match them."""
    if isinstance(value, dict):
        return {str(key): as_json(part) for key, part in value.items()}
    return [as_json(part) for part in value] if isinstance(value, list) else value


def complaints(text: str) -> list[str]:
    data = as_json(read_yaml(text.encode(), "study.yaml").data)
    return [error.message for error in VALIDATOR.iter_errors(data)]


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*.yaml")), ids=lambda path: path.stem)
def test_it_accepts_every_study_of_the_tests(path: Path) -> None:
    assert complaints(path.read_text(encoding="utf-8")) == []


@given(studies())
def test_it_accepts_whatever_is_saved(data: dict[str, Any]) -> None:
    assert complaints(Study(**data).to_yaml()) == []


@pytest.mark.parametrize(
    "slip",
    [
        "titel: x\n",
        "session: {minuts: 3}\n",
        "criteria: {c: {scale: acrr}}\n",
        "criteria: {c: {scale: {one: a, two: b}}}\n",
        "criteria: {c: {scale: {1: {ancor: a}, 2: b}}}\n",
        "design: {pairs: some}\n",
        "design: {overlap: 0}\n",
        "quality: {exclude: {gold: 1}}\n",
    ],
)
def test_it_underlines_slips(slip: str) -> None:
    good = "title: t\nprotocol: rate\noutputs: o.csv\nshow: {o: text}\n"
    assert complaints(good) == []
    assert complaints(good + slip)


def test_it_describes_every_key() -> None:
    undescribed = [
        f"{name}.{key}"
        for name, part in {"Study": SCHEMA, **SCHEMA["$defs"]}.items()
        for key, field in part.get("properties", {}).items()
        if "description" not in field and "$ref" not in field
    ]
    assert undescribed == []
