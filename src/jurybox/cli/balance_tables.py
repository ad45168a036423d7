"""How even a plan is, as tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.study.breach import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from jurybox.design.balance import Balance

__all__ = ["number_range", "print_balance"]

MOST_PAIRS = 15
MOST_FOLLOWED = 12


def print_balance(console: Console, found: Balance, answered: Balance | None) -> None:
    """Print how often systems are shown, meet and follow each other, and what differs most.

    ``answered``: the same of the answers that came so far.
    """
    console.print("\nHow often each system is shown", _place_table(found), sep="\n")
    if found.pairs:
        console.print("\nWhich systems meet", _pair_table(found), sep="\n")
        if len(found.pairs) > MOST_PAIRS:
            more = counted(len(found.pairs) - MOST_PAIRS, "pair")
            console.print(f"… and {more} more (see --json).")
    if 1 < len(found.follows) <= MOST_FOLLOWED:
        console.print("\nWhich system follows which", _follow_table(found), sep="\n")
    elif found.follows:
        console.print(f"\nWhich of the {len(found.follows)} systems follows which: see --json.")
    console.print("\nLargest differences", _difference_table(found, answered), sep="\n")
    console.print(_say_distance(found))


def _say_distance(found: Balance) -> str:
    if found.item_distance is None:
        return "Nobody sees two trials of one item."
    if found.items_met:
        times = "once" if found.items_met == 1 else f"{found.items_met:,} times"
        return f"Two trials of one item come directly after each other {times}."
    between = found.item_distance - 1
    other = "trial is" if between == 1 else "trials are"
    return f"At least {between} other {other} between two trials of one item."


def number_range(low: float, high: float, form: str) -> str:
    """Two numbers as `3 to 5`, or as one when they print alike."""
    one, other = format(low, form), format(high, form)
    return one if one == other else f"{one} to {other}"


def _place_table(found: Balance) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column("System")
    places = range(len(found.places[0].places)) if found.places else range(0)
    for place in places:
        table.add_column(f"place {place + 1}" if len(places) > 1 else "slots", justify="right")
    for row in found.places:
        table.add_row(row.system, *(f"{count:,}" for count in row.places))
    return table


def _pair_table(found: Balance) -> Table:
    from rich.table import Table

    table = Table()
    for heading in ("Pair", "slots", "first one first", "second one first"):
        table.add_column(heading, justify="left" if heading == "Pair" else "right")
    for row in found.pairs[:MOST_PAIRS]:
        second = row.slots - row.first_shown_first
        table.add_row(
            " – ".join(row.systems), f"{row.slots:,}", f"{row.first_shown_first:,}", f"{second:,}"
        )
    return table


def _follow_table(found: Balance) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column("Behind")
    for row in found.follows:
        table.add_column(row.system, justify="right")
    for row in found.follows:
        table.add_row(row.system, *(f"{count:,}" for count in row.next))
    return table


DIFFERENCES = {
    "load_difference": "booklets, in their trials",
    "system_difference": "booklets, in how often they show a system",
    "place_difference": "places of a system, over all slots",
    "trial_difference": "places of a system, within a trial's slots",
    "booklet_difference": "places, within a booklet",
    "pair_difference": "pairs, in which of the two comes first",
    "meet_difference": "pairs, in how often they meet",
    "follow_difference": "systems, in how often one follows another",
}


def _difference_table(found: Balance, answered: Balance | None) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column("Between")
    table.add_column("planned" if answered else "difference", justify="right")
    if answered:
        table.add_column("answered", justify="right")
    for name, words in DIFFERENCES.items():
        values = [getattr(each, name) for each in (found, answered) if each is not None]
        if values[0] is None:
            continue
        if name == "load_difference":
            words += f" ({number_range(min(found.loads), max(found.loads), ',')} each)"
        table.add_row(words, *("–" if value is None else str(value) for value in values))
    return table
