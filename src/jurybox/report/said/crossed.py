"""Tables with a cell for every two systems, or for every system and category of errors."""

from __future__ import annotations

from collections.abc import Sequence

from jurybox.analysis.finding import Column, Table

__all__ = ["OF_MATRIX", "categories_of", "matrix_of"]

OF_MATRIX = "matrix"
"""The kind of table that has a system in every row and in every column."""
HEADS = 84
"""Letters that the heads of a matrix' columns may have together, each as wide as the widest."""
MOST_SYSTEMS = 12
"""Systems up to which a matrix is readable."""
MOST_CATEGORIES = 6
"""Categories of errors that have a column of their own."""


def matrix_of(table: Table, best: Sequence[str] = ()) -> Table | None:
    """The win rates of a table of pairs, with a row and a column for each system.

    They stand in the order of ``best``, as in the other tables. Names that are too long for the
    heads of so many columns are numbered.
    """
    system, other, rate = map(table.place, ("system", "other", "win_rate"))
    if table.kind != "pairs" or system is None or other is None or rate is None:
        return None
    found: dict[tuple[str, str], float] = {}
    for row in table.rows:
        if row[rate] is not None:
            found[row[system], row[other]] = row[rate]
            found[row[other], row[system]] = 1 - row[rate]
    names = list(dict.fromkeys(name for row in table.rows for name in (row[system], row[other])))
    if not 3 <= len(names) <= MOST_SYSTEMS:
        return None
    # The one that wins most on average stands first where no other table has an order.
    means = {a: [found[a, b] for b in names if (a, b) in found] for a in names}
    names.sort(key=lambda name: -sum(means[name]) / max(len(means[name]), 1))
    names.sort(key=lambda name: best.index(name) if name in best else len(best))
    widest = max(len(word) for name in names for word in name.split() or [""])
    numbered = widest * len(names) > HEADS
    does = "wins against" if table.place("rankings") is None else "is ranked above"
    return Table(
        id=f"{OF_MATRIX}/{table.about}",
        title=f"How often the system of the row {does} that of the column: {table.about}",
        columns=(
            Column(name="system", heading="System"),
            *(
                Column(name=f"against_{name}", heading=f"{k}" if numbered else name, kind="percent")
                for k, name in enumerate(names, start=1)
            ),
        ),
        rows=tuple(
            (f"{k}. {a}" if numbered else a, *(found.get((a, b)) for b in names))
            for k, a in enumerate(names, start=1)
        ),
        caption="Two cells across the diagonal add up to 100%; the intervals are below."
        + numbered * " Columns have the numbers of the rows.",
    )


def categories_of(table: Table) -> Table | None:
    """Where each system's error points come from: a row for each, a column for each category.

    Of ``accuracy/omission`` the category is ``accuracy``; the system with the fewest points stands
    first, and the category with the most.
    """
    system, category, points = map(table.place, ("system", "category", "points"))
    if table.kind != "spans" or system is None or category is None or points is None:
        return None
    found: dict[str, dict[str, float]] = {}
    totals: dict[str, float] = {}
    finer = next((str(row[category]) for row in table.rows if "/" in str(row[category])), None)
    for row in table.rows:
        errors = found.setdefault(row[system], {})
        kind = str(row[category]).partition("/")[0] or str(row[category])
        for each in (errors, totals):
            each[kind] = each.get(kind, 0.0) + (row[points] or 0.0)
    if len(totals) < 2:
        return None
    shown = sorted(totals, key=lambda kind: -totals[kind])[:MOST_CATEGORIES]
    rest = [Column(name="others", heading="Others", kind="number")] * (len(totals) > len(shown))
    about = table.about
    return Table(
        id=f"span_categories/{about}",
        title=f"Error points per output by category: {about}",
        columns=(
            Column(name="system", heading="System"),
            *(Column(name=name, heading=name, kind="number") for name in shown),
            *rest,
            Column(name="all", heading="All", kind="number"),
        ),
        rows=tuple(
            (
                name,
                *(errors.get(kind, 0.0) for kind in shown),
                *(sum(n for kind, n in errors.items() if kind not in shown) for _ in rest),
                sum(errors.values()),
            )
            for name, errors in sorted(found.items(), key=lambda pair: sum(pair[1].values()))
        ),
        caption="What was marked, counted: the intervals of all points together stand above. A "
        "system without any mark has no row."
        + ("" if finer is None else f" {finer} counts as {finer.partition('/')[0]}."),
    )
