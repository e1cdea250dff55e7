# SPDX-License-Identifier: Apache-2.0
"""The line: an emulated access line before the WAN host, an element of the bench.

    gateway               gm-ID-line                  WAN host
    +-----+         +----------------------+         +------+
    | gw1 |---------| wan0   agent   line1 |---------| wan0 |     path `direct`: lan9, wan9
    +-----+         +----------------------+         +------+

The WAN host's test device moves into a namespace of the line. A veth pair gives the WAN host
another of the same name, MAC address, MTU, addresses and neighbours, so neither gateway nor
workload sees a difference. Between the two devices the agent serialises (agent/PROTOCOL.md, line).
Its rates and buffers change by another agent; the wiring stays.

No packet may be unfinished where the agent copies it: nothing merges or cuts at these ports, and
the hosts make checksums themselves (`Demand.finished`).
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gatemark.node.agent import Agent
from gatemark.node.shell import Namespace
from gatemark.node.shield import whole
from gatemark.plan.line.course import course_of
from gatemark.plan.line.keys import WAYS
from gatemark.plan.line.time import waits
from gatemark.plan.model import Line as Asked
from gatemark.plan.model import LineWay
from gatemark.station import blocking, space
from gatemark.station.line.splice import Splice
from gatemark.station.napi import FIFO_PRIORITY
from gatemark.station.station import Station
from gatemark.station.wiring import Port

VERB: Final = "line"
SPIN_US: Final = 120  # so long before a departure the agent spins, as sleep ends late
# The kernel acts on a carrier that changed up to a second later (net/core/link_watch.c), and a
# router then reports its multicast groups anew.
SETTLE_S: Final = 1.05
BOOKS_S: Final = 10.0


class Line:
    """The line of one station, as it stands now. `set` before each trial, `release` in the end."""

    def __init__(self, station: Station) -> None:
        self.station = station
        self._splice: Splice | None = None
        self._agent: Agent | None = None
        self._request: Mapping[str, Any] = {}
        self._begun_ns = 0  # the books and the course, CLOCK_MONOTONIC

    @property
    def ports(self) -> Sequence[Port]:
        """Both of its ports, `line0` at the gateway's cable; none where no line stands."""
        return self._splice.ports if self._splice else ()

    @property
    def words(self) -> dict[str, str]:
        """Where it runs, for a record: `cpu 0, fifo 50`."""
        if self._agent is None:
            return {}
        cpu, fifo = self._agent.ready["cpu"], self._agent.ready["sched"] == "fifo"
        place = "any cpu" if cpu < 0 else f"cpu {cpu}"
        return {"line": f"{place}, fifo {FIFO_PRIORITY}" if fifo else f"{place}, normal class"}

    async def set(self, asked: Asked | None, path: str, seed: int = 1) -> None:
        """Put a line in, change it, or take it out (None).

        `seed` decides which frames are lost where they are lost by chance. Raises UnavailableError
        where the station cannot have one, StationError, NodeError.
        """
        if asked is None:
            await self.release()
            return
        splice = Splice(self.station.ports, "wan9" if path == "direct" else "wan0")
        if self._splice is None or self._splice.role != splice.role:
            await self.release()
            await self._put(splice)
        request = self._asks(asked, seed)
        if request != self._request or self._agent is None or not self._agent.alive:
            await self._stop()
            self._agent = await Agent.launch(splice.node, VERB, request)
            self._request = request

    async def release(self) -> None:
        """Take it out: the WAN host's device goes home, the namespace goes away."""
        await self._stop()
        splice, self._splice = self._splice, None
        if splice:
            try:
                await blocking.run(splice.take_out)
            finally:
                self.station.rewired()

    async def begin(self) -> None:
        """Forget what crossed it so far; nothing where no line stands."""
        if self._agent:
            self._agent.tell({"cmd": "begin"})
            self._begun_ns = (await self._agent.event("begin"))["t_ns"]

    async def books(self) -> dict[str, Any]:
        """Return the books since `begin` (agent/PROTOCOL.md, line); it goes on forwarding."""
        assert self._agent is not None
        self._agent.tell({"cmd": "stop"})
        return {**await self._agent.event("done", BOOKS_S), "begun_ns": self._begun_ns}

    async def _put(self, splice: Splice) -> None:
        self._splice = splice
        try:
            await blocking.run(splice.put_in)
            await asyncio.gather(*map(_whole, (*splice.ports, splice.port)))
            await asyncio.gather(*map(_finish, (splice.ports[1], splice.port)))
            await asyncio.sleep(SETTLE_S)
        except BaseException:
            await whole(self.release())
            raise
        self.station.rewired()

    async def _stop(self) -> None:
        agent, self._agent, self._request = self._agent, None, {}
        if agent and agent.alive:
            await agent.abort()

    def _asks(self, asked: Asked, seed: int) -> dict[str, Any]:
        gate, host = self.ports
        return {
            "gateway_device": gate.device,
            "wan_device": host.device,
            "up": way(asked.up),
            "down": way(asked.down),
            **dict(steps(asked)),
            "seed": seed if any(getattr(asked, name).loss for name in WAYS) else 1,
            "spin_us": SPIN_US,
            "priority": FIFO_PRIORITY if self.station.able.priority else 0,
            "cpu": self.station.placement.line,
        }


def steps(asked: Asked) -> Iterator[tuple[str, Any]]:
    """The courses of both ways as the agent is asked for them; nothing of a way that stays."""
    for name in WAYS:
        if course := course_of(getattr(asked, name)):
            yield (
                f"{name}_steps",
                [
                    number
                    for step in course.steps
                    for number in (
                        round(step.from_s * 1e6),
                        round(step.rate_bps / 1e3),
                        round(step.delay_ms * 1e3),
                    )
                ],
            )
            yield f"{name}_period_us", round(course.period_s * 1e6)


def way(asked: LineWay) -> dict[str, Any]:
    """One way as the agent is asked for it; of a course its highest rate."""
    course = course_of(asked)
    most_bps = max(step.rate_bps for step in course.steps) if course else asked.rate_bps
    return {
        "rate_bps": round(most_bps),
        "buffer_packets": waits(asked),
        "buffer_bytes": asked.buffer_bytes,
        "fixed_ns": round(asked.fixed_ms * 1e6),
        "loss_ppb": round(asked.loss * 1e9),
        "aqm": asked.aqm,
        "overhead_bytes": asked.overhead_bytes,
        "atm": asked.atm,
    }


async def _whole(port: Port) -> None:
    """Nothing merges or cuts frames at a port."""
    assert isinstance(port.node, Namespace)
    await space.offloads(port.node, port.device, "off")


async def _finish(port: Port) -> None:
    """No checksum is left to be made beyond a port."""
    await port.node.run("ethtool", "-K", port.device, "tx", "off")
