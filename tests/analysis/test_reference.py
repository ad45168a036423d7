"""Published and independently computed values of real studies and textbook tables."""

from __future__ import annotations

import math

import pytest

import jurybox as jb
from jurybox.stats.agreement import Level
from jurybox.stats.bradley_terry import BradleyTerry
from tests import reference


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
    for system, value in golden.items():
        against = []
        for pair in rates.pairs:
            assert pair.estimate is not None
            if system == pair.system:
                against.append(pair.estimate)
            elif system == pair.other:
                against.append(1 - pair.estimate)
        assert sum(against) / len(against) == pytest.approx(value, abs=1e-12)


def test_pandalm_kappas_and_counts() -> None:
    known = reference.expected("pandalm_pairwise")
    for pair, value in known["computed"]["cohen"].items():
        one, two = (int(part) for part in pair.split("-"))
        found = jb.cohen_kappa(reference.pandalm((one, two)), n_resamples=50)
        assert found.estimate == pytest.approx(value, abs=1e-9)
        assert round(found.estimate or 0, 2) == known["published"]["cohen_kappa"][pair]
        percent = jb.percent_agreement(reference.pandalm((one, two)), n_resamples=50)
        assert percent.estimate == pytest.approx(known["computed"]["raw_agree"][pair], abs=1e-9)
    votes = reference.pandalm()
    fleiss = jb.fleiss_kappa(votes, n_resamples=50)
    assert fleiss.estimate == pytest.approx(known["computed"]["fleiss"], abs=1e-9)
    alpha = jb.krippendorff_alpha(votes, level="nominal", n_resamples=50)
    assert alpha.estimate == pytest.approx(known["computed"]["alpha_nominal"], abs=1e-9)
    mean = sum(known["computed"]["cohen"].values()) / 3
    assert jb.cohen_kappa(votes, n_resamples=50).estimate == pytest.approx(mean, abs=1e-9)
    rates = jb.win_rates(votes)
    assert sum(pair.n_responses or 0 for pair in rates.pairs) == 2997


@pytest.mark.parametrize("task", ["Text-To-Image", "Text-Guided_IE", "Multi-Subject_IG"])
def test_imagenhub_means_kappas_and_alphas(task: str) -> None:
    known = reference.expected("imagenhub")
    ratings = reference.imagenhub(task)
    for criterion in ("SC", "PR"):
        means = jb.mean_scores(ratings, criterion=criterion)
        for system, values in known["computed"][task].items():
            row = means[system]
            assert row.estimate == pytest.approx(values[f"{criterion}_avg"], abs=1e-9)
            published = known["published"]["values"][task][system][f"{criterion}_avg"]
            assert row.estimate == pytest.approx(published, abs=0.0051)
            assert row.n_raters == 3
            one = _part(ratings, system, criterion)
            kappa = jb.fleiss_kappa(one, n_resamples=20)
            alpha = jb.krippendorff_alpha(one, level="ordinal", n_resamples=20)
            if values[f"{criterion}_fleiss_kappa"] is None:
                # Imagic's SC is 0 throughout: others print 1 or crash, there is no such number.
                assert (kappa.estimate, alpha.estimate) == (None, None)
                assert alpha.undefined == "every response is the same value"
                assert (row.estimate, row.interval) == (0, None)
            else:
                assert row.these_raters is not None
                assert kappa.estimate == pytest.approx(values[f"{criterion}_fleiss_kappa"])
                assert alpha.estimate == pytest.approx(values[f"{criterion}_alpha_ordinal"])


def _part(ratings: reference.Columns, system: str, criterion: str) -> reference.Columns:
    keep = [
        i
        for i in range(len(ratings["item"]))
        if (ratings["system"][i], ratings["criterion"][i]) == (system, criterion)
    ]
    return {name: [values[i] for i in keep] for name, values in ratings.items()}
