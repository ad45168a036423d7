"""The caption below the raters of a criterion: who has no leniency, and why."""

from __future__ import annotations

import pytest

from jurybox.analysis import analyze

SHARED = (("ada", 1), ("ben", 2))


def caption(alone: int) -> str:
    """Two raters who share three items, and some who each rate an item of their own."""
    rows = [(f"q{i}", rater, 1 + i * lenient) for i in range(3) for rater, lenient in SHARED]
    rows += [(f"own{k}", f"r{k}", 2) for k in range(alone)]
    names = ("item", "rater", "score")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    found = analyze({**table, "system": ["s"] * len(rows)}).table("raters/overall")
    assert found is not None
    assert len(found.rows) == 2 + alone
    return found.caption


@pytest.mark.parametrize("alone", [1, 20])
def test_few_raters_without_leniency_are_named(alone: int) -> None:
    assert caption(alone).count(": no output was also judged") == alone
    assert "r0: no output was also judged" in caption(alone)


def test_of_many_raters_without_leniency_it_is_said_how_many() -> None:
    said = caption(21)
    assert "21 raters: no output was also judged" in said
    assert said.count("no output was also judged") == 1
    assert "r0" not in said


def test_who_marks_more_errors_is_called_severe_not_lenient() -> None:
    rows = [
        (f"q{i}", rater, s) for i in range(3) for rater, s in (("ada", "major"), ("ben", "minor"))
    ]
    names = ("item", "rater", "severity")
    marked = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    table = {**marked, "system": ["s"] * 6, "category": ["style"] * 6}
    found = next(t for t in analyze(table).tables if t.id.startswith("raters/"))
    assert found.columns[1].heading == "Severity"
    assert found.caption.startswith("Severity: how much higher than the mean of the other raters")
    assert dict(row[:2] for row in found.rows)["ada"] > 0


def test_who_marks_has_a_pace_like_who_scores() -> None:
    # Two marks of one trial are one trial of 8 s; ben takes twice as long as ada.
    rows = [
        (f"q{i}", rater, severity, seconds * 1000)
        for i in range(5)
        for rater, seconds in (("ada", 8), ("ben", 16))
        for severity in ("major", "minor")
    ]
    names = ("item", "rater", "severity", "ms")
    marked = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    table = {**marked, "system": ["s"] * 20, "category": ["style"] * 20}
    found = next(t for t in analyze(table).tables if t.id == "raters")
    headings = [column.heading for column in found.columns]
    assert headings[:4] == ["Rater", "Marked outputs", "Median s", "Time / others"]
    assert [row[:4] for row in found.rows] == [
        ("ada", 5, 8.0, pytest.approx(2 / 3)),
        ("ben", 5, 16.0, pytest.approx(4 / 3)),
    ]
