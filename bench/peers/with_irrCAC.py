"""irrCAC: Gwet's AC2 and Fleiss' kappa with their intervals, from units × raters."""

from __future__ import annotations

import pandas as pd
from answer import answer
from irrCAC.raw import CAC


def table(file: str) -> pd.DataFrame:
    """Units × raters; irrCAC takes no other shape, and most cells of it are empty."""
    frame = pd.read_parquet(file, columns=["item", "system", "rater", "score"])
    unit = frame["item"] + "/" + frame["system"]
    return frame.assign(unit=unit).pivot(index="unit", columns="rater", values="score")


def gwet(file: str) -> list[float]:
    """AC2 with quadratic weights."""
    return [
        float(CAC(table(file), weights="quadratic", digits=12).gwet()["est"]["coefficient_value"])
    ]


def fleiss(file: str) -> list[float]:
    """Fleiss' kappa, of unequal numbers of raters as Gwet generalizes it."""
    return [float(CAC(table(file), digits=12).fleiss()["est"]["coefficient_value"])]


answer({"gwet": gwet, "fleiss": fleiss})
