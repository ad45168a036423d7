"""Every template runs, asks what its rubric fixes, and teaches with right answers."""

from __future__ import annotations

import csv
import hashlib
import json
import wave
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from jurybox.errors import InputError
from jurybox.study import Study, check_file, load_material, load_study
from jurybox.study.material import Material, check_material
from jurybox.study.templates import list_templates, write_template
from jurybox.study.templates.draw import Studio, picture
from jurybox.study.templates.draw.flaws import FLAWS
from jurybox.study.templates.draw.scenes import SCENES
from jurybox.study.templates.draw.series import SERIES
from jurybox.study.templates.draw.styles import STYLES
from jurybox.study.templates.draw.textures import TEXTURES
from jurybox.study.templates.marks import unmark

RUBRICS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "rubrics.json").read_text(encoding="utf-8")
)
NAMES = list(RUBRICS["templates"])
IMAGENHUB = [name for name in NAMES if name.startswith("imagenhub/")]
VARIANTS = [(name, False) for name in NAMES] + [(name, True) for name in IMAGENHUB]

Written = Callable[[str, bool], Path]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Write a template once for all tests of this module."""
    root = tmp_path_factory.mktemp("templates")

    @cache
    def write(name: str, three_point: bool) -> Path:
        folder = root / (name.replace("/", "-") + ("-three" if three_point else ""))
        return write_template(name, folder, three_point=three_point)

    return write


def loaded(folder: Path) -> tuple[Study, Material]:
    study = load_study(folder)
    return study, load_material(study)


def test_the_list_names_every_template_of_the_rubrics() -> None:
    templates = list_templates()
    assert sorted(template.name for template in templates) == sorted(NAMES)
    assert [t.name for t in templates if t.three_point] == [
        t.name for t in templates if t.name.startswith("imagenhub/")
    ]


@pytest.mark.parametrize(("name", "three_point"), VARIANTS)
def test_a_template_is_complete_and_has_no_problem(
    written: Written, name: str, three_point: bool
) -> None:
    folder = written(name, three_point)
    study, problems = check_file(folder / "study.yaml")
    assert problems == ()
    assert study is not None
    material, problems = check_material(study)
    assert problems == ()
    assert material is not None
    assert len(material.items) >= 6
    if name == "mushra":  # the hidden reference and two anchors besides
        assert set(material.systems) == {"original", "aurora", "birch", "anchor-mid", "anchor-low"}
    else:
        assert 2 <= len(material.systems) <= 4
        assert set(material.systems) <= {"aurora", "birch", "cedar", "dune", "real"}
    listed = next(template for template in list_templates() if template.name == name)
    assert listed.protocol == study.protocol
    assert listed.medium in {shown.medium for shown in study.show.values()}


@pytest.mark.parametrize(("name", "three_point"), VARIANTS)
def test_practice_teaches_every_criterion_in_at_least_five_trials(
    written: Written, name: str, three_point: bool
) -> None:
    study, material = loaded(written(name, three_point))
    practice = [known for known in material.known.values() if known.kind == "practice"]
    assert len(practice) >= 5
    assert all(len(known.explanation) > 15 for known in practice)
    for criterion, asked in study.criteria.items():
        split = study.protocol == "compare" and asked.per == "output"
        columns = [f"{criterion}_a", f"{criterion}_b"] if split else [criterion]
        if study.design.outputs_per_trial not in (None, 1) and asked.per == "output":
            columns = [f"{criterion}_1", f"{criterion}_2"]
        for column in columns:
            given_ = [known.answers[column] for known in practice if column in known.answers]
            # A criterion whose answer is always the same teaches nothing.
            assert len(set(given_)) >= 2, column


@pytest.mark.parametrize("name", NAMES)
def test_a_template_asks_what_its_rubric_fixes(written: Written, name: str) -> None:
    fixed = RUBRICS["templates"][name]
    study, _ = loaded(written(name, False))
    assert study.protocol == fixed["protocol"]
    assert list(study.criteria) == list(fixed["criteria"])
    if "look_for" in fixed:
        assert len(study.look_for) == fixed["look_for"]
    if "real_share" in fixed:
        assert study.design.real_share == fixed["real_share"]
    if "overall" in fixed:
        assert list(study.derived["overall"].geometric_mean or ()) == fixed["overall"]
    for criterion, rubric in fixed["criteria"].items():
        assert_fixed(study, criterion, rubric)


def assert_fixed(study: Study, criterion: str, fixed: dict[str, Any]) -> None:
    asked = study.criteria[criterion]
    if "values" in fixed:
        assert asked.scale is not None
        assert [value.value for value in asked.scale.values] == fixed["values"]
        anchors = {study.words(value.anchor) for value in asked.scale.values}
        assert len(anchors) == fixed["anchors"]
        assert all(len(anchor) >= 2 for anchor in anchors)
    if "confidence" in fixed:
        assert asked.confidence is not None
        assert {
            f"{value.value:g}": value.probability for value in asked.confidence.values
        } == fixed["confidence"]
    if "choices" in fixed:
        assert list(asked.choices or ()) == fixed["choices"]
    for key, name in (("pass", "pass_mark"), ("reason", "reason"), ("answer", "answer")):
        assert getattr(asked, name) == fixed.get(key)
    if "per" in fixed:
        assert asked.per == fixed["per"]
    if "categories" in fixed:
        assert [c for c in asked.categories or {} if "/" not in c] == fixed["categories"]
        assert asked.severities == fixed["severities"]


def test_errors_cost_what_the_rubric_fixes(written: Written) -> None:
    from jurybox.study.guide import make_guide

    guide = make_guide(*loaded(written("mqm", False)))
    costs = {kind.name: [weight for _, weight in kind.weights] for kind in guide.criteria[0].kinds}
    fixed = RUBRICS["templates"]["mqm"]["criteria"]["errors"]["costs"]
    assert {name: costs[name] for name in fixed} == fixed


@pytest.mark.parametrize("name", IMAGENHUB)
def test_three_points_have_the_published_values_and_names(written: Written, name: str) -> None:
    fixed = RUBRICS["three_point"]
    study, material = loaded(written(name, True))
    assert list(study.criteria) == fixed["criteria"]
    assert list(study.derived["overall"].geometric_mean or ()) == fixed["overall"]
    for criterion in study.criteria.values():
        assert criterion.scale is not None
        assert [value.value for value in criterion.scale.values] == fixed["values"]
        assert criterion.scale.keys() == {0: "0", 0.5: "5", 1: "1"}
    text = (written(name, True) / "study.yaml").read_text(encoding="utf-8")
    assert "Perceptual quality" in text
    assert "realism" not in text
    accepted = {
        score for known in material.known.values() for s in known.answers.values() for score in s
    }
    assert max(accepted) == 1


@pytest.mark.parametrize("name", IMAGENHUB)
def test_the_middle_key_chooses_the_half_point(written: Written, name: str) -> None:
    study, _ = loaded(written(name, False))
    for criterion in study.criteria.values():
        assert criterion.scale is not None
        assert criterion.scale.keys() == {0: "0", 0.5: "5", 1: "1", 2: "2"}
        half = next(value for value in criterion.scale.values if value.value == 0.5)
        assert half.key == "5"


@pytest.mark.parametrize("name", list(RUBRICS["cases"]))
def test_worked_cases_have_the_scores_of_the_rubrics(written: Written, name: str) -> None:
    study, _ = loaded(written(name, False))
    told = [
        [as_list(case.scores.get(criterion, [])) for criterion in ("consistency", "realism")]
        for case in study.cases
    ]
    fixed = RUBRICS["cases"][name]
    # In order, and nothing left out; a template may tell cases of its own between them.
    rest = iter(told)
    assert all(any(case == seen for seen in rest) for case in fixed)


def as_list(given: Any) -> list[float]:
    return list(given) if isinstance(given, list | tuple) else [given]


@pytest.mark.parametrize(("name", "three_point"), VARIANTS)
def test_cases_give_scores_that_the_scales_allow(
    written: Written, name: str, three_point: bool
) -> None:
    study, _ = loaded(written(name, three_point))
    assert study.cases
    for case in study.cases:
        assert set(case.scores) <= set(study.criteria)
        for criterion, given_ in case.scores.items():
            scale = study.criteria[criterion].scale
            if scale is not None:
                assert all(scale.allows(score) for score in as_list(given_))


@pytest.mark.parametrize(("name", "three_point"), VARIANTS)
def test_the_file_explains_itself(written: Written, name: str, three_point: bool) -> None:
    text = (written(name, three_point) / "study.yaml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert f"--template {name}" in text
    assert text.count("#") >= 8
    assert max(len(line) for line in text.splitlines()) <= 120
    assert "\t" not in text
    assert "{{" not in text
    assert "instructions: |" in text
    assert "broken content" in " ".join(text.split()).replace("*broken content*", "broken content")


@pytest.mark.parametrize(("name", "three_point"), VARIANTS)
def test_pictures_are_small_and_those_of_different_systems_differ(
    written: Written, name: str, three_point: bool
) -> None:
    folder = written(name, three_point)
    for path in folder.rglob("*.png"):
        assert path.stat().st_size < 90_000, path
        with Image.open(path) as image:
            assert image.height <= 512
            assert image.width <= 512 or path.parent.name in ("cases", "examples")
    study, material = loaded(folder)
    if "output" not in study.show or study.show["output"].medium != "image":
        return
    for item in material.items:
        shown = [
            material.outputs[key].fields["output"] for key in material.outputs if key[0] == item
        ]
        assert len({path.read_bytes() for path in shown}) == len(shown)


def test_the_same_template_is_written_the_same_twice(tmp_path: Path, written: Written) -> None:
    again = write_template("imagenhub/text-to-image", tmp_path / "again")
    assert fingerprint(again) == fingerprint(written("imagenhub/text-to-image", False))


def fingerprint(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_listening_test_hides_the_reference_and_its_anchors_lack_the_high_tones(
    written: Written,
) -> None:
    folder = written("mushra", False)
    for path in folder.rglob("*.wav"):
        assert path.stat().st_size < 150_000, path
    for item in ("harp", "drum"):
        reference = (folder / "reference" / f"{item}.wav").read_bytes()
        assert (folder / "sounds" / "original" / f"{item}.wav").read_bytes() == reference
        whole = high_tones(folder / "reference" / f"{item}.wav", 7000)
        assert high_tones(folder / "sounds" / "anchor-mid" / f"{item}.wav", 7000) < whole / 1000
        low = high_tones(folder / "sounds" / "anchor-low" / f"{item}.wav", 3500)
        assert low < high_tones(folder / "sounds" / "anchor-mid" / f"{item}.wav", 3500) / 1000


def test_a_listening_test_is_practiced_on_screens_like_its_own(written: Written) -> None:
    _, material = loaded(written("mushra", False))
    practice = list(material.known.values())
    assert [len(known.systems) for known in practice] == [2, 3, 3, 4, 5]
    shown = {Path(str(fields["original"])).read_bytes() for fields in items_of(material)}
    for known in practice:
        assert set(known.answers) == {f"quality_{n + 1}" for n in range(len(known.systems))}
        reference = Path(str(material.item_fields(known.item)["original"])).read_bytes()
        assert reference not in shown  # no trial's answer is given away
        same = [
            known.answers[f"quality_{place}"]
            for place, system in enumerate(known.systems, start=1)
            if Path(str(material.output_fields(known.item, system)["output"])).read_bytes()
            == reference
        ]
        assert [(min(right), max(right)) for right in same] == [(90, 100)]  # hidden once


def items_of(material: Material) -> list[Mapping[str, Any]]:
    return [item.fields for item in material.items.values()]


def test_a_hidden_reference_is_no_copy_to_warn_of(written: Written) -> None:
    from jurybox.design.set_checks.contents import check_reference
    from jurybox.screen.probe import probe_media

    study, material = loaded(written("mushra", False))
    facts = probe_media(study, material)
    assert check_reference(study, material, facts).figure == 0
    assert study.systems is not None
    plain = study.model_copy(
        update={"systems": {**study.systems, "original": study.systems["aurora"]}}
    )
    assert check_reference(plain, material, facts).figure == 6


def high_tones(path: Path, limit: float) -> float:
    """The power of a recording above a frequency."""
    with wave.open(str(path), "rb") as file:
        rate = file.getframerate()
        values = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)
    power = np.abs(np.fft.rfft(values)) ** 2
    return float(power[np.fft.rfftfreq(len(values), 1 / rate) > limit * 1.01].sum())


def test_marked_errors_are_the_words_that_are_meant(written: Written) -> None:
    rows = (written("mqm", False) / "practice.jsonl").read_text(encoding="utf-8").splitlines()
    marked: dict[str, list[tuple[str, str]]] = {}
    for row in map(json.loads, rows):
        spans = [] if row["errors"] == "none" else row["errors"].split("; ")
        marked[row["translation"]] = []
        for span in spans:
            place, _, what = span.partition(" ")
            start, end = map(int, place.split("-"))
            marked[row["translation"]].append((row["translation"][start:end], what))
    assert marked == {
        "The train arrives at 8:30.": [("arrives", "accuracy major")],
        "Please close the door.": [],
        "She is living in Bonn since three years.": [("is living in Bonn since", "fluency minor")],
        "The device costs 1.250 euros.": [("1.250", "locale major")],
        "Good evening Ms Weber!": [("evening Ms", "fluency/punctuation minor")],
        "The weather will be sunny with a light breeze.": [
            ("The weather will be sunny with a light breeze.", "non-translation major")
        ],
    }


PIECES = st.text(st.characters(exclude_characters="{}|"), min_size=1, max_size=12)


@given(
    st.lists(st.tuples(PIECES, st.sampled_from(["", "accuracy major", "style minor"])), max_size=8)
)
def test_marks_are_counted_in_code_points(pieces: list[tuple[str, str]]) -> None:
    text = "".join(f"{{{{{words}|{what}}}}}" if what else words for words, what in pieces)
    plain, marks = unmark(text)
    assert plain == "".join(words for words, _ in pieces)
    meant = [(words, what) for words, what in pieces if what]
    found = []
    for mark in [] if marks == "none" else marks.split("; "):
        place, _, what = mark.partition(" ")
        start, end = map(int, place.split("-"))
        found.append((plain[start:end], what))
    assert found == meant


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("image-qualty", "image-quality"),
        ("text-to-image", "imagenhub/text-to-image"),
        ("imagenhub/text-guided-edit", "imagenhub/text-guided-editing"),
    ],
)
def test_a_misspelled_name_is_answered_with_the_nearest(
    tmp_path: Path, asked: str, meant: str
) -> None:
    with pytest.raises(InputError, match=f"{asked!r}; did you mean {meant!r}"):
        write_template(asked, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_name_like_none_points_to_the_list(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--list"):
        write_template("zzzz", tmp_path / "new")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty"):
        write_template("mos", tmp_path)
    with pytest.raises(InputError, match="is a file"):
        write_template("mos", tmp_path / "mine.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_only_imagenhub_has_three_points(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no three-point form"):
        write_template("mos", tmp_path / "new", three_point=True)


@pytest.mark.parametrize("flaw", sorted(set(FLAWS) | set(STYLES)))
def test_every_flaw_and_style_changes_a_picture_in_the_same_way_each_time(flaw: str) -> None:
    settings: dict[str, dict[str, Any]] = {
        "swirl": {"at": (200, 150)},
        "edge": {"box": (100, 80, 260, 220)},
        "repeat": {"box": (100, 100, 200, 200)},
        "cut": {"box": (100, 100, 200, 200)},
    }
    clean = picture("lake", boat="red")
    changed = clean.with_flaw(flaw, **settings.get(flaw, {}))
    first, second = Studio().draw(changed), Studio().draw(changed)
    assert first.tobytes() == second.tobytes()
    assert first.size == (400, 300)
    assert first.tobytes() != Studio().draw(clean).tobytes()


@pytest.mark.parametrize("scene", sorted({*SCENES, *SERIES, *TEXTURES} - {"black", "pair"}))
def test_every_scene_is_a_picture_with_many_colors(scene: str) -> None:
    traits: dict[str, Any] = {"stage": 2} if scene in SERIES else {}
    image = Studio().draw(picture(scene, **traits))
    colors = image.getcolors(maxcolors=400 * 300)
    assert colors is not None
    assert len(colors) > 50


def test_tables_are_read_by_any_spreadsheet(written: Written) -> None:
    path = written("imagenhub/text-guided-editing", False) / "practice.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        *("item", "instruction", "input", "output", "consistency", "realism", "explanation")
    ]
    assert rows[2]["realism"] == "1|2"
