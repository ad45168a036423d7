"""How the HTML page is laid out: lines that eyes can follow, and tables on a narrow screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jurybox import analyze
from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.report import html
from tests.report.conftest import small_analysis
from tests.report.test_html import empty_analysis
from tests.web.lines import long_lines

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def opened(browser: Browser, folder: Path, analysis: Analysis, *, width: int) -> Page:
    path = folder / "report.html"
    path.write_text(html(analysis, versions={"jurybox": "0.1.0"}), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.goto(path.as_uri())
    return page


def of_raters(*columns: Column, rows: tuple[tuple[object, ...], ...]) -> Analysis:
    """No answers, and one table."""
    first = Column(name="rater", heading="Rater")
    table = Table(id="raters", title="Raters", columns=(first, *columns), rows=rows)
    return replace(empty_analysis(), tables=(table,))


def test_words_of_two_columns_do_not_run_together(browser: Browser, tmp_path: Path) -> None:
    told = "no column is called difficulty, and so on " * 3
    checks = of_raters(
        Column(name="verdict", heading="Verdict"),
        Column(name="found", heading="Found"),
        rows=(("difficulty", "not checked", told), ("duplicates " * 5, "fine", told)),
    )
    page = opened(browser, tmp_path, checks, width=1280)
    verdict = page.locator("tbody tr").first.locator("td").nth(1)
    gap = verdict.evaluate(
        """cell => { const words = document.createRange(); words.selectNodeContents(cell);
        return cell.nextElementSibling.getBoundingClientRect().left
            - words.getBoundingClientRect().right; }"""
    )
    assert gap >= 16
    page.close()


def test_lines_of_prose_are_long_enough_for_the_page_and_no_longer_than_eyes_can_follow(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    went_on = "and so it goes on about what it is that was asked of them, " * 4
    told, *others = analysis.findings
    means, *tables = analysis.tables
    long = replace(
        analysis,
        title=went_on,
        findings=(told, *(replace(f, sentence=f"{f.sentence} {went_on}") for f in others)),
        tables=(replace(means, caption=went_on), *tables),
        took=(went_on,),
        warnings=(went_on,),
    )
    page = opened(browser, tmp_path, long, width=1600)
    assert long_lines(page, "body", longest=84) == []
    # Below a table as wide as the page, lines of sixty letters fill half of it.
    for block in ("section p:not(.under)", "section ul", ".under"):
        assert long_lines(page, block, longest=64), block
    # Paragraphs, lists and the notes of tables end at one edge.
    told, *others = (
        page.locator(block).first.evaluate("it => it.getBoundingClientRect().right")
        for block in ("section p:not(.under)", "section li:not(.gallery *)", ".under")
    )
    assert max(abs(right - told) for right in others) < 2
    page.close()


def test_win_rates_and_strengths_with_two_intervals_each_need_no_sideways_scroll(
    browser: Browser, tmp_path: Path
) -> None:
    shares, numbers = ("These raters", "95% interval"), ("95% interval", "These raters")
    columns = (
        Column(name="system", heading="System"),
        Column(name="win_rate", heading="Win rate", kind="percent"),
        *(Column(name=f"i{k}", heading=name, kind="interval") for k, name in enumerate(shares)),
        Column(name="ties", heading="Ties", kind="percent"),
        Column(name="both_bad", heading="Both bad", kind="percent"),
        Column(name="strength", heading="Strength", kind="number"),
        *(Column(name=f"s{k}", heading=name, kind="interval") for k, name in enumerate(numbers)),
        Column(name="ranks", heading="Ranks"),
        Column(name="votes", heading="Votes", kind="count"),
    )
    row = (0.25, (0.143, 0.395), (0.187, 0.329), 0.167, 0.042, -0.549, (-0.876, -0.223))
    rows = tuple((name, *row, (-0.734, -0.364), "1 to 3", 120) for name in ("aurora", "basalt"))
    table = Table(id="win_rates/p", title="Win rates", columns=columns, rows=rows)
    found = replace(small_analysis(), tables=(table,))
    page = opened(browser, tmp_path, found, width=1280)
    wider = "t => t.scrollWidth - t.parentElement.clientWidth"
    assert page.locator("table").first.evaluate(wider) <= 0
    page.close()


@pytest.mark.parametrize("by", ["judge", "group", "criterion"])
def test_a_table_shows_one_judge_or_group_or_criterion_alone(
    browser: Browser, tmp_path: Path, by: str
) -> None:
    biases = of_raters(
        Column(name=by, heading=by.title()),
        Column(name="n", heading="Answers", kind="count"),
        rows=(("r1", "strict", 1), ("r2", "strict", 2), ("r3", "small", 3)),
    )
    page = opened(browser, tmp_path, biases, width=1280)
    page.get_by_role("combobox", name=by.title()).select_option("strict")
    assert page.locator("tbody tr:visible td:last-child").all_inner_texts() == ["1", "2"]
    page.close()


def test_systems_are_shown_by_people_or_by_one_judge(browser: Browser, tmp_path: Path) -> None:
    rows = [
        (item, system, who, kind, 3 + (system == "new") + item % 2)
        for item in range(4)
        for system in ("new", "old")
        for who, kind in (("ada", "person"), ("ben", "person"), ("j1", "judge"))
    ]
    names = ("item", "system", "rater", "rater_kind", "score")
    asked = analyze({name: [row[k] for row in rows] for k, name in enumerate(names)})
    page = opened(browser, tmp_path, asked, width=1280)
    section = page.locator("#judges ~ figure", has_text="by people").first
    assert section.locator(".plot.wide .mark").count() == 4
    page.get_by_role("combobox", name="By").select_option("j1")
    shown = page.locator("table", has_text="Systems by people and by judges")
    assert shown.locator("tbody tr:visible td:nth-child(2)").all_inner_texts() == ["j1", "j1"]
    # The chart above follows.
    assert section.locator(".plot.wide .mark.away").count() == 2
    page.close()


def test_short_names_and_headings_are_never_broken_in_a_narrow_table(
    browser: Browser, tmp_path: Path
) -> None:
    said = "a sentence that may go on in the next line"
    wide = of_raters(
        *(Column(name=f"p{k}", heading="p (max-t)", kind="number") for k in range(8)),
        Column(name="seen", heading="Seen"),
        rows=(("rater-01", *([0.125] * 8), said),),
    )
    page = opened(browser, tmp_path, wide, width=500)
    row = page.locator("tbody tr").first
    name, seen = row.locator("td").first, row.locator("td").last
    assert name.evaluate("it => getComputedStyle(it).whiteSpace") == "nowrap"
    assert seen.evaluate("it => getComputedStyle(it).whiteSpace") == "normal"
    page.close()


def test_a_table_wider_than_the_window_shows_that_it_goes_on_and_keeps_its_names(
    browser: Browser, tmp_path: Path
) -> None:
    wide = of_raters(
        *(Column(name=f"p{k}", heading="Correlation", kind="number") for k in range(8)),
        rows=(("rater-01", *([0.125] * 8)),),
    )
    page = opened(browser, tmp_path, wide, width=760)
    scroll = page.locator(".scroll")
    assert scroll.evaluate("it => it.scrollWidth > it.clientWidth")
    assert "gradient" in scroll.evaluate("it => getComputedStyle(it).backgroundImage")
    scroll.evaluate("it => { it.scrollLeft = 200; }")
    name, frame = page.locator("tbody td").first.bounding_box(), scroll.bounding_box()
    assert name is not None
    assert frame is not None
    assert name["x"] == frame["x"]
    # What stays paints over numbers that pass, and not over the line above its row.
    painted = page.locator("tbody td").first.evaluate("it => getComputedStyle(it).backgroundClip")
    assert painted == "padding-box"
    page.close()


def test_on_a_phone_words_beside_numbers_have_room_and_names_stay_in_sight(
    browser: Browser, tmp_path: Path
) -> None:
    said = "scores 14.5 lower than the others"
    looked_at = of_raters(
        *(Column(name=f"n{k}", heading="Responses", kind="count") for k in range(4)),
        Column(name="look", heading="Worth a look"),
        rows=(("rater-01", 1, 2, 3, 4, said), ("z" * 80, 1, 2, 3, 4, "")),
    )
    page = opened(browser, tmp_path, looked_at, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    row = page.locator("tbody tr").first
    # One line and its padding: what is reached by scrolling makes no row tall and empty.
    assert row.evaluate("it => it.getBoundingClientRect().height") < 50
    page.locator(".scroll").evaluate("it => { it.scrollLeft = 200; }")
    name = row.locator("td").first.bounding_box()
    assert name is not None
    assert name["x"] == page.locator(".scroll").evaluate("it => it.getBoundingClientRect().x")
    # Of the 358 points between the margins a long name takes enough to be read, and numbers keep a
    # third.
    assert 140 < name["width"] < 220
    # The button stands beside the title.
    title = page.locator("caption").bounding_box()
    copy = page.get_by_role("button", name="Copy: Raters").bounding_box()
    assert title is not None
    assert copy is not None
    assert abs(title["y"] - copy["y"]) < 24
    page.close()


def test_on_a_phone_two_numbers_and_an_interval_need_no_sideways_scroll(
    browser: Browser, tmp_path: Path
) -> None:
    shown = of_raters(
        Column(name="mean", heading="Error points", kind="number"),
        Column(name="interval", heading="95% interval", kind="interval"),
        Column(name="outputs", heading="Marked outputs", kind="count"),
        rows=(("aurora", -0.286, (-0.616, 0.043), 132), ("cedar", 0.213, (-0.161, 0.588), 132)),
    )
    page = opened(browser, tmp_path, shown, width=390)
    box = page.locator(".scroll").first
    assert box.evaluate("box => box.scrollWidth - box.clientWidth") <= 0
    assert box.locator("caption").evaluate("each => getComputedStyle(each).fontSize") == "16px"
    page.close()


def test_on_a_phone_words_beside_one_number_are_not_set_word_below_word(
    browser: Browser, tmp_path: Path
) -> None:
    said = "0 of 5 gold trials right (0%; the rule asks for 60%)"
    left_out = of_raters(
        Column(name="rule", heading="Rule"),
        Column(name="seen", heading="What was seen"),
        Column(name="n", heading="Responses", kind="count"),
        rows=(("rater-05", "gold_below, faster_than", said, 86),),
    )
    page = opened(browser, tmp_path, left_out, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    # Three lines and their padding.
    row = page.locator("tbody tr").first
    assert row.evaluate("it => it.getBoundingClientRect().height") < 100
    page.close()


def test_the_contents_stay_in_sight_beside_a_wide_page(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    page = opened(browser, tmp_path, analysis, width=1280)
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    contents = page.get_by_role("navigation").get_by_role("list").bounding_box()
    title = page.get_by_role("heading", name="Limitations").bounding_box()
    assert contents is not None
    assert title is not None
    assert 0 <= contents["y"] < 844 - contents["height"]
    assert 0 <= contents["x"]
    # They stand beside the words, never above them.
    assert contents["x"] + contents["width"] <= title["x"] - 20
    page.set_viewport_size({"width": 1000, "height": 844})
    narrow = page.get_by_role("navigation")
    assert narrow.evaluate("it => getComputedStyle(it).position") == "static"
    page.close()


def test_the_cells_of_a_printed_row_stand_on_one_line_below_a_title_of_one_size(
    browser: Browser, tmp_path: Path
) -> None:
    numbers = tuple(Column(name=f"n{k}", heading="95% interval", kind="count") for k in range(9))
    table = of_raters(*numbers, rows=(("rater-01", *range(9)),) * 2)
    small = table.tables[0]
    large = replace(small.part(columns=[0, 1]), id="raters/x")
    page = opened(browser, tmp_path, replace(table, tables=(small, large)), width=700)
    page.emulate_media(media="print")
    lines = (
        page.locator("table.dense tbody tr")
        .first.locator("td")
        .evaluate_all(
            """cells => cells.map(cell => { const words = document.createRange();
        words.selectNodeContents(cell); return words.getBoundingClientRect().top; })"""
        )
    )
    assert max(lines) - min(lines) < 0.5
    sizes = page.locator("caption").evaluate_all(
        "all => all.map(it => getComputedStyle(it).fontSize)"
    )
    assert len(sizes) == 2
    assert len(set(sizes)) == 1
    page.close()


def test_a_printed_table_of_up_to_twelve_rows_stays_on_one_page(
    browser: Browser, tmp_path: Path
) -> None:
    long = of_raters(rows=tuple((f"rater-{k}",) for k in range(13)))
    tables = tuple(
        replace(long.tables[0].part(rows=n), id=f"raters/{n}")
        for n in (12, len(long.tables[0].rows))
    )
    page = opened(browser, tmp_path, replace(long, tables=tables), width=700)
    page.emulate_media(media="print")
    kept = page.locator("table").evaluate_all(
        "all => all.map(it => getComputedStyle(it).breakInside)"
    )
    assert kept[-2:] == ["avoid", "auto"]
    page.close()


def test_a_table_too_wide_for_the_page_is_shown_in_parts_that_are_not(
    browser: Browser, tmp_path: Path
) -> None:
    pairs = [
        column
        for k in range(6)
        for column in (
            Column(name=f"e{k}", heading="Pairs right within items", kind="number"),
            Column(name=f"i{k}", heading="95% interval", kind="interval"),
        )
    ]
    row = ("tifa_blip2-flant5xl", *(0.512, (-0.468, 0.556)) * 6)
    page = opened(browser, tmp_path, of_raters(*pairs, rows=(row, row)), width=1280)
    assert page.get_by_role("button", name="Copy: Raters").count() == 2
    boxes = page.locator(".scroll")
    assert boxes.count() == 2
    for box in boxes.all():
        assert box.locator("th").first.text_content() == "Rater"
        assert box.evaluate("it => it.scrollWidth <= it.clientWidth")
    assert boxes.last.locator("caption").text_content() == "Raters (part 2 of 2)"
    page.close()


@pytest.mark.parametrize("name", ["stable_diffusion_v2_1", "unieval_understandability"])
def test_a_table_with_long_names_is_shown_without_a_scroll_bar(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    few = (
        Column(name="other", heading="Other"),
        Column(name="difference", heading="Difference", kind="number"),
        Column(name="interval", heading="95% simultaneous interval", kind="interval"),
        Column(name="p_adjusted", heading="p (max-t)", kind="p"),
        Column(name="delta", heading="Cliff's δ", kind="number"),
        Column(name="delta_interval", heading="95% interval", kind="interval"),
        Column(name="items", heading="Shared items", kind="count"),
    )
    row = (name, name, 0.059, (-0.153, 0.272), 0.938, 0.039, (-0.055, 0.133), 160)
    page = opened(browser, tmp_path, of_raters(*few, rows=(row, row)), width=1280)
    boxes = page.locator(".scroll")
    assert boxes.count() == 2
    for box in boxes.all():
        assert box.evaluate("it => it.scrollWidth <= it.clientWidth")
    page.close()


def test_on_a_phone_the_buttons_of_a_table_stand_close_below_its_chart(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    page = opened(browser, tmp_path, analysis, width=390)
    tools = page.locator("figure + .tools:not(.beside)").first
    gap = tools.evaluate(
        """it => it.getBoundingClientRect().top
        - it.previousElementSibling.querySelector('svg.narrow').getBoundingClientRect().bottom"""
    )
    assert gap < 12
    page.close()
