"""TIFA and UniEval: automatic metrics against people."""

from __future__ import annotations

from typing import Any

import jurybox as jb
from jurybox.stats.agreement.alpha import Level
from tests import reference
from tests.reference import QUICK


def tifa_human() -> Any:
    file = "tifa_human_with_metrics.csv"
    both = reference.table("tifa_human", file)
    titles = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ-b"}
    found = jb.correlate_metrics(both, both, **QUICK)
    metrics = dict.fromkeys(row.metric for row in found.rows)
    corr = {
        metric: {
            name: found[f"{metric}, output, {title}"].estimate for name, title in titles.items()
        }
        for metric in metrics
    }
    # Only if the two positions are taken for people can Cohen's kappa be computed.
    path = reference.DATA / "tifa_human" / "data" / file
    two = jb.mapped(path, map={"item": "text_id"}, raters=["human_*"])
    levels: tuple[Level, ...] = ("nominal", "ordinal", "interval")
    return {
        "published": {
            # Published as Spearman's, it is Pearson's.
            "labelled_spearman": {metric: own["pearson"] for metric, own in corr.items()},
            "kendall_tau_b": {metric: own["kendall"] for metric, own in corr.items()},
        },
        "computed": {
            "corr": corr,
            "agreement": {
                "exact": jb.percent_agreement(both, **QUICK).estimate,
                "cohen_kappa": jb.cohen_kappa(two, **QUICK).estimate,
                "cohen_kappa_quadratic": jb.cohen_kappa(two, weights="quadratic", **QUICK).estimate,
                **{
                    f"alpha_{each}": jb.krippendorff_alpha(both, level=each, **QUICK).estimate
                    for each in levels
                },
            },
            "means": {row.name: row.estimate for row in jb.mean_scores(both)},
        },
    }


def unieval_meta() -> Any:
    aspects = {
        "topical_chat": (
            "naturalness",
            "coherence",
            "engagingness",
            "groundedness",
            "understandability",
            "overall",
        ),
        "qags_cnndm": ("consistency",),
    }
    values: dict[str, Any] = {}
    counts = {}
    for name, own in aspects.items():
        both = reference.table("unieval_meta", f"{name}.csv")
        values[name] = {}
        for aspect in own:
            found = jb.correlate_metrics(both, both, criterion=aspect, **QUICK)
            rows = [
                found[f"unieval_{aspect}, output, {title}"]
                for title in ("Pearson's r", "Spearman's ρ", "Kendall's τ-b")
            ]
            values[name][aspect] = [row.estimate for row in rows]
            counts[name] = rows[0].n_responses
    return {"published": {"values": values}, "computed": values, "n": counts}
