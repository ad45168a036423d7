"""``jurybox analyze``: short, true, and quick to start."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jurybox.cli.app import run

VOTES = """item,system_a,system_b,rater,winner
q1,new,old,ada,a
q1,new,old,ben,a
q1,new,old,cai,tie
q2,new,old,ada,a
q2,new,old,ben,b
q2,new,old,cai,a
q3,new,old,ada,a
q3,new,old,ben,a
q3,new,old,cai,a
"""

HEAVY = (
    *(
        "scipy.stats",
        "scipy.optimize",
        "sqlglot",
        "sqlalchemy",
        "pydantic",
        "pandas",
        "statsmodels",
    ),
    *("altair", "fastapi", "jinja2", "jurybox.study", "jurybox.store"),
)


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return path


def test_a_small_table_fits_a_screen(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", str(votes)]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert len(lines) <= 20
    assert lines[0] == "votes.csv: 9 rows taken as votes (item, rater, system_a, system_b, winner)"
    # new: 7 wins and one tie of 9 votes.
    (new,) = [line for line in lines if line.startswith("new ")]
    assert new.split()[1] == "83.3%"
    # Three raters: a second line has the intervals for these raters, of the strength too.
    below = lines[lines.index(new) + 1]
    assert below.split()[:2] == ["these", "raters"]
    assert [line.count(" to ") for line in (new, below)] == [3, 2]
    assert below.index(" to ") == new.index(" to ")
    flat = " ".join(printed.split())
    assert "new and old are not told apart: new wins 83.3% (95% interval" in flat
    assert "for these raters alone" in flat
    assert "3 raters: intervals are honest but wide; more raters would narrow them" in flat


def test_the_example_of_the_readme_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(__file__).parents[2] / "examples" / "votes.csv"
    assert run(["analyze", str(example)]) == 0
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) < 24  # the rows of a terminal, with the next prompt
    assert max(len(line) for line in printed.splitlines()) <= 80
    assert "What cannot be said" in printed


def test_a_narrow_screen_shows_no_strength_without_its_interval(
    votes: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    votes.write_text(VOTES.replace("new", "a-much-longer-name"))
    heads = {}
    for width in ("120", "80", "60"):
        monkeypatch.setenv("COLUMNS", width)
        assert run(["analyze", str(votes)]) == 0
        lines = capsys.readouterr().out.splitlines()
        (heads[width],) = [line for line in lines if line.startswith("Win rates")]
        assert max(map(len, lines)) <= int(width)
    assert heads["120"].count("95% interval") == heads["120"].count("These raters") == 2
    assert (heads["80"].count("95%"), "These" in heads["80"]) == (2, False)
    assert (heads["60"].count("95%"), "Strength" in heads["60"]) == (1, False)


def test_agreement_of_few_raters_says_whom_it_speaks_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "With fewer than five raters the intervals hold for these raters alone."
    for raters, times in ((3, 1), (6, 0)):
        rows = [
            (i, s, r, (i * r + i) % 4 + s) for i in range(9) for s in (0, 1) for r in range(raters)
        ]
        path = tmp_path / "ratings.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([("item", "system", "rater", "score"), *rows])
        assert run(["analyze", str(path)]) == 0
        printed = capsys.readouterr().out
        assert "Agreement: overall" in printed
        assert printed.count(said) == times


def test_json_is_strict_and_versioned(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", str(votes), "--json", "--confidence", "0.9"]) == 0
    data = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert (data["kind"], data["version"], data["confidence"]) == ("Analysis", 1, 0.9)
    assert data["findings"][0]["result"]["interval"]["confidence"] == 0.9


def test_several_tables_and_a_glob(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = votes.with_name("votes-2.csv")
    more.write_text(VOTES.replace("q", "p"))
    assert run(["analyze", str(votes), str(more), "--json"]) == 0
    several = json.loads(capsys.readouterr().out)
    assert run(["analyze", str(votes.with_name("votes*.csv")), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_responses"] == several["n_responses"] == 18


def test_everything_prints_every_table(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", str(votes), "--all"]) == 0
    printed = capsys.readouterr().out
    for heading in ("Win rates", "Pairs", "Agreement among raters", "Raters"):
        assert heading in printed


@pytest.mark.parametrize(
    ("argument", "code", "said"),
    [
        (["{folder}/nothing.csv"], 1, "there is no file"),
        (["{folder}"], 1, "there is no study.yaml here"),
        (["{votes}", "--cluster", "people"], 2, "--cluster must be both, rater, item or none"),
        (["{votes}", "--criterion", "speed"], 1, "no criterion 'speed'; there are preference"),
        (["{votes}", "--confidence", "95"], 2, "confidence must lie between 0 and 1"),
    ],
)
def test_mistakes_are_sentences(
    votes: Path, capsys: pytest.CaptureFixture[str], argument: list[str], code: int, said: str
) -> None:
    filled = [each.format(votes=votes, folder=votes.parent) for each in argument]
    assert run(["analyze", *filled]) == code
    printed = capsys.readouterr()
    assert said in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""


def test_everything_prints_the_captions(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", str(votes), "--all"]) == 0
    assert "For continuity only" in " ".join(capsys.readouterr().out.split())
    assert run(["analyze", str(votes)]) == 0
    assert "For continuity only" not in capsys.readouterr().out


def test_a_mapping_that_is_refused_is_not_kept(votes: Path) -> None:
    kept = votes.parent / "mapping.yaml"
    assert run(["analyze", str(votes), "--map", "item=nope", "--save-mapping", str(kept)]) == 1
    assert not kept.exists()
    assert run(["report", str(votes), "--map", "item=nope", "--save-mapping", str(kept)]) == 1
    assert not kept.exists()
    assert run(["analyze", str(votes), "--set", "criterion=wit", "--save-mapping", str(kept)]) == 0
    assert "criterion: wit" in kept.read_text()


@pytest.mark.parametrize("name", ["[red]new[/]", ":cat:"])
def test_names_are_no_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES.replace("new", name))
    assert run(["analyze", str(path)]) == 0
    assert f"{name} and old are not told apart" in " ".join(capsys.readouterr().out.split())


def test_nothing_heavy_is_imported(votes: Path) -> None:
    # The verb itself: what the parser of command lines imports is another matter.
    code = (
        "import sys\n"
        "from jurybox.cli.analyze import analyze\n"
        f"analyze([{str(votes)!r}])\n"
        f"sys.stderr.write(' '.join(m for m in {HEAVY!r} if m in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "new" in done.stdout


FORMS = VOTES.replace("item,system_a,system_b,rater,winner", "question,left,right,person,choice")
NAMES = ("item=question", "system_a=left", "system_b=right", "rater=person", "winner=choice")


def test_other_columns_and_words_are_mapped_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, kept = tmp_path / "forms.csv", tmp_path / "mapping.yaml"
    path.write_text(FORMS.replace(",a\n", ",L\n").replace(",b\n", ",R\n").replace("tie", "draw"))
    options = [part for name in NAMES for part in ("--map", name)]
    options += ["--values", "winner:L=a,R=b,draw=tie", "--save-mapping", str(kept)]
    assert run(["analyze", str(path), *options]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "item is question, system_a is left" in printed
    assert "winner: L → a, R → b, draw → tie" in printed
    assert "new wins 83.3%" in printed
    assert run(["analyze", str(path), "--mapping", str(kept), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert "winner: L → a, R → b, draw → tie" in data["took"]
    assert data["n_responses"] == 9


def test_levels_and_derived_criteria_of_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ratings.csv"
    lines = ["picture,who,SC,PR"]
    lines += [f"p{i},r{r},{(i + r) % 3},{i % 3}" for i in range(6) for r in range(3)]
    path.write_text("\n".join(lines) + "\n")
    options = ["--map", "item=picture", "--map", "rater=who", "--scores", "SC,PR"]
    options += ["--level", "interval", "--level", "PR=ordinal", "--json"]
    options += ["--derive", "both=geometric_mean(SC, PR)"]
    assert run(["analyze", str(path), *options]) == 0
    data = json.loads(capsys.readouterr().out)
    levels = {
        f["criterion"]: f["result"]["level"]
        for f in data["findings"]
        if f["id"].startswith("agreement/")
    }
    assert levels == {"SC": "interval", "PR": "ordinal", "both": "interval"}
    assert "both: geometric mean of SC, PR, for each of 18 responses" in data["took"]
    assert not any("level is not stated" in sentence for sentence in data["took"])


def test_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", "--from", "list"]) == 0
    assert "label_studio  Label Studio: the JSON export" in capsys.readouterr().out


def test_a_folder_of_another_tool_is_analyzed(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[1] / "data" / "imagenhub" / "data" / "Multi-Subject_IG"
    assert run(["analyze", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "read as ImagenHub ratings of 3 raters" in printed
    # Published: SC 0.26, kappa 0.83, alpha 0.89; PR 0.86, 0.41, 0.41; overall 0.29, 0.73, 0.88.
    rows = [line.split() for line in printed.splitlines() if line.startswith("CustomDiffusion")]
    means, agreement = rows[:3], rows[3:6]
    assert [row[1] for row in means] == ["0.263", "0.858", "0.293"]
    # Alpha with its interval, then Fleiss' kappa with its own.
    assert [(row[1], row[5]) for row in agreement] == [
        ("0.893", "0.832"),
        ("0.408", "0.406"),
        ("0.883", "0.727"),
    ]
    assert all(row[3] == row[7] == "to" for row in agreement)
    assert max(len(line) for line in printed.splitlines()) <= 80


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--map", "score"], 2, "--map takes NAME=WHAT; got 'score'"),
        (["--values", "winner"], 2, "--values takes COLUMN:THEIRS=OURS"),
        (["--map", "winner=choise"], 1, "there is no column 'choise'; did you mean 'choice'?"),
        (["--level", "ordinal", "--level", "ratio"], 2, "--level takes one level for all criteria"),
        (["--scale", "five"], 2, "scale takes both ends, as 0..100, or all values in order"),
        (["--from", "labelstudio"], 2, "no importer 'labelstudio'; did you mean 'label_studio'?"),
        (["--mapping", "none.yaml"], 1, "there is no file none.yaml"),
    ],
)
def test_mistakes_in_reading_are_sentences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int, said: str
) -> None:
    (tmp_path / "forms.csv").write_text(FORMS)
    assert run(["analyze", str(tmp_path / "forms.csv"), *options]) == code
    printed = capsys.readouterr()
    assert said in printed.err
    assert (printed.out, "Traceback" in printed.err) == ("", False)


def test_a_study_is_not_mapped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "study.yaml").write_text("title: x\n")
    assert run(["analyze", str(tmp_path), "--set", "system=SD"]) == 1
    assert "is a study, which knows its columns" in capsys.readouterr().err


def test_a_wrong_row_is_named_by_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "votes.csv").write_text(VOTES.replace("ben,b", "ben,best"))
    assert run(["analyze", str(tmp_path / "votes.csv")]) == 1
    assert "votes.csv, row 5 (line 6): winner must be one of" in capsys.readouterr().err
    (tmp_path / "broken.jsonl").write_text('{"item": "a", "score": 1}\n{oops\n')
    assert run(["analyze", str(tmp_path / "broken.jsonl")]) == 1
    assert "broken.jsonl: line 2 is not JSON" in capsys.readouterr().err


def test_metrics_in_the_table_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[1] / "data" / "tifa_human"
    whole = (folder / "data" / "tifa_human_with_metrics.csv").read_text()
    # Three of its ten metrics: every two of them are compared, which takes long.
    kept = ["text_id", "system", "human_1", "human_2", "meteor", "bleu", "tifa_blip2-flant5xl"]
    rows = csv.DictReader(whole.splitlines())
    lines = [",".join(row[name] for name in kept) for row in rows]
    table = tmp_path / "tifa.csv"
    table.write_text("\n".join([",".join(kept), *lines]) + "\n")
    options = ["--mapping", str(folder / "mapping.yaml"), "--metrics", str(table)]
    assert run(["analyze", str(table), *options]) == 0
    printed = capsys.readouterr().out
    (bleu,) = (line.split() for line in printed.splitlines() if line.startswith("bleu "))
    # Within items, Spearman's ρ (published was Pearson's, 0.183), Kendall's τ-b, of systems.
    assert bleu[2:4] == ["0.259", "0.188"]
    assert "tifa_blip2-flant5xl " in printed
    assert max(len(line) for line in printed.splitlines()) <= 80


def test_the_direction_of_metrics_is_stated_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["item,system,rater,score"]
    lines += [f"q{i},{s},r{r},{k + 2 + (i + r) % 2}" for i in range(6)
              for k, s in enumerate(("new", "old")) for r in range(3)]  # fmt: skip
    ratings, fid = tmp_path / "ratings.csv", tmp_path / "fid.csv"
    ratings.write_text("\n".join(lines))
    fid.write_text("system,fid,kid\nnew,20,3\nold,10,2\n")
    asked = ["analyze", str(ratings), "--metrics", str(fid), "--lower-is-better"]
    assert run([*asked, "fid,kid"]) == 0
    assert "fid, kid: lower is better" in " ".join(capsys.readouterr().out.split())
    assert run([*asked, "wer"]) == 1
    assert "there is no such metric; there are fid, kid" in capsys.readouterr().err
    assert run(["analyze", str(ratings), "--lower-is-better", "fid"]) == 2
    assert "name their table, --metrics" in capsys.readouterr().err


@pytest.mark.parametrize("width", [60, 80, 82, 120])
def test_no_number_is_cut_by_the_edge_of_the_screen(
    width: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two intervals below zero beside 'mean within systems' were one column wider than 80.
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [
        f"q{i},{system},r{r},{1 + (i * 7 + r * 3 + len(system) + i * r) % 5}"
        for i in range(6)
        for system in ("GPT-4", "Llama 3")
        for r in range(3)
    ]
    table = tmp_path / "ratings.csv"
    table.write_text("\n".join(["item,system,rater,score", *rows]), encoding="utf-8")
    assert run(["analyze", str(table)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert run(["analyze", str(table), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (agreement,) = [t for t in found["tables"] if t["id"] == "agreement/ratings"]
    cells = [cell for row in agreement["rows"] for cell in row.values()]
    bounds = [bound for cell in cells if isinstance(cell, list) for bound in cell]
    assert len(bounds) == 16
    for bound in bounds:
        assert f"{bound:.3f}".replace("-", "−") in shown


def test_agreement_of_many_systems_is_left_to_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        f"q{i},s{s},r{r},{1 + (i * 3 + r * s + s) % 5}"
        for i in range(4)
        for s in range(20)
        for r in range(3)
    ]
    table = tmp_path / "ratings.csv"
    table.write_text("\n".join(["item,system,rater,score", *rows]), encoding="utf-8")
    assert run(["analyze", str(table)]) == 0
    shown = capsys.readouterr().out
    assert "Agreement: overall" not in shown
    assert "Agreement on overall" in shown


def test_results_by_group_leave_columns_to_the_report_before_a_number_is_folded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["item,system,rater,score,group"]
    for item in range(6):
        for rater, group in (
            ("ada", "expert"),
            ("abe", "expert"),
            ("ben", "crowd"),
            ("bo", "crowd"),
        ):
            for system in ("bandicoot-large-preview", "civet"):
                score = 1 + (item * len(rater) + len(system)) % 5
                lines.append(f"i{item},{system},{rater},{score},{group}")
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(lines))
    shown = {}
    for width in (80, 140):
        monkeypatch.setenv("COLUMNS", str(width))
        assert run(["analyze", str(path)]) == 0
        out = capsys.readouterr().out
        shown[width] = out[out.index("Between rater groups") :]
    row = next(
        line for line in shown[80].splitlines() if line.startswith("bandicoot-large-preview")
    )
    assert row.split()[1:3] == ["crowd", "expert"]
    assert re.fullmatch(r"−?\d+\.\d+", row.split()[3])  # as in −0.346, on one line
    assert "Items" not in shown[80].split("─")[0]
    assert "Items" in shown[140].split("─")[0]
