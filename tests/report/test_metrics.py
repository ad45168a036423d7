"""The section on automatic metrics: what stands in it, and where points lie."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.finding import Finding
from jurybox.report.blocks import Points, Shown, Words
from jurybox.report.charts.scatter import draw_scatter
from jurybox.report.charts.values import Panel, Scatter
from jurybox.report.formats.html import draw_page
from jurybox.report.formats.markdown import markdown
from jurybox.report.methods.paragraph import methods
from jurybox.report.methods.references import references
from jurybox.report.methods.tested import named
from jurybox.report.page import make_page
from jurybox.report.sections.limitations import limitations_section
from jurybox.report.sections.metrics import metric_section
from jurybox.report.write import write_report
from jurybox.stats.metrics.stand_in import StandIn

HOSTILE = "<b onload=x>&"
INSIDE = """[...document.querySelectorAll("svg.plot")].flatMap(s => {
  const room = s.getBoundingClientRect();
  return [...s.querySelectorAll("text, circle, polygon")].filter(part => {
    const box = part.getBoundingClientRect();
    return box.left < room.left - 1 || box.right > room.right + 1 || box.top < room.top - 1
      || box.bottom > room.bottom + 1;
  }).map(part => part.textContent);
})"""


@pytest.fixture(scope="module")
def measured() -> Analysis:
    """Two systems on six items by three raters, a metric of outputs and one of sets."""
    outputs = [(i, s) for i in range(6) for s in ("new", "old")]
    scores = [5, 3, 4, 4, 3, 1, 5, 2, 2, 3, 4, 1]
    ratings: dict[str, list[Any]] = {
        "item": [f"q{i}" for i, _ in outputs for _ in range(3)],
        "system": [s for _, s in outputs for _ in range(3)],
        "rater": ["ada", "ben", "cy"] * 12,
        "score": [max(1, score - (k == 1)) for score in scores for k in range(3)],
    }
    metrics: dict[str, list[Any]] = {
        "item": [*(f"q{i}" for i, _ in outputs), "", ""],
        "system": [*(s for _, s in outputs), "new", "old"],
        "metric": [HOSTILE] * 12 + ["fid"] * 2,
        "value": [*(s / 10 for s in scores), 12.0, 30.0],
        "better": ["higher"] * 12 + ["lower"] * 2,
    }
    return analyze(ratings, metrics=metrics, n_resamples=20)


def test_values_scatter_sentences_and_tables_stand_in_one_section(measured: Analysis) -> None:
    section = metric_section(measured)
    assert section is not None
    values, scatter, beside, *rest = section.blocks
    assert isinstance(values, Shown)
    assert values.table.id == "metric_values"
    assert isinstance(beside, Shown)
    assert (beside.table.id, beside.drawn) == ("metrics/overall", True)
    assert isinstance(scatter, Scatter)
    assert [panel.title for panel in scatter.panels] == [HOSTILE, "fid, less is better"]
    assert scatter.panels[0].said.startswith("ρ = ")
    assert scatter.panels[1].said == "system pairs right: 100.0%"
    # The mean score of 5, 4 and 5 is 14/3, of the first of two systems.
    value, score, color = scatter.panels[0].points[0]
    assert (value, color) == (0.5, 0)
    assert score == pytest.approx(14 / 3)
    assert len(scatter.panels[0].points) == 12
    assert len(scatter.panels[1].points) == 2
    said = [sentence for block in rest if isinstance(block, Points) for sentence in block.items]
    assert any("stand in for" in sentence for sentence in said)


def test_a_note_tells_only_of_columns_that_are_there() -> None:
    # One system on items of its own: a metric orders neither outputs of one item nor systems.
    scores: dict[str, Any] = {
        "item": [f"q{k}" for k in range(8)],
        "score": [1, 2, 3, 4, 5, 1, 2, 3],
    }
    values: dict[str, Any] = {
        "item": scores["item"],
        "metric": ["bleu"] * 8,
        "value": [1, 3, 2, 4, 5, 2, 1, 3],
    }
    system = {"system": ["new"] * 8}
    found = analyze({**scores, **system}, metrics={**values, **system})
    beside = next(table for table in found.tables if table.id.startswith("metrics/"))
    names = [column.name for column in beside.columns if not column.name.endswith("interval")]
    assert names == ["metric", "spearman", "pearson", "kendall"]
    assert beside.caption == "Over all outputs: the correlation with the mean score."
    assert not re.search("Pairs right within items|Soft accuracy", " ".join(references(found)))
    (limits,) = limitations_section(found, None).blocks
    assert isinstance(limits, Points)
    # One look is not many.
    assert not any("Many questions" in each for each in limits.items)


def test_of_many_metrics_those_that_follow_people_most_are_said_in_words() -> None:
    outputs = [(i, s) for i in range(5) for s in ("new", "old")]
    scores = [5, 3, 4, 4, 3, 1, 5, 2, 2, 3]
    ratings = {
        "item": [i for i, _ in outputs],
        "system": [s for _, s in outputs],
        "rater": ["ada"] * 10,
        "score": scores,
    }
    many = {f"m{k}": [s + k * (s % 2) * 3 for s in scores] for k in range(8)}
    metrics = {"item": ratings["item"], "system": ratings["system"], **many}
    section = metric_section(analyze(ratings, metrics=metrics, n_resamples=20))
    assert section is not None
    follows = next(b for b in section.blocks if isinstance(b, Points))
    # m0 is the score itself.
    assert follows.items[0].startswith("m0 ")
    scatter = next(b for b in section.blocks if isinstance(b, Scatter))
    # From m1 on odd scores are lifted, the more the later: the last two follow people least.
    assert scatter.title.endswith(" (the 6 of 8 that follow people most)")
    assert "m0" in [panel.title for panel in scatter.panels]
    assert len(follows.items) == 4
    assert follows.items[-1] == "5 more are in the table and in findings.json."


@pytest.fixture(scope="module")
def apart() -> Analysis:
    """Four metrics beside unnamed raters, each output on an item of its own."""
    scores = [5, 3, 4, 4, 3, 1, 5, 2, 2, 3, 4, 1]
    of = {"item": [*range(12)], "system": ["new", "old"] * 6}
    metrics = {f"m{k}": [s + k * (s % 2) * 3 for s in scores] for k in range(4)}
    return analyze({**of, "score": scores}, metrics={**of, **metrics}, n_resamples=50)


def test_the_metric_that_follows_people_most_stands_first(apart: Analysis) -> None:
    beside, pairs = apart.table("metrics/overall"), apart.table("metric_pairs/overall")
    assert beside is not None
    assert pairs is not None
    along = [row[beside.names.index("spearman")] for row in beside.rows]
    assert along == sorted(along, reverse=True)
    assert beside.rows[0][0] == "m0"
    section = metric_section(apart)
    assert section is not None
    said = next(b.items for b in section.blocks if isinstance(b, Points))
    drawn = next(b.panels for b in section.blocks if isinstance(b, Scatter))
    names = [row[0] for row in beside.rows]
    assert [each.partition(" ")[0] for each in said] == names
    assert [panel.title for panel in drawn] == names


def test_what_is_open_of_several_metrics_is_said_once(apart: Analysis) -> None:
    section = metric_section(apart)
    assert section is not None
    points = [b.items for b in section.blocks if isinstance(b, Points)]
    assert points[1] == (
        "Whether any of the 4 metrics could stand in for a rater in telling the better of two "
        "outputs of one item in overall is open: the ratings name no raters; whether it could "
        "choose between systems does not follow from 2, of which at least 5 are needed.",
    )


def test_metrics_of_whole_sets_are_said_together_and_never_before_those_of_outputs() -> None:
    # People's order of five systems is that of every metric; those of outputs stumble within items.
    names = [f"s{k}" for k in range(5)]
    outputs = [(item, k) for item in range(6) for k in range(5)]
    own = {f"m{n}": [k + (item * (k + n)) % 3 for item, k in outputs] for n in range(6)}
    of = {"item": [f"q{i}" for i, _ in outputs], "system": [names[k] for _, k in outputs]}
    tall = [
        *((i, s, m, v) for m in own for i, s, v in zip(*of.values(), own[m], strict=True)),
        *(("", name, m, float(k)) for m in ("fid", "recall") for k, name in enumerate(names)),
    ]
    columns = map(list, zip(*tall, strict=True))
    found = analyze(
        {
            **{name: column * 2 for name, column in of.items()},
            "rater": ["ada"] * 30 + ["ben"] * 30,
            "score": [k + 1 for _, k in outputs] * 2,
        },
        metrics=dict(zip(("item", "system", "metric", "value"), columns, strict=True)),
        n_resamples=20,
    )
    section = metric_section(found)
    assert section is not None
    follows, instead, *_ = (b.items for b in section.blocks if isinstance(b, Points))
    assert all(each.startswith("m") for each in follows[:3])
    assert follows[3] == "5 more are in the table and in findings.json."
    assert sum(each.startswith("m") for each in instead) == 3
    assert instead[3] == (
        "fid and recall cannot stand in for a rater in telling the better of two outputs of one "
        "item in overall: they measure whole sets and no single output. How often each prefers the "
        "same of two systems as people do is in the table, under “System pairs right”."
    )
    assert instead[4] == "3 more are in findings.json."


def test_lists_below_each_other_are_one_list_without_gaps_in_markdown(apart: Analysis) -> None:
    section = metric_section(apart)
    assert section is not None
    assert sum(isinstance(block, Points) for block in section.blocks) == 2
    text = markdown(apart, versions={})
    points = re.search(r"^- m0 follows.*?\n\n", text, re.MULTILINE | re.DOTALL)
    assert points is not None
    assert points[0].count("\n- ") == 4
    assert "- Whether any of the 4 metrics" in points[0]


def test_a_statistic_that_no_two_metrics_have_is_left_out_with_its_reason(apart: Analysis) -> None:
    pairs = apart.table("metric_pairs/overall")
    assert pairs is not None
    assert {row[pairs.names.index("statistic")] for row in pairs.rows} == {
        "Spearman's ρ",
        "Pearson's r",
    }
    assert pairs.caption == (
        "p by a paired permutation of items; of Pearson's r, as every item has one output, by "
        "Williams' t. p (Holm) holds for all pairs of metrics of one statistic together. Pairs "
        "right within items cannot be compared: fewer than two items have two systems to order. "
        "Soft accuracy cannot be compared: no two systems share an item."
    )
    text = methods(apart, None, {})
    assert (
        "Two metrics were compared by a paired permutation of items; of Pearson's r, as every item "
        "has one output, by Williams' t (Deutsch, Dror and Roth, 2021). Each p of these is "
        "adjusted by Holm's method over the pairs of a statistic."
    ) in text
    cited = [each.partition(":")[0] for each in references(apart)]
    assert {"Two metrics compared", "Williams' t", "p for several comparisons"} <= {*cited}


def test_pairs_right_are_set_beside_what_needs_no_metric() -> None:
    # Of three pairs of two outputs people tie one.
    of = {"item": [1, 1, 2, 2, 3, 3], "system": ["new", "old"] * 3}
    found = analyze(
        {**of, "rater": ["ada"] * 6, "score": [3, 3, 4, 1, 5, 2]},
        metrics={**of, "m": [1.0, 1.0, 4.0, 1.0, 5.0, 2.0]},
        n_resamples=20,
    )
    beside = found.table("metrics/overall")
    assert beside is not None
    assert (
        "People's scores are equal in 33.3% of these pairs, so that calling every pair a tie would "
        "be right that often, and guessing an order in 33.3%."
    ) in beside.caption


def test_where_nothing_can_be_compared_the_values_stand_with_a_word_about_it() -> None:
    votes = {"system_a": ["a"], "system_b": ["b"], "rater": ["r"], "winner": ["a"]}
    section = metric_section(analyze(votes, metrics={"system": ["a"], "m": [1.0]}))
    assert section is not None
    values, why = section.blocks
    assert isinstance(values, Shown)
    assert isinstance(why, Words)
    assert why.text.startswith("Metrics are listed and not compared with people: that needs the")


def test_beside_votes_a_scatter_shows_the_systems_by_strength() -> None:
    votes = {
        "item": [1, 2] * 2,
        "system_a": ["a"] * 4,
        "system_b": ["b"] * 4,
        "rater": ["r", "r", "s", "s"],
        "winner": ["a", "b", "a", "a"],
    }
    metrics = {"item": [1, 1, 2, 2], "system": ["a", "b"] * 2, "m": [2.0, 1.0, 1.0, 1.0]}
    section = metric_section(analyze(votes, metrics=metrics, n_resamples=20))
    assert section is not None
    (scatter,) = [block for block in section.blocks if isinstance(block, Scatter)]
    assert scatter.axis.startswith("the system's strength by people")
    # a wins 3 of 4, so that the strengths are ±log(3)/2.
    assert [point[1] for point in scatter.panels[0].points] == pytest.approx(
        [0.5493, -0.5493], abs=1e-4
    )


def test_a_browser_shows_metrics_to_everybody(
    browser: Browser, tmp_path: Path, measured: Analysis
) -> None:
    path = tmp_path / "report.html"
    path.write_text(draw_page(make_page(measured, versions={})), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(path.as_uri())
    figure = page.locator("section", has=page.locator("#metrics")).locator("figure")
    for width, scheme in ((1280, "light"), (1280, "dark"), (360, "light")):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function("width => innerWidth === width", arg=width)
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert figure.locator("svg.plot:visible").count() == 1
        # No mark, word or number leaves the drawing.
        inside = page.evaluate(INSIDE)
        assert inside == []
    page.close()


def test_nothing_of_metrics_stands_elsewhere(measured: Analysis) -> None:
    page = make_page(measured, versions={})
    titles = [section.title for section in page.sections]
    assert titles.index("Results") < titles.index("Automatic metrics") < titles.index("Methods")
    for section in page.sections:
        shown = [b.table.id for b in section.blocks if isinstance(b, Shown)]
        assert any(id_.startswith("metric") for id_ in shown) == (section.id == "metrics")
        said = [i for b in section.blocks if isinstance(b, Points) for i in b.items]
        assert any("stand in for" in each for each in said) == (section.id == "metrics")
    assert page.table is not None
    assert page.table.id == "mean_scores/overall"
    assert make_page(analyze({"item": [1, 2], "score": [1, 2]}), versions={}).sections
    assert metric_section(analyze({"item": [1, 2], "score": [1, 2]})) is None


def test_the_methods_name_the_gap_between_a_metric_and_a_rater() -> None:
    result = StandIn(estimate=0.1, metric="m")
    finding = Finding(id="metric_instead/x/m", sentence="m could stand in.", result=result)
    assert named(finding) == "gap between a metric and a rater"


def test_every_format_draws_it_and_shows_text_as_text(measured: Analysis, tmp_path: Path) -> None:
    page = draw_page(make_page(measured, versions={}))
    assert "<b onload" not in page
    assert page.count("system pairs right: 100.0%") >= 2
    formats = ("md", "csv", "svg", "png", "pdf", "latex")
    written = write_report(measured, tmp_path, formats=formats, versions={})
    names = {path.relative_to(tmp_path).as_posix() for path in written}
    assert {
        "charts/metrics-overall.svg",
        "charts/metrics-overall.png",
        "latex/charts/metrics-overall.pdf",
        "tables/metric_points-overall.csv",
        "report.pdf",
    } <= names
    assert "<b onload" not in (tmp_path / "charts" / "metrics-overall.svg").read_text()
    assert "## Automatic metrics" in (tmp_path / "report.md").read_text()


class Circles(HTMLParser):
    def __init__(self, drawing: str) -> None:
        super().__init__()
        self.found: list[tuple[float, float, float]] = []
        self.feed(drawing)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "circle":
            has = dict(attrs)
            x, y, r = (float(has[name] or 0) for name in ("cx", "cy", "r"))
            self.found.append((x, y, r))


def scatter(*points: tuple[float, float, int | None], panels: int = 1) -> Scatter:
    each = tuple(Panel(title=f"m{k}", said="ρ = 0.5", points=points) for k in range(panels))
    return Scatter(title="Metrics", axis="mean score", systems=(), panels=each)


@pytest.mark.parametrize("width", [860, 360])
def test_points_stand_in_proportion(width: int) -> None:
    (a, b, c) = Circles(draw_scatter(scatter((0, 1, 0), (1, 2, 0), (4, 5, 0)), width=width)).found
    assert (b[0] - a[0]) * 4 == pytest.approx(c[0] - a[0], abs=0.5)
    # Upright: more is higher.
    assert (a[1] - b[1]) * 4 == pytest.approx(a[1] - c[1], abs=0.5)
    assert all(0 < x < width for x, _, _ in (a, b, c))


def test_panels_wrap_and_many_points_are_small() -> None:
    one = Circles(draw_scatter(scatter((1, 1, 0), panels=4), width=860)).found
    assert len({x for x, _, _ in one}) == 3
    assert len({y for _, y, _ in one}) == 2
    narrow = Circles(draw_scatter(scatter((1, 1, 0), panels=4), width=360)).found
    assert len({x for x, _, _ in narrow}) == 1
    many = Circles(draw_scatter(scatter(*((k, k, 0) for k in range(40))), width=860)).found
    assert {r for _, _, r in many} == {3.3}
    assert {r for _, _, r in one} == {6.0}


def test_a_name_in_the_key_ends_before_the_next_mark(browser: Browser) -> None:
    names = ("Argmax Decoding", "New Human Generated", "HuaweiTSC", "gpt-4", "MMWM", "illicit")
    chart = replace(scatter((1, 1, 0)), systems=names)
    page = browser.new_page()
    page.set_content(draw_scatter(chart, width=940))
    ends = page.evaluate(
        """() => [...document.querySelectorAll("svg > text")].slice(0, 6).map(
            it => { const box = it.getBBox(); return [box.x, box.x + box.width, box.y]; })"""
    )
    for (_, end, line), (start, _, next_line) in pairwise(ends):
        assert line != next_line or end + 20 + 4 <= start, names
    page.close()


def test_on_a_phone_the_axes_are_named_in_two_lines() -> None:
    chart = replace(scatter((1, 1, 0)), axis="people's mean score; horizontal: the metric")
    wide, narrow = (draw_scatter(chart, width=width) for width in (940, 360))
    assert ">Vertical: people&#x27;s mean score; horizontal: the metric</text>" in wide
    for line in ("Vertical: people&#x27;s mean score", "horizontal: the metric"):
        assert f">{line}</text>" in narrow
    # The first panel begins below both lines.
    assert Circles(narrow).found[0][1] > Circles(wide).found[0][1] + 10


def test_a_scatter_is_told_to_those_who_do_not_see_it() -> None:
    chart = scatter((1, 1, 0), (2, 2, 0))
    assert chart.spoken == "Metrics. m0: ρ = 0.5, 2 points"
    assert 'aria-label="Metrics. m0: ρ = 0.5, 2 points"' in draw_scatter(chart, width=860)
