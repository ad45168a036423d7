"""What detections say; GenGap, whose published figures are reproduced."""

from __future__ import annotations

import math
import random
import re
from itertools import compress
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.api import calibration, turing_test
from jurybox.analysis.finding import Column, format_cells
from jurybox.report.formats.markdown import markdown
from jurybox.stats.detection.turing import Counts, Sensitivity, TuringTest, plain_sensitivity
from jurybox.stats.shares import ShareDifference, wilson
from jurybox.study import Study
from jurybox.tally.mapping import mapped
from tests.reference import Columns, columns, expected, gengap

EXPECTED = expected("gengap_turing")["computed"]
PUBLISHED = expected("gengap_turing")["published"]


@pytest.fixture(scope="module")
def study() -> TuringTest:
    return turing_test(gengap(), cluster="rater")


def test_gengap_counts_and_rates(study: TuringTest) -> None:
    assert len(study.raters) == EXPECTED["n_clean"] == PUBLISHED["n_after"]
    assert sum(r.n_responses or 0 for r in study.raters) == EXPECTED["n_responses"]
    assert study.fooling is not None
    assert study.hit is not None
    assert study.false_rejection is not None
    assert study.balanced_accuracy is not None
    close = {
        study.fooling.estimate: "fooling_rate_machine_called_human",
        study.hit.estimate: "hit_rate_machine",
        study.false_rejection.estimate: "false_alarm_rate",
        # Half of the images are real, so accuracy is balanced accuracy.
        study.balanced_accuracy.estimate: "accuracy",
    }
    for found, name in close.items():
        assert found == pytest.approx(EXPECTED[name], abs=1e-12)
    assert study.hit.estimate == pytest.approx(EXPECTED["acc_fake"], abs=1e-12)
    assert 1 - (study.false_rejection.estimate or 0) == pytest.approx(EXPECTED["acc_real"])
    assert study.hit.called_generated == round(3360 * EXPECTED["acc_fake"])
    assert round(study.balanced_accuracy.estimate or 0, 4) == PUBLISHED["overall_accuracy"]


def test_gengap_by_age_and_with_everybody() -> None:
    for age in ("young", "old"):
        found = turing_test(gengap(age=age))
        assert found.balanced_accuracy is not None
        assert found.balanced_accuracy.estimate == pytest.approx(EXPECTED[f"acc_{age}"])
        assert len(found.raters) == EXPECTED[f"n_{age}"]
    everybody = turing_test(gengap(everybody=True))
    assert len(everybody.raters) == EXPECTED["n_total"]
    assert everybody.balanced_accuracy is not None
    assert everybody.balanced_accuracy.estimate == pytest.approx(EXPECTED["acc_all_120"])


def test_gengap_d_prime(study: TuringTest) -> None:
    total = Counts(
        hits=sum(r.hits for r in study.raters),
        generated=sum(r.generated for r in study.raters),
        false_alarms=sum(r.false_alarms for r in study.raters),
        real=sum(r.real for r in study.raters),
    )
    # The published kind of figure: pooled and uncorrected.
    assert plain_sensitivity(total) == pytest.approx(
        (EXPECTED["dprime_pooled"], EXPECTED["criterion_c_pooled"]), abs=1e-9
    )
    assert study.sensitivity is not None
    # Ours, pooled: ½ and 1 are added; and the mean of the participants' own, which is larger.
    assert study.sensitivity.pooled == pytest.approx(EXPECTED["dprime_pooled"], abs=0.002)
    own = [
        ndtri((r.hits + 0.5) / (r.generated + 1)) - ndtri((r.false_alarms + 0.5) / (r.real + 1))
        for r in study.raters
    ]
    assert study.sensitivity.estimate == pytest.approx(np.mean(own), abs=1e-9)
    assert np.mean(own) == pytest.approx(2.4985, abs=1e-4)
    assert study.sensitivity.n_raters == 112
    # Without the correction 25 and 12 participants would have no d′.
    assert sum(r.false_alarms == 0 for r in study.raters) == 25
    assert sum(r.hits == r.generated for r in study.raters) == 12


