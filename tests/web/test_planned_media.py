"""What is sent are the files that were planned, cleaned; never another file in their place."""

from __future__ import annotations

import asyncio
import io
import os
import wave
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from jurybox.cli.app import run
from jurybox.cli.serve import make_app
from jurybox.screen.clean import clean_bytes
from jurybox.screen.media import media_uses
from jurybox.store import Store
from jurybox.study import load_material, load_study
from jurybox.web.shelf import Changed
from tests.screen.dirty import AUDIO, MARKER, PICTURES, VIDEO, as_riff, png, riff_chunk, webm
from tests.study.examples import write_csv
from tests.web.serving import now

Formats = dict[str, Callable[[], bytes]]


def studio_wav() -> bytes:
    """A recording with the chunks that studios write."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(16_000)
        writer.writeframes(bytes(range(250)) * 64)
    info = riff_chunk(b"LIST", b"INFO" + riff_chunk(b"INAM", MARKER))
    own = b"".join(riff_chunk(name, MARKER * 60) for name in (b"bext", b"iXML", b"JUNK"))
    return as_riff(b"WAVE", info + own + file.getvalue()[12:] + info)


# In a browser sound is Opus where it is in Ogg; `check` refuses Vorbis there.
SHOWN_AUDIO = {**{name: AUDIO[name] for name in AUDIO if name != "vorbis"}, "wav": studio_wav}


def write_planned(folder: Path, medium: str, formats: Formats) -> dict[str, Path]:
    """A study that shows one marked file of each format, and its files."""
    (folder / "m").mkdir(parents=True)
    files = {name: folder / "m" / f"{name}.bin" for name in formats}
    for name, make in formats.items():
        files[name].write_bytes(make())
    rows = [{"item": name, "system": "one", "output": f"m/{name}.bin"} for name in formats]
    write_csv(folder / "outputs.csv", rows)
    write_csv(folder / "items.csv", [{"item": name} for name in formats])
    text = f"""\
title: Planned
protocol: rate
items: items.csv
outputs: outputs.csv
show: {{output: {medium}}}
criteria: {{quality: {{question: "How good?", scale: acr}}}}
design: {{overlap: 1, raters: 1, seed: 5}}
"""
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return files


@dataclass(frozen=True, slots=True)
class Server:
    """A study as `jurybox serve` serves it."""

    app: FastAPI
    http: TestClient
    token: str

    def get(self, path: Path) -> Any:
        """What a page that is drawn now gets for a file."""
        return self.http.get(f"/{self.url(path)}")

    def url(self, path: Path) -> str:
        return str(self.app.state.site.shelf.shown_to("r1").output_url(path))

    def warns(self) -> bool:
        """Whether the organizer is told that files do not fit the plan."""
        headers = {"Authorization": f"Bearer {self.token}"}
        part = self.http.get("/api/organizer/progress", headers=headers)
        return "no longer fit its plan" in part.json()["html"]


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    with Store.open(folder / "study.db") as store:
        app, token = make_app(folder, store)
        with TestClient(app) as http:
            yield Server(app, http, token)


@pytest.mark.filterwarnings("ignore:Image appears to be a malformed MPO")
@pytest.mark.parametrize(
    ("medium", "formats"),
    [("image", PICTURES), ("audio", SHOWN_AUDIO), ("video", VIDEO)],
)
def test_what_is_sent_is_byte_for_byte_what_was_planned_and_cleaned(
    medium: str, formats: Formats, tmp_path: Path
) -> None:
    files = write_planned(tmp_path / "s", medium, formats)
    cleaned = {name: clean_bytes(path.read_bytes()) for name, path in files.items()}
    assert run(["plan", str(tmp_path / "s")]) == 0
    with serving(tmp_path / "s") as server:
        for name, path in files.items():
            assert MARKER in path.read_bytes()
            assert MARKER not in cleaned[name]
            assert server.get(path).content == cleaned[name], name


def like(content: bytes, size: int) -> bytes:
    """Another picture of this size, marked in the middle of what was picture before."""
    return content[: size // 2] + (MARKER * size)[: size - size // 2]


@pytest.mark.parametrize("keeps_date", [False, True])
def test_another_file_in_the_place_of_a_planned_one_is_not_sent(
    keeps_date: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = write_planned(tmp_path / "s", "image", {"a": png, "b": png})
    with serving(tmp_path / "s") as server:
        path, other = files["a"], files["b"]
        original, state = path.read_bytes(), path.stat()
        cleaned = clean_bytes(original)
        assert server.get(path).content == cleaned
        path.write_bytes(like(original, len(original)))
        if keeps_date:  # the size is the same too
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        for _ in range(2):  # drawn before the file changed, and after
            refused = server.get(path)
            assert refused.status_code == 404
            assert MARKER not in refused.content
        assert server.warns()
        assert "1 output (a) of one changed" in caplog.text
        assert server.get(other).content == cleaned  # the rest of the study goes on
        path.unlink()
        assert server.get(path).status_code == 404
        path.write_bytes(original)
        server.app.state.renewal._again = now()
        server.get(path)
        assert server.get(path).content == cleaned
        assert not server.warns()


def test_a_server_does_not_start_on_another_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = write_planned(tmp_path / "s", "image", {"a": png})
    assert run(["plan", str(tmp_path / "s")]) == 0
    files["a"].write_bytes(PICTURES["gif"]())
    assert run(["serve", str(tmp_path / "s"), "--port", "0"]) != 0
    assert "1 output (a) of one changed" in capsys.readouterr().err


def test_a_file_that_changes_in_its_date_alone_is_sent(tmp_path: Path) -> None:
    files = write_planned(tmp_path / "s", "image", {"a": png})
    with serving(tmp_path / "s") as server:
        path = files["a"]
        cleaned, before = clean_bytes(path.read_bytes()), server.url(path)
        path.chmod(0o600)
        assert server.http.get(f"/{before}").content == cleaned
        os.utime(path)
        server.get(path)
        assert server.url(path) != before
        assert server.get(path).content == cleaned
        assert not server.warns()


def test_a_file_that_is_not_rated_is_cleaned_as_it_is_now(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    write_planned(folder, "image", {"a": png})
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    example = folder / "example.png"
    example.write_bytes(png())
    (folder / "study.yaml").write_text(
        f"{text}instructions: 'Look ![so](example.png).'\n", encoding="utf-8"
    )
    study = load_study(folder)
    assert example.resolve() in {use.path for use in media_uses(study, load_material(study))}
    with serving(folder) as server:

        def shown() -> Any:
            return server.http.get(f"/{server.app.state.site.shelf.shown_to('r1').url(example)}")

        assert shown().content == clean_bytes(png())
        example.write_bytes(PICTURES["gif"]())
        shown()
        assert shown().content == clean_bytes(PICTURES["gif"]())


def test_a_film_that_is_written_over_while_it_is_sent_is_cut_off(tmp_path: Path) -> None:
    files = write_planned(tmp_path / "s", "video", {"film": webm})
    path = files["film"]
    with serving(tmp_path / "s") as server:
        shelf = server.app.state.site.shelf
        response = shelf.respond(server.url(path).removeprefix("media/"))

        blocks = response.body_iterator

        async def receive() -> bytes:
            first: bytes = await anext(blocks)
            path.write_bytes(MARKER * 10_000)
            with pytest.raises(Changed):
                await anext(blocks)
            return first

        assert MARKER not in asyncio.run(receive())
