# SPDX-License-Identifier: Apache-2.0
"""Captures the beginning of each packet of a trial at the tester's ports and at the gateway's.

What a sender hands to its port past the kernel's stack, and what a sink counts at XDP, no capture
sees: such a place stays empty, and the file says so.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.gateway.tools import ROLES
from gatemark.node.shell import Here, Node, Streaming
from gatemark.run.live.engine import PACKETS, Engine
from gatemark.station.station import Station
from gatemark.station.wiring import Wire

SNAPLEN: Final = 128  # bytes: headers of IPv6 and UDP behind two VLAN tags, and the test header
MEMORY_BYTES: Final = 16 << 20  # of the rings on each host
MOST_BYTES: Final = 32 << 20  # of each host that are kept until the trial is read


@dataclass(frozen=True, slots=True)
class Place:
    """A port that packets of a direction cross."""

    node: Node
    device: str
    way: str  # received, sent; as the engine describes it

    @property
    def name(self) -> str:
        """As a kept file's interface is called: `gateway gw0`."""
        return f"{self.node.name} {self.device}"


@dataclass(frozen=True, slots=True)
class Captured:
    """What one host captured."""

    host: str
    stream: bytes  # pcapng
    dropped: int  # packets that found no room on it
    is_cut: bool  # more came than is kept


def places(station: Station, path: str, wire: Wire) -> list[Place]:
    """Where packets of a direction pass, in their order."""
    source, sink, gateway = wire.source, wire.sink, station.gateway
    inside = []
    devices = [gateway.devices[role] for role in ROLES.get(path, ()) if role in gateway.devices]
    if len(devices) == 2:  # as an end itself, or not in the way, it forwards nothing
        first, last = devices if wire.away else devices[::-1]
        inside = [Place(gateway.node, first, "received"), Place(gateway.node, last, "sent")]
    return [
        Place(source.node, source.device, "sent"),
        *inside,
        Place(sink.node, sink.device, "received"),
    ]


class Packets:
    """The captures of one trial, by host."""

    def __init__(
        self, station: Station, path: str, wires: Sequence[Wire], *, with_gateway: bool = True
    ) -> None:
        self._devices: dict[Node, list[str]] = {}
        for place in (place for wire in wires for place in places(station, path, wire)):
            is_gateway = place.node is station.gateway.node
            if is_gateway and not (with_gateway and station.gateway.agent):
                continue
            if isinstance(place.node, Streaming):
                devices = self._devices.setdefault(place.node, [])
                devices += [place.device] if place.device not in devices else []
        self._cpus = {station.gateway.node: station.placement.gateway}
        self._sink = station.placement.sink
        self._running: list[tuple[Engine, asyncio.Task[tuple[bytes, bool]]]] = []

    async def start(self) -> None:
        """Begin to capture. Raises NodeError."""
        for node, devices in self._devices.items():
            request = {
                "devices": devices,
                "file": PACKETS,
                "snaplen": SNAPLEN,
                "memory_bytes": MEMORY_BYTES,
            }
            if isinstance(node, Here):
                request["cpu"] = self._cpus.get(node, self._sink)
            engine = await Engine.launch(node, "capture", request)
            self._running.append((engine, asyncio.create_task(_read(engine))))
            await engine.start()

    async def stop(self) -> list[Captured]:
        """End, and return what came."""
        captured = []
        for engine, reading in self._running:
            done = await engine.close()
            stream, is_cut = await reading
            drops = sum(done["drops"].values())
            captured.append(Captured(engine.node.name, stream, drops, is_cut))
        self._running = []
        return captured

    async def abort(self) -> None:
        """End, whatever it is doing."""
        running, self._running = self._running, []
        for engine, reading in running:
            reading.cancel()
            await engine.abort()


async def _read(engine: Engine) -> tuple[bytes, bool]:
    """All that comes, as far as it is kept; whether there was more."""
    kept, is_cut = bytearray(), False
    while piece := await engine.piece():
        is_cut |= len(kept) + len(piece) > MOST_BYTES
        kept += b"" if is_cut else piece
    return bytes(kept), is_cut
