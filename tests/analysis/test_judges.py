"""Judges beside people: the public functions, the chapter, and the PandaLM test set."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

import jurybox as jb
from jurybox.analysis.finding import Analysis
from jurybox.analysis.judges.findings import strata_finding
from jurybox.errors import InputError
from jurybox.report import html, markdown, write_report
from jurybox.stats.alternative_annotator import AlternativeAnnotatorTest
from jurybox.stats.judge_agreement import JudgeAgreement
from tests import reference

VERSIONS = {"jurybox": "0.1.0"}
WORDS = ("no", "partly", "yes")


def pandalm() -> Any:
    return reference.table("pandalm_pairwise", "pandalm_votes.csv")


def sentence(analysis: Analysis, id: str) -> str:
    return next(f.sentence for f in analysis.findings if f.id == id)


# PandaLM: three people, two judges, 25 replies that nobody can read.


def test_pandalm_has_the_published_ceiling() -> None:
    computed = reference.expected("pandalm_pairwise")["computed"]
    found = jb.judge_agreement(pandalm())
    # pandalm7b answered all 999 pairs, so its ceiling is that of all pairs: the mean of the three
    # raw agreements (0.9129 + 0.9289 + 0.9179)/3, and Fleiss' kappa.
    row = found.of("pandalm7b", "percent")
    assert row.ceiling == pytest.approx(mean(computed["raw_agree"].values()))
    assert found.of("pandalm7b", "kappa").ceiling == pytest.approx(computed["fleiss"])
    assert row.n_units == 999
    assert row.n_unusable == 0
    # gpt35 has 25 unusable replies, which are left out and named; nothing stands in for them.
    other = found.of("gpt35", "percent")
    assert (other.n_units, other.n_unusable, other.n_replies) == (974, 25, 999)
    labels = computed["gpt35"]["labels"]
    assert labels["garbage"] == other.n_unusable
    # Every answer of a judge meets three people's.
    assert [sum(counts) // 3 for counts in other.confusion][-1] == labels["0"]
    assert sum(map(sum, other.confusion)) == 3 * 974


def test_pandalm_judges_agree_with_each_person_as_statsmodels_says() -> None:
    found = jb.judge_agreement(pandalm())
    rows = reference.rows_of("pandalm_pairwise/data/pandalm_votes.csv")
    for judge in ("gpt35", "pandalm7b"):
        usable = [row for row in rows if row[judge] != "garbage"]
        given = [row[judge] for row in usable]
        each = [mean(row[f"annotator{k}"] == row[judge] for row in usable) for k in (1, 2, 3)]
        row = found.of(judge, "percent")
        # All three answered every pair, so the mean over pairs is the mean over people.
        assert row.estimate == pytest.approx(mean(each))
        # Systems are turned to the order of their names, which moves Cohen's kappa in the third
        # digit; with the sides as published it is the mean over people.
        kappas = []
        for k in (1, 2, 3):
            met = Counter(zip((row[f"annotator{k}"] for row in usable), given, strict=True))
            square = [[met[one, two] for two in "012"] for one in "012"]
            kappas.append(cohens_kappa(np.array(square)).kappa)
        assert found.of(judge, "kappa").estimate == pytest.approx(mean(kappas), abs=0.003)


def test_pandalm_is_told_in_the_analysis_and_the_report() -> None:
    found = jb.analyze(pandalm())
    said = sentence(found, "judge/preference/gpt35")
    assert said == (
        "gpt35 agrees on preference with a person in 70.6% (95% interval for these raters 67.8 to "
        "73.2), two people with each other in 92.2% (90.7 to 93.4): the judge 21.6 points less "
        "(difference −24.3 to −18.8). 25 of its 999 replies were unusable and count nowhere."
    )
    assert "two people with each other in 92.0%" in sentence(found, "judge/preference/pandalm7b")
    assert "unusable" not in sentence(found, "judge/preference/pandalm7b")
    assert "winning rate 0.0%" in sentence(found, "alternative_annotator/preference/gpt35")
    table = found.table("judges/preference/percent")
    assert table is not None
    assert [row[0] for row in table.rows] == ["gpt35", "pandalm7b"]
    assert [row[-1] for row in table.rows] == [25, 0]
    # The headline is people's, and no judge's figure is among theirs.
    assert found.headline is not None
    assert found.headline.standing != "judge"
    assert found.n_raters == 3
    page = html(found, versions=VERSIONS)
    assert "Judges beside people" in page
    assert "25 of its 999 replies were unusable" in page
    text = markdown(found, versions=VERSIONS)
    assert "## Judges beside people" in text
    assert said.replace("_", r"\_") in text


def test_people_alone_have_no_chapter() -> None:
    votes = {
        "item": [1, 1, 2, 2],
        "system_a": ["new"] * 4,
        "system_b": ["old"] * 4,
        "rater": ["ada", "ben"] * 2,
        "winner": ["a", "a", "b", "a"],
    }
    found = jb.analyze(votes)
    assert not [f for f in found.findings if f.standing == "judge"]
    assert "Judges beside people" not in html(found, versions=VERSIONS)
    with pytest.raises(InputError, match="beside people: both must have answered"):
        jb.judge_agreement(votes)


# Planted judges in ratings, by level.


def rated(seed: int = 1, *, n: int = 60, raters: int = 6, words: bool = False) -> Any:
    """People near a truth; judges: one like a person, one that guesses, one that is too kind."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    made: dict[str, list[Any]] = {
        name: [] for name in ("item", "system", "rater", "rater_kind", "score")
    }

    def near(k: int) -> int:
        return int(truth[k] if rng.random() > 0.3 else rng.integers(0, 3))

    who = [(f"r{r}", "person", near) for r in range(raters)]
    who += [
        ("like", "judge", near),
        ("guess", "judge", lambda k: int(rng.integers(0, 3))),
        ("kind", "judge", lambda k: min(2, int(truth[k]) + 1)),
    ]
    for name, kind, answer in who:
        for k in range(n):
            score = answer(k)
            row = (f"q{k}", "new", name, kind, WORDS[score] if words else score + 1)
            for column, value in zip(made, row, strict=True):
                made[column].append(value)
    return made


