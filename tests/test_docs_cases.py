"""The case studies: their commands print what is shown, and every figure is that of the data."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import pytest

import jurybox as jb
from tests import reference
from tests.documents import DOCS, ROOT, Block, Reader, blocks, quick_server, reader

__all__ = ["quick_server", "reader"]  # fixtures

PAGE = (DOCS / "case-studies.md").read_text(encoding="utf-8")
PROGRAMS = [block for block in blocks("case-studies") if block.language == "python"]
CASES = [block for block in blocks("case-studies") if block.language == "console"]


def section(title: str) -> str:
    return PAGE.partition(f"## {title}")[2].partition("\n## ")[0]


def expected(name: str, part: str = "computed") -> Any:
    return reference.expected(name)[part]


@pytest.mark.parametrize("block", CASES, ids=[re.split(r"[/ ]", case.body)[5] for case in CASES])
def test_the_command_prints_what_is_shown(block: Block, reader: Reader) -> None:
    (reader.folder / "tests").symlink_to(ROOT / "tests")
    reader.follow(block)


def test_the_correlations_of_tifa(reader: Reader) -> None:
    (reader.folder / "tests").symlink_to(ROOT / "tests")
    reader.follow(PROGRAMS[0])
    computed = expected("tifa_human")["corr"]
    printed = expected("tifa_human", "published")["labelled_spearman"]  # typos: ignore
    rows = re.findall(
        r"^\| ([\w-]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) to ([\d.]+) \|$",
        section("TIFA"),
        re.MULTILINE,
    )
    assert len(rows) == 5
    for metric, named, spearman, low, high in rows:
        assert float(named) == round(printed[metric], 3)
        assert float(spearman) == round(computed[metric]["spearman"], 3)
        assert f"{metric} Spearman's ρ {spearman} ({low} to {high})" in reader.printed
        assert f"{metric} Pearson's r {named} (" in reader.printed
        # "agrees with Pearson's to twelve digits"
        assert computed[metric]["pearson"] == pytest.approx(printed[metric], abs=1e-12)


def test_which_metric_of_tifa_is_ahead_within_prompts_is_chance() -> None:
    tifa = reference.table("tifa_human", "tifa_human_with_metrics.csv")
    ahead = set()
    for seed in range(4):
        found = jb.correlate_metrics(tifa, tifa, **reference.QUICK | {"seed": seed})
        within = {
            row.metric: row.estimate or 0
            for row in found.rows
            if row.name == f"{row.metric}, item, pairwise accuracy with calibrated ties"
        }
        best, second = sorted(within, key=within.__getitem__, reverse=True)[:2]
        assert {best, second} == {"tifa_mplug-large", "tifa_git-large"}
        ahead.add(best)
    assert len(ahead) == 2
    assert "Which of the two is ahead is chance" in section("TIFA")


def test_how_many_pairs_the_metrics_of_tifa_order_as_people_do() -> None:
    tifa = reference.table("tifa_human", "tifa_human_with_metrics.csv")
    found = jb.correlate_metrics(tifa, tifa, **reference.QUICK)

    def right(level: str, how: str) -> dict[str, float]:
        return {
            row.metric: row.estimate or 0
            for row in found.rows
            if row.name == f"{row.metric}, {level}, {how}"
        }

    text = " ".join(section("TIFA").split())
    within = right("item", "pairwise accuracy with calibrated ties")
    best, second = sorted(within, key=within.__getitem__, reverse=True)[:2]
    assert f"`{best}`, right about {within[best]:.1%} of pairs of pictures" in text
    assert f"`{second}`, right about {within[second]:.1%};" in text
    between = right("system", "pairwise accuracy")
    assert f"`{best}` orders {10 * between[best]:.0f} of 10 pairs" in text
    assert {name for name in between if between[name] == 1} == {"meteor", "rouge", "bleu"}
    scores: dict[str, list[int]] = {}
    for row in reference.rows_of("tifa_human/data/tifa_human_with_metrics.csv"):
        scores.setdefault(row["text_id"], []).append(int(row["human_1"]) + int(row["human_2"]))
    pairs = [pair for each in scores.values() for pair in combinations(each, 2)]
    alike = sum(one == two for one, two in pairs) / len(pairs)
    assert f"calling every pair a tie would be right about {alike:.0%}" in text
    page = " ".join((DOCS / "metrics.md").read_text(encoding="utf-8").split())
    assert f"is right about {within[best]:.0%} of the pairs" in page
    assert f"a tie would be right about {alike:.0%}" in page


def test_the_figures_of_gengap() -> None:
    computed, printed = expected("gengap_turing"), expected("gengap_turing", "published")
    text = " ".join(section("GenGap").split())
    for figure in (
        f"{computed['n_clean']} people told",
        f"accuracy {computed['accuracy']:.1%}",
        f"t = {printed['t_statistic_printed']:.2f}",
        f"t is {computed['proper_one_sample_t']:.1f}",
        f"were {computed['n_responses']:,}",
    ):
        assert figure in text, figure


def test_the_figures_of_pandalm() -> None:
    computed, printed = expected("pandalm_pairwise"), expected("pandalm_pairwise", "published")
    own, rival = computed["pandalm7b"], computed["gpt35"]
    text = " ".join(section("PandaLM").split())
    for figure in (
        f"{printed['pandalm_f1_over_gpt35_f1']:.2%} of GPT-3.5's F1",
        f"it is {own['macro_f1'] / rival['macro_f1']:.1%} of its macro-F1",
        f"{own['macro_f1'] / computed['gpt35_without_garbage']['macro_f1']:.1%} without GPT-3.5's "
        f"{rival['labels']['garbage']} unusable replies",
        f"({own['macro_f1']:.3f} against {rival['macro_f1']:.3f})",
        f"({own['accuracy']:.1%} against {rival['accuracy']:.1%})",
        "({})".format(", ".join(f"{kappa:.2f}" for kappa in computed["cohen"].values())),
    ):
        assert figure in text, figure
    votes = reference.table("pandalm_pairwise", "pandalm_votes.csv")
    found = jb.analyze(votes, generalize="items").findings
    pairs = [f for f in found if f.id.startswith("win_rate/") and len(f.systems) == 2]
    told = sum(finding.told for finding in pairs)
    assert f"for these three, {told} of {len(pairs)} are" in text
    assert [round(kappa, 2) for kappa in computed["cohen"].values()] == list(
        printed["cohen_kappa"].values()
    )


def test_the_figures_of_imagenhub() -> None:
    printed = expected("imagenhub", "published")["values"]["Text-Guided_IE"]
    text = section("ImagenHub")
    (shown,) = [block.body for block in CASES if "Text-Guided_IE" in block.body]
    rows = re.findall(r"^\| (\w+) \| ([\d.]+), Std ([\d.]+) \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) == 2
    for system, mean, std, interval in rows:
        assert float(mean) == printed[system]["HumanEvalAvg"]
        assert float(std) == printed[system]["HumanEval_std"]
        assert re.search(rf"^{system} .* {interval} ", shown, re.MULTILINE)
    assert f"{len(printed)} systems" == "9 systems"
    assert printed["Imagic"]["SC_fleiss_kappa"] is None


def test_the_figures_of_wmt() -> None:
    german = expected("wmt21_ted_mqm")["ende"]  # typos: ignore
    printed, computed = german["published"], german["computed"]
    names = {"ref.A": "ref"}
    alike = [name for name in printed if round(computed[names.get(name, name)], 2) == printed[name]]
    text = " ".join(section("WMT").split())
    assert f"{len(alike)} of {len(printed)} MQM scores come out as printed" in text
    (other,) = set(printed) - set(alike)
    assert f"{other}'s {printed[other]} is {computed[other]:.3f}" in text
    assert f"{german['n_segments']} segments, each marked by one of" in text
    spans = reference.table("wmt21_ted_mqm", "mqm_ted_ende_spans.tsv")  # typos: ignore
    found = jb.analyze(spans, generalize="items").findings
    pairs = {finding.systems: finding for finding in found if finding.id.startswith("difference/")}
    told = sum(finding.told for finding in pairs.values())
    assert f"{told} of {len(pairs)} pairs are told apart" in text
    (gap,) = re.findall(
        r"has ([\d.]+) error points fewer .* interval −([\d.]+) to −([\d.]+);",
        pairs["Facebook-AI", "Nemo"].sentence,
    )
    assert f"Facebook-AI, {gap[0]} points ahead of Nemo" in text
    assert f"simultaneous interval {gap[2]} to {gap[1]})" in text


def test_the_table_in_front_has_the_figures_of_the_sections() -> None:
    (table,) = re.findall(r"^\| study .*?(?=\n\n)", PAGE, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| \[([\w ]+)\]\(.*?\) \| (.*) \| (.*) \|$", table, re.MULTILINE)
    sections = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert [name for name, *_ in rows] == [
        re.split(r"[:,]", title)[0] for title in sections[: len(rows)]
    ]
    for (name, printed, found), title in zip(rows, sections, strict=True):
        text = section(title)
        for figure in re.findall(r"\d+\.\d+", f"{printed} {found}"):
            assert figure in text or figure in ACCURACY, (name, figure)


ACCURACY = ("83.9", "90.1")
"""The interval of GenGap's accuracy, which its section does not need."""


