"""The other side of a bench: does what it is asked by line, and says how long it took.

A line is JSON, ``{"work": …, "file": …}``; so is the answer, ``{"seconds": …, "result": […]}``.
What is imported before the first line is not timed. Runs in the peer's own environment, so it
imports nothing but the standard library.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Mapping

Work = Callable[[str], "list[float]"]


def answer(works: Mapping[str, Work]) -> None:
    """Answer until the input ends."""
    out = sys.stdout
    # What a library prints must not be taken for an answer.
    sys.stdout = sys.stderr
    for line in sys.stdin:
        asked = json.loads(line)
        start = time.perf_counter()
        result = works[asked["work"]](asked["file"])
        seconds = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        made = {"seconds": seconds, "result": result, "megabytes": memory / 1024}
        out.write(json.dumps(made) + "\n")
        out.flush()
