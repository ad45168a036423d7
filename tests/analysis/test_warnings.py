"""What a reader of the numbers must know is said with them."""

from __future__ import annotations

from jurybox.analysis import analyze


def test_one_rater_speaks_for_nobody_else() -> None:
    found = analyze(
        {
            "item": [f"q{i}" for i in range(12)],
            "system": ["new", "old"] * 6,
            "rater": ["r1"] * 12,
            "criterion": ["quality"] * 12,
            "score": [3, 2, 4, 2, 5, 3, 3, 1, 4, 4, 5, 2],
        }
    )
    assert "1 rater: every interval holds for this rater only, on items like these" in (
        found.warnings
    )
    assert not any("more raters would narrow" in warning for warning in found.warnings)


def test_many_spans_of_one_output_are_one_response() -> None:
    # r1 marks three errors in each of two outputs, r2 one: both have marked two outputs.
    spans = [("q1", "r1", s) for s in (0, 5, 9)] + [("q2", "r1", s) for s in (0, 5, 9)]
    spans += [("q1", "r2", 0), ("q2", "r2", 0)]
    found = analyze(
        {
            "item": [item for item, _, _ in spans],
            "system": ["mt"] * 8,
            "rater": [rater for _, rater, _ in spans],
            "criterion": ["errors"] * 8,
            "field": ["text"] * 8,
            "start": [start for _, _, start in spans],
            "end": [start + 3 for _, _, start in spans],
            "category": ["accuracy"] * 8,
            "severity": ["minor"] * 8,
        }
    )
    assert not any("more than half" in warning for warning in found.warnings)


def test_a_rater_who_gave_most_responses_is_named() -> None:
    found = analyze(
        {
            "item": ["q1", "q2", "q3", "q1"],
            "system": ["mt"] * 4,
            "rater": ["r1", "r1", "r1", "r2"],
            "criterion": ["quality"] * 4,
            "score": [1, 2, 3, 2],
        }
    )
    assert "rater r1 gave more than half of the responses" in found.warnings


def test_an_interval_of_one_pair_among_several_says_so() -> None:
    rows = [
        (f"q{i}", system, f"r{r}", base + (i * i + base * r + i * r) % 4)
        for i in range(8)
        for r in range(4)
        for system, base in (("a", 1), ("b", 2), ("c", 3))
    ]

    def said(systems: set[str]) -> list[str]:
        kept = [row for row in rows if row[1] in systems]
        columns = dict(
            zip(("item", "system", "rater", "score"), zip(*kept, strict=True), strict=True)
        )
        found = analyze({name: list(values) for name, values in columns.items()})
        return [f.sentence for f in found.findings if f.id.startswith("difference/")]

    three = said({"a", "b", "c"})
    assert all("simultaneous interval" in each and "by max-t" in each for each in three)
    assert not any("simultaneous" in each or "max-t" in each for each in said({"a", "b"}))
