"""pandas: mean scores with standard errors clustered one way, by rater."""

from __future__ import annotations

import numpy as np
import pandas as pd
from answer import answer


def means(file: str) -> list[float]:
    """The highest mean, and the standard error of that system clustered by rater."""
    frame = pd.read_parquet(file, columns=["system", "rater", "score"])
    by_system = frame.groupby("system")["score"]
    mean, n = by_system.mean(), by_system.size()
    moved = frame["score"] - frame["system"].map(mean)
    sums = moved.groupby([frame["system"], frame["rater"]]).sum()
    error = np.sqrt((sums**2).groupby("system").sum()) / n
    best = mean.idxmax()
    return [float(mean[best]), float(error[best])]


answer({"means": means})
