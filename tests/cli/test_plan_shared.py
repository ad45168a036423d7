"""`jurybox plan` and `check` with a shared core, repeats and requests that cannot be met."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jurybox.cli.app import run
from tests.study.examples import write_example

Capture = pytest.CaptureFixture[str]


def with_design(tmp_path: Path, design: str) -> Path:
    directory = write_example("compare", tmp_path / "s")
    study = directory / "study.yaml"
    study.write_text(study.read_text().replace("seed: 7", f"seed: 7, {design}"))
    return directory


def test_core_and_repeats_are_said_beside_the_overlap(tmp_path: Path, capsys: Capture) -> None:
    directory = with_design(tmp_path, "core: 2, raters: 4, repeats: 0.1")
    assert run(["plan", str(directory)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    # Four items × 3 raters and two items × 4 booklets; a tenth of 20 slots comes again.
    assert "Planned: 4 trials × 3 raters and 2 trials × everybody = 20 slots in 4" in shown
    assert "2 slots more in which a rater sees a trial again (design.repeats)." in shown
    assert run(["plan", str(directory), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["balance"]
    assert (found["n_core"], found["n_repeats"], found["n_slots"]) == (2, 2, 20)


@pytest.mark.parametrize(
    ("design", "sentence"),
    [
        ("core: 7", "design.core asks for 7 items for everybody and the plan has 6"),
        ("items: 7", "design.items asks for 7 items and there are 6; add 1 or ask for at most 6."),
        ("items: 6, allocation: equal", "and the stratum topic"),
        ("repeats: 2", "design.repeats must be at most 1, got `2`"),
    ],
)
def test_check_says_what_cannot_be_planned(
    tmp_path: Path, capsys: Capture, design: str, sentence: str
) -> None:
    directory = with_design(tmp_path, design)
    if "equal" in design:
        prompts = directory / "prompts.jsonl"
        rows = [json.loads(line) for line in prompts.read_text().splitlines()]
        rows = [{**row, "topic": "rare" if n == 0 else "usual"} for n, row in enumerate(rows)]
        prompts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for verb in ("check", "plan"):
        assert run([verb, str(directory)]) == 1
        said = capsys.readouterr()
        assert sentence in " ".join((said.out + said.err).split())
