"""What every answer of the server has: strict headers, one error shape, and no endless bodies."""

from __future__ import annotations

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jurybox.errors import AnalysisError, JuryboxError, RaterError

__all__ = ["BODY_LIMIT", "CONTENT_POLICY", "Denied", "Guard", "answer_errors", "sentence"]

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
_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


class _TooLarge(HTTPException):
    """The body passed the limit."""

    def __init__(self) -> None:
        limit = f"{BODY_LIMIT // 1024} kB"
        super().__init__(413, f"The request is larger than {limit}; send less at once.")


class Guard:
    """Adds the headers and ends a request whose body passes the limit."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, watched."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read = 0

        async def bounded() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > BODY_LIMIT:
                raise _TooLarge
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        length = dict(scope["headers"]).get(b"content-length", b"")
        if length.isdigit() and int(length) > BODY_LIMIT:
            error = _TooLarge()
            await sentence(error.status_code, error.detail)(scope, receive, with_headers)
            return
        await self.app(scope, bounded, with_headers)


def sentence(status: int, text: str) -> JSONResponse:
    """The one shape of an error: ``{"error": {"sentence": …}}``."""
    return JSONResponse({"error": {"sentence": text}}, status_code=status)


class Denied(RaterError):
    """A rater's request with the status code that fits it."""

    def __init__(self, status: int, text: str) -> None:
        self.status = status
        super().__init__(text)


def answer_errors(app: FastAPI) -> None:
    """Give every failure of the app the one error shape."""

    @app.exception_handler(JuryboxError)
    def known(request: Request, error: JuryboxError) -> JSONResponse:
        if isinstance(error, Denied):
            return sentence(error.status, str(error))
        if isinstance(error, AnalysisError):
            return sentence(409, str(error))
        return sentence(400 if isinstance(error, RaterError) else 500, str(error))

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> JSONResponse:
        words = {404: "There is no such page in this study.", 405: "This cannot be done here."}
        return sentence(error.status_code, words.get(error.status_code, str(error.detail)))

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
        return sentence(422, f"The request is not understood: {place}: {first['msg']}.")

    @app.exception_handler(Exception)
    def bug(request: Request, error: Exception) -> JSONResponse:
        logging.getLogger("jurybox.web").error("bug in %s", request.url.path, exc_info=error)
        reason = HTTPStatus.INTERNAL_SERVER_ERROR
        return sentence(reason, "The server made a mistake; your answers are kept. Try again.")
