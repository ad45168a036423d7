"""Media that would keep their metadata stop a study before anybody rates."""

from __future__ import annotations

from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.store import Store
from tests.screen.dirty import flac, webm
from tests.web.studies import SYSTEMS, write_media


@pytest.mark.parametrize("verb", [("check",), ("plan",), ("sheets", "write")])
def test_a_file_that_cannot_be_cleaned_is_refused_with_the_line_that_strips_it(
    verb: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_media(tmp_path, webm())
    path = tmp_path / "m" / f"{SYSTEMS[0]}.wav"
    path.write_bytes(flac() + b"PK\3\4 an archive")
    given = [*verb, str(tmp_path), *(("--raters", "1") if "write" in verb else ())]
    assert run(given) != 0
    told = capsys.readouterr()
    said = told.out + told.err
    words = " ".join(said.split())
    assert f"m/{SYSTEMS[0]}.wav: tags and notes, which may name a system" in words
    assert f"ffmpeg -i m/{SYSTEMS[0]}.wav -map 0:a -map_metadata -1 -c copy" in words
    assert "Traceback" not in said
    if (tmp_path / "study.db").exists():
        with Store.open(tmp_path / "study.db") as store:
            assert store.load_plan() is None
            assert store.versions() == ()
    path.write_bytes(flac())
    assert run(given) == 0
