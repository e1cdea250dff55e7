# SPDX-License-Identifier: Apache-2.0
"""The outcome of a group: join and leave time, and what was forwarded as a member and without one.

Where the gateway floods the group there is no time of joining or leaving: its packets come anyway.
"""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from gatemark.kind.multicast.load import FRAME_BYTES, NS_A_S, QUIET_S, Seen, loads
from gatemark.kind.multicast.plan import MULTICAST
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition
from gatemark.store.series import Series
from gatemark.workload.way import Way

FLOODED: Final = 0.01  # of what is sent without a member: more is no straggler


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of a group alone."""
    del load
    return replace(both, l4="udp", frame_bytes=FRAME_BYTES, quantity=MULTICAST)


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """The values; each packet is followed by its number."""
    del spec
    return times(raw.ways[0].sender["group"]), None


def times(seen: Seen) -> dict[str, float]:
    """Return the shares, and the times where the group comes to members alone."""
    first_ns = min((ns for ns in seen.arrived_ns.values() if ns >= seen.joined_ns), default=None)
    values = {
        "flooded_share": _share(seen, seen.sent_ns[0], seen.joined_ns),
        "forwarded_share": _share(seen, first_ns or seen.joined_ns, seen.left_ns),
    }
    if first_ns is None or values["flooded_share"] > FLOODED:
        return values
    values["join_ns"] = float(first_ns - seen.joined_ns)
    last_ns = max(seen.arrived_ns.values())
    if seen.sent_ns[-1] - last_ns > QUIET_S * NS_A_S / 2:
        values["leave_ns"] = float(max(0, last_ns - seen.left_ns))
    return values


def _share(seen: Seen, from_ns: int, until_ns: int) -> float:
    """Return the share that came of what was sent in a time."""
    numbers = [n for n, ns in enumerate(seen.sent_ns) if from_ns <= ns < until_ns]
    return sum(n in seen.arrived_ns for n in numbers) / len(numbers) if numbers else 0.0


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s that came to the member's port."""
    del values
    way = raw.ways[0]
    return len(way.sender["group"].arrived_ns) * 1e9 / max(1, way.span_ns)


def series(way: Way) -> Series:
    """The number of each packet by the time of its arrival."""
    arrived_ns = way.sender["group"].arrived_ns
    return {f"group.{way.wire.direction}.number": ([*arrived_ns.values()], [*arrived_ns])}


KIND: Final = Kind(loads, define, outcome, delivered_pps, series)
