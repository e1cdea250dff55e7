# SPDX-License-Identifier: Apache-2.0
"""The bounds of a workload's keys: each fault with its fix."""

import re
from collections.abc import Iterator
from typing import Final

from gatemark.plan import trace, words
from gatemark.plan.mix import frames
from gatemark.plan.model import Workload
from gatemark.unit import (
    LARGEST_FRAME_BYTES,
    LEAST_PACKET_BYTES,
    MOST_PACKET_BYTES,
    SMALLEST_FRAME_BYTES,
    SMALLEST_SEGMENT_BYTES,
)

MOST_FLOWS: Final = 100_000
MOST_CLIENTS: Final = 250  # addresses of one /24, but for the gateway's, the hosts' and the ends
PORTS_A_CLIENT: Final = 40_000  # above LAN_PORT, for flows or connections; random: as many
LONGEST_TRIAL_S: Final = 600.0
MOST_PACKETS: Final = 1_000_000_000
MOST_PPS: Final = 50_000_000.0
MOST_BPS: Final = 1e12
MOST_STREAMS: Final = 256
LARGEST_WRITE_BYTES: Final = 16 << 20
LARGEST_BUFFER_BYTES: Final = 1 << 30
MOST_CONNECTIONS: Final = 1_000_000
MOST_AT_ONCE: Final = 4096  # connections that are being opened and closed
MOST_ACTIVE_PPS: Final = 10_000_000.0
MOST_HELD: Final = 10_000_000  # flows of kind `fill`
MOST_STEPS: Final = 200
MOST_SERVERS: Final = 250
MOST_OPENED_PPS: Final = 100_000.0  # a gateway takes tens of microseconds for a new flow
LEAST_READING_S: Final = 0.2  # two readings of memory, at 10 a second
MOST_SPEED: Final = 1e6
MOST_CLONES: Final = 10_000
MOST_WALKS: Final = 100_000
MOST_DSCP: Final = 63
SHORTEST_INTERVAL_S: Final = 0.2  # some probes in each
LONGEST_INTERVAL_S: Final = 60.0
MOST_INSTANCES: Final = 64  # of a kernel (algorithms/src/program/instances.c)


def faults(load: Workload) -> Iterator[str]:
    """Why this workload cannot be sent; nothing if it can."""
    if not 0.05 <= load.duration_s <= LONGEST_TRIAL_S:
        yield f"`duration_s` = {load.duration_s:g}: 0.05 to {LONGEST_TRIAL_S:g}"
    if not 0 <= load.start_s <= LONGEST_TRIAL_S:
        yield f"`start_s` = {load.start_s:g}: 0 (at once) to {LONGEST_TRIAL_S:g}"
    if not 0 <= load.dscp <= MOST_DSCP:
        yield f"`dscp` = {load.dscp}: 0 to {MOST_DSCP} (RFC 2474)"
    yield from OF_KIND[load.kind](load)


def _udp(load: Workload) -> Iterator[str]:
    smallest = SMALLEST_FRAME_BYTES[load.family]
    for size in frames(load):
        if not smallest <= size <= LARGEST_FRAME_BYTES:
            key = "mix" if load.mix else "payload_bytes" if load.payload_bytes else "frame_bytes"
            yield (
                f"`{key}` = {getattr(load, key)} is impossible for {load.family}: a frame with FCS "
                f"and our test header has {smallest} to {LARGEST_FRAME_BYTES} bytes"
            )
    yield from _flows(load)
    if not 0 <= load.packets <= MOST_PACKETS:
        yield f"`packets` = {load.packets}: 0 (no bound but the time) to {MOST_PACKETS}"
    if not 0 <= load.rate_bps <= MOST_BPS:
        yield f"`rate_bps` = {load.rate_bps:g}: 0 (by rate_pps) to {MOST_BPS:g}"
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 (as fast as it goes) to {MOST_PPS:g}"
    if not 0 <= load.burst <= 256:
        yield f"`burst` = {load.burst}: 0 (by the rate) to 256"
    if not 0 <= load.cap_pps <= MOST_PPS:
        yield f"`cap_pps` = {load.cap_pps:g}: 0 (no cap) to {MOST_PPS:g}"
    yield from _restart(load)


