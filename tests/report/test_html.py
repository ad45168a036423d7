"""The HTML page: one file, the answer first, readable by everybody, whatever the texts are."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from jurybox.analysis.finding import Analysis, Column, Excluded, Finding, Table
from jurybox.report import html
from jurybox.report.formats.html import _unbroken
from jurybox.results import Result

if TYPE_CHECKING:
    from playwright.sync_api import Browser

VERSIONS = {"jurybox": "0.1.0"}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'</style></title>{{ 7*7 }}"


def hostile_analysis(text: str = HOSTILE) -> Analysis:
    result = Result(estimate=1.0, undefined=f"because {text}", notes=(text,))
    table = Table(
        id=f"means/{text}",
        title=text,
        caption=text,
        columns=(
            Column(name="system", heading=text),
            Column(name="estimate", heading=text, kind="number"),
            Column(name="interval", heading=text, kind="interval"),
        ),
        rows=((text, 1.0, (0.5, 1.5)), ("other", 1.0, None)),
    )
    return Analysis(
        title=text,
        protocol="rate",
        took=(text,),
        n_responses=4,
        n_raters=2,
        n_items=2,
        systems=(text, "other"),
        findings=(
            Finding(id="a", sentence=text, result=result, criterion=text, systems=(text,)),
            Finding(id="b", sentence=text, result=result, told=False, criterion=text),
        ),
        tables=(table,),
        excluded=(Excluded(rater=text, rule=text, sentence=text, n_responses=1),),
        warnings=(text,),
    )


def empty_analysis() -> Analysis:
    return Analysis(
        title="Nothing yet",
        protocol="compare",
        took=(),
        n_responses=0,
        n_raters=0,
        n_items=0,
        systems=("new", "old"),
        findings=(),
        tables=(),
    )


def lone_analysis() -> Analysis:
    why = "one rater: nothing is known of other raters"
    return replace(
        empty_analysis(),
        title="One of each",
        protocol="rate",
        n_responses=1,
        n_raters=1,
        n_items=1,
        systems=("only",),
        findings=(
            Finding(
                id="mean/overall/only",
                sentence="only has a mean score of 3.000 on overall.",
                result=Result(estimate=3.0, undefined=why),
                criterion="overall",
                systems=("only",),
            ),
        ),
        tables=(
            Table(
                id="means/overall",
                title="Mean score by system: overall",
                columns=(
                    Column(name="system", heading="System"),
                    Column(name="estimate", heading="Mean score", kind="number"),
                    Column(name="interval", heading="95% interval", kind="interval"),
                ),
                rows=(("only", 3.0, None),),
            ),
        ),
    )


def draw(analysis: Analysis) -> str:
    return html(analysis, versions=VERSIONS)


def test_the_answer_comes_first_with_its_number_stressed(analysis: Analysis) -> None:
    page = draw(analysis)
    assert "aurora scores <em>0.310</em> higher than basalt" in page
    order = [
        page.index(mark)
        for mark in ('class="say"', 'class="plot wide"', "<table>", 'class="cannot"', "<nav", "<h2")
    ]
    assert order == sorted(order)


def test_the_sign_of_a_coefficient_stays_with_its_stressed_number(analysis: Analysis) -> None:
    alpha = Finding(
        id="agreement/fidelity",
        sentence="Agreement on fidelity is tentative: α = 0.700.",
        result=Result(estimate=0.7),
        criterion="fidelity",
    )
    glue = "\N{NO-BREAK SPACE}"
    page = draw(replace(analysis, findings=(alpha,)))
    assert f"α{glue}={glue}<em>0.700</em>." in page


def scripts(page: str) -> list[str]:
    return re.findall(r"<script[^>]*>(.*?)</script>", page, flags=re.S)


def test_nothing_is_fetched_and_only_the_own_script_runs(analysis: Analysis) -> None:
    page = draw(analysis)
    (script,) = scripts(page)
    assert page.count("<script") == 1
    assert "eval(" not in script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#39;sha256-{digest}&#39;" in page or f"'sha256-{digest}'" in page
    assert "unsafe-eval" not in page
    assert not re.findall(r"(?:src|href)=\"(?!#)", page)
    assert set(re.findall(r"https?://[^\"' <]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page


def test_the_same_analysis_gives_the_same_bytes(analysis: Analysis) -> None:
    assert draw(analysis) == draw(analysis)


def test_every_finding_is_on_the_page(analysis: Analysis) -> None:
    page = re.sub("</?(em|span)[^>]*>", "", draw(analysis)).replace("&#39;", "'")
    for finding in analysis.findings:
        assert finding.sentence in page
    assert "Undefined: every response is the same value." in page
    for excluded in analysis.excluded:
        assert excluded.sentence in page
    for sentence in (*analysis.took, *analysis.warnings):
        assert sentence in page


def test_a_count_stays_with_what_it_counts_and_the_last_page_with_the_first() -> None:
    whole = '<span class="whole">'
    assert _unbroken("36 ratings, 3 raters.") == (
        f"{whole}36 ratings</span>, {whole}3 raters</span>."
    )
    assert _unbroken("76(5), 378–382, doi") == f"76(5), {whole}378–382</span>, doi"


def test_a_p_value_is_never_broken_into_two_lines(analysis: Analysis) -> None:
    said = ("a & b: p = 0.031 by max-t, p < 0.001.", "little (α 0.458)")
    page = draw(replace(analysis, warnings=said))
    whole = '<span class="whole">'
    assert (
        f"a &amp; b: {whole}p = 0.031</span> by {whole}max-t</span>, {whole}p &lt; 0.001</span>."
    ) in page
    assert f"little ({whole}α 0.458</span>)" in page


def test_hostile_text_is_text() -> None:
    page = draw(hostile_analysis())
    assert scripts(page) == scripts(draw(empty_analysis()))
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "{{ 7*7 }}" in page
    assert page.count("</style>") == page.count("</title>") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_study_without_responses_says_so() -> None:
    page = draw(empty_analysis())
    assert "There are no responses yet, so nothing can be said." in page
    assert "Nobody has answered yet." in page
    # Nothing is said of results, nor of who was left out of them.
    assert ">Results<" not in page
    assert "left out." not in page
    assert "<svg" not in page


def test_one_rater_one_system_one_item_say_what_is_missing() -> None:
    page = draw(lone_analysis())
    for sentence in (
        "There is one rater",
        "There is one system: it cannot be compared",
        "There is one item",
        "No interval: one rater: nothing is known of other raters.",
    ):
        assert sentence in page


def test_columns_that_would_not_fit_are_set_small() -> None:
    name = "stable_diffusion_with_a_long_name"  # 33 characters that no browser breaks

    def dense(*cells: str) -> bool:
        columns = tuple(Column(name=str(k), heading="System") for k in range(len(cells)))
        table = Table(id="means/overall", title="Means", columns=columns, rows=(cells,))
        return 'class="dense"' in draw(replace(lone_analysis(), tables=(table,)))

    assert dense(name, name, name)  # 99 > 90
    assert not dense(name, name, name.replace("_", " "))  # 33 + 33 + 9, as words go below others
    assert dense(*["a"] * 9)
    assert not dense(*["a"] * 8)


def test_more_than_four_open_questions_are_counted(analysis: Analysis) -> None:
    open_one = analysis.untold[0]
    many = tuple(
        replace(open_one, id=str(k), sentence=f"a and b{k} are not told apart.") for k in range(6)
    )
    page = draw(replace(analysis, findings=(analysis.findings[0], *many)))
    first_screen = page[: page.index("<nav")]
    assert "b3 are not" in first_screen
    assert "b4 are not" not in first_screen
    assert "2 more such sentences below." in first_screen
    below = page[page.index("<nav") :]
    assert "b5 are not" in below
    assert "b3 are not" not in below, "what stands on the first screen is not said again"


PAGES = {
    "full": None,
    "hostile": hostile_analysis,
    "empty": empty_analysis,
    "lone": lone_analysis,
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_a_browser_shows_it_to_everybody(
    browser: Browser, tmp_path: Path, analysis: Analysis, name: str, width: int, scheme: str
) -> None:
    make = PAGES[name]
    path = tmp_path / "report.html"
    path.write_text(draw(make() if make else analysis), encoding="utf-8")
    page = browser.new_page(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    page.goto(path.as_uri())
    assert asked == [path.as_uri()]
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    # The page never scrolls sideways; a wide table does so within itself.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    visible = page.locator("svg.plot:visible")
    assert visible.count() == page.locator("svg.plot").count() / 2
    page.close()


def test_print_is_light_and_wide(browser: Browser, tmp_path: Path, analysis: Analysis) -> None:
    path = tmp_path / "report.html"
    path.write_text(draw(analysis), encoding="utf-8")
    page = browser.new_page(color_scheme="dark", viewport={"width": 700, "height": 900})
    page.goto(path.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    # Chromium repeats the head of a table on the next page, but no button in it.
    assert page.locator("th button").first.evaluate("it => getComputedStyle(it).display") == (
        "contents"
    )
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    page.close()


def test_no_table_is_wider_than_the_paper_for_which_all_would_be_printed_smaller(
    browser: Browser, tmp_path: Path
) -> None:
    def table(pairs: int, name: str) -> Table:
        columns = [Column(name=c, heading=c.capitalize()) for c in ("system", "other")]
        row: list[Any] = [name, name]
        for k in range(pairs):
            columns.append(Column(name=f"e{k}", heading="Pairs right within items", kind="number"))
            columns.append(Column(name=f"i{k}", heading="95% interval", kind="interval"))
            row += [0.512, (-0.468, 0.556)]
        return Table(id="rater_pairs/x", title="T", columns=tuple(columns), rows=(tuple(row),) * 2)

    path = tmp_path / "report.html"
    page = browser.new_page(viewport={"width": 672, "height": 900})  # A4 within its margins
    for made in (table(3, "stable_diffusion_v2_1"), table(6, "tifa_blip2-flant5xl")):
        text = html(replace(empty_analysis(), tables=(made,)), versions=VERSIONS)
        path.write_text(text, encoding="utf-8")
        page.goto(path.as_uri())
        page.emulate_media(media="print")
        assert page.locator("table").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 672, made.rows
    page.close()


def test_a_long_table_is_folded_and_printed_whole(browser: Browser, tmp_path: Path) -> None:
    columns = (Column(name="rater", heading="Rater"), Column(name="n", heading="n", kind="count"))

    def page_of(n: int) -> str:
        rows = tuple((f"rater-{k}", k) for k in range(n))
        long = Table(id="raters", title="Every rater", columns=columns, rows=rows)
        return html(replace(empty_analysis(), tables=(long,)), versions=VERSIONS)

    assert "<details" not in page_of(20)
    path = tmp_path / "report.html"
    path.write_text(page_of(21), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    summary = page.get_by_text("Every rater (21 rows)")
    cell = page.get_by_role("cell", name="rater-20")
    assert not cell.is_visible()
    page.emulate_media(media="print")
    assert cell.is_visible()
    page.emulate_media(media="screen")
    summary.focus()
    page.keyboard.press("Enter")
    assert cell.is_visible()
    page.close()


def test_one_folded_row_is_one_row() -> None:
    columns = (Column(name="rater", heading="Rater"), Column(name="other", heading="Other"))
    pair = Table(
        id="rater_pairs/q", title="Pairs of raters", columns=columns, rows=(("ada", "ben"),)
    )
    page = draw(replace(lone_analysis(), tables=(pair,)))
    assert ">Pairs of raters (1 row)</summary>" in page


def test_without_its_script_everything_is_there(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    path = tmp_path / "report.html"
    path.write_text(draw(analysis), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("table").first.is_visible()
    assert page.locator("th button, .tools").count() == 0
    context.close()


def test_a_long_table_below_the_answer_is_folded(analysis: Analysis) -> None:
    first, *rest = analysis.tables
    row = first.rows[0]
    for n, is_folded in ((20, False), (21, True)):
        rows = tuple((f"system {k}", *row[1:]) for k in range(n))
        page = draw(replace(analysis, tables=(replace(first, rows=rows), *rest)))
        above = page.partition('<div class="cannot">')[0]
        assert ('<details class="long">' in above) == is_folded


@pytest.mark.parametrize(("n", "is_folded"), [(10, False), (11, True)])
def test_a_table_of_more_than_ten_rows_is_folded_below_a_chart_that_tells_them(
    analysis: Analysis, n: int, is_folded: bool
) -> None:
    first, *rest = analysis.tables
    rows = tuple((f"system {k}", *first.rows[0][1:]) for k in range(n))
    again = replace(first, id="robustness/fidelity", title="Once more", rows=rows)
    page = draw(replace(analysis, tables=(first, *rest, again)))
    assert (f"Once more ({n} rows)</summary>" in page) == is_folded
    assert "<figcaption>Once more</figcaption>" in page


def test_single_raters_on_one_criterion_and_the_checks_of_a_set_are_folded(
    analysis: Analysis,
) -> None:
    columns = (Column(name="rater", heading="Rater"), Column(name="n", heading="n", kind="count"))
    made = [
        Table(id=name, title=f"About {name}", columns=columns, rows=(("ada", 1), ("ben", 2)))
        for name in ("raters", "raters/fidelity", "rater_pairs/fidelity", "set")
    ]
    page = draw(replace(analysis, tables=(*analysis.tables, *made)))
    folded = re.findall(r"<summary>About (\S+) \(2 rows\)", page)
    assert sorted(folded) == ["rater_pairs/fidelity", "raters/fidelity", "set"]
