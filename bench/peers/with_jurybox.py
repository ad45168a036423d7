"""jurybox itself, and the database under it, asked the same way as its peers."""

from __future__ import annotations

import duckdb
from answer import answer

import jurybox as jb

VOTE = "system_a, system_b, winner"


def gap(found: jb.BradleyTerry) -> list[float]:
    values = [row.estimate for row in found.rows if row.estimate is not None]
    return [max(values) - min(values)]


def strengths(file: str) -> list[float]:
    """Ties as half, a sandwich of single votes."""
    return gap(jb.bradley_terry(file, ties="half", cluster=None))


def davidson_by_rater(file: str) -> list[float]:
    """Davidson's ties and the place, clustered by rater."""
    return gap(jb.bradley_terry(file, position=True, cluster="rater"))


def davidson_both(file: str) -> list[float]:
    """The default: Davidson's ties and the place, clustered by item and rater."""
    return gap(jb.bradley_terry(file, position=True))


def alpha(file: str) -> list[float]:
    """Ordinal alpha with 1,000 replicates over items."""
    found = jb.krippendorff_alpha(file, level="ordinal", generalize="items", n_resamples=1000)
    return [found.estimate or 0.0]


def gwet(file: str) -> list[float]:
    """Gwet's AC2 with quadratic weights and its interval."""
    return [jb.gwet_ac(file, weights="quadratic").estimate or 0.0]


def fleiss(file: str) -> list[float]:
    """Fleiss' kappa and its interval."""
    return [jb.fleiss_kappa(file).estimate or 0.0]


def means(file: str) -> list[float]:
    """The highest mean, clustered by item and rater."""
    return [max(row.estimate or 0.0 for row in jb.mean_scores(file, robustness=False).rows)]


def scan(file: str) -> list[float]:
    """The database's own GROUP BY of the three columns."""
    with duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT count(*) FROM (SELECT {VOTE}, count(*) FROM '{file}' GROUP BY ALL)"
        ).fetchall()
    return [float(found[0][0])]


WORKS = (strengths, davidson_by_rater, davidson_both, alpha, gwet, fleiss, means, scan)
# The first use of a room imports it, and that is not timed.
jb.bradley_terry, jb.krippendorff_alpha, jb.gwet_ac, jb.fleiss_kappa, jb.mean_scores  # noqa: B018
answer({work.__name__: work for work in WORKS})