def test_planted_judges_are_found_out() -> None:
    table = rated()
    found = jb.judge_agreement(table)
    like, guess, kind = (found.of(name, "weighted_kappa") for name in ("like", "guess", "kind"))
    assert like.difference_low is not None
    assert like.difference_high is not None
    assert like.difference_low < 0 < like.difference_high
    assert guess.interval is not None
    assert guess.interval.low < 0 < guess.interval.high
    assert guess.difference_high is not None
    assert guess.difference_high < 0
    # Too kind a judge orders as people do, but is not where they are.
    r = found.of("kind", "pearson")
    assert r.estimate is not None
    assert kind.estimate is not None
    assert r.estimate > kind.estimate + 0.1
    tests = jb.alternative_annotator_test(table, epsilon=0.2)
    assert [tests[name].passes for name in ("like", "guess")] == [True, False]


def test_words_and_numbers_at_a_nominal_level_are_the_same() -> None:
    named = jb.judge_agreement(rated(words=True))
    coded = jb.judge_agreement(rated(), level="nominal")
    for judge in ("like", "guess", "kind"):
        for statistic in ("percent", "kappa"):
            one, two = named.of(judge, statistic), coded.of(judge, statistic)
            assert one.estimate == pytest.approx(two.estimate)
            assert one.ceiling == pytest.approx(two.ceiling)
    with pytest.raises(InputError, match="needs ratings that are numbers"):
        jb.judge_agreement(rated(words=True), level="ordinal")
    with pytest.raises(InputError, match="level must be one of"):
        jb.judge_agreement(rated(), level="words")  # type: ignore[arg-type]


