"""Items and outputs, checked before anything is served: every problem, with file and row."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jurybox.errors import InputError, SpecError
from jurybox.study import ItemId, Study, SystemId, check_material, load_material, load_study
from jurybox.study.model import Design
from tests.study.examples import EXAMPLES, draw_picture, write_csv, write_example, write_jsonl

COUNTS = {
    "smallest": (6, ("new", "old"), 12),
    "rate": (6, ("brush", "magic", "plain"), 18),
    "compare": (6, ("new", "old"), 12),
    "rank": (6, ("ada", "bert", "cleo", "dora"), 24),
    "detect": (24, ("model-x", "model-y", "real"), 36),
    "mark": (6, ("alpha", "beta"), 12),
}


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_every_example_has_its_material(name: str, tmp_path: Path) -> None:
    study = load_study(write_example(name, tmp_path))
    material = load_material(study)
    assert (len(material.items), material.systems, len(material.outputs)) == COUNTS[name]
    assert material.hash() == load_material(study).hash()
    for item, system in material.outputs:
        shown = {**material.item_fields(item), **material.output_fields(item, system)}
        assert set(study.show) <= set(shown)


def test_fields_are_what_their_medium_says(tmp_path: Path) -> None:
    for n in (1, 2, 3):
        draw_picture(tmp_path / f"m/{n}.png", n)
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "text": "Hello"}]
    items = [{"item": 7, "talk": talk, "states": ["m/1.png", "m/2.png"], "level": 3, "empty": None}]
    write_jsonl(tmp_path / "items.jsonl", items)
    write_jsonl(
        tmp_path / "outputs.jsonl",
        [{"item": "7", "system": "s", "picture": "m/3.png", "said": ["then"], "text": 42}],
    )
    study = Study(
        title="t", protocol="rate", items="items.jsonl", outputs="outputs.jsonl",
        show={"talk": "chat", "states": {"as": "images", "between": "said"}, "picture": "image",
              "text": "text"},
    )  # fmt: skip
    study.save(tmp_path)
    material = load_material(study)
    root = tmp_path.resolve()
    assert material.item_fields(ItemId("7")) == {
        "talk": ({"role": "user", "text": "Hi"}, {"role": "assistant", "text": "Hello"}),
        "states": (root / "m/1.png", root / "m/2.png"),
        "level": 3,
    }
    assert material.output_fields(ItemId("7"), SystemId("s")) == {
        "picture": root / "m/3.png",
        "said": ("then",),
        "text": "42",
    }
    with pytest.raises(InputError, match="There is no item '8'"):
        material.item_fields(ItemId("8"))
    with pytest.raises(InputError, match="System 'x' has no output for item '7'"):
        material.output_fields(ItemId("7"), SystemId("x"))


def test_lists_in_a_cell_are_separated_by_bars(tmp_path: Path) -> None:
    for n in (1, 2, 3):
        draw_picture(tmp_path / f"{n}.png", n)
    rows = [{"item": "a", "system": "s", "states": "1.png|2.png| 3.png", "said": "one|two"}]
    write_csv(tmp_path / "o.csv", rows)
    study = Study(
        title="t", protocol="rate", outputs="o.csv",
        show={"states": {"as": "images", "between": "said"}},
    )  # fmt: skip
    study.save(tmp_path)
    fields = load_material(study).output_fields(ItemId("a"), SystemId("s"))
    assert [path.name for path in fields["states"]] == ["1.png", "2.png", "3.png"]
    assert fields["said"] == ("one", "two")


def test_text_files_of_a_pattern_are_read(tmp_path: Path) -> None:
    for system in ("x", "y"):
        (tmp_path / "t" / system).mkdir(parents=True)
        (tmp_path / "t" / system / "1.txt").write_text(f"words of {system}")
    study = Study(
        title="t", protocol="compare", outputs="t/{system}/{item}.txt", show={"output": "text"}
    )
    study.save(tmp_path)
    material = load_material(study)
    assert material.output_fields(ItemId("1"), SystemId("y")) == {"output": "words of y"}


def test_a_wide_table_gives_each_system_its_column(tmp_path: Path) -> None:
    write_csv(tmp_path / "w.csv", [{"item": "1", "prompt": "p", "new": "n1", "old": "o1"}])
    study = Study(
        title="t", protocol="compare", items="w.csv", show={"prompt": "text", "answer": "text"},
        outputs={"table": "w.csv", "columns": {"b": "new", "a": "old"}, "field": "answer"},
    )  # fmt: skip
    study.save(tmp_path)
    material = load_material(study)
    assert material.systems == ("a", "b")
    assert material.output_fields(ItemId("1"), SystemId("b")) == {"answer": "n1"}
    named = study.model_copy(update={"systems": {"b": None, "a": None}})
    assert load_material(named).systems == ("b", "a")


def test_systems_may_answer_different_items_if_the_study_says_so(tmp_path: Path) -> None:
    rows = [
        {"item": "1", "prompt": "p", "new": "n1", "old": "o1"},
        {"item": "2", "prompt": "q", "new": "n2", "old": ""},
    ]
    write_csv(tmp_path / "w.csv", rows)
    study = Study(
        title="t", protocol="compare", items="w.csv", show={"prompt": "text", "answer": "text"},
        outputs={"table": "w.csv", "columns": {"new": "new", "old": "old"}, "field": "answer"},
        design={"same_items": False},
    )  # fmt: skip
    study.save(tmp_path)
    material, problems = check_material(study)
    assert set(material.outputs) == {("1", "new"), ("1", "old"), ("2", "new")}
    assert [(p.severity, p.file, p.line, p.message) for p in problems] == [
        ("warning", "w.csv", 3, "Item '2' has 1 output and compare needs 2; nobody will see it.")
    ]
    strict = study.model_copy(update={"design": Design()})
    assert any(problem.severity == "error" for problem in check_material(strict)[1])


@pytest.mark.parametrize(
    ("pattern", "files", "expected"),
    [
        ("o/{item}_{system}.txt", ["o/1_x.txt", "o/1_y.txt"], {("1", "x"), ("1", "y")}),
        ("{system}/deep/{item}/out.txt", ["x/deep/1/out.txt", "y/deep/1/out.txt"],
         {("1", "x"), ("1", "y")}),
        ("o/{system}/{item}.*", ["o/x/1.txt", "o/y/1.md"], {("1", "x"), ("1", "y")}),
        ("o/{system}/{item}_{system}.txt", ["o/x/1_x.txt", "o/y/1_y.txt", "o/y/1_x.txt"],
         {("1", "x"), ("1", "y")}),
        ("o/{system}/{item}.txt", ["o/x/a.b c.txt", "o/y/a.b c.txt", "o/.hidden/q.txt",
         "o/y/.DS_Store.txt", "o/notes.txt"], {("a.b c", "x"), ("a.b c", "y")}),
    ],
)  # fmt: skip
def test_patterns_find_their_files(
    pattern: str, files: list[str], expected: set[tuple[str, str]], tmp_path: Path
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("words")
    study = Study(title="t", protocol="compare", outputs=pattern, show={"output": "text"})
    study.save(tmp_path)
    assert set(load_material(study).outputs) == expected


def test_a_name_that_splits_in_two_ways_needs_the_items(tmp_path: Path) -> None:
    for name in ("a_b_x.txt", "a_b_y.txt"):
        (tmp_path / name).write_text("words")
    study = Study(
        title="t", protocol="compare", outputs="{item}_{system}.txt", show={"output": "text"}
    )
    study.save(tmp_path)
    _, problems = check_material(study)
    assert "can be split into system and item in several ways" in str(problems[0])
    write_csv(tmp_path / "items.csv", [{"item": "a_b"}])
    listed = Study(
        title="t", protocol="compare", outputs="{item}_{system}.txt", show={"output": "text"},
        items="items.csv",
    )  # fmt: skip
    listed.save(tmp_path)
    assert load_material(listed).systems == ("x", "y")


def edit(path: str, change: Callable[[str], str]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        file = folder / path
        file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")

    return apply


def replaced(path: str, old: str, new: str) -> Callable[[Path], None]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit(path, change)


def unlink(path: str) -> Callable[[Path], None]:
    return lambda folder: (folder / path).unlink()


def linked(path: str, target: str) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        (folder / path).unlink()
        (folder / path).symlink_to(target)

    return apply


WRONG: list[tuple[str, Callable[[Path], object], str]] = [
    ("rate", unlink("edits.jsonl"), "study.yaml:3:8: items names a table: `edits.jsonl` does not"),
    ("rate", unlink("images/magic/e2.png"),
     "images/magic/{item}.png: System 'magic' has no output for item 'e2'; add it, or let systems"
     " answer different items (design.same_items: false)."),
    ("rate", unlink("input/e2.png"), "edits.jsonl:2: `input`: `input/e2.png` does not exist;"
     " did you mean `e"),
    ("rate", replaced("edits.jsonl", "input/e1.png", "https://x.org/e1.png"),
     "edits.jsonl:1: `input`: `https://x.org/e1.png` is a URL; nothing is fetched, so save"),
    ("rate", replaced("edits.jsonl", "input/e1.png", "../e1.png"),
     "edits.jsonl:1: `input`: `../e1.png` leaves the study's folder."),
    ("rate", replaced("edits.jsonl", "input/e1.png", "/etc/passwd"),
     "edits.jsonl:1: `input`: `/etc/passwd` is not relative; give the path from the"),
    ("rate", replaced("edits.jsonl", "input/e1.png", "C:\\\\x.png"),
     "edits.jsonl:1: `input`: `C:\\x.png` is not relative"),
    ("rate", replaced("edits.jsonl", "input/e1.png", "input"),
     "edits.jsonl:1: `input`: `input` is a folder, not a file."),
    ("rate", replaced("edits.jsonl", "input/e1.png", "nowhere/e1.png"),
     "edits.jsonl:1: `input`: `nowhere/e1.png` does not exist; there is no folder"),
    ("rate", replaced("edits.jsonl", '"input/e1.png"', "3"),
     "edits.jsonl:1: `input` must be a file's name, got `3`."),
    ("rate", replaced("edits.jsonl", "e1.png", "\\u0000"),
     "edits.jsonl:1: `input`: the file name is empty."),
    ("rate", linked("input/e1.png", "/etc/hostname"),
     "edits.jsonl:1: `input`: `input/e1.png` is a link that leaves the study's folder."),
    ("rate", linked("images/magic/e1.png", "/etc/hostname"),
     "images/magic/e1.png: `output`: `images/magic/e1.png` is a link that leaves the study's"),
    ("rate", lambda folder: (folder / "input/e1.png").write_bytes(b""),
     "edits.jsonl:1: `input`: `input/e1.png` is an empty file."),
    ("rate", lambda folder: draw_picture(folder / "images/plain/extra.png", 1),
     "images/plain/extra.png: Item 'extra' is not in edits.jsonl"),
    ("rate", replaced("study.yaml", "input: image", "inptu: image"),
     "study.yaml:5:34: show.inptu names the field `inptu`, which no table has; the columns are"
     " instruction, input, category, output; did you mean `input`?"),
    ("rate", replaced("study.yaml", "images/{system}", "imgs/{system}"),
     "study.yaml:4:10: outputs has a pattern that no file fits, `imgs/{system}/{item}.png`; there"
     " is no folder `imgs`."),
    ("rate", replaced("study.yaml", "images/{system}", "../{system}"),
     "study.yaml:4:10: outputs names files: `../{system}/{item}.png` leaves the study's folder."),
    ("rate", lambda folder: (folder / "images/hollow").mkdir(),
     "images/hollow/{item}.png: System 'hollow' has no output; add its outputs, or take it away."),
    ("rate", replaced("study.yaml", "{item}.png", "{item}.webp"),
     "study.yaml:4:10: outputs has a pattern that no file fits, `images/{system}/{item}.webp`; in"
     " `images` there is brush, magic and plain."),
    ("rate", replaced("study.yaml", "{instruction: text, input: image, output: image}",
                      "{instruction: text, input: image}"),
     "study.yaml:5:7: show names no field of the outputs, which have output."),
    ("smallest", replaced("prompts.jsonl", '"item": "q2"', '"item": "q1"'),
     "prompts.jsonl:2: Item 'q1' stood already in row 1."),
    ("smallest", replaced("prompts.jsonl", '"item": "q2"', '"item": ""'),
     "prompts.jsonl:2: `item` is empty."),
    ("smallest", replaced("prompts.jsonl", '"item": "q2"', '"item": "q2 "'),
     "prompts.jsonl:2: `item` `q2` has blanks around it."),
    ("smallest", replaced("prompts.jsonl", '"item": "q2"', '"item": "q\\n2"'),
     "prompts.jsonl:2: `item` `q 2` holds a character that is not seen, U+000A."),
    ("smallest", lambda at: os.rename(at / "answers/old.jsonl", at / "answers/o\x1b.jsonl"),
     r"answers/o\x1b.jsonl: `system` `o�` holds a character that is not seen, U+001B; give the"),
    ("smallest", lambda folder: (folder / "answers/loop.jsonl").symlink_to("loop.jsonl"),
     "study.yaml:4:10: outputs names a table: `answers/loop.jsonl` cannot be read: Too many"),
    ("smallest", lambda folder: os.mkfifo(folder / "answers/pipe.jsonl"),
     "study.yaml:4:10: outputs names a table: `answers/pipe.jsonl` is no ordinary file."),
    ("smallest", replaced("prompts.jsonl", '"item": "q2"', '"n": ' + "9" * 5000 + ', "item": "q2"'),
     "prompts.jsonl:2: The line is not a JSON object (a number has too many digits)."),
    ("smallest", replaced("study.yaml", "answers/{system}.jsonl", "answers/old.jsonl"),
     "answers/old.jsonl:1: The table has no column `system`; its columns are item, answer; add it"),
    ("smallest", replaced("prompts.jsonl", '"item": "q2"', '"item": [2]'),
     "prompts.jsonl:2: `item` must be text, got a list."),
    ("smallest", replaced("prompts.jsonl", '"item": "q2"', '"id": "q2"'),
     "prompts.jsonl:2: `item` is empty."),
    ("smallest", edit("prompts.jsonl", lambda text: text.replace('"item"', '"id"')),
     "prompts.jsonl:1: The table has no column `item`; its columns are id, prompt, topic"),
    ("smallest", edit("prompts.jsonl", lambda text: ""), "study.yaml:3:8: items names a"
     " table: `prompts.jsonl` is an empty file."),
    ("smallest", edit("answers/new.jsonl", lambda text: text.replace("*one* for q3", "")
                      .replace("Three things matter:\\n\\n- \\n- two", " ")),
     "answers/new.jsonl:3: `answer` is empty."),
    ("smallest", replaced("answers/new.jsonl", '"item": "q3"', '"item": "q33"'),
     "answers/new.jsonl:3: Item 'q33' is not in prompts.jsonl; did you mean `q3`?"),
    ("smallest", replaced("answers/new.jsonl", '"item": "q3"', '"item": "q2"'),
     "answers/new.jsonl:3: System 'new' already has an output for item 'q2', in row 2."),
    ("smallest", replaced("answers/new.jsonl", '"item": "q3"', '"system": "old", "item": "q3"'),
     "answers/new.jsonl:3: `system` is `old`, but the file is new's."),
    ("smallest", replaced("answers/new.jsonl", '"answer"', '"answer": [1], "x"'),
     "answers/new.jsonl:1: `answer` must be text, got a list."),
    ("smallest", unlink("answers/old.jsonl"),
     "study.yaml:4:10: outputs must come from at least two systems, got only 'new'."),
    ("smallest", edit("answers/new.jsonl", lambda text: text.replace('"answer"', '"prompt"')),
     "prompts.jsonl:1: `prompt` stands in prompts.jsonl and in the outputs; a field belongs"),
    ("rank", replaced("captions.csv", "item,system,caption", "item,model,caption"),
     "captions.csv:1: The table has no column `system`; its columns are item, model, caption"),
    ("rank", replaced("captions.csv", "p1,ada,", "p1,ad|a,"),
     "captions.csv:2: `system` is longer than 200 characters or contains `|`."),
    ("compare", replaced("study.yaml", "win_rate: [new, old]", "win_rate: [new, odl]"),
     "study.yaml:12:38: analysis.primary.win_rate[2] names `odl`; the systems are new and old;"),
    ("compare", replaced("study.yaml", "stratify: topic", "stratify: topics"),
     "study.yaml:9:44: design.stratify[1] names `topics`; the fields of the items are prompt,"),
    ("compare", replaced("study.yaml", "pairs: all", "pairs: {baseline: older}"),
     "study.yaml:9:28: design.pairs.baseline names `older`; the systems are new and old; did you"),
    ("compare", replaced("study.yaml", "budget: 20", "trials: [q1, zz]"),
     "study.yaml:11:96: judges.j1.trials[2] names item `zz`, which does not exist."),
    ("compare", replaced("study.yaml", "margin: 0.02", "baseline: x"),
     "study.yaml:12:55: analysis.baseline names `x`; the systems are new and old."),
    ("detect", replaced("study.yaml", "real: [real]", "real: [reel]"),
     "study.yaml:5:8: real[1] names `reel`; the systems are model-x, model-y and real;"),
    ("detect", replaced("study.yaml", "real: [real]", "real: [real, model-x, model-y]"),
     "study.yaml:5:7: real names every system, so none is generated."),
    ("detect", unlink("hints.md"),
     "study.yaml:8:15: instructions names a file: `hints.md` does not exist"),
    ("mark", replaced("study.yaml", "field: translation", "field: source"),
     "study.yaml:9:12: criteria.errors.field names `source`, which belongs to the item;"),
    ("mark", edit("study.yaml", lambda text: text + "systems: [alpha, gamma]\n"),
     "study.yaml:15:10: systems lacks 'beta', which has outputs"),
    ("mark", edit("study.yaml", lambda text: text + "systems: [alpha, beta, gamma]\n"),
     "translations.tsv: System 'gamma' has no output; add its outputs, or take it away."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "expected"), WRONG)
def test_what_is_wrong_is_said_with_file_and_row(
    name: str, change: Callable[[Path], object], expected: str, tmp_path: Path
) -> None:
    folder = write_example(name, tmp_path)
    change(folder)
    _, problems = check_material(load_study(folder))
    assert any(str(problem).startswith(expected) for problem in problems), [*map(str, problems)]
    with pytest.raises(SpecError):
        load_material(load_study(folder))


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    unlink("images/magic/e2.png")(folder)
    unlink("input/e3.png")(folder)
    replaced("edits.jsonl", '"Make the shape number 5 blue."', '""')(folder)
    _, problems = check_material(load_study(folder))
    assert [(problem.file, problem.line) for problem in problems] == [
        ("edits.jsonl", 3),
        ("edits.jsonl", 5),
        ("images/magic/{item}.png", None),
    ]
    # A row without an id hides neither the others nor what follows from it.
    replaced("edits.jsonl", '"item": "e6"', '"item": ""')(folder)
    _, more = check_material(load_study(folder))
    assert [(problem.file, problem.line) for problem in more] == [
        ("edits.jsonl", 6),
        ("edits.jsonl", 3),
        ("edits.jsonl", 5),
        ("images/brush/e6.png", None),
        ("images/magic/e6.png", None),
        ("images/plain/e6.png", None),
    ]


@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        ("hello", "`talk` must be a JSON list of turns"),
        (r'[{"role": "user", "text": "\ud800"}]', "`talk` must be a JSON list of turns"),
        ([], "`talk` must be a list of turns, got an empty one"),
        ([3], "`talk`: turn 1 must be an object, got `3`"),
        ([{"role": "user", "text": "x"}, {"text": "y"}], "`talk`: turn 2 has no `role`"),
        ([{"role": "user", "text": " "}], "`talk`: turn 1 has no `text`"),
        ([{"role": "user", "content": [{"type": "text"}]}], "`talk`: turn 1 has no `text`"),
        ([{"role": 1, "text": "x"}], "`talk`: turn 1 has no `role`"),
    ],
)
def test_malformed_chats_are_said(talk: Any, expected: str, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "o.jsonl", [{"item": "1", "system": "s", "talk": talk}])
    study = Study(title="t", protocol="rate", outputs="o.jsonl", show={"talk": "chat"})
    study.save(tmp_path)
    _, problems = check_material(study)
    assert [str(problem) for problem in problems] == [f"o.jsonl:1: {expected}."]


@pytest.mark.parametrize(
    ("states", "said", "expected"),
    [
        (["1.png", "2.png"], ["a", "b"], "2 images in `states` need 1 sentences in `said`, got 2."),
        (["1.png", "2.png"], [], "2 images in `states` need 1 sentences in `said`, got 0."),
        (["1.png"], ["a"], "1 images in `states` need 0 sentences in `said`, got 1."),
        (["1.png", "2.png"], [""], "`said`: sentence 1 is empty or no text."),
        (["1.png", "3.png"], ["a"], "`states`: `3.png` does not exist"),
        ([], ["a"], "`states` must be a list, got an empty one."),
    ],
)
def test_a_series_has_one_sentence_between_neighbors(
    states: list[str], said: list[str], expected: str, tmp_path: Path
) -> None:
    for n in (1, 2):
        draw_picture(tmp_path / f"{n}.png", n)
    write_jsonl(tmp_path / "i.jsonl", [{"item": "1", "states": states}])
    write_jsonl(tmp_path / "o.jsonl", [{"item": "1", "system": "s", "said": said}])
    study = Study(
        title="t", protocol="rate", items="i.jsonl", outputs="o.jsonl",
        show={"states": {"as": "images", "between": "said"}},
    )  # fmt: skip
    study.save(tmp_path)
    _, problems = check_material(study)
    assert any(expected in str(problem) for problem in problems), problems


def test_files_that_the_study_names_must_be_there(tmp_path: Path) -> None:
    write_csv(tmp_path / "o.csv", [{"item": "1", "system": "s", "o": "x"}])
    study = Study(
        title="t", protocol="rate", outputs="o.csv", show={"o": "text"}, consent="consent.md",
        criteria={"c": {"scale": {0: {"anchor": "a", "example": "zero.png"}, 1: "b"}}},
        cases=[{"case": "x", "scores": {"c": 0}, "reason": "y", "example": "case.png"}],
        judges={"j": {"model": "m", "endpoint": "http://h", "template": "prompt.txt"}},
        access={"listed": "raters.txt"},
    )  # fmt: skip
    study.save(tmp_path)
    _, problems = check_material(study)
    told = "\n".join(problem.message for problem in problems)
    for name in ("consent.md", "zero.png", "case.png", "prompt.txt", "raters.txt"):
        assert f"names a file: `{name}` does not exist" in told
    assert len(problems) == 5
    assert all(problem.line for problem in problems)


def test_a_study_without_folder_has_no_material() -> None:
    study = Study(title="t", protocol="rate", outputs="o.csv", show={"o": "text"})
    with pytest.raises(InputError, match="save it next to its tables first"):
        load_material(study)


def test_the_hash_follows_content_not_names(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path)
    before = load_material(load_study(folder)).hash()
    os.utime(folder / "input/e1.png")
    assert load_material(load_study(folder)).hash() == before
    draw_picture(folder / "input" / "e1.png", 3, noise=5)
    assert load_material(load_study(folder)).hash() != before


def test_ten_thousand_items_of_five_systems_load(tmp_path: Path) -> None:
    systems = [f"s{n}" for n in range(5)]
    with (tmp_path / "o.csv").open("w") as table:
        table.write("item,system,text\n")
        for n in range(10_000):
            table.writelines(f"i{n},{system},words {n}\n" for system in systems)
    write_jsonl(tmp_path / "i.jsonl", ({"item": f"i{n}", "p": "x"} for n in range(10_000)))
    study = Study(
        title="t", protocol="compare", items="i.jsonl", outputs="o.csv",
        show={"p": "text", "text": "text"},
    )  # fmt: skip
    study.save(tmp_path)
    material = load_material(study)
    assert len(material.outputs) == 50_000
    assert json.dumps(sorted(material.systems)) == json.dumps(systems)
