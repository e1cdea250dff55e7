# SPDX-License-Identifier: Apache-2.0
"""A virtual machine that plays a box on a desk: its ports are NICs of a played host.

 the host (lab/played.py)        the box
+----------------+           +---------------+
|           nic0 |-----------| eth1          |   test ports
|           nic1 |-----------| eth2          |
|           ctl0 |-----------| eth0          |   control path
+----------------+           +---------------+
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from lab.station import played
from lab.station.played import Played

from gatemark.node.remote.dial import dial
from gatemark.node.remote.login import Login
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shell import Namespace
from gatemark.station.image.build import stock
from gatemark.station.image.key import instance
from gatemark.station.load import load
from gatemark.station.qemu.lab import OURS, SSH_PORT, VirtualLab, beside
from gatemark.station.qemu.machine import Card, Machine
from gatemark.station.qemu.tap import tap
from vm.cpu import placement, quick

NICS = ("ctl0", "nic0", "nic1")
BOOT_S = 150.0
MEMORY_MIB = 192  # a box that is its own tester has three leases, and four agents at once
STATION = f"""
schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@{OURS.host}"
key = "key"
known_hosts = "known"
set = "apply"
lan = "eth1"
wan = "eth2"
[lan]
nic = "nic0"
[wan]
nic = "nic1"
"""
PLAN = """
schema = "gatemark.plan/1"
title = "A box"
why = "It is there."
reading = "As it is."
[[arm]]
path = "route"
[[arm]]
path = "nat"
features = ["conntrack", "filter:10"]
[workload]
rate_pps = 500
flows = 4
duration_s = 0.5
[repeat]
times = {times}
"""
# An address is tentative for a second after the boot.
SETTINGS = """
for i in 1 2 3 4 5; do ip -o addr | grep -q tentative || break; sleep 1; done
ip -o addr; ip route; ip -6 route; ip neigh show nud permanent; nft list ruleset
cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding
"""


@dataclass(frozen=True, slots=True)
class Box:
    """The box, the host that it stands beside, and a folder with what is needed to get in."""

    host: Played
    folder: Path
    machine: Machine
    runner: asyncio.Runner

    def __post_init__(self) -> None:
        """Every address of the box is known by its one key."""
        known = (self.folder / "known_hosts").read_text().partition(" ")[2]
        (self.folder / "known").write_text(f"* {known}")

    def wait(self) -> None:
        """Wait until its SSH server takes a connection."""
        self.runner.run(_listens(self.host.names["lan"]))

    def reset(self) -> None:
        """Press its reset button."""
        self.runner.run(self.machine.reset())

    def said(self, script: str) -> str:
        """What its shell prints."""
        return self.runner.run(self._said(script))

    async def _said(self, script: str) -> str:
        login = Login(OURS, key=self.folder / "key", known_hosts=self.folder / "known")
        ssh = Ssh("box", login, namespace=self.host.names["lan"])
        await ssh.connect()
        try:
            return await ssh.run("sh", "-c", script)
        finally:
            await ssh.close()


@contextmanager
def box(folder: Path) -> Iterator[Box]:
    """Switched on; gone at the end with its host."""
    with played.host() as host, asyncio.Runner() as runner:
        machine = runner.run(_start(folder, host.names["lan"]))
        try:
            for words in (f"addr add {beside(OURS.host)}/24 dev ctl0", "link set ctl0 up"):
                host.run("ip", *words.split())
            made = Box(host, folder, machine, runner)
            made.wait()
            yield made
        finally:
            runner.run(machine.stop())


async def _start(folder: Path, name: str) -> Machine:
    model = quick(cast(VirtualLab, load("qemu-x86")).model)
    image = stock(model.arch, model.package, model.memory_mib, print)
    own = instance(image.initramfs, OURS.host, folder)
    cards = [Card(f"02:00:00:00:01:{at:02x}", tap(name, nic)) for at, nic in enumerate(NICS)]
    cpus = placement()
    return await Machine.start(
        replace(model, kernel=image.kernel, initramfs=own, memory_mib=MEMORY_MIB),
        "tcg",
        cards,
        Namespace("the host", name),
        (cpus.gateway, cpus.sink),
    )


async def _listens(name: str) -> None:
    until = time.monotonic() + BOOT_S
    while time.monotonic() < until:
        try:
            async with asyncio.timeout(1):
                return (await dial(name, OURS.host, SSH_PORT)).close()
        except OSError:
            await asyncio.sleep(0.5)
    raise TimeoutError("the box does not listen")
