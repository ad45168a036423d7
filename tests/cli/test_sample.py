"""`jurybox sample`: the same records on every machine, streamed, and added to a study once."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jurybox.cli.app import run
from jurybox.design.traffic import Share
from jurybox.study import load_material, load_study
from jurybox.study.growing import NewFile
from jurybox.study.records import read_records

Capture = pytest.CaptureFixture[str]
SECRET = "ada@example.org"
STUDY = """\
title: Does it answer well?
protocol: rate
items: prompts.jsonl
outputs: answers/{system}.jsonl
show: {prompt: text, answer: text}
design: {overlap: 1}
"""


def record(n: int, **more: Any) -> dict[str, Any]:
    user = {"email": SECRET, "plan": "free"}
    return {"id": f"r{n}", "prompt": f"Why {n}?", "answer": f"So {n}.", "user": user, **more}


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(each) + "\n" for each in records)


def taken(n: int, rate: str = "0.5") -> list[str]:
    share = Share(rate)
    return [f"r{k}" for k in range(n) if share.takes(f"r{k}")]


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    path = tmp_path / "traffic.jsonl"
    path.write_text(lines([record(n) for n in range(20)]))
    return path


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yaml").write_text(STUDY)
    return tmp_path / "study"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def into(study: Path, traffic: Path, *more: str, rate: str = "0.5") -> int:
    options = ("--drop", "user", "--system", "prod", "--output", "answer")
    return run(["sample", str(traffic), "--rate", rate, "--to", str(study), *options, *more])


def test_the_taken_records_are_printed_without_the_dropped_fields(
    traffic: Path, capsys: Capture
) -> None:
    assert run(["sample", str(traffic), "--rate", "0.5", "--drop", "user.email"]) == 0
    said = capsys.readouterr()
    found = [json.loads(line) for line in said.out.splitlines()]
    assert [each["id"] for each in found] == taken(20)
    assert found[0]["user"] == {"plan": "free"}
    assert SECRET not in said.out + said.err
    assert said.err == f"Read 20 records, took {len(taken(20))}.\n"


def test_a_bar_on_a_terminal_and_nothing_in_a_pipe(
    traffic: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    taken = [tmp_path / name for name in ("taken.jsonl", "again.jsonl")]
    command = ["sample", str(traffic), "--rate", "0.5", "--out"]
    assert run([*command, str(taken[0])]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")  # what a terminal is to rich
    assert run([*command, str(taken[1])]) == 0
    assert "Reading, in MB" in capsys.readouterr().err
    assert taken[0].read_bytes() == taken[1].read_bytes()


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".csv", ".tsv", ".jsonl.gz", ".csv.gz"])
def test_every_format_takes_the_same_ids(tmp_path: Path, suffix: str) -> None:
    if "json" in suffix:
        text = lines([{"id": f"r{n}", "a": 'x, y\n"z"'} for n in range(20)])
    else:
        tab = "\t" if suffix == ".tsv" else ","
        text = f"id{tab}a\n" + "".join(f'r{n}{tab}"x, y\n""z"""\n' for n in range(20))
    path = tmp_path / f"traffic{suffix}"
    content = text.encode("utf-8-sig" if suffix == ".csv" else "utf-8")
    path.write_bytes(gzip.compress(content) if suffix.endswith(".gz") else content)
    out = tmp_path / "out.jsonl"
    assert run(["sample", str(path), "--rate", "0.5", "--out", str(out)]) == 0
    assert rows(out) == [{"id": id, "a": 'x, y\n"z"'} for id in taken(20)]


