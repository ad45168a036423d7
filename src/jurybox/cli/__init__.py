"""The command line: one file per verb; the only room that wires the others together.

A verb's module is imported when that verb is run, so that ``jurybox analyze`` on a small file does
not pay for web servers and databases. Exit codes: 0 done, 1 something is wrong with the study or
the data, 2 wrong usage, 3 undecided, 4 a bug (with its traceback).
"""

from __future__ import annotations

import gc
import os
import sys

__all__ = ["main"]

PATIENCE = 100_000
"""New objects after which garbage is looked for."""


def main() -> None:
    """Run ``jurybox``; every known failure is printed as its sentence."""
    # Nearly all objects that a start makes stay, so that looking through them finds nothing.
    gc.set_threshold(PATIENCE)
    # Our matrices are small: a second thread saves nothing on an idle machine, waits for the first
    # at full speed on a busy one, and adds up in another order. The largest, FID's of 2,048
    # features, take one thread eight seconds for each system.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from jurybox.cli.app import run
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)
    sys.exit(run(sys.argv[1:]))
