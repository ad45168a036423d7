"""Answers of yes or no are called so on the whole page."""

from __future__ import annotations

from dataclasses import replace

from jurybox import analyze
from jurybox.analysis.finding import Analysis, Column, Table, format_cells
from jurybox.analysis.raters.rows import HIGHER
from jurybox.report.formats.markdown import write_page
from jurybox.report.methods.paragraph import methods
from jurybox.report.methods.questions import questions
from jurybox.report.page import make_page
from jurybox.report.said.yes_no import shares_of_yes
from jurybox.study import Study

SYSTEM = Column(name="system", heading="System")
MEAN = Column(name="mean", heading="Mean score", kind="number")
YES = Column(name="pass_rate", heading="Share of yes", kind="percent")
INTERVAL = Column(name="interval", heading="95% interval", kind="interval")
CRITERION = "ready/now"
"""With a slash, as the names of tables have."""


def of_ready(kind: str, *columns: Column, rows: tuple[tuple[object, ...], ...]) -> Table:
    return Table(id=kind.format(CRITERION), title=kind, columns=columns, rows=rows)


BY_VALUE = of_ready(
    "distribution/{}",
    SYSTEM,
    Column(name="share_0", heading="0", kind="percent"),
    Column(name="share_1", heading="1", kind="percent"),
    rows=(("aurora", 0.2, 0.8),),
)
BY_TOPIC = of_ready(
    "categories/{}/topic",
    Column(name="category", heading="Topic"),
    SYSTEM,
    MEAN,
    INTERVAL,
    rows=(("health", "aurora", 0.5, (0.25, 0.75)),),
)
ENDS = of_ready(
    "extremes/{}",
    Column(name="end", heading="End"),
    SYSTEM,
    Column(name="item", heading="Item"),
    MEAN,
    Column(name="responses", heading="Ratings", kind="count"),
    rows=(("best", "aurora", "cat", 1.0, 3),),
)
OF_YES = of_ready("mean_scores/{}", SYSTEM, YES, INTERVAL, rows=(("aurora", 0.8, (0.7, 0.9)),))
OF_SCORES = of_ready(
    "mean_scores/{}",
    *(SYSTEM, MEAN, INTERVAL, YES),
    rows=(("aurora", 0.8, (0.7, 0.9), 0.8),),
)


def test_the_page_speaks_of_yes_where_the_data_have_ones(analysis: Analysis) -> None:
    asked = replace(analysis, tables=(OF_YES, BY_VALUE, BY_TOPIC, ENDS))
    shown = " ".join(write_page(make_page(asked, versions={})).split())
    assert "| System | No | Yes |" in shown
    assert "| health | aurora | 50.0% | 25.0 to 75.0 |" in shown
    assert "| best | aurora | cat | 100.0% | 3 |" in shown
    assert "Mean score" not in shown
    assert "raters answered yes or no, output by output; " in shown


def test_the_methods_speak_of_no_mean_of_zeros_and_ones(analysis: Analysis) -> None:
    votes = [
        (item, system, f"r{rater}", (item * rater + k) % 3 > 0)
        for item in range(6)
        for rater in range(4)
        for k, system in enumerate(("new", "old"))
    ]
    names = ("item", "system", "rater", "score")
    columns = {name: [row[k] for row in votes] for k, name in enumerate(names)}
    found = analyze({**columns, "score": [int(yes) for yes in columns["score"]]})
    said = methods(shares_of_yes(found), None, {})
    assert "of the share of yes (logit" in said
    assert "mean score" not in said
    assert "pass rate" not in said


def test_no_and_yes_are_the_answers_that_the_methods_name() -> None:
    asked = Study(
        title="Is it acceptable?",
        protocol="rate",
        outputs="outputs.csv",
        show={"output": "text"},
        criteria={"acceptable": {"question": "Is it?", "scale": "yes-no"}},
    )
    assert questions(asked) == ["The study asks for acceptable (no or yes)."]


def test_zeros_and_ones_of_a_bare_table_stay_scores(analysis: Analysis) -> None:
    bare = replace(analysis, tables=(OF_SCORES, BY_VALUE, BY_TOPIC, ENDS))
    assert shares_of_yes(bare) is bare


def test_raters_and_trends_of_yes_are_in_percentage_points(analysis: Analysis) -> None:
    raters = of_ready(
        "raters/{}",
        Column(name="rater", heading="Rater"),
        Column(name="leniency", heading="Leniency", kind="number"),
        INTERVAL,
        rows=(("ada", -0.125, (-0.25, 0.0)),),
    )
    order = Table(
        id="order",
        title="Along the sitting",
        columns=(
            Column(name="what", heading="From first to last trial"),
            Column(name="criterion", heading="Criterion"),
            Column(name="unit", heading="In"),
            Column(name="change", heading="Change", kind="number"),
            INTERVAL,
        ),
        rows=(
            ("score", CRITERION, "points", 0.2, (-0.1, 0.5)),
            ("score", "quality", "points", 0.2, (-0.1, 0.5)),
            ("distance from the others", CRITERION, "points", None, None),
        ),
    )
    asked = replace(
        analysis, tables=(OF_YES, replace(raters, caption=f"Leniency: {HIGHER}; noise"), order)
    )
    told = shares_of_yes(asked)
    own, trends = told.tables[1:]
    assert own.columns[1] == Column(name="leniency", heading="Leniency, points", kind="points")
    assert format_cells(own, own.rows[0]) == ["ada", "−12.5", "−25.0 to 0.0"]
    assert own.caption.startswith("Leniency: how much more often the rater answers “yes”")
    assert trends.rows == (
        ("share of yes", CRITERION, "percentage points", 20.0, (-10.0, 50.0)),
        ("score", "quality", "points", 0.2, (-0.1, 0.5)),
        ("distance from the others", CRITERION, "percentage points", None, None),
    )
