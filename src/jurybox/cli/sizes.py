"""Sizes of a study in the terminal: what they take, what they find, and what a month costs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from jurybox.cli.lines import paragraph
from jurybox.errors import OptionError
from jurybox.formats import format_count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from jurybox.cli.how_many import HowMany
    from jurybox.simulate.scenario import Scenario
    from jurybox.simulate.search import Found
    from jurybox.simulate.sizes import Sized, Work

__all__ = ["monthly", "print_found", "print_monthly", "say", "say_lines", "to_plain"]

MOST_COLUMNS = 100


def say_lines(console: Console, sentence: str) -> None:
    """Print a sentence in lines that a terminal has room for."""
    console.print(paragraph(sentence, min(console.width, MOST_COLUMNS)), markup=False)


def say(scenario: Scenario, work: Work, source: str) -> tuple[str, ...]:
    """What is assumed, in sentences."""
    many = scenario.n_compared
    family = "" if many == 1 else f"; {many} comparisons as one family"
    if scenario.strengths:
        model = "Bradley–Terry" if scenario.protocol == "compare" else "Plackett–Luce"
        family += f" of {model} strengths"
    parts = {
        "items": scenario.scatter.item,
        "items by system": scenario.scatter.item_system,
        "raters": scenario.scatter.rater,
        "raters by system": scenario.scatter.rater_system,
        "noise": scenario.scatter.noise,
    }
    listed = ", ".join(f"{name} {sd:.3g}" for name, sd in parts.items() if sd)
    paid = "" if work.pay is None else f", {work.pay:g} an hour"
    return (
        f"Assumed: {_what(scenario)}{family}.",
        f"Standard deviations: {listed} ({source}).",
        f"{work.seconds:.0f} seconds a trial, {work.minutes:g} minutes a rater before the first, "
        f"sessions of {work.session:g} minutes{paid}.",
    )


def _what(scenario: Scenario) -> str:
    """What raters do."""
    n, shown = scenario.systems, scenario.shown
    systems = format_count(n, "system")
    on_screen = shown.on_screen(n)
    together = "" if on_screen == 1 else f", {on_screen} outputs on a screen"
    ties = f", {100 * scenario.ties:.0f}% ties if equal"
    if scenario.protocol == "rate":
        return f"{systems} rated{together}"
    if scenario.protocol == "mark":
        return f"{systems} marked{together}, {scenario.points:.3g} error points per output"
    if scenario.protocol == "detect":
        return (
            f"{format_count(n, 'generated system')} beside real outputs, "
            f"{100 * scenario.accepted:.0f}% of which are taken for real"
        )
    if scenario.protocol == "rank":
        if scenario.best:
            return f"the best named of {on_screen} outputs on a screen, {systems}"
        return f"{systems} ranked{together}{ties if scenario.ties else ''}"
    pairs = len(shown.meeting(n))
    ways = f"{pairs} of {n * (n - 1) // 2} pairs" if shown.pairs != "all" else "pairs"
    drawn = "" if shown.per_item is None else f" drawn at random, {shown.per_item:.3g} an item"
    return f"{systems} compared in {ways}{drawn}{ties}"


def _points(scenario: Scenario, effect: float) -> str:
    if scenario.protocol == "rate":
        return f"a difference of {abs(effect):.3g} in the mean score"
    if scenario.protocol == "mark":
        return f"a difference of {abs(effect):.3g} in error points per output"
    if scenario.protocol == "compare":
        return f"a win rate of {100 * (0.5 + effect):.1f}%"
    if scenario.protocol == "rank":
        return f"one ranked above another in {100 * (0.5 + effect):.1f}%"
    return f"a fooling rate {100 * abs(effect):.1f} points from real outputs"


def print_found(
    console: Console, found: Found, asked: HowMany, scenario: Scenario, *, available: int | None
) -> None:
    """The sizes, the recommended one, and the power curve."""
    best, reverse = found.best, asked.detect is None
    goal = _points(scenario, best.effect)
    seen = best.power
    # Only where differences end: no larger one is left to look for.
    short_of = seen is not None and seen.estimate < asked.power
    if short_of:
        console.print(f"\nNo difference is seen with a power of {asked.power:.0%}; the largest")
    elif reverse:
        console.print(f"\nThe smallest difference seen with a power of {asked.power:.0%}")
    else:
        console.print(f"\nSizes that find {goal} with a power of {asked.power:.0%}")
    console.print(_size_table(found.rows, best, effects=reverse))
    simulations = "" if seen is None else format_count(seen.n_studies, "simulation")
    reached = "" if seen is None else f", power {seen.short()} by {simulations}"
    if seen is not None and short_of:
        say_lines(
            console,
            f"Not even {goal} is seen so often: power {seen.short()} by {simulations}. "
            "Add items or raters.",
        )
    else:
        console.print(f"Recommended: {_design_line(scenario, best)}.")
        say_lines(console, f"It finds {goal}{reached}.")
    if best.size.overlap == 1:
        console.print("With one rater per output, nothing can be said about agreement.")
    short = 0 if available is None else best.size.items - available
    if short > 0 and scenario.protocol != "detect":
        say_lines(
            console,
            f"The study has {format_count(available or 0, 'item')}: {short:,} more "
            f"{'is' if short == 1 else 'are'} needed, or more raters per output.",
        )
    head = "difference" if reverse else "number of items"
    console.print(
        f"\nPower by {head}: {format_count(best.size.raters, 'rater')}, "
        f"{best.size.overlap} per output"
    )
    console.print(_curve_table(found.curve, effects=reverse))


def _design_line(scenario: Scenario, best: Sized) -> str:
    """The keys of the study file that ask for this size."""
    size = best.size
    # In detect the key counts outputs, real ones included.
    items = best.trials if scenario.protocol == "detect" else size.items
    cost = "" if best.cost is None else f", costs {best.cost:,.0f}"
    # Random pairs are counted in all, and grow with the items.
    drawn = "" if scenario.shown.per_item is None else f", pairs: {{random: {best.trials}}}"
    return (
        f"design: {{items: {items}, overlap: {size.overlap}, raters: {size.raters}{drawn}}} takes "
        f"{best.hours:,.1f} hours{cost}"
    )


def _size_table(rows: tuple[Sized, ...], best: Sized, *, effects: bool) -> Table:
    from rich.box import SIMPLE
    from rich.table import Table

    from jurybox.results import format_number, format_percent

    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    paid = best.cost is not None
    headings = ["", *(["difference"] if effects else []), "items", "raters", "overlap", "trials"]
    # What the formula says of a difference that was looked for is near the power by itself.
    headings += ["hours", *(["cost"] if paid else []), *([] if effects else ["formula"])]
    headings += ["simulated"]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            "→" if row is best else "",
            *([format_number(row.effect)] if effects else []),
            f"{row.size.items:,}",
            f"{row.size.raters:,}",
            f"{row.size.overlap}",
            f"{row.trials:,}",
            f"{row.hours:,.1f}",
            *([f"{row.cost or 0:,.0f}"] if paid else []),
            *([] if effects else [format_percent(row.formula, 0)]),
            "–" if row.power is None else row.power.short(),
        )
    return table


def _curve_table(rows: tuple[Sized, ...], *, effects: bool) -> Table:
    from rich.table import Table

    from jurybox.results import format_number

    table = Table()
    for heading in ("difference" if effects else "items", "hours", "power", ""):
        table.add_column(heading, justify="left" if not heading else "right")
    for row in rows:
        p = 0.0 if row.power is None else row.power.estimate
        table.add_row(
            format_number(row.effect) if effects else f"{row.size.items:,}",
            f"{row.hours:,.1f}",
            "–" if row.power is None else row.power.short(),
            "█" * round(20 * p),
        )
    return table


def to_plain(found: Found) -> dict[str, Any]:
    """The sizes as JSON."""

    def row(each: Sized) -> dict[str, Any]:
        data = {
            name: value for name, value in asdict(each).items() if name not in ("power", "size")
        }
        data |= asdict(each.size)
        seen = each.power
        if seen is not None:
            data["power"] = {
                "estimate": seen.estimate,
                "monte_carlo_error": seen.error,
                "low": seen.interval.low,
                "high": seen.interval.high,
                "n_studies": seen.n_studies,
                "half_width": seen.half_width,
            }
        return data

    return {
        "best": row(found.best),
        "rows": [row(each) for each in found.rows],
        "curve": [row(each) for each in found.curve],
    }


def monthly(asked: HowMany, work: Work, found: Found | None) -> list[dict[str, Any]]:
    """Hours and cost of a standing policy a month, with the arithmetic."""
    if found is None:
        raise OptionError(
            "--monthly needs to know how large one study is: give --detect, --budget or --hours."
        )
    each, pay = found.best, work.pay
    seconds = work.seconds
    rows = []
    for what, times in (("prompt change", asked.changes), ("launch", asked.launches)):
        slots = each.trials * each.size.overlap
        rows.append(
            _month(
                f"{times} × {what}",
                f"{format_count(slots, 'answer')}, {each.size.raters} starts: "
                f"{each.hours:,.1f} h each",
                times * each.hours,
                pay,
            )
        )
    taken = round(asked.traffic * asked.rate)
    rows.append(
        _month(
            f"{asked.rate:.2%} of {format_count(asked.traffic, 'answer')}",
            f"{format_count(taken, 'answer')} × 1 rater × {seconds:.0f} s",
            taken * seconds / 3600,
            pay,
        )
    )
    total = sum(row["hours"] for row in rows)
    return [*rows, _month("a month", "", total, pay)]


def _month(what: str, arithmetic: str, hours: float, pay: float | None) -> dict[str, Any]:
    cost = None if pay is None else hours * pay
    return {"what": what, "arithmetic": arithmetic, "hours": hours, "cost": cost}


def print_monthly(console: Console, rows: list[dict[str, Any]]) -> None:
    """The table of a standing policy."""
    from rich.table import Table

    paid = rows[0]["cost"] is not None
    table = Table()
    for heading in ("what", "which is", "hours", *(["cost"] if paid else [])):
        table.add_column(heading, justify="left" if heading in ("what", "which is") else "right")
    for row in rows:
        cost = [f"{row['cost']:,.0f}"] if paid else []
        table.add_row(row["what"], row["arithmetic"], f"{row['hours']:,.1f}", *cost)
    console.print("\nEvery month")
    console.print(table)
