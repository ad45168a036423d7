"""Metrics in an analysis: a sentence and a row each."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.analysis import metric_values, overlap
from jurybox.analysis.api.opened import opened
from jurybox.analysis.asked import Asked
from jurybox.analysis.context import Context
from jurybox.analysis.options import Options
from jurybox.analysis.run import _beside_metrics
from jurybox.errors import InputError
from jurybox.tally.metrics import read_metrics
from tests.reference import rows_of, ted_spans


def _tables(n_items: int = 30) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    rng = np.random.default_rng(0)
    ratings: dict[str, list[Any]] = {"item": [], "system": [], "rater": [], "score": []}
    metrics: dict[str, list[Any]] = {"item": [], "system": [], "overlap": [], "length": []}
    for i in range(n_items):
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
    told = next(f for f in found.findings if f.id == "metric_pair/overall/overlap/length")
    assert told.standing == "exploratory"
    assert "overlap orders outputs of one item more often as people do than length" in told.sentence
    assert "by 36.7 percentage points (95% interval 15.9 to 57.4; p = 0.010)" in told.sentence
    pairs = found.table("metric_pairs/overall")
    assert pairs is not None
    # A statistic is of one level, which it need not say besides.
    assert pairs.names[:3] == ("metric", "other", "statistic")
    assert {row[2] for row in pairs.rows} <= {column.heading for column in table.columns}
    # What the sentences speak of stands first, where a printed page has room for the first rows.
    assert pairs.rows[0][2] == "Pairs right within items"
    assert "2 metrics (overlap, length)" in " ".join(found.took)


def test_a_narrow_interval_and_its_difference_have_the_same_digits() -> None:
    ratings, metrics = _tables(1500)
    noise = np.random.default_rng(1).normal(scale=0.4, size=3000)
    metrics["near"] = [value + more for value, more in zip(metrics["overlap"], noise, strict=True)]
    found = jb.analyze(ratings, metrics=metrics, n_resamples=200)
    said = next(f for f in found.findings if f.id == "metric_pair/overall/overlap/near").sentence
    digits = re.search(
        r"by \d+\.(\d+) percentage points \(95% pairwise interval \d+\.(\d+) to ", said
    )
    assert digits is not None
    assert [len(group) for group in digits.groups()] == [2, 2]


def test_a_metric_never_becomes_the_headline() -> None:
    ratings, metrics = _tables()
    with_metrics = jb.analyze(ratings, metrics=metrics, n_resamples=50).headline
    without = jb.analyze(ratings).headline
    assert with_metrics is not None
    assert without is not None
    assert with_metrics.id == without.id


def _votes(n_systems: int) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Systems s0, s1, … from the best to the worst; the metric says so with noise."""
    rng = np.random.default_rng(1)
    names = [f"s{k}" for k in range(n_systems)]
    votes: dict[str, list[Any]] = {
        key: [] for key in ("item", "system_a", "system_b", "rater", "winner")
    }
    metrics: dict[str, list[Any]] = {"item": [], "system": [], "likes": []}
    for i in range(30):
        for k, system in enumerate(names):
            metrics["item"].append(f"q{i}")
            metrics["system"].append(system)
            metrics["likes"].append(-k + rng.normal())
        for r in range(6):
            a, b = rng.choice(n_systems, 2, replace=False)
            won = "a" if rng.random() < 1 / (1 + np.exp((a - b) / 2)) else "b"
            row = (f"q{i}", names[a], names[b], f"r{r}", won)
            for column, value in zip(votes.values(), row, strict=True):
                column.append(value)
    return votes, metrics


def test_many_systems_speak_for_others() -> None:
    votes, metrics = _votes(10)
    found = jb.analyze(votes, metrics=metrics, n_resamples=100)
    said = next(f for f in found.findings if f.id == "metric/preference/likes").sentence
    assert "95% interval for systems like these " in said


