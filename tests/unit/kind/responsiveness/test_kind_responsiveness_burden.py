# SPDX-License-Identifier: Apache-2.0
"""A load connection before a server of others that resets streams (RFC 9113 section 5.4.2)."""

import socket
import time
from collections.abc import Callable

import h2.config
import h2.connection
import h2.events

from gatemark.kind.responsiveness.burden import Burden
from gatemark.kind.responsiveness.dial import Target
from gatemark.kind.responsiveness.loop import Loop
from gatemark.kind.responsiveness.probe import Book
from gatemark.kind.responsiveness.where import Places

LONGEST_S = 10


def until(loop: Loop, over: Callable[[], bool]) -> None:
    """Let the loop turn until it is so."""
    ends = time.monotonic() + LONGEST_S
    while not over() and time.monotonic() < ends:
        loop.turn(time.monotonic_ns() + 10_000_000)
    assert over()


def test_a_probe_whose_stream_is_reset_fails_alone() -> None:
    loop, broken, book = Loop(), list[str](), Book()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        mine = socket.socket()
        mine.setblocking(False)
        places = Places(*listening.getsockname())
        target = Target(loop, places.name, places, None, socket.socket)
        burden = Burden(target, mine, "down", broken.append)
        sock, _ = listening.accept()
        until(loop, lambda: burden.is_open)
        burden.load()
        probe = burden.probe(book)
        reset_small(sock)
        until(loop, lambda: probe.is_done)
        sock.close()
    assert dict(book.failed) == {"the server reset it": 1}
    assert broken == []
    burden.close()


def reset_small(sock: socket.socket) -> None:
    """Be a server that resets each request for a small object."""
    http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    http.initiate_connection()
    resets = 0
    while not resets:
        for event in http.receive_data(sock.recv(1 << 16)):
            if isinstance(event, h2.events.RequestReceived) and event.stream_id is not None:
                path = dict(event.headers or ())[b":path"]
                if path == b"/small":
                    http.reset_stream(event.stream_id)
                    resets += 1
    sock.sendall(http.data_to_send())
