"""Other names for the systems change no number, and leave no trace of the true ones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from jurybox.analysis import analyze
from jurybox.analysis.blinded import BlindStore, blind_material, blind_study
from jurybox.analysis.calibration_round import RoundStore, round_agreement
from jurybox.analysis.raters.overview import find_broken_rules, look_at_raters
from jurybox.cli.ready import ready_study
from jurybox.errors import AnalysisError
from jurybox.report import html
from jurybox.simulate.run import run
from jurybox.simulate.truth import Kind, Truth
from jurybox.store import Store
from jurybox.study import Material, Study
from jurybox.study.versions import study_of
from tests.study.examples import write_jsonl

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SYSTEMS = ("okapi", "tapir", "zebra")
NAMES = {"okapi": "System 3", "tapir": "System 1", "zebra": "System 2"}
TRUTH = Truth(quality={"good": dict(zip(SYSTEMS, (0.2, 0.5, 0.8), strict=True))}, seconds=9)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Study, Material]]:
    folder = tmp_path_factory.mktemp("study")
    write_jsonl(folder / "items.jsonl", [{"item": f"i{n}", "ask": f"Number {n}"} for n in range(8)])
    for system in SYSTEMS:
        rows = [{"item": f"i{n}", "text": f"{n}, said by {len(system)}"} for n in range(8)]
        write_jsonl(folder / "out" / f"{system}.jsonl", rows)
    (folder / "study.yaml").write_text(
        """\
title: Three systems
protocol: rate
items: items.jsonl
outputs: out/{system}.jsonl
systems: {okapi: A fast one, tapir: {description: A slow one, baseline: true}, zebra: Another}
show: {ask: text, text: text}
criteria: {good: {question: "How good?", scale: acr}}
design: {overlap: 3, raters: 4, seed: 7}
quality: {calibration: {items: 3}, exclude: {straight_line: 0.9}}
analysis: {primary: {mean: [zebra, okapi]}}
""",
        encoding="utf-8",
    )
    with Store.open(folder / "study.db") as store:
        ready = ready_study(folder, store, now=NOW)
        kinds: list[Kind] = ["careful", "careful", "careful", "straight_liner"]
        run(ready.study, ready.material, ready.plan, store, TRUTH, seed=1, now=NOW, raters=kinds)
        yield store, ready.study, ready.material


def test_other_names_change_no_number_and_leave_no_trace(
    kept: tuple[Store, Study, Material],
) -> None:
    store, study, material = kept
    shown = blind_study(study, NAMES)
    blind = analyze(BlindStore(store, NAMES), study=shown, material=blind_material(material, NAMES))
    open_ = analyze(store, study=study, material=material)
    text = blind.to_markdown() + html(blind, study=shown)
    assert not [name for name in (*SYSTEMS, "A fast one") if name in text]
    means, hidden = (
        {f.systems[0]: f.result.estimate for f in found.findings if f.id.startswith("mean/")}
        for found in (open_, blind)
    )
    assert set(means) == set(SYSTEMS)
    assert hidden == {NAMES[name]: value for name, value in means.items()}
    assert len(blind.warnings) == len(open_.warnings)


def test_no_contrast_that_the_study_singles_out_leads_the_blind_analysis(
    kept: tuple[Store, Study, Material],
) -> None:
    store, study, _ = kept
    blind = analyze(BlindStore(store, NAMES), study=blind_study(study, NAMES))
    open_ = analyze(store, study=study)
    assert {finding.standing for finding in open_.findings} >= {"primary"}
    assert not [finding for finding in blind.findings if finding.standing == "primary"]


def test_nothing_says_which_of_the_hidden_names_is_the_reference(
    kept: tuple[Store, Study, Material],
) -> None:
    store, study, _ = kept
    roles = {"okapi": {"anchor": True}, "tapir": {}, "zebra": {"hidden_reference": True}}
    asked = study_of({"study": {**study.plain_data(), "systems": roles}, "order": {}}, None)

    class Bare:
        """The answers without the version that the store keeps."""

        def __getattr__(self, name: str) -> Any:
            return (lambda: None) if name == "latest_version" else getattr(store, name)

    open_ = analyze(Bare(), study=asked)
    blind = analyze(BlindStore(Bare(), NAMES), study=blind_study(asked, NAMES))
    assert "zebra is the hidden reference, okapi is an anchor." in open_.to_markdown()
    assert "hidden reference" not in blind.to_markdown()
    assert "anchor" not in blind.to_markdown()


def test_a_study_keeps_its_own_names_without_others(kept: tuple[Store, Study, Material]) -> None:
    _, study, _ = kept
    assert blind_study(study, {}) is study


def test_the_overview_has_the_numbers_of_the_analysis(kept: tuple[Store, Study, Material]) -> None:
    store, study, material = kept
    found = look_at_raters(store, study=study, material=material)
    analysis = analyze(store, study=study, material=material)
    for table in found.tables:
        assert table == analysis.table(table.id)
    assert found.excluded == analysis.excluded
    (out,) = found.excluded
    assert out.rule == "straight_line"
    assert found.numbers(out.rater)["raters/good"]["most_used_share"] > 0.9
    assert found.numbers("nobody") == {}
    assert find_broken_rules(store, study=study) == {out.rater: "straight_line"}


def test_a_round_has_an_agreement_of_its_own(kept: tuple[Store, Study, Material]) -> None:
    store, study, material = kept
    with pytest.raises(AnalysisError, match="no answered trials yet"):
        round_agreement(RoundStore(store, "calibration"), study=study)
    (main,) = round_agreement(RoundStore(store, "main"), study=study)
    assert main.criterion == "good"
    found = analyze(store, study=study, material=material)
    everybody = next(f for f in found.findings if f.id == "agreement_before/good")
    assert main.result.estimate == everybody.result.estimate


def test_the_analysis_says_how_often_it_was_looked_at_and_when_names_were_shown(
    kept: tuple[Store, Study, Material],
) -> None:
    store, study, _ = kept
    assert not [said for said in analyze(store, study=study).took if "looked" in said]
    store.event("results seen", now=NOW)
    store.event("unblinded", detail={"by": "Ada", "answered": 70, "planned": 72}, now=NOW)
    took = analyze(store, study=study).took
    assert [said for said in took if "looked at results 1 time while" in said]
    (shown,) = [said for said in took if "until 2030-01-01 00:00 UTC, when Ada had them" in said]
    assert "70 of 72 planned answers" in shown


def test_the_analysis_says_who_opened_the_main_round_and_how_far_raters_agreed_then(
    kept: tuple[Store, Study, Material],
) -> None:
    store, study, _ = kept
    assert not [said for said in analyze(store, study=study).took if "opened" in said]
    detail = {"by": "Ada", "target": 0.6, "agreement": {"good": 0.5234, "clear": None}}
    store.event("main round opened", detail=detail, now=NOW)
    assert (
        "Ada opened the main round on 2030-01-01 00:00 UTC, when agreement in the calibration was "
        "not known on clear, 0.52 on good (the target was 0.6)"
    ) in analyze(store, study=study).took
