"""The pages of docs/ as somebody reads them who types in what they show.

A block named by a file (```csv votes.csv) is that file. In a block ``console`` every ``$`` line is
run, with what follows a backslash at its end, and must print what follows it, where … stands for
anything; in ``console refused`` it must fail. Blocks ``python`` and ``bash`` run in the same
folder, and a block ``text printed`` is what the one before it printed. Blocks ``sh`` need what no
test has (a registry, a tunnel, another machine), and other blocks ``text`` are no commands.
"""

from __future__ import annotations

import re
import runpy
import shlex
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from jurybox.cli import serve
from jurybox.cli.app import run

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NOT_RUN = {"sh", "text"}


@dataclass(frozen=True, slots=True)
class Block:
    language: str
    name: str
    body: str


def blocks(page: str) -> list[Block]:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    found = re.findall(r"^ *```(\w+) ?([^\n]*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [Block(language, name, dedent(body)) for language, name, body in found]


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command with what it is said to print."""
    for part in re.split(r"^\$ ", block.body.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def is_printed(shown: str, printed: str) -> bool:
    """Whether it was printed so, with anything in place of each …"""
    lines = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    pattern = ".*".join(re.escape(piece) for piece in shown.strip().split("…"))
    return re.fullmatch(pattern, lines, flags=re.DOTALL) is not None


@pytest.fixture
def quick_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """`jurybox serve` that prints its links and ends, on whatever port is free."""
    listen = serve._listen

    def anywhere(host: str, port: int) -> socket.socket:
        return listen("127.0.0.1", 0)

    monkeypatch.setattr(serve, "_listen", anywhere)
    monkeypatch.setattr(serve, "_address", lambda host, listening: f"http://{host}:8321/")
    monkeypatch.setattr(serve, "_run", lambda app, listening: None)


class Reader:
    """Somebody who follows a page word by word."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys
        self.printed = ""

    def follow(self, block: Block) -> None:
        if block.language == "console":
            typed = list(commands(block))
            assert typed, f"a block console without a command: {block.body}"
            for command, shown in typed:
                self._type(command, shown, refused=block.name == "refused")
        elif block.language == "python":
            (self.folder / "page.py").write_text(block.body, encoding="utf-8")
            runpy.run_path("page.py")
            self.printed = self.capsys.readouterr().out
        elif block.language == "bash":
            subprocess.run(["bash", "-e", "-c", block.body], check=True)
        elif block.name == "printed":
            assert is_printed(block.body, self.printed), self.printed
        elif block.name:
            file = self.folder / block.name
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.body, encoding="utf-8")
            # A study alone in its folder gets its tables by a command of the page.
            if file.name == "study.yaml" and len(list(file.parent.iterdir())) > 1:
                assert run(["check", str(file.parent)]) == 0, self.capsys.readouterr()
                self.capsys.readouterr()
        else:
            assert block.language in NOT_RUN

    def _type(self, command: str, shown: str, *, refused: bool) -> None:
        program, *arguments = shlex.split(command)
        assert program == "jurybox"
        code = run(arguments)
        done = self.capsys.readouterr()
        self.printed = done.out + done.err
        assert (code == 0) is not refused, (command, self.printed)
        assert shown.strip(), f"{command}: show what it prints, or …"
        assert is_printed(shown, self.printed), f"{command} prints\n{self.printed}"


@pytest.fixture
def reader(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    quick_server: None,
) -> Reader:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return Reader(tmp_path, capsys)
