# SPDX-License-Identifier: Apache-2.0
"""Stations of kind `qemu`: a gateway with a kernel of its own in a virtual machine.

     LAN host          virtual gateway          WAN host
    +--------+        +---------------+        +--------+
    |   lan0 |========| gw0       gw1 |========| wan0   |     the test ports
    |   lan9 |--------|---------------|--------| wan9   |     the tester alone (path `direct`)
    +--------+        |   gw2   ctl   |        +--------+
                      +----|-----|----+
                      | lan2 | | ctl0 |
                      +------+ +------+  second LAN host (path `switch`); control port, for SSH

Double lines are taps: the tester's device in its namespace is one end, a card of the guest's the
other. Each side has the other's address for good, so that no packet asks for it. The guest is
reached as a box is: over SSH, by a port that is no test port.
"""

import asyncio
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

from pyroute2 import IPRoute

from gatemark.error import GatemarkError, NodeError, StationError, UnavailableError, UsageError
from gatemark.node import checked
from gatemark.node.inside.netlink import inside
from gatemark.node.quoted import Script, joined, literal, sh, shell
from gatemark.node.reader import reader
from gatemark.node.remote.dial import dial
from gatemark.node.remote.login import SSH_PORT, Address, Login
from gatemark.node.remote.look import Look
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shield import whole
from gatemark.plan.model import Arm
from gatemark.plan.toml import refuse_unknown_keys
from gatemark.printable import printable
from gatemark.station import blocking, doctor, lock, own, space
from gatemark.station.ability import ability
from gatemark.station.cable import MADE, Cable
from gatemark.station.check import check_ports
from gatemark.station.counter import CPU_MOST
from gatemark.station.counting import Counting
from gatemark.station.cpu import Placement, place
from gatemark.station.demand import PLAIN, Demand
from gatemark.station.image.build import Image, stock
from gatemark.station.image.key import HOST_KEY, Keys, instance, keys
from gatemark.station.image.openwrt import image as openwrt_image
from gatemark.station.image.openwrt.official import is_disk, unpacked
from gatemark.station.mode import Mode
from gatemark.station.plugin import version
from gatemark.station.qemu import first, migration, openwrt
from gatemark.station.qemu.guest import TABLE, Model, model
from gatemark.station.qemu.handed import Handed
from gatemark.station.qemu.machine import (
    CARRIER_PRIORITY,
    Card,
    Machine,
    kvm_refused,
    options,
    remember,
    require,
)
from gatemark.station.qemu.snapshot import STATE, SWITCH, Snapshot
from gatemark.station.qemu.tap import tap
from gatemark.station.space import ROUTER
from gatemark.station.station import Again, nothing
from gatemark.station.thread import Thread
from gatemark.station.wiring import Gateway, Port
from gatemark.store.run import StationInfo

# Where a card of the guest leads to: host and device there. The first is the control port.
CONTROL: Final = "ctl"
TAPS: Final = {
    CONTROL: ("ctl", "ctl0"),
    "gw0": ("lan", "lan0"),
    "gw1": ("wan", "wan0"),
    "gw2": ("lan2", "lan2"),
}
OURS: Final = Address("192.0.2.2", "root")  # RFC 5737; our image's, see image/rc
PREFIX = 24  # of the control port's network
LEAVE_S = 2.0  # to log out; a guest that is stuck is not waited for
KNOCK_S = 0.5  # between two looks whether a guest is up
SILENCE_S = 30.0  # a guest that forwards all it can answers late
# Longest that a guest may take from its start to SSH; others may be at work on its CPU.
BOOT_S: Final = {"kvm": 20.0, "tcg": 60.0}
COUNTED_S: Final = 600.0  # for a command there: a count is the same however long it takes
BUSY = 9  # times as long on a busy machine, at most
SLOW_BOOT_S = 600.0  # with icount, or with caches that are modelled
RESUME = 0.5  # of a boot's time a guest that goes on may take to answer; then it is booted
KEPT_MIB = 512  # most memory of a guest that is kept
GONE_S = 0.5  # until a guest has seen that we left
OPENWRT_KVM_S = 60.0  # OpenWrt, also its first boot; `boot_s` is for the emulation that follows
MODELLED: Final = ("mipsel",)  # processors whose caches can be (counter/cache.h)

