# SPDX-License-Identifier: Apache-2.0
"""What is read on the gateway in the instrumented pass: each probe by name, and what it gives."""

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from gatemark.error import UnavailableError
from gatemark.node.agent import Agent
from gatemark.probe import sensor, soak
from gatemark.probe.column import SLABS, SOURCES, TABLE, columns, patterns
from gatemark.probe.loop import Loop
from gatemark.probe.sensor import Sensed, own_watts, sensed
from gatemark.probe.window import Report, Window
from gatemark.station.power.meter import Reading
from gatemark.station.wiring import Gateway

INTERVAL_MS = 100
SHARE_PPM = 5000  # of a CPU that the agent may use: a slow gateway is looked at less often
VALUED_SHARE_PPM = 200_000  # the same where what it reads is the value that is looked for
SAMPLES = 4  # of a trial at least, whatever they cost
LONGEST_MS = 60_000  # between two samples that the agent takes (agent/PROTOCOL.md)
IDLE_S = 3.0  # of quiet before the load, where power is read: plugs measure about once a second
QDISCS = "tc -s -j qdisc show 2> /dev/null || true"
CONNTRACK_MAX = "/proc/sys/net/netfilter/nf_conntrack_max"

# Probe -> what the agent's `watch`, or the loop in its place, reads for it; `shaper` is read from
# tc instead, SENSED from sysfs, `soak` by loops of its own.
WATCHED = {
    "cpu": "cpu",
    "softirq": "softnet",
    "memory": "memory",
    "slab": "slab",
    "pagesets": "pagesets",
    "conntrack": "conntrack",
    "interfaces": "interfaces",
}
SENSED = ("temperature", "power")

Evidences = dict[str, dict[str, Any]]


@dataclass(slots=True)
class Seen:
    """All that the probes of one trial read."""

    watched: Report = field(default_factory=dict)  # columns, as the agent's `watch` gives them
    found: Evidences = field(default_factory=dict)  # by field of `Evidence`
    sensed: list[Sensed] = field(default_factory=list)
    meter: str = ""  # what told the watts
    watts: list[Reading] = field(default_factory=list)
    soaked: Report = field(default_factory=dict)  # as the agent's `soak` gives it
    notes: list[str] = field(default_factory=list)  # what could not be read, and why


def sampling(longest_s: float) -> dict[str, int]:
    """How often the agent's `watch` samples a trial that takes so long at most."""
    longest_ms = max(INTERVAL_MS, round(longest_s * 1000 / SAMPLES))
    return {
        "interval_ms": INTERVAL_MS,
        "longest_ms": min(LONGEST_MS, longest_ms),
        "samples": round((longest_s + 10 + IDLE_S) * 1000 / INTERVAL_MS),
    }


