# SPDX-License-Identifier: Apache-2.0
"""The facts in a station file of a box and of the tester before it (docs/stations.md).

Nothing is looked at but the file: each fault is stated with its line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_interface
from pathlib import Path
from typing import Any, Final, Literal

from gatemark.error import UsageError
from gatemark.node import checked
from gatemark.node.inventory import stated
from gatemark.node.remote import login
from gatemark.node.remote.login import Login
from gatemark.plan.toml import line_of, nearest, refuse_unknown_keys
from gatemark.station.mode import Mode
from gatemark.station.power.meter import Meter
from gatemark.station.power.power import meter
from gatemark.station.ssh.cabling import TABLES, cabling
from gatemark.station.wiring import FAR_HOST

Table = Mapping[str, Any]
Addresses = Mapping[str, str]  # family -> address/length

FAMILIES: Final = {"ipv4": 4, "ipv6": 6}
SETS: Final = tuple(Mode)
PATHS: Final = ("switch", "route", "nat")
ENDS: Final = {"lan": "gw0", "wan": "gw1"}  # key of a gateway's port -> its role
GATEWAY_KEYS: Final = (
    *("kind", *login.KEYS, login.LEASE, "set", "path", "agent", "inventory"),
    *(key for end in ENDS for key in (end, *(f"{end}_{family}" for family in FAMILIES))),
)
SIDE_KEYS: Final = ("kind", "nic", "vlan", *FAMILIES)
LEAST_ADDRESSES: Final = FAR_HOST + 2  # of a network, its own and that of broadcasts among them


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the tester: a NIC, of this machine or of a host over SSH."""

    nic: str
    vlan: int = 0  # 0: untagged
    own: Addresses = field(default_factory=dict)
    login: Login | None = None  # None: this machine

    @property
    def device(self) -> str:
        """The test port itself: the NIC, or the VLAN on it."""
        return f"{self.nic}.{self.vlan}" if self.vlan else self.nic

    @property
    def words(self) -> str:
        """The same, of which host, with its addresses."""
        host = [f"{self.login.address}"] if self.login else []
        return " ".join((*host, self.device, *self.own.values()))


@dataclass(frozen=True, slots=True)
class Box:
    """A gateway over SSH and the tester's sides: a station file of kind `ssh`."""

    name: str
    login: Login
    devices: Mapping[str, str]  # role -> device: "gw0": "eth0"
    own: Mapping[str, Addresses]  # role -> addresses; those not stated are read from it
    sides: Mapping[str, Side]  # lan, wan
    set: Mode = Mode.APPLY
    path: str = ""  # of a gateway that is taken as it is
    agent: bool = True  # whether gm-agent may run on the gateway
    stated: Mapping[str, str] = field(default_factory=dict)  # of its inventory
    power: Meter | None = None  # what tells the power that it draws
    bench: Mapping[str, str] = field(default_factory=dict)  # of its NICs and cables

    @property
    def local(self) -> bool:
        """Return whether both sides are NICs of this machine."""
        return len(self.sides) == 2 and not any(side.login for side in self.sides.values())

    @property
    def made_of(self) -> dict[str, str]:
        """Return the facts that make it this station and no other."""
        gateway = {
            f"gateway {end}": " ".join((self.devices[role], *self.own[role].values()))
            for end, role in ENDS.items()
            if role in self.devices
        }
        sides = {end: side.words for end, side in self.sides.items()}
        login = {"address": str(self.login.address), "set": str(self.set), "path": self.path}
        ways = _way("", self.login)
        for end, side in self.sides.items():
            ways |= _way(f"{end} ", side.login) if side.login else {}
        return login | gateway | sides | ways


def box(data: Table, path: Path) -> Box:
    """The station of a file. Raises UsageError with file, line and the fix."""
    refuse_unknown_keys(data, ["schema", "gateway", "lan", "wan", "power", *TABLES], path, "")
    table = data["gateway"]
    refuse_unknown_keys(table, list(GATEWAY_KEYS), path, "gateway")
    set_ = Mode(_word(table, "set", path, "gateway", SETS, Mode.APPLY))
    devices = {role: _device(table, end, path, "gateway") for end, role in ENDS.items()}
    devices = {role: device for role, device in devices.items() if device}
    if "gw0" not in devices:
        raise _fault(path, "gateway", "gateway", 'name its LAN port: lan = "br-lan"')
    sides = {end: _side(data, end, path) for end, role in ENDS.items() if role in devices}
    for end, role in ENDS.items():
        if end in data and role not in devices:
            raise _fault(path, "gateway", end, f"[{end}] leads to no port: `{end}` in [gateway]")
    _alike(sides, path)
    made = Box(
        name=path.stem,
        login=_login(table, path, "gateway"),
        devices=devices,
        own={role: _own(table, path, "gateway", f"{end}_") for end, role in ENDS.items()},
        sides=sides,
        set=set_,
        path=_word(table, "path", path, "gateway", PATHS, ""),
        agent=_agent(table, path),
        stated=stated(table.get("inventory", {}), path),
        power=meter(data["power"], path) if "power" in data else None,
        bench=cabling(data, path),
    )
    return _whole(made, path)


def _way(host: str, login: Login) -> dict[str, str]:
    """Return the part of a login, besides its address, that decides which box answers to it.

    Many networks have a 192.168.1.1: the jump host says which of them is meant, and the known hosts
    say which key it must show. Our own key and password only open it, and may be changed.
    """
    jump = {f"{host}jump": str(login.jump)} if login.jump else {}
    known = {f"{host}known_hosts": str(login.known_hosts.resolve())} if login.known_hosts else {}
    return jump | known