def test_gengap_t_over_participants_and_the_printed_z(study: TuringTest) -> None:
    accuracy = study.balanced_accuracy
    assert accuracy is not None
    assert accuracy.interval is not None
    assert accuracy.estimate is not None
    # Everybody answered 30 and 30, so clustering by rater is the one-sample t over participants.
    half = (accuracy.interval.high - accuracy.interval.low) / 2
    t = (accuracy.estimate - 0.5) / (half / stats.t.ppf(0.975, 111))
    assert t == pytest.approx(EXPECTED["proper_one_sample_t"], abs=1e-6)
    assert accuracy.p == pytest.approx(EXPECTED["proper_p"], rel=1e-3)
    # What the notebook prints as "one sample t-test" is a z on 112 single trials, of the accuracy
    # rounded to four digits.
    share = round(accuracy.estimate, 4)
    z_on_112_trials = (share - 0.5) / math.sqrt(share * (1 - share) / 112)
    assert z_on_112_trials == pytest.approx(EXPECTED["notebook_style_t"], abs=1e-9)
    assert round(z_on_112_trials, 4) == PUBLISHED["t_statistic_printed"]
    assert 2 * stats.t.sf(z_on_112_trials, 111) == pytest.approx(PUBLISHED["p_printed"], rel=1e-4)


def test_gengap_pooled_wilson_is_too_narrow(study: TuringTest) -> None:
    pooled = wilson(EXPECTED["accuracy"], 6720, 0.95)
    assert (pooled.low, pooled.high) == pytest.approx(EXPECTED["wilson95_pooled"], abs=1e-9)
    both = turing_test(gengap()).balanced_accuracy
    assert both is not None
    assert both.interval is not None
    assert both.interval.high - both.interval.low > 3 * (pooled.high - pooled.low)


def test_gengap_mixed_anova_on_participants(study: TuringTest) -> None:
    """The figure's p = .018 is of an ANOVA on participants, which takes the images as given."""
    young = {row for row in gengap(age="young")["rater"]}
    real = {r.rater: 100 * (1 - (r.false_rejection or 0)) for r in study.raters}
    fake = {r.rater: 100 * (1 - (r.fooling_rate or 0)) for r in study.raters}
    groups = [[r for r in real if r in young], [r for r in real if r not in young]]
    age, truth, both = EXPECTED["mixed_anova"]
    means = [np.array([(real[r] + fake[r]) / 2 for r in g]) for g in groups]
    assert stats.f_oneway(*means).statistic == pytest.approx(age["F"], abs=1e-6)
    # One within factor of two levels: t tests on the differences within participants.
    gaps = [np.array([real[r] - fake[r] for r in g]) for g in groups]
    error = sum(((g - g.mean()) ** 2).sum() for g in gaps) / 110
    overall = np.concatenate(gaps).mean()
    f = 112 * overall**2 / error
    assert f == pytest.approx(truth["F"], abs=1e-6)
    assert stats.f.sf(f, 1, 110) == pytest.approx(truth["p_unc"], abs=1e-9)
    assert f"{stats.f.sf(f, 1, 110):.3f}".lstrip("0") in PUBLISHED["p_image_authenticity"]
    between = sum(len(g) * (g.mean() - overall) ** 2 for g in gaps)
    assert between / error == pytest.approx(both["F"], abs=1e-6)


def simulated(
    shares: dict[str, float], *, raters: int = 12, levels: int = 0, seed: int = 1
) -> Columns:
    """Outputs called real with these chances; ``levels``: with a confidence 1 … levels."""
    draw = random.Random(seed)
    rows = []
    for r in range(raters):
        for i in range(12):
            for system, chance in shares.items():
                truth = "real" if system == "photo" else "generated"
                answer = "real" if draw.random() < chance else "generated"
                row = {"item": f"{system}{i}", "system": system, "rater": f"r{r}"}
                row |= {"truth": truth, "answer": answer}
                rows.append(row | ({"confidence": draw.randint(1, levels)} if levels else {}))
    return columns(rows)


