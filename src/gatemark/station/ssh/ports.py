# SPDX-License-Identifier: Apache-2.0
"""A box as it shows itself to who is logged in: its ports, its networks, the port of the session.

Nothing is changed by asking, and nothing is taken for granted but a shell, /sys and `ip`.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from gatemark.error import StationError
from gatemark.node import checked, hardware, shared
from gatemark.node.ask import ask
from gatemark.node.quoted import literal, literals, sh
from gatemark.node.reader import reader
from gatemark.node.shell import Node
from gatemark.station.ssh import bridged, control, swconfig
from gatemark.station.ssh.bridged import Member
from gatemark.station.ssh.swconfig import Vlan

TOOLS: Final = ("ip", "nft", "tc", "uci", "fw4", "flock", "ubus")
# What our scripts are made of; a full busybox has all of them.
APPLETS: Final = (
    *("cat", "chmod", "cut", "date", "grep", "head", "id", "kill", "ln", "ls", "md5sum", "mkdir"),
    *("mv", "ps", "readlink", "rm", "sed", "sleep", "sort", "tail", "tr", "uniq"),
)
QUESTIONS: Final = literals(
    {
        "devices": "cd /sys/class/net; for d in *; do [ -e $d/address ] || continue; "
        "k=$(grep DEVTYPE= $d/uevent); m=$(readlink $d/master); p=; [ -e $d/device ] && p=real; "
        '[ -n "$(cat $d/phys_switch_id)" ] && p=real; l=; for f in $d/lower_*; do '
        "[ -e $f ] && l=$l,${f##*/lower_}; done; "
        "v=$(sed -n 's/.*VID: *\\([0-9]*\\).*/\\1/p' /proc/net/vlan/$d); "
        "f=$(cat $d/bridge/vlan_filtering); "
        "echo name=$d type=$(cat $d/type) kind=${k#DEVTYPE=} port=$p master=${m##*/} filters=$f "
        "below=${l#,} vlan=$v carrier=$(cat $d/carrier) conduit=$(cat $d/dsa/tagging); done",
        "networks": "ubus call network.interface dump",
        "addresses": "ip -o addr show scope global",
        "default": "ip route show default",
        "sessions": "cat /proc/net/pppoe",
        "can": f"for t in {' '.join(TOOLS)}; do command -v $t > /dev/null && echo $t; done; true",
        "lacks": f"for t in {' '.join(APPLETS)}; do "
        "command -v $t > /dev/null || echo $t; done; true",
        "writes": f"{shared.SHELL}\n"
        'folder=$(fresh /tmp gatemark-once) && echo 0 > "$folder/0" && echo yes; rm -rf "$folder"',
    }
)
COUNTED: Final = literal(
    "cd /sys/class/net; for d in *; do "
    "[ -e $d/address ] && echo $d $(cat $d/statistics/rx_packets); done"
)
ETHERNET: Final = "1"  # ARPHRD_ETHER
PPP: Final = "ppp"  # pppd's names: ppp0; netifd's: pppoe-wan
HELD: Final = re.compile(r"^\d+: ([^\s:@]+)\S* +inet6? (\S+)", re.MULTILINE)
LONGEST: Final = 15  # characters of a device's name
DEFAULT: Final = re.compile(r"\bdev (\S+)")
SESSION: Final = re.compile(r"^[0-9A-F]{8} [0-9a-f:]{17} +(\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Device:
    """A network device of the box that frames cross."""

    name: str
    kind: str  # bridge, vlan, bond, dsa, wlan; "" for a plain port, and for a macvlan
    real: bool  # hardware of its own, or a port of its switch
    master: str  # the bridge that it is a port of; "" where it is in none
    below: tuple[str, ...]  # what it stands on: eth0 of eth0.1
    carrier: bool
    number: int = 0  # of a VLAN, where the kernel says it
    filters: bool = True  # of a bridge: it keeps its VLANs apart; else all of them pass everywhere

    @property
    def vlan(self) -> int:
        """The number of a VLAN; its name has it by default."""
        last = self.name.rpartition(".")[2]
        return self.number or (int(last) if last.isdecimal() and int(last) in checked.VLANS else 0)

    @property
    def is_alias(self) -> bool:
        """Return whether it is another name of what it stands on: a macvlan, without a kind."""
        return not self.kind and not self.real and len(self.below) == 1


class Outlet(NamedTuple):
    """A socket of the box, and how the frames of a network are tagged there."""

    port: str
    vlan: int = 0  # 0: not tagged


@dataclass(frozen=True, slots=True)
class Network:
    """A network of OpenWrt's: `lan`, `wan`."""

    name: str
    proto: str
    device: str  # where its frames leave: eth2, br-lan
    layer3: str  # where its packets do: pppoe-wan


