"""The edge of the command line: groups, near spellings, exit codes, sentences."""

from __future__ import annotations

import errno
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from jurybox.cli.app import GROUPS, run
from jurybox.cli.place import open_store, study_directory
from jurybox.errors import InputError, StoreError

PROGRAM = "import sys; from jurybox.cli.app import run; sys.exit(run(sys.argv[1:]))"
VOTES = Path(__file__).parents[2] / "examples" / "votes.csv"


def test_help_shows_every_verb_under_its_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    for group, verbs in GROUPS.items():
        assert group in shown
        for verb in verbs:
            assert f" {verb} " in shown


@pytest.mark.parametrize("verb", [verb for verbs in GROUPS.values() for verb in verbs])
def test_every_verb_explains_itself(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    assert "Usage: jurybox" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["analyze", "plan", "judge"])
def test_help_says_what_options_take_in_words_and_nothing_after_flags(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([verb, "--help"]) == 0
    said = capsys.readouterr().out.partition(" Options ")[2]
    for python in ("<bool>", "<str>", "<int>", "<float>", "<list"):
        assert python not in said, python


def test_help_breaks_lines_where_the_terminal_ends(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run(["plan", "--help"]) == 0
    said = "raters and hours it takes to detect a difference, with a study or without. With --with-"
    assert said in capsys.readouterr().out


def test_no_arguments_are_a_question_for_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "Usage: jurybox" in capsys.readouterr().out


def test_a_misspelled_verb_gets_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse"]) == 2
    assert capsys.readouterr().err == "jurybox has no command 'analyse'; did you mean 'analyze'?\n"


def test_an_unknown_verb_gets_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["xyzzy"]) == 2
    assert "there are new, demo" in capsys.readouterr().err


def test_an_unknown_option_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--no-such-option"]) == 2
    assert "--no-such-option" in capsys.readouterr().err


def test_a_directory_without_a_study_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert "there is no study.yaml here" in shown.err
    assert "Traceback" not in shown.err


def test_a_bug_is_said_to_be_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(verbs: list[str]) -> None:
        raise RuntimeError("two is not three")

    monkeypatch.setattr("jurybox.cli.app.program", broken)
    assert run(["check"]) == 4
    shown = capsys.readouterr().err
    assert "two is not three" in shown
    assert shown.endswith("This is a bug in jurybox; the lines above say where it happened.\n")


def test_a_reader_who_has_seen_enough_is_no_bug() -> None:
    command = [sys.executable, "-u", "-c", PROGRAM, "analyze", str(VOTES)]
    ran = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert ran.stdout is not None
    ran.stdout.close()  # as `| head` does, before anything is printed
    assert ran.stderr is not None
    with ran.stderr as said:
        assert said.read() == ""
    assert ran.wait() == 0


def test_a_full_disk_is_no_bug() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "analyze", str(VOTES)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "Not all could be written: No space left on device; make room.\n"


def test_a_verb_that_is_stopped_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Typer makes an exit without a word of Ctrl+C inside of a verb.
    monkeypatch.setattr("jurybox.cli.app.program", lambda verbs: lambda *_, **__: sys.exit(130))
    assert run(["check"]) == 130
    assert capsys.readouterr().err == "Stopped.\n"


def test_a_closed_output_is_no_bug() -> None:
    command = f"exec {sys.executable} -c {shlex.quote(PROGRAM)} analyze {VOTES} >&-"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_place_where_nobody_may_write_is_no_bug(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(verbs: list[str]) -> None:
        raise OSError(errno.EROFS, "Read-only file system", "there/study.yaml")

    monkeypatch.setattr("jurybox.cli.app.program", forbidden)
    assert run(["check"]) == 1
    said = "there/study.yaml: Read-only file system; name a place where you may read and write.\n"
    assert capsys.readouterr().err == said


def test_a_folder_in_the_place_of_the_database_is_refused(tmp_path: Path) -> None:
    # Answers were stored inside of it, where no analysis looked for them.
    (tmp_path / "study.db").mkdir()
    with pytest.raises(StoreError, match=r"study\.db is a folder; move it away"):
        open_store(tmp_path)


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("jurybox 0.")
    assert run(["--help"]) == 0
    assert "'jurybox --version'" in " ".join(capsys.readouterr().out.split())


def test_a_study_is_named_by_its_directory_or_its_file(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("title: x\n")
    assert study_directory(tmp_path) == tmp_path
    assert study_directory(tmp_path / "study.yaml") == tmp_path
    with pytest.raises(InputError, match="there is no study"):
        study_directory(tmp_path / "elsewhere")
