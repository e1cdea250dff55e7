# SPDX-License-Identifier: Apache-2.0
"""The readings of every pass, from outside the gateway: its threads' CPU and the test ports."""

from collections.abc import Iterable, Mapping
from typing import Any

from gatemark.error import StationError
from gatemark.node.agent import Agent
from gatemark.node.reader import reader
from gatemark.node.shell import Node, door
from gatemark.probe.window import Report, window
from gatemark.station.thread import Thread
from gatemark.station.wiring import Port
from gatemark.store.record import CpuReading

INTERVAL_MS, SHORTEST_MS = 50, 10  # of the agent's `watch` (agent/PROTOCOL.md)
SAMPLES = 8  # of a short trial: those inside it must span most of it

# Columns of DEV after the name that we use (net/core/net-procfs.c).
DEV = "/proc/net/dev"
COLUMNS = {"rx_packets": 1, "rx_dropped": 3, "tx_packets": 9, "tx_dropped": 11}


class Threads:
    """The schedstat of the gateway's threads, which any host of this machine sees.

    `cpu` is the tester's.
    """

    def __init__(
        self, node: Node, threads: Mapping[str, Thread], cpu: int, longest_s: float
    ) -> None:
        self._node = node  # of this machine
        interval_ms = interval(longest_s)
        self._request = {
            "interval_ms": interval_ms,
            "samples": round((longest_s + 10) * 1000 / interval_ms),
            "what": ["threads"],
            "threads": [thread.pid for thread in threads.values()],
            "cpu": cpu,
        }
        self._agent: Agent | None = None

    async def start(self) -> None:
        """Begin to read."""
        self._agent = await Agent.launch(self._node, "watch", self._request)
        await self._agent.start()

    async def stop(self) -> Report:
        """Return the report of the agent's `watch`."""
        assert self._agent is not None
        return await self._agent.close()

    async def abort(self) -> None:
        """End the reading."""
        if self._agent:
            await self._agent.abort()


class Ports:
    """The counters of the tester's ports."""

    def __init__(self, ports: Iterable[Port]) -> None:
        self._ports = list(ports)
        self.before: dict[str, int] = {}

    async def start(self) -> None:
        """Read them before the load."""
        self.before = await port_counters(self._ports)

    async def stop(self) -> tuple[dict[str, int], dict[str, int]]:
        """The counters before and after."""
        return self.before, await port_counters(self._ports)

    async def abort(self) -> None:
        """Nothing of it goes on."""


def interval(longest_s: float) -> int:
    """Milliseconds between two samples of a trial that lasts so long at most."""
    return max(SHORTEST_MS, min(INTERVAL_MS, round(longest_s * 1000 / SAMPLES)))


def cpu_readings(
    report: Report, threads: Iterable[Thread], t0_ns: int, t1_ns: int, received_pps: float
) -> tuple[CpuReading, ...]:
    """Busy share of each thread, and its time for each packet delivered, while it was sent."""
    sending = window(report, t0_ns, t1_ns)
    if sending is None:
        return ()
    readings = []
    for thread in threads:
        columns = report["threads"][str(thread.pid)]
        span_ns = sending.seconds * 1e9
        busy, waiting = (sending.change(columns[name]) / span_ns for name in ("run_ns", "wait_ns"))
        per_packet = busy * 1e9 / received_pps if received_pps else None
        readings.append(
            CpuReading(
                thread=thread.name,
                cpu=thread.cpu,
                busy=busy,
                waiting=waiting,
                ns_per_packet=per_packet,
            )
        )
    return tuple(readings)


def busiest(readings: Iterable[CpuReading]) -> float:
    """Return the share of the busiest CPU that its threads and programs used; 0 without any."""
    cpus: dict[int | str, float] = {}
    for reading in readings:
        cpus[reading.core] = cpus.get(reading.core, 0.0) + reading.busy
    return max(cpus.values(), default=0.0)


async def port_counters(ports: Iterable[Port]) -> dict[str, int]:
    """Counters of the tester's ports by role: `lan0.tx_packets` and so on."""
    hosts: dict[Node, dict[str, str]] = {}
    for port in ports:
        hosts.setdefault(port.node, {})[port.role] = port.device
    counters: dict[str, int] = {}
    for node, names in hosts.items():
        near = door(node)
        text = near.read(DEV) if near else await node.run("cat", DEV)
        counters |= _parse(text, names)
    return counters


@reader("/proc/net/dev")
def _parse(text: str, names: Mapping[str, str]) -> dict[str, int]:
    rows: dict[str, Any] = dict(line.split(":") for line in text.splitlines() if ":" in line)
    rows = {name.strip(): row.split() for name, row in rows.items()}
    if gone := [name for name in names.values() if name not in rows]:
        raise StationError(f"{', '.join(gone)}: a test port is gone; start the run again")
    return {
        f"{role}.{what}": int(rows[name][column])
        for role, name in names.items()
        for what, column in COLUMNS.items()
    }
