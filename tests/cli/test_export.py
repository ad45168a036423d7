"""`jurybox export`: every shape, in every format, also when it is empty."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest

from jurybox.analysis import analyze
from jurybox.cli.app import run
from jurybox.store import Store
from jurybox.store.views import COLUMNS
from jurybox.study import Study, load_study
from jurybox.study.model import RaterId
from jurybox.tally.mapping import mapped
from tests.study.examples import write_example

Capture = pytest.CaptureFixture[str]
FORMULA = '=HYPERLINK("x")'


@pytest.fixture
def study(tmp_path: Path) -> Path:
    directory = write_example("compare", tmp_path / "study", items=2)
    cell = FORMULA.replace('"', '""')
    lines = (
        "rater,item,system_a,system_b,winner,confidence,comment,at,ms",
        f'ann,q1,new,old,b,2,"{cell}",2026-03-01T09:00:00Z,900',
    )
    (directory / "votes.csv").write_text("\n".join(lines) + "\n")
    assert run(["import", str(directory), str(directory / "votes.csv")]) == 0
    return directory


def read(path: Path) -> list[dict[str, Any]]:
    relation = duckdb.sql(f'SELECT * REPLACE ("at"::VARCHAR AS "at") FROM \'{path}\'')
    assert relation is not None
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def test_every_shape_is_written_with_its_columns(
    study: Path, tmp_path: Path, capsys: Capture
) -> None:
    capsys.readouterr()
    assert run(["export", str(study), "--out", str(tmp_path / "out"), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    counts = {Path(path).name: n for path, n in written.items()}
    assert counts == {f"{s}.csv": int(s in ("votes", "submissions")) for s in COLUMNS}
    for shape, names in COLUMNS.items():
        with (tmp_path / "out" / f"{shape}.csv").open(newline="") as file:
            header, *rows = csv.reader(file)
        assert tuple(header) == names
        assert len(rows) == counts[f"{shape}.csv"]


def test_a_cell_stays_what_the_rater_wrote(study: Path, capsys: Capture) -> None:
    assert run(["export", str(study), "--shape", "votes"]) == 0
    with (study / "export" / "votes.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["comment"] == FORMULA
    assert (row["winner"], row["confidence"], row["ms"]) == ("b", "2.0", "900")
    assert row["at"] == "2026-03-01T09:00:00.000000Z"
    assert row["excluded_by"] == ""
    assert sorted(path.name for path in (study / "export").iterdir()) == ["votes.csv"]


@pytest.mark.parametrize("format", ["parquet", "jsonl"])
def test_other_formats_hold_the_same(study: Path, tmp_path: Path, format: str) -> None:
    assert run(["export", str(study), "-o", str(tmp_path / "out"), "-f", format]) == 0
    (values,) = read(tmp_path / "out" / f"votes.{format}")
    assert tuple(values) == COLUMNS["votes"]
    assert (values["item"], values["winner"], values["comment"]) == ("q1", "b", FORMULA)
    assert values["strength"] is None


def test_parquet_has_the_types_of_the_shape_also_without_rows(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(["export", str(study), "-o", str(out), "-f", "parquet"]) == 0
    relation = duckdb.sql(f"SELECT * FROM '{out / 'ratings.parquet'}'")
    assert relation is not None
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    assert tuple(types) == COLUMNS["ratings"]
    assert types["score"] == "DOUBLE"
    assert types["position"] == "BIGINT"
    assert types["at"] == "TIMESTAMP WITH TIME ZONE"
    assert types["item"] == types["comment"] == "VARCHAR"
    assert read(out / "ratings.parquet") == []


def test_rounds_are_exported_apart_unless_all_are_asked_for(study: Path, capsys: Capture) -> None:
    for round, n in (("pilot", 0), ("main", 1), ("all", 1)):
        capsys.readouterr()
        assert run(["export", str(study), "--round", round, "-s", "votes"]) == 0
        rows = "1 row" if n == 1 else f"{n} rows"
        assert f"votes.csv: {rows}\nNo rater is marked" in capsys.readouterr().out


def write_answers(directory: Path, *, hasty: str) -> Path:
    """Write scores of four raters, of whom one takes half a second and likes everything."""
    lines = ["rater,item,system,criterion,score,ms"]
    for r, rater in enumerate(("ann", "bob", "cid", "dan")):
        for i in range(1, 5):
            for s, system in enumerate(("brush", "magic", "plain")):
                score = 2 if rater == hasty else (0, 0.5, 1)[(r + i + s) % 3]
                ms = 500 if rater == hasty else 5000
                lines.append(f"{rater},e{i},{system},realism,{score},{ms}")
    (directory / "old.csv").write_text("\n".join(lines) + "\n")
    return directory / "old.csv"


def test_the_exported_table_says_the_same_as_the_study(tmp_path: Path, capsys: Capture) -> None:
    directory = write_example("rate", tmp_path / "study", items=4)
    with (directory / "study.yaml").open("a") as file:
        file.write("quality: {exclude: {faster_than: 2.5}}\n")
    assert run(["import", str(directory), str(write_answers(directory, hasty="cid"))]) == 0
    with Store.open(directory) as store:
        store.mark_excluded(RaterId("dan"), "asked_to_leave", "why", now=datetime.now(UTC))
    capsys.readouterr()
    assert run(["export", str(directory)]) == 0
    said = "2 raters marked in excluded_by: faster_than 1, asked_to_leave 1."
    assert said in capsys.readouterr().out
    for shape in ("ratings", "submissions"):
        with (directory / "export" / f"{shape}.csv").open(newline="") as file:
            marks = {(row["rater"], row["excluded_by"]) for row in csv.DictReader(file)}
        assert marks == {
            ("ann", ""), ("bob", ""), ("cid", "faster_than"), ("dan", "asked_to_leave")
        }  # fmt: skip
    study, table = (
        {t.id: t for t in analyze(source).tables}["mean_scores/realism"].rows
        for source in (directory, directory / "export" / "ratings.csv")
    )
    # The study alone knows that its scale ends at 0 and 2, where no interval goes on.
    on_scale = [
        (name, mean, tuple(min(max(end, 0.0), 2.0) for end in interval), *more)
        for name, mean, interval, *more in table
    ]
    assert list(study) == on_scale
    # What the export says of the scales makes it known to the table too.
    known = mapped(directory / "export" / "ratings.csv", directory / "export" / "mapping.yaml")
    assert list(known.mapping.scale["realism"]) == [0, 0.5, 1, 2]
    assert known.mapping.levels["realism"] == "ordinal"
    assert str(known.mapping.derive["overall"]) == "geometric_mean(consistency, realism)"
    both = {t.id: t for t in analyze(mapped(known, only={"criterion": "realism"})).tables}
    assert both["mean_scores/realism"].rows == study
    # Only the careful two: nobody gave a 2.
    assert all(mean < 1 for _, mean, *_ in study)


def test_a_table_with_its_study_gives_the_very_findings_of_the_study(tmp_path: Path) -> None:
    criteria = {name: {"question": "How good?", "scale": "acr"} for name in ("fit", "look")}
    systems = {"new": 4, "old": 3, "tiny": 2}
    folder = tmp_path / "study"
    folder.mkdir()
    rows = [{"item": f"i{k}", "system": s, "answer": f"{s} {k}"} for k in range(6) for s in systems]
    (folder / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Study(
        title="Two scores", protocol="rate", outputs="outputs.jsonl", show={"answer": "text"},
        criteria=criteria, derived={"overall": {"mean": ["fit", "look"]}}, design={"overlap": 4},
        analysis={"primary": {"criterion": "overall", "mean": ["new", "tiny"]}, "baseline": "tiny"},
    ).save(folder)  # fmt: skip
    lines = ["rater,item,system,criterion,score,at"]
    for number, (row, rater, name) in enumerate(product(rows, "abcd", criteria)):
        score = min(5, systems[row["system"]] + (7 * number + ord(rater)) % 3 - 1)
        values = (rater, row["item"], row["system"], name, score, "2026-03-01T09:00:00Z")
        lines.append(",".join(map(str, values)))
    (folder / "ratings.csv").write_text("\n".join(lines) + "\n")
    assert run(["import", str(folder), str(folder / "ratings.csv")]) == 0
    assert run(["export", str(folder), "--out", str(tmp_path / "out")]) == 0
    table = tmp_path / "out" / "ratings.csv"
    own, alone, both = (
        {finding.id: finding.sentence for finding in found.findings}
        for found in (analyze(folder), analyze(table), analyze(table, study=load_study(folder)))
    )
    assert both == own
    # What only the study file says: what is derived, which contrast is the one, and the scale.
    assert "difference/overall/new/tiny" in own
    assert not any("overall" in id for id in alone)
    more = [id for id in alone if id not in own]
    assert more
    assert all(id.startswith(("difference/", "more_data/")) for id in more)
    assert "mean opinion score" in own["mean/fit/new"]
    assert "mean score" in alone["mean/fit/new"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--format", "xls"], "--format is one of csv, parquet, jsonl; got 'xls'."),
        (["--shape", "grades"], "--shape is one of ratings, votes,"),
        (["--round", "last"], "--round is one of pilot, calibration, main, practice, all;"),
    ],
)
def test_wrong_options_are_sentences(
    study: Path, capsys: Capture, options: list[str], sentence: str
) -> None:
    assert run(["export", str(study), *options]) == 2
    assert sentence in capsys.readouterr().err
    assert not (study / "export").exists()


def test_a_study_without_responses_is_a_sentence(tmp_path: Path, capsys: Capture) -> None:
    directory = write_example("smallest", tmp_path / "study")
    assert run(["export", str(directory)]) == 1
    assert "this study has no responses yet" in capsys.readouterr().err
    assert not (directory / "study.db").exists()
