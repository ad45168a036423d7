"""What a change to a running study means: free, recorded, extending or refused.

``snapshot`` is what the store keeps with every version: the study's own words and the ids and
content hashes of its material. ``compare`` sorts the differences of two snapshots. Free changes are
taken; changes of wording make a recorded version; additions extend the plan; changes of meaning
need a new round, because the responses given so far answered another question.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from jurybox.formats import joined
from jurybox.study.breach import dotted, show_value
from jurybox.study.criteria import TEXTUAL
from jurybox.study.material import Material, content_hash
from jurybox.study.model import Study

__all__ = ["Change", "Kind", "compare", "snapshot", "study_of"]

Kind = Literal["free", "recorded", "extending", "refused"]
Path = tuple[str, ...]
FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference between two versions, and what it means for a running study."""

    kind: Kind
    path: str
    sentence: str
    of_material: bool = False
    """Whether it is in the items, outputs or known answers, not in the words of the study."""


def snapshot(study: Study, material: Material) -> dict[str, Any]:
    """Give what the store must keep of a version, as strict JSON."""
    shown = {*study.show, *(s.between for s in study.show.values() if s.between)}

    def hashes(fields: Mapping[str, Any]) -> list[str]:
        seen = {name: value for name, value in fields.items() if name in shown}
        rest = {name: value for name, value in fields.items() if name not in shown}
        return [content_hash(seen), content_hash(rest)]

    outputs: dict[str, dict[str, str]] = {system: {} for system in material.systems}
    for (item, system), output in material.outputs.items():
        outputs[system][item] = hashes(output.fields)[0]
    known: dict[str, dict[str, str]] = {"practice": {}, "gold": {}, "attention": {}}
    for trial in material.known.values():
        content: dict[str, Any] = {"systems": trial.systems, "answers": trial.answers}
        if trial.item not in material.items:
            content["item"] = hashes(material.item_fields(trial.item))[0]
            shows = [material.output_fields(trial.item, system) for system in trial.systems]
            content["outputs"] = [hashes(fields)[0] for fields in shows]
        known[trial.kind][trial.id] = content_hash(content)
    return {
        "format": FORMAT,
        "study": study.plain_data(),
        "order": {"show": list(study.show), "criteria": list(study.criteria)},
        "items": {id: hashes(item.fields) for id, item in material.items.items()},
        "outputs": outputs,
        "known": known,
    }


def study_of(snapshot: Mapping[str, Any], directory: pathlib.Path | None = None) -> Study:
    """Give the study that a snapshot was taken of, with the folder where its media lie."""
    data = dict(snapshot["study"])
    for key, names in snapshot["order"].items():
        data[key] = {name: data[key][name] for name in names}
    study = Study(**data)
    study._directory = directory and directory.resolve()
    return study


def _by_value(data: Mapping[str, Any]) -> dict[str, Any]:
    """Turn each scale's list of values into a map, so that values are compared with their like."""
    criteria = {name: dict(criterion) for name, criterion in data["criteria"].items()}
    for criterion in criteria.values():
        for key in ("scale", "confidence"):
            if criterion[key] is not None:
                values = {f"{value['value']:g}": value for value in criterion[key]["values"]}
                criterion[key] = {**criterion[key], "values": values}
    return {**data, "criteria": criteria}


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """Sort the differences between two snapshots, the study's first, then the material's."""
    before, after = _by_value(old["study"]), _by_value(new["study"])
    changes = list(_scale_changes(before["criteria"], after["criteria"]))
    changes += [_study_change(*found) for found in _differences(before, after, ())]
    changes += _order_changes(old["order"], new["order"])
    material = [*_item_changes(old["items"], new["items"]), *_output_changes(old, new)]
    for kind in ("practice", "gold", "attention"):
        material += _known_changes(kind, old["known"][kind], new["known"][kind])
    return (*changes, *(replace(change, of_material=True) for change in material))


def _scale_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    """A scale with other values is one change, not one for each value; it is taken out of both."""
    for name in (name for name in old if name in new):
        before, after = old[name], new[name]
        for key in ("scale", "confidence"):
            was, now = before[key], after[key]
            if was is None or now is None or set(was["values"]) == set(now["values"]):
                continue
            if key == "scale" and (before["level"], after["level"]) == (was["level"], now["level"]):
                after["level"] = before["level"]
            before[key] = after[key] = None
            path = ("criteria", name, key)
            what = f"{dotted(path)} changed from {_scale(was)} to {_scale(now)}"
            yield _change("refused", path, what)