# Where instructions are counted: the same addresses in each boot, and a clock that ticks on while
# the processor idles. One that was stopped is made good by a packet's interrupt, by more or less.
COUNTED: Final = "nokaslr nohz=off"
# Where programs are counted: theirs as well, so that a line has the same place in a cache.
PROGRAMS: Final = "norandmaps"

# Cards by address: a guest names them as it likes. A bridge has the address of one of its ports,
# and no card behind it; a port in a bridge has its addresses on the bridge.
CARDS = literal("""
cd /sys/class/net
for d in *; do
  [ -e "$d/device" ] || continue
  above=$(readlink "$d/master") || true
  [ -e "$d/brport" ] || above=
  echo "$(cat "$d/address") $d ${above##*/}"
done
""")
# One wire packet is one packet: nothing merges them, where the guest has a word for that.
WHOLE = "ethtool -K {device} gro off gso off tso off 2>/dev/null || true"
# No rule of the gateway's is for the control port. What moves it outlives the connection.
SHELTER: Final = """
mkdir -p /run/netns && ip netns attach main 1 && ip netns add control
card=$(ip -o addr show to {own} | cut -d' ' -f2)
(
  sleep 0.3
  ip link set "$card" netns control
  ip -n control addr add {own} dev "$card"
  ip -n control link set lo up
  ip -n control link set "$card" up
  exec ip netns exec control /usr/sbin/dropbear -F -E -s -r /etc/dropbear/host_key \\
    -c 'exec ip netns exec main /bin/sh -c "$SSH_ORIGINAL_COMMAND"'
) > /dev/console 2>&1 < /dev/null &
"""
SHOWN: Final = "ip -o addr show to {own}"
# Cards are renamed by way of names that nobody has: theirs may be what another is to be called.
TEMPORARY: Final = "t{}"
GIVE_WAY: Final = """
cd /sys/class/net
for d in *; do
  [ -e "$d/device" ] || continue
  temporary=t$(tr -d : < "$d/address")
  ip link set "$d" down; ip link set "$d" name "$temporary"; ip link set "$temporary" up
done
"""
RENAME: Final = "ip link set {device} down; ip link set {device} name {name}; ip link set {name} up"
# A guest that goes on has the time and the randomness of when it was kept. Its own cryptography
# takes what is written here within a minute (drivers/char/random.c).
AWAKE: Final = "cat > /dev/urandom; date -s @{now} > /dev/null"
# Who is linked to whom: host, its port, and the port beyond.
NEXT: Final = (
    ("lan", "lan0", "gw0"),
    ("wan", "wan0", "gw1"),
    ("lan", "lan0", "lan2"),
    ("lan2", "lan2", "lan0"),
)


def from_file(data: Mapping[str, Any], path: Path) -> "VirtualLab":
    """The station of a file. Raises UsageError; nothing is fetched or booted yet."""
    refuse_unknown_keys(data, ["schema", TABLE], path, "")
    return VirtualLab(path.stem, model(data[TABLE], path))


class NotUpError(StationError):
    """QEMU ran, and its guest did not let us in."""


