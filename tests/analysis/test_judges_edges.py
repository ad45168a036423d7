"""Judges beside people where there is little or nothing to say, and names that are hostile."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.report import html, markdown, write_report
from jurybox.stats.judges.agreement import JudgeAgreement
from jurybox.stats.judges.alternative_annotator import AlternativeAnnotatorTest
from tests.analysis.planted_judges import VERSIONS, rated, sentence


def small(**columns: Any) -> dict[str, Any]:
    table = {
        "item": ["q1", "q1", "q1", "q2", "q2", "q2"],
        "system": ["new"] * 6,
        "rater": ["ada", "ben", "j"] * 2,
        "rater_kind": ["person", "person", "judge"] * 2,
        "score": [1, 2, 2, 4, 5, 4],
        "status": ["answered"] * 6,
    }
    return {**table, **columns}


def test_a_judge_whose_every_reply_is_unusable_is_named_and_not_measured() -> None:
    table = small(status=["answered", "answered", "unusable"] * 2, score=[1, 2, None, 4, 5, None])
    row = jb.judge_agreement(table).of("j", "weighted_kappa")
    assert (row.estimate, row.undefined) == (None, "the judge has no usable answer")
    assert (row.n_unusable, row.n_replies) == (2, 2)
    said = sentence(jb.analyze(table), "judge/overall/j")
    assert "cannot be set beside people on overall: the judge has no usable answer." in said
    assert "2 of its 2 replies were unusable and count nowhere." in said


def test_no_overlap_is_said() -> None:
    table = small(item=["q1", "q1", "q3", "q2", "q2", "q4"])
    row = jb.judge_agreement(table).of("j", "weighted_kappa")
    assert row.undefined == "no unit has an answer of the judge and of a person"


def test_one_rater_has_no_ceiling() -> None:
    table = small(
        rater=["ada", "j", "j"] * 2, rater_kind=["person", "judge", "judge"] * 2,
        item=["q1", "q1", "q2", "q2", "q3", "q4"], score=[1, 2, 2, 4, 5, 4],
    )  # fmt: skip
    said = sentence(jb.analyze(table), "judge/overall/j")
    assert "how far two people agree is not known: no unit of the judge has two people's" in said


def test_a_judge_without_a_name_and_a_table_without_raters_are_said() -> None:
    with pytest.raises(InputError, match="row 3: a judge's row needs the judge's name"):
        jb.judge_agreement(small(rater=["ada", "ben", None, "ada", "ben", "j"]))
    nameless = {name: values for name, values in small().items() if name != "rater"}
    assert "without items and raters no judge can be set beside people" in (
        jb.analyze(nameless).warnings
    )


def test_few_items_are_refused_the_test_with_a_sentence() -> None:
    row = jb.alternative_annotator_test(small(), epsilon=0.2)["j"]
    assert isinstance(row, AlternativeAnnotatorTest)
    assert (row.estimate, row.undefined) == (None, "the test needs 3 raters, and there are 2")
    found = jb.analyze(small())
    # The reason stands in a sentence; a table of judges of whom none is tested has nothing to say.
    assert "is not put to" in sentence(found, "alternative_annotator/overall/j")
    assert not any(t.id.startswith("alternative_annotator/") for t in found.tables)
    with pytest.raises(InputError, match="epsilon must lie from 0 up to 1"):
        jb.alternative_annotator_test(small(), epsilon=2)


def test_a_judge_that_always_says_the_same_is_told() -> None:
    table = rated(n=40)
    for k, rater in enumerate(table["rater"]):
        if rater == "guess":
            table["score"][k] = 1
    row = jb.judge_agreement(table).of("guess", "weighted_kappa")
    assert row.estimate == pytest.approx(0.0, abs=1e-12)
    assert "Mind: the judge gives one answer only." in sentence(
        jb.analyze(table), "judge/overall/guess"
    )


def test_one_item_has_no_interval_and_says_why() -> None:
    table = {name: values[:3] for name, values in small().items()}
    found = jb.analyze(table)
    row = next(f.result for f in found.findings if f.id == "judge/overall/j")
    assert row.interval is None
    assert row.undefined
    assert row.undefined in sentence(found, "judge/overall/j")


def test_no_person_and_no_judge_are_refused_with_a_sentence() -> None:
    with pytest.raises(InputError, match="there is no judge beside people"):
        jb.judge_agreement(small(rater_kind=["judge"] * 6))
    with pytest.raises(InputError, match="there is no judge beside people"):
        jb.alternative_annotator_test(small(rater_kind=["person"] * 6), epsilon=0.1)
    one = small()
    with pytest.raises(InputError, match="a panel needs two judges, and there is j alone"):
        jb.judge_agreement(one, panel="mean")
    # The study may ask for a panel before it has two judges; the one it has is looked at.
    assert "judge/overall/j" in {f.id for f in jb.analyze(one, panel="mean").findings}


def test_a_judge_may_bear_a_persons_name_or_the_panels() -> None:
    table = rated(n=40)
    names = {"like": "r0", "guess": "panel (mean)"}
    table["rater"] = [
        names.get(rater, rater) if kind == "judge" else rater
        for rater, kind in zip(table["rater"], table["rater_kind"], strict=True)
    ]
    found = jb.judge_agreement(table, panel="mean")
    assert sorted({row.judge for row in found.rows}) == [
        "kind", "panel (mean)", "panel (mean) of all", "r0",
    ]  # fmt: skip
    plain = jb.judge_agreement(rated(n=40)).of("like", "weighted_kappa")
    row = found.of("r0", "weighted_kappa")
    assert (row.estimate, row.ceiling, row.n_raters) == (plain.estimate, plain.ceiling, 6)
    assert jb.analyze(table).n_raters == 6


HOSTILE = (
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "a'; DROP TABLE x; --",
    "\u202ej|k",
)


def test_hostile_names_are_names(tmp_path: Path) -> None:
    table = rated(n=20)
    who = dict(zip(("like", "guess", "kind", "r1"), HOSTILE, strict=True))
    table["rater"] = [who.get(rater, rater) for rater in table["rater"]]
    found = jb.analyze(table, panel="majority", epsilon=0.1)
    assert {f"judge/overall/{name}" for name in HOSTILE[:3]} <= {f.id for f in found.findings}
    page = html(found, versions=VERSIONS)
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    written = write_report(found, tmp_path / "out", formats=("html", "md", "json", "csv"))
    assert all(tmp_path / "out" in path.resolve().parents for path in written)


def test_words_without_end_are_no_scale() -> None:
    n = 310
    table = {
        "item": [f"q{k}" for k in range(n) for _ in range(3)],
        "rater": ["ada", "ben", "j"] * n,
        "rater_kind": ["person", "person", "judge"] * n,
        "score": [f"{who} says {k}" for k in range(n) for who in ("one", "two", "three")],
    }
    with pytest.raises(InputError, match="930 different answers are no scale"):
        jb.judge_agreement(table)
    assert any("930 different answers" in warning for warning in jb.analyze(table).warnings)


def test_a_page_on_rankings_names_the_judge_of_one_item() -> None:
    table = {
        "item": ["q1"] * 4,
        "system": ["new", "old"] * 2,
        "rater": ["ada", "ada", "j", "j"],
        "rater_kind": ["person", "person", "judge", "judge"],
        "rank": [1, 2, 2, 1],
    }
    page = markdown(jb.analyze(table), versions=VERSIONS)
    assert "j agrees on preference with a person to a mean Kendall's tau-b of −1" in page
    assert "1 judge (j) answered beside people" in page
    assert "whether a model judges as people do" not in page


def test_rows_print_and_go_into_a_frame() -> None:
    found = jb.judge_agreement(rated(), panel="mean")
    assert "like, kappa with quadratic weights with a person" in str(found)
    columns = found.to_columns()
    assert set(columns) >= {"judge", "estimate", "low", "ceiling", "difference", "n_unusable"}
    assert type(found).from_dict(found.to_dict()) == found
    assert all(isinstance(row, JudgeAgreement) for row in found)


def test_each_sentence_stands_in_the_report_once_beside_its_tables() -> None:
    table = rated(n=20)
    many = {name: values * 2 for name, values in table.items()}
    # One name is the beginning of the other.
    many["criterion"] = ["fit"] * len(table["item"]) + ["fit/style"] * len(table["item"])
    found = jb.analyze(many)
    page = markdown(found, versions=VERSIONS)
    section = page[page.index("## Judges beside people") : page.index("## Results")]
    for finding in found.findings:
        if finding.standing == "judge":
            sentence = finding.sentence.replace("_", r"\_")
            # What is unknown of several judges alike is said of all at once.
            alike = sentence[sentence.index(" on ") :] if "/unknown" in finding.id else sentence
            # So is what they are not put to.
            alike = alike.partition(" is not put to ")[2] or alike
            # The table has the biases that are not told from chance, however many they are.
            p = getattr(finding.result, "p_adjusted", None) or finding.result.p
            is_quiet = finding.id.startswith("judge_bias/") and finding.result.estimate is not None
            assert section.count(alike) == (0 if is_quiet and (p is None or p > 0.05) else 1)
    said = "biases were looked for, and none of them is told from chance; the table below"
    assert section.count(said) == 2
    for shown in found.tables:
        if shown.id.startswith(("judges/", "alternative_annotator/", "confusion/")):
            assert section.count(f"**{shown.title}**") == 1, shown.title


def test_several_criteria_each_have_their_findings() -> None:
    table = rated(n=20)
    many = {name: values * 2 for name, values in table.items()}
    many["criterion"] = ["fit"] * len(table["item"]) + ["style"] * len(table["item"])
    found = jb.analyze(many)
    ids = {f.id for f in found.findings}
    assert {"judge/fit/like", "judge/style/like"} <= ids
    with pytest.raises(InputError, match="choose one with criterion="):
        jb.judge_agreement(many)
    one = jb.judge_agreement(many, criterion="style").of("like", "weighted_kappa")
    assert one.criterion == "style"


def test_a_panel_without_people_is_said_to_be_left_out() -> None:
    rows = [
        (i, s, j, (i + (s == "x") + (j == "a")) % 4) for i in range(6) for s in "xy" for j in "ab"
    ]
    table: dict[str, list[Any]] = dict(
        zip(("item", "system", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True)
    )
    table["rater_kind"] = ["judge"] * len(rows)
    said = "the panel of all judges (mean) is measured beside people, and no person answered"
    assert any(said in warning for warning in jb.analyze(table, panel="mean").warnings)
    assert not any("panel" in warning for warning in jb.analyze(table).warnings)


def test_where_judges_are_alone_reasons_and_notes_speak_of_judges_down_to_the_last_result() -> None:
    alike = {
        "item": [i for i in range(8) for _ in range(6)],
        "system": ["new", "old"] * 24,
        "rater": ["j1", "j1", "j2", "j2", "j3", "j3"] * 8,
        "rater_kind": ["judge"] * 48,
        "score": [5, 3] * 24,
    }
    mixed = {**alike, "score": [(i * i + i // 2) % 5 for i in range(48)]}
    for table, reason in ((alike, "neither judges nor items vary"), (mixed, "only 3 judges carry")):
        said: list[str] = []

        def told(value: Any, found: list[str] = said) -> None:
            if isinstance(value, dict):
                found += [str(value["undefined"])] if value.get("undefined") else []
                found += value.get("notes") or []
                value = list(value.values())
            for each in value if isinstance(value, list) else ():
                told(each, found)

        told(jb.analyze(table).to_dict())
        assert any(reason in words for words in said)
        assert not [words for words in said if "rater" in words]


def test_votes_of_a_judge_stand_in_the_order_of_the_form_and_shares_in_points() -> None:
    draw = random.Random(8)
    names = ("item", "rater", "rater_kind", "system_a", "system_b", "winner", "first", "repeat")
    choices = ["a", "both_bad", "b", "tie"]
    rows = [
        (f"i{item}", rater, kind, "x", "y", draw.choice(choices), first, repeat)
        for item in range(20)
        for rater, kind, shown in (
            ("ada", "person", "a"), ("ben", "person", "b"), ("j", "judge", "ab"),
        )
        for first in shown
        for repeat in ((0, 1) if kind == "judge" else (0,))
    ]  # fmt: skip
    found = jb.analyze(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    met = found.table("confusion/preference/j")
    biases = found.table("judge_biases/preference")
    assert met is not None
    assert biases is not None
    form = ["first", "second", "tie", "both bad"]
    assert [column.heading for column in met.columns[1:]] == form
    assert [row[0] for row in met.rows] == form
    assert met.caption.endswith("First and second: the systems in alphabetical order.")
    by = {row[1]: row for row in biases.rows}
    result = {f.id: f.result for f in found.findings}["judge_bias/preference/j/position"]
    assert by["position"][3:5] == ("percentage points", 100 * (result.estimate or 0.0))
    assert by["repeats that differ"][3] == "percent"


def test_who_answered_is_read_from_the_rows_and_not_from_what_is_said_of_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "all responses are judges'.csv"
    rows = [f"q{k // 3},new,old,r{k % 3},{'aab'[k % 3]},person" for k in range(18)]
    head = "item,system_a,system_b,rater,winner,rater_kind"
    path.write_text("\n".join([head, *rows]) + "\n")
    people = jb.analyze(path)
    assert people.rater_noun == "rater"
    assert "facts" not in people.to_dict()
    path.write_text("\n".join([head, *rows]).replace("person", "judge") + "\n")
    judges = jb.analyze(path)
    assert judges.rater_noun == "judge"
    assert "all responses are judges'" in judges.took


def test_parts_that_do_not_stand_out_are_folded_and_unknown_biases_have_no_row() -> None:
    table = rated(n=40)
    known = sorted(set(table["item"]))
    table["category"] = [("x", "y")[known.index(item) % 2] for item in table["item"]]
    found = jb.analyze(table)
    page = markdown(found, versions=VERSIONS)
    kinds = {finding.kind for finding in found.findings}
    assert not kinds & {"judge_strata", "judge_length"}
    assert "<summary>Where judges differ: overall" in page
    shown = found.table("judge_biases/overall")
    assert shown is not None
    assert any(row[-1] for row in shown.rows)
    assert "Not known because" not in page
    assert "Not known of " in page
