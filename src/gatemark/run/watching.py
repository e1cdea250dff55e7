# SPDX-License-Identifier: Apache-2.0
"""All that watches a trial, by name, in the order in which it starts; it stops in reverse."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from gatemark.gateway.setup import Setup
from gatemark.node.shell import Here, Local, Node
from gatemark.node.shield import together
from gatemark.plan.exact import COUNTS
from gatemark.plan.kind import RULES
from gatemark.plan.lasting import trial_s
from gatemark.plan.model import TrialSpec
from gatemark.probe import registry
from gatemark.probe.caches import Caches
from gatemark.probe.line import Books
from gatemark.probe.probe import Place
from gatemark.probe.reader import Reader
from gatemark.probe.starved import Starving
from gatemark.probe.threads import Ports, Threads
from gatemark.probe.watcher import Watcher
from gatemark.run.bench import Bench
from gatemark.run.kept.watch import Packets
from gatemark.run.kind import kind_of
from gatemark.run.program import Programs
from gatemark.station.cpu import ANY_CPU
from gatemark.station.station import Station
from gatemark.station.thread import Thread
from gatemark.station.wiring import Wire

# What only reads, before the load and after the drain.
READ: Final = ("starved", "caches", "threads", "line", "ports", "drops")


class Features:
    """What the arm's features count on the gateway; nothing where a restart would clear it."""

    def __init__(self, setup: Setup, spec: TrialSpec) -> None:
        self._setup = setup
        self._counts = not spec.workload.restart_s
        self._before: dict[str, int] = {}

    async def start(self) -> None:
        """Read the counts before the load."""
        if self._counts:
            self._before = await self._setup.seen({})

    async def stop(self) -> dict[str, int]:
        """By how much they rose."""
        return await self._setup.seen(self._before) if self._before else {}

    async def abort(self) -> None:
        """Nothing of it goes on."""


def watchers(bench: Bench, spec: TrialSpec, wires: Sequence[Wire]) -> dict[str, Watcher]:
    """A trial's own. Raises UnavailableError where the station cannot have one of them."""
    station = bench.station
    place = place_of(bench, spec)
    valued = kind_of(spec.workload).reads
    asked = valued if has_no_counts(spec) else (*valued, *registry.harmless())
    probes = registry.asked((*asked, *_own_probes(spec)))
    own = {name: probe.watcher(place) for name, probe in probes.items() if probe.watcher}
    running = Programs(station, spec)
    last = {name: own.pop(name) for name, probe in probes.items() if probe.last}
    return {
        "gateway": Reader(place, probes.values(), valued=bool(valued)),
        **own,
        "features": Features(bench.setup, spec),
        "programs": running,
        **({"packets": _packets(station, spec, wires)} if captures(spec) else {}),
        "starved": Starving(threads(station, spec), lambda: running.supervisors),
        "caches": Caches(station.counting, spec.gateway.devices),
        "threads": Threads(
            _near(wires), threads(station, spec), station.placement.sink, place.longest_s
        ),
        "line": Books(bench.line),
        "ports": Ports(port for wire in wires for port in (wire.source, wire.sink)),
        **last,
    }


async def start(watchers: Mapping[str, Watcher]) -> None:
    """Start them in their order, those that only read at once."""
    for names in _steps(watchers):
        await together(*(watchers[name].start() for name in names))


async def stop(watchers: Mapping[str, Watcher]) -> dict[str, Any]:
    """Stop them in reverse; return what each has seen."""
    seen: dict[str, Any] = {}
    for names in reversed(_steps(watchers)):
        done = await together(*(watchers[name].stop() for name in names))
        seen |= zip(names, done, strict=True)
    return seen


def _steps(watchers: Iterable[str]) -> list[list[str]]:
    """Names that start one after the other, and those that start at once, where the first stands.

    What counts instructions or interrupts is behind them: it would count their reading.
    """
    steps: list[list[str]] = []
    for name in watchers:
        if name not in READ:
            steps.append([name])
        elif read := next((step for step in steps if step[0] in READ), None):
            read.append(name)
        else:
            steps.append([name])
    return steps


def _near(wires: Sequence[Wire]) -> Node:
    """A host of this machine, where an agent stays if it can."""
    return next((wire.sink.node for wire in wires if isinstance(wire.sink.node, Here)), Local())


def captures(spec: TrialSpec) -> bool:
    """Return whether packets of the trial are captured; a search's steps are too many to keep."""
    is_odd = spec.keep.pcapng and spec.workload.kind == "udp" and spec.pass_ != "search"
    return is_odd or spec.keep.capture


def _packets(station: Station, spec: TrialSpec, wires: Sequence[Wire]) -> Packets:
    """Capture at all ports; what is kept of an application is what the tester's ports see."""
    return Packets(station, spec.arm.path, wires, with_gateway=not spec.keep.capture)


def _own_probes(spec: TrialSpec) -> tuple[str, ...]:
    """Those that the plan asks for; a kernel's instructions are no packet's: it counts its own."""
    is_kernel = spec.workload.kind == "algorithm"
    return tuple(name for name in spec.probes if not (is_kernel and name == COUNTS))


def has_no_counts(spec: TrialSpec) -> bool:
    """Whether the gateway has no part in it or forgets its counters; or nothing can be lost."""
    load = spec.workload
    return spec.arm.path == "direct" or bool(load.restart_s) or RULES[load.kind].silent


def place_of(bench: Bench, spec: TrialSpec) -> Place:
    """Where the probes of a trial read."""
    station, kept = bench.station, bench.kept.setdefault(spec.arm, {})
    # Another host's CPUs are its own to choose.
    is_here = isinstance(station.gateway.node, Here)
    cpu = station.placement.sink if is_here else ANY_CPU
    longest_s = trial_s(spec)
    return Place(station.gateway, cpu, longest_s, own_cpus(station), station.counting, kept)


def own_cpus(station: Station) -> frozenset[int] | None:
    """Which of the CPUs that a gateway reads are its own.

    A gateway that is a namespace sees all of this machine's; its own are those of its threads.
    """
    if not isinstance(station.gateway.node, Here):
        return None
    cpus = (thread.cpu for thread in station.threads.values())
    return frozenset(cpu for cpu in cpus if cpu is not None)


def threads(station: Station, spec: TrialSpec) -> Mapping[str, Thread]:
    """Whose CPU time is read: nobody's where a restart makes the gateway's threads anew.

    Nor where packets go one at a time, or none: the share of a gateway that waits says nothing.
    """
    load = spec.workload
    return {} if load.restart_s or RULES[load.kind].silent else station.threads
