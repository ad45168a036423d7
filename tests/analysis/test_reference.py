"""Published and independently computed values of real studies and textbook tables.

Every set is read by its own ``mapping.yaml``, through the functions that users call.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

import jurybox as jb
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.strengths.bradley_terry import BradleyTerry
from tests import reference
from tests.reference import QUICK


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_of_krippendorff_2011(level: Level) -> None:
    known = reference.expected("textbook")["krippendorff2011"]
    found = jb.krippendorff_alpha(reference.krippendorff(), level=level)
    assert found.estimate == pytest.approx(known["computed"][level], abs=1e-12)
    assert round(found.estimate or 0, 3) == known["published"][level]
    # Unit 12 has one response, which pairs with none.
    assert (found.n_units, found.n_responses, found.n_dropped) == (11, 40, 1)


def test_kappa_of_fleiss_1971() -> None:
    known = reference.expected("textbook")["fleiss1971"]
    found = jb.fleiss_kappa(reference.fleiss())
    assert found.estimate == pytest.approx(known["computed"]["kappa"], abs=1e-12)
    assert round(found.estimate or 0, 2) == known["published"]["kappa"]
    alpha = jb.krippendorff_alpha(reference.fleiss(), level="nominal")
    assert alpha.estimate == pytest.approx(known["computed"]["alpha_nominal"], abs=1e-12)


def test_davidson_pudding() -> None:
    known = reference.expected("textbook")["davidson1970_pudding"]
    found = jb.bradley_terry(reference.pudding(), ties="davidson")
    assert _worth(found, list("123456")) == pytest.approx(
        known["computed_davidson"]["worth_sum1"], abs=1e-6
    )
    assert _worth(found, list("123456")) == pytest.approx(known["published"]["worth"], abs=5e-5)
    assert found.tie_parameter == pytest.approx(known["computed_davidson"]["tie_param"], abs=1e-6)
    assert found.tie_parameter == pytest.approx(known["published"]["tie"], abs=5e-5)
    assert found.log_likelihood == pytest.approx(known["computed_davidson"]["loglik"], abs=1e-6)
    half = jb.bradley_terry(reference.pudding(), ties="half")
    assert _worth(half, list("123456")) == pytest.approx(
        known["computed_ties_as_half"]["worth_sum1"], abs=1e-6
    )


def _worth(found: BradleyTerry, systems: list[str]) -> list[float]:
    worth = [math.exp(found[system].estimate) for system in systems]
    return [each / sum(worth) for each in worth]


def test_agresti_baseball() -> None:
    known = reference.expected("textbook")["agresti_baseball1987"]
    found = jb.bradley_terry(reference.baseball())
    base = found["Baltimore"].estimate
    for team, value in known["computed"]["model1"].items():
        assert found[team].estimate - base == pytest.approx(value, abs=1e-6)
    above = sorted(round(row.estimate - base, 2) for row in found if row.name != "Baltimore")
    assert above == known["published"]["model1_sorted"]
    # No ties: Davidson's model is Bradley–Terry's, and says so.
    assert any("ν is 0" in note for note in found.notes)


def test_agresti_baseball_with_home_advantage() -> None:
    known = reference.expected("textbook")["agresti_baseball1987"]
    found = jb.bradley_terry(reference.baseball(), ties="drop", position=True, cluster=None)
    (home,) = found.coefficients
    assert home.estimate == pytest.approx(known["computed"]["home_advantage"], abs=1e-6)
    assert round(home.estimate or 0, 3) == known["published"]["home_advantage"]
    teams = known["computed"]["model2_abilities_sum1"]
    worth = _worth(found, list(teams))
    assert worth == pytest.approx(list(teams.values()), abs=1e-6)
    # The smallest is 0.04356, published as 0.044; all others round to what is published, too.
    assert [round(each, 3) for each in sorted(worth)] == pytest.approx(
        known["published"]["model2_abilities_sorted"], abs=1e-9
    )


def test_rao_kupper_pudding() -> None:
    known = reference.expected("textbook")["davidson1970_pudding"]["computed_rao_kupper"]
    found = jb.bradley_terry(reference.pudding(), ties="rao_kupper")
    assert _worth(found, list("123456")) == pytest.approx(known["worth_sum1"], abs=1e-6)
    assert found.tie_parameter == pytest.approx(known["tie_param"], abs=1e-6)
    assert found.log_likelihood == pytest.approx(known["loglik"], abs=1e-6)


@pytest.mark.parametrize("name", ["food", "simple"])
def test_evalica_golden_scores(name: str) -> None:
    found = jb.bradley_terry(reference.evalica(name), ties="half")
    golden = reference.evalica_golden(name, "bradley_terry")
    assert _worth(found, list(golden)) == pytest.approx(list(golden.values()), abs=1e-6)
    for system, value in reference.expected("evalica_toy")["computed"][name]["bt"].items():
        assert found[system].estimate == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("name", ["food", "simple"])
def test_evalica_average_win_rate_is_the_mean_over_opponents(name: str) -> None:
    rates = jb.win_rates(reference.evalica(name))
    golden = reference.evalica_golden(name, "average_win_rate")
    # A pair's only vote is no share here; evalica counts it as 0, ½ or 1.
    given = {
        (row["left"], row["right"]): {"left": 1.0, "right": 0.0}.get(row["winner"], 0.5)
        for row in reference.rows_of(f"evalica_toy/data/{name}.csv")
    }
    for system, value in golden.items():
        against = []
        for pair in rates.pairs:
            one, two = pair.system or "", pair.other or ""
            share = pair.estimate
            if share is None:
                assert pair.n_responses == 1
                share = given[one, two] if (one, two) in given else 1 - given[two, one]
            if system == one:
                against.append(share)
            elif system == two:
                against.append(1 - share)
        assert sum(against) / len(against) == pytest.approx(value, abs=1e-12)


class TestPandaLM:
    KNOWN = reference.expected("pandalm_pairwise")

    @staticmethod
    def votes(*raters: str) -> Any:
        only = {"only": {"rater": list(raters)}} if raters else {}
        return reference.table("pandalm_pairwise", "pandalm_votes.csv", **only)

    @pytest.mark.parametrize("pair", ["1-2", "1-3", "2-3"])
    def test_kappas_of_pairs(self, pair: str) -> None:
        votes = self.votes(*(f"annotator{part}" for part in pair.split("-")))
        found = jb.cohen_kappa(votes, n_resamples=50)
        assert found.estimate == pytest.approx(self.KNOWN["computed"]["cohen"][pair], abs=1e-9)
        assert round(found.estimate or 0, 2) == self.KNOWN["published"]["cohen_kappa"][pair]
        percent = jb.percent_agreement(votes, n_resamples=50)
        known = self.KNOWN["computed"]["raw_agree"][pair]
        assert percent.estimate == pytest.approx(known, abs=1e-9)

    def test_agreement_of_all_people(self) -> None:
        known = self.KNOWN["computed"]
        fleiss = jb.fleiss_kappa(self.votes(), n_resamples=50)
        assert fleiss.estimate == pytest.approx(known["fleiss"], abs=1e-9)
        alpha = jb.krippendorff_alpha(self.votes(), level="nominal", n_resamples=50)
        assert alpha.estimate == pytest.approx(known["alpha_nominal"], abs=1e-9)
        mean = sum(known["cohen"].values()) / 3
        cohen = jb.cohen_kappa(self.votes(), n_resamples=50)
        assert cohen.estimate == pytest.approx(mean, abs=1e-9)
        rates = jb.win_rates(self.votes())
        assert sum(pair.n_responses or 0 for pair in rates.pairs) == 2997

    def test_judges_are_kept_apart_and_garbage_is_no_tie(self) -> None:
        found = jb.analyze(self.votes(), n_resamples=50)
        assert (found.n_responses, found.n_raters, found.n_items) == (2997, 3, 999)
        assert "25 rows are unusable by their winner" in found.took
        assert "1,998 rows of judges left out of people's figures" in found.took

    @staticmethod
    def majority() -> list[dict[str, str]]:
        """The rows with the answer that two of three people gave; all have one."""
        rows = reference.rows_of("pandalm_pairwise/data/pandalm_votes.csv")
        for row in rows:
            ((row["majority"], n),) = Counter(row[f"annotator{i}"] for i in (1, 2, 3)).most_common(
                1
            )
            assert n >= 2
        return rows

    def test_strengths_and_win_rates_by_majority(self) -> None:
        rows = self.majority()
        dist = Counter(row["majority"] for row in rows)
        assert dist == self.KNOWN["computed"]["majority_dist"]
        assert dist == self.KNOWN["published"]["majority_labels"]
        table = {name: [row[name] for row in rows] for name in rows[0]}
        votes = jb.mapped(
            table,
            map={"item": "idx", "system_a": "system_1", "system_b": "system_2"},
            raters=["majority"],
            values={"winner": {"1": "a", "2": "b", "0": "tie"}},
        )
        known = self.KNOWN["computed"]["bt_majority"]
        strengths = jb.bradley_terry(votes, ties="half")
        for system, value in known["log_strength_centered"].items():
            assert strengths[system].estimate == pytest.approx(value, abs=1e-6)
        rates = jb.win_rates(votes)
        for system, value in known["win_rate_half_ties"].items():
            assert rates[system].estimate == pytest.approx(value, abs=1e-9)
        for pair, (won, lost, tied) in self.KNOWN["computed"]["win_lose_tie_majority"].items():
            one, two = pair.split("|")
            (row,) = (p for p in rates.pairs if {p.system, p.other} == {one, two})
            share = (won + tied / 2) / (won + lost + tied)
            mine = row.estimate if row.system == one else 1 - (row.estimate or 0)
            assert mine == pytest.approx(share, abs=1e-12)
            assert row.n_responses == won + lost + tied

    @pytest.mark.parametrize("judge", ["gpt35", "pandalm7b"])
    def test_judges_against_the_majority(self, judge: str) -> None:
        rows, known = self.majority(), self.KNOWN["computed"][judge]
        assert Counter(row[judge] for row in rows) == known["labels"]
        table = {name: [row[name] for row in rows] for name in rows[0]}
        # As words, so that garbage is an answer of its own, which is how the table was made.
        words = {v: f"answer {v}" for v in ("0", "1", "2", "garbage")}
        answers = jb.mapped(
            table, map={"item": "idx"}, raters=["majority", judge], values={"score": words}
        )
        percent = jb.percent_agreement(answers, **QUICK)
        assert percent.estimate == pytest.approx(known["accuracy"], abs=1e-9)
        kappa = jb.cohen_kappa(answers, **QUICK)
        assert kappa.estimate == pytest.approx(known["kappa"], abs=1e-9)
        pairs = [(row["majority"], row[judge]) for row in rows]
        for name, value in zip(("precision", "recall", "f1"), _macro(pairs), strict=True):
            assert value == pytest.approx(known[f"macro_{name}"], abs=1e-9)

    def test_garbage_left_out(self) -> None:
        known = self.KNOWN["computed"]["gpt35_without_garbage"]
        rows = [row for row in self.majority() if row["gpt35"] != "garbage"]
        table = {name: [row[name] for row in rows] for name in rows[0]}
        votes = jb.mapped(
            table,
            map={"item": "idx", "system_a": "system_1", "system_b": "system_2"},
            raters=["majority", "gpt35"],
            values={"winner": {"1": "a", "2": "b", "0": "tie"}},
        )
        percent = jb.percent_agreement(votes, **QUICK)
        assert percent.estimate == pytest.approx(known["accuracy"], abs=1e-9)
        assert percent.n_units == known["n"]
        pairs = [(row["majority"], row["gpt35"]) for row in rows]
        assert _macro(pairs)[2] == pytest.approx(known["macro_f1"], abs=1e-9)

    def test_the_published_ratio_of_f1_is_not_that_of_the_released_files(self) -> None:
        # Published: PandaLM reaches 93.75% of GPT-3.5's F1. The files say 108.9% (garbage counted
        # as wrong) or 107.7% (garbage dropped).
        computed = self.KNOWN["computed"]
        ratio = computed["pandalm7b"]["macro_f1"] / computed["gpt35"]["macro_f1"]
        dropped = computed["pandalm7b"]["macro_f1"] / computed["gpt35_without_garbage"]["macro_f1"]
        assert (round(ratio, 3), round(dropped, 3)) == (1.089, 1.077)
        assert self.KNOWN["published"]["pandalm_f1_over_gpt35_f1"] == 0.9375


def _macro(pairs: list[tuple[str, str]]) -> tuple[float, float, float]:
    """Precision, recall and F1 of each of the three answers, averaged."""
    found = []
    for answer in "012":
        hits = sum(true == answer == said for true, said in pairs)
        said_so = sum(said == answer for _, said in pairs)
        were_so = sum(true == answer for true, _ in pairs)
        precision, recall = hits / said_so, hits / were_so
        found.append((precision, recall, 2 * hits / (said_so + were_so)))
    one, two, three = (sum(column) / 3 for column in zip(*found, strict=True))
    return one, two, three


def test_imagic_has_a_mean_and_no_interval() -> None:
    row = jb.mean_scores(reference.imagenhub("Text-Guided_IE"), criterion="SC")["Imagic"]
    assert (row.estimate, row.interval) == (0, None)


def test_imagenhub_is_analyzed_with_its_level_and_its_overall_rating() -> None:
    found = jb.analyze(reference.imagenhub("Multi-Subject_IG"), n_resamples=50)
    assert not any("the level is not stated" in sentence for sentence in found.took)
    assert [t.id for t in found.tables if t.id.startswith("mean_scores/")] == [
        "mean_scores/SC",
        "mean_scores/PR",
        "mean_scores/overall",
    ]


class TestTed:
    KNOWN = reference.expected("wmt21_ted_mqm")

    def test_scores_of_systems(self) -> None:
        known = self.KNOWN["computed"]["ende"]
        found = jb.span_scores(reference.table("wmt21_ted_mqm", "mqm_ted_ende_spans.tsv"))
        for system, value in known["computed"].items():
            row = found[system]
            assert row.estimate == pytest.approx(value, abs=1e-9)
            # The references are called ref, ref.A and ref-A in the three places.
            published = known["published"][{"ref": "ref.A"}.get(system, system)]
            in_file = known["avg_file"][{"ref": "ref-A"}.get(system, system)]
            assert round(row.estimate, 3) == in_file
            if system == "eTranslation":
                # Published as 1.96: cut off, not rounded.
                assert (round(row.estimate, 2), published) == (1.97, 1.96)
                assert math.floor(100 * row.estimate) / 100 == published
            else:
                assert round(row.estimate, 2) == published
            assert row.n_items == known["n_segments"]

    def test_one_rater_per_segment_leaves_no_agreement(self) -> None:
        found = jb.analyze(
            reference.table("wmt21_ted_mqm", "mqm_ted_ende_spans.tsv"), n_resamples=50
        )
        assert found.n_raters == self.KNOWN["computed"]["ende"]["n_raters"]
        assert found.took[0].startswith("mqm_ted_ende_spans.tsv: 8,435 rows taken as spans")


def test_gengap_by_its_mapping() -> None:
    known = reference.expected("gengap_turing")["computed"]
    table = reference.table("gengap_turing", "responses_long.csv")
    found = jb.turing_test(table)
    assert found == jb.turing_test(reference.gengap())
    assert found["Stable Diffusion"].estimate == pytest.approx(
        known["fooling_rate_machine_called_human"], abs=1e-12
    )
    for age in ("young", "old"):
        part = reference.table("gengap_turing", "responses_long.csv", only={"age_group": age})
        assert jb.turing_test(part) == jb.turing_test(reference.gengap(age=age))
    told = jb.analyze(table)
    assert {each.rule for each in told.excluded} == {"attention_failed"}
    assert len(told.excluded) == known["n_total"] - known["n_clean"]