def test_a_metric_beside_votes_is_set_against_the_strengths_of_the_systems() -> None:
    votes, metrics = _votes(6)
    found = jb.analyze(votes, metrics=metrics, n_resamples=100)
    said = next(f for f in found.findings if f.id == "metric/preference/likes")
    assert said.told
    assert said.sentence.startswith("likes follows the strengths of 6 systems on preference ")
    assert "interval for these systems and raters" in said.sentence
    assert "180 votes, 6 raters, 30 items" in said.sentence
    assert "of the pairs of systems that were compared as people's votes do" in said.sentence
    strengths = {row.system: row.estimate for row in jb.bradley_terry(votes, ties="half").rows}
    points = found.table("metric_points/preference")
    assert points is not None
    for _, _, system, _, strength in points.rows:
        assert strength == pytest.approx(strengths[system], abs=1e-5)
    assert not any("not compared with people" in warning for warning in found.warnings)


def test_few_systems_have_their_pairs_counted_and_no_correlation() -> None:
    votes, metrics = _votes(3)
    found = jb.analyze(votes, metrics=metrics, n_resamples=50)
    (said,) = [f for f in found.findings if f.id.startswith("metric")]
    assert said.sentence.startswith("likes orders 100.0% of the pairs of systems that were")
    assert said.sentence.endswith("; 3 systems are too few for a correlation, which needs 5.")
    table = found.table("metrics/preference")
    assert table is not None
    assert [column.name for column in table.columns if column.kind != "interval"] == [
        "metric",
        "systems",
        "soft",
        "n_systems",
    ]


def test_a_ranking_counts_as_the_comparisons_of_every_two_in_it() -> None:
    # Two raters rank a above b above c on two items: 4 rankings, 3 comparisons in each.
    rankings = {
        "item": [1, 1, 1, 2, 2, 2] * 2,
        "rater": ["r"] * 6 + ["s"] * 6,
        "system": ["a", "b", "c"] * 4,
        "rank": [1, 2, 3] * 4,
    }
    worst_first = {"system": ["a", "b", "c"], "metric": ["fid"] * 3, "value": [1.0, 2.0, 3.0]}
    found = jb.analyze(rankings, metrics=worst_first, n_resamples=20)
    (said,) = [f for f in found.findings if f.id.startswith("metric")]
    assert said.sentence.startswith(
        "fid orders 0.0% of the pairs of systems that were compared as people's rankings do, more "
        "being taken as better (else --lower-is-better fid) (no interval: every resample of the "
        "items gives the same value; 12 comparisons, 2 raters, 2 items)"
    )


def test_a_metric_of_one_system_is_compared_with_nothing() -> None:
    votes = {"item": [1], "system_a": ["a"], "system_b": ["b"], "rater": ["r"], "winner": ["a"]}
    found = jb.analyze(votes, metrics={"item": [1], "system": ["a"], "m": [1.0]})
    (said,) = [f for f in found.findings if f.id.startswith("metric")]
    assert not said.told
    assert said.sentence.endswith(
        "no two systems with a value of the metric were compared by anybody."
    )
    for metrics in ({"item": [9], "system": ["a"], "m": [1.0]}, {"system": ["x"], "m": [1.0]}):
        with pytest.raises(InputError, match="has a value of 'm'"):
            jb.analyze(votes, metrics=metrics)


UNSCORED: list[tuple[dict[str, list[Any]], str]] = [
    ({"system_a": ["a"], "system_b": ["b"], "rater": ["r"], "winner": ["a"]}, "column 'item'"),
    (
        {"item": [1], "system": ["a"], "rater": ["r"], "truth": ["real"], "answer": ["real"]},
        "no generated output was judged",
    ),
    ({"item": [1], "system": ["a"], "rater": ["r"], "score": ["fine"]}, "the answers are words"),
]


@pytest.mark.parametrize(("table", "why"), UNSCORED)
def test_where_no_output_has_a_score_metrics_are_listed(
    table: dict[str, list[Any]], why: str
) -> None:
    found = jb.analyze(table, metrics={"system": ["a"], "m": [1.0]})
    values = found.table("metric_values")
    assert values is not None
    assert values.rows[0][:3] == ("m", "a", 1.0)
    assert not [f for f in found.findings if f.id.startswith("metric")]
    assert any(why in warning for warning in found.warnings)