class Probes:
    """The probes of one trial: started before it, read and turned into evidence after it.

    `cpu` is the tester's; `own` are the CPUs of this machine that are the gateway's, None: all that
    it has. `valued`: they are what the trial is for.
    """

    def __init__(
        self,
        gateway: Gateway,
        use: Sequence[str],
        cpu: int,
        own: Collection[int] | None = None,
        *,
        valued: bool = False,
    ) -> None:
        self.gateway = gateway
        self.share_ppm = VALUED_SHARE_PPM if valued else SHARE_PPM
        self.use = use
        self.cpu = cpu
        self.own = own
        self.what = [WATCHED[probe] for probe in use if probe in WATCHED]
        self.meter = gateway.power if "power" in use else None
        self._agent: Agent | None = None
        self._loop: Loop | None = None
        self._soak: Agent | None = None
        self._notes: list[str] = []
        self._looped: list[str] = []  # of `what`, that the loop reads
        self._qdisc: dict[str, dict[str, int]] = {}

    async def start(self, longest_s: float) -> None:
        """Begin to read; one agent or loop reads all, `tc` is asked before and after."""
        self._looped = [] if await self._launched(longest_s) else self.what
        await self._start_loop()
        await self._start_soak(longest_s)
        if self.meter:
            await asyncio.to_thread(self.meter.start)
        if "power" in self.use:
            await asyncio.sleep(IDLE_S)
        if "shaper" in self.use:
            self._qdisc = await _qdiscs(self.gateway)

    async def stop(self) -> Seen:
        """End the reading; returns what was seen."""
        seen = Seen(notes=self._notes)
        if "shaper" in self.use:
            seen.found["qdisc"] = _rise(self._qdisc, await _qdiscs(self.gateway))
        if self.meter:
            seen.meter, seen.watts = self.meter.name, await asyncio.to_thread(self.meter.stop)
        if self._agent:
            seen.watched = await self._agent.close()  # by this machine's clock already
        if self._soak:
            seen.soaked = await self._soak.close()
        if self._loop:
            samples = await self._loop.stop()
            seen.watched = seen.watched or (columns(samples, self._looped) if self._looped else {})
            seen.sensed = sensed(samples) if self._senses else []
        if "power" in self.use and not self.meter:
            seen.meter, seen.watts = own_watts(seen.sensed)
        await self._judge(seen)
        return seen

    async def abort(self) -> None:
        """End the reading, whatever it is doing."""
        for agent in (self._agent, self._soak):
            if agent:
                await agent.abort()
        if self._loop:
            await self._loop.abort()
        if self.meter:
            await asyncio.to_thread(self.meter.stop)

    @property
    def _senses(self) -> bool:
        return any(probe in SENSED for probe in self.use)

    async def _launched(self, longest_s: float) -> bool:
        """Start the agent, where one may run and is built for this processor."""
        if not self.what or not self.gateway.agent:
            return not self.what
        request = sampling(longest_s) | {
            "share_ppm": self.share_ppm,
            "what": self.what,
            "devices": list(self.gateway.devices.values()),
            "slabs": list(SLABS),
            "cpu": self.cpu,
        }
        try:
            self._agent = await Agent.launch(self.gateway.node, "watch", request)
        except UnavailableError:
            return False
        await self._agent.start()
        return True

    async def _start_soak(self, longest_s: float) -> None:
        """Begin to soak, and give it some time at rest."""
        if "soak" not in self.use:
            return
        longest_s += IDLE_S if "power" in self.use else 0.0
        self._soak, why = await soak.launch(self.gateway, self.own, self.cpu, longest_s)
        if self._soak:
            await asyncio.sleep(soak.REST_S)
        else:
            self._notes.append(why)

    async def _start_loop(self) -> None:
        files = [SOURCES[one].file for one in self._looped]
        wanted = patterns(self._looped, self.gateway.devices.values())
        if self._senses:
            files, wanted = [*files, *sensor.FILES], [*wanted, *sensor.PATTERNS]
        if files:
            self._loop = Loop(self.gateway.node, files, wanted)
            await self._loop.start()

    async def _judge(self, seen: Seen) -> None:
        """Evidence from the columns, over all of the time that they were read."""
        if not seen.watched or len(seen.watched["t_ns"]) < 2:
            return
        times = seen.watched["t_ns"]
        whole = Window(0, len(times) - 1, (times[-1] - times[0]) / 1e9)
        for name, read in READERS.items():
            if name in seen.watched:
                seen.found[name] = read(seen.watched[name], whole)
        if "conntrack" in seen.found:
            seen.found["conntrack"]["max"] = int(await self.gateway.run("cat", CONNTRACK_MAX))


def _conntrack(columns: dict[str, list[int]], whole: Window) -> dict[str, int]:
    risen = {name: int(whole.change(columns[name])) for name in TABLE}
    return {"entries": max(columns["entries"]), **risen}


def _memory(columns: dict[str, list[int]], _whole: Window) -> dict[str, int]:
    return {
        "total_bytes": columns["total_bytes"][0],
        "available_bytes": min(columns["available_bytes"]),
        "slab_bytes": max(columns["slab_bytes"]),
    }


def _softnet(columns: dict[str, dict[str, list[int]]], whole: Window) -> dict[str, int]:
    """Summed over CPUs."""
    return {
        name: sum(int(whole.change(cpu[name])) for cpu in columns.values())
        for name in ("dropped", "squeezed")
    }


READERS: dict[str, Callable[[Any, Window], dict[str, int]]] = {
    "conntrack": _conntrack,
    "memory": _memory,
    "softnet": _softnet,
}


async def _qdiscs(gateway: Gateway) -> dict[str, dict[str, int]]:
    """Drops and overlimits of each test port's queueing disciplines, summed.

    None where tc is busybox's or missing: it does not count.
    """
    sums: dict[str, dict[str, int]] = {
        device: {"drops": 0, "overlimits": 0} for device in gateway.devices.values()
    }
    said = await gateway.run("sh", "-c", QDISCS)
    if not said.strip():
        return {}
    for qdisc in json.loads(said):
        if (device := qdisc["dev"]) in sums and qdisc["kind"] not in ("noqueue", "clsact"):
            for name in sums[device]:
                sums[device][name] += qdisc.get(name, 0)
    return sums


def _rise(
    before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]
) -> dict[str, dict[str, int]]:
    return {
        device: {name: value - before[device][name] for name, value in counters.items()}
        for device, counters in after.items()
        if device in before
    }