def _restart(load: Workload) -> Iterator[str]:
    if not load.restart_s:
        return
    if not 0 < load.restart_s < load.duration_s:
        yield f"`restart_s` = {load.restart_s:g}: above 0, below `duration_s` ({load.duration_s:g})"
    if not load.rate_pps and not load.rate_bps:
        yield "`restart_s`: lost packets tell the time only at a rate; set `rate_pps`"
    if load.direction != "up":
        yield "`restart_s`: a restart is seen from the LAN side; write `direction` = up"
    if load.driver != "gatemark":
        yield f"`restart_s`: `driver` = {load.driver} ends by itself; leave `driver` out"


def _clients(load: Workload) -> Iterator[str]:
    if not 1 <= load.clients <= MOST_CLIENTS:
        yield f"`clients` = {load.clients}: 1 to {MOST_CLIENTS}"


def _flows(load: Workload) -> Iterator[str]:
    yield from _clients(load)
    if not 1 <= load.flows <= MOST_FLOWS:
        yield f"`flows` = {load.flows}: 1 to {MOST_FLOWS}"
    elif load.flows > load.clients * PORTS_A_CLIENT:
        yield (
            f"`flows` = {load.flows}: a client has ports for {PORTS_A_CLIENT}; "
            f"set `clients` to {-(-load.flows // PORTS_A_CLIENT)} or more"
        )
    elif load.clients > load.flows:
        yield f"`clients` = {load.clients}: no more than `flows` ({load.flows})"


def _tcp(load: Workload) -> Iterator[str]:
    if not 1 <= load.write_bytes <= LARGEST_WRITE_BYTES:
        yield f"`write_bytes` = {load.write_bytes}: 1 to {LARGEST_WRITE_BYTES}"
    if not 1 <= load.streams <= MOST_STREAMS:
        yield f"`streams` = {load.streams}: 1 to {MOST_STREAMS}"
    if not 0 <= load.settle_s <= LONGEST_TRIAL_S:
        yield f"`settle_s` = {load.settle_s:g}: 0 (count at once) to {LONGEST_TRIAL_S:g}"
    if not 0 <= load.socket_buffer_bytes <= LARGEST_BUFFER_BYTES:
        yield (
            f"`socket_buffer_bytes` = {load.socket_buffer_bytes}: 0 (tuned by the kernel) to "
            f"{LARGEST_BUFFER_BYTES}"
        )
    yield from _congestion(load)


def _congestion(load: Workload) -> Iterator[str]:
    if not re.fullmatch(r"[a-z0-9_-]{1,15}", load.congestion):
        yield f"`congestion` = '{load.congestion}': a name such as cubic, reno or bbr"


def most_connections(clients: int) -> int:
    """Pairs of addresses and ports: each client has its ports to each of as many servers."""
    return clients * clients * PORTS_A_CLIENT


def _connections(load: Workload) -> Iterator[str]:
    if load.direction not in ("up", "receive"):
        yield f"`direction` = {load.direction}: connections are opened from the LAN side; write up"
    yield from _clients(load)
    crr, hold = load.connecting == "crr", load.connecting == "hold"
    most = MOST_AT_ONCE if crr else MOST_CONNECTIONS
    if not hold <= load.connections <= most:
        least = "1" if hold else "0 (as many as it goes)"
        yield f"`connections` = {load.connections}: {least} to {most} for {load.connecting}"
    elif load.connections > most_connections(load.clients):
        yield (
            f"`connections` = {load.connections}: {load.clients} clients have ports for "
            f"{most_connections(load.clients)}; raise `clients`"
        )
    if load.active_pps and not hold:
        yield "`active_pps` is of `connecting` = hold alone; leave it out"
    if not 0 <= load.active_pps <= MOST_ACTIVE_PPS:
        yield f"`active_pps` = {load.active_pps:g}: 0 (idle) to {MOST_ACTIVE_PPS:g}"


def most_flows(load: Workload) -> int:
    """Pairs of addresses and ports: each client has its ports to each of the servers."""
    return load.clients * load.servers * PORTS_A_CLIENT


