# SPDX-License-Identifier: Apache-2.0
"""The server before clients of others: an end or an odd request of a stream is that stream's."""

import json
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
import pytest
from few import few
from hypothesis import example, given
from hypothesis import strategies as st

from gatemark.kind.responsiveness.http1 import Requests
from gatemark.kind.responsiveness.loop import Loop
from gatemark.kind.responsiveness.server import Server

LONGEST_S = 10


class Pair:
    """Our server on a port of the loopback, and a client made of h2 alone."""

    def __init__(self) -> None:
        self.loop = Loop()
        place = {"address": "127.0.0.1", "port": 0, "family": 4}
        self.server = Server(place | {"tls": False, "congestion": ""}, self.loop)
        self.loop.add(self.server, write=False)
        self.connect()

    def connect(self) -> None:
        """Begin a connection."""
        self.sock = socket.create_connection(self.server.sock.getsockname())
        self.sock.setblocking(False)
        self.http = h2.connection.H2Connection()
        self.http.initiate_connection()
        self.events: list[h2.events.Event] = []

    def again(self) -> None:
        """Send what is left, go, and come again."""
        with suppress(OSError):
            self.sock.sendall(self.http.data_to_send())
        self.sock.close()
        self.connect()

    def ask(
        self,
        stream: int,
        path: str,
        method: str = "GET",
        *,
        ended: bool = True,
        authority: str = "a.test:1",
    ) -> None:
        """Add a request to what is sent next."""
        names = (":method", ":path", ":scheme", ":authority")
        values = (method, path, "http", authority)
        self.http.send_headers(stream, list(zip(names, values, strict=True)), end_stream=ended)

    def until(self, wanted: Callable[[h2.events.Event], bool]) -> h2.events.Event:
        """Send what is made, and let both go on until such an event came."""
        self.sock.sendall(self.http.data_to_send())
        ends = time.monotonic() + LONGEST_S
        while time.monotonic() < ends:
            self.loop.turn(time.monotonic_ns() + 10_000_000)
            try:
                piece = self.sock.recv(1 << 20)
            except BlockingIOError:
                continue
            if not piece:
                break
            self.events += self.http.receive_data(piece)
            if wanted_events := [event for event in self.events if wanted(event)]:
                return wanted_events[0]
        raise AssertionError(f"it never came; {self.events}, ended {self.server.ended}")

    def answer(self, stream: int) -> tuple[dict[bytes, bytes], bytes]:
        """Wait for the end of an answer; its headers and its body."""
        self.until(
            lambda event: isinstance(event, h2.events.StreamEnded) and event.stream_id == stream
        )
        parts = [event for event in self.events if getattr(event, "stream_id", 0) == stream]
        heads = [e.headers or [] for e in parts if isinstance(e, h2.events.ResponseReceived)]
        body = [e.data or b"" for e in parts if isinstance(e, h2.events.DataReceived)]
        return dict(heads[0]), b"".join(body)

    def close(self) -> None:
        """Close all sockets."""
        self.sock.close()
        for served in tuple(self.server.open):
            served.close("the test is over")
        self.server.sock.close()


@pytest.fixture
def pair() -> Iterator[Pair]:
    """A server, and a client that is connected to it."""
    made = Pair()
    yield made
    made.close()


@pytest.mark.parametrize("path", ["/small", "/large", "/upload", "/config", "/nosuch"])
def test_a_request_that_is_reset_at_once_ends_alone(pair: Pair, path: str) -> None:
    """The request, its reset and the next request come in one write (RFC 9113 section 5.1)."""
    pair.ask(1, path)
    pair.http.reset_stream(1, h2.errors.ErrorCodes.CANCEL)
    pair.ask(3, "/small")
    assert pair.answer(3)[1] == b"1"


def test_an_endless_object_that_is_reset_leaves_the_others(pair: Pair) -> None:
    pair.ask(1, "/large")
    pair.until(lambda event: isinstance(event, h2.events.DataReceived))
    pair.http.reset_stream(1, h2.errors.ErrorCodes.CANCEL)
    pair.ask(3, "/small")
    assert pair.answer(3)[1] == b"1"


def test_an_upload_that_is_reset_leaves_the_others(pair: Pair) -> None:
    pair.ask(1, "/upload", "POST", ended=False)
    pair.http.send_data(1, bytes(1000))
    pair.http.reset_stream(1, h2.errors.ErrorCodes.CANCEL)
    pair.ask(3, "/small")
    assert pair.answer(3)[1] == b"1"
    assert pair.server.came.total == 1000


