"""Power by simulation: how many studies of a size would find the planted difference."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context

import numpy as np

from jurybox.errors import OptionError
from jurybox.results import Interval, format_percent
from jurybox.simulate.drawn import Drawer
from jurybox.simulate.judged import found, judge
from jurybox.simulate.scenario import Scenario
from jurybox.stats.power.crossed import Crossed
from jurybox.stats.shares import wilson

__all__ = ["Count", "Power", "counted", "power", "workers"]

BATCH = 25
"""Studies that one process simulates at a time: often enough to be told how far it is."""
KEEPS_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(1 << 25), "MALLOC_TRIM_THRESHOLD_": str(1 << 28)}
"""Has the GNU C library keep what a study used for the next one: to give it back and to ask for it
again took a third of the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """The share of simulated studies that find the difference; the interval is Monte Carlo error.

    With an effect of 0 it is how often a difference is found that is not there.
    """

    estimate: float
    interval: Interval
    effect: float
    items: int
    raters: int
    overlap: int
    n_studies: int
    half_width: float | None = None
    """The mean half-width of the interval that the study would report; of those that have one."""

    @property
    def error(self) -> float:
        """The Monte Carlo standard error."""
        p = self.estimate
        return float((p * (1 - p) / self.n_studies) ** 0.5)

    def short(self) -> str:
        """The power with half its Monte Carlo interval, which all or no studies have too."""
        half = (self.interval.high - self.interval.low) / 2
        return f"{format_percent(self.estimate)} ± {format_percent(half)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What the first so many studies of a seed found."""

    studies: int = 0
    hits: int = 0
    halves: tuple[float, ...] = ()
    """Half-widths of their intervals, of those that have one."""

    def power(self, scenario: Scenario, size: Crossed) -> Power:
        """The share of them that found the difference."""
        p = self.hits / self.studies
        shown = wilson(p, self.studies, 0.95, to="studies simulated like these")
        return Power(
            estimate=p,
            interval=replace(shown, method=f"Wilson over {self.studies:,} simulated studies"),
            effect=scenario.effect,
            items=size.items,
            raters=size.raters,
            overlap=size.overlap,
            n_studies=self.studies,
            half_width=float(np.mean(self.halves)) if self.halves else None,
        )


def power(
    scenario: Scenario,
    size: Crossed,
    *,
    studies: int = 1000,
    seed: int = 0,
    pool: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Power:
    """Simulate so many studies of this size and judge each as the real one would be.

    Parameters
    ----------
    scenario, size
        What is assumed and planted; items, raters, and raters per output.
    studies, seed
        How many; study number n of a seed is the same whoever simulates it and however many are.
    pool
        Processes to share the work; by default it is done here.
    progress
        Told how many studies are done, of how many.
    """
    made = counted(scenario, size, studies=studies, seed=seed, pool=pool, progress=progress)
    return made.power(scenario, size)


def counted(
    scenario: Scenario,
    size: Crossed,
    *,
    studies: int,
    seed: int,
    pool: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    known: Count | None = None,
) -> Count:
    """Count what so many studies find; those that are known are not simulated again."""
    if studies < 1:
        raise OptionError(f"at least one study must be simulated; got {studies}")
    scenario.check(size)
    known = known or Count()
    starts = range(known.studies, studies, BATCH)
    ends = [min(start + BATCH, studies) for start in starts]
    work = partial(_simulate, scenario, size, seed)
    done = map(work, starts, ends) if pool is None else pool.map(work, starts, ends)
    hits, halves = known.hits, list(known.halves)
    for (n_found, widths), end in zip(done, ends, strict=True):
        hits += n_found
        halves += widths
        if progress is not None:
            progress(end, studies)
    return Count(studies=max(studies, known.studies), hits=hits, halves=tuple(halves))


def _simulate(
    scenario: Scenario, size: Crossed, seed: int, start: int, end: int
) -> tuple[int, list[float]]:
    """How many of some studies find the difference, and how wide their intervals are."""
    drawer = Drawer(scenario, size)
    hits, halves = 0, []
    for number in range(start, end):
        row = judge(scenario, drawer.draw(np.random.default_rng((seed, number))))[0]
        hits += found(scenario, row)
        interval = row.claimed
        if interval is not None:
            halves.append((interval.high - interval.low) / 2)
    return hits, halves


@contextmanager
def workers() -> Iterator[Executor | None]:
    """A process for every core that may be used; ``None`` where there is only one."""
    count = cores()
    if count < 2:
        yield None
        return
    # Spawned, not forked: a copy of a process whose threads compute may wait forever.
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        # They begin now, so that they have read the program when there is work.
        with _environment(KEEPS_MEMORY):
            for _ in range(count):
                pool.submit(cores)
        yield pool


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Settings for processes that begin meanwhile; those that somebody made stay as they are."""
    mine = {name: value for name, value in settings.items() if name not in os.environ}
    os.environ.update(mine)
    try:
        yield
    finally:
        for name in mine:
            del os.environ[name]


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
