"""arena-rank: strengths with sandwich intervals, ties as half."""

from __future__ import annotations

import math

import pandas as pd
from answer import answer
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset

OUTCOMES = {"a": "model_a", "b": "model_b", "tie": "tie"}


def strengths(file: str) -> list[float]:
    """The gap between the strongest and the weakest system, and the widest interval."""
    frame = pd.read_parquet(file, columns=["system_a", "system_b", "winner"])
    frame = frame.rename(columns={"system_a": "model_a", "system_b": "model_b"})
    frame["winner"] = frame["winner"].map(OUTCOMES)
    dataset = PairDataset.from_pandas(frame)
    model = BradleyTerry(n_competitors=len(dataset.competitors))
    found = model.compute_ratings_and_cis(dataset, significance_level=0.05)
    scale = math.log(10) / 400
    ratings = [float(each) * scale for each in found["ratings"]]
    return [max(ratings) - min(ratings)]


answer({"strengths": strengths})
