"""The section on automatic metrics: what stands in it, and where points lie."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from jurybox.analysis import Analysis, analyze
from jurybox.report.blocks import Points, Shown, Words
from jurybox.report.html import draw_page
from jurybox.report.metrics import metric_section
from jurybox.report.page import make_page
from jurybox.report.panels import Panel, Scatter
from jurybox.report.scatter import draw_scatter
from jurybox.report.write import write_report

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


def test_a_scatter_is_told_to_those_who_do_not_see_it() -> None:
    chart = scatter((1, 1, 0), (2, 2, 0))
    assert chart.spoken == "Metrics. m0: ρ = 0.5, 2 points"
    assert 'aria-label="Metrics. m0: ρ = 0.5, 2 points"' in draw_scatter(chart, width=860)
