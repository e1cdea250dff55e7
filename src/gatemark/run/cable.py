# SPDX-License-Identifier: Apache-2.0
"""A cable between a side of the tester and the gateway: where it leads, and whether it loses.

Frames go to every station of a cable (ff:ff:ff:ff:ff:ff), so that whichever port is at its other
end counts them. That port's own counter tells what came: no rule and no full CPU is in it.
"""

import asyncio
from typing import Final

from gatemark.error import StationError
from gatemark.node.agent import Agent
from gatemark.probe.threads import port_counters
from gatemark.station.station import Station
from gatemark.station.wiring import Port

FRAME_BYTES: Final = 64
PACKETS: Final = 50
PACKETS_PPS: Final = 1000
ARRIVED: Final = 0.9  # of the packets: a cable that loses more is not the one
EVERYBODY: Final = "ff:ff:ff:ff:ff:ff"
COUNTED_S: Final = 0.3  # until a driver has counted what came
AGAIN_S: Final = 0.5
TRIES: Final = 8  # of ports that came up just now: until both ends, and a bridge there, carry
RUN: Final = 255  # the number in its test packets
# A packet a second is 8 packets: seen, with three of them in three passes, 98 times of 100.
PASSES: Final = 8
PASS_PACKETS: Final = 1000  # each a second
FEWEST: Final = 3  # packets, and passes


async def leads(station: Station, own: str, its: str) -> str:
    """Which of the gateway's ports a few packets of a side arrive at. Raises StationError."""
    port, wanted = station.ports[own], station.ports[its].device
    for _ in range(TRIES):
        came = await _came(station, port, station.ports[its])
        there = max(came, key=lambda role: came[role])
        if came[there] >= ARRIVED * PACKETS:
            break
        await asyncio.sleep(AGAIN_S)
    if came[its] >= ARRIVED * PACKETS:
        return f"{port.device} of {port.node.name} to the gateway's {wanted}"
    if came[there] >= ARRIVED * PACKETS:
        other = station.ports[there].device
        raise StationError(
            f"{port.device} of {port.node.name} leads to the gateway's {other}, not {wanted}: "
            "swap the cables, or the names in the station file"
        )
    raise StationError(
        f"nothing that {port.device} of {port.node.name} sends arrives at the gateway's {wanted}: "
        "is the cable in, and the port up?"
    )


async def _came(station: Station, port: Port, to: Port) -> dict[str, int]:
    """How many packets each of the gateway's ports counts while a side sends a few."""
    ends = [p for role in ("gw0", "gw1", "gw2") if (p := station.ports.get(role))]
    before = await port_counters(ends)
    await _send(port, to, PACKETS)
    await asyncio.sleep(COUNTED_S)
    after = await port_counters(ends)
    return {
        end.role: after[f"{end.role}.rx_packets"] - before[f"{end.role}.rx_packets"] for end in ends
    }


async def loses(station: Station, own: str, its: str) -> str:
    """How many packets a cable loses. Raises StationError where it does so again and again.

    What other hosts send on it counts as arrived, so a few may be missed there.
    """
    port, gate = station.ports[own], station.ports[its]
    lost = [await _lost(port, gate) for _ in range(PASSES)]
    text = f"{sum(lost)} of {PASSES * PASS_PACKETS} packets lost on the way to {gate.device}"
    times = sum(map(bool, lost))
    if sum(lost) >= FEWEST and times >= FEWEST:
        raise StationError(
            f"{text}, in {times} of {PASSES} seconds: look at the cable and at both ports' errors "
            f"and duplex (`ethtool -S {port.device}`, `ethtool {port.device}`)"
        )
    return text


async def _lost(port: Port, gate: Port) -> int:
    """Of the packets of one pass: what left one port and did not come to the other."""
    before = await port_counters([port, gate])
    await _send(port, gate, PASS_PACKETS)
    await asyncio.sleep(COUNTED_S)
    after = await port_counters([port, gate])
    moved = {name: after[name] - before[name] for name in after}
    return max(0, moved[f"{port.role}.tx_packets"] - moved[f"{gate.role}.rx_packets"])


async def _send(port: Port, to: Port, packets: int) -> None:
    sender = await Agent.launch(
        port.node,
        "send",
        {
            "port": "raw",
            "device": port.device,
            "family": 4,
            "src": port.address("ipv4"),
            "dst": to.address("ipv4"),
            "dst_mac": EVERYBODY,
            "src_port": 9,
            "dst_port": 9,
            "frame_bytes": FRAME_BYTES,
            "rate_pps": PACKETS_PPS,
            "duration_ms": 2000,
            "packets": packets,
            "run": RUN,
        },
    )
    try:
        await sender.start()
        await sender.done(5.0)
    finally:
        await sender.abort()
