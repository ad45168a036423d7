"""One judge's line to its model: an OpenAI-compatible server, with patience.

What passes (a rate limit, a busy or broken server, a cut connection) is waited for and tried again;
what will not pass (a wrong key, an unknown model) ends the run with a sentence.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from jurybox.errors import JudgeError
from jurybox.judges.budget import CHARACTERS_PER_TOKEN
from jurybox.judges.journal import Said

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

    from jurybox.study.settings import Judge

__all__ = ["Endpoint", "NoReply", "Refused", "said_of"]

ATTEMPTS: Final = 6
LONGEST_WAIT: Final = 60.0
_PASSING = {408, 409, 425, 429}
Message = Mapping[str, Any]


class NoReply(Exception):
    """No reply came within all attempts; the call can be made again another time."""


class Refused(Exception):
    """The endpoint does not take this one call, as when it is too long for the model."""


class Endpoint:
    """Asks one model. ``timeout`` is for one attempt, in seconds."""

    def __init__(self, name: str, judge: Judge, *, timeout: float, longest: int) -> None:
        self._name = name
        self._judge = judge
        self._longest = longest
        self._client = _client(name, judge, timeout)
        self._pause_until = 0.0
        self._forms = ["json_schema", "json_object", "text"]
        """How a reply is asked to be JSON; what the endpoint does not know is dropped."""
        self._limit = "max_tokens"
        self._with_seed = judge.seed is not None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def ask(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> Said:
        """One reply to a conversation."""
        last = ""
        for attempt in range(ATTEMPTS):
            await self._ready()
            try:
                return await self._try(messages, schema)
            except _Passing as error:
                last = str(error)
                self._wait(error.after, attempt)
        raise NoReply(last)

    async def _ready(self) -> None:
        while (left := self._pause_until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def _wait(self, after: float | None, attempt: int) -> None:
        """Let every call of this judge wait: as long as the server says, else longer each time."""
        if after is None:
            after = min(LONGEST_WAIT, 0.5 * 2**attempt) * random.uniform(0.5, 1.5)  # noqa: S311
        self._pause_until = max(self._pause_until, time.monotonic() + min(after, LONGEST_WAIT))

    async def _try(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> Said:
        import openai

        begun = time.monotonic()
        try:
            # Not `chat.completions.create`, whose care for types takes longer than the call.
            response = await self._client.post(
                "/chat/completions", cast_to=_response_type(), body=self._body(messages, schema)
            )
            reply = response.json()
        except openai.APITimeoutError:
            raise _Passing("no answer in time") from None
        except openai.APIConnectionError as error:
            raise _Passing(f"no connection ({error.__cause__ or error})") from None
        except openai.APIStatusError as error:
            return await self._explain(error, messages, schema)
        except ValueError:
            raise _Passing("an answer that is not JSON") from None
        self._heed(response.headers)
        ms = round(1000 * (time.monotonic() - begun))
        try:
            return said_of(reply, messages, self._judge, ms=ms)
        except ValueError as error:
            raise _Passing(str(error)) from None

    def _body(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._judge.model,
            "messages": list(messages),
            "temperature": self._judge.temperature,
            self._limit: self._longest,
        }
        if self._with_seed:
            body["seed"] = self._judge.seed
        if self._forms[0] == "json_schema":
            form = {"name": "answers", "strict": True, "schema": dict(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif self._forms[0] == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    async def _explain(
        self, error: APIStatusError, messages: Sequence[Message], schema: Mapping[str, Any]
    ) -> Said:
        """Try once more what the endpoint does not know, wait for what passes, refuse the rest."""
        status, words = error.status_code, _words(error)
        if status in _PASSING or status >= 500:
            raise _Passing(f"status {status}", after=_seconds(error.response.headers)) from None
        if status in (401, 403):
            key = (
                f"the key in {self._judge.key_env}" if self._judge.key_env else "a call without key"
            )
            raise JudgeError(f"judges.{self._name}: the endpoint refuses {key}: {words}") from None
        if status == 404:
            raise JudgeError(
                f"judges.{self._name}: the endpoint {self._judge.endpoint} does not know the model "
                f"'{self._judge.model}': {words}"
            ) from None
        if status in (400, 422) and self._give_way(words):
            return await self._try(messages, schema)
        raise Refused(words) from None

    def _give_way(self, words: str) -> bool:
        """Drop the part of the request that the endpoint names; whether there was one."""
        if "max_completion_tokens" in words and self._limit == "max_tokens":
            self._limit = "max_completion_tokens"
        elif "seed" in words and self._with_seed:
            self._with_seed = False
        elif len(self._forms) > 1 and any(
            w in words for w in ("response_format", "schema", "json")
        ):
            self._forms.pop(0)
        else:
            return False
        return True

    def _heed(self, headers: Mapping[str, str]) -> None:
        """Wait before the next call where the server says that nothing is left."""
        for kind in ("requests", "tokens"):
            if headers.get(f"x-ratelimit-remaining-{kind}") == "0":
                after = _duration(headers.get(f"x-ratelimit-reset-{kind}", ""))
                self._wait(1.0 if after is None else after, 0)


def said_of(reply: Any, messages: Sequence[Message], judge: Judge, *, ms: int) -> Said:
    """A completion as the journal keeps it; ``ValueError`` where it has none of its parts."""
    try:
        choice = reply["choices"][0]
        text = choice["message"].get("content") or choice["message"].get("refusal") or ""
        usage = reply.get("usage") or {}
        counted = usage.get("prompt_tokens")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError("an answer without a choice") from None
    read = sum(len(str(message["content"])) for message in messages) / CHARACTERS_PER_TOKEN
    return Said(
        text=str(text),
        finish=str(choice.get("finish_reason") or "stop"),
        tokens_in=int(counted or read),
        tokens_out=int(usage.get("completion_tokens") or len(text) / CHARACTERS_PER_TOKEN),
        estimated=not counted,
        ms=ms,
        model=str(reply.get("model") or judge.model),
    )


class _Passing(Exception):
    """Something that may be over in a moment; ``after`` is what the server says, in seconds."""

    def __init__(self, words: str, *, after: float | None = None) -> None:
        super().__init__(words)
        self.after = after


def _client(name: str, judge: Judge, timeout: float) -> AsyncOpenAI:
    try:
        import aiohttp  # noqa: F401
        from openai import AsyncOpenAI, DefaultAioHttpClient
    except ImportError:
        raise JudgeError(
            "Judges need the openai package with aiohttp; install both with "
            "pip install 'jurybox[judges]'."
        ) from None
    key = "none"
    if judge.key_env is not None:
        key = os.environ.get(judge.key_env, "")
        if not key:
            raise JudgeError(
                f"judges.{name}: the environment variable {judge.key_env} is not set; it must hold "
                f"the key for {judge.endpoint}."
            )
    # Over aiohttp a call takes half of what it takes over the package's own choice.
    http = DefaultAioHttpClient(timeout=timeout)
    return AsyncOpenAI(base_url=judge.endpoint, api_key=key, max_retries=0, http_client=http)


@cache
def _response_type() -> type[Any]:
    """The raw response of whichever HTTP library the openai package stands on."""
    from openai import DefaultAsyncHttpxClient

    module = DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]
    return cast("type[Any]", import_module(module).Response)


def _words(error: APIStatusError) -> str:
    """What the endpoint says is wrong, in one line."""
    body = error.body
    words = body.get("message") if isinstance(body, dict) else None
    return " ".join(str(words or error.message).split())[:500]


def _seconds(headers: Mapping[str, str]) -> float | None:
    """The wait that a server asks for: seconds, milliseconds or a date."""
    from email.utils import parsedate_to_datetime

    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _duration(text: str) -> float | None:
    """A duration such as `6m0s`, `88ms` or `1.5` in seconds.

    >>> _duration("6m0s"), _duration("88ms"), _duration("1.5"), _duration("soon")
    (360.0, 0.088, 1.5, None)
    """
    import re

    plain = _number(text)
    if plain is not None:
        return plain
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
    if not parts or "".join(a + b for a, b in parts) != text:
        return None
    return sum(float(value) * _UNITS[unit] for value, unit in parts)
