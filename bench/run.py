"""How fast jurybox is beside the packages one would use instead: `make bench`.

Both sides get the same Parquet file and are run in turn, so that a noisy machine disturbs them
alike; the minimum of the rounds counts. A time counts only after the two agree on the number.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

import jurybox as jb
from jurybox.design import make_plan
from jurybox.design.answers import ShownAnswer, turn_back
from jurybox.store import Store, Submission
from jurybox.study import Study
from jurybox.study.material import Item, Material, Output
from jurybox.study.model import ItemId, RaterId, SystemId


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The same number, computed by us and by a peer."""

    work: str
    peer: str
    ours: Callable[[], float]
    theirs: Callable[[], float]
    tolerance: float = 1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="votes and ratings")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        votes = make_votes(Path(folder) / "votes.parquet", asked.rows)
        ratings = make_ratings(Path(folder) / "ratings.parquet", asked.rows)
        print(f"{asked.rows:,} rows, best of {asked.rounds} rounds\n")
        print("| work | jurybox | peer | their time | ratio |\n|---|---:|---|---:|---:|")
        for case in (strengths(votes), alpha(ratings), means(ratings)):
            print(row(case, asked.rounds), flush=True)
        print("\n| work | rate |\n|---|---:|")
        print(f"| plan 10,000 trials × 3 raters in 100 booklets | {planning():.2f} s |")
        rate = submits(Path(folder))
        print(f"| claim and submit, SQLite with synchronous=FULL | {rate:,.0f} a second |")


def make_votes(path: Path, n: int) -> Path:
    """Votes of 2,000 raters on 5,000 items between 50 systems, a tenth of them ties."""
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 1, 50)
    a, b = rng.integers(0, 50, n), rng.integers(0, 49, n)
    b += b >= a
    wins = rng.random(n) < 1 / (1 + np.exp(strength[b] - strength[a]))
    winner = np.where(rng.random(n) < 0.1, "tie", np.where(wins, "a", "b"))
    return write(
        path,
        item=np.char.add("q", rng.integers(0, 5000, n).astype(str)),
        system_a=np.char.add("s", a.astype(str)),
        system_b=np.char.add("s", b.astype(str)),
        rater=np.char.add("r", rng.integers(0, 2000, n).astype(str)),
        winner=winner,
        trial=np.char.add("t", np.arange(n).astype(str)),
    )


