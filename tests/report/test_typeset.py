"""The report as PDF: text stays text, and what no font shows is named."""

from __future__ import annotations

import base64
import io
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typst
from PIL import Image

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.errors import InputError, JuryboxWarning
from jurybox.report import write_report
from jurybox.report.blocks import (
    Exhibit,
    Gallery,
    Heading,
    Page,
    Part,
    Remark,
    Screen,
    Section,
    Shown,
    Words,
)
from jurybox.report.charts.values import DotChart, DotRow
from jurybox.report.formats import typeset as module
from jurybox.report.formats.known import writers
from jurybox.report.formats.typeset import typeset
from jurybox.report.page import make_page
from tests.report.tiny_font import tiny_font

VERSIONS = {"jurybox": "0.1.0"}
TEMPLATE = (files("jurybox.report.formats") / "templates" / "report.typ").read_bytes()
HOSTILE = (
    '#read("/etc/passwd") #import "@preview/x:1.0.0" *b* _i_ $x$ `r` = h <l> @r \\ // c /* -- "q" #'
)


@pytest.fixture(autouse=True)
def only_embedded_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fonts that typst brings, whatever the machine has."""
    compile_ = partial(typst.compile, ignore_system_fonts=True)
    engine = SimpleNamespace(compile=compile_, TypstError=typst.TypstError)
    monkeypatch.setattr(module, "find_typst", lambda: engine)


def page_of(analysis: Analysis, **changed: Any) -> Page:
    return replace(make_page(analysis, versions=VERSIONS), **changed)


def _elements(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "func" in value:
            yield value
        for part in value.values():
            yield from _elements(part)
    elif isinstance(value, list):
        for part in value:
            yield from _elements(part)


def _query(kind: str, inputs: dict[str, str]) -> str:
    return typst.query(TEMPLATE, kind, sys_inputs=inputs, ignore_system_fonts=True)


def _set(page: Page, wholes: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Every element that typst makes of a page."""
    inputs = {"report": json.dumps(module._with_breaks(module._data(page, wholes or {})))}
    return [
        element
        for kind in ("title", "heading", "list", "figure", "par")
        for element in _elements(json.loads(_query(kind, inputs)))
    ]


def _texts(elements: list[dict[str, Any]]) -> list[str]:
    return [element["text"] for element in elements if element["func"] == "text"]


def test_a_page_is_an_accessible_pdf(analysis: Analysis, tmp_path: Path) -> None:
    [path] = write_report(analysis, tmp_path, formats=("pdf",), versions=VERSIONS)
    made = path.read_bytes()
    assert made.startswith(b"%PDF-")
    assert b"pdfuaid:part" in made
    assert b"Does the picture show what was asked?" in made


def test_the_same_page_is_the_same_file(analysis: Analysis) -> None:
    page = page_of(analysis)
    assert typeset(page, wholes={}) == typeset(page, wholes={})


def test_no_text_is_taken_for_markup(analysis: Analysis) -> None:
    table = replace(
        analysis.tables[2],
        title=HOSTILE,
        caption=HOSTILE,
        columns=tuple(replace(c, heading=HOSTILE) for c in analysis.tables[2].columns),
        rows=((HOSTILE, HOSTILE, 0.1, None, None),),
    )
    page = page_of(
        replace(
            analysis,
            title=HOSTILE,
            findings=tuple(replace(f, sentence=HOSTILE) for f in analysis.findings),
            tables=(table,),
            took=(HOSTILE,),
        ),
        sections=(Section(id="x", title=HOSTILE, blocks=(Words(text=HOSTILE),)),),
        table=table,
    )
    assert typeset(page, wholes={})[1] == ()
    elements = _set(page)
    assert {"raw", "equation", "emph", "link", "ref"}.isdisjoint(e["func"] for e in elements)
    shown = _texts(elements)
    # The title of the page, of the section and of the table, its cells, its note, what is said.
    assert shown.count(HOSTILE) >= 7
    parts = [text for text in shown if "passwd" in text and text != HOSTILE]
    # A heading stands in several lines.
    assert {" ".join(text.split()) for text in parts} <= {HOSTILE}


