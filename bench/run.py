"""How fast jurybox is beside the packages one would use instead: `make bench`.

Each peer runs in an environment of its own and gets the same Parquet file. All are asked in turn,
so that a noisy machine disturbs them alike; the minimum of the rounds counts, without the time of
imports. A time counts only after the two agree on the number. The table is written to
docs/speed.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.judging import IN_FLIGHT, judging
from bench.pages import next_trial
from bench.peer import Answer, Peer
from bench.report import RESPONSES, reports
from bench.studies import loading, planning, planning_ratings, simulated_power, submits
from bench.tables import make_ratings, make_votes

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
REPLICATES = 100
"""The krippendorff package computes ten of a thousand replicates."""
CROWD = 1000
"""Raters of the ratings for alpha."""
PANEL = 30
"""Raters of the ratings for coefficients of a panel."""
SMALL = 200
LONG = 60.0
"""Seconds beyond which work is asked for once."""
Asks = dict[tuple[str, str, Path], list[Answer]]
"""What a peer answered to each work on a file, round by round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of the table: our work beside a peer's."""

    what: str
    ours: str
    peer: str
    theirs: str
    file: Path
    target: float
    """How many times as fast as the peer; below 1 beside the database, which we build on."""
    check: tuple[str, str] | None = None
    """The works that must agree before the times count; by default the two that are timed."""
    tolerance: float | None = 1e-6
    """``None``: nothing that could be compared comes out."""
    times: float = 1.0
    """The peer did only this part of the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """What came out of a case."""

    case: Case
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def main() -> None:
    asked = arguments()
    if asked.quick:
        asked.votes, asked.ratings, asked.alpha, asked.huge = 100_000, 99_999, 30_000, 0
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        here = Path(folder)
        cases = make_cases(here, asked)
        names = dict.fromkeys(["jurybox", *(case.peer for case in cases)])
        peers = {name: stack.enter_context(Peer(name)) for name in names}
        asks = ask_all(cases, peers, asked.rounds)
        check(cases, asks)
        done = [timed(case, asks) for case in cases]
        print("\n".join(line(each) for each in done), flush=True)
        parts = [table(done, {name: peers[name].version for name in names}, asked)]
        if asked.huge:
            parts.append(huge(here, asked))
        parts.append(starting(here, asked.rounds))
        parts.append(reports(here, min(asked.votes, RESPONSES)))
        parts.append(studies(here))
    page = "\n".join([INTRODUCTION, machine(), *parts])
    if asked.quick:
        print(page)
    else:
        PAGE.write_text(page, encoding="utf-8")
        print(f"\nWritten to {PAGE.relative_to(Path.cwd())}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", type=int, default=10_000_000)
    parser.add_argument("--ratings", type=int, default=9_999_990, help="for mean scores")
    parser.add_argument("--alpha", type=int, default=999_990, help="ratings for alpha")
    parser.add_argument("--huge", type=int, default=100_000_000, help="votes; 0 leaves them out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small tables, nothing written")
    parser.add_argument("--only", nargs="*", help="only cases beside these peers")
    return parser.parse_args()


def make_cases(folder: Path, asked: argparse.Namespace) -> list[Case]:
    """The lines of the table, in the order in which they are timed."""
    votes = make_votes(folder / "votes.parquet", asked.votes)
    ratings = make_ratings(folder / "ratings.parquet", asked.ratings)
    # The peers resample outputs, so that each is an item here.
    few = make_ratings(folder / "few.parquet", asked.alpha, raters=CROWD, systems=1)
    # irrCAC holds a cell for every rater of every unit, so that a crowd would not fit.
    panel = make_ratings(folder / "panel.parquet", asked.alpha, raters=PANEL, systems=1)
    half = f"{asked.votes:,} votes: strengths, plain"
    full = f"{asked.votes:,} votes: strengths, clustered by "
    agreed = ("strengths", "strengths")
    crowd = f"{asked.alpha:,} ratings, {CROWD:,} raters: ordinal alpha"
    cases = [
        Case(
            what=half,
            ours="strengths",
            peer="jurybox",
            theirs="scan",
            file=votes,
            target=1 / 1.5,
            tolerance=None,
        ),
        Case(
            what=half,
            ours="strengths",
            peer="arena-rank",
            theirs="strengths",
            file=votes,
            target=90,
            tolerance=1e-3,
        ),
        Case(
            what=half,
            ours="strengths",
            peer="evalica",
            theirs="strengths",
            file=votes,
            target=30,
            tolerance=1e-3,
        ),
        Case(
            what=full + "rater",
            ours="davidson_by_rater",
            peer="arena-rank",
            theirs="strengths",
            file=votes,
            target=15,
            check=agreed,
            tolerance=1e-3,
        ),
        Case(
            what=full + "item and rater",
            ours="davidson_both",
            peer="arena-rank",
            theirs="strengths",
            file=votes,
            target=6,
            check=agreed,
            tolerance=1e-3,
        ),
        Case(
            what=crowd,
            ours="alpha",
            peer="evalica",
            theirs="alpha",
            file=few,
            target=300,
        ),
        Case(
            what=crowd,
            ours="alpha",
            peer="krippendorff",
            theirs="replicates",
            file=few,
            target=1000,
            check=("alpha", "alpha"),
            times=REPLICATES,
        ),
        *(
            Case(
                what=f"{asked.alpha:,} ratings, {PANEL} raters: {words}",
                ours=work,
                peer="irrCAC",
                theirs=work,
                file=panel,
                target=1,
            )
            for work, words in (("gwet", "Gwet's AC2"), ("fleiss", "Fleiss' kappa"))
        ),
        Case(
            what=f"{asked.ratings:,} ratings: mean scores",
            ours="means",
            peer="pandas",
            theirs="means",
            file=ratings,
            target=5,
            tolerance=1e-9,
        ),
    ]
    return [case for case in cases if asked.only is None or case.peer in asked.only]


def ask_all(cases: Sequence[Case], peers: Mapping[str, Peer], rounds: int) -> Asks:
    """Ask every peer for all its work, in turn, as often as there are rounds.

    What takes minutes is asked for once: another round would change nothing that a ratio says.
    """
    works = dict.fromkeys(
        each
        for case in cases
        for names in ((case.ours, case.theirs), case.check or ())
        for each in zip(("jurybox", case.peer), names, (case.file,) * 2, strict=False)
    )
    asks: Asks = {work: [] for work in works}
    for _ in range(rounds):
        for work in works:
            peer, name, file = work
            if not asks[work] or asks[work][0].seconds < LONG:
                asks[work].append(peers[peer].ask(name, file))
                print(f"{peer} {name}: {asks[work][-1].seconds:.2f} s", file=sys.stderr, flush=True)
    return asks


def check(cases: Sequence[Case], asks: Asks) -> None:
    """Refuse to time numbers that disagree."""
    for case in cases:
        if case.tolerance is None:
            continue
        ours, theirs = case.check or (case.ours, case.theirs)
        one = asks["jurybox", ours, case.file][0].result[0]
        two = asks[case.peer, theirs, case.file][0].result[0]
        if abs(one - two) > case.tolerance * max(1.0, abs(two)):
            raise SystemExit(f"{case.what}: jurybox says {one!r}, {case.peer} says {two!r}")


def timed(case: Case, asks: Asks) -> Timed:
    """The best time of either side."""
    ours = min(each.seconds for each in asks["jurybox", case.ours, case.file])
    theirs = min(each.seconds for each in asks[case.peer, case.theirs, case.file])
    if case.times != 1 and case.check is not None:
        # The table is read once, however many replicates follow.
        once = min(each.seconds for each in asks[case.peer, case.check[1], case.file])
        theirs = once + max(theirs - once, 0.0) * case.times
    return Timed(case=case, ours=ours, theirs=theirs)


def line(done: Timed) -> str:
    """One line of the table."""
    case = done.case
    is_scan = case.target < 1
    ratio = f"{done.ours / done.theirs:.2f}× its time" if is_scan else f"{done.ratio:,.1f}×"
    target = f"≤ {1 / case.target:.1f}× its time" if is_scan else f"≥ {case.target:,.0f}×"
    reached = "yes" if done.ratio >= case.target else "no"
    peer = "DuckDB" if is_scan else case.peer
    return (
        f"| {case.what} | {done.ours:.2f} s | {peer} | {done.theirs:,.2f} s | "
        f"{ratio} | {target} | {reached} |"
    )


def table(done: Sequence[Timed], versions: dict[str, str], asked: argparse.Namespace) -> str:
    known = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    rows = "\n".join(line(each) for each in done)
    return (
        "## Beside other packages\n\n"
        "All read the same Parquet file with columns of text. A time counts, without imports and "
        f"as the best of {asked.rounds} rounds, only if both come to the same number. "
        f"Peers: {known}.\n\n"
        "| work | jurybox | peer | its time | jurybox is | target | reached |\n"
        f"|---|---:|---|---:|---:|---:|---|\n{rows}\n\n{WORK}"
    )


WORK = f"""- **Strengths, plain**: Bradley–Terry with ties as half a win, and every vote independent
  (`cluster=None`). DuckDB only counts, by its own GROUP BY of the three columns. evalica gives no
  interval.