def test_the_interval_of_gengap_speaks_for_other_people_and_pictures() -> None:
    found = jb.turing_test(reference.table("gengap_turing", "responses_long.csv"))
    assert found.balanced_accuracy is not None
    ends = found.balanced_accuracy.interval
    assert ends is not None
    assert (f"{100 * ends.low:.1f}", f"{100 * ends.high:.1f}") == ACCURACY
    assert "({} to {} for other people and pictures)".format(*ACCURACY) in PAGE


def test_how_many_systems_of_imagenhub_are_told_apart() -> None:
    edits = reference.imagenhub("Text-Guided_IE")
    text = " ".join(section("ImagenHub").split())
    whole, narrow = (
        [f for f in found.findings if f.id.startswith("difference/overall/")]
        for found in (jb.analyze(edits), jb.analyze(edits, generalize="items"))
    )
    told = [sum(finding.told for finding in pairs) for pairs in (whole, narrow)]
    assert f"Of the {len(whole)} pairs of systems {told[0]} are told apart for raters and" in text
    assert f"for these three raters alone, {told[1]} are" in text


def test_the_two_best_of_imagenhub_are_not_told_apart(reader: Reader) -> None:
    (reader.folder / "tests").symlink_to(ROOT / "tests")
    reader.follow(PROGRAMS[1])
    wide, narrow = re.findall(r"^[\w+]+ (.*) \((.*)\)$", reader.printed, re.MULTILINE)
    text = " ".join(section("ImagenHub").split())
    assert f"The difference is {wide[0]}, with a 95% interval of {wide[1]}, and of" in text
    assert f"and of {narrow[1]} for these three raters alone: not even they tell" in text
    assert all(bounds.startswith("−") for _, bounds in (wide, narrow))
    printed = expected("imagenhub", "published")["values"]["Text-To-Image"]
    figures = [f"{printed[name]['HumanEvalAvg']:.2f}" for name in ("DALLE3", "Midjourney")]
    assert "DALL·E 3 is printed ahead of Midjourney, {} to {}:".format(*figures) in text


