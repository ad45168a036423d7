"""Charts: where the marks stand, and that no text escapes."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox import analyze
from jurybox.analysis.finding import Analysis, CellKind, Column, Table
from jurybox.report import html
from jurybox.report.blocks import Shown
from jurybox.report.charts import svg
from jurybox.report.charts.bars import DARK, LIGHT, draw_distribution, ramp
from jurybox.report.charts.dots import draw_dots
from jurybox.report.charts.pictures import colored, distribution_of, dots_of, reliability_of
from jurybox.report.charts.scatter import draw_scatter
from jurybox.report.charts.svg import shorten, text_width, ticks
from jurybox.report.charts.values import Distribution, DotChart, DotRow
from jurybox.report.page import make_page
from jurybox.report.said.crossed import categories_of, matrix_of
from tests import reference


class Marks(HTMLParser):
    """Collects the elements of a drawing and the texts in it."""

    def __init__(self, drawing: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(drawing)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def all(self, tag: str, **has: str) -> list[dict[str, str | None]]:
        wanted = {key.rstrip("_"): value for key, value in has.items()}
        return [a for t, a in self.found if t == tag and wanted.items() <= a.items()]


def chart(*rows: tuple[float | None, float | None, float | None], **more: float) -> DotChart:
    return DotChart(
        title="Means",
        axis="Mean score",
        rows=tuple(
            DotRow(label=f"system-{k}", estimate=e, low=low, high=high, value=str(e), color=k)
            for k, (e, low, high) in enumerate(rows)
        ),
        reference=more.get("reference"),
    )


@pytest.mark.parametrize("width", [860, 360])
def test_a_dot_stands_where_its_value_lies_on_the_axis(width: int) -> None:
    marks = Marks(draw_dots(chart((1, 0, 2), (1.5, 1, 2)), width=width))
    lines = marks.all("line", class_="s0") + marks.all("line", class_="s1")
    (x0, x2), (x1, _) = ((float(a["x1"] or 0), float(a["x2"] or 0)) for a in lines)
    # 1 is half-way between 0 and 2, and the second line starts there.
    assert x1 == pytest.approx((x0 + x2) / 2, abs=0.2)
    dots = [float(a["cx"] or 0) for a in marks.all("circle")]
    assert dots == pytest.approx([x1, x0 + 0.75 * (x2 - x0)], abs=0.2)


def test_an_infinite_bound_is_an_arrow_at_the_edge() -> None:
    marks = Marks(draw_dots(chart((1, 0, math.inf), (0.5, 0, 1)), width=860))
    assert len(marks.all("path", class_="s0")) == 1
    assert not marks.all("path", class_="s1")


def test_a_missing_estimate_draws_its_name_and_no_dot() -> None:
    marks = Marks(draw_dots(chart((None, None, None), (0.5, 0, 1)), width=860))
    assert len(marks.all("circle")) == 1
    assert {"system-0", "system-1"} <= set(marks.texts)


def test_one_value_alone_still_has_an_axis() -> None:
    marks = Marks(draw_dots(chart((3, None, None)), width=860))
    assert len(marks.all("circle")) == 1
    assert "3.0" in marks.texts or "3" in marks.texts


def test_the_eighth_system_has_the_first_color_and_another_marker() -> None:
    marks = Marks(draw_dots(chart(*[(k, k - 1, k + 1) for k in range(8)]), width=860))
    assert len(marks.all("circle")) == 7
    assert len(marks.all("polygon", class_="s0")) == 1


def test_the_reference_is_a_dashed_line_within_the_plot() -> None:
    marks = Marks(draw_dots(chart((1, 0.5, 2), reference=0), width=860))
    assert len([a for _, a in marks.found if "stroke-dasharray" in a]) == 1


@given(
    st.floats(-1e6, 1e6, allow_nan=False),
    st.floats(1e-3, 1e6, allow_nan=False),
    st.integers(2, 8),
)
def test_ticks_are_inside_even_and_told_apart(low: float, length: float, wanted: int) -> None:
    places, digits = ticks(low, low + length, wanted)
    assert places
    assert len(places) <= wanted + 2
    slack = 1e-6 * max(1, abs(low), length)
    assert low - slack <= places[0]
    assert places[-1] <= low + length + slack
    assert len({f"{place:.{digits}f}" for place in places}) == len(places)


@given(st.text(max_size=30), st.sampled_from([860, 360]))
def test_any_name_is_drawn_as_text(name: str, width: int) -> None:
    row = DotRow(label=name, estimate=1.0, low=0.0, high=2.0, value=name, color=0)
    drawn = draw_dots(DotChart(title=name, axis=name, rows=(row,)), width=width)
    bars = draw_distribution(
        Distribution(title=name, values=("no", "yes"), rows=((name, (0.5, 0.5)),)), width=width
    )
    allowed = {"svg", "g", "line", "text", "circle", "rect"}
    assert {tag for tag, _ in Marks(drawn + bars).found} <= allowed


@pytest.mark.parametrize("width", [860, 360])
def test_a_bar_is_cut_by_the_shares(width: int) -> None:
    shares = Distribution(
        title="Spread",
        values=("0", "1", "2"),
        rows=(("a", (0.25, 0.0, 0.75)), ("b", (1.0, None, 0))),
    )
    first, second, third = (
        float(a["width"] or 0) for a in Marks(draw_distribution(shares, width=width)).all("rect")
    )
    assert second == pytest.approx(3 * first, abs=4)  # the gaps between parts are 1.5 px
    assert third == pytest.approx(first + second, abs=4)
    assert shares.spoken == "Spread. a: 0 25%, 1 0%, 2 75%; b: 0 100%, 1 –, 2 0%"


@pytest.mark.parametrize("colors", [LIGHT, DARK])
@pytest.mark.parametrize("count", [1, 2, 5, 11])
def test_text_on_a_bar_has_contrast(count: int, colors: tuple[tuple[int, int, int], ...]) -> None:
    for paint, ink in ramp(count, colors):
        assert contrast(paint, ink) >= 4.5  # WCAG 2.2, 1.4.3


def test_every_part_of_a_bar_is_seen_on_a_dark_page() -> None:
    assert min(contrast(paint, "#1d1b19") for paint, _ in ramp(11, DARK)) >= 3  # 1.4.11


def test_a_distribution_says_what_its_bars_are_and_where_they_part() -> None:
    chart = Distribution(title="Spread", values=("1", "2"), rows=(("a", (0.5, 0.5)),))
    for width in (860, 360):
        said = "Share of answers, parted at the scale's middle"
        assert said in unescape(draw_distribution(chart, width=width))


def contrast(one: str, two: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(two)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    channels = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_system_has_one_color_in_every_chart(analysis: Analysis) -> None:
    drawn = [dots_of(t, analysis.systems) for t in analysis.tables[:2]]
    assert [[row.color for row in c.rows] for c in drawn if c] == [[0, 1, 2, 3]] * 2


def test_real_outputs_are_the_ink_of_the_page_in_every_chart() -> None:
    # The camera is the one origin of real outputs: one row of all of them, another of its own.
    table = reference.gengap()
    young = set(reference.gengap(age="young")["rater"])
    by = [("young" if rater in young else "old") for rater in table["rater"]]
    found = analyze({**table, "group": by})
    color: dict[str, int | None] = {}
    for id in ("fooling", "groups/origin"):
        made = found.table(id)
        drawn = dots_of(made, colored(found)) if made else None
        assert drawn is not None
        color |= {row.label: row.color for row in drawn.rows}
    assert color == {
        "Stable Diffusion": 0,
        "Stable Diffusion, old": 0,
        "Stable Diffusion, young": 0,
        "real outputs": None,
        "camera, old": None,
        "camera, young": None,
    }


def test_differences_are_drawn_around_zero(analysis: Analysis) -> None:
    drawn = dots_of(analysis.tables[2], analysis.systems)
    assert drawn is not None
    assert drawn.reference == 0
    assert drawn.rows[0].label == "aurora − basalt"
    assert drawn.rows[3].value == "undefined"


def test_a_table_without_interval_or_system_is_not_drawn(analysis: Analysis) -> None:
    assert dots_of(analysis.tables[4], analysis.systems) is None
    assert distribution_of(analysis.tables[0]) is None
    lone = Table(id="x", title="x", columns=(Column(name="system", heading="System"),), rows=())
    assert dots_of(lone, ()) is None
    assert distribution_of(lone) is None


@pytest.mark.parametrize("width", [860, 360])
def test_bars_share_the_middle_of_the_scale(width: int) -> None:
    # Below the middle: 0.5 + 0.3 / 2 = 0.65, and 0.1 + 0.2 / 2 = 0.2.
    rows = (("a", (0.5, 0.3, 0.2)), ("b", (0.1, 0.2, 0.7)))
    chart = Distribution(title="Spread", values=("1", "2", "3"), rows=rows)
    found = Marks(draw_distribution(chart, width=width))
    (middle,) = [float(a["x1"] or 0) for a in found.all("line")]
    bars = [float(a["x"] or 0) for a in found.all("rect")]
    right = width - middle
    unit = right / 0.8  # b reaches furthest right: 0.7 + 0.2 / 2
    assert bars[0] == pytest.approx(middle - 0.65 * unit, abs=1)
    assert bars[3] == pytest.approx(middle - 0.2 * unit, abs=1)


def test_a_bar_without_answers_draws_nothing() -> None:
    chart = Distribution(title="x", values=("1", "2"), rows=(("a", (None, None)),))
    assert not Marks(draw_distribution(chart, width=860)).all("rect")


def pairs(rates: dict[tuple[str, str], float | None]) -> Table:
    return Table(
        id="pairs/preference",
        title="Pairs",
        columns=(
            Column(name="system", heading="System"),
            Column(name="other", heading="Against"),
            Column(name="win_rate", heading="Win rate", kind="percent"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=tuple((a, b, rate, None) for (a, b), rate in rates.items()),
    )


def test_a_matrix_has_both_sides_of_every_pair() -> None:
    made = matrix_of(pairs({("a", "b"): 0.25, ("a", "c"): None, ("b", "c"): 0.6}))
    assert made is not None
    # b wins 0.75 and 0.6, c 0.4, a 0.25: in this order; a and c never met.
    assert [column.heading for column in made.columns] == ["System", "b", "c", "a"]
    assert made.rows == (
        ("b", None, 0.6, 0.75),
        ("c", 0.4, None, None),
        ("a", 0.25, None, None),
    )
    assert made.id == "matrix/preference"
    assert made.title.startswith("How often the system of the row wins against that of the column")
    table = pairs({("a", "b"): 0.25, ("a", "c"): 0.4, ("b", "c"): 0.6})
    rankings = Column(name="rankings", heading="Rankings", kind="count")
    ranked = matrix_of(replace(table, columns=(*table.columns[:3], rankings)))
    assert ranked is not None
    assert ranked.title.startswith("How often the system of the row is ranked above that of the")


def test_names_too_long_for_the_heads_of_a_matrix_are_numbered() -> None:
    long = "models/that-somebody-named-after-their-path@step-120000"
    made = matrix_of(pairs({(long, "b"): 0.75, (long, "c"): None, ("b", "c"): 0.6}), [long, "b"])
    assert made is not None
    assert [column.heading for column in made.columns] == ["System", "1", "2", "3"]
    assert [row[0] for row in made.rows] == [f"1. {long}", "2. b", "3. c"]
    assert made.caption.endswith("Columns have the numbers of the rows.")


def test_a_matrix_of_rankings_has_the_order_of_their_first_table(analysis: Analysis) -> None:
    system = Column(name="system", heading="System")
    first = Column(name="first", heading="Ranked first", kind="percent")
    places = Table(
        id="rankings/preference",
        title="Rankings",
        columns=(system, first),
        rows=(("c", 0.5), ("a", 0.3), ("b", 0.2)),
    )
    rates = pairs({("a", "b"): 0.25, ("a", "c"): 0.4, ("b", "c"): 0.6})
    page = make_page(replace(analysis, tables=(places, rates), findings=()), versions={})
    shown = [b.table for s in page.sections for b in s.blocks if isinstance(b, Shown)]
    (matrix,) = [table for table in shown if table.kind == "matrix"]
    assert [row[0] for row in matrix.rows] == ["c", "a", "b"]


def test_a_matrix_has_the_order_of_the_other_tables() -> None:
    made = matrix_of(pairs({("a", "b"): 0.25, ("a", "c"): None, ("b", "c"): 0.6}), ["c", "a", "b"])
    assert made is not None
    assert [column.heading for column in made.columns] == ["System", "c", "a", "b"]


def test_pairs_are_drawn_with_the_interval_that_decides() -> None:
    plain = pairs({("a", "b"): 0.7, ("a", "c"): 0.6})
    wide = Column(name="simultaneous", heading="95% simultaneous interval", kind="interval")
    # The second was the primary comparison: it is tested alone.
    table = replace(
        plain,
        columns=(*plain.columns, wide),
        rows=(("a", "b", 0.7, (0.6, 0.8), (0.5, 0.9)), ("a", "c", 0.6, (0.5, 0.7), None)),
    )
    chart = dots_of(table, ("a", "b", "c"))
    assert chart is not None
    assert chart.axis == "Win rate, 95% interval (simultaneous but for the primary pair)"
    assert [(row.low, row.high) for row in chart.rows] == [(0.5, 0.9), (0.5, 0.7)]
    assert [row.value for row in chart.rows] == ["70.0% (50.0 to 90.0)", "60.0% (50.0 to 70.0)"]


def test_a_cell_of_a_matrix_without_a_number_has_the_room_of_the_others(
    analysis: Analysis,
) -> None:
    table = pairs({("a", "b"): 0.25, ("a", "c"): None, ("b", "c"): 0.6})
    page = html(replace(analysis, tables=(*analysis.tables, table)), versions={"jurybox": "0.1.0"})
    assert page.count('<td class="n hnone">–</td>') == 5
    assert '<td class="n h2">25.0%</td>' in page


def test_numbers_of_a_matrix_stand_out_from_their_color_by_day_and_by_night() -> None:
    style = (files("jurybox.report.formats") / "templates" / "report.css").read_text(
        encoding="utf-8"
    )
    found = re.findall(r"td\.h\d+ \{ background: (#\w{6}); color: (#000|#fff);", style)
    assert len(found) == 20
    for ground, ink in found:
        assert contrast(ground, "#" + 6 * ink[1]) >= 4.5, ground


def _spans(*rows: tuple[str, str, str, int, float]) -> Table:
    names = ("system", "category", "severity", "spans", "points")
    kinds: tuple[CellKind, ...] = ("text", "text", "text", "count", "number")
    columns = (Column(name=n, heading=n, kind=k) for n, k in zip(names, kinds, strict=True))
    return Table(id="spans/errors", title="Marked spans", columns=tuple(columns), rows=rows)


def test_error_points_are_summed_by_system_and_main_category_and_make_the_whole() -> None:
    made = categories_of(
        _spans(
            ("b", "accuracy/omission", "major", 2, 1.0),
            ("b", "accuracy/addition", "minor", 1, 0.25),
            ("b", "style", "minor", 1, 0.5),
            ("a", "style", "major", 1, 1.5),
        )
    )
    assert made is not None
    assert [column.heading for column in made.columns] == ["System", "style", "accuracy", "All"]
    # style: 0.5 + 1.5 = 2 in all, accuracy: 1 + 0.25 = 1.25.
    assert made.rows == (("a", 1.5, 0.0, 1.5), ("b", 0.5, 1.25, 1.75))


def test_small_categories_of_errors_share_a_column_and_one_alone_needs_none() -> None:
    rows = [("a", f"c{k}", "minor", 1, float(8 - k)) for k in range(8)]
    made = categories_of(_spans(*rows))
    assert made is not None
    assert [column.heading for column in made.columns][-3:] == ["c5", "Others", "All"]
    # c6 and c7 have 2 and 1 points.
    assert made.rows[0][-3:] == (3.0, 3.0, 36.0)
    assert categories_of(_spans(rows[0])) is None


def test_one_pair_or_too_many_systems_have_no_matrix(analysis: Analysis) -> None:
    assert matrix_of(pairs({("a", "b"): 0.25})) is None
    names = [f"s{k}" for k in range(13)]
    assert matrix_of(pairs({(names[0], name): 0.5 for name in names[1:]})) is None
    assert all(matrix_of(table) is None for table in analysis.tables)


def reliability(right: float | None = 0.6) -> Table:
    return Table(
        id="reliability/origin",
        title="Confidence and being right",
        columns=(
            Column(name="bin", heading="Stated probability"),
            Column(name="stated", heading="Mean stated", kind="percent"),
            Column(name="right", heading="Share right", kind="percent"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=(("0.9 to 1", 0.95, right, (0.5, 0.7)), ("0.5 to 0.6", 0.55, None, None)),
    )


@pytest.mark.parametrize("width", [860, 360])
def test_a_reliability_diagram_is_a_square_with_its_diagonal(width: int) -> None:
    chart = reliability_of(reliability())
    assert chart is not None
    # What has no answers has no point.
    assert [panel.points for panel in chart.panels] == [((0.95, 0.6, None),)]
    assert chart.spoken == "Confidence and being right. stated 95.0%, right 60.0%"
    marks = Marks(draw_scatter(chart, width=width))
    [diagonal] = [a for a in marks.all("line") if a.get("stroke-dasharray")]
    x1, x2, y1, y2 = (float(diagonal[name] or 0) for name in ("x1", "x2", "y1", "y2"))
    assert x2 - x1 == pytest.approx(y1 - y2, abs=0.2)
    [dot] = marks.all("circle")
    # At 95 of 100 parts along and 60 up; the interval from 50 to 70 runs through it.
    assert float(dot["cx"] or 0) == pytest.approx(x1 + 0.95 * (x2 - x1), abs=0.2)
    assert float(dot["cy"] or 0) == pytest.approx(y1 - 0.6 * (y1 - y2), abs=0.2)
    [bar] = [a for a in marks.all("line") if a.get("stroke-width") == "2"]
    assert float(bar["y2"] or 0) < float(dot["cy"] or 0) < float(bar["y1"] or 0)
    assert reliability_of(reliability(None)) is None
    assert dots_of(reliability(), ()) is None


def scored(id: str, kind: CellKind, value: float, ends: tuple[float, float]) -> Table:
    return Table(
        id=id,
        title="Scores",
        columns=(
            Column(name="system", heading="System"),
            Column(name="score", heading="Score", kind=kind),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=(("a", value, ends),),
        limits=(1.0, 5.0) if kind == "number" else None,
    )


def test_an_interval_of_means_is_drawn_to_the_end_of_the_scale_and_printed_whole() -> None:
    chart = dots_of(scored("mean_scores/x", "number", 4.5, (3.2, 5.8)), ("a",))
    assert chart is not None
    assert (chart.rows[0].low, chart.rows[0].high) == (3.2, 5.0)
    assert chart.rows[0].value == "4.50 (3.20 to 5.80)"


def test_differences_of_shares_are_drawn_in_points() -> None:
    chart = dots_of(scored("x", "points", 0.25, (-0.1, 0.6)), ("a",))
    assert chart is not None
    assert not chart.as_percent
    assert (chart.rows[0].estimate, chart.rows[0].value) == (25.0, "25.0 (−10.0 to 60.0)")


def test_a_worst_value_that_nobody_gave_is_not_drawn() -> None:
    assert dots_of(scored("robustness/x", "percent", 0.0, (0.0, 0.4)), ("a",)) is None
    assert dots_of(scored("robustness/x", "percent", 0.1, (0.0, 0.4)), ("a",)) is not None


def test_a_number_at_the_edge_of_the_axis_is_seen_whole() -> None:
    shares = DotChart(
        title="Shares",
        axis="Share",
        rows=(DotRow(label="a", estimate=0.867, low=0.512, high=0.995, value="86.7%"),),
        as_percent=True,
    )
    drawing = draw_dots(shares, width=360)
    marks = Marks(drawing)
    assert "100%" in marks.texts
    places = [float(str(it["x"])) for it in marks.all("text", class_="m t")]
    # Four characters at 7.6 px, half of them on each side.
    assert max(places) <= 360 - 15.2


def test_on_a_phone_long_names_are_whole_and_numbers_stand_below_them() -> None:
    names = ("CustomDiffusion − DreamBooth", "CustomDiffusion − TextualInversion")
    rows = [
        DotRow(label=name, estimate=0.1, low=-0.2, high=0.4, value="0.162 (−0.143 to 0.467)")
        for name in names
    ]
    drawing = draw_dots(DotChart(title="", axis="Difference", rows=tuple(rows)), width=360)
    marks = Marks(drawing)
    assert set(names) <= set(marks.texts)
    ends = {end: marks.all("text", **{"text-anchor": end})[0]["y"] for end in ("start", "end")}
    places = [float(str(y)) for y in (*ends.values(), marks.all("circle")[0]["cy"])]
    assert [b - a for a, b in pairwise(places)] == [18, 18]


def test_an_axis_too_long_for_a_phone_has_its_remark_on_a_line_of_its_own() -> None:
    axis = "Mean score, 95% interval (the first 45 of 79 are drawn)"
    row = DotRow(label="a", estimate=1.0, low=0.0, high=2.0, value="1.0")
    dots = DotChart(title="", axis=axis, rows=(row,))
    narrow, wide = (Marks(draw_dots(dots, width=width)) for width in (360, 940))
    assert {"Mean score, 95% interval", "(the first 45 of 79 are drawn)"} <= set(narrow.texts)
    assert axis in wide.texts


def test_systems_by_rater_group_are_drawn_in_the_colors_of_the_systems() -> None:
    table = Table(
        id="groups/fit",
        title="By rater group: fit",
        columns=(
            Column(name="of", heading="System"),
            Column(name="group", heading="Group"),
            Column(name="estimate", heading="Mean score", kind="number"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=(
            ("beta", "expert", 3.2, (2.9, 3.5)),
            ("beta", "novice", 2.1, (1.8, 2.4)),
        ),
    )
    chart = dots_of(table, ("alpha", "beta"))
    assert chart is not None
    assert [row.label for row in chart.rows] == ["beta, expert", "beta, novice"]
    assert [row.color for row in chart.rows] == [1, 1]


def test_a_difference_between_rater_groups_is_not_drawn_as_one_groups_figure() -> None:
    table = Table(
        id="group_differences/fit",
        title="Between rater groups: fit",
        columns=(
            Column(name="of", heading="System"),
            Column(name="group", heading="Group"),
            Column(name="versus", heading="minus"),
            Column(name="difference", heading="Difference", kind="number"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=(("alpha", "expert", "novice", 0.8, (0.4, 1.2)),),
    )
    assert dots_of(table, ("alpha",)) is None


def test_the_rows_of_a_category_stand_together_and_keep_away_from_the_next() -> None:
    table = Table(
        id="categories/quality/topic",
        title="By topic",
        columns=(
            Column(name="category", heading="Topic"),
            Column(name="system", heading="System"),
            Column(name="mean", heading="Mean score", kind="number"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=tuple((c, s, 0.5, (0.4, 0.6)) for c in ("art", "law") for s in ("new", "old")),
    )
    chart = dots_of(table, ("new", "old"))
    assert chart is not None
    assert [row.apart for row in chart.rows] == [False, False, True, False]
    tops = [float(y) for y in re.findall(r'<rect x="0" y="([0-9.]+)"', draw_dots(chart, width=940))]
    one, two, three = (b - a for a, b in pairwise(tops))
    assert one == three < two


def test_an_axis_names_an_interval_only_where_one_is_drawn() -> None:
    table = Table(
        id="mean_scores/quality",
        title="Mean score",
        columns=(
            Column(name="system", heading="System"),
            Column(name="mean", heading="Mean score", kind="number"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=(("new", 3.0, None), ("old", 2.0, None)),
    )
    bare, bounded = (
        dots_of(table, ()),
        dots_of(replace(table, rows=(("new", 3.0, (2.0, 4.0)),)), ()),
    )
    assert bare is not None
    assert bounded is not None
    assert (bare.axis, bounded.axis) == ("Mean score", "Mean score, 95% interval")


def test_a_name_of_any_length_is_cut_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = 0

    def counted(text: str) -> float:
        nonlocal measured
        measured += 1
        return text_width(text)

    monkeypatch.setattr(svg, "text_width", counted)
    for name in ("x" * 20_000, "many words " * 2_000, "y" * 20_000 + " against " + "z" * 20_000):
        assert len(shorten(name, 300)) < 60
    assert measured < 500
    assert shorten("x" * 20_000 + " against new", 150) == "xxx…xxx against new"
