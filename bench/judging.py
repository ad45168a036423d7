"""What the client of a judge costs: 10,000 calls to an endpoint that answers at once."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["IN_FLIGHT", "Judging", "judging"]

IN_FLIGHT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What one run of ``jurybox judge`` took."""

    milliseconds: float
    """Processor time of the client, for each call."""
    megabytes: float
    """The most memory that the process held."""


def judging(calls: int) -> Judging:
    """Let a judge answer so many calls over real sockets, 64 at once; the client has a process."""
    with tempfile.TemporaryDirectory() as folder, _endpoint() as url:
        _write_study(Path(folder), url, items=calls // 2)
        # The same work without any call: what starting, loading and planning take.
        bare = _client(folder, "--show-prompt")
        full = _client(folder)
        spent = 1000 * (full[0] - bare[0]) / calls
        return Judging(milliseconds=spent, megabytes=full[1])


def _client(folder: str, *options: str) -> tuple[float, float]:
    """Processor seconds and megabytes of a whole process of ``jurybox judge``."""
    run = (
        "import resource, sys; from jurybox.cli import main\n"
        "try: main()\n"
        "except SystemExit as left: assert not left.code, left.code\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(f'used {used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}')"
    )
    verb = ["judge", folder, "--concurrency", str(IN_FLIGHT), *options]
    command = [sys.executable, "-c", run, *verb]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    spent, held = said.rpartition("used ")[2].split()
    return float(spent), float(held)


def _write_study(folder: Path, url: str, *, items: int) -> None:
    rows = [
        {
            "item": f"i{n}",
            "system": system,
            "output": f"Answer {n}, in some forty characters.",
        }
        for n in range(items)
        for system in ("one", "two")
    ]
    lines = "\n".join(json.dumps(row) for row in rows)
    (folder / "outputs.jsonl").write_text(lines + "\n", encoding="utf-8")
    (folder / "study.yaml").write_text(
        "title: Which answer is better?\n"
        "protocol: compare\n"
        "outputs: outputs.jsonl\n"
        "show: {output: text}\n"
        "criteria: {overall: {question: Which answer is better?, choices: [a, b, tie]}}\n"
        "design: {overlap: 1, raters: 1}\n"
        f"session: {{seconds_per_trial: 1, minutes: {items}}}\n"
        f"judges: {{j1: {{model: fast, endpoint: '{url}/v1', order: both}}}}\n",
        encoding="utf-8",
    )


@contextmanager
def _endpoint() -> Iterator[str]:
    """An endpoint in a process of its own, which says the same to everybody."""
    command = [sys.executable, "-m", "bench.judging"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield next(iter(server.stdout or ())).strip()
        finally:
            server.terminate()


async def _serve() -> None:
    verdict = json.dumps({"overall": {"reason": "It says more.", "value": "A"}})
    reply = {
        "model": "fast",
        "choices": [{"message": {"content": verdict}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 12},
    }
    body = json.dumps(reply).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    answer = f"{head}\r\n".encode() + body

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                asked = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", asked.lower())
                await reader.readexactly(int(length[1]) if length else 0)
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
