"""Markdown, JSON and CSV: what they hold, and texts that stay texts."""

from __future__ import annotations

import csv
import errno
import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from jurybox import report
from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.errors import InputError
from jurybox.report import markdown, write_report
from jurybox.report.formats.data import as_csv, as_json
from jurybox.report.formats.known import FORMATS
from jurybox.report.formats.markdown import ROOM, as_text
from scripts.build_docs import sources
from scripts.docs_commands import page_of

VERSIONS = {"jurybox": "0.1.0"}


def test_json_is_strict_and_whole(analysis: Analysis) -> None:
    def refuse(word: str) -> float:
        raise AssertionError(word)

    data = json.loads(as_json(analysis, versions=VERSIONS), parse_constant=refuse)
    assert data["headline"] == "difference/fidelity/aurora/basalt"
    assert [f["id"] for f in data["findings"]] == [f.id for f in analysis.findings]
    assert data["findings"][0]["result"]["estimate"] == 0.31
    assert data["tables"][2]["rows"][1]["interval"] == [0.7, "inf"]
    assert list(data["tables"][2]["rows"][3].values()) == ["cirrus", "delta", None, None, None]


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp", "Zs"))))
def test_markdown_shows_any_text_as_it_stands(text: str) -> None:
    engine = MarkdownIt("gfm-like", {"linkify": False})
    shown = engine.renderInline(as_text(text))
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert shown == escaped.replace('"', "&quot;")


@pytest.mark.parametrize(
    "text",
    [
        "# heading", "- point", "+ point", "1. first", "2) second", "> quote", "---", "===",
        "```", "<b>bold</b>", "[a](http://x.example)", "![a](x.png)", "| cell |", "**b** _i_ ~~s~~",
        "line\nbreak\n\n# heading", "&lt;", "    code", "$x$",
    ],
)  # fmt: skip
def test_markdown_blocks_stay_text(text: str) -> None:
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(as_text(text))
    kinds = [token.type for token in tokens]
    assert kinds == ["paragraph_open", "inline", "paragraph_close"]
    assert {child.type for child in tokens[1].children or ()} <= {"text", "text_special"}


def test_a_hostile_cell_does_not_break_the_table(analysis: Analysis) -> None:
    table = replace(analysis.tables[0], rows=(("a | b\n| c |", 1.0, None, None, 3),))
    text = markdown(replace(analysis, tables=(table,)), versions=VERSIONS)
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    first = next(k for k, token in enumerate(tokens) if token.type == "tbody_open")
    cells = [t.content for t in tokens[first : first + 20] if t.type == "inline"]
    assert len(cells) == len(table.columns)
    assert MarkdownIt().renderInline(cells[0]) == "a | b | c |"


def test_a_folded_table_stays_a_table_and_its_title_text(analysis: Analysis) -> None:
    title = "a </summary></details> <b>*b*</b>\n\n# c"
    rows = tuple((f"rater-{k}", k) for k in range(21))
    columns = (Column(name="rater", heading="Rater"), Column(name="n", heading="n", kind="count"))
    table = Table(id="raters", title=title, columns=columns, rows=rows, caption="Below.")
    text = markdown(replace(analysis, tables=(*analysis.tables, table)), versions=VERSIONS)
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    tags = [token.content for token in tokens if token.type == "html_block"]
    shown = "a &lt;/summary&gt;&lt;/details&gt; &lt;b&gt;*b*&lt;/b&gt; # c (21 rows)"
    assert tags == [f"<details><summary>{shown}</summary>\n", "</details>\n"]
    opened = next(k for k, token in enumerate(tokens) if token.type == "html_block")
    assert tokens[opened + 1].type == "table_open"


def test_what_is_too_long_for_a_comment_gives_way_and_folded_tables_first(
    analysis: Analysis,
) -> None:
    columns = (Column(name="rater", heading="Rater"), Column(name="told", heading="Told"))

    def made(kind: str, letters: int) -> Table:
        rows = (("ada", "x" * letters), ("ben", "y"))
        return Table(id=f"{kind}/fidelity", title=f"About {kind}", columns=columns, rows=rows)

    def text_of(*tables: Table) -> str:
        return markdown(replace(analysis, tables=(*analysis.tables, *tables)), versions=VERSIONS)

    # Tables of single raters are folded, those of exclusions are not, however long.
    short, long = made("raters", 20_000), made("rater_pairs", 30_000)
    open_ = made("exclusions", 32_000)
    assert "Left out to fit" not in text_of(short, long)
    # Some 82,000 letters: without the longest of the folded there are 52,000, and that is enough.
    text = text_of(short, long, open_)
    assert len(text) <= ROOM
    assert re.findall(r"Left out to .*", text) == [
        "Left out to fit into a comment, and in the report as HTML: About rater\\_pairs (2 rows).*"
    ]
    # Where the folded are not enough, the others follow.
    text = text_of(short, made("exclusions", 70_000))
    assert len(text) <= ROOM
    assert "About raters (2 rows).*" in text
    assert "About exclusions (2 rows).*" in text
    assert "Mean score by system: fidelity" in text


