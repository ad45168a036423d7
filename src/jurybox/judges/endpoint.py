"""One judge's line to its model: an OpenAI-compatible server, with patience.

What passes (a rate limit, a busy or broken server, a cut connection) is waited for and tried again;
what will not pass (a wrong key, an unknown model) ends the run with a sentence. What is judged goes
to the endpoint of the study alone: no redirect is followed.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from jurybox.errors import JudgeError
from jurybox.judges.budget import TOKENS_PER_PICTURE, text_tokens
from jurybox.judges.journal import Said
from jurybox.judges.waits import asked_wait, reset_wait

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError, AsyncOpenAI

    from jurybox.study.settings import Judge

__all__ = ["Endpoint", "NoReply", "Refused", "said_of"]

ATTEMPTS: Final = 6
ABSENT: Final = 2
"""After so many more attempts, a server that never gave a reply is not there, or no model."""
LONGEST_WAIT: Final = 60.0
"""Between two attempts, in seconds, where the server does not say how long."""
LONGEST_ASKED: Final = 600.0
"""A server that asks for a longer wait is asked another day."""
LATE: Final = "no answer in time"
_ABOUT_THE_MACHINE = (
    *("Lang", "Package-Version", "OS", "Arch"),
    *("Runtime", "Runtime-Version", "Async"),
)
_PASSING = {408, 409, 425, 429}
Message = Mapping[str, Any]


class NoReply(Exception):
    """No reply came within all attempts; the call can be made again another time."""


class Refused(Exception):
    """The endpoint does not take this one call, as when it is too long for the model."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What a request holds beside its messages; what the endpoint does not know is left out."""

    reply: str = "json_schema"
    limit: str = "max_tokens"
    without: tuple[str, ...] = ()

    def less(self, words: str) -> _Form | None:
        """Leave out the part that the endpoint names; ``None`` where it names none."""
        if "max_completion_tokens" in words and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        for part in ("temperature", "seed"):
            if part in words and part not in self.without:
                return replace(self, without=(*self.without, part))
        if self.reply != "text" and any(w in words for w in ("response_format", "schema", "json")):
            return replace(self, reply="json_object" if self.reply == "json_schema" else "text")
        return None


