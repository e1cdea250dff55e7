# SPDX-License-Identifier: Apache-2.0
"""Whatever a server answers, a question ends in time and takes no more than 64 KiB."""

import itertools
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

import pytest

from gatemark.error import NodeError
from gatemark.node import http
from gatemark.station.power.plug import Plug

HEAD = b"HTTP/1.1 200 OK\r\n"
FEW = b"x" * 10
MUCH = b"x" * (1 << 16)
PIECE = b"%x\r\n%s\r\n" % (len(MUCH), MUCH)


@contextmanager
def giving(pieces: Iterable[bytes], every_s: float = 0.0) -> Iterator[str]:
    """A server that sends these to whoever asks, until he is gone or the test is over."""
    is_over = threading.Event()

    def serve() -> None:
        end, _ = listening.accept()
        with end, suppress(OSError):
            for piece in pieces:
                end.sendall(piece)
                if is_over.wait(every_s):
                    return
            is_over.wait()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        is_over.set()


def after(head: bytes, piece: bytes) -> Iterator[bytes]:
    return itertools.chain([head], itertools.repeat(piece))


TOO_MUCH = {
    "a body without an end": after(HEAD + b"\r\n", MUCH),
    "a body of 2 GiB": after(HEAD + b"content-length: 2147483648\r\n\r\n", MUCH),
    "pieces without an end": after(HEAD + b"transfer-encoding: chunked\r\n\r\n", PIECE),
    "a piece of 2 GiB": after(HEAD + b"transfer-encoding: chunked\r\n\r\n7fffffff\r\n", MUCH),
    "a head without an end": after(HEAD, b"x: " + MUCH[:1000] + b"\r\n"),
    "a line without an end": after(b"", MUCH),
    "a trailer without an end": after(
        HEAD + b"transfer-encoding: chunked\r\n\r\n0\r\n", b"x: y\r\n" * 100
    ),
    "go on, for ever": after(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_an_answer_has_a_bound(what: str) -> None:
    refused = "more than 64 KiB in its answer|no whole answer of HTTP"
    with giving(TOO_MUCH[what]) as where, pytest.raises(NodeError, match=refused):
        http.get(f"http://{where}/")


LATE = {
    "says nothing": [],
    "a head, and nothing": [HEAD],
    "a body, drop by drop": after(HEAD + b"content-length: 9999\r\n\r\n", b"x"),
    "a head, drop by drop": after(HEAD + b"x: ", b"y"),
    "a body that is a byte short": [HEAD + b"content-length: 11\r\n\r\n" + FEW],
}


@pytest.mark.parametrize("what", LATE)
def test_an_answer_has_a_deadline(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "WITHIN_S", 0.2)
    late = "timed out|no whole answer within 0.2 s"
    with giving(LATE[what], every_s=0.01) as where, pytest.raises(NodeError, match=late):
        http.get(f"http://{where}/")


BODY = HEAD + b"transfer-encoding: chunked\r\n\r\n"
ODD = {
    "no HTTP": b"SSH-2.0-plug\r\n\r\n",
    "a status of 400 digits": b"HTTP/1.1 " + b"2" * 400 + b" OK\r\n\r\n",
    "a status below zero": b"HTTP/1.1 -200 OK\r\ncontent-length: 0\r\n\r\n",
    "another version": b"HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n",
    "a failure": b"HTTP/1.1 500 \x1b[2J\r\ncontent-length: 0\r\n\r\n",
    "a hundred headers and one": HEAD + b"x: y\r\n" * 101 + b"\r\n",
    "a piece of no number": BODY + b"soon\r\n",
    "a piece below zero": BODY + b"-1\r\n",
    "a piece of 400 digits": BODY + b"f" * 400 + b"\r\n",
    "a piece that is cut": BODY + b"a\r\nx",
}


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("what", ODD)
def test_an_odd_answer_is_an_error_in_one_printable_line(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "WITHIN_S", 0.5)
    with giving([ODD[what]]) as where, pytest.raises(NodeError) as error:
        http.get(f"http://{where}/")
    assert str(error.value).isprintable()


def test_a_name_that_is_looked_up_for_ever_holds_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()
    monkeypatch.setattr(http, "WITHIN_S", 0.2)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_named: [is_over.wait()][:0])
    with pytest.raises(NodeError, match=r"no whole answer within 0\.2 s"):
        http.get("http://plug.example/")
    is_over.set()


def test_nothing_is_followed_elsewhere() -> None:
    with giving([HEAD + b"content-length: 10\r\n\r\n" + FEW]) as other:
        moved = b"HTTP/1.1 302 Found\r\nlocation: http://%s/\r\ncontent-length: 0\r\n\r\n"
        found = pytest.raises(NodeError, match=r"^302 Found$")
        with giving([moved % other.encode()]) as where, found:
            http.get(f"http://{where}/")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "https://127.0.0.1/", "ftp://127.0.0.1/"])
def test_nothing_but_http_is_spoken(url: str) -> None:
    with pytest.raises(NodeError, match="write http://"):
        http.get(url)


def test_a_name_steers_no_line_of_the_question() -> None:
    with pytest.raises(NodeError):
        http.get("http://127.0.0.1:9/x\r\nx: y")


def test_a_whole_answer_is_not_waited_for_longer() -> None:
    """The server leaves the connection open."""
    with giving([HEAD + b"content-length: 10\r\n\r\n" + FEW]) as where:
        assert http.get(f"http://{where}/") == FEW


def test_a_plug_that_drips_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "WITHIN_S", 0.2)
    told = pytest.raises(NodeError, match=r"power plug http://.*; check \[power\] address")
    with giving(after(HEAD, b"x"), every_s=0.01) as where, told:
        Plug("shelly2", where).start()
