# SPDX-License-Identifier: Apache-2.0
"""`[keep] capture = true`: all packets of a trial at the tester's ports, with a label a flow.

A label is known by construction: the loads beside have ports of their own, and nothing but the
application sends besides. Each end's port has a file, as a gateway with NAT changes addresses; the
manifest is of the LAN's, in the form that `gatemark classifier train` reads.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from operator import attrgetter
from typing import Final, NamedTuple

from gatemark.plan import workloads
from gatemark.plan.model import TrialSpec
from gatemark.run.kept import pcapng
from gatemark.run.kept.header import ETHERNET, UDP
from gatemark.run.kept.pcapng import Packet
from gatemark.run.kept.watch import SNAPLEN, Captured
from gatemark.run.kind import kind_of
from gatemark.run.result.kind import Label
from gatemark.station.wiring import Wire
from gatemark.store.packets import Packets
from gatemark.store.record import Record

TCP: Final = 6
PROTOCOLS: Final = {TCP: "tcp", UDP: "udp"}
IPV4: Final = b"\x08\x00"
ENDS: Final = {"": "near", "-wan": "far"}  # end of a file's name -> whose port it is of
SENT: Final = "sent"


class Flow(NamedTuple):
    """A flow as the LAN's port sees it."""

    proto: str
    near: str
    near_port: int
    far: str
    far_port: int


@dataclass(slots=True)
class Tally:
    """The packets and bytes of a flow."""

    packets: int = 0
    bytes: int = 0


def kept(spec: TrialSpec, record: Record, wire: Wire, captured: Sequence[Captured]) -> Packets:
    """Return the files of both ports, and a row for each flow of the LAN's. Raises ValueError."""
    conditions = _conditions(record)
    files: dict[str, bytes] = {}
    rows: list[dict[str, str]] = []
    for end, side in ENDS.items():
        host: str = getattr(wire, side).node.name
        packets = [p for c in captured if c.host == host for p in pcapng.read(c.stream)]
        if not packets:
            continue
        packets.sort(key=attrgetter("time_ns"))
        flows = tallied(packets) if side == "near" else {}
        labels = {flow: label(spec, flow) for flow in flows}
        notes = [f"{record.trial}: {host}", *_gaps(c for c in captured if c.host == host)]
        files[end] = written("; ".join(notes), packets, labels)
        rows += (_row(flow, labels[flow], flows[flow]) | conditions for flow in flows)
    return Packets(files, rows)


def label(spec: TrialSpec, flow: Flow) -> Label:
    """Return which load a flow is of: those beside know their ports, all else is the first's."""
    parts = [*workloads.parts(spec).items()]
    for name, part in [*parts[1:], parts[0]]:
        if made := kind_of(part.workload).label(name, part, flow.proto, flow.far_port):
            return made
    raise ValueError(f"a flow to port {flow.far_port} is of no load")


def tallied(packets: Iterable[Packet]) -> dict[Flow, Tally]:
    """Return the flows of a port of the LAN, in the order of their first packet."""
    flows: dict[Flow, Tally] = {}
    for packet in packets:
        if flow := seen(packet):
            tally = flows.setdefault(flow, Tally())
            tally.packets += 1
            tally.bytes += packet.length
    return flows


def seen(packet: Packet) -> Flow | None:
    """Return the flow of a packet at the LAN's port; None of what is no TCP or UDP over IPv4."""
    data = packet.data[14:]
    if packet.interface.link != ETHERNET or packet.data[12:14] != IPV4 or len(data) < 20:
        return None
    at = 4 * (data[0] & 15)
    is_first = not int.from_bytes(data[6:8]) & 0x1FFF
    if data[9] not in PROTOCOLS or not is_first or len(data) < at + 4:
        return None
    source, target = (str(IPv4Address(data[i : i + 4])) for i in (12, 16))
    ports = int.from_bytes(data[at : at + 2]), int.from_bytes(data[at + 2 : at + 4])
    ends = (source, ports[0], target, ports[1])
    return Flow(PROTOCOLS[data[9]], *(ends if _is_sent(packet) else (*ends[2:], *ends[:2])))


def _is_sent(packet: Packet) -> bool:
    return packet.interface.description == SENT


def written(title: str, packets: Sequence[Packet], labels: Mapping[Flow, Label]) -> bytes:
    """Return a file in the order of time; the first packet of a flow says what it is."""
    interfaces = list(dict.fromkeys(packet.interface for packet in packets))
    left = dict(labels)
    blocks = [pcapng.section(title, interfaces, SNAPLEN)]
    for packet in packets:
        flow = seen(packet) if left else None
        made = left.pop(flow, None) if flow else None
        blocks.append(pcapng.packet(interfaces.index(packet.interface), packet, _comment(made)))
    return b"".join(blocks)


def _comment(made: Label | None) -> str:
    return f"application {made.application}, class {made.sort}, {made.role}" if made else ""


def _gaps(captured: Iterable[Captured]) -> Iterator[str]:
    for host in captured:
        if host.dropped:
            yield f"{host.dropped} packets found no room"
        if host.is_cut:
            yield "the end of the trial is not in it"


def _conditions(record: Record) -> dict[str, str]:
    definition = record.definition
    return {
        "plan": record.plan,
        "arm": record.arm,
        "features": " ".join(definition.features),
        "line": definition.line,
        "beside": "; ".join(definition.beside),
    }


def _row(flow: Flow, made: Label, tally: Tally) -> dict[str, str]:
    return {
        "proto": flow.proto,
        "src": flow.near,
        "sport": str(flow.near_port),
        "dst": flow.far,
        "dport": str(flow.far_port),
        "application": made.application,
        "class": made.sort,
        "role": made.role,
        "packets": str(tally.packets),
        "bytes": str(tally.bytes),
    }