class Endpoint:
    """Asks one model. ``timeout`` is for one attempt, in seconds."""

    def __init__(self, name: str, judge: Judge, *, timeout: float, longest: int) -> None:
        self._name = name
        self._judge = judge
        self._longest = longest
        self._timeout = timeout
        self._key = _key(name, judge)
        self._client = _client(judge, self._key, timeout)
        # Whole, or the client would put it together for every call.
        self._url = f"{judge.endpoint.rstrip('/')}/chat/completions"
        self._pause_until = 0.0
        self._replies = 0
        self._form = _Form()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def ask(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, seed: int | None = None
    ) -> Said:
        """One reply to a conversation."""
        last, failed, turned_away = "", 0, 0
        while failed + turned_away < ATTEMPTS:
            before = self._replies
            await self._ready()
            try:
                return await self._try(messages, schema, seed)
            except _Passing as error:
                last = str(error)
                if error.absent and not self._replies and failed == ABSENT:
                    raise JudgeError(
                        f"judges.{self._name}: no model answers at {self._judge.endpoint} "
                        f"({last}); start the server there, or correct the URL, which mostly ends "
                        "in /v1."
                    ) from None
                self._wait(error.after, failed + turned_away)
                if not error.limited:
                    failed += 1
                else:
                    # While others get through, a limit only says that it is not yet one's turn.
                    turned_away = 0 if self._replies > before else turned_away + 1
        raise NoReply(last)

    async def _ready(self) -> None:
        while (left := self._pause_until - time.monotonic()) > 0:
            # Not all at the same moment, or the next limit is hit at once.
            await asyncio.sleep(left * random.uniform(1.0, 1.25))  # noqa: S311

    def _wait(self, after: float | None, attempt: int) -> None:
        """Let every call of this judge wait: as long as the server says, and longer each time."""
        if not after:
            after = min(LONGEST_WAIT, 0.5 * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311
        else:  # a wait that proved too short is doubled
            after = max(after, min(LONGEST_WAIT, after * 2**attempt))
        self._pause_until = max(self._pause_until, time.monotonic() + after)

    async def _try(
        self, messages: Sequence[Message], schema: Mapping[str, Any], seed: int | None
    ) -> Said:
        import openai

        begun, form = time.monotonic(), self._form
        try:
            # The client's own limit is between two bytes: one that trickles would never end.
            async with asyncio.timeout(self._timeout):
                # Not `chat.completions.create`, whose care for types takes longer than the call.
                response = await self._client.post(
                    self._url,
                    cast_to=_response_type(),
                    body=self._body(form, messages, schema, seed),
                )
            reply = response.json()
        except TimeoutError:
            raise _Passing(LATE) from None
        except openai.APIConnectionError as error:
            absent = type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout")
            raise _Passing(_no_connection(error), absent=absent) from None
        except openai.APIStatusError as error:
            self._explain(error, form)
            return await self._try(messages, schema, seed)
        except ValueError:
            raise _Passing("an answer that is not JSON", absent=True) from None
        self._heed(response.headers)
        ms = round(1000 * (time.monotonic() - begun))
        try:
            said = said_of(reply, messages, self._judge, ms=ms, without=form.without)
        except ValueError as error:
            raise _Passing(self._hide(str(error))) from None
        self._replies += 1
        return said

    def _body(
        self,
        form: _Form,
        messages: Sequence[Message],
        schema: Mapping[str, Any],
        seed: int | None,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._judge.model,
            "messages": list(messages),
            form.limit: self._longest,
        }
        if "temperature" not in form.without:
            body["temperature"] = self._judge.temperature
        if seed is not None and "seed" not in form.without:
            body["seed"] = seed
        if form.reply == "json_schema":
            answers = {"name": "answers", "strict": True, "schema": dict(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": answers}
        elif form.reply == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _explain(self, error: APIStatusError, form: _Form) -> None:
        """Return where another form may do; wait for what passes, and refuse the rest."""
        status, words = error.status_code, self._hide(_words(error))
        judge, place = self._judge, f"judges.{self._name}: the endpoint"
        if status == 429 and error.code == "insufficient_quota":
            raise JudgeError(f"{place} has no quota left for this key: {words}") from None
        if status in _PASSING or status >= 500:
            after = asked_wait(error.response.headers)
            if after is not None and after > LONGEST_ASKED:
                raise JudgeError(
                    f"{place} asks to wait for {after:,.0f} seconds ({words}); run it again then, "
                    "and it goes on where it was."
                ) from None
            told = words if str(status) in words else f"status {status}: {words}"
            raise _Passing(told, after=after, limited=status == 429) from None
        if status in (401, 402, 403):
            key = f"the key in {judge.key_env}" if judge.key_env else "a call without key"
            raise JudgeError(f"{place} refuses {key}: {words}") from None
        if status == 404:
            raise JudgeError(
                f"{place} {judge.endpoint} does not know the model '{judge.model}', or is not the "
                f"base URL, which mostly ends in /v1: {words}"
            ) from None
        if 300 <= status < 400:
            to = error.response.headers.get("location", "elsewhere")
            raise JudgeError(
                f"{place} {judge.endpoint} sends its callers on to {to}; write the address that "
                "answers into the study."
            ) from None
        if status not in (400, 422):
            raise Refused(words) from None
        if self._form == form:  # else another call has learned it meanwhile
            less = form.less(words)
            if less is None:
                raise Refused(words) from None
            self._form = less

    def _hide(self, words: str) -> str:
        """Some endpoints repeat the key that they refuse."""
        return words.replace(self._key, "…") if self._judge.key_env else words

    def _heed(self, headers: Mapping[str, str]) -> None:
        """Wait before the next call where the server says that nothing is left."""
        after = reset_wait(headers)
        if after:
            self._wait(min(after, LONGEST_ASKED), 0)


def said_of(
    reply: Any, messages: Sequence[Message], judge: Judge, *, ms: int, without: Sequence[str] = ()
) -> Said:
    """A completion as the journal keeps it; ``ValueError`` where it has none of its parts."""
    try:
        choice = reply["choices"][0]
        text = choice["message"].get("content") or choice["message"].get("refusal") or ""
        usage = reply.get("usage") or {}
        read, wrote = usage.get("prompt_tokens"), usage.get("completion_tokens")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError(_instead(reply)) from None
    # Half a character, which JSON can spell, can be neither stored nor sent back.
    text = str(text).encode("utf-8", "replace").decode()
    return Said(
        text=text,
        finish=str(choice.get("finish_reason") or "stop"),
        tokens_in=int(read or sum(_read(message["content"]) for message in messages)),
        tokens_out=int(wrote or text_tokens(text)),
        estimated=not read,
        ms=ms,
        model=str(reply.get("model") or judge.model),
        without=tuple(without),
    )


def _instead(reply: Any) -> str:
    """What an answer without a choice says."""
    error = reply.get("error") if isinstance(reply, dict) else None
    words = error.get("message") if isinstance(error, dict) else error
    return f"an error: {_line(words)}" if words else "an answer without a choice"


def _read(content: str | Sequence[Message]) -> int:
    """About how many tokens a message has, for endpoints that do not count them."""
    if isinstance(content, str):
        return text_tokens(content)
    return sum(
        text_tokens(part["text"]) if part["type"] == "text" else TOKENS_PER_PICTURE
        for part in content
    )


class _Passing(Exception):
    """Something that may be over in a moment; ``after`` is what the server says, in seconds."""

    def __init__(
        self,
        words: str,
        *,
        after: float | None = None,
        limited: bool = False,
        absent: bool = False,
    ) -> None:
        super().__init__(words)
        self.after = after
        self.limited = limited
        self.absent = absent


def _key(name: str, judge: Judge) -> str:
    """The key from the environment; no message repeats it."""
    if judge.key_env is None:
        return "none"
    key = os.environ.get(judge.key_env, "").strip()
    where = f"judges.{name}: the environment variable {judge.key_env}"
    if not key:
        raise JudgeError(f"{where} is not set; it must hold the key for {judge.endpoint}.")
    if not (key.isascii() and key.isprintable()):
        raise JudgeError(f"{where} holds characters that no key has; set it again.")
    return key


def _client(judge: Judge, key: str, timeout: float) -> AsyncOpenAI:
    try:
        import aiohttp  # noqa: F401
        from openai import AsyncOpenAI, DefaultAioHttpClient, Omit
    except ImportError:
        raise JudgeError(
            "Judges need the openai package with aiohttp; install both with "
            "pip install 'jurybox[judges]'."
        ) from None
    # Over aiohttp a call takes half of what it takes over the package's own choice.
    http = DefaultAioHttpClient(timeout=timeout, follow_redirects=False)
    # An endpoint need not know which machine asks, and every header costs time.
    untold = {f"X-Stainless-{about}": Omit() for about in _ABOUT_THE_MACHINE}
    return AsyncOpenAI(
        base_url=judge.endpoint,
        api_key=key,
        max_retries=0,
        http_client=http,
        default_headers=cast("dict[str, str]", untold),
    )


@cache
def _response_type() -> type[Any]:
    """The raw response of whichever HTTP library the openai package stands on."""
    from openai import DefaultAsyncHttpxClient

    module = DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]
    return cast("type[Any]", import_module(module).Response)


def _no_connection(error: APIConnectionError) -> str:
    """Why nothing came; to the client a server that is not there is a time-out too."""
    from openai import APITimeoutError

    cause = error.__cause__ or error
    if isinstance(error, APITimeoutError) and type(cause).__name__ != "ConnectTimeout":
        return LATE
    return f"no connection: {_line(cause)}"


def _words(error: APIStatusError) -> str:
    """What the endpoint says is wrong, in one line."""
    body = error.body
    words = body.get("message") if isinstance(body, dict) else None
    return _line(words or error.message)


def _line(words: Any) -> str:
    return " ".join(str(words).split())[:500]
