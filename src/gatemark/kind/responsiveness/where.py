# SPDX-License-Identifier: Apache-2.0
"""The places of a test's objects: what a server says of them, and how a client reads it.

draft-ietf-ippm-responsiveness, "Responsiveness Test Server Discovery". Servers and clients in the
field have other names for the URLs, and another path, so both are given and read.
"""

import json
import socket
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, quote, urlsplit

PATHS: Final = ("/.well-known/nq", "/config")
LONGEST_AUTHORITY: Final = 255 + len(":65535")  # of a name (RFC 1035 section 2.3.4) and a port
VERSION: Final = 1
LOOKUP_S: Final = 5.0  # for the address of a name
# The draft's name of a URL, and that of tools.
NAMES: Final = {
    "small": ("small_download_url", "small_https_download_url"),
    "large": ("large_download_url", "large_https_download_url"),
    "upload": ("upload_url", "https_upload_url"),
}
KNOWN: Final = {"version", "urls", "test_endpoint"}.union(*NAMES.values())
RESERVED: Final = "/?%:@!$&'()*+,;=~"  # of RFC 3986, which mean something as they are
DEFAULT_PORTS: Final = {"https": 443, "http": 80}


class OddError(Exception):
    """A configuration that the draft has clients ignore; the text says why."""


@dataclass(frozen=True, slots=True)
class Places:
    """A server by the name of its URLs, the path of each object, and whom to connect to."""

    name: str
    port: int
    endpoint: str = ""  # a name or an address in place of `name`; "": none
    small: str = "/small"
    large: str = "/large"
    upload: str = "/upload"

    @property
    def authority(self) -> str:
        """The server as a request names it."""
        return f"[{self.name}]:{self.port}" if ":" in self.name else f"{self.name}:{self.port}"


def configuration(authority: str, *, secure: bool) -> bytes:
    """Return the configuration of a test at our server, which a client calls `authority`."""
    base = f"{'https' if secure else 'http'}://{authority}"
    urls = {name: f"{base}/{what}" for what, names in NAMES.items() for name in names}
    return json.dumps({"version": VERSION, "urls": urls, "test_endpoint": _host(base)}).encode()


def _host(url: str) -> str:
    """A host as tools take it: an IPv6 address without brackets. "" where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def taken(body: bytes, *, secure: bool) -> Places:
    """Read a server's configuration. Raises OddError."""
    config = _config(body)
    scheme = "https" if secure else "http"
    urls = {what: _url(config["urls"], names, scheme) for what, names in NAMES.items()}
    hosts = {(url.hostname or "", url.port or DEFAULT_PORTS[scheme]) for url in urls.values()}
    if len(hosts) > 1:
        raise OddError("its URLs are of several hosts")
    endpoint = config.get("test_endpoint", "")
    if not isinstance(endpoint, str):
        raise OddError("its test_endpoint is no name")
    small, large, upload = map(_path, urls.values())
    return Places(*hosts.pop(), endpoint.strip("[]"), small, large, upload)


def _config(body: bytes) -> dict[str, Any]:
    try:
        config = json.loads(body, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise OddError("it is no JSON") from None
    if not isinstance(config, dict) or not isinstance(config.get("urls"), dict):
        raise OddError("it has no `urls`")
    if config.get("version") not in (VERSION, str(VERSION)):
        raise OddError(f"its version is {str(config.get('version'))[:20]!r}, not {VERSION}")
    return config


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object, in which each name that the draft has stands once."""
    names = Counter(name for name, _ in pairs if name in KNOWN)
    if twice := [name for name, count in names.items() if count > 1]:
        raise OddError(f"`{twice[0]}` stands in it twice")
    return dict(pairs)


def _url(urls: dict[str, Any], names: Sequence[str], scheme: str) -> SplitResult:
    text = next((urls[name] for name in names if name in urls), "")
    try:
        url = urlsplit(text if isinstance(text, str) else "")
        is_whole = url.scheme == scheme and bool(url.hostname) and url.port != 0
    except ValueError:  # of a port or an address
        is_whole = False
    if not is_whole or not (url.path + url.query).isascii() or not url.path.startswith("/"):
        raise OddError(f"its {names[0]} is no {scheme} URL")
    return url


def _path(url: SplitResult) -> str:
    """Return the path as a request names it. Blanks and control characters are none of a URL."""
    return quote(url.path + (f"?{url.query}" if url.query else ""), safe=RESERVED)


def address(name: str, port: int, family: int) -> str:
    """Return the first address of a host in a family (AF_INET, AF_INET6). Raises OddError.

    The resolver knows no deadline: a thread that is left to it ends with the process.
    """
    known: list[str] = []

    def ask() -> None:
        with suppress(OSError, UnicodeError):
            known.append(str(socket.getaddrinfo(name, port, family, socket.SOCK_STREAM)[0][4][0]))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(LOOKUP_S)
    if not known:
        raise OddError(f"no address is known for {name[:80]!r}, or none of its family")
    return known[0]
