"""What a reader of the numbers must know: a sentence for each case where figures mislead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.analysis.context import Context
from jurybox.analysis.sentences import rater_noun
from jurybox.results import format_count, format_number
from jurybox.tally.codes import missing_codes
from jurybox.tally.raters import busiest
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses
from jurybox.tally.sameness import constant_answers, nested_raters, place_that_wins, votes_on

if TYPE_CHECKING:
    from jurybox.study import Material

__all__ = ["FEW_ITEMS", "cautions"]

NAMED = 5
"""So many raters are named in a sentence; the others are counted."""
FEW_ITEMS = 6
"""With fewer, not even a signed-rank test can reach 0.05: five items give 2/2⁵ at best."""


def cautions(
    context: Context,
    responses: Responses,
    material: Material | None = None,
) -> list[str]:
    """Every sentence that holds of these responses."""
    _, n_raters, n_items = responses.count()
    said = [*_few_raters(context, responses, n_raters), *_few_items(responses, n_items)]
    said += _one_of_many(responses, n_raters)
    said += _nested(responses, n_raters)
    said += _constant(responses)
    said += _codes(context, responses)
    if material is not None:
        said += _one_gold(material)
        said += _missing_systems(material, responses)
        said += _identical(material, responses)
    return said


def _few_raters(context: Context, responses: Responses, n: int) -> list[str]:
    if not responses.has_rater or context.options.cluster != "both":
        return []
    noun = rater_noun()
    who = format_count(n, noun)
    if n == 1:
        return [f"{who}: every interval holds for this {noun} only, on items like these"]
    if n < 10:
        return [f"{who}: intervals are honest but wide; more {noun}s would narrow them"]
    return []


def _few_items(responses: Responses, n: int) -> list[str]:
    if not responses.has_item or n >= FEW_ITEMS:
        return []
    said = f"{format_count(n, 'item')}: too few to speak for others"
    if responses.shape.name == "ratings" and len(responses.systems) > 1:
        said += f", and a signed-rank p cannot reach 0.05 below {FEW_ITEMS}"
    return [said]


def _one_of_many(responses: Responses, n_raters: int) -> list[str]:
    if not responses.has_rater or n_raters < 2:
        return []
    name, share = busiest(responses)
    return [f"rater {name} gave more than half of the responses"] if share > 0.5 else []


def _nested(responses: Responses, n_raters: int) -> list[str]:
    """Raters who each judged one system only: systems and raters cannot be told apart."""
    if not responses.has_rater or responses.shape.name not in ("ratings", "spans"):
        return []
    if len(responses.systems) < 2 or n_raters < 2 or nested_raters(responses) < n_raters:
        return []
    return [
        "every rater judged one system only, so systems and raters cannot be told apart: no "
        "comparison is made"
    ]


def _constant(responses: Responses) -> list[str]:
    """Criteria with one answer only, and raters who gave one answer only."""
    said = []
    for criterion, raters in constant_answers(responses).items():
        place = None
        if raters is None and responses.shape.name == "votes":
            place = place_that_wins(responses.of_criterion(criterion))
        if place is not None:
            said.append(
                f"the output {place} wins every vote on {criterion}, whichever system made it: "
                "votes follow the place, and tell nothing of the systems"
            )
        elif raters is None:
            said.append(
                f"every answer to {criterion} is the same, so nothing can be compared on it"
            )
        if raters is None:
            continue
        who = [f"{name} ({n:,})" for name, n in raters[:NAMED]]
        more = len(raters) - len(who)
        who += [format_count(more, "other rater")] if more else []
        said.append(f"one answer to {criterion} on all trials: {', '.join(who)}")
    return said


def _codes(context: Context, responses: Responses) -> list[str]:
    """Scores that look like codes of "no answer": they count, since nobody said what they are."""
    if responses.shape.name != "ratings":
        return []
    said = []
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        scale = context.asked.criterion(criterion).values or ()
        for code, n in missing_codes(part) if are_numbers(part) else ():
            if code in scale:
                continue
            said.append(
                f"{format_count(n, 'score')} of {criterion} {'is' if n == 1 else 'are'} "
                f"{format_number(code, 0)}, outside the range of all others, and counted as given; "
                f"if it means no answer, --values score:{code}= declares it missing"
            )
    return said


def _one_gold(material: Material) -> list[str]:
    """Known trials that all have one right answer can be passed by always giving it."""
    right: dict[str, list[str]] = defaultdict(list)
    for known in getattr(material, "known", {}).values():
        if known.kind == "gold":
            for column, answers in known.answers.items():
                right[column].append(str(answers))
    return [
        f"every gold trial has the same right answer to {column}, so a rater who always gives it "
        "passes"
        for column, answers in right.items()
        if len(answers) > 1 and len(set(answers)) == 1
    ]


def _missing_systems(material: Material, responses: Responses) -> list[str]:
    known = responses.systems
    missing = [str(s) for s in material.systems if str(s) not in known]
    return [f"no responses yet for {', '.join(missing)}"] if missing else []


def _identical(material: Material, responses: Responses) -> list[str]:
    """Pairs of systems whose outputs for an item are the same: there is nothing to tell apart."""
    if not hasattr(material, "outputs"):
        return []
    alike: dict[tuple[Any, ...], list[tuple[str, Any]]] = defaultdict(list)
    for (item, system), output in material.outputs.items():
        alike[str(item), _looks(output.fields)].append((str(system), output.fields))
    same: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (item, _), outputs in alike.items():
        for (one, first), (two, second) in combinations(sorted(outputs, key=itemgetter(0)), 2):
            if _are_same(first, second):
                same[one, two].append(item)
    said, alike_on = [], []
    for (one, two), items in same.items():
        on = format_count(len(items), "item")
        where = f"{one} and {two} have identical outputs on {on}"
        if responses.shape.name != "votes":
            alike_on.append(f"{one} and {two} on {on}")
            continue
        n, ties = votes_on(responses, items, (one, two))
        if n:
            votes = format_count(n, "vote")
            said.append(f"{where}: {votes} there count as given, {ties:,} of them ties")
    if alike_on:
        said.append(f"identical outputs: {'; '.join(alike_on)}; the responses to them count")
    return said


def _looks(value: Any) -> Any:
    """What equal contents have in common and is quick to see: text itself, the size of a file."""
    if isinstance(value, Mapping):
        return tuple((name, _looks(part)) for name, part in sorted(value.items()))
    if isinstance(value, tuple):
        return tuple(_looks(part) for part in value)
    if isinstance(value, Path):
        return value.stat().st_size if value.is_file() else None
    return str(value)


def _are_same(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    if one.keys() != two.keys():
        return False
    return all(_is_same(one[name], two[name]) for name in one)


def _is_same(one: Any, two: Any) -> bool:
    """Whether two values are the same content, whatever a file is called."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(_is_same, one, two))
    if isinstance(one, Path) and isinstance(two, Path):
        if one == two:
            return True
        return one.is_file() and two.is_file() and one.read_bytes() == two.read_bytes()
    return bool(one == two)
