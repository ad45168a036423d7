"""How often the intervals cover a known truth, simulated with rater and item effects.

    python bench/coverage.py --items 30 100 --raters 3 5 10 --studies 300 --only "mean score"

`make coverage` runs the whole grid and writes docs/coverage.md; with --only and --write the other
tables of the page stay. Agreement among fewer than five raters is judged against the value for
those raters, which is all that its interval claims. `plain` is the interval that one would take
who does not know that responses repeat within raters and items.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

# One thread each: the grid itself runs on all cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.simulated import (
    PER_OUTPUT,
    Agree,
    Follow,
    Rate,
    Size,
    Study,
    mean_difference,
    mean_score,
    strength,
)
from bench.simulated_judges import Departs, Together
from jurybox.stats.judges.prediction_powered import LEAST_RATERS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
ITEMS, RATERS, STUDIES = (30, 100, 1000), (3, 5, 10, 20, 50), 2000

STATISTICS: dict[str, Callable[[np.random.Generator, Size], Study]] = {
    "mean score": mean_score,
    "difference": mean_difference,
    "win rate of 50%": Rate(0.5),
    "share of 2%": Rate(0.02),
    "share of 98%": Rate(0.98),
    "fooling rate of 30%": Rate(0.3),
    "strength": strength,
    "Krippendorff's alpha": Agree("alpha"),
    "Fleiss' kappa": Agree("kappa"),
    "Pearson's r": Follow("pearson"),
    "Spearman's rho": Follow("spearman"),
    "mean with a judge": Together(is_share=False),
    "win rate with a judge": Together(is_share=True),
    "verbosity of a judge": Departs("verbosity"),
    "self-preference of a judge": Departs("self-preference"),
    "leniency of a judge": Departs("leniency"),
    "compression of a judge": Departs("compression"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What came of one cell of the grid."""

    statistic: str
    size: Size
    studies: int
    covers: float
    plain: float
    width: float
    undefined: int

    @property
    def error(self) -> float:
        """The Monte Carlo error of the coverage: one standard error."""
        n = max(1, self.studies - self.undefined)
        return math.sqrt(max(self.covers * (1 - self.covers), 1e-4) / n)

    @property
    def holds(self) -> bool:
        """At least 93%; from ten raters on, at most 97%; two Monte Carlo errors allowed."""
        low = self.covers >= 0.93 - 2 * self.error
        return low and (self.size.raters < 10 or self.covers <= 0.97 + 2 * self.error)


def run_cell(statistic: str, size: Size, studies: int, seed: int) -> Cell:
    """Simulate one cell."""
    rng = np.random.default_rng([seed, size.items, size.raters, size.complete])
    given, plain, width = [], [], []
    for _ in range(studies):
        made = STATISTICS[statistic](rng, size)
        if made.given is not None:
            given.append(made.given.low <= made.truth <= made.given.high)
            width.append(made.given.high - made.given.low)
        if made.plain is not None:
            plain.append(made.plain.low <= made.truth <= made.plain.high)
    return Cell(
        statistic=statistic,
        size=size,
        studies=studies,
        covers=float(np.mean(given)) if given else math.nan,
        plain=float(np.mean(plain)) if plain else math.nan,
        width=float(np.mean(width)) if width else math.nan,
        undefined=studies - len(given),
    )


def _run(job: tuple[str, Size, int, int]) -> Cell:
    return run_cell(*job)


def grid(
    names: Sequence[str], items: Sequence[int], raters: Sequence[int], studies: int, seed: int
) -> Iterator[Cell]:
    """Every cell, on as many processes as there are cores."""
    sizes = [
        Size(items=i, raters=r, complete=complete)
        for complete, i, r in product((True, False), items, raters)
        if complete or r > PER_OUTPUT
    ]
    jobs = [
        (name, size, studies, seed)
        for name in names
        for size in sizes
        if size.raters >= LEAST_RATERS or not isinstance(STATISTICS[name], Together)
    ]
    if len(jobs) == 1:
        yield _run(jobs[0])
        return
    with get_context("spawn").Pool() as pool:
        yield from pool.imap(_run, jobs)


HEAD = """# How often the intervals cover

A 95% interval should hold the truth in 95 of 100 studies. Here jurybox's intervals are put to that
test, in simulated studies whose truth is known. These are the lowest and the highest coverage over
studies of {sizes}:

{summary}

{count} That is, at least 93% and, from ten raters on, at most 97%, with two Monte Carlo errors
allowed; a star in the tables below marks what is not. With fewer than ten raters some intervals are
wider than they need to be, and cover more.

**A plain interval** is what one would compute without knowing better:

- of means, differences, shares and strengths, as if every answer were independent;
- of agreement, and wherever a judge takes part, as if only items differed, and not raters too;
- of correlations, Fisher's z over outputs. Each output counts once, so it covers nearly as well.

**How to read the tables.** *Complete*: every rater judges every item. *Three per output*: every
output is judged by three raters drawn at random. *Mean width* is that of the interval of jurybox,
on the scale of the figure.

**What is simulated.** {studies:,} studies for each figure, unless its table names another number,
with raters and items drawn anew in each; the Monte Carlo error of 95% is ±{error:.1f} points.
Effects have a standard deviation of 0.6 between items, 0.5 between raters and 1 within, and raters
and items each have tastes for a system (0.4). The truth is what raters and items like these would
give on average.

Four things are special:

- **Agreement among three raters** is held against the value for these raters, which is all that
  its interval claims.
- **With a judge**: people rate the number of items in the table, and the judge five times as many.
  With fewer than five raters there is no such estimate.
- **Of a judge**: by how much it departs from people on the same outputs of two systems, with
  lengths of outputs, and raters' tastes for them, drawn anew.
- **Shares of 2% and 98%**: ten raters who give a few hundred answers give the rarer answer about
  six times. There the interval covers up to 98%, since its degrees of freedom are those of the
  fewer clusters. With Satterthwaite's it would cover 97%, but only 91 to 92% in several cells with
  five raters.

`make coverage` writes this page.
"""