def _row(name: str) -> DotRow:
    return DotRow(label=name, estimate=0.5, low=0.2, high=0.8, value="0.5")


def test_a_script_that_no_font_shows_is_named_with_its_place(analysis: Analysis) -> None:
    sections = (
        Section(id="a", title="Raters", blocks=(Words(text="nothing"),)),
        Section(id="b", title="Comments", blocks=(Words(text="好 漢字漢 and 𓀀"),)),
    )
    _, warnings = typeset(page_of(analysis, sections=sections), wholes={})
    assert warnings == (
        "report.pdf: no font here shows Han (好 字 漢), first under “Comments”; give a folder with "
        "one that does by --font-path.",
        "report.pdf: no font here shows Egyptian (𓀀), first under “Comments”; give a folder with "
        "one that does by --font-path.",
    )


def test_a_chart_is_searched_too(analysis: Analysis) -> None:
    chart = DotChart(title="Means", axis="Mean", rows=(_row("漢"),))
    page = page_of(analysis, chart=chart, table=None, sections=())
    made, warnings = typeset(page, wholes={})
    assert made.startswith(b"%PDF-")
    assert [re.findall(r"shows (.*?);", w) for w in warnings] == [
        ["Han (漢), first on the first page"]
    ]


def test_a_font_from_a_folder_helps(analysis: Analysis, tmp_path: Path) -> None:
    page = page_of(analysis, title="漢")
    assert len(typeset(page, wholes={})[1]) == 1
    (tmp_path / "tiny.ttf").write_bytes(tiny_font("漢", "Tiny"))
    assert typeset(page, wholes={}, font_paths=[tmp_path])[1] == ()
    # It is the font of one letter.
    assert len(typeset(replace(page, title="漢字"), wholes={}, font_paths=[tmp_path])[1]) == 1


def test_what_is_missing_reaches_the_caller(analysis: Analysis, tmp_path: Path) -> None:
    nowhere = replace(analysis, title="private \U00100000")
    with pytest.warns(JuryboxWarning, match=r"signs and symbols \(U\+100000\), first on the"):
        write_report(nowhere, tmp_path, formats=("pdf",), versions=VERSIONS)


def test_text_that_is_mostly_from_right_to_left_is_turned(analysis: Analysis) -> None:
    titles = ("שלום abc", "שלום and so on", "12 العربية")
    sections = tuple(Section(id="x", title=title, blocks=()) for title in titles)
    page = page_of(analysis, sections=sections)
    inputs = {"report": json.dumps(module._data(page, {}))}
    heads = json.loads(_query("heading", inputs))
    assert [head["body"]["func"] for head in heads] == ["styled", "text", "styled"]


def _raters(n_rows: int, table: Table) -> Table:
    return replace(table, id="raters", rows=tuple((f"r{k}", 1.0, 1.0, 3) for k in range(n_rows)))


def test_a_long_table_is_cut_and_says_where_the_whole_is(analysis: Analysis) -> None:
    table = _raters(1041, analysis.tables[4])
    page = page_of(replace(analysis, tables=(table,)))
    shown = _texts(_set(page, {"raters": "tables/raters.csv"}))
    assert "r23" in shown
    assert "r24" not in shown
    assert "The first 24 of 1,041 rows; all are in tables/raters.csv (--format csv)." in shown


