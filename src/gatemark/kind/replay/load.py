# SPDX-License-Identifier: Apache-2.0
"""A capture replayed from both sides at once, by one agent at each; every packet accounted for.

The addresses that it bears are on no host (`Port.neighbour`), so nobody answers.
"""

import asyncio
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from gatemark.error import UnavailableError, UsageError
from gatemark.kind.replay.source import capture, conversation
from gatemark.node.agent import Agent, Tick, unfiltered
from gatemark.node.binary import agent_path
from gatemark.node.shell import Here, Node
from gatemark.plan.model import Among, TrialSpec, Workload
from gatemark.plan.trace import SOURCES
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import FAR_HOST, FIRST_CLIENT, Port, Wire, wires
from gatemark.store.record import REPLAYED
from gatemark.workload.way import BIN_MS, FAMILY, GRACE_S, Drained, Load, Report, Way, tick_ms

LEAD_US: Final = 100_000  # from the word to start to the first packet: both agents have it by then
STAGGER_US: Final = 1_234  # between clones: so many callers do not speak at once
ALONE: Final = Among()
READ_S: Final = 60.0  # a large capture is read, rewritten and sorted before `ready`


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One load for each direction; the two agents are theirs together.

    Raises UnavailableError where a side is another machine.
    """
    (up, down) = wires(station.ports, spec.arm.path, "both")
    for port in (up.source, up.sink):
        _require_here(port.node)
    mask = down.target if spec.arm.path == "nat" else None
    pair = Pair(up, down, mask, spec.workload, station.placement, spec.among)
    return [Replay(wire, pair) for wire in ways]


def _require_here(node: Node) -> None:
    """Both sides begin at one moment of one clock, and read one file."""
    if not isinstance(node, Here):
        raise UnavailableError(
            f"{node.name}: another machine, and the sides of a replay go by this machine's clock "
            "and file: only NICs of this machine can replay"
        )


class Pair:
    """The agents of both sides."""

    def __init__(
        self,
        up: Wire,
        down: Wire,
        mask: Port | None,
        load: Workload,
        placement: Placement,
        among: Among = ALONE,
    ) -> None:
        self.among = among
        self.up = up
        self.down = down
        self.mask = mask
        self.load = load
        self.placement = placement
        self.agents: list[Agent] = []  # LAN side, WAN side
        self._sent: asyncio.Task[None] | None = None
        self._closed: asyncio.Task[list[Report]] | None = None

    async def ready(self) -> None:
        """Bring both to their start; once. Raises NodeError."""
        if self.agents:
            return
        with tempfile.TemporaryFile() as made:  # it has no name that could be left behind
            trace = self.load.trace
            if trace in SOURCES:
                made.write(capture(trace, self.load.family, _needed_s(self.load)))
                made.flush()
                trace = f"/proc/{os.getpid()}/fd/{made.fileno()}"
            for wire, side in ((self.up, "lan"), (self.down, "wan")):
                request = self.request(wire, side, trace)
                self.agents.append(
                    await Agent.launch(wire.source.node, "replay", request, within_s=READ_S)
                )

    async def sent(self, tick: Tick | None) -> None:
        """Replay, once, whichever direction asks first."""
        self._sent = self._sent or asyncio.create_task(self._send(tick))
        await self._sent

    async def reports(self) -> list[Report]:
        """Return the reports of both sides, once nothing is on its way any more."""
        self._closed = self._closed or asyncio.create_task(self._close())
        return await self._closed

    async def _close(self) -> list[Report]:
        return list(await asyncio.gather(*(agent.close() for agent in self.agents)))

    async def _send(self, tick: Tick | None) -> None:
        t0_us = time.monotonic_ns() // 1000 + LEAD_US
        await asyncio.gather(*(agent.start(t0_us=t0_us) for agent in self.agents))
        longest_s = self.agents[0].ready["length_ns"] / 1e9 + GRACE_S
        ticks = (tick, None)
        await asyncio.gather(
            *(
                agent.event("sent", longest_s, each)
                for agent, each in zip(self.agents, ticks, strict=True)
            )
        )

    async def abort(self) -> None:
        """End both agents, whatever they do."""
        for task in (self._sent, self._closed):
            if task is not None:
                task.cancel()
        for agent in self.agents:
            await agent.abort()

    def request(self, wire: Wire, side: str, trace: str) -> dict[str, Any]:
        """Return the request to a side (agent/PROTOCOL.md, replay)."""
        load, place = self.load, self.placement
        near, far = self.up.near, self.up.far
        request = asked(load, trace) | {
            "side": side,
            "device": wire.source.device,
            "dst_mac": wire.next_hop.mac,
            "client": near.neighbour(load.family, FIRST_CLIENT),
            "far": far.neighbour(load.family, FAR_HOST - self.among.at),
            "bin_ms": BIN_MS,
            "cpu": place.sender if side == "lan" else place.sink,
            "tick_ms": tick_ms(load.duration_s),
        }
        request |= {"shared": 1} if self.among.is_mixed else {}
        return request | ({"mask": self.mask.address(load.family)} if self.mask else {})


class Replay:
    """One direction of a replay."""

    def __init__(self, wire: Wire, pair: Pair) -> None:
        self.wire = wire
        self.pair = pair

    async def ready(self) -> Self:
        """Bring both sides to their start. Raises NodeError."""
        await self.pair.ready()
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Replay until the trace or its time is over, and take this direction's reports."""
        await self.pair.sent(tick)
        await drained()
        lan, wan = await self.pair.reports()
        sent, came = (lan, wan) if self.wire.away else (wan, lan)
        times = {name: sent[name] for name in ("t0_ns", "t1_ns", "cpu_ns")}
        notes = remarks(self.pair.load, self.pair.agents[0].ready)
        if past := came["sink"]["unmasked"]:
            notes.append(f"{past} packets came past the NAT with the client's own address: as lost")
        return Way(
            self.wire,
            sent["sender"] | times,
            came["sink"] | {"cpu_ns": came["cpu_ns"]},
            {"sender": "raw", "sink": "ring"},
            notes=(*notes, *unfiltered(*self.pair.agents)),
        )

    async def abort(self) -> None:
        """End both agents, whatever they do."""
        await self.pair.abort()


