"""Small analyses with numbers made up for the page; the truth of numbers is tested elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.analysis.finding import Analysis, Collected, Column, Excluded, Finding, Table
from jurybox.results import Interval, Result
from jurybox.stats.agreement.patterns import Agreement
from jurybox.study import Study

SYSTEMS = ("aurora", "basalt", "cirrus", "delta")


def interval(low: float, high: float) -> Interval:
    return Interval(
        low=low,
        high=high,
        confidence=0.95,
        method="clustered by rater and item, t with 11 degrees of freedom",
    )


def means(criterion: str, values: dict[str, tuple[float, float, float]]) -> Table:
    return Table(
        id=f"mean_scores/{criterion}",
        title=f"Mean score by system: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="estimate", heading="Mean score", kind="number"),
            Column(name="interval", heading="95% interval", kind="interval"),
            Column(name="pass_rate", heading="Pass rate", kind="percent"),
            Column(name="n_responses", heading="Ratings", kind="count"),
        ),
        rows=tuple(
            (name, mean, (low, high), mean / 2, 1200) for name, (mean, low, high) in values.items()
        ),
        caption="Each response weighs the same. Excluded raters are left out.",
    )


def small_analysis() -> Analysis:
    fidelity = {
        "aurora": (1.62, 1.48, 1.76),
        "basalt": (1.31, 1.15, 1.47),
        "cirrus": (1.29, 1.12, 1.46),
        "delta": (0.71, 0.52, 0.9),
    }
    quality = {name: (2 * m, 2 * a, 2 * b) for name, (m, a, b) in fidelity.items()}
    told = Result(
        estimate=0.31,
        interval=interval(0.12, 0.5),
        p=0.003,
        n_items=30,
        n_raters=12,
        n_responses=720,
        notes=(
            "With twice the raters the half-width would be about 0.14; with twice the items, 0.17.",
        ),
    )
    open_ = Result(estimate=0.02, interval=interval(-0.15, 0.19), p=0.81, n_responses=720)
    agreement = Agreement(
        statistic="Krippendorff's alpha",
        estimate=0.41,
        interval=interval(0.3, 0.52),
        n_responses=1440,
    )
    undefined = Result(estimate=None, undefined="every response is the same value")
    return Analysis(
        title="Does the picture show what was asked?",
        protocol="rate",
        took=("column `score` was taken for the score.", "level ordinal, from the study's scale."),
        n_responses=2880,
        n_raters=12,
        n_items=30,
        systems=SYSTEMS,
        findings=(
            Finding(
                id="difference/fidelity/aurora/basalt",
                sentence="aurora scores 0.310 higher than basalt on fidelity (95% interval 0.120 "
                "to 0.500; p = 0.003).",
                result=told,
                standing="primary",
                criterion="fidelity",
                systems=("aurora", "basalt"),
            ),
            Finding(
                id="difference/fidelity/basalt/cirrus",
                sentence="basalt and cirrus are not told apart on fidelity (difference 0.020, "
                "−0.150 to 0.190).",
                result=open_,
                told=False,
                criterion="fidelity",
                systems=("basalt", "cirrus"),
            ),
            Finding(
                id="mean/quality/delta",
                sentence="The mean quality of delta has no interval.",
                result=undefined,
                criterion="quality",
                systems=("delta",),
            ),
            Finding(
                id="agreement/fidelity",
                sentence="Raters agree moderately on fidelity (α 0.410, 0.300 to 0.520).",
                result=agreement,
                standing="quality",
                criterion="fidelity",
            ),
        ),
        tables=(
            means("fidelity", fidelity),
            means("quality", quality),
            Table(
                id="differences/fidelity",
                title="Differences between systems: fidelity",
                columns=(
                    Column(name="system", heading="System"),
                    Column(name="other", heading="Other"),
                    Column(name="difference", heading="Difference", kind="number"),
                    Column(name="interval", heading="95% simultaneous interval", kind="interval"),
                    Column(name="p", heading="Adjusted p", kind="p"),
                ),
                rows=(
                    ("aurora", "basalt", 0.31, (0.12, 0.5), 0.003),
                    ("aurora", "delta", 0.91, (0.7, float("inf")), 0.0001),
                    ("basalt", "cirrus", 0.02, (-0.15, 0.19), 0.81),
                    ("cirrus", "delta", None, None, None),
                ),
            ),
            Table(
                id="distribution/fidelity",
                title="Responses by value: fidelity",
                columns=(
                    Column(name="system", heading="System"),
                    Column(name="share_0", heading="0", kind="percent"),
                    Column(name="share_0.5", heading="0.5", kind="percent"),
                    Column(name="share_1", heading="1", kind="percent"),
                    Column(name="share_2", heading="2", kind="percent"),
                ),
                rows=(
                    ("aurora", 0.02, 0.1, 0.28, 0.6),
                    ("basalt", 0.08, 0.2, 0.32, 0.4),
                    ("cirrus", 0.09, 0.21, 0.3, 0.4),
                    ("delta", 0.4, 0.25, 0.25, 0.1),
                ),
            ),
            Table(
                id="raters",
                title="Raters",
                columns=(
                    Column(name="rater", heading="Rater"),
                    Column(name="median_seconds", heading="Median seconds", kind="number"),
                    Column(name="gold", heading="Gold right", kind="percent"),
                    Column(name="n_responses", heading="Responses", kind="count"),
                ),
                rows=(("rater-01", 11.2, 1.0, 240), ("rater-02", 9.8, 0.875, 240)),
            ),
        ),
        excluded=(
            Excluded(
                rater="rater-13",
                rule="faster_than",
                sentence="median 1.1 s per trial, below 2.5 s",
                n_responses=240,
            ),
        ),
        warnings=("fewer than 30 items: intervals are wide",),
        seed=7,
        collected=Collected(
            version=1,
            n_answers=1560,
            n_trials=120,
            n_planned=120,
            raters_per_trial=(13, 13.0, 13),
            checked=(("gold", 13),),
        ),
    )


COLLECTED = Collected(
    version=1, n_answers=180, n_trials=90, n_planned=120, raters_per_trial=(1, 2.0, 3)
)


def pictures(**parts: Any) -> Study:
    """A study that rates pictures on two criteria, with other parts."""
    given: dict[str, Any] = {
        "title": "Does the picture show what was asked?",
        "protocol": "rate",
        "outputs": "outputs.csv",
        "show": {"output": "text"},
        "criteria": {
            "fidelity": {
                "question": "Is it what was asked?",
                "scale": {0: "Missed <b>", 0.5: "Partly", 1: "Nearly", 2: "Exactly"},
            },
            "quality": {"question": "How good is it?", "scale": "acr"},
        },
        **parts,
    }
    return Study(**given)


@pytest.fixture
def analysis() -> Analysis:
    return small_analysis()


def study(**parts: Any) -> Study:
    """A small study of yes or no, with other parts."""
    given: dict[str, Any] = {
        "title": "Pictures",
        "protocol": "rate",
        "outputs": "outputs.csv",
        "show": {"output": "text"},
        "criteria": {"fidelity": {"question": "Is it right?", "scale": {0: "no", 1: "yes"}}},
        **parts,
    }
    return Study(**given)
