"""Other tools' exports, as those tools write them: recognized, read, and what is left said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jurybox.errors import InputError
from jurybox.tally.importers import FORMATS
from jurybox.tally.mapping import mapped
from jurybox.tally.reading import read
from jurybox.tally.responses import Responses


def answers(responses: Responses, *columns: str) -> list[tuple[Any, ...]]:
    names = ", ".join(f"CAST({column} AS VARCHAR)" for column in columns)
    return responses.query(f"SELECT {names} FROM {{r}} ORDER BY rid")


def write_json(path: Path, records: Any) -> Path:
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def write_lines(path: Path, records: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


class TestImagenHub:
    HEADING = "uid\tSD\tSDXL\n"

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        rater1 = self.HEADING + "s0.jpg\t[1,0.5]\t[ 0.5 , 1 ]\ns1.jpg\t[0, 0]\t[1, 1]\n"
        rater2 = self.HEADING + "s0.jpg\t[1, 1]\t[0.5,1]\ns1.jpg\t[0,0]\t\n"
        (tmp_path / "Task_rater1.tsv").write_text(rater1)
        (tmp_path / "Task_rater2.tsv").write_text(rater2)
        return tmp_path

    def test_a_folder_is_recognized(self, folder: Path) -> None:
        found = read(folder)
        # 2 raters, 2 items, 2 systems, 2 criteria, but one empty cell.
        assert found.count() == (14, 2, 2)
        assert answers(found, "item", "system", "rater", "criterion", "score")[:3] == [
            ("s0.jpg", "SD", "rater1", "SC", "1.0"),
            ("s0.jpg", "SD", "rater1", "PR", "0.5"),
            ("s0.jpg", "SDXL", "rater1", "SC", "0.5"),
        ]
        assert any("read as ImagenHub ratings of 2 raters" in each for each in found.took)
        assert found.stated.level == "ordinal"
        assert str(found.stated.derive["overall"]) == "geometric_mean(SC, PR)"

    def test_so_are_its_files_and_a_glob(self, folder: Path) -> None:
        assert read(sorted(folder.glob("*.tsv"))).count() == (14, 2, 2)
        assert read(str(folder / "*.tsv")).count() == (14, 2, 2)
        assert read(folder / "Task_rater1.tsv").count() == (8, 1, 2)

    def test_a_cell_of_another_kind_is_named(self, folder: Path) -> None:
        with (folder / "Task_rater2.tsv").open("a") as file:
            file.write("s2.jpg\t[1, 1]\tgood\n")
        with pytest.raises(InputError, match=r"Task_rater2.tsv:4: a cell must hold \[SC, PR\]"):
            read(folder)


class TestArena:
    RECORDS = tuple(
        {"question_id": f"c{i}", "model_a": a, "model_b": b, "winner": winner, "judge": judge}
        for i, (a, b, winner, judge) in enumerate(
            [
                ("new", "old", "model_a", "u1"),
                ("old", "new", "model_b", "u2"),
                ("new", "old", "tie", "u3"),
                ("new", "old", "tie (bothbad)", "u3"),
            ],
            start=1,
        )
    )

    def test_votes_of_people(self, tmp_path: Path) -> None:
        path = write_lines(tmp_path / "battles.jsonl", list(self.RECORDS))
        found = read(path)
        assert answers(found, "item", "rater", "system_a", "winner") == [
            ("c1", "u1", "new", "a"),
            ("c2", "u2", "old", "b"),
            ("c3", "u3", "new", "tie"),
            ("c4", "u3", "new", "both_bad"),
        ]
        assert "battles.jsonl: read as Chatbot Arena votes" in found.took

    def test_of_later_files_a_sitting_is_one_person(self, tmp_path: Path) -> None:
        record = {"model_a": "new", "model_b": "old", "language": "en", "evaluation_order": 1}
        votes = [
            {**record, "id": f"v{k}", "winner": winner, "evaluation_session_id": f"s{k // 2}"}
            for k, winner in enumerate(("model_a", "both_bad", "tie"))
        ]
        found = read(write_lines(tmp_path / "battles.jsonl", votes))
        assert answers(found, "item", "rater", "winner") == [
            ("v0", "s0", "a"),
            ("v1", "s0", "both_bad"),
            ("v2", "s1", "tie"),
        ]

    def test_turns_are_items_and_lists_of_judges_are_joined(self, tmp_path: Path) -> None:
        record = {**self.RECORDS[0], "judge": ["expert", "7"]}
        turns = [{**record, "turn": 1}, {**record, "turn": 2}]
        found = read(write_lines(tmp_path / "mt.jsonl", turns))
        assert answers(found, "item", "rater") == [("c1/1", "expert, 7"), ("c1/2", "expert, 7")]

    def test_winners_in_columns(self, tmp_path: Path) -> None:
        path = tmp_path / "train.csv"
        path.write_text(
            "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
            "1,new,old,1,0,0\n2,new,old,0,1,0\n3,new,old,0,0,1\n"
        )
        found = read(path)
        assert answers(found, "item", "winner") == [("1", "a"), ("2", "b"), ("3", "tie")]

    def test_an_unknown_winner_is_never_a_tie(self, tmp_path: Path) -> None:
        records = [*self.RECORDS, {**self.RECORDS[0], "winner": "neither"}]
        path = write_lines(tmp_path / "battles.jsonl", records)
        with pytest.raises(InputError, match="the winner 'neither' is not mapped; the table has"):
            read(path)

    def test_a_mapping_goes_over_the_format(self, tmp_path: Path) -> None:
        records = [{**each, "tier": "t"} for each in self.RECORDS]
        path = write_lines(tmp_path / "battles.jsonl", records)
        found = read(mapped(path, map={"rater": "tier", "trial": "question_id"}))
        assert {row[0] for row in answers(found, "rater")} == {"t"}


class TestLabelStudio:
    @staticmethod
    def form(who: Any, *answers: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "id": 1001,
            "completed_by": who,
            "result": list(answers),
            "was_cancelled": False,
            "ground_truth": False,
            "lead_time": 4.288,
            **more,
        }

    @staticmethod
    def answer(name: str, kind: str, **value: Any) -> dict[str, Any]:
        return {
            "id": "Dx_aB91ISN",
            "from_name": name,
            "to_name": "text",
            "type": kind,
            "value": value,
            "origin": "manual",
        }

    def records(self) -> list[dict[str, Any]]:
        stars = self.answer("fluency", "rating", rating=4)
        choice = self.answer("tone", "choices", choices=["formal"])
        note = self.answer("note", "textarea", text=["fine"])
        tags = self.answer("tags", "choices", choices=["x", "y"])
        return [
            {
                "id": 1,
                "data": {"text": "Hello", "model": "new"},
                "annotations": [
                    self.form(7, stars, choice, note, tags),
                    self.form({"id": 8, "email": "ben@example.org"}, stars),
                    self.form(9, was_cancelled=True),
                    self.form(7, stars, ground_truth=True),
                ],
                "predictions": [{"model_version": "m", "result": [stars]}],
            }
        ]

    def test_controls_are_criteria(self, tmp_path: Path) -> None:
        found = read(write_json(tmp_path / "project.json", self.records()))
        assert answers(found, "item", "system", "rater", "criterion", "word", "ms") == [
            ("1", "new", "7", "fluency", "4", "4288.0"),
            ("1", "new", "7", "tone", "formal", "4288.0"),
            ("1", "new", "ben@example.org", "fluency", "4", "4288.0"),
        ]
        assert "controls that are not read: choices of several (1), textarea (1)" in found.took
        assert "1 form marked as ground truth left out" in found.took
        assert "1 prediction left out" in found.took
        assert found.stated.levels == {"fluency": "ordinal"}
        assert [(each.status, each.n) for each in found.skipped] == [("skipped", 1)]

    def test_answers_about_regions_are_left_out_and_pictures_are_items(
        self, tmp_path: Path
    ) -> None:
        # Two marked words were rated each: the project was refused for a second answer.
        regions = [self.answer("grave", "rating", start=k, end=k + 2, rating=3) for k in (0, 4)]
        whole = self.answer("fluency", "rating", rating=4)
        pictures = [
            {**self.answer("tone", "choices", choices=[word]), "item_index": k}
            for k, word in enumerate(("warm", "cold"))
        ]
        form = self.form(7, *regions, whole, *pictures)
        records = [{"id": 1, "data": {"model": "new"}, "annotations": [form]}]
        found = read(write_json(tmp_path / "project.json", records))
        assert answers(found, "item", "criterion", "word") == [
            ("1", "fluency", "4"),
            ("1/0", "tone", "warm"),
            ("1/1", "tone", "cold"),
        ]
        assert "controls that are not read: rating of regions (2)" in found.took

    @pytest.mark.parametrize(
        "given", [["b", "a"], {"order": ["b", "a"]}, {"order": ["b", "a"], "_": []}]
    )
    def test_a_ranking_is_the_only_list(self, tmp_path: Path, given: Any) -> None:
        form = self.form(7, self.answer("order", "ranker", ranker=given))
        records = [{"id": 1, "data": {}, "annotations": [form]}]
        found = read(write_json(tmp_path / "project.json", records))
        assert answers(found, "system", "rank") == [("b", "1.0"), ("a", "2.0")]

    def test_a_cancelled_form_of_a_pairwise_project_is_a_skipped_vote(self, tmp_path: Path) -> None:
        left = self.answer("better", "pairwise", selected="left")
        data = {"model_a": "new", "model_b": "old"}
        forms = [self.form(7, left), self.form(8, left), self.form(9, was_cancelled=True)]
        records = [{"id": k, "data": data, "annotations": forms} for k in (1, 2)]
        found = read(write_json(tmp_path / "project.json", records))
        assert found.shape.name == "votes"
        assert found.count() == (4, 2, 2)
        assert answers(found, "rater", "winner") == [("7", "a"), ("8", "a")] * 2
        assert [(each.status, each.n) for each in found.skipped] == [("skipped", 2)]

    def test_pairwise_is_votes(self, tmp_path: Path) -> None:
        records = [
            {
                "id": i,
                "data": {"left_text": "x", "right_text": "y", "model_a": "new", "model_b": "old"},
                "annotations": [self.form(1, self.answer("better", "pairwise", selected=side))],
            }
            for i, side in enumerate(("left", "right"))
        ]
        found = read(write_json(tmp_path / "pairs.json", records))
        assert answers(found, "system_a", "winner") == [("new", "a"), ("new", "b")]

    def test_systems_by_a_mapping(self, tmp_path: Path) -> None:
        records = [
            {
                "id": 1,
                "data": {"one": "new", "two": "old"},
                "annotations": [self.form(1, self.answer("better", "pairwise", selected="left"))],
            }
        ]
        path = write_json(tmp_path / "pairs.json", records)
        with pytest.raises(InputError, match="votes need the columns 'system_a'"):
            read(path)
        found = read(mapped(path, map={"system_a": "one", "system_b": "two"}))
        assert answers(found, "system_a", "system_b", "winner") == [("new", "old", "a")]

    def test_a_ranker_is_rankings_and_two_shapes_need_a_choice(self, tmp_path: Path) -> None:
        records = self.records()
        order = self.answer("order", "ranker", ranker={"rank": ["new", "old"]})
        records[0]["annotations"].append(self.form(8, order))
        path = write_json(tmp_path / "project.json", records)
        with pytest.raises(InputError, match=r"holds ratings and rankings; choose one"):
            read(path)
        found = read(mapped(path, shape="rankings"))
        assert answers(found, "system", "rank") == [("new", "1.0"), ("old", "2.0")]
        assert "its ratings are left out" in found.took


class TestArgilla:
    ADA, BEN = "5ac0-ada", "77b1-ben"

    def check(self, path: Path) -> Responses:
        found = read(path)
        assert answers(found, "item", "rater", "criterion", "word") == [
            ("r1", self.ADA, "quality", "4"),
            ("r1", self.BEN, "quality", "5"),
            ("r1", self.ADA, "tone", "formal"),
        ]
        assert any("read as Argilla records" in sentence for sentence in found.took)
        return found

    def test_records_by_question(self, tmp_path: Path) -> None:
        record = {
            "id": "r1",
            "fields": {"text": "Hello"},
            "metadata": {"model": "new"},
            "suggestions": {},
            "responses": {
                "quality": [
                    {"value": 4, "user_id": self.ADA},
                    {"value": 5, "user_id": self.BEN},
                ],
                "tone": [{"value": "formal", "user_id": self.ADA}],
                "reason": [{"value": "A long reason. " * 10, "user_id": self.ADA}],
            },
        }
        found = self.check(write_json(tmp_path / "records.json", [record]))
        assert "responses that are not read: texts of reason (1)" in found.took
        assert answers(found, "system") == [("new",)] * 3

    def test_records_by_person(self, tmp_path: Path) -> None:
        quality = {"quality": {"value": 4}, "tone": {"value": "formal"}}
        record = {
            "external_id": "r1",
            "fields": {"text": "Hello"},
            "responses": [
                {"user_id": self.ADA, "status": "submitted", "values": quality},
                {"user_id": self.BEN, "status": "submitted", "values": {"quality": {"value": 5}}},
                {"user_id": "cai", "status": "discarded", "values": {}},
                {"user_id": "dan", "status": "draft", "values": {"quality": {"value": 1}}},
            ],
        }
        found = read(write_lines(tmp_path / "records.jsonl", [record]))
        assert sorted(answers(found, "rater", "criterion", "word")) == [
            (self.ADA, "quality", "4"),
            (self.ADA, "tone", "formal"),
            (self.BEN, "quality", "5"),
        ]
        assert [(each.status, each.n) for each in found.skipped] == [("skipped", 1)]
        assert "responses that are not read: drafts (1)" in found.took

    def test_flat_records(self, tmp_path: Path) -> None:
        record = {
            "id": "r1",
            "text": "Hello",
            "quality.responses": [4, 5],
            "quality.responses.users": [self.ADA, self.BEN],
            "quality.responses.status": ["submitted", None],
            "tone.responses": ["formal"],
            "tone.responses.users": [self.ADA],
        }
        self.check(write_lines(tmp_path / "records.jsonl", [record]))

    def test_rankings(self, tmp_path: Path) -> None:
        order = [{"value": "new", "rank": 1}, {"value": "old", "rank": 2}]
        record = {
            "id": "r1",
            "fields": {},
            "responses": {"order": [{"value": order, "user_id": self.ADA}]},
        }
        found = read(write_json(tmp_path / "records.json", [record]))
        assert answers(found, "system", "rank") == [("new", "1.0"), ("old", "2.0")]

    def test_rankings_as_lists_are_told_from_several_labels(self, tmp_path: Path) -> None:
        given = [("ada", ["new", "old"], ["rude"]), ("ben", ["old", "new"], ["rude", "short"])]
        record = {
            "id": "r1",
            "fields": {},
            "responses": {
                "order": [{"value": order, "user_id": who} for who, order, _ in given],
                "flaws": [{"value": flaws, "user_id": who} for who, _, flaws in given],
            },
        }
        found = read(write_json(tmp_path / "records.json", [record]))
        assert answers(found, "rater", "criterion", "system", "rank") == [
            ("ada", "order", "new", "1.0"),
            ("ada", "order", "old", "2.0"),
            ("ben", "order", "old", "1.0"),
            ("ben", "order", "new", "2.0"),
        ]
        unread = "answers of several values to flaws (2)"
        assert f"responses that are not read: {unread}" in found.took


class TestPotato:
    LINES = (
        {
            "id": "t1",
            "displayed_text": "Hello",
            "label_annotations": {
                "sentiment": {"positive": "1"},
                "clarity": {"scale_4": "4"},
                "length": {"slider": "70"},
                "topics": {"a": "true", "b": "true"},
            },
            "span_annotations": [],
            "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 12s "},
        },
        {"id": "consent.html", "label_annotations": {"agree": {"yes": "true"}}},
    )

    def test_a_folder_per_person(self, tmp_path: Path) -> None:
        for who in ("ada", "ben"):
            write_lines(tmp_path / who / "annotated_instances.jsonl", list(self.LINES))
        found = read(tmp_path)
        assert answers(found, "item", "rater", "criterion", "word")[:3] == [
            ("t1", "ada", "sentiment", "positive"),
            ("t1", "ada", "clarity", "4"),
            ("t1", "ada", "length", "70"),
        ]
        assert found.count() == (6, 2, 1)
        assert "answers that are not read: topics, several labels (2)" in found.took
        assert "2 pages of surveys left out" in found.took

    @pytest.mark.parametrize(
        "labels",
        [
            [[{"schema": "sentiment", "name": "positive"}, "true"]],
            {"sentiment": {"positive": "true", "negative": False}},
        ],
    )
    def test_the_state_of_a_person(self, tmp_path: Path, labels: Any) -> None:
        state = {"user_id": "ada", "instance_id_to_label_to_value": {"t1": labels}}
        found = read(write_json(tmp_path / "user_state.json", state))
        assert answers(found, "item", "rater", "word") == [("t1", "ada", "positive")]

    def test_a_table(self, tmp_path: Path) -> None:
        path = tmp_path / "annotated_instances.tsv"
        path.write_text(
            "user\tinstance_id\tdisplayed_text\tsentiment:::positive\tsentiment:::negative\n"
            "ada\tt1\tHello\tpositive\t\nben\tt1\tHello\t\tnegative\n"
        )
        found = read(path)
        assert answers(found, "rater", "word") == [("ada", "positive"), ("ben", "negative")]

    def test_labels_that_hold_the_answer(self, tmp_path: Path) -> None:
        # A list's label is always select-one, a preference's selection: not what was answered.
        held = [
            {"tone": {"select-one": "warm"}, "better": {"selection": "A"}, "gap": {"vas": "31"}},
            {"tone": {"select-one": "cold"}, "better": {"selection": "A"}, "gap": {"vas": "4"}},
        ]
        for who, labels in zip(("ada", "ben"), held, strict=True):
            line = {"id": "t1", "label_annotations": labels}
            write_lines(tmp_path / who / "annotated_instances.jsonl", [line])
        assert answers(read(tmp_path), "rater", "criterion", "word") == [
            ("ada", "tone", "warm"),
            ("ada", "better", "A"),
            ("ada", "gap", "31"),
            ("ben", "tone", "cold"),
            ("ben", "better", "A"),
            ("ben", "gap", "4"),
        ]

    def test_several_ratings_of_a_schema_are_criteria(self, tmp_path: Path) -> None:
        given = {"ada": ("4", "2"), "ben": ("5", "2"), "cai": ("4", "3")}
        for who, (fluency, depth) in given.items():
            labels = {
                "quality": {"Fluency": fluency, "Depth": depth},
                "topics": {"a": "1", "b": "2"},
                "mood": {"good": "2", "free_response": "It smiles"},
                "order": {"rank_order": "B,A"},
            }
            line = {"id": "t1", "label_annotations": labels}
            write_lines(tmp_path / who / "annotated_instances.jsonl", [line])
        found = read(tmp_path)
        assert answers(found, "rater", "criterion", "word")[:3] == [
            ("ada", "quality.Fluency", "4"),
            ("ada", "quality.Depth", "2"),
            ("ada", "mood", "good"),
        ]
        # Labels that keep their numbers in all forms were chosen: more than one is no answer.
        unread = "order, a ranking (3), texts of mood (3), topics, several labels (3)"
        assert f"answers that are not read: {unread}" in found.took

    def test_what_the_tool_exports(self, tmp_path: Path) -> None:
        lines = [
            {
                "instance_id": "t1",
                "user_id": who,
                "annotator_origin": {"kind": kind},
                "labels": {"clarity": {"4": "4"}, "sentiment": {"good": "good"}},
                "spans": {},
                "links": {},
            }
            for who, kind in (("ada", "human"), ("gpt", "llm"))
        ]
        found = read(write_lines(tmp_path / "annotations.jsonl", lines))
        assert answers(found, "rater", "criterion", "word") == [
            ("ada", "clarity", "4"),
            ("ada", "sentiment", "good"),
        ]
        path = tmp_path / "annotations.csv"
        path.write_text(
            "instance_id,user_id,clarity.4,clarity.5,notes._spans\nt1,ada,4,,[]\nt1,ben,,5,[]\n"
        )
        assert answers(read(path), "rater", "criterion", "word") == [
            ("ada", "clarity", "4"),
            ("ben", "clarity", "5"),
        ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("user_state.json", {"instance_id_to_label_to_value": [["t1", []]]}),
        ("annotated_instances.jsonl", {"id": "t1", "label_annotations": {}, "label": 1}),
        ("records.json", [{"fields": {}, "responses": {"q": [1, 2]}}]),
        ("records.json", [{"fields": {}, "responses": ["yes"]}]),
        ("project.json", [{"data": {}, "annotations": [{"result": ["yes"]}]}]),
        ("project.json", [{"data": {}, "annotations": ["result"]}, 3]),
        ("project.json", [{"data": {}, "annotations": [{"result": [{"value": [1]}]}]}]),
    ],
)
def test_what_only_begins_like_a_format_is_refused_in_a_sentence(
    tmp_path: Path, name: str, content: Any
) -> None:
    with pytest.raises(InputError, match=r"not built like it throughout|there are no answers in"):
        read(write_json(tmp_path / name, content))


class TestMqm:
    HEADING = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"

    def test_spans_between_tags(self, tmp_path: Path) -> None:
        path = tmp_path / "mqm.tsv"
        path.write_text(
            self.HEADING
            + "new\ttalk\t1\t1\tr1\tHello\tHallo <v>Wlt</v>!\tFluency/Spelling\tMinor\n"
            + "new\ttalk\t1\t2\tr1\tBye\tTschüs\tNo-error\tNo-error\n"
            + "old\ttalk\t1\t1\tr2\tHello <v>World</v>\tHallo\tAccuracy/Omission\tMajor\n"
        )
        found = read(path)
        rows = answers(found, "item", "system", "severity", "category", '"start"', '"end"')
        # "Hallo Wlt!": code points 6 to 9; "Hello World": 6 to 11.
        assert rows == [
            ("talk/1", "new", "Minor", "Fluency/Spelling", "6.0", "9.0"),
            ("talk/2", "new", None, None, None, None),
            ("talk/1", "old", "Major", "Accuracy/Omission", "6.0", "11.0"),
        ]
        assert any("read as WMT MQM spans" in sentence for sentence in found.took)

    def test_the_column_is_called_otherwise_in_later_years(self, tmp_path: Path) -> None:
        path = tmp_path / "mqm.tsv"
        path.write_text(
            "system\tdoc\tglobalSegId\trater\tcategory\tseverity\nnew\ttalk\t3\tr1\tStyle\tminor\n"
        )
        assert answers(read(path), "item") == [("talk/3",)]


def test_what_is_nobodys_format_is_a_plain_table(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "ratings.jsonl", [{"item": "a", "score": 1, "responses": []}])
    assert read(path).count()[0] == 1
    table = tmp_path / "ratings.tsv"
    table.write_text("item\tscore\na\t1\n")
    assert read(table).count()[0] == 1


@pytest.mark.parametrize("name", FORMATS)
def test_a_forced_format_that_it_is_not_is_a_sentence(tmp_path: Path, name: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("item,score\na,1\n")
    with pytest.raises(InputError, match=f"is not in the format {name}"):
        read(mapped(path, from_=name))


def test_an_unknown_format_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("item,score\na,1\n")
    with pytest.raises(InputError, match="no importer 'label-studio'; did you mean 'label_studio'"):
        read(mapped(tmp_path / "ratings.csv", from_="label-studio"))


def test_a_folder_of_nothing_known_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is a folder; name its files.*no study.yaml here"):
        read(tmp_path)


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_a_broken_export_is_named_by_line(tmp_path: Path, ending: str) -> None:
    good = {"id": "r1", "fields": {}, "responses": {"q": [{"value": 1, "user_id": "a"}]}}
    path = tmp_path / f"records{ending}"
    path.write_text(json.dumps(good) + "\n{oops\n")
    with pytest.raises(InputError, match=rf"records{ending}:2: this is not JSON"):
        read(path)


def test_an_export_without_answers_is_a_sentence(tmp_path: Path) -> None:
    empty = [{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": []}]}]
    with pytest.raises(InputError, match="there are no answers in it"):
        read(write_json(tmp_path / "project.json", empty))


def test_json_min_does_not_say_what_is_an_answer_and_is_read_as_a_table(tmp_path: Path) -> None:
    record = {"id": 1, "prompt": "q1", "model": "new", "annotation_id": 1, "lead_time": 3.2}
    rows = [record | {"annotator": who, "quality": q} for who, q in (("ada", 4), ("ben", 3))]
    file = write_json(tmp_path / "min.json", rows)
    with pytest.raises(InputError, match="--map rater=annotator --map system=model"):
        read(file)
    names = {"item": "prompt", "rater": "annotator", "system": "model", "score": "quality"}
    responses = read(mapped(file, map=names))
    assert answers(responses, "item", "rater", "score") == [
        ("q1", "ada", "4.0"),
        ("q1", "ben", "3.0"),
    ]
