"""A study's store is analyzed by what the study asked: levels, derived criteria, rules, primary."""

from __future__ import annotations

import random
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.finding import format_cells
from jurybox.errors import AnalysisError
from jurybox.study import Study

Columns = dict[str, list[Any]]


@dataclass
class FakeStore:
    """The tables of a store without a database."""

    tables: dict[str, Columns]
    skipped: list[str] = field(default_factory=list)

    def table(
        self, shape: str, *, retests: bool = False, columns: Collection[str] | None = None
    ) -> Columns:
        whole = self._whole(shape)
        return {n: cells for n, cells in whole.items() if columns is None or n in columns}

    def _whole(self, shape: str) -> Columns:
        if shape == "submissions":
            n = len(self.skipped)
            return {
                "id": [f"s{k}" for k in range(n)],
                "trial": self.skipped,
                "item": [f"i{k}" for k in range(n)],
                "kind": ["main"] * n,
                "rater": ["r0"] * n,
                "rater_kind": ["person"] * n,
                "study_version": [1] * n,
                "repeat": [0] * n,
                "status": ["skipped"] * n,
                "reason": ["too dark"] * n,
                "excluded_by": [None] * n,
            }
        empty: Columns = {"rater": [], "kind": [], "correct": [], "excluded_by": []}
        return self.tables.get(shape, empty)

    def load_plan(self) -> Any:
        trial = SimpleNamespace(systems=("new", "old"))
        return SimpleNamespace(trial=lambda id: trial, trials=(), slots=())

    def latest_version(self) -> None:
        return None

    def events(self, kind: str) -> tuple[()]:
        return ()


def table(names: str, rows: list[tuple[Any, ...]]) -> Columns:
    return dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))


RATE: dict[str, Any] = {
    "title": "Editing",
    "protocol": "rate",
    "outputs": "o.csv",
    "show": {"output": "text"},
    "criteria": {
        "consistency": {"question": "?", "scale": {0: "no", 1: "some", 2: "yes"}, "pass": 2},
        "realism": {"question": "?", "scale": "acr"},
    },
    "derived": {"overall": {"mean": ["consistency", "realism"]}},
    "analysis": {"primary": {"criterion": "realism", "mean": ["old", "new"]}},
}


KNOWN = {"gold": "gold.csv", "practice": "practice.csv", "attention": "attention.csv"}


def study(**changes: Any) -> Study:
    return Study.model_validate({**RATE, **changes})


def ratings(raters: int = 6) -> Columns:
    draw = random.Random(1)
    rows = []
    for i in range(10):
        for s in ("new", "old"):
            for r in range(raters):
                lift = 1 if s == "new" else 0
                consistency = min(2, max(0, round(1 + 0.5 * lift + draw.gauss(0, 0.6))))
                realism = min(5, max(1, round(2.5 + lift + draw.gauss(0, 0.8))))
                for criterion, score in (("consistency", consistency), ("realism", realism)):
                    rows.append(
                        (f"i{i}", s, f"r{r}", criterion, score, f"t{i}{s}", 4000 + 100 * r, None)
                    )
    return table("item system rater criterion score trial ms excluded_by", rows)


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


def with_rules(rules: dict[str, Any], checks: Columns | None = None, **tables: Columns) -> Analysis:
    store = FakeStore({"ratings": ratings(), **tables})
    if checks is not None:
        store.tables["checks"] = checks
    return analyze(store, study=study(quality={"exclude": rules, **KNOWN}))


def checks(kind: str, right: dict[str, tuple[int, int]]) -> Columns:
    rows = [(rater, kind, k < good, None) for rater, (good, n) in right.items() for k in range(n)]
    return table("rater kind correct excluded_by", rows)


