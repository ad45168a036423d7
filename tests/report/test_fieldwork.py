"""What a report shows of the study itself: a trial, the outputs at both ends, how it was made."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from jurybox.analysis import analyze
from jurybox.analysis.finding import Analysis, Collected, Column, Excluded, Finding, Table
from jurybox.design import make_plan
from jurybox.report import html, markdown
from jurybox.report.blocks import Exhibit, Part, Remark, Shown
from jurybox.report.documents.preregistration import PlannedPower, preregister
from jurybox.report.fieldwork import Comment, Fieldwork, Marked, comments_in, marked_in
from jurybox.report.fieldwork.gallery import _parts, draw_gallery, draw_screen
from jurybox.report.fieldwork.nothing import nothing_yet
from jurybox.report.fieldwork.reasons import reasons_in
from jurybox.report.fieldwork.thumbnails import Thumbnails
from jurybox.report.page import make_page
from jurybox.report.sections.design import detectable
from jurybox.results import Result
from jurybox.study import Study, load_material, load_study
from jurybox.study.templates import write_template

VERSIONS = {"jurybox": "0.1.0"}
HOSTILE = "<script>alert(1)</script>{{ 7*7 }}"
STUDY = """
title: Pictures
protocol: rate
items: items.csv
outputs: outputs.csv
show: {wish: text, output: image, note: text}
criteria: {fit: {question: Does it fit?, scale: {1: bad, 2: fair, 3: good}}}
design: {overlap: 1, raters: 2, seed: 3}
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Two systems whose pictures are told apart by color, on four items of two kinds."""
    items = [f"i{k},wish {k} {HOSTILE},{'tree' if k < 2 else 'lake'}" for k in range(4)]
    (tmp_path / "items.csv").write_text("item,wish,category\n" + "\n".join(items) + "\n")
    rows = []
    for k in range(4):
        for system, color in (("alpha", "red"), ("beta", "blue")):
            Image.new("RGB", (900, 600), color).save(tmp_path / f"{system}-{k}.png")
            rows.append(f"i{k},{system},{system}-{k}.png,note {'long ' * 100}")
    (tmp_path / "outputs.csv").write_text("item,system,output,note\n" + "\n".join(rows) + "\n")
    (tmp_path / "study.yaml").write_text(STUDY)
    return load_study(tmp_path)


def fieldwork_of(study: Study, **parts: Any) -> Fieldwork:
    material = load_material(study)
    return Fieldwork(material=material, plan=make_plan(study, material), **parts)


def ends() -> Table:
    return Table(
        id="extremes/fit",
        title="Items at the ends",
        columns=(
            Column(name="end", heading="End"),
            Column(name="system", heading="System"),
            Column(name="item", heading="Item"),
            Column(name="mean", heading="Mean score", kind="number"),
            Column(name="responses", heading="Ratings", kind="count"),
        ),
        rows=(
            ("best", "alpha", "i1", 3.0, 2),
            ("best", "alpha", "i2", 3.0, 2),
            ("worst", "alpha", "i3", 1.0, 1),
            ("best", "beta", "gone", 3.0, 2),
        ),
    )


def with_ends(study: Study) -> Analysis:
    return replace(
        nothing_yet(study, load_material(study)),
        n_responses=4,
        tables=(ends(),),
        excluded=(Excluded(rater="left", rule="fast", sentence="too fast", n_responses=1),),
    )


def test_the_outputs_at_both_ends_are_shown_with_comments(study: Study) -> None:
    said = [
        Comment(rater="ada", item="i1", systems=("alpha",), text=HOSTILE),
        Comment(rater="left", item="i1", systems=("alpha",), text="of somebody left out"),
        Comment(rater="ada", item="i1", systems=("beta",), text="about another output"),
    ]
    fieldwork = fieldwork_of(study, comments=tuple(said))
    gallery = draw_gallery(ends(), study, fieldwork, with_ends(study), Thumbnails())
    assert gallery is not None
    # One at each end; an item that the files no longer have is left out.
    assert [e.title for e in gallery.exhibits] == ["alpha, best: i1", "alpha, worst: i3"]
    first = gallery.exhibits[0]
    assert first.value == "mean score 3.00, 2 ratings"
    assert first.comments == (Remark(text=HOSTILE),)
    assert first.parts[2].text.endswith("… (320 of 504 letters shown)")
    page = html(with_ends(study), study=study, fieldwork=fieldwork, versions=VERSIONS)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    # Below the outputs their ids are for those who count them; alone they are all there is.
    assert "<summary>Items at the ends (4 rows)</summary>" in page
    assert "Items at the ends (4 rows)" not in html(with_ends(study), versions=VERSIONS)
    text = markdown(with_ends(study), study=study, fieldwork=fieldwork, versions=VERSIONS)
    assert "alpha, best: i1, mean score 3.00, 2 ratings" in text


def test_outputs_at_the_ends_of_other_criteria_are_unfolded_by_whoever_wants_to_see_them(
    study: Study,
) -> None:
    other = replace(ends(), id="extremes/tone", title="Items at the ends of tone")
    both = replace(with_ends(study), tables=(ends(), other))
    done = fieldwork_of(study)
    page = html(both, study=study, fieldwork=done, versions=VERSIONS)
    text = markdown(both, study=study, fieldwork=done, versions=VERSIONS)
    assert '<h3>Best and worst outputs: fit</h3>\n<ul class="gallery">' in page
    folded = "Best and worst outputs: tone</summary>"
    assert f'<details class="long"><summary>{folded}\n<ul class="gallery">' in page
    assert "### Best and worst outputs: fit\n\n- alpha, best: i1" in text
    assert f"<details><summary>{folded}\n\n- alpha, best: i1" in text
    # The answer's criterion lies open, and nothing is folded where there is no other.
    result = Result(estimate=3.0, interval=None)
    about = Finding(
        id="mean/tone", sentence="It is 3.", result=result, standing="primary", criterion="tone"
    )
    turned = html(replace(both, findings=(about,)), study=study, fieldwork=done, versions=VERSIONS)
    assert "<h3>Best and worst outputs: tone</h3>" in turned
    assert "<h3>Best and worst outputs: fit</h3>" not in turned


def test_what_was_shown_does_not_run_into_what_came_of_it() -> None:
    parts = [Part(caption=name, text=text) for name, text in (("Wish", "A boat"), ("Note", "One."))]
    shown = Exhibit(
        title="a, best: i1", value="3.00", parts=(*parts, Part(caption="End", text="x"))
    )
    assert shown.said == "a, best: i1, 3.00. Wish: A boat; Note: One. End: x"


def test_pictures_are_small_and_hold_nothing_of_the_file(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "alpha-0.png"
    uri = Thumbnails().of(path, side=90)
    assert uri is not None
    content = base64.b64decode(uri.partition(",")[2])
    with Image.open(io.BytesIO(content)) as made:
        assert made.size == (90, 60)
        assert not made.getexif()
    assert len(content) < 2000


def test_pictures_stay_within_their_room(tmp_path: Path) -> None:
    paths = [tmp_path / f"{k}.png" for k in range(9)]
    for path in paths:
        Image.effect_noise((300, 300), 80).save(path)
    pictures = Thumbnails(room=60_000)
    made = [pictures.of(path, side=260) for path in paths]
    assert sum(len(uri) for uri in made if uri) <= 60_000
    assert made[0] is not None
    assert made[-1] is None
    assert pictures.of(paths[0], side=260) == made[0]


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"0" * 40])
def test_a_file_that_is_no_picture_gives_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.png").write_bytes(content)
    assert Thumbnails().of(tmp_path / "x.png", side=90) is None
    assert Thumbnails().of(tmp_path / "missing.png", side=90) is None


def test_the_trial_is_blind_and_does_nothing(study: Study) -> None:
    screen = draw_screen(study, fieldwork_of(study), Thumbnails())
    assert screen is not None
    assert "Does it fit?" in screen.html
    assert "data:image/jpeg" in screen.html
    for name in ("alpha", "beta", ".png", "<script>"):
        assert name not in screen.html
    assert screen.asked == ("Fit: Does it fit?",)
    assert screen.said[-1] == "Asked: Fit: Does it fit?"
    # On paper the same is shown, as blind.
    assert [part.caption for part in screen.parts] == ["Wish", "Output", "Note"]
    assert any(part.pictures for part in screen.parts)
    assert not {"alpha", "beta"} & set(" ".join(screen.said).split())
    page = html(with_ends(study), study=study, fieldwork=fieldwork_of(study), versions=VERSIONS)
    assert '<div class="frame" inert>' in page


def test_without_a_plan_no_trial_is_drawn(study: Study) -> None:
    fieldwork = Fieldwork(material=load_material(study))
    assert draw_screen(study, fieldwork, Thumbnails()) is None
    page = html(with_ends(study), study=study, fieldwork=fieldwork, versions=VERSIONS)
    assert "How the study was made" in page


def test_anchors_that_the_drawn_trial_shows_are_looked_up(study: Study) -> None:
    def anchors(fieldwork: Fieldwork) -> Shown:
        page = make_page(with_ends(study), study=study, fieldwork=fieldwork, versions=VERSIONS)
        (shown,) = (
            block
            for block in page.sections[0].blocks
            if isinstance(block, Shown) and block.table.id == "anchors/fit"
        )
        return shown

    assert anchors(fieldwork_of(study)).folded
    assert not anchors(Fieldwork(material=load_material(study))).folded


@pytest.mark.parametrize(
    "template",
    ["ab-ties", "image-quality", "real-vs-generated", "best-of-n", "mqm", "mushra", "rag-qa"],
)
def test_a_trial_of_every_protocol_is_drawn(tmp_path: Path, template: str) -> None:
    study = load_study(write_template(template, tmp_path / "study"))
    fieldwork = fieldwork_of(study)
    screen = draw_screen(study, fieldwork, Thumbnails())
    assert screen is not None
    page = html(
        nothing_yet(study, fieldwork.material), study=study, fieldwork=fieldwork, versions=VERSIONS
    )
    assert "There are no responses yet" in page
    assert len(page) < 3_000_000


def test_how_the_study_was_made_is_a_table(study: Study) -> None:
    material = load_material(study)
    plan = make_plan(study, material)
    made = preregister(
        study,
        material,
        plan,
        at=datetime(2026, 1, 1, tzinfo=UTC),
        power=PlannedPower(effect=0.3, power=0.82, assumed="by formula"),
        packages={},
    )
    fieldwork = Fieldwork(material=material, plan=plan, preregistration=made)
    text = markdown(with_ends(study), study=study, fieldwork=fieldwork, versions=VERSIONS)
    for words in (
        "4 items, all that the study has; by category: lake 2, tree 2",
        "2 systems: alpha and beta",
        "8 trials, each planned for 1 rater, in 2 booklets",
        "trials per booklet 0",
        "| Seed | 3 |",
        "82% to find a difference of 0.300, by formula",
        f"fixed 2026-01-01 00:00:00 UTC, {made.digest}; whether it was deposited",
        "unknown: the answer has no interval that could tell",
    ):
        assert words in text, words


def test_items_that_were_drawn_are_said_to_be(study: Study, tmp_path: Path) -> None:
    drawn = STUDY.replace("overlap: 1", "overlap: 1, items: 2, stratify: category")
    (tmp_path / "study.yaml").write_text(drawn)
    study = load_study(tmp_path)
    text = markdown(with_ends(study), study=study, fieldwork=fieldwork_of(study), versions=VERSIONS)
    assert (
        "2 of 4 drawn at random, proportional to their category; by category: lake 1, tree 1"
        in (text)
    )


def test_the_other_rounds_stand_beside_the_one_that_is_reported(study: Study) -> None:
    collected = Collected(version=1, n_answers=4, n_trials=4, rounds=(("calibration", 3, 12),))
    made = replace(with_ends(study), collected=collected)
    text = markdown(made, study=study, fieldwork=fieldwork_of(study), versions=VERSIONS)
    others = "a calibration round (3 raters, 12 answers), which no figure here counts"
    assert f"| Round | main; apart from it {others} |" in text
    assert made.to_dict()["collected"]["rounds"] == {
        "calibration": {"n_raters": 3, "n_answers": 12}
    }


def test_the_smallest_difference_is_that_of_the_answer() -> None:
    rows = [
        (f"q{i}", system, f"r{j}", 3 + (system == "new") + (i + j) % 2)
        for i in range(8)
        for j in range(4)
        for system in ("new", "old")
        if (i * j) % 3 or system == "new"
    ]
    names = ("item", "system", "rater", "score")
    analysis = analyze({name: [row[k] for row in rows] for k, name in enumerate(names)})
    said = detectable(analysis)
    more = next(f for f in analysis.findings if f.id.startswith("more_data/"))
    found = re.search(r"finds a difference of ([\d.]+) in 80%", more.sentence)
    assert found is not None
    assert said.startswith(f"{found[1]} in 80% of studies of this size")


def test_an_answer_with_an_interval_is_not_said_to_have_none(analysis: Analysis) -> None:
    assert detectable(replace(analysis, n_responses=0)) == "unknown before there are answers"
    assert detectable(analysis) == "not computed for this kind of answer"


def test_comments_are_those_of_people_on_main_trials(study: Study) -> None:
    plan = make_plan(study, load_material(study))
    first, second = plan.trials[:2]
    sent: dict[str, list[Any]] = {
        "rater": ["ada", "ada", "ben", "judge", "gone", "cy"],
        "trial": [first.id, first.id, second.id, first.id, first.id, "other"],
        "comment": [" good ", "good", None, "mine", "left", "elsewhere"],
        "rater_kind": ["person", "person", "person", "judge", "person", "person"],
        "excluded_by": [None, None, None, None, "withdrawn", None],
    }
    (found,) = comments_in(sent, plan)
    assert (found.rater, found.item, found.text) == ("ada", str(first.item), "good")
    assert comments_in(sent, None) == ()


def asking(**parts: Any) -> Study:
    return Study(title="t", outputs="o.csv", show={"o": "text"}, **parts)


VOTED: dict[str, list[Any]] = {
    "rater": ["ada", "ben", "cy", "judge", "gone", "dee"],
    "item": ["i1"] * 6,
    "system_a": ["alpha"] * 6,
    "system_b": ["beta"] * 6,
    "criterion": ["better"] * 6,
    "comment": [" clear ", "wrong", "alike", "mine", "left", None],
    "rater_kind": ["person", "person", "person", "judge", "person", "person"],
    "excluded_by": [None, None, None, None, "withdrawn", None],
    "winner": ["a", "b", "tie", "a", "a", "a"],
}


def test_a_reason_stands_below_both_outputs_with_the_vote_that_it_explains() -> None:
    asked = {"question": "Which?", "choices": ["a", "b", "tie"]}
    study = asking(protocol="compare", criteria={"better": {**asked, "reason": "optional"}})
    said = reasons_in(study, [VOTED])
    told = {(c.rater, c.systems[0]): (c.text, c.answered) for c in said}
    assert told == {
        ("ada", "alpha"): ("clear", "preferred to beta"),
        ("ada", "beta"): ("clear", "alpha preferred"),
        ("ben", "alpha"): ("wrong", "beta preferred"),
        ("ben", "beta"): ("wrong", "preferred to alpha"),
        ("cy", "alpha"): ("alike", "a tie with beta"),
        ("cy", "beta"): ("alike", "a tie with alpha"),
    }
    assert reasons_in(asking(protocol="compare", criteria={"better": asked}), [VOTED]) == ()


@pytest.mark.parametrize(
    ("parts", "asked", "answer", "words"),
    [
        ({"protocol": "rate"}, {"scale": "acr"}, {"score": 4.0}, "scored 4"),
        ({"protocol": "rank"}, {"answer": "order"}, {"rank": 2}, "ranked 2"),
        ({"protocol": "rank"}, {"answer": "best"}, {"rank": 1}, "picked"),
        ({"protocol": "rank"}, {"answer": "best"}, {"rank": 2}, "not picked"),
        ({"protocol": "detect", "real": ["x"]}, {}, {"answer": "real"}, "called real"),
    ],
)
def test_a_reason_says_what_was_answered(
    parts: dict[str, Any], asked: dict[str, Any], answer: dict[str, Any], words: str
) -> None:
    study = asking(**parts, criteria={"c": {**asked, "question": "?", "reason": "required"}})
    row = {
        **{"rater": "ada", "item": "i1", "system": "alpha", "criterion": "c", "comment": "so"},
        **{"rater_kind": "person", "excluded_by": None, **answer},
    }
    (found,) = reasons_in(study, [{name: [cell] for name, cell in row.items()}])
    assert (found.text, found.criterion, found.answered) == ("so", "c", words)


def test_a_reason_is_shown_once_and_under_its_own_criterion(study: Study) -> None:
    on_trial = Comment(rater="ada", item="i1", systems=("alpha",), text="x")
    said = [
        replace(on_trial, criterion="fit", answered="scored 3"),
        on_trial,
        replace(on_trial, text="y", criterion="other"),
    ]
    fieldwork = fieldwork_of(study, comments=tuple(said))
    gallery = draw_gallery(ends(), study, fieldwork, with_ends(study), Thumbnails())
    assert gallery is not None
    assert gallery.exhibits[0].comments == (Remark(text="x", answered="scored 3"),)
    assert "“x” (scored 3)" in gallery.exhibits[0].said


def test_a_question_asked_of_every_output_is_told_once(study: Study, tmp_path: Path) -> None:
    changed = STUDY.replace("overlap: 1", "overlap: 1, outputs_per_trial: all")
    (tmp_path / "study.yaml").write_text(changed)
    together = load_study(tmp_path)
    screen = draw_screen(together, fieldwork_of(together), Thumbnails())
    assert screen is not None
    assert screen.asked == ("Fit: Does it fit?",)
    captions = [part.caption for part in screen.parts]
    assert captions == ["Wish", "Output 1", "Note 1", "Output 2", "Note 2"]


def test_markdown_and_the_sentences_of_a_series_are_shown_as_plain_text(tmp_path: Path) -> None:
    for name, words in (("rag-qa", "[1]"), ("transformation-telling", "cake")):
        write_template(name, tmp_path / name)
        made = load_study(tmp_path / name)
        screen = draw_screen(made, fieldwork_of(made), Thumbnails())
        assert screen is not None
        texts = " ".join(part.text for part in screen.parts)
        assert words in texts
        assert "**" not in texts
        assert ("Pictures are smaller here." in screen.caption) == (name != "rag-qa")


def test_what_would_be_played_is_named_once_and_makes_no_gallery(tmp_path: Path) -> None:
    write_template("mushra", tmp_path / "mushra")
    made = load_study(tmp_path / "mushra")
    fieldwork = fieldwork_of(made)
    screen = draw_screen(made, fieldwork, Thumbnails())
    assert screen is not None
    assert {part.text for part in screen.parts} == {"a recording"}
    assert screen.caption.endswith("outputs are known by their place. Nothing plays here.")
    output = next(iter(fieldwork.material.outputs.values()))
    columns = [Column(name=name, heading=name) for name in ("end", "system", "item", "mean", "n")]
    rows = (("best", output.system, output.item, "1", 3),)
    table = Table(id="extremes/x", title="X", columns=tuple(columns), rows=rows)
    nothing = analyze(
        {"item": ["i"], "system": ["s"], "rater": ["r"], "criterion": ["x"], "score": [1]}
    )
    assert draw_gallery(table, made, fieldwork, nothing, Thumbnails()) is None


def test_questions_without_words_are_all_told_and_have_no_colon(
    study: Study, tmp_path: Path
) -> None:
    asked = STUDY.replace("rate", "detect\nreal: [beta]").partition("criteria")[0]
    (tmp_path / "study.yaml").write_text(asked + "criteria: {origin: {confidence: 5}}\n")
    made = load_study(tmp_path)
    screen = draw_screen(made, fieldwork_of(made), Thumbnails())
    assert screen is not None
    assert screen.asked == ("Origin", "How sure are you?")


def test_lines_of_a_text_stay_lines(tmp_path: Path) -> None:
    write_template("ab-rubric", tmp_path / "ab")
    made = load_study(tmp_path / "ab")
    material = load_material(made)
    texts = [
        part.text
        for output in material.outputs.values()
        for part in _parts(made, output.fields, Thumbnails())
    ]
    assert any("On the wrong branch:\ngit switch right-branch\ngit " in text for text in texts)


def marked(rater: str, start: int, end: int, called: str = "accuracy, major") -> Marked:
    return Marked(
        rater=rater, item="i1", system="alpha", criterion="fit", field="wish", start=start, end=end,
        called=called,
    )  # fmt: skip


def test_a_score_beside_marks_shows_them_and_that_nothing_was_marked(study: Study) -> None:
    fit = study.criteria["fit"]
    errors = fit.model_copy(update={"scale": None, "categories": {"accuracy": "Meaning lost"}})
    both = study.model_copy(update={"criteria": {"fit": fit, "errors": errors}})
    of_errors = replace(marked("ada", 0, 4), criterion="errors")
    fieldwork = fieldwork_of(study, marked=(of_errors,))
    gallery = draw_gallery(ends(), both, fieldwork, with_ends(study), Thumbnails())
    assert gallery is not None
    assert [each.marked for each in gallery.exhibits] == [
        ("“wish”: accuracy, major (1 rater)",),
        ("nothing",),
    ]


def test_what_raters_marked_stands_with_the_output(study: Study) -> None:
    said = (
        marked("ada", 0, 4),
        marked("bob", 0, 4),
        marked("bob", 5, 6, "style, minor"),
        marked("left", 5, 6, "of somebody left out"),
    )
    fieldwork = fieldwork_of(study, marked=said)
    gallery = draw_gallery(ends(), study, fieldwork, with_ends(study), Thumbnails())
    assert gallery is not None
    first, second = gallery.exhibits
    assert first.marked == ("“wish”: accuracy, major (2 raters)", "“1”: style, minor (1 rater)")
    assert second.marked == ()
    page = html(with_ends(study), study=study, fieldwork=fieldwork, versions=VERSIONS)
    assert "“wish”: accuracy, major" in page
    text = markdown(with_ends(study), study=study, fieldwork=fieldwork, versions=VERSIONS)
    assert "Marked: “wish”: accuracy, major (2 raters); “1”: style, minor (1 rater)." in text


def test_marks_beyond_those_with_room_are_counted(study: Study) -> None:
    fieldwork = fieldwork_of(study, marked=tuple(marked("ada", k, k + 1) for k in range(8)))
    gallery = draw_gallery(ends(), study, fieldwork, with_ends(study), Thumbnails())
    assert gallery is not None
    *shown, more = gallery.exhibits[0].marked
    # Of "wish 1 <" the two spaces are marked alike.
    assert (len(shown), more) == (6, "1 more")
    # A quotation of a space would look like one of nothing.
    assert "a space: accuracy, major (1 rater)" in shown


def test_marks_are_those_of_people_who_stayed() -> None:
    spans: dict[str, list[Any]] = {
        "rater": ["ada", "bob", "model", "cy", "dee"],
        "item": ["i1"] * 5,
        "system": ["alpha"] * 5,
        "criterion": ["errors"] * 5,
        "field": ["text"] * 5,
        "start": [0, None, 0, 0, 0],
        "end": [4, None, 4, 4, 4],
        "category": ["style", None, "style", "style", "style"],
        "severity": [None, None, "minor", "minor", "minor"],
        "status": ["answered", "answered", "answered", "answered", "late"],
        "rater_kind": ["person", "person", "judge", "person", "person"],
        "excluded_by": [None, None, None, "withdrawn", None],
    }
    (only,) = marked_in(spans)
    assert (only.rater, only.start, only.end, only.called) == ("ada", 0, 4, "style")
