"""evalica: strengths without intervals; ordinal alpha with its interval."""

from __future__ import annotations

import evalica
import numpy as np
import pandas as pd
from answer import answer


def strengths(file: str) -> list[float]:
    """The gap between the strongest and the weakest system; ties count half."""
    frame = pd.read_parquet(file, columns=["system_a", "system_b", "winner"])
    names = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = frame["winner"].map(names)
    scores = np.log(evalica.bradley_terry(frame["system_a"], frame["system_b"], winners).scores)
    return [float(scores.max() - scores.min())]


def alpha(file: str) -> list[float]:
    """Ordinal alpha and 1,000 replicates of it."""
    frame = pd.read_parquet(file, columns=["item", "system", "rater", "score"])
    unit = frame["item"] + "/" + frame["system"]
    table = frame.assign(unit=unit).pivot(index="rater", columns="unit", values="score")
    found = evalica.alpha_bootstrap(table, distance="ordinal", n_resamples=1000)
    return [float(found.alpha)]


answer({"strengths": strengths, "alpha": alpha})
