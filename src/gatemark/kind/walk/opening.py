# SPDX-License-Identifier: Apache-2.0
"""A flow that is opened by hand through the gateway, for packets of it one at a time.

    LAN side              gateway              WAN side
       |  SYN  ------------->|------------------->|    from whom it comes is learnt: NAT's port
       |<--------------------|<-------  SYN, ACK  |
       |  ACK  ------------->|------------------->|
       |<--------------------|<------------  ACK  |    the window, scaled: in SYN, ACK it is not
       |                                          |
       |  data, data, ... in one direction, and no acknowledgement of them

So a gateway that tracks connections knows it as established, whichever way the data go. Either side
announced a window of 1 GiB, and a trial sends less (100 000 walks of 1460 bytes: 0.14 GiB), so that
no segment is ever outside of it (tcp_in_window, net/netfilter/nf_conntrack_proto_tcp.c) and none
needs an acknowledgement, which would be a second packet. UDP has to be opened for what goes down
through NAT alone: a datagram goes up.

No host owns the addresses. So no kernel answers what it knows nothing of, by a reset or by ICMP,
which would be a second packet as well, and the end of the connection.
"""

import socket
import struct
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Final

from gatemark.error import InvalidTrialError
from gatemark.kind.walk.numbered import Datagrams, Flow, Numbered, Segments
from gatemark.kind.walk.plan import UNCOUNTED
from gatemark.plan.model import Workload
from gatemark.station.wiring import FAR_HOST, FIRST_CLIENT, LAN_PORT, WAN_PORT, Port, Wire, wires
from gatemark.unit import payload_bytes
from gatemark.workload import packet
from gatemark.workload.packet import ACK, SYN, End, Segment
from gatemark.workload.packetsocket import arrived, opened

NEAR_FIRST: Final = 0x10000000  # initial sequence number of the LAN side, the same in each trial
FAR_FIRST: Final = 0x20000000
SCALE: Final = 14  # the largest (RFC 7323, section 2.3)
MSS: Final = 1460
# MSS, two fillers, selective acknowledgement, a filler, window scale. No timestamps: every segment
# would have to have them.
OPTIONS: Final = struct.pack("!BBHBBBBBBBB", 2, 4, MSS, 1, 1, 4, 2, 1, 3, 3, SCALE)


def packets(ports: Mapping[str, Port], path: str, load: Workload) -> Numbered:
    """Return the workload's packets, opened as far as need be. Raises InvalidTrialError."""
    if load.l4 == "tcp":
        return _connected(ports, path, load)
    (wire,) = wires(ports, path, load.direction)
    flow = _flow(wire, load)
    mapped = path == "nat" and not wire.away
    return Datagrams(replace(flow, sink=_mapped(ports, load)) if mapped else flow)


def _connected(ports: Mapping[str, Port], path: str, load: Workload) -> Segments:
    (up,), (down,) = (wires(ports, path, direction) for direction in ("up", "down"))
    there, back = _flow(up, load), _flow(down, load)
    with ExitStack() as stack:
        lan, wan = (opened(port, stack) for port in (up.source, up.sink))
        syn = _say(lan, wan, there, Segment(NEAR_FIRST, 0, SYN, OPTIONS))
        back = replace(back, sink=packet.sender(syn))
        _say(wan, lan, back, Segment(FAR_FIRST, NEAR_FIRST + 1, SYN | ACK, OPTIONS))
        _say(lan, wan, there, Segment(NEAR_FIRST + 1, FAR_FIRST + 1, ACK))
        _say(wan, lan, back, Segment(FAR_FIRST + 1, NEAR_FIRST + 1, ACK))
    if load.direction == "up":
        return Segments(there, NEAR_FIRST + 1, FAR_FIRST + 1)
    return Segments(back, FAR_FIRST + 1, NEAR_FIRST + 1)


def _mapped(ports: Mapping[str, Port], load: Workload) -> End:
    """Return the address by which the WAN side knows the LAN side, from a datagram of it."""
    (up,) = wires(ports, "nat", "up")
    there, number = Datagrams(_flow(up, load)), -UNCOUNTED - 1
    with ExitStack() as stack:
        lan, wan = (opened(port, stack) for port in (up.source, up.sink))
        lan.send(there.frame(number))
        came = arrived(wan, partial(there.is_it, number=number))
    return packet.sender(_there(came))


def _say(source: socket.socket, sink: socket.socket, flow: Flow, segment: Segment) -> bytes:
    """Send a segment; returns how it arrives."""
    source.send(packet.tcp(flow.macs, flow.source, flow.sink, segment))
    is_it = partial(packet.is_segment, port=flow.port, sequence=segment.sequence)
    return _there(arrived(sink, is_it))


def _there(frame: bytes) -> bytes:
    if not frame:
        raise InvalidTrialError("a flow could not be opened: its packet did not come through")
    return frame


def _flow(wire: Wire, load: Workload) -> Flow:
    """One way of it, as if there were no NAT."""
    family = load.family
    beyond = wire.far.address(family) if wire.own else wire.far.neighbour(family, FAR_HOST)
    near, far = (wire.near.neighbour(family, FIRST_CLIENT), LAN_PORT), (beyond, WAN_PORT)
    source, sink = (near, far) if wire.away else (far, near)
    size = int(payload_bytes(load.frame_bytes, family, load.l4))
    return Flow((wire.source.mac, wire.next_hop.mac), source, sink, sink[1], size)
