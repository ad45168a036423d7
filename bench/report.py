"""How long the report and the analysis of a million responses take, as whole processes.

python -m bench.report [RESPONSES]
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.tables import make_ratings, make_votes

__all__ = ["RESPONSES", "reports"]

RESPONSES = 999_999
RUN = (
    "import re, sys, time\n"
    "from jurybox.cli import main\n"
    "try: main()\n"
    "except SystemExit as left: assert not left.code, left.code\n"
    # Unlike ru_maxrss, this does not begin with what the process that started it held.
    "held = re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1]\n"
    "print(f'\\nused {time.process_time()} {int(held) / 1024}')"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a whole process took."""

    seconds: float
    processor: float
    megabytes: float
    """The most memory that it held."""


def reports(folder: Path, n: int = RESPONSES) -> str:
    """The table of ``report`` and ``analyze`` on ratings and on votes."""
    files = {
        "ratings, 10 systems, 300 raters": make_ratings(folder / "report-ratings.parquet", n),
        "votes, 100 systems, 5,000 raters": make_votes(folder / "report-votes.parquet", n),
    }
    rows = []
    for what, file in files.items():
        made = folder / f"{file.stem}-made"
        written = spend("report", str(file), "--out", str(made))
        page = (made / "report.html").stat().st_size / 1e6
        rows.append(line(f"`jurybox report`: {n:,} {what}", written, f"{page:.1f} MB"))
        rows.append(line("`jurybox analyze` of the same", spend("analyze", str(file))))
    return (
        "## A million responses\n\nThe whole process. Target of the report: below 20 s and "
        "1,000 MB, its page below 3 MB.\n\n| work | time | processor time | most memory | page |\n"
        "|---|---:|---:|---:|---:|\n" + "\n".join(rows) + "\n"
    )


def line(what: str, spent: Spent, page: str = "") -> str:
    return (
        f"| {what} | {spent.seconds:.1f} s | {spent.processor:.1f} s | "
        f"{spent.megabytes:,.0f} MB | {page} |"
    )


def spend(*verb: str) -> Spent:
    """Run ``jurybox`` in a process of its own."""
    # An installed package has its bytecode beside it.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-c", RUN, *verb], check=True, capture_output=True, text=True, env=env
    )
    seconds = time.perf_counter() - start
    processor, held = re.findall(r"used (\S+) (\S+)", run.stdout)[-1]
    return Spent(seconds=seconds, processor=float(processor), megabytes=float(held))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_here:
        print(reports(Path(made_here), *map(int, sys.argv[1:])))
