"""The methods paragraph: what was really done, ready to paste."""

from __future__ import annotations

from collections.abc import Mapping

from jurybox.analysis.detection_tables import ALL_REAL
from jurybox.analysis.finding import Analysis, Collected
from jurybox.analysis.sentences import points
from jurybox.formats import format_confidence, joined
from jurybox.report.methods.judges_asked import judges_asked
from jurybox.report.methods.questions import computed, questions
from jurybox.report.methods.tested import tested
from jurybox.report.methods.ways import intervals
from jurybox.report.said.words import RESPONSES, is_fixed, rater_noun, rules
from jurybox.report.said.yes_no import is_all_of_yes
from jurybox.results import format_count, format_number, format_percent
from jurybox.stats.blocks import Omnibus
from jurybox.stats.equivalence import Equivalence
from jurybox.stats.multiple import Comparison
from jurybox.study.groups import groups_of
from jurybox.study.model import Study

__all__ = ["apart", "methods", "picks_best"]

DONE = {
    "rate": "scored outputs",
    "compare": "compared outputs of the same item two by two",
    "rank": "put the outputs of an item in order",
    "detect": "said of outputs whether they were real or generated",
    "mark": "marked spans in outputs",
}
SAID_YES = "answered yes or no, output by output"
PICKED = "picked the best output of an item"
"""What raters of a rank study did who were asked for the best one alone."""

TOGETHER = {
    "Friedman": ("Friedman", "1937"),
    "Durbin": ("Durbin", "1951"),
    "Skillings–Mack": ("Skillings and Mack", "1981"),
}
"""The tests of all systems together, as the references below the paragraph name them."""

BOTH_WAYS = "clustered by rater and item"

ROUNDS = {"calibration": "calibration round"}
CHECKS = {
    "practice": "practice trials with feedback",
    "gold": "gold trials with known answers",
    "attention": "attention checks",
}


def methods(analysis: Analysis, study: Study | None, versions: Mapping[str, str]) -> str:
    """Say in one paragraph who answered what, who was left out, and how intervals were made."""
    parts = [_collected(analysis, study)]
    if study is None:
        parts += computed(analysis.facts)
    else:
        parts += [*_drawn(study), *questions(study)]
        parts += _answered(analysis.collected, study)
        others = apart(analysis)
        parts += [f"Apart from these came {others}; no figure counts them."] if others else []
    parts += judges_asked(analysis, study)
    parts += _left_out(analysis, study)
    parts += intervals(analysis)
    parts += tested(analysis)
    parts += _together(analysis)
    parts += _families(analysis)
    version = f" {versions['jurybox']}" if "jurybox" in versions else ""
    parts.append(f"Random numbers came from seed {analysis.seed}. Computed with jurybox{version}.")
    return " ".join(parts)


def picks_best(study: Study) -> bool:
    """Whether raters are asked for the best output alone, and never for an order of all."""
    asked = {criterion.answer for criterion in study.criteria.values()}
    return study.protocol == "rank" and asked == {"best"}


def _collected(analysis: Analysis, study: Study | None) -> str:
    noun = rater_noun(analysis)
    raters = format_count(analysis.n_raters, noun) if analysis.n_raters else f"{noun.capitalize()}s"
    if analysis.n_responses == 0:
        return "No response counts." if analysis.findings else "No response has been collected."
    responses = format_count(analysis.n_responses, *RESPONSES[analysis.protocol])
    items = format_count(analysis.n_items, "item")
    systems = format_count(len(analysis.systems), "system")
    if 1 <= len(analysis.systems) <= 12:
        systems += f" ({joined(analysis.systems)})"
    did = DONE[analysis.protocol]
    if study is not None and picks_best(study):
        did = PICKED
    elif is_all_of_yes(analysis):
        did = SAID_YES
    on = f" on {items}" if analysis.n_items else ""
    if not on:
        # A table that names no items does not say whose outputs met.
        did = did.replace(" of the same item", "")
    were = "was" if analysis.n_responses == 1 else "were"
    return f"{raters} {did}; {responses}{on} from {systems} {were} analyzed{_of_real(analysis)}."


