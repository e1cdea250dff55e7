# SPDX-License-Identifier: Apache-2.0
"""What is read on the gateway in the probed pass: each probe by name, and what it gives."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from gatemark.node.agent import Agent
from gatemark.probe.window import Report, Window
from gatemark.station.wiring import Gateway

INTERVAL_MS = 100
CONNTRACK_MAX = "/proc/sys/net/netfilter/nf_conntrack_max"

# Probe -> what the agent's `watch` reads for it; `shaper` is read from tc instead.
WATCHED = {
    "cpu": "cpu",
    "softirq": "softnet",
    "memory": "memory",
    "conntrack": "conntrack",
    "interfaces": "interfaces",
}

Evidences = dict[str, dict[str, Any]]


class Probes:
    """The probes of one trial: started before it, read and turned into evidence after it."""

    def __init__(self, gateway: Gateway, use: Sequence[str], cpu: int) -> None:
        self.gateway = gateway
        self.use = use
        self.cpu = cpu
        self._agent: Agent | None = None
        self._qdisc: dict[str, dict[str, int]] = {}

    async def start(self, longest_s: float) -> None:
        """Begin to read; one agent reads all, `tc` is asked before and after."""
        what = [WATCHED[probe] for probe in self.use if probe in WATCHED]
        if what:
            request = {
                "interval_ms": INTERVAL_MS,
                "samples": round((longest_s + 10) * 1000 / INTERVAL_MS),
                "what": what,
                "devices": list(self.gateway.devices.values()),
                "cpu": self.cpu,
            }
            self._agent = await Agent.launch(self.gateway.node, "watch", request)
            await self._agent.start()
        if "shaper" in self.use:
            self._qdisc = await _qdiscs(self.gateway)

    async def stop(self) -> tuple[Report, Evidences]:
        """End the reading; returns the raw report and the evidence by field of `Evidence`."""
        found: Evidences = {}
        if "shaper" in self.use:
            found["qdisc"] = _rise(self._qdisc, await _qdiscs(self.gateway))
        if self._agent is None:
            return {}, found
        report = await self._agent.close()
        whole = Window(0, len(report["t_ns"]) - 1, (report["t_ns"][-1] - report["t_ns"][0]) / 1e9)
        for field, read in READERS.items():
            if field in report:
                found[field] = read(report[field], whole)
        if "conntrack" in found:
            found["conntrack"]["max"] = int(await self.gateway.run("cat", CONNTRACK_MAX))
        return report, found

    async def abort(self) -> None:
        """End the reading, whatever it is doing."""
        if self._agent:
            await self._agent.abort()


def _conntrack(columns: dict[str, list[int]], whole: Window) -> dict[str, int]:
    risen = {
        name: int(whole.change(columns[name])) for name in ("drop", "early_drop", "insert_failed")
    }
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
    """Drops and overlimits of each test port's queueing disciplines, summed."""
    sums: dict[str, dict[str, int]] = {
        device: {"drops": 0, "overlimits": 0} for device in gateway.devices.values()
    }
    for qdisc in json.loads(await gateway.run("tc", "-s", "-j", "qdisc", "show")):
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
    }