def test_records_come_through_a_pipe_too(
    traffic: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for content in (traffic.read_bytes(), gzip.compress(traffic.read_bytes())):
        pipe = io.TextIOWrapper(io.BytesIO(content))
        monkeypatch.setattr(sys, "stdin", pipe)
        assert run(["sample", "-", "--rate", "0.5"]) == 0
        found = [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()]
        assert found == taken(20)


def test_a_study_gets_new_ids_once_and_more_with_a_higher_rate(
    study: Path, traffic: Path, capsys: Capture
) -> None:
    assert into(study, traffic, "--json", rate="0.3") == 0
    n = len(taken(20, "0.3"))
    added = {"prompts.jsonl": n, "answers/prod.jsonl": n}
    assert json.loads(capsys.readouterr().out) == {
        "read": 20, "taken": n, "already_there": 0, "added": added,
    }  # fmt: skip
    first = [{"item": id, "prompt": f"Why {id[1:]}?"} for id in taken(20, "0.3")]
    assert rows(study / "prompts.jsonl") == first
    before = [(study / name).read_bytes() for name in added]
    assert into(study, traffic, rate="0.3") == 0
    assert f"{n} of them were there already.\n" in capsys.readouterr().out
    assert [(study / name).read_bytes() for name in added] == before
    assert into(study, traffic, rate="0.8") == 0
    grown = rows(study / "prompts.jsonl")
    assert grown[:n] == first
    assert sorted(row["item"] for row in grown) == sorted(taken(20, "0.8"))
    material = load_material(load_study(study))
    assert set(material.outputs) == {(id, "prod") for id in taken(20, "0.8")}
    for path in study.rglob("*"):
        assert not path.is_file() or SECRET not in path.read_text()
    assert sorted(path.name for path in study.iterdir()) == [
        "answers",
        "prompts.jsonl",
        "study.yaml",
    ]


def test_new_records_extend_the_plan(study: Path, traffic: Path, capsys: Capture) -> None:
    assert into(study, traffic, rate="0.3") == 0
    assert run(["plan", str(study)]) == 0
    assert into(study, traffic, rate="0.8") == 0
    assert "'jurybox plan' gives the new items to raters" in capsys.readouterr().out
    assert run(["plan", str(study)]) == 0
    assert "the plan grows" in capsys.readouterr().out


def test_systems_may_be_named_by_the_records(study: Path, tmp_path: Path) -> None:
    text = STUDY.replace("answers/{system}.jsonl", "answers.csv")
    (study / "study.yaml").write_text(text.replace("prompts.jsonl", "prompts.csv"))
    (study / "prompts.csv").write_bytes(b"item,prompt,topic\nold,Why?,\xc3\xa4")  # no last newline
    path = tmp_path / "ab.jsonl"
    both = [
        {"key": n, "system": system, "question": 'Q, "q"', "answer": f"{system} {n}"}
        for n in range(3)
        for system in ("a", "b")
    ]
    path.write_text(lines(both))
    options = ["--id", "key", "--rename", "question=prompt", "--output", "answer"]
    assert run(["sample", str(path), "--rate", "1", "--to", str(study), *options]) == 0
    assert (study / "prompts.csv").read_text() == (
        "item,prompt,topic\nold,Why?,ä\n" + "".join(f'{n},"Q, ""q""",\n' for n in range(3))
    )
    answers = (study / "answers.csv").read_text().splitlines()
    assert answers[:3] == ["item,system,answer", "0,a,a 0", "0,b,b 0"]
    assert len(answers) == 7


Wrong = Callable[[list[dict[str, Any]]], object]
WRONG: list[tuple[Wrong, list[str], str]] = [
    (lambda r: r[4].pop("id"), [], "traffic.jsonl:5: the record has no `id`; name its id by --id"),
    (lambda r: r[4].update(id=""), [], "traffic.jsonl:5: `id` is empty, and tells records apart."),
    (lambda r: r[4].update(id=None), [], "traffic.jsonl:5: `id` is empty"),
    (lambda r: r[4].update(id="\ud800"), [], "traffic.jsonl:5: the line is no JSON (an escape"),
    (lambda r: r[4].update(prompt="\udfff"), [], "half of a character"),
    (lambda r: None, ["--rename", "prompt=answer"], "the name answer to a second field"),
    (lambda r: None, ["--rename", "prompt=x", "--rename", "answer=x"], "the name x to a second"),
    (lambda r: r[4].update(id=[1]), [], "traffic.jsonl:5: `id` must be text or a whole number."),
    (lambda r: r.append(r[0]), [], "traffic.jsonl:21: the id 'r0' stood in line 1 already"),
    (lambda r: None, ["--drop", "users"], "no record has the field users, which --drop"),
    (lambda r: None, ["--rename", "b=c"], "no record has the field b, which --drop or --rename"),
    (lambda r: None, ["--drop", "id"], "--drop id is the id, which tells records apart"),
    (lambda r: None, ["--output", "reply"], "traffic.jsonl:1: the record has no field `reply`"),
    (lambda r: r[2].update(item="x"), [], "traffic.jsonl:3: the record has a field `item` beside"),
    (lambda r: r[2].update(id="a|b"), [], "traffic.jsonl:3: `item` is longer than 200 characters"),
]


@pytest.mark.parametrize(("change", "options", "sentence"), WRONG)
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(
    study: Path, traffic: Path, capsys: Capture, change: Wrong, options: list[str], sentence: str
) -> None:
    records = [record(n) for n in range(20)]
    change(records)
    traffic.write_text(lines(records))
    assert into(study, traffic, *options, rate="1") == 1
    said = capsys.readouterr()
    assert sentence in said.err
    assert len(said.err.splitlines()) == 1
    assert SECRET not in said.err
    assert [path.name for path in study.rglob("*") if path.is_file()] == ["study.yaml"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--rename", "b"], "--rename names a field and its new name, as old=new"),
        (["--out", "x.jsonl"], "--to adds the records to a study and --out writes a"),
    ],
)
def test_wrong_usage_is_one_sentence_and_nothing_is_written(
    study: Path, traffic: Path, capsys: Capture, options: list[str], sentence: str
) -> None:
    assert into(study, traffic, *options, rate="1") == 2
    assert sentence in capsys.readouterr().err
    assert [path.name for path in study.rglob("*") if path.is_file()] == ["study.yaml"]


