# SPDX-License-Identifier: Apache-2.0
"""tcpreplay in our sender's place: it sends a capture of test packets, our sink counts them.

The capture holds each number once and is never looped. tcpreplay tries a frame that the port
refused again until it goes, so it paces itself by the device's queue. At its fastest it is
interrupted when its time is over, as its own `--duration` ends it much later; at a rate, where it
is late.
"""

import asyncio
import os
import re
from collections.abc import Sequence
from tempfile import TemporaryFile
from typing import Any, Final, Self

from gatemark.error import InvalidTrialError
from gatemark.kind.tool import capture, program
from gatemark.kind.tool.capture import Frames
from gatemark.kind.tool.program import Program
from gatemark.kind.udp.load import open_mappings
from gatemark.node.agent import Agent, Tick
from gatemark.plan.driver import capture_packets
from gatemark.plan.model import TrialSpec, Workload
from gatemark.probe.threads import port_counters
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import WAN_PORT, Wire, wires
from gatemark.workload.flows import flows
from gatemark.workload.way import BIN_MS, FAMILY, Drained, Load, Report, Way, tick_ms

BEYOND_S: Final = 30.0  # it reads the whole capture first
LATE_S: Final = 0.1  # a paced trial that lasts so much longer is interrupted
SLOW: Final = 0.02  # of its time: its pace itself was seen to be 1.2 % slow
AGAIN: Final = (
    "tcpreplay sent {:.0f} frames again that the port had refused: it waited for the port"
)
WORDS: Final = {  # of its report
    "actual": r"Actual: (\d+) packets",
    "sent": r"Successful packets:\s+(\d+)",
    "failed": r"Failed packets:\s+(\d+)",
    "retried": r"Retried packets \(ENOBUFS\):\s+(\d+)",
    "pps": r"([\d.]+) pps",
    "seconds": r"sent in ([\d.]+) seconds",
}


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One sender and one sink for each direction; down through NAT, its mappings are opened."""
    load, placement, number = spec.workload, station.placement, spec.sequence % 256
    own = flows(load).near
    mapped = own
    if spec.arm.path == "nat" and load.direction != "up":
        (up,) = wires(station.ports, "nat", "up")
        mapped = await open_mappings(up, load, placement, number, line=spec.line)
    return [Replay(wire, load, placement, number, own if wire.away else mapped) for wire in ways]


class Replay:
    """One direction."""

    def __init__(
        self, wire: Wire, load: Workload, placement: Placement, run: int, flow_ports: Sequence[int]
    ) -> None:
        self.wire = wire
        self.load = load
        self.placement = placement
        self.run = run
        self.flow_ports = list(flow_ports)
        # It has no name that could be left behind.
        self._capture = TemporaryFile()  # noqa: SIM115  closed by abort
        self._version = "tcpreplay"
        self._program: Program | None = None
        self._sink: Agent | None = None

    async def ready(self) -> Self:
        """Write the capture, bring the sink to its start. Raises NodeError, UnavailableError."""
        self._version = await program.version(self.wire.source.node, "tcpreplay")
        await asyncio.to_thread(self._write)
        self._sink = await Agent.launch(self.wire.sink.node, "sink", self._sink_request())
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Send, wait until nothing is on its way any more, and take both reports."""
        assert self._sink is not None
        await self._sink.start()
        source = self.wire.source
        before = (await port_counters([source]))[f"{source.role}.tx_packets"]
        words = call(self.load, source.device, self._trace)
        self._program = Program.start(source.node, self.placement.sender, words)
        reading_ns = await self._program.begun(source.device, before, BEYOND_S)
        await self._program.interrupt(patience_s(self.load))
        ended = await self._program.ended(self.load.duration_s + BEYOND_S)
        sent = read(program.succeeded("tcpreplay", ended).out)
        await drained()
        report = await self._sink.close(tick)
        # Its report has no time of day: sending began when the first packet came.
        t0_ns = int(report["first_ns"])
        span_ns = max(1, round(sent.pop("seconds") * 1e9))
        # Where it waited for the port it ends late: then more was due than the capture holds.
        wanted = round(self.load.rate_pps * due_s(self.load, span_ns / 1e9))
        cpu_ns = max(0, ended.cpu_ns - reading_ns)
        times = {"t0_ns": t0_ns, "t1_ns": t0_ns + span_ns, "cpu_ns": cpu_ns}
        sender = sent | times | {"scheduled": wanted}
        ports = {"sender": self._version, "sink": self._sink.ready["port"]}
        no_delay: Report = {"delay_ns": {"low": [], "count": []}}
        way = Way(self.wire, sender, report | no_delay, ports, program="tcpreplay")
        return way.noted((AGAIN.format(sent["retried"]),)) if sent["retried"] else way

    async def abort(self) -> None:
        """End both, whatever they do; remove the capture."""
        if self._program:
            await self._program.abort()
        if self._sink:
            await self._sink.abort()
        self._capture.close()

    @property
    def _trace(self) -> str:
        return f"/proc/{os.getpid()}/fd/{self._capture.fileno()}"

    def _write(self) -> None:
        wire, load = self.wire, self.load
        far = [WAN_PORT] * load.flows
        frames = Frames(
            family=load.family,
            src_mac=wire.source.mac,
            dst_mac=wire.next_hop.mac,
            src=wire.source.address(load.family),
            dst=wire.target.address(load.family),
            src_ports=self.flow_ports if wire.away else far,
            dst_ports=far if wire.away else self.flow_ports,
            frame_bytes=load.frame_bytes,
            run=self.run,
        )
        self._capture.write(capture.write(frames, capture_packets(load)))
        self._capture.flush()

    def _sink_request(self) -> dict[str, Any]:
        load = self.load
        return {
            "port": "ring",
            "device": self.wire.sink.device,
            "family": FAMILY[load.family],
            "dst_port": WAN_PORT if self.wire.away else flows(load).near,
            "flows": load.flows,
            "delay": "none",
            "bin_ms": BIN_MS,
            "run": self.run,
            "cpu": self.placement.sink,
            "tick_ms": tick_ms(load.duration_s),
        }