def test_a_panel_is_one_more_judge_and_marked() -> None:
    table = rated(words=True)
    found = jb.judge_agreement(table, panel="majority")
    panel = found.of("panel (majority)", "percent")
    assert panel.panel_of == ("guess", "kind", "like")
    assert next(row.panel_of for row in found.rows if row.judge == "like") == ()
    weighted = jb.judge_agreement(table, panel="weighted").of("panel (weighted)", "percent")
    assert weighted.estimate is not None
    assert panel.estimate is not None
    assert weighted.estimate > panel.estimate
    assert "panel (mean)" in {row.judge for row in jb.judge_agreement(rated(), panel="mean").rows}
    # Words have no mean: the majority stands in.
    assert "panel (majority)" in {row.judge for row in jb.judge_agreement(table, panel="mean").rows}
    tests = jb.alternative_annotator_test(table, epsilon=0.1, panel="weighted")
    assert tests["panel (weighted)"].panel_of == ("guess", "kind", "like")
    with pytest.raises(InputError, match="panel must be one of"):
        jb.judge_agreement(table, panel="best")  # type: ignore[arg-type]


def test_categories_and_lengths_say_where_a_judge_differs() -> None:
    table = rated(n=90, raters=12)
    # The judge "like" fails on code, whose answers are also the longest.
    for k, (item, rater) in enumerate(zip(table["item"], table["rater"], strict=True)):
        if rater == "like" and int(item[1:]) >= 60:
            table["score"][k] = 4 - table["score"][k]
    categories = {f"q{k}": "code" if k >= 60 else "chat" for k in range(90)}
    lengths = {(f"q{k}", "new"): 2.0 ** (k / 15) for k in range(90)}
    found = jb.judge_agreement(table, categories=categories, lengths=lengths)
    parts = {row.stratum: row for row in found.rows if row.judge == "like" and row.stratum}
    assert list(parts) == [
        "category: chat", "category: code", "length: short", "length: middle", "length: long"
    ]  # fmt: skip
    assert [parts[name].n_units for name in parts] == [60, 30, 30, 30, 30]
    code, chat = parts["category: code"], parts["category: chat"]
    assert code.interval is not None
    assert chat.interval is not None
    assert code.interval.high < chat.interval.low
    trend = next(row for row in found.trends if row.judge == "like")
    assert trend.interval is not None
    assert trend.interval.high < 0
    # The gap to people on code less that on chat; its p is one of 3 judges × (5 parts and a trend).
    assert code.difference is not None
    assert chat.difference is not None
    assert code.contrast == pytest.approx(code.difference - chat.difference)
    assert code.contrast is not None
    assert chat.contrast == pytest.approx(-code.contrast)
    assert code.adjusted_by == "Benjamini–Hochberg over 18 looks at where judges differ"
    looks = [(row.p, row.p_adjusted) for row in parts.values()] + [(trend.p, trend.p_adjusted)]
    for p, adjusted in looks:
        assert p is not None
        assert adjusted is not None
        assert p <= adjusted
    assert code.p_adjusted is not None
    assert code.p_adjusted < 0.05
    assert code.contrast_high is not None
    assert code.contrast_high < 0
    said = strata_finding("like", list(parts.values()))
    assert said is not None
    assert said.sentence.startswith("Exploratory: like falls behind people on ")
    assert (
        "; p < 0.001 by Benjamini–Hochberg over 18 looks at where judges differ)." in said.sentence
    )
    # Another judge's part whose p is its own only is not told.
    unsure = [replace(row, p=0.04, p_adjusted=0.2) for row in parts.values()]
    assert strata_finding("like", unsure) is None
    # A category for all items alone, or unknown ones, tell nothing apart.
    same = jb.judge_agreement(table, categories={f"q{k}": "chat" for k in range(90)})
    assert all(row.stratum is None for row in same.rows)
    assert not jb.judge_agreement(table, lengths={("elsewhere", "new"): 3.0}).trends
    alike = {(f"q{k}", "new"): 100.0 + k for k in range(90)}
    assert not jb.judge_agreement(table, lengths=alike).trends


