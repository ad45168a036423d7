"""A small OpenAI-compatible server whose judge is planted, and which misbehaves when it is told to.

It reads the prompt as a model would: the trial between its marks, the form of the reply from the
schema. Its view of an output is the number that the output's text carries, as `quality 0.7`.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.web.serving import live

Fault = Callable[[int, dict[str, Any]], Response | None]
"""What to answer instead, by the number of the request from 0, which tells nothing about the call
where several are on the way; ``None``: nothing special."""


@dataclass(kw_only=True)
class Planted:
    """What the judge thinks, and how it is biased; latents are shares of the scale."""

    position: float = 0.0
    """What being shown first adds."""
    verbosity: float = 0.0
    """What a text gains that is twice as long as the mean of those shown."""
    own: str = "\0"
    """Words that mark an output of the judge's own family."""
    self_preference: float = 0.0
    noise: float = 0.0
    seed: int = 0
    reply: Callable[[dict[str, Any]], str] | None = None
    """Replies this instead of a verdict."""


@dataclass
class Server:
    """The running server: where it is, and what it was asked."""

    url: str
    planted: Planted
    calls: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0

    def calls_with(self, key: str, *, but: Collection[int] = ()) -> int:
        """How many calls came with this key, but for those of these numbers."""
        wanted = [one.get("authorization") == f"Bearer {key}" for one in self.headers]
        return sum(found for number, found in enumerate(wanted) if number not in but)


@contextmanager
def judge_server(
    planted: Planted | None = None,
    *,
    fault: Fault = lambda number, body: None,
    usage: bool = True,
    schema: bool = True,
    wait: float = 0.0,
) -> Iterator[Server]:
    """Serve a judge; without ``schema`` the endpoint does not know structured replies."""
    import asyncio

    server = Server(url="", planted=planted or Planted())
    lock = threading.Lock()
    now = 0

    async def complete(request: Request) -> Response:
        nonlocal now
        body = await request.json()
        with lock:
            number = len(server.calls)
            server.calls.append(body)
            server.headers.append(dict(request.headers))
            now += 1
            server.most_at_once = max(server.most_at_once, now)
        try:
            if wait:
                await asyncio.sleep(wait)
            strange = fault(number, body)
            if strange is not None:
                return strange
            if not schema and "response_format" in body:
                words = "response_format is not supported by this server"
                return JSONResponse({"error": {"message": words}}, status_code=400)
            return JSONResponse(completion(verdict(body, server.planted), body, usage=usage))
        finally:
            with lock:
                now -= 1

    app = Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])
    with live(app) as url:
        server.url = f"{url.rstrip('/')}/v1"
        yield server


def completion(text: str, body: dict[str, Any], *, usage: bool = True) -> dict[str, Any]:
    read = len(json.dumps(body["messages"])) // 4
    counted = {"prompt_tokens": read, "completion_tokens": len(text) // 4}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": f"{body['model']}-0613",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        **({"usage": {**counted, "total_tokens": read + len(text) // 4}} if usage else {}),
    }


def says(text: str) -> Callable[[int, dict[str, Any]], Response]:
    """A fault: every reply is this text."""
    return lambda number, body: JSONResponse(completion(text, body))


def at_first(trouble: Callable[[], Response], times: int) -> Fault:
    """A fault: the first attempts at every question fail, whichever others come in between."""
    met: Counter[str] = Counter()

    def fault(number: int, body: dict[str, Any]) -> Response | None:
        question = json.dumps(body["messages"])
        met[question] += 1
        return trouble() if met[question] <= times else None

    return fault


def status(code: int, **headers: str) -> Response:
    return JSONResponse(
        {"error": {"message": f"status {code}"}},
        status_code=code,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def broken() -> Response:
    return PlainTextResponse("<html>not JSON</html>")


def cut_off() -> Response:
    """A connection that ends in the middle of its answer."""

    async def some() -> Any:
        yield b'{"choices": [{"mess'
        raise ConnectionResetError

    return StreamingResponse(some(), headers={"content-length": "500"})


def shown(body: dict[str, Any]) -> dict[str, str]:
    """The outputs in the prompt by their letter; a lone one is A."""
    content = body["messages"][1]["content"]
    text = content if isinstance(content, str) else "\n".join(p.get("text", "") for p in content)
    code = re.search(r"marks with the code (\w+)", text)
    assert code is not None
    found = re.findall(
        rf"\[begin output ?([A-Z]?) · {code[1]}\]\n(.*?)\n\[end output ?\1 · {code[1]}\]",
        text,
        re.DOTALL,
    )
    return {letter or "A": words for letter, words in found}


def views(body: dict[str, Any], planted: Planted) -> dict[str, float]:
    """How good the judge finds each output, its biases included."""
    outputs = shown(body)
    # Of pictures there are no words.
    mean = max(1.0, sum(len(text) for text in outputs.values()) / max(1, len(outputs)))
    seed = [planted.seed, len(body["messages"]), *json.dumps(body["messages"]).encode()[-4000:]]
    rng = np.random.default_rng(seed)
    made = {}
    for letter, text in outputs.items():
        quality = re.search(r"quality (-?\d*\.?\d+)", text)
        made[letter] = (
            (float(quality[1]) if quality else 0.5)
            + planted.position * (letter == "A")
            + planted.verbosity * np.log2(max(len(text), 1) / mean)
            + planted.self_preference * (planted.own in text)
            + planted.noise * rng.standard_normal()
        )
    return made


def verdict(body: dict[str, Any], planted: Planted) -> str:
    """The reply in the form that the request asks for."""
    if planted.reply is not None:
        return planted.reply(body)
    seen = views(body, planted)
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if schema is None:
        return json.dumps({"overall": {"reason": "r", "value": _choose(seen, ["A", "B", "tie"])}})
    return json.dumps({name: _entry(one, seen) for name, one in schema["properties"].items()})


def _entry(schema: dict[str, Any], seen: dict[str, float]) -> dict[str, Any]:
    parts = schema["properties"]
    entry: dict[str, Any] = {"reason": "A reason.", "value": _value(parts["value"], seen)}
    if "confidence" in parts:
        entry["confidence"] = parts["confidence"]["enum"][-1]
    return entry


def _value(schema: dict[str, Any], seen: dict[str, float]) -> Any:
    if schema["type"] == "object":
        each = schema["properties"]
        if all(one["type"] == "integer" for one in each.values()):
            order = sorted(seen, key=lambda letter: -seen[letter])
            return {letter: order.index(letter) + 1 for letter in each}
        return {letter: _value(one, {"A": seen[letter]}) for letter, one in each.items()}
    if schema["type"] == "string":
        if "real" in schema["enum"]:
            return "real" if seen["A"] > 0.5 else "generated"
        return _choose(seen, schema["enum"])
    if schema["type"] == "array":
        return []
    values = schema.get("enum", [0, 100])
    low, high = min(values), max(values)
    wanted = low + (high - low) * min(1.0, max(0.0, seen["A"]))
    return min(values, key=lambda value: abs(value - wanted)) if "enum" in schema else round(wanted)


def _choose(seen: dict[str, float], allowed: list[str]) -> str:
    best = max(seen, key=lambda letter: seen[letter])
    close = len(seen) == 2 and abs(seen["A"] - seen["B"]) < 0.02
    return "tie" if close and "tie" in allowed else best