def test_what_comes_out_as_printed(reader: Reader) -> None:
    (reader.folder / "tests").symlink_to(ROOT / "tests")
    reader.follow(PROGRAMS[2])
    rows = re.findall(
        r"^\| (.*?) \| .* \| ([\d.]+) \| ([\d.]+ \([\d.]+ to [\d.]+\)) \|$",
        section("Six more"),
        re.MULTILINE,
    )
    assert [found for *_, found in rows] == [
        line.partition(": ")[2] or line for line in reader.printed.splitlines()
    ]
    textbook = expected_of_textbook()
    topical = expected("unieval_meta", "published")["values"]["topical_chat"]
    known = [
        *textbook,
        expected("nflx_public_mos", "published")["mos_11th"],
        topical["overall"][1],
    ]
    for (source, printed, _), value in zip(rows, known, strict=True):
        assert round(value, len(printed.partition(".")[2])) == float(printed), source


def expected_of_textbook() -> list[float]:
    every = reference.expected("textbook")
    return [
        every["krippendorff2011"]["published"]["ordinal"],
        every["fleiss1971"]["published"]["kappa"],
        every["shrout_fleiss1979"]["published"]["ICC21"],
        every["agresti_baseball1987"]["published"]["home_advantage"],
    ]


def test_unieval_tells_people_from_machines() -> None:
    means: dict[str, list[tuple[float, float]]] = {}
    for row in reference.rows_of("unieval_meta/data/topical_chat.csv"):
        both = (float(row["human_overall"]), float(row["unieval_overall"]))
        means.setdefault(row["system_id"], []).append(both)
    people = {"New Human Generated", "Original Ground Truth"}
    assert people < means.keys()
    at = {name: [sum(side) for side in zip(*own, strict=True)] for name, own in means.items()}
    right: dict[bool, list[bool]] = {True: [], False: []}
    for one, two in combinations(at, 2):
        alike = (at[one][0] - at[two][0]) * (at[one][1] - at[two][1]) > 0
        right[bool({one, two} & people)].append(alike)
    assert (sum(right[True]), len(right[True])) == (9, 9)
    assert (sum(right[False]), len(right[False])) == (1, 6)
    text = " ".join(section("Six more").split())
    assert "right about all nine pairs that include a person, but about only one of the six" in text


def test_every_study_has_its_source() -> None:
    for case in CASES:
        (name,) = set(re.findall(r"tests/data/(\w+)/", case.body))
        source = (reference.DATA / name / "SOURCE.md").read_text(encoding="utf-8")
        assert re.search(r"\bLicen.e\b", source), name