@pytest.mark.parametrize(
    ("rules", "known", "said"),
    [
        (
            {"gold_below": 0.7},
            checks("gold", {"r0": (4, 10), "r1": (7, 10)}),
            "r0: 4 of 10 gold trials right (40%; the rule asks for 70%)",
        ),
        (
            {"practice_failed": True},
            checks("practice", {"r0": (2, 5), "r1": (3, 5)}),
            "r0: 2 of 5 practice trials right (the rule asks for 60%)",
        ),
        (
            {"attention_failed": 2},
            checks("attention", {"r0": (1, 3), "r1": (2, 3)}),
            "r0: 2 attention checks failed (the rule allows fewer than 2)",
        ),
        (
            {"faster_than": 4.05},
            None,
            "r0: a median of 4.0 s per trial (the rule asks for 4.05 s)",
        ),
    ],
)
def test_rules_stated_before_the_data(
    rules: dict[str, Any], known: Columns | None, said: str
) -> None:
    found = with_rules(rules, known)
    assert [each.sentence for each in found.excluded] == [said]
    assert [each.rater for each in found.excluded] == ["r0"]
    assert found.n_raters == 5
    again = [f for f in found.findings if f.id.startswith("with_excluded/")]
    assert len(again) == 1
    assert again[0].sentence.startswith("With the 1 excluded rater counted in: old scores")
    assert again[0].result.n_raters == 6
    raters = found.table("raters")
    assert raters is not None
    assert [row[-1] for row in raters.rows][:2] == [next(iter(rules)), ""]


def test_a_straight_line_and_a_rater_apart() -> None:
    data = ratings()
    draw = random.Random(5)
    for k, rater in enumerate(data["rater"]):
        if rater == "r0":
            data["score"][k] = 1
        if rater == "r1":
            data["score"][k] = draw.choice([0, 1, 2]) if k % 2 == 0 else draw.randint(1, 5)
    found = with_rules({"straight_line": 0.9}, ratings=data)
    assert [each.rule for each in found.excluded] == ["straight_line"]
    assert "100% of answers are 1 (the rule allows 90%)" in found.excluded[0].sentence
    apart = with_rules({"agreement_below": -0.1}, ratings=data)
    assert [each.rater for each in apart.excluded] == ["r0", "r1"]
    assert "raises agreement by construction" in apart.excluded[0].sentence


def test_who_misses_the_hidden_reference_is_left_out_by_itu_r_bs_1534() -> None:
    # 20 items; the reference gets 95, the other system 60. r0 gives it 89 on 3 items: 15%, which
    # the rule allows; r1 on 4 items: 20%, which it does not; r2 gives exactly 90 everywhere.
    rows = []
    for rater, low in (("r0", 3), ("r1", 4), ("r2", 0)):
        for item in range(20):
            heard = 90 if rater == "r2" else 89 if item < low else 95
            rows += [(rater, f"i{item:02}", "original", "quality", heard)]
            rows += [(rater, f"i{item:02}", "codec", "quality", 60 + item % 7)]
    data = table("rater item system criterion score", rows)
    asked = Study(
        title="T",
        protocol="rate",
        outputs="o/{system}/{item}.wav",
        show={"output": "audio"},
        systems={"original": {"hidden_reference": True}, "codec": {}},
        criteria={"quality": {"scale": "0-100"}},
        quality={"exclude": {"hidden_reference_missed": 0.15}},
    )
    found = analyze(FakeStore({"ratings": data}), study=asked)
    assert [each.sentence for each in found.excluded] == [
        "r1: 4 of 20 hidden references below 90% of the scale (the rule allows 15%)"
    ]


def test_the_hidden_reference_is_not_what_the_answer_is_about() -> None:
    asked = Study(
        title="T",
        protocol="rate",
        outputs="o/{system}/{item}.wav",
        show={"output": "audio"},
        systems={"original": {"hidden_reference": True}, "new": {}, "old": {}},
        criteria={"quality": {"scale": "0-100"}},
    )
    scores = {"original": 100, "new": 70, "old": 40}
    rows = [
        (f"r{r}", f"i{i}", system, "quality", score - (i + r) % 3)
        for r in range(5)
        for i in range(6)
        for system, score in scores.items()
    ]
    data = table("rater item system criterion score", rows)
    found = analyze(FakeStore({"ratings": data}), study=asked)
    assert found.headline is not None
    assert set(found.headline.systems) == {"new", "old"}


def test_every_broken_rule_is_said() -> None:
    known = checks("gold", {"r0": (4, 10), "r1": (7, 10)})
    found = with_rules({"gold_below": 0.7, "faster_than": 4.05}, known)
    (left_out,) = found.excluded
    assert left_out.rules == ("gold_below", "faster_than")
    assert left_out.sentence == (
        "r0: 4 of 10 gold trials right (40%; the rule asks for 70%); "
        "a median of 4.0 s per trial (the rule asks for 4.05 s)"
    )
    raters = found.table("raters")
    assert raters is not None
    assert [row[-1] for row in raters.rows][:2] == ["gold_below, faster_than", ""]
    assert found.to_dict()["excluded"][0]["also"] == ["faster_than"]


