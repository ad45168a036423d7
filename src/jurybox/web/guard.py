"""What every answer has: strict headers, one error shape, and a request that was real JSON."""

from __future__ import annotations

import json
import logging
import math
import re
from http import HTTPStatus
from posixpath import relpath
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jurybox.errors import AnalysisError, JuryboxError, RaterError
from jurybox.store import ReusedId
from jurybox.study.languages import Catalogue, catalogue
from jurybox.web.pages import draw_page

__all__ = [
    "BODY_LIMIT",
    "CONTENT_POLICY",
    "FRAMED_POLICY",
    "Denied",
    "Guard",
    "answer_errors",
    "report_policy",
    "sentence",
]

BODY_LIMIT = 256 * 1024

CONTENT_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
MTURK = "https://*.mturk.com"
FRAMED_POLICY = CONTENT_POLICY.replace(
    "frame-ancestors 'none'", f"frame-ancestors {MTURK}"
).replace("form-action 'none'", f"form-action {MTURK}")
"""For the rater's page of a study on Mechanical Turk, whose frame shows it and takes its code."""
_OWN_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


def report_policy(page: str) -> str:
    """The policy for a report, which is one file with everything in it and can reach nothing else.

    The page says in its head which one script it has, by its hash; a header adds what a page cannot
    say of itself. A page that says nothing runs nothing.

    >>> report_policy("<script>alert(1)</script>")
    "sandbox allow-scripts allow-popups; frame-ancestors 'none'; default-src 'none'"
    """
    own = _OWN_POLICY.search(page.partition("</head>")[0])
    stated = own[1] if own else "default-src 'none'"
    return f"sandbox allow-scripts allow-popups; frame-ancestors 'none'; {stated}"


class _TooLarge(HTTPException):
    """The body passed the limit."""

    def __init__(self) -> None:
        limit = f"{BODY_LIMIT // 1024} kB"
        super().__init__(413, f"The request is larger than {limit}; send less at once.")


def _check_json(body: bytes) -> None:
    """Refuse what Python reads and JSON does not have: NaN, endless numbers, endless nesting."""

    def refuse(number: str) -> Any:
        raise HTTPException(400, f"The request is not understood: {number} is no JSON number.")

    def read(number: str) -> float:
        return value if math.isfinite(value := float(number)) else refuse(number)

    try:
        json.loads(body, parse_constant=refuse, parse_float=read)
    except RecursionError:
        raise HTTPException(400, "The request is not understood: it is nested too deep.") from None
    except ValueError:
        return  # not JSON at all: whoever reads the body says what is wrong


def _from_here(path: str, location: str) -> str:
    """Where a redirect leads, seen from where it was asked: a proxy may have changed all before it.

    >>> _from_here("/lab", "http://127.0.0.1:8321/lab/?id=1")
    'lab/?id=1'
    >>> _from_here("/lab/organizer/", "http://127.0.0.1:8321/lab/organizer")
    '../organizer'
    """
    there = urlsplit(location)
    folder, _, name = there.path.rpartition("/")
    near = f"{relpath(folder or '/', path.rpartition('/')[0] or '/')}/{name}"
    return f"{near}?{there.query}" if there.query else near


class Guard:
    """Adds the headers and ends a request whose body passes the limit."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, watched."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read = b""

        async def bounded() -> Message:
            nonlocal read
            message = await receive()
            read += message.get("body", b"")
            if len(read) > BODY_LIMIT:
                raise _TooLarge
            if read and not message.get("more_body"):
                _check_json(read)
            return message

        is_head = scope["method"] == "HEAD"
        if is_head:  # a GET whose content stays here
            scope = {**scope, "method": "GET", "is_head": True}

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "Location" in headers:
                    headers["Location"] = _from_here(scope["path"], headers["Location"])
                if "Content-Security-Policy" not in headers:  # which says it better
                    headers.setdefault("X-Frame-Options", "DENY")
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            elif is_head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        length = dict(scope["headers"]).get(b"content-length", b"")
        if length.isdigit() and int(length) > BODY_LIMIT:
            error = _TooLarge()
            await sentence(error.status_code, error.detail)(scope, receive, with_headers)
            return
        await self.app(scope, bounded, with_headers)


def sentence(status: int, text: str) -> JSONResponse:
    """The one shape of an error: ``{"error": {"sentence": …}}``."""
    # What a request brought may hold half a character, which no answer can carry.
    written = text.encode("utf-8", "replace").decode("utf-8")
    return JSONResponse({"error": {"sentence": written}}, status_code=status)


def _is_organizers(request: Request) -> bool:
    return re.search(r"/organizer(/|$)", request.scope["path"]) is not None


def _words(request: Request) -> Catalogue:
    """The words of the study's language; the organizer's pages are in English."""
    return catalogue("en" if _is_organizers(request) else request.app.state.site.study.language)


def _answer(request: Request, status: int, text: str) -> Response:
    """The sentence for a script, or as a small page for a person who opened the address."""
    if "text/html" not in request.headers.get("accept", ""):
        return sentence(status, text)
    site = request.app.state.site
    depth = request.scope["path"].removeprefix(request.scope.get("root_path", "")).count("/") - 1
    root = site.root or "../" * depth
    html = draw_page(site, "problem.html", mode="problem", sentence=text, root=root)
    return HTMLResponse(html.encode("utf-8", "replace"), status_code=status)


def _mistake(request: Request) -> str:
    return _words(request).gettext("The server made a mistake; your answers are kept. Try again.")


class Denied(RaterError):
    """A rater's request with the status code that fits it."""

    def __init__(self, status: int, text: str, /, **values: object) -> None:
        self.status = status
        super().__init__(text, **values)


def answer_errors(app: FastAPI) -> None:
    """Give every failure of the app the one error shape."""

    @app.exception_handler(JuryboxError)
    def known(request: Request, error: JuryboxError) -> Response:
        if isinstance(error, RaterError):
            text = _words(request).gettext(error.text, **error.values)
            return _answer(request, error.status if isinstance(error, Denied) else 400, text)
        if isinstance(error, AnalysisError | ReusedId):
            return _answer(request, 409, str(error))
        logging.getLogger("jurybox.web").error("%s: %s", request.url.path, error)
        # It may name a folder, a file or a system, which raters must not read.
        text = str(error) if _is_organizers(request) else _mistake(request)
        return _answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, text)

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        _ = _words(request).gettext
        words = {
            404: _("There is no such page in this study."),
            405: _("This cannot be done here."),
        }
        text = words.get(error.status_code, str(error.detail))
        return _answer(request, error.status_code, text)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
        return _answer(request, 422, f"The request is not understood: {place}: {first['msg']}.")

    @app.exception_handler(Exception)
    def bug(request: Request, error: Exception) -> Response:
        logging.getLogger("jurybox.web").error("bug in %s", request.url.path, exc_info=error)
        return _answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, _mistake(request))
