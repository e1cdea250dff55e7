# SPDX-License-Identifier: Apache-2.0
"""A connection to the server, opened step by step: what the client's probes and loads share."""

import errno
import os
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import h2.events

from gatemark.kind.responsiveness.channel import Channel, ClosedError
from gatemark.kind.responsiveness.loop import Loop
from gatemark.kind.responsiveness.where import Places

# Round trips of a handshake, by version (RFC 8446, RFC 5246).
ROUND_TRIPS: Final = {"TLSv1.3": 1, "TLSv1.2": 2}


@dataclass(frozen=True, slots=True)
class Target:
    """Where the server is: the address that is connected to, and its places."""

    loop: Loop
    host: str
    places: Places
    tls: ssl.SSLContext | None
    stranger: Callable[[], socket.socket]  # a socket of a probe that is a stranger

    def head(self, method: str, path: str) -> list[tuple[str, str]]:
        """The headers of a request; no encoding, no priority."""
        return [
            (":method", method),
            (":scheme", "https" if self.tls else "http"),
            (":authority", self.places.authority),
            (":path", path),
            ("accept-encoding", "identity"),
        ]


class Dialed:
    """A connection that is being opened, then open. What it is for, is said by those below it."""

    is_load = False

    def __init__(self, target: Target, sock: socket.socket) -> None:
        self.target = target
        self.sock = sock
        self.channel: Channel | None = None
        self.is_closed = False
        self.tcp_ns = 0  # to connect
        self.tls_ns = 0  # a round trip of the handshake
        self.began_ns = 0
        self._shake_ns = 0

    def dial(self) -> None:
        """Begin to connect."""
        self.began_ns = time.monotonic_ns()
        number = self.sock.connect_ex((self.target.host, self.target.places.port))
        self.target.loop.add(self)
        if number and number != errno.EINPROGRESS:
            self.fail(os.strerror(number))

    def fileno(self) -> int:
        """Of its socket."""
        return self.sock.fileno()

    @property
    def is_open(self) -> bool:
        """Return whether requests can be made."""
        return bool(self.channel and self.channel.is_open and not self.is_closed)

    def readable(self) -> None:
        """Read, and see what it means."""
        if self.channel is None:  # a refusal is readable as well
            self.writable()
            return
        try:
            was_open = self.channel.is_open
            events = self.channel.receive()
            if self.channel.is_open and not was_open:
                rounds = ROUND_TRIPS.get(self.channel.version, 1)
                self.tls_ns = (self.channel.read_ns - self._shake_ns) // rounds
                self.opened()
            for event in events:
                self.heard(event)
            if not self.is_closed:
                self.channel.push()
                self.want()
        except ClosedError as error:
            self.fail(str(error))

    def writable(self) -> None:
        """It is connected, or there is room again."""
        try:
            if self.channel is None:
                self._connected()
            elif self.channel.flush():
                self.feed()
            if not self.is_closed:
                self.want()
        except ClosedError as error:
            self.fail(str(error))

    def want(self) -> None:
        """Tell the loop whether there is something to write."""
        assert self.channel is not None
        self.target.loop.want(self, write=self.channel.has_left or self.has_more())

    def close(self) -> None:
        """End it."""
        if not self.is_closed:
            self.is_closed = True
            self.target.loop.drop(self)
            if self.channel:
                self.channel.close()
            else:
                self.sock.close()

    def _connected(self) -> None:
        if number := self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise ClosedError(os.strerror(number))
        self.tcp_ns = self.target.loop.woke_ns - self.began_ns
        self.channel = Channel(
            self.sock, self.target.tls, client=True, host=self.target.places.name
        )
        self._shake_ns = time.monotonic_ns()
        self.channel.greet()
        if self.channel.is_open:
            self.opened()

    def opened(self) -> None:
        """Handshakes are over."""

    def heard(self, event: h2.events.Event) -> None:
        """Something came."""

    def feed(self) -> None:
        """There is room for more."""

    def has_more(self) -> bool:
        """Return whether there is more to feed."""
        return False

    def fail(self, why: str) -> None:
        """It broke, or never came about."""
        raise NotImplementedError


class Request:
    """A small object, asked for on an open connection."""

    def __init__(self, dialed: Dialed) -> None:
        assert dialed.channel is not None
        self.channel = dialed.channel
        http = self.channel.http
        self.stream: int = http.get_next_available_stream_id()
        self.ahead_bytes = self.channel.ahead_bytes()
        http.send_headers(
            self.stream, dialed.target.head("GET", dialed.target.places.small), end_stream=True
        )
        self.began_ns = time.monotonic_ns()
        self.channel.push()

    @property
    def took_ns(self) -> int:
        """From its sending to the last bytes that were read."""
        return self.channel.read_ns - self.began_ns
