"""What detections say; GenGap, whose published figures are reproduced."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from jurybox.analysis.api import turing_test
from jurybox.stats.detection import Counts, TuringTest, plain_sensitivity
from jurybox.stats.shares import wilson
from tests.reference import expected, gengap

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