def sentences(found: Analysis) -> str:
    return "\n".join(f.sentence for f in found.findings)


def test_the_gap_reads_in_points() -> None:
    found = analyze(simulated({"photo": 0.8, "a": 0.3, "b": 0.75}))
    table = found.table("fooling")
    assert table is not None
    headings = [column.heading for column in table.columns]
    assert headings[3:5] == ["Minus real, points", "95% simultaneous interval"]
    assert [row[0] for row in table.rows] == ["b", "a", "real outputs"]
    cells = format_cells(table, table.rows[1])
    assert "%" in cells[1]
    assert "%" not in cells[3]
    gap = next(f for f in found.findings if f.id == "acceptance/a")
    assert f"a difference of {cells[3]} points" in gap.sentence
    assert "by max-t" in gap.sentence
    assert gap.told
    assert not next(f for f in found.findings if f.id == "acceptance/b").told


def test_real_outputs_stand_beside_the_generated_ones() -> None:
    found = analyze(simulated({"photo": 0.8, "a": 0.3}))
    table = found.table("fooling")
    assert table is not None
    rejected = next(f for f in found.findings if f.id.startswith("false_rejection")).result
    assert rejected.estimate is not None
    assert rejected.interval is not None
    name, taken, ends, *gap, n = table.rows[-1]
    assert (name, n) == ("real outputs", rejected.n_responses)
    assert taken == 1 - rejected.estimate
    assert ends == (1 - rejected.interval.high, 1 - rejected.interval.low)
    assert gap == [None] * len(gap)
    # Judges have tables of confusion of their own: the page took this one for theirs.
    assert "What outputs were called" in markdown(found, versions={})


def test_more_real_than_real_is_not_called_telling() -> None:
    found = analyze(simulated({"photo": 0.4, "a": 0.9}))
    gap = next(f for f in found.findings if f.id == "acceptance/a")
    assert gap.told
    assert gap.sentence.startswith("Raters take a for real more often than real outputs: its")
    # Nor is a d′ below 0 left to readers who know its sign.
    (d_prime,) = [f for f in found.findings if f.id == "d_prime"]
    words = ", below 0: they call generated outputs real more often than real ones; their bias c"
    assert words in d_prime.sentence
    telling = analyze(simulated({"photo": 0.9, "a": 0.2}))
    assert not any("below 0: they call" in f.sentence for f in telling.findings)


def test_the_headline_says_what_more_data_would_do() -> None:
    found = analyze(simulated({"photo": 0.8, "a": 0.3, "b": 0.75}))
    (more,) = [f for f in found.findings if f.id.startswith("more_data/")]
    head = found.headline
    assert head is not None
    assert (more.criterion, more.systems) == (head.criterion, head.systems)
    gap = head.result
    assert isinstance(gap, ShareDifference)
    assert gap.interval is not None
    assert gap.more_data is not None
    half = (gap.interval.high - gap.interval.low) / 2
    assert gap.more_data.estimate == pytest.approx(half)
    assert more.sentence.startswith(
        f"The 95% interval of {gap.system} − real, taken alone, reaches {100 * half:.1f} points to "
        "each side; with twice the raters about "
    )
    assert more.sentence.endswith(" points in 80% of cases.")
    # A share of 0 or 1 says nothing of how much it varies.
    sure = analyze(simulated({"photo": 0.8, "a": 0.0}))
    assert not [f for f in sure.findings if f.id.startswith("more_data/")]


