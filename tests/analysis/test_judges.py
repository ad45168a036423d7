"""Judges beside people: the public functions, the chapter, and the PandaLM test set."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from statistics import mean
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

import jurybox as jb
from jurybox.analysis.judges.findings import strata_finding
from jurybox.errors import InputError
from jurybox.report import html, markdown
from tests import reference
from tests.analysis.planted_judges import VERSIONS, rated, sentence


def pandalm() -> Any:
    return reference.table("pandalm_pairwise", "pandalm_votes.csv")


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
