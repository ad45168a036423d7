"""How often intervals of the ordinal mixed model cover a known difference of log odds.

    python bench/ordinal_coverage.py --items 30 100 --raters 3 5 10 20 --studies 300

Three systems are scored on five points. Log odds differ by 0.5 from one system to the next, between
items by 1 and between raters by 0.9; raters and items each have tastes of 0.5 for every system
(standard deviations). Complete: every rater judges every output; three: every item is judged by
three raters drawn at random. ``normal``: the same interval with normal quantiles in place of t.
The page docs/defaults.md quotes what this prints.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

# One thread each: the cells run side by side.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.simulated import PER_OUTPUT, Size, judged
from jurybox.errors import AnalysisError
from jurybox.stats.distributions import normal_quantile, t_quantile
from jurybox.stats.ordinal_mixed.model import ordinal_model
from jurybox.tally.score_cells import ScoreCells

ODDS = np.array([0.5, 0.0, -0.5])
ITEM, RATER, TASTE = 1.0, 0.9, 0.5
CUTS = np.array([-2.0, -0.7, 0.7, 2.0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What came of one size."""

    size: Size
    covers: float
    normal: float
    bias: float
    width: float
    intercepts: float
    """The share of studies whose model kept no slope of raters."""
    undefined: int
    seconds: float


def study(rng: np.random.Generator, size: Size) -> ScoreCells:
    """One study, its raters and items drawn anew."""
    item, rater = np.nonzero(judged(rng, size))
    n = len(item)
    item, rater = np.tile(item, 3), np.tile(rater, 3)
    system = np.repeat(np.arange(3), n)
    latent = (
        ODDS[system]
        + rng.normal(0, ITEM, size.items)[item]
        + rng.normal(0, RATER, size.raters)[rater]
        + rng.normal(0, TASTE, (size.items, 3))[item, system]
        + rng.normal(0, TASTE, (size.raters, 3))[rater, system]
        + rng.logistic(size=3 * n)
    )
    values, value = np.unique(np.searchsorted(CUTS, latent), return_inverse=True)
    return ScoreCells(
        systems=("a", "b", "c"),
        values=tuple(values.astype(float).tolist()),
        system=system,
        item=item,
        rater=rater,
        value=value,
    )


def run_cell(job: tuple[Size, int, int]) -> Cell:
    """Simulate one size."""
    size, studies, seed = job
    rng = np.random.default_rng([seed, size.items, size.raters, size.complete])
    found, kept, undefined, began = [], [], 0, time.process_time()
    df = min(size.items, size.raters) - 1
    shrink = normal_quantile(0.95) / t_quantile(0.95, df)
    for _ in range(studies):
        try:
            made = ordinal_model(study(rng, size))
        except AnalysisError:
            undefined += 1
            continue
        row = next((row for row in made.differences if {row.system, row.other} == {"a", "c"}), None)
        if row is None or row.interval is None or row.estimate is None:
            undefined += 1
            continue
        sign = 1.0 if row.system == "a" else -1.0
        gap = row.estimate - sign * (ODDS[0] - ODDS[2])
        half = (row.interval.high - row.interval.low) / 2
        found.append((abs(gap) <= half, abs(gap) <= shrink * half, sign * gap, 2 * half))
        slopes = ("(0 + system | rater)", "(1 | rater:system)")
        kept.append(not any(term in str(made.formula) for term in slopes))
    covers, normal, bias, width = np.mean(found, axis=0).tolist()
    return Cell(
        size=size,
        covers=covers,
        normal=normal,
        bias=bias,
        width=width,
        intercepts=float(np.mean(kept)),
        undefined=undefined,
        seconds=(time.process_time() - began) / studies,
    )


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, nargs="+", default=[30, 100])
    parser.add_argument("--raters", type=int, nargs="+", default=[3, 5, 10, 20])
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=None)
    asked: Any = parser.parse_args(argv)
    error = 100 * math.sqrt(0.95 * 0.05 / asked.studies)
    print(f"{asked.studies} studies a cell; Monte Carlo error of 95% ±{error:.1f} points\n")
    print(
        f"{'':>9}{'items':>7}{'raters':>8}{'covers':>9}{'normal':>9}{'bias':>8}{'width':>8}"
        f"{'no slope':>10}{'none':>6}{'seconds':>9}"
    )
    sizes = [
        Size(items=items, raters=raters, complete=complete)
        for complete, items, raters in product((True, False), asked.items, asked.raters)
        if complete or raters > PER_OUTPUT
    ]
    with get_context("spawn").Pool(asked.processes) as pool:
        for cell in pool.imap(run_cell, [(size, asked.studies, asked.seed) for size in sizes]):
            kind = "complete" if cell.size.complete else "three"
            print(
                f"{kind:>9}{cell.size.items:>7}{cell.size.raters:>8}{cell.covers:>9.1%}"
                f"{cell.normal:>9.1%}{cell.bias:>8.3f}{cell.width:>8.2f}{cell.intercepts:>10.0%}"
                f"{cell.undefined:>6}{cell.seconds:>9.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