class VirtualLab:
    """A station of kind `qemu`. `up` boots it, `down` ends it; its lock is held between."""

    kind = "qemu"

    def __init__(self, name: str, model: Model, purpose: str = "run") -> None:
        self.name = name
        self.model = model
        self.purpose = purpose
        self.lab = secrets.token_hex(3)
        self.cpus = place()
        self.able = replace(ability(), cpu_time=True, own_cpu=True, steering=True, slowdown=False)
        self.hosts = space.spaces(self.lab, ("lan", "wan", "lan2", "ctl"))
        self.demand: Demand | None = PLAIN
        self.ports: dict[str, Port] = {}
        self.threads: dict[str, Thread] = {}
        self.accel = ""  # what runs the guest's instructions, and why not kvm
        self.cable = Cable(self.hosts, self.cpus.gateway if ability().own_cpu else None)
        self._nodes = {device: self.hosts[host] for host, device in list(TAPS.values())[1:]}
        self._devices: dict[str, str] = {}  # known once it is up
        self._bridged = False  # both LAN ports are in one bridge of its own
        self._folder = lock.private(self.lab)  # our image's keys
        self._login = model.login or Login(
            OURS, key=self._folder / "key", known_hosts=self._folder / "known_hosts"
        )
        control = self.hosts["ctl"].netns
        self._ssh = Ssh("gateway", self._login, namespace=control, patience_s=SILENCE_S)
        self.gateway = Gateway(self._ssh, self._devices, model.set)
        self._machine: Machine | None = None
        self._keys: Keys | None = None  # of an image of somebody else's
        self.after_restart: Again = nothing
        self.counting: Counting | None = None
        self._snapshot: Snapshot | None = None  # of what is booted, where one may be
        self._resumed: Model | None = None  # what went on from a snapshot
        self._anew = os.environ.get(SWITCH) == "no"
        self._held = ExitStack()

    @property
    def placement(self) -> Placement:
        """The tester's CPUs; a program on the guest is on the guest's first."""
        return replace(self.cpus, gateway=0)

    @property
    def words(self) -> dict[str, str]:
        """The placement as it is now."""
        words = self.cpus.words(self.able, self.demand or PLAIN)
        emulator = self.model.arch.emulator
        words["gateway"] = (
            f"cpu {self.cpus.gateway}, vcpu of {emulator} {version(emulator)}".strip()
        )
        place = f"cpu {self.cpus.sink}, its frames"
        words["emulator"] = f"{place}, fifo {CARRIER_PRIORITY}" if self._hastens else place
        if self.accel:
            words["accel"] = self.accel
        if self._resumed and self._snapshot:
            words["boot"] = f"snapshot {self._snapshot.name}"
        if self.model.icount is not None:
            words["clock"] = f"{1 << self.model.icount} ns an instruction (icount)"
        return words

    @property
    def info(self) -> StationInfo:
        """Return the station's facts for a run."""
        return StationInfo(
            name=self.name,
            kind=self.kind,
            virtual=True,
            placement=self.words,
            missing=self.able.missing,
            made_of=self.model.made_of,
            by_path=self.model.set is Mode.OPENWRT,
        )

    def another(self) -> None:
        """There is but this one."""

    def boot_each(self) -> None:
        """Boot at each `up`: a snapshot would be one boot many times."""
        self._anew = True

    def lacks(self, arm: Arm) -> str:
        """Nothing: what a guest cannot do it says when it is asked to."""
        del arm
        return ""

    def count(self, caches: Sequence[str] = (), *, programs: bool = False) -> None:
        """Load the plugin with the next boot. Raises UnavailableError, UsageError."""
        if self.model.cpus > CPU_MOST:
            raise UsageError(
                f"station {self.name}: instructions are counted with cpus = 1 to {CPU_MOST}"
            )
        if self.model.boots_itself:
            own = 'kernel = "FILE" beside disk, and its root in append'
            fix = 'image = "openwrt"' if self.model.official else own
            raise UnavailableError(
                f"station {self.name}: a kernel is counted that was started with `{COUNTED}`, and "
                f"the boot loader of a disk does not: write {fix}"
            )
        if caches and self.model.arch.debian not in MODELLED:
            raise UsageError(
                f"station {self.name}: the caches of `devices` are those of MIPS, and this is "
                f"{self.model.arch.debian}: --station qemu-mips"
            )
        data = self.model.arch.data if programs else ""
        emulator, file = self.model.arch.emulator, self._folder / "counts"
        cpus = self.model.cpus
        self.counting = Counting(emulator, file, self._ssh, caches, data, cpus)
        self._ssh.wait(COUNTED_S)

    def enter(self) -> None:
        """Taps and pinned threads are root's. Raises UnavailableError with the fix.

        Namespaces of our own have no network: what is downloaded once is there before.
        """
        if own.needed() and self.model.package and not self.model.image:
            _stock(self.model)
        own.enter()
        doctor.require(without=doctor.NAMESPACE)
        require(self.model.arch)

    async def up(self) -> None:
        """Boot it. Raises UnavailableError without two CPUs, QEMU or its image, StationError."""
        self.cpus.require()
        self._held.enter_context(lock.named(self.lab, self.purpose))
        self.demand = PLAIN
        try:
            image = await asyncio.to_thread(self._image)
            await blocking.run(self._spaces)
            await self._boot(image)
            if not self._resumed:
                await self._set()
                await self._keep()
        except BaseException:
            await whole(self.down())
            raise

    async def down(self) -> None:
        """End it and remove it whole; also half of it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_S):
                await self._ssh.close()
        await self._end()
        await space.clear(self.hosts)
        shutil.rmtree(self._folder, ignore_errors=True)
        self._held.close()

    async def restart(self) -> str:
        """Press the reset button, and wait until it is again as it was, its setup too.

        A guest that went on from a snapshot is switched off and on: QEMU 7.2 ends at its reset.
        """
        how = "switched off and on" if self._resumed else "reset"
        if resumed := self._resumed:
            await self._end()
            self._resumed = None
            await self._start(resumed)
        else:
            await self._reset()
        await self._set()
        await self.after_restart()
        return f"the virtual machine {how}, and booted"

    async def _reset(self) -> None:
        await self._running().reset()
        if self.counting:
            self.counting.names.forget()
        if self._keys and self.model.in_memory:
            await self._first_boot(self._keys)
        await self._reached(self._patience_s)

    async def meet(self, demand: Demand) -> None:
        """Before a trial: the tester's ports as it needs them. Raises StationError."""
        was, self.demand = self.demand, None
        await self.cable.meet(was, demand)
        if was is None or demand.mtu != was.mtu:
            await space.widths(self._nodes, demand.mtu)
        self.demand = demand
        await check_ports(self._nodes if demand.offload else self._nodes | self.cable.nodes)

    def rewired(self) -> None:
        """The WAN host's ports are new devices, of which nothing is known."""
        self.demand = None

    async def flush(self) -> None:
        """Empty the guest's connection tracking table."""
        if not await Look.at(self._ssh, forget=True):
            await self._ssh.run(*sh(space.FLUSH))

    async def shelter(self) -> None:
        """Move the control port of our image to where no rule of the gateway meets it.

        That is a network namespace of the guest's. Its SSH server begins each command in the
        gateway's own. Raises GatemarkError where the guest cannot be reached.
        """
        own_address = f"{OURS.host}/{PREFIX}"
        await self._ssh.run(*sh(shell(SHELTER, own=own_address)))
        until = time.monotonic() + self._patience_s
        while True:
            await asyncio.sleep(KNOCK_S)
            with suppress(NotUpError, NodeError):  # it was moved just as it let us in
                await self._ssh.close()
                await self._reached(self._patience_s)
                if not await self._ssh.run(*sh(shell(SHOWN, own=own_address))):
                    return
            if time.monotonic() > until:
                raise StationError("gateway: its control port was not moved to a namespace")

    async def rename(self, names: Mapping[str, str]) -> None:
        """Give the guest's test ports other names, as "gw0": "br-lan", and set them anew.

        Its other cards give way. Raises NodeError where the guest refuses a name.
        """
        renamed = shell(GIVE_WAY)
        for gate, name in names.items():
            device = TEMPORARY.format(mac([*TAPS].index(gate)).replace(":", ""))
            renamed = joined((renamed, shell(RENAME, device=device, name=name)))
        await self._ssh.run(*sh(renamed))
        await self._set()

    async def require_alive(self) -> None:
        """Raise StationError if the guest, the way to it or a namespace is gone."""
        space.require(self.hosts)
        machine = self._running()
        if not machine.alive:
            raise StationError("gateway: its virtual machine has ended")
        if lost := self._ssh.lost:
            text = machine.console.last or "nothing"
            raise StationError(f"gateway: lost ({lost}), its console: {text}")

    def _running(self) -> Machine:
        if self._machine is None:
            raise StationError("gateway: its virtual machine is not up")
        return self._machine

    def _image(self) -> Model:
        """Return the model to boot: a package's kernel with our image and keys, or user's files."""
        self._folder.mkdir(mode=0o700, parents=True)
        model = self.model
        if self.counting:
            words = (model.append, COUNTED, PROGRAMS if self.counting.data else "")
            model = replace(model, append=" ".join(filter(None, words)))
        if model.official:
            self._keys = keys(OURS.host, self._folder)
            if is_disk(model.official):
                return replace(model, disk=unpacked(model.official))
            return replace(model, kernel=model.official)
        if not model.package:
            return model
        image, host_key = base(model)
        self._snapshot = None if self._unfit else self._snapshot_of(model, image)
        secret = self._snapshot.secret if self._snapshot else b""
        return _with_keys(model, image, host_key, self._folder, secret)

    @property
    def _unfit(self) -> bool:
        """Return whether it is booted each time: boots are compared, or instructions counted."""
        counted = self.model.icount is not None or self.counting is not None
        return self._anew or counted or self.model.memory_mib > KEPT_MIB

    def _snapshot_of(self, model: Model, image: Image) -> Snapshot:
        """The snapshot of a model of our images; a line says where it was damaged."""
        named = replace(model, kernel=Path("kernel"), initramfs=Path("initramfs"))
        result = Snapshot.of(model.arch, image, [*options(named, "tcg"), model.nic])
        if result.damage:
            tell(f"snapshot {result.damage}: {self.name} boots")
        return result

    def _spaces(self) -> None:
        space.create(self.hosts)
        with ExitStack() as stack:
            self.cable.build(self._ends(stack))

    def _ends(self, stack: ExitStack) -> dict[str, IPRoute]:
        """A netlink socket in each host's namespace."""
        return {host: stack.enter_context(inside(node.netns)) for host, node in self.hosts.items()}

    @property
    def _patience_s(self) -> float:
        how, own_s = self.accel.partition(":")[0], self.model.boot_s
        if own_s:
            return min(own_s, OPENWRT_KVM_S) if self.model.image and how == "kvm" else own_s
        if self.model.icount is not None or (self.counting and self.counting.caches):
            return SLOW_BOOT_S
        return BOOT_S[how]

    async def _boot(self, model: Model) -> None:
        """Boot by KVM where that works, else by emulation; the record says why."""
        self._resumed = None
        why = "instructions are counted" if self.counting else kvm_refused(model)
        if not why:
            self.accel = "kvm"
            try:
                return await self._start(model)
            except GatemarkError as error:
                await self._end()
                why = str(error)
                # The user's own image may be what does not boot.
                if model.package and isinstance(error, NotUpError):
                    await asyncio.to_thread(remember, model.arch, why)
        self.accel = f"tcg: {why}"
        kept = self._snapshot
        if not kept or not kept.state.exists() or not await self._goes_on(model, kept):
            await self._start(model)
        return None

    async def _goes_on(self, model: Model, kept: Snapshot) -> bool:
        """Return whether the guest went on from a snapshot; one that does not is removed."""
        try:
            with kept.state.open("rb") as state:
                await self._switch_on(model, migration.INCOMING)
                await migration.resume(self._running().monitor, state.fileno())
            await self._reached(RESUME * self._patience_s)
            await self._awake()
            if await self._set_by() != kept.settings:
                raise StationError("another version of Gatemark set it")
        except (GatemarkError, OSError) as error:
            await self._end()
            kept.remove()
            tell(f"snapshot {kept.name} is not used: {error}; {self.name} boots")
            return False
        self._resumed = model
        return True

    async def _keep(self) -> None:
        """Keep an emulated guest as it is now, before a trial, and without us in it."""
        kept = self._snapshot
        if not kept or self.accel == "kvm":
            return
        settings = await self._set_by()
        await self._ssh.close()
        await asyncio.sleep(GONE_S)
        try:
            half = kept.half(self.lab, settings)
            try:
                with (half / STATE).open("wb") as state:
                    await migration.save(self._running().monitor, state.fileno())
                await asyncio.to_thread(kept.keep, half)
            except BaseException:
                shutil.rmtree(half, ignore_errors=True)
                raise
        except (GatemarkError, OSError) as error:
            tell(f"no snapshot of {self.name} is kept: {error}")
        await self._reached(self._patience_s)
        await self._awake()

    async def _awake(self) -> None:
        """Give a guest that stood still the time, and randomness of its own."""
        script = shell(AWAKE, now=f"{time.time():.0f}")
        await self._ssh.run(*sh(script), stdin=secrets.token_hex(32))

    async def _start(self, model: Model) -> None:
        await self._switch_on(model)
        if self._keys:
            await self._first_boot(self._keys)
        await self._reached(self._patience_s)

    async def _switch_on(self, model: Model, waits: Sequence[str] = ()) -> None:
        cards = [
            Card(mac(at), tap(self.hosts[host].netns, device))
            for at, (host, device) in enumerate(TAPS.values())
        ]
        cpus = self.cpus.gateway, self.cpus.sink
        accel = self.accel.partition(":")[0]
        place = self.hosts["lan"]
        self._machine = await Machine.start(
            model, accel, cards, place, cpus, lambda handed: [*self._counted(handed), *waits]
        )
        if self._hastens:
            self._machine.hasten()
        threads = [*await self._machine.threads(cpus[0]), self._machine.carrier(cpus[1])]
        self.threads |= {thread.name: thread for thread in threads}
        await blocking.run(self._address)
        await self._aggregate_not()

    @property
    def _hastens(self) -> bool:
        """Return whether the emulator goes before the tester; counted packets go singly."""
        return self.able.priority and not self.counting

    async def _first_boot(self, keys: Keys) -> None:
        """An image of somebody else's lets nobody in until its console is used."""
        console = self._running().console
        await first.boot(console, keys.host, keys.user_line, self._patience_s)

    def _counted(self, handed: Handed) -> list[str]:
        """QEMU's options where instructions are counted."""
        return self.counting.words(handed.lent, handed.given) if self.counting else []

    async def _end(self) -> None:
        machine, self._machine = self._machine, None
        if self.counting:
            self.counting.ended()
        if machine:
            await machine.stop()

    def _control(self, end: IPRoute) -> None:
        """Our end of the control port: an address beside the guest's, and its card known."""
        guest = self._login.address.host
        index = end.link_lookup(ifname=TAPS[CONTROL][1])[0]
        end.link("set", index=index, state="up")
        end.addr("add", index=index, address=beside(guest), prefixlen=PREFIX)
        end.neigh("add", dst=guest, lladdr=mac(0), ifindex=index, state="permanent")

    async def _reached(self, within_s: float) -> None:
        """Wait until the guest lets us in. Raises NotUpError with what its console said.

        The time that others have its CPU is no time of its boot.
        """
        began, kept_s = time.monotonic(), self._kept_s
        try:
            while not await self._knock():
                waited_s = min(self._kept_s - kept_s, BUSY * within_s)
                if not self._running().alive or time.monotonic() - began > within_s + waited_s:
                    busy = f" beside {waited_s:.0f} s without a CPU" if waited_s >= 1 else ""
                    raise StationError(f"no SSH in {within_s:g} s{busy}")
            await self._ssh.reconnect(max(SILENCE_S, began + within_s - time.monotonic()))
            await self._running().settle(self.model.arch.settled)
        except GatemarkError as error:
            text = self._running().console.last or "nothing"
            raise NotUpError(
                f"gateway: its virtual machine did not come up: {error}; its console: {text}"
            ) from None

    @property
    def _kept_s(self) -> float:
        """The time that the guest's most starved processor was kept waiting by others so far."""
        return max((thread.waited_s for thread in self.threads.values()), default=0.0)

    async def _knock(self) -> bool:
        """Return whether its SSH server takes a connection."""
        address = self._login.address
        control = self.hosts["ctl"].netns
        began = time.monotonic()
        try:
            async with asyncio.timeout(KNOCK_S):
                (await dial(control, address.host, address.port or SSH_PORT)).close()
        except OSError:
            await asyncio.sleep(max(0.0, began + KNOCK_S - time.monotonic()))
            return False
        return True

    def _address(self) -> None:
        """The tester's ports, as in the built-in lab; the guest's are known by their cards."""
        with ExitStack() as stack:
            ends = self._ends(stack)
            for at, (gate, (host, device)) in enumerate(TAPS.items()):
                own = mac(at, ours=True)
                index = ends[host].link_lookup(ifname=device)[0]
                ends[host].link("set", index=index, address=own)
                if gate == CONTROL:
                    self._control(ends[host])
                    continue
                # The guest's kernel may have a word to say between our packets, as a box's.
                self.ports[device] = Port(self.hosts[host], device, own, raw=True, silent=False)
                self.ports[gate] = Port(self._ssh, gate, mac(at))
                space.address(ends[host], self.ports[device])
            for host, near, far in NEXT:
                space.neighbours(ends[host], self.ports[near], self.ports[far])
            for host, port in (("lan", "gw0"), ("wan", "gw1")):
                space.default_routes(ends[host], self.ports[port])
            space.second_host(ends["lan2"], self.ports)
        # The tester alone is measured by the ports that it has with a gateway.
        self.ports |= {role: replace(port, raw=True) for role, port in self.cable.ports.items()}

    async def _aggregate_not(self) -> None:
        await asyncio.gather(
            *(space.offloads(node, device, "off") for device, node in self._nodes.items())
        )
        await self.cable.meet(MADE, PLAIN)

    async def _set(self) -> None:
        """The guest's test ports: their addresses, and whom they are linked to."""
        if self.model.image:
            await self._waited(openwrt.booted())
        scripts, batch = await self._settings()
        for script in scripts:
            await self._ssh.run(*sh(script))
        if self.model.image:
            for script in openwrt.settled(self.ports):
                await self._waited(script)
        await self._ssh.run("ip", "-batch", "-", stdin=batch)

    async def _set_by(self) -> str:
        """All that sets it, as one text: it is known in a snapshot by that."""
        scripts, batch = await self._settings()
        return "\n".join((*scripts, batch))

    async def _settings(self) -> tuple[list[Script], str]:
        """Return what sets its test ports: scripts, and then the lines of `ip -batch`."""
        cards = await self._cards()
        whole = [shell(WHOLE, device=device) for device in cards.values()]
        scripts = [joined((space.QUIET, ROUTER, *whole))]
        words = [f"link set {device} up" for device in cards.values()]
        if self.model.image:
            scripts.append(openwrt.addressed(self.ports))
        else:
            words += [word for gate in self._devices for word in _addressed(self.ports[gate])]
        bridge = self._devices["gw0"] if self._bridged else ""
        crowd = space.crowd(self.gateway, self.ports, bridge)
        return scripts, "\n".join((*words, crowd, ""))

    async def _waited(self, script: Script) -> None:
        """Have OpenWrt wait as long as it takes. Raises StationError with what is missing."""
        until = time.monotonic() + max(self._patience_s, openwrt.LOADED_S)
        while (line := (await self._ssh.run(*sh(script))).strip()) != openwrt.UP:
            if time.monotonic() > until:
                raise StationError(f"gateway: OpenWrt: {line}")

    async def _cards(self) -> dict[str, str]:
        """Its cards by role; with it what has their addresses is known, as the gateway's devices.

        Raises StationError where one has no device.
        """
        names = _by_mac(await self._ssh.run(*sh(CARDS)))
        cards, masters = {}, {}
        for at, gate in enumerate(TAPS):
            if gate == CONTROL:
                continue
            if mac(at) not in names:
                raise StationError(f"gateway: no device for {gate}: has it a driver for its card?")
            card, *above = names[mac(at)].split()
            cards[gate] = checked.by("gateway", checked.device, card)
            masters[gate] = above
            of_address = above[0] if above and self.ports[gate].addressed else card
            self._devices[gate] = checked.by("gateway", checked.device, of_address)
            self.ports[gate] = replace(self.ports[gate], named=self._devices[gate])
        self._bridged = bool(masters["gw2"]) and masters["gw2"] == masters["gw0"]
        return cards


