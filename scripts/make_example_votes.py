"""Write examples/votes.csv: simulated votes with planted strengths, for the README and the docs.

Three systems on 20 items, 12 raters with tastes of their own; `aurora` is truly better, `birch` and
`cedar` are truly equal, so that an honest analysis tells the first apart and not the other two.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

SYSTEMS = ("aurora", "birch", "cedar")
STRENGTH = np.array([1.0, 0.0, 0.0])
PAIRS = ((0, 1), (0, 2), (1, 2))


def main() -> None:
    rng = np.random.default_rng(11)
    taste = rng.normal(0, 0.35, size=(12, 3))
    fit = rng.normal(0, 0.35, size=(20, 3))
    path = Path(__file__).parent.parent / "examples" / "votes.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["item", "system_a", "system_b", "rater", "winner", "first"])
        for item in range(20):
            for number, (a, b) in enumerate(PAIRS):
                for rater in rng.choice(12, size=4, replace=False):
                    utility = STRENGTH + taste[rater] + fit[item] + rng.gumbel(size=3)
                    gap = utility[a] - utility[b]
                    winner = "tie" if abs(gap) < 0.3 else "a" if gap > 0 else "b"
                    first = "ab"[(item + number + rater) % 2]
                    row = [f"q{item + 1:02}", SYSTEMS[a], SYSTEMS[b], f"r{rater + 1:02}"]
                    table.writerow([*row, winner, first])


if __name__ == "__main__":
    main()
