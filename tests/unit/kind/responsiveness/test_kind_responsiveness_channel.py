# SPDX-License-Identifier: Apache-2.0
"""What a sender writes at once, what old clients ask, and bytes in bins."""

from contextlib import suppress
from itertools import pairwise

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.kind.responsiveness import http1
from gatemark.kind.responsiveness.bins import BIN_NS, Bins
from gatemark.kind.responsiveness.channel import LARGEST_FRAME_BYTES, chunk_bytes

TLS = 9 + 22  # bytes around a payload


@pytest.mark.parametrize(
    ("ahead", "payload"),
    [(1460, 1448 - TLS), (100, 1448 - TLS), (3000, 2 * 1448 - TLS), (1 << 20, 11 * 1448 - TLS)],
)
def test_a_frame_with_its_heads_fills_whole_segments(ahead: int, payload: int) -> None:
    assert chunk_bytes(ahead, 1448, TLS) == payload


@pytest.mark.parametrize(("begun", "payload"), [(91, 1448 - 91 - TLS), (1430, 1448 + 18 - TLS)])
def test_a_segment_that_was_begun_is_filled_up(begun: int, payload: int) -> None:
    assert chunk_bytes(1460, 1448, TLS, begun) == payload
    assert chunk_bytes(1460, 1448, TLS, begun + 1448) == payload


SIZES = st.integers(64, 65_535)


@few()
@given(st.integers(1, 1 << 24), SIZES, st.sampled_from([9, TLS, 38]), st.integers(0, 1 << 20))
def test_a_frame_is_never_larger_than_http_allows(
    ahead: int, mss: int, heads: int, begun: int
) -> None:
    size = chunk_bytes(ahead, mss, heads, begun)
    assert 1 <= size <= LARGEST_FRAME_BYTES
    assert size + heads <= max(ahead, mss) + heads + 1
    assert size == LARGEST_FRAME_BYTES or (size + heads + begun) % mss == 0


def test_requests_of_old_clients_are_taken_off_as_they_are_whole() -> None:
    pending = bytearray(
        b"HEAD /small HTTP/1.1\r\nHost: A:1\r\n\r\n\r\nGET /.well-known/nq?x HTTP/1.1\r\n"
    )
    requests = http1.Requests(pending)
    assert list(requests.take()) == [http1.Asked("HEAD", "/small", "a:1")]
    pending += b"\r\n"
    assert list(requests.take()) == [http1.Asked("GET", "/.well-known/nq", "")]
    assert not pending


def test_an_old_upload_is_answered_once_all_its_bytes_came() -> None:
    pending = bytearray(b"POST /upload HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc")
    requests = http1.Requests(pending)
    assert list(requests.take()) == [3]
    pending += b"deGET /small HTTP/1.1\r\n\r\n"
    assert list(requests.take()) == [
        2,
        http1.Asked("POST", "/upload", "", 5),
        http1.Asked("GET", "/small", ""),
    ]


CHUNKED = (
    b"POST /upload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nabcde\r\nA ;x=y\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\nGET /small HTTP/1.1\r\n\r\n"
)


@few()
@given(st.lists(st.integers(0, len(CHUNKED)), max_size=8))
def test_an_upload_in_chunks_is_the_same_however_it_comes(cuts: list[int]) -> None:
    """RFC 9112 section 7.1: sizes in hexadecimal, extensions, a last chunk and fields behind it."""
    pending = bytearray()
    requests, events = http1.Requests(pending), list[http1.Event]()
    for begin, end in pairwise([0, *sorted(cuts), len(CHUNKED)]):
        pending += CHUNKED[begin:end]
        events += requests.take()
    assert sum(event for event in events if isinstance(event, int)) == 15
    assert [event for event in events if not isinstance(event, int)] == [
        http1.Asked("POST", "/upload", "", None),
        http1.Asked("GET", "/small", ""),
    ]


def test_a_client_that_waits_is_told_to_go_on_before_its_body() -> None:
    """RFC 9110 section 10.1.1."""
    head = b"PUT /upload HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
    assert isinstance(next(http1.Requests(bytearray(head)).take()), http1.Waits)


@pytest.mark.parametrize(
    ("version", "field", "last"),
    [
        ("1.1", "", False),
        ("1.1", "Connection: TE, Close\r\n", True),
        ("1.0", "", True),
        ("1.0", "Connection: keep-alive\r\n", False),
    ],
)
def test_the_last_request_of_a_connection_is_known(version: str, field: str, last: bool) -> None:
    """RFC 9112 section 9.3."""
    text = f"GET /small HTTP/{version}\r\n{field}\r\n".encode()
    assert list(http1.Requests(bytearray(text)).take()) == [
        http1.Asked("GET", "/small", "", is_last=last)
    ]


@pytest.mark.parametrize(
    "text",
    [
        b"DELETE /upload HTTP/1.1\r\n\r\n",
        b"POST /upload HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /upload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        b"POST /upload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        b"POST /upload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0" * 20_000,
        b"POST /upload HTTP/1.1\r\nContent-Length: -3\r\n\r\n",
        b"GET /small\r\n\r\n",
        b"x" * 20_000,
    ],
)
def test_nothing_else_is_answered(text: bytes) -> None:
    with pytest.raises(http1.OddError, match="not answered here"):
        list(http1.Requests(bytearray(text)).take())


@few()
@given(st.binary(max_size=300))
def test_any_bytes_are_requests_or_refused(text: bytes) -> None:
    with suppress(http1.OddError):
        taken = http1.Requests(bytearray(text + http1.END)).take()
        assert all(not isinstance(asked, http1.Asked) or asked.path for asked in taken)


def test_an_answer_has_its_length() -> None:
    whole = http1.answer(b"1", "text/plain")
    assert whole.endswith(b"content-length: 1\r\n\r\n1")
    assert http1.answer(b"1", "text/plain", only_head=True) == whole[:-1]
    assert http1.answer(None, "text/plain").startswith(b"HTTP/1.1 404 ")


def test_bytes_are_binned_by_their_time() -> None:
    bins, others = Bins(), Bins()
    bins.add(5 * BIN_NS, 100)
    bins.add(7 * BIN_NS + 1, 10)
    others.add(6 * BIN_NS, 1)
    bins.include(others)
    assert bins.report() == {"t0_ns": 5 * BIN_NS, "bin_ms": 10, "bytes": [100, 1, 10]}
    assert bins.total == 111
    assert Bins().report()["bytes"] == []
