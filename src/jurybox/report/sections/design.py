"""How the study was made: items, systems, overlap, balance, seed, versions; what it can find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.design.balance import Balance, balance
from jurybox.formats import joined
from jurybox.report.blocks import Block, Heading, Section, Shown
from jurybox.report.fieldwork.gallery import draw_screen
from jurybox.report.methods.paragraph import apart
from jurybox.report.said.words import is_fixed, more_data, rules
from jurybox.report.sections.asked import asked_blocks
from jurybox.results import format_count, format_number, format_percent
from jurybox.stats.more_data import MoreData
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.report.fieldwork.thumbnails import Thumbnails
    from jurybox.study.guide import Guide

__all__ = ["design_section", "detectable"]

NAMED = 12
"""Systems or categories up to which they are named."""


def design_section(
    analysis: Analysis,
    study: Study | None,
    guide: Guide | None,
    fieldwork: Fieldwork | None,
    pictures: Thumbnails,
) -> Section | None:
    """What was asked, one trial as raters see it, and how the study was made."""
    if study is None:
        return None
    screen = None if fieldwork is None else draw_screen(study, fieldwork, pictures)
    asked = asked_blocks(study, guide, is_drawn=screen is not None)
    blocks: list[Block] = [Heading(text="What was asked"), *asked]
    if screen is not None:
        blocks += [Heading(text="One trial"), screen]
    table = Table(
        id="design",
        title="How the study was made",
        columns=(Column(name="part", heading="Part"), Column(name="what", heading="What it was")),
        rows=tuple(_rows(analysis, study, fieldwork)),
    )
    blocks.append(Shown(table=table))
    return Section(id="design", title="Design", blocks=tuple(blocks))


def _rows(
    analysis: Analysis, study: Study, fieldwork: Fieldwork | None
) -> Iterator[tuple[str, str]]:
    yield "Items", _items(analysis, study, fieldwork)
    yield "Systems", _named(analysis.systems, "system")
    if fieldwork is not None and fieldwork.plan is not None:
        found = balance(fieldwork.plan)
        yield "Trials", _trials(found)
        yield "Balance", _even(found)
    else:
        yield "Overlap", f"{format_count(study.design.overlap, 'rater')} for each trial, as planned"
    if study.protocol == "detect":
        share = format_percent(study.design.real_share, 0)
        yield "Real outputs", f"{share} of the trials, as planned"
    yield "Seed", str(study.design.seed)
    if analysis.collected is not None and analysis.collected.version is not None:
        changed = analysis.collected.changes
        since = f"; {format_count(len(changed), 'remark')} on changes since, above" * bool(changed)
        who = f"{analysis.rater_noun}s"
        yield "Version", f"{analysis.collected.version}, the one {who} answered{since}"
    if fieldwork is not None and fieldwork.plan is not None:
        yield "Round", fieldwork.plan.round + _rounds(analysis)
    yield "Exclusion rules", _rules(analysis, study)
    yield "Power, as planned", _power(fieldwork)
    yield "Smallest difference it can find", detectable(analysis)


def _items(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> str:
    answered = format_count(analysis.n_items, "item")
    if fieldwork is None:
        return answered
    there = len(fieldwork.material.items)
    taken = study.design.items
    how = "all that the study has"
    if taken is not None and taken < there:
        by = joined(study.design.stratify) if study.design.stratify else ""
        kept = f", {study.design.allocation} to their {by}" if by else ""
        how = f"{taken:,} of {there:,} drawn at random{kept}"
    elif analysis.n_items < there:
        how = f"of {there:,} that the study has"
    field = (study.design.stratify or ("category",))[0]
    chosen = _chosen(fieldwork)
    sizes = Counter(
        str(item.fields[field])
        for name, item in fieldwork.material.items.items()
        if item.fields.get(field) is not None and (chosen is None or name in chosen)
    )
    mix = ""
    if 1 < len(sizes) <= NAMED:
        parts = [f"{name} {n:,}" for name, n in sorted(sizes.items())]
        mix = f"; by {field}: {', '.join(parts)}"
    elif len(sizes) > NAMED:
        mix = f"; {len(sizes):,} values of {field}"
    return f"{answered}, {how}{mix}"


def _chosen(fieldwork: Fieldwork) -> set[str] | None:
    """The items that the plan has taken; ``None`` without a plan."""
    if fieldwork.plan is None:
        return None
    return {str(trial.item) for trial in fieldwork.plan.trials if trial.kind == "main"}


def _rounds(analysis: Analysis) -> str:
    """What came apart from the round that is reported, where something did."""
    others = apart(analysis)
    return f"; apart from it {others}, which no figure here counts" if others else ""


def _named(names: tuple[str, ...], noun: str) -> str:
    said = format_count(len(names), noun)
    return f"{said}: {joined(names)}" if 1 <= len(names) <= NAMED else said


def _trials(found: Balance) -> str:
    each = format_count(found.overlap, "rater")
    core = f", {format_count(found.n_core, 'trial')} by everybody" if found.n_core else ""
    again = f"; {format_count(found.n_repeats, 'trial')} shown twice" if found.n_repeats else ""
    checks = f"; {format_count(found.n_checks, 'check')} in each" if found.n_checks else ""
    return (
        f"{format_count(found.n_trials, 'trial')}, each planned for {each}{core}, in "
        f"{format_count(found.n_booklets, 'booklet')}{checks}{again}"
    )


def _even(found: Balance) -> str:
    """The largest differences of a plan's counts, in words."""
    counts = [
        ("trials per booklet", found.load_difference),
        ("showings of a system per booklet", found.system_difference),
        ("showings of a system by place", found.place_difference),
        ("which of a pair comes first", found.pair_difference),
        ("how often two systems meet", found.meet_difference),
        ("which system follows which", found.follow_difference),
    ]
    said = [f"{what} {n}" for what, n in counts if n is not None]
    return "largest difference of counts in the plan: " + ", ".join(said)


def _rules(analysis: Analysis, study: Study) -> str:
    stated = [rule.partition(":")[0] for rule in rules(study)]
    if not stated:
        return "none"
    fixed = "fixed before the data" if is_fixed(analysis) else "stated by the study"
    return f"{joined(stated)}, {fixed}; under Raters in words"


def _power(fieldwork: Fieldwork | None) -> str:
    made = None if fieldwork is None else fieldwork.preregistration
    if made is None or made.power is None:
        return "not stated ('jurybox preregister --detect' states it)"
    power = made.power
    return (
        f"{format_percent(power.power, 0)} to find a difference of {format_number(power.effect)}, "
        f"{power.assumed}"
    )


def detectable(analysis: Analysis) -> str:
    """What a study with intervals like these finds in 80% of cases; never observed power."""
    more = more_data(analysis)
    result = None if more is None else more.result
    found = result if isinstance(result, MoreData) else getattr(result, "more_data", None)
    if not isinstance(found, MoreData) or found.detectable is None:
        headline = analysis.headline
        if analysis.n_responses == 0:
            return "unknown before there are answers"
        if headline is None or headline.result.interval is None:
            return "unknown: the answer has no interval that could tell"
        return "not computed for this kind of answer"
    in_points = isinstance(result, MoreData)
    size = f"{format_number(100 * found.detectable, 1)} percentage points from one half"
    if not in_points:
        size = (
            format_number(found.detectable) if result is None else result.format(found.detectable)
        )
    headline = analysis.headline
    if headline is not None and getattr(headline.result, "simultaneous", None) is not None:
        size += ", were the two the only systems,"
    return (
        f"{size} in {format_percent(found.power, 0)} of studies of this size, from the width of "
        "the interval and not from the difference that was seen"
    )
