# SPDX-License-Identifier: Apache-2.0
"""The request to a known tool for one direction of a trial, and its report: pure data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gatemark.plan.model import Workload
from gatemark.unit import payload_bytes


@dataclass(frozen=True, slots=True)
class Job:
    """One direction. The near host, on the LAN side, is the tool's client, as through a NAT."""

    load: Workload
    server: str  # address that the client calls
    away: bool = True  # whether the client sends; else the server does
    by_route: bool = False  # the congestion control is a route's: the tool does not choose it

    @property
    def payload(self) -> int:
        """Bytes of one datagram's payload."""
        return int(payload_bytes(self.load.frame_bytes, self.load.family))


@dataclass(frozen=True, slots=True)
class Result:
    """The counts of a tool; of TCP bits and no packets."""

    seconds: float  # of receiving, or sending, by its own report
    sent: int = 0  # datagrams
    received: int = 0  # datagrams, each counted once
    bps: float = 0.0  # payload that its receiver took, in the time that counts
    more: Mapping[str, float] | None = None  # quantities of UNITS that it reports besides


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool with a client and a server: what starts them, and what their output means."""

    name: str
    serve: Callable[[Job], tuple[str, ...]]
    call: Callable[[Job], tuple[str, ...]]  # the client
    read: Callable[[Job, str], Result]  # the client's output; raises InvalidTrialError
    port: Callable[[Job], int]  # TCP port that the server listens on
    sets_congestion: bool  # whether it chooses TCP's congestion control by itself