def test_a_mark_of_the_store_is_said_beside_a_broken_rule_of_another_name() -> None:
    data = ratings()
    data["excluded_by"] = ["gold_below" if r == "r0" else None for r in data["rater"]]
    found = with_rules({"faster_than": 4.05}, ratings=data)
    assert found.excluded[0].rules == ("faster_than", "gold_below")
    assert found.excluded[0].sentence.endswith("; marked as excluded by gold_below")


def test_seconds_print_as_a_stopwatch_shows_them_and_every_criterion_has_its_own_scale() -> None:
    raters = with_rules({}).table("raters")
    assert raters is not None
    assert [c.heading for c in raters.columns][2:4] == ["Median s", "Time / others"]
    # 40 responses of r1 at 4,100 ms each; the median rater takes 4,250 ms.
    cells = format_cells(raters, raters.rows[1])
    assert (cells[1], cells[2], cells[3]) == ("40", "4.1", "0.96")
    for criterion in ("consistency", "realism"):
        own = with_rules({}).table(f"raters/{criterion}")
        assert own is not None
        names = [column.name for column in own.columns]
        assert names[:5] == ["rater", "leniency", "interval", "noise", "agreement"]
        assert all(re.fullmatch(r"−?\d\.\d{3}", format_cells(own, row)[1]) for row in own.rows)
    # What is computed from other scores is no criterion that a rater was asked.
    assert with_rules({}).table("raters/overall") is None


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


def test_marks_of_the_store_are_kept_and_withdrawn_never_comes_back() -> None:
    data = ratings()
    data["excluded_by"] = [
        {"r0": "gold_below", "r1": "withdrawn"}.get(rater) for rater in data["rater"]
    ]
    found = with_rules({}, ratings=data)
    assert [(each.rater, each.rule) for each in found.excluded] == [("r0", "gold_below")]
    assert found.n_raters == 4
    again = next(f for f in found.findings if f.id.startswith("with_excluded/"))
    assert again.result.n_raters == 5


def test_everybody_excluded_is_said() -> None:
    with pytest.raises(AnalysisError, match="every response is excluded by a rule"):
        with_rules({"faster_than": 60.0})


def test_a_study_whose_raters_all_withdrew_has_no_answers() -> None:
    data = ratings()
    data["excluded_by"] = ["withdrawn"] * len(data["rater"])
    with pytest.raises(AnalysisError, match="has no answered trials yet; collect answers with"):
        with_rules({}, ratings=data)


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


def test_every_headline_figure_stands_with_and_without_the_excluded() -> None:
    data = ratings()
    # r0 sees everything the other way round.
    data["score"] = [
        (2 if criterion == "consistency" else 6) - score if rater == "r0" else score
        for rater, criterion, score in zip(
            data["rater"], data["criterion"], data["score"], strict=True
        )
    ]
    found = with_rules({"faster_than": 4.05}, ratings=data)
    both = found.table("with_and_without")
    assert both is not None
    figures = [row[0] for row in both.rows]
    assert figures[:3] == [
        "difference: old, new (realism)",
        "mean: new (realism)",
        "mean: old (realism)",
    ]
    assert "agreement (consistency)" in figures
    assert "agreement (realism)" in figures
    rows = {
        row[0]: dict(zip([c.name for c in both.columns], row, strict=True)) for row in both.rows
    }
    for criterion in ("consistency", "realism"):
        row = rows[f"agreement ({criterion})"]
        assert row["with"] < row["without"]
    everybody = with_rules({}, ratings=data)
    means = {f.id: f.result.estimate for f in everybody.findings}
    assert rows["mean: new (realism)"]["with"] == means["mean/realism/new"]
    rules = found.table("exclusions")
    assert rules is not None
    assert rules.rows == (("faster_than", 1, 1, 40),)
    assert everybody.table("with_and_without") is None
    assert everybody.table("exclusions") is None


def test_screening_by_agreement_is_circular_and_says_so() -> None:
    data = ratings()
    data["score"] = [
        (2 if criterion == "consistency" else 6) - score if rater == "r0" else score
        for rater, criterion, score in zip(
            data["rater"], data["criterion"], data["score"], strict=True
        )
    ]
    found = with_rules({"agreement_below": -0.1}, ratings=data)
    assert [each.rater for each in found.excluded] == ["r0"]
    assert any("the agreement before exclusion is the one to report" in w for w in found.warnings)
    assert not any("before exclusion" in w for w in with_rules({"faster_than": 4.05}).warnings)


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
