# SPDX-License-Identifier: Apache-2.0
"""UDP in a plan: frames, flows and rates.

`frame_bytes` (64: the frame with its check sequence), `payload_bytes`, or `mix` of sizes (`imix`: 7
of 64 bytes, 4 of 594, 1 of 1518; or `64:7,594:4,1518:1`); `flows` (1); `flow_ports` (`ordered`: one
after the other; `random`: pseudo-random, RFC 4814); `clients` (1: LAN hosts that the flows come
from); `rate_pps` for each direction (0: as fast as possible) or `rate_bps` of payload; `packets`
(0: no bound but the time; else it stops after so many); `burst` (0: by the rate); `cap_pps` (0: no
cap; a cap makes a slow tester on purpose); `restart_s` (0: never; so long after the first packet,
and when packets arrive, the gateway is restarted); `sender_port` (`auto`, `live`, `afxdp`, `raw`)
and `sink_port` (`auto`, `xdp`, `ring`): how packets reach the wire.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.plan.mix import frames
from gatemark.plan.model import Workload
from gatemark.plan.sane import MOST_FLOWS, MOST_PPS, PORTS_A_CLIENT, clients
from gatemark.unit import LARGEST_FRAME_BYTES, SMALLEST_FRAME_BYTES

MOST_PACKETS: Final = 1_000_000_000
MOST_BPS: Final = 1e12


DELAYS: Final = ("delay_p50_ns", "delay_p99_ns")
YIELDS: Final = ("offered_pps", "received_pps", "received_l4_bps", "loss_ratio", *DELAYS)


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
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


def _flows(load: Workload) -> Iterator[str]:
    yield from clients(load)
    if not 1 <= load.flows <= MOST_FLOWS:
        yield f"`flows` = {load.flows}: 1 to {MOST_FLOWS}"
    elif load.flows > load.clients * PORTS_A_CLIENT:
        yield (
            f"`flows` = {load.flows}: a client has ports for {PORTS_A_CLIENT}; "
            f"set `clients` to {-(-load.flows // PORTS_A_CLIENT)} or more"
        )
    elif load.clients > load.flows:
        yield f"`clients` = {load.clients}: no more than `flows` ({load.flows})"


KIND: Final = Rules(
    keys="duration_s frame_bytes payload_bytes mix flows flow_ports clients rate_pps rate_bps "
    "packets burst cap_pps restart_s dscp sender_port sink_port",
    hairpins=True,
    yields=(*YIELDS, "evidence.sender_cpu", "evidence.late_ns"),
    headlines={"received rate": "received_pps"},
    faults=faults,
)
