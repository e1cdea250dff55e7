# SPDX-License-Identifier: Apache-2.0
"""The outcome of a known tool: the tool's own rates, its packets accounted for."""

from itertools import pairwise
from typing import Final

from gatemark.kind.tcp import result as tcp
from gatemark.kind.tool import otg, tcpreplay
from gatemark.kind.tool.load import loads
from gatemark.kind.tool.tally import attached, tally
from gatemark.kind.udp import result as udp
from gatemark.plan.model import TrialSpec
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Accounting
from gatemark.store.series import Series
from gatemark.unit import l1_bps, payload_bytes
from gatemark.workload.way import Way, binned


def datagrams(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], Accounting]:
    """UDP in one direction: packets/s as the tool's receiver counted them, over its own time."""
    (way,) = raw.ways
    account = tally(way, raw.before, raw.after)
    return _rates(spec, way, account), account


def tested(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], Accounting]:
    """UDP of an OTG tester: the same, and the delays that it tells."""
    (way,) = raw.ways
    account = attached(way, raw.before, raw.after)
    return _rates(spec, way, account) | way.sink["more"], account


def _rates(spec: TrialSpec, way: Way, account: Accounting) -> dict[str, float]:
    load = spec.workload
    seconds = float(way.sink["seconds"])
    rate_pps = account.unique / seconds if seconds else 0.0
    offered_pps = load.rate_pps or account.tried * 1e9 / way.span_ns
    return {
        "offered_pps": offered_pps,
        "received_pps": rate_pps,
        "received_l1_bps": l1_bps(rate_pps, load.frame_bytes),
        "received_l2_bps": rate_pps * load.frame_bytes * 8,
        "received_l4_bps": rate_pps * payload_bytes(load.frame_bytes, load.family) * 8,
        "loss_ratio": account.lost / account.tried if account.tried else 0.0,
    }


def replayed(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], Accounting]:
    """UDP from a capture, as our sink counted it; what was asked for, though it took longer."""
    values, account = udp.outcome(spec, raw)
    rate_pps = spec.workload.rate_pps
    return values | ({"offered_pps": rate_pps * len(raw.ways)} if rate_pps else {}), account


def stream(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """TCP: goodput as the tool's receivers reported it, all directions together."""
    del spec
    values = {"goodput_bps": sum(float(way.sink["bps"]) for way in raw.ways)}
    reports = [way.sink["more"] for way in raw.ways]
    if all("retransmits" in more for more in reports):
        values["retransmits"] = sum(more["retransmits"] for more in reports)
    if "mss_bytes" in reports[0]:
        values["mss_bytes"] = reports[0]["mss_bytes"]
    return values, None


def series(way: Way) -> Series:
    """Packets over time at the sink's port, control connection and all."""
    t_ns, packets = way.sink["port"]["t_ns"], way.sink["port"]["packets"]
    came = [later - earlier for earlier, later in pairwise(packets)]
    return {f"port.{way.wire.direction}.packets": (t_ns[:-1], came)}


def counted(way: Way) -> Series:
    """Packets over time, counted by our sink; a capture's time stamps mean nothing."""
    return {f"sink.{way.wire.direction}.packets": binned(way, "packets")}


# A tool that has both ends itself, one whose packets our sink counts, and a tester of its own.
_UDP: Final = Kind(loads, udp.define, datagrams, udp.delivered_pps, series)
_TCP: Final = Kind(loads, tcp.define, stream, tcp.delivered_pps, series)
_SENT: Final = Kind(tcpreplay.loads, udp.define, replayed, udp.delivered_pps, counted)
_OTG: Final = Kind(otg.loads, udp.define, tested, udp.delivered_pps, series)
TOOLS: Final = {
    ("iperf3", "udp"): _UDP,
    ("iperf3", "tcp"): _TCP,
    ("nuttcp", "udp"): _UDP,
    ("nuttcp", "tcp"): _TCP,
    ("tcpreplay", "udp"): _SENT,
    ("otg", "udp"): _OTG,
}
