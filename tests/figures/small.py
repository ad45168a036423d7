"""Sets with few figures."""

from __future__ import annotations

import math
import statistics
from typing import Any

import jurybox as jb
from jurybox.tally.reading import read
from tests import reference


def evalica_toy() -> Any:
    computed = {}
    for name in ("food", "simple"):
        found = jb.bradley_terry(reference.evalica(name), ties="half")
        golden = reference.evalica_golden(name, "bradley_terry")
        logs = {system: math.log(value) for system, value in golden.items()}
        middle = statistics.fmean(logs.values())
        computed[name] = {
            "bt": {row.name: row.estimate for row in found},
            "max_abs_log_diff_to_golden": max(
                abs(found[system].estimate - value + middle) for system, value in logs.items()
            ),
        }
    return {"computed": computed}


def nflx_public_mos() -> Any:
    means = jb.mean_scores(reference.table("nflx_public_mos", "nflx_public_long.csv"))
    videos = sorted(means, key=lambda row: int(row.name))
    rows = reference.rows_of("nflx_public_mos/data/nflx_public_long.csv")
    mean = statistics.fmean(row.estimate or 0 for row in videos)
    # Of each video over its 26 subjects, as if they were independent.
    sem = statistics.fmean(means[row.name].sd / math.sqrt(26) for row in videos)
    raw = statistics.pstdev(float(row["score"]) for row in rows)
    first, eleventh = videos[0].estimate, videos[10].estimate
    shape = [len(videos), videos[0].n_raters]
    both = {"mean_sem": sem, "std_raw": raw}
    return {
        "published": {"mos_first": first, "mos_11th": eleventh, "mean_mos": mean, **both},
        "computed": {"shape": shape, "mos0": first, "mos10": eleventh, "mean": mean, **both},
    }


def wmt21_ted_mqm() -> Any:
    table = reference.table("wmt21_ted_mqm", "mqm_ted_ende_spans.tsv")
    found = jb.span_scores(table)
    scores = {row.name: row.estimate or 0 for row in found}
    # eTranslation is published as 1.96: cut off, not rounded.
    cut = {**scores, "eTranslation": math.floor(100 * scores["eTranslation"]) / 100}
    printed = {{"ref": "ref.A"}.get(name, name): value for name, value in cut.items()}
    rows = reference.rows_of("wmt21_ted_mqm/data/mqm_ted_ende_spans.tsv", "\t")
    return {
        "published": {"ende": printed},
        "computed": {
            "ende": {
                "published": printed,
                "computed": scores,
                "avg_file": {{"ref": "ref-A"}.get(k, k): v for k, v in scores.items()},
                "n_segments": found.rows[0].n_items,
                "n_raters": read(table).count()[1],
                "n_rows": len(rows),
            }
        },
    }
