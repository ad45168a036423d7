"""What is known of the set, beside what the responses say."""

from __future__ import annotations

from jurybox.analysis import analyze
from jurybox.analysis.finding import Analysis
from jurybox.analysis.set_chapter import NO_INTERVAL, add_set
from jurybox.design.set_checks import SetCheck

VOTES = {
    "item": ["q1", "q2", "q3"],
    "system_a": ["new"] * 3,
    "system_b": ["old"] * 3,
    "winner": ["a", "a", "tie"],
}
CHECKS = (
    SetCheck(
        id="length/answer",
        about="Length of answer",
        figure=0.8,
        shown="80% guessed right by it (a coin: 50%)",
        warns=True,
        sentence="The length of answer alone tells new from old.",
        bias="Raters tend to favor longer texts.",
        systems=("new",),
        p=0.002,
        n_items=30,
    ),
    SetCheck(id="names", about="Names of systems inside outputs", figure=0.0, shown="0 of 60"),
    SetCheck(id="difficulty", about="Difficulty", figure=None, undefined="no such column"),
)


def test_warnings_are_findings_and_every_check_is_a_row() -> None:
    before = analyze(VOTES)
    after = add_set(before, CHECKS)
    assert after.headline == before.headline
    assert after.untold == before.untold
    (found,) = [finding for finding in after.findings if finding.standing == "set"]
    assert found.id == "set/length/answer"
    assert found.sentence == (
        "The length of answer alone tells new from old. Raters tend to favor longer texts."
    )
    assert (found.result.estimate, found.result.p, found.result.n_items) == (0.8, 0.002, 30)
    assert found.result.undefined == NO_INTERVAL
    table = after.table("set")
    assert table is not None
    assert list(table.rows) == [
        ("Length of answer", "warning", "80% guessed right by it (a coin: 50%)"),
        ("Names of systems inside outputs", "fine", "0 of 60"),
        ("Difficulty", "not checked", "no such column"),
    ]
    assert "favor longer texts" in after.to_markdown()


def test_a_finding_on_the_set_is_never_the_answer() -> None:
    nothing = Analysis(
        title="A set", protocol="compare", took=(), n_responses=0, n_raters=0, n_items=3,
        systems=("new", "old"), findings=(), tables=(),
    )  # fmt: skip
    assert add_set(nothing, CHECKS).headline is None
