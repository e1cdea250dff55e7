# SPDX-License-Identifier: Apache-2.0
"""Probes: strangers that open a connection each, and requests beside a load; the book of both."""

import time
from bisect import bisect_left
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Final

import h2.events

from gatemark.kind.responsiveness.channel import is_over
from gatemark.kind.responsiveness.dial import Dialed, Request, Target
from gatemark.kind.responsiveness.draft import LATE_S
from gatemark.kind.responsiveness.formula import Times
from gatemark.kind.responsiveness.repair import Repair

LATE_NS: Final = round(LATE_S * 1e9)
LATE: Final = f"no answer in {LATE_S:g} s"
NS_A_MS: Final = 1e6

Column = list[int]


def _ms(values: Column) -> list[float]:
    return [value / NS_A_MS for value in values]


@dataclass(slots=True)
class Book:
    """The times of probes, in the order in which they ended; ns."""

    foreign: dict[str, Column] = field(
        default_factory=lambda: {"t_ns": [], "tcp_ns": [], "tls_ns": [], "http_ns": []}
    )
    own: dict[str, Column] = field(
        default_factory=lambda: {"t_ns": [], "http_ns": [], "ahead_bytes": [], "repairs": []}
    )
    tried: int = 0
    failed: Counter[str] = field(default_factory=Counter)  # by reason

    def times(self, since_ns: int, *, tls: bool) -> Times:
        """Return the times of the probes that ended since then."""
        at = bisect_left(self.foreign["t_ns"], since_ns)
        own = bisect_left(self.own["t_ns"], since_ns)
        tcp, shake, http = (
            _ms(self.foreign[name][at:]) for name in ("tcp_ns", "tls_ns", "http_ns")
        )
        return Times(tcp, shake if tls else (), http, _ms(self.own["http_ns"][own:]))

    def report(self) -> dict[str, Any]:
        """Return the report to the laboratory."""
        return {
            "foreign": self.foreign,
            "self": self.own,
            "tried": self.tried,
            "failed": dict(self.failed),
        }


class Probe:
    """A probe that is on its way; `book` takes its end."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.is_done = False
        self.due_ns = time.monotonic_ns() + LATE_NS
        book.tried += 1

    def failed(self, why: str) -> None:
        """It ended without an answer."""
        if not self.is_done:
            self.is_done = True
            self.book.failed[why] += 1

    def row(self, columns: dict[str, Column], **values: int) -> None:
        """It ended with one."""
        self.is_done = True
        for name, value in values.items():
            columns[name].append(value)


class Foreign(Probe, Dialed):
    """A stranger: connects, shakes hands, asks for a small object, goes."""

    def __init__(self, target: Target, book: Book) -> None:
        Probe.__init__(self, book)
        Dialed.__init__(self, target, target.stranger())
        self._request: Request | None = None
        self.dial()

    def opened(self) -> None:
        """Ask."""
        self._request = Request(self)

    def heard(self, event: h2.events.Event) -> None:
        """The answer, or none."""
        if self._request and not self.is_done and is_over(event, self._request.stream):
            assert self.channel is not None
            self.row(
                self.book.foreign,
                t_ns=self.channel.read_ns,
                tcp_ns=self.tcp_ns,
                tls_ns=self.tls_ns,
                http_ns=self._request.took_ns,
            )
            self.close()
        elif isinstance(event, h2.events.StreamReset | h2.events.ConnectionTerminated):
            self.fail("the server ended it")

    def fail(self, why: str) -> None:
        """It broke, or is late."""
        self.failed(why)
        self.close()


class Own(Probe):
    """A request beside the load of its connection."""

    def __init__(self, dialed: Dialed, book: Book) -> None:
        super().__init__(book)
        self._sock = dialed.sock
        self._repair = Repair.of(self._sock)
        self.request = Request(dialed)

    @property
    def stream(self) -> int:
        """The stream of its request."""
        return self.request.stream

    def answered(self) -> None:
        """Its last byte came."""
        if self.is_done:
            return
        self.row(
            self.book.own,
            t_ns=self.request.channel.read_ns,
            http_ns=self.request.took_ns,
            ahead_bytes=self.request.ahead_bytes,
            repairs=self._repair.until(Repair.of(self._sock)),
        )

    def fail(self, why: str) -> None:
        """It is late."""
        self.failed(why)


class Waiting:
    """Probes on their way, in the order of their ends; all have the same time."""

    def __init__(self) -> None:
        self._probes: deque[Foreign | Own] = deque()

    def add(self, probe: Foreign | Own) -> None:
        """One more."""
        self._probes.append(probe)

    def fail_late(self, now_ns: int) -> None:
        """Count probes whose time is over as failed."""
        while self._probes and (self._probes[0].is_done or self._probes[0].due_ns <= now_ns):
            probe = self._probes.popleft()
            if not probe.is_done:
                probe.fail(LATE)

    def drop(self) -> None:
        """End those that are on their way; they count as nothing."""
        for probe in self._probes:
            if not probe.is_done:
                probe.book.tried -= 1
            if isinstance(probe, Foreign):
                probe.close()
        self._probes.clear()