def _drawn(study: Study) -> list[str]:
    """How items were chosen, where the study asks for fewer than it has."""
    design = study.design
    if design.items is None:
        return []
    strata = f", in strata of {joined(design.stratify)}" if design.stratify else ""
    share = {"proportional": " in proportion to their sizes", "equal": " of equal sizes"}
    strata += share[design.allocation] if strata else ""
    return [f"The plan drew {format_count(design.items, 'item')} at random{strata}."]


def _of_real(analysis: Analysis) -> str:
    """How many detections are of real outputs: what raters say of the others depends on it."""
    tables = [table for table in analysis.tables if table.kind == "called"]
    real = [sum(row[1:]) for table in tables for row in table.rows if row[0] == ALL_REAL]
    if not tables:
        return ""
    share = format_percent(sum(real) / max(analysis.n_responses, 1), 0)
    return f", {sum(real):,} of them ({share}) of real outputs"


def _left_out(analysis: Analysis, study: Study | None) -> list[str]:
    if not analysis.excluded:
        if study is None or analysis.n_responses == 0:
            return []
        stated = [rule.rstrip(".") for rule in rules(study)]
        by = f" by the rules ({'; '.join(stated)})" if stated else ""
        return [f"No {analysis.rater_noun} was left out{by}."]
    used = joined(dict.fromkeys(rule for e in analysis.excluded for rule in e.rules))
    people = len({e.rater for e in analysis.excluded})
    who = format_count(people, analysis.rater_noun)
    responses = format_count(sum(e.n_responses for e in analysis.excluded), "response")
    fixed = " fixed before the data" if is_fixed(analysis) else ""
    stated = [] if study is None else [rule.rstrip(".") for rule in rules(study)]
    said = f"{who} ({responses}) {'was' if people == 1 else 'were'} left out by rules{fixed}"
    return [f"{said} ({'; '.join(stated) or used})."]


def _together(analysis: Analysis) -> list[str]:
    """By which test all systems were compared at once, where one was computed."""
    criteria: dict[tuple[str, str], list[str]] = {}
    for found in (finding.result for finding in analysis.findings):
        if isinstance(found, Omnibus) and found.estimate is not None:
            on = criteria.setdefault(TOGETHER[found.test], [])
            on += [] if found.criterion is None else [found.criterion]
    if not criteria:
        return []
    tests = [
        f"{who} ({year}{f', on {joined(on)}' if on else ''})"
        for (who, year), on in criteria.items()
    ]
    noun = analysis.rater_noun
    whom = f"this {noun}" if analysis.n_raters == 1 else f"these {noun}s"
    return [
        "Whether the systems differ at all was tested on ranks within items by the "
        f"{'test' if len(tests) == 1 else 'tests'} of {joined(tests)}, for {whom}."
    ]


def _families(analysis: Analysis) -> list[str]:
    """How several comparisons were allowed for, where there are such."""
    rows = [f.result for f in analysis.findings if isinstance(f.result, Comparison)]
    ways = dict.fromkeys(row.adjusted_by for row in rows if row.adjusted_by is not None)
    joint = [way for way in ways if way.startswith("max-t")]
    looks = [way for way in ways if way.startswith("Benjamini")]
    others = [way for way in ways if way not in joint and way not in looks]
    if not others and any(row.p_adjusted is not None and row.adjusted_by is None for row in rows):
        others = ["Holm"]
    said = []
    headline = analysis.headline
    if (joint or others) and headline is not None and headline.standing == "primary":
        named = "named before the data" if is_fixed(analysis) else "named by the study"
        said.append(f"The primary comparison was {named} and is tested alone.")
    if joint:
        said.append(
            "Simultaneous intervals and adjusted p of a family of comparisons come from one "
            f"distribution of its largest t, so that they never disagree ({joined(joint)})."
        )
        if any(row.interval is not None and BOTH_WAYS in row.interval.method for row in rows):
            said.append(
                "In a family no variance counts as less than that by raters or by items alone."
            )
    if others:
        by = "" if others == ["Holm"] else f" ({joined(others)})"
        whose = "Where there is no joint distribution, p" if joint else "The p of a family"
        said.append(
            f"{whose} is adjusted by Holm's method{by}, and intervals are for one comparison each."
        )
    if looks:
        said.append(
            f"The p of exploratory looks is adjusted for how many they are ({joined(looks)})."
        )
    return [*said, *_margins(analysis)]


