"""The pages on reading tables and on the JSON: their commands and their Python run."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import jurybox as jb
from jurybox.analysis.finding import Collected
from jurybox.cli.app import run
from jurybox.tally.importers import FORMATS
from jurybox.tally.mapping import TableMapping
from tests import reference

ROOT = Path(__file__).parent.parent
READING = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")
JSON_PAGE = (ROOT / "docs" / "analysis-json.md").read_text(encoding="utf-8")
SCHEMA_FILE = ROOT / "docs" / "analysis.schema.json"


def blocks(page: str, language: str) -> list[tuple[str, str]]:
    """The blocks of a language, each with the name of its file where it has one."""
    pattern = rf"^```{language}( [^\n]+)?\n(.*?)^```$"
    return [
        (name.strip(), body)
        for name, body in re.findall(pattern, page, flags=re.MULTILINE | re.DOTALL)
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, body in blocks(READING, "csv"):
        (tmp_path / name).write_text(body)
    votes = (ROOT / "examples" / "votes.csv").read_text()
    (tmp_path / "votes.csv").write_text(votes)
    import duckdb

    for k in (1, 2):
        target = tmp_path / f"round-{k}.parquet"
        duckdb.connect().execute(
            f"COPY (SELECT * REPLACE (item || '-{k}' AS item) FROM "
            f"read_csv('{tmp_path / 'votes.csv'}', all_varchar=true)) TO '{target}'"
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_and_the_python_of_the_page_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = [
        line.removeprefix("$ jurybox ")
        for _, body in blocks(READING, "console")
        for line in body.replace("\\\n", " ").splitlines()
    ]
    assert len(commands) == 4
    for command in commands:
        assert run(shlex.split(command)) == 0, capsys.readouterr().err
    for page in (READING, JSON_PAGE):
        for _, code in blocks(page, "python"):
            (folder / "page.py").write_text(code, encoding="utf-8")
            runpy.run_path("page.py")
    assert "new" in capsys.readouterr().out


def test_the_mapping_shown_is_that_of_the_study() -> None:
    from ruamel.yaml import YAML

    ((_, shown),) = blocks(READING, "yaml")
    real = reference.table("pandalm_pairwise", "pandalm_votes.csv").mapping
    assert TableMapping.of(YAML(typ="safe").load(shown)) == real


def test_every_option_and_every_format_is_on_the_page() -> None:
    from jurybox.cli import reading

    for name in FORMATS:
        assert f"| `{name}` |" in READING
    for each in reading.__all__:
        if each.endswith("Option"):
            # In an annotation Typer keeps the option's first name as its default.
            option = getattr(reading, each).__metadata__[0].default
            assert f"`{option}" in READING, option


def test_the_schema_is_current() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "write_analysis_schema.py"))
    written = SCHEMA_FILE.read_text(encoding="utf-8")
    assert written == script["page"](), "run scripts/write_analysis_schema.py"


def test_every_key_is_on_the_page() -> None:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    for key in schema["properties"]:
        assert f"`{key}`" in JSON_PAGE, key


def rows(**columns: Any) -> dict[str, list[Any]]:
    n = max(len(column) for column in columns.values() if isinstance(column, list))
    return {
        name: value if isinstance(value, list) else [value] * n for name, value in columns.items()
    }


ITEMS = [f"q{i}" for i in range(12) for _ in range(6)]
RATERS = ["r1", "r2", "r3"] * 24
TABLES: dict[str, Any] = {
    "ratings": rows(
        item=ITEMS,
        rater=RATERS,
        system=["new", "new", "new", "old", "old", "old"] * 12,
        score=[1 + (7 * i) % 5 for i in range(72)],
    ),
    "words": rows(
        item=ITEMS[:6] * 2,
        rater=["r1", "r2", "r3", "r4", "r5", "r6"] * 2,
        system=["new"] * 6 + ["old"] * 6,
        score=["good", "bad", "good"] * 4,
    ),
    "votes": rows(
        item=[f"q{i}" for i in range(24) for _ in range(3)],
        rater=RATERS,
        system_a="new",
        system_b="old",
        winner=["a", "a", "b", "tie", "both_bad", "a"] * 12,
    ),
    "unbeaten": rows(
        item=["q1", "q2", "q3"], rater="r1", system_a="new", system_b="old", winner="a"
    ),
    "rankings": rows(
        item=[f"q{i}" for i in range(8) for _ in range(9)],
        rater=(["r1"] * 3 + ["r2"] * 3 + ["r3"] * 3) * 8,
        system=["x", "y", "z"] * 24,
        rank=[1, 2, 3, 2, 1, 3, 1, 3, 2] * 8,
    ),
    "detections": rows(
        item=[f"q{i}" for i in range(24) for _ in range(3)],
        rater=RATERS,
        truth=["real", "real", "real", "generated", "generated", "generated"] * 12,
        answer=["real", "generated", "real", "generated", "real"] * 14 + ["real", "generated"],
        confidence=[1, 2, 3, 4] * 18,
    ),
    "spans": rows(
        item=[f"q{i}" for i in range(12) for _ in range(6)],
        rater=RATERS,
        system=["new", "new", "new", "old", "old", "old"] * 12,
        category="Accuracy/Omission",
        severity=["major", "minor", None, "minor"] * 18,
        start=[1, 2, None, 4] * 18,
        end=[3, 5, None, 9] * 18,
    ),
    "one": rows(item=["q1"], score=[1]),
}


def validate(data: Any) -> None:
    """Hold data to the schema, and refuse keys that it does not name.

    A reader must bear keys that a later release adds, so the file itself does not refuse them.
    """

    def close(part: Any) -> Any:
        if isinstance(part, list):
            return [close(each) for each in part]
        if not isinstance(part, dict):
            return part
        made = {key: close(value) for key, value in part.items()}
        return {**made, "additionalProperties": False} if "required" in part else made

    schema = close(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(data, allow_nan=False)))


def test_a_key_that_the_schema_does_not_name_is_found() -> None:
    data = jb.analyze(TABLES["one"]).to_dict()
    with pytest.raises(jsonschema.ValidationError, match="Additional properties"):
        validate({**data, "more": 1})


@pytest.mark.parametrize("name", TABLES)
def test_every_protocol_is_written_as_the_schema_says(name: str) -> None:
    validate(jb.analyze(TABLES[name], n_resamples=50).to_dict())


def test_so_are_metrics_and_a_mapped_table() -> None:
    both = reference.table("unieval_meta", "qags_cnndm.csv")
    validate(jb.analyze(both, metrics=both, n_resamples=50).to_dict())


def test_so_is_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    votes = str(ROOT / "examples" / "votes.csv")
    assert run(["report", votes, "--out", str(tmp_path), "--format", "json"]) == 0
    capsys.readouterr()
    validate(json.loads((tmp_path / "findings.json").read_text(encoding="utf-8")))


def test_so_are_exclusions_and_what_a_study_collected() -> None:
    table = {
        **TABLES["votes"],
        "excluded_by": ["straight_line" if r == "r3" else None for r in RATERS],
    }
    found = jb.analyze(table, n_resamples=50)
    assert found.excluded
    collected = Collected(
        version=1, n_answers=72, n_trials=24, raters_per_trial=(3, 3.0, 3), checked=(("gold", 3),)
    )
    validate(replace(found, collected=collected).to_dict())
