"""LaTeX: texts that stay texts, and files that LaTeX can read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.errors import JuryboxWarning
from jurybox.report import write_report
from jurybox.report.formats.latex import SIZES, write_table
from jurybox.report.formats.latex_text import COMMANDS, TURNS, as_latex
from jurybox.results import show_text

BREAK = r"\allowbreak{}"
VERSIONS = {"jurybox": "0.1.0"}
HOSTILE = (
    r"\input{/etc/passwd} \write18{rm} \end{tabular} % $x^2$ {}} & # _ ~ ^^5c \\[9cm] *a* [b]"
    "\n\n\\par -- --- '' ,, ?` !` << >> “q” κ × − ′ naïve"
)
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}]|.", re.DOTALL)


def test_every_file_that_is_named_is_written(analysis: Analysis, tmp_path: Path) -> None:
    paths = write_report(analysis, tmp_path, formats=("latex",), versions=VERSIONS)
    folder = tmp_path / "latex"
    named = re.findall(r"\\(?:input|includegraphics\[.*?\])\{(.*?)\}", _all(folder))
    assert {folder / name for name in named} | {folder / "report.tex"} == set(paths)


def test_a_chart_is_vectors(analysis: Analysis, tmp_path: Path) -> None:
    write_report(analysis, tmp_path, formats=("latex",), versions=VERSIONS)
    chart = (tmp_path / "latex" / "charts" / "mean_scores-fidelity.pdf").read_bytes()
    assert chart.startswith(b"%PDF-")
    assert b"/Subtype /Image" not in chart


def test_no_heading_is_left_alone_above_a_long_table(analysis: Analysis, tmp_path: Path) -> None:
    write_report(analysis, tmp_path, formats=("latex",), versions=VERSIONS)
    source = (tmp_path / "latex" / "report.tex").read_text()
    sections = source.count(r"\section*")
    assert sections == source.count(r"\jbroom\section*") > 1


def _shown(source: str) -> str:
    """What LaTeX would print of a text, by a reader that knows nothing but single letters."""
    signs = {command: letter for letter, command in COMMANDS.items()} | {BREAK: ""}
    signs |= dict.fromkeys(TURNS.values(), "")
    pieces = sorted(signs, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, pieces)) + r"|\{\}|[^\\{}$&#%_^~<>|\"`\[\]*]")
    out, place = "", 0
    while place < len(source):
        match = pattern.match(source, place)
        assert match, source[place:]
        found = match[0]
        out += "" if found == "{}" else signs.get(found, found)
        place = match.end()
    return out


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))))
def test_any_text_is_shown_as_it_stands(text: str) -> None:
    # Marks that would turn what follows them around are named, as everywhere.
    expected = show_text(re.sub(" +", " ", text).strip(" "))
    assert _shown(as_latex(text)) == expected


@pytest.mark.parametrize(
    "word",
    ["stable_diffusion_xl_turbo", '</script><script>document.title="x"</script>', "C:\\a\\b/" * 4],
)
def test_a_long_word_may_go_on_in_the_next_line_and_a_short_one_may_not(word: str) -> None:
    parts = as_latex(word).split(BREAK)
    assert max(len(_shown(part)) for part in parts) < 20
    assert BREAK not in as_latex(f"is {word[:19]}")


def test_what_is_no_word_goes_on_anywhere_but_an_accent_stays_with_its_letter() -> None:
    parts = as_latex("W" * 60).split(BREAK)
    assert "".join(parts) == "W" * 60
    assert max(map(len, parts)) < 10
    accents = [part for part in as_latex("e\u0301" * 30).split(BREAK)]
    assert all(part.startswith("e") for part in accents)


def test_names_are_given_the_room_that_their_codes_need() -> None:
    # Twenty letters are eighty as codes in frames: too wide for a column that is never broken.
    table = Table(
        id="elo/p",
        title="Elo",
        columns=(Column(name="system", heading="System"), Column(name="n", heading="Elo")),
        rows=(("שלום " * 6, 1000), ("b", 990)),
    )
    assert r"\begin{tabular}{@{}>{\raggedright" in write_table(table, "elo", {})
    latin = replace(table, rows=(("name " * 6, 1000), ("b", 990)))
    assert r"\begin{tabular}{@{}ll@{}}" in write_table(latin, "elo", {})


def test_a_table_of_few_rows_with_many_lines_may_break_across_pages() -> None:
    table = Table(
        id="pairs/p",
        title="Pairs",
        columns=tuple(
            Column(name=f"c{k}", heading="H", kind="text" if k < 2 else "count") for k in range(7)
        ),
        rows=tuple(("W" * 90, "M" * 90, *range(5)) for _ in range(8)),
    )
    assert r"\begin{longtable}" in write_table(table, "pairs", {})
    short = replace(table, rows=tuple((f"w{k}", "m", *range(5)) for k in range(8)))
    assert r"\begin{longtable}" not in write_table(short, "pairs", {})


@pytest.mark.parametrize("pair", ["--", "''", ",,", "-,", "---"])
def test_no_two_letters_are_drawn_as_one(pair: str) -> None:
    # T1 has ligatures for a dash, a closing quotation mark and a low quotation mark.
    source = as_latex(pair)
    assert pair[:2] not in source
    assert source.replace("{}", "") == pair


def _all(folder: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(folder.rglob("*.tex")))


def _commands(source: str) -> Iterator[str]:
    depth = 0
    for token in TOKEN.findall(re.sub(r"(?m)^%.*$", "", source)):
        depth += (token == "{") - (token == "}")
        assert depth >= 0, "a group that was never opened ends"
        if token.startswith("\\"):
            yield token
    assert depth == 0, "a group does not end"


def test_a_hostile_study_brings_no_command_of_its_own(analysis: Analysis, tmp_path: Path) -> None:
    def spoiled(value: object) -> object:
        if isinstance(value, str):
            return HOSTILE
        return tuple(map(spoiled, value)) if isinstance(value, tuple) else value

    table = replace(
        analysis.tables[2],
        title=HOSTILE,
        caption=HOSTILE,
        columns=tuple(replace(c, heading=HOSTILE) for c in analysis.tables[2].columns),
        rows=tuple(tuple(map(spoiled, row)) for row in analysis.tables[2].rows),
    )
    hostile = replace(
        analysis,
        title=HOSTILE,
        systems=(HOSTILE, "b"),
        findings=tuple(replace(f, sentence=HOSTILE) for f in analysis.findings),
        tables=(table,),
        took=(HOSTILE,),
        warnings=(HOSTILE,),
    )
    write_report(analysis, tmp_path / "plain", formats=("latex",), versions=VERSIONS)
    write_report(hostile, tmp_path / "hostile", formats=("latex",), versions=VERSIONS)
    # A table this wide is also set tighter, and its texts are broken into lines.
    wide = {r"\setlength", r"\tabcolsep", r"\raggedright", r"\arraybackslash", *SIZES}
    known = set(_commands(_all(tmp_path / "plain" / "latex"))) | wide
    signs = {token for text in COMMANDS.values() for token in _commands(text)}
    for path in (tmp_path / "hostile" / "latex").rglob("*.tex"):
        assert set(_commands(path.read_text())) <= known | signs, path.name
    rows = (tmp_path / "hostile" / "latex" / "tables" / "differences-fidelity.tex").read_text()
    parts = re.findall(r"\\toprule\n(.*?)\n\\midrule\n(.*?)\n\\bottomrule", rows, re.DOTALL)
    assert parts
    for head, body in parts:
        cells = len(re.findall(r"(?<!\\)&", head))
        assert [len(re.findall(r"(?<!\\)&", row)) for row in body.splitlines()] == [cells] * 4


def _table(n_rows: int) -> Table:
    return Table(
        id="metric_values",
        title="Values",
        columns=(Column(name="metric", heading="Metric"),),
        rows=tuple((f"r{k}",) for k in range(n_rows)),
    )


def test_a_long_table_goes_over_pages_and_a_longer_one_is_cut() -> None:
    wholes = {"metric_values": "tables/values.csv"}
    short, long, longer = (write_table(_table(n), "values", wholes) for n in (24, 25, 1041))
    assert r"\begin{tabular}" in short
    assert r"\begin{longtable}" in long
    assert r"r24 \\" in long
    assert r"r49 \\" in longer
    assert "r50" not in longer
    said = r"The first 50 of 1,041 rows; all are in tables/values.csv (-{}-format csv)."
    assert said in longer
    assert "all are in" not in long


def test_a_table_without_rows_says_so() -> None:
    assert r"{No rows.} \\" in write_table(_table(0), "raters", {})


def test_a_script_that_pdflatex_lacks_is_named_and_declared(
    analysis: Analysis, tmp_path: Path
) -> None:
    foreign = replace(analysis, title="漢字 and é")
    with pytest.warns(JuryboxWarning, match=r"pdfLaTeX has no letters for Han \(字 漢\)"):
        write_report(foreign, tmp_path, formats=("latex",), versions=VERSIONS)
    preamble = (tmp_path / "latex" / "preamble.tex").read_text()
    assert re.findall(r"DeclareUnicodeCharacter\{(\w+)\}", preamble) == ["5B57", "6F22"]
    assert "漢字 and é" in (tmp_path / "latex" / "report.tex").read_text()
