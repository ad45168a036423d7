"""Metrics in an analysis: a sentence and a row each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.errors import AnalysisError


def _tables() -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    rng = np.random.default_rng(0)
    ratings: dict[str, list[Any]] = {"item": [], "system": [], "rater": [], "score": []}
    metrics: dict[str, list[Any]] = {"item": [], "system": [], "overlap": [], "length": []}
    for i in range(30):
        for k, system in enumerate(("new", "old")):
            quality = rng.normal() - k
            for r in range(5):
                ratings["item"].append(f"q{i}")
                ratings["system"].append(system)
                ratings["rater"].append(f"r{r}")
                ratings["score"].append(int(np.clip(round(3 + quality + rng.normal() / 2), 1, 5)))
            metrics["item"].append(f"q{i}")
            metrics["system"].append(system)
            metrics["overlap"].append(quality + rng.normal() / 4)
            metrics["length"].append(rng.normal())
    return ratings, metrics


def test_every_metric_has_its_sentence_and_row() -> None:
    ratings, metrics = _tables()
    found = jb.analyze(ratings, metrics=metrics, n_resamples=200)
    good = next(f for f in found.findings if f.id == "metric/overall/overlap")
    assert good.sentence.startswith("overlap follows people's scores of overall strongly over all")
    assert "of 1 pair of systems it orders 1 as people do" in good.sentence
    bad = next(f for f in found.findings if f.id == "metric/overall/length")
    assert "not at all or at most" in bad.sentence
    table = found.table("metrics/overall")
    assert table is not None
    assert [row[0] for row in table.rows] == ["overlap", "length"]
    assert found.table("metric_pairs/overall") is not None
    told = next(f for f in found.findings if f.id == "metric_pair/overall/overlap/length")
    assert told.standing == "exploratory"
    assert "overlap orders outputs of one item more often as people do than length" in told.sentence
    assert "2 metrics (overlap, length)" in " ".join(found.took)


def test_a_metric_never_becomes_the_headline() -> None:
    ratings, metrics = _tables()
    with_metrics = jb.analyze(ratings, metrics=metrics, n_resamples=50).headline
    without = jb.analyze(ratings).headline
    assert with_metrics is not None
    assert without is not None
    assert with_metrics.id == without.id


def test_votes_have_no_score_to_compare_with() -> None:
    votes = {
        "item": [1, 2],
        "system_a": ["a", "a"],
        "system_b": ["b", "b"],
        "rater": ["r", "r"],
        "winner": ["a", "b"],
    }
    with pytest.raises(AnalysisError, match="metrics are compared with ratings"):
        jb.analyze(votes, metrics={"item": [1], "system": ["a"], "m": [1.0]})


def test_a_share_is_printed_in_percent_with_its_interval() -> None:
    ratings, metrics = _tables()
    found = jb.analyze(ratings, metrics=metrics, n_resamples=200)
    good = next(f for f in found.findings if f.id == "metric/overall/overlap")
    assert "it orders 83.3% as people do (95% interval 69.2 to 97.5)" in good.sentence


def test_a_metric_that_falls_is_described_neutrally_until_its_direction_is_stated() -> None:
    ratings, metrics = _tables()
    metrics["error"] = [-value for value in metrics.pop("overlap")]

    def sentence(lower: tuple[str, ...]) -> str:
        found = jb.analyze(ratings, metrics=metrics, lower_is_better=lower, n_resamples=50)
        return next(f.sentence for f in found.findings if f.id == "metric/overall/error")

    unstated = sentence(())
    assert unstated.startswith("error falls as people's scores of overall rise, strongly over all")
    assert unstated.endswith(
        "of 1 pair of systems it orders 0 as people do, more being taken as better (else "
        "--lower-is-better error)."
    )
    stated = sentence(("error",))
    assert stated.startswith("error follows people's scores of overall strongly over all outputs")
    assert stated.endswith("of 1 pair of systems it orders 1 as people do.")
    metrics["error"] = [-value for value in metrics["error"]]
    assert sentence(("error",)).startswith(
        "error follows people's scores of overall in reverse, strongly over all outputs"
    )


def test_a_metric_of_whole_sets_has_its_name_in_the_sentence() -> None:
    ratings, _ = _tables()
    fid = {"system": ["new", "old"], "metric": ["fid"] * 2, "value": [10.0, 20.0]}
    found = jb.analyze(ratings, metrics=fid, lower_is_better=["fid"], n_resamples=50)
    (said,) = [f.sentence for f in found.findings if f.id.startswith("metric/")]
    assert said == "fid orders 1 of 1 pair of systems as people's scores of overall do."
    assert "fid: lower is better, so that the values count with the opposite sign" in found.took
    one = {"system": ["new"], "metric": ["fid"], "value": [10.0]}
    found = jb.analyze(ratings, metrics=one, n_resamples=50)
    (alone,) = [f for f in found.findings if f.id.startswith("metric/")]
    assert alone.sentence.startswith("fid cannot be compared with overall: fewer than two systems")
    assert not alone.told
