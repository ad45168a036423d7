"""An analysis in a session and in a notebook."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import jurybox as jb
from jurybox.analysis import Analysis
from jurybox.analysis.display import ROWS, SHOWN
from jurybox.analysis.table import Column, Table

CELLS = [(i, s, r) for i in range(8) for s in ("<new>", "old") for r in "xyz"]
TABLE = {
    "item": [f"q{i}" for i, _, _ in CELLS],
    "system": [s for _, s, _ in CELLS],
    "rater": [r for _, _, r in CELLS],
    "score": [(i * 7 + len(s) * 3 + ord(r) * 5 + i * ord(r)) % 5 + 1 for i, s, r in CELLS],
}


class Seen(HTMLParser):
    """The tags that a page opens and has not closed, and those it has had."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.had: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.had.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def found() -> Analysis:
    return jb.analyze(TABLE)


def test_the_text_says_what_was_read_what_was_found_and_where_the_tables_are() -> None:
    analysis = found()
    text = str(analysis)
    lines = text.splitlines()
    assert lines[0] == "48 ratings"
    assert all(said in text for said in analysis.took)
    headline = analysis.headline
    assert headline is not None
    assert lines[lines.index("Findings") + 1] == f"  - {headline.sentence}"
    assert all(f.sentence in text for f in analysis.findings)
    assert all(warning in text for warning in analysis.warnings)
    assert lines[-1].endswith(", ".join(table.id for table in analysis.tables))
    assert "Finding(" not in text


def test_what_cannot_be_said_stands_apart_and_much_of_it_is_cut() -> None:
    analysis = found()
    many = tuple(
        replace(analysis.findings[1], id=f"x/{k}", sentence=f"No {k}.", told=False)
        for k in range(SHOWN + 3)
    )
    text = str(replace(analysis, findings=(analysis.findings[0], *many)))
    after = text.partition("What cannot be said")[2].splitlines()
    assert after[1 : SHOWN + 1] == [f"  - No {k}." for k in range(SHOWN)]
    assert after[SHOWN + 1] == "  - and 3 more"


def test_repr_is_one_line() -> None:
    assert repr(found()) == "Analysis(48 ratings: 6 findings, 9 tables)"


def test_a_notebook_shows_sentences_and_tables_as_html() -> None:
    analysis = found()
    html = analysis._repr_html_()
    seen = Seen(html)
    assert seen.open == []
    assert "new" not in seen.had
    assert "&lt;new&gt;" in html
    assert html.count("<details>") == len(analysis.tables)


def test_a_notebook_is_not_flooded_by_a_long_table() -> None:
    rows = tuple((f"s{k}",) for k in range(ROWS + 7))
    long = Table(
        id="long", title="Long", columns=(Column(name="system", heading="System"),), rows=rows
    )
    html = replace(found(), tables=(long,))._repr_html_()
    assert f"<td>s{ROWS - 1}</td>" in html
    assert f"<td>s{ROWS}</td>" not in html
    assert "and 7 more rows" in html


def test_two_to_four_raters_have_both_intervals_and_both_claims() -> None:
    votes = {
        "item": [f"q{i}" for i in range(12) for _ in "xyz"],
        "rater": [r for _ in range(12) for r in "xyz"],
        "system_a": ["new"] * 36,
        "system_b": ["old"] * 36,
        "winner": ["aab"[(i * i + i * j) % 3] for i in range(12) for j in range(3)],
    }
    both = ("intervals hold for raters and items like these, or for these raters alone",)
    for table in (jb.mean_scores(TABLE), jb.compare_systems(TABLE), jb.win_rates(votes)):
        assert table.claims == both
        for row in table.rows:
            assert row.these_raters is not None
            assert row.ends(row.these_raters) in str(table)
        for text in (str(table), table.to_markdown(), table._repr_html_()):
            assert "for these raters" in text
            assert all(claim in text for claim in both)
    for analysis, id in (
        (found(), "mean_scores/overall"),
        (jb.analyze(votes), "win_rates/preference"),
    ):
        shown = analysis.table(id)
        assert shown is not None
        names = [column.name for column in shown.columns]
        assert names[names.index("interval") + 1] == "these_raters"
        narrow, wide = (
            [row[names.index(name)] for row in shown.rows] for name in ("these_raters", "interval")
        )
        assert all(n[1] - n[0] < w[1] - w[0] for n, w in zip(narrow, wide, strict=True))
        assert shown.claims == tuple(claim[0].upper() + claim[1:] + "." for claim in both)
        # Once, whether the caption names the method or not.
        assert shown.caption.count("hold for raters and items like these, or for these raters") == 1
        assert shown.caption.count("hold for") == 1


def test_strengths_of_two_to_four_raters_have_both_intervals_too() -> None:
    votes = {
        "item": [f"q{i}" for i in range(12) for _ in "xyz"],
        "rater": [r for _ in range(12) for r in "xyz"],
        "system_a": ["new"] * 36,
        "system_b": ["old"] * 36,
        "winner": ["aab"[(i * i + i * j) % 3] for i in range(12) for j in range(3)],
    }
    ranked = {
        "item": [i for i in range(12) for _ in range(6)],
        "rater": [r for _ in range(12) for r in "xyz" for _ in range(2)],
        "system": ["new", "old"] * 36,
        "rank": [
            1 + (s + ((i * i + i * j) % 3 == 2)) % 2
            for i in range(12)
            for j in range(3)
            for s in range(2)
        ],
    }
    for table, id, fit in (
        (votes, "win_rates/preference", jb.bradley_terry(votes)),
        (ranked, "rankings/preference", jb.plackett_luce(ranked)),
    ):
        shown = jb.analyze(table).table(id)
        assert shown is not None
        rows = shown.to_dict()["rows"]
        for row in rows:
            own = fit[row["system"]]
            for name, ends in (
                ("strength_interval", own.interval),
                ("strength_these_raters", own.these_raters),
            ):
                assert row[name] == [ends.low, ends.high]
                assert own.ends(ends) in str(fit)
        # One claim for all columns, said once.
        assert shown.caption.count("hold for raters and items like these") == 1


def test_many_raters_have_one_interval_and_its_claim() -> None:
    many = {
        "item": [i for i in range(6) for _ in range(12)],
        "rater": [r for _ in range(6) for r in range(12)],
        "score": [(i * r + r) % 4 for i in range(6) for r in range(12)],
    }
    table = jb.mean_scores(many)
    assert table.claims == ("intervals hold for raters and items like these",)
    assert "for these raters" not in str(table)
    shown = jb.analyze(many).table("mean_scores/overall")
    assert shown is not None
    assert "these_raters" not in [column.name for column in shown.columns]
    assert shown.caption.count("hold for raters and items like these") == 1