def _margins(analysis: Analysis) -> list[str]:
    """How equivalence was tested, where a margin was stated."""
    rates = {f.id for f in analysis.findings if f.kind == "win_rate"}
    margins = dict.fromkeys(
        points(f.result.margin)
        if f.result.as_percent or f.id.replace("equivalence", "win_rate", 1) in rates
        else format_number(f.result.margin)
        for f in analysis.findings
        if isinstance(f.result, Equivalence)
    )
    if not margins:
        return []
    narrow = format_confidence(2 * analysis.confidence - 1)
    stated = "stated before the data" if is_fixed(analysis) else "stated by the study"
    return [
        f"Equivalence within a margin of {joined(margins)}, {stated}, was tested by two one-sided "
        f"tests, which the {narrow} interval decides."
    ]


def _answered(collected: Collected | None, study: Study) -> list[str]:
    """How often each trial was answered, and what is known of how it was shown."""
    if collected is None or collected.raters_per_trial is None:
        planned, whose = _planned(study)
        return [f"The study plans {format_count(planned, 'rater')} for each trial{whose}."]
    parts = [_overlap(collected, collected.raters_per_trial, study)]
    n, imported = collected.n_answers, collected.n_imported
    if imported:
        whose = "All answers" if imported == n else f"{imported:,} of {n:,} answers"
        parts.append(
            f"{whose} were imported; what these raters saw is not recorded, nor in which order, "
            "unless the table says it (first, place)."
        )
    if imported < n:
        balanced = study.protocol in ("compare", "rank")
        text = "raters did not see which system an output came from"
        text += ", and orders of outputs came from a balanced plan" if balanced else ""
        parts.append(f"For the others, {text}." if imported else f"{text[0].upper()}{text[1:]}.")
    done = [
        f"{format_count(who, 'rater')} answered {CHECKS[kind]}" for kind, who in collected.checked
    ]
    return [*parts, *([f"{joined(done)}."] if done else [])]


def apart(analysis: Analysis) -> str:
    """The other rounds that were answered, with how many raters and answers each had."""
    rounds = () if analysis.collected is None else analysis.collected.rounds
    return joined(
        f"a {ROUNDS.get(name, name)} ({format_count(who, 'rater')}, {format_count(n, 'answer')})"
        for name, who, n in rounds
    ) if rounds else ""  # fmt: skip


def _planned(study: Study) -> tuple[int, str]:
    """How many raters a trial is planned for, and who they are where not just anybody."""
    overlap, core, whose = study.design.overlap, study.design.core, ""
    if study.raters is not None and study.raters.each:
        groups = {name: group.overlap or overlap for name, group in groups_of(study).items()}
        overlap = sum(groups.values())
        whose = f", {joined(f'{n} of group {name}' for name, n in groups.items())}"
    if core:
        whose += f", everybody on the {format_count(core, 'shared item')}"
    return overlap, whose


def _overlap(collected: Collected, counts: tuple[int, float, int], study: Study) -> str:
    fewest, _, most = counts
    planned, whose = _planned(study)
    times = f"{fewest} to {most} raters" if fewest < most else format_count(most, "rater")
    as_planned = "as planned" if fewest == most == planned else f"planned: {planned}{whose}"
    trials = format_count(collected.n_trials, "trial")
    missing = (collected.n_planned or 0) - collected.n_trials
    text = f"{trials} {'was' if collected.n_trials == 1 else 'were'} answered, each by {times}"
    text += f" ({as_planned})"
    return text + (f"; {missing:,} planned trials were not answered." if missing > 0 else ".")