def test_d_prime_is_shown_by_default() -> None:
    found = analyze(simulated({"photo": 0.8, "a": 0.3}))
    (finding,) = [f for f in found.findings if f.id == "d_prime"]
    # The command line prints what bears on everything, which this standing says.
    assert finding.standing == "quality"
    assert finding.told
    assert finding.sentence.startswith("The raters' mean d′ is")
    assert found.headline is not None
    assert found.headline.id == "acceptance/a"


def test_a_tendency_to_answer_real_is_claimed_only_where_its_interval_says_so() -> None:
    generous = analyze(simulated({"photo": 0.9, "a": 0.8}))
    (finding,) = [f for f in generous.findings if f.id == "d_prime"]
    assert isinstance(finding.result, Sensitivity)
    own = [rater_c(generous, k) for k in range(12)]
    half = stats.t.ppf(0.975, 11) * np.std(own, ddof=1) / np.sqrt(12)
    held = finding.result.bias_interval
    assert held is not None
    assert (held.low, held.high) == pytest.approx((np.mean(own) - half, np.mean(own) + half))
    assert finding.sentence.endswith("): they tend to answer “real”.")
    even = analyze(simulated({"photo": 0.6, "a": 0.4}))
    assert "): that they tend to either answer is not shown." in sentences(even)


def rater_c(found: Analysis, k: int) -> float:
    table = found.table("rater_detections")
    assert table is not None
    return float(table.rows[k][2])


def test_tables_of_a_turing_test() -> None:
    found = analyze(simulated({"photo": 0.8, "a": 0.3, "b": 0.5}, levels=3))
    first = found.table("fooling")
    assert first is not None
    # The heading of p says how it is adjusted, as in the tables of pairs.
    assert [column.heading for column in first.columns if column.kind == "p"] == ["p (max-t)"]
    confusion = found.table("called")
    assert confusion is not None
    assert [row[0] for row in confusion.rows] == [
        "b (generated)",
        "a (generated)",
        "all generated",
        "all real",
    ]
    assert all(row[1] + row[2] == (288 if "all g" in row[0] else 144) for row in confusion.rows)
    systems = found.table("d_prime")
    assert systems is not None
    # As in the first table, whose best system the answer is about.
    assert [row[0] for row in systems.rows] == ["b", "a"]
    assert found.headline is not None
    assert found.headline.systems == ("b",)
    assert "area" in [column.name for column in systems.columns]
    assert systems.caption.startswith("The mean of the raters' own d′")
    raters = found.table("rater_detections")
    assert raters is not None
    assert len(raters.rows) == 12
    assert "the area under the curve is" in sentences(found)


def test_a_caption_tells_of_no_mean_where_nobody_saw_ten_of_a_kind() -> None:
    table = simulated({"photo": 0.8, "a": 0.3, "b": 0.5})
    few = [int(item.lstrip("photab")) < 6 for item in table["item"]]
    short = {name: list(compress(values, few)) for name, values in table.items()}
    found = analyze(short).table("d_prime")
    assert found is not None
    assert "no rater answered 10 real outputs and 10 of one system" in found.caption
    assert all(row[1] is None and row[5] is not None for row in found.rows)


def test_a_caption_tells_of_no_mean_where_nobody_is_named() -> None:
    systems = ["photo", "a", "b"] * 12
    table = {
        "item": [f"q{k}" for k in range(36)],
        "system": systems,
        "truth": ["real" if system == "photo" else "generated" for system in systems],
        **{f"r{n}": ["real" if k * n % 5 < 3 else "generated" for k in range(36)] for n in (1, 2)},
    }
    found = analyze(mapped(table, raters="r?", raters_anonymous=True)).table("d_prime")
    assert found is not None
    assert found.caption.startswith("No mean d′ of the raters: the table names no raters.")
    assert all(row[1] is None and row[5] is not None for row in found.rows)


