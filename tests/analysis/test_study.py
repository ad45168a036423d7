"""A study's store is analyzed by what the study asked: levels, derived criteria, rules, primary."""

from __future__ import annotations

import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jurybox.analysis import analyze
from jurybox.analysis.finding import format_cells
from jurybox.errors import AnalysisError
from jurybox.study import Study
from tests.analysis.stored_answers import (
    FakeStore,
    ratings,
    study,
    table,
    with_rules,
)


def test_the_primary_contrast_is_the_headline_as_it_was_asked() -> None:
    found = analyze(FakeStore({"ratings": ratings()}), study=study())
    assert found.title == "Editing"
    head = found.headline
    assert found.n_responses == 240  # derived scores are no responses
    assert head is not None
    assert (head.standing, head.systems, head.criterion) == ("primary", ("old", "new"), "realism")
    assert head.sentence.startswith("old scores")
    assert "lower than new on realism" in head.sentence
    assert "by max-t" not in head.sentence


def test_pass_marks_opinion_scores_and_derived_criteria() -> None:
    found = analyze(FakeStore({"ratings": ratings()}), study=study())
    said = "\n".join(f.sentence for f in found.findings)
    assert "new passes on consistency (at or above 2) in" in said
    assert "new has a mean opinion score of" in said
    assert "new has a mean score of" in said
    assert "overall: mean of consistency, realism, for each of 120 responses" in found.took
    assert any(s.startswith("the study's answers: ") for s in found.took)
    assert not any(s.startswith("the table") for s in found.took)
    of_overall = found.table("mean_scores/overall")
    assert of_overall is not None
    # A chart of what is computed from others ends where their scales do, too.
    assert of_overall.limits == (0.5, 3.5)
    assert not any("level is not stated" in sentence for sentence in found.took)


def test_seconds_print_as_a_stopwatch_shows_them_and_every_criterion_has_its_own_scale() -> None:
    found = with_rules({})
    raters = found.table("raters")
    assert raters is not None
    assert [c.heading for c in raters.columns][2:4] == ["Median s", "Time / others"]
    # 40 responses of r1 at 4,100 ms each; the median rater takes 4,250 ms.
    cells = format_cells(raters, raters.rows[1])
    assert (cells[1], cells[2], cells[3]) == ("40", "4.1", "0.96")
    for criterion in ("consistency", "realism"):
        own = found.table(f"raters/{criterion}")
        assert own is not None
        names = [column.name for column in own.columns]
        assert names[:5] == ["rater", "leniency", "interval", "noise", "agreement"]
        assert all(re.fullmatch(r"−?\d\.\d{3}", format_cells(own, row)[1]) for row in own.rows)
    # What is computed from other scores is no criterion that a rater was asked.
    assert found.table("raters/overall") is None


def test_the_distribution_has_every_value_of_the_scale() -> None:
    data = ratings()
    data["score"] = [
        min(score, 1) if criterion == "consistency" else score
        for criterion, score in zip(data["criterion"], data["score"], strict=True)
    ]
    found = analyze(FakeStore({"ratings": data}), study=study())
    table = found.table("distribution/consistency")
    assert table is not None
    names = [column.name for column in table.columns]
    assert names == ["system", "share_0", "share_1", "share_2"]
    means = found.table("mean_scores/consistency")
    assert means is not None
    assert [row[0] for row in table.rows] == [row[0] for row in means.rows]
    for system, *shares in table.rows:
        mine = [
            score
            for s, criterion, score in zip(
                data["system"], data["criterion"], data["score"], strict=True
            )
            if s == system and criterion == "consistency"
        ]
        assert shares == [mine.count(value) / len(mine) for value in (0, 1, 2)]
        assert shares[2] == 0  # nobody gave the highest value, and it is shown
    # What is computed from other scores has no scale.
    assert found.table("distribution/overall") is None


def test_skips_are_counted_by_system() -> None:
    found = analyze(FakeStore({"ratings": ratings()}, skipped=["t1", "t2"]), study=study())
    skips = found.table("skips")
    assert skips is not None
    # Both outputs of a trial are skipped with it; 60 answers to each system stand.
    assert [(row[0], row[1], row[2], row[5]) for row in skips.rows] == [
        ("new", 62, 2, "too dark (2)"),
        ("old", 62, 2, "too dark (2)"),
    ]


def test_systems_of_the_material_without_responses_are_named() -> None:
    material: Any = SimpleNamespace(systems=("new", "old", "later"), items={}, outputs={})
    found = analyze(FakeStore({"ratings": ratings()}), study=study(), material=material)
    assert "no responses yet for later" in found.warnings


def test_a_comparison_with_scores_per_side_has_both() -> None:
    compare = Study.model_validate(
        {
            "title": "Which?",
            "protocol": "compare",
            "outputs": "o.csv",
            "show": {"output": "text"},
            "criteria": {
                "preference": {"question": "?", "choices": ["a", "b", "tie"]},
                "correctness": {"question": "?", "scale": "acr", "per": "output"},
            },
            "analysis": {"primary": {"win_rate": ["new", "old"]}},
        }
    )
    draw = random.Random(1)
    votes = table(
        "item system_a system_b rater winner criterion",
        [
            (f"i{i}", "new", "old", f"r{r}", draw.choices("ab", [3, 1])[0], "preference")
            for i in range(10)
            for r in range(6)
        ],
    )
    scores = {name: values for name, values in ratings().items() if name != "trial"}
    keep = [k for k, c in enumerate(scores["criterion"]) if c == "realism"]
    scores = {name: [values[k] for k in keep] for name, values in scores.items()}
    scores["criterion"] = ["correctness"] * len(keep)
    found = analyze(FakeStore({"votes": votes, "ratings": scores}), study=compare)
    assert found.headline is not None
    assert found.headline.id == "win_rate/preference/new/old"
    assert found.headline.standing == "primary"
    assert found.table("mean_scores/correctness") is not None


def test_a_store_needs_its_study_and_responses(tmp_path: Path) -> None:
    with pytest.raises(AnalysisError, match="pass study="):
        analyze(FakeStore({}))
    with pytest.raises(AnalysisError, match="'Editing' has no answered trials yet"):
        analyze(FakeStore({}), study=study())
    study().save(tmp_path)
    with pytest.raises(AnalysisError, match="this study has no responses yet"):
        analyze(tmp_path)


def test_the_pace_is_measured_against_what_the_study_expects() -> None:
    found = analyze(
        FakeStore({"ratings": ratings()}), study=study(session={"seconds_per_trial": 20})
    )
    raters = found.table("raters")
    assert raters is not None
    names = [column.name for column in raters.columns]
    assert [c.heading for c in raters.columns if c.name == "pace"] == ["Time / expected"]
    first = dict(zip(names, raters.rows[0], strict=True))
    assert first["pace"] == pytest.approx(0.2)
    assert first["look"] == "takes 20% of the time expected"
