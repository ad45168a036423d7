"""The address at which raters reach the server, in one form whichever way it was written."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from jurybox.errors import OptionError

__all__ = ["read_public_url", "root_of"]


def read_public_url(given: str) -> str:
    """The address with one slash at its end; says what is wrong with it.

    >>> read_public_url("https://rate.example:8443/lab")
    'https://rate.example:8443/lab/'
    """
    wanted = "write it as https://host/prefix"
    try:
        parts = urlsplit(given.strip())
        _ = parts.port  # raises for what is no port
    except ValueError as error:
        raise OptionError(f"--public-url {given}: {error}; {wanted}.") from None
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or re.search(r"\s", given.strip())
    ):
        raise OptionError(f"--public-url {given}: this is no address of a web server; {wanted}.")
    if parts.query or parts.fragment or given.strip().endswith(("?", "#")):
        raise OptionError(
            f"--public-url {given}: links add to the address, so it has no '?' or '#'; {wanted}."
        )
    if parts.username is not None:
        raise OptionError(
            f"--public-url {given}: a name or password would be sent to all; {wanted}."
        )
    segments = [quote(one, safe="%:@!$&'()*+,;=~") for one in parts.path.split("/") if one]
    if any(one in (".", "..") for one in segments):
        raise OptionError(
            f"--public-url {given}: a path with '..' leads nowhere certain; {wanted}."
        )
    return "/".join([f"{parts.scheme}://{parts.netloc}", *segments, ""])


def root_of(public_url: str | None) -> str:
    """The path that a public address begins with; nothing without one, as pages are relative then.

    >>> root_of("https://rate.example/lab/"), root_of("https://rate.example/"), root_of(None)
    ('/lab/', '/', '')
    """
    return urlsplit(public_url).path if public_url else ""