def test_confidence_without_probability_says_why() -> None:
    found = analyze(simulated({"photo": 0.8, "a": 0.3}, levels=3))
    (finding,) = [f for f in found.findings if f.id == "calibration"]
    assert finding.sentence == (
        "Calibration is undefined: the scale of confidence does not state the probability of each "
        "value."
    )
    assert finding in found.untold
    none = analyze(simulated({"photo": 0.8, "a": 0.3}))
    assert "alibration" not in sentences(none)


def turing_study(**analysis: Any) -> Study:
    return Study(
        title="Real?",
        protocol="detect",
        items="items.csv",
        outputs="{system}.csv",
        systems=["photo", "a"],
        real=["photo"],
        show={"image": {"as": "image"}},
        criteria={
            "origin": {
                "question": "Real or generated?",
                "confidence": {
                    1: {"anchor": "Guessing", "probability": 0.5},
                    2: {"anchor": "Rather sure", "probability": 0.75},
                    3: {"anchor": "Certain", "probability": 1},
                },
            }
        },
        analysis=analysis,
    )


def test_calibration_by_the_scale_of_the_study() -> None:
    data = simulated({"photo": 0.8, "a": 0.3}, levels=3)
    found = analyze(data, study=turing_study())
    alone = calibration(data, probability={1: 0.5, 2: 0.75, 3: 1})
    results = {f.id: f.result for f in found.findings}
    assert results["calibration"] == alone
    assert results["calibration_slope"] == alone.slope
    assert results["brier"] == alone.brier
    assert results["calibration_error"] == alone.error
    reliability = found.table("reliability/origin")
    assert reliability is not None
    assert [row[0] for row in reliability.rows] == ["50%", "75%", "100%"]
    assert sum(row[4] for row in reliability.rows) == 288
    assert found.table("rater_calibration") is not None
    # Confidence drawn by lot says nothing of being right: too sure on top, too flat a slope.
    assert "More confidence means less than it says" in sentences(found)
    (large,) = [f.sentence for f in found.findings if f.id == "calibration"]
    assert re.search(r"a difference of −?\d+\.\d points \(95% interval −\d+\.\d to", large)
    for finding in found.findings:
        assert "interval" in finding.sentence or finding.result.estimate is None


def test_no_interval_of_calibration_leaves_what_is_possible() -> None:
    # Two raters leave one degree of freedom: by t alone, 6 points reach from −237 to 250.
    found = calibration(
        {
            "item": [1, 2, 3, 4] * 2,
            "system": ["photo", "photo", "model", "model"] * 2,
            "rater": ["ada"] * 4 + ["ben"] * 4,
            "truth": ["real", "real", "generated", "generated"] * 2,
            "answer": ["real"] * 3 + ["generated"] + ["real"] * 2 + ["generated"] * 2,
            "confidence": [2, 2, 1, 2, 1, 2, 2, 1],
        },
        probability={1: 0.5, 2: 1},
    )
    assert found.brier is not None
    for row, ends in (
        (found, (-1, 1)),
        (found.brier, (0, 1)),
        *((r, (-1, 1)) for r in found.raters),
    ):
        assert row.interval is not None
        assert ends[0] <= row.interval.low <= row.interval.high <= ends[1]
    assert found.interval is not None
    assert found.interval.low == -1


def test_the_margin_of_the_study_tests_equivalence() -> None:
    data = simulated({"photo": 0.6, "a": 0.6}, raters=40)
    found = analyze(data, study=turing_study(margin=0.3))
    (finding,) = [f for f in found.findings if f.id == "equivalence/a"]
    assert finding.told
    assert finding.sentence.startswith("a passes for real as often as real outputs, within 30.0")
    assert "90% interval" in finding.sentence
    assert "95% interval" in finding.sentence
    large = analyze(data, study=turing_study(margin=5))
    assert any("a margin of 5 is no difference of shares" in w for w in large.warnings)


