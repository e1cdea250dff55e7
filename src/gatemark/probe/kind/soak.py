# SPDX-License-Identifier: Apache-2.0
"""Probe `soak`: what is left of the gateway's CPUs, counted by loops of the lowest priority.

The loops (gm-agent's `soak`) turn from before the load, so each trial has its own measure of a CPU
at rest. They find what the tick does not see, as it looks but a hundred times a second: what ran
between two ticks, and in interrupts. What looks like load to them is a hypervisor that takes
the CPU, and a sibling thread that slows it.
"""

import asyncio
from statistics import median
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node.agent import Agent
from gatemark.node.quoted import literal, sh
from gatemark.node.reader import reader
from gatemark.probe.column import flat
from gatemark.probe.kind.cpu import IDLE, NICE
from gatemark.probe.probe import Outcome, Place, Probe, Seen, Sent
from gatemark.probe.window import Report, Window, window
from gatemark.station.wiring import Gateway
from gatemark.store.record import CpuReading
from gatemark.store.series import Series

INTERVAL_MS: Final = 50
AROUND_S: Final = 13  # soaked at most before and after the load
REST_SHARE: Final = 0.8  # of a CPU that must be free then, or there is no rest to compare with
TAKEN: Final = "probe soak: other work had more than a fifth of {} before the load"
REST_S: Final = 0.5  # soaked before the load: ten samples of a CPU at rest
CPUS: Final = literal("grep -o '^cpu[0-9]*' /proc/stat")  # with a line for all of them
NOT_HERE: Final = "probe soak: not available here: {}"


class Soak:
    """The loops on the gateway's own CPUs, or on all that it has."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._agent: Agent | None = None
        self._note = ""

    async def start(self) -> None:
        """Begin to soak, and give it some time at rest; where that cannot be had, say why."""
        try:
            self._agent = await self._launch()
            await self._agent.start()
            await asyncio.sleep(REST_S)
        except UnavailableError as error:
            self._note = NOT_HERE.format(error)

    async def stop(self) -> Report | str:
        """Return the report of the agent's `soak`, or why there is none."""
        return await self._agent.close() if self._agent else self._note

    async def abort(self) -> None:
        """End the loops."""
        if self._agent:
            await self._agent.abort()

    async def _launch(self) -> Agent:
        place = self._place
        if not place.gateway.agent:
            raise UnavailableError("no agent may run on the gateway")
        cpus = sorted(place.own) if place.own is not None else await _all(place.gateway)
        if not cpus:
            raise UnavailableError("the gateway has no CPU of its own")
        request = {
            "interval_ms": INTERVAL_MS,
            "samples": round((place.longest_s + AROUND_S) * 1000 / INTERVAL_MS),
            "cpus": cpus,
            "cpu": place.cpu,
        }
        return await Agent.launch(place.gateway.node, "soak", request)


async def _all(gateway: Gateway) -> list[int]:
    return _numbers(await gateway.run(*sh(CPUS)))


@reader("the list of its CPUs")
def _numbers(text: str) -> list[int]:
    return [int(line[3:]) for line in text.split() if line[3:]]


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """Each CPU, and the busiest of them."""
    if isinstance(report := seen.own["soak"], str):
        return Outcome(notes=(report,))
    if taken := taken_at_rest(seen.watched, report, sent.t0_ns):
        return Outcome(notes=(TAKEN.format(", ".join(taken)),))
    cpus = cpu_soaked(report, sent.t0_ns, sent.t1_ns, sent.delivered_pps)
    counts = cpus and sent.path != "direct"
    busiest = {"cpu_busy_soak": max(reading.busy for reading in cpus)} if counts else {}
    return Outcome(busiest, {"soaked": cpus})


def taken_at_rest(watched: Report, report: Report, t0_ns: int) -> list[str]:
    """CPUs that others had before the load, by their ticks where the probe `cpu` reads them too.

    Ticks say little of a small load, but enough of a fifth of a CPU over half a second.
    """
    rest = (
        window(watched, report["t_ns"][0], t0_ns) if "cpu" in watched and report["t_ns"] else None
    )
    if rest is None:
        return []
    taken = []
    for name in report["turns"]:
        risen = {mode: rest.change(column) for mode, column in watched["cpu"][name].items()}
        free = risen[IDLE] + risen[NICE]  # the loops' own time is booked as nice
        if free < REST_SHARE * sum(risen.values()):
            taken.append(f"cpu{name}")
    return taken


def series(seen: Seen) -> Series:
    """The turns of each loop."""
    report = seen.own["soak"]
    return {} if isinstance(report, str) else flat(report)


def cpu_soaked(
    report: Report, t0_ns: int, t1_ns: int, received_pps: float
) -> tuple[CpuReading, ...]:
    """Busy share of each CPU while it was sent: what its loop turned less than at rest."""
    sending = window(report, t0_ns, t1_ns) if report else None
    if sending is None:
        return ()
    readings = []
    for name, turns in report["turns"].items():
        rest = at_rest(report["t_ns"], turns, t0_ns)
        if not rest:
            continue
        busy = min(1.0, max(0.0, 1 - _per_ns(sending, turns) / rest))
        readings.append(
            CpuReading(
                thread=f"cpu{name}",
                cpu=int(name),
                busy=busy,
                ns_per_packet=busy * 1e9 / received_pps if received_pps else None,
            )
        )
    return tuple(readings)


def at_rest(times: list[int], turns: list[int], t0_ns: int) -> float:
    """Turns a ns before the load: the median over samples, as a hiccup slows one; 0: not known."""
    before = [at for at, time_ns in enumerate(times) if time_ns <= t0_ns]
    steps = [
        (turns[at] - turns[at - 1]) / (times[at] - times[at - 1])
        for at in before[1:]
        if times[at] > times[at - 1]
    ]
    return median(steps) if steps else 0.0


def _per_ns(over: Window, turns: list[int]) -> float:
    return over.change(turns) / (over.seconds * 1e9)


PROBE: Final = Probe(outcome, series, watcher=Soak)