MARKED = {
    # (6, 0), (1, 0) and (0, 25.1) points by rater r, of new and old; 1, 0 and 5 by rater s of new.
    "item": [1, 1, 1, 2, 2, 3, 3, 3, 1, 2, 3],
    "system": ["new", "new", "old", "new", "old", "new", "old", "old", "new", "new", "new"],
    "rater": ["r"] * 8 + ["s"] * 3,
    "severity": [
        word or None for word in "major,minor,,minor,,,major,minor,minor,,major".split(",")
    ],
    "category": [*["accuracy"] * 6, "non-translation", "fluency/punctuation", *["accuracy"] * 3],
}


def test_beside_spans_a_metric_is_held_against_the_points_turned() -> None:
    # Mean points of new: (6 + 1)/2 = 3.5, (1 + 0)/2 = 0.5, (0 + 5)/2 = 2.5; of old: 0, 0, 25.1.
    points = {(1, "new"): 3.5, (2, "new"): 0.5, (3, "new"): 2.5}
    points |= {(1, "old"): 0.0, (2, "old"): 0.0, (3, "old"): 25.1}
    metrics = {
        "item": [item for item, _ in points],
        "system": [system for _, system in points],
        "clean": [-value for value in points.values()],
        "faults": list(points.values()),
    }
    alike = jb.correlate_metrics(MARKED, metrics, lower_is_better=["faults"], n_resamples=20)
    for metric in ("clean", "faults"):
        assert alike[f"{metric}, output, Pearson's r"].estimate == pytest.approx(1)
        assert alike[f"{metric}, item, pairwise accuracy with calibrated ties"].estimate == 1
    found = jb.analyze(MARKED, metrics=metrics, n_resamples=20)
    shown = found.table("metric_points/errors")
    assert shown is not None
    assert shown.title == "Metrics and people's error points"
    assert shown.columns[-1].heading == "Error points"
    assert {(int(r[1]), r[2]): r[4] for r in shown.rows if r[0] == "clean"} == pytest.approx(points)
    # A clean output has 0 points and not −0.
    assert not any(np.signbit(row[4]) for row in shown.rows)
    said = {f.id: f.sentence for f in found.findings if f.id.startswith("metric")}
    assert said["metric/errors/clean"].startswith(
        "clean follows how few error points people give, strongly over all outputs: ρ = 1.000"
    )
    assert said["metric/errors/faults"].startswith("faults falls as people give fewer error points")
    assert (
        "telling which of two outputs of one item has fewer errors"
        in (said["metric_instead/errors/clean"])
    )


def test_beside_marks_and_a_score_a_metric_is_held_against_both_the_score_first() -> None:
    outputs = [(i, s) for i in range(4) for s in ("new", "old")]
    given = {
        "item": [i for i, _ in outputs for _ in "rs"],
        "system": [s for _, s in outputs for _ in "rs"],
        "rater": list("rs") * len(outputs),
    }
    metrics = {
        "item": [i for i, _ in outputs],
        "system": [s for _, s in outputs],
        "m": [float(k) for k in range(len(outputs))],
    }
    marked = given | {"severity": ["minor", None, "major", "minor"] * 4, "category": ["style"] * 16}
    scored = given | {"criterion": ["quality"] * 16, "score": [90.0, 80, 30, 20] * 4}
    context = Context(asked=Asked(), options=Options(n_resamples=20))
    with opened(marked, "spans", None) as spans, opened(scored, "ratings", None) as ratings:
        found = _beside_metrics(context, [spans, ratings], read_metrics(metrics))
    of_metrics = [f for f in found.findings if f.kind == "metric"]
    assert [f.criterion for f in of_metrics] == ["quality", "errors"]
    assert "people's scores of quality" in of_metrics[0].sentence
    assert "error points" in of_metrics[1].sentence
    assert [table.id for table in found.tables].count("metric_values") == 1