def asked(load: Workload, trace: str) -> dict[str, Any]:
    """Return the part of a request that is about the trace alone."""
    return {
        "trace": trace,
        "ways": load.direction,
        "family": FAMILY[load.family],
        "clients": load.clients,
        "clones": load.clones,
        "stagger_us": STAGGER_US,
        "speed": load.speed,
        "rate_pps": load.rate_pps,
        "duration_ms": round(load.duration_s * 1000),
        "packet_most": load.packet_most,
        **({"dscp": load.dscp} if load.dscp else {}),
    }


def examine(load: Workload) -> None:
    """UsageError if the load's capture cannot be replayed as asked; nothing is sent."""
    if load.trace in SOURCES:
        return
    request = asked(load, load.trace) | {"side": "none"}
    command, asking = [str(agent_path()), "replay"], json.dumps(request) + "\n"
    try:
        done = subprocess.run(
            command, input=asking, capture_output=True, text=True, check=False, timeout=READ_S
        )
    except subprocess.TimeoutExpired:
        why = f"it takes more than {READ_S:g} s to make the replay ready; fewer `clones`?"
        raise UsageError(f"`trace` = '{load.trace}': {why}") from None
    events = [json.loads(line) for line in done.stdout.splitlines() if line.endswith("}")]
    for event in events:
        if event["ev"] == "error":
            raise UsageError(f"`{event['key']}`: {event['reason']}; {event['fix']}")
    if not any(event["ev"] == "done" for event in events):
        raise UsageError(f"`trace` = '{load.trace}': the agent could not read it to its end")


def remarks(load: Workload, ready: Report) -> list[str]:
    """Return remarks on what of a capture is not replayed as it is."""
    is_made = load.trace in SOURCES  # for longer than the trial's time
    texts = {
        "" if is_made else _share(Path(load.trace).name, ready): True,
        f"{ready['cut']} packets that were merged are cut into segments again": ready["cut"],
        f"{ready['padded']} packets that the capture had cut are filled up with zeros": ready[
            "padded"
        ],
        f"{ready['over']} packets of the trace are due after the trial's time": (
            is_made and ready["over"]
        ),
    }
    return [text for text, holds in texts.items() if text and holds]


def _share(name: str, ready: Report) -> str:
    """Which share of a capture is replayed, and why the rest is not; empty where all of it is."""
    packets = sum(ready["left_out"].values()) + ready["late"]
    if not packets:
        return ""
    size = ready["left_out_bytes"] + ready["late_bytes"]
    shares = (
        f"{_percent(ready['packets'], packets)} of the packets",
        f"{_percent(ready['bytes'], size)} of the bytes",
    )
    return f"{REPLAYED} {' and '.join(shares)} of {name}; left out: {', '.join(_reasons(ready))}"


def _percent(whole: int, left_out: int) -> str:
    """Return the share that is left in words; never 100 % or 0 % unless it is."""
    share = 100 * (whole - left_out) / whole
    shown = round(share, 1)
    if 0 < share < 100:
        shown = min(99.9, max(0.1, shown))
    return f"{shown:g} %"


def _reasons(ready: Report) -> list[str]:
    late = {"due after the trial's time": ready["late"]} if ready["late"] else {}
    return [f"{count} {reason}" for reason, count in (ready["left_out"] | late).items()]


def _needed_s(load: Workload) -> float:
    """Return how long a made conversation has to be for the trial's time."""
    if not load.rate_pps:
        return load.duration_s * load.speed
    a_second = len(conversation(load.trace, 10.0)) / 10
    return load.duration_s * load.rate_pps / a_second + 1.0
