# SPDX-License-Identifier: Apache-2.0
"""A home's evening: two uploads share the uplink, and a game joins them, through a NAT gateway.

The classifier that ships works on the gateway (`attached.attach`), with the model that ships. What
goes up is held to a rate, marked packets first. A second classifier looks at the same port by a
packet socket (`watch --packets`), which says the class of each packet.
"""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from gatemark.classifier import shipped
from gatemark.gateway import attached
from gatemark.gateway.attached import Counts
from gatemark.gateway.feature.program.classify import MODEL, PREFERRED
from gatemark.kind.responsiveness.tls import certificate
from gatemark.node import file
from gatemark.node.shell import Here, here
from gatemark.plan.model import Arm, Workload
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from lab.live import game, seen
from lab.live.seen import Count, Decided
from lab.live.started import started, until

GAME, QUIC, UDP = "game", "by_quic", "by_udp"
PORTS: Final = {GAME: game.PORT, QUIC: 4433, UDP: 5201}  # none of them a well-known service's
SETTLE_S: Final = 3.0  # of the uploads before the game begins
LOOK_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Look:
    """What was counted at a moment."""

    at_s: float
    gateway: dict[str, Count]  # forwarded, before the shaper's queues
    wan: dict[str, Count]  # that arrived
    first: int  # packets that left by the shaper's first class


@dataclass(frozen=True, slots=True)
class Scene:
    """What was seen while all three sent."""

    looks: Sequence[Look]
    packets: dict[str, list[Decided]]  # flow -> its packets as they were classified
    up_mbit: float  # the uplink's rate
    ended: Counts  # of the classifier

    def since(self, flow: str) -> tuple[Count, Count]:
        """What the gateway forwarded and what arrived, from the first look to the last one."""
        began, end = self.looks[0], self.looks[-1]
        return (end.gateway[flow] - began.gateway[flow], end.wan[flow] - began.wan[flow])

    @property
    def first(self) -> int:
        """Packets that left by the shaper's first class meanwhile."""
        return self.looks[-1].first - self.looks[0].first


@dataclass(slots=True)
class Stage:
    """The lab's hosts, and what runs on them."""

    lab: Lab
    folder: Path
    running: ExitStack = field(default_factory=ExitStack)

    @property
    def lan(self) -> Here:
        """The LAN host."""
        return here(self.lab.hosts["lan"])

    @property
    def wan(self) -> Here:
        """The WAN host."""
        return here(self.lab.hosts["wan"])

    @property
    def server(self) -> str:
        """The WAN host's address."""
        return self.lab.ports["wan0"].address("ipv4")

    def start(self, node: Here, *command: str, name: str) -> None:
        """A program, until all are ended."""
        self.running.enter_context(started(node, *command, log=self.folder / name))

    def said(self, name: str) -> str:
        """What a program printed."""
        return (self.folder / name).read_text(errors="replace")


def play(folder: Path, up_mbit: float, udp_mbit: float, lasts_s: float = 15.0) -> Scene:
    """Play it on a lab of its own: an uplink's rate, and what of it the upload by UDP takes."""
    with lock.machine(lambda _: None):
        return asyncio.run(_play(folder, up_mbit, udp_mbit, lasts_s))


async def _play(folder: Path, up_mbit: float, udp_mbit: float, lasts_s: float) -> Scene:
    lab = Lab()
    async with Bench(lab) as bench:
        await bench.prepare(msgspec.convert({"path": "nat"}, Arm), Workload(), 0)
        stage = Stage(lab, folder)
        shaper = f"shape:htb2:{up_mbit:g}:wan:first=marked"
        await attached.attach(lab.gateway, shipped.path(MODEL), shaper=shaper, apart=lab.lab)
        with stage.running:
            await _watch(stage)
            _upload(stage, udp_mbit)
            await asyncio.sleep(SETTLE_S)
            log = stage.running.enter_context(game.served(stage.wan, folder))
            stage.running.enter_context(game.played(stage.lan, stage.server, log, folder))
            looks = await _look(stage, lasts_s)
        ended = await attached.detach(lab.gateway, lab.lab)
    text = stage.said("watch")
    return Scene(
        looks, {name: seen.decided(text, port) for name, port in PORTS.items()}, up_mbit, ended
    )


async def _watch(stage: Stage) -> None:
    """Count at both ends of the shaper, and see each packet's class."""
    gateway = stage.lab.gateway
    await seen.count(gateway.node, seen.FORWARD, PORTS)
    await seen.count(stage.wan, seen.INPUT, PORTS)
    model, device = str(shipped.path(MODEL)), gateway.devices["gw0"]
    binary = await file.classifier(gateway.node)
    words = ("watch", model, device, "--packets", "--priority", PREFERRED)
    stage.start(here(gateway.node), binary, *words, name="watch")
    until(lambda: stage.said("watch"), "the second classifier")


def _upload(stage: Stage, udp_mbit: float) -> None:
    """Fill the uplink by UDP at a steady rate and by QUIC."""
    from lab.live import quic  # with aioquic

    pem, key = certificate([stage.server])
    (stage.folder / quic.CERTIFICATE).write_text(pem)
    (stage.folder / quic.KEY).write_text(key)
    stage.start(stage.wan, "iperf3", "-s", "-B", stage.server, "--forceflush", name="iperf3")
    until(lambda: "listening" in stage.said("iperf3"), "iperf3")
    words = ("-c", stage.server, "-u", "-b", f"{udp_mbit:g}M", "-l", "1200", "-t", "120")
    stage.start(stage.lan, "iperf3", *words, name="upload")
    script, place = str(Path(quic.__file__)), (stage.server, str(PORTS[QUIC]), str(stage.folder))
    stage.start(stage.wan, sys.executable, script, "serve", *place, name="quic")
    until(lambda: "listening" in stage.said("quic"), "the QUIC server")
    stage.start(stage.lan, sys.executable, script, "send", *place, name="send")
    until(lambda: "sending" in stage.said("send"), "the QUIC client")


async def _look(stage: Stage, lasts_s: float) -> list[Look]:
    loop = asyncio.get_running_loop()
    began, looks = loop.time(), list[Look]()
    while not looks or looks[-1].at_s < lasts_s:
        node = stage.lab.gateway.node
        at_s, gateway, wan = (
            loop.time() - began,
            await seen.counts(node),
            await seen.counts(stage.wan),
        )
        looks.append(Look(at_s, gateway, wan, await seen.first(node, "gw1")))
        await asyncio.sleep(LOOK_S)
    return looks