def test_words_for_a_fooling_rate_need_equivalence() -> None:
    def rate(data: Columns, margin: float | None = None) -> str:
        found = analyze(data, study=turing_study(**({} if margin is None else {"margin": margin})))
        return next(f.sentence for f in found.findings if f.id == "fooling/a")

    alike = simulated({"photo": 0.6, "a": 0.6}, raters=40)
    assert ": nearly indistinguishable, beside a false-rejection rate of " in rate(alike, 0.3)
    assert "indistinguishable" not in rate(alike)
    # A margin that is too small for the data decides nothing.
    assert "indistinguishable" not in rate(alike, 0.001)
    told_apart = rate(simulated({"photo": 0.9, "a": 0.2}), 0.3)
    assert not any(word in told_apart for word in ("poor", "moderate", "good"))
    assert ", beside a false-rejection rate of " in told_apart


def test_a_lenient_rater_is_said_to_answer_real_more_often() -> None:
    data = simulated({"photo": 0.7, "a": 0.3})
    data["answer"] = [
        "real" if rater == "r0" else answer
        for rater, answer in zip(data["rater"], data["answer"], strict=True)
    ]
    found = analyze(data)
    raters = found.table("raters")
    assert raters is not None
    (look,) = [dict(zip([c.name for c in raters.columns], row, strict=True))["look"]
               for row in raters.rows if row[0] == "r0"]  # fmt: skip
    assert "points more often than the others" in look
    assert "scores" not in look
    own = next(table for table in found.tables if table.id.startswith("raters/"))
    assert own.caption.startswith("Leniency: how much more often the rater answers “real”")
    assert own.columns[1] == Column(name="leniency", heading="Leniency, points", kind="points")


def test_constant_confidence_is_remarked_on() -> None:
    data = simulated({"photo": 0.8, "a": 0.3}, levels=1)
    found = analyze(data, study=turing_study())
    assert any(w.startswith("every answer has the same confidence") for w in found.warnings)
    assert "There is no calibration slope: every answer has the same" in sentences(found)
    # A table alone states no probability: there nothing else would say it.
    assert "There is no area under the curve: every answer has the same" in sentences(analyze(data))


def test_only_one_kind_gets_its_sentence() -> None:
    real = analyze(simulated({"photo": 0.8}))
    assert "no generated output was shown, so there is no fooling rate" in real.warnings
    assert all(table.rows for table in real.tables)
    assert real.findings
    generated = analyze(simulated({"a": 0.8}))
    (told,) = [w for w in generated.warnings if w.startswith("no real output was shown")]
    assert told
    assert "There is no mean d′ of the raters: only generated outputs" in sentences(generated)


def test_a_system_that_is_both_is_remarked_on() -> None:
    data = simulated({"photo": 0.8, "a": 0.3})
    data["system"] = ["camera"] * len(data["system"])
    found = analyze(data)
    assert any(w.startswith("camera has real and generated outputs") for w in found.warnings)


def test_without_systems_all_generated_outputs_are_one() -> None:
    data = simulated({"photo": 0.8, "a": 0.3})
    with_systems = analyze(data)
    del data["system"]
    found = analyze(data)
    assert found.systems == ("generated", "real")
    assert found.headline is not None
    assert with_systems.headline is not None
    assert found.headline.sentence.replace("tell generated from", "tell a from") == (
        with_systems.headline.sentence
    )


def test_several_criteria_are_told_apart() -> None:
    one, two = simulated({"photo": 0.8, "a": 0.3}), simulated({"photo": 0.8, "a": 0.8}, seed=2)
    n = len(one["item"])
    both = {name: [*one[name], *two[name]] for name in one}
    found = analyze({**both, "criterion": ["look"] * n + ["sound"] * n})
    results = {f.id: f.result for f in found.findings}
    assert results["acceptance/a/look"] == turing_test(one).differences[0]
    assert results["acceptance/a/sound"] == turing_test(two).differences[0]
    assert found.table("fooling/look") is not None
    assert len({t.id for t in found.tables}) == len(found.tables)