@dataclass(frozen=True, slots=True)
class Shown:
    """A box as it is."""

    model: str
    firmware: str
    devices: Mapping[str, Device]
    networks: Mapping[str, Network]
    addresses: Mapping[str, Sequence[str]]  # device -> address/length
    default: str  # the device of its default route; "" where there is none
    session: str  # the device that the session comes in by; "" where it does not tell
    tools: frozenset[str]
    swconfig: bool  # its switch is set by swconfig: its ports are VLANs of one device
    writes: bool  # /tmp takes a file
    vlans: tuple[Vlan, ...] = ()  # of such a switch
    unlinked: frozenset[tuple[str, str]] = frozenset()  # its sockets without a link
    lacks: tuple[str, ...] = ()  # applets that a busybox usually has
    bridge_vlans: tuple[Member, ...] = ()  # of bridges that keep VLANs apart
    dialled: frozenset[str] = frozenset()  # devices that PPPoE sessions are on

    def ports_of(self, device: str) -> tuple[str, ...]:
        """The ports that lead to a device: those of a bridge, or the device itself."""
        members = sorted(d.name for d in self.devices.values() if d.master == device)
        return tuple(name for name in members if self.devices[name].kind != "wlan") or (device,)

    def outlets(self, device: str, above: frozenset[str] = frozenset()) -> tuple[Outlet, ...]:
        """Return the sockets that a device is reached by: what it stands on, down to the port.

        `above` has the devices that stand on it, so that a box that shows a circle ends it.
        """
        item, own = self.devices.get(device), (Outlet(device),)
        if item is None or device in above:
            return own
        above |= {device}
        if number := self._number_in_bridge(item):
            return self._of_bridge(self.ground(device) or device, number) or own
        if ground := self.ground(device):
            return tuple(Outlet(o.port, item.vlan) for o in self.outlets(ground, above))
        if item.is_alias:
            return self.outlets(item.below[0], above)
        ports = () if item.kind == "vlan" else self.ports_of(device)
        below = [o for port in ports if port != device for o in self.outlets(port, above)]
        return self._sockets(below) or own

    def _sockets(self, outlets: Iterable[Outlet]) -> tuple[Outlet, ...]:
        """Without tunnels and meshes among hardware: a bridge has them as ports, too."""
        every = tuple(outlets)
        known = (o for o in every if o.port in self.devices and self.devices[o.port].real)
        return tuple(known) or every

    def _number_in_bridge(self, item: Device) -> int:
        """The VLAN of a bridge that separates them: of `br-lan.4`, or of the bridge's own."""
        if self.is_of_bridge(item.name):
            return item.vlan
        if item.kind != "bridge" or not item.filters:
            return 0
        own = (m.number for m in self.bridge_vlans if m.port == item.name and not m.tagged)
        return next(own, 0)

    def ground(self, device: str) -> str:
        """Return what a VLAN stands on; "" of no VLAN, and of one that swconfig's switch sorts."""
        item = self.devices.get(device)
        if item is None or item.kind != "vlan" or len(item.below) != 1:
            return ""
        (ground,) = item.below
        is_sorted = self.swconfig and (
            not self.vlans or item.vlan in {vlan.number for vlan in self.vlans}
        )
        return ground if ground in self.devices and not is_sorted else ""

    def is_of_bridge(self, device: str) -> bool:
        """Return whether it is a VLAN of a bridge that separates them, as `br-lan.4`."""
        ground = self.devices.get(self.ground(device))
        return ground is not None and ground.kind == "bridge" and ground.filters

    def _of_bridge(self, bridge: str, number: int) -> tuple[Outlet, ...]:
        """The ports in a VLAN of a bridge; all of them where the box does not say which."""
        ports = self.ports_of(bridge)
        known = [member for member in self.bridge_vlans if member.port in ports]
        if not known:
            return self._sockets(Outlet(port) for port in ports if port != bridge)
        inside = (m for m in known if m.number == number)
        return self._sockets(Outlet(m.port, number * m.tagged) for m in inside)

    @property
    def ports(self) -> tuple[str, ...]:
        """Its Ethernet ports; of a container, which has no hardware, all that could be some."""
        wired = [device for device in self.devices.values() if device.kind not in ("wlan", "wwan")]
        real = [device.name for device in wired if device.real]
        plain = [device.name for device in wired if not device.kind]
        return tuple(sorted(real or plain, key=_natural))