@reader("its network cards")
def _by_mac(text: str) -> dict[str, str]:
    """The guest's cards by their MAC address: device, and the bridge that it is a port of."""
    return dict(line.split(maxsplit=1) for line in text.splitlines())


def bootable(model: Model, folder: Path) -> Model:
    """A model of our images with its kernel and file system; the keys to get in are in `folder`."""
    return _with_keys(model, *base(model), folder)


def base(model: Model) -> tuple[Image, str]:
    """Return what a model of our images boots, but for its keys; and where its host key goes."""
    if model.image:
        return openwrt_image.image(model.arch), openwrt_image.HOST_KEY
    return _stock(model), HOST_KEY


def _stock(model: Model) -> Image:
    """The image of a model's kernel, made if it is not there. Raises UnavailableError."""
    return stock(model.arch, model.package, model.memory_mib, tell, model.release)


def _with_keys(
    model: Model, image: Image, host_key: str, folder: Path, secret: bytes = b""
) -> Model:
    initramfs = instance(image.initramfs, OURS.host, folder, host_key, secret)
    return replace(model, kernel=image.kernel, initramfs=initramfs)


def mac(at: int, *, ours: bool = False) -> str:
    """The cards of a guest, and `ours` beyond its ports: locally administered, in order.

    Each link of a lab is its own, so they are the same for all labs: a guest that goes on from a
    snapshot has the cards that it was booted with, and knows its neighbours'.
    """
    return f"02:67:6d:00:{ours:02x}:{at:02x}"


def _addressed(port: Port) -> Iterator[str]:
    """Yield the lines of `ip -batch` that give a port its addresses."""
    for family, dad in (("ipv4", ""), ("ipv6", " nodad")):
        if port.addressed:
            yield f"address replace {port.interface(family)} dev {port.device}{dad}"


def beside(address: str) -> str:
    """An address in the same network that is not the same: its first, or its second."""
    network = ip_network(f"{address}/{PREFIX}", strict=False)
    first, second = str(network[1]), str(network[2])
    return second if address == first else first


def tell(line: str) -> None:
    """Something that takes long, before anything is measured."""
    sys.stderr.write(f"{printable(line)}\n")
