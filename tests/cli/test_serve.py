"""`jurybox serve` says what it makes of a changed study."""

from __future__ import annotations

from pathlib import Path

import pytest

from jurybox.cli.place import open_store
from jurybox.cli.serve import make_app
from jurybox.study import Study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    outputs = [f"i{k},{s},text {k}" for k in range(4) for s in ("new", "old")]
    (tmp_path / "outputs.csv").write_text("\n".join(["item,system,answer", *outputs]) + "\n")
    Study(
        title="Which is better?",
        protocol="rate",
        outputs="outputs.csv",
        show={"answer": "text"},
        design={"overlap": 2},
    ).save(tmp_path)
    return tmp_path


def serve(folder: Path) -> list[str]:
    said: list[str] = []
    with open_store(folder) as store:
        make_app(folder, store, tell=said.append)
    return said


def edit(folder: Path, old: str, new: str) -> None:
    text = (folder / "study.yaml").read_text()
    assert old in text
    (folder / "study.yaml").write_text(text.replace(old, new))


def test_a_plan_that_grows_is_said_with_its_reason(folder: Path) -> None:
    assert serve(folder) == []
    assert serve(folder) == []
    edit(folder, "overlap: 2", "overlap: 3")
    grown, reason = serve(folder)
    # 4 items of 2 systems, 3 raters each.
    assert grown == (
        "The study changed, and the plan grew to 8 trials and 24 slots; answers so far keep their "
        "place."
    )
    assert reason.startswith("• design.overlap changed from")
    assert serve(folder) == []


def test_a_change_that_leaves_the_plan_is_said(folder: Path) -> None:
    serve(folder)
    edit(folder, "Which is better?", "Which do you prefer?")
    stays, reason = serve(folder)
    assert stays == "The study changed; the plan stays as it is."
    assert reason.startswith("• title changed from")
