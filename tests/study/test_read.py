"""study.yaml as files really come: every syntax trouble has its sentence and its place."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from jurybox.errors import InputError, SpecError
from jurybox.study import Study, check_file, load_study
from jurybox.study.read import read_study
from tests.study.examples import EXAMPLES, write_example

BASE = EXAMPLES["smallest"]


def write(folder: Path, text: str | bytes) -> Path:
    file = folder / "study.yaml"
    file.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).encode())
    return file


def told(folder: Path, text: str | bytes) -> list[str]:
    study, problems = check_file(write(folder, text))
    assert study is None
    return [str(p).removeprefix(f"{folder}/study.yaml:") for p in problems]


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_every_example_reads(name: str, tmp_path: Path) -> None:
    folder = write_example(name, tmp_path)
    study = load_study(folder)
    assert study == load_study(folder / "study.yaml")
    assert study.directory == tmp_path.resolve()
    assert check_file(folder)[1] == ()


def test_the_smallest_study_has_five_lines_and_a_criterion(tmp_path: Path) -> None:
    assert len(BASE.splitlines()) == 5
    study = load_study(write(tmp_path, BASE))
    preference = study.criteria["preference"]
    assert preference.choices == ("a", "b", "tie")
    assert preference.per == "trial"
    assert study.words(preference.question) == "Which one is better?"


def test_yes_no_on_off_are_words_and_true_false_are_not(tmp_path: Path) -> None:
    text = """\
        title: yes
        protocol: rate
        outputs: o.csv
        show: {off: text}
        criteria: {no: {scale: yes-no, question: on}}
        session: {back: false}
    """
    study = load_study(write(tmp_path, text))
    assert study.title == "yes"
    assert list(study.show) == ["off"]
    assert study.criteria["no"].question == "on"
    assert study.session.back is False
    assert "must be true or false, got `no`" in told(tmp_path, BASE + "session: {back: no}\n")[0]


def test_a_byte_order_mark_and_windows_lines_do_no_harm(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + BASE.replace("\n", "\r\n").encode()
    assert load_study(write(tmp_path, text)).title == "Which answer is better?"


def test_an_anchor_and_a_merge_key_are_followed(tmp_path: Path) -> None:
    text = """\
        title: t
        protocol: rate
        outputs: o.csv
        show: {output: text}
        criteria:
          a: &base {question: How?, scale: likert, reason: optional}
          b: {<<: *base, question: Why?}
          c: *base
    """
    study = load_study(write(tmp_path, text))
    assert study.criteria["b"] == study.criteria["a"].model_copy(update={"question": "Why?"})
    assert study.criteria["c"] == study.criteria["a"]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", "1:1", "is empty"),
        ("# only a comment\n", "1:1", "is empty"),
        ("- a\n- b\n", "1:1", "a map that begins with `title:`, got a list"),
        ("just words\n", "1:1", "got `just words`"),
        ("42\n", "1:1", "got `42`"),
        ("- [a]\n", "1:1", "got a list"),
        ('title: a\nconsent: "b\n', "3:1", "opened in line 2 and not closed"),
        ("title: a\n\tprotocol: rate\n", "2:1", "tab"),
        ("title: a\ntitle: b\n", "2:1", "title stands twice, first in line 1"),
        ("title: a: b\n", "1:9", "in quotes"),
        ("title: [a\nshow: b\n", "2:5", "brackets"),
        ("title: a\n  show: b\n", "2:7", "colon"),
        ("title: a\noutputs: {system}/{item}.png\n", "2:18", "put the whole value in quotes"),
        ("title: 'it's'\n", "1:12", "put the whole value in quotes"),
        ('title: "a\nshow: "b"\n', "2:8", "a quotation mark that is missing"),
        ("title: a}\nshow: {a: b}}\n", "2:13", "A bracket is closed here that was not opened"),
        ("title: {en: what: or not}\n", "1:17", "text with a colon is not in quotes"),
        (" title: a\nshow: b\n", "2:1", "indentation"),
        ("title a\nshow: b\n", "2:5", "The line above lacks its colon"),
        ("title: *nobody\n", "1:8", "`*nobody` refers to an anchor"),
        ("title: a\n---\ntitle: b\n", "2:1", "second document"),
        ("title: !!python/name:os.system x\n", "1:8", "tag"),
        ("title: @x\n", "1:8", "quotes"),
        ("? [a, b]\n: c\n", "1:3", "A key must be"),
        (": c\n", "1:1", "A key is empty"),
        ("title: &a [*a]\n", "1:8", "contains itself"),
        (b"title: caf\xe9\n", "1:11", "Byte 0xe9 is not UTF-8"),
        (b"title: a\nshow: \x00\n", "2:7", "U+0000"),
        ("title:\nprotocol: rate\n", "1:1", "title is empty"),
        ("<<: 3\ntitle: a\n", "1:5", "merges maps only"),
        ("title: " + "[" * 1200 + "\n", "1:1", "nested too deeply"),
        ("title: 0x\n", "1:1", "lacks `protocol`"),
        ("design: {seed: " + "9" * 5000 + "}\n", "1:16", "cannot be read"),
    ],
)
def test_what_is_not_yaml_is_said_at_its_place(
    text: str | bytes, place: str, words: str, tmp_path: Path
) -> None:
    problems = told(tmp_path, text)
    hits = [problem for problem in problems if problem.startswith(f"{place}: ")]
    assert any(words in problem for problem in hits), problems


def test_a_small_file_cannot_unfold_without_end(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    problems = told(tmp_path, "\n".join(lines))
    assert any("too many values" in problem for problem in problems)


def test_all_problems_come_at_once_in_file_order(tmp_path: Path) -> None:
    text = """\
        titel: Which?
        protocol: compar
        outputs: a/{sytem}.jsonl
        show: {prompt: text, answer: markdwn}
        design: {overlap: three, seed: 7.5}
        criteria:
          good: {scale: {1: Bad, 1.0: Good}}
    """
    assert told(tmp_path, text) == [
        "1:1: titel is not a known key; did you mean `title`?",
        "2:11: protocol must be rate, compare, rank, detect or mark, got `compar`;"
        " did you mean `compare`?",
        "3:10: outputs may hold {system} and {item}, got `{sytem}`; did you mean `system`?",
        "4:30: show.answer must be text, markdown, code, image, images, audio, video or chat,"
        " got `markdwn`; did you mean `markdown`?",
        "5:19: design.overlap must be a whole number, got `three`.",
        "5:32: design.seed must be a whole number, got `7.5`.",
        "7:17: criteria.good.scale must have at least 2 entries, got 1.",
        "7:26: criteria.good.scale.1.0 stands twice, first in line 7; keep one.",
    ]


def test_rules_are_checked_although_something_else_is_wrong(tmp_path: Path) -> None:
    text = """\
        title: 3
        protocol: rate
        outputs: a/{sytem}.jsonl
        show: {answer: text}
        criteria: {one: {scale: acr, pass: 9}, two: {scale: acx}}
        derived: {both: {mean: [one, three]}}
    """
    problems = told(tmp_path, text)
    assert [problem.partition(" ")[0] for problem in problems] == [
        "1:8:", "3:10:", "5:36:", "5:53:",
    ]  # fmt: skip
    assert "{sytem}" in problems[1]
    assert "1 to 5, got `9`" in problems[2]
    # `three` may be what `two` was meant to be; what may only follow is not said.
    assert not any("derived" in problem for problem in problems)


def test_a_key_without_value_is_not_also_missing(tmp_path: Path) -> None:
    text = BASE.replace("outputs: answers/{system}.jsonl", "outputs:")
    assert told(tmp_path, text) == ["4:1: outputs is empty; write a value or take the line out."]


def test_a_wrong_study_still_gives_what_can_be_checked(tmp_path: Path) -> None:
    reading = read_study(write(tmp_path, BASE + "session: {minutes: long}\n"))
    assert reading.study is None
    assert reading.partial is not None
    assert reading.partial.session.minutes == 40
    assert reading.wrong_parts == {"session"}


def test_a_missing_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no study\.yaml in .*jurybox new"):
        load_study(tmp_path)
    with pytest.raises(InputError, match=r"gone\.yaml does not exist"):
        load_study(tmp_path / "gone.yaml")


def test_load_study_raises_all_problems_in_one_error(tmp_path: Path) -> None:
    write(tmp_path, BASE + "sesion: {}\nacess: {}\n")
    with pytest.raises(SpecError) as caught:
        load_study(tmp_path)
    assert [problem.line for problem in caught.value.problems] == [6, 7]
    assert str(caught.value).count("\n") == 1


def test_a_warning_does_not_stop_the_study(tmp_path: Path) -> None:
    study, problems = check_file(write(tmp_path, BASE + "session: {minutes: 90}\n"))
    assert isinstance(study, Study)
    assert [problem.severity for problem in problems] == ["warning"]
    assert load_study(tmp_path) == study


def test_from_python_the_path_stands_in_the_sentence() -> None:
    with pytest.raises(SpecError) as caught:
        Study(title="x", protocol="rate", outputs="o.csv", show={"o": "txt"}, sesion={})
    assert [problem.message for problem in caught.value.problems] == [
        "show.o must be text, markdown, code, image, images, audio, video or chat, got `txt`;"
        " did you mean `text`?",
        "sesion is not a known key; did you mean `session`?",
    ]
    with pytest.raises(SpecError, match=r"criteria\.c\.pass must lie on the scale, 1 to 5"):
        Study(
            title="x", protocol="rate", outputs="o.csv", show={"o": "text"},
            criteria={"c": {"scale": "acr", "pass": 6}},
        )  # fmt: skip