def test_shares_and_their_differences_stay_within_their_bounds() -> None:
    # Two items: without one of them the judge agrees always or in half, beyond the logit's reach.
    votes = {
        "item": [1, 1, 1, 2, 2, 2], "system_a": ["new"] * 6, "system_b": ["old"] * 6,
        "rater": ["ada", "ben", "j"] * 2, "rater_kind": ["person", "person", "judge"] * 2,
        "winner": ["a", "b", "a", "b", "b", "b"],
    }  # fmt: skip
    row = jb.judge_agreement(votes).of("j", "percent")
    assert row.interval is not None
    assert (row.interval.low, row.interval.high) == (0.0, 1.0)
    assert (row.ceiling_low, row.ceiling_high) == (0.0, 1.0)
    assert (row.difference_low, row.difference_high) == (-1.0, 1.0)


def test_detections_have_judges_too() -> None:
    rng = np.random.default_rng(3)
    rows = []
    for k in range(40):
        truth = "real" if k % 2 else "generated"
        for rater in ("r1", "r2", "r3", "j"):
            other = "generated" if truth == "real" else "real"
            answer = truth if rng.random() > (0.05 if rater == "j" else 0.25) else other
            kind = "judge" if rater == "j" else "person"
            rows.append((f"q{k}", "cam" if k % 2 else "gen", rater, kind, truth, answer))
    names = ("item", "system", "rater", "rater_kind", "truth", "answer")
    table: dict[str, list[Any]] = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    found = jb.judge_agreement(table).of("j", "percent")
    assert found.difference is not None
    assert found.difference > 0
    assert "judge/origin/j" in {f.id for f in jb.analyze(table).findings}


# Edges.


def small(**columns: Any) -> dict[str, Any]:
    table = {
        "item": ["q1", "q1", "q1", "q2", "q2", "q2"],
        "system": ["new"] * 6,
        "rater": ["ada", "ben", "j"] * 2,
        "rater_kind": ["person", "person", "judge"] * 2,
        "score": [1, 2, 2, 4, 5, 4],
        "status": ["answered"] * 6,
    }
    return {**table, **columns}


def test_a_judge_whose_every_reply_is_unusable_is_named_and_not_measured() -> None:
    table = small(status=["answered", "answered", "unusable"] * 2, score=[1, 2, None, 4, 5, None])
    row = jb.judge_agreement(table).of("j", "weighted_kappa")
    assert (row.estimate, row.undefined) == (None, "the judge has no usable answer")
    assert (row.n_unusable, row.n_replies) == (2, 2)
    said = sentence(jb.analyze(table), "judge/overall/j")
    assert "cannot be set beside people on overall: the judge has no usable answer." in said
    assert "2 of its 2 replies were unusable and count nowhere." in said


def test_no_overlap_is_said() -> None:
    table = small(item=["q1", "q1", "q3", "q2", "q2", "q4"])
    row = jb.judge_agreement(table).of("j", "weighted_kappa")
    assert row.undefined == "no unit has an answer of the judge and of a person"


def test_one_rater_has_no_ceiling() -> None:
    table = small(
        rater=["ada", "j", "j"] * 2, rater_kind=["person", "judge", "judge"] * 2,
        item=["q1", "q1", "q2", "q2", "q3", "q4"], score=[1, 2, 2, 4, 5, 4],
    )  # fmt: skip
    said = sentence(jb.analyze(table), "judge/overall/j")
    assert "how far two people agree is not known: no unit of the judge has two people's" in said


