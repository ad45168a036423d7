"""Published figures of the reference sets beside those of test_reference.py."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy import stats

import jurybox as jb
from tests import reference


@pytest.mark.parametrize("task", ["Text-To-Image", "Text-Guided_IE", "Multi-Subject_IG"])
def test_imagenhub_prints_its_published_agreement_with_intervals(task: str) -> None:
    known = reference.expected("imagenhub")
    found = jb.analyze(reference.imagenhub(task), n_resamples=50)
    shape = known["shape"][task]
    assert (found.n_responses, found.n_items) == (shape["ratings"], shape["items"])
    (table,) = (t for t in found.tables if t.id == "agreement/ratings")
    names = [column.name for column in table.columns]
    rows = {(row[0], row[1]): dict(zip(names, row, strict=True)) for row in table.rows}
    for name, criterion in (("SC", "SC"), ("PR", "PR"), ("HumanEval", "overall")):
        assert sum(key[0] == criterion for key in rows) == shape["models"] + 2
        for system, published in known["published"]["values"][task].items():
            row = rows[criterion, system]
            for column, key in (("alpha", "alpha_ordinal"), ("kappa", "fleiss_kappa")):
                value = published[f"{name}_{key}"]
                if value is None:
                    assert row[column] is None
                else:
                    assert row[column] == pytest.approx(value, abs=0.0051)
            if published[f"{name}_fleiss_kappa"] is not None and system != "Imagic":
                assert row["kappa_interval"] is not None


def test_tifa_published_tau() -> None:
    both = reference.table("tifa_human", "tifa_human_with_metrics.csv")
    found = jb.correlate_metrics(both, both, n_resamples=20)
    published = reference.expected("tifa_human")["published"]["kendall_tau_b"]
    for metric, value in published.items():
        row = found[f"{metric}, output, Kendall's τ-b"]
        assert row.estimate == pytest.approx(value, abs=1e-9)


def test_gengap_counts_of_people_and_answers() -> None:
    known = reference.expected("gengap_turing")
    published, computed = known["published"], known["computed"]
    path = reference.DATA / "gengap_turing" / "data" / "responses_long.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    found = jb.analyze(reference.table("gengap_turing", "responses_long.csv"), n_resamples=50)
    assert len(found.excluded) == published["n_failed_attention"]
    assert published["n_before"] - published["n_failed_attention"] == published["n_after"]
    assert len(rows) == 60 * published["n_before"]
    # Nothing is missing: everybody answered all sixty images.
    assert found.n_responses == computed["n_responses"] == 60 * published["n_after"]
    assert computed["missing"] == 0
    accuracy = jb.turing_test(reference.gengap()).balanced_accuracy
    assert accuracy is not None
    assert f"{100 * (accuracy.estimate or 0):.1f}%" == published["abstract_accuracy"]


def test_gengap_mixed_anova_in_full() -> None:
    study = jb.turing_test(reference.gengap())
    young = set(reference.gengap(age="young")["rater"])
    real = {r.rater: 100 * (1 - (r.false_rejection or 0)) for r in study.raters}
    fake = {r.rater: 100 * (1 - (r.fooling_rate or 0)) for r in study.raters}
    age, truth, both = reference.expected("gengap_turing")["computed"]["mixed_anova"]
    groups = [[r for r in real if (r in young) is side] for side in (True, False)]
    means = [np.array([(real[r] + fake[r]) / 2 for r in g]) for g in groups]
    gaps = [np.array([real[r] - fake[r] for r in g]) for g in groups]
    grand = np.concatenate(means).mean()
    between = 2 * sum(len(m) * (m.mean() - grand) ** 2 for m in means)
    within = 2 * sum(((m - m.mean()) ** 2).sum() for m in means)
    overall = np.concatenate(gaps).mean()
    error = sum(((g - g.mean()) ** 2).sum() for g in gaps) / 2
    sums = (
        (age, between, within),
        (truth, 112 * overall**2 / 2, error),
        (both, sum(len(g) * (g.mean() - overall) ** 2 for g in gaps) / 2, error),
    )
    for row, own, left in sums:
        f = own / (left / 110)
        assert own == pytest.approx(row["SS"], abs=1e-6)
        assert own / (own + left) == pytest.approx(row["np2"], abs=1e-6)
        assert f == pytest.approx(row["F"], abs=1e-6)
        assert stats.f.sf(f, 1, 110) == pytest.approx(row["p_unc"], rel=1e-4)
        assert (row["DF1"], row["DF2"]) == (1, 110)
