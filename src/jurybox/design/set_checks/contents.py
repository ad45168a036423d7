"""What is inside outputs: names of systems, nothing at all, the reference, another's output."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from jurybox.design.set_checks.check import Facts, SetCheck, few
from jurybox.design.set_checks.shown import contents_of, text_fields, text_in
from jurybox.results import format_count, format_percent

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material, Output

__all__ = ["check_empty", "check_names", "check_reference", "check_shared"]

ORDINARY = frozenset(
    """a b c d e x y z ab model system baseline base new old real human person people reference
    control candidate main test prod production current previous first second one two three small
    medium large fast slow default simple full""".split()
)
"""Names that are words: an output that holds one has not named its author yet."""
P_ORDINARY = 0.01
"""So rarely may a word stand this often in the system's own outputs by chance."""


def check_names(study: Study, material: Material) -> SetCheck:
    """How many outputs hold the name of their own system, as a word, whatever its case.

    A name that is an ordinary word, or that items or other systems' outputs hold as well, counts
    only where the system's own outputs hold it more often than chance would have it.
    """
    id, about = "names", "Names of systems inside outputs"
    outputs = list(material.outputs.values())
    fields = text_fields(study, [output.fields for output in outputs])
    if not fields:
        reason = "no text is shown of an output"
        return SetCheck(id=id, about=about, figure=None, undefined=reason)
    texts = [
        "\n".join(text_in(output.fields.get(name)) for name in fields).casefold()
        for output in outputs
    ]
    asked = "\n".join(_item_texts(study, material))
    together = "\n".join(texts)
    named: dict[str, list[str]] = {}
    for system in map(str, material.systems):
        inside = _name_finder(system)
        if not inside(together):  # of thousands of systems, each would be sought in all outputs
            continue
        holders = [o for o, text in zip(outputs, texts, strict=True) if inside(text)]
        own = [str(output.item) for output in holders if output.system == system]
        if own and _names_author(system, len(own), holders, outputs, inside(asked)):
            named[system] = own
    n = sum(map(len, named.values()))
    parts = [
        f"{system} names itself in {format_count(len(items), 'output')} ({few(items)})"
        for system, items in named.items()
    ]
    return SetCheck(
        id=id,
        about=about,
        figure=float(n),
        shown=f"{n:,} of {format_count(len(outputs), 'output')}",
        warns=n > 0,
        sentence=f"{'; '.join(parts)}.",
        bias="A rater who reads the name is not blind: what is thought of the system enters the "
        "answer.",
        systems=tuple(named),
        n_items=len(material.items),
    )


def _item_texts(study: Study, material: Material) -> Iterator[str]:
    rows = [item.fields for item in material.items.values()]
    for name in text_fields(study, rows):
        for row in rows:
            yield text_in(row.get(name)).casefold()


def _name_finder(name: str) -> Callable[[str], bool]:
    """Whether a casefolded text holds the name; `gpt-4`, `GPT 4` and `gpt_4` are one name."""
    parts = re.findall(r"[^\W_]+", name.casefold())
    if not parts:
        return lambda text: False
    longest = max(parts, key=len)
    pattern = re.compile(r"(?<!\w)" + r"[\W_]?".join(map(re.escape, parts)) + r"(?!\w)")
    return lambda text: longest in text and pattern.search(text) is not None


def _names_author(
    name: str, n_own: int, holders: list[Output], outputs: list[Output], is_asked: bool
) -> bool:
    if name.casefold() not in ORDINARY and n_own == len(holders) and not is_asked:
        return True
    size = sum(output.system == name for output in outputs)
    return _chance_of(n_own, len(holders), size, len(outputs)) <= P_ORDINARY


def _chance_of(own: int, holders: int, size: int, total: int) -> float:
    """P(at least ``own`` of ``holders`` drawn from ``total`` are among ``size``), as Fisher's.

    >>> round(6 * _chance_of(2, 2, 2, 4), 9)  # 1 of the 6 ways to draw 2 of 4
    1.0
    """
    most = min(holders, size)
    logs = (
        _log_comb(size, j) + _log_comb(total - size, holders - j) - _log_comb(total, holders)
        for j in range(max(own, holders - (total - size)), most + 1)
    )
    return math.fsum(map(math.exp, logs))