- **Strengths, clustered**: Davidson's model of ties, and what the first place adds. arena-rank
  does what it did above, without clusters; its number is compared there.
- **Ordinal alpha**: with 1,000 replicates over items. The krippendorff package computed
  {1000 // REPLICATES}, whose time counts {REPLICATES} times.
- **AC2 and kappa**: AC2 with quadratic weights, both clustered by item and rater; irrCAC clusters
  by items alone.
- **Mean scores**: clustered by item and rater; pandas clusters by rater alone.
"""


def huge(folder: Path, asked: argparse.Namespace) -> str:
    """Votes that do not fit into memory as text, each work in a process of its own."""
    votes = make_votes(folder / "huge.parquet", asked.huge)
    rows = []
    for what, work in (
        ("DuckDB's GROUP BY", "scan"),
        ("strengths, plain", "strengths"),
        ("strengths, clustered by item and rater", "davidson_both"),
    ):
        with Peer("jurybox") as peer:
            found = peer.ask(work, votes)
        rows.append(f"| {what} | {found.seconds:.1f} s | {found.megabytes:,.0f} MB |")
    return (
        f"## {asked.huge:,} votes\n\n"
        "Target of the plain ones: 2.5× the time of the GROUP BY, below 1,000 MB.\n\n"
        "| work | time | most memory |\n|---|---:|---:|\n" + "\n".join(rows) + "\n"
    )


def starting(folder: Path, rounds: int) -> str:
    """The whole process of ``jurybox analyze`` on 200 votes."""
    path = folder / "votes.csv"
    systems = ("new", "old", "base")
    rows = [
        f"q{i // 10},{systems[i % 3]},{systems[(i + 1) % 3]},r{i % 10},{'aab'[i * 7 % 3]}"
        for i in range(SMALL)
    ]
    path.write_text("item,system_a,system_b,rater,winner\n" + "\n".join(rows) + "\n")
    verb = [str(Path(sys.executable).with_name("jurybox")), "analyze", str(path)]
    bare = [sys.executable, "-c", "import numpy, duckdb"]
    spent = [(process(verb), process(bare)) for _ in range(3 * rounds)]
    ours, theirs = (min(column) for column in zip(*spent, strict=True))
    return (
        f"## {SMALL} votes\n\n`jurybox analyze` takes {ours:.2f} s from start to end, "
        f'{ours / theirs:.1f}× the time of `python -c "import numpy, duckdb"` '
        f"({theirs:.2f} s). Target: at most 3×.\n"
    )


def process(command: Sequence[str]) -> float:
    # An installed package has its bytecode beside it, ours like theirs.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def studies(folder: Path) -> str:
    few, many = judging(1_000), judging(10_000)
    return (
        "## Studies and pages\n\n| work | measured | target |\n|---|---:|---:|\n"
        f"| load a study of 10,000 items and five systems | {loading(folder):.2f} s |  |\n"
        f"| plan 10,000 trials × 3 raters in 100 booklets | {planning():.2f} s |  |\n"
        "| the same with one output on a screen, systems in Williams order | "
        f"{planning_ratings(overlap=3):.2f} s |  |\n"
        "| plan 10,000 such trials × 1 rater, 100 booklets of 100 | "
        f"{planning_ratings(overlap=1):.2f} s |  |\n"
        "| 1,000 simulated studies of 100 items × 5 systems × 3 raters, each with 10 comparisons | "
        f"{simulated_power():.1f} s | < 10 s |\n"
        "| `jurybox demo --no-serve`: plan, rate, analyze and report a study, from start to end | "
        f"{demo(folder):.1f} s |  |\n"
        "| give out a trial and store its answer, SQLite with `synchronous=FULL` | "
        f"{submits(folder):,.0f} a second |  |\n"
        "| from Submit to the next pair of pictures on the screen, 95th percentile of 50 trials | "
        f"{next_trial(0):.0f} ms | ≤ 100 ms |\n"
        "| the same over a network with 300 ms of latency, a trial every 1.5 s | "
        f"{next_trial(300):.0f} ms | ≤ 150 ms |\n"
        f"| `jurybox judge`, {IN_FLIGHT} calls at a time to a local endpoint: processor time per "
        f"call | {many.milliseconds:.1f} ms | < 2 ms |\n"
        "| its most memory after 1,000 and after 10,000 calls | "
        f"{few.megabytes:,.0f} and {many.megabytes:,.0f} MB |  |\n"
    )


def demo(folder: Path) -> float:
    verb = Path(sys.executable).with_name("jurybox")
    return process([str(verb), "demo", str(folder / "demo"), "--no-serve"])


def machine() -> str:
    return (
        f"Measured on {os.cpu_count()} cores ({platform.machine()}) "
        f"with Python {platform.python_version()}.\n"
    )


INTRODUCTION = """# Speed

A study of a few hundred answers is analyzed in half a second, a million answers in seconds, and a
rater hardly waits for the next trial. This page has the measurements, beside the packages that
one would use instead. `make bench` writes it.
"""


if __name__ == "__main__":
    main()
