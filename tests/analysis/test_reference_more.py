"""Published figures of the reference sets beside those of test_reference.py."""

from __future__ import annotations

import csv

import pytest

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