def test_what_the_study_cannot_take_is_said(study: Path, traffic: Path, capsys: Capture) -> None:
    plain = ["sample", str(traffic), "--rate", "1", "--to", str(study)]
    named = [*plain, "--system", "prod"]
    assert run(named) == 2
    assert "--output names the field that the system made" in capsys.readouterr().err
    assert run([*plain, "--output", "answer"]) == 1
    assert "say it by --system NAME" in capsys.readouterr().err
    for outputs, sentence in (
        ("images/{system}/{item}.png", "records can be added to tables alone"),
        ("{table: w.csv, columns: {a: x}}", "w.csv has a column per system"),
        ("answers/{system}.json", "rows can be added to .jsonl, .csv and .tsv tables alone"),
        ("answers/{system}.csv", "holds several values, which no cell can"),
    ):
        text = STUDY.replace("answers/{system}.jsonl", outputs)
        (study / "study.yaml").write_text(text)
        assert run([*named, "--output", "user"]) == 1
        assert sentence in capsys.readouterr().err
    (study / "study.yaml").write_text(STUDY.replace("prompts.jsonl", "prompts.csv"))
    (study / "prompts.csv").write_text("item,prompt\nold,Why?\n")
    assert run([*named, "--output", "answer"]) == 1
    assert "leave it out with --drop user" in capsys.readouterr().err
    assert (study / "prompts.csv").read_text() == "item,prompt\nold,Why?\n"