def _log_comb(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def check_shared(study: Study, material: Material, facts: Facts) -> SetCheck:
    """On how many items two systems have the very same output."""
    id, about = "shared_outputs", "Outputs shared by two systems"
    if len(material.systems) < 2:
        reason = "there is one system"
        return SetCheck(id=id, about=about, figure=None, undefined=reason)
    groups: dict[tuple[str, Any], list[str]] = defaultdict(list)
    outputs = list(material.outputs.values())
    contents = contents_of(study, [output.fields for output in outputs], facts)
    for output, content in zip(outputs, contents, strict=True):
        if content:
            groups[str(output.item), tuple(content.items())].append(str(output.system))
    pairs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (item, _), systems in groups.items():
        for one, other in combinations(systems, 2):
            pairs[one, other].append(item)
    items = {item for found in pairs.values() for item in found}
    most = sorted(pairs.items(), key=lambda pair: -len(pair[1]))
    named = [
        f"{one} and {other} on {format_count(len(found), 'item')} ({few(found)})"
        for (one, other), found in most
    ]
    return SetCheck(
        id=id,
        about=about,
        figure=float(len(items)),
        shown=f"on {len(items):,} of {format_count(len(material.items), 'item')}",
        warns=bool(items),
        sentence=f"Systems have the very same output: {few(named)}.",
        bias="Answers to equal outputs differ by chance alone: they add noise, or ties, and draw "
        "the systems together.",
        systems=tuple(sorted({system for pair in pairs for system in pair})),
        n_items=len(material.items),
    )


def check_reference(study: Study, material: Material, facts: Facts) -> SetCheck:
    """How many outputs are the reference that raters are shown beside them."""
    id, about = "reference_outputs", "Outputs that are the reference"
    names = [name for name, shown in study.show.items() if shown.reference]
    if not names:
        reason = "no reference is shown"
        return SetCheck(id=id, about=about, figure=None, undefined=reason)
    items, outputs = material.items, list(material.outputs.values())
    of_items = contents_of(study, [item.fields for item in items.values()], facts)
    references = {
        item: {content[name] for name in names if name in content}
        for item, content in zip(items, of_items, strict=True)
    }
    of_outputs = contents_of(study, [output.fields for output in outputs], facts)
    hidden = {name for name, system in (study.systems or {}).items() if system.hidden_reference}
    copies = [
        output
        for output, content in zip(outputs, of_outputs, strict=True)
        if output.system not in hidden and not references[output.item].isdisjoint(content.values())
    ]
    n = len(copies)
    return _of_outputs(
        SetCheck(id=id, about=about, figure=float(n), n_items=len(material.items)),
        copies,
        len(outputs),
        said=f"{format_count(n, 'output')} {'is' if n == 1 else 'are'} the reference itself",
        each=lambda n: f"on {format_count(n, 'item')}",
        bias="A copy says nothing of what the system can do: it is judged perfect or, where "
        "something was to be changed, as nothing done.",
    )


def check_empty(study: Study, material: Material) -> SetCheck:
    """How many outputs show a text without a letter or digit in it."""
    id, about = "empty_outputs", "Empty outputs"
    outputs = list(material.outputs.values())
    fields = text_fields(study, [output.fields for output in outputs])
    if not fields:
        reason = "no text is shown of an output"
        return SetCheck(id=id, about=about, figure=None, undefined=reason)
    empty = [
        output
        for output in outputs
        if any(
            not any(map(str.isalnum, text_in(output.fields[name])))
            for name in fields
            if output.fields.get(name) is not None
        )
    ]
    n = len(empty)
    share = format_percent(n / len(outputs)) if outputs else ""
    return _of_outputs(
        SetCheck(id=id, about=about, figure=float(n), n_items=len(material.items)),
        empty,
        len(outputs),
        said=f"{format_count(n, 'output')} ({share}) {'has' if n == 1 else 'have'} no letter "
        "and no digit",
        each=lambda n: format_count(n, "time"),
        bias="What is judged there is that something is missing, which can decide for or against "
        "a system by itself.",
    )


def _of_outputs(
    check: SetCheck,
    found: Sequence[Output],
    n_outputs: int,
    *,
    said: str,
    each: Callable[[int], str],
    bias: str,
) -> SetCheck:
    """A check that warns of every output found, with how many each system has and their items."""
    counts = Counter(str(output.system) for output in found)
    parts = [f"{system} {each(n)}" for system, n in counts.most_common()]
    return replace(
        check,
        shown=f"{len(found):,} of {format_count(n_outputs, 'output')}",
        warns=bool(found),
        sentence=f"{said}: {few(parts)} ({few(output.item for output in found)}).",
        bias=bias,
        systems=tuple(counts),
    )
