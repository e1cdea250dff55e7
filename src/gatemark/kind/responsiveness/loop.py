# SPDX-License-Identifier: Apache-2.0
"""One loop over sockets: what is read comes first, small connections before those of the load."""

import selectors
import time
from typing import Final, Protocol

READ: Final = selectors.EVENT_READ
WRITE: Final = selectors.EVENT_WRITE


class Handler(Protocol):
    """An object that is called when its socket can be read or written."""

    def fileno(self) -> int:
        """Of its socket."""

    def readable(self) -> None:
        """There is something to read, or the end."""

    def writable(self) -> None:
        """There is room to write."""


class Loop:
    """All handlers of a process."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self.woke_ns = time.monotonic_ns()  # when the last wait was over

    def add(self, handler: Handler, *, read: bool = True, write: bool = True) -> None:
        """Call it for these."""
        self._selector.register(handler.fileno(), read * READ | write * WRITE, handler)

    def want(self, handler: Handler, *, write: bool) -> None:
        """Call it for reading, and for writing too or no more."""
        mask = READ | write * WRITE
        if self._selector.get_key(handler.fileno()).events != mask:
            self._selector.modify(handler.fileno(), mask, handler)

    def drop(self, handler: Handler) -> None:
        """Call it no more; before its socket is closed."""
        self._selector.unregister(handler.fileno())

    def turn(self, until_ns: int) -> None:
        """Wait, until a time at most, and serve what is ready: all reading, then all writing."""
        wait_s = max(0.0, (until_ns - time.monotonic_ns()) / 1e9)
        ready = self._selector.select(wait_s)
        self.woke_ns = time.monotonic_ns()
        ready.sort(key=lambda pair: getattr(pair[0].data, "is_load", False))
        for wanted in (READ, WRITE):
            for key, mask in ready:
                handler: Handler = key.data
                if mask & wanted and not getattr(handler, "is_closed", False):
                    handler.readable() if wanted == READ else handler.writable()