async def look(box: Node) -> Shown:
    """Ask it. Raises StationError, NodeError."""
    questions = QUESTIONS | swconfig.QUESTIONS | bridged.QUESTIONS | hardware.QUESTIONS
    raw = await ask(box, questions)
    facts = hardware.hardware(raw)
    devices = _devices(raw["devices"])
    if not devices:
        raise StationError(f"{box.name}: it shows no network device in /sys/class/net")
    dialled = _dialled(raw["sessions"])
    return Shown(
        model=facts["model"],
        firmware=facts["firmware"],
        devices=devices,
        networks=_networks(raw["networks"]),
        addresses=_addresses(raw["addresses"]),
        default=_ethernet(_default(raw["default"]), devices, dialled),
        session=_ethernet(await control.require_apart(box, ()), devices, dialled),
        tools=frozenset(raw["can"].split()),
        swconfig=bool(raw["switch"].strip()),
        writes=raw["writes"] == "yes",
        vlans=swconfig.vlans(raw["vlans"]),
        unlinked=swconfig.unlinked(raw["unlinked"]),
        lacks=tuple(raw["lacks"].split()),
        bridge_vlans=bridged.members(raw["bridge_vlans"], raw["uci_vlans"]),
        dialled=dialled,
    )


async def received(box: Node) -> dict[str, int]:
    """Packets that each of its devices has received."""
    return _counts(await box.run(*sh(COUNTED)))


@reader("its network devices")
def _devices(text: str) -> dict[str, Device]:
    devices = {}
    for line in text.splitlines():
        row = dict(word.partition("=")[::2] for word in line.split())
        if row["type"] == ETHERNET and row["name"] != "lo" and not row["conduit"]:
            name = checked.device(row["name"])
            devices[name] = Device(
                name,
                kind=row["kind"],
                real=row["port"] == "real",
                master=row["master"],
                below=tuple(filter(None, row["below"].split(","))),
                carrier=row["carrier"] == "1",
                number=checked.vlan(int(row["vlan"])) if row["vlan"] else 0,
                filters=row["filters"] == "1",
            )
    return devices


@reader("its networks")
def _networks(text: str) -> dict[str, Network]:
    rows: list[Mapping[str, Any]] = json.loads(text)["interface"] if text else []
    networks = {}
    for row in rows:
        device, layer3 = str(row.get("device", "")), str(row.get("l3_device", ""))
        for name in filter(None, (device, layer3)):
            checked.device(name)
        network = Network(str(row["interface"]), str(row["proto"]), device, layer3)
        networks[network.name] = network
    return networks


@reader("its addresses")
def _addresses(text: str) -> dict[str, list[str]]:
    held: dict[str, list[str]] = {}
    for device, address in HELD.findall(text):
        held.setdefault(device, []).append(checked.interface(address))
    return held


@reader("its default route")
def _default(text: str) -> str:
    match = DEFAULT.search(text)
    return checked.device(match[1]) if match else ""


@reader("its PPPoE sessions")
def _dialled(text: str) -> frozenset[str]:
    """The devices below: the kernel's table has a session a line (net/pppox, pppoe_seq_show)."""
    return frozenset(checked.device(name) for name in SESSION.findall(text))


def _ethernet(name: str, devices: Mapping[str, Device], dialled: frozenset[str]) -> str:
    """Return what a PPPoE connection stands on; of several it is not plain which, so none is."""
    if not name.startswith(PPP) or name in devices:
        return name
    return next(iter(dialled)) if len(dialled) == 1 else name


@reader("its packet counters")
def _counts(text: str) -> dict[str, int]:
    return {name: int(count) for name, count in map(str.split, text.splitlines())}


def _natural(name: str) -> list[str]:
    """lan2 before lan10."""
    return [part.zfill(LONGEST) for part in re.split(r"(\d+)", name)]