def test_an_answer_waits_for_the_clients_window(pair: Pair) -> None:
    """RFC 9113 section 6.9.2: a client may begin with windows of no bytes."""
    pair.http.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0})
    pair.ask(1, "/small")
    pair.until(lambda event: isinstance(event, h2.events.ResponseReceived))
    pair.http.increment_flow_control_window(1, 1)
    assert pair.answer(1)[1] == b"1"


def test_an_answer_waits_for_the_clients_settings(pair: Pair) -> None:
    """A larger initial window opens the windows of all streams (RFC 9113 section 6.9.2)."""
    pair.http.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0})
    pair.ask(1, "/small")
    pair.until(lambda event: isinstance(event, h2.events.ResponseReceived))
    pair.http.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 100})
    assert pair.answer(1)[1] == b"1"


def test_a_client_that_goes_in_the_middle_ends_its_connection_alone(pair: Pair) -> None:
    """A request and GOAWAY in one write: nothing can be answered there any more."""
    pair.ask(1, "/small")
    pair.http.close_connection()
    pair.sock.sendall(pair.http.data_to_send())
    ends = time.monotonic() + LONGEST_S
    while not pair.server.ended and time.monotonic() < ends:
        pair.loop.turn(time.monotonic_ns() + 10_000_000)
    assert pair.server.ended.total() == 1
    assert not pair.server.open


@pytest.mark.parametrize("path", ["/config", "/.well-known/nq", "/config?x=1"])
def test_where_things_are_is_answered_by_the_drafts_name_and_by_that_of_tools(
    pair: Pair, path: str
) -> None:
    pair.ask(1, path)
    heads, body = pair.answer(1)
    assert heads[b"content-type"] == b"application/json"
    assert json.loads(body)["urls"]["small_download_url"] == "http://a.test:1/small"


@pytest.mark.parametrize(
    ("path", "length"), [("/small", b"1"), ("/large", None), ("/upload", b"0"), ("/nosuch", None)]
)
def test_head_has_the_answers_headers_and_no_body(
    pair: Pair, path: str, length: bytes | None
) -> None:
    """RFC 9110 section 9.3.2."""
    pair.ask(1, path, "HEAD")
    heads, body = pair.answer(1)
    assert heads[b":status"] == (b"404" if path == "/nosuch" else b"200")
    assert (heads.get(b"content-length"), body) == (length, b"")


def test_a_client_that_reads_no_answers_is_ended(pair: Pair) -> None:
    pings = frame(6, 0, bytes(8)) * 4096
    pair.sock.sendall(pair.http.data_to_send())
    ends = time.monotonic() + LONGEST_S
    while not pair.server.ended and time.monotonic() < ends:
        with suppress(BlockingIOError, ConnectionResetError):
            pair.sock.send(pings)
        pair.loop.turn(time.monotonic_ns())
    assert [*pair.server.ended] == ["it does not read what it asked for"]


def test_a_server_of_an_endless_name_is_nowhere(pair: Pair) -> None:
    """Each URL of the answer would have the name once more."""
    pair.ask(1, "/config", authority="a" * 300)
    heads, body = pair.answer(1)
    assert (heads[b":status"], body) == (b"404", b"")


@pytest.mark.timeout(60)  # a second; many minutes where each line costs what is behind it
def test_empty_lines_cost_no_more_than_themselves() -> None:
    pending = bytearray(b"\r\n" * 1_000_000)
    assert [*Requests(pending).take()] == []
    assert not pending


def test_connections_that_rest_make_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go's net/http never closes the connections of a transport that is not used any more."""
    monkeypatch.setattr("gatemark.kind.responsiveness.server.MOST_OPEN", 2)
    pair = Pair()
    try:
        pair.ask(1, "/upload", "POST", ended=False)
        pair.http.send_data(1, bytes(10))
        pair.until(lambda event: isinstance(event, h2.events.WindowUpdated))
        load, resting = pair.sock, list[socket.socket]()
        for _ in range(3):
            pair.connect()
            pair.ask(1, "/small")
            assert pair.answer(1)[1] == b"1"
            resting.append(pair.sock)
        assert next(iter(pair.server.open)).channel.sock.getpeername() == load.getsockname()
        assert pair.server.strangers == 0
    finally:
        pair.close()


