# SPDX-License-Identifier: Apache-2.0
"""The traffic that a known tool can send in place of our agents: all else is refused."""

from collections.abc import Iterable, Iterator
from typing import Final

from gatemark.plan.model import Arm, Plan, Workload
from gatemark.unit import payload_bytes

OURS: Final = "gatemark"

DOES: Final = {
    "iperf3": ("udp", "tcp"),
    "nuttcp": ("udp", "tcp"),
    "tcpreplay": ("udp",),
    "otg": ("udp",),
}
# Keys that a tool has nothing for, by kind; any level but the key's default is refused.
NO_TOOL: Final = "mix flow_ports clients packets burst cap_pps dscp sender_port sink_port"
LACKS: Final = {
    ("iperf3", "udp"): NO_TOOL,
    ("nuttcp", "udp"): f"{NO_TOOL} flows",
    ("iperf3", "tcp"): "dscp",
    ("nuttcp", "tcp"): "settle_s dscp",
    ("tcpreplay", "udp"): NO_TOOL,
    ("otg", "udp"): NO_TOOL,
}
MOST_STREAMS: Final = 128  # MAX_STREAMS of iperf3 (iperf.h), MAXSTREAM of nuttcp
LARGEST_BLOCK: Final = 1 << 20  # MAX_BLOCKSIZE of iperf3
SMALLEST_DATAGRAM: Final = 16  # MIN_UDP_BLOCKSIZE of iperf3: number and time
LARGEST_CAPTURE_BYTES: Final = 1 << 29  # tcpreplay keeps all of it in memory
TOPSPEED_PPS: Final = 800_000  # more than tcpreplay was seen to send on one core
RECORD_BYTES: Final = 16  # in front of each packet of a capture
FIX: Final = "measure with the driver gatemark"


def capture_packets(load: Workload) -> int:
    """Count the packets in the capture of a trial: each number once, so it is never looped."""
    return max(1, round((load.rate_pps or TOPSPEED_PPS) * load.duration_s))


def tools(plans: Iterable[Plan]) -> list[str]:
    """The tools that these plans need, in the order of their plans."""
    drivers: dict[str, None] = {}
    for plan in plans:
        swept = [*plan.sweep.get("driver", ()), *(case.get("driver", OURS) for case in plan.case)]
        drivers |= dict.fromkeys(map(str, [plan.workload.driver, *swept]))
    return [name for name in drivers if name != OURS]


def faults(load: Workload) -> Iterator[str]:
    """Why the workload's driver cannot send it; nothing if it can."""
    if load.driver == OURS:
        return
    if load.kind not in DOES[load.driver]:
        yield f"`kind` = {load.kind}: {load.driver} sends {' and '.join(DOES[load.driver])}; {FIX}"
        return
    preset = Workload()
    for name in LACKS.get((load.driver, load.kind), "").split():
        if getattr(load, name) != getattr(preset, name):
            level = getattr(load, name)
            yield f"`{name}` = {level}: {load.driver} has nothing like it; leave it out, or {FIX}"
    if load.driver in OF_DRIVER:
        yield from OF_DRIVER[load.driver](load)


def misfit(arm: Arm, load: Workload) -> str:
    """Why the workload's driver does not fit this arm; empty where it does."""
    tool, udp = load.driver, load.kind == "udp"
    if tool == OURS:
        return ""
    if tool in ("tcpreplay", "otg") and arm.path == "endpoint":
        return f"`driver` = {tool}: it puts frames on a wire; on the path endpoint {FIX}"
    if tool == "tcpreplay":
        return ""
    if udp and load.direction == "both":
        return (
            f"`direction` = both: {tool}'s own packets of one direction would be counted in the "
            f"other; write up or down, or {FIX}"
        )
    if tool in ("nuttcp", "otg") and udp and (arm.path, load.direction) == ("nat", "down"):
        return f"`direction` = down: {tool} opens no way through a NAT; write up, or {FIX}"
    return ""


def _iperf3(load: Workload) -> Iterator[str]:
    for name in ("duration_s", "settle_s"):
        yield from _whole(load, name)
    yield from _streams(load, "streams" if load.kind == "tcp" else "flows")
    if load.kind == "tcp":
        yield from _block(load)
    elif (size := int(payload_bytes(load.frame_bytes, load.family))) < SMALLEST_DATAGRAM:
        least = load.frame_bytes + SMALLEST_DATAGRAM - size
        yield f"`frame_bytes` = {load.frame_bytes}: iperf3 sends {least} and more on {load.family}"


def _nuttcp(load: Workload) -> Iterator[str]:
    if load.kind == "tcp":
        yield from _streams(load, "streams")
        yield from _block(load)
        if load.socket_buffer_bytes % 1024:
            yield f"`socket_buffer_bytes` = {load.socket_buffer_bytes}: nuttcp takes whole KiB"


def _tcpreplay(load: Workload) -> Iterator[str]:
    size = capture_packets(load) * (load.frame_bytes + RECORD_BYTES)
    if size > LARGEST_CAPTURE_BYTES:
        yield (
            f"`duration_s` = {load.duration_s:g}: tcpreplay would need a capture of "
            f"{size >> 20} MiB; make the time, the rate or the frame smaller"
        )


def _whole(load: Workload, name: str) -> Iterator[str]:
    seconds = getattr(load, name)
    if seconds % 1:
        seconds_whole = max(1, round(seconds))
        yield f"`{name}` = {seconds:g}: {load.driver} counts whole seconds; write {seconds_whole}"


def _streams(load: Workload, name: str) -> Iterator[str]:
    if getattr(load, name) > MOST_STREAMS:
        yield f"`{name}` = {getattr(load, name)}: {load.driver} has {MOST_STREAMS} at most; {FIX}"


def _block(load: Workload) -> Iterator[str]:
    if load.write_bytes > LARGEST_BLOCK:
        yield f"`write_bytes` = {load.write_bytes}: {load.driver} takes {LARGEST_BLOCK} at most"


OF_DRIVER: Final = {"iperf3": _iperf3, "nuttcp": _nuttcp, "tcpreplay": _tcpreplay}
