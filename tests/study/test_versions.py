"""What a change to a running study means."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from jurybox.study import Study, load_material, load_study
from jurybox.study.versions import VERDICTS, Change, compare, snapshot, study_of
from tests.study.examples import EXAMPLES, draw_picture, write_example, write_jsonl


def taken(folder: Path) -> dict[str, Any]:
    """A snapshot as the store gives it back."""
    study = load_study(folder)
    made: dict[str, Any] = json.loads(
        json.dumps(snapshot(study, load_material(study)), sort_keys=True)
    )
    return made


def edited(name: str, old: str, new: str) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return apply


def added_line(name: str, line: str) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    return apply


def without_line(name: str, number: int) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:number] + lines[number + 1 :]), encoding="utf-8")

    return apply


def all_of(*changes: Callable[[Path], None]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        for change in changes:
            change(folder)

    return apply


def gone(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def drawn(name: str) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        draw_picture(folder / name, 5, noise=3)

    return apply


def new_system(folder: Path) -> None:
    rows = [{"item": f"q{n}", "answer": "Maybe."} for n in range(1, 7)]
    write_jsonl(folder / "answers" / "third.jsonl", rows)


YAML = "study.yaml"
CASES: list[tuple[str, Callable[[Path], None], list[tuple[str, str]]]] = [
    # free
    ("compare", added_line(YAML, "session: {minutes: 20}"), [("free", "session.minutes")]),
    ("compare", added_line(YAML, "access: {code: X}"), [("free", "access.code")]),
    ("compare", added_line(YAML, "description: new"), [("free", "description")]),
    ("compare", added_line(YAML, "systems: {new: The new, old: The old}"), [("free", "systems")]),
    ("compare", edited(YAML, "budget: 20", "budget: 30"), [("free", "judges.j1.budget")]),
    ("rate", edited(YAML, "input: image", "input: {as: image, zoom: false}"),
     [("free", "show.input.zoom")]),
    ("rate", edited(YAML, "{instruction: text, input: image", "{input: image, instruction: text"),
     [("free", "show")]),
    ("rate", edited(YAML, "0.5: Flawed", '0.5: {anchor: Flawed, key: "5"}'),
     [("free", "criteria.realism.scale.values.0.5.key")]),
    # recorded
    ("compare", edited(YAML, "Does the new", "Does this new"), [("recorded", "title")]),
    ("compare", edited(YAML, "rather get", "prefer"),
     [("recorded", "criteria.preference.question")]),
    ("compare", added_line(YAML, "instructions: Read."), [("recorded", "instructions")]),
    ("compare", edited(YAML, "answer: markdown", "answer: text"), [("recorded", "show.answer.as")]),
    ("compare", edited("prompts.jsonl", '"topic": "cooking"', '"topic": "food"'),
     [("recorded", "items")]),
    ("detect", edited("hints.md", "Take your time", "Hurry"), [("recorded", "instructions")]),
    ("detect", edited("practice.csv", "real,Clean.", "generated,Clean."),
     [("recorded", "quality.practice")]),
    ("rate", edited(YAML, "1: Small flaws", "1: Slight flaws"),
     [("recorded", "criteria.realism.scale.values.1.anchor")]),
    ("rate", edited(YAML, "derived: {overall: {geometric_mean", "derived: {overall: {mean"),
     [("recorded", "derived.overall.geometric_mean"), ("recorded", "derived.overall.mean")]),
    ("mark", edited(YAML, "Meaning added", "Sense added"),
     [("recorded", "criteria.errors.categories.accuracy")]),
    # extending
    ("compare", edited(YAML, "overlap: 3", "overlap: 5"), [("extending", "design.overlap")]),
    ("compare", new_system, [("extending", "systems")]),
    ("compare", all_of(added_line("prompts.jsonl", '{"item": "q7", "prompt": "Why?", "topic": ""}'),
                       added_line("answers/new.jsonl", '{"item": "q7", "answer": "So."}'),
                       added_line("answers/old.jsonl", '{"item": "q7", "answer": "No."}')),
     [("extending", "items")]),
    ("compare", added_line("gold.csv", "q3,new,old,,,,a,,,"), [("extending", "quality.gold")]),
    ("detect", edited(YAML, "items: 12", "items: 20"), [("extending", "design.items")]),
    ("detect", drawn("images/real/photo99.jpg"),
     [("extending", "items")]),
    # refused
    ("compare", edited(YAML, "overlap: 3", "overlap: 2"), [("refused", "design.overlap")]),
    ("compare", edited(YAML, "seed: 7", "seed: 8"), [("refused", "design.seed")]),
    ("compare", edited(YAML, "seed: 7", "seed: 7, core: 2"), [("refused", "design.core")]),
    ("compare", edited(YAML, "seed: 7", "seed: 7, repeats: 0.1"), [("refused", "design.repeats")]),
    ("compare", edited(YAML, "seed: 7", "seed: 7, same_items: false"),
     [("recorded", "design.same_items")]),
    ("compare", edited(YAML, "seed: 7", "seed: 7, allocation: equal, items: 2"),
     [("recorded", "design.allocation"), ("refused", "design.items")]),
    ("compare", edited(YAML, "gold_below: 0.7", "gold_below: 0.6"),
     [("refused", "quality.exclude.gold_below")]),
    ("compare", edited(YAML, "margin: 0.02", "margin: 0.05"), [("refused", "analysis.margin")]),
    ("compare", edited(YAML, "[a, b, tie, both_bad]", "[a, b, tie]"),
     [("refused", "criteria.preference.choices")]),
    ("mark", without_line(YAML, 12), [("refused", "criteria.overall")]),
    ("compare", edited("answers/new.jsonl", "Three things", "Four things"),
     [("refused", "outputs.new")]),
    ("compare", edited("prompts.jsonl", "What should I", "What must I"), [("refused", "items")]),
    ("compare", all_of(new_system, gone("answers/old.jsonl"), without_line("gold.csv", 1),
                       edited(YAML, "[new, old]", "[new, third]")),
     [("refused", "analysis.primary.win_rate"), ("extending", "systems"), ("refused", "systems"),
      ("refused", "quality.gold")]),
    ("compare", edited("gold.csv", "4|5", "5"), [("refused", "quality.gold")]),
    ("rate", edited(YAML, "2: Flawless", "3: Flawless"),
     [("refused", "criteria.realism.scale")]),
    ("compare", edited(YAML, "confidence: 3", "confidence: 5"),
     [("refused", "criteria.preference.confidence")]),
    ("rate", all_of(without_line("edits.jsonl", 0), gone("images/brush/e1.png"),
                    gone("images/magic/e1.png"), gone("images/plain/e1.png")),
     [("refused", "items")]),
    ("rate", drawn("images/magic/e2.png"),
     [("refused", "outputs.magic")]),
    ("detect", edited(YAML, "seconds: 5", "seconds: 2"), [("refused", "show.output.seconds")]),
    ("mark", added_line(YAML, "language: de"), [("recorded", "language")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "expected"), CASES)
def test_each_change_is_sorted(
    name: str, change: Callable[[Path], None], expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    folder = write_example(name, tmp_path)
    before = taken(folder)
    assert compare(before, taken(folder)) == ()
    change(folder)
    changes = compare(before, taken(folder))
    assert [(found.kind, found.path) for found in changes] == expected
    assert all(found.sentence.endswith(".") for found in changes)


def test_another_scale_is_one_change_that_names_both(tmp_path: Path) -> None:
    folder = write_example("compare", tmp_path)
    before = taken(folder)
    edited(YAML, "scale: acr", "scale: 0-100")(folder)
    named = [change.sentence for change in compare(before, taken(folder))]
    edited(YAML, "scale: 0-100", "scale: {1: Bad, 4: Good, 5: Best}")(folder)
    own = [change.sentence for change in compare(before, taken(folder))]
    meaning = "changes what an answer means, so it needs a new round."
    assert named == [f"criteria.correctness.scale changed from `acr` to `0-100`: {meaning}"]
    assert own == [f"criteria.correctness.scale changed from `acr` to 1, 4 and 5: {meaning}"]


def test_a_change_says_what_it_means(tmp_path: Path) -> None:
    folder = write_example("compare", tmp_path)
    before = taken(folder)
    edited(YAML, "overlap: 3", "overlap: 5")(folder)
    assert compare(before, taken(folder)) == (
        Change(
            kind="extending",
            path="design.overlap",
            sentence="design.overlap changed from `3` to `5`:"
            " the plan grows, and what it holds keeps its place.",
        ),
    )


def test_a_change_of_wording_shows_the_part_that_differs(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    before = taken(folder)
    asked = "Does the output do what was asked, and nothing else?"
    edited(YAML, asked, asked.replace("else", "more"))(folder)
    (change,) = compare(before, taken(folder))
    assert change.sentence == (
        "criteria.consistency.question changed from `…nothing else?` to `…nothing more?`:"
        " recorded as a new version."
    )


def test_a_snapshot_holds_the_study_itself(tmp_path: Path) -> None:
    study = load_study(write_example("rate", tmp_path))
    assert Study(**taken(tmp_path)["study"]) == study


def leaves(model: type[BaseModel], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every path a study may have, names of the author's as `x`."""
    found = []
    for name, field in model.model_fields.items():
        here = (*path, field.alias or name)
        inner = [part for part in _parts(field.annotation) if issubclass(part, BaseModel)]
        named = "dict" in str(field.annotation) and inner
        for part in inner:
            found += leaves(part, (*here, "x") if named else here)
        if not inner:
            found.append(here)
    return found


def _parts(annotation: Any) -> list[type]:
    if isinstance(annotation, type) and not get_args(annotation):
        return [annotation]
    return [part for argument in get_args(annotation) for part in _parts(argument)]


def test_every_key_of_a_study_has_a_verdict() -> None:
    paths = leaves(Study)
    assert len(paths) > 60
    tops = {pattern.split(".")[0] for pattern, _ in VERDICTS}
    assert tops == set(Study.model_fields)
    for path in paths:
        fits = [
            pattern
            for pattern, _ in VERDICTS
            if len(pattern.split(".")) <= len(path)
            and all(p in ("*", key) for p, key in zip(pattern.split("."), path, strict=False))
        ]
        assert fits, path


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_study_comes_back_from_what_the_store_keeps(name: str, tmp_path: Path) -> None:
    write_example(name, tmp_path)
    study = load_study(tmp_path)
    again = study_of(taken(tmp_path))
    assert again.plain_data() == study.plain_data()
    assert again.hash() == study.hash()
    assert again.directory is None
    # The snapshot was sorted by key: the order that raters see is kept beside it.
    assert list(again.criteria) == list(study.criteria)
    assert list(again.show) == list(study.show)
