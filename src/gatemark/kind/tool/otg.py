# SPDX-License-Identifier: Apache-2.0
"""A tester that speaks OTG (Open Traffic Generator), as ixia-c does, in our agents' place.

Its ports are attached to the station's test ports by AF_PACKET, so both ports' own counters are
witnesses of what it says that it sent and received. snappi talks to it, in a process of its own.
"""

import asyncio
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from gatemark.error import InvalidTrialError, UnavailableError, UsageError
from gatemark.kind.tool.job import Result
from gatemark.kind.tool.load import Watched
from gatemark.node.agent import Tick
from gatemark.node.isolated import INTERPRETER
from gatemark.node.shell import Local, Process
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import WAN_PORT, Wire
from gatemark.workload.flows import flows
from gatemark.workload.way import Drained, Load, Way

NAME: Final = "otg"
VARIABLE: Final = "GATEMARK_OTG"
FORM: Final = "https://HOST:8443 lan=LOCATION wan=LOCATION"
TRANSPORTS: Final = {"https": "http", "http": "http", "grpc": "grpc"}  # what snappi calls them
STEPS: Final = str(Path(__file__).with_name("snappi_steps.py"))
STEP_S: Final = 25.0  # for an answer, beside the time that is sent
LATE_S: Final = 10.0  # a flow ends so much later than it was to, or never
PATHS: Final = ("route", "nat")  # a tester has a port at the gateway's LAN and one at its WAN
DELAYS: Final = {
    "minimum_ns": "delay_min_ns",
    "average_ns": "delay_mean_ns",
    "maximum_ns": "delay_max_ns",
}


@dataclass(frozen=True, slots=True)
class Remote:
    """Where a tester answers, where its ports are, and the Python that has snappi."""

    location: str
    transport: str
    lan: str
    wan: str
    python: str = INTERPRETER[0]

    @classmethod
    def named(cls) -> Self:
        """Read it from the environment. Raises UsageError."""
        text = os.environ.get(VARIABLE, "")
        address, *words = text.split() or [""]
        scheme, _, rest = address.partition("://")
        keys = dict(word.partition("=")[::2] for word in words)
        known = {"lan", "wan"} <= keys.keys() <= {"lan", "wan", "python"} and all(keys.values())
        if not known or not rest or scheme not in TRANSPORTS:
            raise UsageError(f"{VARIABLE}={text!r}: for --driver otg write {VARIABLE}='{FORM}'")
        location = rest if scheme == "grpc" else address
        return cls(location, TRANSPORTS[scheme], **keys)

    @property
    def words(self) -> tuple[str, ...]:
        """The command that talks to it."""
        return (self.python, "-I", STEPS, self.location, self.transport)