def patience_s(load: Workload) -> float:
    """When to interrupt it: at a rate it ends by itself, unless it has to wait for the port."""
    return load.duration_s + LATE_S if load.rate_pps else load.duration_s


def due_s(load: Workload, span_s: float) -> float:
    """The time for which packets were due: as asked, or till it had sent what it had to send."""
    return load.duration_s if span_s <= load.duration_s * (1 + SLOW) else span_s


def call(load: Workload, device: str, trace: str) -> tuple[str, ...]:
    """The command line: the capture in memory first, then once, at a rate or at its fastest."""
    pace = f"--pps={load.rate_pps:.15g}" if load.rate_pps else "--topspeed"
    return ("tcpreplay", "-q", "-K", pace, "-i", device, trace)


def read(text: str) -> dict[str, float]:
    """Return what it sent, from its report. Raises InvalidTrialError.

    Its seconds have few decimals, its rate has more: the time is packets by rate where it can be.
    `Actual` has the frame at which it was interrupted too, which may or may not have gone.
    """
    matches = {name: re.search(word, text) for name, word in WORDS.items()}
    numbers = {name: float(word[1]) for name, word in matches.items() if word}
    if not {"actual", "sent", "failed", "seconds"} <= numbers.keys():
        raise InvalidTrialError("tcpreplay ended without a report")
    sent, pps = numbers["sent"], numbers.get("pps")
    tried = max(numbers["actual"], sent + numbers["failed"])
    return {
        "tried": tried,
        "refused": tried - sent,
        "retried": numbers.get("retried", 0.0),
        "seconds": tried / pps if pps else numbers["seconds"],
    }