def test_beside_spans_all_is_as_beside_ratings_of_the_points_turned() -> None:
    rng = np.random.default_rng(5)
    cells = [(i, s, r) for i in range(12) for s in ("a", "b", "c") for r in ("x", "y", "z")]
    severity = rng.choice(["major", "minor", "neutral"], len(cells))
    by_cell = dict(
        zip("item system rater".split(), map(list, zip(*cells, strict=True)), strict=True)
    )
    spans = by_cell | {"severity": severity.tolist(), "category": ["style"] * len(cells)}
    turned = [{"major": -5, "minor": -1, "neutral": 0}[word] for word in severity]
    metric = {
        "item": [i for i in range(12) for _ in "abc"],
        "system": ["a", "b", "c"] * 12,
        "m": rng.normal(size=36).tolist(),
    }
    marked = jb.correlate_metrics(spans, metric, n_resamples=50)
    scored = jb.correlate_metrics(by_cell | {"score": turned}, metric, n_resamples=50)
    assert len(marked.rows) == len(scored.rows) > 8
    for one, other in zip(marked.rows, scored.rows, strict=True):
        assert (one.estimate, one.interval) == (other.estimate, other.interval)


def test_the_published_scores_of_segments_agree_with_the_spans_they_come_from() -> None:
    # WMT 2021 TED publishes the mean MQM score of each segment: minus its points.
    spans = ted_spans()
    spans["item"] = [item.rpartition("/")[2] for item in spans["item"]]
    published = rows_of("wmt21_ted_mqm/data/mqm_ted_ende.avg_seg_scores.tsv", "\t")
    scored = [row for row in published if row["mqm_avg_score"]]
    metrics = {
        "item": [row["seg_id"] for row in scored],
        "system": [row["system"] for row in scored],
        "mqm": [float(row["mqm_avg_score"]) for row in scored],
    }
    found = jb.correlate_metrics(spans, metrics, n_resamples=20)
    for row in found.rows:
        assert row.estimate == pytest.approx(1, abs=1e-12), row


def test_beside_detections_generated_outputs_count_by_how_often_they_are_called_real() -> None:
    # new passes for real to 2 of 3, 3 of 3 and 0 of 3 raters, old to 0, 1 and 1.
    answers = {("new", 1): "rrg", ("new", 2): "rrr", ("new", 3): "ggg"}
    answers |= {("old", 1): "ggg", ("old", 2): "rgg", ("old", 3): "grg"}
    rows = [
        (item, system, f"p{k}", "generated", {"r": "real", "g": "generated"}[word])
        for (system, item), words in answers.items()
        for k, word in enumerate(words)
    ]
    rows += [(item, "photo", "p0", "real", "real") for item in (1, 2, 3)]
    keys = ("item", "system", "rater", "truth", "answer")
    table = dict(zip(keys, map(list, zip(*rows, strict=True)), strict=True))
    share = {key: words.count("r") / 3 for key, words in answers.items()}
    metrics = {
        "item": [*(item for _, item in share), 1],
        "system": [*(system for system, _ in share), "photo"],
        "glow": [*share.values(), 0.0],
    }
    exact = jb.correlate_metrics(table, metrics, n_resamples=20)
    # The real output would not fit: it is called real, and has the least of the metric.
    assert exact["glow, output, Pearson's r"].estimate == pytest.approx(1)
    assert exact["glow, output, Pearson's r"].n_items == 3
    found = jb.analyze(table, metrics=metrics, n_resamples=20)
    shown = found.table("metric_points/origin")
    assert shown is not None
    assert shown.columns[-1].heading == "Taken for real"
    assert {(row[2], int(row[1])): row[4] for row in shown.rows} == pytest.approx(share)
    sentence = next(f.sentence for f in found.findings if f.id == "metric/origin/glow")
    assert sentence.startswith("glow follows how often people call generated outputs real, ")


