# SPDX-License-Identifier: Apache-2.0
"""What other work leaves of the gateway's CPUs: counted by loops of the lowest priority on them.

The loops (gm-agent's `soak`) turn from before the load, so each trial has its own measure of a CPU
at rest. They find what the tick does not see, as it looks but a hundred times a second: what ran
between two ticks, and in interrupts. What they cannot tell from load is a hypervisor that takes
the CPU, and a sibling thread that slows it.
"""

from collections.abc import Iterable
from statistics import median
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node.agent import Agent
from gatemark.probe.window import Report, Window, window
from gatemark.station.wiring import Gateway
from gatemark.store.record import CpuReading

INTERVAL_MS: Final = 50
REST_S: Final = 0.5  # soaked before the load: ten samples of a CPU at rest
CPUS: Final = "grep -o '^cpu[0-9]*' /proc/stat"  # with a line for all of them
NOT_HERE: Final = "probe soak: not available here: {}"


async def launch(
    gateway: Gateway, own: Iterable[int] | None, cpu: int, longest_s: float
) -> tuple[Agent | None, str]:
    """The loops on the gateway's CPUs (None: all that it has), or why there are none.

    `cpu` is the tester's, for the process that reads them.
    """
    if not gateway.agent:
        return None, NOT_HERE.format("no agent may run on the gateway")
    cpus = sorted(own) if own is not None else await _all(gateway)
    if not cpus:
        return None, NOT_HERE.format("the gateway has no CPU of its own")
    request = {
        "interval_ms": INTERVAL_MS,
        "samples": round((longest_s + 10) * 1000 / INTERVAL_MS),
        "cpus": cpus,
        "cpu": cpu,
    }
    try:
        agent = await Agent.launch(gateway.node, "soak", request)
    except UnavailableError as error:
        return None, NOT_HERE.format(error)
    await agent.start()
    return agent, ""


async def _all(gateway: Gateway) -> list[int]:
    said = await gateway.run("sh", "-c", CPUS)
    return [int(line[3:]) for line in said.split() if line[3:]]


def cpu_soaked(
    report: Report, t0_ns: int, t1_ns: int, received_pps: float
) -> tuple[CpuReading, ...]:
    """Busy share of each CPU while it was sent: what its loop turned less than at rest."""
    seen = window(report, t0_ns, t1_ns) if report else None
    if seen is None:
        return ()
    readings = []
    for name, turns in report["turns"].items():
        rest = at_rest(report["t_ns"], turns, t0_ns)
        if not rest:
            continue
        busy = min(1.0, max(0.0, 1 - _per_ns(seen, turns) / rest))
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


def _per_ns(seen: Window, turns: list[int]) -> float:
    return seen.change(turns) / (seen.seconds * 1e9)