def page(cells: Sequence[Cell], before: str = "") -> str:
    """The page in docs/; what was not simulated now stays as it stood ``before``."""
    parts = {
        part.partition("\n")[0]: part.partition("\n")[2].rpartition("|\n")[0] + "|"
        for part in before.split("\n## ")[1:]
    }
    for name in dict.fromkeys(cell.statistic for cell in cells):
        parts[name[0].upper() + name[1:]] = "\n" + _table(
            [cell for cell in cells if cell.statistic == name]
        )
    order = [name[0].upper() + name[1:] for name in STATISTICS]
    tables = [f"\n## {name}\n{parts[name]}" for name in order if name in parts]
    rows = [row for table in parts.values() for row in _rows(table)]
    head = HEAD.format(
        studies=STUDIES,
        error=_error(STUDIES),
        count=_count("".join(parts.values())),
        summary=_summary({name: parts[name] for name in order if name in parts}),
        sizes=f"{_ends(rows, 1)} items and {_ends(rows, 2)} raters",
    )
    left_out = [name for name in order if name not in parts]
    head += f"\nNot simulated: {', '.join(left_out)}.\n" if left_out else ""
    return "\n".join([head.rstrip(), *tables]) + "\n"


def _table(cells: Sequence[Cell]) -> str:
    rows, studies = {cell.size: cell for cell in cells}, cells[0].studies
    own = f"{studies:,} studies a cell: ±{_error(studies):.1f} points.\n\n"
    parts = [
        ("" if studies == STUDIES else own)
        + "| items | raters | covers, complete | plain | mean width | covers, three per output "
        "| plain | mean width |\n|---:|---:|---:|---:|---:|---:|---:|---:|"
    ]
    for items, raters in dict.fromkeys((s.items, s.raters) for s in rows):
        shown = [f"{items:,}", str(raters)]
        for complete in (True, False):
            cell = rows.get(Size(items=items, raters=raters, complete=complete))
            shown += ["", "", ""] if cell is None else _shown(cell)
        parts.append("| " + " | ".join(shown) + " |")
    return "\n".join(parts)


def _error(studies: int) -> float:
    """The Monte Carlo error of 95%, in points."""
    return 100 * math.sqrt(0.95 * 0.05 / studies)


def _count(tables: str) -> str:
    """How many cells hold, by the marks in the tables."""
    covers = [row[k].strip() for row in _rows(tables) for k in (3, 6) if "%" in row[k]]
    missed = [cover for cover in covers if "*" in cover]
    below = sum(float(cover.partition("%")[0]) < 95 for cover in missed)
    return (
        f"Of {len(covers)} figures, {len(covers) - len(missed)} are as they should be; {below} "
        f"cover too little and {len(missed) - below} too much."
    )


def _rows(tables: str) -> list[list[str]]:
    """The cells of every row with figures; the first and the last are empty."""
    lines = [line.split("|") for line in tables.splitlines() if line.startswith("| ")]
    return [row for row in lines if "%" in row[3]]


def _ends(rows: Sequence[Sequence[str]], column: int) -> str:
    numbers = [int(row[column].replace(",", "")) for row in rows]
    return f"{min(numbers):,} to {max(numbers):,}"


def _summary(tables: Mapping[str, str]) -> str:
    """The lowest and the highest coverage of each table."""
    lines = ["| figure | jurybox, % | plain, % |", "|---|---:|---:|"]
    for name, table in tables.items():
        ends = []
        for columns in ((3, 6), (4, 7)):
            shown = [row[k].strip() for row in _rows(table) for k in columns if "%" in row[k]]
            found = [float(one.partition("%")[0]) for one in shown]
            ends.append(f"{min(found):.1f} to {max(found):.1f}")
        lines.append(f"| {name} | {' | '.join(ends)} |")
    return "\n".join(lines)


def _shown(cell: Cell) -> list[str]:
    mark = "" if cell.holds else "*"
    none = f" ({cell.undefined} undefined)" if cell.undefined else ""
    return [f"{cell.covers:.1%}{mark}{none}", f"{cell.plain:.1%}", f"{cell.width:.3f}"]


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, nargs="+", default=list(ITEMS))
    parser.add_argument("--raters", type=int, nargs="+", default=list(RATERS))
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--only", nargs="+", choices=list(STATISTICS), default=list(STATISTICS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write these into docs/coverage.md")
    asked: Any = parser.parse_args(argv)
    error = _error(asked.studies)
    print(f"{asked.studies} studies a cell; Monte Carlo error ±{error:.1f} points\n")
    print(
        f"{'':16}{'':>11}{'items':>7}{'raters':>8}{'covers':>9}{'plain':>8}{'width':>8}{'none':>6}"
    )
    cells, started = [], time.monotonic()
    for cell in grid(asked.only, asked.items, asked.raters, asked.studies, asked.seed):
        cells.append(cell)
        kind = "complete" if cell.size.complete else "three"
        print(
            f"{cell.statistic:16}{kind:>11}{cell.size.items:>7}{cell.size.raters:>8}"
            f"{cell.covers:>9.1%}{cell.plain:>8.1%}{cell.width:>8.3f}{cell.undefined:>6}"
            f"{'' if cell.holds else ' *'}",
            flush=True,
        )
    print(f"\n{len(cells)} cells in {time.monotonic() - started:,.0f} s")
    if asked.write:
        before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        PAGE.write_text(page(cells, before), encoding="utf-8")
        print(f"written: {PAGE.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