BROKEN: list[tuple[str, bytes, str]] = [
    ("t.jsonl", b'{"id": "a"}\n{"id": \n', "t.jsonl:2: the line is no JSON ("),
    ("t.jsonl", b'{"id": "a"}\n\n[1]\n', "t.jsonl:3: the line is no JSON object."),
    ("t.jsonl", b'{"id": "a", "x": NaN}\n', "t.jsonl:1: the line is no JSON (NaN is not a number"),
    ("t.jsonl", b'{"id": "\xff"}\n', "t.jsonl: a byte is not UTF-8"),
    ("t.csv", b"id,x\na,1\nb\n", "t.csv:3: 1 cell under 2 columns"),
    ("t.csv", b'id,x\na,"1" 2\n', "t.csv:2: the quotes do not fit"),
    ("t.csv", b"id,id\na,1\n", "t.csv:1: two columns have one name."),
    (
        "t.jsonl.gz",
        gzip.compress(b'{"id": "a"}\n' * 999, mtime=0)[:-9],
        "the gzipped file is broken",
    ),
    ("t.parquet", b"PAR1", "records are read from .csv, .jsonl, .ndjson or .tsv, plain or"),
]


@pytest.mark.parametrize(("name", "content", "sentence"), BROKEN)
def test_a_broken_file_is_said_with_its_line(
    tmp_path: Path, capsys: Capture, name: str, content: bytes, sentence: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert run(["sample", str(tmp_path / name), "--rate", "0.000001"]) == 1
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.out == ""


def test_a_file_that_is_not_there_is_said(capsys: Capture) -> None:
    assert run(["sample", "nowhere.jsonl", "--rate", "0.1"]) == 1
    assert capsys.readouterr().err == "nowhere.jsonl: No such file or directory.\n"


def test_a_crash_on_the_way_leaves_the_old_tables(
    study: Path, traffic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert into(study, traffic, rate="0.3") == 0
    before = {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    assert into(study, traffic, rate="0.8") == 1
    assert {path: path.read_bytes() for path in study.rglob("*") if path.is_file()} == before
    monkeypatch.undo()
    # Between the two tables the power may fail as well: the next call completes what is missing.
    whole, kept = os.replace, []

    def fail_second(old: Any, new: Any) -> None:
        kept.append(new)
        if len(kept) == 2:
            fail()
        whole(old, new)

    monkeypatch.setattr(os, "replace", fail_second)
    assert into(study, traffic, rate="0.8") == 1
    monkeypatch.undo()
    assert into(study, traffic, rate="0.8") == 0
    assert len(load_material(load_study(study)).outputs) == len(taken(20, "0.8"))


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    made = NewFile(tmp_path / "a.jsonl")
    made.text.write("x\n")
    made.commit()
    made.drop()
    plain = tmp_path / "plain"
    plain.write_text("")
    assert (tmp_path / "a.jsonl").stat().st_mode == plain.stat().st_mode


class Endless(io.RawIOBase):
    """So many bytes of records that stand nowhere."""

    def __init__(self, n: int) -> None:
        filler = "x" * 200
        self._lines: Iterator[bytes] = (
            f'{{"id": "r{k}", "text": "{filler}"}}\n'.encode() for k in range(n)
        )
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while len(self._rest) < len(buffer) and (line := next(self._lines, None)):
            self._rest += line
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def test_a_large_file_passes_in_constant_memory() -> None:
    share, peaks = Share("0.01"), []
    for n in (5_000, 100_000):  # 1 MB and 22 MB
        records = read_records(io.BufferedReader(Endless(n)), "traffic", "jsonl")
        tracemalloc.start()
        found = sum(share.takes(each.values["id"]) for each in records)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert abs(found - n / 100) < 5 * (n / 100) ** 0.5
    assert peaks[1] < 1.5 * peaks[0] < 1_000_000


def test_the_file_that_is_read_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    before = lines([record(n) for n in range(20)])
    Path("traffic.jsonl").write_text(before)
    Path("linked.jsonl").symlink_to("traffic.jsonl")
    for out in ("traffic.jsonl", str(tmp_path / "traffic.jsonl"), "linked.jsonl"):
        assert run(["sample", "traffic.jsonl", "--rate", "0.5", "--out", out]) == 1
        assert "is the file that is read" in capsys.readouterr().err
        assert Path("traffic.jsonl").read_text() == before
