"""PandaLM: votes of three people and two judges."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any

import jurybox as jb
from tests import reference
from tests.reference import QUICK


def pandalm_pairwise() -> Any:
    def people(*raters: str) -> Any:
        only = {"only": {"rater": list(raters)}} if raters else {}
        return reference.table("pandalm_pairwise", "pandalm_votes.csv", **only)

    rows = reference.rows_of("pandalm_pairwise/data/pandalm_votes.csv")
    for row in rows:
        row["majority"] = Counter(row[f"annotator{i}"] for i in (1, 2, 3)).most_common(1)[0][0]
    pairs = {
        f"{i}-{j}": people(f"annotator{i}", f"annotator{j}") for i, j in ((1, 2), (1, 3), (2, 3))
    }
    cohen = {name: jb.cohen_kappa(votes, **QUICK).estimate for name, votes in pairs.items()}
    majority = dict(Counter(row["majority"] for row in rows))
    votes = jb.mapped(
        reference.columns(rows),
        map={"item": "idx", "system_a": "system_1", "system_b": "system_2"},
        raters=["majority"],
        values={"winner": {"1": "a", "2": "b", "0": "tie"}},
    )
    rates = jb.win_rates(votes)
    usable = [row for row in rows if row["gpt35"] != "garbage"]
    judged = {judge: _judge(rows, judge) for judge in ("gpt35", "pandalm7b")}
    clean = _judge(usable, "gpt35")
    outcomes: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        one, two = row["system_1"], row["system_2"]
        said = {"1": one, "2": two, "0": "tie"}[row["majority"]]
        outcomes[min(one, two), max(one, two), said] += 1
    return {
        "published": {
            "cohen_kappa": cohen,
            "majority_labels": majority,
            "pandalm_f1_over_gpt35_f1": judged["pandalm7b"]["macro_f1"]
            / judged["gpt35"]["macro_f1"],
        },
        "computed": {
            "cohen": cohen,
            "raw_agree": {k: jb.percent_agreement(v, **QUICK).estimate for k, v in pairs.items()},
            "fleiss": jb.fleiss_kappa(people(), **QUICK).estimate,
            "alpha_nominal": jb.krippendorff_alpha(people(), level="nominal", **QUICK).estimate,
            "majority_dist": majority,
            **judged,
            "bt_majority": {
                "log_strength_centered": {
                    row.name: row.estimate for row in jb.bradley_terry(votes, ties="half")
                },
                "win_rate_half_ties": {row.name: row.estimate for row in rates},
            },
            "win_lose_tie_majority": {
                f"{one}|{two}": [outcomes[one, two, said] for said in (one, two, "tie")]
                for one, two in {key[:2] for key in outcomes}
            },
            "gpt35_without_garbage": {key: clean[key] for key in ("n", "accuracy", "macro_f1")},
        },
    }


def _judge(rows: list[dict[str, str]], judge: str) -> dict[str, Any]:
    """A judge against the majority, as words, so that garbage is an answer of its own."""
    words = {v: f"answer {v}" for v in ("0", "1", "2", "garbage")}
    answers = jb.mapped(
        reference.columns(rows),
        map={"item": "idx"},
        raters=["majority", judge],
        values={"score": words},
    )
    percent = jb.percent_agreement(answers, **QUICK)
    shares = []
    for answer in "012":
        hits = sum(row["majority"] == answer == row[judge] for row in rows)
        said = sum(row[judge] == answer for row in rows)
        were = sum(row["majority"] == answer for row in rows)
        shares.append((hits / said, hits / were, 2 * hits / (said + were)))
    precision, recall, f1 = (statistics.fmean(column) for column in zip(*shares, strict=True))
    return {
        "n": percent.n_units,
        "accuracy": percent.estimate,
        "macro_precision": precision,
        "macro_recall": recall,
        "macro_f1": f1,
        "kappa": jb.cohen_kappa(answers, **QUICK).estimate,
        "labels": dict(Counter(row[judge] for row in rows)),
    }
