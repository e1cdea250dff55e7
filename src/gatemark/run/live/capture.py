# SPDX-License-Identifier: Apache-2.0
"""A live capture from its beginning to its end: by a count, a time, a signal, or its reader's end.

engine on the gateway --> blocks, whole --> sink
                      --> ticks         --> Standing, shown each second
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gatemark.error import GatemarkError
from gatemark.node.shield import whole
from gatemark.run.live import expression, place
from gatemark.run.live.block import Blocks
from gatemark.run.live.engine import PACKETS, Engine
from gatemark.run.live.place import Place
from gatemark.run.live.sink import Sink
from gatemark.station.station import Station

TICK_MS: Final = 1000
FOREVER_S: Final = 1e9
LOOK_S: Final = 1.0  # between two looks whether the gateway is still ours
END_S: Final = 5.0  # that what was captured gets to be read, once the capture is over


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is captured."""

    on: Sequence[str]  # lan, wan, or devices of the gateway
    filter: str  # pcap-filter(7); "": every packet
    snaplen: int  # bytes
    seconds: float  # 0: until it is stopped
    packets: int  # 0: any number


@dataclass(frozen=True, slots=True)
class Standing:
    """How a capture stands."""

    seconds: float = 0.0
    packets: int = 0  # handed to the sink
    captured: int = 0  # by the gateway, of those that the filter wants
    bytes: int = 0  # of captured packets, on the wire
    rate_pps: float = 0.0  # captured, in the last second; once it is over, in all
    drops: dict[str, int] = field(default_factory=dict)  # by place
    cpu: float = 0.0  # of one CPU of the gateway, likewise
    memory_bytes: int = 0  # that the engine holds there
    # None where the gateway's kernel timed none of the engine's program:
    path_ns: float | None = None  # of each packet in that program, which delays it so much
    path_cpu: float | None = None  # of one CPU: what that program takes from forwarding
    by: str = ""  # bpf, packet
    over: bool = False


Show = Callable[[Standing], None]


async def capture(
    station: Station | None, wanted: Wanted, fd: int, name: str, show: Show
) -> Standing:
    """Capture on a station's gateway (None: the open lab's) into a descriptor, called `name`.

    Cancelled, it ends in order and returns. Raises GatemarkError.
    """
    async with place.gateway(station) as gateway:
        request = await _request(gateway, wanted)
        engine = await Engine.launch(gateway.node, "capture", request)
        try:
            return await _Capture(gateway, engine, wanted, show).run(fd, name)
        except BaseException:
            await whole(engine.abort())
            raise


async def _request(gateway: Place, wanted: Wanted) -> dict[str, Any]:
    """What the engine is asked for (agent/PROTOCOL.md). Raises UsageError."""
    devices = place.devices(gateway, wanted.on)
    types = await place.types(gateway, devices)
    code = await expression.classic(wanted.filter, expression.link(types))
    place.require_no_echo(gateway, devices, is_filtered=bool(code))
    return {
        "devices": devices,
        "file": PACKETS,
        "snaplen": wanted.snaplen,
        "tick_ms": TICK_MS,
        "packets": wanted.packets,
        "duration_ms": round(wanted.seconds * 1000),
        **({"filter": code} if code else {}),
    }


def path_cost(
    timed: Mapping[str, int], since: Mapping[str, int], ns: int
) -> tuple[float | None, float | None]:
    """ns of a packet in the engine's program, and its share of a CPU in `ns`; None: not timed."""
    passed, spent = (timed[key] - since[key] for key in ("packets", "ns"))
    return (spent / passed, spent / ns) if passed else (None, None)


class _Capture:
    """A capture whose engine is ready."""

    def __init__(self, gateway: Place, engine: Engine, wanted: Wanted, show: Show) -> None:
        self._gateway = gateway
        self._engine = engine
        self._show = show
        self._blocks = Blocks(gateway.node.name, wanted.packets)
        self._over = asyncio.Event()
        nothing: dict[str, Any] = {"t_ns": 0, "captured": 0, "cpu_ns": 0}
        self._first = self._last = nothing | {"path": {"ns": 0, "packets": 0}}

    async def run(self, fd: int, name: str) -> Standing:
        sink = Sink(fd, name, self._over.set)
        try:
            return await self._run(sink)
        finally:
            sink.close()

    async def _run(self, sink: Sink) -> Standing:
        await self._engine.start()
        self._first = self._last = self._first | {"t_ns": time.monotonic_ns()}
        self._show(Standing(by=self._engine.ready["by"]))
        tasks = [
            asyncio.create_task(self._pump(sink)),
            done := asyncio.create_task(self._engine.done(FOREVER_S, self._tick)),
            asyncio.create_task(self._over.wait()),
            asyncio.create_task(self._until_gone()),
        ]
        try:
            await self._until_over(tasks)
            self._gateway.require()  # a lease that is over ends the connection as well
            self._engine.process.close_stdin()
            await self._finish(tasks[:2])
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return self._standing(done.result(), over=True)

    async def _until_gone(self) -> None:
        """Raise StationError once the gateway is ours no more, whatever it still sends."""
        while True:
            self._gateway.require()
            await asyncio.sleep(LOOK_S)

    async def _until_over(self, tasks: Sequence["asyncio.Task[Any]"]) -> None:
        """A signal is one way to end it, and no failure."""
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            return

    async def _finish(self, tasks: Sequence["asyncio.Task[Any]"]) -> None:
        """All that was captured is handed on. Raises GatemarkError where nobody takes it."""
        try:
            async with asyncio.timeout(END_S):
                await asyncio.gather(*tasks)
        except TimeoutError:
            raise GatemarkError(
                f"the capture was not read to its end in {END_S:g} s: its last packets are lost"
            ) from None

    async def _pump(self, sink: Sink) -> None:
        """Hand on whole blocks; once there are enough, or nobody reads, let the rest go."""
        while piece := await self._engine.piece():
            if not (sink.gone or self._over.is_set()):
                await sink.put(self._blocks.cut(piece))
            if self._blocks.enough:
                self._over.set()

    def _tick(self, report: dict[str, Any]) -> None:
        self._show(self._standing(report))

    def _standing(self, report: dict[str, Any], *, over: bool = False) -> Standing:
        """Of the engine's report; rates since the last one, in the end of the whole capture."""
        since = self._first if over else self._last
        self._last = report
        ns = max(report["t_ns"] - since["t_ns"], 1)
        path_ns, path_cpu = path_cost(report["path"], since["path"], ns)
        return Standing(
            seconds=(report["t_ns"] - self._first["t_ns"]) / 1e9,
            packets=self._blocks.packets,
            captured=report["captured"],
            bytes=report["bytes"],
            rate_pps=(report["captured"] - since["captured"]) / ns * 1e9,
            drops=dict(report["drops"]),
            cpu=(report["cpu_ns"] - since["cpu_ns"]) / ns,
            memory_bytes=report["resident_bytes"],
            path_ns=path_ns,
            path_cpu=path_cpu,
            by=self._engine.ready["by"],
            over=over,
        )
