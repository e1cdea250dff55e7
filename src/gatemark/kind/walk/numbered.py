# SPDX-License-Identifier: Apache-2.0
"""The packets of a walk: all of one flow, each with a number by which it is known again."""

from dataclasses import dataclass
from typing import Protocol

from gatemark.kind.walk.plan import UNCOUNTED
from gatemark.workload import packet
from gatemark.workload.packet import End, Ends, Segment


@dataclass(frozen=True, slots=True)
class Flow:
    """One way of a flow: its ends as the sender has them, and where it arrives behind NAT."""

    macs: Ends
    source: End
    sink: End
    port: int  # that it arrives at
    size: int  # bytes of payload


class Numbered(Protocol):
    """Packets by number, from -UNCOUNTED on."""

    @property
    def flow(self) -> Flow:
        """The flow of these packets."""

    def frame(self, number: int) -> bytes:
        """Return the frame that is sent, without FCS."""

    def is_it(self, frame: bytes, number: int) -> bool:
        """Return whether a frame that arrived is that packet."""


@dataclass(frozen=True, slots=True)
class Datagrams:
    """UDP: the number is in the payload."""

    flow: Flow

    def frame(self, number: int) -> bytes:
        """One datagram."""
        flow = self.flow
        return packet.udp(flow.macs, flow.source, flow.sink, packet.payload(number, flow.size))

    def is_it(self, frame: bytes, number: int) -> bool:
        """Tell it by its last bytes."""
        return packet.is_for(frame, self.flow.port, packet.mark(number))


@dataclass(frozen=True, slots=True)
class Segments:
    """TCP: a number is a place in the stream of bytes, as every segment has as many."""

    flow: Flow
    first: int  # sequence number
    acknowledged: int  # of the other way, which is silent

    def frame(self, number: int) -> bytes:
        """One segment, of zeros."""
        flow, flags = self.flow, packet.PUSH | packet.ACK
        segment = Segment(self._at(number), self.acknowledged, flags, data=bytes(flow.size))
        return packet.tcp(flow.macs, flow.source, flow.sink, segment)

    def is_it(self, frame: bytes, number: int) -> bool:
        """Tell it by its sequence number, which NAT leaves as it is."""
        return packet.is_segment(frame, self.flow.port, self._at(number))

    def _at(self, number: int) -> int:
        return self.first + (number + UNCOUNTED) * self.flow.size
