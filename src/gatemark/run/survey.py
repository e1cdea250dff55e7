# SPDX-License-Identifier: Apache-2.0
"""A station checked before anything is measured on it: cables, addresses, clocks, agents.

Some thousand packets are sent, nothing is set on the gateway.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from gatemark.error import GatemarkError, StationError
from gatemark.judge.shape.tester import PAUSED
from gatemark.kind.udp.load import Stream
from gatemark.node import clock
from gatemark.node.agent import Agent
from gatemark.node.quoted import literal, sh, shell
from gatemark.node.shell import Node
from gatemark.node.shield import whole
from gatemark.plan.model import Workload
from gatemark.run import cable
from gatemark.run.cable import FRAME_BYTES, RUN
from gatemark.run.result.loss import loss
from gatemark.station.demand import Demand
from gatemark.station.ssh.box import Box
from gatemark.station.station import Station
from gatemark.station.wiring import Gateway, wires
from gatemark.unit import l1_bps
from gatemark.workload.way import Way, over_time, soon

CEILING_S = 0.3
LOSS_PPS, LOSS_S, LOSS_TIMES = 5000, 0.5, 6
LOST = 0.001  # of the packets that the tester alone sends: it is at fault
SIDES = {"lan": ("lan0", "gw0"), "wan": ("wan0", "gw1")}
TOOLS = ("ip", "nft", "tc", "ethtool", "conntrack", "uci")
PING = """
ask() {{ "$@" -c 2 -W 2 {address} > /dev/null 2>&1; echo $?; }}
if command -v ping > /dev/null; then ask ping; else ask busybox ping; fi
"""
LOOK = literal(
    f"for tool in {' '.join(TOOLS)}; do command -v $tool > /dev/null && echo $tool; done; true"
)
NO_PROGRAM = "127"  # sh(1)


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was checked."""

    what: str
    ok: bool
    text: str

    @property
    def line(self) -> str:
        """As people read it."""
        return f"{'ok' if self.ok else 'NO'}  {self.what:21}  {self.text}"


Look = Callable[[Station], Awaitable[None]]


async def survey(station: Station, show: Callable[[Row], None], look: Look | None = None) -> bool:
    """Build the station, check everything, give it back; returns whether all is sound.

    Each row is shown as it is known. `look` is given the station while it is up.
    """
    try:
        await station.up()
    except GatemarkError as error:
        show(Row("station", ok=False, text=str(error)))
        return False
    is_sound = True
    try:
        if look:
            await look(station)
        async for row in _rows(station):
            show(row)
            is_sound &= row.ok
        return is_sound
    finally:
        await whole(station.down())


async def _rows(station: Station) -> AsyncIterator[Row]:
    for row in _known(station):
        yield row
    ends = {end: roles for end, roles in SIDES.items() if roles[0] in station.ports}
    for end, (own, its) in [*ends.items()]:
        leads = await _row(f"{end} cable", cable.leads(station, own, its))
        if not leads.ok:
            del ends[end]
        yield leads
        yield await _row(f"{end} addresses", _addresses(station, own, its))
    lost = (_row(f"{end} cable's loss", cable.loses(station, *ends[end])) for end in ends)
    for row in await asyncio.gather(*lost):
        yield row
    yield await _row("gateway", _means(station.gateway))
    nodes = {port.node.name: port.node for port in station.ports.values()}
    for name, node in nodes.items():
        yield await _row(f"{name} agent", _agent(node))
        yield await _row(f"{name} clock", _clock(node))
    if "lan9" in station.ports:
        yield await _row("tester", _ceiling(station))
        yield await _row("tester's loss", _losses(station))
    for lacking in station.info.missing:
        yield Row("note", ok=True, text=lacking)


def _known(station: Station) -> Iterator[Row]:
    """What is known of it without a packet: by its being up, and by its file."""
    yield Row("station", ok=True, text=f"{station.name}, kind {station.info.kind}")
    if isinstance(station, Box):
        by = f"by the gateway's {station.control}" if station.control else "of an unknown port"
        yield Row("control path", ok=True, text=by)
    for name, text in station.gateway.bench.items():
        yield Row("stated", ok=True, text=f"{name}: {text}")


