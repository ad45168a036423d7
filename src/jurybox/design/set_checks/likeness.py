"""Items that are nearly the same: texts by their pairs of words, pictures by a fingerprint.

Two items are alike when everything shown of them is: at least ``ALIKE`` of the pairs of words that
either text has are in both (Jaccard), pictures differ in at most ``BITS`` of 64 bits of their
fingerprint (each bit says whether the picture gets lighter to the right) and by little in the mean
color of its quarters, and recordings are the same file. Pairs of words that many items share are
left out: they belong to a template.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from jurybox.design.set_checks.check import NAMED, Facts, SetCheck, few
from jurybox.design.set_checks.shown import files_in, media_fields, text_fields, text_in
from jurybox.results import format_count, format_percent

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["ALIKE", "Pair", "check_likeness", "find_alike"]

ALIKE = 0.7
BITS = 4
TINT = 8
"""How far red, green or blue of a quarter may differ, of 255."""
PLAIN = 8
"""A fingerprint with fewer bits set, or unset, is of a picture too plain to tell by it."""
TEMPLATE_SHARE = 0.5
TEMPLATE_ITEMS = 10
"""What stands in more items than this and more than that share of them belongs to a template."""
CROWD = 20
"""An item that is alike another is not kept where so many are already, to meet later ones."""
# A character of a script without spaces is a word of its own.
WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two items that are alike, and how much."""

    one: str
    other: str
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Traits:
    item: str
    words: frozenset[int]
    """Its pairs of words, as numbers."""
    prints: tuple[tuple[int, bytes], ...]
    """The fingerprint of each picture, and the mean colors of its quarters."""
    rest: Hashable
    """What must be the same: recordings, and which fields there are."""


def check_likeness(study: Study, material: Material, facts: Facts) -> SetCheck:
    """How many items have a near-duplicate in the set."""
    id, about = "near_duplicates", "Near-duplicate items"
    rows = [item.fields for item in material.items.values()]
    if not (text_fields(study, rows) or media_fields(study, rows)):
        reason = "nothing is shown of an item but its outputs"
        return SetCheck(id=id, about=about, figure=None, undefined=reason)
    pairs = find_alike(_traits_of(study, material, facts))
    alike = {name for pair in pairs for name in (pair.one, pair.other)}
    closest = sorted(pairs, key=lambda pair: (-pair.similarity, pair.one, pair.other))
    named = [
        f"{pair.one} and {pair.other} ({format_percent(pair.similarity, 0)})" for pair in closest
    ]
    what = f"{len(alike):,} of {format_count(len(rows), 'item')}"
    return SetCheck(
        id=id,
        about=about,
        figure=float(len(alike)),
        shown=what,
        warns=bool(alike),
        sentence=f"{what} {'is' if len(alike) == 1 else 'are'} nearly the same as another: "
        f"{few(named) if len(named) <= NAMED else ', '.join(named[:NAMED]) + ' and others'}.",
        bias="One input counts several times: intervals come out narrower than so few different "
        "items justify, and a system that does well on it wins more than once.",
        n_items=len(rows),
    )


def _traits_of(study: Study, material: Material, facts: Facts) -> Iterator[_Traits]:
    rows = [item.fields for item in material.items.values()]
    texts, media = text_fields(study, rows), media_fields(study, rows)
    number: dict[str, int] = {}
    for item in material.items.values():
        found = _files(item.fields, media, facts)
        if found is None:
            continue
        prints, rest = found
        text = "\n".join(text_in(item.fields.get(name)) for name in texts)
        words = [number.setdefault(word, len(number)) for word in WORD.findall(text.casefold())]
        if words or prints or len(rest) > 1:
            pairs = frozenset((one << 32) + other for one, other in pairwise(words))
            yield _Traits(
                item=str(item.id),
                words=pairs or frozenset(-1 - word for word in words),  # one word is no pair
                prints=prints,
                rest=(rest, bool(words)),
            )


