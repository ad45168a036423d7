"""The verb `check`: everything that is wrong, at once; 1 when the study is not ready."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from jurybox.cli.app import run as jurybox
from jurybox.cli.check import check, check_study
from jurybox.cli.ready import advise
from jurybox.store import Store
from jurybox.study import load_material, load_study
from jurybox.study.schema import json_schema
from jurybox.study.versions import snapshot
from tests.study.examples import EXAMPLES, write_example

NOW = datetime(2025, 3, 1, tzinfo=UTC)


def run(*arguments: str | Path) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(check)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_every_example_is_ready(name: str, tmp_path: Path) -> None:
    code, text = run(write_example(name, tmp_path))
    assert (code, text.split()[0]) == (0, "OK:"), text


def test_a_ready_study_is_counted(tmp_path: Path) -> None:
    folder = write_example("compare", tmp_path)
    expected = "OK: 6 items × 2 systems, 12 outputs; compare on 2 criteria; 2 gold trials."
    for source in (folder, folder / "study.yaml"):
        code, text = run(source)
        assert (code, text.splitlines()[0]) == (0, expected)


def test_what_is_unfair_about_the_set_is_said_below(tmp_path: Path) -> None:
    folder = write_example("compare", tmp_path)
    code, text = run(folder)
    assert code == 0
    assert text.splitlines()[1:5] == [
        "",
        "The set: 2 warnings",
        "  • The items come from 3 categories in the field topic, fewer than 5. The",
        "    results speak for few kinds of items: a system that suits these looks better",
    ]
    data = json.loads(run(folder, "--json")[1])
    assert data["passed"] is True
    assert data["problems"] == []
    found = {check["id"]: check for check in data["set"]}
    assert (found["categories/topic"]["figure"], found["categories/topic"]["warns"]) == (3, True)
    assert found["names"]["warns"] is False
    assert found["difficulty"]["undefined"] == "no column is called difficulty"


def test_the_set_of_a_broken_study_is_not_judged(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    (folder / "input/e1.png").write_bytes(b"")
    code, text = run(folder, "--json")
    assert (code, json.loads(text)["set"]) == (1, [])


def test_problems_of_file_tables_and_media_come_together(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    text = (folder / "study.yaml").read_text() + "session: {minuts: 30}\n"
    (folder / "study.yaml").write_text(text)
    (folder / "images/magic/e1.png").unlink()
    code, text = run(folder)
    assert code == 1
    assert text.splitlines() == [
        f"{folder}/study.yaml: 1 error",
        "  13:11 session.minuts is not a known key; allowed: minutes, break_every,"
        " seconds_per_trial, back, headphones, lease_minutes; did you mean `minutes`?",
        "",
        f"{folder}/images/magic/{{item}}.png: 1 error",
        "  System 'magic' has no output for item 'e1'; add it, or let systems answer different"
        " items (design.same_items: false).",
        "",
        "Not ready: 2 errors.",
    ]


def test_media_that_no_browser_shows_are_found(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    (folder / "input/e2.png").write_bytes(b"not a picture")
    code, text = run(folder)
    assert code == 1
    assert "e2.png" in text


def test_one_broken_file_does_not_hide_the_others(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    (folder / "input/e1.png").write_bytes(b"")
    (folder / "input/e2.png").write_bytes(b"not a picture")
    (folder / "images/magic/e3.png").write_bytes(b"GIF8")
    assert run(folder)[1].splitlines() == [
        f"{folder}/edits.jsonl: 2 errors",
        "  Row 1: `input`: `input/e1.png` is an empty file.",
        "  Row 2: input/e2.png: this is not a readable image; export it again as PNG or JPEG",
        "",
        f"{folder}/images/magic/e3.png: 1 error",
        "  This is not a readable image; export it again as PNG or JPEG",
        "",
        "Not ready: 3 errors.",
    ]


def test_a_missing_table_does_not_hide_what_the_others_name(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    (folder / "edits.jsonl").unlink()
    (folder / "images/magic/e3.png").write_bytes(b"x")
    text = run(folder)[1]
    assert "  3:8 items names a table: `edits.jsonl` does not exist" in text
    assert f"{folder}/images/magic/e3.png: 1 error" in text
    assert "Not ready: 2 errors." in text


def test_what_stands_under_a_misspelled_key_is_checked(tmp_path: Path) -> None:
    folder = write_example("smallest", tmp_path)
    text = (folder / "study.yaml").read_text().replace("protocol: compare", "protcol: compar")
    (folder / "study.yaml").write_text(text + "desing: {overlp: 3, raters: 1}\n")
    told = [line.strip() for line in run(folder)[1].splitlines() if line.startswith("  ")]
    assert told == [
        "2:1 protcol is not a known key; did you mean `protocol`?",
        "2:10 protcol must be rate, compare, rank, detect or mark, got `compar`;"
        " did you mean `compare`?",
        "6:1 desing is not a known key; did you mean `design`?",
        "6:10 desing.overlp is not a known key; did you mean `overlap`?",
        "6:29 desing.raters must be at least the overlap, 3, got `1`.",
    ]


def test_pictures_in_texts_are_local_files(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    with (folder / "study.yaml").open("a") as file:
        file.write(
            "instructions: See ![ok](input/e1.png) ![a](gone.png) ![b](https://x.org/b.png)\n"
        )
        file.write("look_for: ['![c](/etc/passwd)', '![d](study.yaml)']\n")
    told = [line.strip() for line in run(folder)[1].splitlines() if line.startswith("  ")]
    assert told == [
        "13:15 instructions shows a picture: `gone.png` does not exist.",
        "13:15 instructions shows a picture: `https://x.org/b.png` is a URL; nothing is fetched, so"
        " save the file in the study's folder and give its path.",
        "14:12 look_for[1] shows a picture: `/etc/passwd` is not relative; give the path from the"
        " study's folder.",
        "14:33 look_for[2] shows the picture study.yaml: this is not a readable image; export it"
        " again as PNG or JPEG.",
    ]


def test_a_plan_too_large_to_make_is_said_before(tmp_path: Path) -> None:
    folder = write_example("smallest", tmp_path)
    with (folder / "study.yaml").open("a") as file:
        file.write("design: {overlap: 999999999}\n")
    code, text = run(folder)
    assert code == 1
    assert "6 trials × 999,999,999 raters would be 5,999,999,994 slots" in text


IMPOSSIBLE = {
    "more raters than answers": "design: {overlap: 1, raters: 50}",
    "a session shorter than a trial": "session: {minutes: 0.01}",
    "raters too few for the session": "design: {raters: 3}\nsession: {minutes: 1}",
    "too few repeats": "design: {repeats: 0.001}",
    "a core too long": "design: {core: 6}\nsession: {minutes: 1}",
    "a calibration of more than there is": "quality: {calibration: {items: 99}}",
}


@pytest.mark.parametrize("asked", IMPOSSIBLE.values(), ids=list(IMPOSSIBLE))
def test_check_says_what_plan_would_say(
    tmp_path: Path, asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_example("smallest", tmp_path)
    with (folder / "study.yaml").open("a") as file:
        file.write(asked + "\n")
    round_ = "calibration" if "calibration" in asked else "main"
    assert jurybox(["plan", str(folder), "--dry-run", "--round", round_]) == 1
    said = capsys.readouterr().err.strip().removeprefix("Error: ")
    code, text = run(folder)
    assert code == 1
    assert "OK" not in text
    assert said in text


def test_a_plan_that_was_made_is_not_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_example("smallest", tmp_path)
    with (folder / "study.yaml").open("a") as file:
        file.write("design: {raters: 3}\n")
    assert jurybox(["plan", str(folder)]) == 0
    with (folder / "study.yaml").open("a") as file:
        file.write("session: {minutes: 1}\n")  # a free change: nobody's booklet grows longer
    assert run(folder)[0] == 0
    assert jurybox(["plan", str(folder)]) == 0
    text = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(text.replace("raters: 3", "overlap: 4, raters: 4"))
    capsys.readouterr()
    assert jurybox(["plan", str(folder)]) == 1  # an extension, whose booklet would be too long
    said = capsys.readouterr().err.strip()
    code, text = run(folder)
    assert code == 1
    assert said in text


def test_warnings_do_not_fail(tmp_path: Path) -> None:
    folder = write_example("smallest", tmp_path)
    with (folder / "study.yaml").open("a") as file:
        file.write("session: {minutes: 90}\n")
    code, text = run(folder)
    assert code == 0
    assert "warning: session.minutes asks for 90 minutes without a break" in text
    assert "OK: 6 items" in text


def test_json_is_for_scripts(tmp_path: Path) -> None:
    folder = write_example("smallest", tmp_path)
    (folder / "answers/old.jsonl").unlink()
    code, text = run(folder, "--json")
    data = json.loads(text)
    assert code == 1
    assert data["passed"] is False
    assert data["problems"][0]["line"] == 4
    assert run(write_example("rank", tmp_path / "ok"), "--json")[0] == 0


def test_the_schema_is_printed(tmp_path: Path) -> None:
    code, text = run("--schema")
    assert code == 0
    assert json.loads(text) == json_schema()


def test_changes_of_a_running_study_are_sorted(tmp_path: Path) -> None:
    folder = write_example("compare", tmp_path)
    study = load_study(folder)
    material = load_material(study)
    with Store.open(folder / "study.db") as store:
        store.save_version(
            json.dumps(snapshot(study, material)), study.hash(), material.hash(),
            kind="first", now=NOW,
        )  # fmt: skip
    assert check_study(folder).changes == ()
    text = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(text.replace("overlap: 3", "overlap: 4"))
    code, printed = run(folder)
    assert code == 0
    assert "  extending: design.overlap changed from `3` to `4`" in printed
    (folder / "study.yaml").write_text(text.replace("gold_below: 0.7", "gold_below: 0.5"))
    code, printed = run(folder)
    assert code == 1
    assert "  refused: quality.exclude.gold_below changed" in printed
    assert printed.endswith(
        "Not ready: 1 refused change.\n"
        "Nothing has been answered yet: delete study.db and plan again.\n"
    )
    assert "Changed since the version that is planned:" in printed
    assert "so far" not in printed
    assert advise(1, answered=True).startswith("Take it back, or copy")
    assert advise(2, answered=True).startswith("Take them back, or copy")


def test_a_list_of_fewer_raters_than_booklets_is_told(tmp_path: Path) -> None:
    folder = write_example("compare", tmp_path)
    file = folder / "study.yaml"
    text = file.read_text() + "access: {listed: raters.txt}\n"
    (folder / "raters.txt").write_text("ada\nben\n")
    file.write_text(text)
    code, printed = run(folder)
    assert code == 0
    assert "warning: access.listed names 2 raters, and the plan of the main round has 3 " in printed
    assert "or set design.raters to 2 and design.overlap to at most 2." in printed
    (folder / "raters.txt").write_text("ada\nben\ncy\n")
    assert "access.listed" not in run(folder)[1]