async def _row(what: str, asked: Awaitable[str]) -> Row:
    """The result of a check, or why it failed."""
    try:
        return Row(what, ok=True, text=await asked)
    except GatemarkError as error:
        return Row(what, ok=False, text=str(error))


async def _addresses(station: Station, own: str, its: str) -> str:
    """Whether the gateway reaches a host by its address. Raises StationError."""
    port, gate = station.ports[own], station.ports[its]
    if not gate.own and isinstance(station, Box):
        return f"{gate.interface('ipv4')} and {port.interface('ipv4')}: set when a run begins"
    address = port.address("ipv4")
    code = (await gate.node.run(*sh(shell(PING, address=address)))).strip()
    if code == NO_PROGRAM:
        return f"{gate.interface('ipv4')} and {address}: not tried, no ping on the gateway"
    if code != "0":
        raise StationError(
            f"the gateway ({gate.interface('ipv4')} on {gate.device}) does not reach {address}: "
            "are both in one network, and does no rule of its forbid it?"
        )
    return f"the gateway ({gate.interface('ipv4')}) reaches {address}"


async def _means(gateway: Gateway) -> str:
    has = (await gateway.run(*sh(LOOK))).split()
    lacks = [tool for tool in TOOLS if tool not in has]
    kernel = (await gateway.run("uname", "-srm")).strip()
    return (
        f"{kernel}; has {', '.join(has) or 'none of them'}; lacks {', '.join(lacks) or 'nothing'}"
    )


async def _agent(node: Node) -> str:
    """What the agent reports about its own build when it runs there. Raises GatemarkError."""
    agent = await Agent.launch(node, "watch", {"what": ["memory"], "samples": 2})
    await agent.abort()
    build = defaultdict(lambda: "unknown", agent.hello)
    return f"{build['arch']}, {build['endian']} endian, {build['kernel']}"


async def _clock(node: Node) -> str:
    reading = await clock.read(node)
    if not reading.ahead_ns and not reading.error_ns:
        return "this machine's"
    return (
        f"{reading.ahead_ns / 1e9:+.6f} s beside this machine's, wrong by "
        f"{reading.error_ns / 1000:.0f} us at most"
    )


async def _losses(station: Station) -> str:
    """What the tester alone loses at a rate that it keeps. Raises StationError: it is at fault.

    A bad cable loses in each trial, other work on the machine in some: so the best one is judged.
    """
    ways = [await _direct(station, rate_pps=LOSS_PPS, seconds=LOSS_S) for _ in range(LOSS_TIMES)]
    losses = [known for way in ways if (known := loss(way))]
    if not losses:
        return "not known: the agents do not keep what was lost"
    tried, lost = (sum(sum(getattr(x, name)) for x in losses) for name in ("tried", "lost"))
    paused = min(sum(length for _, length in x.pauses) for x in losses) / 1000 / LOSS_S
    text = f"{lost} of {tried} packets lost without a gateway, in {len(losses)} trials"
    if min(sum(x.lost) / sum(x.tried) for x in losses) > LOST:
        raise StationError(
            f"{text}: look at the tester's cable, ports and drivers before you believe a value"
        )
    if paused > PAUSED:
        raise StationError(
            f"{text}, and it paused {100 * paused:.0f} % of the time: end what else uses its CPU"
        )
    return text


async def _ceiling(station: Station) -> str:
    """The tester alone, as fast as it goes, for a moment."""
    way = await _direct(station, rate_pps=0, seconds=CEILING_S)
    rate = over_time(way, "packets")
    return (
        f"about {rate / 1e6:.2f} million packets/s of {FRAME_BYTES} bytes "
        f"({l1_bps(rate, FRAME_BYTES) / 1e6:.0f} Mbit/s), by {way.ports['sender']} and "
        f"{way.ports['sink']}"
    )


async def _direct(station: Station, rate_pps: float, seconds: float) -> Way:
    """What one stream comes to from the LAN host to the WAN host, past the gateway."""
    await station.meet(Demand(relieved=True))
    (wire,) = wires(station.ports, "direct", "up")
    load = replace(Workload(), frame_bytes=FRAME_BYTES, duration_s=seconds, rate_pps=rate_pps)
    stream = Stream(wire, load, station.placement, RUN)
    stream.seed = 1  # so that its losses are kept
    try:
        await stream.ready()
        return await stream.go(soon(0.05))
    finally:
        await stream.abort()
