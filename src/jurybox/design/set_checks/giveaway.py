"""Giveaways: features that alone tell systems, or the real from the generated, apart."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jurybox.design.set_checks.check import Facts, SetCheck, few
from jurybox.design.set_checks.features import Feature, Kind, find_features
from jurybox.design.set_checks.telling import Codes, Telling, beside_others, tell_apart, to_bins
from jurybox.results import format_count, format_number, format_percent

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["check_giveaways"]

NOUNS: dict[Kind, str] = {
    "length": "length",
    "lines": "number of lines",
    "marks": "number of Markdown marks",
    "first_word": "first word",
    "pictures": "number of pictures",
    "format": "file format",
    "size": "pixel size",
    "aspect": "aspect",
    "duration": "duration",
    "sampling_rate": "sampling rate",
    "channels": "number of channels",
    "loudness": "loudness",
    "frame_rate": "frame rate",
    "sound": "sound track",
}
UNITS: dict[Kind, str] = {
    "length": " characters",
    "size": " pixels",
    "aspect": " (width by height)",
    "duration": " s",
    "sampling_rate": " Hz",
    "loudness": " dBFS",
    "frame_rate": " pictures a second",
}
LIKED: dict[Kind, str] = {
    "length": "longer texts",
    "size": "finer pictures",
    "loudness": "what is louder",
}
"""What people tend to prefer for itself."""
SHOWN_SYSTEMS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """Whose each output is, and of which item, as numbers."""

    names: tuple[str, ...]
    classes: Codes
    items: Codes
    is_detect: bool


def check_giveaways(study: Study, material: Material, facts: Facts) -> Iterator[SetCheck]:
    """One check for each feature of each shown field."""
    outputs = list(material.outputs.values())
    sides = _sides(study, material)
    features = list(find_features(study, outputs, facts))
    if not features:
        nothing = "nothing of the outputs could be measured"
        yield SetCheck(id="giveaway", about="Giveaways", figure=None, undefined=nothing)
    # What is the same everywhere can tell nothing, and is no test.
    telling = [f for f in features if _reason(f, sides) is None and f.varies]
    # Outputs of one item are compared where raters can: detect never shows them to one rater.
    tests = sum(1 + (feature.is_number and not sides.is_detect) for feature in telling)
    for feature in features:
        reason = _reason(feature, sides)
        if reason is not None:
            yield _unmeasured(feature, reason)
        else:
            yield _check(feature, sides, tests=max(1, tests), seed=study.design.seed)


def _sides(study: Study, material: Material) -> _Sides:
    items = {item: number for number, item in enumerate(material.items)}
    is_detect = study.protocol == "detect"
    names = ("real", "generated") if is_detect else tuple(map(str, material.systems))
    number = {
        system: int(system not in study.real) if is_detect else place
        for place, system in enumerate(material.systems)
    }
    keys = list(material.outputs)
    return _Sides(
        names=names,
        classes=np.array([number[system] for _, system in keys], np.int64),
        items=np.array([items[item] for item, _ in keys], np.int64),
        is_detect=is_detect,
    )


def _reason(feature: Feature, sides: _Sides) -> str | None:
    """Why a feature cannot be tested, if it cannot."""
    there = np.array([value is not None for value in feature.values], bool)
    if feature.unmeasured:
        n, total = int(there.sum()), int(there.sum()) + len(feature.unmeasured)
        return f"measured in {n:,} of {format_count(total, 'file')}: {feature.unmeasured[0]}"
    if len(np.unique(sides.classes[there])) < 2:
        return "there are no outputs of two sides" if sides.is_detect else "there is one system"
    if len(np.unique(sides.items[there])) < 2:
        return "there is one item"
    return None


def _unmeasured(feature: Feature, reason: str) -> SetCheck:
    return SetCheck(
        id=f"{feature.kind}/{feature.field}",
        about=_about(feature),
        figure=None,
        undefined=reason,
        mendable=bool(feature.unmeasured),
    )


def _about(feature: Feature) -> str:
    noun = NOUNS[feature.kind]
    return f"{noun[0].upper()}{noun[1:]} of {feature.field}"


def _check(feature: Feature, sides: _Sides, *, tests: int, seed: int) -> SetCheck:
    there = np.array([value is not None for value in feature.values], bool)
    values = [value for value in feature.values if value is not None]
    used, classes = np.unique(sides.classes[there], return_inverse=True)
    items = np.unique(sides.items[there], return_inverse=True)[1].astype(np.int64)
    names = tuple(sides.names[number] for number in used)
    n_items = int(items.max()) + 1
    classes = classes.astype(np.int64)

    def tell(found: Sequence[float | str]) -> Telling:
        bins = to_bins(found, n_items, len(names))
        return tell_apart(bins, items, classes, tests=tests, seed=seed)

    best, beside = tell(values), False
    if feature.is_number and not sides.is_detect:
        distances = beside_others(np.array(values, float), items)
        if distances is not None:
            other = tell(distances.tolist())
            if (other.warns, other.right) > (best.warns, best.right):
                best, beside = other, True
    typical = _typical(feature, values, classes, names)
    easiest = names[best.easiest]
    return SetCheck(
        id=f"{feature.kind}/{feature.field}",
        about=_about(feature),
        figure=best.right,
        shown=_shown(best, n_items) if feature.varies else "the same in every output",
        warns=best.warns,
        sentence=_sentence(feature, best, names, typical, beside=beside),
        bias=_bias(feature, sides),
        systems=() if sides.is_detect else (easiest,),
        p=best.p,
        n_items=n_items,
    )


def _shown(best: Telling, n_items: int) -> str:
    # A large share without a warning is no proof of the contrary: the set is too small to tell.
    chance = f", as chance may on {format_count(n_items, 'item')}"
    reached = chance if best.p is not None and not best.warns else ""
    return f"{format_percent(best.right, 0)} guessed right by it (a coin: 50%){reached}"


def _sentence(
    feature: Feature, best: Telling, names: tuple[str, ...], typical: str, *, beside: bool
) -> str:
    easiest = names[best.easiest]
    others = next(name for name in names if name != easiest) if len(names) == 2 else "the others"
    where = " beside the other outputs of its item" if beside else ""
    return (
        f"The {NOUNS[feature.kind]} of {feature.field} alone tells {easiest} from {others}: "
        f"{format_percent(best.right, 0)} are guessed right by it{where}, where a coin gets 50% "
        f"({typical})."
    )


def _bias(feature: Feature, sides: _Sides) -> str:
    if sides.is_detect:
        return (
            "Raters can tell real from generated by it without looking at anything else, and the "
            "fooling rate measures that."
        )
    if feature.kind in LIKED:
        return (
            f"Raters tend to favor {LIKED[feature.kind]}, so part of a difference may be due to "
            "that; and who notices it knows which outputs belong together."
        )
    return (
        "Who notices it knows which outputs belong together: the study is blind in name only, and "
        "a taste for one system spreads from trial to trial."
    )


def _typical(
    feature: Feature, values: Sequence[float | str], classes: Codes, names: tuple[str, ...]
) -> str:
    """What is usual of each system: the median, or the most frequent value with its share."""
    by_class: list[list[float | str]] = [[] for _ in names]
    for value, number in zip(values, classes.tolist(), strict=True):
        by_class[number].append(value)
    if feature.is_number:
        medians = [statistics.median(float(value) for value in each) for each in by_class]
        order = sorted(range(len(names)), key=lambda k: -medians[k])
        told = [f"{names[k]} {_plain(medians[k])}" for k in order]
        low, high = min(medians), max(medians)
        ratio = f", ratio {format_number(high / low, 1)}" if low > 0 and high > low else ""
        return f"medians: {few(told, SHOWN_SYSTEMS)}{UNITS.get(feature.kind, '')}{ratio}"
    told = []
    for name, each in zip(names, by_class, strict=True):
        value, count = Counter(each).most_common(1)[0]
        shown = f"“{value}”" if feature.kind == "first_word" else value
        told.append(f"{name} {shown} in {format_percent(count / len(each), 0)}")
    return f"most often: {few(told, SHOWN_SYSTEMS)}"


def _plain(value: float) -> str:
    return format_number(value, 0 if abs(value) >= 10 or value == int(value) else 2)