def test_long_names_stay_within_their_columns_and_the_page(analysis: Analysis) -> None:
    names = ("rater_with_a_long_name_0000_from_afar_and_beyond", "W" * 400)
    columns = (
        *(Column(name=name, heading=name) for name in ("rater", "other")),
        *(Column(name=name, heading="95% interval", kind="interval") for name in ("a", "b")),
    )
    rows = tuple((one, two, (0.1, 0.2), (0.3, 0.4)) for one in names for two in names)
    table = Table(id="pairs", title=names[0], columns=columns, rows=rows, caption=names[1])
    page = page_of(
        replace(analysis, title=names[1]),
        sections=(Section(id="x", title=names[1], blocks=(Shown(table=table),)),),
    )
    inputs = {"report": json.dumps(module._with_breaks(module._data(page, {})))}
    made: Any = typst.compile(
        TEMPLATE, format="png", ppi=72, sys_inputs=inputs, ignore_system_fonts=True
    )
    for drawn in made if isinstance(made, list) else [made]:
        with Image.open(io.BytesIO(drawn)) as picture:
            # Margins are 2.5 cm of 21: nothing is printed on the right one.
            edge = picture.convert("L").crop((529, 0, picture.width, picture.height))
            assert edge.getextrema() == (255, 255)
    # What is copied is the name: a line is broken at a box, and not at a letter.
    assert "\u200b" not in "".join(_texts(_set(page)))


def test_a_table_is_broken_within_its_rows_only_where_three_stand_on_either_side(
    analysis: Analysis,
) -> None:
    def kept(rows: int) -> list[dict[str, Any]]:
        table = _raters(rows, analysis.tables[4])
        page = page_of(replace(analysis, tables=(table,)))
        made, _ = typeset(page, wholes={})
        assert b"pdfuaid:part" in made
        cells = [e for e in _set(page) if e["func"] == "cell"]
        return [cell for cell in cells if cell.get("breakable") is False]

    assert [cell["rowspan"] for cell in kept(13)] == [3, 3]
    assert kept(12) == []


