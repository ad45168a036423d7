"""A peer in an environment of its own, asked by line; see ``peers/answer.py``."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

__all__ = ["Answer", "Peer"]

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".venvs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a peer says, and how long it took it."""

    seconds: float
    result: list[float]
    megabytes: float


class Peer:
    """A process that waits for work; its environment is made on first use and kept."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.version = _version(name)
        script = HERE / "peers" / f"with_{name.replace('-', '_')}.py"
        self._process: subprocess.Popen[str] = subprocess.Popen(
            [str(_python(name)), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()

    def ask(self, work: str, file: Path) -> Answer:
        """Let the peer work on a file."""
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:
            raise RuntimeError(f"{self.name} cannot be talked to")
        into.write(json.dumps({"work": work, "file": str(file)}) + "\n")
        into.flush()
        line = out.readline()
        if not line:
            raise SystemExit(f"{self.name} stopped at {work}; the lines above say why")
        made: dict[str, Any] = json.loads(line)
        return Answer(**made)


def _version(name: str) -> str:
    if name == "jurybox":
        return ""
    pinned = (HERE / "peers" / f"{name}.txt").read_text().splitlines()
    return next(line.partition("==")[2] for line in pinned if line.startswith(f"{name}=="))


def _python(name: str) -> Path:
    """The interpreter of a peer's environment."""
    if name == "jurybox":
        return Path(sys.executable)
    folder = ENVIRONMENTS / name
    python, ready = folder / "bin" / "python", folder / ".ready"
    pinned = HERE / "peers" / f"{name}.txt"
    if not ready.exists() or ready.read_text() != pinned.read_text():
        print(f"Making an environment for {name} …", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", str(pinned)], check=True)
        ready.write_text(pinned.read_text())
    return python