def test_a_judge_without_a_name_and_a_table_without_raters_are_said() -> None:
    with pytest.raises(InputError, match="row 3: a judge's row needs the judge's name"):
        jb.judge_agreement(small(rater=["ada", "ben", None, "ada", "ben", "j"]))
    nameless = {name: values for name, values in small().items() if name != "rater"}
    assert "without items and raters no judge can be set beside people" in (
        jb.analyze(nameless).warnings
    )


def test_few_items_are_refused_the_test_with_a_sentence() -> None:
    row = jb.alternative_annotator_test(small(), epsilon=0.2)["j"]
    assert isinstance(row, AlternativeAnnotatorTest)
    assert (row.estimate, row.undefined) == (None, "the test needs 3 raters, and there are 2")
    (table,) = (t for t in jb.analyze(small()).tables if t.id.startswith("alternative_annotator/"))
    # The reason stands in a sentence, and not in the narrow cell.
    assert table.rows[0][4] == "not tested"
    with pytest.raises(InputError, match="epsilon must lie from 0 up to 1"):
        jb.alternative_annotator_test(small(), epsilon=2)


def test_a_judge_that_always_says_the_same_is_told() -> None:
    table = rated(n=40)
    for k, rater in enumerate(table["rater"]):
        if rater == "guess":
            table["score"][k] = 1
    row = jb.judge_agreement(table).of("guess", "weighted_kappa")
    assert row.estimate == pytest.approx(0.0, abs=1e-12)
    assert "Mind: the judge gives one answer only." in sentence(
        jb.analyze(table), "judge/overall/guess"
    )


def test_one_item_has_no_interval_and_says_why() -> None:
    table = {name: values[:3] for name, values in small().items()}
    found = jb.analyze(table)
    row = next(f.result for f in found.findings if f.id == "judge/overall/j")
    assert row.interval is None
    assert row.undefined
    assert row.undefined in sentence(found, "judge/overall/j")


def test_no_person_and_no_judge_are_refused_with_a_sentence() -> None:
    with pytest.raises(InputError, match="there is no judge beside people"):
        jb.judge_agreement(small(rater_kind=["judge"] * 6))
    with pytest.raises(InputError, match="there is no judge beside people"):
        jb.alternative_annotator_test(small(rater_kind=["person"] * 6), epsilon=0.1)
    one = small()
    with pytest.raises(InputError, match="a panel needs two judges, and there is j alone"):
        jb.judge_agreement(one, panel="mean")
    # The study may ask for a panel before it has two judges; the one it has is looked at.
    assert "judge/overall/j" in {f.id for f in jb.analyze(one, panel="mean").findings}


def test_a_judge_may_bear_a_persons_name_or_the_panels() -> None:
    table = rated(n=40)
    names = {"like": "r0", "guess": "panel (mean)"}
    table["rater"] = [
        names.get(rater, rater) if kind == "judge" else rater
        for rater, kind in zip(table["rater"], table["rater_kind"], strict=True)
    ]
    found = jb.judge_agreement(table, panel="mean")
    assert sorted({row.judge for row in found.rows}) == [
        "kind", "panel (mean)", "panel (mean) of all", "r0",
    ]  # fmt: skip
    plain = jb.judge_agreement(rated(n=40)).of("like", "weighted_kappa")
    row = found.of("r0", "weighted_kappa")
    assert (row.estimate, row.ceiling, row.n_raters) == (plain.estimate, plain.ceiling, 6)
    assert jb.analyze(table).n_raters == 6


HOSTILE = (
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "a'; DROP TABLE x; --",
    "\u202ej|k",
)


def test_hostile_names_are_names(tmp_path: Path) -> None:
    table = rated(n=20)
    who = dict(zip(("like", "guess", "kind", "r1"), HOSTILE, strict=True))
    table["rater"] = [who.get(rater, rater) for rater in table["rater"]]
    found = jb.analyze(table, panel="majority", epsilon=0.1)
    assert {f"judge/overall/{name}" for name in HOSTILE[:3]} <= {f.id for f in found.findings}
    page = html(found, versions=VERSIONS)
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    written = write_report(found, tmp_path / "out", formats=("html", "md", "json", "csv"))
    assert all(tmp_path / "out" in path.resolve().parents for path in written)