def test_a_row_is_broken_only_where_it_could_be_longer_than_a_page(analysis: Analysis) -> None:
    def table(letters: int) -> Table:
        said = " ".join(["word"] * (letters // 5))
        return replace(analysis.tables[4], rows=(("r1", 1.0, said, 3), ("r2", 1.0, "", 3)))

    columns = analysis.tables[4].columns
    text = (*columns[:2], Column(name="look", heading="Worth a look"), columns[3])
    short, long = (replace(table(n), columns=text) for n in (700, 20_000))
    assert module._table(short, [])["tall"] is False
    assert module._table(long, [])["tall"] is True
    # More than a page of words in one row is set, and on several pages.
    page = page_of(analysis, sections=(Section(id="x", title="X", blocks=(Shown(table=long),)),))
    inputs = {"report": json.dumps(module._data(page, {}))}
    made = typst.compile(TEMPLATE, format="png", sys_inputs=inputs, ignore_system_fonts=True)
    assert len(made) > 2


def test_every_chart_stands_in_its_section_and_also_a_tall_one_that_the_page_has_no_room_for(
    analysis: Analysis,
) -> None:
    rows = tuple(DotRow(label=f"s{k}", estimate=0.5) for k in range(20))
    tall, low = (DotChart(title=t, axis="x", rows=rows[:n]) for t, n in (("tall", 20), ("low", 2)))
    # Half a page of words: the tall chart is too high for the rest of it.
    words = tuple(Words(text=f"{k}. " + "It goes on and on. " * 30) for k in range(6))
    table = Shown(
        table=Table(id="x", title="X", columns=(Column(name="a", heading="A"),), rows=(("b",),) * 2)
    )
    sections = (
        Section(id="x", title="X", blocks=(*words, tall, table, Heading(text="Y"), low)),
        Section(id="z", title="Z", blocks=(tall, Words(text="said"))),
    )
    page = page_of(analysis, chart=None, table=None, cannot=(), sections=sections)
    placed = b"""
    #context [#metadata(query(selector(heading).or(image).or(table)).map(it => {
      let (page, y, ..) = it.location().position()
      (page, y.pt(), if it.func() == heading { it.body.text } else { repr(it.func()) })
    })) <placed>]"""
    found = typst.query(
        TEMPLATE + placed,
        "<placed>",
        field="value",
        one=True,
        sys_inputs={"report": json.dumps(module._data(page, {}))},
        ignore_system_fonts=True,
    )
    in_order = sorted(json.loads(found), key=lambda it: (it[0], it[1]))
    assert in_order[1][0] == 2, "the first tall chart has no room on its page"
    stands = ["X", "image", "table", "Y", "image", "Z", "image"]
    assert [it[2] for it in in_order] == stands


def test_a_chart_stands_after_its_table_only_where_that_one_can_fill_the_page_before_it(
    analysis: Analysis,
) -> None:
    chart = DotChart(title="Pairs", axis="x", rows=(DotRow(label="a", estimate=0.5),))

    def kinds(rows: int) -> list[str]:
        column = Column(name="a", heading="A")
        table = Table(id="x", title="X", columns=(column,), rows=(("b",),) * rows)
        blocks = (chart, Shown(table=table), chart, Words(text="said"), chart)
        page = page_of(analysis, sections=(Section(id="x", title="X", blocks=blocks),))
        return [block["kind"] for block in module._data(page, {})["sections"][0]["blocks"]]

    assert kinds(12) == ["chart", "table", "chart", "words", "chart"]
    assert kinds(13) == ["table", "chart", "chart", "words", "chart"]


def test_a_long_chart_is_cut(analysis: Analysis) -> None:
    chart = DotChart(title="t", axis="x", rows=tuple(_row(f"s{k}") for k in range(300)))
    data = module._data(page_of(analysis, chart=chart), {})
    assert data["first"][0]["note"] == "The first 24 of 300 rows are drawn."
    assert ">s23<" in data["first"][0]["svg"]
    assert ">s24<" not in data["first"][0]["svg"]


def test_many_sentences_are_cut(analysis: Analysis) -> None:
    page = page_of(replace(analysis, took=tuple(f"sentence {k}" for k in range(100))))
    shown = _texts(_set(page))
    assert "sentence 39" in shown
    assert "sentence 40" not in shown
    assert "60 more such sentences in report.html (--format html)." in shown


def test_a_wide_table_is_set_tighter_and_its_numbers_stay_whole(analysis: Analysis) -> None:
    narrow = module._table(analysis.tables[0], [])
    wide = module._table(
        replace(
            analysis.tables[0],
            columns=analysis.tables[0].columns * 3,
            rows=tuple(row * 3 for row in analysis.tables[0].rows),
        ),
        [],
    )
    assert narrow["size"] > wide["size"]
    assert narrow["rows"][0][2] == "1.480\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}1.760"


def test_a_text_flows_but_keeps_its_paragraphs_and_points() -> None:
    block = module._block(Words(text="one\ntwo\n\nthree\n- four"))
    assert block["text"] == "one two\n\nthree\n- four"


def test_outputs_are_shown_with_their_pictures(analysis: Analysis) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (30, 20), "teal").save(picture, "JPEG")
    address = "data:image/jpeg;base64," + base64.b64encode(picture.getvalue()).decode("ascii")
    parts = (Part(caption="output", text=HOSTILE, pictures=(address,)),)
    gallery = Gallery(
        title="Best",
        exhibits=(
            Exhibit(
                title="a, best", value="2.0", parts=parts, comments=(Remark(text="well done"),)
            ),
        ),
    )
    screen = Screen(
        html="<b>x</b>",
        caption="One trial",
        parts=(Part(caption=HOSTILE, text=HOSTILE),),
        asked=(HOSTILE,),
    )
    sections = (Section(id="x", title="Items", blocks=(gallery, screen)),)
    page = page_of(analysis, chart=None, table=None, sections=sections)
    made, _ = typeset(page, wholes={})
    # The picture is there as it came, and nothing else is one.
    assert made.count(b"/Subtype/Image") == 1
    assert b"/DCTDecode" in made
    shown = _texts(_set(page))
    # The text of the output, of the trial, and the question.
    assert shown.count(HOSTILE) == 3
    assert "“well done”" in shown


@pytest.mark.parametrize(("n", "together"), [(4, True), (12, False)])
def test_a_trial_stands_on_one_page_if_it_fits(analysis: Analysis, n: int, together: bool) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (30, 20), "teal").save(picture, "JPEG")
    address = "data:image/jpeg;base64," + base64.b64encode(picture.getvalue()).decode("ascii")
    seen = Part(caption="output", text="It was seen.", pictures=(address,))
    screen = Screen(html="", caption="One trial", parts=(seen,) * n, asked=("How good?",))
    # Half a page of words: four pictures, each 3.2 cm high, are too high for the rest of it.
    words = tuple(Words(text="It goes on and on. " * 30) for _ in range(6))
    sections = (Section(id="x", title="X", blocks=(*words, Heading(text="One trial"), screen)),)
    page = page_of(analysis, chart=None, table=None, cannot=(), sections=sections)
    placed = b"""
    #context [#metadata(query(selector(heading.where(level: 2)).or(image)).map(it =>
      it.location().position().page)) <placed>]"""
    found = typst.query(
        TEMPLATE + placed,
        "<placed>",
        field="value",
        one=True,
        sys_inputs={"report": json.dumps(module._data(page, {}))},
        ignore_system_fonts=True,
    )
    pages = json.loads(found)
    assert len(pages) == n + 1
    assert (set(pages) == {2}) == together
    assert together or len(set(pages)) > 1


