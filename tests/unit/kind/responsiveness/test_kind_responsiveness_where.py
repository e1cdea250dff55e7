# SPDX-License-Identifier: Apache-2.0
"""Where the objects of a test are, as a server tells it and as a client takes it."""

import json
import socket
import threading
from typing import Any

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.kind.responsiveness.where import OddError, Places, address, configuration, taken

URLS = {
    "small_download_url": "https://a.test/api/s?size=1",
    "large_download_url": "https://a.test/api/l",
    "upload_url": "https://a.test/api/u",
}


def config(urls: dict[str, str] | None = None, **more: Any) -> bytes:
    return json.dumps({"version": 1, "urls": URLS | (urls or {})} | more).encode()


def test_places_have_the_drafts_names_and_those_of_tools() -> None:
    document = json.loads(configuration("192.0.2.1:4043", secure=True))
    urls = document["urls"]
    assert urls["upload_url"] == urls["https_upload_url"] == "https://192.0.2.1:4043/upload"
    assert urls["large_download_url"] == urls["large_https_download_url"]
    assert urls["small_download_url"] == urls["small_https_download_url"]
    assert document["version"] == 1


@pytest.mark.parametrize(
    ("authority", "endpoint"),
    [("192.0.2.1:4043", "192.0.2.1"), ("[2001:db8::1]:4043", "2001:db8::1"), ("a.test", "a.test")],
)
def test_the_endpoint_is_a_host_alone(authority: str, endpoint: str) -> None:
    """Clients put a port behind it, and an IPv6 address into brackets."""
    assert json.loads(configuration(authority, secure=True))["test_endpoint"] == endpoint


@pytest.mark.parametrize("authority", ["192.0.2.1:4043", "[2001:db8::1]:4043"])
@pytest.mark.parametrize("secure", [True, False])
def test_our_client_takes_what_our_server_tells(authority: str, secure: bool) -> None:
    places = taken(configuration(authority, secure=secure), secure=secure)
    assert places == Places(places.name, 4043, places.name)
    assert places.authority == authority


def test_urls_of_others_are_taken_with_their_paths_and_their_endpoint() -> None:
    assert taken(config(test_endpoint="b.test", more=1), secure=True) == Places(
        "a.test", 443, "b.test", "/api/s?size=1", "/api/l", "/api/u"
    )


def test_names_of_tools_do_where_the_drafts_are_missing() -> None:
    """Apple's servers have these alone."""
    names = ["small_https_download_url", "large_https_download_url", "https_upload_url"]
    urls = dict(zip(names, URLS.values(), strict=True))
    body = json.dumps({"version": 1, "urls": urls}).encode()
    assert taken(body, secure=True).upload == "/api/u"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"<html>", "no JSON"),
        (b"[1]", "no `urls`"),
        (config(version=2), "version is '2', not 1"),
        (config({"upload_url": "https://b.test/u"}), "several hosts"),
        (config({"upload_url": "http://a.test/u"}), "upload_url is no https URL"),
        (config({"upload_url": "https://a.test:x/u"}), "upload_url is no https URL"),
        (config(test_endpoint=1), "test_endpoint is no name"),
        (b'{"version": 1, "version": 1, "urls": {}}', "`version` stands in it twice"),
    ],
)
def test_what_the_draft_has_clients_ignore_is_refused_with_its_reason(
    body: bytes, why: str
) -> None:
    with pytest.raises(OddError, match=why):
        taken(body, secure=True)


@few()
@given(st.text().map("https://a.test/{}".format))
def test_a_path_never_ends_a_header(url: str) -> None:
    try:
        path = taken(config({"upload_url": url}), secure=True).upload
    except OddError:
        return
    assert path.isascii()
    assert path.isprintable()
    assert " " not in path


def test_a_name_that_nobody_answers_for_is_waited_for_in_vain_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over = threading.Event()
    monkeypatch.setattr("gatemark.kind.responsiveness.where.LOOKUP_S", 0.01)

    def resolve(*_: object) -> None:
        over.wait(60)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    try:
        with pytest.raises(OddError, match=r"no address is known for 'a\.test'"):
            address("a.test", 443, socket.AF_INET)
        assert not over.is_set()
    finally:
        over.set()