def _scale(scale: Mapping[str, Any]) -> str:
    return f"`{scale['name']}`" if scale["name"] else joined(scale["values"])


def _differences(old: Any, new: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from _differences(old.get(key), new.get(key), (*path, key))
    else:
        yield path, old, new


def _study_change(path: Path, old: Any, new: Any) -> Change:
    verdict = next(verdict for pattern, verdict in VERDICTS if _matches(pattern, path))
    kind = verdict if isinstance(verdict, str) else verdict(old, new)
    if old is None:
        what = f"is new ({show_value(new)})"
    elif new is None:
        what = f"is gone (it was {show_value(old)})"
    elif _is_short(old) and _is_short(new):
        what = f"changed from {joined(old)} to {joined(new)}"
    elif isinstance(old, list | dict):
        what = "changed"
    else:
        before, after = _apart(old, new)
        what = f"changed from {show_value(before)} to {show_value(after)}"
    return _change(kind, path, f"{dotted(path)} {what}")


def _is_short(value: Any) -> bool:
    """Whether it is a list of a few names, such as two systems that are compared."""
    if not isinstance(value, list) or not 0 < len(value) <= 4:
        return False
    return all(isinstance(each, str) and len(each) <= 40 for each in value)


def _apart(old: Any, new: Any) -> tuple[Any, Any]:
    """Two long texts from the words on at which they part, so that the difference is seen."""
    if not isinstance(old, str) or not isinstance(new, str) or max(len(old), len(new)) <= 40:
        return old, new
    pairs = enumerate(zip(old, new, strict=False))
    same = next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))
    start = max(old.rfind(" ", 0, max(0, same - 8)) + 1, same - 20)
    return (f"…{old[start:]}", f"…{new[start:]}") if start > 0 else (old, new)


def _change(kind: Kind, path: Path, what: str) -> Change:
    return Change(kind=kind, path=dotted(path), sentence=f"{what}: {MEANING[kind]}.")


MEANING: dict[Kind, str] = {
    "free": "taken as it is",
    "recorded": "recorded as a new version",
    "extending": "the plan grows, and what it holds keeps its place",
    "refused": "changes what an answer means, so it needs a new round",
}


def _matches(pattern: str, path: Path) -> bool:
    parts = pattern.split(".") if pattern else []
    if len(parts) > len(path):
        return False
    return all(part in ("*", key) for part, key in zip(parts, path, strict=False))


def _grows(old: Any, new: Any) -> Kind:
    """More of it extends the plan; less would take back what was planned."""
    if new is None:
        return "extending"
    return "extending" if old is not None and new > old else "refused"


def _pairs(_old: Any, new: Any) -> Kind:
    return "extending" if new == "all" else "refused"


def _medium(old: Any, new: Any) -> Kind:
    return "recorded" if {old, new} <= TEXTUAL else "refused"


Verdict = Kind | Callable[[Any, Any], Kind]
VERDICTS: tuple[tuple[str, Verdict], ...] = (
    ("title", "recorded"),
    ("protocol", "refused"),
    ("language", "recorded"),
    ("description", "free"),
    ("instructions", "recorded"),
    ("look_for", "recorded"),
    ("cases", "recorded"),
    # Where tables lie says nothing; their content is compared row by row.
    ("items", "free"),
    ("outputs", "free"),
    ("systems.*.baseline", "recorded"),
    ("systems", "free"),
    ("real", "refused"),
    ("show.*.zoom", "free"),
    ("show.*.caption", "recorded"),
    ("show.*.reference", "recorded"),
    ("show.*.play", "recorded"),
    ("show.*.as", _medium),
    ("show", "refused"),
    ("criteria.*.question", "recorded"),
    ("criteria.*.look_for", "recorded"),
    ("criteria.*.reason", "recorded"),
    ("criteria.*.pass", "recorded"),
    ("criteria.*.weights", "recorded"),
    ("criteria.*.scale.name", "free"),
    ("criteria.*.scale.values.*.anchor", "recorded"),
    ("criteria.*.scale.values.*.example", "recorded"),
    ("criteria.*.scale.values.*.key", "free"),
    ("criteria.*.confidence.name", "free"),
    ("criteria.*.confidence.values.*.anchor", "recorded"),
    ("criteria.*.confidence.values.*.example", "recorded"),
    ("criteria.*.confidence.values.*.key", "free"),
    ("criteria.*.categories.*", lambda old, new: "refused" if None in (old, new) else "recorded"),
    ("criteria", "refused"),
    ("derived", "recorded"),
    ("design.overlap", _grows),
    ("design.items", _grows),
    ("design.pairs.random", _grows),
    ("design.pairs", _pairs),
    ("design.raters", "free"),
    ("design.stratify", "recorded"),
    ("design.allocation", "recorded"),
    # Whether outputs may be missing; which are there is compared output by output.
    ("design.same_items", "recorded"),
    ("design", "refused"),
    # Like items: the table's rows are compared, not its name.
    ("quality.practice", "free"),
    ("quality.gold", "free"),
    ("quality.attention", "free"),
    ("quality.practice_pass", "recorded"),
    ("quality.calibration", "recorded"),
    ("quality.exclude", "refused"),
    ("session", "free"),
    ("access", "free"),
    ("consent", "recorded"),
    ("raters.groups.*.quota", _grows),
    ("raters.groups.*.overlap", _grows),
    ("raters.groups.*", lambda old, new: "refused" if new is None else "extending"),
    ("raters", "refused"),
    ("survey", "recorded"),
    ("judges", "free"),
    ("analysis.baseline", "recorded"),
    ("analysis.confidence", "recorded"),
    ("analysis.panel", "recorded"),
    # What is to be shown stands before the data.
    ("analysis", "refused"),
)
"""The first pattern that fits a path decides. Every key of the study has one."""