def _held(load: Workload) -> Iterator[str]:
    if load.direction != "up":
        yield f"`direction` = {load.direction}: flows are opened from the LAN side; write up"
    yield from _clients(load)
    if not 1 <= load.servers <= MOST_SERVERS:
        yield f"`servers` = {load.servers}: 1 to {MOST_SERVERS}"
    if not 1 <= load.steps <= MOST_STEPS:
        yield f"`steps` = {load.steps}: 1 to {MOST_STEPS}"
        return
    part = load.steps * max(1, load.clients)
    if not 1 <= load.flows <= MOST_HELD or load.flows % part:
        yield (
            f"`flows` = {load.flows}: a multiple of `steps` x `clients` ({part}), up to {MOST_HELD}"
        )
    elif load.flows > most_flows(load):
        yield (
            f"`flows` = {load.flows}: there are addresses and ports for {most_flows(load)}; "
            "raise `clients` or `servers`"
        )
    elif load.flows // load.steps > MOST_FLOWS:
        yield f"`steps` = {load.steps}: a step opens {MOST_FLOWS} flows at most; raise it"
    elif load.active_pps and load.flows > MOST_FLOWS:
        yield f"`active_pps`: up to {MOST_FLOWS} flows are kept at work; lower `flows`"
    yield from _held_rates(load)


def _held_rates(load: Workload) -> Iterator[str]:
    if not 0 <= load.rate_pps <= MOST_OPENED_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 (5000) to {MOST_OPENED_PPS:g} new flows a second"
    if not 0 <= load.active_pps <= MOST_ACTIVE_PPS:
        yield f"`active_pps` = {load.active_pps:g}: 0 (idle) to {MOST_ACTIVE_PPS:g}"
    if load.duration_s < LEAST_READING_S:
        yield f"`duration_s` = {load.duration_s:g}: {LEAST_READING_S:g} or more, to read memory in"


def _replay(load: Workload) -> Iterator[str]:
    if why := trace.fault(load.trace):
        yield why
    if not 0 < load.speed <= MOST_SPEED:
        yield f"`speed` = {load.speed:g}: above 0 to {MOST_SPEED:g}; 1 is the trace's own timing"
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 (the trace's timing) to {MOST_PPS:g}"
    if not 1 <= load.clones <= MOST_CLONES:
        yield f"`clones` = {load.clones}: 1 to {MOST_CLONES}"
    if not LEAST_PACKET_BYTES <= load.packet_most <= MOST_PACKET_BYTES:
        yield f"`packet_most` = {load.packet_most}: {LEAST_PACKET_BYTES} to {MOST_PACKET_BYTES}"
    yield from _clients(load)


def _walk(load: Workload) -> Iterator[str]:
    is_udp = load.l4 == "udp"
    smallest = (SMALLEST_FRAME_BYTES if is_udp else SMALLEST_SEGMENT_BYTES)[load.family]
    if not smallest <= load.frame_bytes <= LARGEST_FRAME_BYTES:
        key = "payload_bytes" if load.payload_bytes else "frame_bytes"
        over, holds = ("", "our test header") if is_udp else ("tcp over ", "a segment of data")
        yield (
            f"`{key}` = {getattr(load, key)} is impossible for {over}{load.family}: a frame with "
            f"FCS and {holds} has {smallest} to {LARGEST_FRAME_BYTES} bytes"
        )
    if load.direction == "both":
        yield "`direction` = both: one packet at a time goes one way; write up or down"
    if load.driver != "gatemark":
        yield f"`driver` = {load.driver}: no tool sends one packet at a time; leave it out"
    if not 1 <= load.walks <= MOST_WALKS:
        yield f"`walks` = {load.walks}: 1 to {MOST_WALKS}"


def _responsiveness(load: Workload) -> Iterator[str]:
    if not SHORTEST_INTERVAL_S <= load.interval_s <= LONGEST_INTERVAL_S:
        yield (
            f"`interval_s` = {load.interval_s:g}: {SHORTEST_INTERVAL_S:g} to "
            f"{LONGEST_INTERVAL_S:g}; the draft has 5"
        )
    if load.driver != "gatemark":
        yield f"`driver` = {load.driver}: no such tool measures responsiveness; leave it out"
    yield from _congestion(load)


def _algorithm(load: Workload) -> Iterator[str]:
    if not 1 <= load.instances <= MOST_INSTANCES:
        yield f"`instances` = {load.instances}: 1 to {MOST_INSTANCES}"
    if load.instances > 1 and load.command == words.COREMARK:
        yield f"`instances` = {load.instances}: CoreMark is run once at a time; leave it out"
    if load.driver != "gatemark":
        yield f"`driver` = {load.driver}: nothing is sent; leave it out"
    yield from words.faults(load.words)


# Kinds that bring rules of their own.
OF_KIND: Final = {
    "udp": _udp,
    "tcp": _tcp,
    "connections": _connections,
    "fill": _held,
    "replay": _replay,
    "walk": _walk,
    "responsiveness": _responsiveness,
    "algorithm": _algorithm,
}
