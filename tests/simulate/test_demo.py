"""The demo study, and what is said of it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from jurybox.analysis.finding import Analysis, Excluded, Finding
from jurybox.design import make_plan
from jurybox.errors import InputError
from jurybox.results import Interval, Result
from jurybox.simulate.demo import (
    DEMO_RATERS,
    EQUAL,
    PRIMARY,
    demo_truth,
    is_demo,
    write_demo_study,
)
from jurybox.simulate.demo.ideas import known_ideas, make_ideas
from jurybox.simulate.demo.verdict import (
    compare_with_truth,
    say_flagged,
    say_open,
    say_plain,
)
from jurybox.study import Study, load_study
from jurybox.study.material import load_material
from jurybox.study.templates.draw import Studio


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "demo-study"
    write_demo_study(folder, seed=7)
    return folder


@pytest.fixture(scope="module")
def study(folder: Path) -> Study:
    return load_study(folder)


def test_the_study_has_text_and_pictures_and_can_be_planned(folder: Path, study: Study) -> None:
    material = load_material(study)
    assert {shown.medium for shown in study.show.values()} == {"text", "image", "markdown"}
    assert len(material.items) == 30
    assert set(material.systems) == set(demo_truth().quality[PRIMARY])
    plan = make_plan(study, material)
    assert len(plan.booklets) == len(DEMO_RATERS)
    assert len([trial for trial in plan.trials if trial.kind == "gold"]) == 5


def test_two_systems_are_exactly_equal_and_no_others() -> None:
    for planted in demo_truth().quality.values():
        assert planted[EQUAL[0]] == planted[EQUAL[1]]
        assert len(set(planted.values())) == len(planted) - 1


def test_every_idea_shows_four_different_pictures() -> None:
    ideas, studio = (*make_ideas(), *known_ideas()), Studio()
    assert len({idea.name for idea in ideas}) == len(ideas)
    for idea in ideas:
        # By what is seen: a trait that the scene does not know would change nothing.
        assert len({studio.draw(shown.picture).tobytes() for shown in idea.levels}) == 4
        assert len({shown.sentence for shown in idea.levels}) == 4
    asked = [idea.instruction for idea in ideas]
    assert len(set(asked)) == len(asked)


def test_better_systems_made_more_of_what_was_asked(folder: Path) -> None:
    asked = {}
    with (folder / "items.csv").open() as file:
        for row in csv.DictReader(file):
            asked[row["item"]] = row["instruction"]
    right = dict.fromkeys(demo_truth().quality[PRIMARY], 0)
    with (folder / "outputs.csv").open() as file:
        for row in csv.DictReader(file):
            right[row["system"]] += row["caption"].rstrip(".").lower() == asked[row["item"]].lower()
    assert right["aurora"] > right["basalt"] > right["ember"]


def test_the_same_seed_writes_the_same_files(folder: Path, tmp_path: Path) -> None:
    write_demo_study(tmp_path / "again", seed=7)
    names = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    assert names
    for name in names:
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_a_second_run_replaces_its_own_files_and_leaves_others(tmp_path: Path) -> None:
    drawn: list[tuple[int, int]] = []
    write_demo_study(
        tmp_path / "d", seed=1, progress=lambda done, total: drawn.append((done, total))
    )
    assert drawn[-1] == (159, 159)
    (tmp_path / "d" / "notes.txt").write_text("mine")
    (tmp_path / "d" / "study.db").write_text("old")
    write_demo_study(tmp_path / "d", seed=2)
    assert (tmp_path / "d" / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "d" / "study.db").exists()
    assert load_study(tmp_path / "d").design.seed == 2


def test_a_directory_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("title: Mine\n")
    assert not is_demo(tmp_path)
    with pytest.raises(InputError, match="is not empty and holds no demo; name another"):
        write_demo_study(tmp_path, seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["study.yaml"]


def mean_of(system: str, estimate: float, half: float) -> Finding:
    interval = Interval(low=estimate - half, high=estimate + half, confidence=0.95, method="t")
    return Finding(
        id=f"mean/{PRIMARY}/{system}",
        sentence=f"{system} has {estimate}.",
        result=Result(estimate=estimate, interval=interval),
        criterion=PRIMARY,
        systems=(system,),
    )


def analysis_of(*findings: Finding, excluded: tuple[Excluded, ...] = ()) -> Analysis:
    return Analysis(
        title="t",
        protocol="rate",
        took=(),
        n_responses=8,
        n_raters=3,
        n_items=2,
        systems=("aurora", "basalt", "cirrus"),
        findings=findings,
        tables=(),
        excluded=excluded,
    )


OPEN = Finding(
    id="difference",
    sentence="basalt and cirrus are not told apart.",
    result=Result(estimate=0.0, undefined="no interval"),
    told=False,
    criterion=PRIMARY,
    systems=("basalt", "cirrus"),
)


def test_rows_say_whether_the_interval_covers_the_truth(study: Study) -> None:
    # Planted: aurora 1.620, basalt 1.156 (the closed form, checked elsewhere).
    found = analysis_of(mean_of("basalt", 1.5, 0.1), mean_of("aurora", 1.6, 0.1))
    rows = compare_with_truth(found, study, demo_truth())
    assert [(row.system, round(row.truth, 3), row.covers) for row in rows] == [
        ("aurora", 1.620, True),
        ("basalt", 1.156, False),
    ]


def test_the_flagged_are_named_with_their_rules() -> None:
    fast = Excluded(rater="r5", rule="faster_than", sentence="r5: median 1.1 s.", n_responses=9)
    gold = Excluded(rater="r5", rule="gold_below", sentence="0 of 5", n_responses=9)
    assert say_flagged(analysis_of(excluded=(fast, gold))) == (
        "1 rater left out by rules stated before the data:",
        "r5 by faster_than: median 1.1 s.",
        "r5 by gold_below: 0 of 5.",
    )
    [nobody] = say_flagged(analysis_of())
    assert nobody.startswith("No rater was flagged")


def test_the_plain_interval_by_hand() -> None:
    # Scores 0, 1, 1, 2: mean 1, variance 2/3, SE = sqrt(2/3/4) = 0.408248; 1.96 SE = 0.800.
    # The excluded rater's 2 and the other criterion's 0 do not enter.
    ratings: dict[str, list[Any]] = {
        "criterion": [PRIMARY] * 5 + ["quality"],
        "rater": ["a", "a", "b", "b", "out", "a"],
        "system": ["aurora"] * 6,
        "score": [0.0, 1.0, 1.0, 2.0, 2.0, 0.0],
    }
    left_out = Excluded(rater="out", rule="gold_below", sentence="", n_responses=1)
    found = analysis_of(mean_of("aurora", 1.0, 1.2), excluded=(left_out,))
    said = say_plain(found, ratings)
    assert "would have claimed 1.00 ± 0.80 for aurora" in said
    assert "−0.20 to 2.20 (± 1.20), 1.5 times as wide" in said


def test_what_stays_open_is_said_of_the_equal_ones() -> None:
    assert say_open(analysis_of(OPEN)).startswith(
        "basalt and cirrus are not told apart. They were planted exactly equal"
    )
    assert "one study in twenty errs like this" in say_open(analysis_of())