def test_no_picture_of_a_series_is_cut(analysis: Analysis) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (30, 20), "teal").save(picture, "JPEG")
    address = "data:image/jpeg;base64," + base64.b64encode(picture.getvalue()).decode("ascii")
    series = Part(caption="states", pictures=(address,) * 4)
    gallery = Gallery(
        title="Best", exhibits=(Exhibit(title="a, best", value="2.0", parts=(series,)),)
    )
    sections = (Section(id="x", title="Items", blocks=(gallery,)),)
    page = page_of(analysis, chart=None, table=None, sections=sections)
    inputs = {"report": json.dumps(module._data(page, {}))}
    pictures = json.loads(_query("image", inputs))
    assert [(each["fit"], each["height"]) for each in pictures] == [("contain", "auto")] * 4


@pytest.mark.parametrize("what", ["nothing", "no tables", "a table without rows"])
def test_an_empty_study_gives_a_page(analysis: Analysis, what: str) -> None:
    empty = replace(analysis, findings=(), tables=(), excluded=(), took=(), warnings=())
    if what == "nothing":
        empty = replace(empty, n_responses=0, n_raters=0, n_items=0, systems=())
    if what == "a table without rows":
        empty = replace(empty, tables=(replace(analysis.tables[4], rows=()),))
    made, warnings = typeset(page_of(empty), wholes={})
    assert made.startswith(b"%PDF-")
    assert warnings == ()


def test_without_the_package_there_is_a_sentence(
    analysis: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(
        InputError, match=r"needs the package typst; install it with .*jurybox\[pdf"
    ):
        write_report(analysis, tmp_path, formats=("latex", "pdf"), versions=VERSIONS)
    # It is missed before anything is analyzed: nothing is half there.
    with pytest.raises(InputError, match="needs the package typst"):
        writers(("latex", "pdf"))


def test_a_folder_of_fonts_that_is_none_is_a_sentence(analysis: Analysis, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder; give a folder that holds fonts"):
        typeset(page_of(analysis), wholes={}, font_paths=[tmp_path / "none"])


def test_the_names_of_a_pair_are_whole_beside_a_chart_of_the_narrow_letters_of_the_page() -> None:
    name = "stable_diffusion_v2_1 − stable_diffusion_v1_5"
    row = DotRow(label=name, estimate=0.2, low=0.0, high=0.4, value="0.200 (0.007 to 0.393)")
    drawn = module._chart(DotChart(title="Pairs", axis="Difference", rows=(row,)))["svg"]
    assert f">{name}</text>" in drawn