def test_no_text_steers_a_terminal_or_turns_a_line_around(
    analysis: Analysis, tmp_path: Path
) -> None:
    name = "\x1b[31mred\x1b]0;pwn\x07 \u202egnp.exe \x9b2J \ufffe\uffff"
    rows = tuple((name, *row[1:]) for row in analysis.tables[0].rows[:1])
    hostile = replace(
        analysis,
        title=name,
        systems=(name,),
        tables=(replace(analysis.tables[0], rows=rows),),
        warnings=(name,),
    )
    write_report(hostile, tmp_path, versions=VERSIONS)
    for file in ("report.html", "report.md", "findings.json"):
        text = (tmp_path / file).read_text()
        assert not set(text) & set("\x1b\x07\x9b\u202e\ufffe\uffff"), file
        assert "u001b[31mred" in text.replace("\\[", "["), file
    # JSON's own names: a program reads the name that was given.
    assert json.loads((tmp_path / "findings.json").read_text())["title"] == name


def test_csv_keeps_numbers_whole_and_splits_intervals(analysis: Analysis) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(analysis.tables[2]), newline="")))
    assert list(rows[0]) == [
        "system", "other", "difference", "interval_low", "interval_high", "p",
    ]  # fmt: skip
    assert float(rows[1]["p"]) == 0.0001
    assert float(rows[1]["interval_high"]) == math.inf
    assert rows[3]["difference"] == rows[3]["interval_low"] == rows[3]["p"] == ""


@given(st.text(max_size=20), st.floats(allow_nan=False))
@example("\uff1d1+1", 0.0)
@example(" =1+1", 0.0)
def test_no_text_in_csv_is_a_formula(text: str, number: float) -> None:
    table = Table(
        id="t",
        title="t",
        columns=(Column(name="system", heading="S"), Column(name="x", heading="X", kind="number")),
        rows=((text, number),),
    )
    _, row = list(csv.reader(io.StringIO(as_csv(table), newline="")))
    assert row[0][:1] not in ("\t", "\r", "\n")
    assert row[0].strip()[:1] not in (*"=+-@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
    assert row[0] in (text, f"'{text}")
    assert float(row[1]) == number


def test_writes_what_was_asked_for_and_names_it(analysis: Analysis, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "report"
    paths = write_report(analysis, folder, formats=("csv", "json"), versions=VERSIONS)
    assert [path.relative_to(folder).as_posix() for path in paths] == [
        "findings.json",
        "tables/mean_scores-fidelity.csv",
        "tables/mean_scores-quality.csv",
        "tables/differences-fidelity.csv",
        "tables/distribution-fidelity.csv",
        "tables/raters.csv",
    ]
    assert all(path.is_file() for path in paths)


def test_table_names_cannot_leave_the_directory(analysis: Analysis, tmp_path: Path) -> None:
    tables = tuple(
        replace(analysis.tables[0], id=name) for name in ("../../up", "a b", "a/b", "A/B", "…")
    )
    paths = write_report(
        replace(analysis, tables=tables), tmp_path, formats=("csv",), versions=VERSIONS
    )
    assert [path.name for path in paths] == [
        "up.csv",
        "a-b.csv",
        "a-b-2.csv",
        "A-B-3.csv",
        "table.csv",
    ]
    assert {path.parent for path in paths} == {tmp_path / "tables"}


@pytest.mark.parametrize("formats", [("odt",), ("html", "doc"), ()])
def test_an_unknown_format_is_a_sentence(
    analysis: Analysis, tmp_path: Path, formats: tuple[str, ...]
) -> None:
    with pytest.raises(InputError, match=f"must be among {', '.join(FORMATS)}, got"):
        write_report(analysis, tmp_path, formats=formats)


def test_users_are_told_of_every_section() -> None:
    written = "\n".join(file.read_text() for file in Path(report.__path__[0]).rglob("*.py"))
    titles = re.findall(r'Section\(\s*id="\w+",\s*title=f?"([^"{]+)"', written)
    assert len(titles) > 10
    table = sources()["report"].partition("## What is in it")[2].partition("\n\nParts")[0]
    for title in titles:
        assert f"| {title} |" in table


def test_users_are_told_of_every_format() -> None:
    listed = ", ".join(FORMATS)
    assert f"Any of {listed}, or what an installed package adds" in page_of("report")
    described = " ".join((write_report.__doc__ or "").replace("``", "").split())
    assert f"Any of {listed}, and those that installed packages add" in described
    table = sources()["report"].partition("`--format`")[2].partition("\n\n")[0]
    named = {name for row in re.findall(r"\| `([a-z,]+)` \|", table) for name in row.split(",")}
    assert named == {*FORMATS}


def test_a_place_that_cannot_be_written_is_a_sentence(analysis: Analysis, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write the report there"):
        write_report(analysis, tmp_path / "file")


def test_a_disk_that_is_full_leaves_the_older_report(
    analysis: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [path] = write_report(analysis, tmp_path, versions=VERSIONS, formats=("md",))
    before = path.read_bytes()
    whole = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        whole(path, content[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="cannot write the report there: No space left on device"):
        write_report(replace(analysis, title="Newer"), tmp_path, versions=VERSIONS, formats=("md",))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_long_names_make_files_of_their_own_that_every_system_takes(
    analysis: Analysis, tmp_path: Path
) -> None:
    tables = tuple(replace(analysis.tables[0], id=f"mean_scores/{'绘' * 200}{k}") for k in "ab")
    long = replace(analysis, tables=tables)
    made = write_report(long, tmp_path, versions=VERSIONS, formats=("csv",))
    assert len(set(made)) == 2
    assert all(len(path.name.encode()) < 140 for path in made)
