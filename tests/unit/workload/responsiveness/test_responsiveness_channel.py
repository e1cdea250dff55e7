# SPDX-License-Identifier: Apache-2.0
"""What a sender writes at once, what old clients ask, and bytes in bins."""

from contextlib import suppress

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.workload.responsiveness import http1
from gatemark.workload.responsiveness.bins import BIN_NS, Bins
from gatemark.workload.responsiveness.channel import LARGEST_FRAME_BYTES, chunk_bytes
from gatemark.workload.responsiveness.server import where

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
    requests = http1.Requests()
    pending = bytearray(
        b"HEAD /small HTTP/1.1\r\nHost: A:1\r\n\r\nGET /.well-known/nq?x HTTP/1.1\r\n"
    )
    assert list(requests.take(pending)) == [http1.Asked("HEAD", "/small", "a:1")]
    pending += b"\r\n"
    assert list(requests.take(pending)) == [http1.Asked("GET", "/.well-known/nq", "")]
    assert not pending


def test_an_old_upload_is_answered_once_all_its_bytes_came() -> None:
    requests = http1.Requests()
    pending = bytearray(b"POST /upload HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc")
    assert list(requests.take(pending)) == [3]
    pending += b"deGET /small HTTP/1.1\r\n\r\n"
    assert list(requests.take(pending)) == [
        2,
        http1.Asked("POST", "/upload", "", 5),
        http1.Asked("GET", "/small", ""),
    ]


@pytest.mark.parametrize(
    "text",
    [
        b"DELETE /upload HTTP/1.1\r\n\r\n",
        b"POST /upload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /upload HTTP/1.1\r\nContent-Length: -3\r\n\r\n",
        b"GET /small\r\n\r\n",
        b"x" * 20_000,
    ],
)
def test_nothing_else_is_answered(text: bytes) -> None:
    with pytest.raises(http1.OddError, match="not answered here"):
        list(http1.Requests().take(bytearray(text)))


@few()
@given(st.binary(max_size=300))
def test_any_bytes_are_requests_or_refused(text: bytes) -> None:
    with suppress(http1.OddError):
        taken = http1.Requests().take(bytearray(text + http1.END))
        assert all(isinstance(asked, int) or asked.path for asked in taken)


def test_an_answer_has_its_length() -> None:
    whole = http1.answer(b"1", "text/plain")
    assert whole.endswith(b"content-length: 1\r\n\r\n1")
    assert http1.answer(b"1", "text/plain", only_head=True) == whole[:-1]
    assert http1.answer(None, "text/plain").startswith(b"HTTP/1.1 404 ")


def test_places_have_the_drafts_names_and_those_of_tools() -> None:
    document = where("192.0.2.1:4043", secure=True)
    urls = document["urls"]
    assert urls["upload_url"] == urls["https_upload_url"] == "https://192.0.2.1:4043/upload"
    assert urls["large_download_url"] == urls["large_https_download_url"]
    assert urls["small_download_url"] == urls["small_https_download_url"]
    assert (document["version"], document["test_endpoint"]) == (1, "192.0.2.1")


def test_bytes_are_binned_by_their_time() -> None:
    bins, others = Bins(), Bins()
    bins.add(5 * BIN_NS, 100)
    bins.add(7 * BIN_NS + 1, 10)
    others.add(6 * BIN_NS, 1)
    bins.include(others)
    assert bins.report() == {"t0_ns": 5 * BIN_NS, "bin_ms": 10, "bytes": [100, 1, 10]}
    assert bins.total == 111
    assert Bins().report()["bytes"] == []