def test_of_too_many_streams_who_has_most_loses_his(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatemark.kind.responsiveness.server.MOST_STREAMS", 40)
    pair = Pair()
    greedy = pair.sock
    try:
        for stream in range(1, 61, 2):
            pair.ask(stream, "/upload", "POST", ended=False)
            pair.http.send_data(stream, bytes(10))
        pair.until(lambda event: isinstance(event, h2.events.WindowUpdated))
        pair.connect()
        for stream in range(1, 31, 2):
            pair.ask(stream, "/upload", "POST", ended=False)
        pair.ask(31, "/small")
        assert pair.answer(31)[1] == b"1"
        assert dict(pair.server.ended) == {"it had most of too many streams": 1}
        assert pair.server.streams == sum(served.streams for served in pair.server.open)
    finally:
        greedy.close()
        pair.close()


def frame(kind: int, stream: int, payload: bytes) -> bytes:
    """A frame without flags (RFC 9113 section 4.1)."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, 0, stream) + payload


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(frame(8, 1, struct.pack(">I", 0x7FFFFFFF)), id="a window of over 2^31"),
        pytest.param(frame(2, 3, struct.pack(">IB", 0, 15)), id="PRIORITY before the request"),
        pytest.param(frame(6, 0, bytes(8)), id="PING"),
        pytest.param(frame(0x10, 0, struct.pack(">I", 3) + b"u=1"), id="PRIORITY_UPDATE"),
        pytest.param(frame(0xFA, 0, b"x"), id="a frame of a kind to come"),
    ],
)
def test_frames_that_others_stumble_over_end_no_connection(pair: Pair, odd: bytes) -> None:
    """What public reports have: see docs/measured.md."""
    pair.ask(1, "/large")
    pair.until(lambda event: isinstance(event, h2.events.DataReceived))
    pair.sock.sendall(odd)
    pair.ask(3, "/small")
    assert pair.answer(3)[1] == b"1"


@pytest.mark.parametrize(
    "late", [frame(8, 1, struct.pack(">I", 5)), frame(3, 1, struct.pack(">I", 8))]
)
def test_what_comes_late_for_a_closed_stream_is_of_no_account(pair: Pair, late: bytes) -> None:
    """WINDOW_UPDATE and RST_STREAM (RFC 9113 section 5.1)."""
    pair.ask(1, "/small")
    pair.answer(1)
    pair.sock.sendall(late)
    pair.ask(3, "/small")
    assert pair.answer(3)[1] == b"1"


PATHS = st.sampled_from(["/small", "/large", "/upload", "/config", "/nosuch"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), PATHS, st.sampled_from(["GET", "HEAD", "POST"])),
        st.tuples(st.sampled_from(["reset", "data", "end"]), st.integers(0, 5)),
        st.tuples(st.just("window"), st.sampled_from([0, 1, 65_535])),
        st.tuples(st.sampled_from(["send", "goaway"])),
        st.tuples(st.just("bytes"), st.binary(max_size=20)),
    ),
    max_size=20,
)


@few()
@given(STEPS)
@example([("ask", "/small", "GET"), ("reset", 0), ("send",)])
@example([("ask", "/large", "GET"), ("send",), ("reset", 0), ("send",), ("ask", "/small", "GET")])
def test_whatever_a_client_does_the_server_serves_the_next_one(steps: list[Any]) -> None:
    pair = Pair()
    try:
        for step in steps:
            with suppress(h2.exceptions.ProtocolError, OSError):  # the client's own, or its end
                do(pair, *step)
        pair.again()
        pair.ask(1, "/small")
        assert pair.answer(1)[1] == b"1"
    finally:
        pair.close()


def do(pair: Pair, act: str, *words: Any) -> None:
    """Let the client do something; streams are those of its requests, counted round and round."""
    if act in ("reset", "data", "end"):
        requests = pair.http.get_next_available_stream_id() // 2 or 1
        at_stream(pair.http, act, 1 + 2 * (words[0] % requests))
    elif act == "ask":
        stream = pair.http.get_next_available_stream_id()
        pair.ask(stream, *words, ended=words[1] != "POST")
    elif act == "window":
        pair.http.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: words[0]})
    elif act == "goaway":
        pair.http.close_connection()
    else:
        pair.sock.sendall(words[0] if words else pair.http.data_to_send())
        pair.loop.turn(time.monotonic_ns() + 1_000_000)


def at_stream(http: h2.connection.H2Connection, act: str, stream: int) -> None:
    """Do something to a stream."""
    if act == "reset":
        http.reset_stream(stream)
    elif act == "data":
        http.send_data(stream, bytes(100))
    else:
        http.end_stream(stream)
