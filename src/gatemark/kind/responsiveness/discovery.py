# SPDX-License-Identifier: Apache-2.0
"""A client's first question: where the objects of the test are."""

import socket
from dataclasses import replace
from typing import Final

import h2.events

from gatemark.kind.responsiveness.channel import is_over
from gatemark.kind.responsiveness.dial import Dialed, Target
from gatemark.kind.responsiveness.where import PATHS, OddError, address, taken

LARGEST_BYTES: Final = 64 << 10  # of a configuration


class Discovery(Dialed):
    """Asks by the draft's path, then by that of tools; `why` it has no answer, once it is over."""

    def __init__(self, target: Target, sock: socket.socket) -> None:
        super().__init__(target, sock)
        self.why = ""
        self._body = b""
        self._left = list(PATHS)
        self._stream = 0
        self._status = ""
        self.dial()

    def opened(self) -> None:
        """Ask."""
        assert self.channel is not None
        self._body = b""
        self._stream = self.channel.http.get_next_available_stream_id()
        head = self.target.head("GET", self._left.pop(0))
        self.channel.http.send_headers(self._stream, head, end_stream=True)
        self.channel.push()

    def heard(self, event: h2.events.Event) -> None:
        """A piece of the answer, or none."""
        match event:
            case h2.events.ResponseReceived(headers=list(headers)):
                self._status = dict(headers)[b":status"].decode(errors="replace")
            case h2.events.DataReceived(data=bytes(data)) if (
                len(self._body) + len(data) > LARGEST_BYTES
            ):
                self.fail("its configuration is no short text")
            case h2.events.DataReceived(data=bytes(data)):
                self._body += data
            case h2.events.StreamReset() | h2.events.ConnectionTerminated():
                self.fail("the server ended it")
            case _ if is_over(event, self._stream):
                self._over()

    def fail(self, why: str) -> None:
        """It broke, is late, or there is no such thing; nothing where it is over."""
        if not self.is_closed:
            self.why = why
            self.close()

    def is_over(self, _now_ns: int) -> bool:
        """Return whether it has an answer, or none."""
        return self.is_closed

    def target_told(self) -> Target:
        """Return the target as the server's configuration has it. Raises OddError."""
        if self.why:
            raise OddError(self.why)
        target = self.target
        places = taken(self._body, secure=target.tls is not None)
        name = places.endpoint or places.name
        is_same = name == target.places.name
        host = target.host if is_same else address(name, places.port, self.sock.family)
        return replace(target, host=host, places=places)

    def _over(self) -> None:
        if self._status == "200":
            self.close()
        elif self._left:
            self.opened()
        else:
            self.fail(f"the server has none of {', '.join(PATHS)} (its answer: {self._status})")
