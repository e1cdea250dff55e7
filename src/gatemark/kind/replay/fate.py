# SPDX-License-Identifier: Apache-2.0
"""The fate of each packet of a replay, flow by flow, from both ends' columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from gatemark.workload.way import Way

REFUSED: Final = -1  # in `sent_ns` (agent/src/replay/player.h): the port did not take it
NEVER: Final = -2  # its time was over before: nobody tried it


@dataclass(slots=True)
class Flow:
    """The packets of one flow that were tried, in the order of their numbers."""

    sent_ns: list[float] = field(default_factory=list)  # of a refused one: when its neighbour was
    delays_ns: list[float | None] = field(default_factory=list)  # None: lost or refused


def flows(way: Way) -> list[Flow] | None:
    """Return the flows of one direction; None where packets were too many to be kept singly."""
    if "packet" not in way.sender or "packet" not in way.sink:
        return None
    sent, came = way.sender["packet"], way.sink["packet"]
    arrival = dict(zip(came["number"], came["arrival_ns"], strict=True))
    times = tried(sent["sent_ns"])
    made: dict[int, Flow] = {}
    for number, (flow, at_ns) in enumerate(zip(sent["flow"], sent["sent_ns"], strict=True)):
        if at_ns == NEVER:
            continue
        its = made.setdefault(flow, Flow())
        its.sent_ns.append(times[number])
        its.delays_ns.append(arrival[number] - at_ns if number in arrival else None)
    return [made[flow] for flow in sorted(made)]


def tried(sent_ns: Sequence[int]) -> list[int]:
    """When each was tried: of a refused packet as the last before it, or the first of all."""
    last = next((at for at in sent_ns if at >= 0), 0)
    times: list[int] = []
    for at_ns in sent_ns:
        last = at_ns if at_ns >= 0 else last
        times.append(last)
    return times
