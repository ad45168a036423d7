"""Tables in a terminal: aligned whatever the script, folded and never cut."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from jurybox.cli.app import run
from jurybox.cli.terminal import Terminal, cell_width, fold


class Screen(io.TextIOWrapper):
    """A stream that may be a terminal."""

    def __init__(self, *, encoding: str = "utf-8", tty: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="\n")
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


def test_columns_stand_under_their_headings() -> None:
    screen = Screen()
    rows = [["模型", "0.5"], ["a long name", "12.25"]]
    Terminal(screen).table(["System", "Score"], rows, widths=[6, 5], sides=["left", "right"])
    assert screen.text().splitlines() == [
        "System   Score",
        "──────────────",
        "模型       0.5",  # two signs that take two columns each
        "a long   12.25",
        "name",
    ]


def test_styles_are_for_terminals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    screen, file = Screen(tty=True), Screen()
    Terminal(screen).line("A", style="bold")
    Terminal(file).line("A", style="bold")
    assert (screen.text(), file.text()) == ("\x1b[1mA\x1b[0m\n", "A\n")
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Screen(tty=True)
    Terminal(plain).line("A", style="dim")
    assert plain.text() == "A\n"


def test_a_terminal_without_unicode_still_gets_every_line() -> None:
    screen = Screen(encoding="ascii")
    rows = [["0.5 × 2"], ["−1.5 模"]]
    Terminal(screen).table(["κ"], rows, widths=[7], sides=["left"])
    # A number keeps its sign.
    assert screen.text().splitlines() == ["kappa", "-------", "0.5 x 2", "-1.5 ?"]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_analyze_writes_to_whatever_it_is_redirected_to(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ratings.csv"
    scores = [(item, system, n) for n, item in enumerate("pqr") for system in ("模型", "old")]
    lines = [f"{i},{s},ada,{n + (s == 'old') * n}" for i, s, n in scores]
    path.write_text("\n".join(["item,system,rater,score", *lines]), encoding="utf-8")
    screen, file = Screen(encoding=encoding), Screen(encoding=encoding)
    monkeypatch.setattr("sys.stdout", screen)
    assert run(["analyze", str(path)]) == 0
    assert "-1." in screen.text()
    monkeypatch.setattr("sys.stdout", file)
    assert run(["analyze", str(path), "--json"]) == 0
    found = json.loads(file.text())
    assert found["systems"] == ["old", "模型"]
    assert any("−" in each["sentence"] for each in found["findings"])
    monkeypatch.setattr("sys.stdout", Screen(encoding=encoding))
    assert run(["analyze", "--help"]) == 0


@given(
    st.text(
        st.characters(categories=["L", "Nd", "P", "Sm", "Zs"], max_codepoint=0x2FFF),
        max_size=40,
    )
)
def test_widths_are_those_of_a_library_for_terminals(text: str) -> None:
    assert cell_width(text) == cell_len(text)


@given(st.text(max_size=60), st.integers(2, 20))
def test_folding_loses_nothing_and_keeps_within_the_width(text: str, width: int) -> None:
    lines = fold(text, width)
    assert "".join("".join(lines).split(" ")) == "".join(text.split(" "))
    assert all(cell_width(line) <= width for line in lines)