@pytest.mark.parametrize("shape", ["votes", "rankings"])
def test_who_gives_no_output_a_score_is_pointed_to_the_analysis(shape: str) -> None:
    votes = {"item": [1], "system_a": ["a"], "system_b": ["b"], "rater": ["r"], "winner": ["a"]}
    ranks = {"item": [1, 1], "system": ["a", "b"], "rater": ["r", "r"], "rank": [1, 2]}
    table = {"votes": votes, "rankings": ranks}[shape]
    with pytest.raises(InputError, match=rf"^{shape} give no output a score of its own.*analyze"):
        jb.correlate_metrics(table, {"item": [1], "system": ["a"], "m": [1.0]})


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
    beside = next(table for table in found.tables if table.id.startswith("metrics/"))
    assert "A metric with one value for a whole set has none for an output" in beside.caption
    (said,) = [f.sentence for f in found.findings if f.id.startswith("metric/")]
    assert said == "fid orders 1 of 1 pair of systems as people's scores of overall do."
    assert "fid: lower is better, so that the values count with the opposite sign" in found.took
    one = {"system": ["new"], "metric": ["fid"], "value": [10.0]}
    found = jb.analyze(ratings, metrics=one, n_resamples=50)
    (alone,) = [f for f in found.findings if f.id.startswith("metric/")]
    assert alone.sentence.startswith(
        "fid cannot be compared with people's scores of overall: fewer than two systems"
    )
    assert not alone.told


def test_each_metric_is_set_beside_a_rater_and_few_systems_say_nothing() -> None:
    ratings, metrics = _tables()
    found = jb.analyze(ratings, metrics=metrics, n_resamples=50)
    bad = next(f for f in found.findings if f.id == "metric_instead/overall/length")
    assert bad.sentence.startswith(
        "length could not stand in for one rater in telling the better of two outputs of one item "
        "in overall: where the other raters prefer one, it does too in "
    )
    assert bad.sentence.endswith(
        "; whether it could choose between systems does not follow from 2, of which at least 5 are "
        "needed."
    )
    good = next(f for f in found.findings if f.id == "metric_instead/overall/overlap")
    assert "may or may not be fit to stand in for one rater" in good.sentence
    ratings.pop("rater")
    unnamed = jb.analyze(ratings, metrics=metrics, n_resamples=50)
    said = next(f for f in unnamed.findings if f.id == "metric_instead/overall/overlap").sentence
    assert said.startswith("Whether overlap could stand in for a rater in telling the better")
    assert "is open: the ratings name no raters" in said


def test_from_five_systems_on_pairs_of_systems_are_counted() -> None:
    rng = np.random.default_rng(1)
    outputs = [(i, k) for i in range(20) for k in range(5)]
    quality = {(i, k): rng.normal() + k for i, k in outputs}
    rows = [(i, k, r) for i, k in outputs for r in range(6)]
    ratings = {
        "item": [i for i, _, _ in rows],
        "system": [f"s{k}" for _, k, _ in rows],
        "rater": [f"r{r}" for _, _, r in rows],
        "score": [quality[i, k] + rng.normal() for i, k, _ in rows],
    }
    metrics = {
        "item": [i for i, _ in outputs],
        "system": [f"s{k}" for _, k in outputs],
        "oracle": [quality[output] for output in outputs],
        "dice": rng.normal(size=100).tolist(),
    }
    found = jb.analyze(ratings, metrics=metrics, n_resamples=100)
    by_id = {f.id: f.sentence for f in found.findings}
    assert "oracle could stand in for one rater" in by_id["metric_instead/overall/oracle"]
    assert (
        "of every two of the 5 systems it prefers the one that people prefer in 100.0%"
        in by_id["metric_instead/overall/oracle"]
    )
    assert by_id["metric_instead/overall/dice"].endswith("so that chance may do as well.")