def _agent(table: Table, path: Path) -> bool:
    agent = table.get("agent", True)
    if not isinstance(agent, bool):
        raise _fault(path, "gateway", "agent", "true, or false where no gm-agent may run on it")
    return agent


def _side(data: Table, end: str, path: Path) -> Side:
    table = data.get(end)
    if not isinstance(table, Mapping):
        raise _fault(path, "gateway", end, f"a station needs [{end}]: who sends and receives there")
    kind: Literal["local", "ssh"] = _word(table, "kind", path, end, ("local", "ssh"), "local")
    known = [*SIDE_KEYS, *((*login.KEYS, login.LEASE) if kind == "ssh" else ())]
    refuse_unknown_keys(table, known, path, end)
    nic, vlan = _device(table, "nic", path, end), table.get("vlan", 0)
    if not nic:
        raise _fault(path, end, end, 'name its NIC: nic = "enp3s0"')
    if "vlan" in table and (type(vlan) is not int or vlan not in checked.VLANS):
        raise _fault(path, end, "vlan", f"a number of {checked.VLANS[0]} to {checked.VLANS[-1]}")
    kept_login = _login(table, path, end) if kind == "ssh" else None
    side = Side(nic=nic, vlan=vlan, own=_own(table, path, end), login=kept_login)
    try:
        checked.device(side.device)
    except ValueError as error:
        raise _fault(path, end, "vlan", f"{error}: give {nic} a shorter name") from None
    return side


def _login(table: Table, path: Path, name: str) -> Login:
    """Return the way in, and the lease that the host is held by."""
    lease_s = table.get(login.LEASE, login.LEASE_S)
    if type(lease_s) is not int or lease_s not in login.LEASES_S:
        text = f"whole seconds of {login.LEASES_S[0]} to {login.LEASES_S[-1]}"
        raise _fault(path, name, login.LEASE, text)
    return replace(login.login(table, path, name), lease_s=lease_s)


def _alike(sides: Mapping[str, Side], path: Path) -> None:
    """Both sides are of one kind; a NIC that both share carries two VLANs."""
    if len(sides) < 2:
        return
    lan, wan = sides["lan"], sides["wan"]
    if bool(lan.login) != bool(wan.login):
        raise _fault(path, "wan", "kind", "let [lan] and [wan] both be `local`, or both `ssh`")
    if (lan.login, lan.device) == (wan.login, wan.device):
        fix = "give each side a NIC, or a `vlan` of its own"
        raise _fault(path, "wan", "nic", f"{wan.device} is the LAN side's already: {fix}")
    if (lan.login, lan.nic) == (wan.login, wan.nic) and not (lan.vlan and wan.vlan):
        raise _fault(path, "wan", "vlan", f"both sides share {wan.nic}: each needs a `vlan`")


def _whole(made: Box, path: Path) -> Box:
    """A gateway that is taken as it is has addresses that we cannot choose; others have room."""
    if made.set is not Mode.OBSERVE:
        _roomy(made, path)
        return made
    for end, side in made.sides.items():
        if not side.own:
            why = 'the gateway is taken as it is (set = "observe"), so give an address of its '
            raise _fault(path, end, end, f'{why}network: ipv4 = "192.168.1.10/24"')
    return made


def _roomy(made: Box, path: Path) -> None:
    """A network that we tell a gateway the hosts of has all of them (station/wiring.py)."""
    gateway = {
        ("gateway", f"{end}_{family}"): text
        for end, role in ENDS.items()
        for family, text in made.own[role].items()
    }
    sides = {
        (end, family): text for end, side in made.sides.items() for family, text in side.own.items()
    }
    for (table, key), text in (gateway | sides).items():
        network = ip_interface(text).network
        if network.num_addresses < LEAST_ADDRESSES:
            why = f"test packets have addresses up to number {FAR_HOST} of its network"
            longest = network.max_prefixlen - LEAST_ADDRESSES.bit_length() + 1
            raise _fault(path, table, key, f"{text} is too small: {why}: /{longest} or larger")


def _own(table: Table, path: Path, name: str, before: str = "") -> Addresses:
    results = {}
    for family, version in FAMILIES.items():
        key = f"{before}{family}"
        if key not in table:
            continue
        text = _text(table, key, path, name)
        try:
            address = ip_interface(checked.interface(text))
            right = address.version == version and "%" not in text
        except ValueError:
            right = False
        if not right:
            example = "192.168.1.10/24" if version == 4 else "2001:db8::10/64"
            why = f"{checked.shown(text)} is no {family} address/length: {example}"
            raise _fault(path, name, key, why)
        results[family] = str(address)
    return results


def _device(table: Table, key: str, path: Path, name: str) -> str:
    """The name of a port; "" where there is none."""
    text = _text(table, key, path, name)
    try:
        return checked.device(text) if text else ""
    except ValueError as error:
        raise _fault(path, name, key, str(error)) from None


def _text(table: Table, key: str, path: Path, name: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise _fault(path, name, key, "a text in quotes")
    return value


def _word(table: Table, key: str, path: Path, name: str, known: Sequence[str], preset: str) -> Any:
    value = table.get(key, preset)
    if value not in known and value != preset:
        raise _fault(path, name, key, f"no '{value}'{nearest(str(value), list(known))}")
    return value


def _fault(path: Path, table: str, key: str, text: str) -> UsageError:
    where = "" if key == table else f"{key}: "
    return UsageError(f"{path}:{line_of(path, key, table, table=table)}: {where}{text}")