def test_words_without_end_are_no_scale() -> None:
    n = 310
    table = {
        "item": [f"q{k}" for k in range(n) for _ in range(3)],
        "rater": ["ada", "ben", "j"] * n,
        "rater_kind": ["person", "person", "judge"] * n,
        "score": [f"{who} says {k}" for k in range(n) for who in ("one", "two", "three")],
    }
    with pytest.raises(InputError, match="930 different answers are no scale"):
        jb.judge_agreement(table)
    assert any("930 different answers" in warning for warning in jb.analyze(table).warnings)


def test_rankings_and_spans_are_not_set_beside_and_say_so() -> None:
    table = {
        "item": ["q1"] * 4,
        "system": ["new", "old"] * 2,
        "rater": ["ada", "ada", "j", "j"],
        "rater_kind": ["person", "person", "judge", "judge"],
        "rank": [1, 2, 2, 1],
    }
    assert "judges' rankings are not set beside people's; ratings, votes and detections are" in (
        jb.analyze(table).warnings
    )
    with pytest.raises(InputError, match="laid beside ratings, votes and detections"):
        jb.judge_agreement(table)


def test_rows_print_and_go_into_a_frame() -> None:
    found = jb.judge_agreement(rated(), panel="mean")
    assert "like, kappa with quadratic weights with a person" in str(found)
    columns = found.to_columns()
    assert set(columns) >= {"judge", "estimate", "low", "ceiling", "difference", "n_unusable"}
    assert type(found).from_dict(found.to_dict()) == found
    assert all(isinstance(row, JudgeAgreement) for row in found)


def test_each_sentence_stands_in_the_report_once_beside_its_tables() -> None:
    table = rated(n=20)
    many = {name: values * 2 for name, values in table.items()}
    # One name is the beginning of the other.
    many["criterion"] = ["fit"] * len(table["item"]) + ["fit/style"] * len(table["item"])
    found = jb.analyze(many)
    page = markdown(found, versions=VERSIONS)
    section = page[page.index("## Judges beside people") : page.index("## Results")]
    for finding in found.findings:
        if finding.standing == "judge":
            sentence = finding.sentence.replace("_", r"\_")
            # What is unknown of several judges alike is said of all at once.
            alike = sentence[sentence.index(" on ") :] if "/unknown" in finding.id else sentence
            assert section.count(alike) == 1
    for shown in found.tables:
        if shown.id.startswith(("judges/", "alternative_annotator/", "confusion/")):
            assert section.count(f"**{shown.title}**") == 1, shown.title


def test_several_criteria_each_have_their_findings() -> None:
    table = rated(n=20)
    many = {name: values * 2 for name, values in table.items()}
    many["criterion"] = ["fit"] * len(table["item"]) + ["style"] * len(table["item"])
    found = jb.analyze(many)
    ids = {f.id for f in found.findings}
    assert {"judge/fit/like", "judge/style/like"} <= ids
    with pytest.raises(InputError, match="choose one with criterion="):
        jb.judge_agreement(many)
    one = jb.judge_agreement(many, criterion="style").of("like", "weighted_kappa")
    assert one.criterion == "style"


def test_a_panel_without_people_is_said_to_be_left_out() -> None:
    rows = [
        (i, s, j, (i + (s == "x") + (j == "a")) % 4) for i in range(6) for s in "xy" for j in "ab"
    ]
    table: dict[str, list[Any]] = dict(
        zip(("item", "system", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True)
    )
    table["rater_kind"] = ["judge"] * len(rows)
    said = "the panel of all judges (mean) is measured beside people, and no person answered"
    assert any(said in warning for warning in jb.analyze(table, panel="mean").warnings)
    assert not any("panel" in warning for warning in jb.analyze(table).warnings)
