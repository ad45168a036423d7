"""How much memory `jurybox sample` takes for a file that stands nowhere: the figure of sampling.md.

    python bench/sample.py [RECORDS]

One process writes records into a pipe, the other takes 1% of them. Prints records, megabytes,
seconds and the largest resident size of the reader.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WRITER = """
import sys
text = "x" * 250
for k in range(int(sys.argv[1])):
    print(f'{{"id": "r{k}", "prompt": "{text}", "answer": "{text}", "user": "u{k}"}}')
"""
READER = "import sys; from jurybox.cli.app import run; sys.exit(run(sys.argv[1:]))"


def main(n: int) -> None:
    """Measure once."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "taken.jsonl"
        options = ["sample", "-", "--rate", "0.01", "--drop", "user", "--out", str(out)]
        start = time.perf_counter()
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(n)], stdout=subprocess.PIPE)
        subprocess.run([sys.executable, "-c", READER, *options], stdin=writer.stdout, check=True)
        seconds = time.perf_counter() - start
        writer.wait()
    megabytes = (sum(len(str(k)) for k in range(n)) * 2 + n * 553) / 1e6
    # The writer keeps nothing, so the larger of the two children is the reader.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    sys.stdout.write(f"{n:,} records, {megabytes:.0f} MB: {seconds:.0f} s, {peak:.0f} MB at most\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
