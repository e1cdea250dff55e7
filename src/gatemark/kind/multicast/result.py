# SPDX-License-Identifier: Apache-2.0
"""The outcome of a group: join and leave time, and what was forwarded as a member and without one.

Where the gateway floods the group there is no time of joining or leaving: its packets come anyway.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from statistics import mean, median
from typing import Final, NamedTuple, Self

from msgspec.structs import replace

from gatemark.kind.multicast.load import FRAME_BYTES, NS_A_S, QUIET_S, Seen, loads
from gatemark.kind.multicast.plan import MULTICAST, QUIET_TURNS
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition
from gatemark.store.series import Series
from gatemark.workload.way import Way

FLOODED: Final = 0.01  # of what is sent without a member: more is no straggler
STOPPED_S: Final = 0.5  # without a packet, at least, before it is left


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of a group alone."""
    return replace(
        both,
        l4="udp",
        frame_bytes=FRAME_BYTES,
        flows=load.groups,
        clients=1 + load.neighbour,
        quantity=MULTICAST,
    )


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """The values; each packet is followed by its number."""
    del spec
    return times(raw.ways[0].sender["group"]), None


def times(seen: Seen) -> dict[str, float]:
    """Return the shares, and the times where the groups come to members alone."""
    came = [_Came.of(seen, at) for at in range(seen.groups)]
    there = [each for each in came if each.first_ns]
    values = {
        "flooded_share": _flooded(seen),
        "forwarded_share": mean(each.share for each in came),
        "group_never": 1 - len(there) / len(came),
        "group_stopped": 0.0,
        **_queries(seen),
    }
    stopped = [each for each in there if _is_stopped(seen, each)]
    if stopped:
        values["group_stopped"] = len(stopped) / len(came)
        values["group_lasted_ns"] = median(each.last_ns - seen.joined_ns for each in stopped)
    if len(there) < len(came) or values["flooded_share"] > FLOODED:
        return values
    values["join_ns"] = float(max(each.first_ns for each in came) - seen.joined_ns)
    last_ns = max(seen.arrived_ns.values())
    if not stopped and seen.sent_ns[-1] - last_ns > QUIET_S * NS_A_S / 2:
        values["leave_ns"] = float(max(0, last_ns - seen.left_ns))
    return values


class _Came(NamedTuple):
    """One group while it had a member."""

    first_ns: int  # its first packet; 0: none came
    last_ns: int
    share: float  # of what was sent since then

    @classmethod
    def of(cls, seen: Seen, at: int) -> Self:
        """Return what came of the group with this number."""
        numbers = range(at, len(seen.sent_ns), seen.groups)
        own = (n for n in numbers if seen.sent_ns[n] >= seen.joined_ns)
        since = [seen.arrived_ns[n] for n in own if n in seen.arrived_ns]
        member = [ns for ns in since if ns < seen.left_ns]
        first_ns = min(since, default=0)
        share = _share(seen, numbers, first_ns or seen.joined_ns, seen.left_ns)
        return cls(first_ns, max(member, default=0), share)


def _flooded(seen: Seen) -> float:
    """Return the share that came before somebody was a member; what waited and came later is not.

    A router holds a few packets of a group for which it has no route yet.
    """
    sent = sum(ns < seen.joined_ns for ns in seen.sent_ns)
    return sum(ns < seen.joined_ns for ns in seen.arrived_ns.values()) / sent if sent else 0.0


def _is_stopped(seen: Seen, came: _Came) -> bool:
    """Return whether a group that came did not come any more while it had a member."""
    turn_ns = (seen.sent_ns[-1] - seen.sent_ns[0]) / len(seen.sent_ns) * seen.groups
    quiet_ns = max(STOPPED_S * NS_A_S, QUIET_TURNS * turn_ns)
    return seen.left_ns - came.last_ns > quiet_ns


def _queries(seen: Seen) -> dict[str, float]:
    """Return how often somebody asked for members, and for how long nobody did at the end."""
    asked = [ns for ns in seen.queries_ns if ns < seen.left_ns]
    values = {}
    if len(asked) > 1:
        values["query_every_ns"] = float(median(b - a for a, b in pairwise(asked)))
    if asked:
        values["query_silent_ns"] = float(seen.left_ns - asked[-1])
    return values


def _share(seen: Seen, numbers: Iterable[int], from_ns: int, until_ns: int) -> float:
    """Return the share that came of those of some packets that were sent in a time."""
    sent = [n for n in numbers if from_ns <= seen.sent_ns[n] < until_ns]
    return sum(n in seen.arrived_ns for n in sent) / len(sent) if sent else 0.0


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
