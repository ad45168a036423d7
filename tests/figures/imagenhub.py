"""ImagenHub: three raters, two criteria and what is derived from them."""

from __future__ import annotations

import statistics
from typing import Any

import jurybox as jb
from jurybox.analysis.api.opened import opened
from tests import reference
from tests.reference import QUICK


def imagenhub() -> Any:
    tasks = ("Multi-Subject_IG", "Text-Guided_IE", "Text-To-Image")
    values = {task: _imagenhub_values(task) for task in tasks}
    shape = {}
    for task in tasks:
        files = [
            reference.rows_of(f"imagenhub/data/{task}/{task}_rater{r}.tsv", "\t") for r in (1, 2, 3)
        ]
        found = jb.analyze(reference.imagenhub(task), **QUICK)
        shape[task] = {
            "items": found.n_items,
            "models": len(found.systems),
            "ratings": found.n_responses,
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


def _imagenhub_values(task: str) -> dict[str, dict[str, Any]]:
    """Means over items and raters, their "std" (of the three raters' means), kappas and alphas."""
    found: dict[str, dict[str, Any]] = {}
    table = _read_once(task)
    for name, criterion in (("SC", "SC"), ("PR", "PR"), ("HumanEval", "overall")):
        average = "HumanEvalAvg" if name == "HumanEval" else f"{name}_avg"
        means = jb.mean_scores(reference.imagenhub(task), criterion=criterion)
        raters = [
            jb.mean_scores(
                reference.imagenhub(task, only={"rater": f"rater{r}"}), criterion=criterion
            )
            for r in (1, 2, 3)
        ]
        for row in means:
            own = [each[row.name].estimate for each in raters]
            one = {
                column: [
                    value
                    for value, system, asked in zip(
                        cells, table["system"], table["criterion"], strict=True
                    )
                    if (system, asked) == (row.name, criterion)
                ]
                for column, cells in table.items()
            }
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