def make_ratings(path: Path, n: int) -> Path:
    """Three ratings 1–5 of each output, by 300 raters, of 10 systems."""
    rng = np.random.default_rng(1)
    outputs = np.repeat(np.arange(n // 3), 3)
    quality = rng.normal(0, 1, n // 3)[outputs]
    rater = (outputs * 7 + np.tile([0, 101, 202], n // 3)) % 300
    score = np.clip(np.rint(3 + quality + rng.normal(0, 0.8, len(outputs))), 1, 5)
    return write(
        path,
        item=np.char.add("q", (outputs // 10).astype(str)),
        system=np.char.add("s", (outputs % 10).astype(str)),
        rater=np.char.add("r", rater.astype(str)),
        criterion=np.full(len(outputs), "quality"),
        score=score,
    )


def write(path: Path, **columns: np.ndarray) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), path)
    return path


def strengths(path: Path) -> Case:
    """Bradley–Terry, ties half: the gap between the strongest and the weakest system."""
    import evalica
    import pandas as pd

    def ours() -> float:
        rows = jb.bradley_terry(path, ties="half", cluster=None).rows
        values = [row.estimate for row in rows if row.estimate is not None]
        return max(values) - min(values)

    def theirs() -> float:
        frame = pd.read_parquet(path, columns=["system_a", "system_b", "winner"])
        names = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
        winners = frame["winner"].map(names)
        result = evalica.bradley_terry(frame["system_a"], frame["system_b"], winners)
        scores = np.log(result.scores)
        return float(scores.max() - scores.min())

    return Case(
        work="Bradley–Terry of 50 systems, with intervals (evalica: without)",
        peer="evalica",
        ours=ours,
        theirs=theirs,
        tolerance=1e-3,
    )


def alpha(path: Path) -> Case:
    """Ordinal alpha."""
    import krippendorff
    import pandas as pd

    def theirs() -> float:
        frame = pd.read_parquet(path)
        unit = frame["item"] + "/" + frame["system"]
        table = pd.crosstab(unit, frame["score"])
        return float(
            krippendorff.alpha(
                value_counts=table.to_numpy(),
                value_domain=sorted(frame["score"].unique()),
                level_of_measurement="ordinal",
            )
        )

    def ours() -> float:
        return float(jb.krippendorff_alpha(path, level="ordinal").estimate or 0.0)

    return Case(
        work="ordinal alpha, with an interval (krippendorff: without)",
        peer="krippendorff",
        ours=ours,
        theirs=theirs,
    )


def means(path: Path) -> Case:
    """Mean scores of ten systems; the peer gets only a rater-clustered standard error."""
    import pandas as pd

    def theirs() -> float:
        frame = pd.read_parquet(path)
        mean = frame.groupby("system")["score"].mean()
        moved = frame["score"] - frame["system"].map(mean)
        by_rater = moved.groupby([frame["system"], frame["rater"]]).sum()
        (by_rater**2).groupby("system").sum()
        return float(mean.max())

    def ours() -> float:
        return max(row.estimate or 0.0 for row in jb.mean_scores(path).rows)

    return Case(
        work="mean scores of 10 systems, clustered both ways (pandas: by rater)",
        peer="pandas",
        ours=ours,
        theirs=theirs,
    )


def row(case: Case, rounds: int) -> str:
    """One line of the table; refuses to time numbers that disagree."""
    ours, theirs = case.ours(), case.theirs()
    if abs(ours - theirs) > case.tolerance * max(1.0, abs(theirs)):
        raise SystemExit(f"{case.work}: jurybox says {ours!r}, {case.peer} says {theirs!r}")
    spent = np.array([[timed(case.ours), timed(case.theirs)] for _ in range(rounds)]).min(axis=0)
    ratio = spent[1] / spent[0]
    return f"| {case.work} | {spent[0]:.2f} s | {case.peer} | {spent[1]:.2f} s | {ratio:.1f}× |"


def timed(work: Callable[[], float]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def planning() -> float:
    """Seconds to plan 10,000 trials."""
    study, material = pairs_study(items=10_000, raters=100)
    start = time.perf_counter()
    make_plan(study, material)
    return time.perf_counter() - start


def submits(folder: Path, raters: int = 10) -> float:
    """Trials claimed and answered a second, each answer on disk before the next claim."""
    study, material = pairs_study(items=1000, raters=30)  # 3,000 slots: 100 in a booklet
    now = datetime(2026, 1, 1, tzinfo=UTC)
    shown = [ShownAnswer(criterion="preference", choice="first")]
    with Store.open(folder / "study.db") as store:
        version = store.save_version("{}", study.hash(), "none", kind="first", now=now)
        store.save_plan(make_plan(study, material), version=version, now=now)
        for number in range(raters):
            store.enroll(RaterId(f"r{number}"), token_hash=str(number), details={}, now=now)
        start = time.perf_counter()
        for number in range(100 * raters):
            rater = RaterId(f"r{number // 100}")
            (held,) = store.claim(rater, count=1, lease=timedelta(hours=1), now=now)
            sent = Submission(
                id=f"s{number}",
                rater=rater,
                trial=held.trial.id,
                slot=held.slot,
                round="main",
                study_version=version,
                session="s",
                position=held.position,
                order=held.order,
                at=now,
                status="answered",
                answers=turn_back(study, held.trial, held.order, shown),
            )
            store.submit(sent, now=now)
        return 100 * raters / (time.perf_counter() - start)


def pairs_study(*, items: int, raters: int) -> tuple[Study, Material]:
    """A comparison of two systems without files."""
    study = Study.model_validate(
        {
            "title": "Bench",
            "protocol": "compare",
            "items": "items.csv",
            "outputs": "outputs.csv",
            "show": {"prompt": "text", "answer": "text"},
            "design": {"overlap": 3, "raters": raters},
            "session": {"seconds_per_trial": 1, "minutes": 10_000},
        }
    )
    ids = [ItemId(f"q{number}") for number in range(items)]
    systems = (SystemId("a"), SystemId("b"))
    material = Material(
        items={id_: Item(id=id_, fields={"prompt": "?"}, file="", row=0) for id_ in ids},
        systems=systems,
        outputs={
            (id_, system): Output(item=id_, system=system, fields={"answer": "!"}, file="", row=0)
            for id_ in ids
            for system in systems
        },
    )
    return study, material


if __name__ == "__main__":
    main()