def test_values_stand_in_a_table_with_their_intervals_and_outputs_beside_scores() -> None:
    ratings, _ = _tables()
    long: dict[str, list[Any]] = {
        "item": ["q0", "q1", "q0", "q1", "", ""],
        "system": ["new", "new", "old", "old", "new", "old"],
        "metric": ["wer"] * 4 + ["kid"] * 2,
        "value": [0.1, 0.3, 0.5, 0.5, 0.02, 0.05],
        "better": ["lower"] * 6,
        "low": ["", "", "", "", 0.01, ""],
        "high": ["", "", "", "", 0.03, ""],
        "signature": ["words"] * 4 + ["Inception-v3"] * 2,
    }
    found = jb.analyze(ratings, metrics=long, n_resamples=50)
    table = found.table("metric_values")
    assert table is not None
    # Of 0.1 and 0.3 the mean is 0.2 and the standard error 0.1; t(1) = 12.706.
    metric, system, mean, ends, n, better = table.rows[0]
    assert (metric, system, mean, n, better) == ("wer", "new", pytest.approx(0.2), 2, "lower")
    assert ends == pytest.approx((0.2 - 1.2706, 0.2 + 1.2706), abs=1e-4)
    assert table.rows[1] == ("wer", "old", 0.5, None, 2, "lower")
    assert table.rows[2:] == (
        ("kid", "new", 0.02, (0.01, 0.03), None, "lower"),
        ("kid", "old", 0.05, None, None, "lower"),
    )
    assert {"wer is words", "kid is Inception-v3"} <= set(found.took)
    points = found.table("metric_points/overall")
    assert points is not None
    assert [row[:4] for row in points.rows] == [
        ("wer", "q0", "new", 0.1),
        ("wer", "q0", "old", 0.5),
        ("wer", "q1", "new", 0.3),
        ("wer", "q1", "old", 0.5),
        ("kid", None, "new", 0.02),
        ("kid", None, "old", 0.05),
    ]
    scores = [s for s, i, k in zip(*(ratings[n] for n in ("score", "item", "system")), strict=True)
              if (i, k) == ("q0", "new")]  # fmt: skip
    assert points.rows[0][4] == pytest.approx(np.mean(scores))
    kid = next(f.sentence for f in found.findings if f.id == "metric_instead/overall/kid")
    assert "cannot stand in for a rater" in kid
    assert "it measures whole sets and no single output" in kid


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("better", "more", "row 1: better must be higher or lower; got 'more'"),
        ("low", "x", "row 1: low and high must be numbers; got 'x', '2'"),
        ("low", "3", "row 1: low must not exceed high; got 3 and 2"),
    ],
)
def test_what_is_said_of_a_value_must_make_sense(column: str, value: str, said: str) -> None:
    ratings, _ = _tables()
    metrics = {"system": ["new"], "metric": ["m"], "value": ["1"], "low": ["1"], "high": ["2"]}
    with pytest.raises(InputError, match=said):
        jb.analyze(ratings, metrics={**metrics, column: [value]})


def test_of_many_outputs_some_are_drawn_by_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_values, "DRAWN", 10)
    n = 40
    ratings = {"item": [*range(n)], "system": ["s"] * n, "rater": ["r"] * n, "score": [1, 2] * 20}
    metrics = {"item": [*range(n)], "system": ["s"] * n, "m": [*range(n)]}
    found = [jb.analyze(ratings, metrics=metrics, n_resamples=20, seed=s) for s in (1, 1, 2)]
    one, again, other = (each.table("metric_points/overall") for each in found)
    assert one is not None
    assert other is not None
    assert len(one.rows) == 10
    assert one == again
    assert one.rows != other.rows


@pytest.mark.parametrize(("largest", "high"), [(100.0, 100.0), (101.0, 101.0)])
def test_the_interval_of_a_known_metric_ends_where_the_metric_does(
    largest: float, high: float
) -> None:
    # Far apart and few: t alone would go on to more than 100.
    values = np.array([0.0, 90.0, largest])
    ends = metric_values._mean_interval(values, 0.95, (0.0, 100.0))
    free = metric_values._mean_interval(values, 0.95)
    assert ends is not None
    assert free is not None
    assert free[0] < 0 < 100 < free[1]
    assert ends == ((0.0, 100.0) if high == 100 else free)
    assert overlap.ENDS["sentence_chrf"] == (0.0, 100.0)
    assert overlap.ENDS["rougeL"] == (0.0, 1.0)