def require() -> None:
    """Ask the tester for its version. Raises UsageError, UnavailableError."""
    tester = Remote.named()
    try:
        done = subprocess.run(
            tester.words,
            input="version\n",
            capture_output=True,
            text=True,
            timeout=STEP_S,
            check=False,
        )
    except OSError as error:
        raise UsageError(f"{VARIABLE}: python={tester.python}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{tester.location}: {_late(STEP_S)}") from None
    if done.returncode:
        raise UnavailableError(_failed(tester, done.stderr))


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one direction."""
    if spec.arm.path not in PATHS:
        raise UnavailableError(f"an OTG tester has no port on the path {spec.arm.path}")
    tester = Remote.named()
    return [Flow(tester, wire, spec.workload, station.placement) for wire in ways]


class Flow(Watched):
    """One direction: one flow of the tester's, from one of its ports to the other."""

    def __init__(self, tester: Remote, wire: Wire, load: Workload, placement: Placement) -> None:
        super().__init__(wire, load, placement)
        self.tester = tester
        self._steps: Process | None = None
        self._version = ""

    async def ready(self) -> Self:
        """Configure the tester. Raises InvalidTrialError, NodeError."""
        pinned = ("taskset", "-c", str(self.placement.sender), *self.tester.words)
        self._steps = await Local().start(*pinned)
        text = json.dumps(configuration(self.tester, self.wire, self.load))
        self._version = (await self._step(f"set {text}"))["version"]
        await self.watch()
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Let it send, wait until nothing is on its way any more, take its metrics."""
        del tick  # its metrics rest only at the end
        assert self._watch is not None
        await self._watch.start()
        longest_s = self.load.duration_s + LATE_S
        await self._step(f"start {longest_s}", longest_s)
        await drained()
        seen = await self._watch.close()
        metrics = await self._step("read")
        source, received = self.reports(result(self.load, metrics), seen)
        ports = dict.fromkeys(("sender", "sink"), f"otg {self._version}")
        return Way(self.wire, source, received, ports, program="otg")

    async def abort(self) -> None:
        """End what talks to the tester, whose flow ends by itself."""
        if self._steps:
            self._steps.kill()
            await self._steps.wait()
        await super().abort()

    async def _step(self, line: str, beside_s: float = 0.0) -> dict[str, Any]:
        """Return the answer to a step. Raises InvalidTrialError where none comes in time."""
        assert self._steps is not None
        self._steps.write(f"{line}\n".encode())
        within_s = STEP_S + beside_s
        try:
            answer = await asyncio.wait_for(self._steps.line(), within_s)
        except TimeoutError:
            raise InvalidTrialError(f"{self.tester.location}: {_late(within_s)}") from None
        if not answer:
            raise InvalidTrialError(_failed(self.tester, await self._steps.errors()))
        report: dict[str, Any] = json.loads(answer)
        return report


def configuration(tester: Remote, wire: Wire, load: Workload) -> dict[str, Any]:
    """Return what the tester is to send, by OTG's model: one flow, whose ports go round robin."""
    near = _chosen("increment", {"start": flows(load).near[0], "step": 1, "count": load.flows})
    ports = {"near": near, "far": _value(WAN_PORT)}
    source, target = ("near", "far") if wire.away else ("far", "near")
    address = {"src": wire.source.address(load.family), "dst": wire.target.address(load.family)}
    macs = {"src": wire.source.mac, "dst": wire.next_hop.mac}
    headers = {
        "ethernet": {name: _value(mac) for name, mac in macs.items()},
        load.family: {name: _value(text) for name, text in address.items()},
        "udp": {"src_port": ports[source], "dst_port": ports[target]},
    }
    rate = ("pps", max(1, round(load.rate_pps))) if load.rate_pps else ("percentage", 100)
    flow = {
        "name": "gatemark",
        "tx_rx": _chosen("port", {"tx_name": _side(wire.away), "rx_names": [_side(not wire.away)]}),
        "packet": [_chosen(name, fields) for name, fields in headers.items()],
        "size": _chosen("fixed", load.frame_bytes),
        "rate": _chosen(*rate),
        "duration": _chosen("fixed_seconds", {"seconds": load.duration_s}),
        "metrics": {"enable": True, "timestamps": True}
        | {"latency": {"enable": True, "mode": "cut_through"}},
    }
    sides = {"lan": tester.lan, "wan": tester.wan}
    return {
        "ports": [{"name": name, "location": place} for name, place in sides.items()],
        "flows": [flow],
    }


def result(load: Workload, metrics: dict[str, Any]) -> Result:
    """Return what the flow's metrics say. Raises InvalidTrialError where one is missing."""
    try:
        sent, received = int(metrics["frames_tx"]), int(metrics["frames_rx"])
    except (KeyError, TypeError, ValueError):
        raise InvalidTrialError(f"the OTG tester counts no frames: {metrics}"[:200]) from None
    first, last = (metrics["timestamps"].get(f"{end}_timestamp_ns") for end in ("first", "last"))
    seconds = (last - first) / 1e9 if first and last and last > first else load.duration_s
    latency = metrics["latency"]
    more = {ours: float(latency[name]) for name, ours in DELAYS.items() if latency.get(name)}
    return Result(seconds=seconds, sent=sent, received=received, more=more)


def _side(is_lan: bool) -> str:
    return "lan" if is_lan else "wan"


def _chosen(choice: str, content: object) -> dict[str, Any]:
    """One of several, as OTG writes it."""
    return {"choice": choice, choice: content}


def _value(content: object) -> dict[str, Any]:
    return _chosen("value", content)


def _late(within_s: float) -> str:
    return f"the OTG tester gave no answer within {within_s:g} s: is this its address?"


def _failed(tester: Remote, errors: str) -> str:
    """Say why the steps ended: the last line of what they wrote."""
    last = (errors.strip().splitlines() or ["no word"])[-1]
    if "No module named 'snappi'" in last:
        return f"no snappi in {tester.python}: pip install snappi, or add python=PATH to {VARIABLE}"
    return f"{tester.location}: the OTG tester failed: {last[:200]}"
