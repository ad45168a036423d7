"""ImagenHub: three raters, two criteria and what is derived from them."""

from __future__ import annotations

import statistics
from itertools import compress
from typing import Any

import jurybox as jb
from jurybox.analysis.api.opened import opened
from tests import reference
from tests.reference import QUICK


def imagenhub() -> Any:
    tasks = ("Multi-Subject_IG", "Text-Guided_IE", "Text-To-Image")
    tables = {task: _read_once(task) for task in tasks}
    values = {task: _imagenhub_values(table) for task, table in tables.items()}
    shape = {}
    for task, table in tables.items():
        files = [
            reference.rows_of(f"imagenhub/data/{task}/{task}_rater{r}.tsv", "\t") for r in (1, 2, 3)
        ]
        shape[task] = {
            "items": len(set(table["item"])),
            "models": len(set(table["system"])),
            "ratings": sum(criterion != "overall" for criterion in table["criterion"]),
            "uid_same_order": len({tuple(row["uid"] for row in rows) for rows in files}) == 1,
            "columns_same_order": len({tuple(rows[0]) for rows in files}) == 1,
        }
    return {"published": {"values": values}, "computed": values, "shape": shape}


def _read_once(task: str) -> dict[str, list[Any]]:
    """The task's ratings as jurybox reads its folder, the derived criterion included."""
    columns = ("item", "system", "rater", "criterion", "score")
    with opened(reference.imagenhub(task), "ratings", None, None) as responses:
        rows = responses.query(f"SELECT {', '.join(columns)} FROM {{r}}")
    return dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))


def _only(table: dict[str, list[Any]], **wanted: str) -> dict[str, list[Any]]:
    """The rows of a table that have these cells."""
    keys = zip(*(table[column] for column in wanted), strict=True)
    there = [key == tuple(wanted.values()) for key in keys]
    return {column: list(compress(cells, there)) for column, cells in table.items()}


def _imagenhub_values(table: dict[str, list[Any]]) -> dict[str, dict[str, Any]]:
    """Means over items and raters, their "std" (of the three raters' means), kappas and alphas."""
    found: dict[str, dict[str, Any]] = {}
    for name, criterion in (("SC", "SC"), ("PR", "PR"), ("HumanEval", "overall")):
        average = "HumanEvalAvg" if name == "HumanEval" else f"{name}_avg"
        part = _only(table, criterion=criterion)
        raters = [jb.mean_scores(_only(part, rater=f"rater{r}")) for r in (1, 2, 3)]
        for row in jb.mean_scores(part):
            own = [each[row.name].estimate for each in raters]
            one = _only(part, system=row.name)
            values = found.setdefault(row.name, {})
            values[average] = row.estimate
            values[f"{average}_per_rater"] = own
            values[f"{name}_std"] = statistics.pstdev(own)
            if name == "HumanEval":
                values["HumanEvalSum"] = (row.estimate or 0) * (row.n_items or 0)
            kappa = jb.fleiss_kappa(one, **QUICK)
            alpha = jb.krippendorff_alpha(one, level="ordinal", **QUICK)
            values[f"{name}_fleiss_kappa"] = kappa.estimate
            values[f"{name}_alpha_ordinal"] = alpha.estimate
            if row.name == "Imagic" and name != "PR":
                # SC is 0 throughout: others print 1 or crash, there is no number.
                assert kappa.undefined == alpha.undefined == "every response is the same value"
    return found
