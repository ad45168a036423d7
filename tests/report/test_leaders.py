"""Pairs by the places of their systems, what is said once, and which works are cited."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.finding import Column, Finding, Table
from jurybox.report.blocks import Heading, Shown
from jurybox.report.fieldwork.thumbnails import Thumbnails
from jurybox.report.methods.references import references
from jurybox.report.page import make_page
from jurybox.report.said.leaders import best_not_compared, leaders_first
from jurybox.report.sections.items import items_section
from jurybox.results import Result
from jurybox.stats.multiple import Comparison


@pytest.fixture(scope="module")
def rated() -> Analysis:
    """Three systems on two items by three raters, named in the order from the worst."""
    return rated_on(2)


def rated_on(items: int) -> Analysis:
    rows = [
        (f"q{i}", system, f"r{r}", score - (i + r) % 2)
        for i in range(items)
        for system, score in zip("abc", (1, 3, 5), strict=True)
        for r in range(3)
    ]
    item, system, rater, score = (list(column) for column in zip(*rows, strict=True))
    return analyze({"item": item, "system": system, "rater": rater, "score": score})


def _rows(analysis: Analysis) -> list[set[str]]:
    table = analysis.table("differences/overall")
    assert table is not None
    return [set(row[:2]) for row in table.rows]


def test_pairs_of_the_best_systems_come_first(rated: Analysis) -> None:
    assert _rows(rated) == [{"a", "b"}, {"a", "c"}, {"b", "c"}]
    ordered = leaders_first(rated)
    assert _rows(ordered) == [{"b", "c"}, {"a", "c"}, {"a", "b"}]
    assert ordered.headline is rated.headline
    assert {f.id for f in ordered.findings} == {f.id for f in rated.findings}


def test_systems_of_rater_groups_stand_in_the_same_order(rated: Analysis) -> None:
    of = Column(name="of", heading="System")
    group = Column(name="group", heading="Group")
    rows = tuple((system, who) for system in "abc" for who in ("crowd", "experts"))
    groups = Table(id="groups/overall", title="By rater group", columns=(of, group), rows=rows)
    found = leaders_first(replace(rated, tables=(*rated.tables, groups))).table("groups/overall")
    assert found is not None
    assert "".join(row[0] for row in found.rows) == "ccbbaa"
    # What a figure is of may be something else.
    answers = replace(groups, columns=(replace(of, heading="Answer"), group))
    kept = leaders_first(replace(rated, tables=(*rated.tables, answers))).table("groups/overall")
    assert kept is not None
    assert kept.rows == rows


def test_systems_stand_in_one_order_in_every_table(rated: Analysis) -> None:
    columns = ("system", "criterion", "group", "item")

    def made(id: str, names: str, *rows: str) -> Table:
        chosen = tuple(Column(name=columns["scgi".index(n)], heading=n) for n in names)
        return Table(
            id=id, title=id, columns=chosen, rows=tuple(tuple(row.split()) for row in rows)
        )

    by_group = made("categories/overall/x", "gs", "g1 a", "g1 c", "g2 b", "g2 c")
    ends = made("extremes/overall", "gsi", "best a i", "worst a j", "best b k", "worst b l")
    agreed = made(
        "agreement/ratings", "cs", "overall all", "overall a", "overall b", "overall mean"
    )
    found = leaders_first(replace(rated, tables=(*rated.tables, by_group, ends, agreed)))
    first, *_ = found.tables
    assert [row[0] for row in first.rows] == ["c", "b", "a"]
    grouped, extreme, alike = (table.rows for table in found.tables[-3:])
    assert [" ".join(row) for row in grouped] == ["g1 c", "g1 a", "g2 c", "g2 b"]
    assert [" ".join(row) for row in extreme] == ["best b k", "worst b l", "best a i", "worst a j"]
    assert [row[1] for row in alike] == ["all", "b", "a", "mean"]


def test_items_of_the_answers_criterion_stand_before_those_of_others(rated: Analysis) -> None:
    system = Column(name="system", heading="System")
    tables = tuple(
        Table(id=id, title=id, columns=(system,), rows=(("a",),))
        for id in ("categories/errors/topic", "extremes/errors", "categories/overall/topic")
    )
    of_errors = Finding(
        id="mean/errors/a", sentence="", result=Result(estimate=1.0), criterion="errors"
    )
    found = replace(rated, tables=(*rated.tables, *tables), findings=(*rated.findings, of_errors))
    section = items_section(found, None, None, Thumbnails())
    assert section is not None
    shown = [block.table.id for block in section.blocks if isinstance(block, Shown)]
    assert shown[-2:] == ["categories/errors/topic", "extremes/errors"]
    assert "categories/overall/topic" in shown[:-2]


def _apart() -> dict[str, list[Any]]:
    """The two best of three systems share no item."""
    table: dict[str, list[Any]] = {"item": [], "system": [], "rater": [], "score": []}
    for item, system, score in ((1, "a", 5), (2, "b", 4), (1, "c", 2), (2, "c", 1)):
        for rater in range(4):
            row = (item, system, f"r{rater}", score - rater % 2)
            for column, value in zip(table.values(), row, strict=True):
                column.append(value)
    return table


def test_the_answer_is_about_systems_that_can_be_compared() -> None:
    found = analyze(_apart())
    answer = found.headline
    assert answer is not None
    assert set(answer.systems) == {"a", "c"}
    assert best_not_compared(found) == (
        "a and b stand highest and cannot be compared: no item has responses for both a and b. "
        "Of those that can, a and c stand highest."
    )
    assert make_page(found, versions={}).note.startswith("a and b stand highest and cannot be")


def test_two_systems_without_a_shared_item_are_the_answer_as_they_are() -> None:
    table = _apart()
    keep = [k for k, system in enumerate(table["system"]) if system != "c"]
    found = analyze({name: [column[k] for k in keep] for name, column in table.items()})
    assert found.headline is not None
    assert "cannot be compared" in found.headline.sentence
    assert best_not_compared(found) == ""


def test_one_output_of_a_system_has_no_agreement_of_its_own() -> None:
    table = analyze(_apart()).table("agreement/ratings")
    assert table is not None
    # Of a and b there is one output each; its alpha would be 0 whatever the answers are.
    assert [row[1] for row in table.rows] == ["all systems", "c", "mean within systems"]


def test_a_sentence_below_the_answer_stands_below_no_table(rated: Analysis) -> None:
    page = make_page(rated, versions={})
    sentence = "Only 3 raters carry the interval: more raters would narrow it."
    assert sentence in page.note
    assert page.table is not None
    assert sentence not in page.table.caption
    assert page.table.caption.startswith("Intervals ")


def test_only_what_was_used_is_cited(rated: Analysis) -> None:
    cited = " ".join(references(rated))
    for used in ("Cameron, Gelbach and Miller (2011)", "Krippendorff (2019)", "Cliff (1993)"):
        assert used in cited
    # Each test of all systems together, and each kappa, has its own work.
    assert "Landis and Koch (1977)" in cited
    # Two raters have a kappa from ten outputs on, and here they share six; of four items, twelve.
    # Two items are too few for a test of all systems together.
    more = " ".join(references(rated_on(4)))
    for used in ("Friedman (1937)", "Cohen (1960)", "Cohen (1968)"):
        assert used not in cited
        assert used in more
    for unused in ("Bradley and Terry", "Calderon", "Macmillan", "Freitag", "Durbin", "Murphy"):
        assert unused not in cited
    votes = {"item": [1, 2], "system_a": ["a"] * 2, "system_b": ["b"] * 2, "winner": ["a", "b"]}
    assert any("Bradley and Terry (1952)" in work for work in references(analyze(votes)))
    assert not any("Davidson" in work for work in references(rated))


def test_what_groups_judges_and_corrections_rest_on_is_cited(rated: Analysis) -> None:
    works = ("Holm (1979)", "Wong, Paritosh and Aroyo (2021)", "Angelopoulos, Duchi and Zrnic")
    assert not any(work in " ".join(references(rated)) for work in works)
    used = (
        Finding(
            id="difference/x/a/b",
            sentence="",
            result=Comparison(estimate=1.0, adjusted_by="Holm over 3 comparisons"),
        ),
        Finding(id="groups/agreement/x/g/h", sentence="", result=Result(estimate=0.5)),
        Finding(id="combined/x/j", sentence="", result=Result(estimate=0.5)),
    )
    cited = " ".join(references(replace(rated, findings=used)))
    assert all(work in cited for work in works)


def test_the_agreement_of_rankings_is_not_cited_as_alpha() -> None:
    rows = [
        (f"i{i}", f"r{j}", system, 1 + (k + (i + j) % 2) % 3)
        for i in range(6)
        for j in range(5)
        for k, system in enumerate("abc")
    ]
    names = ("item", "rater", "system", "rank")
    ranked = analyze({name: [row[k] for row in rows] for k, name in enumerate(names)})
    cited = " ".join(references(ranked))
    assert "Kendall and Babington Smith (1939)" in cited
    assert "Krippendorff" not in cited


def test_criteria_with_a_slash_in_their_names_keep_their_tables_and_order() -> None:
    rows = [
        (f"q{i}", system, f"r{r}", criterion, score - (i + r) % 2)
        for i in range(2)
        for system, score in zip("abc", (1, 3, 5), strict=True)
        for r in range(3)
        for criterion in ("cost/benefit", "cost")
    ]
    names = ("item", "system", "rater", "criterion", "score")
    columns = (list(column) for column in zip(*rows, strict=True))
    made = analyze(dict(zip(names, columns, strict=True)))
    pairs = leaders_first(made).table("differences/cost/benefit")
    assert pairs is not None
    assert {row[0] for row in pairs.rows[:1]} | {row[1] for row in pairs.rows[:1]} == {"b", "c"}
    page = make_page(made, versions={})
    results = next(section for section in page.sections if section.id == "results")
    under: dict[str, list[str]] = {}
    for block in results.blocks:
        if isinstance(block, Heading):
            heading = under.setdefault(block.text, [])
        elif isinstance(block, Shown):
            heading.append(block.table.id)
    assert list(under) == ["cost/benefit", "cost"]
    for criterion, tables in under.items():
        assert {f"robustness/{criterion}", f"differences/{criterion}"} <= set(tables)
    assert page.table is not None
    assert page.table.id == "mean_scores/cost/benefit"
