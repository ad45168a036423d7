"""Every chart as a file of its own."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image

from jurybox.analysis.finding import Analysis
from jurybox.report import write_report
from jurybox.report.blocks import Section
from jurybox.report.charts.scatter import SQUARE
from jurybox.report.charts.svg import text_width
from jurybox.report.charts.values import Distribution, DotChart, DotRow, Panel, Scatter
from jurybox.report.formats.figures import (
    MARGIN,
    PICTURED,
    as_picture,
    as_vectors,
    charts_of,
    draw_alone,
)
from jurybox.report.formats.limits import PAPER
from jurybox.report.page import make_page

VERSIONS = {"jurybox": "0.1.0"}
SPREAD = Distribution(
    title="Scores", values=("0 <b>", "1"), rows=(("aurora", (0.25, 0.75)), ("basalt", (1.0, None)))
)


def _dots(n_rows: int) -> DotChart:
    row = DotRow(label="a", estimate=0.5, low=0.2, high=0.8, value="0.5 (0.2 to 0.8)", color=0)
    return DotChart(title="Means", axis="Mean", rows=(row,) * n_rows)


def _root(drawing: str) -> ElementTree.Element:
    return ElementTree.fromstring(drawing)  # noqa: S314 - drawn here


def _texts(drawing: str) -> list[str]:
    return [e.text or "" for e in _root(drawing).iter() if e.tag.endswith("text")]


def test_charts_are_named_like_the_tables_they_draw(analysis: Analysis, tmp_path: Path) -> None:
    paths = write_report(analysis, tmp_path, formats=("csv", "svg", "png"), versions=VERSIONS)
    tables = {path.stem for path in paths if path.suffix == ".csv"}
    for suffix in (".svg", ".png"):
        charts = [path for path in paths if path.suffix == suffix]
        assert {path.parent for path in charts} == {tmp_path / "charts"}
        # The table of raters is the one that cannot be drawn.
        assert {path.stem for path in charts} == tables - {"raters"}


def test_charts_whose_tables_share_a_name_do_not_share_a_file(
    analysis: Analysis, tmp_path: Path
) -> None:
    tables = tuple(replace(analysis.tables[0], id=name) for name in ("m/a b", "m/a-b"))
    paths = write_report(
        replace(analysis, tables=tables), tmp_path, formats=("svg",), versions=VERSIONS
    )
    assert sorted(path.name for path in paths) == ["m-a-b-2.svg", "m-a-b.svg"]


def test_a_distribution_brings_its_key_and_shows_text_as_text() -> None:
    texts = _texts(draw_alone(SPREAD))
    assert texts[:2] == ["0 <b>", "1"]
    assert "75%" in texts


def test_a_key_with_many_values_takes_several_lines() -> None:
    values = tuple(f"value number {k}" for k in range(12))
    wide = Distribution(title="t", values=values, rows=(("a", (1 / 12,) * 12),))
    root = _root(draw_alone(wide))
    swatches = [
        (float(r.get("x", "")), float(r.get("y", ""))) for r in root.findall("{*}g/{*}rect")
    ]
    assert len({y for _, y in swatches}) > 1
    assert max(x for x, _ in swatches) < 700


def test_a_drawing_needs_no_style_sheet() -> None:
    root = _root(draw_alone(_dots(2)))
    assert root.get("color") == "#000"
    ground = root.find("{*}rect")
    assert ground is not None
    assert ground.get("fill") == "#fff"


def test_a_picture_is_black_on_white_and_large_enough_to_print() -> None:
    picture = Image.open(io.BytesIO(as_picture(_dots(2))))
    assert picture.format == "PNG"
    assert picture.width >= 2000  # 17 cm at 300 dots per inch
    assert picture.convert("RGBA").getchannel("A").getextrema() == (255, 255)
    assert picture.convert("L").getextrema() == (0, 255)
    assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_a_chart_for_a_page_is_no_longer_than_the_page() -> None:
    assert _texts(draw_alone(_dots(PAPER.drawn + 50))).count("a") == PAPER.drawn + 50
    assert as_vectors(_dots(PAPER.drawn + 50)) == as_vectors(_dots(PAPER.drawn))


def test_a_picture_has_room_for_the_names_of_a_pair() -> None:
    # At 700 px the first was cut in the middle of both names.
    pair = "stable_diffusion_v2_1 − stable_diffusion_v1_5"
    rows = (DotRow(label=pair, estimate=0.2, low=0.1, high=0.3, value="0.2"),)
    drawn = draw_alone(replace(_dots(1), rows=rows))
    assert pair in _texts(drawn)
    assert _root(drawn).get("width") == "814"
    longer = (replace(rows[0], label=pair * 9),)
    assert _root(draw_alone(replace(_dots(1), rows=longer))).get("width") == "900"
    assert _root(draw_alone(_dots(1))).get("width") == "700"


def test_a_square_has_no_empty_ground_beside_it() -> None:
    panel = Panel(title="", said="On the diagonal.", points=((0.5, 0.4, 0),))
    square = Scatter(title="Calibration", axis="right", systems=(), panels=(panel,), square=True)
    assert _root(draw_alone(square)).get("width") == str(SQUARE)
    longer = replace(square, panels=(replace(panel, said="a" * 90),))
    assert int(_root(draw_alone(longer)).get("width", "0")) >= text_width("a" * 90)


def test_letters_of_a_file_do_not_touch_the_edge_of_their_ground(
    analysis: Analysis, tmp_path: Path
) -> None:
    write_report(analysis, tmp_path, formats=["svg"], versions=VERSIONS)
    (drawn, *_) = sorted((tmp_path / "charts").iterdir())
    inner = next(each for each in _root(drawn.read_text()) if each.tag.endswith("svg"))
    assert (inner.get("x"), inner.get("y")) == (str(MARGIN), str(MARGIN))


def test_a_picture_is_bounded_and_says_so() -> None:
    # Each row takes 34 px, drawn three times as large.
    assert Image.open(io.BytesIO(as_picture(_dots(5000)))).height < 3 * 34 * (PICTURED + 5)
    assert "The first 2." in _texts(draw_alone(_dots(2), note="The first 2."))


def test_names_that_another_font_draws_have_the_size_that_charts_are_laid_out_for() -> None:
    chart = _dots(3)
    names = ("plain", "נמודג and plain", "模型")
    rows = tuple(replace(row, label=name) for row, name in zip(chart.rows, names, strict=True))
    drawn = draw_alone(replace(chart, rows=rows), font="Narrow", size=17)
    assert re.search(r'<text x="0"[^>]*>plain<', drawn)
    assert len(re.findall(r'<text font-size="14"[^>]*>[^<]*(?:נ|模)[^<]*</text>', drawn)) == 2
    usual = draw_alone(replace(chart, rows=rows))
    assert usual.count('font-size="14"') == draw_alone(chart).count('font-size="14"')


def test_a_chart_of_a_part_of_a_table_has_a_file_of_its_own_name(analysis: Analysis) -> None:
    part = replace(_dots(1), title="Agreement of judges with a person", id="judges/fidelity")
    page = replace(
        make_page(analysis), sections=(Section(id="x", title="X", blocks=(part, _dots(1))),)
    )
    assert [name for name, _ in charts_of(page)][1:] == ["judges/fidelity", _dots(1).title]