def _order_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    changes = []
    orders: tuple[tuple[str, Kind], ...] = (("show", "free"), ("criteria", "recorded"))
    for key, kind in orders:
        before, after = old[key], new[key]
        if before != after and set(before) == set(after):
            what = f"{key} stands in another order, {joined(after)}"
            changes.append(_change(kind, (key,), what))
    return changes


def _item_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    added, removed = _only(new, old), _only(old, new)
    both = [item for item in new if item in old]
    seen = [item for item in both if old[item][0] != new[item][0]]
    carried = [item for item in both if old[item][0] == new[item][0] and old[item] != new[item]]
    groups: tuple[tuple[Kind, list[str], str], ...] = (
        ("extending", added, "added"),
        ("refused", removed, "removed"),
        ("refused", seen, "changed in what raters see"),
        ("recorded", carried, "changed in fields that are not shown"),
    )
    for kind, items, what in groups:
        if items:
            yield _change(kind, ("items",), f"{_counted(items, 'item')} {what}")


def _output_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    before, after = old["outputs"], new["outputs"]
    systems: tuple[tuple[Kind, list[str], str], ...] = (
        ("extending", _only(after, before), "added"),
        ("refused", _only(before, after), "removed"),
    )
    for kind, names, what in systems:
        if names:
            yield _change(kind, ("systems",), f"{_counted(names, 'system')} {what}")
    for system in (name for name in after if name in before):
        was, now = before[system], after[system]
        # Outputs of new or removed items are part of that change.
        filled = [item for item in _only(now, was) if item in old["items"]]
        emptied = [item for item in _only(was, now) if item in new["items"]]
        changed = [item for item in now if item in was and now[item] != was[item]]
        groups: tuple[tuple[Kind, list[str], str], ...] = (
            ("extending", filled, "added"),
            ("refused", emptied, "removed"),
            ("refused", changed, "changed"),
        )
        for kind, items, what in groups:
            if items:
                counted = _counted(items, "output")
                yield _change(kind, ("outputs", system), f"{counted} of {system} {what}")


def _known_changes(kind: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Practice teaches, so it may be improved; gold and attention decide who is excluded."""
    groups: tuple[tuple[Kind, list[str], str], ...] = (
        ("extending", _only(new, old), "added"),
        ("refused", _only(old, new), "removed"),
        ("refused", [id for id in new if id in old and new[id] != old[id]], "changed"),
    )
    for meaning, ids, what in groups:
        if ids:
            counted = _counted(ids, f"{kind} trial")
            verdict: Kind = "recorded" if kind == "practice" else meaning
            yield _change(verdict, ("quality", kind), f"{counted} {what}")


def _only(here: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
    return [name for name in here if name not in there]


def _counted(names: list[str], noun: str) -> str:
    listed = joined([*names[:3], *(["…"] if len(names) > 3 else [])])
    return f"{len(names)} {noun}{'s' if len(names) > 1 else ''} ({listed})"
