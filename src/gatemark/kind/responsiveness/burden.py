# SPDX-License-Identifier: Apache-2.0
"""A load connection: an endless object that comes or goes, and probes beside it."""

import socket
from collections.abc import Callable

import h2.events

from gatemark.kind.responsiveness.bins import Bins
from gatemark.kind.responsiveness.channel import ClosedError, is_over
from gatemark.kind.responsiveness.dial import Dialed, Target
from gatemark.kind.responsiveness.probe import Book, Own


class Burden(Dialed):
    """A load connection, `up` or `down`. It loads from `load` on; at its end `broken` is called."""

    is_load = True

    def __init__(
        self, target: Target, sock: socket.socket, direction: str, broken: Callable[[str], None]
    ) -> None:
        super().__init__(target, sock)
        self.direction = direction
        self.came = Bins()
        self._broken = broken
        self.is_wanted = False
        self._stream = 0
        self._has_room = True
        self._probes: dict[int, Own] = {}
        self.dial()

    @property
    def never_opened(self) -> bool:
        """Return whether its handshakes were never over."""
        return self.channel is None or not self.channel.is_open

    def load(self) -> None:
        """Fill the way from now on; before it is open: from then on."""
        self.is_wanted = True
        if not self.is_open:
            return
        try:
            self._begin()
        except ClosedError as error:
            self.fail(str(error))

    def moved_bytes(self) -> int:
        """Payload so far: what came, or what the other host's TCP acknowledged."""
        if self.direction == "down":
            return self.came.total
        return self.channel.acked_bytes() if self.channel else 0

    def probe(self, book: Book) -> Own:
        """Ask for a small object beside the load. Raises ClosedError where it breaks just then."""
        try:
            own = Own(self, book)
        except ClosedError as error:
            self.fail(str(error))
            raise
        self._probes[own.stream] = own
        self.want()
        return own

    def opened(self) -> None:
        """Load, if `load` was called."""
        if self.is_wanted:
            self._begin()

    def heard(self, event: h2.events.Event) -> None:
        """An answer to a probe, a piece of the load, room, or its end."""
        assert self.channel is not None
        match event:
            case h2.events.DataReceived(stream_id=int(stream), data=bytes(data)):
                if taken := int(event.flow_controlled_length or 0):
                    self.channel.http.acknowledge_received_data(taken, stream)
                self._count(stream, len(data))
            case h2.events.StreamEnded(stream_id=int(stream)) if stream in self._probes:
                self._probes.pop(stream).answered()
            case h2.events.WindowUpdated():
                self._has_room = True
            case h2.events.StreamReset(stream_id=int(stream)):
                self._reset(stream)
            case h2.events.ConnectionTerminated():
                raise ClosedError("the server ended it")
            case _ if self._stream and is_over(event, self._stream):
                raise ClosedError("the server ended the load")

    def _count(self, stream: int, size: int) -> None:
        """Count what came of the load; answers to probes are none of it."""
        if stream == self._stream and self.channel:
            self.came.add(self.channel.read_ns, size)

    def _reset(self, stream: int) -> None:
        """End a probe whose stream was reset, or the load (RFC 9113 section 5.4.2)."""
        if stream == self._stream:
            raise ClosedError("the server reset it")
        if probe := self._probes.pop(stream, None):
            probe.fail("the server reset it")

    def feed(self) -> None:
        """One frame of an upload."""
        if self.has_more():
            assert self.channel is not None
            self._has_room = self.channel.feed(self._stream)

    def has_more(self) -> bool:
        """An upload never ends."""
        return bool(self._stream) and self.direction == "up" and self._has_room

    def fail(self, why: str) -> None:
        """A load that breaks is the end of the test."""
        if not self.is_closed:
            self.close()
            self._broken(why)

    def _begin(self) -> None:
        assert self.channel is not None
        places, is_down = self.target.places, self.direction == "down"
        head = self.target.head(*(("GET", places.large) if is_down else ("POST", places.upload)))
        http = self.channel.http
        self._stream = http.get_next_available_stream_id()
        http.send_headers(self._stream, head, end_stream=is_down)
        self.channel.push()
        self.want()