def _files(
    fields: Mapping[str, Any], media: Sequence[str], facts: Facts
) -> tuple[tuple[tuple[int, bytes], ...], tuple[Hashable, ...]] | None:
    """The fingerprints and, where there is none, the content; nothing for a file not probed."""
    prints: list[tuple[int, bytes]] = []
    rest: list[Hashable] = []
    for name in media:
        for path in files_in(fields.get(name)):
            known = facts.get(path)
            if known is None:
                return None
            bits = int(str(known.get("fingerprint", "0")), 16)
            if PLAIN <= bits.bit_count() <= 64 - PLAIN:
                prints.append((bits, bytes.fromhex(str(known.get("tint", "")))))
            else:
                rest.append(known.get("content", path))
    return tuple(prints), (len(prints), *rest)


def find_alike(traits: Iterator[_Traits]) -> list[Pair]:
    """Pairs of items that are alike; of many that are alike, each with some of the first.

    Sets can be alike only if they share one of their rarest members (prefix filtering), and
    fingerprints only if they share one of ``BITS`` + 1 parts, so few pairs are looked at.
    """
    pairs: list[Pair] = []
    same: dict[Hashable, _Traits] = {}
    for each in traits:
        first = same.setdefault((each.words, each.prints, each.rest), each)
        if first is not each:
            pairs.append(Pair(one=first.item, other=each.item, similarity=1.0))
    index: dict[Hashable, list[_Traits]] = defaultdict(list)
    for each in _by_rarity(list(same.values())):
        keys = list(_keys(each))
        n_before = len(pairs)
        for other in {found.item: found for key in keys for found in index.get(key, ())}.values():
            similarity = _similarity(each, other)
            if similarity is not None:
                pairs.append(Pair(one=other.item, other=each.item, similarity=similarity))
        for key in keys:
            if len(pairs) == n_before or len(index[key]) < CROWD:
                index[key].append(each)
    return pairs


def _by_rarity(traits: list[_Traits]) -> Iterator[_Traits]:
    """The same with pairs of words numbered from the rarest on, templates left out."""
    frequency = Counter(word for each in traits for word in each.words)
    most = max(TEMPLATE_ITEMS, TEMPLATE_SHARE * len(traits))
    kept = sorted((n, word) for word, n in frequency.items() if n <= most)
    rank = {word: place for place, (_, word) in enumerate(kept)}
    for each in traits:
        words = frozenset(rank[word] for word in each.words if word in rank)
        # Of an item that is all template nothing is left to tell it by.
        if words or not each.words:
            yield replace(each, words=words)


def _keys(each: _Traits) -> Iterator[Hashable]:
    rarest = sorted(each.words)
    reach = len(rarest) - math.ceil(ALIKE * len(rarest) - 1e-9) + 1
    parts: list[Hashable] = [None]
    if each.prints:
        width = 64 / (BITS + 1)
        ends = [round(width * k) for k in range(BITS + 2)]
        parts = [
            (k, (each.prints[0][0] >> low) & ((1 << (high - low)) - 1))
            for k, (low, high) in enumerate(pairwise(ends))
        ]
    for word in rarest[:reach] or (None,):
        for part in parts:
            yield each.rest, part, word


def _similarity(one: _Traits, other: _Traits) -> float | None:
    """The smallest similarity of what is shown, or nothing where the items are not alike."""
    if one.rest != other.rest:
        return None
    found = [1.0]
    for (a, tint), (b, other_tint) in zip(one.prints, other.prints, strict=True):
        apart = (a ^ b).bit_count()
        shift = max((abs(x - y) for x, y in zip(tint, other_tint, strict=True)), default=0)
        if apart > BITS or shift > TINT:
            return None
        found.append(1 - apart / 64)
    shared = len(one.words & other.words)
    either = len(one.words) + len(other.words) - shared
    if either:
        if shared < ALIKE * either - 1e-9:
            return None
        found.append(shared / either)
    return min(found)
